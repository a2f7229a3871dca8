"""Ids, times and lines of messages, as they are shown everywhere."""

from __future__ import annotations

import datetime
from typing import Final

from versiondiff._core import display_name

__all__ = ["date", "message_line", "short_id"]

_SHORT_ID: Final = 10
"""Digits of a shortened commit id."""
_LINE_LENGTH: Final = 500
"""Characters of a shown line of a message."""


def short_id(id: str) -> str:
    """A commit id, shortened."""
    return id[:_SHORT_ID]


def message_line(text: str) -> str:
    """A line of a message, of a memo or of a note, made safe to show."""
    return display_name(text, _LINE_LENGTH)


def date(seconds: int) -> str:
    """A time in UTC, as ISO 8601 has it; its bare number where no calendar has it."""
    try:
        time = datetime.datetime.fromtimestamp(seconds, datetime.UTC)
    except (OverflowError, ValueError, OSError):
        return f"@{seconds}"
    return time.strftime("%Y-%m-%dT%H:%M:%SZ") if time.year >= 1000 else f"@{seconds}"
