"""The indexes of packs, looked through before libgit2 follows them.

An index has offsets of four bytes; one with its highest bit set is a place in a table of longer
ones behind them. libgit2 1.9 reads that place wherever it is, outside of the file too, and the
process dies. Git and gitoxide look first.
"""

from __future__ import annotations

import array
import sys
from typing import IO, TYPE_CHECKING, Final

from versiondiff.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["check"]

_SIGNATURE: Final = b"\xfftOc\0\0\0\2"
_IDS_AT: Final = 8 + 256 * 4
"""Behind the table by first bytes, whose last number says how many objects there are."""
_ID_AND_CHECKSUM: Final = 24
_TRAILER: Final = 40
_LONGER: Final = 1 << 31


def check(directories: Sequence[Path]) -> None:
    """Look through all indexes of version 2; there is nothing to follow in others.

    Args:
        directories: Those that objects are in.

    Raises:
        InvalidInput: An index points out of itself.
    """
    for directory in directories:
        for path in sorted((directory / "pack").glob("*.idx")):
            try:
                with path.open("rb") as file:
                    is_sound = _is_sound(file, path.stat().st_size)
            except OSError:
                # What can't be read can't be followed either.
                continue
            if not is_sound:
                message = f"{path}: is a damaged index of a pack"
                raise InvalidInput(message)


def _is_sound(file: IO[bytes], size: int) -> bool:
    head = file.read(_IDS_AT)
    if not head.startswith(_SIGNATURE) or len(head) < _IDS_AT:
        return True
    count = int.from_bytes(head[-4:], "big")
    start = _IDS_AT + count * _ID_AND_CHECKSUM
    longer = (size - start - count * 4 - _TRAILER) // 8
    if longer < 0:
        return False
    file.seek(start)
    offsets = array.array("I", file.read(count * 4))
    if sys.byteorder == "little":
        offsets.byteswap()
    return max(offsets, default=0) < _LONGER + longer
