"""Package diffs, beside git on extracted trees and diffoscope: time and peak memory.

    python -m pytest benches/test_packages.py -s

Every way is a process of its own, from start to end; what starting alone takes ours stands beside
it. All compare; ours looks for what makes a reviewer look twice, too.
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
from processes import ProcessCost, measure_processes, report_processes, run
from repositories import ENVIRONMENT
from test_records import BUILD
from versiondiff.packages import FileStatus, package_diff, read_package

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from package_pairs import Pair
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

STARTING = [sys.executable, "-c", "from versiondiff.packages import package_diff, read_package"]

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


def within(costs: dict[str, ProcessCost]) -> None:
    """Ours takes no longer than git, but for starting Python, and keeps to the memory."""
    starting = costs["starting"].wall
    for ours, theirs in BESIDE.items():
        assert costs[ours].wall - starting <= costs[theirs].wall, ours
        assert costs[ours].peak <= MOST_MEMORY, ours


def test_two_versions_of_20_mb(capsys: pytest.CaptureFixture[str]) -> None:
    folder = package_pairs.written(BUILD / "compiler", package_pairs.source_pair)
    assert_same_work(package_diff(folder / "old", folder / "new"), folder)
    of_archives = package_diff(read_package(folder / "old.tgz"), read_package(folder / "new.tgz"))
    assert_same_work(of_archives, folder)
    extracting = "rm -rf extracted; mkdir -p extracted/old extracted/new && cd extracted && "
    extracting += " && ".join(f"tar -xzf ../{side}.tgz -C {side}" for side in ("old", "new"))
    costs = measured(
        {
            "starting": STARTING,
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
    with capsys.disabled():
        print(f"\n2 x 20 MB, {len(of_archives.files):,} files changed")
        report_processes(
            costs,
            beside=BESIDE
            | {
                "package_diff, archives": "git diff",
                "… --stat, archives": "git diff --numstat",
                "tar, git diff --numstat": "git diff --numstat",
            },
        )
    within(costs)
    for ours, theirs in BESIDE.items():
        assert costs[ours].wall <= costs[theirs].wall, ours
    for name in ("package_diff, archives", "… --stat, archives"):
        assert costs[name].peak <= MOST_MEMORY


def test_two_versions_of_20_mb_beside_diffoscope(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
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
    with capsys.disabled():
        print()
        report_processes(
            costs,
            beside={
                f"diffoscope, {kind}": f"package_diff, {kind}"
                for kind in ("directories", "archives")
            },
        )
    for kind in ("directories", "archives"):
        assert costs[f"diffoscope, {kind}"].wall / costs[f"package_diff, {kind}"].wall >= 20


def sources(report: dict[str, Any]) -> Iterator[str]:
    """All names of files in a report of diffoscope."""
    yield report["source1"]
    yield report["source2"]
    for detail in report.get("details", ()):
        yield from sources(detail)


@pytest.mark.parametrize(
    "make",
    [
        package_pairs.one_text,
        package_pairs.other_text,
        package_pairs.one_binary,
        package_pairs.many_files,
        package_pairs.one_line,
    ],
)
def test_unusual_shapes(make: Callable[[], Pair], capsys: pytest.CaptureFixture[str]) -> None:
    folder = package_pairs.written(BUILD / make.__name__, make)
    assert_same_work(package_diff(folder / "old", folder / "new", hunks=False), folder)
    costs = measured(
        {
            "starting": STARTING,
            "git diff": PATCH,
            "package_diff": [*IN_PYTHON, "old", "new"],
            "versiondiff package": [*COMMAND, "old", "new"],
            "git diff --numstat": NUMSTAT,
            "versiondiff package --stat": [*COMMAND, "--stat", "old", "new"],
        },
        folder,
    )
    with capsys.disabled():
        print(f"\n{make.__name__}")
        report_processes(costs, beside=BESIDE)
    within(costs)
