"""Texts: JSON, secrets, names, lines of runs, values in the wire format."""

from __future__ import annotations

import json
import unicodedata
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from fuzz.mutator import as_it_is, in_bytes, in_json
from fuzz.target import LANGUAGES, Refused, TextTarget
from planted import github_token, private_key
from recorded_runs import FAILED, SUCCEEDED
from versiondiff import (
    ChangeRecord,
    Rules,
    RunLine,
    RunResult,
    TreeDelta,
    VersionDelta,
    VersionDiff,
    VersionRecord,
    canonical_json,
    is_canonical,
    redact,
    render,
    render_comments,
    render_failure,
    render_outcome,
    render_warnings,
    scan,
)
from versiondiff._core import (
    display_name,
    numbered_lines,
    redact_each,
    unseen_parts,
    visible_lines,
)
from versiondiff.errors import InvalidInput
from versiondiff.packages import PackageDiff, package_page, render_package
from versiondiff.records import HistoryDiff, Version, VersionFindings
from versiondiff.runs import parse_run_line, parse_run_note, run_line
from versiondiff.secrets import core_rules, holds_secret

if TYPE_CHECKING:
    import random

    from versiondiff.canonical import Duplicates, Profile

__all__ = ["TARGETS", "assert_harmless", "assert_page"]

GOLDEN: Final = Path(__file__).resolve().parents[2] / "golden"


# ── JSON ────────────────────────────────────────────────────────────────────────────────────────


def json_seeds() -> list[bytes]:
    flows = sorted((GOLDEN / "flows").rglob("*.json"), key=lambda path: path.stat().st_size)
    return [
        b'{"a":[1,-0.5e10,1e400,"x\\n\\ud83d\\ude00",true,false,null,{}],"b":{"":[]},"\\u0000":""}',
        b"[0, -0, 1.0, 12345678901234567890, 0.1e-7, 1E+2]\n",
        '{"é":"\u2028","😀":"\\/","\ufb33":1}'.encode(),
        canonical_json({"b": [1, {"c": None}], "a": "text"}),
        *(path.read_bytes() for path in flows[:4]),
        (GOLDEN / "wire" / "change-record.json").read_bytes()[:4_000],
    ]


JSON_WORDS: Final = (
    b"{", b"}", b"[", b"]", b":", b",", b'"', b"null", b"true", b"NaN", b"-", b"\\u", b"\\ud800",
    b'\\u0022', b"1e5", b" ", b"\t", b"\xef\xbb\xbf", b'"a":', b"\\", b"/",
)  # fmt: skip


PROFILES: Final[tuple[Profile, ...]] = ("canonical", "jcs")
DUPLICATES: Final[tuple[Duplicates, ...]] = ("error", "last")


def json_text(text: bytes, dice: random.Random) -> None:
    # Indented, a text of great depth is as long as the square of it.
    depth = dice.choice((1_000, 1_000, 3, 0, 5_000))
    for profile in PROFILES:
        said = is_canonical(text, profile=profile, max_depth=depth)
        duplicates = dice.choice(DUPLICATES)
        try:
            written = canonical_json(text, profile=profile, duplicates=duplicates, max_depth=depth)
        except InvalidInput:
            assert not said
            raise
        assert said is (written == text)
        assert canonical_json(written, profile=profile, max_depth=depth) == written
        assert is_canonical(written, profile=profile, max_depth=depth)
        if profile == "canonical" and text.count(b"[") + text.count(b"{") < 200:
            try:
                before = exact(text)
            except ArithmeticError:
                # An exponent that no decimal has.
                continue
            assert exact(written) == before


def exact(text: bytes) -> Any:
    """The value with all digits."""
    return json.loads(text, parse_float=Decimal, parse_int=Decimal)


def json_value(text: bytes, dice: random.Random) -> None:
    """Values of Python, and some that JSON has not."""
    try:
        value = json.loads(text, parse_float=dice.choice((float, Decimal)))
    except (ValueError, RecursionError, ArithmeticError):
        return
    value = odd(value, dice, [0])
    depth = dice.choice((1_000, 1_000, 2))
    profile = dice.choice(PROFILES)
    written = canonical_json(value, profile=profile, max_depth=depth)
    assert is_canonical(written, profile=profile, max_depth=depth)


