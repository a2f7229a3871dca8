"""A file replaced at once: whoever looks sees the old content or the new one."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from pathlib import Path

__all__ = ["check_replaceable", "replace_file", "rewrite_file"]


def replace_file(path: Path, content: bytes, *, mode: int | None = None) -> None:
    """Put a content in a file's place; if anything fails, what was there is there.

    Args:
        path: The file, which need not be there yet; a link at its place would go.
        content: All that is to be in it.
        mode: Its permissions; None are those of a file that is made anew.

    Raises:
        OSError: The folder or the file can't be written.
    """
    import tempfile

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


def rewrite_file(path: Path, content: bytes) -> None:
    """Put a content where a path leads; if anything fails, what was there is there.

    A link stays, and the file that it leads to keeps its permissions. What is no file, such as a
    terminal or a pipe, is written to.

    Raises:
        OSError: The folder or the file can't be written.
    """
    check_replaceable(path)
    target = path.resolve()
    if not target.exists():
        replace_file(target, content)
        return
    mode = target.stat().st_mode
    if stat.S_ISREG(mode):
        replace_file(target, content, mode=stat.S_IMODE(mode))
    else:
        path.write_bytes(content)


def check_replaceable(path: Path) -> None:
    """Check, as far as can be known before, that a file can be put there.

    Raises:
        OSError: It can't.
    """
    target = path.resolve()
    if target.is_dir():
        raise _refused(errno.EISDIR, path)
    if not target.parent.is_dir():
        raise _refused(errno.ENOENT, path)
    if target.exists() and not target.is_file():
        return
    if not os.access(target.parent, os.W_OK) or (
        target.exists() and not os.access(target, os.W_OK)
    ):
        raise _refused(errno.EACCES, path)


def _refused(code: int, path: Path) -> OSError:
    return OSError(code, os.strerror(code), str(path))


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
