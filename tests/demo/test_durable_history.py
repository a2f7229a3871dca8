"""What a power cut can take of a repository that is made from a history file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from traced import Event, Unforced, events_of
from versiondiff import history_file
from versiondiff.demo import cas_a
from versiondiff.history_file import FILE_NAME

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """
import sys
from versiondiff import Durability, history_file
from versiondiff.demo import cas_a

what, path, durability = sys.argv[1:]
if what == "adopt":
    history_file.adopt(path, durability=Durability(durability))
else:
    history_file.create_repository(path, cas_a(), durability=Durability(durability))
"""


def made(tmp_path: Path, what: str, durability: str) -> tuple[Path, list[Event]]:
    root = tmp_path / "root"
    place = root / "demo"
    root.mkdir()
    if what == "adopt":
        place.mkdir()
        (place / FILE_NAME).write_bytes(history_file.encode(cas_a()))
    return place, events_of(tmp_path, root, PROGRAM, what, str(place), durability)


def test_the_history_file_goes_once_the_repository_is_on_the_disk(tmp_path: Path) -> None:
    place, events = made(tmp_path, "adopt", "power")
    unforced, gone = Unforced(), 0
    for event in events:
        if event.path == f"{place}/{FILE_NAME}/":
            gone += 1
            assert event.kind == "gone"
            assert unforced.matters(f"{place}/") == []
        unforced.add(event)
    assert gone == 1
    assert unforced.too_early == []


def test_a_new_repository_is_on_the_disk_with_its_name(tmp_path: Path) -> None:
    place, events = made(tmp_path, "create", "power")
    unforced = Unforced()
    for event in events:
        unforced.add(event)
    assert unforced.too_early == []
    assert unforced.matters(f"{place}/") == []
    assert (place / ".git").is_dir()


@pytest.mark.parametrize("what", ["adopt", "create"])
def test_nothing_is_forced_unless_it_is_asked_for(tmp_path: Path, what: str) -> None:
    _, events = made(tmp_path, what, "process")
    assert any(event.kind == "write" for event in events)
    assert not [event for event in events if event.kind == "sync"]
