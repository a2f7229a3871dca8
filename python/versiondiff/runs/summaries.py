"""What is said of a run, mechanically, from what was recorded of each Card."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from versiondiff.errors import InvalidInput
from versiondiff.rendering.names import LIMIT
from versiondiff.rendering.names import name as safe_name
from versiondiff.runs.phrases import phrases_of, shown, shown_without_kind
from versiondiff.runs.results import (
    MOST_INVOCATIONS,
    CardOutcome,
    FromCard,
    NotRunReason,
    RunStart,
    WholeRun,
    check_kind,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from versiondiff.runs.phrases import Phrases
    from versiondiff.runs.results import CardResult, RunResult
    from versiondiff.wording import Language

__all__ = ["FailedCard", "RanCard", "RunSummary", "run_summary"]


class RanCard(NamedTuple):
    """A Card that was invoked."""

    name: str
    invocations: int


class FailedCard(NamedTuple):
    """A Card that failed."""

    name: str
    kind: str | None
    """The kind of failure; None where none was recorded."""


class RunSummary(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the summary of a run says, in no language.

    Names are safe to show: one line, at most 80 characters. Of each list only what is shown is
    here, and how many Cards more there are.

    Raises:
        InvalidInput: A count is out of range, or a kind of failure is no identifier.
    """

    start: RunStart
    """Where the run started. A summary does not say what the trigger was, so there is none here."""
    saved_inputs: bool = False
    """Some Card that ran used inputs that an earlier run saved."""
    ran: tuple[RanCard, ...] = ()
    """The Cards that were invoked, without the trigger of a whole run."""
    ran_more: int = 0
    failed: tuple[FailedCard, ...] = ()
    failed_more: int = 0
    not_run: tuple[str, ...] = ()
    """The Cards that were not invoked because something upstream failed or stopped."""
    not_run_more: int = 0

    def __post_init__(self) -> None:
        """Check counts and kinds: what is written from this goes into git."""
        for field, listed, more in (
            ("ran", self.ran, self.ran_more),
            ("failed", self.failed, self.failed_more),
            ("not_run", self.not_run, self.not_run_more),
        ):
            if not 0 <= more <= MOST_INVOCATIONS or (more and not listed):
                message = f"run summary: {field}_more: counts what follows a list"
                raise InvalidInput(message)
        for name, invocations in self.ran:
            if not 1 <= invocations <= MOST_INVOCATIONS:
                message = f"card {safe_name(name)}: invocations: is from 1 to {MOST_INVOCATIONS}"
                raise InvalidInput(message)
        for name, kind in self.failed:
            if kind is not None:
                check_kind(kind, name)

    @classmethod
    def of(cls, run: RunResult) -> RunSummary:
        """What is to be said of a run: six Cards of each list, and how many more there are."""
        cards = _Cards.of(run)
        return cls(
            start=_safe_start(run.start),
            saved_inputs=cards.saved_inputs,
            ran=tuple(
                [RanCard(safe_name(card.name), card.invocations) for card in cards.ran[:LIMIT]]
            ),
            ran_more=max(0, len(cards.ran) - LIMIT),
            failed=tuple(
                [FailedCard(safe_name(card.name), card.failure) for card in cards.failed[:LIMIT]]
            ),
            failed_more=max(0, len(cards.failed) - LIMIT),
            not_run=tuple([safe_name(card.name) for card in cards.not_run[:LIMIT]]),
            not_run_more=max(0, len(cards.not_run) - LIMIT),
        )

    def text(self, *, language: Language = "en") -> str:
        """The summary in words, on one line.

        Raises:
            InvalidInput: An unknown language.
        """
        phrases = phrases_of(language)
        return _joined(
            phrases,
            start=_start_text(self.start, phrases, saved_inputs=self.saved_inputs),
            ran=[_ran_text(name, count, phrases) for name, count in self.ran],
            ran_more=self.ran_more,
            failed=[_failed_text(name, kind, phrases) for name, kind in self.failed],
            failed_more=self.failed_more,
            not_run=[shown(name) for name in self.not_run],
            not_run_more=self.not_run_more,
        )


