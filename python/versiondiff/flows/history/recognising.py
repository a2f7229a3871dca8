"""Whether a repository is a history of flows, and not someone's project."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final

from versiondiff import _core
from versiondiff.errors import InvalidInput
from versiondiff.flows.history.beginning import README
from versiondiff.flows.history.messages import version_of
from versiondiff.flows.history.tree import BRANCH, core_of, tip_of
from versiondiff.wording import CATALOGUES

if TYPE_CHECKING:
    from pathlib import Path

    from versiondiff.flows.history.tree import FlowFolders
    from versiondiff.repository import Repository

__all__ = ["check_is_history"]

_LOOKED_AT: Final = 1_000
"""Of how many versions what they say is read, where no flow is there."""


def check_is_history(repository: Repository, folders: FlowFolders, path: Path) -> None:
    """Check that versions of flows would not end up in a project that is none of ours.

    A repository without versions is one that can become a history, and so is one with nothing but
    a README and git's own files, such as `.gitattributes`.

    Raises:
        InvalidInput: The branch `main` has files, and nothing of flows.
    """
    tip = tip_of(repository)
    if tip is None or folders.has_any(tip):
        return
    names = [name for name, _, _ in _core.list_folder(core_of(repository), tip, b"") or []]
    if all(name == README or name.startswith(b".git") for name in names):
        return
    # All flows may be deleted, or none saved yet, and files of someone else's be there.
    beginnings = {words.flow_history_started for words in CATALOGUES.values()}
    newest = itertools.islice(repository.versions(range=BRANCH), _LOOKED_AT)
    if any(version.subject in beginnings or version_of(version) for version in newest):
        return
    raise InvalidInput(
        f"{path}: is no history of flows: its branch main has other files, and no version of a flow"
    )
