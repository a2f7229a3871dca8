"""`versiondiff run start` and `versiondiff run end`: for scripts that run a workflow."""

from __future__ import annotations

import sys
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from versiondiff.cli.arguments import add_language_option, text, typed
from versiondiff.cli.command import DONE, Command, Group
from versiondiff.cli.durability import add_durability_option, durability_of
from versiondiff.cli.identity import add_author_options, author_of, moment
from versiondiff.cli.output import note
from versiondiff.cli.projects import add_project_option, opened_project, say_left_out
from versiondiff.cli.run_options import (
    CardOption,
    cards_of,
    failed_card,
    not_run_card,
    ran_card,
    seconds,
    status,
    stopped_card,
)
from versiondiff.decoding import NOT_DECODED
from versiondiff.errors import InvalidInput
from versiondiff.repository import Repository
from versiondiff.run_notes import append_run
from versiondiff.runs import FromCard, OnlyCard, RunResult, RunStatus, WholeRun
from versiondiff.wording import CATALOGUES, Language

if TYPE_CHECKING:
    import argparse

    from versiondiff.runs import RunStart

__all__ = ["GROUP"]

_STDIN: Final = "-"


class _Start(msgspec.Struct, frozen=True, kw_only=True):
    """What was typed."""

    name: str
    repo: Path
    language: Language


class _End(msgspec.Struct, frozen=True, kw_only=True):
    """What was typed."""

    commit: str
    repo: Path
    language: Language
    result: str | None
    id: str | None
    status: RunStatus | None
    seconds: float | None
    ended: int | None
    from_card: str | None
    only_card: str | None
    cards: list[CardOption]
    saved_inputs: bool


def _add_start_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "name", type=text, metavar="NAME", help="what is run, as its message says it: 'Run: NAME'"
    )
    add_project_option(parser)
    add_language_option(parser.add_argument_group("what is said"))
    add_durability_option(parser)
    add_author_options(parser)


def _run_start(namespace: argparse.Namespace) -> int:
    start = typed(namespace, _Start)
    author = author_of(namespace)
    project = opened_project(start.repo, start.language, durability_of(namespace))
    started = project.start_run(start.name, author=author, language=start.language)
    say_left_out(started.left_out, start.language)
    wording = CATALOGUES[start.language]
    note(wording.version_made if started.made else wording.version_unchanged)
    sys.stdout.write(f"{started.commit}\n")
    return DONE


def _add_end_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "commit",
        type=text,
        metavar="COMMIT",
        help="the version that the run stood on, as `versiondiff run start` printed it",
    )
    add_project_option(parser)
    group = parser.add_argument_group("the run")
    group.add_argument(
        "--status",
        type=status,
        metavar="STATUS",
        help="how it ended: succeeded, failed, stopped; or an exit code, as $? is: 0 is succeeded, "
        "130 and 143 (Ctrl-C, kill) are stopped, any other is failed",
    )
    group.add_argument("--seconds", type=seconds, metavar="N", help="how long it took")
    group.add_argument(
        "--id", type=text, help="what tells it from others, one word (default: a new UUID)"
    )
    group.add_argument(
        "--ended",
        type=moment,
        metavar="TIME",
        help="when it ended, written as --time is (default: --time)",
    )
    start = group.add_mutually_exclusive_group()
    start.add_argument("--whole", action="store_true", help="it ran the whole workflow (default)")
    start.add_argument(
        "--from", type=text, dest="from_card", metavar="CARD", help="this Card and all downstream"
    )
    start.add_argument(
        "--only", type=text, dest="only_card", metavar="CARD", help="this Card alone"
    )
    group = parser.add_argument_group(
        "its Cards",
        "Each option may be given several times; Cards are listed in the order in which they are "
        "given.\nThe trigger of a whole run is left out.",
    )
    for option, kind, metavar, said in (
        ("--card", ran_card, "NAME[:COUNT]", "a Card that ran, and how often it was invoked"),
        (
            "--failed",
            failed_card,
            "NAME[:KIND]",
            "a Card that failed, and the kind of failure, one word; it ran too, and need not be "
            "named by --card",
        ),
        ("--stopped", stopped_card, "NAME", "a Card that was stopped"),
        ("--not-run", not_run_card, "NAME", "a Card that did not run, for those before it"),
    ):
        group.add_argument(
            option,
            type=kind,
            action="append",
            dest="cards",
            default=[],
            metavar=metavar,
            help=said,
        )
    group.add_argument(
        "--saved-inputs", action="store_true", help="Cards used inputs that an earlier run saved"
    )
    group = parser.add_argument_group("instead of the options above")
    group.add_argument(
        "--result",
        metavar="FILE",
        help="the run as JSON, as versiondiff.RunResult has it (- is stdin)",
    )
    add_language_option(parser.add_argument_group("what is said"))
    add_durability_option(parser)
    add_author_options(parser)


