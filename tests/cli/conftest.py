"""A small repository with a bit of everything, and the program run over it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

CLEAN = {
    key: value
    for key, value in os.environ.items()
    if not key.startswith(("GIT_", "LC_")) and key not in {"LANG", "LANGUAGE", "NO_COLOR", "PAGER"}
}
"""The environment of this process, without what the command line listens to."""


def card(name: str, **parameters: int) -> bytes:
    return json.dumps(
        {
            "name": name,
            "kind": "process",
            "parameters": {
                key: {"type": "int", "value": value} for key, value in parameters.items()
            },
        }
    ).encode()


def links(*pairs: tuple[str, str]) -> bytes:
    rows = [{"from": card, "output": "out", "input": name} for card, name in pairs]
    return json.dumps({"links": rows}).encode()


def workflow(pkgs: str = "tsugumi:default", trigger: str = "load") -> bytes:
    return json.dumps(
        {"formatVersion": 1, "name": "Cas A", "pkgsPath": pkgs, "trigger": trigger, "settings": {}}
    ).encode()


def comments(state: str) -> bytes:
    row: dict[str, object] = {"id": "c1", "text": "why?", "author": "user", "state": state}
    if state == "resolved":
        row |= {"resolvedBy": "agent", "resolvedCards": ["bands"]}
    return json.dumps({"title": "Bands", "comments": [row]}).encode()


FIRST: dict[str, bytes] = {
    "tsugumi.json": workflow(),
    "definitions/load/_card.json": card("load"),
    "definitions/load/src/main.py": b"print('load')\n",
    "definitions/bands/_card.json": card("bands", lo=1, hi=2),
    "definitions/bands/src/main.py": b"print('bands')\n",
}
TUNED = FIRST | {
    "definitions/bands/_card.json": card("bands", lo=3, hi=4),
    "definitions/bands/src/main.py": b"print('better bands')\n",
    "definitions/bands/_link.json": links(("load", "events")),
    "definitions/bands/_meta.json": comments("open"),
}
PINNED = TUNED | {
    "tsugumi.json": workflow(pkgs="github:NixOS/nixpkgs/0123abc"),
    "definitions/bands/_meta.json": comments("resolved"),
    "definitions/grid/_card.json": b"{ this is no JSON",
}
VERSIONS: list[tuple[str, str, dict[str, bytes]]] = [
    ("Aki", "First version", FIRST),
    ("Aki", "Tune the bands\n\nThe soft band was too wide:\n\t0.5 to 1.2 keV is enough.", TUNED),
    ("Aki", "Pin nixpkgs", PINNED),
]
HOSTILE: list[tuple[str, str, dict[str, bytes]]] = [
    ("Aki \u202eiverse", "Tune \x1b[31mthe bands\x1b[0m\n\nMore\x1b[2J\n\u2028of it", FIRST),
]
"""Who made it, and what is said of it, would redraw the screen."""
TIME = 1793787120
"""2026-11-04T10:12:00Z; each version is an hour after the one before."""


def stream(versions: list[tuple[str, str, dict[str, bytes]]]) -> bytes:
    """A stream for git fast-import."""
    out = bytearray()
    for number, (author, message, files) in enumerate(versions):
        when = f"{author} <aki@example.org> {TIME + 3600 * number} +0900"
        text = message.encode()
        out += f"commit refs/heads/main\nauthor {when}\ncommitter {when}\n".encode()
        out += b"data %d\n%s\ndeleteall\n" % (len(text), text)
        for path, content in files.items():
            out += b"M 100644 inline %s\ndata %d\n%s\n" % (path.encode(), len(content), content)
    return bytes(out)


def made(path: Path, versions: list[tuple[str, str, dict[str, bytes]]]) -> Path:
    """A new repository without a working tree that holds these versions."""
    nowhere = CLEAN | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(
        ["git", "init", "-q", "--bare", "--initial-branch=main", str(path)], check=True, env=nowhere
    )
    subprocess.run(
        ["git", "-C", str(path), "fast-import", "--quiet", "--done"],
        input=stream(versions) + b"done\n",
        check=True,
        env=nowhere,
    )
    return path


@pytest.fixture(scope="session")
def clean_environment() -> dict[str, str]:
    return CLEAN


@pytest.fixture(scope="session")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("repository") / "cas-a.git", VERSIONS)


@pytest.fixture(scope="session")
def hostile_repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("hostile") / "hostile.git", HOSTILE)


@pytest.fixture(scope="session")
def long_repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A history whose records are more than a pipe holds."""
    versions = [
        ("Aki", f"Version {number}", FIRST | {"definitions/load/src/main.py": b"%d\n" % number})
        for number in range(800)
    ]
    return made(tmp_path_factory.mktemp("long") / "long.git", versions)


@pytest.fixture(scope="session")
def start() -> Callable[..., subprocess.Popen[bytes]]:
    """Start the program with its output going wherever `subprocess.Popen` is told."""

    def start(
        *arguments: str | Path,
        environment: Mapping[str, str] | None = None,
        stdout: int = subprocess.PIPE,
        stderr: int = subprocess.PIPE,
        cwd: Path | None = None,
    ) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "versiondiff", *map(str, arguments)],
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            cwd=cwd,
            env=CLEAN | dict(environment or {}),
        )

    return start


@pytest.fixture(scope="session")
def run(
    start: Callable[..., subprocess.Popen[bytes]],
) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run the program in pipes: `run("log", repository)`."""

    def run(
        *arguments: str | Path,
        environment: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> subprocess.CompletedProcess[str]:
        with start(*arguments, environment=environment, cwd=cwd) as process:
            stdout, stderr = process.communicate(timeout=60)
        return subprocess.CompletedProcess(
            process.args, process.returncode, stdout.decode(), stderr.decode()
        )

    return run
