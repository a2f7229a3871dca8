"""RFC 8785: its example, its order, and its file of numbers.

The file has a hundred million lines. How its numbers are made is published, with the hash of the
file's beginning, so it is made here: https://github.com/cyberphone/json-canonicalization,
testdata.
"""

from __future__ import annotations

import hashlib
import math
import struct
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from versiondiff import InvalidJson, canonical_json

if TYPE_CHECKING:
    from collections.abc import Iterator

FIRST = Path(__file__).with_name("numbers.txt").read_text(encoding="ascii").split()
HASHES = {
    1_000: "be18b62b6f69cdab33a7e0dae0d9cfa869fda80ddc712221570f9f40a5878687",
    10_000: "b9f7a8e75ef22a835685a52ccba7f7d6bdc99e34b010992cbc5864cd12be6892",
    100_000: "22776e6d4b49fa294a0d0f349268e5c28808fe7e0cb2bcbe28f63894e494d4c7",
    1_000_000: "49415fee2c56c77864931bd3624faad425c3c577d6d74e89a83bc725506dad16",
}


def bits(count: int) -> Iterator[int]:
    """The first doubles of the file: chosen ones, some in a row, and then each 8 bytes of hashes of
    hashes that are a number, but zero."""
    yield from (int(number, 16) for number in FIRST)
    yield from (0x0010_0000_0000_0000 + step for step in range(2_000))
    block = bytes(32)
    left = count - len(FIRST) - 2_000
    while left > 0:
        block = hashlib.sha256(block).digest()
        for (number,) in struct.iter_unpack("<Q", block):
            (double,) = struct.unpack("<d", struct.pack("<Q", number))
            if double != 0 and math.isfinite(double):
                yield number
                left -= 1


def test_the_file_of_numbers() -> None:
    numbers = [number for number, _ in zip(bits(1_000_000), range(1_000_000), strict=False)]
    doubles = list(struct.unpack(f"<{len(numbers)}d", struct.pack(f"<{len(numbers)}Q", *numbers)))
    written = canonical_json(doubles, profile="jcs")
    lines = [
        b"%x,%s\n" % (number, form)
        for number, form in zip(numbers, written[1:-1].split(b","), strict=True)
    ]
    for count, expected in HASHES.items():
        assert hashlib.sha256(b"".join(lines[:count])).hexdigest() == expected, count
    # From a text, spelled with more digits than a double needs, it is the same.
    spelled = "[" + ",".join(f"{double:.17e}" for double in doubles[:100_000]) + "]"
    assert canonical_json(spelled.encode(), profile="jcs") == canonical_json(
        doubles[:100_000], profile="jcs"
    )


def test_the_example() -> None:
    # Section 3.2.2 and 3.2.3.
    text = rb"""{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }"""
    expected = (
        '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
    )
    assert canonical_json(text, profile="jcs") == expected.encode()


def test_the_order() -> None:
    text = (
        rb'{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh",'
        rb'"1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control",'
        rb'"\u00f6":"Latin Small Letter O With Diaeresis"}'
    )
    written = canonical_json(text, profile="jcs").decode()
    order = ["Carriage", "One", "Control", "Latin", "Euro", "Emoji", "Hebrew"]
    assert sorted(order, key=written.index) == order


@pytest.mark.parametrize("text", [b"1e400", b"-1e309", b'"\\ud800"', b'["\\ude00\\ud83d"]', b"NaN"])
def test_what_is_refused(text: bytes) -> None:
    with pytest.raises(InvalidJson):
        canonical_json(text, profile="jcs")
