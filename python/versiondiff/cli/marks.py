"""What versions carry, as text of a screen: results of runs, names, branches.

Names and notes come from the repository, where anyone can have written anything; they are put on
one line and made harmless.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from versiondiff.cli.output import Output, Style
from versiondiff.cli.shown import message_line
from versiondiff.rendering.names import name
from versiondiff.runs import RunLine, RunStatus
from versiondiff.wording import CATALOGUES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from versiondiff.marks import VersionMarks
    from versiondiff.runs import UnreadLine
    from versiondiff.wording import Language

__all__ = ["kept_lines", "labels", "run_counts", "run_rows"]

_STYLES: Final = {
    RunStatus.SUCCEEDED: Style.GREEN,
    RunStatus.FAILED: Style.RED,
    RunStatus.STOPPED: Style.YELLOW,
}
_SIGNS: Final = {RunStatus.SUCCEEDED: "✓", RunStatus.FAILED: "✗", RunStatus.STOPPED: "■"}


def labels(marks: VersionMarks, output: Output) -> str:
    """HEAD, branches and names at a version, in parentheses as git writes them; may be empty."""
    parts = [output.styled("HEAD", Style.CYAN)] if marks.is_head else []
    parts += [output.styled(name(branch), Style.GREEN) for branch in marks.branches]
    parts += [output.styled(f"tag: {name(kept.name)}", Style.MAGENTA) for kept in marks.names]
    return f"({', '.join(parts)})" if parts else ""


def run_counts(
    runs: tuple[RunLine | UnreadLine, ...], language: Language, output: Output
) -> Iterator[str]:
    """The line that says how many runs ended how; none where there are none.

    Signs where they are coloured and can be written, words elsewhere.
    """
    wording = CATALOGUES[language]
    words = {
        RunStatus.SUCCEEDED: wording.mark_count_succeeded,
        RunStatus.FAILED: wording.mark_count_failed,
        RunStatus.STOPPED: wording.mark_count_stopped,
    }
    counts = Counter(run.status if isinstance(run, RunLine) else None for run in runs)
    parts = []
    for status in RunStatus:
        count = counts[status]
        if count:
            sign = _SIGNS[status]
            has_sign = output.coloured and output.can_write(sign)
            text = f"{sign} {count:,}" if has_sign else words[status].format(count=f"{count:,}")
            parts.append(output.styled(text, _STYLES[status]))
    if counts[None]:
        text = wording.mark_count_unread.format(count=f"{counts[None]:,}")
        parts.append(output.styled(text, Style.FAINT))
    if parts:
        yield wording.mark_runs.format(results=wording.separator.join(parts))


def run_rows(
    runs: tuple[RunLine | UnreadLine, ...], language: Language, output: Output
) -> Iterator[str]:
    """A row for each run: how it ended, when, after how long, which one it was, and what ran."""
    wording = CATALOGUES[language]
    words = {
        RunStatus.SUCCEEDED: wording.mark_succeeded,
        RunStatus.FAILED: wording.mark_failed,
        RunStatus.STOPPED: wording.mark_stopped,
    }
    for run in runs:
        if isinstance(run, RunLine):
            _, _, _, ended, seconds, *_ = run.text().split(" ", 5)
            word = words[run.status]
            sign = _SIGNS[run.status]
            if output.coloured and output.can_write(sign):
                word = f"{sign} {word}"
            # The summary is what this program wrote, or what anyone did.
            summary = message_line(run.summary_text)
            columns = [output.styled(word, _STYLES[run.status]), ended, seconds, run.id, summary]
            yield "  ".join(column for column in columns if column)
        else:
            yield output.styled(message_line(run.text), Style.FAINT)


def kept_lines(marks: VersionMarks) -> Iterator[str]:
    """A line for each name that the version was kept under, and its memo below."""
    for kept in marks.names:
        first, *rest = kept.memo.strip("\n").split("\n")
        memo = message_line(first.expandtabs())
        yield f"{name(kept.name)}: {memo}" if memo else name(kept.name)
        for line in rest:
            yield ("    " + message_line(line.expandtabs())).rstrip()
