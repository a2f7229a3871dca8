"""A folder with a history file becomes a repository in place, or stays as it was."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import msgspec
import pytest

from versiondiff import history_file
from versiondiff.demo import cas_a
from versiondiff.errors import InvalidInput, VersionDiffError
from versiondiff.history_file import FILE_NAME, Adoption

if TYPE_CHECKING:
    from pathlib import Path


def git(place: Path, *arguments: str) -> str:
    command = ["git", "-C", str(place), *arguments]
    environment = {
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "PATH": "/usr/local/bin:/usr/bin:/bin",
    }
    ran = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return ran.stdout


def content(folder: Path) -> dict[str, bytes | str]:
    """All that is in a folder, but for a `.git` in it: files, links, and folders by their mark."""
    found: dict[str, bytes | str] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if name == ".git" or name.startswith(".git/"):
            continue
        if path.is_symlink():
            found[name] = f"link to {path.readlink()}"
        else:
            found[name] = "folder" if path.is_dir() else path.read_bytes()
    return found


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the demo: the files of its head, and its history file."""
    history_file.create_repository(tmp_path / "copy", cas_a())
    shutil.rmtree(tmp_path / "copy/.git")
    (tmp_path / "copy" / FILE_NAME).write_bytes(history_file.encode(cas_a()))
    return tmp_path / "copy"


def test_a_copy_of_the_demo_becomes_its_repository(copy: Path, tmp_path: Path) -> None:
    before = content(copy)
    adopted = history_file.adopt(copy)
    assert adopted is not None
    assert adopted.outcome is Adoption.MADE
    assert adopted.created == history_file.create_repository(tmp_path / "other", cas_a())
    assert content(copy) == {name: file for name, file in before.items() if name != FILE_NAME}
    assert git(copy, "status", "--porcelain") == ""
    git(copy, "fsck", "--strict")
    # All that goes by a name, notes too, is as where the repository is made from nothing.
    assert git(copy, "for-each-ref") == git(tmp_path / "other", "for-each-ref")
    # git need not read a file to know that it is as in the head.
    assert git(copy, "diff-files") == ""
    assert history_file.adopt(copy) is None


def test_a_folder_without_a_history_file_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine", encoding="utf-8")
    assert history_file.adopt(tmp_path) is None
    assert history_file.adopt(tmp_path / "nowhere") is None
    assert content(tmp_path) == {"mine": b"mine"}


def test_files_stay_as_they_are_and_missing_ones_are_written(copy: Path) -> None:
    outside = copy.parent / "outside"
    outside.mkdir()
    (copy / "tsugumi.json").write_bytes(b"{}\n")
    (copy / "layout.json").unlink()
    fetch = copy / "definitions/load-4k2/src/fetch.sh"
    assert os.access(fetch, os.X_OK)
    fetch.unlink()
    (copy / "notes").mkdir()
    (copy / "notes/mine.txt").write_bytes(b"mine\n")
    (copy / ".tsugumi").mkdir()
    (copy / ".tsugumi/state").write_bytes(b"state\n")
    # Where the head has a folder, a link that leads out; where it has a file, a folder.
    shutil.rmtree(copy / "data")
    (copy / "data").symlink_to(outside)
    meta = copy / "definitions/load-4k2/_meta.json"
    meta.unlink()
    meta.mkdir()
    (meta / "kept").write_bytes(b"kept\n")
    assert history_file.adopt(copy) is not None
    assert git(copy, "status", "--porcelain", "-uall").splitlines() == [
        " D data/casa.evt2.fits",
        " D definitions/load-4k2/_meta.json",
        " M tsugumi.json",
        "?? data",
        "?? definitions/load-4k2/_meta.json/kept",
        "?? notes/mine.txt",
    ]
    assert list(outside.iterdir()) == []
    assert (copy / "tsugumi.json").read_bytes() == b"{}\n"
    assert os.access(fetch, os.X_OK)
    assert not (copy / FILE_NAME).exists()


def test_a_process_killed_before_it_removed_the_file_is_finished(copy: Path) -> None:
    history = (copy / FILE_NAME).read_bytes()
    first = history_file.adopt(copy)
    assert first is not None
    (copy / FILE_NAME).write_bytes(history)
    (copy / ".versiondiff-adopting/repository").mkdir(parents=True)
    refs = git(copy, "for-each-ref")
    again = history_file.adopt(copy)
    assert again is not None
    assert (again.outcome, again.created) == (Adoption.FINISHED, first.created)
    assert git(copy, "for-each-ref") == refs
    assert git(copy, "status", "--porcelain") == ""
    assert not (copy / FILE_NAME).exists()
    assert not (copy / ".versiondiff-adopting").exists()


