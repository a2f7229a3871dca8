"""Which branch a version is on, goes on with, or begins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pygit2
from pygit2.enums import ReferenceType

from versiondiff.project import references
from versiondiff.project.names import BRANCHES, TAGS, free_branch, short_id
from versiondiff.project.references import Head, Move

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Branches"]


class Branches:
    """The branches of a repository, seen from where HEAD stands."""

    def __init__(self, repository: pygit2.Repository, head: Head) -> None:
        self._repository = repository
        self._head = head

    def head_as_it_is(self) -> Move:
        """HEAD is only looked at: it must not move meanwhile."""
        return Move(name="HEAD", old=self._head.value, new=self._head.value)

    def onto(
        self,
        target: str,
        label: str,
        moves: Sequence[Move],
        branch: str | None,
        kept: str,
    ) -> tuple[str, bool, list[Move]]:
        """The branch to go on with, whether it begins, and all moves that lead there."""
        moved = [move for move in moves if move.name != "HEAD"]
        tips = {move.name: move.new for move in moved}
        taken = references.names(self._repository, BRANCHES)
        if self._head.branch is None and not moved and not self._is_kept(kept):
            # HEAD stands on versions of no branch: they get one before it goes.
            lost = free_branch(self.label(kept, kept), taken)
            moved.append(Move(name=lost, old=None, new=kept, message="branch: versions of HEAD"))
            tips[lost] = kept
        taken += [name for name in tips if name not in taken]
        to_branch = self._branch_at(target, tips, taken)
        if to_branch is None:
            to_branch = free_branch(label, taken)
            begun = Move(name=to_branch, old=None, new=target, message=f"branch: from {target}")
            moved.append(begun)
        elif to_branch not in tips:
            # Only looked at: it must still be there when HEAD goes onto it.
            value = references.current_value(self._repository, to_branch)
            moved.append(Move(name=to_branch, old=value, new=value))
        begins = any(move.name == to_branch and move.old is None for move in moved)
        head = self.head_as_it_is()
        if to_branch != self._head.branch:
            source = (branch or self._head.short).removeprefix(BRANCHES)
            head = Move(
                name="HEAD",
                old=self._head.value,
                new=f"ref: {to_branch}",
                message=f"checkout: moving from {source} to {to_branch.removeprefix(BRANCHES)}",
            )
        return to_branch, begins, [*moved, head]

    def _branch_at(
        self, target: str, tips: dict[str, str | None], names: Sequence[str]
    ) -> str | None:
        """The branch that ends with a version, and can be gone on with."""
        order = [self._head.branch, BRANCHES + "main", *sorted(names)]
        for name in order:
            if name is None or name not in names:
                continue
            tip = tips.get(name)
            if tip is None:
                reference = self._repository.lookup_reference(name)
                if reference.type != ReferenceType.DIRECT:
                    continue
                tip = str(reference.target)
            if tip == target and (name == self._head.branch or not self._is_elsewhere(name)):
                return name
        return None

    def _is_elsewhere(self, branch: str) -> bool:
        """Whether another work tree stands on a branch: git lets only one."""
        local = self._repository.branches.local.get(branch.removeprefix(BRANCHES))
        return local is not None and local.is_checked_out()

    def _is_kept(self, commit: str) -> bool:
        """Whether a branch or a tag leads to a version."""
        if not commit:
            return True
        for name in references.names(self._repository, "refs/"):
            if not name.startswith((BRANCHES, TAGS, "refs/remotes/")):
                continue
            try:
                tip = str(self._repository.lookup_reference(name).peel(pygit2.Commit).id)
            except (KeyError, ValueError, pygit2.GitError):
                continue
            if tip == commit or self._repository.descendant_of(tip, commit):
                return True
        return False

    def label(self, commit: str, revision: str) -> str:
        """What a version is called in the name of a branch: a kept name, or its first digits."""
        names = references.names(self._repository, TAGS)
        named = TAGS + revision.removeprefix(TAGS)
        for name in [named, *names] if named in names else names:
            try:
                tagged = self._repository.lookup_reference(name).peel(pygit2.Commit)
            except (KeyError, ValueError, pygit2.GitError):
                continue
            if str(tagged.id) == commit:
                return name.removeprefix(TAGS)
        return short_id(self._repository, commit)
