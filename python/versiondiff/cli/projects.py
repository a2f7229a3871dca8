"""Projects that commands write to, and what there is to be said about them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from versiondiff.cli.output import note
from versiondiff.rendering.names import path as in_one_line
from versiondiff.wording import CATALOGUES

if TYPE_CHECKING:
    import argparse

    from versiondiff.durability import Durability
    from versiondiff.project import Project
    from versiondiff.wording import Language

__all__ = ["add_project_option", "opened_project", "say_left_out"]


def add_project_option(parser: argparse.ArgumentParser) -> None:
    """Add which project it is."""
    parser.add_argument(
        "--repo",
        type=Path,
        default=Path(),
        metavar="PATH",
        help="the project's folder, or one in it (default: here)",
    )


def opened_project(path: Path, language: Language, durability: Durability) -> Project:
    """The project whose folder this is, or is in; what opening it ended is said on stderr.

    Raises:
        NotFound: There is none.
        VersionDiffError: As `Project.open`; or the package that works on working trees is missing.
    """
    # Only commands that write need it, and it takes a while to load.
    from versiondiff.project import Project, Recovery

    folder = path.absolute()
    above = (each for each in (folder, *folder.parents) if (each / ".git").exists())
    project = Project.open(next(above, path), durability=durability)
    if project.recovered is not None:
        wording = CATALOGUES[language]
        finished = project.recovered is Recovery.FINISHED
        note(wording.recovery_finished if finished else wording.recovery_undone)
    return project


def say_left_out(folders: tuple[str, ...], language: Language) -> None:
    """Say which folders are in no version, on stderr."""
    for folder in folders:
        note(CATALOGUES[language].left_out.format(path=in_one_line(folder)))
