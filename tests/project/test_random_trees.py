"""Going back between any two trees: all of it, or nothing at all."""

from __future__ import annotations

import io
import os
import shutil
import tarfile
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle.repositories import Git
from project.projects import MIKA, Sight, files_of, fill, is_clean, locks, look
from versiondiff import Conflict
from versiondiff.project import Project

# Few names, so that a file is often a folder in the other tree, and a link in a third.
NAMES = st.sampled_from(["a", "b", "a/a", "a/b", "b/a", "a/a/b", "b/b/b", ".gitattributes"])
CONTENTS = st.one_of(
    st.sampled_from([b"", b"1\n", b"2\r\n", b"x\r\ny\n", b"\0\r\n"]),
    st.sampled_from(["a", "b", "../b", "/dev", "nowhere"]),
)
ATTRIBUTES = st.sampled_from([b"* text=auto\n", b"* text eol=crlf\n", b"a ident\n", b"* -text\n"])


@st.composite
def trees(draw: st.DrawFn) -> dict[str, tuple[bytes | str, bool]]:
    """Files by path, none of which is a folder of another, and whether they may be executed."""
    found: dict[str, tuple[bytes | str, bool]] = {}
    for name in draw(st.lists(NAMES, max_size=5, unique=True)):
        clash = any(other.startswith(name + "/") or name.startswith(other + "/") for other in found)
        if not clash:
            content = draw(ATTRIBUTES if name.startswith(".") else CONTENTS)
            found[name] = (content, draw(st.booleans()))
    return found


def write(folder: Path, tree: dict[str, tuple[bytes | str, bool]]) -> None:
    for name, (content, executable) in tree.items():
        fill(folder, {name: content})
        if executable and isinstance(content, bytes):
            (folder / name).chmod(0o755)


def clear(folder: Path) -> None:
    for path in folder.iterdir():
        if path.name == ".git":
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def exported(git: Git, revision: str) -> dict[bytes, tuple[str, bool, bytes]]:
    """The files of a version as git itself writes them."""
    found = {}
    archive = git.run("archive", "--format=tar", revision)
    with tarfile.open(fileobj=io.BytesIO(archive + b"\n")) as tar:
        for member in tar:
            name = os.fsencode(member.name)
            if member.issym():
                found[name] = ("link", False, os.fsencode(member.linkname))
            elif member.isfile():
                content = tar.extractfile(member)
                assert content is not None
                found[name] = ("file", bool(member.mode & 0o100), content.read())
    return found


def files_only(sight: Sight | Path) -> dict[bytes, tuple[str, bool, bytes]]:
    """What is in a folder, but for the directories."""
    files = files_of(sight) if isinstance(sight, Path) else sight.files
    return {
        path: (kind, bool(mode & 0o100), content)
        for path, (kind, mode, content) in files.items()
        if kind != "directory"
    }


