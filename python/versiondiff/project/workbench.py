"""A git directory beside the project's own, to make versions with.

libgit2 takes a repository's whole configuration for granted: a line in it would leave files out
(`core.excludesFile`) or change them on their way (`core.autocrlf`, `core.attributesFile`). So the
index is worked on in a git directory of ours, with a configuration of ours. It shares the objects
and `info/exclude` and starts with a copy of the index; the work tree is the project's folder. What
comes out replaces the project's index by one rename, and until then nothing is changed.

Of the project's own configuration only what the file system can do is taken over: `core.fileMode`,
`core.symlinks`, `core.ignoreCase` and `core.precomposeUnicode`.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import time
from typing import TYPE_CHECKING, Final

import pygit2
from pygit2.enums import FileMode, FileStatus

from versiondiff.errors import Conflict, VersionDiffError
from versiondiff.isolation import open_exactly
from versiondiff.project import index_file
from versiondiff.project.folder import Folder
from versiondiff.project.trees import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from versiondiff.project.disk import Disk
    from versiondiff.project.places import Places

__all__ = ["Workbench", "make_git_dir"]

_FILE_SYSTEM: Final = ("filemode", "symlinks", "ignorecase", "precomposeunicode")
_SETTINGS: Final = """\
[core]
\trepositoryformatversion = 0
\tbare = false
\tautocrlf = false
\tsafecrlf = false
\tprotectHFS = true
\tprotectNTFS = true
"""
_ATTEMPTS: Final = 6
_PAUSE: Final = 0.02
"""In seconds, longer each time: other programs write files while they are read."""

_IN_INDEX: Final = (
    FileStatus.INDEX_NEW
    | FileStatus.INDEX_MODIFIED
    | FileStatus.INDEX_DELETED
    | FileStatus.INDEX_RENAMED
    | FileStatus.INDEX_TYPECHANGE
)
_IN_FOLDER: Final = (
    FileStatus.WT_NEW
    | FileStatus.WT_MODIFIED
    | FileStatus.WT_DELETED
    | FileStatus.WT_RENAMED
    | FileStatus.WT_TYPECHANGE
)


class Workbench:
    """The project's index, as it is to become."""

    def __init__(
        self, places: Places, repository: pygit2.Repository, head: str | None, disk: Disk
    ) -> None:
        """Make it anew.

        Args:
            places: Where the project is.
            repository: The project's repository.
            head: The commit that HEAD stands on, if there is one.
            disk: What forces the index, and the objects that are written, to the disk.

        Raises:
            Conflict: The index holds a merge that is not finished.
            pygit2.GitError: The index can't be read.
        """
        self._places = places
        self._disk = disk
        self._path = places.own_dir / "bench"
        self.file_system = _file_system(repository)
        config = self.file_system | {"fsyncobjectfiles": disk.is_forced}
        make_git_dir(self._path, places, worktree=places.folder, head=head, config=config)
        with contextlib.suppress(FileNotFoundError):
            shutil.copyfile(self._real_index, self.index_path)
        self.repository = open_exactly(self._path)
        self._index = self.repository.index
        self.left_out: tuple[str, ...] = ()
        conflicts = self._index.conflicts
        if conflicts is not None:
            paths = sorted(
                {entry.path for found in conflicts for entry in found if entry is not None}
            )
            message = f"{shown(os.fsencode(paths[0]))}: a merge of it is not finished"
            raise Conflict(message)

    @property
    def index_path(self) -> Path:
        """Where the new index is written."""
        return self._path / "index"

    @property
    def _real_index(self) -> Path:
        return self._places.git_dir / "index"

    def close(self) -> None:
        """Remove it from the disk."""
        self.repository.free()
        shutil.rmtree(self._path, ignore_errors=True)

    # ── From the folder ─────────────────────────────────────────────────────────────────────────

    def changed_paths(self) -> list[bytes]:
        """The paths that differ from HEAD; what is ignored, and submodules, left out."""
        found = []
        for path, flags in self._status():
            if not flags & (_IN_INDEX | _IN_FOLDER):
                continue
            if flags & _IN_INDEX and flags & _IN_FOLDER and self._is_as_in_head(path):
                # It was put into the index, and taken back in the folder.
                continue
            found.append(os.fsencode(path))
        return sorted(found)

    def tree(self) -> str:
        """The id of the tree that the index says."""
        return str(self._index.write_tree())

    def take_folder(self) -> str:
        """Put the folder's content into the index, as `git add --all` does; the id of its tree.

        Submodules stay as they are in the index, and other repositories in the folder are left
        out: their content is not in the objects, so a version would only point to it.

        Raises:
            Conflict: A repository was made in a folder whose files are in the version.
            VersionDiffError: A file can't be read, or is written all the time.
        """
        attempt = 0
        while (broken := self._take_changes()) is not None and attempt < _ATTEMPTS:
            attempt += 1
            time.sleep(_PAUSE * attempt)
        if broken is None:
            return str(self._index.write_tree())
        path, error = broken
        message = f"{shown(os.fsencode(path))}: {error}"
        raise VersionDiffError(message) from error

    def _take_changes(self) -> tuple[str, Exception] | None:
        """Put what differs into the index; the file that stopped it, which may just be written."""
        new, gone = [], []
        for path, flags in self._status():
            if flags & FileStatus.WT_UNREADABLE:
                return path, PermissionError("can't be read")
            if flags & FileStatus.WT_DELETED:
                gone.append(path)
            elif flags & _IN_FOLDER:
                new.append(path)
        with Folder(self._places.folder) as folder:
            for path in gone:
                self._check_gone(folder, path)
        for path in gone:
            self._index.remove(path)
        for path in new:
            try:
                self._index.add(path)
            except (pygit2.GitError, OSError) as error:
                return path, error
        if new or gone:
            self._index.write()
        return None

    # ── From a version ──────────────────────────────────────────────────────────────────────────

    def take_tree(
        self,
        removed: Iterable[bytes],
        added: Mapping[bytes, tuple[str, int]],
    ) -> str:
        """Take paths out of the index and put others in; the id of the tree."""
        for path in removed:
            self._index.remove(os.fsdecode(path))
        for path, (object_id, mode) in added.items():
            entry = pygit2.IndexEntry(os.fsdecode(path), pygit2.Oid(hex=object_id), FileMode(mode))
            self._index.add(entry)
        self._index.write()
        return str(self._index.write_tree())

    # ── To the project ──────────────────────────────────────────────────────────────────────────

    def publish(self) -> None:
        """Make the new index the project's; under git's lock of the index."""
        publish_index(self.index_path, self._real_index, self._disk)

    def _status(self) -> list[tuple[str, FileStatus]]:
        submodules, others, found = set(), [], []
        skipped = index_file.left_out_of_the_tree(self._real_index)
        for entry in self._index:
            if entry.mode == FileMode.COMMIT:
                submodules.add(entry.path)
        for path, flags in self.repository.status(untracked_files="all").items():
            name = path.removesuffix("/")
            if name in submodules:
                continue
            if name != path:
                others.append(name)
            elif flags & FileStatus.IGNORED or (
                flags & FileStatus.WT_DELETED and os.fsencode(path) in skipped
            ):
                continue
            else:
                found.append((path, FileStatus(flags)))
        self.left_out = tuple(sorted(others))
        return found

    def _check_gone(self, folder: Folder, path: str) -> None:
        """libgit2 takes the files of a folder that it can't read, or must not, for deleted."""
        for other in self.left_out:
            if path.startswith(other + "/"):
                message = (
                    f"{shown(os.fsencode(other))}: a repository was made in a folder"
                    " whose files are in the version"
                )
                raise Conflict(message)
        state = folder.state(os.fsencode(path))
        if state is not None and (stat.S_ISREG(state.st_mode) or stat.S_ISLNK(state.st_mode)):
            message = f"{shown(os.fsencode(path))}: is in a folder that can't be read"
            raise VersionDiffError(message)

    def _is_as_in_head(self, path: str) -> bool:
        try:
            state = (self._places.folder / path).lstat()
        except (FileNotFoundError, NotADirectoryError):
            state = None
        tree = self.repository[self.repository.head.target].peel(pygit2.Tree)
        try:
            entry = tree[path]
        except KeyError:
            entry = None
        if state is None or entry is None:
            return state is None and entry is None
        if stat.S_ISLNK(state.st_mode):
            target = os.fsencode((self._places.folder / path).readlink())
            return entry.filemode == FileMode.LINK and entry.id == pygit2.hash(target)
        mode = FileMode.BLOB
        if state.st_mode & stat.S_IXUSR:
            mode = FileMode.BLOB_EXECUTABLE
        return (
            stat.S_ISREG(state.st_mode)
            and entry.filemode == mode
            and entry.id == self.repository.hashfile(path)
        )


