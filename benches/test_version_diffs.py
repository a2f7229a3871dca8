"""Version diffs, beside `git log -p` and pygit2's patches over a whole history; the latency of one.

    python -m pytest benches/test_version_diffs.py -s

Ours reads JSON in its canonical form, scans for secrets and keeps to limits; the peers do not.
"""

from __future__ import annotations

import statistics
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

import versiondiff
from repositories import ENVIRONMENT, tsugumi_history
from side_by_side import measure, part, repeated
from test_records import BUILD, exhaust, flows, with_git

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_benchmark.fixture import BenchmarkFixture

    from table import Table

pygit2 = pytest.importorskip("pygit2")


def with_pygit2(path: Path) -> int:
    """The length of all patches."""
    repository = pygit2.Repository(str(path))
    commit = repository[repository.head.target]
    length = 0
    while True:
        if commit.parents:
            diff = repository.diff(commit.parents[0].tree, commit.tree)
        else:
            diff = commit.tree.diff_to_tree(swap=True)
        length += len(diff.patch or "")
        if not commit.parents:
            return length
        commit = commit.parents[0]


def side_by_side(
    path: Path, format: str, work: str, table: Table, *, bar: float, turns: int = 5
) -> None:
    limits = versiondiff.Limits()
    count = 0
    for entry in versiondiff.Repository.open(path).version_diffs(format=format):
        assert entry.diff is not None
        assert len(entry.diff.text.encode()) <= limits.total
        assert all(file.bytes <= limits.file for file in entry.diff.files)
        count += 1
    assert count == with_git(path).count(b"\ncommit ") + 1
    costs = measure(
        {
            "git log -p": lambda: with_git(path),
            "pygit2": lambda: with_pygit2(path),
            "versiondiff": lambda: exhaust(
                versiondiff.Repository.open(path).version_diffs(format=format)
            ),
        },
        turns=turns,
    )
    table.compare(work, costs, "git log -p", bar)
    table.compare(work, costs, "pygit2", bar)


def test_version_diffs_of_real_flows(table: Table) -> None:
    # Nearly all of it is JSON, which git compares as it is written: ours has to be read first.
    side_by_side(flows(), "flowise", "version diffs, real flows", table, bar=1)


@pytest.mark.parametrize("versions", [2_000, 20_000])
def test_version_diffs_of_a_tsugumi_history(versions: int, table: Table) -> None:
    path = tsugumi_history(BUILD / f"tsugumi-{versions}.git", versions=versions)
    work = f"version diffs, {versions:,} Tsugumi versions"
    side_by_side(path, "tsugumi", work, table, bar=3, turns=5 if versions == 2_000 else 3)


def sources() -> tuple[dict[str, bytes], dict[str, bytes]]:
    """Ten sources of some 5 kB, in each of which three lines differ."""
    old, new = {}, {}
    for number in range(10):
        path = f"definitions/card{number}/src/main.py"
        lines = [f"value_{line} = compute({line * number}, {line})\n" for line in range(140)]
        old[path] = "".join(lines).encode()
        for line in (20, 70, 120):
            lines[line] = f"value_{line} = compute_again({line})\n"
        new[path] = "".join(lines).encode()
    return old, new


def committed(path: Path) -> Path:
    """A repository of two commits: the sources before and after."""
    if (path / ".git").exists():
        return path
    path.mkdir(parents=True)

    def git(*arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=path, env=ENVIRONMENT, check=True)

    git("init", "--quiet", "--initial-branch=main")
    for files in sources():
        for name, content in files.items():
            target = path / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        git("add", "--all")
        git("-c", "user.name=Bench", "-c", "user.email=bench@example.org", "commit", "-qm", "x")
    return path


def test_one_version_diff_beside_peers(table: Table) -> None:
    """Ten files of 5 kB each: of two mappings, and of the version of a repository."""
    path = committed(BUILD / "sources")
    old, new = sources()
    repository, peer = versiondiff.Repository.open(path), pygit2.Repository(str(path))
    head, parent = peer.revparse_single("HEAD").tree, peer.revparse_single("HEAD~1").tree
    limits = versiondiff.Limits(file=100_000, total=1_000_000)

    def patch() -> str:
        return peer.diff(parent, head).patch or ""

    def ours() -> versiondiff.VersionDiff:
        return versiondiff.version_diff(old, new, format="tsugumi", limits=limits)

    def of_repository() -> versiondiff.VersionDiff:
        return repository.version_diff("HEAD", format="tsugumi", limits=limits)

    def process() -> bytes:
        command = ["git", "diff", "HEAD~1", "HEAD"]
        return subprocess.run(
            command, cwd=path, env=ENVIRONMENT, stdout=subprocess.PIPE, check=True
        ).stdout

    changed = [line for line in patch().splitlines() if line[:1] in "+-"]
    assert [line for line in ours().text.splitlines() if line[:1] in "+-"] == changed
    assert ours().text == of_repository().text

    costs = measure(
        {
            "pygit2": repeated(patch, 100),
            "git diff": repeated(process, 100),
            "of a repository": repeated(of_repository, 100),
            "versiondiff": repeated(ours, 100),
        }
    )
    costs = {name: part(cost, 100) for name, cost in costs.items()}
    work = "one version diff, 10 files of 5 kB"
    table.compare(work, costs, "pygit2", 3)
    table.compare(work, costs, "git diff", 3)
    table.compare(f"{work}, of a repository", costs, "pygit2", 1, ours="of a repository")
    times = []
    for _ in range(3_000):
        start = time.perf_counter()
        ours()
        times.append(time.perf_counter() - start)
    times.sort()
    median, late = statistics.median(times), times[len(times) * 99 // 100]
    table.at_most(f"{work}, p99", late / median, 3, "medians")


def test_latency_of_a_version_diff(benchmark: BenchmarkFixture) -> None:
    old, new = sources()
    benchmark(lambda: versiondiff.version_diff(old, new, format="tsugumi"))
