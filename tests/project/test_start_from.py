"""Going back to a version: which branch goes on, what is kept, and what is refused."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from oracle.repositories import ENVIRONMENT, Git
from project.projects import MIKA, fill, is_clean, look
from versiondiff import Conflict, Durability, InvalidInput, NotFound, VersionDiffError
from versiondiff.project import Project, StartedFrom, UnsavedChanges, journal, references
from versiondiff.project.disk import Disk

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Three versions on `main`."""
    folder = tmp_path / "project"
    fill(folder, {"file": b"1"})
    project = Project.start(folder, author=MIKA)
    for content in (b"2", b"3"):
        (folder / "file").write_bytes(content)
        project.start_run("load", author=MIKA)
    return project


def file_of(project: Project) -> bytes:
    return (project.folder / "file").read_bytes()


# ── Branches ────────────────────────────────────────────────────────────────────────────────────


def test_elsewhere_a_branch_begins(project: Project, git: Git) -> None:
    first = git.text("rev-parse", "main~2")
    started = project.start_from("main~2", author=MIKA)
    branch = f"try-{first[:7]}"
    assert started == StartedFrom(commit=first, branch=branch, branch_made=True)
    assert git.text("symbolic-ref", "HEAD") == f"refs/heads/{branch}"
    assert file_of(project) == b"1"
    assert is_clean(project.folder)
    (project.folder / "file").write_bytes(b"other")
    other = project.start_run("load", author=MIKA)
    assert other.branch == branch
    assert git.text("rev-parse", f"{branch}^") == first


def test_at_the_tip_the_branch_goes_on(project: Project, git: Git) -> None:
    project.start_from("main~2", author=MIKA)
    back = project.start_from("main", author=MIKA)
    assert (back.branch, back.branch_made) == ("main", False)
    assert file_of(project) == b"3"
    assert git.text("symbolic-ref", "HEAD") == "refs/heads/main"


def test_which_of_several_branches_goes_on(project: Project, git: Git) -> None:
    git.run("branch", "a-branch")
    git.run("branch", "try-b")
    git.run("checkout", "--quiet", "try-b")
    assert project.start_from("main", author=MIKA).branch == "try-b"
    git.run("checkout", "--quiet", "main~1")
    assert project.start_from("try-b", author=MIKA).branch == "main"
    git.run("checkout", "--quiet", "main~1")
    git.run("branch", "-D", "main")
    assert project.start_from("try-b", author=MIKA).branch == "a-branch"


def test_a_branch_is_named_after_the_kept_version(project: Project, git: Git) -> None:
    project.keep("rgb-v1", author=MIKA)
    git.run("tag", "another", "main")
    (project.folder / "file").write_bytes(b"4")
    project.start_run("load", author=MIKA)
    assert project.start_from("rgb-v1", author=MIKA).branch == "try-rgb-v1"
    (project.folder / "file").write_bytes(b"5")
    project.start_run("load", author=MIKA)
    assert project.start_from("rgb-v1", author=MIKA).branch == "try-rgb-v1-2"
    (project.folder / "file").write_bytes(b"6")
    project.start_run("load", author=MIKA)
    assert project.start_from("main~1", author=MIKA).branch == "try-another"


def test_a_name_is_taken_by_a_folder_of_branches_too(project: Project, git: Git) -> None:
    first = git.text("rev-parse", "main~2")
    git.run("branch", f"try-{first[:7]}/x", "main~1")
    assert project.start_from(first, author=MIKA).branch == f"try-{first[:7]}-2"


def test_versions_of_a_detached_head_get_a_branch(project: Project, git: Git) -> None:
    git.run("checkout", "--quiet", "--detach")
    git.run("commit", "--quiet", "--allow-empty", "-m", "on no branch")
    lost = git.text("rev-parse", "HEAD")
    started = project.start_from("main", author=MIKA)
    assert started.branch == "main"
    assert git.text("rev-parse", f"try-{lost[:7]}") == lost
    # It may be where one goes on.
    git.run("checkout", "--quiet", "--detach", "main")
    git.run("commit", "--quiet", "--allow-empty", "-m", "on no branch either")
    here = git.text("rev-parse", "HEAD")
    started = project.start_from("HEAD", author=MIKA)
    assert started == StartedFrom(commit=here, branch=f"try-{here[:7]}", branch_made=True)
    # What a branch leads to already needs no other.
    git.run("checkout", "--quiet", "main~1")
    project.start_from("main", author=MIKA)
    assert len(git.text("branch").splitlines()) == 3


