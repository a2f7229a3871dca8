"""Where readers make something else of an archive: both is told, and nothing is hidden."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import shutil
import struct
import subprocess
import tarfile
import zipfile
import zlib
from typing import TYPE_CHECKING

import pytest

from packages.archive_building import (
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
from packages.test_archive_hostile import compared, listed, reasons
from versiondiff.errors import InvalidInput, LimitExceeded, UnsupportedFormat
from versiondiff.packages import ArchiveReasonKind as Reason
from versiondiff.packages import EntryFlag as Flag
from versiondiff.packages import PackageKind, PackageLimits, package_diff, read_package

if TYPE_CHECKING:
    from collections.abc import Callable


def long_name(name: bytes) -> bytes:
    """GNU tar's header of a long name."""
    return header(b"././@LongLink", len(name) + 1, b"L") + padded(name + b"\0")


# Names.


@pytest.mark.parametrize(
    "name", ["CON", "lib/aux.txt", "nul.tar.gz", "COM1", "lpt\u00b2.c", "a.", "b /c", "file:stream"]
)
def test_names_that_are_others_on_windows(name: str) -> None:
    for data in (tar_of({name: b"x"}), zip_of({name: b"x"})):
        package = read_package(data)
        assert listed(package) == {name: {Flag.WINDOWS_NAME}}
        assert compared(package) == {name: b"x"}


def test_names_that_are_no_others_on_windows() -> None:
    names = ["console.py", "auxiliary", "com", "com10", ".a", "x/.b", "nul_.c", "a.b"]
    assert set().union(*listed(read_package(tar_of(dict.fromkeys(names, b"")))).values()) == set()


def test_a_drive_without_a_separator_is_absolute() -> None:
    assert listed(read_package(tar_of({"C:x": b""}))) == {"C:x": {Flag.ABSOLUTE_NAME}}


@pytest.mark.parametrize("letter", ["\u200b", "\ufeff", "\u2060", "\U000e0041"])
def test_letters_that_no_one_sees(letter: str) -> None:
    name = f"set{letter}up.py"
    assert listed(read_package(tar_of({name: b""}))) == {name: {Flag.CONTROL_CHARACTER}}


@pytest.mark.parametrize(
    "names",
    [
        ("caf\u00e9", "cafe\u0301"),
        ("stra\u00dfe", "STRASSE"),
        ("\u212aelvin", "kelvin"),
        ("lib/\u00c9t\u00e9/x", "lib/e\u0301te\u0301/x"),
    ],
)
def test_twins_in_unicode(names: tuple[str, str]) -> None:
    package = read_package(tar_of(dict.fromkeys(names, b"")))
    assert listed(package) == {name: {Flag.CASE_TWIN} for name in names}


def test_twin_folders_show_one_entry_of_each() -> None:
    names = [
        "Lib/a",
        "Lib/b",
        "lib/c",
        "lib/d",
        "lib/sub/X/e",
        "lib/sub/x/f",
        "lib/sub/x/g",
        "lone",
    ]
    package = read_package(tar_of(dict.fromkeys(names, b"")))
    flagged = {name for name, flags in listed(package).items() if Flag.CASE_TWIN in flags}
    assert flagged == {"Lib/a", "lib/c", "lib/sub/X/e", "lib/sub/x/f"}
    assert len(compared(package)) == len(names)


def test_a_folder_and_a_file_that_are_twins() -> None:
    package = read_package(tar_of({"Data": b"", "data/x": b"", "data/y": b""}))
    flagged = {name for name, flags in listed(package).items() if Flag.CASE_TWIN in flags}
    assert flagged == {"Data", "data/x"}


def test_long_names_count_as_often_as_memory_holds_them() -> None:
    names = b"".join(
        pax({b"path": b"%04d/" % number + b"ab/" * 1_300 + b"f"}) + header(b"x")
        for number in range(600)
    )
    data = gzip.compress(names + END, 1)
    with pytest.raises(LimitExceeded, match="unpacked_bytes"):
        read_package(data, limits=PackageLimits(unpacked_bytes=16 << 20))
    assert read_package(data, limits=PackageLimits(unpacked_bytes=32 << 20)).entries


# Tar.


