"""A hundred lines of runs appended to notes, one by one and in one commit, beside git and pygit2.

    python -m pytest benches/test_notes.py

Once where there are no notes yet, and once where there are 20,000.
"""

from __future__ import annotations

import itertools
import subprocess
from typing import TYPE_CHECKING

import pytest

import versiondiff
from repositories import ENVIRONMENT, git
from side_by_side import measure
from versiondiff import AppendLine, Durability, Signature

if TYPE_CHECKING:
    from pathlib import Path

    from table import Table
    from versiondiff import Notes

pygit2 = pytest.importorskip("pygit2")

APPENDS = 100
WHO = Signature(name="A", email="a@example.org", time=1_700_000_000)
LINE = "run 3f2a9c1e-5a0b-4a51-9f43-0c3d0c8ce1a7 succeeded 2026-11-04T10:12:00Z 12.3s whole: load"


class Bench:
    """A repository with versions; each turn of each way appends to notes of its own."""

    def __init__(self, path: Path, seeded: int) -> None:
        path.mkdir()
        self.path = path
        git(path, "init", "--quiet", "--bare")
        stream = [
            b"commit refs/heads/main\ncommitter A <a@example.org> %d +0000\ndata 1\nx\n" % number
            for number in range(APPENDS)
        ]
        for number in range(seeded):
            content = b"%s\n" % LINE.encode()
            if not number:
                stream.append(b"commit refs/notes/seed\ncommitter A <a@example.org> 1 +0000\n")
                stream.append(b"data 0\n")
            # A number whose digits are spread like those of an id.
            target = b"%040x" % (number * 0x9E3779B97F4A7C15F39CC0605CEDC835 % 16**40)
            name = target[::-1]
            path_ = name[:2] + b"/" + name[2:4] + b"/" + name[4:]
            stream.append(b"M 100644 inline %s\ndata %d\n%s\n" % (path_, len(content), content))
        subprocess.run(
            ["git", "fast-import", "--quiet"],
            cwd=path,
            env=ENVIRONMENT,
            input=b"".join(stream),
            check=True,
        )
        self.commits = git(path, "rev-list", "main").decode().split()
        self.repository = versiondiff.Repository.open(path)
        self.durable = versiondiff.Repository.open(path, durability=Durability.POWER)
        self.peer = pygit2.Repository(str(path))
        self.who = pygit2.Signature(WHO.name, WHO.email, WHO.time, 0)
        self.seeded = bool(seeded)
        self.turns = itertools.count()

    def fresh(self) -> str:
        """A reference that no one has appended to."""
        name = f"refs/notes/turn-{next(self.turns)}"
        if self.seeded:
            git(self.path, "update-ref", name, "refs/notes/seed")
        return name

    def with_git(self) -> str:
        name = self.fresh()
        options = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
        for commit in self.commits:
            git(self.path, *options, "notes", "--ref", name, "append", "-m", LINE, commit)
        return name

    def with_pygit2(self) -> str:
        name = self.fresh()
        for commit in self.commits:
            try:
                before = self.peer.lookup_note(commit, name).message + "\n"
            except KeyError:
                before = ""
            content = f"{before}{LINE}\n"
            force = True
            self.peer.create_note(content, self.who, self.who, commit, name, force)
        return name

    def notes(self) -> Notes:
        return self.repository.notes(self.fresh())

    def singly(self) -> str:
        notes = self.notes()
        for commit in self.commits:
            notes.append(commit, LINE, author=WHO)
        return notes.ref

    def singly_durable(self) -> str:
        notes = self.durable.notes(self.fresh())
        for commit in self.commits:
            notes.append(commit, LINE, author=WHO)
        return notes.ref

    def batched_durable(self) -> str:
        notes = self.durable.notes(self.fresh())
        notes.edit([AppendLine(commit, LINE) for commit in self.commits], author=WHO)
        return notes.ref

    def batched(self) -> str:
        notes = self.notes()
        notes.edit([AppendLine(commit, LINE) for commit in self.commits], author=WHO)
        return notes.ref


@pytest.mark.parametrize("seeded", [0, 20_000])
def test_a_hundred_appends(tmp_path: Path, table: Table, seeded: int) -> None:
    bench = Bench(tmp_path / "notes.git", seeded)
    ways = {
        "git": bench.with_git,
        "pygit2": bench.with_pygit2,
        "singly": bench.singly,
        "singly, on the disk": bench.singly_durable,
        "batched, on the disk": bench.batched_durable,
        "versiondiff": bench.batched,
    }
    written = [list(bench.repository.notes(way())) for way in ways.values()]
    assert len(written[0]) == APPENDS + seeded
    assert all(notes == written[0] for notes in written)
    costs = measure(ways)
    work = f"100 lines appended to {seeded:,} notes"
    table.compare(f"{work}, at once", costs, "git", 25)
    table.compare(f"{work}, one by one", costs, "git", 3, ours="singly")
    table.compare(f"{work}, at once", costs, "pygit2", 1)
