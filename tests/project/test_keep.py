"""Versions kept by name, and when none is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from project.projects import MIKA, is_clean, locks, look
from versiondiff import (
    Conflict,
    InvalidInput,
    Signature,
)
from versiondiff.project import Project, references

if TYPE_CHECKING:
    from oracle.repositories import Git


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
    with pytest.raises(Conflict, match=r"refs/tags/v1: another program"):
        Project.open(project.folder, lock_timeout=0.1).keep("v1", author=MIKA)
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
    """libgit2 would drop the dots."""
    author = Signature(name="Jr.", email=".", time=0, offset=-570)
    (project.folder / "tsugumi.json").write_bytes(b"1")
    project.start_run("load", author=author)
    assert b"\nauthor Jr. <.> 0 -0930\n" in git.run("cat-file", "commit", "HEAD")
    git.run("fsck", "--strict")
