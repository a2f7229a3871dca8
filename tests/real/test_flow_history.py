"""The public history, saved into a history of flows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from oracle.repositories import Git
from versiondiff.flows import write_flow
from versiondiff.flows.history import FlowHistory, Person

if TYPE_CHECKING:
    from real.flowise_history import Row

WHO = Person(name="Mika Sato", id="42")


def stored(row: Row) -> dict[str, Any] | None:
    """A row as a flow with an id; None where it is none, or gone."""
    try:
        content = json.loads(row.content or b"null")
    except ValueError:
        return None
    if not isinstance(content, dict) or "nodes" not in content:
        return None
    return content | {"id": row.path, "name": Path(row.path).stem}


@pytest.mark.parametrize("part", range(2))
def test_every_version_can_be_read_again(rows: list[Row], tmp_path: Path, part: int) -> None:
    history = FlowHistory.create(tmp_path / "v", time=1, bare=True)
    paths = sorted({row.path for row in rows})[part::2]
    saved: list[tuple[str, str, dict[str, bytes]]] = []
    last: dict[str, dict[str, bytes]] = {}
    deleted = 0
    for row in rows:
        if row.path not in paths:
            continue
        flow = stored(row)
        if flow is None:
            deleted += history.delete(row.path, author=WHO, time=row.time) is not None
            last.pop(row.path, None)
            continue
        version = history.save(flow, author=WHO, time=row.time)
        files = write_flow(flow)
        assert (version is None) is (last.get(row.path) == files)
        last[row.path] = files
        if version is not None:
            assert len(version.subject) <= 72
            saved.append((row.path, version.id, files))
    assert len(saved) > 200
    git = Git(history.path)
    git.run("fsck", "--strict", "--no-dangling")
    assert int(git.text("rev-list", "--count", "main")) == 1 + len(saved) + deleted
    for path, version_id, files in saved[::5]:
        assert history.files(path, version_id) == files
    assert {entry.id for entry in history.flows()} == last.keys()
