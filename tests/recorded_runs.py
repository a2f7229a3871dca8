"""Results of runs, for tests that say what is made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from versiondiff import (
    CardOutcome,
    CardResult,
    FromCard,
    NotRunReason,
    RunResult,
    RunStatus,
    WholeRun,
)

if TYPE_CHECKING:
    from versiondiff import RunStart

START: Final = 1793787120
"""2026-11-04T10:12:00Z."""


def ran(name: str, times: int = 1, *, saved: bool = False) -> CardResult:
    return CardResult(
        name=name, outcome=CardOutcome.SUCCEEDED, invocations=times, saved_inputs=saved
    )


def failed(
    name: str, kind: str | None = "worker_failed", times: int = 1, *, saved: bool = False
) -> CardResult:
    return CardResult(
        name=name,
        outcome=CardOutcome.FAILED,
        failure=kind,
        invocations=times,
        saved_inputs=saved,
    )


def stopped(name: str, times: int = 1) -> CardResult:
    return CardResult(name=name, outcome=CardOutcome.STOPPED, invocations=times)


def not_run(name: str, reason: NotRunReason | None = NotRunReason.UPSTREAM_FAILED) -> CardResult:
    return CardResult(name=name, outcome=CardOutcome.NOT_RUN, reason=reason)


def run(
    start: RunStart,
    *cards: CardResult,
    id: str = "3f2a9c1e",
    status: RunStatus = RunStatus.SUCCEEDED,
    ended: int = START,
    seconds: float = 12.3,
) -> RunResult:
    return RunResult(id=id, status=status, ended=ended, seconds=seconds, start=start, cards=cards)


WHOLE: Final = WholeRun("start")
SUCCEEDED: Final = run(
    WHOLE, ran("start"), ran("load"), ran("bands", 3), ran("rgb"), id="3f2a9c1e-…"
)
FAILED: Final = run(
    FromCard("bands"),
    failed("bands", saved=True),
    not_run("rgb"),
    id="7c01d2aa-…",
    status=RunStatus.FAILED,
    ended=START + 180,
    seconds=1.8,
)
