"""`versiondiff demo`: a project with a history, to look at."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from versiondiff import history_file
from versiondiff.cli.arguments import (
    RecordOptions,
    ScreenOptions,
    add_screen_options,
    language_of,
    natural,
    typed,
)
from versiondiff.cli.attached import all_attached, run_counts
from versiondiff.cli.command import DONE, Command
from versiondiff.cli.layout import record_lines
from versiondiff.cli.output import Output, Style, opened
from versiondiff.cli.shown import date, short_id
from versiondiff.demo import cas_a
from versiondiff.rendering import LIMIT, render_failure
from versiondiff.rendering.names import name
from versiondiff.repository import Repository
from versiondiff.tree import GraphRow, GraphVersion, draw, sort
from versiondiff.tree import Style as GraphStyle
from versiondiff.wording import CATALOGUES, Language

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

    from versiondiff.cli.attached import Carried
    from versiondiff.history_file import Created, HistoryFile
    from versiondiff.records import VersionRecord

__all__ = ["COMMAND"]

_DIRECTORY: Final = Path("versiondiff-demo")


class _Demo(msgspec.Struct, frozen=True, kw_only=True):
    """What was typed."""

    directory: Path
    language: Language
    limit: int


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "directory",
        nargs="?",
        type=Path,
        default=_DIRECTORY,
        metavar="DIR",
        help="where to make it; nothing may be there but an empty folder (default: %(default)s)",
    )
    parser.add_argument(
        "--language",
        choices=tuple(CATALOGUES),
        default=language_of(os.environ),
        help="the language of the lines (default: from LC_ALL, LC_MESSAGES or LANG, here "
        "%(default)s)",
    )
    parser.add_argument(
        "--limit",
        type=natural,
        default=LIMIT,
        metavar="N",
        help="how many entries a record shows; the rest is counted (default: %(default)s)",
    )
    add_screen_options(parser)


def _run(namespace: argparse.Namespace) -> int:
    demo, screen = typed(namespace, _Demo), typed(namespace, ScreenOptions)
    options = RecordOptions(format="tsugumi", language=demo.language, limit=demo.limit, json=False)
    history = cas_a()
    created = history_file.create_repository(demo.directory, history)
    repository = Repository.open(demo.directory)
    entries = [
        repository.record(commit, format=options.format) for commit in created.versions.values()
    ]
    with opened(screen) as output:
        output.write(
            f"{demo.directory}: a git repository of {len(created.versions)} versions "
            f"on {len(history.branches)} branches\n"
        )
        attached = all_attached(repository)
        for line in _tree(entries, history, created, attached, options, output):
            output.write(line)
        output.write(
            f"To go on: versiondiff log {demo.directory}"
            f"\n          versiondiff show rgb-v1 --repo {demo.directory}"
            f"\n          versiondiff runs --repo {demo.directory}"
        )
    return DONE


def _tree(
    entries: list[VersionRecord],
    history: HistoryFile,
    created: Created,
    attached: Mapping[str, Carried],
    options: RecordOptions,
    output: Output,
) -> Iterator[str]:
    """The lines of the tree: beside the drawing, every version with what it changed."""
    labels = _labels(history, created, output)
    by_id = {entry.version.id: entry for entry in entries}
    versions = sort(
        GraphVersion(
            id=entry.version.id, parents=entry.version.parents, time=entry.version.author.time
        )
        for entry in entries
    )
    head = created.versions[history.branches[history.head]]
    for row in draw(versions, first=head, style=_graph_style()):
        entry = by_id[row.id]
        text = [_heading(entry, labels.get(row.id, []), output)]
        if row.id in attached:
            text += run_counts(attached[row.id].attached.runs, options.language, output)
        if entry.record is not None:
            text += record_lines(entry.record, options, output)
        if entry.error is not None:
            text.append(render_failure(entry.error, language=options.language))
        yield from _beside(row, text)


def _heading(entry: VersionRecord, labels: list[str], output: Output) -> str:
    version = entry.version
    parts = [
        output.styled(short_id(version.id), Style.YELLOW),
        date(version.author.time)[:10],
        name(version.author.name),
        output.styled(name(version.subject), Style.BOLD),
    ]
    if labels:
        parts.append(f"({', '.join(labels)})")
    return "  ".join(parts)


def _labels(history: HistoryFile, created: Created, output: Output) -> dict[str, list[str]]:
    """The branches and tags at each version, by its id; written as git does."""
    labels: dict[str, list[str]] = {}
    for branch, key in sorted(history.branches.items()):
        label = f"HEAD -> {branch}" if branch == created.head else branch
        labels.setdefault(created.versions[key], []).append(output.styled(label, Style.GREEN))
    for tag, kept in sorted(history.tags.items()):
        label = output.styled(f"tag: {tag}", Style.MAGENTA)
        labels.setdefault(created.versions[kept.version], []).append(label)
    return labels


def _beside(row: GraphRow, text: list[str]) -> Iterator[str]:
    """Lines of text, and the drawing to the left of them."""
    if row.before is not None:
        yield row.before.rstrip()
    yield row.node + text[0]
    if row.after is not None:
        yield row.after.rstrip()
    for line in text[1:]:
        yield row.beside + "  " + line
    yield row.beside.rstrip()


def _graph_style() -> GraphStyle:
    """Lines of box-drawing characters, where the encoding of the output has them."""
    try:
        "●│├─╮".encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return GraphStyle.ASCII
    return GraphStyle.UNICODE


COMMAND: Final = Command(
    name="demo",
    summary="make a project with a history, and show what each version changed",
    description="""\
Make the demo project, a plain git repository, and show its tree of versions: branches
and merges drawn as lines, and beside each version what it changed. The project looks
at the remnant of the supernova Cassiopeia A; it and its people are made up.""",
    examples=(
        ("demo", f"make it in ./{_DIRECTORY}"),
        ("demo cas-a --language ja", "make it in ./cas-a, and show it in Japanese"),
    ),
    add_arguments=_add_arguments,
    run=_run,
)
