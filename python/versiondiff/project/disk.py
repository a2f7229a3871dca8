"""Files and directories forced to the disk, where a power cut must not take anything.

A name is on the disk only once the directory that holds it is: so each file that is made, and each
that is renamed, needs its directory to be forced to the disk too.
"""

from __future__ import annotations

import errno
import fcntl
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from versiondiff.durability import Durability

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Disk"]

_NO_SYNC: Final = {errno.EINVAL, errno.ENOTSUP}
"""What is said of directories by a file system that has no way to do it."""


class Disk:
    """The disk of one writer; without `Durability.POWER` every call does nothing."""

    def __init__(self, durability: Durability) -> None:
        self.is_forced = durability is Durability.POWER

    def sync(self, *paths: Path) -> None:
        """Force the content of files, and the names in directories, to the disk, in this order.

        Raises:
            OSError: That failed; nothing is known of what is on the disk then.
        """
        if not self.is_forced:
            return
        for path in paths:
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            try:
                self.sync_open(descriptor, is_directory=path.is_dir())
            except OSError as error:
                error.filename = os.fspath(path)
                raise
            finally:
                os.close(descriptor)

    def sync_open(self, descriptor: int, *, is_directory: bool = False) -> None:
        """The same for what is open."""
        if not self.is_forced:
            return
        try:
            if hasattr(fcntl, "F_FULLFSYNC"):
                # macOS leaves it in the disk's own memory otherwise.
                fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
            else:
                os.fsync(descriptor)
        except OSError as error:
            if not is_directory or error.errno not in _NO_SYNC:
                raise

    def sync_above(self, path: Path, top: Path) -> None:
        """The directories above a path, up to `top`: each may have been made for it."""
        if not self.is_forced:
            return
        for above in path.parents:
            self.sync(above)
            if above == top:
                return

    def sync_tree(self, directory: Path) -> None:
        """All files and directories below a directory, and itself."""
        if not self.is_forced:
            return
        for below, _, files in os.walk(directory, topdown=False):
            whole = [Path(below, name) for name in files]
            self.sync(*(path for path in whole if not path.is_symlink()), Path(below))

    def sync_objects(self, objects: Path, ids: Iterable[str]) -> None:
        """Loose objects, those that were there already too; what is in a pack is on the disk."""
        if not self.is_forced:
            return
        loose = [objects / found[:2] / found[2:] for found in ids]
        loose = [path for path in loose if path.exists()]
        self.sync(*loose, *sorted({path.parent for path in loose}), objects)

    def sync_references(self, git_dir: Path, common_dir: Path, names: Iterable[str]) -> None:
        """References that were written, and their logs."""
        if not self.is_forced:
            return
        for name in names:
            # HEAD is each work tree's own.
            top = git_dir if name == "HEAD" else common_dir
            for path in (top / name, top / "logs" / name):
                if path.exists():
                    self.sync(path)
                    self.sync_above(path, top)
                elif path.parent.is_dir():
                    # It was removed.
                    self.sync(path.parent)
        packed = common_dir / "packed-refs"
        if packed.exists():
            self.sync(packed)
