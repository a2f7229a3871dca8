"""Good archives, cut off and changed at random: an answer or an error, never a defect."""

from __future__ import annotations

import random
import time
import zipfile

import pytest

from packages.archive_building import COMPRESSIONS, gem_of, member, pax, tar_of, zip_of
from versiondiff import tree_delta
from versiondiff.errors import InternalError, VersionDiffError
from versiondiff.packages import PackageLimits, read_package, record_mismatches

FILES: dict[str, bytes] = {
    "thing-1.0/PKG-INFO": b"Name: thing\nVersion: 1.0\n",
    "thing-1.0/pyproject.toml": b"[build-system]\nrequires = ['a']\n",
    "thing-1.0/" + "n" * 120: b"x" * 700,
    "thing-1.0/ü": b"",
}
WHEEL: dict[str, bytes] = {
    "thing-1.0.dist-info/WHEEL": b"x",
    "thing-1.0.dist-info/METADATA": b"Name: thing\n",
    "thing-1.0.dist-info/RECORD": b"a,,\n",
    "thing/a": b"a" * 100,
}
TAR = tar_of([member(name, content) for name, content in FILES.items()] + [member("l", "x")])

SAMPLES: dict[str, bytes] = {
    **{f"tar {name}": compress(TAR) for name, compress in COMPRESSIONS.items()},
    "pax": pax({b"path": b"a", b"size": b"25"}) + TAR,
    "gem": gem_of({"a": b"a" * 100}, b"name: a\nversion:\n  version: '1'\n"),
    **{
        f"zip {method}": zip_of(WHEEL, method)
        for method in (
            zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA,
        )
    },
}  # fmt: skip

LIMITS = PackageLimits(unpacked_bytes=4 << 20)


def read(data: bytes) -> bool:
    """Whether the archive could be read; what was read can be used."""
    try:
        package = read_package(data, limits=LIMITS)
    except InternalError:
        raise
    except VersionDiffError:
        return False
    tree_delta(None, package.files)
    record_mismatches(package)
    return True


@pytest.mark.parametrize("sample", SAMPLES)
def test_cut_off_anywhere(sample: str) -> None:
    data = SAMPLES[sample].rstrip(b"\0") if "tar plain" in sample else SAMPLES[sample]
    lengths = range(len(data)) if len(data) < 3_000 else range(0, len(data), len(data) // 1_500)
    whole = sum(read(data[:length]) for length in lengths)
    # A tar ends well between two entries, and in its padding.
    assert read(SAMPLES[sample])
    if "zip" in sample or sample in ("tar gz", "tar bz2", "tar xz", "tar zst"):
        assert whole == 0


@pytest.mark.parametrize("sample", SAMPLES)
def test_changed_anywhere(sample: str) -> None:
    data = SAMPLES[sample]
    chance = random.Random(sample)
    start = time.perf_counter()
    for _ in range(800):
        mutant = bytearray(data)
        for _ in range(chance.choice((1, 1, 2, 4, 16))):
            at = chance.randrange(len(mutant))
            match chance.randrange(6):
                case 0:
                    mutant[at] ^= 1 << chance.randrange(8)
                case 1:
                    mutant[at] = chance.choice((0, 0x7F, 0x80, 0xFF))
                case 2:
                    mutant[at : at + 4] = chance.choice((b"\xff" * 4, bytes(4), b"PK\x05\x06"))
                case 3:
                    del mutant[at : at + chance.randrange(1, 40)]
                case 4:
                    mutant[at:at] = mutant[: chance.randrange(600)]
                case 5:
                    other = chance.randrange(len(mutant))
                    mutant[at : at + 16] = mutant[other : other + 16]
            if not mutant:
                mutant = bytearray(data)
        read(bytes(mutant))
    assert time.perf_counter() - start < 20


def test_changed_headers_of_a_tar_with_the_right_checksum() -> None:
    """Otherwise the checksum would turn most of them away."""
    chance = random.Random(7)
    for _ in range(2_000):
        mutant = bytearray(SAMPLES["pax"][: 20 * 512])
        block = chance.randrange(len(mutant) // 512) * 512
        for _ in range(chance.randrange(1, 5)):
            mutant[block + chance.randrange(512)] = chance.choice(b"\0\x80\xff0127 /.xgLKS5")
        mutant[block + 148 : block + 156] = b" " * 8
        total = sum(mutant[block : block + 512])
        mutant[block + 148 : block + 156] = b"%06o\0 " % total
        read(bytes(mutant))
