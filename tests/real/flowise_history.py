"""A real history of flows, replayed into a repository.

The data is no part of this project: 584 versions of 86 flows from the public history of
FlowiseAI/Flowise, laid beside a checkout as `shared/data/flowise/versions.tar.xz`. What needs it
skips where it is not there.
"""

from __future__ import annotations

import enum
import json
import os
import subprocess
import tarfile
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "flowise" / "versions.tar.xz"


class Row(NamedTuple):
    """A change of a file: which version, its time in seconds UTC, the path, the new content."""

    sequence: int
    time: int
    path: str
    content: bytes | None


def rows() -> list[Row]:
    """All changes, in history order."""
    with tarfile.open(DATA) as archive:
        contents = {
            Path(member.name).name: file.read()
            for member in archive
            if (file := archive.extractfile(member)) is not None
        }
    found = []
    for line in contents["index.jsonl"].decode().splitlines():
        row = json.loads(line)
        content = None if row["status"] == "D" else contents[f"{row['blob']}.json"]
        time = int(datetime.fromisoformat(row["date"]).timestamp())
        found.append(Row(row["seq"], time, row["path"], content))
    return found


class Pair(NamedTuple):
    """A version of a file and the one before it; None where the file is not there."""

    sequence: int
    path: str
    old: bytes | None
    new: bytes | None

    def __repr__(self) -> str:
        return f"<{self.path} at {self.sequence}>"


def pairs(changes: list[Row]) -> list[Pair]:
    """Each change, with what it changed, in history order."""
    current: dict[str, bytes | None] = {}
    found = []
    for change in changes:
        found.append(Pair(change.sequence, change.path, current.get(change.path), change.content))
        current[change.path] = change.content
    return found


class Commits(enum.Enum):
    """What becomes a commit."""

    HISTORY = "history"
    """All files that one version of the public history changed: 103 commits."""
    FILES = "files"
    """Each version of each file: 584 commits."""


def replay(changes: list[Row], path: Path, *, commits: Commits = Commits.HISTORY) -> int:
    """Make a bare repository at `path`, in history order; how many commits it has."""
    versions = [[change] for change in changes]
    if commits is Commits.HISTORY:
        in_order = sorted(changes, key=lambda change: change.sequence)
        groups = groupby(in_order, key=lambda change: change.sequence)
        versions = [list(version) for _, version in groups]
    stream = bytearray()
    for version in versions:
        message = f"version {version[0].sequence}".encode()
        stream += b"commit refs/heads/main\n"
        stream += b"committer Replay <replay@example.com> %d +0000\n" % version[0].time
        stream += b"data %d\n%s\n" % (len(message), message)
        for change in version:
            name = json.dumps(change.path, ensure_ascii=False).encode()
            if change.content is None:
                stream += b"D %s\n" % name
            else:
                stream += b"M 100644 inline %s\n" % name
                stream += b"data %d\n%s\n" % (len(change.content), change.content)
    environment = {
        "PATH": os.environ["PATH"],
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    git = ["git", "--git-dir", str(path)]
    subprocess.run([*git, "init", "--quiet", "--bare", "-b", "main"], check=True, env=environment)
    subprocess.run(
        [*git, "fast-import", "--quiet"], input=bytes(stream), check=True, env=environment
    )
    return len(versions)
