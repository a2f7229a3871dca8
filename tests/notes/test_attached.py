"""The runs, names and branches of versions."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from oracle.repositories import Git
from versiondiff import (
    Attached,
    CardOutcome,
    CardResult,
    InvalidInput,
    KeptName,
    NotFound,
    Repository,
    RunLine,
    RunResult,
    RunStatus,
    Signature,
    UnreadLine,
    WholeRun,
    append_run,
)

if TYPE_CHECKING:
    from pathlib import Path

WHO = Signature(name="A", email="a@example.org", time=1_700_000_000)


def run(number: int, status: RunStatus = RunStatus.SUCCEEDED) -> RunResult:
    failed = status is RunStatus.FAILED
    card = CardResult(
        name="load",
        outcome=CardOutcome.FAILED if failed else CardOutcome.SUCCEEDED,
        failure="worker_failed" if failed else None,
    )
    return RunResult(
        id=f"3f2a9c1e-5a0b-4a51-9f43-{number:012x}",
        status=status,
        ended=1_793_787_120 + number,
        seconds=12.3,
        start=WholeRun(trigger="start"),
        cards=(CardResult(name="start", outcome=CardOutcome.SUCCEEDED), card),
    )


@pytest.fixture
def git(tmp_path: Path) -> Git:
    git = Git.init(tmp_path)
    git.chain(git.tree(), git.tree(), git.tree())
    return git


def test_lines_of_runs_come_one_after_the_other(git: Git) -> None:
    repository = Repository.open(git.path)
    first = append_run(repository, "HEAD", run(1), author=WHO)
    second = append_run(repository, "main", run(2, RunStatus.FAILED), language="ja", author=WHO)
    assert first == RunLine.of(run(1))
    assert git.text("notes", "--ref=tsugumi", "show", "HEAD") == f"{first.text()}\n{second.text()}"
    assert repository.attached_to("HEAD").runs == (first, second)
    found = git.text("log", "--notes=tsugumi", "--grep=failed", "--format=%H").split()
    assert found == [git.text("rev-parse", "HEAD")]
    with pytest.raises(NotFound):
        append_run(repository, "nowhere", run(3), author=WHO)
    with pytest.raises(InvalidInput):
        append_run(repository, "HEAD", run(3), author=Signature(name="", email="x", time=0))


def test_a_line_is_whole_where_others_left_theirs_open(git: Git) -> None:
    repository = Repository.open(git.path)
    blob = git.blob(b"a note without an end")
    git.run("notes", "--ref=tsugumi", "add", "-C", blob, "HEAD")
    line = append_run(repository, "HEAD", run(1), author=WHO)
    git.run("notes", "--ref=tsugumi", "append", "-m", "by hand", "HEAD")
    assert repository.attached_to("HEAD").runs == (
        UnreadLine("a note without an end"),
        line,
        UnreadLine("by hand"),
    )


def test_runs_that_end_at_once_are_all_there(git: Git) -> None:
    repository = Repository.open(git.path)
    threads = [
        threading.Thread(
            target=append_run, args=(repository, "HEAD", run(number)), kwargs={"author": WHO}
        )
        for number in range(12)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = repository.attached_to("HEAD").runs
    assert sorted(line.text() for line in lines if isinstance(line, RunLine)) == sorted(
        RunLine.of(run(number)).text() for number in range(12)
    )


@pytest.mark.parametrize("backend", ["gix", "pygit2"])
def test_marks_are_what_versions_carry(git: Git, backend: str) -> None:
    if backend == "pygit2":
        pytest.importorskip("pygit2")
    third, second, first = git.text("rev-list", "main").split()
    git.run("tag", "-a", "-m", "the one\n\nthat holds", "rgb-v1", second)
    git.run("tag", "-a", "-m", "twice", "again", "rgb-v1")
    git.run("tag", "plain", second)
    git.run("tag", "no-version", git.tree())
    git.run("branch", "try-1", first)
    git.run("branch", "a/b", first)
    repository = Repository.open(git.path, backend="gix" if backend == "gix" else "pygit2")
    line = append_run(repository, third, run(1), author=WHO)
    tagger = Signature(name="C. Committer", email="committer@example.org", time=git.clock)
    attached = repository.attached()
    assert attached == {
        first: Attached(branches=("a/b", "try-1")),
        second: Attached(
            names=(
                KeptName(name="again", memo="twice", tagger=tagger),
                KeptName(name="plain"),
                KeptName(name="rgb-v1", memo="the one\n\nthat holds", tagger=tagger),
            )
        ),
        third: Attached(runs=(line,), branches=("main",), is_head=True),
    }
    for commit, carried in attached.items():
        assert repository.attached_to(commit) == carried
    assert repository.attached_to("rgb-v1") == attached[second]


def test_a_version_that_carries_nothing(git: Git) -> None:
    repository = Repository.open(git.path)
    assert repository.attached_to("HEAD~1") == Attached()
    assert "HEAD~1" not in repository.attached()
    repository.notes("tsugumi").set("HEAD~1", b"\n \n", author=WHO)
    assert repository.attached_to("HEAD~1") == Attached()
    assert set(repository.attached()) == {git.text("rev-parse", "HEAD")}


def test_an_empty_repository_carries_nothing(tmp_path: Path) -> None:
    git = Git.init(tmp_path)
    assert Repository.open(git.path).attached() == {}