def _run_end(namespace: argparse.Namespace) -> int:
    end = typed(namespace, _End)
    author = author_of(namespace)
    run = _read(end) if end.result is not None else _told(end, author.time)
    repository = Repository.open(end.repo, durability=durability_of(namespace))
    line = append_run(repository, end.commit, run, language=end.language, author=author)
    # Names in it are safe to show already, and it says what the note says.
    sys.stdout.buffer.write(f"{line.text()}\n".encode())
    return DONE


def _told(end: _End, now: int) -> RunResult:
    """The run as the options tell it.

    Raises:
        InvalidInput: An option is missing, or says what can't be.
    """
    if end.status is None or end.seconds is None:
        message = "run end: needs --status and --seconds, or --result"
        raise InvalidInput(message)
    start: RunStart = WholeRun()
    if end.from_card is not None:
        start = FromCard(end.from_card)
    elif end.only_card is not None:
        start = OnlyCard(end.only_card)
    return RunResult(
        id=str(uuid.uuid4()) if end.id is None else end.id,
        status=end.status,
        ended=now if end.ended is None else end.ended,
        seconds=end.seconds,
        start=start,
        cards=cards_of(end.cards, saved_inputs=end.saved_inputs),
    )


def _read(end: _End) -> RunResult:
    """The run as a file tells it.

    Raises:
        OSError, InvalidInput: The file can't be read, or holds no run; or options tell it too.
    """
    told = (end.id, end.status, end.seconds, end.ended, end.from_card, end.only_card)
    if any(option is not None for option in told) or end.cards or end.saved_inputs:
        message = "run end: --result tells the whole run, so no other option may"
        raise InvalidInput(message)
    is_stdin = end.result == _STDIN
    content = sys.stdin.buffer.read() if is_stdin else Path(str(end.result)).read_bytes()
    try:
        return msgspec.json.decode(content, type=RunResult)
    except NOT_DECODED as error:
        # What the decoder says names places and kinds, not values.
        message = f"run result: {error}"
        raise InvalidInput(message) from error


_START: Final = Command(
    name="start",
    summary="before a run: make a version if the content changed, and print the commit id",
    description="""\
Make a version of the project's content, if it changed since the last one, and print
the id of the commit that the run stands on, alone on stdout. Keep it for the end:

  commit=$(versiondiff run start load)""",
    examples=(
        ("run start load", "before the workflow is run from the Card load"),
        ("run start load --author 'Mika <mika@example.org>'", "as someone"),
    ),
    add_arguments=_add_start_arguments,
    run=_run_start,
)

_END: Final = Command(
    name="end",
    summary="after a run: note how it ended on its version, and print the line",
    description="""\
Append a line that says how a run ended, and what ran, to the note of its version
(refs/notes/tsugumi), and print that line. In a script for bash:

  commit=$(versiondiff run start load); SECONDS=0
  ./run-workflow; code=$?
  versiondiff run end "$commit" --status $code --seconds $SECONDS --card load""",
    examples=(
        (
            "run end $commit --status 0 --seconds 12.3 --card load --card bands:3 --card rgb",
            "a whole run in which bands was invoked three times",
        ),
        (
            "run end $commit --status failed --seconds 1.8 --from bands --saved-inputs "
            "--failed bands:worker_failed --not-run rgb",
            "a run that failed",
        ),
        ("run end $commit --result - < result.json", "as another program recorded it"),
    ),
    add_arguments=_add_end_arguments,
    run=_run_end,
)

GROUP: Final = Group(
    name="run",
    summary="before and after a run, for scripts: make its version, note how it ended",
    description="""\
What a script calls when a run starts, and when it has ended. Running again without
changing anything adds a run to the same version.""",
    commands=(_START, _END),
)
