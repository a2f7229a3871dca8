"""What a power cut can take of notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from notes.writers import WHO
from oracle.repositories import Git
from traced import Unforced, events_of
from versiondiff import Durability, Repository

if TYPE_CHECKING:
    from pathlib import Path

    from versiondiff.backends import Backend

BACKENDS = ("gix", "pygit2")
PROGRAM = """
import sys
from notes.writers import WHO
from versiondiff import Durability, Repository

path, backend, durability, *about = sys.argv[1:]
if backend == "from_pygit2":
    import pygit2
    repository = Repository.from_pygit2(pygit2.Repository(path), durability=Durability(durability))
else:
    repository = Repository.open(path, backend=backend, durability=Durability(durability))
for number, commit in enumerate(about):
    repository.notes("tsugumi").append(commit, f"line {number}", author=WHO)
"""


def made(path: Path) -> tuple[Git, list[str]]:
    git = Git.init(path)
    return git, git.chain(*[git.tree()] * 3)


@pytest.mark.parametrize("backend", [*BACKENDS, "from_pygit2"])
def test_everything_is_on_the_disk_in_order(tmp_path: Path, backend: str) -> None:
    if backend != "gix":
        pytest.importorskip("pygit2")
    root = tmp_path / "project"
    root.mkdir()
    git, about = made(root)
    events = events_of(tmp_path, root, PROGRAM, str(root), backend, "power", *about)
    objects = f"{root}/.git/objects/"
    unforced, swaps = Unforced(), 0
    for event in events:
        if event.kind == "name" and event.path.endswith("refs/notes/tsugumi/"):
            swaps += 1
            assert unforced.matters(objects) == []
        unforced.add(event)
    assert swaps == 3
    assert unforced.too_early == []
    assert unforced.matters(f"{root}/") == []
    assert git.text("notes", "--ref=tsugumi", "show", about[2]) == "line 2"
    git.run("fsck", "--strict")


@pytest.mark.parametrize("backend", BACKENDS)
def test_nothing_is_forced_unless_it_is_asked_for(tmp_path: Path, backend: str) -> None:
    if backend != "gix":
        pytest.importorskip("pygit2")
    root = tmp_path / "project"
    root.mkdir()
    _, about = made(root)
    events = events_of(tmp_path, root, PROGRAM, str(root), backend, "process", *about)
    assert any(event.kind == "write" for event in events)
    assert not [event for event in events if event.kind == "sync"]


def test_the_results_are_the_same(tmp_path: Path) -> None:
    pytest.importorskip("pygit2")
    seen = set()
    logs = set()
    cases: list[tuple[Backend, Durability]] = [
        (backend, durability) for backend in ("gix", "pygit2") for durability in Durability
    ]
    for number, (backend, durability) in enumerate(cases):
        path = tmp_path / str(number)
        path.mkdir()
        git, about = made(path)
        notes = Repository.open(path, backend=backend, durability=durability).notes("tsugumi")
        for commit in (*about, *about):
            notes.append(commit, "line", author=WHO)
        seen.add(git.text("rev-parse", "refs/notes/tsugumi"))
        logs.add((path / ".git/logs/refs/notes/tsugumi").read_bytes())
        assert not [*(path / ".git/objects").glob("tmp_*")]
        permissions = {
            found.stat().st_mode & 0o777 for found in (path / ".git/objects").glob("??/*")
        }
        assert permissions == {0o444}
        git.run("fsck", "--strict")
    assert len(seen) == 1
    assert len(logs) == 1


def test_objects_that_are_there_already_are_forced_too(tmp_path: Path) -> None:
    """Whoever wrote them may not have."""
    root = tmp_path / "project"
    root.mkdir()
    git, about = made(root)
    blob = git.blob(b"line 0\n")
    events = events_of(tmp_path, root, PROGRAM, str(root), "gix", "power", about[0])
    path = f"{root}/.git/objects/{blob[:2]}/{blob[2:]}/"
    assert [event.kind for event in events if event.path == path] == ["sync"]
