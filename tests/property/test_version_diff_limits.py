"""Both limits hold for the rendered bytes; what is cut is counted, and nothing can be mistaken."""

from __future__ import annotations

import functools
import json
import random
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from property.test_one_tree import commit, directory, git
from version_diffs.parsing import (
    Parsed,
    Section,
    assert_holds,
    assert_rows_are_lines,
    lines_of,
    parse,
)
from versiondiff import Extent, File, Limits, VersionDiff, version_diff
from versiondiff.formats import FolderNodes, Format

if TYPE_CHECKING:
    from versiondiff.snapshots import Files

Texts = dict[str, str]

ALL = Format(
    name="all",
    nodes=FolderNodes(folder="nodes/{id}", marker="node.json"),
    visible=("**",),
)
UNLIMITED = Limits(file=1 << 28, total=1 << 28)
LIMITS = st.builds(Limits, file=st.integers(0, 2_000), total=st.integers(0, 5_000)) | st.just(
    Limits()
)
FEW = settings(deadline=None, max_examples=40)

# Lines that look like what stands around them, that no reader may take for the end of a line, and
# graphemes of many characters.
LOOK_ALIKES = [
    "diff --git a/x b/x", "--- a/x", "+++ b/x", "-- a/x", "@@ -1 +1 @@", "[cut: 1 bytes, +0 -0]",
    "[not shown: 1 more file, +1 -1]", "[added, +1 -0]", "[modified, +1 -1: x]", "[変更, +1 -1]",
    "\\ No newline at end of file", "Binary files a/x and b/x differ", "rename from x", "",
]  # fmt: skip
BREAKS = [
    "",
    "\r",
    "\r\r",
    "\x0b",
    "\x0c",
    "\x1c",
    "\x1d",
    "\x1e",
    "\x85",
    "\u2028",
    "\u2029",
    "\0x"[1:],
]
FAMILY = "👩‍👩‍👧‍👦"
WORDS = [
    "load",
    "bands",
    "読み込み",
    "e\u0301",
    FAMILY,
    "🇯🇵",
    "👍🏽",
    "ง",
    "กำ",
    "각",
    "=",
    "…",
    "\t",
]

short = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
long = st.builds(
    lambda words, times: "".join(words) * times,
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=8),
    st.integers(1, 200),
)
deceiving = st.builds(
    lambda a, b, c: a + b + c, short, st.sampled_from(BREAKS), st.sampled_from(LOOK_ALIKES)
)
line = st.sampled_from(LOOK_ALIKES) | short | deceiving | long
text = st.builds(
    lambda lines, end: "\n".join(lines) + end,
    st.lists(line, max_size=40),
    st.sampled_from(["\n", "", "\r\n"]),
)


@st.composite
def edited(draw: st.DrawFn, old: str) -> str:
    """A text with some of its lines changed, gone and come."""
    lines = old.split("\n")
    for _ in range(draw(st.integers(0, 6))):
        at = draw(st.integers(0, len(lines)))
        lines[at : at + draw(st.integers(0, 5))] = draw(st.lists(line, max_size=4))
    return "\n".join(lines)


PATHS = ["a.py", "b c.py", "読み.py", 'q"uote.py', "src/deep/x.py", "src/y.sh", "z\tab.py", "é.py"]


@st.composite
def changes(draw: st.DrawFn) -> tuple[Texts, Texts]:
    """Two versions of a few files."""
    old: Texts = {}
    new: Texts = {}
    for path in draw(st.lists(st.sampled_from(PATHS), unique=True, min_size=1, max_size=6)):
        before = draw(text)
        kind = draw(st.sampled_from(["edit", "edit", "edit", "add", "delete", "move"]))
        if kind != "add":
            old[path] = before
        if kind == "edit":
            new[path] = draw(edited(before))
        elif kind == "add":
            new[path] = before
        elif kind == "move":
            new[f"moved/{path}"] = draw(edited(before))
    return old, new


def encoded(texts: Texts) -> dict[str, bytes]:
    return {path: content.encode() for path, content in texts.items()}


def diff_of(old: Texts, new: Texts, limits: Limits, language: str = "en") -> VersionDiff:
    return version_diff(
        encoded(old), encoded(new), format=ALL, limits=limits, json="as_written",
        language=language,  # type: ignore[arg-type]
    )  # fmt: skip


