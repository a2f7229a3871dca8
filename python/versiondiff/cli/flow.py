"""`versiondiff flow`: the history of flows, in a git repository of their own."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from versiondiff.cli import flow_import
from versiondiff.cli.arguments import (
    ScreenOptions,
    add_language_option,
    add_screen_options,
    natural,
    text,
    typed,
)
from versiondiff.cli.command import DONE, Command, Group
from versiondiff.cli.flow_files import (
    about,
    add_credentials_option,
    add_history_option,
    begun_history,
    chosen_flow,
    chosen_version,
    credentials_of,
    current_flow,
    flows_in,
    opened_history,
    say_saved,
    say_unresolved,
)
from versiondiff.cli.identity import add_author_options, author_of
from versiondiff.cli.output import Style, opened
from versiondiff.cli.replacing import check_replaceable, rewrite_file
from versiondiff.cli.shown import date, message_line, short_id
from versiondiff.errors import InvalidInput, NotFound
from versiondiff.flows.json_text import encoded
from versiondiff.rendering.names import name, path
from versiondiff.wording import Language  # noqa: TC001 (msgspec looks the fields' types up)

if TYPE_CHECKING:
    import argparse

    from versiondiff.flows.history import FlowVersion

__all__ = ["GROUP"]


# ── save ────────────────────────────────────────────────────────────────────────────────────────


class _Save(msgspec.Struct, frozen=True, kw_only=True):
    """What was typed."""

    files: list[Path]
    repo: Path
    bare: bool
    language: Language


def _add_save_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files",
        nargs="+",
        type=Path,
        metavar="FILE",
        help="a flow as JSON: a stored flow, or an export, which has no id and goes by the name of "
        "its file",
    )
    add_history_option(parser, begins=True)
    add_credentials_option(parser)
    add_language_option(parser.add_argument_group("what is said"))
    add_author_options(parser)


def _run_save(namespace: argparse.Namespace) -> int:
    options = typed(namespace, _Save)
    author = author_of(namespace)
    credentials = credentials_of(namespace)
    flows = [(file, flow) for file in options.files for flow in flows_in(file)]
    history = begun_history(options.repo, bare=options.bare, time=author.time)
    for file, flow in flows:
        with about(file):
            saved = history.save(
                flow.content, author=author, time=author.time, credentials=credentials
            )
        say_saved(saved, flow.name, options.language)
    return DONE


# ── list ────────────────────────────────────────────────────────────────────────────────────────


class _List(msgspec.Struct, frozen=True, kw_only=True):
    """What was typed."""

    repo: Path
    json: bool


def _add_list_arguments(parser: argparse.ArgumentParser) -> None:
    add_history_option(parser)
    _add_json_option(parser)
    add_screen_options(parser)


def _run_list(namespace: argparse.Namespace) -> int:
    options = typed(namespace, _List)
    flows = opened_history(options.repo).flows()
    with opened(typed(namespace, ScreenOptions)) as output:
        for flow in flows:
            if options.json:
                output.write_line(msgspec.json.encode(flow))
                continue
            parts = [output.styled(name(flow.id), Style.YELLOW), name(flow.name), path(flow.folder)]
            output.write("  ".join(parts))
    return DONE


# ── log ─────────────────────────────────────────────────────────────────────────────────────────


class _Log(msgspec.Struct, frozen=True, kw_only=True):
    """What was typed."""

    flow: str
    repo: Path
    max_count: int | None
    json: bool


def _add_log_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("flow", type=text, metavar="FLOW", help=_FLOW_HELP)
    add_history_option(parser)
    parser.add_argument(
        "-n", "--max-count", type=natural, metavar="N", help="show at most so many versions"
    )
    _add_json_option(parser)
    add_screen_options(parser)


def _run_log(namespace: argparse.Namespace) -> int:
    options = typed(namespace, _Log)
    history = opened_history(options.repo)
    flow = chosen_flow(history, options.flow)
    shown = 0
    with opened(typed(namespace, ScreenOptions)) as output:
        for version in history.versions(flow):
            if options.max_count is not None and shown >= options.max_count:
                break
            if options.json:
                output.write_line(msgspec.json.encode(version))
            else:
                heading = [
                    output.styled(short_id(version.id), Style.YELLOW),
                    version.kind.value,
                    output.styled(message_line(version.subject), Style.BOLD),
                ]
                lines = ["  ".join(heading), *(f"    {line}" for line in _details(version))]
                output.write(("\n" if shown else "") + "\n".join(lines))
            shown += 1
    if not shown:
        raise NotFound(f"flow {name(options.flow)}: has no version")
    return DONE


def _details(version: FlowVersion) -> list[str]:
    return [
        f"{name(version.author.name)}, {date(version.author.time)}",
        *(message_line(line) for line in version.body.splitlines() if line.strip()),
    ]


# ── show, restore ───────────────────────────────────────────────────────────────────────────────


class _Show(msgspec.Struct, frozen=True, kw_only=True):
    """What was typed."""

    flow: str
    repo: Path
    current: Path | None
    output: Path | None
    language: Language


def _add_flow_at_version(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "flow",
        type=text,
        metavar="FLOW@VERSION",
        help=f"{_FLOW_HELP}; and a version by any name that git knows (default: the newest)",
    )
    add_history_option(parser)
    add_credentials_option(parser)
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help="write the flow there (default: to stdout)",
    )
    add_language_option(parser.add_argument_group("what is said"))


def _add_show_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--current",
        type=Path,
        metavar="FILE",
        help="the flow as it is now: what is in no version comes from it",
    )
    _add_flow_at_version(parser)


def _run_show(namespace: argparse.Namespace) -> int:
    options = typed(namespace, _Show)
    history = opened_history(options.repo)
    flow, version = chosen_version(history, options.flow)
    read = history.read(
        flow,
        version or "refs/heads/main",
        current=current_flow(options.current, flow),
        credentials=credentials_of(namespace),
    )
    say_unresolved(read.unresolved, options.language)
    _write(read.flow, options.output)
    return DONE


def _add_restore_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--current",
        type=Path,
        required=True,
        metavar="FILE",
        help="the flow as it is now: what is in no version, such as secrets, comes from it",
    )
    _add_flow_at_version(parser)
    add_author_options(parser)


def _run_restore(namespace: argparse.Namespace) -> int:
    options = typed(namespace, _Show)
    author = author_of(namespace)
    history = opened_history(options.repo)
    flow, version = chosen_version(history, options.flow)
    if not version:
        raise InvalidInput("flow restore: needs a version, as FLOW@VERSION")
    current = current_flow(options.current, flow)
    if options.output is not None:
        # The version is there before the file is: what is sure to fail is to fail before.
        check_replaceable(options.output)
    restored = history.restore(
        flow,
        version,
        current=current,
        author=author,
        time=author.time,
        credentials=credentials_of(namespace),
    )
    say_unresolved(restored.unresolved, options.language)
    say_saved(restored.saved, flow, options.language, aside=True)
    _write(restored.flow, options.output)
    return DONE


def _write(flow: object, file: Path | None) -> None:
    content = encoded(flow, "flow")
    if file is not None:
        rewrite_file(file, content)
        return
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


_FLOW_HELP: Final = "a flow: its id, its name, or its folder"


def _add_json_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="for a program, one a line")


GROUP: Final = Group(
    name="flow",
    summary="keep flows in a history of their own, and bring versions back",
    description="""\
