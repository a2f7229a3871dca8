"""Package diffs that are handed over in parts, and bodies that stand beside the JSON."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import msgspec
import pytest

from packages.test_package_text import NEW, OLD
from packages.trees import changed, tree
from versiondiff import InvalidInput
from versiondiff.packages import (
    PackageDiff,
    package_diff,
    package_diff_json,
    render_package,
    write_package,
)

if TYPE_CHECKING:
    from versiondiff.snapshots import Files
    from versiondiff.wording import Language


def written(old: Files, new: Files, *, language: Language = "en") -> str:
    parts: list[bytes] = []
    write_package(old, new, parts.append, language=language, name="demo")
    return b"".join(parts).decode()


@pytest.mark.parametrize("seed", range(30))
def test_parts_are_the_rendered_text(seed: int) -> None:
    dice = random.Random(seed)
    old = tree(dice)
    new = changed(dice, old)
    assert written(old, new) == render_package(package_diff(old, new, name="demo")) + "\n"


@pytest.mark.parametrize("language", ["en", "ja"])
def test_parts_speak_both_languages(language: Language) -> None:
    diff = package_diff(OLD, NEW, name="demo")
    assert written(OLD, NEW, language=language) == render_package(diff, language=language) + "\n"


def test_what_deceives_is_made_visible_in_parts_too() -> None:
    old = {"a\n2. b": b"f(\x1b[2J)\nsame\r\n\tx\n"}
    new = {"a\n2. b": "f(\x1b[2J)\nsame\r\n\tx\x7f\u202e読み\u2028\xe9".encode() + b"\xff\x85\n\n"}
    text = written(old, new)
    assert text == render_package(package_diff(old, new, name="demo")) + "\n"
    assert "x^?<U+202E>読み<U+2028>é" in text
    assert "same^M\n" in text
    assert "\x1b" not in text


def test_whether_anything_differs_is_told() -> None:
    assert write_package({"a": b"1"}, {"a": b"2"}, lambda _: None)
    assert not write_package({"a": b"1"}, {"a": b"1"}, lambda _: None)


def test_what_is_raised_while_writing_ends_it() -> None:
    def refuse(_: bytes) -> None:
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        write_package(OLD, NEW, refuse)
    with pytest.raises(InvalidInput):
        write_package(OLD, NEW, lambda _: None, context=-1)
    with pytest.raises(InvalidInput):
        write_package(OLD, NEW, lambda _: None, language="xx")  # type: ignore[arg-type]


LINES = b"".join(b"%07d with some text \xe8\xaa\xad\n" % number for number in range(60_000))


@pytest.mark.parametrize("end", [b"", b"last", b"\xff\n"])
def test_large_bodies_are_those_of_the_json(end: bytes) -> None:
    """Hunks from a megabyte on, among small ones."""
    between = b"".join(b"same %d\n" % number for number in range(20))
    old: dict[str, bytes] = {
        "a": b"1\n" + between + LINES + between + b"2\n",
        "b": b"small\n",
        "c": LINES,
    }
    new = {
        "a": b"3\n" + between + LINES.replace(b"some", b"any") + between + b"4\n",
        "b": b"other\n",
        "d": b"0\n" + LINES.replace(b"text", b"words") + end,
    }
    diff = package_diff(old, new)
    parts, _ = package_diff_json(old, new)
    assert msgspec.json.decode(b"".join(parts), type=PackageDiff) == diff
    assert [len(hunk.body) > 1 << 20 for hunk in diff.files[0].hunks] == [False, True, False]
    assert all(hunk.body for file in diff.files for hunk in file.hunks)
    assert written(old, new) == "demo\n" + render_package(diff) + "\n"


def test_a_large_text_with_many_changes_is_compared_in_full() -> None:
    """As git does: with scattered changes it is not the search that grows, but what there is."""
    dice = random.Random(0)
    old = [b"%016x of line %d" % (dice.getrandbits(64), number) for number in range(400_000)]
    new = [b"new" if number % 40 == 0 else line for number, line in enumerate(old)]
    diff = package_diff({"a": b"\n".join(old)}, {"a": b"\n".join(new)}, hunks=False)
    assert (diff.added, diff.removed) == (10_000, 10_000)
    assert diff.files[0].content.value == "text"
