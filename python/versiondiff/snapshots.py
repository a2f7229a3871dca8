"""Comparing two snapshots: files in memory, directories, versions of a repository.

A source of files is one of

- a mapping of paths to content, `{"definitions/a/_card.json": b"…"}`; paths are `str` (with the
  surrogate escapes of `os.fsdecode` for what is no UTF-8) or `bytes`, content is `bytes`, or a
  `File` where the mode matters;
- the path of a directory, read as it is, but for everything named `.git`;
- a version, from `Repository.snapshot`;
- the files of a package, from `Package.files`;
- `None`: nothing at all.
"""

from __future__ import annotations

import enum
import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from versiondiff import _core
from versiondiff._core import PackageFiles, Snapshot
from versiondiff.records import ChangeRecord, Mode, TreeDelta

if TYPE_CHECKING:
    from versiondiff.formats import AnyFormat

__all__ = ["File", "Files", "Rewrites", "Snapshot", "change_record", "tree_delta"]


class File(msgspec.Struct, frozen=True):
    """The content of a file and its mode."""

    content: bytes
    mode: Mode = Mode.FILE
    """Any but `Mode.SUBMODULE`; of a `Mode.LINK` the content is the target."""


Files: TypeAlias = (
    Mapping[str, bytes]
    | Mapping[bytes, bytes]
    | Mapping[str, bytes | File]
    | Mapping[bytes, bytes | File]
    | str
    | os.PathLike[str]
    | Snapshot
    | PackageFiles
    | None
)
"""A source of files."""


class Rewrites(enum.Enum):
    """How to pair deletions with additions."""

    NONE = "none"
    """Not at all."""
    EXACT = "exact"
    """The very same content at another path."""
    SIMILAR = "similar"
    """Then also files of one name that share at least half of their content."""


_RECORD_DECODER = msgspec.json.Decoder(ChangeRecord)
_DELTA_DECODER = msgspec.json.Decoder(TreeDelta)


def change_record(old: Files, new: Files, *, format: AnyFormat | None = None) -> ChangeRecord:
    """What changed between two snapshots of a workflow.

    Args:
        old: The files before.
        new: The files now.
        format: What paths mean: the name of a built-in format, or a format. None takes the first
            built-in one that fits the new files, or else the old ones.

    Raises:
        UnsupportedFormat: No built-in format fits.
        InvalidInput: A path of a mapping can't be in a tree, or there is no such format.
        NotFound: An object of a version is missing.
        LimitExceeded: A file is too large, or directories nest too deep.
        VersionDiffError: A file can't be read, or changed while it was being read.
    """
    return _RECORD_DECODER.decode(
        _core.change_record(as_source(old), as_source(new), as_format(format))
    )


def tree_delta(
    old: Files,
    new: Files,
    *,
    paths: Iterable[str] = (),
    rewrites: Rewrites = Rewrites.NONE,
) -> TreeDelta:
    """Which files differ between two snapshots, and how.

    Args:
        old: The files before.
        new: The files now.
        paths: Files and directories to look at; none means everything.
        rewrites: How to pair deletions with additions.

    Raises:
        InvalidInput: A path of a mapping can't be in a tree.
        NotFound: An object of a version is missing.
        LimitExceeded: A file is too large, or directories nest too deep.
        VersionDiffError: A file can't be read, or changed while it was being read.
    """
    return _DELTA_DECODER.decode(
        _core.tree_delta(as_source(old), as_source(new), paths=list(paths), rewrites=rewrites.value)
    )


def as_source(files: Files) -> Any:  # noqa: ANN401 (checked by the core, which raises TypeError)
    """A source as the core takes it: mappings of all kinds become a `dict`."""
    if isinstance(files, Mapping) and not isinstance(files, dict):
        return dict(files)
    return files


def as_format(format: AnyFormat | None) -> _core.Format | None:
    """The core's format for a name.

    Raises:
        NotFound: No format of this name is built in.
        InvalidInput: The value breaks a rule of formats.
    """
    if format is None:
        return None
    from versiondiff.formats import handle

    return handle(format)
