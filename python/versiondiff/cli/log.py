"""`versiondiff log`: what every version of a repository changed."""

from __future__ import annotations

from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from versiondiff.cli.arguments import (
    RecordOptions,
    ScreenOptions,
    add_record_options,
    add_screen_options,
    natural,
    text,
    typed,
)
from versiondiff.cli.attached import all_attached
from versiondiff.cli.command import DONE, Command
from versiondiff.cli.layout import log_entry
from versiondiff.cli.output import note, opened
from versiondiff.cli.progress import Progress
from versiondiff.records import VersionRecord
from versiondiff.repository import Order, Parents, Repository

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

__all__ = ["COMMAND"]


class _Log(msgspec.Struct, frozen=True, kw_only=True):
    """What was typed."""

    repository: Path
    range: str | None
    paths: list[str]
    count: int | None
    all_parents: bool
    reverse: bool

    @property
    def parents(self) -> Parents:
        return Parents.ALL if self.all_parents else Parents.FIRST

    @property
    def order(self) -> Order:
        return Order.OLDEST_FIRST if self.reverse else Order.NEWEST_FIRST


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "repository",
        nargs="?",
        type=Path,
        default=Path(),
        metavar="REPO",
        help="a git repository, or a folder in its working tree (default: here)",
    )
    group = parser.add_argument_group("which versions")
    group.add_argument(
        "--range",
        type=text,
        metavar="A..B",
        help="those that B has and A has not; or a revision alone: it and all before it "
        "(default: HEAD)",
    )
    group.add_argument(
        "--paths",
        type=text,
        nargs="+",
        default=[],
        metavar="PATH",
        help="look at these files and folders only, named from the top of the repository",
    )
    group.add_argument("-n", "--count", type=natural, metavar="N", help="so many versions at most")
    group.add_argument(
        "--all-parents",
        action="store_true",
        help="also the versions that merges brought in; each is compared with its first parent "
        "(default: first parents only)",
    )
    group.add_argument("--reverse", action="store_true", help="oldest first")
    add_record_options(parser)
    add_screen_options(parser)


def _run(namespace: argparse.Namespace) -> int:
    log, options = typed(namespace, _Log), typed(namespace, RecordOptions)
    screen = typed(namespace, ScreenOptions)
    repository = Repository.open(log.repository)
    with Progress("versions", most=log.count) as progress:
        # Both forms are made from the same bytes, so that `--json` can hand them on untouched.
        chunks = repository.record_lines(
            range=log.range,
            paths=log.paths,
            format=options.chosen_format(),
            order=log.order,
            parents=log.parents,
            progress=progress,
        )
        lines = islice(_lines(chunks), log.count)
        # An error, and the note on the format, come before a pager takes the screen.
        first = next(lines, None)
        if first is None:
            return DONE
        said = options.format is not None or _say_format(first, progress)
        # All of them at once: a version's own would be looked for in every note.
        attached = {} if options.json else all_attached(repository)
        with opened(screen) as output:
            for number, line in enumerate(chain((first,), lines)):
                said = said or _say_format(line, progress)
                if options.json:
                    output.write_line(line)
                else:
                    entry = msgspec.json.decode(line, type=VersionRecord)
                    carried = attached.get(entry.version.id)
                    text = log_entry(entry, carried, options, output)
                    output.write(("\n" if number else "") + text)
    return DONE


def _lines(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Each line of the chunks, without its line feed."""
    for chunk in chunks:
        yield from chunk.splitlines()


def _say_format(line: bytes, progress: Progress) -> bool:
    """Say which format was found, where this version could be compared."""
    record = msgspec.json.decode(line, type=VersionRecord).record
    if record is None:
        return False
    progress.clear()
    note(f"format: {record.format}")
    return True


COMMAND: Final = Command(
    name="log",
    summary="what every version of a repository changed",
    description="""\
Show what every version changed against its first parent, newest first: one line for
each Card or node that came, went or changed, one for the workflow's settings, then
comments and warnings. Branches, names and the results of runs stand with their
version. A version that can't be read says so, and the rest goes on.""",
    examples=(
        ("log", "the history of the repository that you are in"),
        ("log ~/projects/cas-a -n 5 --language ja", "its five newest versions, in Japanese"),
        ("log --range v1..HEAD --paths definitions/bands", "one Card since v1"),
        ("log flows --format flowise --json > records.jsonl", "everything, for a program"),
        ("log --all-parents --reverse", "all that was ever tried, in the order it was made"),
    ),
    add_arguments=_add_arguments,
    run=_run,
)
