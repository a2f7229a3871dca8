"""Package diffs as text, in both languages, and what can't be forged in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from versiondiff import File, InvalidInput, Mode, wording
from versiondiff.packages import (
    ArchiveReason,
    ArchiveReasonKind,
    ContentKind,
    EntryFlag,
    FileStatus,
    GeneratedKind,
    Hunk,
    PackageDiff,
    PackageFile,
    PackageFinding,
    PackageFindingKind,
    finding_line,
    package_diff,
    package_page,
    render_package,
)
from versiondiff.records import LANGUAGES

if TYPE_CHECKING:
    from versiondiff.wording import Language

OLD: dict[str, bytes | File] = {
    "README.md": b"".join(b"%d\n" % number for number in range(1, 13)),
    "lib/hooks/names.rb": b"".join(b"name %d\n" % number for number in range(10)),
    "lib/run": b"run\n",
    "lib/gone.rb": b"gone\n",
    "logo.png": b"\0png",
}
NEW: dict[str, bytes | File] = {
    "README.md": b"".join(b"%d\n" % number for number in range(1, 12)) + b"twelve",
    "lib/plugin.rb": b"".join(b"name %d\n" % number for number in range(10)) + b"more\n",
    "lib/run": File(b"run\n", Mode.EXECUTABLE),
    "logo.png": b"\0PNG",
    "uv.lock": b"version = 1\n",
}

ENGLISH = """\
demo 1.0 → 1.1
Files changed (6)
  1. README.md +1 -1
  2. lib/{hooks/names.rb → plugin.rb} +1 -0
  3. lib/run +0 -0 (mode 100644 → 100755)
  4. logo.png (binary)
  5. uv.lock +1 -0 (lock file)
  6. lib/gone.rb +0 -1

Look twice (1)
  lib/run: made executable

README.md CHANGED
@@ -9,4 +9,4 @@
 9  9   9
10 10   10
11 11   11
12    - 12
   12 + twelve
      \\ No newline at end of file

lib/{hooks/names.rb → plugin.rb} RENAMED
@@ -8,3 +8,4 @@ name 6
 8  8   name 7
 9  9   name 8
10 10   name 9
   11 + more

uv.lock ADDED (lock file)
@@ -0,0 +1,1 @@
  1 + version = 1

