"""Bombs end at a limit that the error names, soon, and before memory is spent."""

from __future__ import annotations

import bz2
import gzip
import lzma
import signal
import struct
import subprocess
import sys
import tarfile
import time
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import versiondiff
from packages.archive_building import (
    COMPRESSIONS,
    END,
    Zip,
    gem_of,
    header,
    member,
    padded,
    tar_of,
    tgz_of,
    zip_of,
)
from versiondiff.errors import InvalidInput, LimitExceeded
from versiondiff.packages import PackageLimits, read_package

if TYPE_CHECKING:
    from collections.abc import Callable

MIB = 1 << 20


def zeros(size: int) -> bytes:
    """A tar of one file of zeros, compressed."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, 31)
    parts = [deflate.compress(header(b"zeros", size))]
    parts += [deflate.compress(bytes(MIB)) for _ in range(size // MIB)]
    return b"".join([*parts, deflate.compress(END), deflate.flush()])


def overlapping(count: int, size: int) -> bytes:
    """A zip whose entries share one content: the kind that grows from 42 kB to many gigabytes."""
    built = Zip()
    content, checksum = bytes(size), zlib.crc32(bytes(size))
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = deflate.compress(content) + deflate.flush()
    place = built.add(b"0", data=data, size=size, checksum=checksum)
    for number in range(1, count):
        built.add(b"%d" % number, data=data, size=size, checksum=checksum, at=place)
    return built.bytes()


def quoting(count: int, size: int) -> bytes:
    """Each entry's stream quotes the local headers after it, in stored blocks, and goes on into the
    last one: every name has its own header, and all share the content."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    kernel = deflate.compress(bytes(size)) + deflate.flush()
    files = []
    content_size, checksum = size, zlib.crc32(bytes(size))
    data, body = kernel, b""
    for number in reversed(range(count)):
        name = b"%05d" % number
        if body:
            quoted = body[: 30 + 5]
            block = struct.pack("<BHH", 0, len(quoted), len(quoted) ^ 0xFFFF)
            data = block + body
            checksum = zlib.crc32(zlib.decompress(data, -15))
            content_size += len(quoted)
        local = struct.pack(
            "<4s5H3I2H", b"PK\x03\x04", 20, 0, 8, 0, 0, checksum, len(data), content_size, 5, 0
        )
        body = local + name + data
        files.append((name, checksum, len(data), content_size, len(body)))
    built = Zip()
    built.body += body
    for name, checksum, compressed, content_size, length in reversed(files):
        built.directory += struct.pack(
            "<4s6H3I5H2I", b"PK\x01\x02", 20, 20, 0, 8, 0, 0, checksum, compressed, content_size,
            5, 0, 0, 0, 0, 0, len(body) - length,
        )  # fmt: skip
        built.directory += name
        built.count += 1
    return built.bytes()


def nested(layers: int) -> bytes:
    data = tar_of({"a": b""})
    for _ in range(layers):
        data = gzip.compress(data, mtime=0)
    return data