@settings(deadline=None, max_examples=20)
@given(first=trees(), second=trees(), ignored=trees(), data=st.data())
def test_all_or_nothing(
    first: dict[str, tuple[bytes | str, bool]],
    second: dict[str, tuple[bytes | str, bool]],
    ignored: dict[str, tuple[bytes | str, bool]],
    data: st.DataObject,
) -> None:
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory) / "project"
        folder.mkdir()
        write(folder, first)
        project = Project.start(folder, author=MIKA)
        git = Git(folder)
        first_version = git.text("rev-parse", "HEAD")
        clear(folder)
        (folder / ".gitignore").write_bytes(git.run("show", "HEAD:.gitignore") + b"\n")
        write(folder, second)
        project.start_run("second", author=MIKA)
        # From here on some names are ignored, and files stand at them that no version has.
        for name in data.draw(st.lists(st.sampled_from(["a", "b", "/b/b"]), max_size=2)):
            with (folder / ".git/info/exclude").open("a") as file:
                file.write(f"{name}\n")
        for name, (content, _) in ignored.items():
            path = folder / name
            if any(parent.is_symlink() or parent.is_file() for parent in [path, *path.parents]):
                continue
            if path.exists() or name == ".gitattributes":
                continue
            fill(folder, {name: content})
        before = look(folder)
        want = exported(git, first_version)
        # git leaves alone what is the same in both, even where other line ends are asked for now.
        raw = git.run("diff", "-z", "--name-only", "--no-renames", first_version, "HEAD")
        changed = set(raw.split(b"\0"))
        try:
            started = project.start_from(first_version, author=MIKA)
        except Conflict:
            assert look(folder) == before
        else:
            after = look(folder)
            assert [line for line in after.status.splitlines() if line[0] not in "#!"] == []
            assert git.text("rev-parse", "HEAD") == started.commit == first_version
            assert after.references["HEAD"] == f"ref: refs/heads/{started.branch}\n"
            have, had = files_only(after), files_only(before)
            for name_in, wanted in want.items():
                assert have[name_in] == (wanted if name_in in changed else had[name_in])
            # What else is there was there before and is in no version.
            rest = have.keys() - want.keys()
            assert all(have[path] == had[path] for path in rest)
            if rest:
                ignored_paths = git.run("check-ignore", "-z", "--stdin", stdin=b"\0".join(rest))
                assert set(ignored_paths.split(b"\0")) == {*rest, b""}
            if started.kept is not None:
                gone = had.keys() - have.keys()
                assert gone <= exported(git, started.kept).keys()
        assert locks(folder) == []


def test_there_and_back_again(tmp_path: Path) -> None:
    """Files and folders swap places, modes change, and links lead elsewhere."""
    folder = tmp_path / "project"
    fill(folder, {"a": b"a file", "b/c/d": b"deep", "b/e": b"", "link": "a", "run": b"#!/bin/sh\n"})
    (folder / "run").chmod(0o755)
    project = Project.start(folder, author=MIKA)
    first = look(folder)
    clear(folder)
    fill(
        folder,
        {
            ".gitignore": b".tsugumi/\n",
            "a/b": b"in a folder",
            "b": "a",
            "link/x": b"",
            "run": b"#!/bin/sh\n",
        },
    )
    project.start_run("swap", author=MIKA)
    second = look(folder)
    project.start_from("main~1", author=MIKA)
    assert look(folder).files == first.files
    project.start_from("main", author=MIKA)
    assert look(folder).files == second.files
    assert is_clean(folder)


@pytest.mark.parametrize("way", ["file", "directory", "link", "fifo", "repository"])
def test_what_is_in_the_way_is_named(tmp_path: Path, way: str) -> None:
    folder = tmp_path / "project"
    fill(folder, {"a/b": b"1"})
    project = Project.start(folder, author=MIKA)
    shutil.rmtree(folder / "a")
    (folder / ".gitignore").write_bytes(b".tsugumi/\n/a\n")
    project.start_run("gone", author=MIKA)
    named = "a"
    if way == "file":
        fill(folder, {"a": b"in no version"})
    elif way == "directory":
        fill(folder, {"a/b/c": b"in no version"})
        named = "a/b/c"
    elif way == "link":
        (tmp_path / "elsewhere").mkdir()
        fill(folder, {"a": os.fspath(tmp_path / "elsewhere")})
    elif way == "fifo":
        os.mkfifo(folder / "a")
    else:
        Git.init(folder / "a/b")
        named = "a/b/.git/HEAD"
    before = look(folder)
    with pytest.raises(Conflict, match=f"^{named}: is in the way and in no version"):
        project.start_from("main~1", author=MIKA)
    assert look(folder) == before


def test_an_ignored_file_with_the_wanted_content_is_not_in_the_way(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    fill(folder, {"a/b": b"1"})
    project = Project.start(folder, author=MIKA)
    shutil.rmtree(folder / "a")
    (folder / ".gitignore").write_bytes(b".tsugumi/\n/a\n")
    project.start_run("gone", author=MIKA)
    fill(folder, {"a/b": b"1"})
    inode = (folder / "a/b").stat().st_ino
    project.start_from("main~1", author=MIKA)
    assert is_clean(folder)
    assert (folder / "a/b").stat().st_ino == inode