def publish_index(new: Path, index: Path, disk: Disk) -> None:
    """Put a new index into the place of the old one, with its permissions.

    There is none where nothing was in it, and nothing came.
    """
    if not new.exists():
        return
    with contextlib.suppress(FileNotFoundError):
        new.chmod(stat.S_IMODE(index.stat().st_mode))
    if not disk.is_forced:
        new.replace(index)
        return
    disk.sync(new)
    before = new.with_name("index.before")
    if index.exists():
        shutil.copy2(index, before)
    new.replace(index)
    try:
        disk.sync(index.parent)
    except OSError:
        # There as it was: what is not published is what a recovery finds in its place.
        index.replace(new)
        if before.exists():
            before.replace(index)
        raise


def make_git_dir(
    path: Path, places: Places, *, worktree: Path, head: str | None, config: Mapping[str, bool]
) -> None:
    """A git directory with the project's objects and no configuration of anyone's."""
    shutil.rmtree(path, ignore_errors=True)
    (path / "refs").mkdir(parents=True)
    (path / "objects").symlink_to(places.common_dir / "objects")
    (path / "info").symlink_to(places.common_dir / "info")
    (path / "HEAD").write_text((head or "ref: refs/heads/main") + "\n")
    lines = [f"\t{name} = {str(value).lower()}\n" for name, value in config.items()]
    quoted = os.fsencode(worktree)
    for character, escape in ((b"\\", b"\\\\"), (b'"', b'\\"'), (b"\n", b"\\n"), (b"\t", b"\\t")):
        quoted = quoted.replace(character, escape)
    text = (_SETTINGS + "".join(lines)).encode() + b'\tworktree = "' + quoted + b'"\n'
    (path / "config").write_bytes(text)


def _file_system(repository: pygit2.Repository) -> dict[str, bool]:
    config = repository.config
    names = [name for name in _FILE_SYSTEM if f"core.{name}" in config]
    return {name: config.get_bool(f"core.{name}") for name in names}
