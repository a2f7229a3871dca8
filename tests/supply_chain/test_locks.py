"""Python tools are locked: every version, with hashes, the same in all files."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GROUPS: dict[str, list[str]] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
    "dependency-groups"
]
LOCKS = sorted(ROOT.glob("requirements-*.txt"))


def comparable(name: str) -> str:
    """A distribution's name as PyPI compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def locked(lock: Path) -> dict[str, tuple[str, int]]:
    """What a lock holds: name to version and count of hashes."""
    text = lock.read_text(encoding="utf-8").replace("\\\n", " ")
    entries = {}
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        pinned = re.fullmatch(r"([\w.-]+)==([\w.+!]+)", re.split(r" (?:;|--hash)", line)[0].strip())
        assert pinned, f"{lock.name}: not pinned: {line}"
        entries[comparable(pinned[1])] = (pinned[2], line.count(" --hash=sha256:"))
    return entries


def test_every_group_has_a_lock() -> None:
    assert [lock.stem for lock in LOCKS] == [f"requirements-{group}" for group in sorted(GROUPS)]


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.stem)
def test_all_is_pinned_with_hashes(lock: Path) -> None:
    assert [name for name, (_, hashes) in locked(lock).items() if not hashes] == []


@pytest.mark.parametrize("group", sorted(GROUPS))
def test_what_a_group_names_is_locked(group: str) -> None:
    held = locked(ROOT / f"requirements-{group}.txt")
    assert {comparable(name) for name in GROUPS[group]} - held.keys() == set()


def test_locks_agree() -> None:
    """All of them are installed into one environment."""
    seen: dict[str, str] = {}
    for lock in LOCKS:
        for name, (version, _) in locked(lock).items():
            assert seen.setdefault(name, version) == version, f"{lock.name}: {name}"
