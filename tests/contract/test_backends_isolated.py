"""Nothing but the repository has an effect on reading one or writing to it, with either backend."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from contract.backend_repositories import versions
from oracle.repositories import ENVIRONMENT, Git

if TYPE_CHECKING:
    from pathlib import Path

    from versiondiff.backends import BackendName

pytestmark = pytest.mark.usefixtures("backend")

HOOKS = (
    "applypatch-msg", "commit-msg", "fsmonitor-watchman", "post-checkout", "post-commit",
    "post-index-change", "post-merge", "post-rewrite", "pre-auto-gc", "pre-commit", "pre-push",
    "prepare-commit-msg", "reference-transaction", "update",
)  # fmt: skip
PROGRAM = """
import hashlib, sys, msgspec
from versiondiff import Parents, Repository
from versiondiff.records import Signature

path, backend = sys.argv[1:]
repository = Repository.open(path, backend=backend)
said = [
    *repository.delta_lines(parents=Parents.ALL),
    *repository.scan_lines(),
    msgspec.json.encode((repository.head(), repository.references(), repository.version("v1"))),
    *map(msgspec.json.encode, repository.version_diffs(format="tsugumi")),
]
print(hashlib.sha256(b"".join(said)).hexdigest())
author = Signature(name="A", email="a@example.org", time=1_700_000_000)
for content in (b"one\\n", b"two\\n"):
    print(repository.notes("tsugumi").append("HEAD", content, author=author))
print(repository.notes("tsugumi").get("HEAD"))
"""


def done(path: Path, backend: str, environment: dict[str, str]) -> str:
    """What the program says in this environment."""
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(path), backend],
        env=environment | {"PYTHONPATH": os.pathsep.join(sys.path)},
        cwd=path.parent, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def hostile_configuration(directory: Path, marker: Path) -> str:
    """Everything that git would run or follow, each of which leaves the marker or spoils."""
    run = directory / "run"
    hooks = directory / "hooks"
    hooks.mkdir(parents=True)
    for program in (run, *(hooks / name for name in HOOKS)):
        program.write_text(f"#!/bin/sh\necho {program.name} >> '{marker}'\nexit 1\n")
        program.chmod(0o755)
    included = directory / "included"
    included.write_text(f"[core]\n\thooksPath = {hooks}\n[gpg]\n\tprogram = {run}\n")
    attributes = directory / "attributes"
    attributes.write_text("* filter=hostile diff=hostile text eol=crlf encoding=UTF-16\n")
    return f"""
[core]
\thooksPath = {hooks}
\tfsmonitor = {run}
\tattributesFile = {attributes}
\texcludesFile = {attributes}
\tpager = {run}
\teditor = {run}
\tsshCommand = {run}
\talternateRefsCommand = {run}
\tautocrlf = true
\tlogAllRefUpdates = false
\tcompression = 0
\tuseReplaceRefs = true
[filter "hostile"]
\tclean = {run}
\tsmudge = {run}
\trequired = true
[diff "hostile"]
\ttextconv = {run}
[diff]
\texternal = {run}
[credential]
\thelper = !{run}
[gpg]
\tprogram = {run}
[commit]
\tgpgSign = true
[tag]
\tgpgSign = true
[user]
\tname = Hostile
\temail = hostile@example.org
[notes]
\tdisplayRef = refs/notes/*
\trewriteRef = refs/notes/*
[include]
\tpath = {included}
[includeIf "gitdir:/**"]
\tpath = {included}
[init]
\ttemplateDir = {directory}
[i18n]
\tcommitEncoding = UTF-16
[safe]
\tdirectory = /nowhere
"""


def test_nothing_of_the_machine_has_an_effect(tmp_path: Path, backend: BackendName) -> None:
    plain, attacked = tmp_path / "plain", tmp_path / "attacked"
    for path in (plain, attacked):
        versions(Git.init(path))
    clean = {"PATH": ENVIRONMENT["PATH"], "HOME": os.devnull}
    expected = done(plain, backend, clean)

    marker, home = tmp_path / "marker", tmp_path / "home"
    home.mkdir()
    configuration = hostile_configuration(tmp_path / "hostile", marker)
    everywhere = home / ".gitconfig"
    everywhere.write_text(configuration)
    (home / "git").mkdir()
    (home / "git" / "config").write_text(configuration)
    (home / "git" / "attributes").write_text("* text eol=crlf\n")
    with (attacked / ".git" / "config").open("a") as config:
        config.write(configuration)
    for hook in (tmp_path / "hostile" / "hooks").iterdir():
        (attacked / ".git" / "hooks" / hook.name).write_bytes(hook.read_bytes())
        (attacked / ".git" / "hooks" / hook.name).chmod(0o755)
    elsewhere = Git.init(tmp_path / "elsewhere").path / ".git"
    environment = clean | {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home),
        "GIT_CONFIG": str(everywhere),
        "GIT_CONFIG_GLOBAL": str(everywhere),
        "GIT_CONFIG_SYSTEM": str(everywhere),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.hooksPath",
        "GIT_CONFIG_VALUE_0": str(tmp_path / "hostile" / "hooks"),
        "GIT_CONFIG_PARAMETERS": "'core.bare=true'",
        "GIT_DIR": str(elsewhere),
        "GIT_COMMON_DIR": str(elsewhere),
        "GIT_WORK_TREE": str(tmp_path),
        "GIT_INDEX_FILE": str(tmp_path / "index"),
        "GIT_OBJECT_DIRECTORY": str(elsewhere / "objects"),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(elsewhere / "objects"),
        "GIT_NAMESPACE": "hostile",
        "GIT_REPLACE_REF_BASE": "refs/heads/",
        "GIT_CEILING_DIRECTORIES": str(tmp_path),
        "GIT_DEFAULT_HASH": "sha256",
        "GIT_TEMPLATE_DIR": str(tmp_path / "hostile"),
        "GIT_AUTHOR_NAME": "Hostile",
        "GIT_AUTHOR_DATE": "1 +0000",
        "GIT_COMMITTER_NAME": "Hostile",
        "GIT_COMMITTER_EMAIL": "hostile@example.org",
        "GIT_COMMITTER_DATE": "1 +0000",
        "GIT_NOTES_REF": "refs/notes/hostile",
        "GIT_ASKPASS": str(tmp_path / "hostile" / "run"),
        "GIT_TRACE2": str(marker),
    }
    assert done(attacked, backend, environment) == expected
    assert not marker.exists()
    # The configuration is one that git does follow.
    spoiled = subprocess.run(
        ["git", "update-ref", "refs/heads/x", "main"],
        cwd=attacked, env=clean | {"HOME": str(home)}, check=False, capture_output=True,
    )  # fmt: skip
    assert spoiled.returncode != 0
    assert marker.exists()
    log = (attacked / ".git/logs/refs/notes/tsugumi").read_text()
    assert log == (plain / ".git/logs/refs/notes/tsugumi").read_text()
    assert "Hostile" not in log
