"""What `versiondiff run end` is told of Cards, option by option."""

from __future__ import annotations

import argparse
import math
import re
from typing import TYPE_CHECKING, Final

import msgspec

from versiondiff.cli.arguments import text
from versiondiff.runs import CardOutcome, CardResult, RunStatus

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "CardOption",
    "cards_of",
    "failed_card",
    "not_run_card",
    "ran_card",
    "seconds",
    "status",
    "stopped_card",
]

_INTERRUPTED: Final = (130, 143)
"""As shells count, 128 and the number of the signal: of Ctrl-C, and of kill."""


class CardOption(msgspec.Struct, frozen=True, kw_only=True):
    """One option."""

    name: str
    outcome: CardOutcome
    count: int | None = None
    kind: str | None = None


def ran_card(typed: str) -> CardOption:
    """`NAME` or `NAME:COUNT`; a colon that no number follows is a part of the name."""
    name, colon, count = text(typed).rpartition(":")
    if colon and re.fullmatch("[0-9]{1,18}", count):
        return CardOption(name=_name(name), outcome=CardOutcome.SUCCEEDED, count=int(count))
    return CardOption(name=_name(typed), outcome=CardOutcome.SUCCEEDED)


def failed_card(typed: str) -> CardOption:
    """`NAME`, `NAME:KIND`, or `NAME:` for a name that holds colons."""
    name, colon, kind = text(typed).rpartition(":")
    if not colon:
        name, kind = kind, ""
    return CardOption(name=_name(name), outcome=CardOutcome.FAILED, kind=kind or None)


def stopped_card(typed: str) -> CardOption:
    """`NAME`."""
    return CardOption(name=_name(typed), outcome=CardOutcome.STOPPED)


def not_run_card(typed: str) -> CardOption:
    """`NAME`."""
    return CardOption(name=_name(typed), outcome=CardOutcome.NOT_RUN)


def cards_of(options: Sequence[CardOption], *, saved_inputs: bool) -> tuple[CardResult, ...]:
    """The Cards that the options are about, each where it was named first.

    `--card bands:3 --failed bands:worker_failed` is one Card, in any order.

    Raises:
        InvalidInput: A kind of failure is no word.
    """
    cards: list[CardOption] = []
    for option in options:
        at = next((at for at, card in enumerate(cards) if _is_one(card, option)), None)
        if at is None:
            cards.append(option)
        else:
            cards[at] = _together(cards[at], option)
    return tuple([_result(card, saved_inputs=saved_inputs) for card in cards])


_ENDED_BADLY: Final = (CardOutcome.FAILED, CardOutcome.STOPPED)


def _is_one(card: CardOption, option: CardOption) -> bool:
    outcomes = (card.outcome, option.outcome)
    ended_badly = sum(outcome in _ENDED_BADLY for outcome in outcomes)
    return card.name == option.name and ended_badly == 1 and CardOutcome.SUCCEEDED in outcomes


def _together(card: CardOption, option: CardOption) -> CardOption:
    bad, count = (card, option.count) if card.outcome in _ENDED_BADLY else (option, card.count)
    return CardOption(name=bad.name, outcome=bad.outcome, count=count, kind=bad.kind)


def _result(card: CardOption, *, saved_inputs: bool) -> CardResult:
    ran = card.outcome is not CardOutcome.NOT_RUN
    return CardResult(
        name=card.name,
        outcome=card.outcome,
        invocations=1 if card.count is None else card.count,
        failure=card.kind,
        saved_inputs=saved_inputs and ran,
    )


def status(typed: str) -> RunStatus:
    """A status, or the exit code of what ran."""
    if re.fullmatch("[0-9]{1,3}", typed):
        code = int(typed)
        if code in _INTERRUPTED:
            return RunStatus.STOPPED
        return RunStatus.FAILED if code else RunStatus.SUCCEEDED
    try:
        return RunStatus(typed)
    except ValueError as error:
        message = "must be succeeded, failed, stopped or an exit code"
        raise argparse.ArgumentTypeError(message) from error


def seconds(typed: str) -> float:
    """How long something took."""
    try:
        value = float(typed) if re.fullmatch(r"[0-9.]+", typed) else math.nan
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        message = "must be a number of seconds, such as 12.3"
        raise argparse.ArgumentTypeError(message)
    return value


def _name(typed: str) -> str:
    if not text(typed):
        message = "needs the name of a Card"
        raise argparse.ArgumentTypeError(message)
    return typed
