"""A working tree follows each version, and what was edited by hand is never overwritten."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from flow_history.sample_flows import BAKERY, MIKA, NOW, check_whole, flow, history
from oracle.repositories import Git
from versiondiff import Conflict

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from versiondiff.flows.history import FlowHistory

pytest.importorskip("pygit2")

PROMPT = "flows/bakery-helper--1f2e3d4c/prompts/conversationChain_0.systemMessagePrompt.md"


@pytest.fixture
def made(tmp_path: Path) -> FlowHistory:
    made = history(tmp_path / "versions", bare=False)
    made.save(flow(), author=MIKA, time=NOW)
    return made


def test_the_files_are_there(made: FlowHistory) -> None:
    assert (made.path / PROMPT).read_text() == "You help a baker."
    made.save(flow("You bake."), author=MIKA, time=NOW)
    assert (made.path / PROMPT).read_text() == "You bake."
    made.save(flow("You bake.", name="Bread"), author=MIKA, time=NOW)
    assert [path.name for path in (made.path / "flows").iterdir()] == ["bread--1f2e3d4c"]
    made.delete(BAKERY, author=MIKA, time=NOW)
    assert not (made.path / "flows").exists()
    check_whole(made)


def edit(path: Path) -> None:
    (path / PROMPT).write_text("by hand")


def remove(path: Path) -> None:
    (path / "README.md").unlink()


def add(path: Path) -> None:
    (path / "notes.txt").write_text("by hand")


def stage(path: Path) -> None:
    (path / "staged.txt").write_text("by hand")
    Git(path).run("add", "staged.txt")


@pytest.mark.parametrize(
    ("change", "named"),
    [(edit, PROMPT), (remove, "README.md"), (add, "notes.txt"), (stage, "staged.txt")],
)
def test_a_tree_that_was_edited_is_left_alone(
    made: FlowHistory, change: Callable[[Path], None], named: str
) -> None:
    change(made.path)
    git = Git(made.path)
    before = git.text("rev-parse", "main"), git.text("status", "--porcelain")
    with pytest.raises(Conflict, match="edited by hand") as caught:
        made.save(flow("You bake."), author=MIKA, time=NOW)
    assert named in str(caught.value)
    assert (git.text("rev-parse", "main"), git.text("status", "--porcelain")) == before


def test_what_was_staged_and_taken_back_goes_out_of_the_index(made: FlowHistory) -> None:
    stage(made.path)
    (made.path / "staged.txt").unlink()
    made.save(flow("You bake."), author=MIKA, time=NOW)
    check_whole(made)


def test_another_branch_is_left_alone(made: FlowHistory) -> None:
    git = Git(made.path)
    git.run("switch", "-q", "-c", "mine")
    with pytest.raises(Conflict, match="HEAD stands on mine, not on main"):
        made.save(flow("You bake."), author=MIKA, time=NOW)
    git.run("switch", "-q", "main")
    made.save(flow("You bake."), author=MIKA, time=NOW)
    check_whole(made)


def test_the_reflog_tells_of_each_version(made: FlowHistory) -> None:
    log = Git(made.path).text("reflog", "--format=%gs", "main").splitlines()
    assert log == [
        "commit: Created Bakery helper",
        "commit (initial): Started the history of flows",
    ]
