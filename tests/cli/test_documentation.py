"""What docs/cli.md shows is what the program says."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec
import pytest

from versiondiff.runs import RunResult, run_line

if TYPE_CHECKING:
    from collections.abc import Callable
    from subprocess import CompletedProcess

    Run = Callable[..., CompletedProcess[str]]

PAGE: Final = Path(__file__).parents[2] / "docs" / "cli.md"
SHOWN: Final = re.findall(
    r"^```console\n\$ versiondiff (.*)\n((?:.*\n)*?)```$",
    PAGE.read_text(encoding="utf-8"),
    flags=re.MULTILINE,
)


SESSION: Final = [
    block.splitlines()
    for block in re.findall(
        r"^```console versions\n(.*?)^```$",
        PAGE.read_text(encoding="utf-8"),
        flags=re.MULTILINE | re.DOTALL,
    )
]
"""The blocks that make versions: one session of a shell, from top to bottom."""


@pytest.fixture(scope="session")
def place(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the page's commands are run in."""
    folder = tmp_path_factory.mktemp("documentation")
    shutil.copytree(repository, folder / "cas-a.git")
    return folder


def test_the_page_shows_commands() -> None:
    assert {command.split()[0] for command, _ in SHOWN} >= {"log", "show", "diff"}
    assert len(SESSION) > 4


@pytest.mark.parametrize(("command", "expected"), SHOWN, ids=[command for command, _ in SHOWN])
def test_a_command_says_what_the_page_shows(
    run: Run, place: Path, command: str, expected: str
) -> None:
    done = run(*shlex.split(command), cwd=place)
    # stderr comes first: the format is said before anything is shown.
    assert done.stderr + done.stdout == expected


def test_the_session_says_what_the_page_shows(
    clean_environment: dict[str, str], tmp_path: Path
) -> None:
    load = tmp_path / "cas-a/definitions/load"
    load.mkdir(parents=True)
    (tmp_path / "cas-a/tsugumi.json").write_text('{"formatVersion": 1, "name": "Cas A"}\n')
    (load / "_card.json").write_text('{"name": "load", "kind": "process"}\n')
    shown = [line for block in SESSION for line in block]
    commands = [line[2:] for line in shown if line.startswith("$ ")]
    lines = ["exec 2>&1", f'versiondiff() {{ {shlex.quote(sys.executable)} -m versiondiff "$@"; }}']
    for command in commands:
        lines += [f"echo {shlex.quote(f'$ {command}')}", command]
    done = subprocess.run(
        ["sh"],
        input="\n".join(lines).encode(),
        cwd=tmp_path,
        env=clean_environment | {"PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        check=True,
    )
    assert done.stdout.decode().splitlines() == shown


def test_the_run_that_is_shown_as_json_is_one() -> None:
    page = PAGE.read_text(encoding="utf-8")
    (example,) = re.findall(r"^```json\n(.*?)^```$", page, flags=re.MULTILINE | re.DOTALL)
    run = msgspec.json.decode(example, type=RunResult)
    assert f"\n{run_line(run)}\n" in page
