"""Files moved so that a version is restored as a whole, or not at all.

Everything that costs room on the disk is done before the folder is touched: the new files and the
new index are written aside. What is left are renames, and they are written down before the first:

1. the journal says what goes out, what comes in and which references move (`Phase.MOVING`);
2. files that differ go out of the folder into `old/`, new ones come in from `new/`;
3. the journal says that all of them are in their places (`Phase.MOVED`);
4. the references move, the new index takes the place of the old one;
5. directories that became empty go, and then the journal.

What fails before the end is undone. A process that is killed leaves the journal: up to 3 the next
one moves the files back, from then on it finishes. As long as a journal is there, git's lock of the
index keeps git's own commands out.

Where a power cut must not take anything, each step is on the disk before the next one begins: what
is written aside before 1, what was moved before 3, the references and the index before 5.
"""

from __future__ import annotations

import contextlib
import shutil
import stat
from typing import TYPE_CHECKING

import msgspec

from versiondiff.durability import Durability
from versiondiff.errors import Conflict
from versiondiff.project import index_file, journal, references
from versiondiff.project.disk import Disk
from versiondiff.project.folder import Folder
from versiondiff.project.journal import Identity, Journal, Phase
from versiondiff.project.results import Recovery
from versiondiff.project.trees import shown
from versiondiff.project.workbench import publish_index

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence
    from pathlib import Path

    import pygit2

    from versiondiff.project.journal import Placed, Taken
    from versiondiff.project.places import Places
    from versiondiff.project.plan import Plan
    from versiondiff.project.references import Move, Person

__all__ = ["Restorer"]


