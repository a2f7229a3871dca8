"""Change records kept as notes: made once for each language, right whatever the note held."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from versiondiff import NotFound, Repository, SetNote, Signature, history_file, render
from versiondiff.demo import cas_a
from versiondiff.kept import RecordOrigin, kept_record, kept_records, record_ref

if TYPE_CHECKING:
    from pathlib import Path

    from versiondiff.wording import Language

AUTHOR = Signature(name="Mika", email="mika@example.org", time=1793787120)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    history_file.create_repository(tmp_path / "cas-a", cas_a())
    return Repository.open(tmp_path / "cas-a")


def tip(repository: Repository, ref: str) -> str:
    return (repository.git_dir / ref).read_text().strip()


def test_a_record_is_made_once(repository: Repository) -> None:
    first = kept_record(repository, "HEAD", language="en", author=AUTHOR)
    record = repository.record("HEAD").record
    assert record is not None
    assert (first.origin, first.text) == (RecordOrigin.MADE, render(record))
    assert first.commit == repository.version("HEAD").id
    written = tip(repository, record_ref("en"))
    again = kept_record(repository, "main", language="en", author=AUTHOR)
    assert (again.origin, again.text) == (RecordOrigin.KEPT, first.text)
    assert tip(repository, record_ref("en")) == written


def test_no_language_hides_another(repository: Repository) -> None:
    texts: dict[Language, str] = {}
    languages: tuple[Language, ...] = ("ja", "en", "ja", "en")
    for number, language in enumerate(languages):
        kept = kept_record(repository, "HEAD", language=language, author=AUTHOR)
        assert kept.origin is (RecordOrigin.MADE if number < 2 else RecordOrigin.KEPT)
        assert texts.setdefault(language, kept.text) == kept.text
    assert texts["ja"] != texts["en"]
    note = repository.notes("refs/notes/tsugumi-record-ja").get("HEAD")
    assert note == f"{texts['ja']}\n".encode()


def foreign(repository: Repository) -> dict[str, bytes]:
    """What a note may hold that is not the English record of HEAD."""
    own = kept_record(repository, "HEAD", language="en", author=AUTHOR).text
    japanese = kept_record(repository, "HEAD", language="ja", author=AUTHOR).text
    other = kept_record(repository, "HEAD~1", language="en", author=AUTHOR).text
    return {
        "garbage": b"garbage\n",
        "no text": b"\xff\xfe\x00",
        "another language": f"{japanese}\n".encode(),
        "another version": f"{other}\n".encode(),
        "twice": f"{own}\n\n{own}\n".encode(),
        "cut": f"{own}\n".encode()[:-2],
        "without a line feed": own.encode(),
        "with something behind it": f"{own}\nmore\n".encode(),
        "other line ends": f"{own}\n".replace("\n", "\r\n").encode(),
    }


@pytest.mark.parametrize(
    "what",
    [
        "garbage",
        "no text",
        "another language",
        "another version",
        "twice",
        "cut",
        "without a line feed",
        "with something behind it",
        "other line ends",
    ],
)
def test_what_is_wrong_is_made_anew_and_said(repository: Repository, what: str) -> None:
    expected = kept_record(repository, "HEAD", language="en", author=AUTHOR).text
    notes = repository.notes(record_ref("en"))
    notes.set("HEAD", foreign(repository)[what], author=AUTHOR)
    kept = kept_record(repository, "HEAD", language="en", author=AUTHOR)
    assert (kept.origin, kept.text) == (RecordOrigin.REMADE, expected)
    assert notes.get("HEAD") == f"{expected}\n".encode()
    again = kept_record(repository, "HEAD", language="en", author=AUTHOR)
    assert again.origin is RecordOrigin.KEPT


def test_many_are_one_commit(repository: Repository) -> None:
    seen: list[tuple[int, int | None]] = []
    kept = list(
        kept_records(
            repository,
            language="en",
            author=AUTHOR,
            progress=lambda done, total: seen.append((done, total)),
        )
    )
    versions = list(repository.versions())
    assert {record.origin for record in kept} == {RecordOrigin.MADE}
    assert {version.id for version in versions} <= {record.commit for record in kept}
    notes = repository.notes(record_ref("en"))
    assert {note.target: note.content.decode() for note in notes} == {
        record.commit: f"{record.text}\n" for record in kept
    }
    assert repository.version(record_ref("en")).parents == ()
    assert seen
    for record in kept:
        assert kept_record(repository, record.commit, language="en", author=AUTHOR) == (
            type(record)(commit=record.commit, text=record.text, origin=RecordOrigin.KEPT)
        )


def test_a_range_writes_what_is_missing_and_mends_what_is_wrong(repository: Repository) -> None:
    list(kept_records(repository, range="HEAD~1", language="en", author=AUTHOR))
    wrong = [SetNote(f"HEAD~{number}", b"wrong") for number in (2, 3)]
    repository.notes(record_ref("en")).edit(wrong, author=AUTHOR)
    kept = kept_records(repository, range="HEAD", language="en", author=AUTHOR)
    origins = {record.commit: record.origin for record in kept}
    named = [repository.version(f"HEAD~{number}").id for number in range(4)]
    assert [origins.pop(commit) for commit in named] == [
        RecordOrigin.MADE,
        RecordOrigin.KEPT,
        RecordOrigin.REMADE,
        RecordOrigin.REMADE,
    ]
    assert set(origins.values()) == {RecordOrigin.KEPT}


def test_an_unknown_version_is_said(repository: Repository) -> None:
    with pytest.raises(NotFound):
        kept_record(repository, "nowhere", language="en", author=AUTHOR)
    with pytest.raises(NotFound):
        list(kept_records(repository, range="nowhere", language="en", author=AUTHOR))
