"""The line of a run, written at the end of each: what it takes.

python -m pytest benches/test_runs.py -s
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from recorded_runs import FAILED, SUCCEEDED, failed, not_run, ran, run
from side_by_side import measure
from versiondiff import RunLine, WholeRun, parse_run_line, run_line

if TYPE_CHECKING:
    from table import Table
    from versiondiff import RunResult
    from versiondiff.wording import Language

MOST: Final = 10e-6
"""Seconds for a line."""
CALLS: Final = 2_000

RUNS: Final = {
    "succeeded": SUCCEEDED,
    "failed": FAILED,
    "12 Cards": run(WholeRun(), *(ran(f"card {number}") for number in range(12))),
    "12 Cards in three lists": run(
        WholeRun("start"),
        ran("start"),
        *(ran(f"load{number}", 2) for number in range(6)),
        *(failed(f"bands{number}", saved=True) for number in range(2)),
        *(not_run(f"rgb{number}") for number in range(3)),
    ),
    "12 Cards in Japanese": run(WholeRun(), *(ran(f"画像 {number}") for number in range(12))),
}


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("kind", RUNS)
def test_a_line_takes_no_time(kind: str, language: Language, table: Table) -> None:
    result = RUNS[kind]
    line = RunLine.of(result, language=language)
    assert run_line(result, language=language) == line.text()
    assert parse_run_line(line.text()) == line
    written, read = costs(result, language)
    said = f"{written * 1e6:.1f} µs, read {read * 1e6:.1f} µs"
    table.at_most(f"run line, {kind}, {language}", written * 1e6, MOST * 1e6, "µs", said=said)


def costs(result: RunResult, language: Language) -> tuple[float, float]:
    """Seconds of processor time to write a line, and to read it."""
    line = run_line(result, language=language)

    def write() -> None:
        for _ in range(CALLS):
            run_line(result, language=language)

    def read() -> None:
        for _ in range(CALLS):
            parse_run_line(line)

    cost = measure({"write": write, "read": read})
    return cost["write"].cpu / CALLS, cost["read"].cpu / CALLS
