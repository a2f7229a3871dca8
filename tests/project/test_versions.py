"""Versions made of a folder's content: when versioning starts, a run does, and by name."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from oracle.repositories import Git
from project.projects import MIKA, fill, is_clean, locks, look
from versiondiff import (
    Conflict,
    InvalidInput,
    NotFound,
    Signature,
    UnsupportedFormat,
    VersionDiffError,
)
from versiondiff.project import Project, RunStarted, references

if TYPE_CHECKING:
    from pathlib import Path

AS_ROOT = os.geteuid() == 0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    fill(folder, {"tsugumi.json": b"{}\n", "definitions/load/_card.json": b"{}\n"})
    return folder


@pytest.fixture
def project(folder: Path) -> Project:
    return Project.start(folder, author=MIKA)


@pytest.fixture
def git(project: Project) -> Git:
    return Git(project.folder)


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


# ── Runs ────────────────────────────────────────────────────────────────────────────────────────


def test_a_run_makes_a_version_where_the_content_changed(project: Project, git: Git) -> None:
    first = project.start_run("load", author=MIKA)
    assert first == RunStarted(commit=git.text("rev-parse", "HEAD"), made=False, branch="main")
    (project.folder / "tsugumi.json").write_bytes(b"1")
    second = project.start_run("load", author=MIKA)
    assert second.made
    assert second.commit == git.text("rev-parse", "main")
    assert git.text("rev-parse", "main^") == first.commit
    assert git.run("cat-file", "commit", "HEAD").endswith(b"\n\nRun: load")
    assert project.start_run("load", author=MIKA).commit == second.commit
    assert is_clean(project.folder)
    assert git.text("reflog", "-1", "--format=%gs") == "commit: Run: load"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("load\nSigned-off-by: x", "Run: load\ufffdSigned-off-by: x"),
        ("\u202eevil", "Run: \ufffdevil"),
        ("", "Run: "),
    ],
)
def test_names_stay_on_one_line(project: Project, git: Git, name: str, message: str) -> None:
    (project.folder / "tsugumi.json").write_bytes(b"1")
    project.start_run(name, author=MIKA)
    assert git.text("log", "-1", "--format=%B").rstrip() == message.rstrip()


def test_a_run_in_japanese(project: Project, git: Git) -> None:
    (project.folder / "tsugumi.json").unlink()
    project.start_run("読み込み", author=MIKA, language="ja")
    assert git.text("log", "-1", "--format=%s") == "実行: 読み込み"


def test_a_version_holds_all_that_git_add_would(project: Project, git: Git) -> None:
    fill(
        project.folder,
        {
            ".gitignore": b".tsugumi/\n*.log\n!keep.log\n",
            "x.log": b"",
            "keep.log": b"",
            "data/x.log": b"",
            "excluded": b"",
            "link": "nowhere",
            "out": "/",
            "empty": None,
            "run": b"#!/bin/sh\n",
            "日本": b"",
        }
        | {
            os.fsdecode(b"latin-\xe9"): b"1",
            "a:b": b"",
            "aux": b"",
            "back\\slash": b"",
            "tab\t": b"",
        },
    )
    os.mkfifo(project.folder / "fifo")
    (project.folder / "run").chmod(0o755)
    (project.folder / ".git/info/exclude").write_text("excluded\n")
    started = project.start_run("load", author=MIKA)
    git.run("add", "--all")
    assert git.text("write-tree") == git.text("rev-parse", f"{started.commit}^{{tree}}")
    assert is_clean(project.folder)


def test_empty_content_is_a_version_too(project: Project, git: Git) -> None:
    for path in project.folder.iterdir():
        if path.name != ".git":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    started = project.start_run("load", author=MIKA)
    assert started.made
    assert git.text("ls-tree", "-r", "HEAD") == ""


def test_what_was_staged_and_taken_back_is_no_change(project: Project, git: Git) -> None:
    path = project.folder / "tsugumi.json"
    content = path.read_bytes()
    path.write_bytes(b"1")
    git.run("add", ".")
    path.write_bytes(content)
    assert project.unsaved_changes() == ()
    assert not project.start_run("load", author=MIKA).made
    assert is_clean(project.folder)


def test_unsaved_changes_are_sorted_paths(project: Project) -> None:
    fill(project.folder, {"z": b"", "a/b": b"", ".tsugumi/state": b""})
    (project.folder / "tsugumi.json").unlink()
    (project.folder / "definitions/load/_card.json").chmod(0o755)
    before = look(project.folder)
    assert project.unsaved_changes() == (
        "a/b",
        "definitions/load/_card.json",
        "tsugumi.json",
        "z",
    )
    assert look(project.folder) == before


def test_on_a_detached_head_a_branch_begins(project: Project, git: Git) -> None:
    first = git.text("rev-parse", "HEAD")
    git.run("checkout", "--quiet", "--detach")
    assert project.start_run("load", author=MIKA).branch is None
    (project.folder / "tsugumi.json").write_bytes(b"1")
    started = project.start_run("load", author=MIKA)
    assert started.branch == f"try-{first[:7]}"
    assert git.text("symbolic-ref", "HEAD") == f"refs/heads/try-{first[:7]}"
    assert git.text("rev-parse", "HEAD^") == first == git.text("rev-parse", "main")


@pytest.mark.skipif(AS_ROOT, reason="root reads everything")
def test_an_unreadable_file_is_named(project: Project) -> None:
    fill(project.folder, {"secret": b""})
    (project.folder / "secret").chmod(0)
    before = look(project.folder)
    with pytest.raises(VersionDiffError, match="secret"):
        project.start_run("load", author=MIKA)
    assert look(project.folder) == before


# ── Other repositories in the folder ────────────────────────────────────────────────────────────


def test_repositories_in_the_folder_are_left_out_and_said(project: Project, git: Git) -> None:
    inner = Git.init(project.folder / "lib/inner")
    fill(inner.path, {"file": b""})
    fill(Git.init(project.folder / "empty-repository").path, {"file": b""})
    started = project.start_run("load", author=MIKA)
    assert not started.made
    assert started.left_out == ("empty-repository", "lib/inner")
    assert project.unsaved_changes() == ()
    inner.run("add", ".")
    inner.run("commit", "--quiet", "-m", "inner")
    assert not project.start_run("load", author=MIKA).made
    assert "lib/inner" not in git.text("ls-files")


def test_submodules_stay_as_they_are(project: Project, git: Git) -> None:
    inner = Git.init(project.folder / "inner")
    inner.run("commit", "--quiet", "--allow-empty", "-m", "one")
    pointed = inner.text("rev-parse", "HEAD")
    git.run("add", "inner")
    git.run("commit", "--quiet", "-m", "a submodule")
    inner.run("commit", "--quiet", "--allow-empty", "-m", "two")
    assert project.unsaved_changes() == ()
    assert not project.start_run("load", author=MIKA).made
    (project.folder / "tsugumi.json").write_bytes(b"1")
    project.start_run("load", author=MIKA)
    shutil.rmtree(project.folder / "inner")
    (project.folder / "tsugumi.json").write_bytes(b"2")
    project.start_run("load", author=MIKA)
    assert git.text("rev-parse", "HEAD:inner") == pointed


# ── Kept by name ────────────────────────────────────────────────────────────────────────────────


def test_keep_is_an_annotated_tag(project: Project, git: Git) -> None:
    (project.folder / "tsugumi.json").write_bytes(b"1")
    kept = project.keep("rgb-v1", memo="For the poster.\n北が上。", author=MIKA)
    assert kept.made
    assert git.text("cat-file", "-t", "rgb-v1") == "tag"
    assert git.text("rev-parse", "rgb-v1") == kept.tag
    assert git.text("rev-parse", "rgb-v1^{commit}") == kept.commit == git.text("rev-parse", "main")
    assert git.text("tag", "-l", "--format=%(contents)|%(taggername)") == (
        "For the poster.\n北が上。\n|Mika Sato"
    )
    assert git.text("log", "-1", "--format=%s") == "Keep as Version: rgb-v1"
    again = project.keep("rgb-v1-again", author=MIKA)
    assert (again.made, again.commit) == (False, kept.commit)
    git.run("fsck", "--strict")


@pytest.mark.parametrize("name", ["v1", "v1/a", "a"])
def test_a_taken_name_is_a_conflict_and_nothing_is_made(
    project: Project, git: Git, name: str
) -> None:
    project.keep("v1" if name != "a" else "a/b", author=MIKA)
    (project.folder / "tsugumi.json").write_bytes(b"1")
    before = look(project.folder)
    with pytest.raises(Conflict, match="taken"):
        project.keep(name, author=MIKA)
    assert look(project.folder) == before
    git.run("pack-refs", "--all")
    with pytest.raises(Conflict, match="taken"):
        project.keep(name, author=MIKA)


def test_names_are_checked_as_git_does(project: Project, git: Git) -> None:
    names = [
        "v1", "v 1", "-v1", "v1-", "v..1", "v.1", ".v1", "a/.v1", "v1.", "v1.lock", "a.lock/b",
        "a/b", "/a", "a/", "a//b", "v~1", "v^", "v:1", "v?", "v*", "v[1]", "v\\1", "v@{1}", "@",
        "a@b", "{}", "v\x7f", "v\t", "v\u00e9", "日本", "", "refs/tags/x", "x" * 200, "v\u202e1",
    ]  # fmt: skip
    for name in names:
        allowed = False
        try:
            git.run("tag", "--", name)
            git.run("tag", "-d", name)
            allowed = True
        except AssertionError:
            pass
        if allowed:
            project.keep(name, author=MIKA)
            git.run("tag", "-d", name)
        else:
            with pytest.raises(InvalidInput):
                project.keep(name, author=MIKA)


@pytest.mark.parametrize("name", ["HEAD", "x" * 251, "\udce9", "a\0b"])
def test_names_that_could_not_be_used(project: Project, name: str) -> None:
    with pytest.raises(InvalidInput):
        project.keep(name, author=MIKA)


def test_where_the_tag_fails_nothing_is_left(project: Project) -> None:
    (project.folder / "tsugumi.json").write_bytes(b"1")
    (project.folder / ".git/refs/tags/v1.lock").touch()
    before = look(project.folder)
    with pytest.raises(Conflict, match="locked"):
        project.keep("v1", author=MIKA)
    assert look(project.folder) == before
    (project.folder / ".git/refs/tags/v1.lock").unlink()
    assert project.keep("v1", author=MIKA).made
    assert is_clean(project.folder)


# ── When nothing is done ────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("operation", ["merge", "rebase", "cherry-pick", "revert", "bisect"])
def test_no_version_while_git_is_at_something(project: Project, git: Git, operation: str) -> None:
    git.run("checkout", "--quiet", "-b", "side")
    (project.folder / "tsugumi.json").write_bytes(b"1")
    side = project.start_run("load", author=MIKA).commit
    git.run("checkout", "--quiet", "main")
    (project.folder / "tsugumi.json").write_bytes(b"2")
    project.start_run("load", author=MIKA)
    (project.folder / "tsugumi.json").write_bytes(b"3")
    project.start_run("load", author=MIKA)
    try:
        if operation == "bisect":
            git.run("bisect", "start", "HEAD", "HEAD~2")
        elif operation == "revert":
            git.run("revert", "HEAD~1")
        else:
            git.run(operation, side)
    except AssertionError:
        pass
    before = look(project.folder)
    for work in (
        lambda: project.start_run("load", author=MIKA),
        lambda: project.keep("v1", author=MIKA),
        lambda: project.start_from("main", author=MIKA),
    ):
        with pytest.raises(Conflict, match=r"is under way|not finished"):
            work()
        assert look(project.folder) == before
    assert locks(project.folder) == []


def test_conflicts_in_the_index_are_named(project: Project, git: Git) -> None:
    blob = git.blob(b"x")
    git.run(
        "update-index", "--index-info",
        stdin=f"0 {'0' * 40}\ttsugumi.json\n100644 {blob} 2\ttsugumi.json\n".encode(),
    )  # fmt: skip
    with pytest.raises(Conflict, match=r"tsugumi\.json: a merge of it is not finished"):
        project.start_run("load", author=MIKA)


def test_another_process_that_holds_the_index_is_named(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("versiondiff.project.index_lock._PATIENCE", 0.1)
    lock = project.folder / ".git/index.lock"
    lock.touch()
    with pytest.raises(Conflict, match=r"index\.lock: another git process"):
        project.start_run("load", author=MIKA)
    assert lock.exists()
    lock.unlink()
    project.start_run("load", author=MIKA)


def test_a_lock_of_a_dead_writer_is_removed(project: Project) -> None:
    lock = project.folder / ".git/index.lock"
    lock.write_bytes(b"versiondiff\n")
    Project.open(project.folder)
    assert not lock.exists()


def test_a_branch_moved_meanwhile_is_a_conflict(
    project: Project, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = references.move

    (project.folder / "tsugumi.json").write_bytes(b"1")
    # git's commit needs the index, which is locked; so it moves the branch in another way.
    monkeypatch.setattr(
        references,
        "move",
        lambda *arguments: (
            git.run("update-ref", "refs/heads/main", git.commit(git.tree())),
            real(*arguments),
        ),
    )
    with pytest.raises(Conflict, match="was moved by another process"):
        project.start_run("load", author=MIKA)
    assert (project.folder / "tsugumi.json").read_bytes() == b"1"


@pytest.mark.parametrize(
    "author",
    [
        Signature(name="", email="x", time=0),
        Signature(name=" Mika", email="x", time=0),
        Signature(name="Mi<ka", email="x", time=0),
        Signature(name="Mika", email="x\n", time=0),
        Signature(name="Mika", email="x", time=-1),
        Signature(name="Mika", email="x", time=253_402_300_800),
        Signature(name="Mika", email="x", time=0, offset=841),
        Signature(name="Mi\udce9", email="x", time=0),
    ],
)
def test_people_are_checked(project: Project, author: Signature) -> None:
    before = look(project.folder)
    with pytest.raises(InvalidInput, match=r"^author: "):
        project.start_run("load", author=author)
    assert look(project.folder) == before


def test_people_are_written_as_they_are(project: Project, git: Git) -> None:
    """libgit2 would drop the dots, and refuse the address."""
    author = Signature(name="Jr.", email="", time=0, offset=-570)
    (project.folder / "tsugumi.json").write_bytes(b"1")
    project.start_run("load", author=author)
    assert b"\nauthor Jr. <> 0 -0930\n" in git.run("cat-file", "commit", "HEAD")
    git.run("fsck", "--strict")
