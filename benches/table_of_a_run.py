"""The one table of a run: printed at its end, and written into a document where that is asked."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from table import Table, as_text, write_into

if TYPE_CHECKING:
    from collections.abc import Iterator

    from _pytest.terminal import TerminalReporter

_ALL: Final = pytest.StashKey[Table]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--table", metavar="FILE", help="write the table into this document")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_ALL] = Table()


@pytest.fixture
def table(request: pytest.FixtureRequest) -> Iterator[Table]:
    """Where a test puts what it measured; it fails where one of its rows is short of its bar."""
    mine = Table()
    yield mine
    request.config.stash[_ALL].rows.extend(mine.rows)
    short = [row for row in mine.rows if not row.holds]
    if short:
        pytest.fail("short of the bar:\n" + as_text(short, coloured=False), pytrace=False)


def pytest_terminal_summary(terminalreporter: TerminalReporter, config: pytest.Config) -> None:
    rows = config.stash[_ALL].rows
    if not rows:
        return
    terminalreporter.ensure_newline()
    terminalreporter.write_line("")
    terminalreporter.write_line(as_text(rows, coloured=terminalreporter.hasmarkup))
    path = config.getoption("--table")
    if path is not None:
        day = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
        write_into(Path(path), rows, day)
