"""A file replaced at once: whoever looks sees the old content or the new one."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

__all__ = ["replace_file"]


def replace_file(path: Path, content: bytes, *, mode: int | None = None) -> None:
    """Put a content in a file's place; if anything fails, what was there is there.

    Args:
        path: The file, which need not be there yet; a link at its place would go.
        content: All that is to be in it.
        mode: Its permissions; None are those of a file that is made anew.

    Raises:
        OSError: The folder or the file can't be written.
    """
    # Not to be longer than a name may be, whatever the file's is.
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name[:40]}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        # What a temporary file is given is for its owner alone.
        Path(temporary).chmod(0o666 & ~_umask() if mode is None else mode)
        Path(temporary).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(temporary).unlink()
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
