"""Work trees that git keeps beside the history, as `git worktree add` makes them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from versiondiff.errors import Conflict
from versiondiff.flows.history.tree import BRANCH
from versiondiff.rendering.names import path as shown_path

if TYPE_CHECKING:
    from versiondiff.repository import Repository

__all__ = ["check_none_is_left_behind"]

_ON_BRANCH: Final = f"ref: {BRANCH}".encode()


def check_none_is_left_behind(repository: Repository) -> None:
    """Check that no other work tree has the branch checked out: it would not follow.

    Raises:
        Conflict: One has; the message names it.
    """
    common, own = repository.common_dir, repository.git_dir
    # A repository without an index has no work tree of its own.
    if not _is_same(common, own) and _is_on_branch(common) and (common / "index").exists():
        raise _left_behind(common.resolve().parent)
    try:
        linked = sorted((common / "worktrees").iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return
    for entry in linked:
        if not _is_on_branch(entry) or _is_same(entry, own):
            continue
        place = _place_of(entry)
        # One whose folder is gone is none any more; of a locked one the disk may be out.
        if os.path.lexists(place) or (entry / "locked").exists():
            raise _left_behind(place.parent)


def _left_behind(place: Path) -> Conflict:
    return Conflict(
        f"{BRANCH}: is checked out in the work tree {shown_path(str(place))}, which would "
        "be left behind: open the history there, or remove it (git worktree remove)"
    )


def _is_on_branch(entry: Path) -> bool:
    try:
        return (entry / "HEAD").read_bytes().rstrip() == _ON_BRANCH
    except (FileNotFoundError, NotADirectoryError):
        return False


def _place_of(entry: Path) -> Path:
    """The `.git` file in the work tree; relative to the entry where git was told to write so."""
    try:
        written = (entry / "gitdir").read_bytes().rstrip(b"\r\n")
    except FileNotFoundError:
        return entry / "gitdir"
    return Path(os.path.normpath(entry / os.fsdecode(written)))


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except FileNotFoundError:
        return False
