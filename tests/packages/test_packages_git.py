"""Package diffs have the files, renames and counts of git, and hunks that can be applied."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from packages.trees import GitRow, changed, git_rows, tree, write
from versiondiff import File, Mode
from versiondiff.packages import FileStatus, package_diff

if TYPE_CHECKING:
    from pathlib import Path

    from packages.trees import Tree
    from versiondiff.packages import PackageDiff, PackageFile

LETTERS = {
    FileStatus.ADDED: "A",
    FileStatus.CHANGED: "M",
    FileStatus.DELETED: "D",
    FileStatus.RENAMED: "R",
    FileStatus.MODE_CHANGED: "M",
    FileStatus.TYPE_CHANGED: "T",
}


def exact(path: str, raw: bytes | None) -> bytes:
    return path.encode() if raw is None else raw


def row(file: PackageFile) -> GitRow:
    path = exact(file.path, file.raw_path)
    old = path if file.old_path is None else exact(file.old_path, file.raw_old_path)
    letter = LETTERS[file.status]
    return GitRow(letter, file.similarity, old, path, file.added, file.removed)


def with_similarity_as_git(rows: list[GitRow]) -> list[GitRow]:
    # A file whose lines have only changed places, or only how they end, is wholly similar to git.
    return sorted(row._replace(similarity=min(row.similarity, 99)) for row in rows)


@pytest.mark.parametrize("seed", range(40))
def test_files_renames_and_counts_are_those_of_git(seed: int, tmp_path: Path) -> None:
    dice = random.Random(seed)
    old = tree(dice)
    new = changed(dice, old)
    write(tmp_path / "old", old)
    write(tmp_path / "new", new)
    diff = package_diff(tmp_path / "old", tmp_path / "new")
    ours, theirs = [row(file) for file in diff.files], git_rows(tmp_path, "old", "new")
    assert with_similarity_as_git(ours) == with_similarity_as_git(theirs)
    assert package_diff(old, new) == diff
    assert_applies(old, new, diff)


def assert_applies(old: Tree, new: Tree, diff: PackageDiff) -> None:
    """The old files with the hunks applied are the new ones."""
    made = {path: (file.mode, file.content) for path, file in old.items()}
    for file in diff.files:
        if file.status is FileStatus.DELETED:
            made.pop(row(file).path, None)
    taken = {row(file).old_path for file in diff.files if file.status is FileStatus.RENAMED}
    for path in taken:
        made.pop(path, None)
    for file in diff.files:
        old_path, path = row(file).old_path, row(file).path
        if file.status is FileStatus.DELETED:
            continue
        assert file.new_mode is not None
        before = old[old_path].content if file.status is not FileStatus.ADDED else b""
        content = new[path].content if file.binary else applied(before, file)
        made[path] = (file.new_mode, content)
    assert made == {path: (file.mode, file.content) for path, file in new.items()}


def applied(old: bytes, file: PackageFile) -> bytes:
    lines = old.split(b"\n")
    lines = [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
    made: list[bytes] = []
    at = 0
    for hunk in file.hunks:
        start = hunk.old_start - 1 if hunk.old_lines else hunk.old_start
        made += lines[at:start]
        at = start
        body = hunk.body.encode() if hunk.raw_body is None else hunk.raw_body
        assert len(made) == (hunk.new_start - 1 if hunk.new_lines else hunk.new_start)
        last = b""
        for text in body.removesuffix(b"\n").split(b"\n"):
            sign, line = text[:1], text[1:] + b"\n"
            if sign == b"\\":
                if last != b"-":
                    made[-1] = made[-1].removesuffix(b"\n")
                continue
            last = sign
            if sign != b"+":
                assert lines[at].removesuffix(b"\n") == text[1:]
                at += 1
            if sign != b"-":
                made.append(line)
    return b"".join(made + lines[at:])


@pytest.mark.parametrize("seed", range(8))
def test_many_similar_files_pair_as_git_pairs_them(seed: int, tmp_path: Path) -> None:
    # Copies of few originals, so that names and similarities tie.
    dice = random.Random(seed)
    originals = [b"".join(b"%d %d\n" % (kind, line) for line in range(40)) for kind in range(4)]
    sides: list[Tree] = []
    for _ in range(2):
        side: Tree = {}
        for _ in range(60):
            lines = dice.choice(originals).splitlines(keepends=True)
            for _ in range(dice.randrange(4)):
                lines[dice.randrange(40)] = b"%d\n" % dice.randrange(3)
            name = b"%s/%s/%s" % (dice.choice(FOLDERS), dice.choice(FOLDERS), dice.choice(FOLDERS))
            side[name] = File(b"".join(lines), Mode.FILE)
        sides.append(side)
    write(tmp_path / "old", sides[0])
    write(tmp_path / "new", sides[1])
    ours = [row(file) for file in package_diff(tmp_path / "old", tmp_path / "new").files]
    theirs = git_rows(tmp_path, "old", "new")
    assert sum(row.status == "R" for row in theirs) > 10
    assert with_similarity_as_git(ours) == with_similarity_as_git(theirs)


FOLDERS = [b"a", b"b", b"c", b"d", b"e", b"f"]