ODD: Final[tuple[Any, ...]] = (
    float("nan"), float("inf"), Decimal("NaN"), Decimal("1e999999"), Decimal("-0"), 10**400, b"x",
    object(), (1, 2), {1: 2}, {None: 1}, {"a": {"b"}}, "\ud800", "\udc00\ud800", frozenset(), 1j,
    float, Ellipsis, Version, bytearray(b"[1]"), range(3), RunResult, SUCCEEDED, -(2**63), True,
)  # fmt: skip


def odd(value: Any, dice: random.Random, count: list[int]) -> Any:
    """The value with some parts replaced."""
    count[0] += 1
    if dice.random() < 0.02:
        return dice.choice(ODD)
    if count[0] > 200:
        return value
    if isinstance(value, dict):
        return {key: odd(inner, dice, count) for key, inner in value.items()}
    if isinstance(value, list):
        made = [odd(inner, dice, count) for inner in value]
        return tuple(made) if dice.random() < 0.1 else made
    return value


# ── Secrets ─────────────────────────────────────────────────────────────────────────────────────


def secret_seeds() -> list[bytes]:
    token, key = github_token(1), private_key(2)
    return [
        f"a = 1\ntoken = '{token}'\nb = 2\n".encode(),
        f"{key}\nand {github_token(3)} in a line\n".encode(),
        json.dumps({"key": key, "password": "correct horse battery", "x": token}).encode(),
        f"https://user:{token}@example.org/a?b=%20\r\nAuthorization: Bearer {token}\r\n".encode(),
        b"AWS_SECRET_ACCESS_KEY=" + b"wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzzKEY\n",
        b"nothing to see here\n" * 20,
    ]


def secrets(content: bytes, _dice: random.Random) -> None:
    scan(content, path="a/b.env")
    hidden, same = redact(content)
    assert scan(content) == same
    assert holds_secret(content) == bool(same)
    lines = content.count(b"\n") + 1
    assert all(1 <= one.line <= lines for one in same)
    if not same:
        assert hidden == content
    assert scan(hidden) == ()
    assert redact(hidden) == (hidden, ())
    text = content.decode(errors="surrogateescape" if len(content) % 2 else "replace")
    try:
        redact(text)
        redact_each([text, "", text[:7]], core_rules(None))
    except UnicodeEncodeError as error:
        # No text that can be in a file: half of a pair is, an escaped byte is not.
        raise Refused from error


def rule_seeds() -> list[bytes]:
    return [
        b'title = "mine"\n[extend]\nuseDefault = true\ndisabledRules = ["jwt"]\n\n'
        b"[[rules]]\nid = \"house\"\ndescription = \"d\"\nregex = '''(?i)house_[a-z0-9]{8,20}'''\n"
        b"keywords = [\"house_\"]\nsecretGroup = 0\nentropy = 2.5\npath = '''\\.env$'''\n"
        b"tags = [\"a\"]\n[[rules.allowlists]]\nregexes = ['''house_test''']\nstopwords = [\"x\"]\n"
        b"[allowlist]\npaths = ['''vendor/''']\n",
        b'[[rules]]\nid = "a"\nregex = "(a|b)+c"\n[[rules]]\nid = "b"\nregex = "[0-9]{16}"\n',
        b'[[rules]]\nid = "p"\npath = "secret"\n',
    ]


RULE_WORDS: Final = (
    b"[[rules]]\n", b'regex = """', b"(?i)", b"(?P<a>", b"{0,1000}", b"{1000}", b"\\p{L}", b"(.*)*",
    b"[^\\x00]", b"\\b", b"$", b"secretGroup = 9\n", b"entropy = -1\n", b"condition = \"AND\"\n",
    b"regexTarget = \"line\"\n", b"(((((", b"\\x{10FFFF}", b"(a{100}){100}",
    b"useDefault = false\n",
)  # fmt: skip


