"""Package diffs: what is told of each file, and what to look at twice."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import msgspec
import pytest

from oracle.repositories import Git
from packages.trees import changed, tree
from versiondiff import File, InvalidInput, Mode, Rewrites, _core
from versiondiff.packages import (
    ContentKind,
    FileStatus,
    GeneratedKind,
    HunkLine,
    LineSide,
    PackageDiff,
    PackageFile,
    PackageFinding,
    PackageFindingKind,
    package_diff,
    package_diff_json,
)
from versiondiff.packages.difference import shown_path
from versiondiff.snapshots import as_source

if TYPE_CHECKING:
    from pathlib import Path

    from versiondiff.snapshots import Files


def lines(*numbers: int) -> bytes:
    return b"".join(b"line %d\n" % number for number in numbers)


def findings(old: Files, new: Files) -> list[PackageFinding]:
    return list(package_diff(old, new).findings)


def kinds(old: Files, new: Files) -> list[PackageFindingKind]:
    return [finding.kind for finding in findings(old, new)]


# ── The listing ─────────────────────────────────────────────────────────────────────────────────


def test_files_stand_by_the_components_of_their_paths_and_gone_ones_last() -> None:
    paths = ["a.rb", "a/x.rb", "a/x/y.rb", "a-b", "B", "a"]
    new = {path: b"new\n" for path in paths if path != "a"}
    diff = package_diff({"a/gone": b"1\n", "zz": b"2\n"}, new | {"zz": b"3\n"})
    assert [file.path for file in diff.files] == [
        "B", "a/x/y.rb", "a/x.rb", "a-b", "a.rb", "zz", "a/gone",
    ]  # fmt: skip
    assert (diff.added, diff.removed) == (6, 2)


def test_a_hunk_has_both_line_numbers() -> None:
    (file,) = package_diff(
        {"a": lines(*range(20))}, {"a": lines(*range(10), 99, *range(11, 20))}
    ).files
    (hunk,) = file.hunks
    assert (hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines) == (8, 7, 8, 7)
    assert hunk.heading == "line 6"
    assert hunk.lines[2:6] == (
        HunkLine(kind=LineSide.CONTEXT, old=10, new=10, text="line 9"),
        HunkLine(kind=LineSide.REMOVED, old=11, text="line 10"),
        HunkLine(kind=LineSide.ADDED, new=11, text="line 99"),
        HunkLine(kind=LineSide.CONTEXT, old=12, new=12, text="line 11"),
    )


def test_a_line_without_a_line_feed_says_so() -> None:
    (file,) = package_diff({"a": b"one\ntwo"}, {"a": b"one\ntwo\n"}).files
    assert [(line.text, line.ends_without_newline) for line in file.hunks[0].lines] == [
        ("one", False),
        ("two", True),
        ("two", False),
    ]


def test_lines_that_are_no_utf8_are_there_exactly() -> None:
    (file,) = package_diff({"a": b"caf\xe9\n"}, {"a": b"caf\xe8\n"}).files
    assert file.hunks[0].body == "-caf\ufffd\n+caf\ufffd\n"
    assert file.hunks[0].raw_body == b"-caf\xe9\n+caf\xe8\n"


def test_the_context_may_be_any_number_of_lines() -> None:
    old, new = {"a": lines(*range(30))}, {"a": lines(*range(15), *range(16, 30))}
    for context, count in ((0, 1), (1, 3), (100, 30)):
        (file,) = package_diff(old, new, context=context).files
        assert file.hunks[0].old_lines == count
    with pytest.raises(InvalidInput, match="context"):
        package_diff(old, new, context=-1)


def test_without_hunks_the_listing_is_the_same() -> None:
    old, new = {"a": lines(1, 2, 3), "b": b"\0"}, {"a": lines(1, 3), "c": b"\0\1"}
    whole, listing = package_diff(old, new), package_diff(old, new, hunks=False)
    assert whole.files[0].hunks
    without = [msgspec.structs.replace(file, hunks=()) for file in whole.files]
    assert list(listing.files) == without
    assert listing.findings == whole.findings


def test_renames_are_found_whatever_the_names() -> None:
    old = {"known/hooks/known.rb": lines(*range(40))}
    new = {"known/plugin.rb": lines(*range(40), 50, 51)}
    (file,) = package_diff(old, new).files
    assert (file.status, file.shown) == (FileStatus.RENAMED, "known/{hooks/known.rb → plugin.rb}")
    assert (file.added, file.removed, file.similarity) == (2, 0, 95)
    for rewrites in (Rewrites.NONE, Rewrites.EXACT):
        statuses = [file.status for file in package_diff(old, new, rewrites=rewrites).files]
        assert statuses == [FileStatus.ADDED, FileStatus.DELETED]


def test_renames_that_were_not_looked_for_are_told() -> None:
    old = {f"old/{number}": lines(number, 1, 2) for number in range(1_001)}
    new = {f"new/x{number}": lines(number, 3, 4) for number in range(1_001)}
    assert package_diff(old, new, hunks=False).not_compared == 1_001 * 1_001


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("a", "b", "a → b"),
        ("a/b", "b", "{a → }/b"),
        ("a/x.py", "a/y.py", "a/{x.py → y.py}"),
        ("a/b/c", "a/c", "a/{b → }/c"),
        ("a/c", "a/b/c", "a/{ → b}/c"),
        ("ab/x", "ac/x", "{ab → ac}/x"),
        ("a/a/a", "a/a", "a/{a → }/a"),
        ("lib/x/one.rb", "lib/y/two.rb", "lib/{x/one.rb → y/two.rb}"),
    ],
)
def test_paths_of_renames_share_whole_components(old: str, new: str, shown: str) -> None:
    assert shown_path(old, new) == shown


def test_paths_of_renames_are_written_as_git_writes_them(tmp_path: Path) -> None:
    dice = random.Random(3)
    pairs: dict[str, str] = {}
    while len(pairs) < 60:
        # The first component keeps files of one pair out of the folders of another.
        first = f"p{len(pairs)}"
        old, new = ("/".join(dice.choices("ab", k=dice.randrange(1, 5))) for _ in range(2))
        if (
            old != new
            and not f"{old}/".startswith(f"{new}/")
            and not f"{new}/".startswith(f"{old}/")
        ):
            pairs[f"{first}/{old}"] = f"{first}/{new}"
    git = Git.init(tmp_path / "repository")
    for at, (old, new) in enumerate(pairs.items()):
        for path in (old, new):
            (git.path / path).parent.mkdir(parents=True, exist_ok=True)
        (git.path / old).write_text(f"{at}\n")
    git.run("add", "--all")
    git.run("commit", "--quiet", "--message", "old")
    for old, new in pairs.items():
        (git.path / old).rename(git.path / new)
    git.run("add", "--all")
    theirs = git.text("diff", "--cached", "-M100%", "--numstat").splitlines()
    assert sorted(line.split("\t")[2] for line in theirs) == sorted(
        shown_path(old, new).replace(" → ", " => ") for old, new in pairs.items()
    )


# ── What files are ──────────────────────────────────────────────────────────────────────────────


def test_binary_is_told_by_the_content() -> None:
    old = {"a.png": b"text\n", "b.txt": b"\0", "c": b"x" * 8_000 + b"\0"}
    new = {"a.png": b"text\n2\n", "b.txt": b"\0\0", "c": b"y" * 8_000 + b"\0"}
    files = package_diff(old, new).files
    assert [file.content for file in files] == [
        ContentKind.TEXT,
        ContentKind.BINARY,
        ContentKind.TEXT,
    ]
    assert (files[1].added, files[1].removed, files[1].hunks) == (None, None, ())


def test_what_no_one_wrote_is_labelled_and_still_compared() -> None:
    new = {
        "Cargo.lock": b"version = 4\n",
        "app.min.js": b"a()\n",
        "bundle.js": b"a(1);" * 1_000,
        "gen.py": b"# @generated by hand\n",
        "hand.py": b"# written\n",
    }
    files = package_diff(None, new).files
    assert {file.path: file.generated for file in files} == {
        "Cargo.lock": GeneratedKind.LOCK_FILE,
        "app.min.js": GeneratedKind.MINIFIED,
        "bundle.js": GeneratedKind.MINIFIED,
        "gen.py": GeneratedKind.GENERATED,
        "hand.py": None,
    }
    assert all(file.hunks and file.added for file in files)


def test_modes_and_kinds_that_change_are_told() -> None:
    old = {"run": File(b"x\n"), "kind": File(b"x\n"), "both": File(b"x\n")}
    new = {
        "run": File(b"x\n", Mode.EXECUTABLE),
        "kind": File(b"run", Mode.LINK),
        "both": File(b"y\n", Mode.EXECUTABLE),
    }
    files = {file.path: file for file in package_diff(old, new).files}
    assert {path: file.status for path, file in files.items()} == {
        "both": FileStatus.CHANGED,
        "kind": FileStatus.TYPE_CHANGED,
        "run": FileStatus.MODE_CHANGED,
    }
    assert (files["run"].old_mode, files["run"].new_mode) == (Mode.FILE, Mode.EXECUTABLE)
    assert all(file.mode_changed for file in files.values())


# ── What to look at twice ───────────────────────────────────────────────────────────────────────


def test_executables_and_binaries_are_found() -> None:
    old = {"tool": File(b"x\n"), "was": File(b"x\n", Mode.EXECUTABLE), "text": File(b"x\n")}
    new = {
        "tool": File(b"x\n", Mode.EXECUTABLE),
        "was": File(b"x\n"),
        "text": File(b"\0"),
        "new": File(b"\0", Mode.EXECUTABLE),
    }
    found = [(finding.path, finding.kind) for finding in findings(old, new)]
    assert found == [
        ("new", PackageFindingKind.NEW_EXECUTABLE),
        ("new", PackageFindingKind.NEW_BINARY),
        ("text", PackageFindingKind.NEW_BINARY),
        ("tool", PackageFindingKind.MADE_EXECUTABLE),
        ("was", PackageFindingKind.NOT_EXECUTABLE),
    ]
    # Nothing of what is gone, of a binary that changed, or of an executable that moved.
    assert kinds({"a": b"\0", "b": b"\0"}, {"a": b"\0\1"}) == []
    moved = File(lines(*range(20)), Mode.EXECUTABLE)
    assert kinds({"a/x": moved}, {"b/x": moved}) == []


def test_links_are_found_with_their_targets() -> None:
    old: dict[str, bytes | File] = {"moved": File(b"a", Mode.LINK), "file": b"x\n"}
    new: dict[str, bytes | File] = {
        "moved": File(b"../b", Mode.LINK),
        "file": File(b"lib/x", Mode.LINK),
        "lib/up": File(b"../file", Mode.LINK),
        "lib/out": File(b"../../etc/passwd", Mode.LINK),
        "root": File(b"/etc/passwd", Mode.LINK),
    }
    found = [
        (finding.path, finding.kind.value, finding.old, finding.new)
        for finding in findings(old, new)
    ]
    assert found == [
        ("file", "new_link", None, "lib/x"),
        ("lib/out", "new_link", None, "../../etc/passwd"),
        ("lib/out", "link_outside", None, "../../etc/passwd"),
        ("lib/up", "new_link", None, "../file"),
        ("moved", "link_changed", "a", "../b"),
        ("moved", "link_outside", None, "../b"),
        ("root", "new_link", None, "/etc/passwd"),
        ("root", "link_outside", None, "/etc/passwd"),
    ]
    assert kinds({"a": File(b"b", Mode.LINK)}, {"a": b"file\n"}) == [
        PackageFindingKind.NEW_FILE_FOR_OTHER
    ]


def test_files_that_run_by_themselves_are_found() -> None:
    old = {"setup.py": b"1\n"}
    new = {"setup.py": b"2\n", "x/build.rs": b"\n", "site/evil.pth": b"import os\n", "x.py": b"\n"}
    assert [(finding.path, finding.kind) for finding in findings(old, new)] == [
        ("setup.py", PackageFindingKind.HOOK_CHANGED),
        ("site/evil.pth", PackageFindingKind.NEW_HOOK),
        ("x/build.rs", PackageFindingKind.NEW_HOOK),
    ]


@pytest.mark.parametrize("hidden", ["\u202e", "\u2066", "\x1b[2J", "\u200b", "\x07", "\U000e0041"])
def test_hidden_characters_in_new_lines_are_found(hidden: str) -> None:
    clean = "one\ntwo\n"
    new = f"{clean}x{hidden}\nthree\ny{hidden}z\n"
    (finding,) = findings({"a": clean.encode()}, {"a": new.encode()})
    assert (finding.kind, finding.line, finding.count) == (
        PackageFindingKind.HIDDEN_CHARACTERS,
        3,
        2,
    )
    # Those that were there before are none of this change.
    assert findings({"a": new.encode()}, {"a": (new + "more\n").encode()}) == []


@pytest.mark.parametrize("plain", ["tab\t", "form\x0c", "crlf\r", "読み込み", "👩\u200d👧", "“é”"])
def test_plain_characters_are_no_finding(plain: str) -> None:
    assert findings({"a": b""}, {"a": f"\ufeff{plain}\n".encode()}) == []


def test_hidden_characters_in_names_are_found() -> None:
    for name in ("a\u202eb", "a\x1b[31m", "new\nline"):
        assert kinds(None, {name: b"x\n"}) == [PackageFindingKind.HIDDEN_IN_NAME]
    assert kinds(None, {b"caf\xe9": b"x\n"}) == [PackageFindingKind.HIDDEN_IN_NAME]
    assert kinds(None, {"読み": b"x\n"}) == []


# ── Manners ─────────────────────────────────────────────────────────────────────────────────────


def test_it_stands_as_json_and_comes_back() -> None:
    old = {b"caf\xe9": b"1\n", b"gone": b"\0"}
    new = {b"caf\xe9": b"2", b"new": b"\xff\n"}
    diff = package_diff(old, new, name="demo", old_version="1", new_version="2")
    assert msgspec.json.decode(msgspec.json.encode(diff), type=PackageDiff) == diff


@pytest.mark.parametrize("seed", range(6))
def test_what_the_core_writes_is_read_and_written_again_byte_for_byte(seed: int) -> None:
    dice = random.Random(seed)
    old = tree(dice)
    files, findings, _, _ = _core.package_diff(
        as_source(old),
        as_source(changed(dice, old)),
        context=3,
        rewrites="similar",
        paths=[],
        hunks=True,
        beside=False,
    )
    assert files
    for text in files:
        assert msgspec.json.encode(msgspec.json.decode(text, type=PackageFile)) == text
    values = msgspec.json.decode(findings, type=tuple[PackageFinding, ...])
    assert msgspec.json.encode(values) == findings


@pytest.mark.parametrize("name", [None, "demo"])
@pytest.mark.parametrize(
    "new", [{}, {"a": b"x\n"}, {"a": b"x\n", "setup.py": b"y\n", "b": b"\0"}], ids=len
)
@pytest.mark.parametrize("gone", [0, 1, 1_001])
def test_its_json_in_parts_is_its_json(name: str | None, new: dict[str, bytes], gone: int) -> None:
    old = {f"old/{number}": lines(number) for number in range(gone)}
    new = new | {f"new/{number}x": lines(number, 1, 2) for number in range(gone)}
    parts, differs = package_diff_json(old, new, name=name)
    diff = package_diff(old, new, name=name)
    assert b"".join(parts) == msgspec.json.encode(diff)
    assert differs == diff.differs


def test_nothing_is_nothing() -> None:
    assert package_diff(None, None) == PackageDiff()
    assert package_diff({"a": b"x"}, {"a": b"x"}) == PackageDiff()


def test_progress_is_told_and_may_end_it() -> None:
    class Enough(Exception):
        pass

    def stop(done: int, total: int | None) -> None:
        if total is not None:
            assert 0 <= done < total == count
            raise Enough

    # However fast the machine is, at some number of files it takes long enough to be told of.
    body = [b"%d\n" % number for number in range(1_000)]
    old = b"".join(body)
    random.Random(1).shuffle(body)
    new = b"".join(body)
    with pytest.raises(Enough):  # noqa: PT012 (only the last of them raises)
        for count in (100, 1_000, 10_000, 100_000):
            sides = [{f"{number}": side for number in range(count)} for side in (old, new)]
            package_diff(*sides, hunks=False, progress=stop)


def test_paths_narrow_what_is_looked_at() -> None:
    diff = package_diff(None, {"a/x": b"1\n", "b/x": b"1\n"}, paths=["b"])
    assert [file.path for file in diff.files] == ["b/x"]
