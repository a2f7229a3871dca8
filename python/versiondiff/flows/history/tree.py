"""The flows of a version: where their folders are, found by the id that is in them."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from versiondiff import _core
from versiondiff.errors import NotFound

if TYPE_CHECKING:
    from collections.abc import Iterator

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
_SHORT_ID: Final = 8
_OTHER: Final = re.compile("[^A-Za-z0-9_]")
_MOST_KNOWN: Final = 100_000
"""Folders that are remembered; each takes some 300 bytes."""


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
    except msgspec.DecodeError:
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


_HEAD: Final = msgspec.json.Decoder(_Head)
_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")


class FlowFolders:
    """The folders of flows in the versions of one repository; safe to share between threads."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        # By the id of the folder's tree, which stands for the very same content wherever it is.
        self._known: dict[str, FlowHead | None] = {}
        # A save asks twice about the same version.
        self._last: tuple[str, dict[str, str]] = ("", {})

    def names(self, commit: str | None) -> dict[str, str]:
        """The names of all folders below `flows/`, with the ids of their trees."""
        if commit is None:
            return {}
        last, names = self._last
        if last != commit:
            names = self._listed(commit)
            self._last = (commit, names)
        return names

    def _listed(self, commit: str) -> dict[str, str]:
        listed = _core.list_folder(core_of(self._repository), commit, FLOWS.encode()) or []
        return {
            name.decode("utf-8", "surrogateescape"): tree
            for name, mode, tree in listed
            if mode == "040000"
        }

    def find(self, commit: str | None, flow: str) -> FlowFolder | None:
        """The folder of a flow in a version; None where it has none."""
        if commit is None:
            return None
        flow = unicode_text(flow)
        names = self.names(commit)
        for folder, found in self._heads(commit, _likely_first(names, flow)):
            if found.id == flow:
                return FlowFolder(folder, found.id, found.name)
        return None

    def has_any(self, commit: str) -> bool:
        """Whether a version has a flow."""
        return any(True for _ in self._heads(commit, self.names(commit)))

    def all(self, commit: str | None) -> tuple[FlowFolder, ...]:
        """All flows of a version, sorted by the names of their folders."""
        if commit is None:
            return ()
        heads = self._heads(commit, self.names(commit))
        return tuple(FlowFolder(folder, found.id, found.name) for folder, found in heads)

    def files(self, commit: str, folder: str) -> dict[str, bytes]:
        """The files of a flow in a version, by their paths below its folder."""
        path = f"{FLOWS}/{folder}".encode("utf-8", "surrogateescape")
        found = _core.read_files(core_of(self._repository), commit, path) or []
        return {name.decode("utf-8", "surrogateescape"): content for name, content in found}

    def _heads(self, commit: str, names: dict[str, str]) -> Iterator[tuple[str, FlowHead]]:
        for folder, tree in names.items():
            if tree not in self._known:
                if len(self._known) >= _MOST_KNOWN:
                    self._known.clear()
                self._known[tree] = self._read(commit, folder)
            found = self._known[tree]
            if found is not None:
                yield folder, found

    def _read(self, commit: str, folder: str) -> FlowHead | None:
        path = f"{FLOWS}/{folder}/flow.json".encode("utf-8", "surrogateescape")
        content = _core.read_file(core_of(self._repository), commit, path)
        # What is no head is someone else's file: no flow of ours.
        return None if content is None else head_of(content)


def _likely_first(names: dict[str, str], flow: str) -> dict[str, str]:
    """The folders whose names end as that of the flow does come first."""
    short = _OTHER.sub("", flow)[:_SHORT_ID]
    likely = [name for name in names if short in name.rpartition("--")[2]]
    return {**{name: names[name] for name in likely}, **names}


def core_of(repository: Repository) -> _core.Repository:
    """The core's handle of a repository."""
    return repository._core


def tip_of(repository: Repository) -> str | None:
    """The newest version on the branch; None where there is none yet."""
    try:
        return core_of(repository).resolve(BRANCH)
    except NotFound:
        return None
