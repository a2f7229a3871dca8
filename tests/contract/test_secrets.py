"""What `scan`, `redact` and `Rules` promise."""

from __future__ import annotations

import threading
from pathlib import Path

import msgspec
import pytest

import versiondiff
from planted import github_token, private_key
from versiondiff import (
    Finding,
    InvalidInput,
    LimitExceeded,
    NotFound,
    Rules,
    _core,
    redact,
    scan,
)
from versiondiff.secrets import core_rules

OWN = """
[[rules]]
id = "own-key"
description = "A key of our own"
regex = '''own_([a-z0-9]{8})'''
keywords = ["own_"]
"""

TOKEN = github_token()


def found(findings: tuple[Finding, ...]) -> list[tuple[str, str | None, int, int, int, int]]:
    return [
        (hit.rule, hit.path, hit.line, hit.column, hit.end_line, hit.end_column) for hit in findings
    ]


# ── scan ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("kind", [str, bytes])
def test_a_finding_is_a_rule_and_a_place(kind: type) -> None:
    text = f"first\n鍵 = '{TOKEN}'\n"
    findings = scan(text if kind is str else text.encode(), path="a/b.py")
    assert found(findings) == [("github-token", "a/b.py", 2, 6, 2, 46)]


def test_nothing_is_found_where_nothing_is() -> None:
    assert scan("") == scan(b"\0\xff") == scan("plain text", path="a.txt") == ()


def test_a_secret_over_several_lines_ends_where_its_last_character_is() -> None:
    findings = scan(f"x\n{private_key()}\nafter")
    assert [(hit.rule, hit.line, hit.end_line) for hit in findings] == [("private-key", 2, 9)]


def test_a_secret_in_the_path_is_found_and_not_shown() -> None:
    findings = scan(f"own {TOKEN}", path=f"backup/{TOKEN}.txt")
    shown = "backup/[secret hidden].txt"
    assert found(findings) == [
        ("github-token", shown, 0, 0, 0, 0),
        ("github-token", shown, 1, 5, 1, 45),
    ]


@pytest.mark.parametrize("path", ["caf\udce9", "日本/鍵.py", "a\nb"])
def test_any_path_is_taken(path: str) -> None:
    assert len(scan(TOKEN, path=path)) == 1


def test_findings_hold_no_text() -> None:
    findings = scan(f"k = {TOKEN}", path=f"{TOKEN}/x")
    said = repr(findings) + str(findings) + msgspec.json.encode(findings).decode()
    assert all(TOKEN[at : at + 8] not in said for at in range(4, len(TOKEN) - 8))


