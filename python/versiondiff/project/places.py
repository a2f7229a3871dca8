"""Where a project is on the disk."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pygit2

from versiondiff import isolation
from versiondiff.errors import InvalidInput, NotFound, UnsupportedFormat, VersionDiffError
from versiondiff.repository import Repository

if TYPE_CHECKING:
    from typing import Self

__all__ = ["Places"]


class Places(NamedTuple):
    """The folder of a project, and the directories of its repository; all absolute."""

    folder: Path
    git_dir: Path
    """Of a linked work tree its own: where its HEAD and its index are."""
    common_dir: Path
    """Where objects and references are."""

    @classmethod
    def find(cls, folder: Path) -> Self:
        """The places of the project in `folder`, which is the top of a work tree.

        Raises:
            NotFound: The folder, or a repository in it, is not there.
            InvalidInput: The repository is bare, or its work tree is another folder.
            UnsupportedFormat: The repository is stored in a way that is not read here.
        """
        if not folder.is_dir():
            message = f"{folder}: no such folder"
            raise NotFound(message)
        try:
            repository = isolation.open_exactly(folder)
        except pygit2.GitError as error:
            raise _why_not_opened(folder, error) from error
        if repository.is_bare or repository.workdir is None:
            message = f"{folder}: a bare repository has no working tree"
            raise InvalidInput(message)
        if not Path(repository.workdir).samefile(folder):
            message = f"{folder}: the working tree of its repository is another folder"
            raise InvalidInput(message)
        git_dir = Path(os.path.realpath(repository.path))
        places = cls(Path(os.path.realpath(folder)), git_dir, _common_dir(git_dir))
        places._check(repository)
        return places

    @property
    def own_dir(self) -> Path:
        """What this library keeps while it works, on the file system of the git directory."""
        return self.git_dir / "versiondiff"

    def _check(self, repository: pygit2.Repository) -> None:
        config = repository.config
        for name in ("core.sparseCheckout", "index.sparse"):
            if name in config and config.get_bool(name):
                message = f"{self.folder}: a sparse checkout ({name}) is not supported"
                raise UnsupportedFormat(message)
        if self.folder.stat().st_dev != self.git_dir.stat().st_dev:
            message = f"{self.folder}: its git directory is on another file system"
            raise UnsupportedFormat(message)


def _common_dir(git_dir: Path) -> Path:
    link = git_dir / "commondir"
    try:
        target = link.read_bytes().rstrip(b"\r\n")
    except FileNotFoundError:
        return git_dir
    return Path(os.path.realpath(git_dir / os.fsdecode(target)))


def _why_not_opened(folder: Path, error: pygit2.GitError) -> VersionDiffError:
    if not os.path.lexists(folder / ".git") and not (folder / "objects").is_dir():
        return NotFound(f"{folder}: is under no version control (there is no .git in it)")
    try:
        # Reading says better what it is about a repository that is not known here.
        Repository.open(folder)
    except VersionDiffError as known:
        return known
    return UnsupportedFormat(f"{folder}: {error}")
