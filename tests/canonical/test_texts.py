"""Canonical JSON of texts: what is written, what is refused, and where it says it is."""

from __future__ import annotations

import pytest

from planted import github_token
from versiondiff import InvalidInput, InvalidJson, LimitExceeded, canonical_json, is_canonical

NESTED = b"""{
  "a": null,
  "b": [
    1,
    {
      "y": [],
      "z": {}
    }
  ]
}
"""


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        (b'{"b":[1,{"z":{},"y":[]}],"a":null}', NESTED),
        (b" 7 ", b"7\n"),
        (b'"\\u00e9\\/\\u0041\\u001F\\u007f\\"\\n"', '"é/A\\u001f\x7f\\"\\n"\n'.encode()),
        (b'"\\ud83d\\ude00\\uD800x\\uDE00"', '"😀\\ud800x\\ude00"\n'.encode()),
        (b'["\\b\\f\\u0008\\u000c\\u0000"]', b'[\n  "\\b\\f\\b\\f\\u0000"\n]\n'),
        (b" []", b"[]\n"),
        (b"{ }", b"{}\n"),
        (b"[[ ], { }]", b"[\n  [],\n  {}\n]\n"),
        (b"[true,false,null]", b"[\n  true,\n  false,\n  null\n]\n"),
    ],
)
def test_the_form(text: bytes, canonical: bytes) -> None:
    assert canonical_json(text) == canonical
    assert is_canonical(canonical)
    assert not is_canonical(text)
    assert canonical_json(canonical) is canonical


@pytest.mark.parametrize(
    ("number", "canonical"),
    [
        ("1.0", "1"),
        ("1e2", "100"),
        ("-0", "0"),
        ("-0.0e5", "0"),
        ("1E21", "1e+21"),
        ("123456789012345680000", "123456789012345680000"),
        ("0.000001", "0.000001"),
        ("0.0000001", "1e-7"),
        ("-1.50", "-1.5"),
        ("5e-324", "5e-324"),
        ("1.7976931348623157e308", "1.7976931348623157e+308"),
        ("18446744073709551615", "18446744073709551615"),
        ("9007199254740993", "9007199254740993"),
        ("1234567890123456789012345", "1234567890123456789012345"),
        ("0.1000000000000000055511151231", "0.1000000000000000055511151231"),
        ("1e400", "1e400"),
        ("1E+400", "1e400"),
        ("10e399", "1e400"),
        ("1e-400", "1e-400"),
        ("1.234567890123456789012345e24", "1234567890123456789012345"),
    ],
)
def test_numbers_lose_no_digit(number: str, canonical: str) -> None:
    # Alone, and where more text comes after it.
    assert canonical_json(number.encode()) == f"{canonical}\n".encode()
    many = f"[{number}, {' ' * 40}{number}, 0]".encode()
    assert canonical_json(many) == f"[\n  {canonical},\n  {canonical},\n  0\n]\n".encode()


def test_names_are_in_the_order_of_utf_16() -> None:
    names = [
        "€",
        "\r",
        "דּ",
        "1",
        "😀",
        "\x80",
        "ö",
        "",
        "a",
        "aa",
        "a\x00",
        "eight888",
        "eight8889",
    ]
    text = "{" + ",".join(f"{canonical_json(name)[:-1].decode()}:0" for name in names) + "}"
    written = canonical_json(text.encode()).decode()
    expected = sorted(names, key=lambda name: name.encode("utf-16-be"))
    found = [
        line.strip().removesuffix(",").removesuffix(": 0") for line in written.split("\n")[1:-2]
    ]
    assert found == [canonical_json(name)[:-1].decode() for name in expected]


@pytest.mark.parametrize(
    ("text", "place", "rule"),
    [
        (b"", (1, 1, ""), "the text ends where a value should be"),
        (b'{"a":[1,{"b":NaN}]}', (1, 14, "/a/1/b"), "NaN and Infinity are no JSON"),
        (b"[0,\n -Infinity]", (2, 2, "/1"), "NaN and Infinity are no JSON"),
        (b'{"a":1,\n "b":2, "\\u0061":3}', (2, 9, "/a"), "a name that stands twice"),
        (b"\xef\xbb\xbf{}", (1, 1, ""), "a byte order mark"),
        (b'{"a/b~":\xff}', (1, 9, "/a~1b~0"), "not UTF-8"),
        (b"[1] 2", (1, 5, ""), "text after the value"),
        (b'["a\tb"]', (1, 4, "/0"), "a control character in a string"),
        (b"[1,]", (1, 4, "/1"), "expected a value"),
        (b'{"a":1,}', (1, 8, ""), "expected a name in quotes"),
        (b"[01]", (1, 3, "/0"), "a number with a leading zero"),
        (b"[1", (1, 3, "/0"), "the text ends inside a value"),
        (b'"\\x"', (1, 2, ""), "an unknown escape"),
        (b'"\\u12"', (1, 2, ""), "expected four hexadecimal digits"),
    ],
)
def test_errors_say_where(text: bytes, place: tuple[int, int, str], rule: str) -> None:
    with pytest.raises(InvalidJson) as raised:
        canonical_json(text)
    error = raised.value
    assert (error.line, error.column, error.pointer) == place
    assert error.rule == rule
    assert rule in str(error)
    assert not is_canonical(text)


