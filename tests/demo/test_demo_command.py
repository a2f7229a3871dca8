"""`versiondiff demo`: the project, its tree of versions, and its refusals."""

from __future__ import annotations

import os
import subprocess
import sys
import uuid
from typing import TYPE_CHECKING

import pytest

from versiondiff import Parents, Repository, render
from versiondiff.demo import cas_a

if TYPE_CHECKING:
    from pathlib import Path


def demo(
    folder: Path, *arguments: str, encoding: str = "utf-8"
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "versiondiff", "demo", *arguments],
        cwd=folder,
        capture_output=True,
        encoding=encoding,
        env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "PYTHONIOENCODING": encoding},
        check=False,
    )


def test_it_makes_a_project_and_shows_every_version_once(tmp_path: Path) -> None:
    ran = demo(tmp_path)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.count("●") == len(cas_a().versions)
    for label in ("(HEAD -> main)", "(tag: rgb-v1)", "(try-rgb-v1)", "(try-tidy)"):
        assert ran.stdout.count(label) == 1
    assert (tmp_path / "versiondiff-demo/tsugumi.json").exists()


def test_the_lines_beside_a_version_are_its_record(tmp_path: Path) -> None:
    ran = demo(tmp_path, "--limit", "100")
    repository = Repository.open(tmp_path / "versiondiff-demo")
    branches = cas_a().branches
    shown = {line.strip("│●├─╮╯ ") for line in ran.stdout.splitlines()}
    seen = set()
    for branch in branches:
        for entry in repository.records(range=branch, format="tsugumi", parents=Parents.ALL):
            assert entry.record is not None
            seen.add(entry.version.id)
            assert set(render(entry.record, limit=100).splitlines()) <= shown
    assert len(seen) == len(cas_a().versions)


def test_runs_stand_with_their_version(tmp_path: Path) -> None:
    ran = demo(tmp_path)
    lines = [line.strip("│●├─╮╯ ") for line in ran.stdout.splitlines()]
    with_runs = [version for version in cas_a().versions if version.runs]
    assert sum(line.startswith("Runs: ") for line in lines) == len(with_runs)
    headings = [at for at, line in enumerate(lines) if "  Run: sharpen  " in line]
    assert [lines[at + 1] for at in headings] == ["Runs: 2 failed"]
    coloured = demo(tmp_path, "colour", "--color", "always").stdout
    assert "Runs: \x1b[32m✓ 1\x1b[m, \x1b[31m✗ 1\x1b[m" in coloured
    assert (
        "Runs: \x1b[32m1 succeeded\x1b[m"
        in demo(tmp_path, "ascii", "--color", "always", encoding="ascii").stdout
    )


def test_the_demos_runs_are_believable() -> None:
    runs = [(version, run) for version in cas_a().versions for run in version.runs]
    assert {run.status.value for _, run in runs} == {"succeeded", "failed", "stopped"}
    for version, run in runs:
        assert uuid.UUID(run.id).version == 4
        assert run.ended >= version.time + run.seconds
    for version in cas_a().versions:
        ended = [run.ended for run in version.runs]
        assert ended == sorted(ended)
        # What was only kept, merged or begun with was not run.
        assert bool(version.runs) is version.message.startswith(("Run: ", "実行: "))


def test_it_speaks_japanese_and_colours_when_asked(tmp_path: Path) -> None:
    japanese = demo(tmp_path, "ja", "--language", "ja")
    assert "ワークフロー設定: nixpkgs を固定" in japanese.stdout
    assert "\x1b[" not in japanese.stdout
    assert "\x1b[35mtag: rgb-v1\x1b[m" in demo(tmp_path, "colour", "--color", "always").stdout


def test_lines_are_drawn_in_ascii_where_there_is_nothing_else(tmp_path: Path) -> None:
    ran = demo(tmp_path, encoding="ascii")
    assert ran.returncode == 0
    assert ran.stdout.count("\n* ") + ran.stdout.count("| * ") >= len(cas_a().versions)


@pytest.mark.parametrize("taken", ["file", "folder"])
def test_nothing_is_overwritten(taken: str, tmp_path: Path) -> None:
    if taken == "folder":
        (tmp_path / "taken").mkdir()
    mine = tmp_path / "taken" / "mine" if taken == "folder" else tmp_path / "taken"
    mine.write_text("mine", encoding="utf-8")
    ran = demo(tmp_path, "taken")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == "versiondiff: taken is not an empty folder\n"
    assert mine.read_text(encoding="utf-8") == "mine"
    assert list(tmp_path.iterdir()) == [tmp_path / "taken"]
