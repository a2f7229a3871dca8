"""What a version diff shows whole is a patch that git takes, with the counts and hunks of git."""

from __future__ import annotations

import os
import random
import shutil
from typing import TYPE_CHECKING, NamedTuple

import pytest

from oracle.repositories import Git
from oracle.test_sources_agree import write
from real import flowise_history
from version_diffs.parsing import Hunk, assert_holds, parse
from versiondiff import (
    Compared,
    Extent,
    File,
    Limits,
    Mode,
    Parents,
    Repository,
    Rewrites,
    Rules,
    VersionDiff,
    version_diff,
)
from versiondiff.formats import FolderNodes, Format

if TYPE_CHECKING:
    from pathlib import Path

    from real.flowise_history import Row
    from versiondiff.diffs import JsonForm

States = dict[bytes, File]

ALL = Format(
    name="all", nodes=FolderNodes(folder="nodes/{id}", marker="node.json"), visible=("**",)
)
UNLIMITED = Limits(file=1 << 28, total=1 << 29)
MYERS = ["--diff-algorithm=myers", "--indent-heuristic", "--no-renames", "--no-ext-diff"]
SAME_HUNKS = 0.97

NAMES = [
    "a.py", "b c.py", "読み.py", 'q"uote.py', "back\\slash", "tab\tbed.py", "src/deep/x.py",
    " edge ", "src/é.sh", "@@ -1 +1 @@", "-- x", "new\nline", "dev/null", "x[1]*.py", "#hash",
]  # fmt: skip


# ── Texts and edits ─────────────────────────────────────────────────────────────────────────────


def code(dice: random.Random, count: int) -> list[str]:
    """Lines of something like code: blocks, blank lines, lines that come often."""
    lines = []
    for number in range(count):
        indent = "    " * dice.randrange(3)
        lines.append(
            dice.choice(
                [
                    "",
                    "",
                    f"{indent}return",
                    f"{indent}}}",
                    f"{indent}x = {dice.randrange(9)}",
                    f"def load_{number}():",
                    f"{indent}call({dice.randrange(1000)})",
                    f"# 読み {number}",
                    f"{indent}value_{dice.randrange(30)} += 1",
                ]
            )
        )
    return lines


def edit(dice: random.Random, lines: list[str]) -> list[str]:
    lines = list(lines)
    for _ in range(dice.randrange(1, 6)):
        at = dice.randrange(len(lines) + 1)
        lines[at : at + dice.choice([0, 1, 1, 2, 5])] = code(dice, dice.choice([0, 1, 1, 2, 6]))
    return lines


def as_bytes(dice: random.Random, lines: list[str]) -> bytes:
    line_feed = dice.choice(["\n", "\n", "\n", "\r\n"])
    end = dice.choice([line_feed, line_feed, ""]) if lines else ""
    return (line_feed.join(lines) + end).encode()


def trees(dice: random.Random) -> tuple[States, States]:
    """Two trees: files edited, added, deleted, moved; modes, links, kinds, empty files."""
    old: States = {}
    new: States = {}
    for name in dice.sample(NAMES, dice.randrange(1, len(NAMES))):
        path, lines = name.encode(), code(dice, dice.choice([0, 1, 3, 20, 80]))
        before = File(as_bytes(dice, lines), mode=dice.choice([Mode.FILE, Mode.EXECUTABLE]))
        after = File(
            as_bytes(dice, edit(dice, lines)), mode=dice.choice([Mode.FILE, Mode.EXECUTABLE])
        )
        match dice.choice(
            ["edit", "edit", "edit", "add", "delete", "move", "mode", "link", "kind"]
        ):
            case "edit":
                old[path], new[path] = before, after
            case "add":
                new[path] = after
            case "delete":
                old[path] = before
            case "move":
                old[path], new[b"moved/" + path] = before, after
            case "mode":
                old[path] = File(before.content, mode=Mode.FILE)
                new[path] = File(before.content, mode=Mode.EXECUTABLE)
            case "link":
                old[path], new[path] = (File(t, mode=Mode.LINK) for t in (b"a", b"b\nc"))
            case "kind":
                old[path], new[path] = before, File(b"target", mode=Mode.LINK)
    return old, new


def entries(root: Path) -> States:
    found: States = {}
    for path in sorted(root.rglob("*")):
        name = os.fsencode(path.relative_to(root))
        if path.is_symlink():
            found[name] = File(os.fsencode(path.readlink()), mode=Mode.LINK)
        elif path.is_file():
            executable = path.stat().st_mode & 0o100
            mode = Mode.EXECUTABLE if executable else Mode.FILE
            found[name] = File(path.read_bytes(), mode=mode)
    return found


# ── git apply ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("seed", range(40))
def test_git_applies_what_is_shown_exactly(seed: int, tmp_path: Path) -> None:
    dice = random.Random(seed)
    old, new = trees(dice)
    diff = version_diff(old, new, format=ALL, limits=UNLIMITED, json="as_written")
    assert_holds(diff, UNLIMITED)
    inexact = [f for f in diff.files if f.extent is not Extent.EXACT]
    # Only a link's target may keep a file from being a patch.
    assert all(f.compared is Compared.HIDDEN_LINK for f in inexact)
    if inexact:
        hidden = {f.path.encode() for f in inexact}
        old = {path: file for path, file in old.items() if path not in hidden}
        new = {path: file for path, file in new.items() if path not in hidden}
        diff = version_diff(old, new, format=ALL, limits=UNLIMITED, json="as_written")
    tree = write(tmp_path / "tree", old)
    if diff.text:
        # git leaves out the lines that are ours, as it does those of a mail before a patch.
        Git(tree).run("apply", "--whitespace=nowarn", "-", stdin=diff.text.encode())
    assert entries(tree) == new


