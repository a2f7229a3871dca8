"""Random trees on disk, and what git says of two of them."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, NamedTuple

from versiondiff import File, Mode

if TYPE_CHECKING:
    import random
    from pathlib import Path

Tree = dict[bytes, File]

NOTHING = b"/dev/null"

NAMES = [
    b"a.py", b"b.py", b"lib", b"lib.rb", b"data", b"README", b"x.min.js", b"with space",
    "読み".encode(), b"new\nline", b'quo"te', b"caf\xe9", b"a-b", b"a.b",
]  # fmt: skip


def text(dice: random.Random) -> bytes:
    """Some lines: with CRLF, without a line feed at the end, of few kinds or of many, or none."""
    if dice.random() < 0.06:
        return b""
    kinds = dice.choice([3, 30, 10_000])
    end = dice.choice([b"\n", b"\n", b"\n", b"\r\n"])
    lines = [
        b"%sline %d%s" % (b" " * dice.choice([0, 0, 4]), dice.randrange(kinds), end)
        for _ in range(dice.choice([1, 3, 12, 40, 120]))
    ]
    if dice.random() < 0.1:
        lines.append(b"long " * dice.randrange(200))
    whole = b"".join(lines)
    return whole.removesuffix(end) if dice.random() < 0.15 else whole


def content(dice: random.Random) -> bytes:
    if dice.random() < 0.1:
        return dice.randbytes(dice.choice([40, 3_000])) + b"\0" + dice.randbytes(100)
    return text(dice)


def file(dice: random.Random) -> File:
    if dice.random() < 0.07:
        return File(dice.choice([b"a.py", b"../up", b"/etc/passwd", b"lib/x"]), Mode.LINK)
    return File(content(dice), dice.choice([Mode.FILE, Mode.FILE, Mode.FILE, Mode.EXECUTABLE]))


def path(dice: random.Random) -> bytes:
    return b"/".join(dice.choice(NAMES) for _ in range(dice.choice([1, 1, 2, 2, 3])))


def put(tree: Tree, at: bytes, file: File) -> None:
    """Put a file into a tree; what stands in its way gives way."""
    steps = at.split(b"/")
    for length in range(1, len(steps)):
        tree.pop(b"/".join(steps[:length]), None)
    for other in [other for other in tree if other.startswith(at + b"/")]:
        del tree[other]
    tree[at] = file


def tree(dice: random.Random) -> Tree:
    made: Tree = {}
    for _ in range(dice.choice([2, 8, 20, 40])):
        put(made, path(dice), file(dice))
    return made


def edited(dice: random.Random, content: bytes) -> bytes:
    lines = content.splitlines(keepends=True)
    for _ in range(dice.choice([1, 2, 5, len(lines) // 2 + 1])):
        at = dice.randrange(len(lines) + 1)
        match dice.randrange(4):
            case 0:
                lines[at : at + dice.randrange(4)] = []
            case 1:
                lines[at:at] = [b"more %d\n" % dice.randrange(50)]
            case 2:
                lines[at:at] = lines[at : at + 3]
            case _:
                lines[at : at + 1] = [b"other %d\n" % dice.randrange(1_000)]
    whole = b"".join(lines)
    match dice.randrange(12):
        case 0:
            return whole.replace(b"\r\n", b"\n")
        case 1:
            return whole.replace(b"\n", b"\r\n")
        case 2:
            return whole.removesuffix(b"\n")
        case _:
            return whole


def changed(dice: random.Random, old: Tree) -> Tree:
    """Another version of a tree: edits, moves, modes, kinds."""
    new = dict(old)
    for at in list(old):
        if at not in new:
            continue
        before = new[at]
        match dice.randrange(10):
            case 0:
                del new[at]
            case 1:
                put(new, at, File(edited(dice, before.content), Mode.FILE))
            case 2 if before.mode is not Mode.LINK:
                modes = [Mode.FILE, Mode.EXECUTABLE]
                new[at] = File(before.content, dice.choice(modes))
            case 3:
                del new[at]
                put(new, path(dice), before)
            case 4:
                del new[at]
                kept = before.mode is Mode.LINK
                put(
                    new,
                    path(dice),
                    before if kept else File(edited(dice, before.content), before.mode),
                )
            case 5:
                new[at] = file(dice)
            case 6:
                put(new, path(dice), before)
            case _:
                pass
    for _ in range(dice.randrange(4)):
        put(new, path(dice), file(dice))
    return new


def write(root: Path, tree: Tree) -> None:
    root.mkdir(parents=True)
    for at, file in tree.items():
        place = root / os.fsdecode(at)
        place.parent.mkdir(parents=True, exist_ok=True)
        if file.mode is Mode.LINK:
            place.symlink_to(os.fsdecode(file.content))
        else:
            place.write_bytes(file.content)
            place.chmod(0o755 if file.mode is Mode.EXECUTABLE else 0o644)


class GitRow(NamedTuple):
    """What git says of a file."""

    status: str
    """`A`, `D`, `M`, `R` or `T`."""
    similarity: int
    old_path: bytes
    path: bytes
    added: int | None
    removed: int | None


def git_rows(folder: Path, old: str, new: str) -> list[GitRow]:
    """What `git diff --no-index -M` says of two directories below a folder, in its order."""
    ran = subprocess.run(
        ["git", "diff", "--no-index", "-M", "--raw", "--numstat", "-z", "--no-ext-diff", old, new],
        cwd=folder,
        capture_output=True,
        check=False,
        env=os.environ
        | {
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CEILING_DIRECTORIES": str(folder),
        },
    )
    assert ran.returncode in {0, 1}, ran.stderr
    fields = ran.stdout.split(b"\0")
    statuses: dict[bytes, list[tuple[str, int]]] = {}
    at = 0
    while at < len(fields) and fields[at].startswith(b":"):
        status = fields[at].split(b" ")[4].decode()
        paths = 2 if status[0] in "RC" else 1
        key = below_side(fields[at + paths])
        statuses.setdefault(key, []).append((status[0], int(status[1:] or 0)))
        at += 1 + paths
    rows = []
    # The names of the two folders differ, so that each row has both paths.
    while at < len(fields) and fields[at]:
        added, removed, path = fields[at].split(b"\t", 2)
        before, after = fields[at + 1 : at + 3]
        assert not path
        at += 3
        old_path = below_side(after if before == NOTHING else before)
        new_path = below_side(before if after == NOTHING else after)
        status, similarity = statuses[new_path].pop(0)
        rows.append(GitRow(status, similarity, old_path, new_path, count(added), count(removed)))
    return rows


def below_side(path: bytes) -> bytes:
    """The path below the folder that is compared."""
    return path.split(b"/", 1)[1]


def count(number: bytes) -> int | None:
    return None if number == b"-" else int(number)
