"""The line of a run and its summary, word for word, in both languages.

What is expected here was written by hand, from what was agreed on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec
import pytest

from recorded_runs import FAILED, SUCCEEDED, WHOLE, failed, not_run, ran, run, stopped
from versiondiff import (
    CardResult,
    FromCard,
    NotRunReason,
    OnlyCard,
    RunLine,
    RunResult,
    RunStatus,
    WholeRun,
    parse_run_line,
    run_line,
    run_summary,
)
from versiondiff.wording import Wording, en, ja

if TYPE_CHECKING:
    from versiondiff.runs import RunStart
    from versiondiff.wording import Language

LANGUAGES: Final[tuple[Language, ...]] = ("en", "ja")

LINES: Final[dict[str, tuple[RunResult, Language]]] = {
    "run 3f2a9c1e-… succeeded 2026-11-04T10:12:00Z 12.3s whole: load, bands ×3, rgb": (
        SUCCEEDED,
        "en",
    ),
    "run 3f2a9c1e-… succeeded 2026-11-04T10:12:00Z 12.3s 全体: load、bands ×3、rgb": (
        SUCCEEDED,
        "ja",
    ),
    "run 7c01d2aa-… failed 2026-11-04T10:15:00Z 1.8s from bands (with saved inputs): bands"
    " / failed: bands (worker_failed) / not run: rgb": (FAILED, "en"),
    "run 7c01d2aa-… failed 2026-11-04T10:15:00Z 1.8s bands から(保存済みの入力で): bands"
    " / 失敗: bands(worker_failed) / 未実行: rgb": (FAILED, "ja"),
    "run a stopped 2026-11-04T10:12:00Z 0.0s whole": (
        run(WHOLE, id="a", status=RunStatus.STOPPED, seconds=0),
        "en",
    ),
}


@pytest.mark.parametrize("line", LINES)
def test_lines_are_as_agreed(line: str) -> None:
    result, language = LINES[line]
    assert run_line(result, language=language) == line
    assert RunLine.of(result, language=language).text() == line
    assert parse_run_line(line) == RunLine.of(
        msgspec.structs.replace(result, seconds=round(result.seconds, 1)), language=language
    )


class Case(NamedTuple):
    """A run, and what is said of it."""

    start: RunStart
    cards: tuple[CardResult, ...]
    english: str
    japanese: str


SEVEN: Final = tuple("abcdefg")

SUMMARIES: Final = {
    "a whole run without a trigger": Case(
        WholeRun(),
        (ran("load"), ran("rgb")),
        "whole: load, rgb",
        "全体: load、rgb",
    ),
    "the trigger is the only Card": Case(WHOLE, (ran("start"),), "whole", "全体"),
    "the trigger is not among the Cards": Case(WHOLE, (ran("load"),), "whole: load", "全体: load"),
    "the trigger failed": Case(
        WHOLE,
        (failed("start", "bad_event"), not_run("load"), not_run("rgb")),
        "whole / failed: start (bad_event) / not run: load, rgb",
        "全体 / 失敗: start(bad_event) / 未実行: load、rgb",
    ),
    "the trigger was stopped": Case(
        WHOLE,
        (stopped("start"), not_run("load", NotRunReason.UPSTREAM_STOPPED)),
        "whole / not run: load",
        "全体 / 未実行: load",
    ),
    "the trigger used saved inputs": Case(
        WHOLE,
        (ran("start", saved=True), ran("load")),
        "whole (with saved inputs): load",
        "全体(保存済みの入力で): load",
    ),
    "another Card has the trigger's name": Case(
        WHOLE,
        (ran("start"), ran("load"), ran("start", 2)),
        "whole: load, start ×2",
        "全体: load、start ×2",
    ),
    "a run from a Card lists that Card": Case(
        FromCard("start"), (ran("start"),), "from start: start", "start から: start"
    ),
    "one Card alone": Case(
        OnlyCard("bands"), (ran("bands"),), "only bands: bands", "bands のみ: bands"
    ),
    "one Card alone with saved inputs": Case(
        OnlyCard("bands"),
        (ran("bands", 2, saved=True),),
        "only bands (with saved inputs): bands ×2",
        "bands のみ(保存済みの入力で): bands ×2",
    ),
    "no Card of any kind": Case(FromCard("bands"), (), "from bands", "bands から"),
    "saved inputs of one Card of several": Case(
        WholeRun(),
        (ran("load"), ran("rgb", saved=True)),
        "whole (with saved inputs): load, rgb",
        "全体(保存済みの入力で): load、rgb",
    ),
    "saved inputs of a Card that was not invoked": Case(
        OnlyCard("rgb"),
        (ran("rgb", 0, saved=True),),
        "only rgb",
        "rgb のみ",
    ),
    "a Card that was not invoked and is no one's loss": Case(
        WholeRun(),
        (ran("load"), ran("rgb", 0), not_run("plot", NotRunReason.OTHER)),
        "whole: load",
        "全体: load",
    ),
    "no reason is taken for something upstream": Case(
        WholeRun(),
        (failed("load"), not_run("rgb", None)),
        "whole: load / failed: load (worker_failed) / not run: rgb",
        "全体: load / 失敗: load(worker_failed) / 未実行: rgb",
    ),
    "failed at the third invocation": Case(
        WholeRun(),
        (failed("bands", "timeout", 3),),
        "whole: bands ×3 / failed: bands (timeout)",
        "全体: bands ×3 / 失敗: bands(timeout)",
    ),
    "failed before it was invoked": Case(
        WholeRun(),
        (failed("bands", "build_failed", 0), not_run("rgb")),
        "whole / failed: bands (build_failed) / not run: rgb",
        "全体 / 失敗: bands(build_failed) / 未実行: rgb",
    ),
    "failed, and no kind was recorded": Case(
        WholeRun(),
        (failed("bands", None), failed("crop (v2)", None)),
        'whole: bands, crop (v2) / failed: bands, "crop (v2)"',
        '全体: bands、crop (v2) / 失敗: bands、"crop (v2)"',
    ),
    "stopped Cards ran": Case(
        WholeRun(),
        (ran("load"), stopped("bands", 2), not_run("rgb", NotRunReason.UPSTREAM_STOPPED)),
        "whole: load, bands ×2 / not run: rgb",
        "全体: load、bands ×2 / 未実行: rgb",
    ),
    "two Cards of one name": Case(
        WholeRun(),
        (ran("load"), failed("load", "timeout"), failed("load", "x"), not_run("a"), not_run("a")),
        "whole: load, load, load / failed: load (timeout), load (x) / not run: a, a",
        "全体: load、load、load / 失敗: load(timeout)、load(x) / 未実行: a、a",
    ),
    "six Cards": Case(
        WholeRun(),
        tuple(ran(name) for name in SEVEN[:6]),
        "whole: a, b, c, d, e, f",
        "全体: a、b、c、d、e、f",
    ),
    "seven Cards": Case(
        WholeRun(),
        tuple(ran(name) for name in SEVEN),
        "whole: a, b, c, d, e, f and 1 more",
        "全体: a、b、c、d、e、f、他 1 件",
    ),
    "each list is cut on its own": Case(
        WholeRun(),
        (
            *(failed(name) for name in SEVEN),
            *(ran(name, 2) for name in SEVEN[:2]),
            *(not_run(name) for name in (*SEVEN, *SEVEN)),
        ),
        "whole: a, b, c, d, e, f and 3 more"
        " / failed: a (worker_failed), b (worker_failed), c (worker_failed), d (worker_failed),"
        " e (worker_failed), f (worker_failed) and 1 more"
        " / not run: a, b, c, d, e, f and 8 more",
        "全体: a、b、c、d、e、f、他 3 件"
        " / 失敗: a(worker_failed)、b(worker_failed)、c(worker_failed)、d(worker_failed)、"
        "e(worker_failed)、f(worker_failed)、他 1 件"
        " / 未実行: a、b、c、d、e、f、他 8 件",
    ),
    "a trigger does not count among six": Case(
        WHOLE,
        (ran("start"), *(ran(name) for name in SEVEN[:6])),
        "whole: a, b, c, d, e, f",
        "全体: a、b、c、d、e、f",
    ),
}


@pytest.mark.parametrize("case", SUMMARIES)
def test_summaries_are_as_agreed(case: str) -> None:
    start, cards, english, japanese = SUMMARIES[case]
    result = run(start, *cards)
    assert run_summary(result) == english
    assert run_summary(result, language="ja") == japanese


def test_every_word_of_runs_stands_in_a_summary() -> None:
    for wording, texts in (
        (en.WORDING, [case.english for case in SUMMARIES.values()]),
        (ja.WORDING, [case.japanese for case in SUMMARIES.values()]),
    ):
        for field in msgspec.structs.fields(Wording):
            if field.name.startswith("run_"):
                template = getattr(wording, field.name)
                word = template.format(name="bands", count=3, kind="timeout")
                assert any(word in text for text in texts), field.name


# ── Names ───────────────────────────────────────────────────────────────────────────────────────

PLAIN: Final = (
    "load",
    "load image",
    "two  spaces",
    "crop (v2)",
    "crop(v2)",
    "a/b",
    "and/or",
    "a,b",
    "10:30",
    "C:\\new",
    "it's",
    "bands×3",
    "bands x3",
    "3 more",
    "from load",
    "only load",
    "whole",
    "全体",
    "failed",
    "not run",
    "失敗",
    "これから",
    "からのみ",
    "画像の読み込み",
    "a(with saved inputs)",
    "他 3 件の画像",
)
QUOTED: Final = {
    "": '""',
    " ": '" "',
    " load": '" load"',
    "load\u3000": '"load\u3000"',
    'say "hi"': '"say \\"hi\\""',
    '"load"': '"\\"load\\""',
    'a\\"': '"a\\\\\\""',
    "a, b": '"a, b"',
    "a,": '"a,"',
    "a、b": '"a、b"',
    "a: b": '"a: b"',
    "a:": '"a:"',
    "a / failed: b": '"a / failed: b"',
    "a /": '"a /"',
    "/ b": '"/ b"',
    "/": '"/"',
    "bands ×3": '"bands ×3"',
    "×3": '"×3"',
    "and 3 more": '"and 3 more"',
    "load and 3 more": '"load and 3 more"',
    "他 3 件": '"他 3 件"',
    "load (with saved inputs)": '"load (with saved inputs)"',
    "load(保存済みの入力で)": '"load(保存済みの入力で)"',
    "load から": '"load から"',
    "から": '"から"',
    "load のみ": '"load のみ"',
}
MADE_SAFE: Final = {
    "load\nrun x": "load\ufffdrun x",
    "a\x1b[31mb": "a\ufffd[31mb",
    "a\u202eb\u2028c\x85d": "a\ufffdb\ufffdc\ufffdd",
    "x" * 81: "x" * 79 + "…",
    "\ud800": "\ufffd" * 3,
}


NAMES: Final = {**{name: name for name in PLAIN}, **QUOTED, **MADE_SAFE}


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_quoted_only_where_it_is_ambiguous(name: str) -> None:
    shown = NAMES[name]
    for start, cards, english, japanese in (
        (WholeRun(), (ran(name),), f"whole: {shown}", f"全体: {shown}"),
        (
            WholeRun(),
            (ran("a"), ran(name, 3), ran("b")),
            f"whole: a, {shown} ×3, b",
            f"全体: a、{shown} ×3、b",
        ),
        (FromCard(name), (), f"from {shown}", f"{shown} から"),
        (OnlyCard(name), (ran("a"),), f"only {shown}: a", f"{shown} のみ: a"),
        (
            FromCard(name),
            (ran("a", saved=True),),
            f"from {shown} (with saved inputs): a",
            f"{shown} から(保存済みの入力で): a",
        ),
        (
            WholeRun(),
            (failed(name, "x", 0), not_run(name)),
            f"whole / failed: {shown} (x) / not run: {shown}",
            f"全体 / 失敗: {shown}(x) / 未実行: {shown}",
        ),
    ):
        result = run(start, *cards)
        assert run_summary(result) == english
        assert run_summary(result, language="ja") == japanese
        for language in LANGUAGES:
            line = RunLine.of(result, language=language)
            assert parse_run_line(line.text()) == line


# ── Numbers and times ───────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0, "0.0"),
        (-0.0, "0.0"),
        (0.04, "0.0"),
        (0.06, "0.1"),
        (12, "12.0"),
        # Exactly between two tenths: the even one.
        (12.25, "12.2"),
        (12.75, "12.8"),
        # These only look so: no double is 0.05, and the nearest one lies above it; 0.35's below.
        (0.05, "0.1"),
        (0.35, "0.3"),
        (59.99, "60.0"),
        (86_400.0, "86400.0"),
        (1e22, "10000000000000000000000.0"),
    ],
)
def test_seconds_have_one_decimal(seconds: float, shown: str) -> None:
    line = run_line(run(WholeRun(), seconds=seconds))
    assert line == f"run 3f2a9c1e succeeded 2026-11-04T10:12:00Z {shown}s whole"
    read = parse_run_line(line)
    assert isinstance(read, RunLine)
    assert read.seconds == float(shown)
    assert read.text() == line


@pytest.mark.parametrize(
    ("ended", "shown"),
    [
        (0, "1970-01-01T00:00:00Z"),
        (951_782_400, "2000-02-29T00:00:00Z"),
        (253_402_300_799, "9999-12-31T23:59:59Z"),
    ],
)
def test_the_end_is_shown_in_utc(ended: int, shown: str) -> None:
    line = run_line(run(WholeRun(), ended=ended))
    assert line == f"run 3f2a9c1e succeeded {shown} 12.3s whole"
    assert parse_run_line(line) == RunLine.of(run(WholeRun(), ended=ended))
