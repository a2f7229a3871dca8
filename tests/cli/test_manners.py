"""What holds for every command: help, errors, pipes, terminals, Ctrl-C."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from versiondiff.cli import commands, main, progress

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., subprocess.CompletedProcess[str]]
    Start = Callable[..., subprocess.Popen[bytes]]
    InTerminal = Callable[..., str]

COMMANDS = commands()
NAMES = [command.name for command in COMMANDS]


# ── Help ────────────────────────────────────────────────────────────────────────────────────────


def test_help_lists_every_command(run: Run) -> None:
    done = run("--help")
    assert done.returncode == 0
    for command in COMMANDS:
        assert re.search(rf"^    {command.name} +\S", done.stdout, re.MULTILINE)


@pytest.mark.parametrize("name", NAMES)
def test_help_of_a_command_teaches(run: Run, name: str) -> None:
    done = run(name, "--help")
    assert done.returncode == 0
    assert "\nexamples:\n  versiondiff " in done.stdout
    assert "\nexit codes:\n  0  " in done.stdout


def test_version_is_printed(run: Run) -> None:
    assert re.fullmatch(r"versiondiff \d+\.\d+\.\d+\n", run("--version").stdout)


# ── Errors ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("frobnicate",),
        ("log", "--frobnicate"),
        ("log", "--limit", "0"),
        ("log", "--limit", "many"),
        ("log", "--language", "fr"),
        ("log", "nowhere"),
        ("log", "nowhere\n\x1b[31m"),
        ("log", "{repository}", "--range", "no-such-revision"),
        ("log", "{repository}", "--range", "main..no-such-revision"),
        ("log", "{repository}", "--format", "no-such-format"),
        ("log", "{repository}", "--format", "no-such-file.json"),
        ("show",),
        ("show", "no-such-revision", "--repo", "{repository}"),
        ("show", "\udcff", "--repo", "{repository}"),
        ("diff", "main", "no-such-revision", "--repo", "{repository}"),
        ("diff", "only-one"),
    ],
)
def test_an_error_is_one_clear_line(run: Run, repository: Path, arguments: tuple[str, ...]) -> None:
    done = run(*(argument.format(repository=repository) for argument in arguments))
    assert done.returncode == 2
    assert done.stdout == ""
    assert re.fullmatch(r"versiondiff: [^\x00-\x1f\x7f]+\n", done.stderr)


def test_a_file_that_holds_no_format_is_an_error(
    run: Run, repository: Path, tmp_path: Path
) -> None:
    (tmp_path / "mine.json").write_text('{"name": 1, "secret": "value-in-file"}')
    done = run("log", repository, "--format", tmp_path / "mine.json")
    assert done.returncode == 2
    assert re.fullmatch(r"versiondiff: .+\n", done.stderr)
    assert "value-in-file" not in done.stderr


# ── Pipes ───────────────────────────────────────────────────────────────────────────────────────


def test_a_reader_that_has_enough_is_no_error(start: Start, long_repository: Path) -> None:
    with start("log", long_repository, "--json") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b"format: tsugumi\n"
        assert process.wait(30) == 0


def test_ctrl_c_ends_it_at_once_and_quietly(start: Start, long_repository: Path) -> None:
    # No one reads, so it waits in the middle of its work, with more to write.
    with start("log", long_repository, "--json") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        select.select([process.stdout], [], [], 30)
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 130
        assert process.stderr.read() == b"format: tsugumi\n"


def test_ctrl_c_anywhere_is_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("versiondiff.cli.parser", interrupted)
    monkeypatch.setattr("versiondiff.cli._drop_output", lambda: None)
    assert main([]) == 130


# ── Terminals ───────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def in_terminal(start: Start) -> InTerminal:
    """Run the program in a terminal, and give what it shows there."""

    def in_terminal(*arguments: str | Path, environment: dict[str, str]) -> str:
        controller, terminal = pty.openpty()
        with start(
            *arguments,
            environment={"TERM": "xterm"} | environment,
            stdout=terminal,
            stderr=subprocess.DEVNULL,
        ) as process:
            os.close(terminal)
            shown = bytearray()
            while select.select([controller], [], [], 30)[0]:
                try:
                    part = os.read(controller, 1 << 16)
                except OSError:  # how Linux says that the other end is closed
                    break
                if not part:
                    break
                shown += part
            assert process.wait(30) == 0
        os.close(controller)
        return shown.decode().replace("\r\n", "\n")

    return in_terminal


def test_a_terminal_gets_colours(in_terminal: InTerminal, repository: Path) -> None:
    shown = in_terminal("log", repository, environment={"PAGER": ""})
    assert "\x1b[32mAdded load\x1b[m" in shown
    assert "\x1b[33m" in shown


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_terminal_that_wants_no_colour_gets_none(
    in_terminal: InTerminal, repository: Path, environment: dict[str, str]
) -> None:
    shown = in_terminal("log", repository, environment={"PAGER": "cat"} | environment)
    assert "Added load" in shown
    assert "\x1b" not in shown


@pytest.fixture
def pager(tmp_path: Path) -> str:
    """A pager that says that it is one, and how it was set up."""
    script = tmp_path / "my pager.py"
    script.write_text(
        "import os, sys\n"
        "print('paged', os.environ['LESS'], sys.argv[1:])\n"
        "sys.stdout.write(sys.stdin.read())\n"
    )
    return f"'{sys.executable}' '{script}' --flag '$HOME'"


def test_a_terminal_is_paged_without_a_shell(
    in_terminal: InTerminal, repository: Path, pager: str
) -> None:
    shown = in_terminal("log", repository, environment={"PAGER": pager})
    assert shown.startswith("paged FRX ['--flag', '$HOME']\n")
    assert "Added load" in shown


def test_a_pager_can_be_declined(in_terminal: InTerminal, repository: Path, pager: str) -> None:
    shown = in_terminal("log", repository, "--no-pager", environment={"PAGER": pager})
    assert "paged" not in shown
    assert "Added load" in shown


def test_a_pager_that_is_left_early_is_no_error(
    in_terminal: InTerminal, long_repository: Path
) -> None:
    leaving = f"'{sys.executable}' -c 'import sys; sys.stdin.readline()'"
    assert in_terminal("log", long_repository, environment={"PAGER": leaving}) == ""


def test_ctrl_c_leaves_the_terminal_to_the_pager_until_it_ends(
    start: Start, long_repository: Path, tmp_path: Path
) -> None:
    script = tmp_path / "pager.py"
    script.write_text(
        "import sys, time\n"
        "sys.stdin.readline()\n"
        "print('looking', flush=True)\n"
        "time.sleep(0.5)\n"
        "sys.stdin.read()\n"
        "print('left', flush=True)\n"
    )
    controller, terminal = pty.openpty()
    pager = f"'{sys.executable}' '{script}'"
    with start("log", long_repository, environment={"PAGER": pager}, stdout=terminal) as process:
        os.close(terminal)
        screen = os.fdopen(controller, "rb", buffering=0)
        assert screen.readline() == b"looking\r\n"
        process.send_signal(signal.SIGINT)
        assert screen.readline() == b"left\r\n"
        assert process.wait(10) == 130
        assert process.stderr is not None
        assert process.stderr.read() == b"format: tsugumi\n"
        screen.close()


def test_a_pager_that_is_missing_is_done_without(in_terminal: InTerminal, repository: Path) -> None:
    shown = in_terminal("log", repository, environment={"PAGER": "no-such-pager"})
    assert "Added load" in shown


# ── Progress ────────────────────────────────────────────────────────────────────────────────────


def test_progress_says_rate_and_time_left() -> None:
    line = progress.line(1500, 6000, 3.0, "versions")
    assert line == "1,500 of 6,000 versions (25 %), 500/s, 0:00:09 left"
    assert progress.line(1, 2, 0.0, "versions").endswith("0:00:00 left")
    assert progress.line(300, None, 2.0, "versions") == "300 versions, 150/s"
    assert progress.line(10, 72010, 10.0, "versions").endswith("20:00:00 left")


def test_no_progress_where_no_one_watches(run: Run, long_repository: Path) -> None:
    done = run("log", long_repository, "--format", "tsugumi", "--json")
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == 800
