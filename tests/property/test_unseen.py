"""Characters that no one sees: whoever shows text or warns of it means the same ones."""

from __future__ import annotations

import sys
import unicodedata
from typing import Final

import pytest

from versiondiff import _core
from versiondiff.packages import PackageFindingKind, package_diff, page_text
from versiondiff.rendering.names import name

SURROGATES: Final = {chr(number) for number in range(0xD800, 0xE000)}
EVERY: Final = [chr(number) for number in range(sys.maxunicode + 1)]
LETTERS: Final = [letter for letter in EVERY if letter not in SURROGATES]
LAYOUT: Final = {"\t", "\n"}
"""What lays out a text: each medium has its own way with it."""
BLOCK: Final = 0x400


@pytest.fixture(scope="module")
def unseen() -> set[str]:
    """What the core says of each character between two that have nothing to do with it."""
    parts = _core.unseen_parts("x".join(EVERY))
    assert all(last - first == 1 and first % 2 == 0 for first, last in parts)
    return {EVERY[first // 2] for first, _ in parts}


def test_text_shows_each_in_another_way(unseen: set[str]) -> None:
    letters = [letter for letter in LETTERS if letter not in LAYOUT]
    lines = _core.visible_lines("\n".join(letters)).split("\n")
    shown = {letter for letter, line in zip(letters, lines, strict=True) if line != letter}
    assert shown == unseen - LAYOUT - SURROGATES


def test_the_page_shows_each_in_a_box(unseen: set[str]) -> None:
    letters = [letter for letter in EVERY if letter not in "&<>\t"]
    cells = page_text.escaped("\t".join(letters)).split("\t")
    boxed = {letter for letter, cell in zip(letters, cells, strict=True) if cell != letter}
    assert boxed == unseen - {"\t"}


def test_names_lose_each(unseen: set[str]) -> None:
    for start in range(0, len(LETTERS), BLOCK):
        letters = LETTERS[start : start + BLOCK]
        shown = _core.display_name("x".join(letters), 2 * BLOCK)[::2]
        lost = {letter for letter, one in zip(letters, shown, strict=True) if one != letter}
        assert lost == unseen & set(letters)


def test_each_is_found_in_new_lines(unseen: set[str]) -> None:
    # Form feeds have divided pages of source since before there were screens. A NUL makes a file
    # one without lines.
    harmless = {*LAYOUT, "\x0c", "\0"}
    blocks = {
        f"{start:05}": LETTERS[start : start + BLOCK] for start in range(0, len(LETTERS), BLOCK)
    }
    files = {
        path: "".join(f"x{letter}y\n" for letter in letters if letter != "\0").encode()
        for path, letters in blocks.items()
    }
    found = {
        finding.path: finding.count
        for finding in package_diff(None, files, hunks=False).findings
        if finding.kind is PackageFindingKind.HIDDEN_CHARACTERS
    }
    counts = {path: len((unseen - harmless) & set(letters)) for path, letters in blocks.items()}
    assert found == {path: count for path, count in counts.items() if count}


def test_what_is_seen_shows_something_or_is_a_blank(unseen: set[str]) -> None:
    # By the tables of Python, which are of another version of Unicode than those of the core.
    drawn_formats = {
        letter
        for letter in LETTERS
        if unicodedata.category(letter) == "Cf" and letter not in unseen
    }
    assert {unicodedata.bidirectional(letter) for letter in drawn_formats} <= {"AN", "AL", "L"}
    for letter in LETTERS:
        if unicodedata.category(letter) in {"Cc", "Zl", "Zp", "Co"}:
            assert letter in unseen


JOINED: Final = [
    "👩\u200d👩\u200d👧",
    "❤\ufe0f\u200d🔥",
    "1\ufe0f\u20e3",
    "می\u200cخواهم",
    "क्\u200dष",
    "葛\U000e0100",
]
LOOSE: Final = ["a\u200db", "👩\u200d", "😀\ufe0f\ufe0f", "葛\U000e0100\U000e0101", "a\ufe0f"]


def judged(text: str) -> list[bool]:
    """Whether it is unseen: to the text, the page, names, and findings in lines and names."""
    found = {finding.kind for finding in package_diff(None, {text: f"{text}\n".encode()}).findings}
    return [
        _core.visible_lines(text) != text,
        page_text.escaped(text) != text,
        name(text) != text,
        PackageFindingKind.HIDDEN_CHARACTERS in found,
        PackageFindingKind.HIDDEN_IN_NAME in found,
    ]


@pytest.mark.parametrize("text", JOINED)
def test_what_joins_where_it_belongs_is_seen_by_all(text: str) -> None:
    assert judged(text) == [False] * 5


@pytest.mark.parametrize("text", LOOSE)
def test_what_joins_nothing_is_unseen_to_all(text: str) -> None:
    assert judged(text) == [True] * 5


@pytest.mark.parametrize("text", [*JOINED, *LOOSE])
def test_a_part_of_a_line_is_shown_as_the_whole_line_would_be(text: str) -> None:
    line = f"x{text}y"
    for at in range(len(line) + 1):
        assert page_text.escaped(line, 0, at) + page_text.escaped(line, at) == page_text.escaped(
            line
        )