def rule_file(text: bytes, dice: random.Random) -> None:
    if dice.random() < 0.5:
        rules = Rules.parse(text.decode(errors="replace"), with_default=dice.random() < 0.1)
    else:
        # As bytes the core takes any.
        rules = Rules(type(core_rules(None)).parse(text, with_builtin=False))
    assert len(set(rules.names)) == len(rules.names)
    assert all(isinstance(warning, str) for warning in rules.warnings)
    sample = b"house_abcdefgh12 aaab 1234567812345678 house_test\n" * 3
    content, found = redact(sample, rules=rules)
    assert bool(found) is (content != sample)
    scan(sample, rules=rules, path="vendor/secret.env")
    if dice.random() < 0.05:
        (rules | Rules.default()).without(*rules.names[:1])


# ── Names and lines ─────────────────────────────────────────────────────────────────────────────


def name_seeds() -> list[bytes]:
    return [
        "名前 e\u0301 😀👨\u200d👩\u200d👧 \u202eabc\u2066\n\x1b[31m".encode(),
        b"a/b/c.txt", b"plain name", "\u200b\ufeff\u2028x\x85\x7f\0".encode(), b"x" * 300,
        b" context\n-gone\n+came\n\\ No newline at end of file\n", b" a\n" * 30,
    ]  # fmt: skip


def names(data: bytes, dice: random.Random) -> None:
    text = data.decode(errors="replace")
    length = dice.choice((0, 1, 2, 24, 80, 10**6))
    shown = display_name(text, length)
    assert_harmless(shown)
    assert "\n" not in shown
    # One character at least, or nothing could be said of it.
    assert len(shown) <= max(length, 1)
    assert unseen_parts(shown) == []
    for start, end in unseen_parts(text):
        assert 0 <= start < end <= len(text)
    unseen_parts(data.decode(errors="surrogateescape") + "\ud800")
    lines = visible_lines(text)
    assert lines.count("\n") == text.count("\n")
    assert_harmless(lines.replace("\t", " "))
    old, new = (dice.choice((0, 1, 9, 99, 2**32 - 1, 2**64 - 40)) for _ in range(2))
    try:
        numbered = numbered_lines(text, old, new, dice.choice((0, 1, 5, 20)), "no line feed")
    except OverflowError as error:
        raise Refused from error
    assert_harmless(numbered[0].replace("\t", " "))


TURNING: Final = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


def assert_harmless(text: str) -> None:
    """No letter of it breaks a line, colours a terminal or turns the direction of reading."""
    for letter in set(text) - {"\n"}:
        if letter < "\x7f" and letter >= " ":
            continue
        assert unicodedata.category(letter) not in ("Cc", "Zl", "Zp"), f"U+{ord(letter):04X}"
        assert unicodedata.bidirectional(letter) not in TURNING, f"U+{ord(letter):04X}"


def run_seeds() -> list[bytes]:
    lines = [run_line(run, language=of) for run in (SUCCEEDED, FAILED) for of in LANGUAGES]
    return [*(line.encode() for line in lines), "\n".join(lines).encode() + b"\n",
            b"run 1 succeeded 2026-01-01T00:00:00Z 1.0s"]  # fmt: skip


RUN_WORDS: Final = (
    b"run ", b" succeeded ", b" failed ", b" stopped ", b"; failed: ", b", ", b"; not run: ", b'"',
    b'"a, b"', b"\\\\", b'\\"', b" \xc3\x973", b"(worker_failed)", b" and 3 more", b"from ",
    b"whole",
    b"only ", "、".encode(), "全体".encode(), "９".encode(), b"9999-12-31T23:59:59Z", b"0.0s",
    b"2026-02-30T00:00:00Z", b"1" * 310 + b".0s",
)  # fmt: skip


def run_lines(data: bytes, _dice: random.Random) -> None:
    for read in parse_run_note(data):
        text = read.text() if isinstance(read, RunLine) else read.text
        assert parse_run_line(text) == read
        if isinstance(read, RunLine) and read.summary is not None and read.language is not None:
            assert read.summary.text(language=read.language) == read.summary_text
            # What is written of names is harmless where the summary was read.
            assert_harmless(read.summary_text)


def run_results(data: bytes, _dice: random.Random) -> None:
    run = decoded(data, RunResult)
    for language in LANGUAGES:
        line = run_line(run, language=language)
        read = parse_run_line(line)
        assert isinstance(read, RunLine)
        assert read.text() == line
        assert read == RunLine.of(run, language=language) or read.seconds != run.seconds
        assert_harmless(line)


# ── The wire ────────────────────────────────────────────────────────────────────────────────────


