"""The line of a run in a note: written, and read back."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec

from versiondiff.errors import InvalidInput
from versiondiff.runs.reading import read_summary
from versiondiff.runs.results import RunStatus, check_head
from versiondiff.runs.summaries import RunSummary, run_summary
from versiondiff.wording import Language  # noqa: TC001 (msgspec looks the fields' types up)

if TYPE_CHECKING:
    from versiondiff.runs.results import RunResult

__all__ = ["RunLine", "UnreadLine", "parse_run_line", "parse_run_note", "run_line"]


class RunLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One run, as its line in a note tells it.

    A line whose summary could be read holds nothing that can't be shown. Where there is a text and
    no `summary`, the text is what someone else wrote: make it safe before you show it.

    Raises:
        InvalidInput: As `RunResult`; or the summary's text has a line feed, or is not what the
            summary reads in that language.
    """

    id: str
    status: RunStatus
    ended: int
    """Seconds since 1970-01-01T00:00:00Z."""
    seconds: float
    """How long it took; as read from a line, to a tenth."""
    summary_text: str = ""
    """What the line says behind the seconds. Empty for a run of a demo's history."""
    summary: RunSummary | None = None
    """What the text says; None where there is none, or it could not be read."""
    language: Language | None = None
    """The language of a summary."""

    def __post_init__(self) -> None:
        """Check that the line is one line, and that its parts agree."""
        check_head(self.id, self.ended, self.seconds)
        if "\n" in self.summary_text:
            message = "run line: summary_text: is one line"
            raise InvalidInput(message)
        if (self.summary is None) is not (self.language is None):
            message = "run line: summary and language: stand together"
            raise InvalidInput(message)
        if (
            self.summary is not None
            and self.language is not None
            and self.summary.text(language=self.language) != self.summary_text
        ):
            message = "run line: summary_text: is what the summary reads in its language"
            raise InvalidInput(message)

    @classmethod
    def of(cls, run: RunResult, *, language: Language = "en") -> RunLine:
        """The line of a run, with its summary.

        Raises:
            InvalidInput: An unknown language.
        """
        summary = RunSummary.of(run)
        return cls(
            id=run.id,
            status=run.status,
            ended=run.ended,
            seconds=run.seconds,
            summary_text=summary.text(language=language),
            summary=summary,
            language=language,
        )

    def text(self) -> str:
        """The line, without a line feed."""
        head = _head(self.id, self.status, self.ended, self.seconds)
        return f"{head} {self.summary_text}" if self.summary_text else head


class UnreadLine(msgspec.Struct, frozen=True):
    """A line that is not that of a run, kept as it is. Make it safe before you show it."""

    text: str


AnyLine: TypeAlias = RunLine | UnreadLine


def run_line(run: RunResult, *, language: Language = "en") -> str:
    """The line of a run, without a line feed.

    Seconds have one decimal, rounded as C's `printf` does: to the nearest tenth, and to the even
    one where the number lies exactly between two.

    Raises:
        InvalidInput: An unknown language.
    """
    head = _head(run.id, run.status, run.ended, run.seconds)
    return f"{head} {run_summary(run, language=language)}"


def parse_run_line(line: str) -> AnyLine:
    """Read the line of a run, in whichever language, without its line feed.

    A line that `run_line` wrote is read in full, and `text()` gives it again. One with another
    summary is a `RunLine` without a typed summary. Any other is kept as it is. Nothing is raised,
    and the time that it takes grows with the length of the line.
    """
    parts = line.split(" ", 5)
    if len(parts) < _PARTS or parts[0] != _RUN:
        return UnreadLine(line)
    _, run, status, ended, seconds, *rest = parts
    if not _TIME.fullmatch(ended) or not _SECONDS.fullmatch(seconds):
        return UnreadLine(line)
    summary_text = rest[0] if rest else ""
    summary, language = read_summary(summary_text) or (None, None)
    try:
        read = RunLine(
            id=run,
            status=RunStatus(status),
            ended=_seconds_since_1970(ended),
            seconds=float(seconds[:-1]),
            summary_text=summary_text,
            summary=summary,
            language=language,
        )
    except (InvalidInput, ValueError):
        return UnreadLine(line)
    # Not so for a leading zero, or a space at the end.
    return read if read.text() == line else UnreadLine(line)


def parse_run_note(content: bytes) -> tuple[AnyLine, ...]:
    """The lines of a note of `refs/notes/tsugumi`, those of runs read; blank ones are left out.

    Bytes that are no UTF-8 read as U+FFFD.
    """
    lines = content.decode(errors="replace").split("\n")
    return tuple([parse_run_line(line) for line in lines if line and not line.isspace()])


_RUN: Final = "run"
_PARTS: Final = 5
_EPOCH: Final = datetime(1970, 1, 1)
"""In UTC, as all times here."""
_TIME: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")
# The longest finite number has 309 digits.
_SECONDS: Final = re.compile(r"[0-9]{1,309}\.[0-9]s")


def _head(id: str, status: RunStatus, ended: int, seconds: float) -> str:
    time = (_EPOCH + timedelta(seconds=ended)).isoformat()
    # Adding zero takes the sign off a negative zero.
    return f"{_RUN} {id} {status.value} {time}Z {seconds + 0.0:.1f}s"


def _seconds_since_1970(time: str) -> int:
    since = datetime.fromisoformat(time[:-1]) - _EPOCH
    return since.days * 86_400 + since.seconds
