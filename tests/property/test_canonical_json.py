"""Properties of canonical JSON, over generated values and texts."""

from __future__ import annotations

import json
import random
import shutil
import struct
import subprocess
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from versiondiff import InvalidJson, LimitExceeded, canonical_json, is_canonical

LETTERS = 'ab"\\/\n\x1f\x7f\ue000😀\ud800\udc00é'
NODE = shutil.which("node")


def joined(text: str) -> str:
    """The string as JavaScript has it: two halves of a pair are the pair."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


NUMBERS = (
    st.integers()
    | st.integers(-(10**40), 10**40)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**30), max_value=10**30)
)
STRINGS = (st.text() | st.text(LETTERS)).map(joined)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | STRINGS,
    lambda inner: st.lists(inner) | st.dictionaries(STRINGS, inner),
    max_leaves=30,
)


def exact(value: Any) -> Any:
    """The value with all numbers as exact decimals, and a float as its shortest one."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, dict):
        return {key: exact(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [exact(inner) for inner in value]
    return Decimal(repr(value)) if isinstance(value, float) else Decimal(value)


def loads(text: bytes) -> Any:
    return json.loads(text, parse_float=Decimal, parse_int=Decimal)


@given(VALUES)
@settings(max_examples=300, deadline=None)
def test_nothing_is_lost_and_there_is_one_form(value: Any) -> None:
    written = canonical_json(value)
    assert loads(written) == exact(value)
    assert canonical_json(written) is written
    assert is_canonical(written)
    # In other orders and spellings it is the same.
    for spelled in (
        json.dumps(loads_plain(written), indent=3),
        json.dumps(loads_plain(written), ensure_ascii=False, separators=(",", ":"))
        .encode("utf-8", "backslashreplace")
        .decode(),
    ):
        again = canonical_json(spelled.encode())
        assert again == canonical_json(loads_plain(written))
    assert canonical_json(json.loads(written, parse_float=Decimal)) == written


class Text(str):
    __slots__ = ()


# As lists and dicts are, and what only some ways of walking over values have an answer to.
MIXED = st.recursive(
    st.none()
    | st.booleans()
    | NUMBERS
    | st.floats()
    | st.text(LETTERS)
    | st.builds(Text)
    | st.binary(),
    lambda inner: (
        st.lists(inner)
        | st.lists(inner).map(tuple)
        | st.dictionaries(st.text(LETTERS) | st.builds(Text, st.text(LETTERS)), inner)
        | st.dictionaries(st.integers() | st.text(), inner, max_size=2)
        | inner.map(lambda shared: {"a": shared, "b": [shared, (shared,)]})
    ),
    max_leaves=20,
)


def outcome(value: object, **options: Any) -> bytes | tuple[type[Exception], str]:
    try:
        return canonical_json(value, **options)
    except (InvalidJson, LimitExceeded) as error:
        return type(error), str(error)


@given(VALUES | MIXED, st.sampled_from(["canonical", "jcs"]), st.integers(0, 6))
@settings(max_examples=500, deadline=None)
def test_both_walks_write_the_same(value: Any, profile: str, max_depth: int) -> None:
    """A decimal is none of the plain values, over which there is a quicker walk."""
    for options in ({"profile": profile}, {"profile": profile, "max_depth": max_depth}):
        quick = outcome([0, value], **options)
        assert quick == outcome([Decimal(0), value], **options)


@pytest.mark.parametrize("depth", [1, 2, 98, 99, 100, 101, 102, 998, 999])
@pytest.mark.parametrize("kind", [list, tuple, dict])
def test_both_walks_go_as_deep(depth: int, kind: type) -> None:
    def nested(value: object) -> object:
        for _ in range(depth):
            value = {"a": value} if kind is dict else kind([value])
        return value

    ends: list[object] = [[], {}, (), "text"]
    for innermost in ends:
        for max_depth in (depth - 1, depth, depth + 1, 1_000):
            quick = outcome(nested([0, innermost]), max_depth=max_depth)
            assert quick == outcome(nested([Decimal(0), innermost]), max_depth=max_depth)


def test_strings_of_all_lengths_and_with_an_escape_at_each_place() -> None:
    for length in range(70):
        for letter in ("x", "é", "あ", "😀"):
            plain = letter * length
            assert canonical_json(plain) == f'"{plain}"\n'.encode()
            for at in range(length):
                text = plain[:at] + "\n" + plain[at + 1 :]
                written = f'"{plain[:at]}\\n{plain[at + 1 :]}"\n'.encode()
                assert canonical_json(text) == canonical_json({"": text})[8:-3] + b"\n" == written


def test_names_with_the_same_start_are_in_order() -> None:
    chance = random.Random(3)
    letters = "a\x00\x7f\x80é\ud7ff\ue000\uffff😀"
    for _ in range(300):
        start = "".join(chance.choices(letters, k=chance.randrange(10)))
        names = [start + "".join(chance.choices(letters, k=chance.randrange(4))) for _ in range(9)]
        value = dict.fromkeys(names, 0)
        ordered = sorted(value, key=lambda name: name.encode("utf-16-be"))
        assert list(json.loads(canonical_json([0, value]))[1]) == ordered
        assert list(json.loads(canonical_json([Decimal(0), value]))[1]) == ordered


def loads_plain(text: bytes) -> Any:
    """The value, its members in reverse; numbers that are no double are doubles."""
    return json.loads(
        text, parse_float=near, parse_int=near, object_pairs_hook=lambda pairs: dict(pairs[::-1])
    )


def near(number: str) -> float:
    return min(max(float(number), -1e308), 1e308)


def random_value(chance: random.Random, depth: int = 0) -> Any:
    kind = chance.randrange(7 if depth < 4 else 5)
    match kind:
        case 0:
            return struct.unpack("<d", struct.pack("<q", chance.getrandbits(62)))[0]
        case 1:
            return chance.choice([0.0, 1e21, 1e-7, 123456789012345680000.0, 0.1, 1e16, 5e-324])
        case 2:
            return chance.choice([None, True, False])
        case 3 | 4:
            return random_name(chance)
        case 5:
            return [random_value(chance, depth + 1) for _ in range(chance.randrange(5))]
        case _:
            return {
                random_name(chance): random_value(chance, depth + 1)
                for _ in range(chance.randrange(12))
            }


def random_name(chance: random.Random) -> str:
    return joined("".join(chance.choices(LETTERS + "xyz", k=chance.randrange(20))))


SCRIPT = """
const sorted = (value) => Array.isArray(value) ? value.map(sorted)
  : value !== null && typeof value === 'object'
  ? { entries: Object.keys(value).sort().map((key) => [key, sorted(value[key])]) } : value
// Objects would put names that are indices first, so the text is put together here.
const text = (value, indent) => {
  if (Array.isArray(value)) {
    if (!value.length) return '[]'
    return '[\\n' + value.map((one) => indent + '  ' + text(one, indent + '  ')).join(',\\n')
      + '\\n' + indent + ']'
  }
  if (value !== null && typeof value === 'object') {
    if (!value.entries.length) return '{}'
    return '{\\n' + value.entries.map(([key, one]) => indent + '  ' + JSON.stringify(key) + ': '
      + text(one, indent + '  ')).join(',\\n') + '\\n' + indent + '}'
  }
  return JSON.stringify(value)
}
const given = JSON.parse(require('fs').readFileSync(0, 'utf8'))
process.stdout.write(given.map((one) => text(sorted(JSON.parse(one)), '') + '\\n').join('\\0'))
"""


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_as_javascript_writes_it() -> None:
    chance = random.Random(8785)
    texts = [json.dumps(random_value(chance)) for _ in range(2_000)]
    ran = subprocess.run(
        [str(NODE), "-e", SCRIPT], input=json.dumps(texts).encode(), capture_output=True, check=True
    )
    expected = ran.stdout.split(b"\0")
    assert len(expected) == len(texts)
    for text, form in zip(texts, expected, strict=True):
        assert canonical_json(text.encode()) == form, text
        assert canonical_json(json.loads(text)) == form, text


def test_changed_bytes_never_crash() -> None:
    chance = random.Random(1)
    read = 0
    for _ in range(4_000):
        text = bytearray(
            json.dumps(random_value(chance), ensure_ascii=chance.random() < 0.5).encode(
                "utf-8", "backslashreplace"
            )
        )
        for _ in range(chance.randrange(1, 4)):
            at = chance.randrange(len(text) + 1)
            match chance.randrange(3):
                case 0:
                    text[at:at] = chance.choice(b'{}[]",:\\u0123e-.\xff\xed\x80 \n').to_bytes()
                case 1:
                    del text[at : at + chance.randrange(1, 9)]
                case _:
                    text[at : at + 1] = chance.randbytes(1)
        forms = set()
        for nested in (b"", b"[" * 80):
            whole = nested + bytes(text) + nested.replace(b"[", b"]")
            for profile in ("canonical", "jcs"):
                try:
                    written = canonical_json(whole, profile=profile, duplicates="last")
                except (InvalidJson, LimitExceeded):
                    continue
                assert is_canonical(written, profile=profile)
                assert canonical_json(written, profile=profile) == written
                if profile == "jcs":
                    forms.add(written.strip(b"[]"))
                read += 1
        # Measured first or not, it is the same.
        assert len(forms) <= 1
    assert read > 1_000
