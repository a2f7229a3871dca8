"""A project's folder, without following a link anywhere below it.

Every path is walked from the top, one directory after the other, and each is opened so that a link
in its place is refused. So nothing is read, moved or made outside of the folder, whatever others
put into it meanwhile.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from typing import TYPE_CHECKING, Final, Self

from versiondiff.errors import UnsupportedFormat

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from versiondiff.project.disk import Disk

__all__ = ["NO_LINKS", "Folder"]

_DIRECTORY: Final = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Directories that may be entered and not listed are entered too, where the system can do that.
_ENTER: Final = _DIRECTORY | getattr(os, "O_PATH", os.O_RDONLY)
NO_LINKS: Final = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS}
"""What a file system without hard links says."""
_NOT_A_DIRECTORY: Final = {errno.ENOTDIR, errno.ELOOP}


class Folder:
    """The folder; paths are bytes below it, with `/` between their parts."""

    def __init__(self, root: Path) -> None:
        if os.rename not in os.supports_dir_fd:
            message = f"{root}: the system can't move files safely (no renameat)"
            raise UnsupportedFormat(message)
        self._root = os.open(root, _ENTER & ~os.O_NOFOLLOW)
        self._way: list[tuple[bytes, int]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._forget()
        os.close(self._root)

    def state(self, path: bytes) -> os.stat_result | None:
        """What is at a path; None where nothing is, or something above it is no directory."""
        try:
            parent, name = self._parent(path)
            return os.stat(name, dir_fd=parent, follow_symlinks=False)
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno in _NOT_A_DIRECTORY:
                return None
            error.filename = os.fsdecode(path)
            raise

    def above(self, path: bytes) -> bytes | None:
        """What stands above a path and is no directory, if anything does."""
        at = path.find(b"/")
        while at >= 0:
            state = self.state(path[:at])
            if state is None:
                return None
            if not stat.S_ISDIR(state.st_mode):
                return path[:at]
            at = path.find(b"/", at + 1)
        return None

    def files_below(self, path: bytes) -> Iterator[bytes]:
        """Everything in a directory and below it that is no directory itself."""
        with _naming(path):
            parent, name = self._parent(path)
            descriptor = os.open(name, os.O_RDONLY | _DIRECTORY, dir_fd=parent)
        try:
            entries = sorted(
                (os.fsencode(entry.name), entry.is_dir(follow_symlinks=False))
                for entry in os.scandir(descriptor)
            )
        finally:
            os.close(descriptor)
        for entry_name, is_directory in entries:
            below = path + b"/" + entry_name
            if is_directory:
                yield from self.files_below(below)
            else:
                yield below

    def read_link(self, path: bytes) -> bytes:
        """Where a link leads."""
        parent, name = self._parent(path)
        return os.readlink(name, dir_fd=parent)

    def open_file(self, path: bytes) -> int:
        """A descriptor to read a file."""
        parent, name = self._parent(path)
        return os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)

    def take(self, path: bytes, target: Path) -> None:
        """Move what is at a path out of the folder."""
        self._forget_below(path)
        with _naming(path):
            parent, name = self._parent(path)
            os.rename(name, target, src_dir_fd=parent)

    def put(self, source: Path, path: bytes) -> None:
        """Move a file or a link into the folder, where nothing is.

        Raises:
            FileExistsError: Something is there.
        """
        with _naming(path):
            parent, name = self._parent(path)
            try:
                # Unlike a rename, a link never takes the place of something.
                os.link(source, name, dst_dir_fd=parent, follow_symlinks=False)
            except OSError as error:
                if error.errno not in NO_LINKS:
                    raise
                self._put_without_links(source, parent, name)
            else:
                source.unlink()

    def put_directory(self, source: Path, path: bytes) -> None:
        """Move a directory into the folder, where nothing is or an empty directory."""
        self._forget_below(path)
        parent, name = self._parent(path)
        os.rename(source, name, dst_dir_fd=parent)

    def make_directory(self, path: bytes) -> bool:
        """Make a directory; False where there is one."""
        with _naming(path):
            parent, name = self._parent(path)
            try:
                os.mkdir(name, dir_fd=parent)
            except FileExistsError:
                state = self.state(path)
                if state is None or not stat.S_ISDIR(state.st_mode):
                    raise
                return False
        return True

    def remove(self, path: bytes) -> None:
        """Remove a file or a link."""
        parent, name = self._parent(path)
        os.unlink(name, dir_fd=parent)

    def remove_directory_if_empty(self, path: bytes) -> bool:
        """Remove a directory; False where something is in it, or it is none."""
        self._forget_below(path)
        try:
            parent, name = self._parent(path)
            os.rmdir(name, dir_fd=parent)
        except OSError:
            return False
        return True

    def sync_directories(self, paths: Iterable[bytes], disk: Disk) -> None:
        """Force the names in directories, as far as they are there, to the disk.

        `b""` is the folder itself.
        """
        if not disk.is_forced:
            return
        # The inner ones first, as they were made last.
        for path in sorted(set(paths), reverse=True):
            with contextlib.suppress(FileNotFoundError, NotADirectoryError), _naming(path):
                parent, name = self._parent(path) if path else (self._root, b".")
                try:
                    descriptor = os.open(name, os.O_RDONLY | _DIRECTORY, dir_fd=parent)
                except PermissionError:
                    # It may be entered and not listed; then all that the system has goes there.
                    os.sync()
                    continue
                try:
                    disk.sync_open(descriptor, is_directory=True)
                finally:
                    os.close(descriptor)

    @staticmethod
    def _put_without_links(source: Path, parent: int, name: bytes) -> None:
        try:
            os.stat(name, dir_fd=parent, follow_symlinks=False)
        except FileNotFoundError:
            os.rename(source, name, dst_dir_fd=parent)
        else:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))

    def _parent(self, path: bytes) -> tuple[int, bytes]:
        """The directory that a path is in, and its name there.

        The way to the last one stays open: paths come sorted, and most share it. A directory that
        is replaced meanwhile does not lead elsewhere by that; what was opened stays what it is.
        """
        *directories, name = path.split(b"/")
        same = 0
        for (known, _), directory in zip(self._way, directories, strict=False):
            if known != directory:
                break
            same += 1
        if same < len(directories):
            self._forget(same)
            for directory in directories[same:]:
                above = self._way[-1][1] if self._way else self._root
                self._way.append((directory, os.open(directory, _ENTER, dir_fd=above)))
        return (self._way[len(directories) - 1][1] if directories else self._root), name

    def _forget_below(self, path: bytes) -> None:
        """What is open of a directory that goes is not the one that may come."""
        directories = path.split(b"/")
        if [name for name, _ in self._way[: len(directories)]] == directories:
            self._forget(len(directories) - 1)

    def _forget(self, length: int = 0) -> None:
        """Close what is open below the first so many directories of the way."""
        while len(self._way) > length:
            os.close(self._way.pop()[1])


@contextlib.contextmanager
def _naming(path: bytes) -> Iterator[None]:
    """An error names the whole path, not what the system was asked for below a directory."""
    try:
        yield
    except OSError as error:
        error.filename = os.fsdecode(path)
        error.filename2 = None
        raise