lib/gone.rb DELETED
@@ -1,1 +0,0 @@
1   - gone"""


def demo() -> PackageDiff:
    return package_diff(OLD, NEW, name="demo", old_version="1.0", new_version="1.1")


def test_the_text_is_listing_findings_and_hunks() -> None:
    assert render_package(demo()) == ENGLISH


def test_the_listing_stands_alone() -> None:
    assert render_package(demo(), hunks=False) == ENGLISH.split("\n\nREADME.md", maxsplit=1)[0]


def test_the_japanese_text_has_the_same_lines() -> None:
    japanese = render_package(demo(), language="ja").splitlines()
    english = ENGLISH.splitlines()
    assert len(japanese) == len(english)
    assert japanese[1] == "変更されたファイル (6)"
    assert japanese[4] == "  3. lib/run +0 -0 (モード 100644 → 100755)"
    same = [line for line, other in zip(japanese, english, strict=True) if line == other]
    assert "   12 + twelve" in same


def test_nothing_changed_is_said() -> None:
    assert render_package(package_diff(None, None)) == "No changes"


def test_a_language_that_is_not_spoken_is_refused() -> None:
    with pytest.raises(InvalidInput, match="language"):
        render_package(demo(), language="fr")  # type: ignore[arg-type]


HOSTILE = [
    "\x1b[31m", "\x1b]0;title\x07", "\u202e", "\u2066", "\u2028", "\u200b", "\r", "\x08", "\x85",
    "\x7f",
]  # fmt: skip


@pytest.mark.parametrize("hidden", HOSTILE)
@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_in_files_or_names_can_forge_the_text(hidden: str, language: Language) -> None:
    line = f"a{hidden}b"
    old = {f"x/{line}/old": f"{line}\n1\n".encode() * 9, f"h{hidden}": b"head\n" * 9}
    new: dict[str, bytes | File] = {
        f"x/{line}/new": f"{line}\n1\n".encode() * 9 + line.encode(),
        f"h{hidden}": f"{line}\n".encode() + b"head\n" * 8,
        "link": File(line.encode(), Mode.LINK),
    }
    diff = package_diff(old, new, name=line, old_version=line, new_version=line)
    shown = render_package(diff, language=language)
    clean = render_package(
        package_diff(
            {path.replace(hidden, "?"): content for path, content in old.items()},
            {path.replace(hidden, "?"): content for path, content in new.items()},
        ),
        language=language,
    )
    assert hidden not in shown
    assert not any(letter < " " and letter != "\n" for letter in shown)
    # As many files and rows as without it.
    assert shown.count("+1 -") == clean.count("+1 -")


def test_a_path_with_a_line_feed_is_one_row() -> None:
    shown = render_package(package_diff(None, {"a\n  2. b +1 -0": b"x\n"})).splitlines()
    assert shown[1] == "  1. a^J  2. b +1 -0 +1 -0"


@pytest.mark.parametrize(
    "body", ["", "\n", "x\n", "\\ No newline\n", "é\n+a\n", "+a\nzzz\n-b", "@@ -1 +1 @@\n"]
)
def test_a_body_that_was_made_up_is_shown(body: str) -> None:
    hunk = Hunk(old_start=1, old_lines=1, new_start=(1 << 53) - 1, new_lines=1, body=body)
    file = PackageFile(status=FileStatus.CHANGED, path="a", hunks=(hunk,))
    diff = PackageDiff(files=(file,))
    assert "a" in render_package(diff)
    assert package_page(diff).endswith("</html>\n")
    assert len(hunk.lines) <= body.count("\n") + 1


@pytest.mark.parametrize("number", [-1, 1 << 53, 1 << 64])
def test_no_line_has_such_a_number(number: int) -> None:
    hunk = msgspec.json.encode({"old_start": number, "body": ""})
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(hunk, type=Hunk)


def test_a_line_can_not_pass_for_the_head_of_a_hunk() -> None:
    shown = render_package(package_diff(None, {"a": b"@@ -1,1 +1,1 @@\n\\ No newline\n"}))
    assert shown.splitlines()[-2:] == ["  1 + @@ -1,1 +1,1 @@", "  2 + \\ No newline"]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", PackageFindingKind)
def test_every_finding_is_said(kind: PackageFindingKind, language: Language) -> None:
    reason = ArchiveReason(kind=ArchiveReasonKind.UNLISTED_ENTRY, count=1, name="lib/x\x1b")
    finding = PackageFinding(
        kind=kind,
        path="lib/x\x1b",
        old="a\n\x1b",
        new="b\u202e\x1b",
        line=7,
        count=3,
        flags=tuple(EntryFlag),
        reason=reason,
    )
    line = finding_line(finding, language)
    assert "^[" in line or "\\x1b" in line or "\ufffd" in line
    assert not any(letter in line for letter in "\x1b\n\u202e{}")


def test_every_word_is_said_somewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = [field.name for field in msgspec.structs.fields(wording.Wording)]
    marked = {key: f"{getattr(wording.CATALOGUES['en'], key)}<{key}>" for key in keys}
    monkeypatch.setitem(wording.CATALOGUES, "en", wording.Wording(**marked))
    hunk = Hunk(new_start=1, new_lines=1, body="+x\n\\ No newline at end of file\n")
    contents, generated = list(ContentKind), list(GeneratedKind)
    files = [
        PackageFile(
            status=status,
            path="x",
            new_mode=Mode.FILE,
            old_mode=Mode.EXECUTABLE,
            content=contents[number % len(contents)],
            generated=generated[number % len(generated)],
            hunks=(hunk,),
        )
        for number, status in enumerate(FileStatus)
    ]
    findings = [
        PackageFinding(kind=kind, path="x", old="a", new="b", line=1, count=count)
        for kind in PackageFindingKind
        for count in (1, 2)
    ]
    findings += [
        PackageFinding(kind=PackageFindingKind.LICENCE_CHANGED, old="", new="x"),
        PackageFinding(kind=PackageFindingKind.SCRIPT_CHANGED, old="x", new="y"),
    ]
    diff = PackageDiff(
        name="x",
        old_version="1",
        new_version="2",
        files=tuple(files),
        findings=tuple(findings),
        not_compared=1,
    )
    shown = render_package(diff)
    # The page has words of its own.
    own = [
        key for key in keys if key.startswith("package_") and not key.startswith("package_page_")
    ]
    assert [key for key in own if f"<{key}>" not in shown] == []