def decoded(data: bytes, type_: Any) -> Any:
    """A value; what is refused by msgspec is refused as it says."""
    try:
        return msgspec.json.decode(data, type=type_)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Refused from error


def wire_seeds() -> list[bytes]:
    who = b'{"name":"A","email":"a@b","time":1,"offset":540}'
    version = b'{"id":"%s","author":%s,"committer":%s,"subject":"s","body":"b"}' % (
        b"0" * 40,
        who,
        who,
    )
    golden = {path.stem: path.read_bytes().strip() for path in (GOLDEN / "wire").iterdir()}
    return [
        *golden.values(),
        b'{"version":%s,"record":%s}' % (version, golden["change-record"]),
        b'{"version":%s,"delta":%s}' % (version, golden["tree-delta"]),
        b'{"version":%s,"error":{"code":"missing_object","message":"m"}}' % version,
    ]


WIRE: Final = (
    ChangeRecord, TreeDelta, VersionDiff, Version, VersionRecord, VersionDelta, HistoryDiff,
    VersionFindings,
)  # fmt: skip


def wire(data: bytes, dice: random.Random) -> None:
    value = decoded(data, dice.choice(WIRE))
    text = msgspec.json.encode(value)
    again = msgspec.json.decode(text, type=type(value))
    assert again == value
    assert msgspec.json.encode(again) == text
    language = dice.choice(LANGUAGES)
    lines: list[str] = []
    error = getattr(value, "error", None)
    if error is not None:
        lines.append(render_failure(error, language=language))
    record = getattr(value, "record", value)
    if isinstance(record, ChangeRecord):
        lines += [render(record, language=language), *render_warnings(record, language=language)]
        lines += render_comments(record, language=language)
    if isinstance(value, VersionDiff):
        lines += render_outcome(value, language=language)
    for line in lines:
        assert_harmless(line)


def package_seeds() -> list[bytes]:
    from fuzz.targets.packages import trees
    from versiondiff.packages import package_diff

    made = [package_diff(*trees(number)) for number in range(3)]
    return [msgspec.json.encode(one) for one in made]


def package_values(data: bytes, dice: random.Random) -> None:
    """A package diff from elsewhere, shown."""
    diff = decoded(data, PackageDiff)
    text = msgspec.json.encode(diff)
    assert msgspec.json.decode(text, type=PackageDiff) == diff
    language = dice.choice(LANGUAGES)
    assert_harmless(render_package(diff, language=language).replace("\t", " "))
    assert_page(package_page(diff, language=language))


def assert_page(page: str) -> None:
    assert_harmless(page.replace("\t", " "))
    # Scripts and styles are the page's own: whatever the package says has become text.
    assert page.count("<script") == page.count("</script>") <= 2
    assert page.count("<style") == 1


TARGETS: Final = (
    TextTarget(
        "json", json_text, json_seeds, mutations=(in_json, in_bytes), words=JSON_WORDS,
        core=("canonical_text", "is_canonical"), share=160,
    ),
    TextTarget(
        "json-value", json_value, json_seeds, mutations=(as_it_is, in_json), words=JSON_WORDS,
        core=("canonical_value",), share=60,
    ),
    TextTarget(
        "secrets", secrets, secret_seeds, core=("holds_secret", "redact", "redact_each", "scan"), share=90,
        words=(b"password=", b"token: ", b"-----BEGIN ", b"ghp_", b"=", b"'", b" ", b"\n"),
    ),
    TextTarget("rule-file", rule_file, rule_seeds, words=RULE_WORDS, core=("Rules",), share=20),
    TextTarget(
        "names", names, name_seeds, core=("display_name", "numbered_lines", "unseen_parts",
        "visible_lines"), share=90,
    ),
    TextTarget("run-line", run_lines, run_seeds, words=RUN_WORDS, share=70),
    TextTarget(
        "run-result", run_results, lambda: list(map(msgspec.json.encode, (SUCCEEDED, FAILED))),
        mutations=(in_json,), words=(b"failed", b"not_run", b"Infinity", b"a, b", b'"'), share=30,
    ),
    TextTarget("wire", wire, wire_seeds, mutations=(in_json,), share=70),
    TextTarget("package-value", package_values, package_seeds, mutations=(in_json,), share=8),
)  # fmt: skip
