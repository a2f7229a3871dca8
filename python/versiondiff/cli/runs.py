"""`versiondiff runs`: the runs of versions, as they were noted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from versiondiff.cli.arguments import (
    ScreenOptions,
    add_language_option,
    add_screen_options,
    text,
    typed,
)
from versiondiff.cli.attached import run_rows
from versiondiff.cli.command import DONE, Command
from versiondiff.cli.output import Style, opened
from versiondiff.cli.shown import message_line, short_id
from versiondiff.errors import VersionDiffError
from versiondiff.repository import Repository
from versiondiff.runs import RunLine, RunStatus
from versiondiff.wording import Language  # noqa: TC001 (msgspec looks the fields' types up)

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from versiondiff.attached import Attached

__all__ = ["COMMAND"]


class _Runs(msgspec.Struct, frozen=True, kw_only=True):
    """What was typed."""

    revision: str | None
    repo: Path
    failed: bool
    language: Language
    json: bool


class _Row(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A line of `--json`: a version that carries something, and what."""

    commit: str
    runs: tuple[msgspec.Raw, ...] = ()
    """`RunLine`s, and `{"text": …}` for lines that are not those of runs."""
    names: tuple[msgspec.Raw, ...] = ()
    branches: tuple[str, ...] = ()
    is_head: bool = False


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "revision",
        nargs="?",
        type=text,
        metavar="REVISION",
        help="one version, by any name git knows (default: all that have runs, on all branches)",
    )
    parser.add_argument(
        "--repo",
        type=Path,
        default=Path(),
        metavar="PATH",
        help="the git repository, or a folder in its working tree (default: here)",
    )
    group = parser.add_argument_group("what is said")
    group.add_argument("--failed", action="store_true", help="only runs that failed")
    add_language_option(group)
    group.add_argument(
        "--json",
        action="store_true",
        help="for a program, one version a line: its runs, and with them the names it was kept "
        "under and its branches; without --failed also versions that have only these",
    )
    add_screen_options(parser)


def _run(namespace: argparse.Namespace) -> int:
    options = typed(namespace, _Runs)
    repository = Repository.open(options.repo)
    if options.revision is None:
        found = repository.attached()
    else:
        version = repository.version(options.revision)
        found = {version.id: repository.attached_to(version.id)}
    if options.failed:
        found = {commit: _failed(attached) for commit, attached in found.items()}
    if options.failed or not options.json:
        found = {commit: attached for commit, attached in found.items() if attached.runs}
    with opened(typed(namespace, ScreenOptions)) as output:
        for number, (commit, attached) in enumerate(_newest_first(found.items())):
            if options.json:
                output.write_line(msgspec.json.encode(_row(commit, attached)))
                continue
            heading = [
                output.styled(short_id(commit), Style.YELLOW),
                output.styled(_subject(repository, commit), Style.BOLD),
            ]
            rows = run_rows(attached.runs, options.language, output)
            lines = ["  ".join(part for part in heading if part), *(f"    {row}" for row in rows)]
            output.write(("\n" if number else "") + "\n".join(lines))
    return DONE


def _failed(attached: Attached) -> Attached:
    runs = [
        run for run in attached.runs if isinstance(run, RunLine) and run.status is RunStatus.FAILED
    ]
    return msgspec.structs.replace(attached, runs=tuple(runs))


def _newest_first(
    found: Iterable[tuple[str, Attached]],
) -> list[tuple[str, Attached]]:
    """Sorted by when the last run of each version ended; those without one come last."""

    def newest(item: tuple[str, Attached]) -> tuple[int, str]:
        commit, attached = item
        ended = [run.ended for run in attached.runs if isinstance(run, RunLine)]
        return -max(ended, default=-1), commit

    return sorted(found, key=newest)


def _subject(repository: Repository, commit: str) -> str:
    """What the version says of itself; nothing where its commit is not there any more."""
    try:
        return message_line(repository.version(commit).subject)
    except VersionDiffError:
        return ""


def _row(commit: str, attached: Attached) -> _Row:
    return _Row(
        commit=commit,
        runs=tuple([msgspec.Raw(msgspec.json.encode(run)) for run in attached.runs]),
        names=tuple([msgspec.Raw(msgspec.json.encode(kept)) for kept in attached.names]),
        branches=attached.branches,
        is_head=attached.is_head,
    )


COMMAND: Final = Command(
    name="runs",
    summary="the runs of versions: how each ended, when, and what ran",
    description="""\
Show the runs that were noted on a version, or on all versions, those that ran last
first: how each run ended, when, how long it took, its id, and what ran.""",
    examples=(
        ("runs", "all runs of the repository that you are in"),
        ("runs HEAD", "those of the newest version"),
        ("runs --failed --repo ~/projects/cas-a", "what failed, on any branch"),
        ("runs --json", "for a program"),
    ),
    add_arguments=_add_arguments,
    run=_run,
)