def test_errors_show_no_secret_and_no_control_character() -> None:
    token = github_token()
    with pytest.raises(InvalidJson) as raised:
        canonical_json(f'{{"{token}": {{"\\u001b[31m\\n": [tru]}}}}'.encode())
    assert token not in str(raised.value)
    assert str(raised.value).isprintable()
    assert raised.value.pointer.startswith("/[secret hidden]/")


def test_the_last_of_a_name_counts() -> None:
    text = b'{"a":1,"b":{"x":1,"\\u0078":{"y":1,"y":2}},"a":3}'
    expected = b'{\n  "a": 3,\n  "b": {\n    "x": {\n      "y": 2\n    }\n  }\n}\n'
    assert canonical_json(text, duplicates="last") == expected
    # The same where the text is measured first.
    large = b"[" + b",".join([text] * 120_000) + b"]"
    written = canonical_json(large, duplicates="last")
    assert written == canonical_json(b"[" + b",".join([expected] * 120_000) + b"]")
    assert canonical_json(b'{"a":1,"a":2}', duplicates="last") == b'{\n  "a": 2\n}\n'


def test_depth() -> None:
    def nested(depth: int) -> bytes:
        return b"[" * depth + b"]" * depth

    assert canonical_json(nested(1_000)).count(b"\n") == 1_999
    with pytest.raises(
        LimitExceeded, match=r"line 1, column 1001, at .*: nested deeper than 1,000"
    ):
        canonical_json(nested(1_001))
    deep = b'{"b":0,"a":' * 100_000 + b"1" + b"}" * 100_000
    written = canonical_json(deep, profile="jcs", max_depth=100_000)
    assert written == b'{"a":' * 100_000 + b"1" + b',"b":0}' * 100_000
    assert is_canonical(written, profile="jcs", max_depth=100_000)
    # Its indents alone would be 40 GB.
    with pytest.raises(LimitExceeded, match="longer than 1 GiB"):
        canonical_json(deep, max_depth=100_000)
    with pytest.raises(LimitExceeded):
        canonical_json(b"[" * 3_000_000, profile="jcs")


def test_small_and_large_texts_have_one_form() -> None:
    """A large text is measured before it is written, a small one is not."""
    part = (
        b'{"id":"n1","position":{"y":1.50,"x":-0.0},"data":{"label":"\\u65e5\\n\\/\\ud800",'
        b'"a long name of more than sixteen bytes":"' + b"x" * 40 + b'\\"","b":[]},"":{}}'
    )
    written = canonical_json(part)
    indented = written[:-1].replace(b"\n", b"\n  ")
    large = canonical_json(b"[" + b" , ".join([part] * 40_000) + b"]")
    assert large == b"[\n  " + b",\n  ".join([indented] * 40_000) + b"\n]\n"
    assert is_canonical(large)


def test_what_is_not_canonical() -> None:
    canonical = b'{\n  "a": 1,\n  "b": [\n    "\\n\\u001f\\ud800"\n  ]\n}\n'
    assert is_canonical(canonical)
    assert is_canonical(bytearray(canonical))
    assert is_canonical(memoryview(canonical))
    for at in range(len(canonical)):
        assert not is_canonical(canonical[:at])
        assert not is_canonical(canonical[:at] + b"\n" + canonical[at:])
    for wrong in (b"1.0\n", b"-0\n", b'"\\u001F"\n', b'"\\/"\n', b'"\xff"\n', b'"\\uD800"\n'):
        assert not is_canonical(wrong)
    assert not is_canonical(b'{\n  "b": 1,\n  "a": 1\n}\n')
    assert not is_canonical(b'{\n  "a": 1,\n  "a": 1\n}\n')
    assert is_canonical(b'{"a":1}', profile="jcs")
    assert not is_canonical(b"9007199254740993", profile="jcs")


def test_options_are_checked() -> None:
    with pytest.raises(InvalidInput, match="profile is one of"):
        canonical_json(b"1", profile="rfc")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="duplicates is one of"):
        canonical_json(b"1", duplicates="first")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="max_depth"):
        canonical_json(b"1", max_depth=-1)
