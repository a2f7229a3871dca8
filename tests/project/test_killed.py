"""A process that dies at any step leaves the old content or the new one."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from oracle.repositories import ENVIRONMENT, Git
from project.faults import CREATING, MOVING, at_each_call, die_at, no_room_from
from project.projects import MIKA, fill, locks, look
from versiondiff import VersionDiffError
from versiondiff.project import Project, Recovery

if TYPE_CHECKING:
    from collections.abc import Callable

TIMES = 1_000_000


def make(folder: Path) -> str:
    """A project whose first version differs from its content in every way; that version."""
    fill(
        folder,
        {
            "same": b"the same",
            "changed": b"1\n",
            "folder/in/it": b"deep",
            "swap": b"a file",
            "mode": b"#!/bin/sh\n",
            "link": "same",
        },
    )
    Project.start(folder, author=MIKA)
    for name in ("changed", "swap", "link"):
        (folder / name).unlink()
    shutil.rmtree(folder / "folder")
    (folder / "mode").chmod(0o755)
    fill(
        folder,
        {
            "changed": b"2\n",
            "swap/is/now": b"a folder",
            "folder": b"is now a file",
            "link": "changed",
            "added": b"new",
            "data/table": b"unsaved",
        },
    )
    Project.open(folder).start_run("swap", author=MIKA)
    (folder / "data/table").write_bytes(b"not in a version yet")
    (folder / ".git/info/exclude").write_text("ignored\n")
    fill(folder, {"swap/ignored": b"", "ignored": b"stays"})
    (folder / "swap/ignored").unlink()
    return Git(folder).text("rev-parse", "main~1")


def restore(folder: Path, version: str) -> None:
    Project.open(folder).start_from(version, author=MIKA)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


class Watched:
    """A project as it is before a version is restored, and as it is to be afterwards."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.version = make(folder)
        self.saved = folder.with_name("saved")
        shutil.copytree(folder, self.saved, symlinks=True)
        self.old = look(folder)
        restore(folder, self.version)
        self.new = look(folder)
        assert self.old.files != self.new.files
        assert self.old.references != self.new.references

    def reset(self) -> None:
        shutil.rmtree(self.folder)
        shutil.copytree(self.saved, self.folder, symlinks=True)

    def check(self) -> str:
        """Old or new, whatever happened; which of the two."""
        found = look(self.folder)
        which = "old" if found == self.old else "new"
        assert found == {"old": self.old, "new": self.new}[which]
        assert locks(self.folder) == []
        return which


def in_child(work: Callable[[], None]) -> int:
    """Fork, and do something in the child; how it ended."""
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException:
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return status


def kill_at_steps(folder: Path, first: int, stride: int) -> None:
    watched = Watched(folder)
    watched.reset()
    with at_each_call(MOVING, die_at(-1)) as count:
        restore(watched.folder, watched.version)
    outcomes = []
    for step in range(first if first >= 0 else count[0] + first, count[0], stride):
        watched.reset()

        def work(step: int = step) -> None:
            with at_each_call(MOVING, die_at(step)):
                restore(watched.folder, watched.version)

        status = in_child(work)
        if os.WIFEXITED(status):
            # One run may take a step more or less than another.
            assert os.WEXITSTATUS(status) == 0
            assert watched.check() == "new"
            break
        assert os.WTERMSIG(status) == signal.SIGKILL
        opened = Project.open(watched.folder)
        which = watched.check()
        if opened.recovered is not None:
            assert which == {Recovery.FINISHED: "new", Recovery.UNDONE: "old"}[opened.recovered]
        outcomes.append(opened.recovered)
        # What comes next is not held up.
        opened.start_run("again", author=MIKA)
        opened.start_from(watched.version, author=MIKA)
    Git(watched.folder).run("fsck", "--strict", "--no-dangling")
    undone = outcomes.count(Recovery.UNDONE)
    finished = outcomes.count(Recovery.FINISHED)
    sys.stdout.write(f"{len(outcomes)} {undone} {finished}")


def kill_at_random(folder: Path, seed: int, kills: int) -> None:
    chance = random.Random(seed)
    watched = Watched(folder)
    watched.reset()
    start = time.perf_counter()
    restore(watched.folder, watched.version)
    usual = time.perf_counter() - start
    killed = 0
    while killed < kills:
        watched.reset()
        child = os.fork()
        if child == 0:
            restore(watched.folder, watched.version)
            os._exit(0)
        time.sleep(chance.uniform(0, usual * 1.2))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        killed += os.WIFSIGNALED(status)
        Project.open(watched.folder).unsaved_changes()
        watched.check()
    Git(watched.folder).run("fsck", "--strict", "--no-dangling")
    sys.stdout.write(f"{killed} kills")


def run_apart(tmp_path: Path, *arguments: str) -> str:
    """Run this file: the processes of pytest have threads, and must not be forked."""
    done = subprocess.run(
        [sys.executable, __file__, str(tmp_path / "project"), *arguments],
        capture_output=True,
        text=True,
        env={**ENVIRONMENT, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("first", [0, 7])
def test_killed_all_along(tmp_path: Path, first: int) -> None:
    kills, undone, _ = run_apart(tmp_path, "steps", str(first), "19").split()
    assert int(kills) > 10
    assert int(undone) > 0


def test_killed_near_the_end(tmp_path: Path) -> None:
    kills, undone, finished = run_apart(tmp_path, "steps", "-80", "5").split()
    assert int(kills) > 10
    assert int(undone) > 0
    assert int(finished) > 0


@pytest.mark.parametrize("seed", range(2))
def test_killed_at_random(tmp_path: Path, seed: int) -> None:
    assert run_apart(tmp_path, "random", str(seed), "8").startswith("8 kills")


@pytest.mark.parametrize("times", [1, TIMES], ids=["once", "from then on"])
def test_no_room_at_any_step(project: Path, times: int) -> None:
    """Nothing is changed, or everything: a full disk is told, and the next call goes through."""
    watched = Watched(project)
    names = MOVING if times == 1 else CREATING
    refused = 0
    for step in range(0, 1000, 7 if times == 1 else 4):
        watched.reset()
        try:
            with at_each_call(names, no_room_from(step, times=times)) as count:
                restore(watched.folder, watched.version)
        except VersionDiffError:
            Project.open(watched.folder)
            assert watched.check() == "old"
            refused += 1
        else:
            # What could not be tidied up is no failure; the next one does it.
            Project.open(watched.folder)
            assert watched.check() == "new"
            if count[0] // 2 <= step:
                break
    assert refused > 5


if __name__ == "__main__":
    place = Path(sys.argv[1])
    place.mkdir()
    number, other = int(sys.argv[3]), int(sys.argv[4])
    {"steps": kill_at_steps, "random": kill_at_random}[sys.argv[2]](place, number, other)
