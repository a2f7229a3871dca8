"""A history on a disk that takes no more, or that may not be written: said, and nothing changed."""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
from typing import TYPE_CHECKING

import pytest

from flow_history.sample_flows import BAKERY, MIKA, NOW, check_whole, flow, history, prompt_of
from versiondiff import VersionDiffError
from versiondiff.flows.history import FlowHistory

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from pathlib import Path

NO_ROOM = os.strerror(27)


@pytest.fixture(params=[True, False], ids=["bare", "folder"])
def bare(request: pytest.FixtureRequest) -> bool:
    if not request.param:
        pytest.importorskip("pygit2")
    return bool(request.param)


def save_in_little_room(path: Path, largest: int, end: Connection) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    made = FlowHistory.open(path)
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest, resource.RLIM_INFINITY))
    try:
        made.save(flow(os.urandom(5_000).hex()), author=MIKA, time=NOW)
    except VersionDiffError as error:
        end.send(str(error))
    else:
        end.send("")


@pytest.mark.parametrize("largest", [0, 100, 300, 700, 2_000])
def test_what_does_not_fit_is_no_version(tmp_path: Path, bare: bool, largest: int) -> None:
    made = history(tmp_path / "v", bare=bare)
    made.save(flow(), author=MIKA, time=NOW)
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    child = context.Process(target=save_in_little_room, args=(made.path, largest, there))
    child.start()
    said = here.recv()
    child.join()
    assert NO_ROOM in said
    check_whole(made)
    assert prompt_of(made.read(BAKERY).flow) == "You help a baker."
    assert made.save(flow("You bake."), author=MIKA, time=NOW)
    check_whole(made)


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write everything")
@pytest.mark.parametrize("below", ["", "objects", "refs/heads"])
def test_what_may_not_be_written_is_said(tmp_path: Path, bare: bool, below: str) -> None:
    made = history(tmp_path / "v", bare=bare)
    made.save(flow(), author=MIKA, time=NOW)
    folder = made.repository.git_dir / below
    folder.chmod(0o555)
    try:
        with pytest.raises(VersionDiffError, match=os.strerror(13)) as caught:
            made.save(flow("You bake."), author=MIKA, time=NOW)
    finally:
        folder.chmod(0o755)
    assert type(caught.value) is VersionDiffError
    check_whole(made)
    assert made.save(flow("You bake."), author=MIKA, time=NOW)