def test_from_a_branch_without_versions(project: Project, git: Git) -> None:
    git.run("checkout", "--quiet", "--orphan", "new")
    git.run("rm", "-r", "--quiet", "--cached", ".")
    started = project.start_from("main", author=MIKA)
    # What was in the folder became the first version of that branch.
    assert started.kept == git.text("rev-parse", "new")
    assert started.branch == "main"
    assert is_clean(project.folder)


# ── Unsaved content ─────────────────────────────────────────────────────────────────────────────


def test_the_content_is_kept_as_a_version_first(project: Project, git: Git) -> None:
    (project.folder / "file").write_bytes(b"unsaved")
    fill(project.folder, {"new/file": b""})
    started = project.start_from("main~2", author=MIKA)
    assert started.kept == git.text("rev-parse", "main")
    assert git.run("show", "main:file") == b"unsaved"
    first = git.text("rev-parse", "HEAD")
    assert git.text("log", "-1", "--format=%s", "main") == f"Before starting from {first[:7]}"
    assert not (project.folder / "new").exists()
    assert project.start_from("main", author=MIKA, language="ja").kept is None
    assert file_of(project) == b"unsaved"


def test_the_tip_is_no_tip_any_more_once_the_content_was_kept(project: Project, git: Git) -> None:
    (project.folder / "file").write_bytes(b"unsaved")
    tip = git.text("rev-parse", "main")
    started = project.start_from("main", author=MIKA, language="ja")
    assert (started.commit, started.branch) == (tip, f"try-{tip[:7]}")
    assert git.text("rev-parse", "main^") == tip
    assert git.text("log", "-1", "--format=%s", "main") == f"{tip[:7]} から始める前の内容"


def test_the_content_of_a_detached_head_is_kept_on_a_branch(project: Project, git: Git) -> None:
    git.run("checkout", "--quiet", "main~1")
    middle = git.text("rev-parse", "HEAD")
    (project.folder / "file").write_bytes(b"unsaved")
    started = project.start_from("main~2", author=MIKA)
    assert git.text("rev-parse", f"try-{middle[:7]}") == started.kept
    assert git.text("rev-parse", f"try-{middle[:7]}^") == middle


def test_unsaved_content_is_refused_with_its_paths(project: Project) -> None:
    fill(project.folder, {f"new/{number}": b"" for number in range(8)})
    before = look(project.folder)
    with pytest.raises(Conflict) as raised:
        project.start_from("main~2", author=MIKA, unsaved=UnsavedChanges.REFUSE)
    assert str(raised.value) == (
        "unsaved changes: new/0, new/1, new/2, new/3, new/4, new/5 and 2 more"
    )
    assert look(project.folder) == before


def test_without_unsaved_content_nothing_is_refused(project: Project) -> None:
    project.start_from("main~2", author=MIKA, unsaved=UnsavedChanges.REFUSE)
    assert file_of(project) == b"1"


def test_ignored_files_stay(project: Project) -> None:
    fill(project.folder, {".tsugumi/state": b"state", ".tsugumi/sub/x": b""})
    project.start_from("main~2", author=MIKA)
    assert (project.folder / ".tsugumi/state").read_bytes() == b"state"


# ── Refused ─────────────────────────────────────────────────────────────────────────────────────


def test_a_run_that_is_going_is_not_disturbed(project: Project) -> None:
    before = look(project.folder)
    with pytest.raises(Conflict, match="a run is going"):
        project.start_from("main~2", author=MIKA, run_going=True)
    assert look(project.folder) == before


def test_an_unknown_version(project: Project) -> None:
    with pytest.raises(NotFound):
        project.start_from("nowhere", author=MIKA)


HOSTILE = [
    b"..", b".", b".git", b".GIT", b".Git", b"git~1", b".git ", b".git.",
    b".git::$INDEX_ALLOCATION", b".g\xe2\x80\x8cit", b"a/../../x", b"/x", b".git\\hooks",
]  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("below", [b"", b"folder"])
def test_paths_that_must_not_be_written(
    project: Project, git: Git, name: bytes, below: bytes
) -> None:
    tree = git.tree(("100644", name, git.blob(b"evil")))
    if below:
        tree = git.tree(("40000", below, tree))
    version = git.commit(tree)
    before = look(project.folder)
    with pytest.raises(VersionDiffError, match="a path of the version that"):
        project.start_from(version, author=MIKA)
    assert look(project.folder) == before
    with pytest.raises(VersionDiffError):
        Project.open(project.folder).start_from(
            git.commit(git.tree(("40000", name, tree))), author=MIKA
        )
    assert look(project.folder) == before


