"""How far long work is, on stderr, where someone watches."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = ["followed", "is_watched", "line"]

_Item = TypeVar("_Item")

_FIRST: Final = 0.5
"""Seconds before the first line: short work shows none."""
_EVERY: Final = 0.1
"""Seconds between two lines."""


def is_watched() -> bool:
    """Whether progress is shown: stderr is a terminal, and stdout is not the same one."""
    return sys.stderr.isatty() and not sys.stdout.isatty()


def followed(items: Iterable[_Item], count: Callable[[], int], what: str) -> Iterator[_Item]:
    """The same items; while they are taken, a line on stderr says how far it is.

    Args:
        items: The work's results, one after the other.
        count: Counts all of them; called once, and only where progress is shown.
        what: What they are, in the plural.
    """
    if not is_watched():
        yield from items
        return
    total = count()
    start = time.monotonic()
    shown, due = False, start + _FIRST
    try:
        for done, item in enumerate(items, 1):
            yield item
            now = time.monotonic()
            if now >= due:
                shown, due = True, now + _EVERY
                sys.stderr.write(f"\r{line(done, total, now - start, what)}\x1b[K")
                sys.stderr.flush()
    finally:
        if shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def line(done: int, total: int, seconds: float, what: str) -> str:
    """How far it is, how fast, and how long it may still take.

    Args:
        done: How many are done, at least 1.
        total: How many there are.
        seconds: How long it took so far.
        what: What they are, in the plural.
    """
    rate = done / max(seconds, 1e-9)
    left = round(max(total - done, 0) / rate)
    minutes, left = divmod(left, 60)
    hours, minutes = divmod(minutes, 60)
    percent = done * 100 // max(total, 1)
    return (
        f"{done:,} of {total:,} {what} ({percent} %), {rate:,.0f}/s, "
        f"{hours}:{minutes:02}:{left:02} left"
    )
