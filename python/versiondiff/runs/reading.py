"""The text of a summary read back.

Reading takes the text apart and asks afterwards whether what it found is written as this very
text. So it need not check every rule of writing, and what it returns is never a guess. Each step
takes time that grows with the length of the text, whatever is in it, and a text longer than any
summary is not looked into.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from versiondiff.errors import InvalidInput
from versiondiff.records import LANGUAGES
from versiondiff.runs.phrases import PHRASES
from versiondiff.runs.results import KIND, FromCard, OnlyCard, WholeRun
from versiondiff.runs.summaries import FailedCard, RanCard, RunSummary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from versiondiff.runs.phrases import Around, Phrases
    from versiondiff.runs.results import RunStart
    from versiondiff.wording import Language

__all__ = ["read_summary"]

# Possessive, so that a quote that is never closed is looked at once.
_QUOTED: Final = re.compile(r'"((?:[^"\\]++|\\["\\])*+)"')
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
_LONGEST: Final = 8_000
"""In characters. Three lists of six names of 80 characters, all escaped, take half of it."""
_COUNT: Final = re.compile(r"[0-9]{1,19}")


def read_summary(text: str) -> tuple[RunSummary, Language] | None:
    """What a summary says and in which language, or None where no summary is written like this."""
    parts = _quotes_set_aside(text) if len(text) <= _LONGEST else None
    if parts is None:
        return None
    bare, quoted = parts
    for language in LANGUAGES:
        phrases = PHRASES[language]
        try:
            summary = _Reader(phrases, iter(quoted)).summary(bare)
        except InvalidInput:
            continue
        if summary is not None and summary.text(language=language) == text:
            return summary, language
    return None


def _quotes_set_aside(text: str) -> tuple[str, list[str]] | None:
    """The text with `"` in the place of each quoted name, and those names; None for an open quote.

    No name outside of quotes holds a `"`, so the first one starts a quoted name, and what is left
    can be split at separators.
    """
    bare, quoted, at = [], [], 0
    while (start := text.find('"', at)) >= 0:
        found = _QUOTED.match(text, start)
        if found is None:
            return None
        bare.append(text[at : start + 1])
        quoted.append(_ESCAPED.sub(r"\1", found[1]))
        at = found.end()
    return "".join(bare) + text[at:], quoted


class _Reader:
    """One reading in one language; names that were quoted come in their order."""

    def __init__(self, phrases: Phrases, quoted: Iterator[str]) -> None:
        self.phrases = phrases
        self.quoted = quoted

    def summary(self, text: str) -> RunSummary | None:
        phrases = self.phrases
        text, _, not_run_text = text.partition(phrases.not_run)
        text, _, failed_text = text.partition(phrases.failed)
        start_text, _, ran_text = text.partition(phrases.names)
        saved_inputs = start_text.endswith(phrases.saved_inputs)
        start = self.start(start_text.removesuffix(phrases.saved_inputs))
        if start is None:
            return None
        ran, ran_more = self.listed(ran_text)
        failed, failed_more = self.listed(failed_text)
        not_run, not_run_more = self.listed(not_run_text)
        # In the order in which they stand, because quoted names are taken in that order.
        return RunSummary(
            start=start,
            saved_inputs=saved_inputs,
            ran=tuple([self.ran(item) for item in ran]),
            ran_more=ran_more,
            failed=tuple([self.failed(item) for item in failed]),
            failed_more=failed_more,
            not_run=tuple([self.name(item) for item in not_run]),
            not_run_more=not_run_more,
        )

    def start(self, text: str) -> RunStart | None:
        if text == self.phrases.whole:
            return WholeRun()
        for kind, (before, after) in (
            (FromCard, self.phrases.from_card),
            (OnlyCard, self.phrases.only_card),
        ):
            if text.startswith(before) and text.endswith(after):
                return kind(self.name(text[len(before) : len(text) - len(after)]))
        return None

    def listed(self, text: str) -> tuple[list[str], int]:
        """The items of a list, and how many more it counts."""
        if not text:
            return [], 0
        text, more = _count_behind(text, self.phrases.rest)
        return text.split(self.phrases.separator), more or 0

    def ran(self, item: str) -> RanCard:
        item, count = _count_behind(item, self.phrases.times)
        return RanCard(self.name(item), 1 if count is None else count)

    def failed(self, item: str) -> FailedCard:
        text, kind = _split_behind(item, self.phrases.kind)
        # Another text in parentheses is a part of the name.
        if kind is None or not KIND.fullmatch(kind):
            return FailedCard(self.name(item), None)
        return FailedCard(self.name(text), kind)

    def name(self, text: str) -> str:
        return next(self.quoted, "") if text == '"' else text


def _count_behind(text: str, around: Around) -> tuple[str, int | None]:
    """A text and the count behind it, or the whole text and None."""
    rest, count = _split_behind(text, around)
    return (text, None) if count is None or not _COUNT.fullmatch(count) else (rest, int(count))


def _split_behind(text: str, around: Around) -> tuple[str, str | None]:
    """A text, and what stands behind it between the two parts of `around`."""
    if around.after and not text.endswith(around.after):
        return text, None
    rest, before, inner = text.removesuffix(around.after).rpartition(around.before)
    return (rest, inner) if before else (text, None)
