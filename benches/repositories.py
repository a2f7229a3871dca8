"""Repositories to measure on, the same bytes on every machine."""

from __future__ import annotations

import json
import os
import random
import subprocess
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

ENVIRONMENT = os.environ | {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "LC_ALL": "C",
}
"""git as it is, not as the user of this machine has set it up."""


def git(path: Path, *arguments: str) -> bytes:
    """Run git in a repository; its output."""
    done = subprocess.run(
        ["git", *arguments], cwd=path, env=ENVIRONMENT, stdout=subprocess.PIPE, check=True
    )
    return done.stdout


def tsugumi_history(
    path: Path, *, versions: int, cards: int = 200, depth: int = 0, seed: int = 1
) -> Path:
    """A bare repository at `path` whose `main` is a Tsugumi project edited `versions` times.

    The first version has all the Cards. Each of the others edits one to three of them: a
    parameter, a line of source, the wiring, a comment; now and then a Card goes or comes back, or
    a setting of the workflow changes. The sources stand `depth` directories deep. Made anew only
    where `path` isn't there yet; packed as `git gc` packs.
    """
    if path.exists():
        return path
    unfinished = path.with_suffix(".unfinished")
    unfinished.mkdir(parents=True)
    git(unfinished, "init", "--quiet", "--bare", "--initial-branch=main")
    with subprocess.Popen(
        ["git", "fast-import", "--quiet", "--depth=50"],
        cwd=unfinished,
        env=ENVIRONMENT,
        stdin=subprocess.PIPE,
    ) as importer:
        assert importer.stdin is not None
        _Project(importer.stdin, cards, depth, random.Random(seed)).write(versions)
    assert importer.returncode == 0
    git(unfinished, "repack", "-adfq", "--depth=50", "--window=10")
    unfinished.rename(path)
    return path


class _Project:
    """The state of the project, and the fast-import stream of its history."""

    def __init__(self, out: IO[bytes], cards: int, depth: int, dice: random.Random) -> None:
        self.out = out
        self.code = "/".join(["src", *(f"d{number}" for number in range(depth)), "main.py"])
        self.dice = dice
        self.ids = [f"c{number:04d}" for number in range(cards)]
        self.values = dict.fromkeys(self.ids, 0)
        self.lines = {card: [f"value = {n}" for n in range(40)] for card in self.ids}
        self.feeds = {card: self.ids[max(0, n - 1)] for n, card in enumerate(self.ids)}
        self.comments: dict[str, int] = {}
        self.gone: set[str] = set()

    def write(self, versions: int) -> None:
        for number in range(versions):
            message = b"version %d" % number
            when = 1_700_000_000 + number * 60
            self.out.write(
                b"commit refs/heads/main\ncommitter B <b@example.org> %d +0000\ndata %d\n%s\n"
                % (when, len(message), message)
            )
            if number == 0:
                self.file("tsugumi.json", self.settings("tsugumi:default"))
                self.file("layout.json", b"{}")
                for card in self.ids:
                    self.card(card)
            else:
                for _ in range(self.dice.choice([1, 1, 1, 2, 3])):
                    self.edit(number)
            self.out.write(b"\n")

    def edit(self, number: int) -> None:
        card = self.dice.choice(self.ids)
        if card in self.gone:
            self.gone.discard(card)
            self.card(card)
            return
        what = self.dice.random()
        folder = f"definitions/{card}"
        if what < 0.4:
            self.values[card] = number
            self.file(f"{folder}/_card.json", self.definition(card))
        elif what < 0.75:
            self.lines[card][self.dice.randrange(40)] = f"value = {number}"
            self.file(f"{folder}/{self.code}", self.source(card))
        elif what < 0.85:
            self.feeds[card] = self.dice.choice(self.ids)
            self.file(f"{folder}/_link.json", self.links(card))
        elif what < 0.93:
            self.comments[card] = number
            self.file(f"{folder}/_meta.json", self.meta(card))
        elif what < 0.98:
            self.file("layout.json", b'{"moved": %d}' % number)
        elif what < 0.99:
            self.file("tsugumi.json", self.settings(f"nixpkgs-{number}"))
        elif len(self.gone) < len(self.ids) // 4:
            self.gone.add(card)
            self.out.write(f"D {folder}\n".encode())

    def card(self, card: str) -> None:
        folder = f"definitions/{card}"
        self.file(f"{folder}/_card.json", self.definition(card))
        self.file(f"{folder}/_meta.json", self.meta(card))
        self.file(f"{folder}/_link.json", self.links(card))
        self.file(f"{folder}/{self.code}", self.source(card))

    def file(self, path: str, content: bytes) -> None:
        self.out.write(b"M 100644 inline %s\ndata %d\n" % (path.encode(), len(content)))
        self.out.write(content)
        self.out.write(b"\n")

    def settings(self, pkgs: str) -> bytes:
        return _json({"formatVersion": 1, "name": "Bench", "pkgsPath": pkgs, "settings": {}})

    def definition(self, card: str) -> bytes:
        parameters = {f"p{n}": {"type": "int", "value": n} for n in range(12)}
        parameters["edited"] = {"type": "int", "value": self.values[card]}
        inputs = [{"name": f"in{n}", "type": "events"} for n in range(4)]
        return _json(
            {"name": f"Card {card}", "kind": "process", "inputs": inputs, "parameters": parameters}
        )

    def meta(self, card: str) -> bytes:
        text = self.comments.get(card)
        comment = {
            "id": f"{card}-{text}",
            "text": f"why {text}?",
            "author": "user",
            "state": "open",
        }
        return _json({"title": card, "comments": [] if text is None else [comment]})

    def links(self, card: str) -> bytes:
        return _json({"links": [{"from": self.feeds[card], "output": "out", "input": "in0"}]})

    def source(self, card: str) -> bytes:
        return "".join(line + "\n" for line in self.lines[card]).encode()


def _json(value: object) -> bytes:
    return json.dumps(value, indent=2).encode() + b"\n"
