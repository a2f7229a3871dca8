"""`versiondiff canonical`, run as a person or a hook runs it."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from cli.conftest import CLEAN

if TYPE_CHECKING:
    from pathlib import Path

CANONICAL = b'{\n  "a": 1,\n  "b": 2\n}\n'
OTHER = b'{"b":2,"a":1.0}'


def run(
    folder: Path, *arguments: str, given: bytes = b"", language: str = "en"
) -> tuple[int, bytes, str]:
    ran = subprocess.run(
        [sys.executable, "-m", "versiondiff", "canonical", *arguments],
        cwd=folder,
        env=CLEAN | {"PYTHONUTF8": "1", "LC_ALL": f"{language}.UTF-8"},
        input=given,
        capture_output=True,
        check=False,
    )
    return ran.returncode, ran.stdout, ran.stderr.decode()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "good.json").write_bytes(CANONICAL)
    (tmp_path / "other.json").write_bytes(OTHER)
    (tmp_path / "bad.json").write_bytes(b'{"a":\n [tru]}')
    return tmp_path


def test_from_stdin_to_stdout(folder: Path) -> None:
    assert run(folder, given=OTHER) == (0, CANONICAL, "")
    assert run(folder, "-", "--profile", "jcs", given=OTHER) == (0, b'{"a":1,"b":2}', "")
    assert run(folder, "other.json") == (0, CANONICAL, "")
    twice = b'{"a":0,"b":2,"a":1}'
    assert run(folder, "--duplicates", "last", given=twice) == (0, CANONICAL, "")
    assert run(folder, given=twice) == (2, b"", "-:1:14: a name that stands twice (/a)\n")


def test_check_names_what_differs(folder: Path) -> None:
    assert run(folder, "--check", "good.json") == (0, b"", "")
    code, out, said = run(folder, "--check", "other.json", "good.json", "bad.json", "gone.json")
    assert (code, out) == (2, b"other.json\n")
    assert said.splitlines() == [
        "bad.json:2:3: expected a value (/a/0)",
        "versiondiff: gone.json: no such file or directory",
    ]
    assert run(folder, "--check", "other.json", "good.json") == (1, b"other.json\n", "")
    assert run(folder, "--check", given=OTHER) == (1, b"-\n", "")
    assert (folder / "other.json").read_bytes() == OTHER


def test_write_touches_nothing_else(folder: Path) -> None:
    for name in ("good.json", "other.json", "bad.json"):
        (folder / name).chmod(0o640)
        os.utime(folder / name, ns=(1, 1))
    (folder / "link.json").symlink_to("other.json")
    before = {name: (folder / name).stat() for name in ("good.json", "bad.json")}
    code, out, _ = run(folder, "--write", "good.json", "link.json", "bad.json")
    assert (code, out) == (2, b"link.json: written\n")
    assert (folder / "other.json").read_bytes() == CANONICAL
    assert (folder / "link.json").is_symlink()
    assert stat.S_IMODE((folder / "other.json").stat().st_mode) == 0o640
    for name, status in before.items():
        now = (folder / name).stat()
        assert (now.st_ino, now.st_mtime_ns) == (status.st_ino, status.st_mtime_ns)
    assert sorted(path.name for path in folder.iterdir()) == [
        "bad.json",
        "good.json",
        "link.json",
        "other.json",
    ]
    assert run(folder, "--check", "good.json", "other.json") == (0, b"", "")


def test_in_japanese(folder: Path) -> None:
    code, out, _ = run(folder, "--write", "other.json", language="ja_JP")
    assert (code, out.decode()) == (0, "other.json: 書き込みました\n")


def test_names_are_shown_on_one_line(folder: Path) -> None:
    (folder / "a\nb.json").write_bytes(OTHER)
    code, out, _ = run(folder, "--check", "a\nb.json")
    assert (code, out.count(b"\n")) == (1, 1)


@pytest.mark.parametrize("arguments", [("--write",), ("--write", "-"), ("--check", "--write", "x")])
def test_what_can_not_be_asked_for(folder: Path, arguments: tuple[str, ...]) -> None:
    code, out, said = run(folder, *arguments)
    assert (code, out) == (2, b"")
    assert "--write" in said


def test_a_folder_is_no_file(folder: Path) -> None:
    (folder / "sub").mkdir()
    code, _, said = run(folder, "--write", "sub", "other.json")
    assert code == 2
    assert said == "versiondiff: sub: is a directory\n"
    assert (folder / "other.json").read_bytes() == CANONICAL


@pytest.mark.parametrize("option", ["--check", "--write"])
def test_a_reader_may_have_enough(folder: Path, option: str) -> None:
    files = [f"{number}.json" for number in range(20)]
    for file in files:
        (folder / file).write_bytes(b'{"b":1,"a":2}')
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as nobody:
        ran = subprocess.run(
            [sys.executable, "-m", "versiondiff", "canonical", option, *files],
            cwd=folder,
            stdout=nobody,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert (ran.returncode, ran.stderr) == (0, b"")
    are_written = [b"\n" in (folder / file).read_bytes() for file in files]
    assert are_written == [option == "--write"] * len(files)
