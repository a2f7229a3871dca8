"""The line of `.gitignore` that keeps the state of `tsugumid` out of versions."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Final

from versiondiff.errors import InvalidInput

if TYPE_CHECKING:
    from pathlib import Path

    from versiondiff.project.disk import Disk

__all__ = ["complete"]

_LINE: Final = b".tsugumi/"
_SAME: Final = frozenset({_LINE, b"/.tsugumi/", b".tsugumi", b"/.tsugumi"})
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


def complete(folder: Path, aside: Path, disk: Disk) -> bool:
    """Add the line where it is missing, and keep all else as it is; whether it was missing.

    Args:
        folder: The project's folder.
        aside: Where the new file may be written before it takes its place.
        disk: What forces it to the disk.

    Raises:
        InvalidInput: `.gitignore` is no plain file; git does not follow a link there.
    """
    path = folder / ".gitignore"
    content = b""
    mode = None
    if os.path.lexists(path):
        state = path.lstat()
        if not stat.S_ISREG(state.st_mode):
            message = f"{path}: must be a plain file"
            raise InvalidInput(message)
        mode = stat.S_IMODE(state.st_mode)
        content = path.read_bytes()
    lines = [line.rstrip(b" \r") for line in content.removeprefix(_BYTE_ORDER_MARK).split(b"\n")]
    # The last line that is about it decides.
    about = [line for line in lines if line.removeprefix(b"!") in _SAME]
    if about and not about[-1].startswith(b"!"):
        return False
    line_end = b"\r\n" if content.partition(b"\n")[0].endswith(b"\r") else b"\n"
    if content and not content.endswith(b"\n"):
        content += line_end
    aside.write_bytes(content + _LINE + line_end)
    if mode is not None:
        aside.chmod(mode)
    disk.sync(aside)
    aside.replace(path)
    disk.sync(folder)
    return True
