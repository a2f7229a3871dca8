"""What docs/cli.md shows is what the program says."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

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


@pytest.fixture(scope="session")
def place(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the page's commands are run in."""
    folder = tmp_path_factory.mktemp("documentation")
    shutil.copytree(repository, folder / "cas-a.git")
    return folder


def test_the_page_shows_commands() -> None:
    assert {command.split()[0] for command, _ in SHOWN} >= {"log", "show", "diff"}


@pytest.mark.parametrize(("command", "expected"), SHOWN, ids=[command for command, _ in SHOWN])
def test_a_command_says_what_the_page_shows(
    run: Run, place: Path, command: str, expected: str
) -> None:
    done = run(*shlex.split(command), cwd=place)
    # stderr comes first: the format is said before anything is shown.
    assert done.stderr + done.stdout == expected
