"""The history file: a project's versions, branches, tags and runs in one JSON document.

`docs/history-file.md` describes the form and its rules. These values are its typed form; reading
with them checks types and refuses unknown fields, and `versiondiff._core.create_repository` checks
everything else while it makes the repository.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final

import msgspec

from versiondiff import _core
from versiondiff.decoding import NOT_DECODED
from versiondiff.durability import Durability
from versiondiff.errors import InvalidInput
from versiondiff.runs import RunStatus  # noqa: TC001 (msgspec looks the fields' types up)

if TYPE_CHECKING:
    import os

__all__ = [
    "FILE_NAME",
    "FORMAT_VERSION",
    "Adopted",
    "Adoption",
    "Created",
    "FileContent",
    "FileMode",
    "HistoryFile",
    "HistoryRun",
    "HistoryTag",
    "HistoryVersion",
    "Person",
    "adopt",
    "create_repository",
    "decode",
    "encode",
]

FILE_NAME: Final = ".tsugumi-history.json"
"""The name that the file has in the folder of a demo."""

FORMAT_VERSION: Final = 1
"""The one version of the form that there is."""


class _Part(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    omit_defaults=True,
    forbid_unknown_fields=True,
    rename="camel",
):
    """The settings that all parts share."""


class FileMode(enum.Enum):
    """What kind of file it is, by git's octal digits."""

    PLAIN = "100644"
    EXECUTABLE = "100755"


class FileContent(_Part, frozen=True, kw_only=True):
    """The content of a file: exactly one of `text` and `base64`."""

    text: str | None = None
    base64: bytes | None = None
    """Content that is no text; base64 in the JSON."""
    mode: FileMode = FileMode.PLAIN


class Person(_Part, frozen=True, kw_only=True):
    """Who made a version or a tag."""

    name: str
    email: str


class HistoryRun(_Part, frozen=True, kw_only=True):
    """One run that stood on a version; what it ran is not part of a history."""

    id: str
    """What tells it from all other runs; one word."""
    status: RunStatus
    ended: int
    """Seconds since 1970-01-01T00:00:00Z."""
    seconds: float
    """How long it took."""


class HistoryVersion(_Part, frozen=True, kw_only=True):
    """One version."""

    key: str
    """What the other parts of the file call it; it does not go into the repository."""
    parents: tuple[str, ...] = ()
    """The keys of the versions it was made from; the first is what `files` is told against."""
    message: str
    author: Person
    time: int
    """Seconds since 1970-01-01T00:00:00Z."""
    files: dict[str, str | FileContent | None] = {}
    """What differs from the first parent, by path: a text, a content, or None where it is gone."""
    runs: tuple[HistoryRun, ...] = ()
    """The runs that stood on it, in the order in which they ended; none where it was only kept."""


class HistoryTag(_Part, frozen=True, kw_only=True):
    """A version kept by name: an annotated tag."""

    version: str
    """The key of the version."""
    memo: str = ""
    tagger: Person
    time: int
    """Seconds since 1970-01-01T00:00:00Z."""


class HistoryFile(_Part, frozen=True, kw_only=True):
    """A whole history file."""

    format_version: int
    head: str
    """The branch that HEAD stands on and whose files are checked out."""
    branches: dict[str, str]
    """The key of the version that each branch ends with."""
    tags: dict[str, HistoryTag] = {}
    versions: tuple[HistoryVersion, ...]
    """The versions, in any order."""


class Created(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A repository was made from a history file."""

    head: str
    """The branch that HEAD stands on."""
    versions: dict[str, str]
    """The commit id of each version, 40 hexadecimal digits, by its key."""
    tags: dict[str, str]
    """The id of each annotated tag, by its name."""


class Adoption(enum.Enum):
    """What became of a folder's history file."""

    MADE = "made"
    """The folder was made a repository, and the file is gone."""
    FINISHED = "finished"
    """The folder was a repository of this history, made by a process that was killed before it
    could remove the file: the file is gone."""
    LEFT = "left"
    """The folder is a repository that does not hold this history: the file is still there."""


class Adopted(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A folder with a history file was looked after."""

    outcome: Adoption
    created: Created
    """What the repository holds of the history; what it would hold, where the file was left."""


def decode(data: bytes) -> HistoryFile:
    """Read a history file.

    Args:
        data: The bytes of the file.

    Raises:
        InvalidInput: It is no JSON, or a field is unknown, missing or of another type; the
            message names the place.
    """
    try:
        return msgspec.json.decode(data, type=HistoryFile)
    except NOT_DECODED as error:
        message = f"history file: {error}"
        raise InvalidInput(message) from error


def encode(history: HistoryFile) -> bytes:
    """Write a history file: UTF-8, indented by two spaces, a line end at the end."""
    return msgspec.json.format(msgspec.json.encode(history), indent=2) + b"\n"


def create_repository(
    path: str | os.PathLike[str],
    history: HistoryFile | bytes,
    *,
    durability: Durability = Durability.PROCESS,
) -> Created:
    """Make a plain git repository from a history file and check out its head.

    Nothing but the file goes into the commits, so their ids are the same on every machine. The
    user's git configuration is not read, and no hook is run.

    Args:
        path: Where to make it: a place where nothing is, or an empty folder.
        history: The history, or the bytes of a history file.
        durability: What outlives what, of what is made.

    Raises:
        InvalidInput: The history breaks a rule; the message names the place and the rule.
        VersionDiffError: There is something at `path`, or it can't be written. Whatever is
            raised, nothing was made, but where what was made can't be forced to the disk.
    """
    if isinstance(history, bytes):
        history = decode(history)
    durable = durability is Durability.POWER
    made = _core.create_repository(path, msgspec.json.encode(history), durable=durable)
    return msgspec.json.decode(made, type=Created)


def adopt(
    folder: str | os.PathLike[str], *, durability: Durability = Durability.PROCESS
) -> Adopted | None:
    """Make the folder of a demo's copy the repository that its history file describes, in place.

    The files of the folder stay as they are: those that differ from the head are unsaved changes.
    Files of the head that are missing are written. The history file is removed. A process that is
    killed leaves the folder without a repository, or with a whole one beside the history file; the
    next call finishes either.

    Args:
        folder: The folder; what is above it is not looked at.
        durability: What outlives what, of what is made. With `POWER` the history file is removed
            once the repository is on the disk.

    Returns:
        What was done; None where the folder holds no history file.

    Raises:
        InvalidInput: The history breaks a rule; the message names the place and the rule.
        VersionDiffError: Something can't be read or written. Whatever is raised, the folder is as
            it was; or, where what was made can't be forced to the disk, the history file is still
            there.
    """
    done = _core.adopt_history(folder, durable=durability is Durability.POWER)
    return None if done is None else msgspec.json.decode(done, type=Adopted)
