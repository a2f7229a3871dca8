"""No line is lost, whoever writes at the same time and whenever one is killed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import versiondiff
from notes.writers import WHO
from oracle.repositories import ENVIRONMENT, Git
from versiondiff import Conflict, Repository, _core

if TYPE_CHECKING:
    from versiondiff.backends import Backend

PROGRAM = Path(__file__).with_name("writers.py")
# The package that is under test, wherever it is.
PACKAGE = str(Path(versiondiff.__file__).parents[1])
LINE = re.compile(rb"writer (\w+) line (\d+) end\n")


def start(*arguments: str) -> subprocess.Popen[bytes]:
    environment = os.environ | {"PYTHONPATH": PACKAGE}
    return subprocess.Popen(
        [sys.executable, PROGRAM, *arguments],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def commits(git: Git, count: int) -> list[str]:
    return git.chain(*[git.tree()] * count)


def lines(git: Git) -> dict[str, dict[str, list[int]]]:
    """The numbers of each writer's lines, in order, by commit; every line is whole."""
    found: dict[str, dict[str, list[int]]] = {}
    for note in Repository.open(git.path).notes("tsugumi"):
        by_writer = found.setdefault(note.target, defaultdict(list))
        assert LINE.sub(b"", note.content) == b""
        for line in LINE.finditer(note.content):
            by_writer[line[1].decode()].append(int(line[2]))
    return found


@pytest.mark.parametrize(
    ("backends", "targets"),
    [(["gix"], 1), (["gix"], 8), (["gix", "pygit2"], 8)],
    ids=["one note", "eight notes", "both backends"],
)
def test_eight_processes_lose_nothing(tmp_path: Path, backends: list[str], targets: int) -> None:
    if "pygit2" in backends:
        pytest.importorskip("pygit2")
    git = Git.init(tmp_path)
    about = commits(git, targets)
    writers = [
        start("append", str(tmp_path), backends[number % len(backends)], str(number), *about)
        for number in range(8)
    ]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write(b"go\n")
        writer.stdin.flush()
    for writer in writers:
        _, errors = writer.communicate(timeout=120)
        assert writer.returncode == 0, errors.decode()
    found = lines(git)
    assert set(found) == set(about)
    for number, target in enumerate(about):
        expected = list(range(number, 50, targets))
        assert found[target] == {str(writer): expected for writer in range(8)}
    assert git.text("rev-list", "--count", "refs/notes/tsugumi") == "400"
    assert git.run("fsck", "--strict") == b""


def test_a_killed_holder_of_the_lock_leaves_no_lock_file_of_git(tmp_path: Path) -> None:
    git = Git.init(tmp_path)
    commits(git, 1)
    lock = git.path / ".git/index.lock"
    program = (
        "import sys, time; from versiondiff import _core\n"
        "with _core.WriteLock(sys.argv[1], ['index.lock'], 5.0):\n"
        "    time.sleep(1.2); open(sys.argv[2], 'w').close(); print(flush=True); time.sleep(60)"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", program, lock.parent, lock],
        env=os.environ | {"PYTHONPATH": PACKAGE},
        stdout=subprocess.PIPE,
    )
    assert holder.stdout is not None
    holder.stdout.readline()
    with pytest.raises(Conflict), _core.WriteLock(lock.parent, ["index.lock"], 0.05):
        pass
    holder.kill()
    holder.communicate()
    assert lock.exists()
    with _core.WriteLock(lock.parent, ["index.lock"], 0.5):
        assert not lock.exists()
    # What git makes afterwards is git's.
    lock.write_bytes(b"")
    with (
        pytest.raises(Conflict, match=r"index\.lock"),
        _core.WriteLock(lock.parent, ["index.lock"], 0.05),
    ):
        pass
    assert lock.exists()


def test_a_forked_process_holds_nothing_of_its_parent(tmp_path: Path) -> None:
    Git.init(tmp_path)
    program = (
        "import os, sys, time; from versiondiff import Conflict, _core\n"
        "lock = lambda: _core.WriteLock(sys.argv[1], [], 0.05)\n"
        "with lock():\n"
        "    child = os.fork()\n"
        "    if child == 0:\n"
        "        try:\n"
        "            with lock(): os._exit(1)\n"
        "        except Conflict: time.sleep(60)\n"
        "    time.sleep(0.3)\n"
        "    assert os.waitpid(child, os.WNOHANG) == (0, 0)\n"
        "with lock(): pass\n"
        "os.kill(child, 9)"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program, tmp_path / ".git"],
        env=os.environ | {"PYTHONPATH": PACKAGE},
        check=False,
    )
    assert done.returncode == 0


