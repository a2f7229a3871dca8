"""Which format a history of flows is in, where its newest version has no flow to tell it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import versiondiff
from flow_history.sample_flows import BAKERY, MIKA, NOW, flow, history
from oracle.repositories import Git
from versiondiff import Repository, UnsupportedFormat
from versiondiff.cli import main

if TYPE_CHECKING:
    from pathlib import Path

    from versiondiff.backends import BackendName


@pytest.fixture
def emptied(tmp_path: Path, backend: BackendName) -> Repository:
    """Two flows, and then none; and a version after that with a file of someone's own."""
    made = history(tmp_path / "v", backend=backend)
    other = "2a2a2a2a-0000-4000-8000-000000000002"
    made.save(flow(), author=MIKA, time=NOW)
    made.save(flow(id=other, name="Other"), author=MIKA, time=NOW)
    made.delete(BAKERY, author=MIKA, time=NOW)
    made.delete(other, author=MIKA, time=NOW)
    return made.repository


def test_what_was_deleted_tells_the_format(emptied: Repository) -> None:
    records = [entry.record for entry in emptied.records()]
    assert [record.format if record else None for record in records] == ["flow"] * 5
    assert records[0] is not None
    assert [(each.kind.value, each.name) for each in records[0].flows] == [("removed", "Other")]
    entry = emptied.record("main")
    assert entry.record == records[0]
    assert emptied.version_diff("main").format == "flow"
    assert emptied.version_diff("main", paths=["nothing"]).format == "flow"


def test_a_history_without_flows_asks_for_the_format(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = history(tmp_path / "v")
    with pytest.raises(UnsupportedFormat, match=r"name one of tsugumi, flow, flowise .*--format"):
        list(made.repository.records())
    assert main(["log", str(made.path)]) != 0
    assert "--format" in capsys.readouterr().err
    assert main(["log", str(made.path), "--format", "flow"]) == 0
    assert "Started the history of flows" in capsys.readouterr().out
    assert main(["flow", "list", "--repo", str(made.path)]) == 0
    # What a history of flows does itself asks for nothing.
    assert made.save(flow(), author=MIKA, time=NOW)
    assert made.save(flow("You help."), author=MIKA, time=NOW)
    assert made.delete(BAKERY, author=MIKA, time=NOW)


def test_a_format_is_looked_for_in_a_few_versions_only(tmp_path: Path) -> None:
    made = history(tmp_path / "v")
    made.save(flow(), author=MIKA, time=NOW)
    deleted = made.delete(BAKERY, author=MIKA, time=NOW)
    assert deleted
    git = Git(made.path)
    tree = git.text("rev-parse", "main^{tree}")
    tip = deleted.id
    for number in range(63):
        tip = git.text("commit-tree", tree, "-p", tip, "-m", f"Nothing {number}")
    assert versiondiff.Repository.open(made.path).record(tip).record is not None
    tip = git.text("commit-tree", tree, "-p", tip, "-m", "One more")
    with pytest.raises(UnsupportedFormat):
        versiondiff.Repository.open(made.path).record(tip)
