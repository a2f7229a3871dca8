"""What ran: results of runs, a summary of each in words, and its line in a note.

| module | what it holds |
| --- | --- |
| `results` | a run as its core recorded it: `RunResult` |
| `summaries` | what is said of a run: `RunSummary`, and its text in both languages |
| `lines` | the line of a run in a note, written and read back: `RunLine` |
| `reading` | a summary's text read back |
| `phrases` | the words of a summary, and the names that have to be quoted between them |

All is pure. `docs/runs.md` describes the line.
"""

from __future__ import annotations

from versiondiff.runs.lines import RunLine, UnreadLine, parse_run_line, parse_run_note, run_line
from versiondiff.runs.results import (
    CardOutcome,
    CardResult,
    FromCard,
    NotRunReason,
    OnlyCard,
    RunResult,
    RunStart,
    RunStatus,
    WholeRun,
)
from versiondiff.runs.summaries import FailedCard, RanCard, RunSummary, run_summary

__all__ = [
    "CardOutcome",
    "CardResult",
    "FailedCard",
    "FromCard",
    "NotRunReason",
    "OnlyCard",
    "RanCard",
    "RunLine",
    "RunResult",
    "RunStart",
    "RunStatus",
    "RunSummary",
    "UnreadLine",
    "WholeRun",
    "parse_run_line",
    "parse_run_note",
    "run_line",
    "run_summary",
]