def test_broken_versions(project: Project, git: Git) -> None:
    blob, missing = git.blob(b"x"), "1" * 40
    trees = {
        "twice": git.tree(("100644", b"x", blob), ("100644", b"x", blob)),
        "no name": git.tree(("100644", b"", blob)),
        "a blob as a tree": git.tree(("40000", b"x", blob)),
        "a tree as a blob": git.tree(("100644", b"x", git.tree())),
        "no such blob": git.tree(("100644", b"x", missing)),
        "no such tree": git.tree(("40000", b"x", missing)),
        "a link with a NUL": git.tree(("120000", b"x", git.blob(b"a\0b"))),
        "a link to nothing": git.tree(("120000", b"x", git.blob(b""))),
        "a link for .gitmodules": git.tree(("120000", b".gitmodules", blob)),
        "a name that is too long": git.tree(("100644", b"x" * 300, blob)),
    }
    before = look(project.folder)
    for what, tree in trees.items():
        version = git.commit(tree)
        with pytest.raises(VersionDiffError):
            project.start_from(version, author=MIKA)
        assert look(project.folder) == before, what


def test_old_modes_are_no_difference(project: Project, git: Git) -> None:
    """Early versions of git wrote modes that it does not write any more."""
    version = git.commit(git.tree(("100664", b"file", git.blob(b"1"))))
    project.start_from(version, author=MIKA)
    assert is_clean(project.folder)
    assert not project.start_run("load", author=MIKA).made


def test_no_link_leads_out_of_the_folder(project: Project, git: Git, tmp_path: Path) -> None:
    """A version has a file below what is a link in the folder."""
    outside = tmp_path / "outside"
    outside.mkdir()
    inner = git.tree(("100644", b"file", git.blob(b"evil")))
    version = git.commit(git.tree(("40000", b"way", inner)))
    (project.folder / "way").symlink_to(outside)
    started = project.start_from(version, author=MIKA)
    # The link itself was unsaved content, and is in a version now.
    assert git.run("show", f"{started.kept}:way") == os.fsencode(outside)
    assert list(outside.iterdir()) == []
    assert not (project.folder / "way").is_symlink()
    project.start_from("main", author=MIKA)
    assert (project.folder / "way").is_symlink()
    assert list(outside.iterdir()) == []


def test_a_tree_with_a_link_and_files_below_it(project: Project, git: Git, tmp_path: Path) -> None:
    inner = git.tree(("100644", b"file", git.blob(b"evil")))
    link = git.blob(os.fsencode(tmp_path))
    tree = git.tree(("120000", b"way", link), ("40000", b"way", inner))
    before = look(project.folder)
    with pytest.raises(InvalidInput):
        project.start_from(git.commit(tree), author=MIKA)
    assert look(project.folder) == before
    assert not (tmp_path / "file").exists()


