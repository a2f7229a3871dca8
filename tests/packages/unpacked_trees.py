"""What archives hold, held against the files that the ordinary tools unpack from them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from packages.fetching import unpacked
from packages.test_packages_git import row, with_similarity_as_git
from packages.trees import git_rows
from versiondiff import Mode
from versiondiff.packages import package_diff, read_package, record_mismatches

if TYPE_CHECKING:
    from pathlib import Path

    from versiondiff.packages import Package, PackageDiff, PackageKind


def assert_as_unpacked(old: Path, new: Path, folder: Path, kind: PackageKind) -> PackageDiff:
    """Two honest archives read as they unpack, and their diff is git's of the unpacked files."""
    packages = []
    for name, archive in (("old", old), ("new", new)):
        package = read_package(archive)
        assert package.kind is kind
        assert package.reasons == ()
        assert [(entry.path, entry.flags) for entry in package.entries if entry.flags] == []
        assert record_mismatches(package) == ()
        unpacked(archive, folder / f"{name}-unpacked").rename(folder / name)
        assert contents(package) == files_below(folder / name)
        packages.append(package)
    diff = package_diff(*packages)
    ours = [row(file) for file in diff.files]
    theirs = git_rows(folder, "old", "new")
    assert with_similarity_as_git(ours) == with_similarity_as_git(theirs)
    assert diff.not_compared == 0
    assert package_diff(folder / "old", folder / "new").files == diff.files
    assert (diff.name, diff.old_version, diff.new_version) == (
        packages[0].name,
        packages[0].version,
        packages[1].version,
    )
    return diff


def contents(package: Package) -> dict[bytes, tuple[Mode, bytes | None]]:
    """The mode and content of every path that is compared."""
    return {
        entry.raw_path or entry.path.encode(): (entry.compared, package.files.content(place))
        for place, entry in enumerate(package.entries)
        if entry.compared is not None
    }


def files_below(root: Path) -> dict[bytes, tuple[Mode, bytes | None]]:
    """The same of a directory."""
    found: dict[bytes, tuple[Mode, bytes | None]] = {}
    for folder, folders, names in os.walk(root):
        for name in [*names, *folders]:
            place = root / folder / name
            path = os.fsencode(place.relative_to(root))
            if place.is_symlink():
                found[path] = (Mode.LINK, os.fsencode(place.readlink()))
            elif place.is_file():
                executable = place.stat().st_mode & 0o100
                mode = Mode.EXECUTABLE if executable else Mode.FILE
                found[path] = (mode, place.read_bytes())
    return found