def test_threads_share_rules() -> None:
    rules = Rules.default() | Rules.parse(OWN)
    text = f"own_abcd1234 {TOKEN} " * 50
    expected = scan(text, rules=rules)
    results: list[tuple[Finding, ...]] = []
    threads = [
        threading.Thread(target=lambda: results.append(scan(text, rules=rules))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 8
    assert len(expected) == 100


# ── redact ──────────────────────────────────────────────────────────────────────────────────────


def test_a_text_without_its_secrets_is_of_the_same_type() -> None:
    text = f"é {TOKEN} 鍵"
    hidden, findings = redact(text)
    assert hidden == "é [secret hidden] 鍵"
    assert found(findings) == [("github-token", None, 1, 3, 1, 43)]
    assert redact(text.encode()) == (hidden.encode(), findings)


def test_a_text_without_secrets_stays_as_it_is() -> None:
    for text in ("", "plain", "lone \ud800 surrogate"):
        assert redact(text) == (text, ())
    assert redact(b"\xff\0") == (b"\xff\0", ())


def test_each_line_of_a_secret_is_hidden() -> None:
    hidden, _ = redact(f"a\n{private_key()}\nb")
    assert hidden == "a\n" + "[secret hidden]\n" * 8 + "b"


def test_an_own_rule_cuts_no_character() -> None:
    rules = Rules.parse("[[rules]]\nid = 'r'\nregex = 'k=.{4}'\nkeywords = ['k=']")
    assert redact("k=鍵鍵鍵", rules=rules)[0] == "[secret hidden]鍵"


# ── Rules ───────────────────────────────────────────────────────────────────────────────────────


def test_rules_join_and_are_switched_off_by_name() -> None:
    own, default = Rules.parse(OWN), Rules.default()
    assert own.names == ("own-key",)
    both = own | default
    assert both.names == own.joined(default).names == (*default.names, "own-key")
    text = f"own_abcd1234 {TOKEN}"
    assert [hit.rule for hit in scan(text, rules=both)] == ["own-key", "github-token"]
    assert [hit.rule for hit in scan(text, rules=both.without("github-token"))] == ["own-key"]
    assert [hit.rule for hit in scan(text)] == ["github-token"]
    assert scan(text, rules=both.without("github-token", "own-key")) == ()
    assert both.without().names == both.names


def test_an_unknown_rule_is_named() -> None:
    with pytest.raises(InvalidInput, match="no secret rule is named no-such-rule"):
        Rules.default().without("no-such-rule")


def test_what_is_no_rules_is_not_joined() -> None:
    with pytest.raises(TypeError):
        Rules.default() | "own"


def test_rules_show_their_number_alone() -> None:
    assert repr(Rules.parse(OWN)) == "<Rules: 1>"


def test_a_file_says_whether_the_built_in_rules_are_kept() -> None:
    count = len(Rules.default().names)
    for line, alone, added in [
        ("", 1, count + 1),
        ("extend.useDefault = true", count + 1, count + 1),
        ("extend.useDefault = false", 1, 1),
        ("extend = {useDefault = true, disabledRules = ['github-token']}", count, count),
    ]:
        text = f"{line}\n{OWN}"
        assert len(Rules.parse(text).names) == alone, line
        assert len(Rules.parse(text, with_default=True).names) == added, line


def test_rules_are_loaded_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text(OWN + "[[allowlists]]\ncommits = ['abc']\nstopwords = ['demo']\n")
    rules = Rules.load(file)
    assert rules.names == ("own-key",)
    assert rules.warnings == ("line 8, commits: not looked at: what they allow is found",)
    assert scan("own_demo1234 own_abcd1234", rules=rules)[0].column == 18


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"rule file '.*none.toml': No such file"):
        Rules.load(tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("planted", "line 1: this is no TOML"),
        (OWN.replace("own_([a-z0-9]{8})", "(planted"), "line 5, rule own-key, regex: no regular"),
        (OWN.replace('["own_"]', '"planted"'), "line 6, rule own-key, keywords: must be a list"),
        ("[extend]\npath = 'planted'", "line 2, path: rules are read from this file alone"),
    ],
)
def test_a_bad_file_is_refused_by_rule_field_and_line(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "own.toml"
    file.write_text(text)
    with pytest.raises(InvalidInput, match=said) as refused:
        Rules.load(file)
    assert "planted" not in str(refused.value)
    assert "own.toml" in str(refused.value)


def test_what_is_too_large_is_refused() -> None:
    with pytest.raises(LimitExceeded, match="at most 4194304 bytes"):
        Rules.parse("#" * (4 << 20) + "\n")
    with pytest.raises(LimitExceeded, match="rule own-key, regex: compiled it takes more than"):
        Rules.parse(OWN.replace("own_", "(((own_){1000}){1000}){1000}"))


def test_a_file_that_is_no_utf8_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_bytes(b"\xff")
    with pytest.raises(InvalidInput, match="UTF-8"):
        Rules.load(file)


# ── The documentation ───────────────────────────────────────────────────────────────────────────


def test_the_documented_rules_are_the_built_in_ones() -> None:
    page = Path(__file__).parents[2] / "docs" / "secrets.md"
    table = page.read_text(encoding="utf-8").split("## The built-in rules")[1].split("\n## ")[0]
    rows = [line.split("`")[1] for line in table.splitlines() if line.startswith("| `")]
    assert tuple(rows) == Rules.default().names


def test_the_names_are_public() -> None:
    assert {"Finding", "Rules", "VersionFindings", "redact", "scan"} <= set(versiondiff.__all__)


def test_many_texts_are_redacted_as_each_alone() -> None:
    token = github_token(7)
    texts = ["", "plain", token, f"a {token} b", f"\ud800 {token}", "\ud800", "あ" + token, "x\0y"]
    found = dict(_core.redact_each(texts, core_rules(None)))
    for at, text in enumerate(texts):
        redacted, findings = redact(text)
        assert (at in found) == bool(findings)
        assert found.get(at, redacted.encode("utf-8", "surrogatepass")) == redacted.encode(
            "utf-8", "surrogatepass"
        )
    with pytest.raises(TypeError):
        _core.redact_each([b"bytes"], core_rules(None))  # type: ignore[list-item]
