"""Work trees that git made beside a history: none is left behind by a save."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest

from flow_history.sample_flows import BAKERY, MIKA, NOW, check_whole, flow, history
from oracle.repositories import Git
from versiondiff import Conflict
from versiondiff.flows.history import FlowHistory

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

WHO: dict[str, Any] = {"author": MIKA, "time": NOW}


@pytest.fixture
def made(tmp_path: Path) -> FlowHistory:
    made = history(tmp_path / "v")
    made.save(flow(), **WHO)
    return made


def status(place: Path) -> str:
    return Git(place).text("status", "--porcelain", "--ignored")


def refused(made: FlowHistory, place: Path) -> None:
    """No version is made, and the message names the work tree."""
    tip = Git(made.path).text("rev-parse", "main")
    changes: list[Callable[[], object]] = [
        lambda: made.save(flow("Other."), **WHO),
        lambda: made.publish(flow(), **WHO),
        lambda: made.delete(BAKERY, **WHO),
    ]
    for change in changes:
        with pytest.raises(Conflict, match="is checked out in the work tree") as caught:
            change()
        assert str(place) in str(caught.value)
    assert made.save(flow(), **WHO) is None
    assert Git(made.path).text("rev-parse", "main") == tip
    assert status(place) == ""


@pytest.mark.parametrize("paths", ["absolute", "relative"])
def test_a_linked_work_tree_on_main_is_not_left_behind(
    made: FlowHistory, tmp_path: Path, paths: str
) -> None:
    linked = tmp_path / "linked"
    git = Git(made.path)
    git.run("worktree", "add", str(linked), "main")
    if paths == "relative":
        # As git writes it from 2.48 on, where it is told to.
        (made.path / "worktrees" / "linked" / "gitdir").write_text("../../../linked/.git\n")
    refused(made, linked)
    shutil.rmtree(linked)
    assert made.save(flow("Other."), **WHO)


def test_a_history_opened_in_a_linked_work_tree_keeps_it_clean(
    made: FlowHistory, tmp_path: Path
) -> None:
    pytest.importorskip("pygit2")
    linked = tmp_path / "linked"
    Git(made.path).run("worktree", "add", str(linked), "main")
    opened = FlowHistory.open(linked)
    saved = opened.save(flow("Other."), **WHO)
    assert saved
    assert Git(linked).text("rev-parse", "HEAD") == saved.id
    assert status(linked) == ""
    assert opened.delete(BAKERY, **WHO)
    assert status(linked) == ""
    assert sorted(path.name for path in linked.iterdir()) == [".git", "README.md"]


def test_a_linked_work_tree_elsewhere_stops_nothing(made: FlowHistory, tmp_path: Path) -> None:
    git = Git(made.path)
    git.run("worktree", "add", "-b", "side", str(tmp_path / "side"), "main")
    git.run("worktree", "add", "--detach", str(tmp_path / "detached"), "main")
    assert made.save(flow("Other."), **WHO)
    for name in ("side", "detached"):
        assert status(tmp_path / name) == ""


def test_a_linked_work_tree_that_is_gone_stops_nothing_but_a_locked_one_does(
    made: FlowHistory, tmp_path: Path
) -> None:
    linked = tmp_path / "linked"
    git = Git(made.path)
    git.run("worktree", "add", str(linked), "main")
    shutil.rmtree(linked)
    assert made.save(flow("Other."), **WHO)
    git.run("worktree", "prune")
    git.run("worktree", "add", "--lock", str(linked), "main")
    shutil.move(linked, tmp_path / "out")
    with pytest.raises(Conflict, match="is checked out in the work tree"):
        made.save(flow("Third."), **WHO)
    shutil.move(tmp_path / "out", linked)
    assert status(linked) == ""


def test_two_work_trees_on_main_can_not_both_follow(tmp_path: Path) -> None:
    pytest.importorskip("pygit2")
    made = history(tmp_path / "v", bare=False)
    made.save(flow(), **WHO)
    linked = tmp_path / "linked"
    Git(made.path).run("worktree", "add", "--force", str(linked), "main")
    refused(made, linked)
    with pytest.raises(Conflict, match="is checked out in the work tree") as caught:
        FlowHistory.open(linked).save(flow("Other."), **WHO)
    assert str(made.path) in str(caught.value)
    assert status(made.path) == ""
    assert status(linked) == ""
    Git(made.path).run("worktree", "remove", str(linked))
    assert made.save(flow("Other."), **WHO)
    check_whole(made)
