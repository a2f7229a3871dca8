"""`versiondiff start` and `versiondiff start-from`: versioning begins, or goes on elsewhere."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from versiondiff.cli.arguments import add_language_option, text, typed
from versiondiff.cli.command import DONE, Command
from versiondiff.cli.durability import add_durability_option, durability_of
from versiondiff.cli.identity import add_author_options, author_of
from versiondiff.cli.output import note, say
from versiondiff.cli.projects import add_project_option, opened_project, say_left_out
from versiondiff.cli.shown import short_id
from versiondiff.history_file import FILE_NAME
from versiondiff.rendering.names import name, path
from versiondiff.wording import CATALOGUES, Language

if TYPE_CHECKING:
    import argparse

__all__ = ["START", "START_FROM"]


class _Start(msgspec.Struct, frozen=True, kw_only=True):
    """What was typed."""

    directory: Path
    language: Language


class _StartFrom(msgspec.Struct, frozen=True, kw_only=True):
    """What was typed."""

    revision: str
    repo: Path
    refuse_unsaved: bool
    run_going: bool
    language: Language


def _add_start_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "directory",
        nargs="?",
        type=Path,
        default=Path(),
        metavar="DIR",
        help="the project's folder (default: here)",
    )
    add_language_option(parser.add_argument_group("what is said"))
    add_durability_option(parser)
    add_author_options(parser)


def _run_start(namespace: argparse.Namespace) -> int:
    # Only commands that write need it, and it takes a while to load.
    from versiondiff.project import Project

    start = typed(namespace, _Start)
    project = Project.start(
        start.directory,
        author=author_of(namespace),
        language=start.language,
        durability=durability_of(namespace),
    )
    wording = CATALOGUES[start.language]
    if os.path.lexists(start.directory / FILE_NAME):
        note(wording.history_left.format(path=FILE_NAME))
    head = project.repository.version("HEAD")
    say(
        wording.versioning_started.format(
            path=path(str(start.directory)), version=short_id(head.id)
        )
    )
    return DONE


def _add_start_from_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "revision",
        type=text,
        metavar="REVISION",
        help="the version, by any name git knows; at the tip of a branch that branch goes on",
    )
    add_project_option(parser)
    group = parser.add_argument_group("content that is in no version yet")
    choice = group.add_mutually_exclusive_group()
    choice.add_argument("--keep", action="store_true", help="it becomes a version first (default)")
    choice.add_argument(
        "--refuse-unsaved", action="store_true", help="then nothing is done, and that is said"
    )
    group.add_argument(
        "--run-going",
        action="store_true",
        help="a run is going, as a script knows: then nothing is done, and that is said",
    )
    add_language_option(parser.add_argument_group("what is said"))
    add_durability_option(parser)
    add_author_options(parser)


def _run_start_from(namespace: argparse.Namespace) -> int:
    from versiondiff.project import UnsavedChanges

    start = typed(namespace, _StartFrom)
    started = opened_project(start.repo, start.language, durability_of(namespace)).start_from(
        start.revision,
        author=author_of(namespace),
        language=start.language,
        unsaved=UnsavedChanges.REFUSE if start.refuse_unsaved else UnsavedChanges.KEEP,
        run_going=start.run_going,
    )
    say_left_out(started.left_out, start.language)
    wording = CATALOGUES[start.language]
    if started.kept is not None:
        say(wording.content_kept.format(version=short_id(started.kept)))
    template = wording.started_branch if started.branch_made else wording.started_from
    say(template.format(version=short_id(started.commit), branch=name(started.branch)))
    return DONE


START: Final = Command(
    name="start",
    summary="make a project's folder a repository, with a first version",
    description="""\
Start Versioning: make the folder a git repository whose first version is its content,
with .tsugumi/ in .gitignore. A folder that is one already is only looked after. A copy
of a demo, which holds .tsugumi-history.json, becomes that history.""",
    examples=(
        ("start", "the folder that you are in"),
        ("start ~/projects/cas-a --author 'Mika <mika@example.org>'", "another one, as someone"),
    ),
    add_arguments=_add_start_arguments,
    run=_run_start,
)

START_FROM: Final = Command(
    name="start-from",
    summary="return to a version's content and go on from there",
    description="""\
Keep the project's content as a version, and return to the content of another one. At
the tip of a branch that branch goes on; from any other version a new branch begins,
try-VERSION. Nothing is lost.""",
    examples=(
        ("start-from rgb-v1", "go on from the version that was kept as rgb-v1"),
        ("start-from main", "go on with the branch main"),
        ("start-from HEAD~2 --refuse-unsaved", "only if all content is in a version"),
    ),
    add_arguments=_add_start_from_arguments,
    run=_run_start_from,
)
