"""What may stand as `old` and `new`, and what is refused."""

from __future__ import annotations

import os
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pytest

import versiondiff
from versiondiff import ChangeKind, File, Mode

if TYPE_CHECKING:
    from pathlib import Path


def paths(old: Any, new: Any, **options: Any) -> list[str]:
    return [change.path for change in versiondiff.tree_delta(old, new, **options).changes]


def test_a_mapping_takes_text_bytes_and_files() -> None:
    assert paths({"a": b"x"}, {b"a": b"x"}) == []
    assert paths({"a": b"x"}, {"a": File(content=b"x")}) == []
    assert paths(MappingProxyType({"a": b"x"}), {"a": b"y"}) == ["a"]
    assert paths(None, {"b": b"", "a/b": b"", "a.c": b""}) == ["a.c", "a/b", "b"]
    assert paths({}, None) == []
    (change,) = versiondiff.tree_delta(
        {"a": b"x"}, {"a": File(content=b"x", mode=Mode.LINK)}
    ).changes
    assert (change.old_mode, change.new_mode) == (Mode.FILE, Mode.LINK)
    assert change.old_id == change.new_id


def test_paths_that_are_no_utf8_may_be_text_with_surrogates() -> None:
    assert paths({b"\xff": b""}, {os.fsdecode(b"\xff"): b""}) == []
    (change,) = versiondiff.tree_delta(None, {os.fsdecode(b"a\xff"): b""}).changes
    assert (change.path, change.raw_path) == ("a\ufffd", b"a\xff")


def test_paths_limit_what_is_looked_at() -> None:
    new = {"a/x": b"", "ab": b"", "b/y": b""}
    assert paths(None, new, paths=["a"]) == ["a/x"]
    assert paths(None, new, paths=["a/", "./b/y"]) == ["a/x", "b/y"]


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        ("", "is empty"), ("/a", "is absolute"), ("a//b", "empty component"),
        ("a/../b", "component"),
        ("a\0", "NUL"), ("a/b/", "empty component"),
    ],
)  # fmt: skip
def test_paths_that_no_tree_can_hold_are_refused(path: str, rule: str) -> None:
    with pytest.raises(versiondiff.InvalidInput, match=rule):
        versiondiff.tree_delta({}, {path: b""})


def test_a_file_that_is_a_directory_is_refused() -> None:
    with pytest.raises(versiondiff.InvalidInput, match="is a file and a directory"):
        versiondiff.tree_delta({"a": b"", "a/b": b""}, {})


@pytest.mark.parametrize(
    "files", [{"a": "text"}, {"a": bytearray(b"x")}, {1: b""}, 7, ["a"], {"a": None}]
)
def test_what_is_no_source_is_a_type_error_without_its_content(files: Any) -> None:
    with pytest.raises(TypeError) as error:
        versiondiff.tree_delta(files, None)
    assert "text" not in str(error.value)


def test_a_submodule_has_no_content() -> None:
    with pytest.raises(versiondiff.InvalidInput, match="neither a file nor a link"):
        versiondiff.tree_delta(None, {"a": File(content=b"", mode=Mode.SUBMODULE)})


def test_a_missing_directory_is_named(tmp_path: Path) -> None:
    with pytest.raises(versiondiff.VersionDiffError, match="none: entity not found"):
        versiondiff.tree_delta(tmp_path / "none", None)


def test_a_directory_passes_over_git_and_what_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_bytes(b"x")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("nowhere")
    delta = versiondiff.tree_delta(None, tmp_path)
    assert [(change.path, change.new_mode) for change in delta.changes] == [
        ("a", Mode.FILE),
        ("link", Mode.LINK),
    ]
    assert all(change.kind is ChangeKind.ADDITION for change in delta.changes)


def test_files_without_a_known_format_ask_for_one() -> None:
    with pytest.raises(versiondiff.UnsupportedFormat, match="no built-in format fits the files"):
        versiondiff.change_record({"a": b"x"}, {"a": b"y"})
    with pytest.raises(versiondiff.NotFound, match="nonesuch"):
        versiondiff.change_record({}, {}, format="nonesuch")
    assert versiondiff.change_record({"a": b"x"}, {"a": b"y"}, format="tsugumi").format == "tsugumi"