def test_git_applies_it_in_reverse(tmp_path: Path) -> None:
    old, new = trees(random.Random(5))
    regular = {Mode.FILE, Mode.EXECUTABLE}
    old, new = ({p: f for p, f in side.items() if f.mode in regular} for side in (old, new))
    diff = version_diff(old, new, format=ALL, limits=UNLIMITED, json="as_written")
    tree = write(tmp_path / "tree", new)
    Git(tree).run("apply", "-R", "--whitespace=nowarn", "-", stdin=diff.text.encode())
    # git itself forgets the modes of what comes back.
    contents = {path: file.content for path, file in entries(tree).items()}
    assert contents == {path: file.content for path, file in old.items()}


# ── Counts and hunks ────────────────────────────────────────────────────────────────────────────


class Shown(NamedTuple):
    """What is said of a file: counts, and where its hunks are, with their lines."""

    added: int
    removed: int
    hunks: list[str]


def hunk_text(hunk: Hunk) -> str:
    span = (hunk.old_start, hunk.old_count, hunk.new_start, hunk.new_count)
    rows = [row.sign + row.text + ("" if row.has_end else "\\") for row in hunk.rows]
    return "\n".join([repr(span), *rows])


def shown_of(diff: VersionDiff) -> list[Shown]:
    return [
        Shown(section.added or 0, section.removed or 0, [hunk_text(hunk) for hunk in section.hunks])
        for section in parse(diff.text).sections
    ]


def git_says(git: Git, old: str, new: str) -> list[Shown]:
    """What `git diff` says, read with the same reader, in order of paths."""
    options = ["-c", "core.quotePath=off", "diff", "-U3", "--no-color", *MYERS, old, new, "--"]
    patch = git.run(*options).decode("utf-8", "surrogateescape")
    numbers = [
        line.split(b"\t")
        for line in git.run("diff", "--numstat", "-z", *MYERS, old, new, "--").split(b"\0")
        if line
    ]
    files = [part for part in ("\n" + patch).split("\ndiff --git ") if part.strip()]
    said = []
    for (added, removed, _), file in zip(numbers, files, strict=True):
        at = file.find("\n@@ ")
        body = file[at + 1 :] if at >= 0 else ""
        text = "[modified, +1 -1]\ndiff --git x\n" + body.removesuffix("\n") + "\n"
        hunks = parse(text).sections[0].hunks if body else []
        said.append(Shown(int(added), int(removed), [hunk_text(hunk) for hunk in hunks]))
    return said


def compare_with_git(ours: list[Shown], gits: list[Shown]) -> tuple[int, int]:
    """Counts are equal; how many hunks there are, and how many are."""
    assert [(file.added, file.removed) for file in ours] == [(f.added, f.removed) for f in gits]
    equal = total = 0
    for our, its in zip(ours, gits, strict=True):
        total += max(len(our.hunks), len(its.hunks))
        equal += len(set(our.hunks) & set(its.hunks))
    return equal, total


def test_counts_and_hunks_of_generated_edits_equal_git(tmp_path: Path) -> None:
    dice = random.Random(11)
    git = Git.init(tmp_path / "git")
    old: States = {}
    new: States = {}
    for number in range(300):
        lines = code(dice, dice.randrange(1, 150))
        path = f"f{number:03}.py".encode()
        old[path] = File(("\n".join(lines) + "\n").encode())
        new[path] = File(("\n".join(edit(dice, lines)) + dice.choice(["\n", ""])).encode())
    commits: list[str] = []
    for side in (old, new):
        directory = write(tmp_path / "side", side)
        git.run("--work-tree", str(directory), "add", "--all")
        commits.append(git.commit(git.text("write-tree"), *commits[-1:]))
        shutil.rmtree(directory)
    diff = version_diff(old, new, format=ALL, limits=UNLIMITED)
    equal, total = compare_with_git(shown_of(diff), git_says(git, *commits))
    assert total > 500
    assert equal >= total * SAME_HUNKS, f"{equal} of {total}"


# ── The real history ────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not flowise_history.DATA.exists():
        pytest.skip("shared/data/flowise is not beside this checkout")
    rows: list[Row] = flowise_history.rows()
    path = tmp_path_factory.mktemp("history") / "history.git"
    flowise_history.replay(rows, path)
    return path


def test_counts_and_hunks_of_a_real_history_equal_git(history: Path) -> None:
    git = Git(history)
    empty = git.text("hash-object", "-t", "tree", os.devnull)
    equal = total = versions = 0
    no_rules = Rules.default().without(*Rules.default().names)
    for version in Repository.open(history).version_diffs(
        format=ALL, limits=UNLIMITED, json="as_written", rewrites=Rewrites.NONE, rules=no_rules
    ):
        assert version.diff is not None
        old = version.version.parents[0] if version.version.parents else empty
        counts = compare_with_git(shown_of(version.diff), git_says(git, old, version.version.id))
        equal, total, versions = equal + counts[0], total + counts[1], versions + 1
    assert versions == 103
    assert total > 1_000
    assert equal >= total * SAME_HUNKS, f"{equal} of {total}"


@pytest.mark.parametrize("json", ["canonical", "as_written"])
@pytest.mark.parametrize("limits", [Limits(), Limits(file=700, total=1_500)])
def test_limits_hold_on_every_version_of_a_real_history(
    history: Path, limits: Limits, json: JsonForm
) -> None:
    versions = Repository.open(history).version_diffs(
        format=ALL,
        limits=limits,
        json=json,
        parents=Parents.ALL,
    )
    count = 0
    for version in versions:
        assert version.diff is not None
        assert_holds(version.diff, limits)
        count += 1
    assert count == 103
