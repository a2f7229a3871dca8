"""How a version gets onto the branch: what to write is decided on the tip that is there."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

import msgspec

from versiondiff import _core
from versiondiff.errors import Conflict
from versiondiff.flows.history.checkouts import check_none_is_left_behind
from versiondiff.flows.history.tree import BRANCH, core_of, tip_of
from versiondiff.rendering.names import name as shown_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from versiondiff.project import Project
    from versiondiff.records import Signature
    from versiondiff.repository import Repository

__all__ = ["BareWriter", "Decision", "FolderWriter", "Replace", "Write", "Writer"]

_FILE = "100644"


class Write(NamedTuple):
    """A file is written."""

    path: bytes
    content: bytes


class Replace(NamedTuple):
    """These files, by their paths below it, are all that is in a folder; without any it is gone."""

    path: bytes
    files: Mapping[str, bytes]


class Decision(NamedTuple):
    """What the next commit is."""

    edits: Sequence[Write | Replace]
    message: str
    author: Signature
    committer: Signature
    even_unchanged: bool = False
    """Whether there is a commit also where the files are what they were."""


Decide: TypeAlias = "Callable[[str | None], Decision | None]"
"""From the id of the tip (None: there is no version) to what is to be done on it, if anything."""


class Writer(Protocol):
    """What puts versions onto the branch."""

    def commit(self, decide: Decide) -> str | None:
        """Make the commit that is decided on; None where there was nothing to do.

        The decision is made anew on each tip that others move the branch to meanwhile.

        Raises:
            Conflict: Others stood in the way for too long; or `HEAD` stands on another branch; or
                another work tree has the branch checked out, and would be left behind.
        """


class BareWriter:
    """Versions of a repository without a working tree."""

    def __init__(self, repository: Repository, timeout: float) -> None:
        self._repository = repository
        self._timeout = timeout

    def commit(self, decide: Decide) -> str | None:
        """As `Writer` says."""
        end = time.monotonic() + self._timeout
        core = core_of(self._repository)
        # Writers of ours queue up here, so that none decides again and again; git itself doesn't.
        with _core.WriteLock(core.common_dir, [], self._timeout):
            self._check_head()
            while True:
                tip = tip_of(self._repository)
                decision = decide(tip)
                if decision is None:
                    return None
                check_none_is_left_behind(self._repository)
                outcome, commit = _core.commit_files(
                    core,
                    BRANCH.encode(),
                    tip,
                    _plain(decision.edits),
                    msgspec.structs.astuple(decision.author),
                    msgspec.structs.astuple(decision.committer),
                    decision.message,
                    max(0.0, end - time.monotonic()),
                    even_unchanged=decision.even_unchanged,
                )
                if outcome != "moved":
                    return commit
                if time.monotonic() >= end:
                    raise Conflict(f"{BRANCH}: other programs changed it again and again")

    def _check_head(self) -> None:
        """Check that who clones the repository, or looks at it, sees the branch."""
        head = self._repository.head()
        if head.branch != BRANCH:
            stands = shown_name((head.branch or head.commit or "").removeprefix("refs/heads/"))
            raise Conflict(f"{self._repository.git_dir}: HEAD stands on {stands}, not on main")


class FolderWriter:
    """Versions of a repository whose working tree follows."""

    def __init__(self, repository: Repository, project: Project, author: Signature) -> None:
        self._repository = repository
        self._project = project
        self._author = author

    def commit(self, decide: Decide) -> str | None:
        """As `Writer` says.

        Raises:
            Conflict: The working tree was edited by hand, as the message says where; or what
                `Project.advance` says.
        """

        def make(tip: str | None) -> str | None:
            decision = decide(tip)
            if decision is None:
                return None
            check_none_is_left_behind(self._repository)
            return _core.write_commit(
                core_of(self._repository),
                tip,
                _plain(decision.edits),
                msgspec.structs.astuple(decision.author),
                msgspec.structs.astuple(decision.committer),
                decision.message,
                even_unchanged=decision.even_unchanged,
            )

        return self._project.advance(BRANCH, make, author=self._author)


def _plain(edits: Sequence[Write | Replace]) -> list[_core._FileEdit]:
    plain: list[_core._FileEdit] = []
    for edit in edits:
        if isinstance(edit, Write):
            plain.append(("write", edit.path, [(b"", _FILE, edit.content)]))
        elif edit.files:
            files = [(path.encode(), _FILE, content) for path, content in edit.files.items()]
            plain.append(("replace", edit.path, files))
        else:
            plain.append(("remove", edit.path, []))
    return plain
