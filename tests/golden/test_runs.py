"""The line of a run and its summary, word for word, in both languages.

What is expected here was written by hand, from what was agreed on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec
import pytest

from versiondiff import (
    CardOutcome,
    CardResult,
    FailedCard,
    FromCard,
    InvalidInput,
    NotRunReason,
    OnlyCard,
    RanCard,
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
from versiondiff.wording import Wording, en, ja

if TYPE_CHECKING:
    from versiondiff.runs import RunStart
    from versiondiff.wording import Language

START: Final = 1793787120
"""2026-11-04T10:12:00Z."""


def ran(name: str, times: int = 1, *, saved: bool = False) -> CardResult:
    return CardResult(
        name=name, outcome=CardOutcome.SUCCEEDED, invocations=times, saved_inputs=saved
    )


def failed(
    name: str, kind: str | None = "worker_failed", times: int = 1, *, saved: bool = False
) -> CardResult:
    return CardResult(
        name=name,
        outcome=CardOutcome.FAILED,
        failure=kind,
        invocations=times,
        saved_inputs=saved,
    )


def stopped(name: str, times: int = 1) -> CardResult:
    return CardResult(name=name, outcome=CardOutcome.STOPPED, invocations=times)


def not_run(name: str, reason: NotRunReason | None = NotRunReason.UPSTREAM_FAILED) -> CardResult:
    return CardResult(name=name, outcome=CardOutcome.NOT_RUN, reason=reason)


def run(
    start: RunStart,
    *cards: CardResult,
    id: str = "3f2a9c1e",
    status: RunStatus = RunStatus.SUCCEEDED,
    ended: int = START,
    seconds: float = 12.3,
) -> RunResult:
    return RunResult(id=id, status=status, ended=ended, seconds=seconds, start=start, cards=cards)


WHOLE: Final = WholeRun("start")
SUCCEEDED: Final = run(
    WHOLE, ran("start"), ran("load"), ran("bands", 3), ran("rgb"), id="3f2a9c1e-…"
)
FAILED: Final = run(
    FromCard("bands"),
    failed("bands", saved=True),
    not_run("rgb"),
    id="7c01d2aa-…",
    status=RunStatus.FAILED,
    ended=START + 180,
    seconds=1.8,
)

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
        (ran("load"), failed("load", "timeout"), failed("load"), not_run("rgb"), not_run("rgb")),
        "whole: load, load, load / failed: load (timeout), load (worker_failed) / not run: rgb, rgb",
        "全体: load、load、load / 失敗: load(timeout)、load(worker_failed) / 未実行: rgb、rgb",
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
    "×3",
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
    "load and 3 more": '"load and 3 more"',
    "他 3 件": '"他 3 件"',
    "load (with saved inputs)": '"load (with saved inputs)"',
    "load(保存済みの入力で)": '"load(保存済みの入力で)"',
    "load から": '"load から"',
    "から": '"から"',
    "load のみ": '"load のみ"',
}
PLAIN_ALTHOUGH: Final = {
    "load\nrun x": "load\ufffdrun x",
    "a\x1b[31mb": "a\ufffd[31mb",
    "a\u202eb\u2028c\x85d": "a\ufffdb\ufffdc\ufffdd",
    "x" * 81: "x" * 79 + "…",
    "\ud800": "\ufffd",
}


# What stands alone is read as such: quoted only where it would not be.
STANDS_ALONE: Final = {"×3": '"×3"', "and 3 more": '"and 3 more"'}


def expected_names() -> dict[str, str]:
    plain = {name: name for name in PLAIN if name not in STANDS_ALONE}
    return {**plain, **QUOTED, **PLAIN_ALTHOUGH, **STANDS_ALONE}


@pytest.mark.parametrize("name", expected_names())
def test_a_name_is_quoted_only_where_it_is_ambiguous(name: str) -> None:
    shown = expected_names()[name]
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


LANGUAGES: Final[tuple[Language, ...]] = ("en", "ja")


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


# ── Reading ─────────────────────────────────────────────────────────────────────────────────────

HEAD: Final = "run a failed 2026-11-04T10:12:00Z 1.8s"


def test_a_summary_is_read_as_what_it_says() -> None:
    line = f"{HEAD} from a (with saved inputs): a, b ×2 and 4 more / failed: b (x) / not run: c"
    assert parse_run_line(line) == RunLine(
        id="a",
        status=RunStatus.FAILED,
        ended=START,
        seconds=1.8,
        summary_text="from a (with saved inputs): a, b ×2 and 4 more / failed: b (x) / not run: c",
        summary=RunSummary(
            start=FromCard("a"),
            saved_inputs=True,
            ran=(RanCard("a", 1), RanCard("b", 2)),
            ran_more=4,
            failed=(FailedCard("b", "x"),),
            not_run=("c",),
        ),
        language="en",
    )


def test_a_run_of_a_demo_has_no_summary() -> None:
    line = RunLine(id="a", status=RunStatus.FAILED, ended=START, seconds=1.8)
    assert line.text() == HEAD
    assert parse_run_line(HEAD) == line


@pytest.mark.parametrize(
    "summary",
    [
        "done",
        "Whole: load",
        "whole:",
        "whole: ",
        "whole : load",
        " whole",
        "whole ",
        "whole: load, ",
        "whole: load ×1",
        "whole: load ×03",
        "whole: load ×99999999999999999999",
        "whole: load and 0 more",
        "whole and 3 more",
        'whole: "load"',
        'whole: "load',
        'whole: "a, b',
        'whole: "a, b\\"',
        'whole: "a, \\b"',
        'whole: lo"ad',
        "whole: load / not run: b / failed: a (x)",
        "whole: load / failed: a (x) / failed: b (x)",
        "whole / not run:",
        "whole / 失敗: a(x)",
        "全体: load, rgb",
        "全体: load and 3 more",
        "whole: load、rgb",
        "from ",
        "bands から (with saved inputs)",
        "whole: load\r",
        "whole: lo\x1bad",
        "whole: " + "x" * 81,
    ],
)
def test_another_summary_is_kept_as_it_is(summary: str) -> None:
    line = f"{HEAD} {summary}"
    read = parse_run_line(line)
    # Nothing is guessed: of some of these a guess would be easy.
    if read == parse_run_line(f"{HEAD} {summary.strip()}") and isinstance(read, RunLine):
        assert read.summary is None or read.summary_text == summary
    assert isinstance(read, RunLine)
    assert (read.summary, read.language, read.summary_text) == (None, None, summary)
    assert read.text() == line


@pytest.mark.parametrize(
    "line",
    [
        "",
        " ",
        "run",
        "Run: load",
        "run a failed 2026-11-04T10:12:00Z",
        f" {HEAD}",
        f"{HEAD} ",
        f"{HEAD}\r",
        f"{HEAD} whole\nrun b failed",
        HEAD.replace("run a", "run  a"),
        HEAD.replace("run a", "run a\x1b"),
        HEAD.replace("run a", "run a\u3000b"),
        HEAD.replace("run a", f"run {'a' * 101}"),
        HEAD.replace("failed", "Failed"),
        HEAD.replace("failed", "aborted"),
        HEAD.replace("2026", "1969"),
        HEAD.replace("2026", "26"),
        HEAD.replace("11-04", "02-30"),
        HEAD.replace("10:12:00", "10:12:60"),
        HEAD.replace("10:12:00", "24:00:00"),
        HEAD.replace("00Z", "00+00:00"),
        HEAD.replace("00Z", "00.5Z"),
        HEAD.replace("T", " "),
        HEAD.replace("2026", "２０２６"),
        HEAD.replace("1.8s", "1.8"),
        HEAD.replace("1.8s", "1.80s"),
        HEAD.replace("1.8s", "1s"),
        HEAD.replace("1.8s", "01.8s"),
        HEAD.replace("1.8s", "-1.8s"),
        HEAD.replace("1.8s", "nans"),
        HEAD.replace("1.8s", "1e5s"),
        HEAD.replace("1.8s", f"{'9' * 309}.0s"),
        HEAD.replace("1.8s", f"{'9' * 5000}.0s"),
    ],
)
def test_any_other_line_is_kept_as_it_is(line: str) -> None:
    assert parse_run_line(line) == UnreadLine(line)


def test_a_note_holds_lines() -> None:
    content = (
        f"{HEAD}\n\n{HEAD} 全体\n \t\nby hand\r\n".encode() + b"\xff\xfe\x00\n" + HEAD.encode()
    )
    assert parse_run_note(content) == (
        parse_run_line(HEAD),
        parse_run_line(f"{HEAD} 全体"),
        UnreadLine("by hand\r"),
        UnreadLine("\ufffd\ufffd\x00"),
        parse_run_line(HEAD),
    )
    assert parse_run_note(b"") == ()


# ── What is refused ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("id", ["", " ", "a b", "a\n", "a\u3000b", "a\x00", "a\u202eb", "x" * 101])
def test_an_id_is_one_word(id: str) -> None:
    with pytest.raises(InvalidInput, match="run: id: is one word of at most 100 characters"):
        run(WholeRun(), id=id)
    with pytest.raises(InvalidInput, match="run: id: is one word of at most 100 characters"):
        RunLine(id=id, status=RunStatus.FAILED, ended=0, seconds=0)


@pytest.mark.parametrize("seconds", [-0.1, float("nan"), float("inf"), float("-inf"), 10**400])
def test_seconds_are_finite_and_not_negative(seconds: float) -> None:
    with pytest.raises(InvalidInput, match="run: seconds: is a finite number from 0"):
        run(WholeRun(), seconds=seconds)


@pytest.mark.parametrize("ended", [-1, 253_402_300_800, 0.5, float("nan")])
def test_the_end_is_in_the_years_that_can_be_written(ended: int) -> None:
    with pytest.raises(InvalidInput, match="run: ended: is whole seconds in the years"):
        run(WholeRun(), ended=ended)


@pytest.mark.parametrize(
    "kind", ["", "two words", "a\n", "x" * 65, "Traceback: token=hunter2", "é", "a(b)", "a,b"]
)
def test_a_kind_of_failure_is_an_identifier(kind: str) -> None:
    with pytest.raises(InvalidInput, match="card bands: failure: is a kind of failure") as refused:
        failed("bands", kind)
    assert "hunter2" not in str(refused.value)
    with pytest.raises(InvalidInput, match="card bands: failure: is a kind of failure"):
        RunSummary(start=WholeRun(), failed=(FailedCard("bands", kind),))


def test_a_message_shows_a_name_safely() -> None:
    with pytest.raises(InvalidInput, match="^card a\ufffdb: failure:"):
        failed("a\nb", "not one")


@pytest.mark.parametrize(
    ("outcome", "fields", "message"),
    [
        (CardOutcome.SUCCEEDED, {"invocations": -1}, "invocations: is from 0"),
        (CardOutcome.SUCCEEDED, {"invocations": 1 << 63}, "invocations: is from 0"),
        (CardOutcome.SUCCEEDED, {"failure": "timeout"}, "failure: stands only where"),
        (CardOutcome.STOPPED, {"failure": "timeout"}, "failure: stands only where"),
        (CardOutcome.FAILED, {"reason": NotRunReason.OTHER}, "reason: stands only where"),
        (CardOutcome.NOT_RUN, {"invocations": 2}, "invocations: is 0 where"),
        (CardOutcome.NOT_RUN, {"failure": "timeout"}, "failure: stands only where"),
    ],
)
def test_a_card_does_not_contradict_itself(
    outcome: CardOutcome, fields: dict[str, object], message: str
) -> None:
    with pytest.raises(InvalidInput, match=f"card bands: {message}"):
        msgspec.convert({"name": "bands", "outcome": outcome.value, **fields}, CardResult)


def test_a_card_that_did_not_run_was_not_invoked() -> None:
    assert not_run("a").invocations == 0
    assert not_run("a") == CardResult(
        name="a",
        outcome=CardOutcome.NOT_RUN,
        invocations=0,
        reason=NotRunReason.UPSTREAM_FAILED,
    )


def test_a_line_agrees_with_its_summary() -> None:
    line = RunLine.of(SUCCEEDED)
    for fields in (
        {"summary_text": "whole"},
        {"language": "ja"},
        {"language": None},
        {"summary": None},
        {"summary": None, "language": None, "summary_text": "a\nb"},
    ):
        with pytest.raises(InvalidInput, match="run line: "):
            msgspec.structs.replace(line, **fields)


@pytest.mark.parametrize("field", ["ran_more", "failed_more", "not_run_more"])
@pytest.mark.parametrize("count", [-1, 1])
def test_a_summary_counts_only_behind_a_list(field: str, count: int) -> None:
    with pytest.raises(InvalidInput, match=f"run summary: {field}: counts what follows a list"):
        RunSummary(start=WholeRun(), **{field: count})  # type: ignore[arg-type]


def test_an_unknown_language_is_refused() -> None:
    for make in (run_line, run_summary, RunLine.of):
        with pytest.raises(InvalidInput, match="language: must be one of en, ja"):
            make(SUCCEEDED, language="fr")  # type: ignore[operator]


def test_values_are_kept_as_json() -> None:
    for value in (SUCCEEDED, FAILED, RunLine.of(FAILED, language="ja")):
        assert msgspec.json.decode(msgspec.json.encode(value), type=type(value)) == value
