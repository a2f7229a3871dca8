"""Packages that the clients of registries build from a folder, without a network."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from packages.fetching import run
from packages.trees import write
from packages.unpacked_trees import assert_as_unpacked
from versiondiff import File, Mode
from versiondiff.packages import FileStatus, PackageKind

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from packages.trees import Tree
    from versiondiff.packages import PackageFile

LINES = [b"%d of it\n" % number for number in range(60)]
LONG = "lib/" + "/".join(["a-rather-long-name-of-a-folder"] * 6) + "/file"
PICTURE = b"\0" + bytes(range(256)) * 40
TOOLS = {"npm": "npm", "gem": "gem", "cargo": "cargo", "git": "git"}


def sources(*, later: bool) -> dict[str, bytes]:
    """What all of them hold: moved, edited, binary, empty, with a long name, not in ASCII."""
    edited = [*LINES[:20], b"another line\n", *LINES[24:]] if later else LINES
    return {
        ("lib/core/moved.txt" if later else "lib/moved.txt"): b"".join(edited),
        ("lib/same_elsewhere.txt" if later else "lib/same.txt"): b"".join(LINES[::-1]),
        "lib/edited.txt": b"".join(edited[::2]),
        "lib/picture.png": PICTURE + (b"later" if later else b""),
        "lib/empty.txt": b"",
        f"{LONG}.txt": b"".join(edited),
        "lib/読み.txt": "読み\n".encode() * (2 if later else 1),
        ("lib/new.txt" if later else "lib/gone.txt"): b"one\n\ntwo",
    }


def program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def npm(version: str, folder: Path) -> Path:
    manifest = f'{{"name": "@acme/thing", "version": "{version}", "bin": "bin/thing"}}\n'
    filled(folder, version, {"package.json": manifest.encode()})
    options: list[str | Path] = [
        "--offline",
        "--ignore-scripts",
        "--cache",
        folder.parent / "npm-cache",
    ]
    run([program("npm"), "pack", "--silent", *options], cwd=folder)
    return folder / f"acme-thing-{version}.tgz"


def gem(version: str, folder: Path) -> Path:
    specification = f"""\
Gem::Specification.new do |s|
  s.name = "thing"
  s.version = "{version}"
  s.summary = "A thing"
  s.authors = ["Aki Ito"]
  s.files = Dir["lib/**/*"].select {{ |file| File.file?(file) }}.sort
  s.bindir = "bin"
  s.executables = ["thing"]
end
"""
    filled(folder, version, {"thing.gemspec": specification.encode()})
    run([program("gem"), "build", "--silent", "--force", "thing.gemspec"], cwd=folder)
    return folder / f"thing-{version}.gem"


def cargo(version: str, folder: Path) -> Path:
    manifest = f"""\
[package]
name = "thing"
version = "{version}"
edition = "2021"
license = "MIT"
description = "A thing"
"""
    filled(folder, version, {"Cargo.toml": manifest.encode(), "src/lib.rs": b"\n"})
    command = ["package", "--quiet", "--offline", "--no-verify", "--allow-dirty"]
    run(
        [program("cargo"), *command, "--target-dir", folder.parent / f"target-{version}"],
        cwd=folder,
    )
    return folder.parent / f"target-{version}" / "package" / f"thing-{version}.crate"


def git_archive(version: str, folder: Path) -> Path:
    """As forges hand out a tag: a header of the whole tar says the commit."""
    filled(folder, version, {"README": b"a thing\n"})
    git = [program("git"), "-c", "user.name=Aki Ito", "-c", "user.email=aki@example.org"]
    run([*git, "init", "--quiet"], cwd=folder)
    run([*git, "add", "--all"], cwd=folder)
    run([*git, "commit", "--quiet", "--message", version], cwd=folder)
    archive = folder.parent / f"{version}.tar.gz"
    run([*git, "archive", f"--prefix=thing-{version}/", "-o", archive, "HEAD"], cwd=folder)
    return archive


def filled(folder: Path, version: str, more: dict[str, bytes]) -> None:
    tree: Tree = {
        path.encode(): File(content, Mode.FILE)
        for path, content in (sources(later=version == "1.1.0") | more).items()
    }
    tree[b"bin/thing"] = File(b"#!/bin/sh\nexec true\n", Mode.EXECUTABLE)
    write(folder, tree)


@pytest.mark.parametrize(
    ("build", "kind"),
    [
        (npm, PackageKind.NPM),
        (gem, PackageKind.GEM),
        (cargo, PackageKind.CRATE),
        (git_archive, PackageKind.TAR),
    ],
    ids=["npm", "gem", "cargo", "git archive"],
)
def test_locally_built_packages(
    build: Callable[[str, Path], Path],
    kind: PackageKind,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    old, new = (build(version, tmp_path / "built" / f"v{version}") for version in VERSIONS)
    diff = assert_as_unpacked(old, new, tmp_path, kind)
    if kind is not PackageKind.TAR:
        assert diff.name in {"thing", "@acme/thing"}
        assert (diff.old_version, diff.new_version) == VERSIONS
    root = "data/" if kind is PackageKind.GEM else ""
    files = {file.path.removeprefix(root): file for file in diff.files}
    assert counts(files["lib/core/moved.txt"]) == (FileStatus.RENAMED, 1, 4)
    assert counts(files["lib/same_elsewhere.txt"]) == (FileStatus.RENAMED, 0, 0)
    assert counts(files["lib/edited.txt"])[0] is FileStatus.CHANGED
    assert counts(files["lib/picture.png"]) == (FileStatus.CHANGED, None, None)
    assert counts(files[f"{LONG}.txt"]) == (FileStatus.CHANGED, 1, 4)
    assert counts(files["lib/読み.txt"]) == (FileStatus.CHANGED, 1, 0)
    assert "lib/empty.txt" not in files
    assert "bin/thing" not in files


VERSIONS = ("1.0.0", "1.1.0")


def counts(file: PackageFile) -> tuple[FileStatus, int | None, int | None]:
    return file.status, file.added, file.removed
