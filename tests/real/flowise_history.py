"""A real history of flows, replayed into a repository.

The data is no part of this project: 584 versions of 86 flows from the public history of
FlowiseAI/Flowise, laid beside a checkout as `shared/data/flowise/versions.tar.xz`. What needs it
skips where it is not there.
"""

from __future__ import annotations

import json
import os
import subprocess
import tarfile
from collections import defaultdict
from datetime import datetime
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


def replay(changes: list[Row], path: Path) -> int:
    """Make a bare repository at `path` with a commit for each version; how many there are."""
    by_version: dict[int, list[Row]] = defaultdict(list)
    for change in changes:
        by_version[change.sequence].append(change)
    stream = bytearray()
    for sequence, version in sorted(by_version.items()):
        message = f"version {sequence}".encode()
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
    return len(by_version)
