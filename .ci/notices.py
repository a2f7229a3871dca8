"""Writes THIRD-PARTY.txt: the licences of the crates that are in the extension module.

    python .ci/notices.py            write it
    python .ci/notices.py --check    compare; ends with 1 where it has to be written anew

A wheel is those crates too, and their licences ask that notices go along. The texts are those that
the crates were published with. Crates that only run while building are left out.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
NOTICES = ROOT / "THIRD-PARTY.txt"
NAMES = re.compile(r"\.?(licen[cs]e|copying|copyright|notice|unlicense)", re.IGNORECASE)
MIT = "permission is hereby granted, free of charge"
OTHER_CHOICES = ("apache license", "this is free and unencumbered software")
"""What the texts of other licences begin with that crates under MIT offer as a choice."""
HEAD = """\
The extension module of versiondiff holds code of the crates below, each from https://crates.io.
Where a crate offers a choice with MIT among it, it is taken under MIT.
"""


def main() -> int:
    """Writes or compares, by the command line."""
    written = notices()
    if sys.argv[1:] == ["--check"]:
        if NOTICES.is_file() and NOTICES.read_text(encoding="utf-8") == written:
            return 0
        sys.stderr.write(f"{NOTICES.name} is not what the crates say: make notices\n")
        return 1
    NOTICES.write_text(written, encoding="utf-8")
    return 0


def notices() -> str:
    """The whole text: each licence once, below the crates that have it."""
    with (ROOT / "deny.toml").open("rb") as file:
        targets = tomllib.load(file)["graph"]["targets"]
    within = set[tuple[str, str]]().union(*map(linked, targets))
    packages = json.loads(cargo("metadata", "--format-version=1"))["packages"]
    crates = [
        crate
        for crate in packages
        # The project's own crates have no source.
        if crate["source"] and (crate["name"], crate["version"]) in within
    ]
    holders = defaultdict(list)
    texts = {}
    for crate in sorted(crates, key=lambda crate: (crate["name"], crate["version"])):
        for text in licences(crate):
            # The same but for breaks of lines is the same.
            words = " ".join(text.split())
            texts.setdefault(words, text)
            holders[words].append(f"{crate['name']} {crate['version']} ({crate['license']})")
    parts = ("\n".join([*named, "", texts[words], ""]) for words, named in holders.items())
    return f"\n{'=' * 80}\n".join((HEAD, *parts))


def linked(target: str) -> set[tuple[str, str]]:
    """Names and versions of the crates whose code is in the extension for a target."""
    tree = cargo(
        *("tree", "--package=versiondiff-python", "--edges=normal,no-proc-macro"),
        *("--prefix=none", f"--target={target}"),
    )
    found = (re.match(r"(\S+) v(\S+)", line) for line in tree.splitlines())
    return {(crate[1], crate[2]) for crate in found if crate}


def cargo(*arguments: str) -> str:
    """What cargo prints; what it says beside goes to stderr."""
    return subprocess.run(
        ["cargo", *arguments, "--locked"],
        cwd=ROOT,
        check=True,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ).stdout


def licences(crate: dict[str, Any]) -> list[str]:
    """The texts that go along with a crate."""
    folder = Path(crate["manifest_path"]).parent
    files = sorted(
        file
        for found in folder.iterdir()
        if NAMES.match(found.name)
        for file in ([found] if found.is_file() else found.rglob("*"))
        if file.is_file()
    )
    texts = [tidied(file.read_text(encoding="utf-8")) for file in files]
    if re.search(r" OR |/", crate["license"]) and any(MIT in lowered(text) for text in texts):
        texts = [text for text in texts if not lowered(text).startswith(OTHER_CHOICES)]
    if not texts:
        sys.exit(f"{folder.name} was published without the text of its licence: add it by hand")
    return texts


def tidied(text: str) -> str:
    """A text without spaces at the ends of lines, and without empty lines around it."""
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")


def lowered(text: str) -> str:
    """A text to look for words in, however they are broken into lines."""
    return " ".join(text.split()).lower()


if __name__ == "__main__":
    sys.exit(main())
