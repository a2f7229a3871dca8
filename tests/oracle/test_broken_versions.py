"""A version that can't be read or compared says why, and the walk goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import versiondiff
from oracle.repositories import Git
from versiondiff import FailureCode, Order, Parents, VersionDelta

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("backend")


@pytest.fixture
def git(tmp_path: Path) -> Git:
    return Git.init(tmp_path, "--bare")


def states(git: Git, order: Order = Order.OLDEST_FIRST) -> list[FailureCode | int]:
    """For each version the failure, or how many files changed."""
    deltas = list(versiondiff.Repository.open(git.path).deltas(order=order))
    return [state(delta) for delta in deltas]


def state(delta: VersionDelta) -> FailureCode | int:
    if delta.error is not None:
        assert delta.delta is None
        return delta.error.code
    assert delta.delta is not None
    return len(delta.delta.changes)


def three(git: Git) -> tuple[list[str], list[str], list[str]]:
    """Three versions, each with another tree in `d`: commits, root trees and inner trees."""
    blobs = [git.blob(content) for content in (b"a", b"b", b"c")]
    inner = [git.tree(("100644", b"x", blob)) for blob in blobs]
    roots = [git.tree(("40000", b"d", tree)) for tree in inner]
    return git.chain(*roots), roots, inner


def test_a_missing_tree_fails_the_versions_that_need_it(git: Git) -> None:
    _, _, inner = three(git)
    git.loose_object(inner[1]).unlink()
    assert states(git) == [1, FailureCode.MISSING, FailureCode.MISSING]
    assert states(git, Order.NEWEST_FIRST) == [FailureCode.MISSING, FailureCode.MISSING, 1]
    error = list(versiondiff.Repository.open(git.path).deltas())[1].error
    assert error is not None
    assert error.message == f"object {inner[1]} of d is missing"


def test_a_missing_root_tree_fails_the_versions_that_need_it(git: Git) -> None:
    _, roots, _ = three(git)
    git.loose_object(roots[0]).unlink()
    assert states(git) == [FailureCode.MISSING, FailureCode.MISSING, 1]


def test_a_missing_blob_fails_no_delta(git: Git) -> None:
    three(git)
    git.loose_object(git.blob(b"b")).unlink()
    assert states(git) == [1, 1, 1]


def test_a_missing_commit_ends_the_history_with_an_error(git: Git) -> None:
    commits, _, _ = three(git)
    git.loose_object(commits[0]).unlink()
    for parents in Parents:
        repository = versiondiff.Repository.open(git.path)
        deltas = list(repository.deltas(parents=parents, order=Order.OLDEST_FIRST))
        assert [delta.version.id for delta in deltas] == commits
        assert [state(delta) for delta in deltas] == [FailureCode.MISSING, FailureCode.MISSING, 1]
        assert deltas[0].version.author.name == ""
        assert deltas[1].version.subject == "a version"


def test_an_object_of_the_wrong_kind_is_corrupt(git: Git) -> None:
    blob, tree = git.blob(b"x"), git.tree()
    git.chain(
        git.tree(("100644", b"f", blob)),
        git.tree(("40000", b"f", blob)),
        git.tree(("100644", b"f", tree)),
    )
    assert states(git) == [1, FailureCode.CORRUPT, FailureCode.CORRUPT]


def test_what_can_not_be_decoded_is_corrupt(git: Git) -> None:
    commits, roots, _ = three(git)
    for path in (git.loose_object(roots[1]), git.loose_object(commits[0])):
        path.chmod(0o644)
        path.write_bytes(b"this is no zlib stream")
    assert states(git) == [FailureCode.CORRUPT, FailureCode.CORRUPT, FailureCode.CORRUPT]


@pytest.mark.parametrize(
    "raw",
    [
        b"100644 no end",
        b"100644 short\0abc",
        b"junk",
        b"10x644 f\0" + bytes(20),
        b"100644 \0" + bytes(20),
    ],
)
def test_a_broken_tree_is_corrupt_and_nothing_worse(git: Git, raw: bytes) -> None:
    good = git.tree(("100644", b"f", git.blob(b"x")))
    broken = git.text("hash-object", "-w", "-t", "tree", "--stdin", "--literally", stdin=raw)
    git.chain(good, broken, good)
    assert states(git) == [1, FailureCode.CORRUPT, FailureCode.CORRUPT]


def test_a_history_that_runs_in_a_circle_ends(git: Git) -> None:
    """Objects are not checked against their id, so a forged one may be its own ancestor."""
    import zlib

    tree = git.tree()
    first, second = git.chain(tree, tree)
    forged = b"tree %s\nparent %s\nauthor A <a> 1 +0000\ncommitter C <c> 1 +0000\n\nx\n" % (
        tree.encode(),
        second.encode(),
    )
    path = git.loose_object(first)
    path.chmod(0o644)
    path.write_bytes(zlib.compress(b"commit %d\0" % len(forged) + forged))
    for parents in Parents:
        assert len(list(versiondiff.Repository.open(git.path).deltas(parents=parents))) == 2


def test_one_version_alone_raises(git: Git) -> None:
    commits, _, inner = three(git)
    git.loose_object(inner[1]).unlink()
    repository = versiondiff.Repository.open(git.path)
    with pytest.raises(versiondiff.NotFound, match=f"object {inner[1]} of d is missing"):
        repository.delta(commits[1])
    with pytest.raises(versiondiff.NotFound, match="is missing"):
        versiondiff.tree_delta(repository.snapshot(commits[0]), repository.snapshot(commits[1]))


def test_an_object_that_takes_too_much_memory_meets_the_limit(git: Git) -> None:
    blob = git.blob(b"x")
    git.chain(git.tree(*(("100644", b"%09d" % n, blob) for n in range(4_000))))
    repository = versiondiff.Repository.open(git.path, object_memory=50_000)
    (delta,) = repository.deltas()
    assert state(delta) is FailureCode.LIMIT
    with pytest.raises(versiondiff.LimitExceeded):
        repository.delta("HEAD")