@pytest.mark.parametrize(("said", "field"), [(512, 0), (0, 512), (3, 512)])
def test_two_sizes_of_one_file(said: int, field: int) -> None:
    """A reader without PAX would go on at another place, and find another file there."""
    data = pax({b"size": b"%d" % said}) + header(b"outer", field) + padded(b"x" * said) + END
    assert listed(read_package(data)) == {"outer": {Flag.HEADER_MISMATCH}}
    same = pax({b"size": b"3"}) + header(b"outer", 3) + padded(b"abc") + END
    assert listed(read_package(same)) == {"outer": set()}


@pytest.mark.parametrize(
    "headers",
    [
        pax({b"path": b"one"}) + pax({b"path": b"two"}),
        pax({b"linkpath": b"one"}) + pax({b"linkpath": b"x"}) + pax({b"path": b"two"}),
        long_name(b"one") + long_name(b"two"),
    ],
)
def test_two_headers_before_one_file(headers: bytes) -> None:
    """GNU tar takes the last, Python the first."""
    assert listed(read_package(headers + header(b"x") + END)) == {"two": {Flag.HEADER_MISMATCH}}


def test_two_headers_that_agree() -> None:
    data = pax({b"path": b"one"}) + pax({b"mtime": b"1"}) + pax({b"path": b"one"})
    assert listed(read_package(data + header(b"x") + END)) == {"one": set()}


@pytest.mark.parametrize("kind", [b"Z", b"M", b"D", b"A", b"\xff"])
def test_a_type_that_is_not_known_is_compared_as_the_file_that_readers_make_of_it(
    kind: bytes,
) -> None:
    def built(content: bytes) -> bytes:
        return header(b"evil.py", len(content), kind) + padded(content) + header(b"n") + END

    with tarfile.open(fileobj=io.BytesIO(built(b"old\n"))) as archive:
        assert archive.getnames() == ["evil.py", "n"]
    old, new = read_package(built(b"old\n")), read_package(built(b"new\n"))
    assert listed(new) == {"evil.py": {Flag.UNKNOWN_TYPE}, "n": set()}
    assert [file.path for file in package_diff(old, new).files] == ["evil.py"]


def test_a_file_that_is_named_as_a_folder() -> None:
    data = header(b"dir/", 3, b"\0") + padded(b"abc") + END
    assert listed(read_package(data)) == {"dir/": {Flag.CONTENT_ON_NON_FILE}}


def test_holes_for_all_files() -> None:
    data = pax({b"GNU.sparse.name": b"x"}, b"g") + header(b"a") + END
    assert reasons(read_package(data)) == {Reason.GLOBAL_NAMES}


def with_holes(form: str, *, place: int = 1_048_572, size: int = 1_048_576) -> bytes:
    """A file of DATA at a place, with holes around it, in each way to say so."""
    key = b"GNU.sparse.realsize" if form == "1.0" else b"GNU.sparse.size"
    said = {b"GNU.sparse.name": b"real", key: b"%d" % size}
    made_up = b"GNUSparseFile.0/real"
    match form:
        case "old":
            block = bytearray(header(b"real", 4, b"S"))
            block[257:265] = b"ustar  \0"
            block[345:512] = bytes(167)
            block[386:410] = b"%011o\0%011o\0" % (place, 4)
            block[483:495] = b"%011o\0" % size
            block[148:156] = b" " * 8
            block[148:156] = b"%06o\0 " % sum(block)
            return bytes(block) + padded(b"DATA") + END
        case "0.0":
            said |= {b"GNU.sparse.offset": b"%d" % place, b"GNU.sparse.numbytes": b"4"}
            return pax(said) + header(made_up, 4) + padded(b"DATA") + END
        case "0.1":
            said |= {b"GNU.sparse.map": b"%d,4" % place}
            return pax(said) + header(made_up, 4) + padded(b"DATA") + END
        case _:
            said |= {b"GNU.sparse.major": b"1", b"GNU.sparse.minor": b"0"}
            content = padded(b"1\n%d\n4\n" % place) + b"DATA"
            return pax(said) + header(made_up, len(content)) + padded(content) + END


FORMS = ["old", "0.0", "0.1", "1.0"]


