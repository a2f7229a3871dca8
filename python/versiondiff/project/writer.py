"""One writer at a project: versions made, and restored."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Self

import pygit2
from pygit2.enums import FileMode, RepositoryState

from versiondiff import pygit2_stand_in
from versiondiff.errors import Conflict, InternalError, InvalidInput
from versiondiff.isolation import open_exactly
from versiondiff.project import journal, references
from versiondiff.project.branches import Branches
from versiondiff.project.disk import Disk
from versiondiff.project.folder import Folder
from versiondiff.project.index_lock import IndexLock
from versiondiff.project.names import BRANCHES, TAGS, check_free, free_branch
from versiondiff.project.objects import (
    objects_of_tree,
    write_commit,
    write_tag,
    writing_repository,
)
from versiondiff.project.plan import make_plan
from versiondiff.project.references import Move, Person
from versiondiff.project.restore import Restorer
from versiondiff.project.results import StartedFrom, UnsavedChanges
from versiondiff.project.staging import Staging
from versiondiff.project.trees import changes, shown, tree_of
from versiondiff.project.workbench import Workbench
from versiondiff.rendering.names import LIMIT

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from versiondiff.durability import Durability
    from versiondiff.project.places import Places
    from versiondiff.project.results import Recovery
    from versiondiff.project.trees import Change, Entry
    from versiondiff.records import Signature

__all__ = ["MoreReferences", "Saved", "Writer", "expected_references"]

_STATES = {
    RepositoryState.MERGE: "a merge",
    RepositoryState.REVERT: "a revert",
    RepositoryState.REVERT_SEQUENCE: "a revert",
    RepositoryState.CHERRYPICK: "a cherry-pick",
    RepositoryState.CHERRYPICK_SEQUENCE: "a cherry-pick",
    RepositoryState.BISECT: "a bisection",
    RepositoryState.REBASE: "a rebase",
    RepositoryState.REBASE_INTERACTIVE: "a rebase",
    RepositoryState.REBASE_MERGE: "a rebase",
    RepositoryState.APPLY_MAILBOX: "an import of mails",
    RepositoryState.APPLY_MAILBOX_OR_REBASE: "a rebase",
}


class MoreReferences(Exception):
    """References are to be moved that were not named when the lock was taken."""

    def __init__(self, names: set[str]) -> None:
        super().__init__(f"more references: {', '.join(sorted(names))}")
        self.names = names


class Saved(NamedTuple):
    """The version that the content is in."""

    commit: str
    made: bool
    branch: str | None
    tag: str


def expected_references(places: Places) -> set[str]:
    """The references that most calls move, as far as that can be told without a lock."""
    repository = open_exactly(places.folder)
    head = references.read_head(repository)
    found = {"HEAD"} | ({head.branch} if head.branch is not None else set())
    half_way = journal.read(places.own_dir / "journal.json")
    if half_way is not None:
        found |= {move.name for move in half_way.moves}
    return found


class Writer:
    """What the holder of the write lock does."""

    def __init__(self, places: Places, expected: Collection[str], durability: Durability) -> None:
        self.places = places
        self.disk = Disk(durability)
        self._expected = expected
        self.recovered: Recovery | None = None
        self._bench: Workbench | None = None

    @staticmethod
    def has_journal(places: Places) -> bool:
        """Whether a killed process left something half-way."""
        return (places.own_dir / "journal.json").exists()

    @classmethod
    def has_leftovers(cls, places: Places) -> bool:
        """Whether a killed process left something that stops others, or one is writing now."""
        return cls.has_journal(places) or IndexLock.is_left(places.git_dir)

    def __enter__(self) -> Self:
        _make_own_directory(self.places.own_dir)
        # Who comes after a power cut is to know the locks that this leaves for its own.
        self.disk.sync(self.places.common_dir / "versiondiff.lock")
        self.disk.sync(self.places.git_dir, self.places.common_dir)
        self._lock = IndexLock(self.places.git_dir, self.places.own_dir, self.disk)
        self._lock.__enter__()
        try:
            self.repository = open_exactly(self.places.folder)
            self._writing = writing_repository(self.places, self.repository, self.disk)
            self._restorer = Restorer(self.places, self._writing, self.disk)
            self._recover()
            self.head = references.read_head(self.repository)
            self._branches = Branches(self.repository, self.head)
        except BaseException:
            if not self.has_journal(self.places):
                self._lock.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        # What could be neither finished nor undone is for the next writer, and git stays out.
        half_way = self.has_journal(self.places)
        try:
            if self._bench is not None and not half_way:
                self._bench.close()
            self._writing.free()
            self.repository.free()
            pygit2_stand_in.remove(self.places.own_dir / "writing")
        finally:
            if not half_way:
                self._lock.__exit__()

    # ── Looking ─────────────────────────────────────────────────────────────────────────────────

    @property
    def left_out(self) -> tuple[str, ...]:
        """Repositories in the folder that no version holds."""
        return self._workbench().left_out

    def changed_paths(self) -> list[bytes]:
        """The paths that differ from HEAD."""
        return self._workbench().changed_paths()

    def check_idle(self) -> None:
        """Check that no operation of git's is half-way.

        Raises:
            Conflict: One is.
        """
        state = RepositoryState(self.repository.state())
        if state is not RepositoryState.NONE:
            message = f"{self.places.folder}: {_STATES.get(state, 'something')} is under way"
            raise Conflict(message)

    # ── Versions ────────────────────────────────────────────────────────────────────────────────

    def save(
        self, message: str, author: Signature, *, tag: str | None = None, memo: str = ""
    ) -> Saved:
        """Make a version of the content if it changed, and keep it by name if one is given."""
        if tag is not None:
            check_free(TAGS + tag, references.names(self.repository, TAGS))
        bench = self._workbench()
        tree = bench.take_folder()
        commit, moves, branch = self._version(tree, message, author)
        made = bool(moves)
        moves = moves or [self._branches.head_as_it_is()]
        tag_id = ""
        if tag is not None:
            tag_id = write_tag(self._writing, commit, tag, author, memo)
            self.disk.sync_objects(self.places.common_dir / "objects", [tag_id])
            moves.append(Move(name=TAGS + tag, old=None, new=tag_id, message="keep"))
        self._need(moves)
        if made or tag is not None:
            self._restorer.move_references(tuple(moves), _person(author))
        else:
            bench.publish()
        return Saved(commit, made, branch and branch.removeprefix(BRANCHES), tag_id)

    def start_from(
        self,
        target: str,
        *,
        revision: str,
        author: Signature,
        message_before: str,
        unsaved: UnsavedChanges,
        run_going: bool,
    ) -> StartedFrom:
        """Restore a version, with its branch, as `Project.start_from` says."""
        if run_going:
            message = f"{self.places.folder}: a run is going"
            raise Conflict(message)
        self.check_idle()
        bench = self._workbench()
        tree = bench.take_folder()
        label = self._branches.label(target, revision)
        kept, moves, branch = self._version(
            tree, message_before.format(version=label), author, empty_is_a_version=False
        )
        made = bool(moves)
        if made and unsaved is UnsavedChanges.REFUSE:
            raise _unsaved(self._differences(tree))
        to_branch, begins, moves = self._branches.onto(target, label, moves, branch, kept)
        self._need(moves)
        wanted = tree_of(self.repository, target, "the version")
        changed = changes(self.repository, self._tree(tree), wanted)
        self._restore(bench, changed, wanted, moves, author)
        return StartedFrom(
            commit=target,
            branch=to_branch.removeprefix(BRANCHES),
            branch_made=begins,
            kept=kept if made else None,
            left_out=bench.left_out,
        )

    def check_stands_on(self, branch: str) -> None:
        """Check that HEAD is on a branch, and that the folder and the index are as it says.

        Raises:
            Conflict: HEAD is elsewhere, an operation of git's is half-way, or someone edited the
                folder.
        """
        if self.head.branch != branch:
            message = (
                f"{self.places.folder}: HEAD stands on {self.head.short.removeprefix(BRANCHES)},"
                f" not on {branch.removeprefix(BRANCHES)}"
            )
            raise Conflict(message)
        self.check_idle()
        edited = self.changed_paths()
        if edited:
            message = f"{self.places.folder}: was edited by hand: {_some(edited)}"
            raise Conflict(message)

    def advance(self, commit: str, author: Signature) -> None:
        """Move the branch that HEAD is on to a new commit, and the folder and the index with it.

        To be called after `check_stands_on`; the commit was made on what HEAD stands on.
        """
        bench = self._workbench()
        head = self.head
        if head.branch is None:  # `check_stands_on` said that it is on one
            raise InternalError("a branch was left between two looks")
        before = tree_of(self.repository, head.commit, "HEAD") if head.commit is not None else None
        tree = bench.tree()
        if before is None or tree != str(before.id):
            # What was put into the index and taken back in the folder goes out of it.
            tree = bench.take_folder()
        subject = str(self.repository[commit].peel(pygit2.Commit).message).partition("\n")[0]
        initial = "" if before is not None else " (initial)"
        moved = Move(
            name=head.branch, old=head.commit, new=commit, message=f"commit{initial}: {subject}"
        )
        moves = [self._branches.head_as_it_is(), moved]
        self._need(moves)
        wanted = tree_of(self.repository, commit, "the new version")
        changed = changes(self.repository, self._tree(tree), wanted)
        self._restore(bench, changed, wanted, moves, author)

    def _restore(
        self,
        bench: Workbench,
        changed: Sequence[Change],
        wanted: pygit2.Tree,
        moves: Sequence[Move],
        author: Signature,
    ) -> None:
        self._restorer.prepare()
        try:
            staged = self._stage(bench, changed, str(wanted.id))
            with Folder(self.places.folder) as folder:
                plan = make_plan(folder, bench.repository, changed, staged, bench.file_system)
            removed = [change.path for change in changed if change.old is not None]
            added = {
                change.path: (change.new.id, change.new.mode)
                for change in changed
                if change.new is not None
            }
            tree = bench.take_tree(removed, added)
            if tree != str(wanted.id) and changes(self.repository, self._tree(tree), wanted):
                message = f"the tree {wanted.id} of the version is none that git makes"
                raise InvalidInput(message)
            self._restorer.run(plan, tuple(moves), _person(author))
        finally:
            if not Writer.has_journal(self.places):
                self._restorer.clear()

    def _stage(self, bench: Workbench, changed: Sequence[Change], tree: str) -> dict[bytes, Path]:
        staged: dict[bytes, Path] = {}
        files: list[tuple[int, bytes, Entry]] = [
            (number, change.path, change.new)
            for number, change in enumerate(changed)
            if change.new is not None and change.new.mode != FileMode.COMMIT
        ]
        if not files:
            return staged
        staging = Staging(self.places, tree, bench.file_system, self.disk)
        try:
            for number, path, entry in files:
                staged[path] = self._restorer.new / str(number)
                staging.write(path, entry, staged[path])
        finally:
            staging.close()
        return staged

    # ── Parts ───────────────────────────────────────────────────────────────────────────────────

    def _workbench(self) -> Workbench:
        if self._bench is None:
            self._bench = Workbench(self.places, self.repository, self.head.commit, self.disk)
        return self._bench

    def _recover(self) -> None:
        half_way = journal.read(self._restorer.journal_path)
        if half_way is None:
            return
        self._need(half_way.moves)
        self.recovered = self._restorer.recover()

    def _need(self, moves: Sequence[Move]) -> None:
        names = {move.name for move in moves}
        if not names <= set(self._expected):
            raise MoreReferences(names)

    def _tree(self, tree: str) -> pygit2.Tree:
        return tree_of(self.repository, tree, "the content")

    def _differences(self, tree: str) -> list[Change]:
        head = self.head.commit
        before = tree_of(self.repository, head, "HEAD") if head is not None else None
        return changes(self.repository, before, self._tree(tree))

    def _version(
        self, tree: str, message: str, author: Signature, *, empty_is_a_version: bool = True
    ) -> tuple[str, list[Move], str | None]:
        """A commit for a tree that is not HEAD's, the moves that put it on a branch, the branch.

        Without moves the content is in the version that HEAD stands on.
        """
        head = self.head
        if head.commit is not None:
            same = str(tree_of(self.repository, head.commit, "HEAD").id) == tree
            if same or not self._differences(tree):
                return head.commit, [], head.branch
        elif not empty_is_a_version and not len(self._tree(tree)):
            return "", [], head.branch
        parents = [head.commit] if head.commit is not None else []
        commit = write_commit(self._writing, tree, parents, author, message)
        if self.disk.is_forced:
            before = tree_of(self.repository, head.commit, "HEAD") if head.commit else None
            new = objects_of_tree(self.repository, self._tree(tree), before)
            self.disk.sync_objects(self.places.common_dir / "objects", [*sorted(new), commit])
        subject = message.partition("\n")[0]
        if head.branch is not None:
            initial = "" if parents else " (initial)"
            moved = Move(
                name=head.branch, old=head.commit, new=commit, message=f"commit{initial}: {subject}"
            )
            return commit, [self._branches.head_as_it_is(), moved], head.branch
        # A version on no branch would be lost with the next step of HEAD.
        label = self._branches.label(head.value, head.value)
        branch = free_branch(label, references.names(self.repository, BRANCHES))
        moves = [
            Move(name=branch, old=None, new=commit, message=f"commit: {subject}"),
            Move(
                name="HEAD",
                old=head.value,
                new=f"ref: {branch}",
                message=f"checkout: moving from {head.short} to {branch.removeprefix(BRANCHES)}",
            ),
        ]
        return commit, moves, branch


def _make_own_directory(path: Path) -> None:
    """A folder may come from anyone, with its git directory: nothing is written through a link."""
    path.mkdir(exist_ok=True)
    if path.is_symlink() or any(below.is_symlink() for below in path.iterdir()):
        message = f"{path}: must not be, or hold, a link"
        raise InvalidInput(message)


def _person(signature: Signature) -> Person:
    return Person(name=signature.name, email=signature.email)


def _unsaved(changed: Sequence[Change]) -> Conflict:
    return Conflict(f"unsaved changes: {_some([change.path for change in changed])}")


def _some(paths: Sequence[bytes]) -> str:
    more = f" and {len(paths) - LIMIT} more" if len(paths) > LIMIT else ""
    return ", ".join(map(shown, paths[:LIMIT])) + more
