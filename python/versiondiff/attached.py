"""What versions carry: their runs, the names they were kept under, branches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from versiondiff.records import Signature  # noqa: TC001 (msgspec looks the fields' types up)
from versiondiff.run_notes import RUNS_REF
from versiondiff.runs import RunLine, UnreadLine, parse_run_note

if TYPE_CHECKING:
    from collections.abc import Iterator

    from versiondiff.records import Reference
    from versiondiff.repository import Repository

__all__ = ["Attached", "KeptName"]

_BRANCHES = "refs/heads/"
_TAGS = "refs/tags/"


class KeptName(msgspec.Struct, frozen=True, kw_only=True):
    """A name that a version was kept under: a tag."""

    name: str
    memo: str = ""
    """What was said about it; nothing where the tag is not annotated."""
    tagger: Signature | None = None
    """Who kept it, and when."""


class Attached(msgspec.Struct, frozen=True, kw_only=True):
    """What one version carries.

    Names and lines are anyone's: make them safe before they are shown.
    """

    runs: tuple[RunLine | UnreadLine, ...] = ()
    """The lines of its note, the oldest first."""
    names: tuple[KeptName, ...] = ()
    """Sorted by name."""
    branches: tuple[str, ...] = ()
    """The branches whose tip it is, sorted."""
    is_head: bool = False
    """Whether `HEAD` stands on it."""


def all_attached(repository: Repository) -> dict[str, Attached]:
    """See `Repository.attached`."""
    attached = _named(repository)
    for note in repository.notes(RUNS_REF):
        if runs := parse_run_note(note.content):
            attached[note.target] = _with_runs(attached.get(note.target, Attached()), runs)
    return attached


def attached_to(repository: Repository, revision: str) -> Attached:
    """See `Repository.attached_to`."""
    commit = repository.version(revision).id
    attached = _named(repository).get(commit, Attached())
    note = repository.notes(RUNS_REF).get(commit)
    return attached if note is None else _with_runs(attached, parse_run_note(note))


def _with_runs(attached: Attached, runs: tuple[RunLine | UnreadLine, ...]) -> Attached:
    return msgspec.structs.replace(attached, runs=runs)


def _named(repository: Repository) -> dict[str, Attached]:
    """What names of all kinds say, by commit."""
    names: dict[str, list[KeptName]] = {}
    for commit, reference in _on_versions(repository, _TAGS):
        tag = reference.tag
        kept = KeptName(
            name=reference.name.removeprefix(_TAGS),
            memo="" if tag is None else tag.message,
            tagger=None if tag is None else tag.tagger,
        )
        names.setdefault(commit, []).append(kept)
    branches: dict[str, list[str]] = {}
    for commit, reference in _on_versions(repository, _BRANCHES):
        branches.setdefault(commit, []).append(reference.name.removeprefix(_BRANCHES))
    head = repository.head().commit
    return {
        commit: Attached(
            names=tuple(names.get(commit, ())),
            branches=tuple(branches.get(commit, ())),
            is_head=commit == head,
        )
        for commit in sorted({*names, *branches, *([] if head is None else [head])})
    }


def _on_versions(repository: Repository, prefix: str) -> Iterator[tuple[str, Reference]]:
    """The references whose names start so and that lead to a version, sorted by name."""
    for reference in repository.references(prefix):
        if reference.commit is not None:
            yield reference.commit, reference