BOMBS: dict[str, tuple[Callable[[], bytes], str]] = {
    "tar.gz": (lambda: zeros(64 * MIB), "ratio"),
    "zip": (lambda: zip_of({"zeros": bytes(64 * MIB)}), "ratio"),
    "overlapping zip": (lambda: overlapping(20_000, 4 * MIB), "unpacked_bytes"),
    "quoting zip": (lambda: quoting(250, 4 * MIB), "unpacked_bytes"),
    "metadata.gz": (
        lambda: tar_of(
            {"metadata.gz": gzip.compress(bytes(64 * MIB)), "data.tar.gz": tgz_of({"a": b""})}
        ),
        "ratio",
    ),
    "data.tar.gz": (
        lambda: tar_of({"metadata.gz": gzip.compress(b"{}"), "data.tar.gz": zeros(64 * MIB)}),
        "ratio",
    ),
    "gzip in gzip": (lambda: gzip.compress(zeros(64 * MIB)), "ratio"),
    "layers": (lambda: nested(50), "nesting"),
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_bomb_ends_at_a_limit(bomb: str) -> None:
    make, limit = BOMBS[bomb]
    data = make()
    start = time.process_time()
    with pytest.raises(LimitExceeded, match=rf"exceeds {limit} = \d+"):
        read_package(data)
    assert time.process_time() - start < 5


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_unpacked_bytes_are_counted_behind_every_compression(compression: str) -> None:
    data = COMPRESSIONS[compression](tar_of({"a": bytes(2 * MIB)}))
    with pytest.raises(LimitExceeded, match=f"unpacked_bytes = {MIB}"):
        read_package(data, limits=PackageLimits(unpacked_bytes=MIB))


def test_members_that_are_skipped_are_charged() -> None:
    limits = PackageLimits(unpacked_bytes=MIB)
    skipped = header(b"a/", 2 * MIB, b"5") + bytes(2 * MIB) + END
    trailing = header(b"a") + END + b"x" * 2 * MIB
    many = b"".join(header(b"pax", 11, b"x") + padded(b"11 path=ab\n") for _ in range(2_000)) + END
    for data in (skipped, trailing, many):
        with pytest.raises(LimitExceeded, match="unpacked_bytes"):
            read_package(data, limits=limits)
        with pytest.raises(LimitExceeded, match="unpacked_bytes"):
            read_package(gzip.compress(data), limits=limits)


def test_hard_links_are_charged_as_what_they_name() -> None:
    links = [member(f"{n}", type=tarfile.LNKTYPE, linkname="a") for n in range(100)]
    data = tar_of([member("a", bytes(MIB)), *links])
    with pytest.raises(LimitExceeded, match="unpacked_bytes"):
        read_package(data, limits=PackageLimits(unpacked_bytes=50 * MIB))


def test_the_other_limits() -> None:
    files = {"a": b"a" * 2_000, "b": b"", "c": b""}
    for data in (tar_of(files), tgz_of(files), zip_of(files), gem_of(files)):
        with pytest.raises(LimitExceeded, match="file_bytes = 1999"):
            read_package(data, limits=PackageLimits(file_bytes=1_999))
        with pytest.raises(LimitExceeded, match="entries = 2"):
            read_package(data, limits=PackageLimits(entries=2))
        with pytest.raises(LimitExceeded, match="nesting = 0"):
            read_package(data, limits=PackageLimits(nesting=0))
    with pytest.raises(LimitExceeded, match="nesting = 2"):
        read_package(gem_of(files), limits=PackageLimits(nesting=2))
    assert read_package(nested(3)).entries
    with pytest.raises(LimitExceeded, match="nesting = 4"):
        read_package(nested(4))


def test_a_size_that_is_claimed_is_not_believed() -> None:
    """The most that a header can say costs neither time nor memory."""
    with pytest.raises(LimitExceeded, match="file_bytes"):
        read_package(header(b"a", 0o77777777777) + END)
    with pytest.raises(LimitExceeded, match="ratio"):
        read_package(header(b"a", 200 * MIB) + END)
    built = Zip()
    built.add(b"a", b"x", size=0xFFFFFFFE)
    with pytest.raises(LimitExceeded, match="unpacked_bytes"):
        read_package(built.bytes())


def test_a_file_that_is_larger_than_all_that_may_be_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "a.tar"
    path.write_bytes(tar_of({"a": b""}))
    with pytest.raises(LimitExceeded, match=r"a\.tar: the archive exceeds unpacked_bytes"):
        read_package(path, limits=PackageLimits(unpacked_bytes=4_096))


def test_streams_without_end() -> None:
    """Nothing comes out of an empty stream, so that no other limit would be met."""
    streams = gzip.compress(b"") * 17_000
    for data in (
        streams,
        gzip.compress(streams),
        lzma.compress(b"") * 17_000,
        bz2.compress(b"") * 17_000,
    ):
        start = time.process_time()
        with pytest.raises(InvalidInput, match="16384 streams"):
            read_package(data)
        assert time.process_time() - start < 10


def test_a_window_that_is_too_large() -> None:
    filters = [{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 27, "preset": 0}]
    data = lzma.compress(tar_of({"a": b""}), filters=filters)
    with pytest.raises(InvalidInput, match="window"):
        read_package(data)
    largest = [{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 26, "preset": 0}]
    assert read_package(lzma.compress(tar_of({"a": b""}), filters=largest)).entries


@pytest.mark.parametrize("form", ["tar.gz", "zip", "gem"])
def test_seventy_thousand_entries(form: str) -> None:
    files = {f"folder-{number % 100}/{number}": b"" for number in range(70_000)}
    makers: dict[str, Callable[[dict[str, bytes]], bytes]] = {
        "tar.gz": tgz_of, "zip": zip_of, "gem": gem_of,
    }  # fmt: skip
    data = makers[form](files)
    start = time.process_time()
    package = read_package(data)
    assert time.process_time() - start < 10
    assert sum(entry.compared is not None for entry in package.entries) >= 70_000


def test_names_that_begin_one_another() -> None:
    """Sorting and looking above each path stays cheap."""
    files = {"a" * length: b"" for length in range(1, 5_000)}
    files |= {"d/" * depth + "f": b"" for depth in range(1, 2_000)}
    start = time.process_time()
    read_package(tgz_of(files))
    assert time.process_time() - start < 10


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there is no timer")
def test_ctrl_c_ends_the_reading() -> None:
    # A gigabyte that is passed over, and no end: read to where it is cut off, it would be an error.
    data = gzip.compress(header(b"a/", 2 << 30, b"5")) + gzip.compress(bytes(MIB)) * 1_024
    limits = PackageLimits(unpacked_bytes=4 << 30, ratio=1 << 30)

    class Stopped(Exception):
        pass

    def stop(*_: object) -> None:
        raise Stopped

    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        with pytest.raises(Stopped) as stopped:
            read_package(data, limits=limits)
        # A signal that waits for the end of the reading is raised over the error.
        assert stopped.value.__context__ is None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


MEMORY = """
import gc, resource, sys
from versiondiff.errors import VersionDiffError
from versiondiff.packages import PackageLimits, read_package
data = open(sys.argv[1], "rb").read()
read_package(open(sys.argv[2], "rb").read())
gc.collect()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    read_package(data, limits=PackageLimits(unpacked_bytes=int(sys.argv[3])))
except VersionDiffError as error:
    print(error, file=sys.stderr)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the peak is counted in kibibytes")
@pytest.mark.parametrize(
    "bomb", ["tar.gz", "zip", "overlapping zip", "metadata.gz", "gzip in gzip", "xz", "zip in xz"]
)
def test_memory_stays_below_the_limit(tmp_path: Path, bomb: str) -> None:
    match bomb:
        case "xz":
            data = lzma.compress(tar_of({"zeros": bytes(200 * MIB)}), preset=9)
        case "zip in xz":
            data = lzma.compress(bytes(100 * MIB))
        case _:
            data = BOMBS[bomb][0]()
    (tmp_path / "bomb").write_bytes(data)
    (tmp_path / "good").write_bytes(tgz_of({"a": b"a"}))
    limit = 32 * MIB
    done = subprocess.run(
        [sys.executable, "-c", MEMORY, tmp_path / "bomb", tmp_path / "good", str(limit)],
        capture_output=True,
        check=True,
        text=True,
        env={"PYTHONPATH": str(Path(versiondiff.__file__).parents[1])},
    )
    assert "exceeds" in done.stderr or "no archive" in done.stderr
    assert int(done.stdout) * 1_024 < limit + len(data) + 8 * MIB
