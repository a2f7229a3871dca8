"""`versiondiff package`: two directories, two versions in git, two archives; the page."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tarfile
from typing import TYPE_CHECKING

import msgspec
import pytest

from oracle.repositories import Git
from packages.test_package_text import ENGLISH, NEW, OLD
from packages.trees import write
from versiondiff import File
from versiondiff.packages import PackageDiff, package_diff, package_page, read_package

if TYPE_CHECKING:
    from pathlib import Path


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("GIT_", "LC_", "LANG"))
    }
    return subprocess.run(
        [sys.executable, "-m", "versiondiff", "package", *arguments],
        cwd=cwd,
        env=environment | {"PYTHONUTF8": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with both versions as directories, and as versions of a repository."""
    folder = tmp_path_factory.mktemp("package")
    git = Git.init(folder / "repository")
    for name, files in (("old", OLD), ("new", NEW)):
        tree = {
            path.encode(): content if isinstance(content, File) else File(content)
            for path, content in files.items()
        }
        write(folder / name, tree)
        git.run("--work-tree", str(folder / name), "add", "--all")
        git.run("commit", "--quiet", "--message", name)
        git.run("tag", f"v-{name}")
    return folder


def body(text: str) -> str:
    """The text without its title."""
    return text.split("\n", 1)[1]


def test_two_directories(place: Path) -> None:
    done = run("old", "new", cwd=place)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"old → new\n{body(ENGLISH)}\n"


def test_two_versions_in_git(place: Path) -> None:
    done = run("v-old", "v-new", "--repo", "repository", cwd=place)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"v-old → v-new\n{body(ENGLISH)}\n"
    assert run("v-old", "v-new", cwd=place / "repository").stdout == done.stdout


def archive(path: Path, version: str, files: dict[str, bytes]) -> None:
    about = f"Metadata-Version: 2.1\nName: greet\nVersion: {version}\n".encode()
    with tarfile.open(path, "w:gz") as tar:
        for name, content in {**files, "PKG-INFO": about}.items():
            member = tarfile.TarInfo(f"greet-{version}/{name}")
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))


@pytest.fixture
def archives(tmp_path: Path) -> Path:
    archive(tmp_path / "old.tar.gz", "1.0", {"greet.py": b"print('hello')\n", "gone.py": b"x\n"})
    archive(tmp_path / "new.tar.gz", "1.1", {"greet.py": b"print('hello world')\n"})
    return tmp_path


def test_two_archives(archives: Path) -> None:
    shown = run("old.tar.gz", "new.tar.gz", "--stat", cwd=archives)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert shown.stdout.splitlines() == [
        "greet 1.0 → 1.1",
        "Files changed (3)",
        "  1. PKG-INFO +1 -1",
        "  2. greet.py +1 -1",
        "  3. gone.py +0 -1",
    ]
    # Nothing was unpacked.
    assert sorted(path.name for path in archives.iterdir()) == ["new.tar.gz", "old.tar.gz"]
    old, new = read_package(archives / "old.tar.gz"), read_package(archives / "new.tar.gz")
    diff = package_diff(old, new)
    assert (diff.name, diff.old_version, diff.new_version) == ("greet", "1.0", "1.1")
    as_json = run("old.tar.gz", "new.tar.gz", "--json", cwd=archives).stdout
    assert msgspec.json.decode(as_json, type=PackageDiff) == diff
    other = package_diff(old, None, name="other", old_version="a")
    assert (other.name, other.old_version, other.new_version) == ("other", "a", None)


def test_a_page_is_written(archives: Path) -> None:
    shown = run("old.tar.gz", "new.tar.gz", "--html", "page.html", "--exit-code", cwd=archives)
    assert (shown.returncode, shown.stdout, shown.stderr) == (1, "", "")
    page = (archives / "page.html").read_text(encoding="utf-8")
    old, new = read_package(archives / "old.tar.gz"), read_package(archives / "new.tar.gz")
    assert page == package_page(package_diff(old, new))
    refused = run("old.tar.gz", "new.tar.gz", "--html", "page.html", "--json", cwd=archives)
    assert (refused.returncode, refused.stderr) == (
        2,
        "versiondiff: --html and --json: one of them\n",
    )
    refused = run("old.tar.gz", "new.tar.gz", "--html", "nowhere/page.html", cwd=archives)
    assert refused.returncode == 2
    assert refused.stderr.count("\n") == 1
    assert "nowhere" in refused.stderr


def test_the_listing_alone(place: Path) -> None:
    done = run("--stat", "old", "new", cwd=place)
    listing = body(ENGLISH).split("\n\nREADME.md", maxsplit=1)[0]
    assert done.stdout == f"old → new\n{listing}\n"


def test_json_is_the_wire_format(place: Path) -> None:
    whole = msgspec.json.decode(run("--json", "old", "new", cwd=place).stdout, type=PackageDiff)
    assert len(whole.files) == 6
    assert whole.files[0].hunks
    listing = json.loads(run("--json", "--stat", "old", "new", cwd=place).stdout)
    assert [file["path"] for file in listing["files"]] == [file.path for file in whole.files]
    assert not any("hunks" in file for file in listing["files"])


def test_the_exit_code_tells_where_it_is_asked(place: Path) -> None:
    assert run("--exit-code", "--stat", "old", "new", cwd=place).returncode == 1
    same = run("--exit-code", "old", "old", cwd=place)
    assert (same.returncode, same.stdout) == (0, "old → old\nNo changes\n")


def test_context_and_language_are_options(place: Path) -> None:
    done = run("--context", "0", "--language", "ja", "old", "new", cwd=place)
    assert "@@ -12,1 +12,1 @@" in done.stdout
    assert "変更されたファイル (6)" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("old", "old/README.md"), "two directories or two revisions"),
        (("v-old", "nothing", "--repo", "repository"), "nothing"),
        (("old", "nowhere"), "versiondiff: "),
        (("--context", "-1", "old", "new"), "--context"),
        (("--context", "x", "old", "new"), "--context"),
    ],
)
def test_what_is_wrong_is_said_on_one_line(
    place: Path, arguments: tuple[str, ...], said: str
) -> None:
    done = run(*arguments, cwd=place)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