def test_an_edit_made_meanwhile_is_not_lost(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = journal.write

    def edited(path: Path, entry: journal.Journal, disk: Disk) -> None:
        (project.folder / "file").write_bytes(b"edited")
        real(path, entry, disk)

    monkeypatch.setattr(journal, "write", edited)
    with pytest.raises(Conflict, match="file: was changed meanwhile"):
        project.start_from("main~2", author=MIKA)
    monkeypatch.undo()
    assert file_of(project) == b"edited"
    assert project.unsaved_changes() == ("file",)


def test_a_file_put_there_meanwhile_is_not_lost(
    project: Project, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project.folder / "file").unlink()
    project.start_run("gone", author=MIKA)
    real = journal.write

    def put(path: Path, entry: journal.Journal, disk: Disk) -> None:
        (project.folder / "file").write_bytes(b"new")
        real(path, entry, disk)

    monkeypatch.setattr(journal, "write", put)
    with pytest.raises(Conflict, match="file: was put there meanwhile"):
        project.start_from("main~2", author=MIKA)
    monkeypatch.undo()
    assert file_of(project) == b"new"
    assert git.text("symbolic-ref", "HEAD") == "refs/heads/main"


# ── A git directory from someone else ───────────────────────────────────────────────────────────


@pytest.mark.parametrize("path", [b"../victim", b"a/../../victim", b".git/hooks/x", b"/victim"])
def test_a_journal_from_someone_else_moves_nothing(project: Project, path: bytes) -> None:
    victim = project.folder.parent / "victim"
    victim.write_bytes(b"precious")
    own = project.folder / ".git/versiondiff"
    fill(own, {"old/0": b"evil"})
    evil = journal.Journal(
        phase=journal.Phase.MOVING,
        taken=(journal.Taken(path=path),),
        made=(),
        placed=(journal.Placed(path=path, number=0, identity=journal.Identity.of(victim.lstat())),),
        left=(),
        moves=(),
        person=references.Person(name="x", email="x"),
    )
    journal.write(own / "journal.json", evil, Disk(Durability.PROCESS))
    with pytest.raises(InvalidInput, match="must not be written"):
        Project.open(project.folder)
    assert victim.read_bytes() == b"precious"


@pytest.mark.parametrize("name", ["", "bench", "journal.new", "index.lock-token", "new"])
def test_nothing_is_written_through_a_link(project: Project, tmp_path: Path, name: str) -> None:
    target = tmp_path / "elsewhere"
    fill(target, {"new/precious": b"", "bench/precious": b""})
    own = project.folder / ".git/versiondiff"
    if name:
        own.mkdir(exist_ok=True)
        (own / name).symlink_to(target)
    else:
        own.rmdir()
        own.symlink_to(target)
    before = sorted(target.rglob("*"))
    with pytest.raises(InvalidInput, match="link"):
        project.start_from("main~1", author=MIKA)
    assert sorted(target.rglob("*")) == before


# ── The index ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("version", [2, 3, 4])
def test_the_index_knows_the_files(project: Project, git: Git, version: int) -> None:
    """git takes none of the restored files for changed, and so need not read them again."""
    fill(project.folder, {f"folder/{number:03}": b"x" * number for number in range(150)})
    fill(project.folder, {"folder/with a long name, longer than others": b"", "flagged": b""})
    project.start_run("more", author=MIKA)
    for path in (project.folder / "folder").iterdir():
        path.write_bytes(b"changed")
    project.start_run("changed", author=MIKA)
    git.run("update-index", "--index-version", str(version), "--force-write-index")
    if version == 3:
        git.run("update-index", "--skip-worktree", "flagged")
    project.start_from("main~1", author=MIKA)
    assert git.text("diff-files", "--name-only") == ""
    assert is_clean(project.folder)
    project.start_from("main", author=MIKA)
    assert git.text("diff-files", "--name-only") == ""
    git.run("fsck", "--strict")


# ── Submodules and other repositories ───────────────────────────────────────────────────────────


def test_submodules_are_left_to_git(project: Project, git: Git) -> None:
    inner = Git.init(project.folder / "inner")
    inner.run("commit", "--quiet", "--allow-empty", "-m", "one")
    git.run("add", "inner")
    git.run("commit", "--quiet", "-m", "a submodule")
    fill(inner.path, {"work": b"in progress"})
    project.start_from("main~1", author=MIKA)
    assert (inner.path / "work").read_bytes() == b"in progress"
    project.start_from("main", author=MIKA)
    assert git.text("rev-parse", "HEAD:inner") == inner.text("rev-parse", "HEAD")
    assert (inner.path / "work").read_bytes() == b"in progress"


def test_a_submodule_that_is_not_there_is_an_empty_folder(project: Project, git: Git) -> None:
    version = git.commit(git.tree(("160000", b"inner", "1" * 40)))
    project.start_from(version, author=MIKA)
    assert (project.folder / "inner").is_dir()
    assert is_clean(project.folder)
    project.start_from("main", author=MIKA)
    assert not (project.folder / "inner").exists()


# ── Several at once ─────────────────────────────────────────────────────────────────────────────

RACE = """
import sys
from versiondiff.project import Project
from project.projects import MIKA

project = Project.open(sys.argv[1])
for number in range(6):
    (project.folder / f"file-{sys.argv[2]}-{number}").write_text("x")
    project.start_run(f"{sys.argv[2]}-{number}", author=MIKA)
    project.keep(f"v-{sys.argv[2]}-{number}", author=MIKA)
"""


def test_writers_wait_for_each_other(project: Project, git: Git) -> None:
    environment = {**ENVIRONMENT, "PYTHONPATH": os.pathsep.join(sys.path)}
    writers = [
        subprocess.Popen([sys.executable, "-c", RACE, project.folder, str(number)], env=environment)
        for number in range(3)
    ]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    assert len(git.text("tag").splitlines()) == 18
    assert len(git.text("ls-files", "file-*").splitlines()) == 18
    assert is_clean(project.folder)
    git.run("fsck", "--strict", "--no-dangling")
