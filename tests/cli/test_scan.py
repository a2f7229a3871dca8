"""`versiondiff scan`, run as a person runs it, but in pipes."""

from __future__ import annotations

import json
import os
import re
import socket
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import msgspec
import pytest

from cli.conftest import CLEAN, made
from oracle.repositories import Git
from planted import github_token, private_key
from versiondiff import Finding, Rules, VersionFindings

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., subprocess.CompletedProcess[str]]

TOKEN = github_token()
OWN = """
[[rules]]
id = "own-key"
regex = '''own_([a-z0-9]{8})'''
keywords = ["own_"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text(f"url = {TOKEN}")
    (folder / "src" / "main.py").write_text(f"# 鍵\nkey = '{TOKEN}'\n")
    (folder / "src" / "plain.py").write_text("print(1)\n")
    (folder / "b.txt").write_text("own_abcd1234\n")
    (folder / "a.pem").write_text(private_key())
    return folder


@pytest.fixture
def history(tmp_path: Path) -> Path:
    token, other = TOKEN.encode(), github_token(1).encode()
    return made(
        tmp_path / "history.git",
        [
            ("Aki", "First", {"a.py": b"k = " + token}),
            ("Aki", f"Say {github_token(2)}", {"a.py": b"k = 1"}),
            ("Aki", "Nothing", {"a.py": b"k = 2"}),
            ("Aki", "Again", {"a.py": b"k = 2", f"{github_token(3)}.txt": b"\n k = " + other}),
        ],
    )


def without_ids(text: str) -> str:
    return re.sub(r"^[0-9a-f]{10}:", "<id>:", text, flags=re.MULTILINE)


# ── Files ───────────────────────────────────────────────────────────────────────────────────────


def test_findings_of_a_directory_are_sorted_places_and_rules(run: Run, folder: Path) -> None:
    done = run("scan", "project", cwd=folder.parent)
    assert done.stdout == "project/a.pem:1:1: private-key\nproject/src/main.py:2:8: github-token\n"
    assert done.stderr == "2 secrets in 4 files\n"
    assert done.returncode == 1


def test_a_clean_directory_ends_with_0(run: Run, folder: Path) -> None:
    done = run("scan", folder / "src" / "plain.py", folder / "b.txt")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "no secrets in 2 files\n")


def test_lines_are_in_the_language_asked_for(run: Run, folder: Path) -> None:
    utf_8 = {"PYTHONIOENCODING": "utf-8"}
    done = run("scan", "src", "--language", "ja", cwd=folder, environment=utf_8)
    assert done.stdout == "src/main.py:2:8: github-token\n"
    assert done.stderr == "2 個のファイルを調べました: 秘密情報 1 件\n"


def test_a_file_named_twice_is_scanned_once(run: Run, folder: Path) -> None:
    done = run("scan", "src", "./src/main.py", "src/", cwd=folder)
    assert done.stderr == "1 secret in 2 files\n"


def test_stdin_is_scanned() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "versiondiff", "scan", "-"],
        input=f"k = {TOKEN}".encode(),
        capture_output=True,
        check=False,
        env=CLEAN,
    )
    assert done.stdout == b"-:1:5: github-token\n"
    assert done.stderr == b"1 secret in 1 file\n"
    assert done.returncode == 1


def test_json_is_the_wire_format(run: Run, folder: Path) -> None:
    done = run("scan", ".", "--json", cwd=folder)
    findings = [msgspec.json.decode(line, type=Finding) for line in done.stdout.splitlines()]
    assert findings[1] == Finding(
        rule="github-token", path="src/main.py", line=2, column=8, end_line=2, end_column=48
    )
    assert [msgspec.json.encode(found).decode() for found in findings] == done.stdout.splitlines()


def test_what_is_found_is_never_shown(run: Run, folder: Path, history: Path) -> None:
    (folder / f"{TOKEN}.txt").write_text(f"{TOKEN}\n")
    for arguments in ((folder,), ("--history", history)):
        for form in ((), ("--json",)):
            done = run("scan", *arguments, *form)
            said = done.stdout + done.stderr
            for token in map(github_token, range(4)):
                assert all(token[at : at + 8] not in said for at in range(4, 32))


def test_links_are_not_followed_unless_they_are_named(run: Run, folder: Path) -> None:
    (folder / "src" / "up").symlink_to("..")
    (folder / "src" / "link.py").symlink_to("main.py")
    (folder / "target").symlink_to(f"/home/{TOKEN}")
    done = run("scan", ".", cwd=folder)
    assert "target:1:7: github-token\n" in done.stdout
    assert "link.py" not in done.stdout
    assert done.stderr == "3 secrets in 7 files\n"
    assert run("scan", "src/link.py", cwd=folder).returncode == 1


def test_pipes_and_sockets_are_not_waited_for(run: Run, folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    with socket.socket(socket.AF_UNIX) as unix:
        unix.bind(os.path.relpath(folder / "socket"))
        done = run("scan", ".", cwd=folder)
    assert done.stderr == "2 secrets in 4 files\n"


def test_what_can_not_be_read_is_named_and_the_rest_is_scanned(run: Run, folder: Path) -> None:
    done = run("scan", "none.txt", "src", cwd=folder)
    assert done.stdout == "src/main.py:2:8: github-token\n"
    assert done.stderr == (
        "versiondiff: none.txt: no such file or directory\n1 secret in 2 files\n"
    )
    assert done.returncode == 2


def test_a_secret_in_the_name_of_what_can_not_be_read_is_hidden(run: Run) -> None:
    done = run("scan", f"{TOKEN}.txt")
    assert done.stderr.startswith("versiondiff: [secret hidden].txt: no such file or directory\n")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_read_is_named(run: Run, folder: Path) -> None:
    (folder / "closed").mkdir(mode=0)
    done = run("scan", ".", cwd=folder)
    assert "versiondiff: ./closed: permission denied\n" in done.stderr
    assert done.returncode == 2


def test_names_forge_no_line(run: Run, folder: Path) -> None:
    (folder / "x\n\x1b[31my").write_text(TOKEN)
    done = run("scan", ".", cwd=folder)
    assert "\x1b" not in done.stdout
    assert len(done.stdout.splitlines()) == 3


# ── Rules ───────────────────────────────────────────────────────────────────────────────────────


def test_own_rules_are_added_unless_the_file_refuses(run: Run, folder: Path) -> None:
    rules = folder / "own.toml"
    rules.write_text(OWN)
    done = run("scan", "b.txt", "src", "--rules", rules, cwd=folder)
    assert done.stdout == "b.txt:1:5: own-key\nsrc/main.py:2:8: github-token\n"
    rules.write_text(f"extend.useDefault = false\n{OWN}")
    done = run("scan", "b.txt", "src", "--rules", rules, cwd=folder)
    assert done.stdout == "b.txt:1:5: own-key\n"


def test_rules_are_switched_off_by_name(run: Run, folder: Path) -> None:
    done = run("scan", folder, "--without", "github-token", "--without", "private-key")
    assert done.returncode == 0


def test_what_is_odd_about_a_rule_file_is_said(run: Run, folder: Path) -> None:
    (folder / "own.toml").write_text(OWN.replace("keywords", "keyword"))
    done = run("scan", "src", "--rules", "own.toml", cwd=folder)
    assert done.stderr.splitlines()[:2] == [
        "own.toml: line 5, rule own-key: a field that is not known, nor looked at",
        "own.toml: line 2, rule own-key, keywords: none, so the rule is run on every file, "
        "which is slow",
    ]


def test_the_rules_are_listed(run: Run, folder: Path) -> None:
    (folder / "own.toml").write_text(OWN)
    done = run("scan", "--list-rules", "--rules", folder / "own.toml", "--without", "jwt")
    assert done.stdout.split() == [
        *(name for name in Rules.default().names if name != "jwt"),
        "own-key",
    ]
    assert (done.returncode, done.stderr) == (0, "")


# ── Baselines ───────────────────────────────────────────────────────────────────────────────────


def test_what_a_baseline_accepts_is_left_out(run: Run, folder: Path) -> None:
    done = run("scan", ".", "--write-baseline", "accepted.json", cwd=folder)
    assert done.returncode == 0
    assert done.stderr.endswith("\naccepted.json: 2 findings written as accepted\n")
    assert json.loads((folder / "accepted.json").read_text()) == {
        "version": 1,
        "findings": [
            {"path": "a.pem", "rule": "private-key", "line": 1, "column": 1},
            {"path": "src/main.py", "rule": "github-token", "line": 2, "column": 8},
        ],
    }
    done = run("scan", ".", "--baseline", "accepted.json", cwd=folder)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "no secrets in 5 files, 2 more are accepted by the baseline\n"


def test_a_finding_that_moved_is_no_longer_accepted(run: Run, folder: Path) -> None:
    run("scan", ".", "--write-baseline", "accepted.json", cwd=folder)
    (folder / "src" / "main.py").write_text(f"key = '{TOKEN}'\n")
    done = run("scan", ".", "--baseline", "accepted.json", cwd=folder)
    assert (done.returncode, done.stdout) == (1, "src/main.py:1:8: github-token\n")


def test_a_baseline_keeps_what_was_accepted_when_it_is_written_again(
    run: Run, folder: Path
) -> None:
    both = ("--baseline", "accepted.json", "--write-baseline", "accepted.json")
    run("scan", ".", *both[2:], cwd=folder)
    before = (folder / "accepted.json").read_bytes()
    done = run("scan", ".", *both, cwd=folder)
    assert done.returncode == 0
    assert (folder / "accepted.json").read_bytes() == before
    assert list(folder.glob(".accepted*")) == []
    assert stat.S_IMODE((folder / "accepted.json").stat().st_mode) & 0o444 != 0o400


def test_a_baseline_is_not_written_where_something_was_not_scanned(run: Run, folder: Path) -> None:
    done = run("scan", "none", ".", "--write-baseline", "accepted.json", cwd=folder)
    assert done.returncode == 2
    assert not (folder / "accepted.json").exists()
    assert "accepted.json: not written" in done.stderr


@pytest.mark.parametrize(
    "content", ["", "{}", '{"version": 2, "findings": []}', '{"planted": 1}', "\udcff"]
)
def test_a_file_that_is_no_baseline_is_refused(run: Run, folder: Path, content: str) -> None:
    (folder / "accepted.json").write_bytes(os.fsencode(content))
    done = run("scan", ".", "--baseline", "accepted.json", cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"versiondiff: baseline 'accepted.json': [^\n]+\n", done.stderr)
    assert "planted" not in done.stderr


# ── Histories ───────────────────────────────────────────────────────────────────────────────────


def test_a_secret_stays_in_the_history(run: Run, history: Path) -> None:
    done = run("scan", "--history", history)
    assert without_ids(done.stdout) == (
        "<id>:[secret hidden].txt: github-token (in the path)\n"
        "<id>:[secret hidden].txt:2:6: github-token\n"
        "<id>:(message):1:5: github-token\n"
        "<id>:a.py:1:5: github-token\n"
    )
    assert done.stderr == "4 secrets in 4 versions\n"
    assert done.returncode == 1


def test_a_range_of_the_history_is_scanned(run: Run, history: Path) -> None:
    done = run("scan", "--history", history, "--range", "main~2..main", "--first-parent")
    assert len(done.stdout.splitlines()) == 2
    assert done.stderr == "2 secrets in 2 versions\n"


def test_json_of_a_history_is_the_wire_format(run: Run, history: Path) -> None:
    lines = run("scan", "--history", history, "--json").stdout.splitlines()
    entries = [msgspec.json.decode(line, type=VersionFindings) for line in lines]
    assert [len(entry.findings) for entry in entries] == [2, 1, 1]
    assert entries[1].version.subject == "Say [secret hidden]"
    assert [msgspec.json.encode(entry).decode() for entry in entries] == lines


def test_a_baseline_of_a_history_names_versions(run: Run, history: Path, tmp_path: Path) -> None:
    file = tmp_path / "accepted.json"
    run("scan", "--history", history, "--range", "main~1", "--write-baseline", file)
    accepted = json.loads(file.read_text())["findings"]
    assert {len(place["commit"]) for place in accepted} == {40}
    done = run("scan", "--history", history, "--baseline", file)
    assert len(done.stdout.splitlines()) == 2
    assert done.stderr == "2 secrets in 4 versions, 2 more are accepted by the baseline\n"
    assert run("scan", "--history", history, "--baseline", file, "--json").stdout.count("\n") == 1


def test_a_version_that_can_not_be_scanned_is_said(run: Run, tmp_path: Path) -> None:
    git = Git.init(tmp_path / "work")
    lost, kept = git.blob(b"lost"), git.blob(TOKEN.encode())
    commit = git.commit(git.tree(("100644", b"a", lost), ("100644", b"b", kept)))
    git.run("update-ref", "refs/heads/main", commit)
    (git.path / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
    done = run("scan", "--history", git.path)
    assert done.stdout == f"{commit[:10]}:b:1:1: github-token\n"
    assert done.stderr == (
        f"versiondiff: {commit[:10]}: object {lost} of a is missing\n1 secret in 1 version\n"
    )
    assert done.returncode == 2


# ── Errors ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("src", "--history", "."),
        ("src", "--range", "main"),
        ("src", "--first-parent"),
        ("src", "--rules", "none.toml"),
        ("src", "--baseline", "none.json"),
        ("src", "--without", "no-such-rule"),
        ("--history", "src"),
        ("src", "--write-baseline", "none/accepted.json"),
    ],
)
def test_an_error_is_clear(run: Run, folder: Path, arguments: tuple[str, ...]) -> None:
    done = run("scan", *arguments, cwd=folder)
    assert done.returncode == 2
    assert re.fullmatch(r"versiondiff: [^\n]+", done.stderr.splitlines()[-1])
    assert "Traceback" not in done.stderr
