"""The flows of a version: where their folders are, found by the id that is in them."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import msgspec

from versiondiff import _core
from versiondiff.decoding import NOT_DECODED
from versiondiff.errors import NotFound
from versiondiff.flows.names import short_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from versiondiff.repository import Repository

__all__ = [
    "BRANCH",
    "FLOWS",
    "FlowFolder",
    "FlowFolders",
    "FlowHead",
    "core_of",
    "head_of",
    "tip_of",
    "unicode_text",
]

BRANCH: Final = "refs/heads/main"
"""The branch of a history."""
FLOWS: Final = "flows"
"""The folder that all flows are in."""
_MOST_KNOWN: Final = 100_000
"""Folders that are remembered; each takes some 300 bytes."""
_FEW: Final = 16
"""Folders that are looked into at once for any flow at all."""


class FlowHead(msgspec.Struct, frozen=True):
    """What tells a flow from others, in its `flow.json`; Unicode, whatever is in the file."""

    id: str
    name: str


class _Head(msgspec.Struct, frozen=True):
    """The head as it is in the file."""

    id: str
    name: object = ""
    """What is no text is no name."""


def head_of(content: bytes) -> FlowHead | None:
    """The head of a flow, from its `flow.json`; None where it is none."""
    try:
        head = _HEAD.decode(content)
    except NOT_DECODED:
        try:
            # As JavaScript writes it, with surrogates that stand alone.
            head = msgspec.convert(json.loads(content), _Head)
        except (ValueError, RecursionError):
            return None
    name = head.name if isinstance(head.name, str) else ""
    return FlowHead(unicode_text(head.id), unicode_text(name))


def unicode_text(text: str) -> str:
    """The text with U+FFFD for each surrogate that stands alone, which nothing outside can hold."""
    return _SURROGATE.sub("\ufffd", text)


class FlowFolder(NamedTuple):
    """A flow's folder in a version."""

    folder: str
    """Its name below `flows/`."""
    id: str
    name: str
    tree: str
    """The id of its tree."""


Folders: TypeAlias = "dict[str, str]"
"""The ids of trees, by the names of folders below `flows/`."""

_HEAD: Final = msgspec.json.Decoder(_Head)
_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")


class FlowFolders:
    """The folders of flows in the versions of one repository; safe to share between threads."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        # By the id of the folder's tree, which stands for the very same content wherever it is.
        self._known: dict[str, FlowHead | None] = {}

    def near(self, commit: str | None, flow: str, names: Iterable[str] = ()) -> Folders:
        """The folders that may be that of a flow, or in its way, by their names.

        A version may have very many, of which a save needs these few alone.

        Args:
            commit: The version; None has none.
            flow: The flow's id: a part of it is in the name of its folder.
            names: The names that its folder may get.
        """
        if commit is None:
            return {}
        part = short_id(flow).lower().encode()
        return self._listed(commit, (part, [name.encode() for name in names]))

    def find(self, commit: str | None, flow: str, near: Folders | None = None) -> FlowFolder | None:
        """The folder of a flow in a version; None where it has none.

        Args:
            commit: The version; None has none.
            flow: The flow's id.
            near: What `near` says, where that was asked already.
        """
        if commit is None:
            return None
        flow = unicode_text(flow)
        if near is None:
            near = self.near(commit, flow)
        found = self._found(near, flow)
        # Whoever named a folder by hand may have named it anything.
        return found or self._found(self._listed(commit), flow)

    def all(self, commit: str | None) -> tuple[FlowFolder, ...]:
        """All flows of a version, sorted by the names of their folders."""
        if commit is None:
            return ()
        return tuple(
            FlowFolder(folder, head.id, head.name, tree)
            for folder, tree, head in self._heads(self._listed(commit))
        )

    def files(self, found: FlowFolder) -> dict[str, bytes]:
        """The files of a flow, by their paths below its folder."""
        files = _core.read_files(core_of(self._repository), found.tree)
        return {name.decode("utf-8", "surrogateescape"): content for name, content in files}

    def _listed(self, commit: str, near: tuple[bytes, list[bytes]] | None = None) -> Folders:
        core = core_of(self._repository)
        listed = _core.list_folder(core, commit, FLOWS.encode(), near=near) or []
        return {
            name.decode("utf-8", "surrogateescape"): tree
            for name, mode, tree in listed
            if mode == "040000"
        }

    def _found(self, folders: Folders, flow: str) -> FlowFolder | None:
        for folder, tree, head in self._heads(folders):
            if head.id == flow:
                return FlowFolder(folder, head.id, head.name, tree)
        return None

    def has_any(self, commit: str) -> bool:
        """Whether a version has a flow."""
        folders = list(self._listed(commit).items())
        return any(
            True
            for start in range(0, len(folders), _FEW)
            for _ in self._heads(dict(folders[start : start + _FEW]))
        )

    def _heads(self, folders: Folders) -> Iterator[tuple[str, str, FlowHead]]:
        # This one, whatever another thread puts into its place.
        known = self._known
        unknown = [tree for tree in folders.values() if tree not in known]
        if len(known) + len(unknown) > _MOST_KNOWN:
            known = self._known = {}
            unknown = list(folders.values())
        if unknown:
            read = _core.read_each(core_of(self._repository), unknown, b"flow.json")
            # What is no head is someone else's file: no flow of ours.
            heads = [None if content is None else head_of(content) for content in read]
            known.update(zip(unknown, heads, strict=True))
        for folder, tree in folders.items():
            head = known[tree]
            if head is not None:
                yield folder, tree, head


def core_of(repository: Repository) -> _core.Repository:
    """The core's handle of a repository."""
    return repository._core


def tip_of(repository: Repository) -> str | None:
    """The newest version on the branch; None where there is none yet."""
    try:
        return core_of(repository).resolve(BRANCH)
    except NotFound:
        return None
