"""What a power cut can take of a project."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from oracle.repositories import Git
from project.projects import MIKA, fill, is_clean, locks, look
from traced import Event, Unforced, events_of
from versiondiff import Durability, VersionDiffError
from versiondiff.project import Project

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """
import shutil, sys
from pathlib import Path
from project.projects import MIKA, fill
from versiondiff import Durability, RunResult, RunStatus, VersionDiffError, WholeRun
from versiondiff.project import Project, references

folder, durability, what = Path(sys.argv[1]), Durability(sys.argv[2]), sys.argv[3]
project = Project.start(folder, author=MIKA, durability=durability)
first = project.repository.head().commit
shutil.rmtree(folder / "sub")
fill(folder, {"sub": b"is now a file", "new/deep/er": b"1", "link": "file"})
(folder / "file").write_bytes(b"other")
(folder / ".git/mark").mkdir()
started = project.start_run("one", author=MIKA)
assert started.made
run = RunResult(
    id="1", status=RunStatus.SUCCEEDED, ended=1, seconds=1.0, start=WholeRun(), cards=()
)
project.end_run(started.commit, run, author=MIKA)
project.keep("again", memo="of the same", author=MIKA)
(folder / "file").write_bytes(b"unsaved")
(folder / ".git/mark").rmdir()
project.keep("kept", memo="a memo", author=MIKA)
if what == "fail":
    def fail(*_):
        raise VersionDiffError("references can't be moved")
    references.move = fail
try:
    project.start_from(first, author=MIKA)
except VersionDiffError:
    assert what == "fail"
"""
FILES: dict[str, bytes | str | None] = {
    "file": b"1",
    "sub/in/it": b"2",
    "run.sh": b"#!/bin/sh\n",
    "gone/later": b"",
}


def traced(tmp_path: Path, durability: str, what: str = "") -> tuple[Path, list[Event]]:
    folder = tmp_path / "project"
    fill(folder, FILES)
    return folder, events_of(tmp_path, folder, PROGRAM, str(folder), durability, what)


@pytest.mark.parametrize("what", ["", "fail"])
def test_each_step_is_on_the_disk_before_the_next_one(tmp_path: Path, what: str) -> None:
    folder, events = traced(tmp_path, "power", what)
    own = f"{folder}/.git/versiondiff"
    journal = f"{own}/journal.json/"
    aside = (f"{own}/new/", f"{own}/journal.new/", f"{own}/bench/index/")
    unforced, steps, swaps = Unforced(), 0, 0
    for at, event in enumerate(events):
        if event.path == f"{folder}/.git/mark/":
            # What was written up to here by those whose project it is is theirs to force.
            assert unforced.too_early == []
            unforced = Unforced()
            continue
        if event.path == journal:
            # It is written, or goes: all that came before is as it says.
            steps += 1
            assert unforced.matters(f"{folder}/") == []
            assert [path for path in unforced.content if path.startswith(aside)] == []
        if event.kind == "name" and event.path.startswith(
            (f"{folder}/.git/refs/", f"{folder}/.git/HEAD/")
        ):
            swaps += not event.path.endswith(".lock/")
            assert unforced.matters(f"{folder}/.git/objects/") == []
        unforced.add(event)
        if event.path == journal:
            # Nothing that it speaks of happens before it is on the disk itself, and nothing that
            # a recovery needs goes before it is gone there.
            assert events[at + 1 :][:2].count(Event("sync", f"{own}/")) == 1
    assert unforced.too_early == []
    assert unforced.matters(f"{folder}/") == []
    # Start, run and twice keep write it once, start-from twice; what is undone once more.
    assert steps == (4 * 2 + 3 if not what else 4 * 2 + 4)
    assert swaps >= 6
    git = Git(folder)
    assert is_clean(folder)
    assert locks(folder) == []
    git.run("fsck", "--strict")
    assert (folder / "file").read_bytes() == (b"unsaved" if what else b"1")
    assert (folder / "sub").is_file() == bool(what)


def test_nothing_is_forced_unless_it_is_asked_for(tmp_path: Path) -> None:
    _, events = traced(tmp_path, "process")
    assert any(event.kind == "write" for event in events)
    assert not [event for event in events if event.kind == "sync"]


@pytest.mark.parametrize("logs", [None, "always", "false"])
def test_the_results_are_the_same(tmp_path: Path, logs: str | None) -> None:
    seen = []
    for durability in Durability:
        folder = tmp_path / durability.value / "project"
        fill(folder, FILES)
        project = Project.start(folder, author=MIKA, durability=durability)
        git = Git(folder)
        if logs is not None:
            git.run("config", "core.logAllRefUpdates", logs)
        first = git.text("rev-parse", "HEAD")
        fill(folder, {"file-2": b"2"})
        project.start_run("one", author=MIKA)
        project.keep("v1", author=MIKA)
        project.start_from(first, author=MIKA)
        fill(folder, {"file-3": b"3"})
        git.run("checkout", "--detach", "--quiet")
        project.start_run("on no branch", author=MIKA)
        messages = git.run("reflog", "show", "--format=%gs", "HEAD")
        kept = sorted(str(path.relative_to(folder)) for path in folder.glob(".git/logs/**/*"))
        seen.append((look(folder), git.run("for-each-ref"), messages, kept))
        assert [*(folder / ".git/versiondiff").iterdir()] == []
    assert seen[0] == seen[1]


def test_a_linked_work_tree_is_on_the_disk_too(tmp_path: Path) -> None:
    fill(tmp_path / "main", FILES)
    Project.start(tmp_path / "main", author=MIKA)
    Git(tmp_path / "main").run("worktree", "add", "--quiet", "-b", "side", str(tmp_path / "tree"))
    project = Project.open(tmp_path / "tree", durability=Durability.POWER)
    first = project.repository.version("HEAD").id
    fill(project.folder, {"more": b"1"})
    project.start_run("one", author=MIKA)
    project.start_from(first, author=MIKA)
    assert not (project.folder / "more").exists()
    assert Git(project.folder).text("symbolic-ref", "HEAD").startswith("refs/heads/")
    assert is_clean(project.folder)
    assert is_clean(tmp_path / "main")


def test_what_can_not_be_forced_to_the_disk_is_undone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "project"
    fill(folder, FILES)
    project = Project.start(folder, author=MIKA, durability=Durability.POWER)
    first = project.repository.version("HEAD").id
    (folder / "file").write_bytes(b"2")
    project.start_run("two", author=MIKA)
    before = look(folder)
    real = os.fsync
    count = failed = 0

    def broken(descriptor: int) -> None:
        nonlocal count
        count += 1
        if count == failed:
            raise OSError(5, "Input/output error")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", broken)
    outcomes = set()
    while True:
        failed, count = failed + 1, 0
        error = ""
        try:
            project.start_from(first, author=MIKA)
        except VersionDiffError as met:
            error = str(met)
        if error:
            assert "Input/output error" in error
            assert look(folder) == before
            outcomes.add("undone")
        else:
            outcomes.add("done")
            assert (folder / "file").read_bytes() == b"1"
            if count < failed:
                break
            # Back, for the next one, which fails later.
            count = -10_000
            project.start_from("main", author=MIKA)
            assert look(folder).files == before.files
            before = look(folder)
        assert locks(folder) == []
    assert outcomes == {"undone", "done"}
    assert failed > 20
    Git(folder).run("fsck", "--strict", "--no-dangling")