The history of flows: a git repository in which each flow is a folder of small text
files, and each version one commit. No credential and no secret is in it.""",
    commands=(
        Command(
            name="save",
            summary="save flows: a version of each that changed",
            description="""\
Save flows. Each that changed since its newest version gets a new one; a secret that is
left in what would be written stops it. Where there is no history yet, one begins.""",
            examples=(
                ("flow save bakery.json --repo versions", "a version, if it changed"),
                ("flow save *.json --repo versions.git --bare", "several, without a working tree"),
            ),
            add_arguments=_add_save_arguments,
            run=_run_save,
        ),
        Command(
            name="list",
            summary="the flows of the newest version: id, name, folder",
            description="List the flows of the newest version.",
            examples=(("flow list --repo versions", "all of them"),),
            add_arguments=_add_list_arguments,
            run=_run_list,
        ),
        Command(
            name="log",
            summary="the versions of a flow, the newest first",
            description="""\
List the versions of a flow, also under names that it had before, and after it was
deleted (by its id).""",
            examples=(("flow log 'Bakery helper' --repo versions -n 5", "its last five versions"),),
            add_arguments=_add_log_arguments,
            run=_run_log,
        ),
        Command(
            name="show",
            summary="a flow as it was at a version, as JSON",
            description="""\
Print a flow as it was at a version. What is in no version is said on stderr, unless
--current brings it.""",
            examples=(
                ("flow show 1f2e3d4c@HEAD~3 --repo versions", "by the first digits of its id"),
            ),
            add_arguments=_add_show_arguments,
            run=_run_show,
        ),
        Command(
            name="restore",
            summary="bring a version of a flow back, as a new version",
            description="""\
Bring a version of a flow back: print the flow as it is to be, with what is in no version
from the flow as it is now, and make that a new version.""",
            examples=(
                (
                    "flow restore 'Bakery helper@4f2a9c1' --current bakery.json -o bakery.json",
                    "back to 4f2a9c1, in the file",
                ),
            ),
            add_arguments=_add_restore_arguments,
            run=_run_restore,
        ),
        flow_import.COMMAND,
    ),
)
