"""Tree deltas of a whole first-parent history, as Python values, beside git and pygit2.

    python -m pytest benches/test_deltas.py

`VERSIONDIFF_BENCH_REPOSITORY` names a real repository of 2,000 commits or more to measure on as
well. The synthetic one is made once and kept in `build/bench`.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import versiondiff
from repositories import ENVIRONMENT, tsugumi_history
from side_by_side import measure
from versiondiff import Order, VersionDelta

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from table import Table

pygit2 = pytest.importorskip("pygit2")
dulwich_repo = pytest.importorskip("dulwich.repo")
git_python = pytest.importorskip("git")

BUILD = Path(__file__).resolve().parent.parent / "build" / "bench"
LOG = ["git", "log", "--first-parent", "--raw", "-r", "-z", "--no-renames", "--no-abbrev", "--root"]


def synthetic() -> Path:
    return tsugumi_history(BUILD / "tsugumi-20000.git", versions=20_000)


def real() -> Path:
    path = os.environ.get("VERSIONDIFF_BENCH_REPOSITORY")
    if path is None:
        pytest.skip("VERSIONDIFF_BENCH_REPOSITORY names no repository")
    return Path(path)


def with_git(path: Path) -> bytes:
    return subprocess.run(LOG, cwd=path, env=ENVIRONMENT, stdout=subprocess.PIPE, check=True).stdout


def with_pygit2(path: Path) -> Iterator[tuple[str, list[tuple[str, str, str, str]]]]:
    """Each commit with its changes: the status, the path and both ids."""
    repository = pygit2.Repository(str(path))
    commit = repository[repository.head.target]
    while True:
        if commit.parents:
            diff = repository.diff(commit.parents[0].tree, commit.tree)
        else:
            diff = commit.tree.diff_to_tree(swap=True)
        yield (
            str(commit.id),
            [
                (
                    delta.status_char(),
                    delta.new_file.path,
                    str(delta.old_file.id),
                    str(delta.new_file.id),
                )
                for delta in diff.deltas
            ],
        )
        if not commit.parents:
            return
        commit = commit.parents[0]


def with_versiondiff(path: Path) -> Iterator[VersionDelta]:
    return versiondiff.Repository.open(path).deltas(order=Order.NEWEST_FIRST)


def exhaust(iterator: Iterator[object]) -> None:
    for _ in iterator:
        pass


def assert_same_work(path: Path) -> None:
    """All three list the same commits, with the same paths and ids for each."""
    ours, peers = with_versiondiff(path), with_pygit2(path)
    # Without messages, whose text could look like a line of changes.
    listed = subprocess.run(
        [*LOG, "--format=%H"], cwd=path, env=ENVIRONMENT, stdout=subprocess.PIPE, check=True
    ).stdout
    of_git = re.finditer(rb":\d{6} \d{6} ([0-9a-f]{40}) ([0-9a-f]{40}) [A-Z]\0", listed)
    nothing = "0" * 40
    count = 0
    for version, (peer_id, changes) in zip(ours, peers, strict=True):
        assert version.version.id == peer_id
        assert version.delta is not None
        expected = [
            (c.path, c.old_id or nothing, c.new_id or nothing) for c in version.delta.changes
        ]
        assert sorted((path, old, new) for _, path, old, new in changes) == sorted(expected)
        for _, old, new in expected:
            assert next(of_git).groups() == (old.encode(), new.encode())
        count += 1
    assert next(of_git, None) is None
    assert count >= 2_000


@pytest.mark.parametrize("repository", [synthetic, real], ids=["synthetic", "real"])
def test_deltas_of_a_history(
    repository: Callable[[], Path], request: pytest.FixtureRequest, table: Table
) -> None:
    path = repository()
    assert_same_work(path)
    costs = measure(
        {
            "git log": lambda: with_git(path),
            "pygit2": lambda: exhaust(with_pygit2(path)),
            "versiondiff": lambda: exhaust(with_versiondiff(path)),
        }
    )
    work = f"tree deltas, {request.node.callspec.id} history"
    table.compare(work, costs, "git log", 1.5)
    table.compare(work, costs, "pygit2", 8)
    processor = costs["versiondiff"].cpu / costs["git log"].cpu
    table.at_most(f"{work}, processor time", processor, 1.25, "of git's")


def with_dulwich(path: Path) -> int:
    """The number of changed paths."""
    with dulwich_repo.Repo(str(path)) as repository:
        walker = repository.get_walker(include=[repository.head()])
        return sum(len(entry.changes()) for entry in walker)


def with_gitpython(path: Path) -> int:
    count = 0
    repository = git_python.Repo(path)
    for commit in repository.iter_commits(first_parent=True):
        parent = commit.parents[0] if commit.parents else git_python.NULL_TREE
        count += len(commit.diff(parent))
    repository.close()
    return count


def test_deltas_beside_other_python_libraries(table: Table) -> None:
    path = tsugumi_history(BUILD / "tsugumi-500.git", versions=500)
    ours = sum(len(v.delta.changes) for v in with_versiondiff(path) if v.delta is not None)
    assert with_dulwich(path) == with_gitpython(path) == ours
    costs = measure(
        {
            "dulwich": lambda: with_dulwich(path),
            "GitPython": lambda: with_gitpython(path),
            "versiondiff": lambda: exhaust(with_versiondiff(path)),
        },
        turns=3,
    )
    for peer in ("dulwich", "GitPython"):
        table.compare("tree deltas, 500 versions", costs, peer, 8)
