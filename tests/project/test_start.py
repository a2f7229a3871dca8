"""Versioning starts, and what is opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from oracle.repositories import Git
from project.projects import MIKA, fill, is_clean, look
from versiondiff import (
    InvalidInput,
    NotFound,
    UnsupportedFormat,
)
from versiondiff.project import Project

if TYPE_CHECKING:
    from pathlib import Path


# ── Start versioning ────────────────────────────────────────────────────────────────────────────


def test_start_makes_a_repository_with_a_first_version(git: Git) -> None:
    assert git.text("symbolic-ref", "HEAD") == "refs/heads/main"
    assert git.text("log", "--format=%s|%an|%ae|%at %ad|%cn", "--date=format:%z") == (
        "Start Versioning|Mika Sato|mika@example.org|1791191520 +0900|Mika Sato"
    )
    assert git.text("ls-files").splitlines() == [
        ".gitignore",
        "definitions/load/_card.json",
        "tsugumi.json",
    ]
    assert is_clean(git.path)
    assert not (git.path / ".git/hooks").exists()
    git.run("fsck", "--strict")


def test_the_message_is_in_the_language_asked_for(folder: Path) -> None:
    Project.start(folder, author=MIKA, language="ja")
    assert Git(folder).text("log", "--format=%s") == "バージョン管理を開始"


def test_starting_again_changes_nothing(project: Project) -> None:
    before = look(project.folder)
    Project.start(project.folder, author=MIKA)
    assert look(project.folder) == before


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, b".tsugumi/\n"),
        (b"", b".tsugumi/\n"),
        (b"data/", b"data/\n.tsugumi/\n"),
        (b"data/\r\nout/\r\n", b"data/\r\nout/\r\n.tsugumi/\r\n"),
        (b"data/\r\nout/", b"data/\r\nout/\r\n.tsugumi/\r\n"),
        (b"\xef\xbb\xbf.tsugumi/\n", b"\xef\xbb\xbf.tsugumi/\n"),
        (b"/.tsugumi\nx", b"/.tsugumi\nx"),
        (b".tsugumi/\n!.tsugumi/\n", b".tsugumi/\n!.tsugumi/\n.tsugumi/\n"),
        (b"\xff\xfe", b"\xff\xfe\n.tsugumi/\n"),
    ],
)
def test_state_is_ignored(folder: Path, before: bytes | None, after: bytes) -> None:
    if before is not None:
        (folder / ".gitignore").write_bytes(before)
    fill(folder, {".tsugumi/state": b"1"})
    Project.start(folder, author=MIKA)
    assert (folder / ".gitignore").read_bytes() == after
    assert ".tsugumi/state" not in Git(folder).text("ls-files").splitlines()


def test_a_link_is_no_gitignore(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_bytes(b"")
    (folder / ".gitignore").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InvalidInput, match="must be a plain file"):
        Project.start(folder, author=MIKA)
    assert (tmp_path / "elsewhere").read_bytes() == b""


def test_a_repository_is_opened_and_completed(folder: Path) -> None:
    git = Git.init(folder)
    git.run("add", ".")
    git.run("commit", "--quiet", "-m", "theirs")
    project = Project.start(folder, author=MIKA)
    assert git.text("log", "--format=%s") == "theirs"
    assert project.unsaved_changes() == (".gitignore",)


def test_what_a_killed_start_left_is_removed(folder: Path) -> None:
    Git.init(folder / ".git.versiondiff")
    project = Project.start(folder, author=MIKA)
    assert not (folder / ".git.versiondiff").exists()
    assert is_clean(project.folder)


def test_half_a_repository_is_completed(folder: Path) -> None:
    (folder / ".git/objects").mkdir(parents=True)
    Project.start(folder, author=MIKA)
    assert Git(folder).text("log", "--format=%s") == "Start Versioning"


def test_a_broken_repository_with_versions_is_left_alone(project: Project) -> None:
    (project.folder / ".git/HEAD").unlink()
    with pytest.raises(NotFound):
        Project.start(project.folder, author=MIKA)
    assert not (project.folder / ".git/HEAD").exists()


def test_an_empty_folder_has_a_first_version(tmp_path: Path) -> None:
    project = Project.start(tmp_path, author=MIKA)
    assert project.repository.version("HEAD").subject == "Start Versioning"


# ── What is opened ──────────────────────────────────────────────────────────────────────────────


def test_no_folder_above_is_looked_at(project: Project) -> None:
    with pytest.raises(NotFound):
        Project.open(project.folder / "definitions")
    with pytest.raises(NotFound):
        Project.open(project.folder / "nowhere")
    nested = Project.start(project.folder / "definitions", author=MIKA)
    assert nested.folder == project.folder / "definitions"


def test_what_can_not_be_written_is_refused(tmp_path: Path) -> None:
    Git.init(tmp_path / "bare", "--bare")
    with pytest.raises(InvalidInput, match="bare"):
        Project.open(tmp_path / "bare")
    Git.init(tmp_path / "sha", "--object-format=sha256")
    with pytest.raises(UnsupportedFormat):
        Project.open(tmp_path / "sha")
    Git.init(tmp_path / "table", "--ref-format=reftable")
    with pytest.raises(UnsupportedFormat):
        Project.open(tmp_path / "table")
    sparse = Git.init(tmp_path / "sparse")
    sparse.run("config", "core.sparseCheckout", "true")
    with pytest.raises(UnsupportedFormat, match="sparse"):
        Project.open(tmp_path / "sparse")
    elsewhere = Git.init(tmp_path / "elsewhere")
    elsewhere.run("config", "core.worktree", str(tmp_path / "sparse"))
    with pytest.raises(InvalidInput, match="another folder"):
        Project.open(tmp_path / "elsewhere")


def test_a_linked_work_tree_has_its_own_head(project: Project, git: Git, tmp_path: Path) -> None:
    git.run("worktree", "add", "--quiet", "-b", "side", str(tmp_path / "side"))
    side = Project.open(tmp_path / "side")
    (side.folder / "tsugumi.json").write_bytes(b"1")
    started = side.start_run("load", author=MIKA)
    assert started.branch == "side"
    assert git.text("rev-parse", "side") == started.commit
    assert git.text("symbolic-ref", "HEAD") == "refs/heads/main"
    assert is_clean(side.folder)
    # The tip of main is taken: git lets only one work tree stand on a branch.
    restored = side.start_from("main", author=MIKA)
    assert restored.branch_made
    assert is_clean(side.folder)
    assert is_clean(project.folder)
