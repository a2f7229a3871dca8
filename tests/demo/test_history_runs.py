"""The runs of a history file as notes: the lines, the tree they are in, and what is refused."""

from __future__ import annotations

import json
import math
import random
import subprocess
from typing import TYPE_CHECKING

import msgspec
import pytest

from versiondiff import history_file
from versiondiff.demo import cas_a
from versiondiff.errors import InvalidInput
from versiondiff.history_file import HistoryFile, HistoryRun, HistoryVersion, Person
from versiondiff.runs import RunLine, RunStatus, parse_run_note

if TYPE_CHECKING:
    from pathlib import Path

ADA = Person(name="Ada", email="ada@example.org")


def git(place: Path, *arguments: str) -> str:
    command = ["git", "-C", str(place), *arguments]
    environment = {
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@example.org",
    }
    ran = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return ran.stdout


def history(*runs: HistoryRun) -> HistoryFile:
    """One version with these runs."""
    version = HistoryVersion(
        key="first", message="Start Versioning", author=ADA, time=5, files={"a": "a\n"}, runs=runs
    )
    return HistoryFile(
        format_version=1, head="main", branches={"main": "first"}, versions=(version,)
    )


def ran(
    id: str = "r1", status: RunStatus = RunStatus.SUCCEEDED, ended: int = 9, seconds: float = 1.5
) -> HistoryRun:
    return HistoryRun(id=id, status=status, ended=ended, seconds=seconds)


def expected_line(run: HistoryRun) -> str:
    return RunLine(id=run.id, status=run.status, ended=run.ended, seconds=run.seconds).text()


def test_a_line_is_what_the_runs_of_a_service_have_without_a_summary(tmp_path: Path) -> None:
    chosen = random.Random(3)
    times = [0, 951_782_399, 951_868_799, 4_107_542_399, 253_402_300_799]
    times += [chosen.randrange(253_402_300_800) for _ in range(200)]
    durations = [0, -0.0, 0.05, 0.25, 0.35, 0.75, 0.95, 9.95, 1e15 / 3, 1e300]
    durations += [chosen.random() * 10 ** chosen.randrange(-3, 9) for _ in range(200)]
    runs = [
        ran(f"日本-{number}", chosen.choice(list(RunStatus)), time, seconds)
        for number, (time, seconds) in enumerate(zip(times, durations, strict=False))
    ]
    created = history_file.create_repository(tmp_path / "project", history(*runs))
    note = git(tmp_path / "project", "notes", "--ref=tsugumi", "show", created.versions["first"])
    assert note == "".join(f"{expected_line(run)}\n" for run in runs)
    read = parse_run_note(note.encode())
    assert [line.id for line in read if isinstance(line, RunLine)] == [run.id for run in runs]


def test_the_notes_are_one_commit_that_is_the_same_everywhere(tmp_path: Path) -> None:
    for place in ("a", "b"):
        history_file.create_repository(tmp_path / place, cas_a())
    first, second = (
        git(tmp_path / place, "rev-parse", "refs/notes/tsugumi") for place in ("a", "b")
    )
    assert first == second
    shown = git(tmp_path / "a", "log", "--format=%an %ae %at %cn %ct", "refs/notes/tsugumi")
    newest = max(run.ended for version in cas_a().versions for run in version.runs)
    assert shown == f"Mika Sato mika@example.org {newest} Mika Sato {newest}\n"
    git(tmp_path / "a", "fsck", "--strict")


def test_git_finds_the_demos_runs(tmp_path: Path) -> None:
    created = history_file.create_repository(tmp_path / "project", cas_a())
    listed = git(tmp_path / "project", "notes", "--ref=tsugumi", "list").splitlines()
    with_runs = {created.versions[version.key] for version in cas_a().versions if version.runs}
    assert {line.split()[1] for line in listed} == with_runs
    found = git(
        tmp_path / "project", "log", "--all", "--notes=tsugumi", "--grep=failed", "--format=%H"
    )
    failed = {
        created.versions[version.key]
        for version in cas_a().versions
        if any(run.status is RunStatus.FAILED for run in version.runs)
    }
    assert set(found.split()) == failed