def run_summary(run: RunResult, *, language: Language = "en") -> str:
    """What is said of a run, on one line: where it started, which Cards ran, failed or did not run.

    Each list holds at most six Cards, and how many more there are; an empty one is left out. No
    text or log of a failure is in it, only its kind.

    Raises:
        InvalidInput: An unknown language.
    """
    # The text of `RunSummary.of(run)`, without making one: this is done at the end of every run.
    phrases = phrases_of(language)
    cards = _Cards.of(run)
    return _joined(
        phrases,
        start=_start_text(run.start, phrases, saved_inputs=cards.saved_inputs),
        ran=[_ran_text(card.name, card.invocations, phrases) for card in cards.ran[:LIMIT]],
        ran_more=len(cards.ran) - LIMIT,
        failed=[_failed_text(card.name, card.failure, phrases) for card in cards.failed[:LIMIT]],
        failed_more=len(cards.failed) - LIMIT,
        not_run=[shown(card.name) for card in cards.not_run[:LIMIT]],
        not_run_more=len(cards.not_run) - LIMIT,
    )


# Attributes of an enum are looked up by Python code.
_FAILED: Final = CardOutcome.FAILED
_NOT_RUN: Final = CardOutcome.NOT_RUN
_OTHER: Final = NotRunReason.OTHER


class _Cards(NamedTuple):
    """The Cards of a run that a summary is about, in the order of the result."""

    ran: Sequence[CardResult]
    failed: Sequence[CardResult]
    not_run: Sequence[CardResult]
    saved_inputs: bool

    @classmethod
    def of(cls, run: RunResult) -> _Cards:
        cards = run.cards
        return cls(
            [card for card in _without_trigger(run) if card.invocations],
            [card for card in cards if card.outcome is _FAILED],
            [card for card in cards if card.outcome is _NOT_RUN and card.reason is not _OTHER],
            # The trigger's too: it ran, even if it is not listed.
            bool([card for card in cards if card.saved_inputs and card.invocations]),
        )


def _without_trigger(run: RunResult) -> Sequence[CardResult]:
    """The Cards but for the trigger of a whole run; another Card may have the trigger's name."""
    cards, start = run.cards, run.start
    if isinstance(start, WholeRun) and start.trigger is not None:
        for place, card in enumerate(cards):
            if card.name == start.trigger:
                return cards[:place] + cards[place + 1 :]
    return cards


_WHOLE: Final = WholeRun()


def _safe_start(start: RunStart) -> RunStart:
    return _WHOLE if isinstance(start, WholeRun) else type(start)(safe_name(start.card))


def _start_text(start: RunStart, phrases: Phrases, *, saved_inputs: bool) -> str:
    if isinstance(start, WholeRun):
        text = phrases.whole
    else:
        around = phrases.from_card if isinstance(start, FromCard) else phrases.only_card
        text = f"{around.before}{shown(start.card)}{around.after}"
    return text + phrases.saved_inputs if saved_inputs else text


def _ran_text(name: str, count: int, phrases: Phrases) -> str:
    if count == 1:
        return shown(name)
    before, after = phrases.times
    return f"{shown(name)}{before}{count}{after}"


def _failed_text(name: str, kind: str | None, phrases: Phrases) -> str:
    if kind is None:
        return shown_without_kind(name)
    before, after = phrases.kind
    return f"{shown(name)}{before}{kind}{after}"


def _joined(
    phrases: Phrases,
    *,
    start: str,
    ran: Sequence[str],
    ran_more: int,
    failed: Sequence[str],
    failed_more: int,
    not_run: Sequence[str],
    not_run_more: int,
) -> str:
    """The parts of a summary, each list with the label that it has; empty ones are left out."""
    text = start
    if ran:
        text += phrases.names + _listed(ran, ran_more, phrases)
    if failed:
        text += phrases.failed + _listed(failed, failed_more, phrases)
    if not_run:
        text += phrases.not_run + _listed(not_run, not_run_more, phrases)
    return text


def _listed(items: Sequence[str], more: int, phrases: Phrases) -> str:
    text = phrases.separator.join(items)
    return f"{text}{phrases.rest.before}{more}{phrases.rest.after}" if more > 0 else text