def test_a_process_killed_while_it_built_is_begun_anew(copy: Path) -> None:
    (copy / "layout.json").unlink()
    (copy / ".versiondiff-adopting/repository/.git/refs").mkdir(parents=True)
    (copy / ".versiondiff-adopting/file").write_bytes(b"half")
    adopted = history_file.adopt(copy)
    assert adopted is not None
    assert adopted.outcome is Adoption.MADE
    assert git(copy, "status", "--porcelain") == ""
    assert not (copy / ".versiondiff-adopting").exists()


@pytest.mark.parametrize("kind", ["repository", "elsewhere", "broken", "inside another"])
def test_the_file_stays_in_a_repository_of_something_else(
    kind: str, copy: Path, tmp_path: Path
) -> None:
    if kind == "repository":
        git(copy, "init", "-q", ".")
    elif kind == "elsewhere":
        git(copy, "init", "-q", f"--separate-git-dir={tmp_path / 'elsewhere'}", ".")
    elif kind == "broken":
        (copy / ".git").mkdir()
        (copy / ".git/something").write_bytes(b"")
    else:
        # One further up, which holds the history, is not this folder's.
        history_file.create_repository(tmp_path / "up", cas_a())
        shutil.move(copy, tmp_path / "up/copy")
        copy = tmp_path / "up/copy"
        (copy / ".git").mkdir()
    before = content(copy)
    adopted = history_file.adopt(copy)
    assert adopted is not None
    assert adopted.outcome is Adoption.LEFT
    assert content(copy) == before


def test_a_history_that_breaks_a_rule_changes_nothing(copy: Path) -> None:
    first, *rest = cas_a().versions
    first = msgspec.structs.replace(first, files={**first.files, FILE_NAME: "x"})
    broken = msgspec.structs.replace(cas_a(), versions=(first, *rest))
    (copy / FILE_NAME).write_bytes(history_file.encode(broken))
    (copy / "layout.json").unlink()
    before = content(copy)
    with pytest.raises(InvalidInput, match="is the history file itself"):
        history_file.adopt(copy)
    assert content(copy) == before
    assert not (copy / ".git").exists()


def test_a_failure_takes_back_what_was_written(copy: Path) -> None:
    (copy / "layout.json").unlink()
    shutil.rmtree(copy / "data")
    before = content(copy)
    script = (
        "import resource, sys; from versiondiff import history_file\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))\n"
        "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "try: history_file.adopt(sys.argv[1])\n"
        "except history_file.InvalidInput: sys.exit(3)\n"
        "except Exception as error: print(type(error).__name__); sys.exit(4)\n"
    )
    # The index is larger than a file may be here; all else is smaller.
    done = subprocess.run(
        [sys.executable, "-c", script, str(copy)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (4, "VersionDiffError\n"), done.stderr
    assert content(copy) == before
    assert not (copy / ".git").exists()


def test_what_can_not_be_read_is_said(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).mkdir()
    with pytest.raises(VersionDiffError, match="could not read"):
        history_file.adopt(tmp_path)


def test_two_at_once_make_one_repository(copy: Path) -> None:
    script = (
        "import sys; from versiondiff import history_file\n"
        "done = history_file.adopt(sys.argv[1])\n"
        "print('none' if done is None else done.outcome.value)"
    )
    running = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(copy)], stdout=subprocess.PIPE, text=True
        )
        for _ in range(4)
    ]
    said = sorted(process.communicate(timeout=60)[0].strip() for process in running)
    assert said == ["made", "none", "none", "none"]
    assert git(copy, "status", "--porcelain") == ""


def test_killed_at_any_moment_the_next_call_finishes(copy: Path) -> None:
    (copy / "layout.json").unlink()
    expected = {name: file for name, file in content(copy).items() if name != FILE_NAME}
    pristine = copy.parent / "pristine"
    shutil.copytree(copy, pristine)
    script = (
        "import sys; from versiondiff import history_file\n"
        "print('ready', flush=True); sys.stdin.read(1); history_file.adopt(sys.argv[1])"
    )
    for number in range(8):
        shutil.rmtree(copy)
        shutil.copytree(pristine, copy)
        with subprocess.Popen(
            [sys.executable, "-c", script, str(copy)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdout.readline()
            process.stdin.close()
            time.sleep(0.004 * number)
            process.kill()
        history_file.adopt(copy)
        found = content(copy)
        assert found.pop("layout.json") is not None
        assert {name for name in found if not name.startswith(".versiondiff")} == set(expected)
        assert git(copy, "status", "--porcelain") == ""
        git(copy, "fsck", "--strict")
