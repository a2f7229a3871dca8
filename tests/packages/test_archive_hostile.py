"""Archives that mean harm: each entry shows and is flagged, or the error says what is wrong."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import zipfile
import zlib

import pytest

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
from versiondiff import tree_delta
from versiondiff.errors import InvalidInput, UnsupportedFormat
from versiondiff.packages import ArchiveReasonKind as Reason
from versiondiff.packages import EntryFlag as Flag
from versiondiff.packages import Package, read_package
from versiondiff.rendering.names import name as shown


def listed(package: Package) -> dict[str, set[Flag]]:
    return {entry.name or entry.path: set(entry.flags) for entry in package.entries}


def compared(package: Package) -> dict[str, bytes | None]:
    """The paths that a comparison sees, and what is there."""
    paths = [change.path for change in tree_delta(None, package.files).changes]
    return {path: package.content(path) for path in paths}


def reasons(package: Package) -> set[Reason]:
    return {reason.kind for reason in package.reasons}


NAMES = {
    "../up": {Flag.LEAVES_ROOT},
    "a/../../up": {Flag.LEAVES_ROOT},
    "a/../b": {Flag.PARENT_STEP},
    "/etc/passwd": {Flag.ABSOLUTE_NAME},
    "//host/share": {Flag.ABSOLUTE_NAME},
    "C:\\windows\\x": {Flag.ABSOLUTE_NAME, Flag.BACKSLASH},
    "..\\up": {Flag.LEAVES_ROOT, Flag.BACKSLASH},
    "line\nbreak": {Flag.CONTROL_CHARACTER},
    "\x1b[2Jcolour": {Flag.CONTROL_CHARACTER},
    "txt.\u202eexe": {Flag.CONTROL_CHARACTER},
    "plain": set(),
}


@pytest.mark.parametrize("form", ["pax", "gnu", "zip", "gem"])
def test_names_that_lead_elsewhere_are_listed_and_flagged(form: str) -> None:
    files = dict.fromkeys(NAMES, b"x")
    match form:
        case "zip":
            built = Zip()
            for name in NAMES:
                built.add(name.encode(), b"x")
            package = read_package(built.bytes())
        case "gem":
            package = read_package(gem_of(files))
        case _:
            headers = tarfile.PAX_FORMAT if form == "pax" else tarfile.GNU_FORMAT
            package = read_package(tar_of(files, headers))
    found = listed(package)
    for name, flags in NAMES.items():
        assert found[name] == flags, name
    paths = {path.removeprefix("data/") for path in compared(package)} - {
        "metadata", "checksums.yaml",
    }  # fmt: skip
    assert paths == {
        "C:\\windows\\x", "..\\up", "line\nbreak", "\x1b[2Jcolour", "txt.\u202eexe", "plain",
    }  # fmt: skip
    for entry in package.entries:
        assert not {"\n", "\x1b", "\u202e"} & set(shown(entry.path))


def test_a_name_that_is_no_utf8_keeps_its_bytes() -> None:
    package = read_package(header(b"caf\xe9") + END)
    entry = package.entries[0]
    assert (entry.path, entry.raw_path) == ("caf\ufffd", b"caf\xe9")
    assert entry.flags == (Flag.NOT_UTF8,)
    changes = tree_delta({b"caf\xe9": b"x"}, package.files).changes
    assert [change.raw_path for change in changes] == [b"caf\xe9"]


def test_a_nul_in_a_name() -> None:
    package = read_package(pax({b"path": b"good\0.evil"}) + header(b"x") + END)
    assert listed(package) == {"good\0.evil": {Flag.NUL_IN_NAME, Flag.CONTROL_CHARACTER}}
    assert compared(package) == {}


def test_links_that_lead_out_of_the_root() -> None:
    package = read_package(
        tar_of(
            {
                "a/up": "../../x",
                "a/absolute": "/etc/passwd",
                "a/round": "b/../../../x",
                "a/inside": "../b",
                "a/windows": "..\\..\\x",
            }
        )
    )
    assert {name for name, flags in listed(package).items() if Flag.LINK_OUTSIDE in flags} == {
        "a/up", "a/absolute", "a/round", "a/windows",
    }  # fmt: skip
    assert compared(package)["a/absolute"] == b"/etc/passwd"


def test_links_are_judged_from_the_folder_of_the_package() -> None:
    package = read_package(tgz_of({"package/package.json": b"{}", "package/out": "../x"}))
    assert listed(package)["package/out"] == {Flag.LINK_OUTSIDE}


def test_a_path_through_a_link() -> None:
    package = read_package(tar_of([member("a", "/elsewhere"), member("a/evil", b"x")]))
    assert listed(package) == {"a": {Flag.LINK_OUTSIDE}, "a/evil": {Flag.THROUGH_LINK}}
    assert compared(package) == {"a": b"/elsewhere"}


def test_a_path_through_a_file() -> None:
    package = read_package(tar_of({"a/b": b"", "a": b"x", "a-": b"", "a.b": b""}))
    assert listed(package)["a/b"] == {Flag.BELOW_FILE}
    assert compared(package) == {"a": b"x", "a-": b"", "a.b": b""}


def test_hard_links() -> None:
    package = read_package(
        tar_of(
            [
                member("file", b"text", mode=0o755),
                member("link", "/etc/passwd"),
                member("same", type=tarfile.LNKTYPE, linkname="./file"),
                member("same again", type=tarfile.LNKTYPE, linkname="same"),
                member("to a link", type=tarfile.LNKTYPE, linkname="link"),
                member("to a link of a link", type=tarfile.LNKTYPE, linkname="to a link"),
                member("to nothing", type=tarfile.LNKTYPE, linkname="later"),
                member("outside", type=tarfile.LNKTYPE, linkname="../file"),
                member("later", b""),
            ]
        )
    )
    found = listed(package)
    assert found["same"] == found["same again"] == set()
    assert found["to a link"] == found["to a link of a link"] == {Flag.HARD_LINK_TO_LINK}
    assert found["to nothing"] == {Flag.BROKEN_HARD_LINK}
    assert found["outside"] == {Flag.BROKEN_HARD_LINK, Flag.LINK_OUTSIDE}
    assert compared(package) == {
        "file": b"text", "same": b"text", "same again": b"text", "link": b"/etc/passwd",
        "later": b"",
    }  # fmt: skip
    assert [entry.compared.value for entry in package.entries if entry.compared] == [
        "100755", "120000", "100755", "100755", "100644",
    ]  # fmt: skip


def test_devices_and_what_else_is_no_file() -> None:
    package = read_package(
        tar_of(
            [
                member("null", type=tarfile.CHRTYPE, devmajor=1, devminor=3),
                member("disk", type=tarfile.BLKTYPE, devmajor=8, devminor=1),
                member("pipe", type=tarfile.FIFOTYPE),
                member("set", b"", mode=0o4755),
            ]
        )
        .removesuffix(bytes(tarfile.RECORDSIZE))
        .rstrip(b"\0")
        .ljust(4 * 512, b"\0")
        + header(b"label", 0, b"V")
        + END
    )
    assert listed(package) == {
        "null": {Flag.DEVICE}, "disk": {Flag.DEVICE}, "pipe": {Flag.DEVICE},
        "set": {Flag.SET_ID}, "label": {Flag.UNKNOWN_TYPE},
    }  # fmt: skip
    assert [(entry.kind.value, entry.major, entry.minor) for entry in package.entries[:3]] == [
        ("character_device", 1, 3), ("block_device", 8, 1), ("fifo", None, None),
    ]  # fmt: skip
    assert compared(package) == {"set": b"", "label": b""}


@pytest.mark.parametrize("form", ["tar", "zip"])
def test_duplicates_show_first_and_last_and_the_last_is_compared(form: str) -> None:
    entries = [("a", b"first"), ("b", b""), ("./a", b"second"), ("a", b"last")]
    if form == "tar":
        package = read_package(tar_of([member(*entry) for entry in entries]))
    else:
        built = Zip()
        for name, content in entries:
            built.add(name.encode(), content)
        package = read_package(built.bytes())
    assert [entry.path for entry in package.entries] == ["a", "b", "a", "a"]
    assert [entry.flags for entry in package.entries] == [
        (Flag.DUPLICATE,), (), (Flag.DUPLICATE,), (Flag.DUPLICATE,),
    ]  # fmt: skip
    assert [package.files.content(place) for place in (0, 2, 3)] == [b"first", b"second", b"last"]
    assert package.entries[0].id
    assert compared(package) == {"a": b"last", "b": b""}


def test_a_folder_that_stands_twice_is_no_duplicate() -> None:
    package = read_package(tar_of([member("a/", type=tarfile.DIRTYPE)] * 2))
    assert [entry.flags for entry in package.entries] == [(), ()]


def test_case_twins() -> None:
    package = read_package(
        tar_of({"Readme": b"", "README": b"", "Ärger": b"", "ärger": b"", "x": b""})
    )
    assert listed(package) == {
        "Readme": {Flag.CASE_TWIN}, "README": {Flag.CASE_TWIN}, "Ärger": {Flag.CASE_TWIN},
        "ärger": {Flag.CASE_TWIN}, "x": set(),
    }  # fmt: skip


# What one tar says of several files.


def test_a_pax_size_applies_to_the_next_file_only() -> None:
    inner = header(b"hidden", 0) + END
    data = (
        pax({b"size": b"%d" % len(inner)})
        + header(b"outer", 0)
        + padded(inner)
        + header(b"next", 3)
        + padded(b"abc")
        + END
    )
    package = read_package(data)
    assert list(listed(package)) == ["outer", "next"]
    assert package.content("outer") == inner
    assert package.content("next") == b"abc"
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        assert archive.getnames() == ["outer", "next"]


def test_a_pax_size_passes_a_long_name_by() -> None:
    """Headers between an extended header and its file have sizes of their own."""
    name = b"n" * 150
    data = (
        pax({b"size": b"512"})
        + header(b"././@LongLink", len(name) + 1, b"L")
        + padded(name + b"\0")
        + header(b"n" * 100, 0)
        + padded(b"x" * 512)
        + header(b"next", 1)
        + padded(b"y")
        + END
    )
    package = read_package(data)
    assert list(listed(package)) == [name.decode(), "next"]
    assert package.content(name.decode()) == b"x" * 512


def test_a_pax_name_applies_to_the_next_file_only_and_later_records_win() -> None:
    data = (
        pax({b"path": b"first", b"linkpath": b"nowhere"})
        + pax({b"path": b"second"})
        + header(b"x", 0)
        + header(b"third", 0, b"2", target=b"there")
        + END
    )
    package = read_package(data)
    assert [(entry.path, entry.target) for entry in package.entries] == [
        ("second", None),
        ("third", "there"),
    ]


def test_names_for_all_files_are_a_reason_and_apply_to_none() -> None:
    data = pax({b"path": b"all", b"size": b"512"}, b"g") + header(b"a", 0) + header(b"b", 0) + END
    package = read_package(data)
    assert list(listed(package)) == ["a", "b"]
    assert reasons(package) == {Reason.GLOBAL_NAMES}
    comment = pax({b"comment": b"81aebef"}, b"g") + header(b"a", 0) + END
    assert reasons(read_package(comment)) == set()


def test_two_long_names_that_differ() -> None:
    data = (
        header(b"././@LongLink", 4, b"L")
        + padded(b"gnu\0")
        + pax({b"path": b"pax"})
        + header(b"plain", 0)
        + END
    )
    assert listed(read_package(data)) == {"pax": {Flag.HEADER_MISMATCH}}


def test_a_header_for_a_file_that_never_comes() -> None:
    assert reasons(read_package(header(b"a") + pax({b"path": b"b"}) + END)) == {Reason.LOOSE_HEADER}


@pytest.mark.parametrize(
    "record",
    [b"99 path=a\n", b"5 path=a\n", b"path=a\n", b"x path=a\n", b"11 path=abcd", b"6 abc\n",
     b"9 size=x\n", b"29 size=99999999999999999999\n", b"0 path=a\n", b"9 size=-1"],
)  # fmt: skip
def test_records_that_break_the_rules(record: bytes) -> None:
    data = header(b"pax", len(record), b"x") + padded(record) + header(b"a", 0) + END
    with pytest.raises(InvalidInput, match=r"tar at byte 0: .*extended"):
        read_package(data)


def test_sizes_that_break_the_rules() -> None:
    def sized(field: bytes) -> bytes:
        block = bytearray(header(b"a"))
        block[124:136] = field
        block[148:156] = b" " * 8
        block[148:156] = b"%06o\0 " % sum(block)
        return bytes(block)

    for field in (b"\xff" * 12, b"\x80" + b"\xff" * 11, b"0000000000x\0", b"-0000000001\0"):
        with pytest.raises(InvalidInput, match="a size is no number"):
            read_package(sized(field) + END)


def test_an_extended_header_that_is_too_large() -> None:
    data = header(b"pax", 2 << 20, b"x") + bytes(2 << 20) + END
    with pytest.raises(InvalidInput, match="1 MiB"):
        read_package(data)


def test_links_and_folders_that_claim_content() -> None:
    """As GNU tar: what a folder or a link claims is passed over, but not what a hard link does."""
    data = (
        header(b"dir/", 5, b"5")
        + padded(b"12345")
        + header(b"link", 5, b"2", target=b"x")
        + padded(b"12345")
        + header(b"x", 0)
        + header(b"hard", 5, b"1", target=b"x")
        + header(b"last", 0)
        + END
    )
    assert listed(read_package(data)) == {
        "dir/": {Flag.CONTENT_ON_NON_FILE}, "link": {Flag.CONTENT_ON_NON_FILE}, "x": set(),
        "hard": {Flag.CONTENT_ON_NON_FILE}, "last": set(),
    }  # fmt: skip


def test_what_follows_the_end_of_a_tar() -> None:
    tail = header(b"hidden", 0) + END
    assert reasons(read_package(header(b"a") + END + tail)) == {Reason.TRAILING_DATA}
    assert list(listed(read_package(header(b"a") + bytes(512) + tail))) == ["a"]
    assert reasons(read_package(header(b"a"))) == {Reason.NO_END}
    assert reasons(read_package(header(b"a") + END + bytes(9_216))) == set()


def test_what_follows_the_end_of_a_compression() -> None:
    data = tar_of({"a": b"a"})
    for compression in ("gz", "bz2", "xz"):
        package = read_package(COMPRESSIONS[compression](data) + b"trailing")
        assert reasons(package) == {Reason.TRAILING_DATA}, compression
        assert package.reasons[0].size == len(b"trailing")
        assert reasons(read_package(COMPRESSIONS[compression](data) + bytes(8))) == set()


def test_several_streams_are_one_file_and_a_reason() -> None:
    data = tar_of({"a": b"a", "b": b"b"})
    parts = data[:1_000], data[1_000:]
    for compress in (gzip.compress, bz2.compress, lzma.compress):
        package = read_package(b"".join(map(compress, parts)))
        assert list(listed(package)) == ["a", "b"]
    assert reasons(read_package(b"".join(map(gzip.compress, parts)))) == {Reason.SEVERAL_STREAMS}


def test_a_checksum_of_a_compression_is_looked_at() -> None:
    data = bytearray(tgz_of({"a": b"a"}))
    data[-6] ^= 1
    with pytest.raises(InvalidInput, match="damaged"):
        read_package(bytes(data))
    with pytest.raises(InvalidInput, match="damaged"):
        read_package(gzip.compress(tar_of({"a": b"a"}))[:-8] + bytes(8))


# Zip: central and local headers, and all that lies between.


def one(**fields: object) -> Package:
    built = Zip()
    built.add(b"a", b"content", **fields)  # type: ignore[arg-type]
    return read_package(built.bytes())


def test_headers_that_contradict_one_another() -> None:
    assert reasons(one()) == set()
    other = one(local_name=b"b")
    assert listed(other) == {"a": {Flag.HEADER_MISMATCH}}
    assert reasons(other) == {Reason.HEADER_MISMATCH}
    assert other.reasons[0].name == "a"
    assert listed(one(local_size=3)) == {"a": {Flag.HEADER_MISMATCH}}
    name = struct.pack("<HHBI", 0x7075, 6, 1, zlib.crc32(b"a")) + b"z"
    assert listed(one(extra=name)) == {"a": {Flag.HEADER_MISMATCH}}


def test_contents_that_contradict_their_headers() -> None:
    for fields, message in (
        ({"size": 6}, "longer or shorter"),
        ({"size": 8}, "longer or shorter"),
        ({"checksum": 1}, "checksum"),
        ({"method": 0, "size": 6}, "two sizes"),
        ({"data": b"\xff\xff\xff"}, "decoded"),
    ):
        with pytest.raises(InvalidInput, match=message):
            one(**fields)


def test_bytes_after_the_end_of_a_stream() -> None:
    built = Zip()
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = deflate.compress(b"content") + deflate.flush() + b"hidden"
    built.add(b"a", b"content", data=data)
    assert listed(read_package(built.bytes())) == {"a": {Flag.SLACK}}


def test_encrypted_and_unknown_entries_are_listed_and_not_compared() -> None:
    for fields, flag in (
        ({"flags": 1}, Flag.ENCRYPTED),
        ({"flags": 1, "mode": 0o120777}, Flag.ENCRYPTED),
        ({"method": 99}, Flag.ENCRYPTED),
        ({"method": 9}, Flag.UNKNOWN_METHOD),
        ({"method": 98}, Flag.UNKNOWN_METHOD),
    ):
        package = one(**fields)
        assert listed(package) == {"a": {flag}}
        assert compared(package) == {}
    assert reasons(one(flags=1)) == {Reason.ENCRYPTED}


def test_data_before_and_after_a_zip() -> None:
    data = zip_of({"a": b"content"})
    before = read_package(b"#!/bin/sh\n" + data)
    assert (before.reasons[0].kind, before.reasons[0].size) == (Reason.LEADING_DATA, 10)
    assert before.content("a") == b"content"
    after = read_package(data + b"trailing")
    assert (after.reasons[0].kind, after.reasons[0].size) == (Reason.TRAILING_DATA, 8)
    shifted = Zip()
    shifted.body += b"leading"
    shifted.add(b"a", b"x")
    assert reasons(read_package(shifted.bytes())) == {Reason.LEADING_DATA}


def test_bytes_and_entries_that_the_directory_does_not_list() -> None:
    built = Zip()
    built.add(b"a", b"x")
    built.add(b"hidden", b"evil", listed=False)
    built.add(b"b", b"x")
    package = read_package(built.bytes())
    assert list(listed(package)) == ["a", "b"]
    assert package.reasons[0].kind is Reason.UNLISTED_ENTRY
    assert package.reasons[0].name == "hidden"
    built = Zip()
    built.add(b"a", b"x")
    built.body += b"anything"
    built.add(b"b", b"x")
    assert reasons(read_package(built.bytes())) == {Reason.HIDDEN_DATA}


def test_entries_that_share_bytes() -> None:
    built = Zip()
    place = built.add(b"a", b"content")
    built.add(b"b", b"content", at=place)
    package = read_package(built.bytes())
    assert listed(package) == {"a": {Flag.OVERLAPS}, "b": {Flag.OVERLAPS, Flag.HEADER_MISMATCH}}
    assert reasons(package) == {Reason.OVERLAPS, Reason.HEADER_MISMATCH}
    with zipfile.ZipFile(io.BytesIO(built.bytes())) as archive, pytest.raises(zipfile.BadZipFile):
        archive.read("b")


def test_two_ends() -> None:
    """An archive in the comment of another: a reader that believes comments sees the other."""
    first = Zip()
    first.add(b"first", b"1")
    second = zip_of({"second": b"2"})
    package = read_package(first.bytes(comment=second))
    assert Reason.SEVERAL_ENDS in reasons(package)
    nested = zip_of({"inner.zip": zip_of({"a": b""})}, zipfile.ZIP_STORED)
    assert reasons(read_package(nested)) == set(), "a zip in a zip is an ordinary thing"


def test_a_directory_of_another_length_than_the_end_says() -> None:
    built = Zip()
    built.add(b"a", b"1")
    built.add(b"b", b"2")
    package = read_package(built.bytes(count=1))
    assert list(listed(package)) == ["a", "b"]
    assert reasons(package) == {Reason.COUNT_MISMATCH}
    with pytest.raises(InvalidInput, match="ends too early"):
        read_package(built.bytes(count=3))


def test_a_local_header_that_is_not_there() -> None:
    built = Zip()
    built.add(b"a", b"1")
    built.add(b"b", b"2", at=5)
    with pytest.raises(InvalidInput, match="no local header"):
        read_package(built.bytes())
    built = Zip()
    built.add(b"a", b"1")
    built.add(b"b", b"2", at=1 << 30)
    with pytest.raises(InvalidInput, match="out of place"):
        read_package(built.bytes())


def test_a_zip_that_is_cut_off() -> None:
    with pytest.raises(InvalidInput, match="no end record"):
        read_package(zip_of({"a": b"content"})[:-30])


def test_a_gem_whose_members_stand_twice() -> None:
    data = tgz_of({"a": b"last"})
    package = read_package(
        tar_of(
            [
                member("metadata.gz", gzip.compress(b"name: a\n")),
                member("data.tar.gz", tgz_of({"a": b"first"})),
                member("data.tar.gz", data),
                member("data/a", b"beside"),
                member("evil.sh", b""),
            ]
        )
    )
    assert [entry.path for entry in package.entries] == [
        "metadata", "data/a", "data/a", "data/a", "evil.sh",
    ]  # fmt: skip
    assert all(entry.flags == (Flag.DUPLICATE,) for entry in package.entries[1:4])


def test_a_gem_of_something_else() -> None:
    members = {"metadata.gz": gzip.compress(b"{}"), "data.tar.gz": gzip.compress(b"no tar")}
    with pytest.raises(UnsupportedFormat):
        read_package(tar_of(members))
    members["data.tar.gz"] = tgz_of({})
    members["metadata.gz"] = b"no gzip"
    with pytest.raises(InvalidInput, match="gzip"):
        read_package(tar_of(members))