def test_an_author_without_an_address_hinders_no_notes(tmp_path: Path) -> None:
    whole = history(ran())
    version = msgspec.structs.replace(whole.versions[0], author=Person(name="Ada", email=""))
    whole = msgspec.structs.replace(whole, versions=(version,))
    history_file.create_repository(tmp_path / "project", whole)
    shown = git(tmp_path / "project", "log", "-1", "--format=%an <%ae>", "refs/notes/tsugumi")
    assert shown == "Ada <localhost>\n"
    git(tmp_path / "project", "fsck", "--strict")


def test_a_history_without_runs_makes_no_notes(tmp_path: Path) -> None:
    history_file.create_repository(tmp_path / "project", history())
    assert git(tmp_path / "project", "for-each-ref", "refs/notes") == ""


@pytest.mark.parametrize("count", [15, 40, 300])
def test_the_tree_of_notes_is_the_one_that_git_writes(count: int, tmp_path: Path) -> None:
    versions = [
        HistoryVersion(
            key=str(number),
            parents=(str(number - 1),) if number else (),
            message=f"Run: {number}",
            author=ADA,
            time=number,
            runs=(ran(f"r{number}"),),
        )
        for number in range(count)
    ]
    whole = HistoryFile(
        format_version=1,
        head="main",
        branches={"main": str(count - 1)},
        versions=tuple(versions),
    )
    project = tmp_path / "project"
    history_file.create_repository(project, whole)
    ours = git(project, "rev-parse", "refs/notes/tsugumi^{tree}")
    assert len(git(project, "notes", "--ref=tsugumi", "list").splitlines()) == count
    # git writes the whole tree by its own rule when a note comes and goes.
    other = git(project, "rev-parse", "refs/notes/tsugumi").strip()
    git(project, "notes", "--ref=tsugumi", "add", "-m", "x", other)
    git(project, "notes", "--ref=tsugumi", "remove", other)
    assert git(project, "rev-parse", "refs/notes/tsugumi^{tree}") == ours


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        ([ran("")], "its id is not one word of at most 100 characters"),
        ([ran("a b")], "its id is not one word of at most 100 characters"),
        ([ran("a\nrun b")], "its id is not one word of at most 100 characters"),
        ([ran("a\x07")], "its id is not one word of at most 100 characters"),
        ([ran("a\u202eb")], "its id is not one word of at most 100 characters"),
        ([ran("a\u3000b")], "its id is not one word of at most 100 characters"),
        ([ran("a" * 101)], "its id is not one word of at most 100 characters"),
        ([ran("a"), ran("a")], 'version "first": run "a": stands twice'),
        ([ran(seconds=-0.1)], "its seconds are not a number of at least 0"),
        ([ran(ended=253_402_300_800)], 'run "r1": has a time after the year 9999'),
        ([ran(ended=-1)], "a value is not of the documented type"),
    ],
)
def test_a_run_that_breaks_a_rule_is_refused(
    runs: list[HistoryRun], message: str, tmp_path: Path
) -> None:
    with pytest.raises(InvalidInput) as raised:
        history_file.create_repository(tmp_path / "project", history(*runs))
    assert message in str(raised.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "change", [{"status": "lost"}, {"seconds": "1"}, {"more": 1}, {"seconds": math.inf}]
)
def test_a_run_of_another_form_is_refused(change: dict[str, object], tmp_path: Path) -> None:
    value = json.loads(history_file.encode(history(ran())))
    value["versions"][0]["runs"][0] |= change
    with pytest.raises(InvalidInput):
        history_file.create_repository(tmp_path / "project", json.dumps(value).encode())
    assert list(tmp_path.iterdir()) == []
