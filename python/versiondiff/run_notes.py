"""The lines of runs, in the notes of the versions that ran."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from versiondiff.notes import DEFAULT_TIMEOUT, AppendLine
from versiondiff.runs import RunLine

if TYPE_CHECKING:
    from versiondiff.records import Signature
    from versiondiff.repository import Repository
    from versiondiff.runs import RunResult
    from versiondiff.wording import Language

__all__ = ["RUNS_REF", "append_run"]

RUNS_REF: Final = "refs/notes/tsugumi"
"""Where the lines of runs are."""


def append_run(
    repository: Repository,
    commit: str,
    run: RunResult,
    *,
    language: Language = "en",
    author: Signature,
    committer: Signature | None = None,
    timeout: float = DEFAULT_TIMEOUT,
) -> RunLine:
    """Append the line of a run to the note of the version that it ran on.

    No line is lost, and none gets into another, however many runs end at the same time.

    Args:
        repository: Where the version is.
        commit: The version, by any name that git knows.
        run: What the core recorded.
        language: The language of the summary.
        author: Who notes it, and when.
        committer: Who made the commit of the note, and when; None is the author.
        timeout: How many seconds other writers are waited for.

    Returns:
        What was written.

    Raises:
        Conflict: Other writers stood in the way until time was up.
        NotFound: No version goes by that name.
        InvalidInput: A signature breaks a rule, or the language is not known.
        VersionDiffError: The repository can't be written.
    """
    line = RunLine.of(run, language=language)
    repository.notes(RUNS_REF).edit(
        [AppendLine(commit, line.text())], author=author, committer=committer, timeout=timeout
    )
    return line
