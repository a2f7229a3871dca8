"""The two that a command compares: directories, versions in git, or files of its own kind."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from versiondiff.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Callable

    from versiondiff.snapshots import Files

__all__ = ["sources_of"]

Source = TypeVar("Source")


def sources_of(
    old: str,
    new: str,
    repo: Path | None,
    of_files: Callable[[Path, Path], tuple[Source, Source]],
    *,
    mismatch: str,
) -> tuple[Source | Files, Source | Files]:
    """What was typed as two sources, whatever they are.

    Args:
        old: A directory, a file or a revision.
        new: Another of the same kind.
        repo: The repository of revisions; where it is named, both are revisions.
        of_files: What two files are.
        mismatch: What is wrong where one is a directory and the other is not.

    Raises:
        InvalidInput: They are not of one kind.
        NotFound: There is no such version, or no repository.
    """
    if repo is None:
        before, now = Path(old), Path(new)
        if before.is_dir() and now.is_dir():
            return before, now
        if before.is_file() and now.is_file():
            return of_files(before, now)
        if before.exists() and now.exists():
            raise InvalidInput(f"{old} and {new}: {mismatch}")
    from versiondiff.repository import Repository

    repository = Repository.open(repo or Path())
    return repository.snapshot(old), repository.snapshot(new)
