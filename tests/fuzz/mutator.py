"""Inputs made from good ones: bytes, JSON, headers of archives, folders of files.

All of it draws from the dice that it is given, so that a case is made again from its number.
"""

from __future__ import annotations

import json
import struct
import zlib
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Sequence

__all__ = ["Files", "Mutation", "as_it_is", "in_bytes", "in_files", "in_json", "in_tar", "in_zip"]

Files: TypeAlias = dict[str, bytes]
"""Contents by path."""

Mutation: TypeAlias = "Callable[[random.Random, Sequence[bytes], Sequence[bytes]], bytes]"
"""An input from the dice, the good inputs, and words that the form knows."""

LARGEST: Final = 1 << 16
"""In bytes: cases are many and small. What only a large input breaks has tests of its own."""

_EDGES: Final = (0, 1, 2, 7, 8, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFF_FFFF, 0x8000_0000,
                 0xFFFF_FFFF, 0x7FFF_FFFF_FFFF_FFFF, 0x8000_0000_0000_0000,
                 0xFFFF_FFFF_FFFF_FFFF)  # fmt: skip
_NUMBERS: Final = (b"0", b"-1", b"1", b"-0", b"255", b"2147483648", b"4294967296",
                   b"9223372036854775808", b"18446744073709551616", b"1e400", b"-1e-400", b"1E+5",
                   b"0.1", b"9" * 30, b"1" * 5_000)  # fmt: skip
_LETTERS: Final = (b"\0", b"\n", b"\r\n", b"\t", b"\x1b[31m", b"\x7f", b"\x80", b"\xff",
                   b"\xef\xbb\xbf", b"\xc2\x85", b"\xe2\x80\xa8", b"\xe2\x80\xae", b"\xed\xa0\x80",
                   b"\xf0\x9f\x98\x80", b"\xcc\x81", b"/", b"\\", b"..", b"'", b'"')  # fmt: skip


# ── Bytes ───────────────────────────────────────────────────────────────────────────────────────


def as_it_is(dice: random.Random, seeds: Sequence[bytes], _words: Sequence[bytes]) -> bytes:
    """One of the good inputs."""
    return dice.choice(seeds)


def in_bytes(dice: random.Random, seeds: Sequence[bytes], words: Sequence[bytes]) -> bytes:
    """Some changes, wherever they fall."""
    data = bytearray(dice.choice(seeds))
    for _ in range(dice.choice((1, 1, 1, 2, 3, 5, 12))):
        _change(dice, data, seeds, words)
    return bytes(data[:LARGEST])


def _change(
    dice: random.Random, data: bytearray, seeds: Sequence[bytes], words: Sequence[bytes]
) -> None:
    at = dice.randrange(len(data) + 1)
    end = min(len(data), at + dice.choice((1, 1, 2, 4, 8, 32, 512)))
    match dice.randrange(13):
        case 0 | 1 if at < len(data):
            data[at] ^= 1 << dice.randrange(8)
        case 2:
            data[at:end] = dice.randbytes(end - at)
        case 3:
            width = dice.choice((1, 2, 4, 8))
            number = dice.choice(_EDGES) + dice.choice((-1, 0, 0, 1)) & (1 << 8 * width) - 1
            data[at : at + width] = number.to_bytes(width, dice.choice(("big", "little")))
        case 4:
            del data[at:end]
        case 5:
            piece = data[at:end]
            data[at:at] = piece * dice.choice((1, 1, 2, 40, 1_000))
        case 6:
            piece = data[at:end]
            del data[at:end]
            to = dice.randrange(len(data) + 1)
            data[to:to] = piece
        case 7:
            del data[at:]
        case 8:
            other = dice.choice(seeds)
            start = dice.randrange(len(other) + 1)
            data[at : at + dice.choice((0, 0, end - at, len(data)))] = other[
                start : start + dice.choice((4, 64, len(other)))
            ]
        case 9:
            data[at : at + dice.choice((0, 1, end - at))] = dice.choice(_LETTERS)
        case 10:
            _change_number(dice, data, at)
        case _:
            words = words or _LETTERS
            data[at : at + dice.choice((0, 0, end - at))] = dice.choice(words)


def _change_number(dice: random.Random, data: bytearray, at: int) -> None:
    """Another number in the place of the next one."""
    digits = b"0123456789"
    while at < len(data) and data[at] not in digits:
        at += 1
    end = at
    while end < len(data) and data[end] in digits:
        end += 1
    data[at:end] = dice.choice(_NUMBERS)


# ── JSON ────────────────────────────────────────────────────────────────────────────────────────

_VALUES: Final[tuple[Any, ...]] = (
    None, True, False, 0, -1, 1, 1.5, -0.0, 1e308, 2**53, 2**63, 2**64, 10**30, "", "x", "\0",
    "\x1b[2J", "\n", "\u202e", "\ud800", "😀", "a" * 300, "../x", "/", "0" * 40, [], {}, [[]],
    {"": None}, {"a": {"b": [1, {"c": "d"}]}}, [1, "a", None],
)  # fmt: skip