@pytest.mark.parametrize("form", FORMS)
def test_holes_are_zeros_as_when_the_file_is_unpacked(form: str) -> None:
    data = with_holes(form)
    package = read_package(data)
    assert listed(package) == {"real": {Flag.SPARSE}}
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        unpacked = archive.extractfile("real")
        assert unpacked is not None
        assert package.content("real") == unpacked.read() == bytes(1_048_572) + b"DATA"
    moved = read_package(with_holes(form, place=0))
    assert [file.path for file in package_diff(package, moved).files] == ["real"]


@pytest.mark.parametrize("form", FORMS)
def test_a_map_of_holes_that_is_wrong(form: str) -> None:
    for place, size in ((100, 50), (50, 53), (8_000_000_000, 100)):
        with pytest.raises(InvalidInput, match="the map of a file with holes is wrong"):
            read_package(with_holes(form, place=place, size=size))


@pytest.mark.parametrize("form", FORMS)
def test_holes_count_as_what_they_are(form: str) -> None:
    data = with_holes(form, place=0, size=8_000_000_000)
    with pytest.raises(LimitExceeded, match="file_bytes"):
        read_package(data)
    with pytest.raises(LimitExceeded, match="ratio"):
        read_package(with_holes(form, place=0, size=200_000_000))


def test_holes_without_a_map() -> None:
    """Nobody knows where they are."""
    data = pax({b"GNU.sparse.name": b"real"}) + header(b"x", 4) + padded(b"DATA") + END
    package = read_package(data)
    assert listed(package) == {"real": {Flag.SPARSE}}
    assert package.content("real") == b"DATA"


# Zip.


def unicode_path(name: bytes) -> bytes:
    return struct.pack("<HHBI", 0x7075, 5 + len(name), 1, 0) + name


@pytest.mark.parametrize("where", ["extra", "local_extra"])
def test_a_second_name_in_unicode(where: str) -> None:
    for other, flags in ((b"evil", {Flag.HEADER_MISMATCH}), (b"good", set())):
        built = Zip()
        match where:
            case "extra":
                built.add(b"good", b"x", extra=unicode_path(other))
            case _:
                built.add(b"good", b"x", local_extra=unicode_path(other))
        assert listed(read_package(built.bytes())) == {"good": flags}


def test_modes_that_some_readers_look_at() -> None:
    built = Zip()
    built.add(b"made-on-dos", b"/etc/passwd", mode=0o120777, system=0)
    built.add(b"folder/", b"/etc", mode=0o120777)
    built.add(b"program", b"code", mode=0o040755)
    built.add(b"pipe", b"code", mode=0o010644)
    package = read_package(built.bytes())
    assert listed(package) == {
        "made-on-dos": {Flag.HEADER_MISMATCH},
        "folder/": {Flag.HEADER_MISMATCH, Flag.CONTENT_ON_NON_FILE},
        "program": {Flag.CONTENT_ON_NON_FILE},
        "pipe": {Flag.DEVICE, Flag.CONTENT_ON_NON_FILE},
    }
    assert compared(package) == {
        "made-on-dos": b"/etc/passwd", "program": b"code", "pipe": b"code",
    }  # fmt: skip


def test_a_size_that_is_known_before_the_content() -> None:
    """libarchive writes it into the local header, and leaves the rest to the descriptor."""
    content = b"x" * 100
    descriptor = struct.pack("<4s3I", b"PK\x07\x08", zlib.crc32(content), 100, 100)
    for size, flags in ((100, set()), (0, set()), (99, {Flag.HEADER_MISMATCH})):
        local = struct.pack("<4s5H3I2H", b"PK\x03\x04", 20, 8, 0, 0, 0, 0, 0, size, 1, 0)
        built = Zip()
        built.body += local + b"a" + content + descriptor
        built.add(b"a", content, method=0, flags=8, at=0)
        package = read_package(built.bytes())
        assert listed(package) == {"a": flags}
        assert Reason.HIDDEN_DATA not in reasons(package)


def test_a_comment() -> None:
    built = Zip()
    built.add(b"a", b"x")
    assert reasons(read_package(built.bytes())) == set()
    package = read_package(built.bytes(comment=b"of release 7"))
    assert [(reason.kind, reason.size) for reason in package.reasons] == [(Reason.COMMENT, 12)]


def test_an_entry_before_the_first() -> None:
    built = Zip()
    built.add(b"ghost", b"boo", listed=False)
    built.add(b"a", b"x")
    found = read_package(built.bytes()).reasons
    assert [(reason.kind, reason.name) for reason in found] == [(Reason.UNLISTED_ENTRY, "ghost")]


