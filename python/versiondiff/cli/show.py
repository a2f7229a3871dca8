"""`versiondiff show`: one version, and what it changed."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from versiondiff.cli.arguments import (
    RecordOptions,
    ScreenOptions,
    add_record_options,
    add_screen_options,
    text,
    typed,
)
from versiondiff.cli.attached import attached_to
from versiondiff.cli.command import DONE, FAILED, Command
from versiondiff.cli.layout import version_page
from versiondiff.cli.output import note, opened
from versiondiff.cli.text import TextOptions, add_text_options, show_text
from versiondiff.repository import Repository

if TYPE_CHECKING:
    import argparse

__all__ = ["COMMAND"]


class _Show(msgspec.Struct, frozen=True, kw_only=True):
    """What was typed."""

    revision: str
    repo: Path


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "revision",
        type=text,
        metavar="REVISION",
        help="a version by any name git knows: HEAD~2, a branch, a tag, the start of an id",
    )
    parser.add_argument(
        "--repo",
        type=Path,
        default=Path(),
        metavar="PATH",
        help="the git repository, or a folder in its working tree (default: here)",
    )
    add_record_options(parser)
    add_text_options(parser)
    add_screen_options(parser)


def _run(namespace: argparse.Namespace) -> int:
    show, options = typed(namespace, _Show), typed(namespace, RecordOptions)
    repository = Repository.open(show.repo)
    if typed(namespace, TextOptions).text:
        show_text(partial(repository.version_diff, show.revision), namespace)
        return DONE
    entry = repository.record(show.revision, format=options.chosen_format())
    if options.format is None and entry.record is not None:
        note(f"format: {entry.record.format}")
    with opened(typed(namespace, ScreenOptions)) as output:
        if options.json:
            output.write_line(msgspec.json.encode(entry))
        else:
            carried = attached_to(repository, entry.version.id)
            output.write(version_page(entry, carried, options, output))
    return FAILED if entry.error is not None else DONE


COMMAND: Final = Command(
    name="show",
    summary="one version: who made it, when, what for, and what it changed",
    description="""\
Show one version: its message, the names it was kept under, its runs, and what it
changed against its first parent. A version without a parent is compared with nothing:
all of it reads as added.""",
    examples=(
        ("show HEAD", "the newest version of the repository that you are in"),
        ("show rgb-v1 --repo ~/projects/cas-a", "a version by its tag, in another repository"),
        ("show HEAD~3 --limit 100", "nothing of it cut"),
        ("show HEAD --json", "for a program"),
        ("show HEAD --text", "the text of its changes that a model would get"),
    ),
    exit_codes=(
        (DONE, "done"),
        (FAILED, "an error, said on stderr; or the version could not be compared, said in place"),
    ),
    add_arguments=_add_arguments,
    run=_run,
)
