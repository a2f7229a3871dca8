"""Whatever names Cards have, a run's line is one line, and is read back as what was written."""

from __future__ import annotations

import math
import re
import time
import unicodedata
from typing import TYPE_CHECKING, Final

import hypothesis.strategies as st
import pytest
from hypothesis import example, given, settings

from versiondiff import (
    CardOutcome,
    CardResult,
    FromCard,
    NotRunReason,
    OnlyCard,
    RunLine,
    RunResult,
    RunStatus,
    RunSummary,
    UnreadLine,
    WholeRun,
    parse_run_line,
    parse_run_note,
    run_line,
    run_summary,
)
from versiondiff.rendering.names import name as safe_name
from versiondiff.runs.phrases import shown
from versiondiff.runs.results import KIND

if TYPE_CHECKING:
    from collections.abc import Callable

    from versiondiff.wording import Language

# All that a line is made of, in both languages, and what could do harm.
FRAGMENTS: Final = (
    *(" ", ", ", ",", "、", ": ", ":", " / ", "/", '"', "\\", '\\"', "a", "bands", "画像", "…"),
    *(" ×3", "×", "3", "03", " and 3 more", "and ", " more", "、他 3 件", "他 ", " 件"),
    *(" (with saved inputs)", "(保存済みの入力で)", "(worker_failed)", " (x y)", "(", ")"),
    *(
        "from ",
        "only ",
        " から",
        " のみ",
        "から",
        "のみ",
        "whole",
        "全体",
        "failed",
        "not run",
        "失敗",
        "未実行",
    ),
    *("\n", "\r", "\t", "\x00", "\x1b[31m", "\x85", "\u2028", "\u202e", "\u3000", "\ufeff"),
    "run a failed 2026-11-04T10:12:00Z 1.8s whole: a",
)
EDGES: Final = st.sampled_from(["", "a"])
NAMES: Final = st.one_of(
    st.tuples(EDGES, st.sampled_from(FRAGMENTS), EDGES).map("".join),
    st.lists(st.sampled_from(FRAGMENTS), max_size=6).map("".join),
    st.text(max_size=100),
)
KINDS: Final = st.from_regex(KIND, fullmatch=True)
LANGUAGES: Final[tuple[Language, ...]] = ("en", "ja")
CARDS: Final = st.one_of(
    st.builds(
        CardResult,
        name=NAMES,
        outcome=st.sampled_from([CardOutcome.SUCCEEDED, CardOutcome.STOPPED]),
        invocations=st.integers(0, 3) | st.integers(0, 1 << 62),
        saved_inputs=st.booleans(),
    ),
    st.builds(
        CardResult,
        name=NAMES,
        outcome=st.just(CardOutcome.FAILED),
        failure=KINDS | st.none(),
        invocations=st.integers(0, 3),
    ),
    st.builds(
        CardResult,
        name=NAMES,
        outcome=st.just(CardOutcome.NOT_RUN),
        reason=st.sampled_from(NotRunReason) | st.none(),
    ),
)
IDS: Final = st.one_of(
    st.uuids().map(str),
    st.text(min_size=1, max_size=20).filter(
        lambda word: word.split() == [word] and safe_name(word) == word
    ),
)
RUNS: Final = st.builds(
    RunResult,
    id=IDS,
    status=st.sampled_from(RunStatus),
    ended=st.integers(0, 253_402_300_799),
    seconds=st.floats(0, allow_nan=False, allow_infinity=False),
    start=st.one_of(
        st.builds(WholeRun, st.none() | NAMES),
        st.builds(FromCard, NAMES),
        st.builds(OnlyCard, NAMES),
    ),
    cards=st.lists(CARDS, max_size=20).map(tuple),
)


