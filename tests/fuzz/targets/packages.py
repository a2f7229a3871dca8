"""Packages: archives, and what changed between two folders."""

from __future__ import annotations

import random
import zipfile
from typing import TYPE_CHECKING, Any, Final

import msgspec

from fuzz.mutator import Files, Mutation, in_bytes, in_json, in_tar, in_zip
from fuzz.target import LANGUAGES, FilesTarget, TextTarget
from fuzz.targets.metadata import FOLDERS
from fuzz.targets.texts import assert_harmless, assert_page
from packages.archive_building import (
    COMPRESSIONS,
    END,
    Zip,
    gem_of,
    header,
    member,
    padded,
    pax,
    tar_of,
    tgz_of,
    zip_of,
)
from packages.trees import Tree, changed, tree
from versiondiff import File, Mode, Rewrites, tree_delta
from versiondiff._core import contents, in_scope
from versiondiff.packages import (
    ContentKind,
    FileStatus,
    LineSide,
    Package,
    PackageDiff,
    PackageLimits,
    flag_words,
    package_diff,
    package_diff_json,
    package_page,
    read_package,
    reason_words,
    record_mismatches,
    render_package,
    write_package,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fuzz.target import Pair
    from versiondiff.packages import Hunk, PackageFile

__all__ = ["TARGETS", "trees"]


# ── Archives ────────────────────────────────────────────────────────────────────────────────────

SDIST: Final[dict[str, bytes | str]] = {
    "thing-1.0/PKG-INFO": b"Name: thing\nVersion: 1.0\n",
    "thing-1.0/pyproject.toml": b"[build-system]\nrequires = ['a']\n",
    "thing-1.0/" + "n" * 120: b"x" * 700,
    "thing-1.0/\u00fc": b"",
    "thing-1.0/link": "PKG-INFO",
}
WHEEL: Final[dict[str, bytes]] = {
    "thing-1.0.dist-info/WHEEL": b"x",
    "thing-1.0.dist-info/METADATA": b"Name: thing\n",
    "thing-1.0.dist-info/RECORD": b"a,,\nthing/a,sha256=xyz,100\n",
    "thing/a": b"a" * 100,
}
NPM: Final[dict[str, bytes | str]] = {
    "package/package.json": b'{"name": "thing", "version": "1.0.0"}', "package/index.js": b"1\n",
}  # fmt: skip
LIMITS: Final = PackageLimits(unpacked_bytes=4 << 20)


def tars() -> list[bytes]:
    plain = tar_of(SDIST)
    return [
        plain,
        pax({b"path": b"a", b"size": b"25"}) + plain,
        pax({b"linkpath": b"b" * 300, b"mtime": b"1.5"}, b"g") + tar_of(NPM),
        header(b"././@LongLink", 201, b"L") + padded(b"x" * 200 + b"\0") + header(b"x",
        3) + padded(b"abc")
        + header(b"y", kind=b"1", target=b"x") + header(b"dev", kind=b"3") + END,
        gem_of({"a": b"a" * 100}, b"name: a\nversion:\n  version: '1'\n"),
        tar_of([member("l", "x"), member("f", b"1")]),
    ]  # fmt: skip


def compressed() -> list[bytes]:
    inner = tar_of(SDIST)
    made = [compress(inner) for name, compress in COMPRESSIONS.items() if name != "plain"]
    return [*made, tgz_of(NPM), tgz_of({"a": b"1"}) * 2, COMPRESSIONS["gz"](zip_of(WHEEL))]


def zips() -> list[bytes]:
    by_hand = Zip()
    by_hand.add(b"a", b"content", extra=b"\x01\x00\x08\x00" + bytes(8))
    by_hand.add(b"b/", b"", method=0)
    by_hand.add(b"l", b"a", mode=0o120777)
    methods = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
    return [by_hand.bytes(comment=b"said"), *(zip_of(WHEEL, method) for method in methods)]


def archive(data: bytes, dice: random.Random) -> None:
    package = read_package(data, limits=LIMITS)
    use(package, dice)


def use(package: Package, dice: random.Random) -> None:
    """Whatever can be asked of a package that was read."""
    delta = tree_delta(None, package.files)
    compared = [entry for entry in package.entries if entry.compared is not None]
    assert len(delta.changes) <= len(compared)
    record_mismatches(package)
    language = dice.choice(LANGUAGES)
    for place, entry in enumerate(package.entries):
        content = package.files.content(place)
        assert content is None or entry.size in (None, len(content))
        for flag in entry.flags:
            assert flag_words(flag, language=language)
    for reason in package.reasons:
        assert_harmless(reason_words(reason, language=language))
    if dice.random() < 0.2:
        diff = package_diff(None, package, rewrites=Rewrites.NONE)
        assert_shown(diff, language)
        assert_shown(package_diff(package, None, hunks=False), language)


# ── Differences ─────────────────────────────────────────────────────────────────────────────────


def trees(number: int) -> tuple[Tree, Tree]:
    """Two versions of a random tree."""
    dice = random.Random(number)
    old = tree(dice)
    return old, changed(dice, old)


def tree_seeds() -> list[Mapping[str, bytes]]:
    """Small ones, as all of their files are compared in each case."""
    made: list[Mapping[str, bytes]] = [
        {path.decode(errors="surrogateescape"): file.content for path, file in one.items()}
        for number in range(12)
        for one in trees(number)
        if sum(len(file.content) for file in one.values()) < 30_000
    ]
    return [*made, FOLDERS["sdist"], FOLDERS["npm"]]


def packages(pair: Pair, dice: random.Random) -> None:
    """All that differs is told, and the hunks make the new of the old."""
    old, new = (with_modes(files, dice) for files in pair)
    options: dict[str, Any] = {
        "context": dice.choice((0, 1, 3, 3, 50)),
        "rewrites": dice.choice(tuple(Rewrites)),
        "paths": dice.choice(((), (), (), ("lib", "a"), ("",), ("/",), ("a/../b",))),
        "hunks": dice.random() < 0.8,
    }
    diff = package_diff(old, new, **options)
    parts, differs = package_diff_json(old, new, **options)
    whole = b"".join(parts)
    assert whole == msgspec.json.encode(diff)
    assert msgspec.json.decode(whole, type=PackageDiff) == diff
    assert differs is diff.differs
    if options["hunks"]:
        for file in diff.files:
            assert_makes_the_new(file, old, new)
    if options["paths"] == () and diff.files:
        paths = [file.path for file in diff.files]
        contents(dict(pair.old), paths)
        assert len(in_scope(paths, paths[:1])) == len(paths)
    language = dice.choice(LANGUAGES)
    if options.pop("hunks"):
        written: list[bytes] = []
        assert write_package(old, new, written.append, language=language, **options) is differs
        assert b"".join(written).decode() == render_package(diff, language=language) + "\n"
    if dice.random() < 0.3:
        assert_shown(diff, language)


def with_modes(files: Files, dice: random.Random) -> dict[str, bytes | File]:
    made: dict[str, bytes | File] = {}
    for path, content in files.items():
        mode = dice.choice((None,) * 8 + (Mode.LINK, Mode.EXECUTABLE))
        made[path] = content if mode is None else File(content, mode)
    return made


def assert_makes_the_new(
    file: PackageFile, old: Mapping[Any, bytes | File], new: Mapping[Any, bytes | File]
) -> None:
    """The hunks, put into the old content, give the new one."""
    if (
        file.content not in (ContentKind.TEXT, ContentKind.COARSE)
        or file.raw_path
        or file.raw_old_path
    ):
        return
    if any(hunk.raw_body is not None for hunk in file.hunks):
        return
    gone = file.status is FileStatus.DELETED
    before = b"" if file.status is FileStatus.ADDED else plain(old.get(file.old_path or file.path))
    after = b"" if gone else plain(new.get(file.path))
    if before is None or after is None:
        return
    assert patched(before, file.hunks) == after
    assert file.added == sum(
        line.kind is LineSide.ADDED for hunk in file.hunks for line in hunk.lines
    )


def plain(file: bytes | File | None) -> bytes | None:
    return file.content if isinstance(file, File) else file


def patched(content: bytes, hunks: Sequence[Hunk]) -> bytes:
    lines = content.split(b"\n")
    lines = [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
    made, at = [], 0
    for hunk in hunks:
        start = hunk.old_start - (1 if hunk.old_lines else 0)
        made += lines[at:start]
        at = start
        for line in hunk.lines:
            text = line.text.encode() + (b"" if line.ends_without_newline else b"\n")
            if line.kind is not LineSide.ADDED:
                assert lines[at] == text
                at += 1
            if line.kind is not LineSide.REMOVED:
                made.append(text)
    return b"".join(made + lines[at:])


def assert_shown(diff: PackageDiff, language: Any) -> None:
    assert_harmless(render_package(diff, language=language).replace("\t", " "))
    assert_page(package_page(diff, language=language))


ARCHIVES: Final = ("read_package", "PackageFiles", "tree_delta", "package_diff")
TAR: Final[tuple[Mutation, ...]] = (in_tar, in_tar, in_bytes)
ZIP: Final[tuple[Mutation, ...]] = (in_zip, in_zip, in_bytes)
PAX_WORDS: Final = (
    b"path=", b"size=", b"linkpath=", b"GNU.sparse.major=1", b"25 path=", b"999999999 ", b"\n",
    b"=",
    b"hdrcharset=BINARY", b"-1 ", b"0 ", b"11 path=a\n", b"SCHILY.xattr.", b"x\0y",
)  # fmt: skip

ZIP_WORDS: Final = (b"PK\1\2", b"PK\5\6", b"PK\3\4", b"PK\6\6")
LINES: Final = (
    b"\n", b"\r\n", b"\0", b"@@ -1 +1 @@", b"\\ No newline at end of file\n", b"+", b"-",
)  # fmt: skip

TARGETS: Final = (
    TextTarget("tar", archive, tars, mutations=TAR, words=PAX_WORDS, core=ARCHIVES, share=70),
    TextTarget("zip", archive, zips, mutations=ZIP, words=ZIP_WORDS, core=ARCHIVES, share=80),
    TextTarget("compressed", archive, compressed, core=ARCHIVES, share=30),
    FilesTarget(
        "package-diff",
        packages,
        tree_seeds,
        mutation=in_json,
        words=LINES,
        core=("contents", "in_scope", "package_diff", "write_package"),
        share=20,
    ),
)
