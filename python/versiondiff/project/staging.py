"""The files of a version, written aside with everything that costs room on the disk."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, BinaryIO, cast

import pygit2
from pygit2.enums import CheckoutStrategy, FileMode, FilterMode

from versiondiff.errors import InvalidInput, NotFound
from versiondiff.isolation import open_exactly
from versiondiff.project.trees import shown
from versiondiff.project.workbench import make_git_dir

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from versiondiff.project.disk import Disk
    from versiondiff.project.places import Places
    from versiondiff.project.trees import Entry

__all__ = ["Staging"]


class Staging:
    """A place to write files to as a version wants them in the folder.

    Lines end, and `$Id$` reads, as the version's own `.gitattributes` ask for, not as those that
    are in the folder now: the work tree of this git directory is empty, so libgit2 takes the
    attributes from its index, which is the version's tree.
    """

    def __init__(
        self, places: Places, tree: str, file_system: Mapping[str, bool], disk: Disk
    ) -> None:
        self._disk = disk
        self._git_dir = places.own_dir / "staging"
        self._worktree = places.own_dir / "empty"
        shutil.rmtree(self._worktree, ignore_errors=True)
        self._worktree.mkdir()
        make_git_dir(self._git_dir, places, worktree=self._worktree, head=None, config=file_system)
        self._links = file_system.get("symlinks", True)
        self._repository = open_exactly(self._git_dir)
        self._repository.index.read_tree(pygit2.Oid(hex=tree))

    def close(self) -> None:
        """Remove the git directory; the files stay."""
        self._repository.free()
        for directory in (self._git_dir, self._worktree):
            shutil.rmtree(directory, ignore_errors=True)

    def write(self, path: bytes, entry: Entry, target: Path) -> None:
        """Write the file that stands at `path` in the version to `target`.

        Raises:
            NotFound: Its object is missing.
            InvalidInput: Its object is no file.
            OSError: It can't be written.
        """
        try:
            blob = self._repository[entry.id]
        except KeyError as error:
            message = f"{shown(path)}: the object {entry.id} is missing"
            raise NotFound(message) from error
        if not isinstance(blob, pygit2.Blob):
            message = f"{shown(path)}: the object {entry.id} is no file"
            raise InvalidInput(message)
        if entry.mode == FileMode.LINK and self._links:
            _write_link(path, blob.data, target)
            return
        permissions = 0o777 if entry.mode == FileMode.BLOB_EXECUTABLE else 0o666
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        with open(os.open(target, flags, permissions), "wb") as file:  # noqa: PTH123 (a descriptor)
            if entry.mode == FileMode.LINK or not self._is_filtered(path):
                file.write(memoryview(blob))
            else:
                self._write_filtered(path, file)
            file.flush()
            self._disk.sync_open(file.fileno())

    def _is_filtered(self, path: bytes) -> bool:
        # The path may be any bytes, which pygit2 takes and does not declare.
        filters = self._repository.load_filter_list(cast("str", path), FilterMode.TO_WORKTREE)
        return filters is not None

    def _write_filtered(self, path: bytes, file: BinaryIO) -> None:
        """Write what libgit2 checks out.

        pygit2's own ways to filter end at the first NUL, or where Ctrl-C is pressed.
        """
        checkout_index: Callable[..., None] = self._repository.checkout_index
        checkout_index(
            paths=[_RawPath(path)],
            strategy=CheckoutStrategy.FORCE
            | CheckoutStrategy.DONT_UPDATE_INDEX
            | CheckoutStrategy.DONT_WRITE_INDEX
            | CheckoutStrategy.DISABLE_PATHSPEC_MATCH,
        )
        written = self._worktree / os.fsdecode(path)
        with written.open("rb") as content:
            shutil.copyfileobj(content, file)
        written.unlink()


class _RawPath:
    """A path of any bytes, in the form in which pygit2 takes one in a list."""

    def __init__(self, path: bytes) -> None:
        self._path = path

    def __fspath__(self) -> bytes:
        return self._path


def _write_link(path: bytes, leads_to: bytes, target: Path) -> None:
    if not leads_to or b"\0" in leads_to:
        message = f"{shown(path)}: is a link to nothing that a file system can hold"
        raise InvalidInput(message)
    target.symlink_to(os.fsdecode(leads_to))
