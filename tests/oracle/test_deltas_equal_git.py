"""The tree delta of every version is what `git diff-tree -r --raw` says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import versiondiff
from oracle.repositories import Git, RawChange, diff_tree
from versiondiff import ChangeKind, Order, Parents, TreeDelta

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("backend")

STATUS = {ChangeKind.ADDITION: "A", ChangeKind.DELETION: "D", ChangeKind.MODIFICATION: "M"}


def raw(delta: TreeDelta) -> list[RawChange]:
    return [
        RawChange(
            status=STATUS[change.kind],
            path=change.raw_path if change.raw_path is not None else change.path.encode(),
            old_mode=change.old_mode and change.old_mode.value,
            new_mode=change.new_mode and change.new_mode.value,
            old_id=change.old_id,
            new_id=change.new_id,
        )
        for change in delta.changes
    ]


def assert_equals_git(git: Git) -> None:
    repository = versiondiff.Repository.open(git.path)
    seen = 0
    for version in repository.deltas(parents=Parents.ALL):
        assert version.error is None
        assert version.delta is not None
        assert raw(version.delta) == diff_tree(git, version.version.id), version.version.id
        assert repository.delta(version.version.id) == version
        seen += 1
    assert seen == int(git.text("rev-list", "--count", "HEAD"))
    for parents, option in ((Parents.FIRST, ["--first-parent"]), (Parents.ALL, [])):
        listed = git.text("rev-list", *option, "HEAD").split()
        assert [v.id for v in repository.versions(parents=parents)] == listed
        oldest_first = repository.versions(parents=parents, order=Order.OLDEST_FIRST)
        assert [v.id for v in oldest_first] == listed[::-1]


def modes_and_kinds(git: Git) -> None:
    """A path that is each kind of thing in turn, with content that stays and that changes."""
    a, b = git.blob(b"a"), git.blob(b"b")
    below = git.tree(("100644", b"x", a), ("100755", b"y", b))
    states = [
        ("100644", a), ("100755", a), ("120000", a), ("100644", b), ("40000", below), ("120000", b),
        ("40000", below), ("100644", a),
    ]  # fmt: skip
    commit = git.chain(git.tree())[0]
    states += [("160000", commit), ("40000", below), ("160000", commit), ("100755", a)]
    git.chain(
        *(
            git.tree(("100644", b"before", a), (m, b"path", o), ("100644", b"z", a))
            for m, o in states
        )
    )


def swaps(git: Git) -> None:
    """Files and directories that change places, among names that sort between the two."""
    a = git.blob(b"a")
    inner = git.tree(("100644", b"b", a))
    deep = git.tree(("40000", b"b", inner), ("100644", b"b.c", a))
    git.chain(
        git.tree(("100644", b"a", a), ("100644", b"a.c", a), ("100644", b"a0", a)),
        git.tree(("100644", b"a.c", a), ("40000", b"a", inner), ("100644", b"a0", a)),
        git.tree(("100644", b"a-c", a), ("40000", b"a", deep), ("100644", b"a0", a)),
        git.tree(("100644", b"a", a), ("40000", b"a0", deep)),
        git.tree(("40000", b"a", deep), ("40000", b"a.c", deep), ("100644", b"a0", a)),
    )


def names(git: Git) -> None:
    """Names that are no UTF-8, that need escaping, and of 4,000 bytes."""
    a, b = git.blob(b"a"), git.blob(b"b")
    odd = sorted(
        [b"\xff\xfe", b"\xe3\x81", b'\t\n"\\', "読み込み".encode(), b"\x01 x", b"-n", b" "]
    )
    long = bytes(b"n" * 4_000)
    for content in (a, b):
        entries = [("100644", name, content) for name in odd]
        inner = git.tree(*sorted([*entries, ("100644", long, content)], key=lambda e: e[1]))
        git.run(
            "update-ref",
            f"refs/heads/{content[:5]}",
            git.commit(git.tree(("40000", b"\xfd" + long, inner))),
        )
    old, new = (git.text("rev-parse", f"refs/heads/{content[:5]}^{{tree}}") for content in (a, b))
    git.chain(old, new, git.tree(), old)


def old_modes(git: Git) -> None:
    """Modes that git of old wrote: 100664, and trees with a leading zero."""
    a, b = git.blob(b"a"), git.blob(b"b")
    inner = git.tree(("100664", b"x", a))
    git.chain(
        git.tree(("100664", b"f", a), ("040000", b"t", inner)),
        git.tree(("100644", b"f", a), ("40000", b"t", inner)),
        git.tree(("100664", b"f", b), ("40000", b"t", git.tree(("100644", b"x", a)))),
        git.tree(("100775", b"f", b), ("40000", b"t", inner)),
        git.tree(("100755", b"f", b)),
    )


def empty_trees(git: Git) -> None:
    """The empty tree, as a version and as a directory."""
    a, empty = git.blob(b"a"), git.tree()
    full = git.tree(("100644", b"x", a))
    git.chain(
        empty,
        empty,
        git.tree(("40000", b"d", empty)),
        git.tree(("40000", b"d", full)),
        git.tree(("40000", b"d", empty), ("40000", b"e", empty)),
        git.tree(("100644", b"d", a)),
        empty,
    )


def merges(git: Git) -> None:
    """Merges, an octopus, a merge of unrelated roots, criss-cross; some of the same second."""
    blobs = [git.blob(bytes([65 + n])) for n in range(6)]
    trees = [
        git.tree(*(("100644", bytes([97 + i]), b) for i, b in enumerate(blobs[: n + 1])))
        for n in range(6)
    ]
    root = git.commit(trees[0])
    left = git.commit(trees[1], root, at=git.clock + 5)
    right = git.commit(trees[2], root, at=git.clock)
    other_root = git.commit(trees[5], at=git.clock)
    one = git.commit(trees[3], left, right)
    two = git.commit(trees[4], right, left, at=git.clock)
    octopus = git.commit(trees[5], one, two, other_root, message="octopus")
    # A clock that ran backwards.
    late = git.commit(trees[0], octopus, at=1_600_000_000)
    git.run("update-ref", "refs/heads/main", git.commit(trees[2], late, octopus, at=1_700_009_999))


@pytest.mark.parametrize(
    "fill",
    [modes_and_kinds, swaps, names, old_modes, empty_trees, merges],
    ids=lambda fill: fill.__name__,
)
def test_every_version_equals_git(fill: Callable[[Git], None], tmp_path: Path) -> None:
    git = Git.init(tmp_path, "--bare")
    fill(git)
    assert_equals_git(git)
    # The same in a pack, where objects are deltas of each other.
    git.run("repack", "-adfq", "--depth=50")
    assert_equals_git(git)


def test_many_versions_equal_git_for_any_number_of_threads(tmp_path: Path) -> None:
    git = Git.init(tmp_path, "--bare")
    stream = bytearray(b"")
    for number in range(900):
        if number:
            stream += b"commit refs/heads/main\n"
        else:
            stream += b"reset refs/heads/main\ncommit refs/heads/main\n"
        stream += b"committer C <c@example.org> %d +0000\ndata <<E\nversion %d\nE\n" % (
            1_700_000_000 + number,
            number,
        )
        path = b"d%d/e%d/f%d" % (number % 7, number % 11, number % 13)
        if number % 17 == 16:
            stream += b"D d%d/e%d\n" % ((number - 5) % 7, (number - 5) % 11)
        stream += b"M 100644 inline %s\ndata <<E\n%d\nE\n\n" % (path, number)
    git.run("fast-import", "--quiet", stdin=bytes(stream))
    assert_equals_git(git)
    repository = versiondiff.Repository.open(git.path)
    for order in Order:
        expected = b"".join(repository.delta_lines(order=order, threads=1))
        assert expected.count(b"\n") == 900
        for threads in (2, 3, 8):
            assert b"".join(repository.delta_lines(order=order, threads=threads)) == expected


def test_a_shallow_border_counts_as_a_root(tmp_path: Path) -> None:
    origin = Git.init(tmp_path / "origin")
    a, b = origin.blob(b"a"), origin.blob(b"b")
    origin.chain(
        *(origin.tree(("100644", b"x", a), ("100644", name, b)) for name in (b"y", b"z", b"zz"))
    )
    Git(tmp_path).run("clone", "--quiet", "--depth=2", f"file://{origin.path}", "shallow")
    git = Git(tmp_path / "shallow")
    assert_equals_git(git)
    tip, border = versiondiff.Repository.open(git.path).deltas()
    assert (border.version.shallow, tip.version.shallow) == (True, False)
    assert len(border.version.parents) == 1
    assert border.delta is not None
    assert [change.path for change in border.delta.changes] == ["x", "z"]


def test_replaced_objects_are_read_as_they_are(tmp_path: Path) -> None:
    git = Git.init(tmp_path, "--bare")
    a, b = git.blob(b"a"), git.blob(b"b")
    commits = git.chain(git.tree(("100644", b"x", a)), git.tree(("100644", b"x", b)))
    other = git.commit(git.tree(("100644", b"other", a)))
    before = list(versiondiff.Repository.open(git.path).deltas())
    git.run("replace", commits[1], other)
    git.run("replace", a, b)
    assert list(versiondiff.Repository.open(git.path).deltas()) == before
