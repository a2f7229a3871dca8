"""Edits of a real page whose lines are up to 15 kB long: what changed is seen in 4,000 bytes.

The data is no part of this project: hunks of a package's documents, laid beside a checkout as
`shared/data/package-page/hunks.json`. What needs it skips where it is not there.
"""

from __future__ import annotations

import difflib
import functools
import itertools
import json
import re
from pathlib import Path
from typing import Any, Final

import pytest

from version_diffs.parsing import assert_holds, assert_rows_are_lines
from versiondiff import Limits, version_diff
from versiondiff.formats import FolderNodes, Format

DATA: Final = (
    Path(__file__).resolve().parents[3] / "shared" / "data" / "package-page" / "hunks.json"
)
ALL: Final = Format(
    name="all", nodes=FolderNodes(folder="nodes/{id}", marker="node.json"), visible=("**/*",)
)
LONG: Final = 2_000


@pytest.fixture(scope="module")
def files() -> list[dict[str, Any]]:
    if not DATA.exists():
        pytest.skip("shared/data/package-page is not beside this checkout")
    loaded: list[dict[str, Any]] = json.loads(DATA.read_bytes())
    return loaded


def sides(hunks: list[dict[str, Any]]) -> tuple[str, str]:
    """Both texts, with lines of no meaning between the hunks."""
    old: list[str] = []
    new: list[str] = []
    for hunk in hunks:
        missing = hunk["old_start"] - 1 - len(old)
        filler = [f"line {len(old) + n} that stays" for n in range(missing)]
        old += filler
        new += filler
        for sign, _, _, text in hunk["lines"]:
            if sign in " -":
                old.append(text)
            if sign in " +":
                new.append(text)
    before, after = ("".join(line + "\n" for line in side) for side in (old, new))
    return before, after


@functools.cache
def changed_words(old: str, new: str) -> tuple[list[str], list[str]]:
    """The runs of words that went and that came."""
    a, b = (re.findall(r"\w+|\W", text) for text in (old, new))
    start = sum(
        1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(a, b, strict=False))
    )
    a, b = a[start:], b[start:]
    while a and b and a[-1] == b[-1]:
        del a[-1], b[-1]
    gone: list[str] = []
    came: list[str] = []
    for kind, i, j, k, n in difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if kind != "equal":
            gone += re.findall(r"\w+", "".join(a[i:j]))
            came += re.findall(r"\w+", "".join(b[k:n]))
    return gone, came


def long_edits(hunks: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Pairs of a removed line and the added one after it, of which one is long."""
    found = []
    for hunk in hunks:
        for before, after in zip(hunk["lines"], hunk["lines"][1:], strict=False):
            if (before[0], after[0]) == ("-", "+") and max(len(before[3]), len(after[3])) > LONG:
                found.append((before[3], after[3]))
    return found


def test_each_long_edit_shows_all_its_words(files: list[dict[str, Any]]) -> None:
    edits = [edit for file in files for edit in long_edits(file["hunks"])]
    assert max(len(old.encode()) for old, _ in edits) > 15_000
    for old, new in edits:
        around = "a line before\n{}\na line after\n"
        texts = [around.format(side) for side in (old, new)]
        diff = version_diff({"a.md": texts[0].encode()}, {"a.md": texts[1].encode()}, format=ALL)
        (section,) = assert_holds(diff, Limits()).sections
        assert_rows_are_lines(section, *texts)
        assert len(diff.text.encode()) <= 4_000
        gone, came = changed_words(old, new)
        shown = {sign: " ".join(r.text for r in section.rows if r.sign == sign) for sign in "-+"}
        assert [word for word in gone if word not in shown["-"]] == []
        assert [word for word in came if word not in shown["+"]] == []


def test_the_long_edits_of_the_whole_page_show_their_words(files: list[dict[str, Any]]) -> None:
    """Beside all the other changes of the file, in the room of one file."""
    for file in files:
        old, new = sides(file["hunks"])
        path = file["path"]
        diff = version_diff({path: old.encode()}, {path: new.encode()}, format=ALL)
        (section,) = assert_holds(diff, Limits()).sections
        assert_rows_are_lines(section, old, new)
        shown = {sign: " ".join(r.text for r in section.rows if r.sign == sign) for sign in "-+"}
        for before, after in long_edits(file["hunks"]):
            if len(before) < 10_000:
                continue
            gone, came = changed_words(before, after)
            assert [word for word in gone if word not in shown["-"]] == []
            assert [word for word in came if word not in shown["+"]] == []


def test_the_whole_page_keeps_to_both_limits(files: list[dict[str, Any]]) -> None:
    pairs = {file["path"]: sides(file["hunks"]) for file in files}
    old, new = ({path: texts[side].encode() for path, texts in pairs.items()} for side in (0, 1))
    for limits in (Limits(), Limits(file=1_000, total=2_500), Limits(file=300, total=900)):
        parsed = assert_holds(version_diff(old, new, format=ALL, limits=limits), limits)
        assert len(parsed.sections) == len(pairs)
