"""No configuration has an effect, be it the user's, the system's or the repository's."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from oracle.repositories import ENVIRONMENT, Git
from project.projects import MIKA, fill
from versiondiff.project import Project

if TYPE_CHECKING:
    from pathlib import Path

FILES = {
    "unix": b"a\nb\n",
    "dos": b"a\r\nb\r\n",
    "mixed": b"a\nb\r\n",
    "ident": b"$Id: something $\n",
    "kept.log": b"1",
}

# What a version looks like with all of that in place is told by what it looks like without.
WORK = """
import sys
from pathlib import Path
from project.projects import MIKA, fill
from project.test_isolation import FILES
from versiondiff.project import Project

folder = Path(sys.argv[1])
project = Project.start(folder, author=MIKA)
fill(folder, {"more": b"x\\r\\n"})
(folder / "unix").unlink()
project.start_run("load", author=MIKA)
print(project.keep("v1", memo="memo", author=MIKA).tag)
(folder / "dos").write_bytes(b"unsaved\\r\\n")
print(project.start_from("main~1", author=MIKA))
print({path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()})
print(project.start_from("main", author=MIKA))
print({path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()})
"""


def work(folder: Path, environment: dict[str, str]) -> str:
    fill(folder, dict(FILES))
    done = subprocess.run(
        [sys.executable, "-c", WORK, str(folder)],
        capture_output=True,
        text=True,
        env={**ENVIRONMENT, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    return tmp_path / "marker"


@pytest.fixture
def script(tmp_path: Path, marker: Path) -> Path:
    path = tmp_path / "script"
    path.write_text(f"#!/bin/sh\necho ran >> '{marker}'\ncat\n")
    path.chmod(0o755)
    return path


def hostile_configuration(tmp_path: Path, script: Path) -> str:
    (tmp_path / "attributes").write_text("* filter=bad ident text eol=crlf\n")
    (tmp_path / "excludes").write_text("*\n")
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in (
        "pre-commit",
        "commit-msg",
        "post-commit",
        "post-checkout",
        "reference-transaction",
        "post-index-change",
        "fsmonitor-watchman",
        "prepare-commit-msg",
    ):
        (hooks / name).symlink_to(script)
    (tmp_path / "template/hooks").mkdir(parents=True)
    (tmp_path / "template/hooks/pre-commit").symlink_to(script)
    (tmp_path / "template/template-was-used").touch()
    return f"""
[core]
    autocrlf = true
    safecrlf = true
    eol = crlf
    attributesFile = {tmp_path}/attributes
    excludesFile = {tmp_path}/excludes
    hooksPath = {hooks}
    fsmonitor = {script}
    pager = {script}
    editor = {script}
    sshCommand = {script}
    logAllRefUpdates = false
    ignoreStat = true
[user]
    name = Nobody
    email = nobody@example.org
[commit]
    gpgSign = true
[tag]
    gpgSign = true
    forceSignAnnotated = true
[gpg]
    program = {script}
[init]
    templateDir = {tmp_path}/template
    defaultBranch = hostile
[credential]
    helper = {script}
[diff]
    external = {script}
[status]
    showUntrackedFiles = no
[filter "bad"]
    clean = {script}
    smudge = {script}
    process = {script}
    required = true
[alias]
    commit = !{script}