@settings(deadline=None, max_examples=400)
@given(RUNS, st.sampled_from(LANGUAGES))
def test_a_line_is_read_back_as_what_was_written(run: RunResult, language: Language) -> None:
    line = run_line(run, language=language)
    read = parse_run_line(line)
    assert isinstance(read, RunLine)
    assert read.summary == RunSummary.of(run)
    assert read.language == language
    assert (read.id, read.status, read.ended) == (run.id, run.status, run.ended)
    # A tenth of a second at most, as far as a double of that size can tell.
    assert abs(read.seconds - run.seconds) <= 0.051 + math.ulp(run.seconds)
    assert read.text() == line
    assert read.summary.text(language=language) == read.summary_text
    assert read.summary_text == run_summary(run, language=language)
    # What is read is made of what may stand in it: it can be written again.
    assert parse_run_line(read.text()) == read


@settings(deadline=None, max_examples=200)
@given(RUNS, st.sampled_from(LANGUAGES))
def test_a_line_is_one_line(run: RunResult, language: Language) -> None:
    line = run_line(run, language=language)
    assert line.splitlines() == [line]
    assert not any(unicodedata.category(letter) in {"Cc", "Zl", "Zp"} for letter in line)
    assert parse_run_note(f"{line}\n{line}\n".encode()) == (parse_run_line(line),) * 2


@settings(deadline=None, max_examples=400)
@given(NAMES, st.lists(NAMES, min_size=1, max_size=3))
@example('from "x', [": a"])
@example("a から", ["b"])
@example("から", ["b"])
@example("from", ["b"])
@example("from a", ["b"])
def test_two_summaries_never_read_alike(start: str, cards: list[str]) -> None:
    """Of the same name, in the place of a start or a Card, in either language."""
    results = tuple(CardResult(name=card, outcome=CardOutcome.SUCCEEDED) for card in cards)
    texts: dict[str, tuple[RunSummary, Language]] = {}
    for each in (WholeRun(), FromCard(start), OnlyCard(start)):
        for shown_cards in (results, results[:1], ()):
            for language in LANGUAGES:
                run = RunResult(
                    id="a",
                    status=RunStatus.FAILED,
                    ended=0,
                    seconds=0,
                    start=each,
                    cards=shown_cards,
                )
                said = (RunSummary.of(run), language)
                text = run_summary(run, language=language)
                assert texts.setdefault(text, said) == said


def test_no_two_lines_with_each_fragment_in_each_place_read_alike() -> None:
    lines: dict[str, tuple[RunSummary, Language]] = {}
    for fragment in FRAGMENTS:
        for name in (fragment, f"a{fragment}", f"{fragment}a", f"a{fragment}a"):
            ran = CardResult(name=name, outcome=CardOutcome.SUCCEEDED)
            failed, failed_somehow = [
                CardResult(name=name, outcome=CardOutcome.FAILED, invocations=0, failure=kind)
                for kind in ("x", None)
            ]
            not_run = CardResult(name=name, outcome=CardOutcome.NOT_RUN)
            for start, cards in (
                (FromCard(name), ()),
                (OnlyCard(name), (not_run,)),
                (FromCard(name), (ran,)),
                (WholeRun(), (ran,)),
                (WholeRun(), (ran, ran)),
                (WholeRun(), (ran,) * 9),
                (WholeRun(), (failed,)),
                (WholeRun(), (failed_somehow,)),
                (WholeRun(), (failed_somehow, failed, not_run, not_run)),
            ):
                run = RunResult(
                    id="a", status=RunStatus.FAILED, ended=0, seconds=0, start=start, cards=cards
                )
                for language in LANGUAGES:
                    line = run_line(run, language=language)
                    said = (RunSummary.of(run), language)
                    read = parse_run_line(line)
                    assert isinstance(read, RunLine)
                    assert (read.summary, read.language) == said
                    assert lines.setdefault(line, said) == said


@settings(deadline=None, max_examples=300)
@given(NAMES | st.from_regex(re.compile(r"[A-Za-z0-9_.-]{1,90}"), fullmatch=True))
def test_a_name_is_shown_as_everywhere_but_for_quotes(name: str) -> None:
    text = shown(name)
    safe = safe_name(name)
    if text != safe:
        escaped = safe.replace("\\", "\\\\").replace('"', '\\"')
        assert text == f'"{escaped}"'
    # Making it safe again changes nothing, or a line that was read could not be written again.
    assert shown(safe) == text


