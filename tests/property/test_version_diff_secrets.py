"""No secret leaves in a version diff: every built-in rule, planted wherever one can stand."""

from __future__ import annotations

import json
import logging
import random
import re
import string
import traceback
import urllib.parse
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import msgspec
import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from version_diffs.parsing import assert_holds
from version_diffs.planted import BASE64, MAKERS, Dice, Planted, draw, pem, plant
from versiondiff import (
    File,
    Limits,
    Mode,
    Rules,
    SecretFound,
    Side,
    VersionDiff,
    scan,
    version_diff,
)

Project: TypeAlias = dict[str, File]

SOURCE = "definitions/load/src/main.py"
CARD = "definitions/load/_card.json"
RULES = Rules.default().names


class Case(NamedTuple):
    """A change with secrets in it, and what is to be said of them."""

    old: Project
    new: Project
    secrets: list[Planted]
    expected: set[tuple[str, Side, int]] | None
    """Rule, side and line of each finding; None where it is enough that there are some."""
    is_allowed: bool = True
    """Whether any of it may be seen at all."""


Position: TypeAlias = Callable[[str, Dice], Case | None]

POSITIONS: dict[str, Position] = {}


def position(make: Position) -> Position:
    POSITIONS[make.__name__] = make
    return make


def file(text: str | bytes, mode: Mode = Mode.FILE) -> File:
    return File(text.encode() if isinstance(text, str) else text, mode=mode)


def source(text: str | bytes, path: str = SOURCE) -> Project:
    return {"tsugumi.json": file("{}"), path: file(text)}


def prose(dice: Dice, count: int) -> list[str]:
    words = ["load", "bands", "読み込み", "stretch", "événements", "rgb", "👩‍👩‍👧", "= 1", "# note"]
    return [" ".join(dice.choices(words, k=dice.randrange(1, 9))) for _ in range(count)]


def assignment(secret: Planted) -> str:
    """The secret in a line of code, or in several."""
    return f'key = """{secret.text}"""'


def lines(*parts: list[str] | str) -> str:
    listed = [line for part in parts for line in ([part] if isinstance(part, str) else part)]
    return "".join(line + "\n" for line in listed)


def place(secret: Planted, side: Side, line: int) -> tuple[str, Side, int]:
    return (secret.rule, side, line)


def place_of(text: str, secret: Planted, side: Side) -> tuple[str, Side, int]:
    return place(secret, side, text[: text.index(secret.text)].count("\n") + 1)


# ── Where a secret can stand ────────────────────────────────────────────────────────────────────


@position
def in_an_added_line(rule: str, dice: Dice) -> Case:
    secret = plant(rule, dice)
    around = prose(dice, 12)
    new = lines(around[:6], assignment(secret), around[6:])
    expected = {place_of(new, secret, Side.NEW)}
    return Case(source(lines(around)), source(new), [secret], expected)


@position
def in_a_removed_line(rule: str, dice: Dice) -> Case:
    secret = plant(rule, dice)
    around = prose(dice, 12)
    old = lines(around[:6], assignment(secret), around[6:])
    expected = {place_of(old, secret, Side.OLD)}
    return Case(source(old), source(lines(around)), [secret], expected)


@position
def in_a_context_line(rule: str, dice: Dice) -> Case:
    secret = plant(rule, dice)
    before, after = prose(dice, dice.randrange(4)), prose(dice, dice.randrange(1, 3))
    texts = [lines(before, assignment(secret), after, f"n = {n}", "end") for n in (1, 2)]
    expected = {place_of(t, secret, side) for t, side in zip(texts, Side, strict=True)}
    return Case(source(texts[0]), source(texts[1]), [secret], expected)


@position
def in_a_line_that_heads_a_hunk(rule: str, dice: Dice) -> Case:
    secret = plant(rule, dice)
    head = f"key = '{secret.text}'"
    texts = [lines(head, ["  pass"] * 9, f"  n = {n}", ["  pass"] * 9) for n in (1, 2)]
    expected = {place(secret, side, 1) for side in Side}
    return Case(source(texts[0]), source(texts[1]), [secret], expected)


