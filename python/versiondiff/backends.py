"""Which library reads and writes a repository: gitoxide, or libgit2 through pygit2."""

from __future__ import annotations

import contextlib
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from versiondiff import _core, pygit2_stand_in
from versiondiff.durability import Durability
from versiondiff.errors import InvalidInput, NotFound, UnsupportedFormat, VersionDiffError

if TYPE_CHECKING:
    import os

    import pygit2

__all__ = ["Backend", "BackendName", "Opened", "open_repository", "over_pygit2"]

BackendName: TypeAlias = Literal["gix", "pygit2"]
"""What reads and writes a repository: gitoxide (`gix`), or libgit2 (`pygit2`)."""

Backend: TypeAlias = Literal["auto", "gix", "pygit2"]
"""The backend to open a repository with; `auto` takes `gix` where that can read it."""


class Opened(NamedTuple):
    """An open repository, by which backend, and why it is not the first choice."""

    core: _core.Repository
    backend: BackendName
    reason: str = ""


def open_repository(
    path: str | os.PathLike[str],
    *,
    backend: Backend,
    any_owner: bool,
    object_memory: int | None,
    durability: Durability,
) -> Opened:
    """Open the repository at `path` or above it; see `Repository.open`."""
    durable = durability is Durability.POWER

    def with_pygit2() -> _core.Repository:
        return _open_with_pygit2(
            path, any_owner=any_owner, object_memory=object_memory, durable=durable
        )

    if backend == "pygit2":
        core = with_pygit2()
        return Opened(core, "pygit2")
    if backend not in ("auto", "gix"):
        raise InvalidInput("backend is one of auto, gix and pygit2")
    opened = None
    try:
        core = _core.Repository(
            path, any_owner=any_owner, object_memory=object_memory, durable=durable
        )
        if backend == "gix":
            return Opened(core, "gix")
        opened = Opened(core, "gix")
        # What can't tell its newest version can't be read, whatever else may be right with it.
        core.head()
    except VersionDiffError as error:
        # No repository, another user's, or stored in a way that libgit2 doesn't read either.
        not_for_another = isinstance(error, NotFound | UnsupportedFormat | InvalidInput)
        if backend == "gix" or (opened is None and not_for_another):
            raise
        try:
            core = with_pygit2()
            core.head()
        except VersionDiffError:
            if opened is None:
                raise error from None
            # What it can't read is an error once it is needed.
            return opened
        return Opened(core, "pygit2", f"gix can't read it: {error}")
    return opened


def _open_with_pygit2(
    path: str | os.PathLike[str], *, any_owner: bool, object_memory: int | None, durable: bool
) -> _core.Repository:
    try:
        import pygit2

        from versiondiff.isolation import open_exactly
    except ModuleNotFoundError:
        raise InvalidInput(
            "backend pygit2 needs the package pygit2: install versiondiff[pygit2]"
        ) from None
    git_dir, common_dir, is_known = _core.find_repository(path, any_owner=any_owner)
    stand_in = None
    if is_known:
        # Where links can't be made, libgit2 reads the repository's configuration too.
        with contextlib.suppress(OSError):
            stand_in = pygit2_stand_in.make(git_dir, common_dir)
    try:
        repository = open_exactly(stand_in or git_dir)
    except (pygit2.GitError, ValueError, KeyError, OSError) as error:
        if stand_in is not None:
            pygit2_stand_in.remove(stand_in)
        raise VersionDiffError(f"git repository {git_dir} can't be opened: {error}") from None
    if stand_in is not None:
        weakref.finalize(repository, pygit2_stand_in.remove, stand_in)
    return over_pygit2(repository, git_dir=git_dir, object_memory=object_memory, durable=durable)


def over_pygit2(
    repository: pygit2.Repository,
    *,
    git_dir: Path | None = None,
    object_memory: int | None = None,
    durable: bool = False,
) -> _core.Repository:
    """The core's repository over an open one of pygit2, which stands for that in `git_dir`."""
    from versiondiff.pygit2_store import Pygit2Store

    # One that lives in memory alone has none, whatever pygit2's types say.
    found: str | None = repository.path
    if not found:
        raise InvalidInput("a pygit2.Repository without a git directory is not read")
    return _core.Repository.over(
        git_dir or Path(found),
        lambda common_dir, directories: Pygit2Store(repository, common_dir, directories),
        object_memory=object_memory,
        durable=durable,
    )
