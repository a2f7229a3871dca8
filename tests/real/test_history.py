"""A record for every version of a real history, by every door, with the same bytes."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import msgspec
import pytest

from versiondiff import Order, Repository
from versiondiff.records import VersionRecord

if TYPE_CHECKING:
    from pathlib import Path

COMMITS = 103
FILES = 584


def lines(path: Path, *, threads: int | None = None) -> bytes:
    """All records, as the core writes them."""
    return b"".join(Repository.open(path).record_lines(format="flowise", threads=threads))


@pytest.fixture(scope="session")
def written(by_file: Path) -> bytes:
    return lines(by_file)


def test_every_version_of_the_history_has_a_record(by_commit: Path) -> None:
    records = list(Repository.open(by_commit).records(format="flowise"))
    assert len(records) == COMMITS
    assert [record.version.subject for record in records if record.error is not None] == []
    assert all(record.record is not None for record in records)


def test_every_version_of_every_file_has_a_record(written: bytes) -> None:
    records = msgspec.json.Decoder(VersionRecord).decode_lines(written)
    assert len(records) == FILES
    assert all(record.record is not None and record.error is None for record in records)


def test_every_record_is_written_again_as_it_was_read(written: bytes) -> None:
    for line in written.splitlines():
        # The types refuse unknown fields, so nothing can be lost on the way.
        assert msgspec.json.encode(msgspec.json.decode(line, type=VersionRecord)) == line


def test_the_command_line_prints_the_same_bytes(by_file: Path, written: bytes) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "versiondiff", "log", str(by_file), "--json", "--format", "flowise"],
        capture_output=True,
        check=True,
    )
    assert ran.stdout == written


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_command_line_tells_every_version(by_commit: Path, language: str) -> None:
    arguments = ["log", str(by_commit), "--language", language, "--no-pager"]
    ran = subprocess.run(
        [sys.executable, "-m", "versiondiff", *arguments], capture_output=True, check=True
    )
    text = ran.stdout.decode()
    # Behind the newest one it says where HEAD is.
    subjects = [line.partition("  (")[0].rpartition("  ")[2] for line in text.splitlines()]
    assert {"version 0", "version 64", "version 128"} <= set(subjects)
    subjects = [line for line in text.splitlines() if " version " in f" {line}"]
    assert len(subjects) == COMMITS


def test_the_format_is_found_by_looking_at_the_files(by_commit: Path) -> None:
    repository = Repository.open(by_commit)
    assert list(repository.records()) == list(repository.records(format="flowise"))


@pytest.mark.parametrize("threads", [1, 2])
def test_the_number_of_threads_changes_no_byte(by_file: Path, written: bytes, threads: int) -> None:
    assert lines(by_file, threads=threads) == written


def test_the_newest_first_is_the_oldest_first_from_the_other_end(by_file: Path) -> None:
    repository = Repository.open(by_file)
    oldest = list(repository.records(format="flowise", order=Order.OLDEST_FIRST))
    newest = list(repository.records(format="flowise", order=Order.NEWEST_FIRST))
    assert newest == oldest[::-1]


def test_one_version_is_what_the_history_says_of_it(by_commit: Path) -> None:
    repository = Repository.open(by_commit)
    for record in list(repository.records(format="flowise"))[::10]:
        assert repository.record(record.version.id, format="flowise") == record