def zstd(content: bytes, *options: str) -> bytes:
    command = ["zstd", "-q", "-c", *options]
    return subprocess.run(command, input=content, capture_output=True, check=True).stdout


METHODS: dict[str, tuple[int, Callable[[bytes], bytes]]] = {
    "bzip2": (12, bz2.compress),
    "xz": (95, lzma.compress),
    "zstd": (93, zstd),
}


@pytest.mark.parametrize("name", [*METHODS, "lzma"])
def test_methods(name: str) -> None:
    content = b"some text " * 500
    if name == "zstd" and shutil.which("zstd") is None:
        pytest.skip("there is no zstd")
    if name == "lzma":
        data = zip_of({"a": content}, zipfile.ZIP_LZMA)
    else:
        built = Zip()
        method, compress = METHODS[name]
        built.add(b"a", content, method=method, data=compress(content))
        data = built.bytes()
    package = read_package(data)
    assert listed(package) == {"a": set()}
    assert package.content("a") == content


@pytest.mark.skipif(shutil.which("zstd") is None, reason="there is no zstd")
def test_a_window_of_zstd_that_is_too_large() -> None:
    data = zstd(tar_of({"a": b""}), "--ultra", "-22")
    built = Zip()
    built.add(b"a", b"", method=93, data=data)
    for archive in (data, built.bytes()):
        with pytest.raises(InvalidInput, match="larger window than 64 MiB"):
            read_package(archive)


# What kind it is.


def test_a_tar_that_is_a_zip_as_well() -> None:
    built = zip_of({"setup.py": b"evil"})
    for first in (tar_of({"setup.py": b"good"}), tgz_of({"setup.py": b"good"})):
        with zipfile.ZipFile(io.BytesIO(first + built)) as archive:
            assert archive.read("setup.py") == b"evil"
        package = read_package(first + built)
        assert package.content("setup.py") == b"good"
        assert reasons(package) == {Reason.SEVERAL_KINDS, Reason.TRAILING_DATA}


def test_a_file_beside_an_npm_package_makes_it_nothing_else() -> None:
    manifest = b'{"name": "x", "scripts": {"postinstall": "evil"}}'
    for name in ("evil-1/PKG-INFO", "evil-1/Cargo.toml"):
        package = read_package(tgz_of({name: b"Name: y\n", "package/package.json": manifest}))
        assert (package.kind, package.folder) == (PackageKind.NPM, "package")
        assert [hook.name for hook in package.metadata.hooks] == ["postinstall"]
        assert listed(package)[name] == {Flag.OUTSIDE_FOLDER}


def test_a_gem_with_files_in_two_members() -> None:
    """What installs it takes the first alone."""
    package = read_package(
        tar_of(
            [
                member("metadata.gz", gzip.compress(b"name: a\n")),
                member("data.tar.gz", tgz_of({"a": b""})),
                member("data.tar.gz", tgz_of({"b": b""})),
            ]
        )
    )
    assert {entry.path: set(entry.flags) for entry in package.entries} == {
        "metadata": set(), "data/a": {Flag.DUPLICATE}, "data/b": {Flag.DUPLICATE},
    }  # fmt: skip
    assert all(not entry.flags for entry in read_package(gem_of({"a": b""})).entries)


@pytest.mark.parametrize(
    ("start", "words"),
    [
        (b"7z\xbc\xaf\x27\x1c", "7z"),
        (b"Rar!\x1a\x07\x01\0", "RAR"),
        (b"!<arch>\ndebian-binary   ", "Debian"),
        (b"\x1f\x9d\x90", "compress"),
        (lzma.compress(tar_of({"a": b""}), format=lzma.FORMAT_ALONE), "LZMA"),
        (bytes(0x8000) + b"\1CD001\1", "ISO 9660"),
    ],
)
def test_other_formats_are_named(start: bytes, words: str) -> None:
    with pytest.raises(UnsupportedFormat, match=words):
        read_package(start + bytes(1_000))


def test_a_first_header_with_a_wrong_checksum_is_damage() -> None:
    data = bytearray(tar_of({"a": b"x"}))
    data[0] ^= 1
    with pytest.raises(InvalidInput, match="tar at byte 0: the checksum of a header is wrong"):
        read_package(bytes(data))
