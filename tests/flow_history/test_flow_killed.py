"""A process that dies at any step of a save leaves the old version or the new one."""

from __future__ import annotations

import os
import shutil
import signal
from typing import TYPE_CHECKING

import pytest

from flow_history.sample_flows import (
    BAKERY,
    MIKA,
    NOW,
    check_whole,
    flow,
    history,
    prompt_of,
    subjects,
)
from oracle.repositories import Git
from project.faults import MOVING, at_each_call, die_at
from versiondiff.flows.history import FlowHistory

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("pygit2")

STRIDE = 17
PARTS = 3


def rename(path: Path) -> None:
    # Every file of the flow moves, and one changes.
    FlowHistory.open(path).save(flow("You bake.", name="Bread"), author=MIKA, time=NOW)


def in_child(path: Path, step: int) -> int:
    child = os.fork()
    if child == 0:
        try:
            with at_each_call(MOVING, die_at(step)):
                rename(path)
        except BaseException:
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return status


@pytest.mark.parametrize("part", range(PARTS))
def test_a_save_is_made_or_not(tmp_path: Path, part: int) -> None:
    saved = tmp_path / "saved"
    history(saved, bare=False).save(flow(), author=MIKA, time=NOW)
    counted = tmp_path / "counted"
    shutil.copytree(saved, counted, symlinks=True)
    with at_each_call(MOVING, die_at(-1)) as count:
        rename(counted)
    assert count[0] > 100
    outcomes = set()
    for step in range(part * STRIDE, count[0], STRIDE * PARTS):
        path = tmp_path / f"at-{step}"
        shutil.copytree(saved, path, symlinks=True)
        status = in_child(path, step)
        assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
        if os.WIFSIGNALED(status):
            assert os.WTERMSIG(status) == signal.SIGKILL
        made = FlowHistory.open(path)
        prompt = prompt_of(made.read(BAKERY).flow)
        assert prompt in {"You help a baker.", "You bake."}
        check_whole(made)
        # The next one goes on at once, whichever it was.
        outcomes.add(prompt)
        again = made.save(flow("Afterwards."), author=MIKA, time=NOW)
        assert again is not None
        check_whole(made)
        assert len(subjects(Git(path))) == (4 if prompt == "You bake." else 3)
        shutil.rmtree(path)
    assert outcomes == {"You help a baker.", "You bake."}
