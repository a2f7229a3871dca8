"""What versions carry, as text of a screen: results of runs, names, branches.

Names and notes come from the repository, where anyone can have written anything; they are put on
one line and made harmless.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

from versiondiff.attached import Attached
from versiondiff.cli.output import Output, Style, note
from versiondiff.cli.shown import message_line
from versiondiff.errors import VersionDiffError
from versiondiff.rendering.names import name
from versiondiff.rendering.names import path as in_one_line
from versiondiff.runs import RunLine, RunStatus
from versiondiff.wording import CATALOGUES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from versiondiff.repository import Repository
    from versiondiff.runs import UnreadLine
    from versiondiff.wording import Language

__all__ = [
    "Carried",
    "all_attached",
    "attached_to",
    "kept_lines",
    "labels",
    "run_counts",
    "run_rows",
]

_STYLES: Final = {
    RunStatus.SUCCEEDED: Style.GREEN,
    RunStatus.FAILED: Style.RED,
    RunStatus.STOPPED: Style.YELLOW,
}
_SIGNS: Final = {RunStatus.SUCCEEDED: "✓", RunStatus.FAILED: "✗", RunStatus.STOPPED: "■"}


class Carried(NamedTuple):
    """What a version carries."""

    attached: Attached
    head_branch: str | None
    """The branch that HEAD is on."""


def all_attached(repository: Repository) -> dict[str, Carried]:
    """What all versions carry; where it can't be read, that is said on stderr, and it is nothing.

    So a note that something else wrote keeps no one from seeing what changed.
    """
    try:
        branch = _head_branch(repository)
        return {
            commit: Carried(attached, branch) for commit, attached in repository.attached().items()
        }
    except VersionDiffError as error:
        note(in_one_line(str(error)))
        return {}


def attached_to(repository: Repository, commit: str) -> Carried:
    """What a version carries; as `all_attached` where it can't be read."""
    try:
        return Carried(repository.attached_to(commit), _head_branch(repository))
    except VersionDiffError as error:
        note(in_one_line(str(error)))
        return Carried(Attached(), None)


def _head_branch(repository: Repository) -> str | None:
    branch = repository.head().branch
    return None if branch is None else branch.removeprefix("refs/heads/")


def labels(carried: Carried, output: Output) -> str:
    """HEAD, branches and names at a version, in parentheses as git writes them; may be empty."""
    attached, parts = carried.attached, []
    branches = [branch for branch in attached.branches if branch != carried.head_branch]
    if attached.is_head:
        on_branch = len(branches) < len(attached.branches)
        head = f"HEAD -> {name(str(carried.head_branch))}" if on_branch else "HEAD"
        parts.append(output.styled(head, Style.GREEN if on_branch else Style.CYAN))
    parts += [output.styled(name(branch), Style.GREEN) for branch in branches]
    parts += [output.styled(f"tag: {name(kept.name)}", Style.MAGENTA) for kept in attached.names]
    return f"({', '.join(parts)})" if parts else ""


def run_counts(
    runs: tuple[RunLine | UnreadLine, ...], language: Language, output: Output
) -> Iterator[str]:
    """The line that says how many runs ended how; none where there are none.

    Signs where they are coloured and can be written, words elsewhere.
    """
    wording = CATALOGUES[language]
    words = {
        RunStatus.SUCCEEDED: wording.attached_count_succeeded,
        RunStatus.FAILED: wording.attached_count_failed,
        RunStatus.STOPPED: wording.attached_count_stopped,
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
        text = wording.attached_count_unread.format(count=f"{counts[None]:,}")
        parts.append(output.styled(text, Style.FAINT))
    if parts:
        yield wording.attached_runs.format(results=wording.separator.join(parts))


def run_rows(
    runs: tuple[RunLine | UnreadLine, ...], language: Language, output: Output
) -> Iterator[str]:
    """A row for each run: when and how it ended, after how long, its id, and what ran."""
    wording = CATALOGUES[language]
    words = {
        RunStatus.SUCCEEDED: wording.attached_succeeded,
        RunStatus.FAILED: wording.attached_failed,
        RunStatus.STOPPED: wording.attached_stopped,
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
            columns = [ended, output.styled(word, _STYLES[run.status]), seconds, run.id, summary]
            yield "  ".join(column for column in columns if column)
        else:
            yield output.styled(message_line(run.text), Style.FAINT)


def kept_lines(attached: Attached) -> Iterator[str]:
    """A line for each name that the version was kept under, and its memo below."""
    for kept in attached.names:
        first, *rest = kept.memo.strip("\n").split("\n")
        memo = message_line(first.expandtabs())
        yield f"{name(kept.name)}: {memo}" if memo else name(kept.name)
        for line in rest:
            yield ("    " + message_line(line.expandtabs())).rstrip()
