"""Every kind of case that the public JSON test suite has, in cases of our own.

https://github.com/nst/JSONTestSuite names its files by what they hold: `y_` must be read, `n_` must
be refused. The texts here are others of the same kinds.
"""

from __future__ import annotations

import json
from decimal import Decimal

import pytest

from versiondiff import InvalidJson, LimitExceeded, canonical_json, is_canonical

READ = [
    # arrays
    b"[[]   ]",
    b'[""]',
    b"[]",
    b'["a"]',
    b"[false]",
    b'[null, 1, "1", {}]',
    b"[null]",
    b"[1\n]",
    b" [1]",
    b"[1,null,null,null,2]",
    b"[2] ",
    # numbers
    b"[123e65]",
    b"[0e+1]",
    b"[0e1]",
    b"[ 4]",
    b"[-0.000000000000000000000000000000000000000001]",
    b"[20e1]",
    b"[-0]",
    b"[-123]",
    b"[-1]",
    b"[1E22]",
    b"[1E-2]",
    b"[1E+2]",
    b"[123e45]",
    b"[123.456e78]",
    b"[1e-2]",
    b"[1e+2]",
    b"[123]",
    b"[123.456789]",
    # objects
    b'{"asd":"sdf", "dfg":"fgh"}',
    b'{"asd":"sdf"}',
    b"{}",
    b'{"":0}',
    b'{"foo\\u0000bar": 42}',
    b'{ "min": -1.0e+28, "max": 1.0e+28 }',
    b'{"x":[{"id": "xxx"}], "id": "yyy"}',
    b'{"a":[]}',
    '{"title":"\\u041f\\u043e Землекопа"}'.encode(),
    b'{\n"a": "b"\n}',
    # strings
    b'["\\u0060\\u012a\\u12AB"]',
    b'["\\uD801\\udc37"]',
    b'["\\ud83d\\ude39\\ud83d\\udc8d"]',
    b'["\\"\\\\\\/\\b\\f\\n\\r\\t"]',
    b'["\\\\u0000"]',
    b'["\\""]',
    b'["a/*b*/c/*d//e"]',
    b'["\\\\a"]',
    b'["\\\\n"]',
    b'["\\u0012"]',
    b'["\\uFFFF"]',
    b'["asd"]',
    b'[ "asd"]',
    b'["\\uDBFF\\uDFFF"]',
    b'["new\\u00A0line"]',
    '["\U0010ffff"]'.encode(),
    '["￿"]'.encode(),
    b'["\\u0000"]',
    b'["\\u002c"]',
    '["π"]'.encode(),
    '["\U0001bfff"]'.encode(),
    b'["asd "]',
    b'" "',
    b'["\\uD834\\uDd1e"]',
    b'["\\u0821"]',
    b'["\\u0123"]',
    '["\u2028\u2029"]'.encode(),
    b'["\\u0061\\u30af\\u30EA\\u30b9"]',
    b'["new\\u000Aline"]',
    b'["\x7f"]',
    b'["\\uA66D"]',
    '["⍂㈴⍂"]'.encode(),
    b'["\\u005C"]',
    b'["\\u0022"]',
    b'["\\u200B"]',
    b'["\\u2064"]',
    b'["\\uFDD0"]',
    b'["\\uFFFE"]',
    b'["\\uDBFF\\uDFFE"]',
    # structures
    b"false",
    b"42",
    b"-0.1",
    b"null",
    b'"asd"',
    b"true",
    b'""',
    b'["a"]\n',
    b"[true]",
    b" [] ",
    # left open by RFC 8259: numbers beyond doubles, lone surrogates
    b"[123.456e-789]",
    b"[0.4e00669999999999999999999999]",
    b"[-1e+9999]",
    b"[1.5e+9999]",
    b"[-123123123123123123123123123123]",
    b"[100000000000000000000]",
    b'["\\uDADA"]',
    b'["\\uD888\\u1234"]',
    b'["\\uD800\\n"]',
    b'["\\uDd1ea"]',
    b'["\\uD800\\uD800\\n"]',
    b'["\\uDFAA"]',
    b'["\\uDd1e\\uD834"]',
    b"[" * 500 + b"]" * 500,
]
REFUSED = [
    # arrays
    b"[1 true]", b"[a\xe5]", b'["": 1]', b'[""],', b"[,1]", b"[1,,2]", b'["x",,]', b'["x"]]',
    b'["",]', b'["x"', b"[x", b"[3[4]]", b"[\xff]", b"[1:2]", b"[,]", b"[-]", b"[   , \"\"]",
    b'["a",\n4\n,1,', b"[1,]", b"[1,,]", b'["\x0ba"\\f]', b"[*]", b'[""', b"[1,", b"[1,\n1\n,1",
    b"[{}",
    # words
    b"[fals]", b"[nul]", b"[tru]", b"[True]", b"[TRUE]", b"nulll", b"123\x00",
    # numbers
    b"[++1234]", b"[+1]", b"[+Inf]", b"[-01]", b"[-1.0.]", b"[-2.]", b"[-NaN]", b"[.-1]",
    b"[.2e-3]",
    b"[0.1.2]", b"[0.3e+]", b"[0.3e]", b"[0.e1]", b"[0E+]", b"[0E]", b"[1.0e+]", b"[1.0e-]",
    b"[1.0e]", b"[1 000.0]", b"[1eE2]", b"[2.e+3]", b"[2.e-3]", b"[2.e3]", b"[9.e+]", b"[Inf]",
    b"[NaN]", "[１]".encode(), b"[1+2]", b"[0x1]", b"[0x42]", b"[Infinity]", b"[0e+-1]",
    b"[-123.123foo]", b"[123\xe5]", b"[1e1\xe5]", b"[0\xe5]", b"[-Infinity]", b"[-foo]", b"[- 1]",
    b"[-012]", b"[-.123]", b"[-1x]", b"[1ea]", b"[1e\xe5]", b"[1.]", b"[.123]", b"[1.2a-3]",
    b"[1.8011670033376514H-308]", b"[012]", b"[-2147483648 1]",
    # objects
    b'["x", truth]', b"{[: \"x\"}\n", b'{"x", null}', b'{"x"::"b"}', b'{\xf0\x9f\x87\xa8}',
    b'{"a":"a" 123}', b"{key: 'value'}", b'{"\xb9":"0",}', b'{"a" b}', b'{:"b"}', b'{"a" "b"}',
    b'{"a":', b'{"a"', b"{1:1}", b"{9999E9999:1}", b"{null:null,null:null}",
    b'{"id":0,,,,,}', b"{'a':0}", b'{"id":0,}', b'{"a":"b"}/**/', b'{"a":"b"}/**//', b'{"a":"b"}//',
    b'{"a":"b"}/', b'{"a":"b",,"c":"d"}', b'{a: "b"}', b'{"a":"a', b'{ "foo" : "bar", "a" }',
    b'{"a":"b"}#', b'{"a":1,"a":2}', b'{"a":"b","a":"b"}',
    # strings
    b'["\\uD800\\"]', b'["\\uD800\\u"]', b'["\\uD800\\u1"]', b'["\\uD800\\u1x"]', b"[\xc3\xa9]",
    b'["\\\x00"]', b'["\\x00"]', b'["\\\\\\"]', b'["\\\t"]', '["\\🌀"]'.encode(), b'["\\"]',
    b'["\\u00A"]', b'["\\uD834\\uDd"]', b'["\\uD800\\uD800\\x"]', b'["\\u\xe5"]', b'["\\a"]',
    b'["\\uqqqq"]', b'["\\\xe5"]', b"[\\u0020\"asd\"]", b"[\\n]", b'"', b"['single quote']", b"abc",
    b'["\\', b'["a\x00a"]', b'["new\nline"]', b'["\t"]', b'"\\UA66D"', b'""x', b'["\xff"]',
    b'["\xed\xa0\x80"]', b'["\xc0\xaf"]', b'["\xf4\xbf\xbf\xbf"]', b'["\xe0\xff"]', b'["\x81"]',
    b'["\xfc\x80\x80\x80\x80\x80"]', '["é"]'.encode("utf-16"), '["é"]'.encode("utf-16-be"),
    # structures
    b"<.>", b"[<null>]", b"[1]x", b"[1]]", b'["asd]', b"a\xc3\xa5", b"[True]", b"1]",
    b'{"x": true,',
    b"[][]", b"]", b"\xef\xbb{}", b"\xe5", b"[", b"", b"[\x00]", b"2@", b"{}}", b'{"":', b"{'a'}",
    b'{"a":/*comment*/"b"}', b'{"a": true} "x"', b"['", b"[,", b"[{", b'["a', b"[\"a\"", b"{",
    b"{]",
    b"{,", b"{[", b'{"a', b"{'a'", b'["\\{["\\{["\\{["\\{', b"*", b"\xef\xbb\xbf",
    b"\xef\xbb\xbf{}",
    b'{"a":"b"}#{}', b"[\\u000A\"\"]", b"[1", b"[ false, nul", b"[ true, fals", b"[ false, tru",
    b'{"asd":"asd"', "å".encode(), b"[\xe2\x81\xa0]", b"\xe2\x81\xa0", b" ", b"[\x0c]",
]  # fmt: skip


@pytest.mark.parametrize("text", READ, ids=lambda text: ascii(text[:40]))
def test_what_must_be_read(text: bytes) -> None:
    written = canonical_json(text)
    assert canonical_json(written) == written
    assert is_canonical(written)
    try:
        value = json.loads(text, parse_float=Decimal)
    except ArithmeticError:  # exponents that no Decimal holds
        return
    assert json.loads(written, parse_float=Decimal) == value
    assert canonical_json(value) == written


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: ascii(text[:40]))
def test_what_must_be_refused(text: bytes) -> None:
    for profile in ("canonical", "jcs"):
        with pytest.raises(InvalidJson, match=r"line [123], column"):
            canonical_json(text, profile=profile)
        # The same so deep in a text that it is measured before it is written.
        with pytest.raises(InvalidJson):
            canonical_json(b"[" * 80 + text + b"  ,", profile=profile)


@pytest.mark.parametrize("text", [b"[" * 100_000, b'[{"":' * 50_000])
def test_depth_ends_without_a_crash(text: bytes) -> None:
    with pytest.raises(LimitExceeded):
        canonical_json(text)
    with pytest.raises((InvalidJson, LimitExceeded)):
        canonical_json(text, max_depth=1_000_000)
