"""What git's index says of files on the disk, corrected in the file itself.

libgit2 has no way to say that an entry stands for a file that is already there without reading the
file again. The form is git's (`gitformat-index`), versions 2 to 4.
"""

from __future__ import annotations

import hashlib
import struct
from typing import TYPE_CHECKING, Final

from versiondiff.errors import InvalidInput, UnsupportedFormat

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping
    from pathlib import Path

__all__ = ["left_out_of_the_tree", "stamp"]

_HEADER: Final = struct.Struct(">4sLL")
_STAT: Final = struct.Struct(">6L")
"""Change time, modification time (each seconds and nanoseconds), device, inode."""
_OWNER: Final = struct.Struct(">3L")
"""User, group, size; the mode stands between the two."""
_FIXED: Final = 62
_EXTENDED: Final = 0x4000
_SKIPPED: Final = 0x4000
"""Among the extended flags."""
_WORD: Final = 0xFFFF_FFFF
_CHECKSUM: Final = 20
_LAST_VERSION: Final = 4


def stamp(path: Path, stats: Mapping[bytes, os.stat_result]) -> None:
    """Write the given state of files into their entries.

    Without it git would take each of them for changed until it has read them again.

    Args:
        path: The index.
        stats: What `os.lstat` says of files, by their path below the top.

    Raises:
        UnsupportedFormat: The file is no index of a known version.
        InvalidInput: The file is damaged.
    """
    data = bytearray(path.read_bytes())
    for start, name in _entries(path, data):
        state = stats.get(name)
        if state is not None:
            _put(data, start, state)
    data[-_CHECKSUM:] = hashlib.sha1(data[:-_CHECKSUM], usedforsecurity=False).digest()
    path.write_bytes(data)


def left_out_of_the_tree(path: Path) -> frozenset[bytes]:
    """The files that are in the index and not meant to be in the folder (`skip-worktree`).

    Raises:
        UnsupportedFormat: The file is no index of a known version.
        InvalidInput: The file is damaged.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return frozenset()
    if data[4:8] == b"\0\0\0\2":
        # This version has no room for it.
        return frozenset()
    return frozenset(
        name for start, name in _entries(path, data) if _extended_flags(data, start) & _SKIPPED
    )


def _entries(path: Path, data: bytes | bytearray) -> Iterator[tuple[int, bytes]]:
    """Where each entry starts, and its name.

    Raises:
        UnsupportedFormat: It is no index of a known version.
        InvalidInput: It is damaged.
    """
    try:
        yield from _whole_entries(path, data)
    except (IndexError, ValueError, struct.error) as error:
        message = f"{path}: is a damaged index"
        raise InvalidInput(message) from error


def _whole_entries(path: Path, data: bytes | bytearray) -> Iterator[tuple[int, bytes]]:
    signature, version, count = _HEADER.unpack_from(data)
    if len(data) < _HEADER.size + _CHECKSUM:
        message = "a checksum stands at the end"
        raise ValueError(message)
    if signature != b"DIRC" or not 2 <= version <= _LAST_VERSION:
        message = f"{path}: is no index of git of version 2 to 4"
        raise UnsupportedFormat(message)
    at = _HEADER.size
    name = b""
    for _ in range(count):
        start = at
        at += _FIXED + (2 if _flags(data, start) & _EXTENDED else 0)
        if version == _LAST_VERSION:
            # Only the end of the name is written; what it shares with the one before is counted.
            dropped, at = _offset(data, at)
            if dropped > len(name):
                message = "an entry keeps less than nothing of the name before"
                raise ValueError(message)
            end = data.index(0, at)
            name = name[: len(name) - dropped] + bytes(data[at:end])
            at = end + 1
        else:
            end = data.index(0, at)
            name = bytes(data[at:end])
            at = end + 8 - (end - start) % 8
        yield start, name


def _flags(data: bytes | bytearray, start: int) -> int:
    return int.from_bytes(data[start + 60 : start + 62], "big")


def _extended_flags(data: bytes | bytearray, start: int) -> int:
    if not _flags(data, start) & _EXTENDED:
        return 0
    return int.from_bytes(data[start + _FIXED : start + _FIXED + 2], "big")


def _put(data: bytearray, start: int, state: os.stat_result) -> None:
    _STAT.pack_into(
        data,
        start,
        *_time(state.st_ctime_ns),
        *_time(state.st_mtime_ns),
        state.st_dev & _WORD,
        state.st_ino & _WORD,
    )
    _OWNER.pack_into(
        data,
        start + _STAT.size + 4,
        state.st_uid & _WORD,
        state.st_gid & _WORD,
        state.st_size & _WORD,
    )


def _time(nanoseconds: int) -> tuple[int, int]:
    seconds, rest = divmod(nanoseconds, 1_000_000_000)
    return seconds & _WORD, rest


def _offset(data: bytes | bytearray, at: int) -> tuple[int, int]:
    """A number in git's variable width (that of offsets in packs), and where it ends."""
    byte = data[at]
    at += 1
    value = byte & 0x7F
    while byte & 0x80:
        byte = data[at]
        at += 1
        value = (value + 1 << 7) | (byte & 0x7F)
    return value, at
