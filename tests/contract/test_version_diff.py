"""What `version_diff` promises: what may be seen, how it is compared, which doors lead to it."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

import planted
from oracle.repositories import Git
from version_diffs.parsing import assert_holds, parse
from versiondiff import (
    Compared,
    DiffStatus,
    Extent,
    FailureCode,
    File,
    HistoryDiff,
    InvalidInput,
    Limits,
    Mode,
    NotFound,
    Order,
    Repository,
    Rewrites,
    Rules,
    SecretFound,
    UnsupportedFormat,
    VersionDiff,
    VersionDiffError,
    version_diff,
)
from versiondiff.records import DiffOutcome

if TYPE_CHECKING:
    from pathlib import Path

SRC = "definitions/load/src/"
Files = dict[str, Any]


def diff_of(old: Files, new: Files, **options: Any) -> VersionDiff:
    diff = version_diff(old, new, format="tsugumi", **options)
    assert_holds(diff, options.get("limits", Limits()), options.get("language", "en"))
    return diff


def rows(diff: VersionDiff) -> list[str]:
    return [row.sign + row.text for s in parse(diff.text).sections for row in s.rows]


# ── What may be seen ────────────────────────────────────────────────────────────────────────────

ENDINGS = ["py", "cc", "cpp", "cxx", "c", "h", "hh", "hpp", "nix", "fbs", "sh"]
ALLOWED = [
    "tsugumi.json",
    *(f"definitions/load/{name}" for name in ("_card.json", "_meta.json", "_link.json")),
    "definitions/load/_outputs.fbs", "definitions/load/default.nix",
    *(f"{SRC}m.{end}" for end in ENDINGS),
    f"{SRC}deep/er/m.py",
]  # fmt: skip
NOT_ALLOWED = [
    "layout.json", "definitions/load/layout.json", "data/x.py", "data/_card.json", "README.md",
    ".tsugumi/state.json", f"{SRC}m.txt", f"{SRC}m.PY", f"{SRC}py", f"{SRC}m.py.bak", "main.py",
    "definitions/_card.json", "definitions/a/b/_card.json", "definitions/load/main.py",
    "flake.lock",
    ".gitignore", "definitions/load/_card.json.orig", "x/tsugumi.json", f"{SRC}image.png",
]  # fmt: skip


def test_only_allowed_files_are_shown_and_the_others_are_counted() -> None:
    new = dict.fromkeys([*ALLOWED, *NOT_ALLOWED], b"x = 1\n")
    diff = diff_of({}, new)
    assert [file.path for file in diff.files] == sorted(ALLOWED)
    assert diff.outcome.left_out.not_allowed == len(NOT_ALLOWED)
    said = msgspec.json.encode(diff).decode() + repr(diff)
    assert not any(path in said for path in NOT_ALLOWED if not any(path in a for a in ALLOWED))
    gone = diff_of(new, {})
    assert {file.status for file in gone.files} == {DiffStatus.DELETED}
    assert gone.outcome.left_out == diff.outcome.left_out


def test_nothing_that_may_be_seen_is_no_text() -> None:
    assert diff_of({}, {"layout.json": b"{}"}).text == ""
    same = {"tsugumi.json": b"{}"}
    assert diff_of(same, same) == VersionDiff(format="tsugumi", outcome=DiffOutcome())


def test_a_link_shows_its_target_only_within_what_may_be_seen() -> None:
    def link(target: str) -> Files:
        return {f"{SRC}l.py": File(target.encode(), mode=Mode.LINK)}

    shown = diff_of(link("a.py"), link("../../bands/src/b.py"))
    assert rows(shown) == ["-a.py", "+../../bands/src/b.py"]
    for target in ("/etc/passwd", "../../../data/events.bin", "../../../../out.py", "notes.txt"):
        hidden = diff_of(link("a.py"), link(target))
        assert (hidden.files[0].compared, rows(hidden)) == (Compared.HIDDEN_LINK, [])
        assert "link target not shown" in hidden.text
        assert target not in msgspec.json.encode(hidden).decode()
        became = diff_of({f"{SRC}l.py": b"x\n"}, link(target))
        assert target not in became.text
        assert [file.status.value for file in became.files] == ["deleted", "added"]


def test_binary_files_are_named_and_not_shown() -> None:
    diff = diff_of({f"{SRC}a.py": b"x\n"}, {f"{SRC}a.py": b"x\n\0y\n"})
    assert "Binary files" in diff.text
    assert (diff.files[0].compared, rows(diff)) == (Compared.BINARY, [])
    # As git has it: a NUL far behind leaves it text.
    late = b"x\n" * 4_000 + b"\0\n"
    assert diff_of({}, {f"{SRC}a.py": late}).files[0].compared is Compared.TEXT


def test_submodules_are_counted(tmp_path: Path) -> None:
    git = Git.init(tmp_path, "--bare")
    blob = git.blob(b"{}")
    commit = git.commit(git.tree())
    src = git.tree(("160000", b"mod.py", commit))
    load = git.tree(("100644", b"_card.json", blob), ("40000", b"src", src))
    definitions = git.tree(("40000", b"load", load))
    git.chain(
        git.tree(),
        git.tree(("40000", b"definitions", definitions), ("100644", b"tsugumi.json", blob)),
    )
    diff = Repository.open(tmp_path).version_diff("main")
    assert [file.path for file in diff.files] == ["definitions/load/_card.json", "tsugumi.json"]
    assert diff.outcome.left_out.submodules == 1
    assert "mod.py" not in msgspec.json.encode(diff).decode()


def test_a_file_that_moved_across_the_border_is_not_told_to_have() -> None:
    text = b"".join(b"line %d\n" % n for n in range(30))
    into = diff_of({"data/private/customer.py": text}, {f"{SRC}a.py": text})
    assert [(file.status, file.old_path) for file in into.files] == [(DiffStatus.ADDED, None)]
    out = diff_of({f"{SRC}a.py": text}, {"data/private/customer.py": text})
    assert [file.status for file in out.files] == [DiffStatus.DELETED]
    for diff in (into, out):
        assert "customer" not in msgspec.json.encode(diff).decode()
        assert diff.outcome.left_out.not_allowed == 1


def test_a_file_that_moved_within_is_one_file() -> None:
    text = b"".join(b"line %d\n" % n for n in range(30))
    old, new = {f"{SRC}a.py": text}, {f"{SRC}deep/a.py": text + b"more\n"}
    (file,) = diff_of(old, new).files
    assert (file.status, file.old_path, file.added, file.removed) == (
        DiffStatus.RENAMED,
        f"{SRC}a.py",
        1,
        0,
    )
    assert len(diff_of(old, new, rewrites=Rewrites.NONE).files) == 2
    assert len(diff_of(old, new, rewrites=Rewrites.EXACT).files) == 2


def test_a_mode_alone_is_a_change() -> None:
    old, new = ({f"{SRC}a.sh": File(b"x\n", mode=mode)} for mode in (Mode.FILE, Mode.EXECUTABLE))
    diff = diff_of(old, new)
    assert "old mode 100644\nnew mode 100755\n" in diff.text
    assert diff.files[0].extent is Extent.EXACT


def test_paths_limit_what_is_looked_at() -> None:
    new = {f"{SRC}a.py": b"", "definitions/b/_card.json": b"{}", "layout.json": b"{}"}
    diff = diff_of({}, new, paths=["definitions/b"])
    assert [file.path for file in diff.files] == ["definitions/b/_card.json"]
    assert diff.outcome.left_out.not_allowed == 0


# ── JSON ────────────────────────────────────────────────────────────────────────────────────────

CARD = "definitions/load/_card.json"


def test_key_order_and_white_space_are_no_change() -> None:
    old = {CARD: b'{"a": 1, "b": [1, 2]}', f"{SRC}m.py": b"x\n"}
    new = {CARD: b'{\n  "b": [1,\n 2],\n "a": 1}\n', f"{SRC}m.py": b"y\n"}
    diff = diff_of(old, new)
    assert [file.path for file in diff.files] == [f"{SRC}m.py"]
    assert diff.outcome.left_out.format_only == 1
    assert len(diff_of(old, new, json="as_written").files) == 2


def test_a_change_in_json_shows_its_lines_only() -> None:
    diff = diff_of(
        {CARD: b'{"b":1,"a":{"x":"old","y":2}}'}, {CARD: b'{"a":{"y":2,"x":"new"},"b":1}'}
    )
    assert [row for row in rows(diff) if row[0] != " "] == ['-    "x": "old",', '+    "x": "new",']
    assert (diff.files[0].compared, diff.files[0].extent) == (Compared.CANONICAL_JSON, Extent.WHOLE)


@pytest.mark.parametrize(
    "broken", [b'{"a": 1, "a": 2}', b'{"a": 1,', b"", b"no json", b"\xef\xbb\xbf{,}", b'{"a": NaN}']
)
def test_what_is_no_json_is_compared_as_it_is_written(broken: bytes) -> None:
    good = b'{"b":1,"a":2}'
    for old, new in ((broken, good), (good, broken), (broken, broken + b"\n ")):
        diff = diff_of({CARD: old}, {CARD: new})
        (file,) = diff.files
        assert file.compared is Compared.TEXT
        assert file.extent is Extent.EXACT
        if good in (old, new):
            assert any('{"b":1,"a":2}' in row for row in rows(diff))


# ── Text ────────────────────────────────────────────────────────────────────────────────────────


def test_bytes_that_are_no_utf8_and_control_characters_are_seen() -> None:
    diff = diff_of(
        {},
        {
            f"{SRC}a.py": "caf\xe9 \x1b[31m\u202e\r\nx\ry\n".encode("utf-8").replace(
                b"\xc3\xa9", b"\xe9"
            )
        },
    )
    assert rows(diff) == ["+caf<E9> ^[[31m<U+202E>\r", "+x^My"]
    assert diff.files[0].extent is Extent.WHOLE


def test_line_ends_alone_are_said_to_be_so() -> None:
    old, new = {f"{SRC}a.py": b"a\nb\n"}, {f"{SRC}a.py": b"a\r\nb\r\n"}
    assert "only line ends: LF → CRLF" in diff_of(old, new).text
    assert "only line ends: CRLF → LF" in diff_of(new, old).text
    assert "改行コードのみ: LF → CRLF" in diff_of(old, new, language="ja").text


def test_a_rotated_key_is_a_changed_line_with_nothing_in_it() -> None:
    for tokens in (
        [planted.github_token(1), planted.github_token(2)],
        [planted.private_key(1), planted.private_key(2)],
    ):
        old, new = ({f"{SRC}a.py": f'a\nkey = """{t}"""\nb\n'.encode()} for t in tokens)
        diff = diff_of(old, new)
        removed = [row[1:] for row in rows(diff) if row[0] == "-"]
        added = [row[1:] for row in rows(diff) if row[0] == "+"]
        assert removed == added != []
        assert all("[secret hidden]" in row for row in removed)
        assert {finding.line for finding in diff.findings} == {2}


def test_a_rotated_key_in_a_long_line_shows_the_same_on_both_sides() -> None:
    prompt = "word " * 800
    passwords = [planted.drawn(length, seed=length) for length in (14, 60, 200)]
    shown = set()
    for before in passwords:
        for after in passwords:
            if before != after:
                texts = [
                    f'"{prompt} postgres:' + f'//u:{p}@db.example.org/x {prompt}"\n'
                    for p in (before, after)
                ]
                diff = diff_of({f"{SRC}a.py": texts[0].encode()}, {f"{SRC}a.py": texts[1].encode()})
                removed, added = (row[1:] for row in rows(diff))
                assert removed == added
                assert "[secret hidden]" in added
                shown.add(added)
    # Neither do the windows around it tell how long it is.
    assert len(shown) == 1


def test_a_password_in_another_encoding_is_hidden() -> None:
    for password in ("éàùéç", "éhunter-zwölfé"):
        url = ("postgres:" + f"//u:{password}@db.example.org/x").encode("latin-1")
        diff = diff_of({}, {f"{SRC}a.py": b"url = '" + url + b"'\n"})
        assert rows(diff) == ["+url = '[secret hidden]'"]
        assert [finding.rule for finding in diff.findings] == ["postgres-url"]


def test_rules_are_what_is_hidden() -> None:
    new = {f"{SRC}a.py": f"a = '{planted.github_token()}'\n".encode()}
    assert "[secret hidden]" in diff_of({}, new).text
    rules = Rules.default().without("github-token")
    diff = diff_of({}, new, rules=rules)
    assert diff.findings == ()
    assert planted.github_token() in diff.text


# ── Formats, options, errors ────────────────────────────────────────────────────────────────────


def test_the_format_is_found_by_looking_at_the_files() -> None:
    project = {"tsugumi.json": b"{}", CARD: b'{"name": "load"}'}
    assert version_diff({}, project).format == "tsugumi"
    assert version_diff(project, {}).format == "tsugumi"
    assert version_diff(project, None).format == "tsugumi"
    with pytest.raises(UnsupportedFormat):
        version_diff({"a": b""}, {"b": b""})
    with pytest.raises(NotFound, match="built in"):
        version_diff({}, project, format="nothing")


@pytest.mark.parametrize(("file", "total"), [(-1, 1), (1, -1), (1 << 31, 1), (1, 1 << 40)])
def test_limits_are_numbers_of_bytes(file: int, total: int) -> None:
    with pytest.raises(InvalidInput, match="limits"):
        Limits(file=file, total=total)


def test_options_that_are_none_are_refused() -> None:
    wrong: list[dict[str, Any]] = [{"on_secret": "maybe"}, {"json": "pretty"}, {"language": "fr"}]
    for options in wrong:
        with pytest.raises((InvalidInput, TypeError, ValueError)):
            version_diff({}, {}, format="tsugumi", **options)


def test_on_secret_fail_names_file_line_and_rule() -> None:
    token = planted.github_token()
    new = {f"{SRC}a.py": f"x\na = '{token}'\nb = '{planted.private_key()}'\n".encode()}
    with pytest.raises(SecretFound) as raised:
        version_diff({}, new, format="tsugumi", on_secret="fail")
    message = str(raised.value)
    assert all(part in message for part in (f"{SRC}a.py", "line 2", "github-token", "1 more"))
    assert token not in message
    assert version_diff({}, {f"{SRC}a.py": b"x\n"}, format="tsugumi", on_secret="fail").text


def test_no_error_names_a_secret_in_a_path(tmp_path: Path) -> None:
    token = planted.github_token()
    places: list[Any] = [
        {f"{SRC}{token}//a.py": b""},
        {f"{SRC}{token}/../a.py": b""},
        {f"{token}": b"", f"{token}/a": b""},
    ]
    broken = tmp_path / "definitions" / "load" / "src"
    broken.mkdir(parents=True)
    unreadable = broken / f"{token}.py"
    if hasattr(os, "mkfifo"):
        os.mkfifo(unreadable)
    for place in [*places, tmp_path]:
        try:
            said = msgspec.json.encode(version_diff({}, place, format="tsugumi")).decode()
        except VersionDiffError as error:
            said = str(error) + repr(error)
        assert token not in said


# ── Values ──────────────────────────────────────────────────────────────────────────────────────


def test_a_version_diff_is_written_again_as_it_was_read() -> None:
    token = planted.github_token()
    old = {CARD: b'{"name": "load"}', f"{SRC}a.py": b"x\n", "layout.json": b"{}"}
    new = {
        CARD: json.dumps({"name": token}).encode(),
        f"{SRC}b.py": b"y\n" * 900,
        "layout.json": b"[]",
    }
    diff = diff_of(old, new, limits=Limits(file=300, total=700))
    text = msgspec.json.encode(diff)
    assert msgspec.json.decode(text, type=VersionDiff) == diff
    for path in (b'{"format"', b'{"status"', b'{"rule"', b'{"left_out"'):
        assert path in text
        with pytest.raises(msgspec.ValidationError, match="unknown field"):
            msgspec.json.decode(text.replace(path, b'{"more":1,' + path[1:], 1), type=VersionDiff)


def test_a_version_diff_does_not_show_its_text() -> None:
    diff = diff_of({}, {f"{SRC}a.py": b"some_line_of_code\n"})
    assert "some_line_of_code" in diff.text
    assert "some_line_of_code" not in repr(diff)
    assert f"{len(diff.text.encode())} bytes" in repr(diff)


# ── Repositories ────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def git(tmp_path: Path) -> Git:
    """Six versions of a project: edits, a secret in the fourth, a file that may not be seen."""
    git = Git.init(tmp_path / "git", "--bare")
    token = planted.github_token()
    sources = [
        b"a = 1\n",
        b"a = 2\n",
        b"a = 2\n",
        f"a = '{token}'\n".encode(),
        b"a = 3\n" * 3_000,
        b"a = 4\n",
    ]
    trees = []
    for number, source in enumerate(sources):
        src = git.tree(("100644", b"m.py", git.blob(source)))
        card = git.blob(b'{"name": "load", "n": %d}' % number)
        load = git.tree(("100644", b"_card.json", card), ("40000", b"src", src))
        layout = git.blob(b"{}" if number < 2 else b"[]")
        trees.append(
            git.tree(
                ("40000", b"definitions", git.tree(("40000", b"load", load))),
                ("100644", b"layout.json", layout),
                ("100644", b"tsugumi.json", git.blob(b"{}")),
            )
        )
    git.chain(*trees)
    return git


def test_a_history_is_its_versions_one_by_one(git: Git) -> None:
    repository = Repository.open(git.path)
    versions = list(repository.version_diffs(order=Order.OLDEST_FIRST))
    assert len(versions) == 6
    snapshots = [None, *(repository.snapshot(v.version.id) for v in versions)]
    for version, old, new in zip(versions, snapshots, snapshots[1:], strict=False):
        assert version.diff == version_diff(old, new, format="tsugumi")
        assert version.diff == repository.version_diff(version.version.id)
    assert list(repository.version_diffs()) == versions[::-1]


@pytest.mark.parametrize(
    "options",
    [{}, {"limits": Limits(file=200, total=300)}, {"language": "ja"}, {"on_secret": "fail"}],
)
def test_the_number_of_threads_changes_nothing(git: Git, options: Any) -> None:
    repository = Repository.open(git.path)
    found = [list(repository.version_diffs(threads=threads, **options)) for threads in (1, 2, 5)]
    assert found == [found[0]] * 3


def test_a_version_with_a_secret_is_an_error_and_the_walk_goes_on(git: Git) -> None:
    versions = list(
        Repository.open(git.path).version_diffs(on_secret="fail", order=Order.OLDEST_FIRST)
    )
    # The secret is on the new side of one version and on the old side of the next.
    failed = [n for n, version in enumerate(versions) if version.error is not None]
    assert failed == [3, 4]
    for number in failed:
        error = versions[number].error
        assert error is not None
        assert error.code is FailureCode.SECRET
        assert versions[number].diff is None
        assert "github-token" in error.message
    assert planted.github_token() not in msgspec.json.encode(versions).decode()
    with pytest.raises(SecretFound):
        Repository.open(git.path).version_diff("HEAD~2", on_secret="fail")


def test_paths_leave_out_versions_that_touch_none_of_them(git: Git) -> None:
    repository = Repository.open(git.path)
    versions = list(
        repository.version_diffs(paths=["definitions/load/src"], order=Order.OLDEST_FIRST)
    )
    assert [[f.path for f in v.diff.files] for v in versions if v.diff] == [[f"{SRC}m.py"]] * 5
    untouched = repository.version_diff("HEAD~3", paths=["definitions/load/src"])
    assert (untouched.format, untouched.text, untouched.files) == ("tsugumi", "", ())


def test_a_missing_object_is_named_and_ends_only_its_version(git: Git) -> None:
    gone = git.text("rev-parse", "HEAD~4:definitions/load/src/m.py")
    git.loose_object(gone).unlink()
    repository = Repository.open(git.path)
    versions = list(repository.version_diffs(order=Order.OLDEST_FIRST))
    errors = [n for n, version in enumerate(versions) if version.error is not None]
    # It is the new side of the second version, and the old side of the fourth.
    assert errors == [1, 3]
    for number in errors:
        error = versions[number].error
        assert error is not None
        assert gone in error.message
    with pytest.raises(NotFound, match=gone):
        repository.version_diff("HEAD~4")


def test_a_history_diff_is_written_again_as_it_was_read(git: Git) -> None:
    for version in Repository.open(git.path).version_diffs(on_secret="fail"):
        text = msgspec.json.encode(version)
        assert msgspec.json.decode(text, type=HistoryDiff) == version