class Restorer:
    """Moves of files in a project; to be used under the write lock and the index's."""

    def __init__(self, places: Places, repository: pygit2.Repository, disk: Disk) -> None:
        self._places = places
        self._repository = repository
        self._disk = disk
        own = places.own_dir
        self.journal_path = own / "journal.json"
        self.new = own / "new"
        self._old = own / "old"
        self._new_index = own / "bench" / "index"
        self._index = places.git_dir / "index"

    def clear(self) -> None:
        """Remove what an earlier call left; there must be no journal."""
        for directory in (self.new, self._old):
            shutil.rmtree(directory, ignore_errors=True)

    def prepare(self) -> None:
        """Make the directories that files are moved through."""
        self.clear()
        self.new.mkdir(parents=True)
        self._old.mkdir()

    def run(self, plan: Plan, moves: tuple[Move, ...], person: Person) -> None:
        """Carry out a plan, and then move the references and publish the new index.

        Raises:
            Conflict: A file or a reference was changed meanwhile.
            OSError: Something can't be moved.
        """
        started = Journal(
            phase=Phase.MOVING,
            taken=plan.taken,
            made=plan.made,
            placed=plan.placed,
            left=plan.left,
            moves=moves,
            person=person,
        )
        self._carry_out(started, plan)

    def move_references(self, moves: tuple[Move, ...], person: Person) -> None:
        """Move references and publish the new index; the folder stays as it is.

        Raises:
            Conflict: A reference was changed meanwhile.
            OSError: Something can't be written.
        """
        moved = Journal(
            phase=Phase.MOVED, taken=(), made=(), placed=(), left=(), moves=moves, person=person
        )
        self._carry_out(moved, None)

    def _carry_out(self, started: Journal, plan: Plan | None) -> None:
        references_moved = False
        try:
            if plan is not None:
                self._disk.sync(self.new, self._old)
            self._sync_index()
            journal.write(self.journal_path, started, self._disk)
            if plan is not None:
                self._move_files(plan)
                self._sync_index()
                moved = msgspec.structs.replace(started, phase=Phase.MOVED)
                journal.write(self.journal_path, moved, self._disk)
            references.move(self._repository, started.moves, started.person)
            references_moved = True
            self._sync_references(started)
            publish_index(self._new_index, self._index, self._disk)
        except BaseException:
            self._undo(references_moved=references_moved)
            raise
        # It is done. What is left over is for the next writer.
        with contextlib.suppress(OSError):
            self._finish(started)

    def recover(self) -> Recovery | None:
        """Finish or undo what a killed process began; None where there is nothing."""
        found = journal.read(self.journal_path)
        if found is None:
            return None
        if found.phase is Phase.MOVED and self._go_on(found):
            return Recovery.FINISHED
        self._undo(references_moved=found.phase is Phase.MOVED)
        return Recovery.UNDONE

    # ── There ───────────────────────────────────────────────────────────────────────────────────

    def _move_files(self, plan: Plan) -> None:
        with Folder(self._places.folder) as folder:
            for number, item in enumerate(plan.taken):
                aside = self._old / str(number)
                folder.take(item.path, aside)
                if not item.directory and Identity.of(aside.lstat()) != plan.seen[item.path]:
                    message = f"{shown(item.path)}: was changed meanwhile"
                    raise Conflict(message)
                if item.directory and _holds_files(aside):
                    message = f"{shown(item.path)}: a file was put into it meanwhile"
                    raise Conflict(message)
            for path in plan.made:
                folder.make_directory(path)
            for placed in plan.placed:
                try:
                    folder.put(self.new / str(placed.number), placed.path)
                except FileExistsError as error:
                    message = f"{shown(placed.path)}: was put there meanwhile"
                    raise Conflict(message) from error
            self._stamp(folder, plan)
            self._sync_files(folder, plan.taken, plan.placed, plan.made)

    def _stamp(self, folder: Folder, plan: Plan) -> None:
        stats: dict[bytes, os.stat_result] = {}
        for path in (*(placed.path for placed in plan.placed), *plan.present):
            state = folder.state(path)
            if state is not None:
                stats[path] = state
        if stats:
            index_file.stamp(self._new_index, stats)

    # ── To the disk ─────────────────────────────────────────────────────────────────────────────

    def _sync_index(self) -> None:
        """The new index: where it is not there, a recovery takes it for published."""
        if self._new_index.exists():
            self._disk.sync(self._new_index, self._new_index.parent, self._places.own_dir)

    def _sync_files(
        self,
        folder: Folder,
        taken: Sequence[Taken],
        placed: Sequence[Placed],
        made: Sequence[bytes],
    ) -> None:
        """All names that were moved, there or back; what is in the files is on the disk."""
        moved = [*(item.path for item in taken), *(item.path for item in placed), *made]
        above = {path.rpartition(b"/")[0] for path in moved}
        inside = {item.path for item in taken if item.directory}
        folder.sync_directories({*above, *inside, *made}, self._disk)
        self._disk.sync(*(path for path in (self.new, self._old) if path.exists()))

    def _sync_references(self, moved: Journal) -> None:
        names = [move.name for move in moved.moves if move.old != move.new]
        self._disk.sync_references(self._places.git_dir, self._places.common_dir, names)

    # ── There, after a kill ─────────────────────────────────────────────────────────────────────

    def _go_on(self, found: Journal) -> bool:
        """From `Phase.MOVED` to the end, if nobody else moved the references meanwhile."""
        published = not self._new_index.exists()
        left = []
        for move in found.moves:
            value = references.current_value(self._repository, move.name)
            if value == move.old:
                left.append(move)
            elif value == move.new:
                left.append(msgspec.structs.replace(move, old=move.new))
            elif not published:
                return False
        if any(move.old != move.new for move in left):
            references.move(self._repository, left, found.person)
        # Who was killed may not have come to it.
        self._sync_references(found)
        if not published:
            publish_index(self._new_index, self._index, self._disk)
        self._disk.sync(self._places.git_dir)
        self._finish(found)
        return True

    def _finish(self, done: Journal) -> None:
        with Folder(self._places.folder) as folder:
            # As git does: what became empty, and nothing that was empty before.
            emptied = [*done.left, *(item.path.rpartition(b"/")[0] for item in done.taken)]
            left: set[bytes] = set()
            for directory in reversed(emptied):
                while directory and folder.remove_directory_if_empty(directory):
                    directory = directory.rpartition(b"/")[0]
                    left.add(directory)
            folder.sync_directories(left, self._disk)
        journal.remove(self.journal_path, self._disk)
        self.clear()

    # ── And back ────────────────────────────────────────────────────────────────────────────────

    def _undo(self, *, references_moved: bool) -> None:
        found = journal.read(self.journal_path)
        if found is None:
            return
        if references_moved:
            references.move_back(self._repository, found.moves, found.person)
            # What can't be forced to the disk must not keep anything from going back: the call
            # fails anyway.
            with contextlib.suppress(OSError):
                self._sync_references(found)
        if found.phase is Phase.MOVED:
            found = msgspec.structs.replace(found, phase=Phase.MOVING)
            try:
                journal.write(self.journal_path, found, self._disk)
            except OSError:
                journal.write(self.journal_path, found, Disk(Durability.PROCESS))
        with Folder(self._places.folder) as folder:
            for placed in found.placed:
                state = folder.state(placed.path)
                if state is not None and Identity.of(state) == placed.identity:
                    folder.remove(placed.path)
            for path in reversed(found.made):
                folder.remove_directory_if_empty(path)
            for number in reversed(range(len(found.taken))):
                item = found.taken[number]
                aside = self._old / str(number)
                with contextlib.suppress(FileNotFoundError):
                    aside.lstat()
                    _put_back(folder, aside, item.path, directory=item.directory)
            if found.taken or found.placed or found.made:
                self._sync_files(folder, found.taken, found.placed, found.made)
        journal.remove(self.journal_path, self._disk)
        self.clear()


def _put_back(folder: Folder, aside: Path, path: bytes, *, directory: bool) -> None:
    at = path.find(b"/")
    while at >= 0:
        folder.make_directory(path[:at])
        at = path.find(b"/", at + 1)
    if directory:
        folder.put_directory(aside, path)
        return
    number = 1
    target = path
    while True:
        try:
            folder.put(aside, target)
        except FileExistsError:
            # Someone made a file here after the process was killed: both are kept.
            target = path + b".before" + (b"-%d" % number if number > 1 else b"")
            number += 1
        else:
            return


def _holds_files(directory: Path) -> bool:
    return any(not stat.S_ISDIR(below.lstat().st_mode) for below in directory.rglob("*"))
