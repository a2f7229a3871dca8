"""Git's index where it is damaged: an error, and never a guess."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest

from oracle.repositories import Git
from versiondiff import InvalidInput, UnsupportedFormat
from versiondiff.project import index_file

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def index(tmp_path: Path) -> Path:
    git = Git.init(tmp_path)
    (tmp_path / "a").write_bytes(b"a\n")
    (tmp_path / "abc").write_bytes(b"b\n")
    git.run("add", ".")
    git.run("update-index", "--index-version", "4")
    git.run("update-index", "--skip-worktree", "abc")
    return tmp_path / ".git" / "index"


def test_one_that_is_whole(index: Path) -> None:
    assert index_file.left_out_of_the_tree(index) == {b"abc"}


def test_one_that_is_cut_off_anywhere(index: Path) -> None:
    whole = index.read_bytes()
    start = whole.rindex(b"bc\0")
    for length in range(start):
        index.write_bytes(whole[:length])
        with pytest.raises(InvalidInput):
            index_file.left_out_of_the_tree(index)
        with pytest.raises(InvalidInput):
            index_file.stamp(index, {})
        assert index.read_bytes() == whole[:length]


def test_one_whose_entries_contradict_it(index: Path) -> None:
    whole = index.read_bytes()
    # A name that keeps less than nothing of the one before it.
    place = whole.rindex(b"bc\0") - 1
    index.write_bytes(whole[:place] + b"\x05" + whole[place + 1 :])
    with pytest.raises(InvalidInput, match="damaged index"):
        index_file.left_out_of_the_tree(index)
    index.write_bytes(whole[:8] + struct.pack(">L", 1 << 30) + whole[12:])
    with pytest.raises(InvalidInput, match="damaged index"):
        index_file.left_out_of_the_tree(index)
    index.write_bytes(b"DIRC" + struct.pack(">L", 9) + whole[8:])
    with pytest.raises(UnsupportedFormat):
        index_file.left_out_of_the_tree(index)
