"""A run as its core recorded it: how it started and ended, and what became of each Card."""

from __future__ import annotations

import enum
import re
import sys
from typing import Final, TypeAlias

import msgspec

from versiondiff._core import display_name
from versiondiff.errors import InvalidInput
from versiondiff.rendering.names import name as safe_name

__all__ = [
    "KIND",
    "MOST_INVOCATIONS",
    "CardOutcome",
    "CardResult",
    "FromCard",
    "NotRunReason",
    "OnlyCard",
    "RunResult",
    "RunStart",
    "RunStatus",
    "WholeRun",
    "check_head",
    "check_kind",
]


class RunStatus(enum.Enum):
    """How a run ended."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    STOPPED = "stopped"


class CardOutcome(enum.Enum):
    """What became of one Card in a run."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    STOPPED = "stopped"
    NOT_RUN = "not_run"


class NotRunReason(enum.Enum):
    """Why a Card did not run."""

    UPSTREAM_FAILED = "upstream_failed"
    UPSTREAM_STOPPED = "upstream_stopped"
    OTHER = "other"
    """Nothing upstream is to blame, as where no input reached the Card. No line lists it."""


class _Value(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    """The settings that all values share; `gc` as in `versiondiff.records`."""


class CardResult(_Value, frozen=True, kw_only=True):
    """What a run recorded of one Card.

    Raises:
        InvalidInput: The fields contradict each other, the count is out of range, or the kind of
            failure is no identifier. The message names the Card and the field.
    """

    name: str
    """As it is in the Card's file. Two Cards may have one name."""
    outcome: CardOutcome
    invocations: int = 1
    """How often the Card was invoked. 0 if it did not run, which need not be said then."""
    failure: str | None = None
    """The kind of failure, of a Card that failed: one identifier of at most 64 letters A-Z and a-z,
    digits, `_`, `.` and `-`. It goes into git, so it can't be the failure's text."""
    saved_inputs: bool = False
    """The Card used inputs that an earlier run saved."""
    reason: NotRunReason | None = None
    """Why the Card did not run. None is taken for something upstream."""

    def __post_init__(self) -> None:
        """Check the fields, and set the count of a Card that did not run."""
        if self.outcome is _NOT_RUN:
            if self.invocations == 1:
                msgspec.structs.force_setattr(self, "invocations", 0)
            if self.invocations != 0:
                raise self._error("invocations", "is 0 where the Card did not run")
        elif not 0 <= self.invocations <= MOST_INVOCATIONS:
            raise self._error("invocations", f"is from 0 to {MOST_INVOCATIONS}")
        elif self.reason is not None:
            raise self._error("reason", "stands only where the Card did not run")
        if self.failure is not None:
            if self.outcome is not _FAILED:
                raise self._error("failure", "stands only where the Card failed")
            check_kind(self.failure, self.name)

    def _error(self, field: str, rule: str) -> InvalidInput:
        return InvalidInput(f"card {safe_name(self.name)}: {field}: {rule}")


class WholeRun(_Value, frozen=True, tag="whole"):
    """The run of a whole workflow, from its trigger if it has one."""

    trigger: str | None = None
    """The trigger's name. Of several Cards of that name the first in the result is the trigger."""


class FromCard(_Value, frozen=True, tag="from"):
    """The run of one Card and those downstream of it."""

    card: str
    """Its name."""


class OnlyCard(_Value, frozen=True, tag="only"):
    """The run of one Card alone."""

    card: str
    """Its name."""


RunStart: TypeAlias = WholeRun | FromCard | OnlyCard
"""Where a run started."""


class RunResult(_Value, frozen=True, kw_only=True):
    """One run that has ended.

    Raises:
        InvalidInput: The id is not one word of at most 100 characters, the time is not in the
            years from 1970 to 9999, or the duration is negative or no number.
    """

    id: str
    """One word, such as a UUID."""
    status: RunStatus
    ended: int
    """Seconds since 1970-01-01T00:00:00Z."""
    seconds: float
    """How long it took."""
    start: RunStart
    cards: tuple[CardResult, ...] = ()
    """In the order in which they are to be listed, as a rule that in which they ran."""

    def __post_init__(self) -> None:
        """Check what the head of the run's line is made of."""
        check_head(self.id, self.ended, self.seconds)


KIND: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")
"""A kind of failure."""

MOST_INVOCATIONS: Final = (1 << 63) - 1
"""The most that a count may be, for every reader of the JSON form to hold it."""

# Attributes of an enum are looked up by Python code.
_FAILED: Final = CardOutcome.FAILED
_NOT_RUN: Final = CardOutcome.NOT_RUN

_ID_LENGTH: Final = 100
_LAST_SECOND: Final = 253_402_300_799
"""9999-12-31T23:59:59Z."""


def check_head(id: str, ended: int, seconds: float) -> None:
    """Refuse what can't stand in the head of a run's line.

    Raises:
        InvalidInput: As `RunResult` says.
    """
    # The core replaces characters that are not to be shown, and cuts what is too long.
    if id.split() != [id] or display_name(id, _ID_LENGTH) != id:
        message = (
            f"run: id: is one word of at most {_ID_LENGTH} characters, without control characters"
        )
        raise InvalidInput(message)
    # A fraction would show in the line.
    if not 0 <= ended <= _LAST_SECOND or ended != int(ended):
        message = "run: ended: is whole seconds in the years from 1970 to 9999"
        raise InvalidInput(message)
    # False for what is no number, too.
    if not 0 <= seconds <= sys.float_info.max:
        message = "run: seconds: is a finite number from 0"
        raise InvalidInput(message)


def check_kind(kind: str, card: str) -> None:
    """Refuse a kind of failure that is no identifier; `card` is the Card's name.

    Raises:
        InvalidInput: It is not. The message does not hold it, as it may be the failure's text.
    """
    if KIND.fullmatch(kind) is None:
        message = (
            f"card {safe_name(card)}: failure: is a kind of failure, which is"
            " 1 to 64 letters A-Z and a-z, digits, _, . and -"
        )
        raise InvalidInput(message)