@position
def outside_of_any_hunk(rule: str, dice: Dice) -> Case:
    secret = plant(rule, dice)
    around = prose(dice, 60)
    texts = [lines(f"n = {n}", around, assignment(secret), around) for n in (1, 2)]
    expected = {place_of(t, secret, side) for t, side in zip(texts, Side, strict=True)}
    return Case(source(texts[0]), source(texts[1]), [secret], expected)


@position
def across_the_cut(rule: str, dice: Dice) -> Case:
    secrets = [plant(rule, dice) for _ in range(30)]
    listed = [
        f"{dice.choice(string.ascii_letters) * dice.randrange(60)} '{s.text}'" for s in secrets
    ]
    return Case(source("x\n"), source(lines(listed)), secrets, None)


@position
def in_a_very_long_line(rule: str, dice: Dice) -> Case:
    secret = plant(rule, dice)
    words = [dice.choice(["load", "bands", "読み込み", "of", "the"]) for _ in range(4_000)]
    at = dice.randrange(10, 3_990)
    changed = list(words)
    for _ in range(dice.randrange(1, 12)):
        changed[at + dice.randrange(-9, 9)] = f"edit{dice.randrange(100)}"
    texts = [
        f"prompt = \"{' '.join(w[:at])} '{secret.text}' {' '.join(w[at:])}\""
        for w in (words, changed)
    ]
    texts[1] += "\n"
    return Case(source(texts[0]), source(texts[1]), [secret], None)


@position
def twice_in_a_very_long_line(rule: str, dice: Dice) -> Case:
    """One that was rotated, beside text that stays; everything else in the file is that line."""
    secrets = [plant(rule, dice), plant(rule, dice)]
    stays = " ".join(prose(dice, 200))
    texts = [f'"{stays}", "{s.text}", "{stays}"' for s in secrets]
    return Case(source(texts[0]), source(texts[1]), secrets, None)


@position
def at_the_start_and_the_end_of_a_file(rule: str, dice: Dice) -> Case:
    first, last = plant(rule, dice), plant(rule, dice)
    new = "\n".join([first.text, *prose(dice, 5), last.text])
    expected = {place_of(new, first, Side.NEW), place_of(new, last, Side.NEW)}
    return Case(source("x = 1\n"), source(new), [first, last], expected)


@position
def as_the_whole_file(rule: str, dice: Dice) -> Case:
    old, new = plant(rule, dice), plant(rule, dice)
    expected = {place(old, Side.OLD, 1), place(new, Side.NEW, 1)}
    return Case(source(old.text), source(new.text), [old, new], expected)


@position
def beside_letters_of_many_bytes(rule: str, dice: Dice) -> Case:
    secret = plant(rule, dice)
    before = dice.choice(["鍵", "é", "👩‍👩‍👧", "a\u0301", "\u3000", "「"])
    after = dice.choice(["鍵", "」", "👩‍👩‍👧", "\u0301", "\u200d", "\ufe0f"])
    new = lines(f"{before}{secret.text}{after}")
    return Case(source("x = 1\n"), source(new), [secret], {place(secret, Side.NEW, 1)})


@position
def with_control_characters_around(rule: str, dice: Dice) -> Case:
    secret = plant(rule, dice)
    controls = ["\x1b[31m", "\r", "\x0c", "\u2028", "\x85", "\u202e", "\u200b", "\ufeff"]
    new = lines(f"x{dice.choice(controls)}{secret.text}{dice.choice(controls)}x")
    return Case(source("x = 1\n"), source(new), [secret], None)


@position
def in_text_that_is_no_utf8(rule: str, dice: Dice) -> Case:
    secret = plant(rule, dice)
    new = b"# \xe9v\xe9nements\nkey = '" + secret.text.encode() + b"' # \xff\n"
    expected = {place(secret, Side.NEW, 2)}
    return Case(source(b"# \xe9v\xe9nements\n"), source(new), [secret], expected)


