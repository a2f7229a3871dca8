"""A process that dies at any step leaves the old content or the new one."""

from __future__ import annotations

import contextlib
import os
import random
import resource
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
from project.projects import MIKA, fill, is_clean, locks, look
from versiondiff import Conflict, Durability, VersionDiffError
from versiondiff.project import Project, Recovery

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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


def restore(folder: Path, version: str, durability: Durability = Durability.PROCESS) -> None:
    Project.open(folder, durability=durability).start_from(version, author=MIKA)


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


def kill_at_steps(
    folder: Path, first: int, stride: int, durability: Durability = Durability.PROCESS
) -> None:
    watched = Watched(folder)
    watched.reset()
    with at_each_call(MOVING, die_at(-1)) as count:
        restore(watched.folder, watched.version, durability)
    outcomes = []
    for step in range(first if first >= 0 else count[0] + first, count[0], stride):
        watched.reset()

        def work(step: int = step) -> None:
            with at_each_call(MOVING, die_at(step)):
                restore(watched.folder, watched.version, durability)

        status = in_child(work)
        if os.WIFEXITED(status):
            # One run may take a step more or less than another.
            assert os.WEXITSTATUS(status) == 0
            assert watched.check() == "new"
            break
        assert os.WTERMSIG(status) == signal.SIGKILL
        opened = Project.open(watched.folder, durability=durability)
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


def kill_where_all_is_forced(folder: Path, first: int, stride: int) -> None:
    kill_at_steps(folder, first, stride, Durability.POWER)


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


def kill_while_starting(folder: Path, first: int, stride: int) -> None:
    killed = 0
    for step in range(first, 200, stride):
        shutil.rmtree(folder)
        fill(folder, {"file": b"1", ".gitignore": b"data"})

        def work(step: int = step) -> None:
            with at_each_call(MOVING, die_at(step)):
                Project.start(folder, author=MIKA)

        if os.WIFEXITED(in_child(work)):
            break
        killed += 1
        project = Project.start(folder, author=MIKA)
        git = Git(folder)
        assert git.text("log", "--format=%s") == "Start Versioning"
        assert git.text("ls-files").splitlines() == [".gitignore", "file"]
        assert is_clean(project.folder)
        assert locks(folder) == []
    sys.stdout.write(f"{killed} kills")


def kill_while_keeping(folder: Path, seed: int, kills: int) -> None:
    chance = random.Random(seed)
    git = Git(folder)
    project = Project.start(folder, author=MIKA)
    start = time.perf_counter()
    project.keep("first", author=MIKA)
    usual = time.perf_counter() - start
    killed = number = 0
    while killed < kills:
        number += 1
        fill(folder, {f"file-{number}": b"new"})
        child = os.fork()
        if child == 0:
            Project.open(folder).keep(f"v{number}", author=MIKA)
            os._exit(0)
        time.sleep(chance.uniform(0, usual * 3))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        killed += os.WIFSIGNALED(status)
        Project.open(folder)
        subject = git.text("log", "-1", "--format=%s", "main")
        assert (f"v{number}" in git.text("tag").splitlines()) == subject.endswith(f": v{number}")
        with contextlib.suppress(Conflict):
            # The name is taken where the one that was killed had got that far.
            Project.open(folder).keep(f"v{number}", author=MIKA)
        assert git.text("rev-parse", f"v{number}^{{commit}}") == git.text("rev-parse", "main")
        assert f"file-{number}" in git.text("ls-tree", "--name-only", "main").splitlines()
        Project.open(folder).start_run("next", author=MIKA)
        assert is_clean(folder)
        assert locks(folder) == []
    git.run("fsck", "--strict", "--no-dangling")
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


@pytest.mark.parametrize("at", [("0", "41"), ("-130", "11")], ids=["all along", "near the end"])
def test_killed_where_all_is_forced_to_the_disk(tmp_path: Path, at: tuple[str, str]) -> None:
    assert int(run_apart(tmp_path, "forced", *at).split()[0]) > 5


@pytest.mark.parametrize("seed", range(2))
def test_killed_at_random(tmp_path: Path, seed: int) -> None:
    assert run_apart(tmp_path, "random", str(seed), "8").startswith("8 kills")


def test_killed_while_keeping(tmp_path: Path) -> None:
    assert run_apart(tmp_path, "keep", "0", "10").startswith("10 kills")


def test_killed_while_starting(tmp_path: Path) -> None:
    assert int(run_apart(tmp_path, "start", "0", "4").split()[0]) > 10


@pytest.mark.parametrize(
    ("times", "durability"),
    [(1, Durability.PROCESS), (TIMES, Durability.PROCESS), (TIMES, Durability.POWER)],
    ids=["once", "from then on", "from then on, forced to the disk"],
)
def test_no_room_at_any_step(project: Path, times: int, durability: Durability) -> None:
    """Nothing is changed, or everything: a full disk is told, and the next call goes through."""
    watched = Watched(project)
    names = MOVING if times == 1 else CREATING
    refused = 0
    for step in range(0, 1000, 7 if times == 1 else 4):
        watched.reset()
        try:
            with at_each_call(names, no_room_from(step, times=times)) as count:
                restore(watched.folder, watched.version, durability)
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


@contextlib.contextmanager
def files_no_larger_than(size: int) -> Iterator[None]:
    """Writing more fails, in libgit2 too, as it does on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_no_room_for_a_file(project: Path) -> None:
    large = random.Random(0).randbytes(50_000)
    fill(project, {"large": large, "small": b"1"})
    opened = Project.start(project, author=MIKA)
    (project / "large").unlink()
    fill(project, {"large": b"less"})
    opened.start_run("less", author=MIKA)
    before = look(project)
    with files_no_larger_than(20_000), pytest.raises(VersionDiffError):
        opened.start_from("main~1", author=MIKA)
    assert look(project) == before
    (project / "large").write_bytes(large[::-1])
    before = look(project)
    for work in (
        lambda: opened.start_run("more", author=MIKA),
        lambda: opened.keep("v1", author=MIKA),
        lambda: opened.start_from("main~1", author=MIKA),
    ):
        with files_no_larger_than(20_000), pytest.raises(VersionDiffError):
            work()
        assert look(project) == before
    assert opened.start_from("main~1", author=MIKA).kept is not None
    assert (project / "large").read_bytes() == large


if __name__ == "__main__":
    place = Path(sys.argv[1])
    place.mkdir()
    number, other = int(sys.argv[3]), int(sys.argv[4])
    kinds = {
        "steps": kill_at_steps,
        "forced": kill_where_all_is_forced,
        "random": kill_at_random,
        "keep": kill_while_keeping,
        "start": kill_while_starting,
    }
    kinds[sys.argv[2]](place, number, other)
