"""Versions made when a run starts."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from oracle.repositories import Git
from project.projects import MIKA, fill, is_clean, look
from versiondiff.project import Project, RunStarted
from versiondiff.runs import CardOutcome, CardResult, RunResult, RunStatus, WholeRun

if TYPE_CHECKING:
    from pathlib import Path


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


@pytest.mark.parametrize(
    "name", ['quo"te', "back\\slash", "#;[x]", "new\nline", " spaces ", "日本", "latin-\udce9"]
)
def test_folders_of_any_name(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    fill(folder, {"file": b"1"})
    project = Project.start(folder, author=MIKA)
    (folder / "file").write_bytes(b"2")
    assert project.start_run("load", author=MIKA).made
    project.start_from("main~1", author=MIKA)
    assert (folder / "file").read_bytes() == b"1"
    assert is_clean(folder)


def test_files_that_were_only_announced_are_in_the_version(project: Project, git: Git) -> None:
    fill(project.folder, {"announced": b"1"})
    git.run("add", "--intent-to-add", "announced")
    assert project.start_run("load", author=MIKA).made
    assert git.run("show", "HEAD:announced") == b"1"
    assert is_clean(project.folder)


@pytest.mark.parametrize("flag", ["--skip-worktree", "--assume-unchanged"])
def test_files_that_git_is_told_not_to_look_at_stay(project: Project, git: Git, flag: str) -> None:
    git.run("update-index", flag, "tsugumi.json")
    (project.folder / "tsugumi.json").unlink()
    assert project.unsaved_changes() == ()
    fill(project.folder, {"more": b""})
    project.start_run("load", author=MIKA)
    assert git.run("show", "HEAD:tsugumi.json") == b"{}"
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


def test_how_a_run_ended_is_noted(project: Project, git: Git) -> None:
    started = project.start_run("load", author=MIKA)
    run = RunResult(
        id="3f2a9c1e-0000-4000-8000-000000000000",
        status=RunStatus.SUCCEEDED,
        ended=1_793_787_120,
        seconds=12.3,
        start=WholeRun(trigger=None),
        cards=(CardResult(name="load", outcome=CardOutcome.SUCCEEDED),),
    )
    line = project.end_run(started.commit, run, author=MIKA)
    assert git.text("notes", "--ref=tsugumi", "show", started.commit) == line.text()
    assert is_clean(project.folder)


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


def test_a_repository_made_over_files_of_a_version_is_refused(project: Project) -> None:
    inner = Git.init(project.folder / "definitions")
    inner.run("add", ".")
    inner.run("commit", "--quiet", "-m", "theirs")
    (project.folder / "definitions/load/_card.json").write_bytes(b"changed")
    started = project.start_run("load", author=MIKA)
    # Files that are in the version are the project's, whatever stands above them.
    assert started.made
    assert project.repository.version("HEAD").id == started.commit
    assert "definitions/load/_card.json" in Git(project.folder).text("ls-files").splitlines()


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