@position
def between_escapes(rule: str, dice: Dice) -> Case:
    secret = plant(rule, dice)
    new = lines(r'text = "first\n' + secret.text.replace("\n", r"\n") + r'\tthen\n"')
    return Case(source("x = 1\n"), source(new), [secret], {place(secret, Side.NEW, 1)})


@position
def indented(rule: str, dice: Dice) -> Case:
    secret = plant(rule, dice)
    indent = dice.choice(["    ", "\t", "  # "])
    block = indent + secret.text.replace("\n", "\n" + indent)
    new = lines("class Client:", f"{indent}key = '''", block, f"{indent}'''", "x = 1")
    return Case(source("x = 1\n"), source(new), [secret], {place(secret, Side.NEW, 3)})


@position
def in_texts_that_are_joined(rule: str, dice: Dice) -> Case:
    secret = plant(rule, dice)
    joint = dice.choice(["\\n'\n  + '", "\\n'\n  '", "\\n',\n  '"])
    new = "key = ('" + secret.text.replace("\n", joint) + "')\n"
    return Case(source("x = 1\n"), source(new), [secret], {place(secret, Side.NEW, 1)})


@position
def with_its_start_outside_of_the_hunk(rule: str, dice: Dice) -> Case | None:
    """A private key of which one line changed, and the hunk shows lines in its midst only."""
    if rule != "private-key":
        return None
    old = Planted(rule, *pem(dice, lines=24))
    body = old.text.split("\n")
    body[12] = draw(dice, BASE64, 64)
    new = Planted(rule, "\n".join(body), (*old.drawn[:11], body[12], *old.drawn[12:]))
    texts = [lines("key = '''\\", secret.text, "'''", "x = 1") for secret in (old, new)]
    expected = {place(old, Side.OLD, 2), place(new, Side.NEW, 2)}
    return Case(source(texts[0]), source(texts[1]), [old, new], expected)


@position
def in_the_name_of_a_card(rule: str, dice: Dice) -> Case:
    old, new = plant(rule, dice), plant(rule, dice)
    cards = [json.dumps({"name": s.text, "n": 1}, indent=2) for s in (old, new)]
    expected = {place(old, Side.OLD, 2), place(new, Side.NEW, 2)}
    return Case(source(cards[0], CARD), source(cards[1], CARD), [old, new], expected)


def nested(rule: str, dice: Dice, depth: int) -> Case:
    secret = plant(rule, dice)
    value: Any = {"apiKey": secret.text, "n": 1}
    for _ in range(depth):
        value = {"text": json.dumps(value), "more": [1, 2]}
    text = json.dumps(value, indent=dice.choice([None, 2]))
    # The line is that of the file as it is written.
    at = next(
        n for n, line in enumerate(text.split("\n"), 1) if '"apiKey' in line.replace("\\", "")
    )
    path = dice.choice([CARD, SOURCE])
    return Case(source("{}", path), source(text, path), [secret], {place(secret, Side.NEW, at)})


@position
def in_a_json_string(rule: str, dice: Dice) -> Case:
    return nested(rule, dice, 0)


@position
def in_json_in_json(rule: str, dice: Dice) -> Case:
    return nested(rule, dice, 1)


@position
def in_json_in_json_in_json(rule: str, dice: Dice) -> Case:
    return nested(rule, dice, 2)


def escaped(text: str, dice: Dice, write: Callable[[str], str], *, always: str) -> str:
    """The text with some characters written as escapes: those of `always`, and a few others."""
    return "".join(write(c) if c in always or dice.random() < 0.1 else c for c in text)


@position
def in_a_json_string_with_escapes_for_letters(rule: str, dice: Dice) -> Case:
    secret = plant(rule, dice)
    text = escaped(secret.text, dice, lambda c: f"\\u{ord(c):04x}", always="-_\n")
    path = dice.choice([CARD, SOURCE])
    new = f'{{"name": "{text}"}}'
    return Case(source("{}", path), source(new, path), [secret], {place(secret, Side.NEW, 1)})


