"""What is checked of a release says so when it does not hold, and when it was not checked."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import distributions

ROOT = Path(__file__).resolve().parents[2]
ADVISORIES = ROOT / ".ci" / "advisories"


def test_the_documentation_tells_the_bounds() -> None:
    page = (ROOT / "docs" / "supply-chain.md").read_text(encoding="utf-8")
    told = {
        suffix: int(row[2]) * distributions.MEGABYTE
        for row in re.finditer(r"^\| (.*) \| [\d.]+ MB \| (\d+) MB \|$", page, re.MULTILINE)
        for suffix in re.findall(r"`(\.\w+)`", row[1]) or ["installed"]
    }
    assert told == {**distributions.BOUNDS, "installed": distributions.INSTALLED}


def test_a_file_above_its_bound_fails(tmp_path: Path) -> None:
    wheel = tmp_path / "large.whl"
    with wheel.open("wb") as file:
        file.truncate(distributions.BOUNDS[".whl"] + 1)
    done = subprocess.run(
        [sys.executable, distributions.__file__, wheel], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (1, "large.whl: 6.00 MB of at most 6 MB\n")


@pytest.mark.skipif(sys.platform == "win32", reason="a script of a shell")
class TestAdvisories:
    def run(self, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Runs the script with a cargo-deny that says what it was asked."""
        return subprocess.run(
            ["sh", ADVISORIES, "echo", *arguments], cwd=folder, capture_output=True, text=True
        )

    def test_without_a_database_it_says_that_nothing_was_checked(self, tmp_path: Path) -> None:
        done = self.run(tmp_path)
        assert done.returncode == 0
        assert done.stdout.startswith("advisories not checked: no database")

    def test_with_a_database_it_checks_now_and_from_then_on(self, tmp_path: Path) -> None:
        database = tmp_path / "elsewhere"
        (database / "crates").mkdir(parents=True)
        checked = "--offline --locked check advisories\n"
        assert self.run(tmp_path, "elsewhere").stdout == checked
        assert self.run(tmp_path).stdout == checked

    def test_what_is_no_database_is_refused(self, tmp_path: Path) -> None:
        done = self.run(tmp_path, "nothing")
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith("nothing is no clone of the advisory database")
