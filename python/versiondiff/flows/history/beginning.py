"""A new history: a repository on the branch `main`, without hooks and remotes."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from versiondiff.durability import Durability
from versiondiff.errors import Conflict
from versiondiff.rendering.names import catalogue, name

if TYPE_CHECKING:
    from collections.abc import Callable

    from versiondiff.flows.history.people import Service
    from versiondiff.wording import Language

__all__ = ["README", "make_bare", "make_with_folder", "readme"]

README: Final = b"README.md"
_CONFIG: Final = """\
[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = true
"""


def readme(service: Service, language: Language) -> bytes:
    """What stands in the repository beside the flows."""
    words = catalogue(language)
    paragraphs = [
        f"# {words.flow_readme_title}",
        words.flow_readme_what.format(service=name(service.name)),
        words.flow_readme_layout,
        words.flow_readme_warning.format(service=name(service.name)),
    ]
    return ("\n\n".join(paragraphs) + "\n").encode()


def make_bare(path: Path, begin: Callable[[Path], None], durability: Durability) -> None:
    """A repository without a working tree; whole, or not at all.

    Args:
        path: Where it is to be.
        begin: Makes its first version, in the repository at the path that it is given.
        durability: What it outlives.

    Raises:
        Conflict: Something is there.
        OSError: It can't be made.
    """
    _check_free(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = Path(tempfile.mkdtemp(prefix=".versiondiff-", dir=path.parent))
    try:
        made = aside / "repository"
        for folder in ("objects/info", "objects/pack", "refs/heads", "refs/tags", "info"):
            (made / folder).mkdir(parents=True)
        (made / "HEAD").write_text("ref: refs/heads/main\n")
        (made / "config").write_text(_CONFIG)
        begin(made)
        is_forced = durability is Durability.POWER
        if is_forced:
            _force_tree(made)
        try:
            # Onto an empty folder, where there is one.
            made.replace(path)
        except OSError as error:
            # Someone else was quicker.
            _check_free(path, error)
            raise
        if is_forced:
            _force(path.parent)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def make_with_folder(path: Path, durability: Durability) -> None:
    """A repository with a working tree and without versions.

    Raises:
        Conflict: Something is there.
        OSError: It can't be made.
    """
    # Only working trees need pygit2.
    from versiondiff.project.beginning import make_repository
    from versiondiff.project.disk import Disk

    try:
        _check_free(path)
    except Conflict:
        # Looked at last: what others begin gets more meanwhile, and not less.
        if not _is_unfinished(path):
            raise
    path.mkdir(parents=True, exist_ok=True)
    make_repository(path, Disk(durability))


def _force_tree(directory: Path) -> None:
    for below, _, files in os.walk(directory, topdown=False):
        for file in files:
            _force(Path(below, file))
        _force(Path(below))


def _force(path: Path) -> None:
    """Force a file, or the names in a directory, to the disk."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _check_free(path: Path, why: OSError | None = None) -> None:
    if os.path.lexists(path) and not (path.is_dir() and not any(path.iterdir())):
        raise Conflict(f"{path}: is not an empty folder") from why


def _is_unfinished(path: Path) -> bool:
    """Whether what is there was left by a process that was killed while it began."""
    return path.is_dir() and {entry.name for entry in path.iterdir()} <= {
        ".git",
        ".git.versiondiff",
    }
