"""The public history, replayed once a process; skipped where it is not there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from real import flowise_history
from real.flowise_history import Commits, Pair, Row

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def rows() -> list[Row]:
    if not flowise_history.DATA.exists():
        pytest.skip("shared/data/flowise is not beside this checkout")
    return flowise_history.rows()


@pytest.fixture(scope="session")
def pairs(rows: list[Row]) -> list[Pair]:
    return flowise_history.pairs(rows)


@pytest.fixture(scope="session")
def by_commit(rows: list[Row], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a commit for each version of the history."""
    path = tmp_path_factory.mktemp("real") / "history.git"
    flowise_history.replay(rows, path)
    return path


@pytest.fixture(scope="session")
def by_file(rows: list[Row], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a commit for each version of each file."""
    path = tmp_path_factory.mktemp("real") / "files.git"
    flowise_history.replay(rows, path, commits=Commits.FILES)
    return path