def run_threads(count: int, work: object) -> None:
    assert callable(work)
    failures: list[BaseException] = []

    def guarded(number: int) -> None:
        try:
            work(number)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures


@pytest.mark.parametrize("backend", ["gix", "pygit2"])
def test_sixty_four_threads_on_one_handle_lose_nothing(tmp_path: Path, backend: Backend) -> None:
    if backend == "pygit2":
        pytest.importorskip("pygit2")
    git = Git.init(tmp_path)
    (commit,) = commits(git, 1)
    notes = Repository.open(tmp_path, backend=backend).notes("tsugumi")

    def write(thread: int) -> None:
        for number in range(4):
            line = f"writer {thread} line {number} end\n"
            notes.append(commit, line, author=WHO, separator=None, timeout=60.0)

    run_threads(64, write)
    assert lines(git)[commit] == {str(thread): list(range(4)) for thread in range(64)}


def test_what_git_writes_at_the_same_time_is_kept(tmp_path: Path) -> None:
    """Git's own command writes over what came since it read; what it wrote is never lost here."""
    git = Git.init(tmp_path)
    (commit,) = commits(git, 1)
    notes = Repository.open(tmp_path).notes("tsugumi")
    by_git: list[int] = []
    made: list[str] = []

    def write(thread: int) -> None:
        for number in range(20):
            line = f"writer {thread} line {number} end\n"
            if thread == 0:
                command = ["git", "notes", "--ref=tsugumi", "append", "--no-separator"]
                done = subprocess.run(
                    [*command, "-m", line, commit],
                    cwd=tmp_path,
                    env=ENVIRONMENT,
                    capture_output=True,
                    check=False,
                )
                # It gives up where it meets a lock file.
                if done.returncode == 0:
                    by_git.append(number)
            else:
                made.append(notes.append(commit, line, author=WHO, separator=None))

    run_threads(5, write)
    found = lines(git)[commit]
    assert found["0"] == by_git
    assert by_git
    for writer in map(str, range(1, 5)):
        assert found[writer] == sorted(set(found[writer]))
    assert len(set(made)) == 80
    git.run("fsck", "--strict")


@pytest.mark.parametrize("backend", ["gix", "pygit2"])
def test_a_git_that_packs_references_is_in_nobodys_way(tmp_path: Path, backend: Backend) -> None:
    if backend == "pygit2":
        pytest.importorskip("pygit2")
    git = Git.init(tmp_path)
    (commit,) = commits(git, 1)
    notes = Repository.open(tmp_path, backend=backend).notes("tsugumi")
    other = git.tree()
    notes.set(other, b"there", author=WHO)
    done = threading.Event()

    def work(thread: int) -> None:
        if thread == 0:
            while not done.is_set():
                git.run("pack-refs", "--all")
        else:
            try:
                for number in range(150):
                    line = f"writer 1 line {number} end\n"
                    notes.append(commit, line, author=WHO, separator=None)
                    assert notes.get(other) == b"there"
            finally:
                done.set()

    run_threads(2, work)
    notes.remove(other, author=WHO)
    assert lines(git)[commit] == {"1": list(range(150))}


@pytest.mark.parametrize(("backend", "kills"), [("gix", 50), ("pygit2", 15)])
def test_a_killed_writer_leaves_all_it_wrote_and_nothing_in_the_way(
    tmp_path: Path, backend: str, kills: int
) -> None:
    if backend == "pygit2":
        pytest.importorskip("pygit2")
    git = Git.init(tmp_path)
    about = commits(git, 3)
    # When a writer is cut off is left to chance, and differs in each run.
    program = start("be-killed", str(tmp_path), backend, str(kills), *about)
    said, errors = program.communicate(timeout=120)
    assert program.returncode == 0, errors.decode()
    found = lines(git)
    assert LINE.sub(b"", said) == b""
    claimed: dict[str, list[int]] = defaultdict(list)
    for line in LINE.finditer(said):
        claimed[line[1].decode()].append(int(line[2]))
    assert len(claimed) == kills + 1
    for writer, numbers in claimed.items():
        written = sorted(number for by_writer in found.values() for number in by_writer[writer])
        # What was written and could not be said any more is one line at most.
        assert written in (numbers, [*numbers, len(numbers)])
    assert (tmp_path / ".git/versiondiff.lock").read_bytes() == b""
    assert not (tmp_path / ".git/refs/notes/tsugumi.lock").exists()
    git.run("fsck", "--strict")