def in_json(dice: random.Random, seeds: Sequence[bytes], words: Sequence[bytes]) -> bytes:
    """Other values, keys and orders; now and then bytes, or white space, or great depth."""
    if dice.random() < 0.25:
        return in_bytes(dice, seeds, words)
    try:
        value = json.loads(dice.choice(seeds))
    except (ValueError, RecursionError):
        return in_bytes(dice, seeds, words)
    places = list(_places(value))
    texts = [word.decode(errors="surrogateescape") for word in words]
    for _ in range(dice.choice((1, 1, 2, 4))):
        if not places:
            break
        holder, key = dice.choice(places)
        _change_value(dice, holder, key, texts, places)
    text = json.dumps(
        value,
        ensure_ascii=dice.random() < 0.7,
        indent=dice.choice((None, None, 2)),
        sort_keys=dice.random() < 0.2,
    ).encode("utf-8", "surrogatepass")
    if dice.random() < 0.03:
        depth = dice.choice((100, 201, 999, 1_001, 20_000))
        left, right = dice.choice(((b"[", b"]"), (b'{"a":', b"}")))
        text = left * depth + text[: 1 << 12] + right * dice.choice((depth, depth, depth - 1))
    return text


def _places(value: Any) -> Any:
    """Every container and key of a value, so that what stands there can be replaced."""
    todo = [value]
    while todo:
        one = todo.pop()
        if isinstance(one, dict):
            for key, inner in one.items():
                yield one, key
                todo.append(inner)
        elif isinstance(one, list):
            for at, inner in enumerate(one):
                yield one, at
                todo.append(inner)


def _change_value(
    dice: random.Random, holder: Any, key: Any, texts: list[str], places: list[tuple[Any, Any]]
) -> None:
    if (isinstance(holder, list) and key >= len(holder)) or (
        isinstance(holder, dict) and key not in holder
    ):
        return
    other, other_key = dice.choice(places)
    match dice.randrange(9):
        case 0:
            del holder[key]
        case 1 | 2:
            holder[key] = dice.choice(_VALUES)
        case 3 if texts:
            holder[key] = dice.choice(texts)
        case 4 if isinstance(holder[key], str):
            text = holder[key]
            at = dice.randrange(len(text) + 1)
            piece = dice.choice((*texts, "\n", "\0", '"', "\\", "/", "é", "\ud83d", " ", "~", "*"))
            holder[key] = text[:at] + piece + text[at + dice.choice((0, 1, 5)) :]
        case 5 if isinstance(holder[key], list):
            holder[key] = holder[key] * dice.choice((0, 2, 3, 20))
        case 6 if isinstance(holder, dict):
            name = dice.choice((*texts, "", "x", "id", "name", f"{key}2", "\n"))
            holder[name] = holder.pop(key)
        case 7:
            holder[key] = [holder[key]] if dice.random() < 0.5 else {str(key): holder[key]}
        case _:
            # The very value of another place, copied: nothing may hold itself.
            there = isinstance(other, list) and other_key < len(other)
            if there or (isinstance(other, dict) and other_key in other):
                holder[key] = json.loads(json.dumps(other[other_key]))


# ── Archives ────────────────────────────────────────────────────────────────────────────────────

_BLOCK: Final = 512
_TAR_FIELDS: Final = ((0, 100), (100, 8), (108, 8), (124, 12), (136, 12), (156, 1), (157, 100),
                      (257, 8), (329, 8), (345, 155))  # fmt: skip
_TAR_VALUES: Final = (b"", b"0", b"7" * 11, b"\x80" + bytes(11), b"\xff" * 12, b"-1", b"0000644 ",
                      b"a/../b", b"/etc/x", b"..", b"x", b"L", b"K", b"g", b"S", b"1", b"2", b"5",
                      b"\x80\x7f" + b"\xff" * 10, b"12 34", b"\xff", b"\n", b"ustar\x0000",
                      b"ustar  \0", b"n" * 100)  # fmt: skip


def in_tar(dice: random.Random, seeds: Sequence[bytes], words: Sequence[bytes]) -> bytes:
    """Fields of headers, with the right checksum: a wrong one would turn most away."""
    data = bytearray(dice.choice(seeds))
    for _ in range(dice.choice((1, 1, 2, 4))):
        blocks = [
            at
            for at in range(0, len(data) - _BLOCK + 1, _BLOCK)
            if data[at + 257 : at + 262] == b"ustar"
        ]
        if not blocks:
            return in_bytes(dice, seeds, words)
        at = dice.choice(blocks)
        match dice.randrange(8):
            case 0:
                other = dice.choice(blocks)
                size = _BLOCK * dice.choice((1, 2, 3))
                data[at:at] = data[other : other + size]
            case 1:
                del data[at : at + _BLOCK * dice.choice((1, 1, 2))]
            case 2:
                # What an extended header says: lengths, keys, values.
                body = bytearray(data[at + _BLOCK : at + 2 * _BLOCK])
                _change(dice, body, [bytes(body)], words)
                data[at + _BLOCK : at + 2 * _BLOCK] = bytes(body[:_BLOCK]).ljust(_BLOCK, b"\0")
            case 3:
                spot = at + dice.randrange(_BLOCK)
                data[spot] = dice.choice(b"\0\x80\xff0127 /.xgLKS5")
            case _:
                start, width = dice.choice(_TAR_FIELDS)
                value = dice.choice((*_TAR_VALUES, *words))[:width]
                if dice.random() < 0.7:
                    value = value.ljust(width, b"\0")
                data[at + start : at + start + len(value)] = value
        if len(data) >= at + _BLOCK:
            data[at + 148 : at + 156] = b" " * 8
            data[at + 148 : at + 156] = b"%06o\0 " % sum(data[at : at + _BLOCK])
    return bytes(data[: 4 * LARGEST])


