"""Package diffs, beside git on extracted trees and diffoscope: time and peak memory.

    python -m pytest benches/test_packages.py -s

Every way is a process of its own, from start to end, of which starting Python is some 60 ms. All
compare; ours looks for what makes a reviewer look twice, too.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import package_pairs
import versiondiff
from packages.trees import git_rows
from processes import ProcessCost, measure_processes, run
from repositories import ENVIRONMENT
from side_by_side import Cost
from test_records import BUILD
from versiondiff.packages import FileStatus, package_diff, read_package

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from package_pairs import Pair
    from table import Table
    from versiondiff.packages import PackageDiff

MOST_MEMORY = 200_000_000

PATCH = ["git", "diff", "--no-index", "-M", "old", "new"]
NUMSTAT = ["git", "diff", "--no-index", "-M", "--numstat", "old", "new"]
COMMAND = [sys.executable, "-m", "versiondiff", "package"]
IN_PYTHON = [
    sys.executable,
    "-c",
    """\
import sys
from versiondiff.packages import package_diff, read_package

old, new = sys.argv[1:]
if old.endswith(".tgz"):
    package_diff(read_package(old), read_package(new))
else:
    package_diff(old, new)
""",
]

BESIDE = {
    "package_diff": "git diff",
    "versiondiff package": "git diff",
    "versiondiff package --stat": "git diff --numstat",
}


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PYTHONPATH", str(Path(versiondiff.__file__).parents[1]))
    # The directories are below a checkout: nothing of it is to be read.
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(BUILD))


def measured(
    commands: dict[str, Sequence[str | Path]], folder: Path, *, turns: int = 7
) -> dict[str, ProcessCost]:
    return measure_processes(commands, cwd=folder, env=os.environ, turns=turns)


def assert_same_work(diff: PackageDiff, folder: Path) -> None:
    """Ours and git found the same files, renames and counts."""
    ours = [
        (file.old_path or file.path, file.path, file.added, file.removed) for file in diff.files
    ]
    theirs = [
        (row.old_path.decode(), row.path.decode(), row.added, row.removed)
        for row in git_rows(folder, "old", "new")
    ]
    assert theirs
    assert sorted(ours, key=str) == sorted(theirs, key=str)


def compare(
    table: Table,
    work: str,
    costs: dict[str, ProcessCost],
    *,
    bars: dict[str, float],
    beside: dict[str, str],
) -> None:
    """Put whole processes into the table: each of ours beside its peer, and its memory."""
    known = {name: Cost(*cost) for name, cost in costs.items()}
    for ours, bar in bars.items():
        table.compare(f"{work}, {ours}", known, beside[ours], bar, ours=ours)
        peak = costs[ours].peak
        table.at_most(f"{work}, {ours}, memory", peak / 1e6, MOST_MEMORY / 1e6, "MB")


def test_two_versions_of_20_mb(table: Table) -> None:
    folder = package_pairs.written(BUILD / "compiler", package_pairs.source_pair)
    assert_same_work(package_diff(folder / "old", folder / "new"), folder)
    of_archives = package_diff(read_package(folder / "old.tgz"), read_package(folder / "new.tgz"))
    assert_same_work(of_archives, folder)
    extracting = "rm -rf extracted; mkdir -p extracted/old extracted/new && cd extracted && "
    extracting += " && ".join(f"tar -xzf ../{side}.tgz -C {side}" for side in ("old", "new"))
    costs = measured(
        {
            "git diff": PATCH,
            "package_diff": [*IN_PYTHON, "old", "new"],
            "versiondiff package": [*COMMAND, "old", "new"],
            "package_diff, archives": [*IN_PYTHON, "old.tgz", "new.tgz"],
            "git diff --numstat": NUMSTAT,
            "versiondiff package --stat": [*COMMAND, "--stat", "old", "new"],
            "… --stat, archives": [*COMMAND, "--stat", "old.tgz", "new.tgz"],
        },
        folder,
    )
    command = ["sh", "-c", f"{extracting} && {' '.join(NUMSTAT)}"]
    costs["tar, git diff --numstat"] = run(command, cwd=folder, env=os.environ)
    shutil.rmtree(folder / "extracted")
    of_archives_ = {
        "package_diff, archives": "tar, git diff --numstat",
        "… --stat, archives": "tar, git diff --numstat",
    }
    beside = BESIDE | of_archives_
    work = f"two packages of 20 MB, {len(of_archives.files):,} files changed"
    compare(table, work, costs, bars=dict.fromkeys(beside, 1), beside=beside)


def test_two_versions_of_20_mb_beside_diffoscope(table: Table, tmp_path: Path) -> None:
    found = shutil.which("diffoscope", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if found is None:
        pytest.skip("diffoscope is not installed")
    folder = package_pairs.written(BUILD / "compiler", package_pairs.source_pair)
    whole = ["--max-diff-block-lines", "0", "--max-report-size", "0"]
    options = [*whole, "--exclude-directory-metadata", "yes"]
    command: list[str | Path] = [found, "--json", tmp_path / "report.json", *options]
    differing = package_diff(folder / "old", folder / "new", hunks=False).files
    # Files that came, went or moved it only lists.
    changed = {file.path for file in differing if file.status is FileStatus.CHANGED}
    costs: dict[str, ProcessCost] = {}
    for kind, ending in (("directories", ""), ("archives", ".tgz")):
        sides = [f"old{ending}", f"new{ending}"]
        # Once: it takes half a minute.
        cost = run([*command, *sides], cwd=folder, env=os.environ)
        report = json.loads((tmp_path / "report.json").read_bytes())
        seen = set(sources(report))
        for path in changed:
            assert any(name.endswith(f"/{path}") for name in seen), path
        costs |= {f"diffoscope, {kind}": cost}
        costs |= measured({f"package_diff, {kind}": [*IN_PYTHON, *sides]}, folder)
    beside = {
        f"package_diff, {kind}": f"diffoscope, {kind}" for kind in ("directories", "archives")
    }
    compare(table, "two packages of 20 MB", costs, bars=dict.fromkeys(beside, 20), beside=beside)


def sources(report: dict[str, Any]) -> Iterator[str]:
    """All names of files in a report of diffoscope."""
    yield report["source1"]
    yield report["source2"]
    for detail in report.get("details", ()):
        yield from sources(detail)


UNUSUAL = {
    package_pairs.one_text: 1.0,
    package_pairs.other_text: 1.0,
    package_pairs.many_files: 1.0,
    # git is done before Python has started.
    package_pairs.one_binary: 0.4,
    package_pairs.one_line: 0.6,
}
"""Shapes of packages, and how many times as long git takes at least."""


@pytest.mark.parametrize(("make", "bar"), UNUSUAL.items())
def test_unusual_shapes(make: Callable[[], Pair], bar: float, table: Table) -> None:
    folder = package_pairs.written(BUILD / make.__name__, make)
    assert_same_work(package_diff(folder / "old", folder / "new", hunks=False), folder)
    costs = measured(
        {
            "git diff": PATCH,
            "package_diff": [*IN_PYTHON, "old", "new"],
            "versiondiff package": [*COMMAND, "old", "new"],
            "git diff --numstat": NUMSTAT,
            "versiondiff package --stat": [*COMMAND, "--stat", "old", "new"],
        },
        folder,
    )
    work = f"packages, {make.__name__.replace('_', ' ')} of 20 MB"
    compare(table, work, costs, bars=dict.fromkeys(BESIDE, bar), beside=BESIDE)
