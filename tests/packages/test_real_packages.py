"""Real packages: what is read is what the ordinary tools unpack, and the diff is git's.

They come from PyPI and crates.io, by pip and cargo, and are kept in a folder. So these tests run
only where VERSIONDIFF_REAL_PACKAGES names that folder; a second run needs no network.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from packages.fetching import FOLDER, Release, Source, fetched
from packages.unpacked_trees import assert_as_unpacked
from versiondiff.packages import FileStatus, PackageKind

pytestmark = pytest.mark.skipif(
    not os.environ.get(FOLDER), reason=f"{FOLDER} does not name a folder for packages to be kept in"
)

PAIRS = [
    (Source.WHEEL, "six", "1.15.0", "1.16.0"),
    # Binaries, 60 MB of files.
    (Source.WHEEL, "numpy", "1.26.3", "1.26.4"),
    # Thousands of files, most of them data.
    (Source.WHEEL, "botocore", "1.34.0", "1.34.100"),
    # Minified files that are named by their content; a `.data` folder.
    (Source.WHEEL, "jupyterlab", "4.1.0", "4.1.8"),
    (Source.WHEEL, "django", "4.2.16", "5.0.9"),
    # All the sources move to another folder.
    (Source.SDIST, "requests", "2.31.0", "2.32.3"),
    (Source.SDIST, "attrs", "22.2.0", "23.1.0"),
    (Source.SDIST, "click", "8.1.7", "8.2.0"),
    (Source.SDIST, "pygments", "2.15.1", "2.17.2"),
    (Source.CRATE, "syn", "1.0.109", "2.0.39"),
    (Source.CRATE, "tokio", "1.35.0", "1.38.0"),
    # Objects and assembly in two formats.
    (Source.CRATE, "ring", "0.16.20", "0.17.8"),
    # A line of some hundred kilobytes, many files, 20 MB.
    (Source.CRATE, "windows-sys", "0.48.0", "0.52.0"),
]

KINDS = {
    Source.WHEEL: PackageKind.WHEEL,
    Source.SDIST: PackageKind.SDIST,
    Source.CRATE: PackageKind.CRATE,
}


@pytest.mark.parametrize(
    ("source", "name", "old", "new"), PAIRS, ids=[f"{pair[0].value}-{pair[1]}" for pair in PAIRS]
)
def test_real_packages(source: Source, name: str, old: str, new: str, tmp_path: Path) -> None:
    needed = {"tar", "unzip", *(["cargo"] if source is Source.CRATE else [])}
    for tool in needed:
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    folder = Path(os.environ[FOLDER])
    before, now = (fetched(Release(source, name, version), folder) for version in (old, new))
    diff = assert_as_unpacked(before, now, tmp_path, KINDS[source])
    assert diff.name is not None
    assert diff.name.lower() == name
    assert (diff.old_version, diff.new_version) == (old, new)
    assert diff.files
    if name in {"requests", "ring"}:
        assert any(file.status is FileStatus.RENAMED for file in diff.files)