_ZIP_FIELDS: Final = {
    b"PK\x03\x04": (30, ((4, 2), (6, 2), (8, 2), (14, 4), (18, 4), (22, 4), (26, 2), (28, 2))),
    b"PK\x01\x02": (46, ((4, 2), (8, 2), (10, 2), (16, 4), (20, 4), (24, 4), (28, 2), (30, 2),
    (32, 2),
                         (38, 4), (42, 4))),
    b"PK\x05\x06": (22, ((4, 2), (8, 2), (10, 2), (12, 4), (16, 4), (20, 2))),
}  # fmt: skip
"""How long each kind of record is, and where in it the numbers are."""


def in_zip(dice: random.Random, seeds: Sequence[bytes], words: Sequence[bytes]) -> bytes:
    """Fields of records, and names."""
    data = bytearray(dice.choice(seeds))
    records = [
        (at, kind) for kind in _ZIP_FIELDS for at in _all(data, kind) if at + 22 <= len(data)
    ]
    if not records:
        return in_bytes(dice, seeds, words)
    for _ in range(dice.choice((1, 1, 2, 3))):
        at, kind = dice.choice(records)
        length, fields = _ZIP_FIELDS[kind]
        if dice.random() < 0.15:
            piece = dice.choice((*words, b"../a", b"/a", b"a\0b", b"\xff", b"a\\b", b"A"))
            data[at + length : at + length + len(piece)] = piece
            continue
        place, width = dice.choice(fields)
        if at + place + width > len(data):
            continue
        now = int.from_bytes(data[at + place : at + place + width], "little")
        number = dice.choice(
            (now + 1, now - 1, now ^ 1 << dice.randrange(8 * width), dice.choice(_EDGES), len(data),
             len(data) - at, at, 8, 12, 14, 93, 1, 9)
        )  # fmt: skip
        data[at + place : at + place + width] = (number & (1 << 8 * width) - 1).to_bytes(
            width, "little"
        )
    return bytes(data)


def _all(data: bytes | bytearray, what: bytes) -> list[int]:
    found = []
    at = data.find(what)
    while at >= 0:
        found.append(at)
        at = data.find(what, at + 1)
    return found


# ── Folders ─────────────────────────────────────────────────────────────────────────────────────

_NAMES: Final = ("a", "A", "a/b", "a/b/c", "../a", "/a", "a//b", "a/", "", ".", ".git/x", "a\0b",
                 "a\nb", "\udcff", "\ud800", "é", "e\u0301", "x" * 300, "a/" * 40 + "b", "\u202e",
                 "CON",
                 "a\\b", "package.json", "PKG-INFO", "uv.lock", "x.min.js",
                 "flow.json")  # fmt: skip


def in_files(
    dice: random.Random, files: Files, words: Sequence[bytes], mutation: Mutation = in_json
) -> Files:
    """A folder with contents changed, and files moved, doubled, taken away, put in."""
    made = dict(files)
    for _ in range(dice.choice((1, 1, 2, 3, 6))):
        path = dice.choice(sorted(made)) if made else ""
        match dice.randrange(10):
            case 0:
                made.pop(path, None)
            case 1:
                made[dice.choice(_NAMES)] = made.get(path, b"x")
            case 2 if path:
                other = dice.choice(sorted(made))
                made[path], made[other] = made[other], made[path]
            case 3 if path:
                folder = path.rpartition("/")[0]
                made[f"{folder}/{dice.choice(_NAMES)}"] = made.pop(path)
            case _ if path:
                how = mutation if path.endswith("json") else in_bytes
                made[path] = how(dice, [made[path]], words)
            case _:
                made["x"] = b"x"
    return made


def deflated(data: bytes) -> bytes:
    """As git keeps an object."""
    return zlib.compress(data, 1)


def with_trailer(data: bytes, digest: Callable[[bytes], bytes]) -> bytes:
    """Data whose last twenty bytes are the digest of all before."""
    body = data[:-20]
    return body + digest(body)


def object_header(kind: bytes, content: bytes) -> bytes:
    """How an object begins where it is loose."""
    return b"%s %d\0" % (kind, len(content))


def packed(number: int) -> bytes:
    """A number of four bytes, the high one first."""
    return struct.pack(">I", number & 0xFFFF_FFFF)
