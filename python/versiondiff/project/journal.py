"""What is being moved while a version is restored, written down before it is."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final

import msgspec

from versiondiff.decoding import NOT_DECODED
from versiondiff.errors import InvalidInput, UnsupportedFormat
from versiondiff.project.names import BRANCHES, TAGS
from versiondiff.project.references import Move, Person  # noqa: TC001 (msgspec reads them)
from versiondiff.project.trees import broken_rule

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from versiondiff.project.disk import Disk

__all__ = ["Identity", "Journal", "Phase", "Placed", "Taken", "read", "remove", "write"]

_FORMAT: Final = 1


class Phase(enum.Enum):
    """How far it is; which way a recovery goes."""

    MOVING = "moving"
    """Files are being moved, there or back: a recovery moves all of them back."""
    MOVED = "moved"
    """All files are in their places: a recovery moves the references and the index on."""


class _Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings that all parts share."""


class Identity(_Part, frozen=True, kw_only=True):
    """What tells a file from another one, and from its own state before an edit."""

    inode: int
    size: int
    modified: int
    """In nanoseconds."""
    mode: int

    @classmethod
    def of(cls, state: os.stat_result) -> Identity:
        """That of a file as `os.lstat` says it."""
        return cls(
            inode=state.st_ino,
            size=state.st_size,
            modified=state.st_mtime_ns,
            mode=state.st_mode,
        )


class Taken(_Part, frozen=True, kw_only=True):
    """Something that goes out of the folder, to `old/<its number>`."""

    path: bytes
    directory: bool = False


class Placed(_Part, frozen=True, kw_only=True):
    """Something that comes into the folder, from `new/<its number>`."""

    path: bytes
    number: int
    identity: Identity


class Journal(_Part, frozen=True, kw_only=True):
    """All that a recovery needs. Paths are base64 in the JSON: they may be any bytes."""

    format: int = _FORMAT
    phase: Phase
    taken: tuple[Taken, ...]
    """In the order in which they go out; directories after the files in them."""
    made: tuple[bytes, ...]
    """Directories that are made, the upper ones first."""
    placed: tuple[Placed, ...]
    left: tuple[bytes, ...]
    """Directories that go in the end, if they are empty."""
    moves: tuple[Move, ...]
    person: Person


def read(path: Path) -> Journal | None:
    """The journal, if there is one.

    Raises:
        UnsupportedFormat: It was written by another version of this library.
        InvalidInput: It names what this library would not touch.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    try:
        found = msgspec.json.decode(content, type=Journal)
    except NOT_DECODED as error:
        message = f"{path}: is no journal that is known here"
        raise UnsupportedFormat(message) from error
    _check(found, path)
    return found


def _check(found: Journal, path: Path) -> None:
    """A folder may come from anyone, with its git directory and a journal in it."""
    paths = [*(taken.path for taken in found.taken), *(placed.path for placed in found.placed)]
    paths += [*found.made, *found.left]
    rules = [broken_rule(name, 0) for below in paths for name in below.split(b"/")]
    references = [move.name for move in found.moves]
    if any(rules) or not all(
        name == "HEAD" or name.startswith((BRANCHES, TAGS)) for name in references
    ):
        message = f"{path}: is a journal of paths that must not be written"
        raise InvalidInput(message)


def write(path: Path, journal: Journal, disk: Disk) -> None:
    """Put the journal there, all of it or the one before."""
    aside = path.with_suffix(".new")
    aside.write_bytes(msgspec.json.encode(journal))
    disk.sync(aside)
    aside.replace(path)
    disk.sync(path.parent)


def remove(path: Path, disk: Disk) -> None:
    """Remove it: what it told of is over."""
    path.unlink(missing_ok=True)
    disk.sync(path.parent)
