"""Input made to hurt: it ends in a stated time, and both limits hold.

The times are generous, as machines are shared; what would go wrong takes minutes or for ever.
"""

from __future__ import annotations

import random
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from version_diffs.parsing import assert_holds
from versiondiff import Compared, Limits, VersionDiff, version_diff
from versiondiff.formats import FolderNodes, Format

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ALL = Format(
    name="all", nodes=FolderNodes(folder="nodes/{id}", marker="node.json"), visible=("**",)
)
SECONDS = 10.0
"""For each of them; the slowest takes some two on a slow core."""

Texts = tuple[bytes, bytes]


@contextmanager
def in_time(seconds: float = SECONDS) -> Iterator[None]:
    start = time.process_time()
    yield
    taken = time.process_time() - start
    assert taken < seconds, f"took {taken:.1f} s of {seconds} s"


def check(
    old: bytes | None, new: bytes, *, path: str = "a.py", limits: Limits | None = None
) -> VersionDiff:
    limits = limits or Limits()
    with in_time():
        diff = version_diff(
            {} if old is None else {path: old}, {path: new}, format=ALL, limits=limits
        )
    assert_holds(diff, limits)
    assert len(diff.files) == 1
    return diff


# ── Lines ───────────────────────────────────────────────────────────────────────────────────────


def two_symbols(dice: random.Random) -> Texts:
    old, new = (b"".join(dice.choices([b"a\n", b"b\n"], k=100_000)) for _ in range(2))
    return old, new


def alternating(_: random.Random) -> Texts:
    return (
        b"".join(b"same %d\nold %d\n" % (n, n) for n in range(60_000)),
        b"".join(b"same %d\nnew %d\n" % (n, n) for n in range(60_000)),
    )


def permuted(dice: random.Random) -> Texts:
    lines = [b"line %d\n" % n for n in range(60_000)]
    return b"".join(lines), b"".join(dice.sample(lines, len(lines)))


def reversed_lines(_: random.Random) -> Texts:
    lines = [b"line %d\n" % n for n in range(60_000)]
    return b"".join(lines), b"".join(lines[::-1])


def one_long_line(dice: random.Random) -> Texts:
    line = b"word " * 4_000_000
    at = dice.randrange(len(line))
    return line, line[:at] + b"EDIT" + line[at:]


def one_long_line_rewritten(dice: random.Random) -> Texts:
    old, new = (dice.randbytes(1_500_000).hex().encode() for _ in range(2))
    return old, new


def a_long_line_of_joiners(_: random.Random) -> Texts:
    return ("a" + "\u0301" * 500_000).encode(), ("b" + "\u200d\u0301" * 300_000).encode()


def many_empty_lines(_: random.Random) -> Texts:
    return b"\n" * 1_000_000, b"\n" * 999_999 + b"x"


def many_returns(_: random.Random) -> Texts:
    return b"\r" * 500_000, b"\r\n" * 250_000


@pytest.mark.parametrize(
    "make",
    [
        two_symbols, alternating, permuted, reversed_lines, one_long_line, one_long_line_rewritten,
        a_long_line_of_joiners, many_empty_lines, many_returns,
    ],
)  # fmt: skip
def test_lines_made_to_hurt(make: Callable[[random.Random], Texts]) -> None:
    old, new = make(random.Random(3))
    diff = check(old, new)
    assert diff.files[0].added + diff.files[0].removed > 0
    check(old, new, limits=Limits(file=250, total=500))


# ── Secrets that are none ───────────────────────────────────────────────────────────────────────

DASHES = "-" * 5


@pytest.mark.parametrize(
    "flood",
    [
        DASHES + "BEGIN", DASHES + "BEGIN PRIVATE" + " KEY" + DASHES,
        DASHES + "BEGIN PRIVATE" + " KEY\n", "postgres:" + "//a:", "postgres:" + "//a:b@",
        "sk-" + "a ", "sk-", "sk-ant-", "eyJ", "eyJ.", "password=", "host=x password=", "AKIA",
        "gh" + "p_", "\\u002d", "%2D", "\\", "\\\\n", "%25", ":AA", "0", "SK0", "Bearer ",
        "PRIVATE", "SECRET", "secret_key: ", "hooks.slack.com/services/", "\0", "a\0", "-",
        "\r\n", "{", '"', "[secret hidden]",
    ],
)  # fmt: skip
def test_floods_of_what_starts_a_secret(flood: str) -> None:
    text = (flood * (400_000 // len(flood))).encode()
    check(None, text)
    check(text, b"x" + text + b"x", path="a.json")


# ── JSON ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("opening", [b"[", b'{"a":', b'[{"":'])
def test_deep_json(opening: bytes) -> None:
    depth = 100_000 // len(opening)
    closing = opening[::-1].translate(bytes.maketrans(b"[{", b"]}"), delete=b'a":')
    diff = check(b"[]", opening * depth + b"1" + closing * depth, path="a.json")
    assert diff.files[0].compared in (Compared.TEXT, Compared.CANONICAL_JSON)
    check(b"[]", opening * depth, path="a.json")


def test_wide_json() -> None:
    old = b"[" + b",".join(b'"%d"' % n for n in range(150_000)) + b"]"
    new = b"{" + b",".join(b'"%d":%d' % (n, n) for n in range(150_000)) + b"}"
    check(old, new, path="a.json")


# ── Many files, long names ──────────────────────────────────────────────────────────────────────


def test_a_hundred_thousand_changed_files() -> None:
    old = {f"d{n % 97}/f{n}.py": b"a\n" for n in range(100_000)}
    new = dict.fromkeys(old, b"b\nc\n")
    with in_time(20):
        diff = version_diff(old, new, format=ALL)
    parsed = assert_holds(diff, Limits())
    assert parsed.closing is not None
    assert len(parsed.sections) + parsed.closing.bytes == 100_000


def test_huge_names() -> None:
    for name in (
        "n" * 200_000,
        "読" * 60_000,
        "d/" * 2_000 + "x",
        '"\\\t' * 20_000,
        "\u202e" * 30_000,
    ):
        for limits in (Limits(), Limits(file=100, total=200), Limits(file=1 << 20, total=1 << 21)):
            check(None, b"x\n", path=name, limits=limits)
    with in_time():
        diff = version_diff({}, {f"{'n' * 5_000}{n}": b"x\n" for n in range(300)}, format=ALL)
    assert_holds(diff, Limits())