def by_path(diff: VersionDiff, parsed: Parsed) -> dict[str, Section]:
    shown = [file.path for file in diff.files if file.extent is not Extent.NOTHING]
    return dict(zip(shown, parsed.sections, strict=True))


# ── What holds of every output ──────────────────────────────────────────────────────────────────


@FEW
@given(change=changes(), limits=LIMITS, language=st.sampled_from(["en", "ja"]))
def test_limits_counts_and_lines_hold(
    change: tuple[Texts, Texts], limits: Limits, language: str
) -> None:
    old, new = change
    diff = diff_of(old, new, limits, language)
    parsed = assert_holds(diff, limits, language)
    sections = by_path(diff, parsed)
    for file in diff.files:
        before, after = old.get(file.old_path or file.path, ""), new.get(file.path, "")
        assert (file.added - file.removed) == len(lines_of(after)) - len(lines_of(before))
        if file.path in sections:
            assert_rows_are_lines(sections[file.path], before, after)


@FEW
@given(change=changes(), limits=LIMITS)
def test_what_is_cut_is_counted_to_the_byte(change: tuple[Texts, Texts], limits: Limits) -> None:
    old, new = change
    whole = diff_of(old, new, UNLIMITED)
    full = by_path(whole, assert_holds(whole, UNLIMITED))
    diff = diff_of(old, new, limits)
    cut = by_path(diff, assert_holds(diff, limits))
    assert [(f.path, f.added, f.removed) for f in diff.files] == [
        (f.path, f.added, f.removed) for f in whole.files
    ]
    for path, section in cut.items():
        if section.path is not None or any("…" in row.text for row in section.rows):
            continue
        # Every line of the whole is shown or cut, and lines that are cut count as they are written.
        plain = all(
            ord(c) >= 32 or c == "\t" for c in old.get(path, "") + new.get(path, "") if c != "\n"
        )
        if plain and section.cuts and re.search(r"[\x85\u2028\u2029]", section.text) is None:
            whole_bytes = sum(len(row.text.encode()) + 2 for row in full[path].rows)
            shown_bytes = sum(len(row.text.encode()) + 2 for row in section.rows)
            deceived = sum(row.text.count("<U+") for row in full[path].rows)
            if not deceived and all(row.has_end for row in full[path].rows):
                assert shown_bytes + sum(piece.bytes for piece in section.cuts) == whole_bytes


@FEW
@given(change=changes(), limits=LIMITS, seed=st.integers(0, 99))
def test_the_order_of_files_changes_nothing(
    change: tuple[Texts, Texts], limits: Limits, seed: int
) -> None:
    dice = random.Random(seed)
    diff = diff_of(*change, limits)
    shuffled = [dict(dice.sample(sorted(side.items()), len(side))) for side in change]
    assert diff_of(shuffled[0], shuffled[1], limits) == diff
    assert diff_of(*change, limits) == diff


@FEW
@given(change=changes(), limits=LIMITS)
def test_both_languages_have_one_structure(change: tuple[Texts, Texts], limits: Limits) -> None:
    english, japanese = (diff_of(*change, UNLIMITED, language) for language in ("en", "ja"))
    parsed = [parse(english.text, "en"), parse(japanese.text, "ja")]
    shapes = [
        [(s.status, s.added, s.removed, s.remark, s.header, s.pieces) for s in p.sections]
        for p in parsed
    ]
    assert shapes[0] == shapes[1]
    for language in ("en", "ja"):
        assert_holds(diff_of(*change, limits, language), limits, language)


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("git") / "texts.git"
    git(path, "init", "--quiet", "--bare", "-b", "main")
    return path


@settings(deadline=None, max_examples=12)
@given(change=changes(), limits=LIMITS)
def test_a_mapping_a_directory_and_a_version_give_the_same(
    bare: Path,
    tmp_path_factory: pytest.TempPathFactory,
    change: tuple[Texts, Texts],
    limits: Limits,
) -> None:
    # Names that a stream for git need not quote.
    old, new = (
        {
            path: File(content)
            for path, content in encoded(side).items()
            if path.isprintable() and '"' not in path
        }
        for side in change
    )
    repository = commit(bare, [old, new])
    place = Path(tempfile.mkdtemp(dir=tmp_path_factory.getbasetemp()))
    (place / "old").mkdir()
    (place / "new").mkdir()
    sources: list[tuple[Files, Files]] = [
        (old, new),
        (directory(old, place / "old"), directory(new, place / "new")),
        (repository.snapshot("main~1"), repository.snapshot("main")),
    ]
    diffs = [version_diff(a, b, format=ALL, limits=limits) for a, b in sources]
    assert diffs == [diffs[0]] * 3
    if old != new:
        assert repository.version_diff("main", format=ALL, limits=limits) == diffs[0]


