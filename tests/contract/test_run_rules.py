"""What is read of a run's line, and what of a run is refused."""

from __future__ import annotations

from typing import Any, Final

import msgspec
import pytest

from recorded_runs import FAILED, START, SUCCEEDED, failed, not_run, run
from versiondiff import (
    CardOutcome,
    CardResult,
    FailedCard,
    FromCard,
    InvalidInput,
    NotRunReason,
    RanCard,
    RunLine,
    RunStatus,
    RunSummary,
    UnreadLine,
    WholeRun,
    parse_run_line,
    parse_run_note,
    run_line,
    run_summary,
)

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
    content = f"{HEAD}\n\n{HEAD} 全体\n \t\nby hand\r\n?\n{HEAD}".encode()
    assert parse_run_note(content.replace(b"?", b"\xff\xfe\x00")) == (
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
    with pytest.raises(InvalidInput, match="card a\ufffdb: failure:"):
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
    unknown: Any = "fr"
    for make in (run_line, run_summary, RunLine.of):
        with pytest.raises(InvalidInput, match="language: must be one of en, ja"):
            make(SUCCEEDED, language=unknown)


def test_values_are_kept_as_json() -> None:
    for value in (SUCCEEDED, FAILED, RunLine.of(FAILED, language="ja")):
        assert msgspec.json.decode(msgspec.json.encode(value), type=type(value)) == value