"""


def test_hostile_configuration_of_the_user(tmp_path: Path, script: Path, marker: Path) -> None:
    plain = work(tmp_path / "plain", {})
    configuration = hostile_configuration(tmp_path, script)
    home = tmp_path / "home"
    fill(
        home,
        {
            ".gitconfig": configuration.encode(),
            ".config/git/config": configuration.encode(),
            ".config/git/ignore": b"*\n",
            ".config/git/attributes": b"* filter=bad text eol=crlf\n",
        },
    )
    (home / "index").write_bytes(b"no index")
    environment = {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "GIT_CONFIG_GLOBAL": str(home / ".gitconfig"),
        "GIT_CONFIG_SYSTEM": str(home / ".gitconfig"),
        "GIT_CONFIG_NOSYSTEM": "0",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.autocrlf",
        "GIT_CONFIG_VALUE_0": "true",
        "GIT_DIR": str(tmp_path / "nowhere"),
        "GIT_WORK_TREE": str(tmp_path),
        "GIT_INDEX_FILE": str(home / "index"),
        "GIT_OBJECT_DIRECTORY": str(tmp_path / "nowhere"),
        "GIT_TEMPLATE_DIR": str(tmp_path / "template"),
        "GIT_AUTHOR_NAME": "Nobody",
        "GIT_EDITOR": str(script),
        "GIT_EXTERNAL_DIFF": str(script),
    }
    assert work(tmp_path / "hostile", environment) == plain
    assert not marker.exists()
    assert not (tmp_path / "hostile/.git/template-was-used").exists()
    assert not (tmp_path / "hostile/.git/hooks").exists()
    commits = [
        Git(tmp_path / name).text("rev-parse", "main", "v1") for name in ("plain", "hostile")
    ]
    assert commits[0] == commits[1]


def test_hostile_configuration_of_the_repository(
    tmp_path: Path, script: Path, marker: Path
) -> None:
    plain = work(tmp_path / "plain", {})
    configuration = hostile_configuration(tmp_path, script)
    git = Git.init(tmp_path / "hostile")
    with (git.path / ".git/config").open("a") as file:
        file.write(configuration)
    hooks = git.path / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    for hook in (tmp_path / "hooks").iterdir():
        (hooks / hook.name).unlink(missing_ok=True)
        (hooks / hook.name).symlink_to(script)
    assert work(git.path, {}) == plain
    assert not marker.exists()


def test_filters_that_the_project_asks_for_are_not_run(
    tmp_path: Path, script: Path, marker: Path
) -> None:
    git = Git.init(tmp_path / "project")
    with (git.path / ".git/config").open("a") as file:
        file.write(hostile_configuration(tmp_path, script))
    fill(git.path, {".gitattributes": b"* filter=bad diff=bad merge=bad\n", "file": b"1\n"})
    project = Project.start(git.path, author=MIKA)
    (git.path / "file").write_bytes(b"2\n")
    project.start_run("load", author=MIKA)
    project.start_from("main~1", author=MIKA)
    assert (git.path / "file").read_bytes() == b"1\n"
    assert not marker.exists()


def test_the_project_says_what_is_ignored(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    fill(folder, {".gitignore": b"*.log\n", "a.log": b"", "b.txt": b"", "c.txt": b""})
    project = Project.start(folder, author=MIKA)
    (folder / ".git/info/exclude").write_text("c.txt\nd.txt\n")
    fill(folder, {"d.txt": b""})
    (folder / "c.txt").write_bytes(b"tracked files are not ignored")
    assert project.unsaved_changes() == ("c.txt",)
    project.start_run("load", author=MIKA)
    assert Git(folder).text("ls-files").splitlines() == [".gitignore", "b.txt", "c.txt"]


@pytest.mark.parametrize(
    "attributes",
    [
        b"",
        b"* text=auto\n",
        b"* text=auto eol=crlf\n",
        b"* text\n",
        b"* text eol=lf\n",
        b"* text eol=crlf\n",
        b"* -text\n",
        b"* ident\n",
        b"* text eol=crlf ident\n",
        b"* crlf=input\n",
        b"dos eol=crlf\nunix text\n",
        b"* binary\n",
        b"[attr]mine text eol=crlf\n* mine\n",
    ],
)
def test_line_ends_are_as_the_project_asks_for(tmp_path: Path, attributes: bytes) -> None:
    """What goes into a version, and what comes out of it again, is what git makes of it."""
    contents = {**FILES, "nul": b"\0\r\n", "lone": b"\r", "empty": b"", "last": b"a\r\nb"}
    folder, theirs = tmp_path / "ours", tmp_path / "theirs"
    fill(folder, {".gitattributes": attributes, **contents})
    project = Project.start(folder, author=MIKA)
    git = Git.init(theirs)
    fill(theirs, {".gitattributes": attributes, ".gitignore": b".tsugumi/\n", **contents})
    git.run("add", ".")
    assert git.text("write-tree") == Git(folder).text("rev-parse", "HEAD^{tree}")
    git.run("commit", "--quiet", "-m", "theirs")
    for name in contents:
        (folder / name).unlink()
        (theirs / name).unlink()
    git.run("checkout", "--quiet", "--", ".")
    (folder / ".gitattributes").write_bytes(b"other -text\n")
    project.start_run("gone", author=MIKA)
    project.start_from("main~1", author=MIKA)
    for name in contents:
        assert (folder / name).read_bytes() == (theirs / name).read_bytes(), name
    assert Git(folder).text("status", "--porcelain") == ""
