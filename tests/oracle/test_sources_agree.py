"""A mapping, a directory and a git version of the same files give the same deltas and records."""

from __future__ import annotations

import itertools
import os
import random
import subprocess
from typing import TYPE_CHECKING

import pytest

import versiondiff
from oracle.repositories import ENVIRONMENT, Git
from versiondiff import File, Mode, NodeChange, Rewrites

if TYPE_CHECKING:
    from pathlib import Path

    from versiondiff.snapshots import Files

pytestmark = pytest.mark.usefixtures("backend")

States = list[dict[bytes, File]]


def random_states(seed: int) -> States:
    """A few states of a tree: files come, go, change, move, and become directories and links."""
    dice = random.Random(seed)
    names = [b"a", b"b", b"a.c", b"a0", b"src", "読".encode(), b"\xff", b"_card.json"]
    state: dict[bytes, File] = {}
    states: States = [{}]
    for _ in range(6):
        state = dict(state)
        for _ in range(dice.randrange(1, 8)):
            path = b"/".join(dice.choice(names) for _ in range(dice.randrange(1, 4)))
            taken = [
                p
                for p in state
                if p == path or p.startswith(path + b"/") or path.startswith(p + b"/")
            ]
            for other in taken:
                del state[other]
            if dice.random() < 0.8:
                mode = dice.choice([Mode.FILE, Mode.FILE, Mode.EXECUTABLE, Mode.LINK])
                content = b"target" if mode is Mode.LINK else dice.randbytes(dice.randrange(4)) * 50
                state[path] = File(content=content, mode=mode)
        states.append(state)
    return states


def write(root: Path, state: dict[bytes, File]) -> Path:
    for path, file in state.items():
        target = root / os.fsdecode(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        if file.mode is Mode.LINK:
            target.symlink_to(os.fsdecode(file.content))
        else:
            target.write_bytes(file.content)
            target.chmod(0o755 if file.mode is Mode.EXECUTABLE else 0o644)
    root.mkdir(exist_ok=True)
    return root


@pytest.mark.parametrize("seed", range(6))
def test_all_sources_of_a_tree_agree(seed: int, tmp_path: Path) -> None:
    states = random_states(seed)
    git = Git.init(tmp_path / "git")
    directories = [write(tmp_path / f"state-{n}", state) for n, state in enumerate(states)]
    commits: list[str] = []
    for directory in directories:
        git.run("--work-tree", str(directory), "add", "--all", "--force")
        commits.append(git.commit(git.text("write-tree"), *commits[-1:]))
    repository = versiondiff.Repository.open(git.path)
    checked_out = tmp_path / "out"
    for (n, old), (m, new) in itertools.permutations(enumerate(states), 2):
        sources: list[tuple[Files, Files]] = [
            (old, new),
            (directories[n], directories[m]),
            (repository.snapshot(commits[n]), repository.snapshot(commits[m])),
            (old, directories[m]),
            (directories[n], repository.snapshot(commits[m])),
            (repository.snapshot(commits[n]), new),
        ]
        for rewrites in (Rewrites.NONE, Rewrites.SIMILAR):
            deltas = [versiondiff.tree_delta(a, b, rewrites=rewrites) for a, b in sources]
            assert all(delta == deltas[0] for delta in deltas), (n, m)
    # What git makes of its own version, in a directory, is that version.
    checked_out.mkdir()
    archive = git.run("archive", commits[-1])
    if states[-1]:
        subprocess.run(["tar", "-x"], cwd=checked_out, input=archive, check=True, env=ENVIRONMENT)
    assert versiondiff.tree_delta(checked_out, repository.snapshot(commits[-1])).changes == ()


def card(value: int) -> bytes:
    return b'{"name": "load", "parameters": {"n": {"type": "int", "value": %d}}}' % value


def test_all_sources_of_a_project_give_the_same_record(tmp_path: Path) -> None:
    old = {
        "tsugumi.json": b'{"formatVersion": 1, "name": "Cas A", "trigger": "load", "settings": {}}',
        "definitions/load/_card.json": card(1),
        "definitions/load/src/main.py": b"print(1)\n",
    }
    new = old | {
        "definitions/load/_card.json": card(2),
        "definitions/bands/_card.json": b'{"name": "bands"}',
    }
    git = Git.init(tmp_path / "git")
    directories: list[Path] = []
    commits: list[str] = []
    for n, state in enumerate((old, new)):
        files = {path.encode(): File(content=content) for path, content in state.items()}
        directories.append(write(tmp_path / f"state-{n}", files))
        git.run("--work-tree", str(directories[-1]), "add", "--all")
        commits.append(git.commit(git.text("write-tree"), *commits[-1:]))
    git.run("update-ref", "refs/heads/main", commits[-1])
    repository = versiondiff.Repository.open(git.path)
    a, b = (repository.snapshot(commit) for commit in commits)
    record = versiondiff.change_record(old, new)
    assert record.format == "tsugumi"
    assert [node.name for node in record.nodes if isinstance(node, NodeChange)] == ["bands", "load"]
    for pair in ((a, b), (directories[0], directories[1]), (old, b), (directories[0], new)):
        assert versiondiff.change_record(*pair) == record
    assert repository.record("HEAD").record == record
    assert next(version.record for version in repository.records(format="tsugumi")) == record
    assert versiondiff.change_record(None, new) == versiondiff.change_record({}, b)
