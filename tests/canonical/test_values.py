"""Canonical JSON of Python's own values."""

from __future__ import annotations

import dataclasses
import enum
import json
from decimal import Decimal
from typing import Any

import msgspec
import pytest

from versiondiff import InvalidInput, InvalidJson, LimitExceeded, canonical_json, is_canonical


class Colour(enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    HIGH = 3


class Point(msgspec.Struct):
    y: float
    x: int


@dataclasses.dataclass
class Named:
    name: str
    point: Point
    price: Decimal


class Text(str):
    __slots__ = ()

    def __str__(self) -> str:
        raise AssertionError

    def __lt__(self, other: object) -> bool:
        raise AssertionError


class Mapping(dict[str, Any]):
    def __iter__(self) -> Any:
        raise AssertionError

    def items(self) -> Any:
        raise AssertionError


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ({"b": (1, 2.5), "a": [None, True, False]}, '{"a":[null,true,false],"b":[1,2.5]}'),
        ('é\n\x1f"\\\ud800', '"é\\n\\u001f\\"\\\\\\ud800"'),
        ("\ud83d\ude00", '"😀"'),
        ({"\ue000": 1, "😀": 2, "\ud800": 3}, '{"\\ud800":3,"😀":2,"\ue000":1}'),
        ([10**400, -(10**22), 2**64 - 1, -5], "[1e400,-1e+22,18446744073709551615,-5]"),
        ([1e21, 1e-7, 0.1, -0.0, 5e-324, 1e16], "[1e+21,1e-7,0.1,0,5e-324,10000000000000000]"),
        ([Decimal("1.50"), Decimal("-0"), Decimal("1E+400")], "[1.5,0,1e400]"),
        ([Colour.RED, Level.HIGH], '["red",3]'),
        (
            Named("n", Point(1.0, 2), Decimal("0.10")),
            '{"name":"n","point":{"x":2,"y":1},"price":0.1}',
        ),
        ({Text("b"): Text("c"), "a": Mapping(x=1)}, '{"a":{"x":1},"b":"c"}'),
        ({}, "{}"),
        ([[], {}, ()], "[[],{},[]]"),
        ("x" * 100 + '"', '"' + "x" * 100 + '\\""'),
    ],
)
def test_what_is_written(value: object, written: str) -> None:
    assert canonical_json(value) == canonical_json(written.encode())


@pytest.mark.parametrize(
    ("value", "pointer", "rule"),
    [
        ({"a": [0, {1: 2}]}, "/a/1", "a key that is no string"),
        ({"a": [float("nan")]}, "/a/0", "NaN and Infinity are no JSON"),
        ([Decimal("-Infinity")], "/0", "NaN and Infinity are no JSON"),
        ([Decimal("sNaN123")], "/0", "NaN and Infinity are no JSON"),
        ({"x": {1, 2}}, "/x", "a value of a type that JSON has not"),
        ({"x": b"bytes"}, "/x", "a value of a type that JSON has not"),
        ([{"\ud83d\ude00": 1, "😀": 2}], "/0", "two keys that are the same name"),
    ],
)
def test_what_is_refused(value: object, pointer: str, rule: str) -> None:
    with pytest.raises(InvalidJson) as raised:
        canonical_json(value)
    assert (raised.value.pointer, raised.value.rule) == (pointer, rule)
    assert (raised.value.line, raised.value.column) == (0, 0)


def test_jcs_refuses_what_no_double_holds() -> None:
    assert canonical_json([2**53 + 1, Decimal("0.1")], profile="jcs") == b"[9007199254740992,0.1]"
    with pytest.raises(InvalidJson, match="no double"):
        canonical_json([10**400], profile="jcs")
    for value in ("\ud800", {"\ud800": 1}):
        with pytest.raises(InvalidJson, match="surrogates"):
            canonical_json(value, profile="jcs")


def test_values_that_hold_themselves_end_at_the_limit() -> None:
    values: list[object] = []
    values.append(values)
    with pytest.raises(LimitExceeded, match="nested deeper than 1,000"):
        canonical_json(values)
    mapping: dict[str, object] = {}
    mapping["a"] = [mapping]
    with pytest.raises(LimitExceeded, match="nested deeper than 50"):
        canonical_json(mapping, max_depth=50)
    deep: object = 1
    for _ in range(100_000):
        deep = [deep]
    assert canonical_json(deep, profile="jcs", max_depth=100_000).startswith(b"[[[")
    with pytest.raises(LimitExceeded):
        canonical_json(deep, max_depth=100_000)
    while isinstance(deep, list):  # taken apart, so that nothing recurses to free it
        deep = deep.pop()


def test_texts_and_their_values_are_written_alike() -> None:
    text = (
        b'{"b":[1.0,1e400,0.10000000000000000000001,12345678901234567890123],"a":"\\ud800\\u00e9"}'
    )
    value = json.loads(text, parse_float=Decimal)
    assert canonical_json(value) == canonical_json(text)


@pytest.mark.parametrize("data", ["{}\n", 5, None, {}, [1]])
def test_only_bytes_are_asked_whether_they_are_canonical(data: Any) -> None:
    with pytest.raises(InvalidInput, match="bytes"):
        is_canonical(data)
