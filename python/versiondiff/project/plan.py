"""What has to move to restore a version, and whether anything is in the way."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, NamedTuple

import pygit2
from pygit2.enums import FileMode

from versiondiff.errors import Conflict
from versiondiff.project.journal import Identity, Placed, Taken
from versiondiff.project.trees import shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from versiondiff.project.folder import Folder
    from versiondiff.project.trees import Change, Entry

__all__ = ["Plan", "make_plan"]


class Plan(NamedTuple):
    """Moves of files, checked before the first."""

    taken: tuple[Taken, ...]
    seen: dict[bytes, Identity]
    """What each file that goes out was when it was checked."""
    made: tuple[bytes, ...]
    placed: tuple[Placed, ...]
    present: tuple[bytes, ...]
    """Files that are wanted and already there."""
    left: tuple[bytes, ...]
    """Directories of submodules that are in the version no more; they go if they are empty."""


def make_plan(
    folder: Folder,
    bench: pygit2.Repository,
    changed: Sequence[Change],
    staged: Mapping[bytes, Path],
    file_system: Mapping[str, bool],
) -> Plan:
    """Plan the moves from the folder's content to another, and check that nothing is in the way.

    Args:
        folder: The folder; its content is the old side of `changed`.
        bench: The repository whose attributes hold for the folder.
        changed: What differs, sorted by path.
        staged: The new files, by path.
        file_system: What the file system can do, by the names of git's configuration.

    Raises:
        Conflict: Something that is in no version is in the way, or the folder changed meanwhile.
    """
    return _Planner(folder, bench, changed, staged, file_system).plan()


class _Planner:
    def __init__(
        self,
        folder: Folder,
        bench: pygit2.Repository,
        changed: Sequence[Change],
        staged: Mapping[bytes, Path],
        file_system: Mapping[str, bool],
    ) -> None:
        self._folder = folder
        self._bench = bench
        self._changed = changed
        self._staged = staged
        self._file_system = file_system
        self._seen: dict[bytes, Identity] = {}
        self._directories: list[Taken] = []
        self._made: dict[bytes, None] = {}
        self._placed: list[Placed] = []
        self._present: list[bytes] = []

    def plan(self) -> Plan:
        for change in self._changed:
            if change.old is not None and change.old.mode != FileMode.COMMIT:
                self._seen[change.path] = self._checked_old(change.path, change.old)
        for number, change in enumerate(self._changed):
            if change.new is None:
                continue
            if change.new.mode == FileMode.COMMIT:
                self._make_way(change.path, directory=True)
            elif change.path in self._seen or self._make_way(change.path, directory=False):
                self._place(change.path, number)
        taken = [Taken(path=path) for path in self._seen]
        return Plan(
            taken=(*taken, *self._directories),
            seen=self._seen,
            made=tuple(self._made),
            placed=tuple(self._placed),
            present=tuple(self._present),
            left=tuple(
                change.path
                for change in self._changed
                if change.old is not None
                and change.old.mode == FileMode.COMMIT
                and change.new is None
            ),
        )

    def _checked_old(self, path: bytes, entry: Entry) -> Identity:
        """The file is what the version says, so nothing is lost when it goes."""
        state = self._folder.state(path)
        if state is not None and not stat.S_ISDIR(state.st_mode):
            identity = Identity.of(state)
            if self._holds(path, state, entry):
                again = self._folder.state(path)
                if again is not None and Identity.of(again) == identity:
                    return identity
        message = f"{shown(path)}: was changed meanwhile"
        raise Conflict(message)

    def _holds(self, path: bytes, state: os.stat_result, entry: Entry) -> bool:
        links = self._file_system.get("symlinks", True)
        if entry.mode == FileMode.LINK and links:
            if not stat.S_ISLNK(state.st_mode):
                return False
            return str(pygit2.hash(self._folder.read_link(path))) == entry.id
        if not stat.S_ISREG(state.st_mode):
            return False
        if self._file_system.get("filemode", True) and entry.mode != FileMode.LINK:
            executable = bool(state.st_mode & stat.S_IXUSR)
            if executable != (entry.mode == FileMode.BLOB_EXECUTABLE):
                return False
        name = os.fsdecode(path)
        # A file may be in the version as it is although the attributes ask for something else.
        return str(self._bench.hashfile(name)) == entry.id or (
            str(self._bench.hashfile(name, as_path="")) == entry.id
        )

    def _make_way(self, path: bytes, *, directory: bool) -> bool:
        """Check a path at which the old version has nothing; whether it is to be written."""
        above = self._folder.above(path)
        if above is not None and above not in self._seen:
            raise _in_the_way(above)
        state = None if above is not None else self._folder.state(path)
        if state is None:
            self._make_above(path)
            if directory:
                self._made[path] = None
            return True
        if stat.S_ISDIR(state.st_mode):
            if directory:
                return False
            for below in self._folder.files_below(path):
                if below not in self._seen:
                    raise _in_the_way(below)
            self._directories.append(Taken(path=path, directory=True))
            return True
        if directory and path in self._seen:
            self._made[path] = None
            return True
        if not directory and self._is_wanted(path, state):
            self._present.append(path)
            return False
        if Identity.of(state) in self._seen.values():
            # The same file under another name, where upper and lower case are one.
            return True
        raise _in_the_way(path)

    def _is_wanted(self, path: bytes, state: os.stat_result) -> bool:
        staged = self._staged[path]
        wanted = staged.lstat()
        if stat.S_IFMT(state.st_mode) != stat.S_IFMT(wanted.st_mode):
            return False
        if stat.S_ISLNK(state.st_mode):
            return self._folder.read_link(path) == os.fsencode(staged.readlink())
        executable = stat.S_IXUSR
        if state.st_mode & executable != wanted.st_mode & executable:
            return False
        if state.st_size != wanted.st_size or not stat.S_ISREG(state.st_mode):
            return False
        with (
            open(self._folder.open_file(path), "rb") as there,  # noqa: PTH123 (a descriptor)
            staged.open("rb") as new,
        ):
            while True:
                block = there.read(1 << 20)
                if block != new.read(1 << 20):
                    return False
                if not block:
                    return True

    def _make_above(self, path: bytes) -> None:
        at = path.find(b"/")
        while at >= 0:
            directory = path[:at]
            state = self._folder.state(directory)
            if state is None or not stat.S_ISDIR(state.st_mode):
                self._made[directory] = None
            at = path.find(b"/", at + 1)

    def _place(self, path: bytes, number: int) -> None:
        identity = Identity.of(self._staged[path].lstat())
        self._make_above(path)
        self._placed.append(Placed(path=path, number=number, identity=identity))


def _in_the_way(path: bytes) -> Conflict:
    return Conflict(f"{shown(path)}: is in the way and in no version")
