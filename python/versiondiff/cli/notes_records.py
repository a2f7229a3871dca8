"""`versiondiff notes records`: the change records of versions, kept as notes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from versiondiff.cli.arguments import RecordOptions, add_language_option, text, typed
from versiondiff.cli.command import DONE, FAILED, Command
from versiondiff.cli.durability import add_durability_option, durability_of
from versiondiff.cli.identity import add_author_options, author_of
from versiondiff.cli.output import note, say
from versiondiff.cli.progress import Progress
from versiondiff.cli.shown import short_id
from versiondiff.kept import RecordOrigin, kept_records, record_ref
from versiondiff.rendering import LIMIT
from versiondiff.repository import Repository
from versiondiff.wording import CATALOGUES

if TYPE_CHECKING:
    import argparse

__all__ = ["COMMAND"]


class _Records(msgspec.Struct, frozen=True, kw_only=True):
    """What was typed."""

    range: str | None
    repo: Path


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--range",
        type=text,
        metavar="A..B",
        help="the versions that B has and A has not; or a revision alone: it and all before it "
        "(default: HEAD)",
    )
    parser.add_argument(
        "--repo",
        type=Path,
        default=Path(),
        metavar="PATH",
        help="the git repository, or a folder in its working tree (default: here)",
    )
    group = parser.add_argument_group("what is said")
    group.add_argument(
        "--format",
        type=text,
        metavar="NAME|FILE",
        help="what the files mean, as for `versiondiff log`",
    )
    add_language_option(group)
    parser.set_defaults(limit=LIMIT, json=False)
    add_durability_option(parser)
    add_author_options(parser)


def _run(namespace: argparse.Namespace) -> int:
    records, options = typed(namespace, _Records), typed(namespace, RecordOptions)
    wording = CATALOGUES[options.language]
    repository = Repository.open(records.repo, durability=durability_of(namespace))
    counts: Counter[RecordOrigin] = Counter()
    with Progress("versions") as progress:
        for kept in kept_records(
            repository,
            range=records.range,
            language=options.language,
            author=author_of(namespace),
            format=options.chosen_format(),
            progress=progress,
        ):
            counts[kept.origin] += 1
            version = short_id(kept.commit)
            if kept.origin is RecordOrigin.REMADE:
                progress.clear()
                note(wording.record_remade.format(version=version))
            elif kept.origin is RecordOrigin.NOT_MADE:
                progress.clear()
                note(wording.record_not_made.format(version=version, reason=kept.text))
    said = wording.records_outcome.format(
        kept=f"{counts[RecordOrigin.KEPT]:,}",
        made=f"{counts[RecordOrigin.MADE]:,}",
        remade=f"{counts[RecordOrigin.REMADE]:,}",
        ref=record_ref(options.language),
    )
    say(said)
    return FAILED if counts[RecordOrigin.NOT_MADE] else DONE


COMMAND: Final = Command(
    name="records",
    summary="keep the change records of versions as notes, in a language",
    description="""\
Write what each version changed as its note under refs/notes/tsugumi-record-en, or -ja,
where git shows it: git log --notes=tsugumi-record-en. A record that is there already
and right is left; one that is wrong is made anew, and that is said on stderr.""",
    examples=(
        ("notes records", "those of the history of HEAD"),
        ("notes records --range v1..HEAD --language ja", "those since v1, in Japanese"),
    ),
    exit_codes=(
        (DONE, "done"),
        (FAILED, "an error, or a version that could not be compared; said on stderr"),
    ),
    add_arguments=_add_arguments,
    run=_run,
)
