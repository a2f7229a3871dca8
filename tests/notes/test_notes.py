"""Notes as a caller sees them."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import threading
import time
from typing import TYPE_CHECKING

import pytest

from oracle.repositories import Git
from versiondiff import (
    AppendLine,
    AppendNote,
    Conflict,
    InvalidInput,
    Note,
    NotFound,
    RemoveNote,
    Repository,
    SetNote,
    Signature,
    VersionDiffError,
    _core,
)

if TYPE_CHECKING:
    from pathlib import Path

    from versiondiff import Notes

WHO = Signature(name="A", email="a@example.org", time=1_700_000_000, offset=-330)
ABSENT = "0123456789" * 4


@pytest.fixture
def git(tmp_path: Path) -> Git:
    git = Git.init(tmp_path)
    git.chain(git.tree(), git.tree())
    return git


@pytest.fixture(params=["gix", "pygit2"])
def notes(git: Git, request: pytest.FixtureRequest) -> Notes:
    """Notes are the same whatever reads and writes the repository."""
    if request.param == "pygit2":
        pytest.importorskip("pygit2")
    return Repository.open(git.path, backend=request.param).notes("tsugumi")


def test_there_are_none_where_there_is_no_reference(notes: Notes) -> None:
    assert notes.get("HEAD") is None
    assert list(notes) == []
    assert notes.remove("HEAD", author=WHO) is False
    assert notes.edit([], author=WHO) is None
    assert list(notes) == []


@pytest.mark.parametrize("content", [b"\0", b"\xff\xfe", b"\n\n", b" ", b"\r\n", b"a\0b\n", b"x"])
def test_bytes_are_kept_as_they_are(git: Git, notes: Notes, content: bytes) -> None:
    commit = notes.set("HEAD", content, author=WHO)
    assert notes.get("HEAD") == content
    assert git.run("cat-file", "blob", git.text("notes", "--ref=tsugumi", "list", "HEAD")) in {
        content,
        content.removesuffix(b"\n"),
    }
    assert commit == git.text("rev-parse", "refs/notes/tsugumi")


@pytest.mark.parametrize(
    ("separator", "between"), [(b"\n", b"\n"), (None, b""), (b"", b"\n"), (b"--", b"--\n")]
)
def test_what_is_appended_is_joined_as_git_joins_it(
    notes: Notes, separator: bytes | None, between: bytes
) -> None:
    notes.append("HEAD", b"one", author=WHO, separator=separator)
    assert notes.get("HEAD") == b"one"
    notes.append("HEAD", b"two", author=WHO, separator=separator)
    assert notes.get("HEAD") == b"one" + between + b"two"


def test_text_gets_the_line_feed_that_it_lacks(notes: Notes) -> None:
    notes.append("HEAD", "一", author=WHO)
    notes.append("HEAD", "two\n", author=WHO)
    assert notes.get("HEAD") == "一\n\ntwo\n".encode()
    notes.set("HEAD", "three", author=WHO)
    assert notes.get("HEAD") == b"three\n"


def test_a_line_is_one_whatever_stands_before_it(notes: Notes) -> None:
    for before in (None, b"x\n", b"x", b"\0"):
        if before is not None:
            notes.set("HEAD", before, author=WHO)
        notes.edit([AppendLine("HEAD", "one"), AppendLine("HEAD", b"two\n")], author=WHO)
        expected = [] if before is None else [before.removesuffix(b"\n")]
        assert notes.get("HEAD") == b"\n".join([*expected, b"one", b"two", b""])
    with pytest.raises(InvalidInput, match="empty"):
        notes.edit([AppendLine("HEAD", "")], author=WHO)


def test_a_note_is_about_a_version_by_any_name_or_an_object_by_its_id(
    git: Git, notes: Notes
) -> None:
    head = git.text("rev-parse", "HEAD")
    git.run("tag", "-m", "kept", "v1")
    notes.append("v1", b"1\n", author=WHO)
    for name in ("HEAD", "main", "v1", head, head[:9], head.upper(), "HEAD~0"):
        assert notes.get(name) == b"1\n"
    assert notes.get("HEAD~1") is None
    for target in (git.text("rev-parse", "v1"), git.tree(), ABSENT):
        assert notes.get(target) is None
        notes.set(target, target.encode(), author=WHO)
        assert notes.get(target) == target.encode()
    targets = [note.target for note in notes]
    assert len(targets) == 4
    assert targets == sorted(targets)
    for name in ("nowhere", "HEAD~9", "", "-x", git.tree()[:8], ABSENT[:39], "main..v1"):
        with pytest.raises(NotFound):
            notes.get(name)
        with pytest.raises(NotFound):
            notes.append(name, b"x", author=WHO)


def test_many_edits_are_one_commit_in_order(git: Git, notes: Notes) -> None:
    commit = notes.edit(
        [
            AppendNote("HEAD", b"1\n"),
            AppendNote("HEAD", "2", None),
            SetNote("HEAD~1", b"3"),
            SetNote("HEAD~1", "4"),
            SetNote(ABSENT, b"5"),
            RemoveNote(ABSENT),
        ],
        author=WHO,
        message="run 1",
    )
    assert notes.get("HEAD") == b"1\n2\n"
    assert notes.get("HEAD~1") == b"4\n"
    assert len(list(notes)) == 2
    assert git.text("log", "--format=%H %s", notes.ref) == f"{commit} run 1"
    with pytest.raises(NotFound):
        notes.edit([SetNote("HEAD", b"never"), SetNote("nowhere", b"x")], author=WHO)
    assert notes.get("HEAD") == b"1\n2\n"


def test_there_is_no_commit_where_nothing_changes(git: Git, notes: Notes) -> None:
    first = notes.set("HEAD", b"1", author=WHO)
    assert notes.set("HEAD", b"1", author=WHO) == first
    assert notes.edit([SetNote("HEAD", b"1"), RemoveNote("HEAD~1")], author=WHO) is None
    assert notes.edit([SetNote(ABSENT, b"x"), RemoveNote(ABSENT)], author=WHO) is None
    assert notes.remove("HEAD", author=WHO) is True
    assert notes.remove("HEAD", author=WHO) is False
    assert git.text("rev-list", "--count", notes.ref) == "2"
    assert git.text("ls-tree", notes.ref) == ""


def test_a_commit_says_who_and_when(git: Git, notes: Notes) -> None:
    other = Signature(name="Bé 二.", email=".", time=0, offset=840)
    notes.append("HEAD", b"1", author=WHO, committer=other)
    assert git.text("log", "--format=%an|%ae|%ad|%cn|%ce|%cd|%s", "--date=raw", notes.ref) == (
        "A|a@example.org|1700000000 -0530|Bé 二.|.|0 +1400|Notes added by versiondiff"
    )
    notes.remove("HEAD", author=other)
    assert git.text("log", "-1", "--format=%an|%ae|%ad|%cn|%s", "--date=raw", notes.ref) == (
        "Bé 二.|.|0 +1400|Bé 二.|Notes removed by versiondiff"
    )
    assert git.run("fsck", "--strict") == b""


@pytest.mark.parametrize(
    "who",
    [
        Signature(name="", email="x", time=0),
        Signature(name=" ", email="x", time=0),
        Signature(name="a", email="", time=0),
        Signature(name="a\nparent x", email="x", time=0),
        Signature(name="a", email="x>", time=0),
        Signature(name="a\0", email="x", time=0),
        Signature(name="a", email="x ", time=0),
        Signature(name="a\ud800", email="x", time=0),
        Signature(name="a", email="x", time=-1),
        Signature(name="a", email="x", time=2**63),
        Signature(name="a", email="x", time=0, offset=6_000),
    ],
)
def test_a_signature_that_git_could_not_hold_is_refused(notes: Notes, who: Signature) -> None:
    with pytest.raises(InvalidInput, match=r"^author: "):
        notes.append("HEAD", b"x", author=who)
    with pytest.raises(InvalidInput, match=r"^committer: "):
        notes.remove("HEAD", author=WHO, committer=who)
    assert list(notes) == []


def test_a_note_of_nothing_is_refused(notes: Notes) -> None:
    for edit in (AppendNote("HEAD", b""), SetNote("HEAD", b""), SetNote("HEAD", "")):
        with pytest.raises(InvalidInput, match="empty"):
            notes.edit([SetNote("HEAD", b"x"), edit], author=WHO)
    with pytest.raises(InvalidInput, match="message"):
        notes.set("HEAD", b"x", author=WHO, message="\0")
    with pytest.raises(InvalidInput, match="Unicode"):
        notes.set("HEAD", "\ud800", author=WHO)
    assert list(notes) == []


def test_names_of_references_are_gits(git: Git) -> None:
    repository = Repository.open(git.path)
    for name in ("x", "notes/x", "refs/notes/x"):
        assert repository.notes(name).ref == "refs/notes/x"
    assert repository.notes("refs/heads/main").ref == "refs/notes/refs/heads/main"
    for name in ("", "a b", "a..b", "x.lock", "../x", "refs/notes/", "x\n", "x\0", "~", ".x"):
        with pytest.raises(InvalidInput, match="not allowed"):
            repository.notes(name)


def test_a_reference_without_notes_is_said(git: Git, notes: Notes) -> None:
    git.run("update-ref", notes.ref, git.blob(b"x"))
    for call in (lambda: notes.get("HEAD"), lambda: list(notes)):
        with pytest.raises(InvalidInput, match="refs/notes/tsugumi holds a blob"):
            call()
    for held in (git.tree(), git.blob(b"x")):
        git.run("update-ref", notes.ref, held)
        with pytest.raises(InvalidInput, match="written on commits only"):
            notes.set("HEAD", b"x", author=WHO)


def test_a_symbolic_reference_is_followed_but_not_out_of_the_notes(git: Git, notes: Notes) -> None:
    git.run("symbolic-ref", notes.ref, "refs/notes/other")
    notes.set("HEAD", b"x", author=WHO)
    assert git.text("symbolic-ref", notes.ref) == "refs/notes/other"
    assert Repository.open(git.path).notes("other").get("HEAD") == b"x"
    git.run("symbolic-ref", notes.ref, "refs/heads/main")
    with pytest.raises(InvalidInput, match="leads out of refs/notes/"):
        notes.set("HEAD", b"x", author=WHO)
    git.run("symbolic-ref", notes.ref, notes.ref)
    with pytest.raises(VersionDiffError):
        notes.get("HEAD")


def test_a_reference_in_the_way_of_another_is_said(notes: Notes, git: Git) -> None:
    notes.set("HEAD", b"x", author=WHO)
    below = Repository.open(git.path).notes("tsugumi/below")
    begin = time.monotonic()
    with pytest.raises(VersionDiffError, match="refs/notes/tsugumi/below"):
        below.set("HEAD", b"x", author=WHO, timeout=5.0)
    assert time.monotonic() - begin < 4


def test_notes_of_packed_references_are_read_and_written(git: Git, notes: Notes) -> None:
    notes.set("HEAD", b"1\n", author=WHO)
    git.run("pack-refs", "--all")
    assert notes.get("HEAD") == b"1\n"
    notes.append("HEAD", b"2\n", author=WHO, separator=None)
    git.run("repack", "-adq")
    assert list(notes) == [Note(git.text("rev-parse", "HEAD"), b"1\n2\n")]


def test_the_first_note_of_a_repository_that_has_no_logs_yet_is_written(
    git: Git, notes: Notes
) -> None:
    shutil.rmtree(git.path / ".git" / "logs", ignore_errors=True)
    notes.set("HEAD", "b", author=WHO)
    assert git.text("notes", "--ref=tsugumi", "show", "HEAD") == "b"
    assert git.text("reflog", "show", "--format=%H", "refs/notes/tsugumi")


def test_notes_of_all_work_trees_are_the_same(git: Git, notes: Notes) -> None:
    git.run("worktree", "add", "-q", "beside")
    beside = Repository.open(git.path / "beside").notes("tsugumi")
    beside.append("HEAD", b"1", author=WHO)
    assert notes.get("HEAD") == b"1"
    assert (git.path / ".git/versiondiff.lock").read_bytes() == b""


def test_a_listing_is_of_one_moment(notes: Notes) -> None:
    notes.edit([SetNote(f"{number:040x}", b"x" * 999) for number in range(700)], author=WHO)
    seen: list[str] = []
    for note in notes:
        if not seen:
            notes.edit([RemoveNote(f"{number:040x}") for number in range(700)], author=WHO)
        seen.append(note.target)
    assert seen == [f"{number:040x}" for number in range(700)]
    assert list(notes) == []


def test_a_lock_file_of_git_is_waited_for_and_never_removed(git: Git, notes: Notes) -> None:
    notes.set("HEAD", b"1", author=WHO)
    lock = git.path / ".git/refs/notes/tsugumi.lock"
    lock.write_bytes(b"")
    begin = time.monotonic()
    with pytest.raises(Conflict, match=r"refs/notes/tsugumi.*tsugumi\.lock"):
        notes.append("HEAD", b"2", author=WHO, timeout=0.2)
    assert 0.15 < time.monotonic() - begin < 5
    assert lock.exists()
    timer = threading.Timer(0.1, lock.unlink)
    timer.start()
    notes.append("HEAD", b"2", author=WHO, separator=None)
    timer.join()
    assert notes.get("HEAD") == b"12"
    for timeout in (-1.0, float("nan")):
        with pytest.raises(InvalidInput, match="timeout"):
            notes.set("HEAD", b"1", author=WHO, timeout=timeout)


def test_writers_wait_for_the_lock_of_ours(git: Git, notes: Notes) -> None:
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with _core.WriteLock(git.path / ".git", ["index.lock"], 1.0):
            held.set()
            done.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    with pytest.raises(Conflict, match=r"versiondiff\.lock"):
        notes.set("HEAD", b"1", author=WHO, timeout=0.05)
    done.set()
    thread.join()
    # Who holds it already does not wait for itself.
    with _core.WriteLock(git.path / ".git", ["index.lock"], 1.0):
        notes.set("HEAD", b"1", author=WHO, timeout=0.05)
    assert (git.path / ".git/versiondiff.lock").read_bytes() == b""


def test_ctrl_c_ends_the_waiting(git: Git, notes: Notes) -> None:
    lock = git.path / ".git/refs/notes/tsugumi.lock"
    lock.parent.mkdir(parents=True)
    lock.write_bytes(b"")
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        notes.set("HEAD", b"1", author=WHO, timeout=60.0)
    assert time.monotonic() - begin < 10
    timer.join()


def test_a_repository_that_can_not_be_written_is_said(git: Git, notes: Notes) -> None:
    if os.geteuid() == 0:
        # Who may do anything is stopped by what is in the way.
        (git.path / ".git/versiondiff.lock").mkdir()
    else:
        (git.path / ".git").chmod(0o500)
    with pytest.raises(VersionDiffError, match=r"can't be written: versiondiff\.lock"):
        notes.set("HEAD", b"1", author=WHO)
    with contextlib.suppress(OSError):
        (git.path / ".git").chmod(0o700)


def test_a_missing_object_is_said(git: Git, notes: Notes) -> None:
    notes.set("HEAD", b"1", author=WHO)
    blob = git.text("notes", "--ref=tsugumi", "list", "HEAD")
    git.loose_object(blob).unlink()
    with pytest.raises(NotFound, match=blob):
        notes.get("HEAD")
    with pytest.raises(NotFound, match=blob):
        list(notes)
    notes.set("HEAD", b"2", author=WHO)
    assert notes.get("HEAD") == b"2"
