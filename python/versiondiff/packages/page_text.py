"""Text of files as HTML: escaped, with nothing in it that acts without being seen.

What comes out goes between tags, never into an attribute, a script or an address.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Final

from versiondiff._core import unseen_parts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from versiondiff.wording import Wording

__all__ = [
    "LINE_CHARACTERS",
    "LINE_MARKS",
    "NAME_CHARACTERS",
    "changed_part",
    "escaped",
    "line",
    "name",
    "plain",
    "window",
]

LINE_CHARACTERS: Final = 2_000
"""How much of a line is shown, in characters."""

LINE_MARKS: Final = 400
"""How many unseen characters of a line are shown: each is an element of the page."""

NAME_CHARACTERS: Final = 500
"""How much of a path is shown, in characters."""

_NAME_MARKS: Final = 20
"""How many unseen characters of a path are shown: a page has each path three times."""

_BEFORE_CHANGE: Final = 200
"""How much of a long line is shown before the part that changed, in characters."""

# More than four marks on one letter reach over the lines around it.
_STACKED: Final = "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
_ACTING: Final = re.compile(f"(?<={_STACKED * 4}){_STACKED}+")
_CONTEXT: Final = 2
"""How many characters before one decide whether it is seen; after it one does."""
_RUN: Final = 8
"""How many characters of one kind in a row are spelled out; more are counted."""

# fmt: off
_CONTROLS: Final = (
    "NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "BEL", "BS", "TAB", "LF", "VT", "FF", "CR",
    "SO", "SI", "DLE", "DC1", "DC2", "DC3", "DC4", "NAK", "SYN", "ETB", "CAN", "EM", "SUB", "ESC",
    "FS", "GS", "RS", "US",
)
# fmt: on
_DELETE: Final = 0x7F


def _called(letter: str) -> str:
    """What an unseen character is called: its control's name, its byte or its number."""
    number = ord(letter)
    if number < len(_CONTROLS):
        return _CONTROLS[number]
    if number == _DELETE:
        return "DEL"
    # A byte that is no UTF-8, as `os.fsdecode` keeps it.
    return f"\\x{number - 0xDC00:02X}" if 0xDC80 <= number <= 0xDCFF else f"U+{number:04X}"


def _marked(letters: str) -> str:
    if len(letters) > _RUN and letters == letters[0] * len(letters):
        return f"<b>{_called(letters[0])} ×{len(letters):,}</b>"
    return "".join([f"<b>{_called(letter)}</b>" for letter in letters])


def escaped(text: str, start: int = 0, end: int | None = None) -> str:
    """Text as HTML, every character that is not seen, or acts on others, as a `<b>` with its name.

    Which are not seen, the core says, for all that shows text. No text can write such a `<b>`
    itself, so what is one was unseen.

    Args:
        text: The text that it is a part of.
        start: Where the part starts.
        end: Where it ends; by default at the end of the text.
    """
    end = len(text) if end is None else end
    parts: list[str] = []
    at = start
    for first, last in _unseen(text, start, end):
        parts += (_seen(text[at:first]), _marked(text[first:last]))
        at = last
    parts.append(_seen(text[at:end]))
    return "".join(parts)


def _seen(text: str) -> str:
    safe = html.escape(text, quote=False)
    return safe if text.isascii() else _ACTING.sub(lambda found: _marked(found[0]), safe)


def _unseen(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The unseen parts of a part of a text; tabs are seen."""
    before = max(0, start - _CONTEXT)
    around = text[before : end + 1].replace("\t", " ")
    if around.isascii() and around.isprintable():
        return
    for first, last in unseen_parts(around):
        first, last = max(first + before, start), min(last + before, end)
        if first < last:
            yield first, last


def window(text: str, change: tuple[int, int] | None) -> tuple[int, int]:
    """Which part of a line is shown: from where to where, in characters.

    All of it, where it isn't long; of a long one a part that holds where it changed.
    """
    start = 0
    if len(text) > LINE_CHARACTERS and change is not None:
        start = max(0, min(change[0] - _BEFORE_CHANGE, len(text) - LINE_CHARACTERS))
    return start, _end(text, start, LINE_CHARACTERS, LINE_MARKS)


def _end(text: str, start: int, characters: int, marks: int) -> int:
    """Where the part of a text ends that has no more than so many characters and marks."""
    end = min(len(text), start + characters)
    for first, last in _unseen(text, start, end):
        if marks < last - first:
            return first + marks
        marks -= last - first
    return end


def changed_part(text: str, other: str) -> tuple[int, int] | None:
    """Which part of a line is not in the line that it is compared with, in characters.

    Whole words, from the first difference to the last. None where too little stayed for the two to
    be the same line.
    """
    shorter = min(len(text), len(other))
    start = _same(text, other, shorter)
    end = _same(text[::-1], other[::-1], shorter - start)
    # Blanks at the start are no likeness.
    if len(text[:start].strip()) + len(text[len(text) - end :].strip()) < shorter * 0.4:
        return None
    if not shorter or start == len(text) == len(other):
        return None
    first, last, other_last = start, len(text) - end, len(other) - end
    # A difference within a word is one of the whole word.
    if text[start:last][:1].isalnum() or other[start:other_last][:1].isalnum():
        while first and text[first - 1].isalnum() and start - first < _BEFORE_CHANGE:
            first -= 1
    if text[start:last][-1:].isalnum() or other[start:other_last][-1:].isalnum():
        while last < len(text) and text[last].isalnum() and end - len(text) + last < _BEFORE_CHANGE:
            last += 1
    return first, last


def _same(text: str, other: str, most: int) -> int:
    """How many characters at the start are the same, up to `most`."""
    low, high = 0, most
    # By halves, so that a line of a megabyte takes no loop over its letters.
    while low < high:
        middle = (low + high + 1) // 2
        if text[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def line(sign: str, text: str, change: tuple[int, int] | None, wording: Wording) -> str:
    """What stands in the cell of a line: its sign, its text, and what is left out of it."""
    start, end = window(text, change)
    parts = [sign]
    if start:
        parts.append(_left_out(start, wording))
    if change is None:
        parts.append(escaped(text, start, end))
    else:
        first, last = (min(max(place, start), end) for place in change)
        parts.append(escaped(text, start, first))
        if first < last:
            parts.append(f"<mark>{escaped(text, first, last)}</mark>")
        parts.append(escaped(text, last, end))
    if end < len(text):
        parts.append(_left_out(len(text) - end, wording))
    return "".join(parts)


def name(text: str, wording: Wording) -> str:
    """A path, or what holds one, as HTML; of one that is too long for any system the beginning."""
    end = _end(text, 0, NAME_CHARACTERS, _NAME_MARKS)
    left_out = _left_out(len(text) - end, wording) if end < len(text) else ""
    return escaped(text, 0, end) + left_out


def plain(text: str) -> str:
    """Text as HTML for places that have no elements in them, as a page's title."""
    letters = list(text)
    for first, last in _unseen(text, 0, len(text)):
        letters[first:last] = "\ufffd" * (last - first)
    return html.escape(_ACTING.sub("\ufffd", "".join(letters)), quote=False)


def _left_out(count: int, wording: Wording) -> str:
    return f"<i>{escaped(wording.package_page_characters_left_out.format(count=f'{count:,}'))}</i>"