@settings(deadline=None, max_examples=400)
@given(st.lists(st.sampled_from((*FRAGMENTS, "run ", "x ", "1.0s ")), max_size=12).map("".join))
def test_reading_raises_nothing_and_loses_nothing(text: str) -> None:
    for line in (text, f"run a failed 2026-11-04T10:12:00Z 1.8s {text}"):
        read = parse_run_line(line)
        assert (read.text if isinstance(read, UnreadLine) else read.text()) == line


@settings(deadline=None, max_examples=200)
@given(st.text() | st.text(st.characters()))
def test_reading_any_text_raises_nothing(text: str) -> None:
    read = parse_run_line(text)
    assert (read.text if isinstance(read, UnreadLine) else read.text()) == text


@settings(deadline=None, max_examples=200)
@given(st.binary())
def test_reading_any_bytes_raises_nothing(content: bytes) -> None:
    for line in parse_run_note(content):
        assert "\n" not in (line.text if isinstance(line, UnreadLine) else line.text())


@settings(deadline=None)
@given(st.sampled_from(['"' * 80, "\\ " * 40, "画" * 80]), st.sampled_from(LANGUAGES))
def test_the_longest_line_is_read_back(name: str, language: Language) -> None:
    cards = [
        CardResult(
            name=name,
            outcome=CardOutcome.FAILED,
            failure="x" * 64,
            invocations=(1 << 63) - 1,
            saved_inputs=True,
        ),
        CardResult(name=name, outcome=CardOutcome.NOT_RUN),
    ]
    run = RunResult(
        id="x" * 100,
        status=RunStatus.SUCCEEDED,
        ended=0,
        seconds=1.7e308,
        start=FromCard(name),
        cards=tuple(cards * 100_000),
    )
    line = RunLine.of(run, language=language)
    assert parse_run_line(line.text()) == line


HEAD: Final = "run a failed 2026-11-04T10:12:00Z 1.8s "
HOSTILE: Final[dict[str, Callable[[int], str]]] = {
    "a long word": lambda count: "x" * count,
    "a long id": lambda count: f"run {'x' * count} failed",
    "many digits": lambda count: f"run a failed 2026-11-04T10:12:00Z {'9' * count}.0s",
    "many spaces": lambda count: " " * count,
    "many names": lambda count: HEAD + "whole: " + "a, " * (count // 3),
    "many names in Japanese": lambda count: HEAD + "全体: " + "あ、" * (count // 2),
    "many parts": lambda count: HEAD + "whole / failed: a" * (count // 17),
    "many labels": lambda count: HEAD + "whole" + " / not run: " * (count // 12),
    "many open quotes": lambda count: HEAD + "whole: " + '"\\' * (count // 2),
    "many escapes": lambda count: HEAD + 'whole: "' + '\\"' * (count // 2),
    "many quoted names": lambda count: HEAD + "whole: " + '"a, b", ' * (count // 8),
    "many counts": lambda count: HEAD + "whole: a" + " ×3" * (count // 3),
    "many rests": lambda count: HEAD + "whole: a" + " and 3 more" * (count // 11),
    "a long count": lambda count: HEAD + "whole: a ×" + "3" * count,
    "many kinds": lambda count: HEAD + "whole / failed: a" + " (x)" * (count // 4),
    "many parentheses": lambda count: HEAD + "whole / failed: a" + " (" * (count // 2) + ")",
    "many saved inputs": lambda count: HEAD + "whole" + " (with saved inputs)" * (count // 20),
    "many froms": lambda count: HEAD + "from " * (count // 5),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_time_to_read_grows_with_the_length(kind: str) -> None:
    """Eight times the length takes some eight times as long; quadratic would be 64 times."""
    # Up to the length of a summary that is looked into, and far beyond it.
    for count in (900, 100_000):
        lines = [HOSTILE[kind](count), HOSTILE[kind](8 * count)]
        short, long = (min(seconds_to_read(line) for _ in range(3)) for line in lines)
        assert long <= 30 * short + 0.01


def seconds_to_read(line: str) -> float:
    started = time.process_time()
    parse_run_line(line)
    return time.process_time() - started