# ── Shares ──────────────────────────────────────────────────────────────────────────────────────


@functools.cache
def lockfiles() -> tuple[bytes, bytes]:
    """A lockfile of 2 MB before and after every hash in it changed."""
    dice = random.Random(2)
    values = ({f"pkg{n}": dice.randbytes(20).hex() for n in range(36_000)} for _ in range(2))
    old, new = (json.dumps(value, indent=1).encode() for value in values)
    return old, new


@pytest.mark.parametrize("size", [1, 200, 700, 1_000])
@pytest.mark.parametrize("name", ["a.lock", "z.lock", "m.json"])
def test_small_files_stand_whole_beside_a_large_one(size: int, name: str) -> None:
    before, after = lockfiles()
    assert len(before) > 2_000_000
    old = {f"src/{n}.py": b"x = 1\n" for n in range(9)} | {name: before}
    new = {f"src/{n}.py": b"x = 2\n" * (size // 7 + 1) for n in range(9)} | {name: after}
    diff = version_diff(old, new, format=ALL)
    assert_holds(diff, Limits())
    extents = {file.path: file.extent for file in diff.files}
    assert extents.pop(name) is Extent.CUT
    assert set(extents.values()) == {Extent.EXACT}
    assert len(extents) == 9


def test_large_files_share_evenly_and_use_what_there_is() -> None:
    old: Texts = {}
    new = {f"{name}.py": "".join(f"{name} line {n}\n" for n in range(5_000)) for name in "abcd"}
    diff = diff_of(old, new, Limits())
    assert_holds(diff, Limits())
    sizes = [file.bytes for file in diff.files]
    assert max(sizes) - min(sizes) < 400
    assert sum(sizes) > 11_000


@pytest.mark.parametrize("count", [600, 5_000])
@pytest.mark.parametrize("language", ["en", "ja"])
def test_many_files_end_in_a_closing_line(count: int, language: str) -> None:
    old = {f"src/{n:05}.py": f"a\nb{n}\n" for n in range(count)}
    new = {path: text + "c\n" * (1 + n % 3) for n, (path, text) in enumerate(old.items())}
    diff = diff_of(old, new, Limits(), language)
    parsed = assert_holds(diff, Limits(), language)
    assert parsed.closing is not None
    assert parsed.sections
    assert len(parsed.sections) + parsed.closing.bytes == count
    assert len(diff.text.encode()) > 11_500
    assert sum(file.added for file in diff.files) == sum(1 + n % 3 for n in range(count))


def test_what_is_taken_back_is_counted() -> None:
    """Names that are no secret each, and read as one beside each other."""
    value = "".join(random.Random(1).choices("abcdefghijkmnpqrstuvwxyz23456789", k=20))
    new = {"src/host=db.py": b"x\n", f"src/password={value}": b"y\n"}
    for total in (12_000, 200, 120):
        limits = Limits(file=4_000, total=total)
        diff = version_diff({}, new, format=ALL, limits=limits)
        assert assert_holds(diff, limits).closing is not None
        assert diff.outcome.no_room == 1
    assert version_diff({}, new, format=ALL).outcome.taken_back == 1


# ── Graphemes ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("piece", [FAMILY, "e\u0301", "🇯🇵", "👍🏽", "が", "読み込み", "か\u3099"])
def test_no_grapheme_of_a_long_line_is_broken(piece: str) -> None:
    old = piece * 400
    new = piece * 150 + "X" + piece * 249
    for limit in range(120, 700, 7):
        limits = Limits(file=limit, total=4_000)
        diff = diff_of({"a.py": old}, {"a.py": new}, limits)
        (section,) = assert_holds(diff, limits).sections
        if section.path is None:
            assert_rows_are_lines(section, old, new)
