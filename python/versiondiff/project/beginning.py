"""A folder becomes a repository."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
from typing import TYPE_CHECKING, Final

import pygit2

from versiondiff import isolation
from versiondiff.errors import NotFound

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from versiondiff.project.disk import Disk

__all__ = ["make_repository"]

_ASIDE: Final = ".git.versiondiff"
"""Where the repository is made, in the folder, until it is whole."""


def make_repository(folder: Path, disk: Disk) -> None:
    """Make the folder a repository without versions, if it is none; whole, or not at all.

    A repository that can't be opened is left alone: it may hold versions. What is left of one
    that was never finished is completed.

    Raises:
        NotFound: There is no such folder.
        OSError: It can't be made.
        pygit2.GitError: It can't be made.
    """
    if not folder.is_dir():
        message = f"{folder}: no such folder"
        raise NotFound(message)
    with _alone(folder):
        aside = folder / _ASIDE
        shutil.rmtree(aside, ignore_errors=True)
        git = folder / ".git"
        if os.path.lexists(git):
            if git.is_dir() and not _opens(folder) and not _has_references(git):
                _init(folder)
                disk.sync_tree(git)
            return
        _init(aside)
        disk.sync_tree(aside)
        (aside / ".git").rename(git)
        aside.rmdir()
        disk.sync(folder)


def _init(folder: Path) -> None:
    isolation.isolate()
    pygit2.init_repository(os.fspath(folder), initial_head="main")
    # libgit2 makes a directory for hooks although it has no template.
    with contextlib.suppress(OSError):
        (folder / ".git" / "hooks" / "README.sample").unlink()
        (folder / ".git" / "hooks").rmdir()


def _opens(folder: Path) -> bool:
    try:
        isolation.open_exactly(folder)
    except pygit2.GitError:
        return False
    return True


def _has_references(git: Path) -> bool:
    return (git / "packed-refs").exists() or any(
        below.is_file() for below in (git / "refs").rglob("*")
    )


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Only one at a time: there is no git directory yet that could hold a lock."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with contextlib.suppress(OSError):
            # Where a file system has no such locks, the rename still lets only one through.
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
