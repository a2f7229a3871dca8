"""Whoever writes at the same time, and whenever one is killed: every save is a version."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import versiondiff
from flow_history.sample_flows import MIKA, NOW, check_whole, flow, history, subjects
from oracle.repositories import Git
from versiondiff.flows.history import FlowHistory

if TYPE_CHECKING:
    from versiondiff.flows.history import SavedVersion

PROGRAM = Path(__file__).with_name("flow_writers.py")
# The packages that are under test, and that test, wherever they are.
PATHS = os.pathsep.join(
    [str(Path(versiondiff.__file__).parents[1]), str(Path(__file__).parents[1])]
)


@pytest.fixture(params=[True, False], ids=["bare", "folder"])
def bare(request: pytest.FixtureRequest) -> bool:
    if not request.param:
        pytest.importorskip("pygit2")
    return bool(request.param)


def start(*arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, PROGRAM, *arguments],
        env=os.environ | {"PYTHONPATH": PATHS},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def test_four_processes_lose_nothing(tmp_path: Path, bare: bool) -> None:
    made = history(tmp_path / "v", bare=bare)
    count = 6
    programs = [start("save", str(made.path), str(number), str(count)) for number in range(4)]
    for program in programs:
        assert program.stdin
        program.stdin.write(b"go\n")
        program.stdin.flush()
    said: list[str] = []
    for program in programs:
        out, err = program.communicate(timeout=120)
        assert program.returncode == 0, err.decode()
        said += out.decode().split()
    git = Git(made.path)
    versions = git.text("rev-list", "main").split()
    assert sorted(said) == sorted(versions[:-1])
    prompts = {
        made.files(flow_id, version.id)["prompts/conversationChain_0.systemMessagePrompt.md"]
        for flow_id in ("shared", *(f"own-{number}" for number in range(4)))
        for version in made.versions(flow_id)
    }
    assert prompts == {
        f"writer {writer} save {number}".encode() for writer in range(4) for number in range(count)
    }
    assert {entry.id for entry in made.flows()} == {"shared", "own-0", "own-1", "own-2", "own-3"}
    assert len({entry.folder for entry in made.flows()}) == 5
    # Each own flow ends with its last save: no older one came on top of it.
    for number in range(4):
        last = made.files(f"own-{number}")["prompts/conversationChain_0.systemMessagePrompt.md"]
        assert last == f"writer {number} save {count - 1}".encode()
    check_whole(made)


def test_threads_lose_nothing(tmp_path: Path, bare: bool) -> None:
    made = history(tmp_path / "v", bare=bare)
    saved: list[SavedVersion | None] = []

    def save(writer: int) -> None:
        mine = (flow(f"{writer} {number}") for number in range(4))
        saved.extend(made.save(each, author=MIKA, time=NOW) for each in mine)

    threads = [threading.Thread(target=save, args=(writer,)) for writer in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ids = [each.id for each in saved if each is not None]
    assert sorted(ids) == sorted(Git(made.path).text("rev-list", "main").split()[:-1])
    assert len(ids) == 16
    check_whole(made)


def test_commits_of_git_itself_are_kept(tmp_path: Path) -> None:
    made = history(tmp_path / "v")
    git = Git(made.path)
    stop = threading.Event()
    others: list[str] = []

    def commit() -> None:
        while not stop.is_set():
            tip = git.text("rev-parse", "main")
            tree = git.text("rev-parse", f"{tip}^{{tree}}")
            new = git.commit(tree, tip, message="by hand")
            try:
                git.run("update-ref", "refs/heads/main", new, tip)
            except AssertionError:
                continue
            others.append(new)

    thread = threading.Thread(target=commit)
    thread.start()
    try:
        saved = [made.save(flow(f"{number}"), author=MIKA, time=NOW) for number in range(20)]
    finally:
        stop.set()
        thread.join()
    versions = set(git.text("rev-list", "main").split())
    assert {each.id for each in saved if each is not None} | set(others) <= versions
    assert len(versions) == 1 + 20 + len(others)
    check_whole(made)


def test_a_killed_writer_stops_no_one(tmp_path: Path, bare: bool) -> None:
    made = history(tmp_path / "v", bare=bare)
    kills = 5
    program = start("be_killed", str(made.path), str(kills))
    out, err = program.communicate(timeout=120)
    assert program.returncode == 0, err.decode()
    said = out.decode().split()
    versions = Git(made.path).text("rev-list", "main").split()
    assert set(said) <= set(versions)
    # One that was killed may have made a version that it could not say any more.
    assert len(said) <= len(versions) - 1 <= len(said) + kills
    assert "Changed System Message on Conversation Chain" in subjects(Git(made.path))
    assert len(made.flows()) == 1
    check_whole(FlowHistory.open(made.path))