@position
def percent_encoded(rule: str, dice: Dice) -> Case:
    secret = plant(rule, dice)
    text = (
        escaped(
            urllib.parse.quote(secret.text, safe=string.ascii_letters),
            random.Random(0),
            lambda c: c,
            always="",
        )
        .replace("-", "%2D")
        .replace("_", "%5F")
    )
    new = lines(f"url = 'https://example.org/?key={text}&x=1'")
    return Case(source("x = 1\n"), source(new), [secret], {place(secret, Side.NEW, 1)})


def utf16(rule: str, dice: Dice, encoding: str, mark: bytes) -> Case:
    secret = plant(rule, dice)
    text = f"鍵 = '{secret.text}'\n"
    new = mark + text.encode(encoding)
    return Case(source("x\n"), source(new), [secret], {place(secret, Side.NEW, 1)})


for name, encoding, mark in [
    ("in_little_endian_utf16", "utf-16-le", b"\xff\xfe"),
    ("in_big_endian_utf16", "utf-16-be", b"\xfe\xff"),
    ("in_little_endian_utf16_without_a_mark", "utf-16-le", b""),
    ("in_big_endian_utf16_without_a_mark", "utf-16-be", b""),
]:
    POSITIONS[name] = lambda rule, dice, e=encoding, m=mark: utf16(rule, dice, e, m)  # type: ignore[misc]


@position
def in_utf16_far_behind_text(rule: str, dice: Dice) -> Case:
    """So far that git takes the file for text."""
    secret = plant(rule, dice)
    new = b"# text\n" * 1_200 + f"'{secret.text}'".encode(dice.choice(["utf-16-le", "utf-16-be"]))
    return Case(source("x\n"), source(new), [secret], None)


@position
def in_a_binary_file(rule: str, dice: Dice) -> Case:
    secret = plant(rule, dice)
    new = b"\0\1\2\n" + secret.text.encode() + b"\0\xff"
    return Case(source(b"\0"), source(new), [secret], {place(secret, Side.NEW, 2)})


def is_path(secret: Planted) -> bool:
    return "/" not in secret.text and "\n" not in secret.text


@position
def in_the_path_of_a_new_file(rule: str, dice: Dice) -> Case | None:
    secret = plant(rule, dice)
    if not is_path(secret):
        return None
    new = source("x\n", f"definitions/load/src/{secret.text}/main.py")
    return Case(source("x\n"), source("x\n") | new, [secret], {place(secret, Side.NEW, 0)})


@position
def in_the_path_of_a_deleted_card(rule: str, dice: Dice) -> Case | None:
    secret = plant(rule, dice)
    if not is_path(secret):
        return None
    old = source('{"name": 1}', f"definitions/{secret.text}/_card.json")
    return Case(source("x\n") | old, source("x\n"), [secret], {place(secret, Side.OLD, 0)})


@position
def in_both_paths_of_a_renamed_file(rule: str, dice: Dice) -> Case | None:
    old, new = plant(rule, dice), plant(rule, dice)
    if not (is_path(old) and is_path(new)):
        return None
    text = lines(prose(dice, 20))
    sides = [
        source(text + end, f"definitions/load/src/{s.text}/m.py")
        for s, end in ((old, ""), (new, "n"))
    ]
    expected = {place(old, Side.OLD, 0), place(new, Side.NEW, 0)}
    return Case(sides[0], sides[1], [old, new], expected)


@position
def in_the_target_of_a_link(rule: str, dice: Dice) -> Case | None:
    secret = plant(rule, dice)
    if "\n" in secret.text:
        return None
    path = "definitions/load/src/link.py"
    target = dice.choice([f"{secret.text}/main.py", f"/home/{secret.text}"])
    new = source("x\n") | {path: file(target, Mode.LINK)}
    return Case(source("x\n"), new, [secret], {place(secret, Side.NEW, 1)})


