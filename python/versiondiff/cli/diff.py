"""`versiondiff diff`: what differs between two revisions, two directories or two JSON files."""

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
from versiondiff.cli.command import DIFFERENT, DONE, FAILED, Command
from versiondiff.cli.layout import record_lines
from versiondiff.cli.output import note, opened
from versiondiff.cli.sources import sources_of
from versiondiff.cli.text import TextOptions, add_text_options, show_text
from versiondiff.diffs import version_diff
from versiondiff.rendering import FlowNames
from versiondiff.snapshots import change_record

if TYPE_CHECKING:
    import argparse

    from versiondiff.records import ChangeRecord
    from versiondiff.snapshots import Files

__all__ = ["COMMAND"]


class _Diff(msgspec.Struct, frozen=True, kw_only=True):
    """What was typed."""

    old: str
    new: str
    repo: Path | None
    exit_code: bool

    def sources(self) -> tuple[Files, Files]:
        """The two that are compared, whatever they are."""
        mismatch = "one is a directory and the other is not"
        return sources_of(self.old, self.new, self.repo, _json_files, mismatch=mismatch)


def _json_files(old: Path, new: Path) -> tuple[Files, Files]:
    # One flow under one name, however the two files are called.
    return {new.name: old.read_bytes()}, {new.name: new.read_bytes()}


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "old", type=text, metavar="OLD", help="a revision, a directory or a JSON file"
    )
    parser.add_argument(
        "new", type=text, metavar="NEW", help="what it is compared with: another of the same kind"
    )
    parser.add_argument(
        "--repo",
        type=Path,
        metavar="PATH",
        help="the git repository of two revisions (default: here); with it, OLD and NEW are "
        "revisions even where files are called so",
    )
    parser.add_argument(
        "--exit-code",
        action="store_true",
        help="end with 1 where something changed: flows, nodes, settings or comments; places on "
        "the canvas and another way to write the same are no change",
    )
    add_record_options(parser)
    add_text_options(parser)
    add_screen_options(parser)


def _run(namespace: argparse.Namespace) -> int:
    diff, options = typed(namespace, _Diff), typed(namespace, RecordOptions)
    old, new = diff.sources()
    if typed(namespace, TextOptions).text:
        made = show_text(partial(version_diff, old, new), namespace)
        return DIFFERENT if diff.exit_code and made.files else DONE
    record = change_record(old, new, format=options.chosen_format())
    if options.format is None:
        note(f"format: {record.format}")
    with opened(typed(namespace, ScreenOptions)) as output:
        if options.json:
            output.write_line(msgspec.json.encode(record))
        else:
            shown = record_lines(record, options, output, flow_names=FlowNames.WHERE_SEVERAL)
            output.write("\n".join(shown))
    return DIFFERENT if diff.exit_code and _differs(record) else DONE


def _differs(record: ChangeRecord) -> bool:
    return bool(record.flows or record.nodes or record.settings or record.comments)


COMMAND: Final = Command(
    name="diff",
    summary="what differs between two revisions, two directories or two JSON files",
    description="""\
Show what changed from OLD to NEW. Two existing directories are compared as projects,
two existing files as versions of one flow, anything else as revisions of a repository.

With --text, print the text of the change that may go to a model: only the files that the
format allows, at most 4,000 bytes a file and 12,000 in all, secrets hidden.""",
    examples=(
        ("diff v1 HEAD", "since the tag v1, in the repository that you are in"),
        ("diff main try-2 --repo ~/projects/cas-a", "between two branches of another one"),
        ("diff backup/cas-a projects/cas-a", "two directories"),
        ("diff agent-old.json agent.json", "two exports of a flow"),
        ("diff --exit-code HEAD~1 HEAD", "for a script: 1 if something changed"),
        ("diff --text HEAD~1 HEAD", "the text that a model would get"),
        ("diff --text --total-limit 2000 v1 HEAD", "in less room"),
    ),
    exit_codes=(
        (DONE, "done; with --exit-code: nothing changed"),
        (DIFFERENT, "with --exit-code: something changed"),
        (FAILED, "an error, said on stderr"),
    ),
    add_arguments=_add_arguments,
    run=_run,
)
