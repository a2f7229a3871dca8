"""Change records kept as notes, once for each language.

A record follows from its version, so a note is a copy for those who read with git: it is compared
with the text made from the version, and written where it differs. Whatever else is in such a note
(another version's text, another language, half a line, bytes that are no text) is replaced.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final

import msgspec

from versiondiff.notes import SetNote
from versiondiff.rendering import render, render_failure
from versiondiff.repository import Parents

if TYPE_CHECKING:
    from collections.abc import Iterator

    from versiondiff.formats import AnyFormat
    from versiondiff.notes import Notes
    from versiondiff.records import Signature, VersionRecord
    from versiondiff.repository import Progress, Repository
    from versiondiff.wording import Language

__all__ = ["KeptRecord", "RecordOrigin", "kept_record", "kept_records", "record_ref"]

_REF: Final = "refs/notes/tsugumi-record-"
_CHUNK: Final = 1_000
"""How many notes one commit writes at most."""


class RecordOrigin(enum.Enum):
    """Where a record comes from."""

    KEPT = "kept"
    """It was in the note."""
    MADE = "made"
    """There was no note; there is one now."""
    REMADE = "remade"
    """The note held something else; it holds the record now."""
    NOT_MADE = "not_made"
    """The version can't be compared. The text says why, and its note is as it was."""


class KeptRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The change record of a version, in one language."""

    commit: str
    """The commit id, 40 hexadecimal digits."""
    text: str
    """As `versiondiff.render` makes it."""
    origin: RecordOrigin


def record_ref(language: Language) -> str:
    """The full name of the notes that hold the records of a language."""
    return _REF + language


def kept_record(
    repository: Repository,
    revision: str,
    *,
    language: Language,
    author: Signature,
    format: AnyFormat | None = None,
) -> KeptRecord:
    """The change record of a version, which is in its note afterwards.

    Args:
        repository: Where the version is.
        revision: The version, by any name that git knows.
        language: The language; the record in another one is not touched.
        author: Who writes the note, where one is to be written.
        format: What paths mean; None takes the first built-in format that fits the version.

    Raises:
        NotFound: No version goes by that name, or an object that is needed is missing.
        Conflict: Others kept the notes busy for too long.
        VersionDiffError: As `Repository.record`; or the note can't be written.
    """
    entry = repository.record(revision, format=format)
    notes = repository.notes(record_ref(language))
    kept = _compared(entry, notes.get(entry.version.id), language)
    if kept.origin in _WRITTEN:
        notes.set(kept.commit, _content(kept.text), author=author)
    return kept


def kept_records(
    repository: Repository,
    *,
    range: str | None = None,
    language: Language,
    author: Signature,
    format: AnyFormat | None = None,
    progress: Progress | None = None,
) -> Iterator[KeptRecord]:
    """The change records of the versions of a range, each in its note when it comes, newest first.

    Notes are written a thousand in one commit. Where the iterator is left early, those of versions
    that did not come are not written.

    Args:
        repository: Where the versions are.
        range: As `Repository.records` takes it; all parents are followed.
        language: The language; records in another one are not touched.
        author: Who writes the notes.
        format: What paths mean; None takes the first built-in format that fits the newest version.
        progress: Called now and then with how many versions are done, and how many there are.

    Raises:
        NotFound: A name in the range is not known.
        Conflict: Others kept the notes busy for too long.
        VersionDiffError: As `Repository.records`; or the notes can't be written.
    """
    notes = repository.notes(record_ref(language))
    before = {note.target: note.content for note in notes}
    entries = repository.records(range=range, format=format, parents=Parents.ALL, progress=progress)
    chunk: list[KeptRecord] = []
    for entry in entries:
        chunk.append(_compared(entry, before.get(entry.version.id), language))
        if len(chunk) == _CHUNK:
            _write(notes, chunk, author)
            yield from chunk
            chunk = []
    _write(notes, chunk, author)
    yield from chunk


_WRITTEN: Final = frozenset({RecordOrigin.MADE, RecordOrigin.REMADE})


def _compared(entry: VersionRecord, note: bytes | None, language: Language) -> KeptRecord:
    """The record, and where it comes from if this is what its note holds."""
    if entry.record is None:
        text = "" if entry.error is None else render_failure(entry.error, language=language)
        return KeptRecord(commit=entry.version.id, text=text, origin=RecordOrigin.NOT_MADE)
    text = render(entry.record, language=language)
    if note is None:
        origin = RecordOrigin.MADE
    else:
        origin = RecordOrigin.KEPT if note == _content(text) else RecordOrigin.REMADE
    return KeptRecord(commit=entry.version.id, text=text, origin=origin)


def _content(text: str) -> bytes:
    return f"{text}\n".encode()


def _write(notes: Notes, records: list[KeptRecord], author: Signature) -> None:
    edits = [
        SetNote(record.commit, _content(record.text))
        for record in records
        if record.origin in _WRITTEN
    ]
    if edits:
        notes.edit(edits, author=author)