@position
def in_a_file_that_may_not_be_seen(rule: str, dice: Dice) -> Case:
    old, new = plant(rule, dice), plant(rule, dice)
    path = dice.choice(["layout.json", "data/x.csv", "definitions/load/src/x.txt", "README.md"])
    secrets = [old, new]
    sides = [source("x\n") | {path: file(assignment(secret))} for secret in secrets]
    if is_path(new):
        sides[1][f"data/{new.text}.bin"] = file(new.text)
    return Case(sides[0], sides[1], secrets, set(), is_allowed=False)


# ── What holds of all of them ───────────────────────────────────────────────────────────────────


def shown_forms(text: str) -> list[str]:
    """A text, and what it says to whoever decodes it: nothing hidden may stand there either."""
    unescaped = text
    for _ in range(4):
        unescaped = re.sub(
            r"\\+u00([0-7][0-9a-fA-F])", lambda match: chr(int(match[1], 16)), unescaped
        )
    # In UTF-16 that git takes for text, each NUL shows.
    return [text, unescaped, urllib.parse.unquote(text), text.replace("^@", "")]


def assert_hidden(said: str, secrets: list[Planted]) -> None:
    eights = {form[at : at + 8] for form in set(shown_forms(said)) for at in range(len(form))}
    for secret in secrets:
        assert eights.isdisjoint(secret.pieces), f"a piece of a {secret.rule} is shown"


class Heard(logging.Handler):
    """All that is logged, as text."""

    def __init__(self) -> None:
        super().__init__(level=0)
        self.text = ""

    def emit(self, record: logging.LogRecord) -> None:
        self.text += self.format(record) + "\n"


def everything_said(diff: VersionDiff) -> str:
    return "\n".join(
        # The text stands in the JSON.
        [repr(diff), str(diff), msgspec.json.encode(diff).decode()]
    )


def check(case: Case, limits: Limits, language: str) -> VersionDiff:
    heard = Heard()
    logging.getLogger().addHandler(heard)
    try:
        diff = version_diff(
            case.old,
            case.new,
            format="tsugumi",
            limits=limits,
            language=language,  # type: ignore[arg-type]
        )
        error: SecretFound | None = None
        try:
            version_diff(case.old, case.new, format="tsugumi", limits=limits, on_secret="fail")
        except SecretFound as raised:
            error = raised
    finally:
        logging.getLogger().removeHandler(heard)
    assert_holds(diff, limits, language)
    found = {(f.rule, f.side, f.line) for f in diff.findings}
    if case.expected is None:
        assert {rule for rule, _, _ in found} == {secret.rule for secret in case.secrets}
    else:
        assert found == case.expected
    assert (error is not None) == case.is_allowed
    assert_hidden(everything_said(diff) + heard.text, case.secrets)
    if error is not None:
        told = "".join(traceback.format_exception(error)) + repr(error) + repr(error.args)
        assert_hidden(told, case.secrets)
        assert case.secrets[0].rule in str(error)
    return diff


LIMITS = st.builds(Limits, file=st.integers(0, 1_500), total=st.integers(0, 3_000)) | st.builds(
    Limits
)


def test_every_rule_has_a_maker_of_secrets() -> None:
    assert MAKERS.keys() == set(RULES)


@pytest.mark.parametrize("rule", RULES)
def test_every_maker_makes_what_its_rule_finds(rule: str) -> None:
    for maker in MAKERS[rule]:
        for seed in range(20):
            text, drawn = maker(random.Random(seed))
            assert [finding.rule for finding in scan(text)] == [rule]
            assert all(part in text for part in drawn)


@pytest.mark.parametrize("name", POSITIONS)
@settings(deadline=None, max_examples=3, phases=[Phase.explicit, Phase.generate])
@given(seed=st.integers(0, 10**9), limits=LIMITS, language=st.sampled_from(["en", "ja"]))
@example(seed=1, limits=Limits(), language="en")
@example(seed=875, limits=Limits(), language="ja")
def test_no_secret_is_shown(name: str, seed: int, limits: Limits, language: str) -> None:
    for rule in RULES:
        case = POSITIONS[name](rule, random.Random(f"{seed} {rule}"))
        if case is not None:
            check(case, limits, language)
