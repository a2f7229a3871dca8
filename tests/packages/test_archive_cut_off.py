"""Good archives, cut off anywhere: an answer or an error, never a defect.

What else can happen to them is fuzzed, in `tests/fuzz`.
"""

from __future__ import annotations

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
