"""Pairs of package versions to measure on, the same bytes on every machine."""

from __future__ import annotations

import json
import random
import shutil
import tarfile
from typing import TYPE_CHECKING

from versiondiff import File, Mode

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Side = dict[str, File]
Pair = tuple[Side, Side]

WORDS = [
    "node", "symbol", "type", "flags", "checker", "emit", "source", "target", "resolve", "module",
    "context", "visitor", "signature", "parameter", "declaration", "expression", "literal", "scope",
]  # fmt: skip


def code(dice: random.Random, size: int) -> list[bytes]:
    """Lines that look like a program's, of some `size` bytes together."""
    lines: list[bytes] = []
    left = size
    while left > 0:
        one, two, three = dice.choices(WORDS, k=3)
        number = dice.randrange(10_000)
        match dice.randrange(8):
            case 0:
                line = f"function {one}{number}({two}, {three}) {{"
            case 1:
                line = "}"
            case 2:
                line = ""
            case 3:
                line = f"    // {one} of {two} before {three}, see {number}"
            case 4:
                line = f"    if ({one}.{two} === {number}) {{ return {three}; }}"
            case _:
                line = f"    const {one}{number} = {two}.{three}({number}, {one}.{three});"
        lines.append(line.encode() + b"\n")
        left -= len(lines[-1])
    return lines


def edited(dice: random.Random, lines: list[bytes], edits: int) -> list[bytes]:
    """The same with a few lines changed, added and removed here and there."""
    changed = list(lines)
    for _ in range(edits):
        at = dice.randrange(len(changed))
        more = code(dice, dice.choice([40, 40, 200]))
        match dice.randrange(3):
            case 0:
                changed[at : at + len(more)] = more
            case 1:
                changed[at:at] = more
            case _:
                del changed[at : at + 1 + dice.randrange(3)]
    return changed


def of_lines(lines: list[bytes]) -> File:
    return File(b"".join(lines), Mode.FILE)


def source_pair() -> Pair:
    """Two versions of 20 MB, as a compiler's: three large files, many small ones, some binaries.

    A quarter of the small files is edited; sixty moved, half of them edited too; some came and
    went; of 20 binaries eight changed.
    """
    dice = random.Random(1)
    old: Side = {}
    new: Side = {}
    for name, size, edits in (
        ("lib/typescript.js", 6_000_000, 3_000),
        ("lib/tsc.js", 4_000_000, 1_000),
        ("lib/typescript.d.ts", 1_000_000, 300),
    ):
        lines = code(dice, size)
        old[name], new[name] = of_lines(lines), of_lines(edited(dice, lines, edits))
    for number in range(1_000):
        name = f"src/{WORDS[number % 18]}/{WORDS[number // 18 % 18]}/part{number}.ts"
        lines = code(dice, dice.choice([1_000, 4_000, 8_000, 19_000]))
        later = edited(dice, lines, 6)
        match number % 100:
            case rest if rest < 25:
                old[name], new[name] = of_lines(lines), of_lines(later)
            case rest if rest < 28:
                old[name] = of_lines(lines)
                new[name.replace("src/", "packages/core/")] = of_lines(lines)
            case rest if rest < 31:
                old[name] = of_lines(lines)
                new[name.replace(".ts", ".mts")] = of_lines(later)
            case 31:
                old[name] = of_lines(lines)
            case 32:
                new[name] = of_lines(lines)
            case _:
                old[name] = new[name] = of_lines(lines)
    for number in range(20):
        name = f"lib/assets/image{number}.bin"
        old[name] = new[name] = File(b"\0" + dice.randbytes(50_000), Mode.FILE)
        if number < 8:
            new[name] = File(b"\0" + dice.randbytes(50_000), Mode.FILE)
    for side, version in ((old, "5.4.5"), (new, "5.5.2")):
        manifest = {"name": "a-compiler", "version": version, "bin": {"tsc": "bin/tsc"}}
        side["package.json"] = File(json.dumps(manifest, indent=2).encode(), Mode.FILE)
        side["bin/tsc"] = File(b"#!/usr/bin/env node\nrequire('../lib/tsc.js')\n", Mode.EXECUTABLE)
    return old, new


def one_text() -> Pair:
    """One file of 20 MB, changed in 5,000 places."""
    dice = random.Random(2)
    lines = code(dice, 20_000_000)
    return {"a.js": of_lines(lines)}, {"a.js": of_lines(edited(dice, lines, 5_000))}


def other_text() -> Pair:
    """One file of 20 MB of which nearly no line stayed."""
    dice = random.Random(3)
    return {"a.js": of_lines(code(dice, 20_000_000))}, {"a.js": of_lines(code(dice, 20_000_000))}


def one_binary() -> Pair:
    """One binary of 20 MB, of which a tenth changed."""
    dice = random.Random(4)
    parts = [dice.randbytes(20_000) for _ in range(1_000)]
    later = list(parts)
    later[5::10] = [dice.randbytes(20_000) for _ in later[5::10]]
    return (
        {"a.bin": File(b"\0" + b"".join(parts), Mode.FILE)},
        {"a.bin": File(b"\0" + b"".join(later), Mode.FILE)},
    )


def many_files() -> Pair:
    """20,000 small files; a tenth is edited, 200 moved."""
    dice = random.Random(5)
    old: Side = {}
    new: Side = {}
    for number in range(20_000):
        name = f"icons/{number % 200}/icon{number}.js"
        lines = code(dice, dice.choice([100, 300, 1_500]))
        old[name] = new[name] = of_lines(lines)
        if number % 10 == 3:
            new[name] = of_lines(edited(dice, lines, 1))
        elif number % 100 == 4:
            new[f"moved/{name}"] = new.pop(name)
    return old, new


def one_line() -> Pair:
    """One line of 20 MB without a line feed, as of a bundler, changed in 2,000 places."""
    dice = random.Random(6)
    lines = code(dice, 20_000_000)
    sides = lines, edited(dice, lines, 2_000)
    old, new = (File(b"".join(side).replace(b"\n", b";"), Mode.FILE) for side in sides)
    return {"a.min.js": old}, {"a.min.js": new}


def written(folder: Path, make: Callable[[], Pair]) -> Path:
    """The pair below a folder: `old` and `new` as directories, and as npm packs them.

    Made anew only where the folder isn't there yet.
    """
    if folder.exists():
        return folder
    unfinished = folder.with_suffix(".unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    for name, side in zip(("old", "new"), make(), strict=True):
        for path, file in side.items():
            place = unfinished / name / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(file.content)
            place.chmod(0o755 if file.mode is Mode.EXECUTABLE else 0o644)
        with tarfile.open(unfinished / f"{name}.tgz", "w:gz", compresslevel=6) as archive:
            for path in side:
                archive.add(unfinished / name / path, f"package/{path}", filter=_as_packed)
    unfinished.rename(folder)
    return folder


def _as_packed(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.mtime = 499_162_500
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member
