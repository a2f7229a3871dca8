"""Whatever names files hold, every rendering keeps its lines, in both languages."""

from __future__ import annotations

import types
import typing
import unicodedata
from typing import TYPE_CHECKING, Any

import hypothesis.strategies as st
import msgspec
from hypothesis import given, settings

from versiondiff import records
from versiondiff.rendering import render, render_comments, render_failure, render_warnings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from versiondiff.wording import Language

# Text as JSON can hold it, with much of what could do harm.
HARMFUL = (
    "\n\r\t\x00\x1b\x7f\x85\x9b\u061c\u200b\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069\ufeff"
)
NAMES = st.text(
    st.sampled_from(HARMFUL + "(){},:、→") | st.characters(codec="utf-8"),
    max_size=100,
)
PLACES = st.sampled_from(["", "a.json", "b.json"])
LANGUAGES: st.SearchStrategy[Language] = st.sampled_from(["en", "ja"])
LIMITS = st.integers(1, 4)


def values(kind: Any) -> st.SearchStrategy[Any]:
    """Every value that a record's type allows."""
    if kind is str:
        return NAMES
    if typing.get_origin(kind) is tuple:
        return st.lists(values(typing.get_args(kind)[0]), max_size=6).map(tuple)
    if isinstance(kind, types.UnionType):
        return st.one_of(*map(values, typing.get_args(kind)))
    if issubclass(kind, msgspec.Struct):
        fields = {name: values(of) for name, of in typing.get_type_hints(kind).items()}
        if "flow" in fields:
            fields["flow"] = PLACES
        return st.builds(kind, **fields)
    return st.from_type(kind)


RECORDS: st.SearchStrategy[records.ChangeRecord] = values(records.ChangeRecord)
FAILURES: st.SearchStrategy[records.Failure] = values(records.Failure)


def is_harmless(text: str) -> bool:
    """Nothing in it breaks a line, colours a terminal or turns the direction of reading around."""
    return not any(
        unicodedata.category(letter) in {"Cc", "Zl", "Zp"}
        or unicodedata.bidirectional(letter)
        in {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
        for letter in text
    )


def entries(record: records.ChangeRecord) -> int:
    """How many entries a record has, counted another way than the renderer does."""
    whole = {
        (kind, flow.flow)
        for flow in record.flows
        for kind in records.EditKind
        if flow.kind.value == kind.value
    }
    return len(record.flows) + sum((node.kind, node.flow) not in whole for node in record.nodes)


def lines(count: int, limit: int) -> int:
    return min(count, limit) + (count > limit)


@settings(deadline=None, max_examples=50)
@given(RECORDS, LANGUAGES, LIMITS)
def test_a_record_has_a_line_an_entry(
    record: records.ChangeRecord, language: Language, limit: int
) -> None:
    text = render(record, language=language, limit=limit)
    shown = text.split("\n")
    whole = {flow.flow for flow in record.flows if flow.kind.value in {"added", "removed"}}
    with_settings = any(setting.flow not in whole for setting in record.settings)
    expected = lines(entries(record), limit) + with_settings
    assert len(shown) == max(expected, 1)
    assert all(map(is_harmless, shown))


@settings(deadline=None, max_examples=50)
@given(RECORDS, LANGUAGES, LIMITS)
def test_comments_and_warnings_have_a_line_each(
    record: records.ChangeRecord, language: Language, limit: int
) -> None:
    texts: Sequence[tuple[str, int]] = [
        (render_comments(record, language=language, limit=limit), len(record.comments)),
        (render_warnings(record, language=language, limit=limit), len(record.warnings)),
    ]
    for text, count in texts:
        shown = text.split("\n") if text else []
        assert len(shown) == lines(count, limit)
        assert all(map(is_harmless, shown))


@settings(deadline=None, max_examples=50)
@given(FAILURES, LANGUAGES)
def test_a_failure_has_one_line(failure: records.Failure, language: Language) -> None:
    text = render_failure(failure, language=language)
    assert text
    assert is_harmless(text)


@settings(deadline=None, max_examples=50)
@given(RECORDS, LANGUAGES)
def test_the_same_record_gives_the_same_text(
    record: records.ChangeRecord, language: Language
) -> None:
    assert render(record, language=language) == render(record, language=language)
