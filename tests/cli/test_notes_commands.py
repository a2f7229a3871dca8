"""`versiondiff notes`: what `git notes` writes it reads, and the other way round."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from versiondiff import Repository, render

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from subprocess import CompletedProcess

    Run = Callable[..., CompletedProcess[str]]

WHO = ("--author", "Mika <mika@example.org>", "--time", "1793787120")
UTF_8 = {"PYTHONIOENCODING": "utf-8"}


def git(place: Path, *arguments: str) -> str:
    environment = {
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "PATH": os.environ["PATH"],
        "GIT_AUTHOR_NAME": "Git",
        "GIT_AUTHOR_EMAIL": "git@example.org",
        "GIT_COMMITTER_NAME": "Git",
        "GIT_COMMITTER_EMAIL": "git@example.org",
    }
    command = ["git", "-C", str(place), *arguments]
    return subprocess.run(
        command, check=True, capture_output=True, encoding="utf-8", env=environment
    ).stdout


@pytest.fixture
def own(repository: Path, tmp_path: Path) -> Path:
    """A copy of the repository, to write to."""
    shutil.copytree(repository, tmp_path / "own.git")
    return tmp_path / "own.git"


def test_notes_are_those_of_git(run: Run, own: Path) -> None:
    def notes(*arguments: str) -> CompletedProcess[str]:
        done = run("notes", *arguments, "--ref", "review", "--repo", own, environment=UTF_8)
        assert (done.returncode, done.stderr) == (0, ""), arguments
        return done

    notes("append", "main", "-m", "Looks good.", "-m", "再び。", *WHO)
    git(own, "notes", "--ref=review", "append", "-m", "from git", "main")
    notes("append", "main", "-m", "and more", *WHO)
    notes("append", "main", "-m", "at once", "--no-separator", *WHO)
    expected = "Looks good.\n\n再び。\n\nfrom git\n\nand more\nat once\n"
    assert git(own, "notes", "--ref=review", "show", "main") == expected
    assert notes("show", "main").stdout == expected
    notes("set", "main~1", "-m", "one", *WHO)
    notes("set", "main~1", "-m", "two", *WHO)
    assert git(own, "notes", "--ref=review", "show", "main~1") == "two\n"
    assert notes("list").stdout == git(own, "notes", "--ref=review", "list")
    assert notes("list", "main").stdout == git(own, "notes", "--ref=review", "list", "main")
    notes("remove", "main", *WHO)
    notes("remove", "main", "--ignore-missing", *WHO)
    assert notes("list").stdout == git(own, "notes", "--ref=review", "list")
    who = git(own, "log", "-1", "--format=%an <%ae> %at %cn %ct", "refs/notes/review")
    assert who == "Mika <mika@example.org> 1793787120 Mika 1793787120\n"
    git(own, "fsck", "--strict")


def test_the_content_can_be_a_file_of_any_bytes(run: Run, own: Path, tmp_path: Path) -> None:
    content = b"\x00\xff no text, no line feed"
    (tmp_path / "file").write_bytes(content)
    arguments = ["notes", "set", "main", "--repo", str(own), *WHO, "-F"]
    assert run(*arguments, tmp_path / "file").returncode == 0
    command = [sys.executable, "-m", "versiondiff"]
    shown = subprocess.run(
        [*command, "notes", "show", "main", "--repo", str(own)], check=True, capture_output=True
    )
    assert shown.stdout == content
    subprocess.run([*command, *arguments, "-"], input=b"from stdin", check=True)
    assert Repository.open(own).notes("tsugumi").get("main") == b"from stdin"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("show", "main"), r"refs/notes/tsugumi: no note for [0-9a-f]{40}"),
        (("list", "main"), r"refs/notes/tsugumi: no note for [0-9a-f]{40}"),
        (("remove", "main"), r"refs/notes/tsugumi: no note for [0-9a-f]{40}"),
        (("show", "0" * 40), r"refs/notes/tsugumi: no note for 0{40}"),
        (("show", "nowhere"), r"revision nowhere is not known"),
        (("append", "main"), r"notes: needs the content, as either --message or --file"),
        (("set", "main", "-m", "a", "-F", "b"), r"notes: needs the content, as either .*"),
        (("set", "main", "-F", "nowhere"), r"nowhere: no such file or directory"),
        (("set", "main", "-F", "/dev/null"), r".*empty.*"),
        (("list", "--ref", "a..b"), r".*a\.\.b.*"),
        (("frobnicate",), r".*invalid choice.*"),
    ],
)
def test_an_error_is_one_clear_line(
    run: Run, own: Path, arguments: tuple[str, ...], message: str
) -> None:
    who = () if arguments[0] in {"show", "list", "frobnicate"} else WHO
    done = run("notes", *arguments, "--repo", own, *who)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(rf"versiondiff: {message}\n", done.stderr)


@pytest.mark.parametrize("name", ["list", "show", "append", "set", "remove", "records"])
def test_help_of_each_command_teaches(run: Run, name: str) -> None:
    done = run("notes", name, "--help")
    assert done.returncode == 0
    assert f"\nexamples:\n  versiondiff notes {name}" in done.stdout


# ── Change records ──────────────────────────────────────────────────────────────────────────────


def test_records_are_kept_once_for_each_language(run: Run, own: Path) -> None:
    def records(*arguments: str) -> CompletedProcess[str]:
        return run("notes", "records", "--repo", own, *WHO, *arguments, environment=UTF_8)

    done = records()
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "refs/notes/tsugumi-record-en: 0 kept already, 3 made, 0 made anew\n"
    assert git(own, "rev-list", "--count", "refs/notes/tsugumi-record-en") == "1\n"
    first = git(own, "rev-parse", "refs/notes/tsugumi-record-en")
    done = records("--language", "ja")
    assert done.stdout == "refs/notes/tsugumi-record-ja: 保存済み 0 件、作成 3 件、作り直し 0 件\n"
    done = records()
    assert done.stdout == "refs/notes/tsugumi-record-en: 3 kept already, 0 made, 0 made anew\n"
    assert git(own, "rev-parse", "refs/notes/tsugumi-record-en") == first
    for language in ("en", "ja"):
        for entry in Repository.open(own).records():
            assert entry.record is not None
            note = git(own, "notes", f"--ref=tsugumi-record-{language}", "show", entry.version.id)
            assert note == render(entry.record, language=language) + "\n"


def test_what_is_not_the_record_is_made_anew_and_said(run: Run, own: Path) -> None:
    run("notes", "records", "--repo", own, *WHO)
    git(own, "notes", "--ref=tsugumi-record-en", "append", "-m", "joined", "main")
    done = run("notes", "records", "--repo", own, "--range", "main", *WHO)
    head = git(own, "rev-parse", "main")
    assert done.stderr == f"{head[:10]}: its note held something else, and was made anew\n"
    assert done.stdout == "refs/notes/tsugumi-record-en: 2 kept already, 0 made, 1 made anew\n"


def test_a_version_that_can_not_be_compared_is_said(run: Run, own: Path) -> None:
    blob = git(own, "rev-parse", "main~1:definitions/bands/_card.json").strip()
    (own / "objects" / blob[:2] / blob[2:]).unlink()
    done = run("notes", "records", "--repo", own, *WHO)
    assert done.returncode == 2
    assert done.stdout == "refs/notes/tsugumi-record-en: 0 kept already, 1 made, 0 made anew\n"
    assert re.fullmatch(rf"([0-9a-f]{{10}}: Not compared: .*{blob}.*\n){{2}}", done.stderr)
