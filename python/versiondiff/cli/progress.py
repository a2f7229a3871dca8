"""How far long work is, on stderr, where someone watches."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Final, Self

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["Progress", "line"]

_FIRST: Final = 0.5
"""Seconds before the first line: short work shows none."""
_EVERY: Final = 0.1
"""Seconds between two lines."""
_CLEAR: Final = "\r\x1b[K"


class Progress:
    """A line on stderr that says how far work is, until this is left as a context.

    Shown only where stderr is a terminal and, if something is printed meanwhile, stdout is not:
    together they would share a screen.
    """

    def __init__(
        self, what: str, *, most: int | None = None, prints_meanwhile: bool = True
    ) -> None:
        """Start the clock.

        Args:
            what: What is counted, in the plural.
            most: How many are wanted, where that may be fewer than there are.
            prints_meanwhile: Whether something is printed before this is left.
        """
        self._what = what
        self._phase = ""
        self._most = most
        self._is_watched = sys.stderr.isatty() and not (prints_meanwhile and sys.stdout.isatty())
        self._start = time.monotonic()
        self._first = self._due = self._start + _FIRST
        self._is_shown = False

    def phase(self, words: str) -> None:
        """Begin another part of the work, whose own things are counted."""
        self._phase = words
        self._start = time.monotonic()
        self._due = self._first
        self(0, None)

    def __call__(self, done: int, total: int | None) -> None:
        """Say that so many are done of so many, once that is known."""
        now = time.monotonic()
        if not self._is_watched or now < self._due:
            return
        self._due = now + _EVERY
        self._is_shown = True
        if total is not None and self._most is not None:
            total = min(total, self._most)
        parts = [self._phase] if self._phase else []
        if done or not parts:
            parts.append(line(done, total, now - self._start, self._what))
        self._write(_CLEAR + ": ".join(parts))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.clear()

    def clear(self) -> None:
        """Take the line away, so that something else can be said; the next one comes by itself."""
        if self._is_shown:
            self._is_shown = False
            self._write(_CLEAR)

    def _write(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()


def line(done: int, total: int | None, seconds: float, what: str) -> str:
    """How far it is, how fast, and how long it may still take.

    Args:
        done: How many are done.
        total: How many there are; None where that is not known yet.
        seconds: How long it took so far.
        what: What they are, in the plural.
    """
    rate = done / max(seconds, 1e-9)
    if total is None or not done:
        return f"{done:,} {what}, {rate:,.0f}/s"
    done = min(done, total)
    minutes, left = divmod(round((total - done) / rate), 60)
    hours, minutes = divmod(minutes, 60)
    return (
        f"{done:,} of {total:,} {what} ({done * 100 // max(total, 1)} %), {rate:,.0f}/s, "
        f"{hours}:{minutes:02}:{left:02} left"
    )
