"""`--durability`: what commands that write force to the disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from project.projects import fill
from traced import events_of

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("pygit2")

PROGRAM = """
import sys
from pathlib import Path
from versiondiff.cli import main

folder, durability = sys.argv[1:]
who = ["--author", "A <a@example.org>", "--time", "1", "--durability", durability]
mark = Path(folder, ".git/mark")
commands = (
    ["start", folder],
    ["run", "start", "load", "--repo", folder],
    ["run", "end", "HEAD", "--status", "succeeded", "--seconds", "1", "--repo", folder],
    ["keep", "v1", "--repo", folder],
    ["notes", "append", "-m", "one", "--repo", folder],
    ["notes", "set", "-m", "two", "--repo", folder],
    ["notes", "remove", "--repo", folder],
    ["start-from", "HEAD~1", "--repo", folder],
)
for number, command in enumerate(commands):
    Path(folder, "file").write_text(f"{number}")
    code = main([*command, *who])
    assert code == 0, command
    mark.mkdir()
    mark.rmdir()
"""


@pytest.mark.parametrize("durability", ["process", "power"])
def test_each_command_that_writes_takes_it(tmp_path: Path, durability: str) -> None:
    folder = tmp_path / "project"
    fill(folder, {"file": b""})
    events = events_of(tmp_path, folder, PROGRAM, str(folder), durability)
    mark = f"{folder}/.git/mark/"
    forced = 0
    by_command = []
    for event in events:
        forced += event.kind == "sync"
        if event.path == mark and event.kind == "gone":
            by_command.append(forced)
            forced = 0
    assert len(by_command) == 8
    if durability == "power":
        assert all(by_command)
    else:
        assert not any(by_command)
