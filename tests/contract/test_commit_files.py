"""Files changed in a commit without a working tree: git is asked what came of it."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from oracle.repositories import Git
from versiondiff import Conflict, InvalidInput, NotFound, Repository, _core

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from versiondiff.backends import BackendName

WHO = ("A. Author", "a@example.org", 1_700_000_000, 540)
SERVICE = ("Service", "s@example.org", 1_700_000_001, -90)
MAIN = b"refs/heads/main"
FILE, SCRIPT = "100644", "100755"


def write(path: bytes, content: bytes, mode: str = FILE) -> Any:
    return ("write", path, [(b"", mode, content)])


def remove(path: bytes) -> Any:
    return ("remove", path, [])


def replace(path: bytes, **files: bytes) -> Any:
    return (
        "replace",
        path,
        [(name.replace("__", "/").encode(), FILE, content) for name, content in files.items()],
    )


@pytest.fixture(params=[True, False], ids=["bare", "folder"])
def git(request: pytest.FixtureRequest, tmp_path: Path) -> Git:
    return Git.init(tmp_path / "repository", *(["--bare"] if request.param else []))


@pytest.fixture
def commit(git: Git, backend: BackendName) -> Callable[..., tuple[str, str | None]]:
    repository = Repository.open(git.path, backend=backend)

    def make(*edits: Any, expected: str | None, message: str = "a version") -> Any:
        return _core.commit_files(
            repository._core, MAIN, expected, edits, WHO, SERVICE, message, 5.0
        )

    return make


def files(git: Git) -> dict[bytes, tuple[str, bytes]]:
    listed = git.run("ls-tree", "-r", "-z", "main").split(b"\0")[:-1]
    found = {}
    for line in listed:
        header, path = line.split(b"\t", 1)
        mode, _, object_id = header.decode().split(" ")
        found[path] = (mode, git.run("cat-file", "blob", object_id))
    return found


def test_a_commit_says_who_and_what(git: Git, commit: Callable[..., Any]) -> None:
    outcome, first = commit(write(b"a/b", b"1"), expected=None, message="Größe\n\nMore.")
    assert outcome == "made"
    assert git.run("cat-file", "commit", "main").decode() == (
        f"tree {git.text('rev-parse', 'main^{tree}')}\n"
        "author A. Author <a@example.org> 1700000000 +0900\n"
        "committer Service <s@example.org> 1700000001 -0130\n\nGröße\n\nMore."
    )
    _, second = commit(write(b"a/c", b"2", SCRIPT), expected=first)
    assert git.text("rev-list", "--parents", "-1", "main") == f"{second} {first}"
    assert files(git) == {b"a/b": (FILE, b"1"), b"a/c": (SCRIPT, b"2")}
    git.run("fsck", "--strict")


def test_nothing_new_is_no_commit(git: Git, commit: Callable[..., Any]) -> None:
    assert commit(expected=None) == ("unchanged", None)
    assert commit(remove(b"a"), replace(b"b"), expected=None) == ("unchanged", None)
    _, first = commit(write(b"a/b", b"1"), expected=None)
    for edits in (
        [],
        [write(b"a/b", b"1")],
        [replace(b"a", b=b"1")],
        [remove(b"a/c"), remove(b"a/b/c"), remove(b"c/d")],
        [remove(b"a"), write(b"a/b", b"1")],
    ):
        assert commit(*edits, expected=first) == ("unchanged", None)
    assert git.text("rev-parse", "main") == first


def test_a_branch_that_moved_is_left_alone(git: Git, commit: Callable[..., Any]) -> None:
    _, first = commit(write(b"a", b"1"), expected=None)
    _, second = commit(write(b"a", b"2"), expected=first)
    for expected in (None, first, "0" * 40):
        assert commit(write(b"a", b"3"), expected=expected) == ("moved", None)
    assert git.text("rev-parse", "main") == second


def test_a_lock_of_another_is_waited_for_and_named(
    git: Git, backend: BackendName, commit: Callable[..., Any]
) -> None:
    _, first = commit(write(b"a", b"1"), expected=None)
    lock = git.path / git.text("rev-parse", "--git-dir") / "refs" / "heads" / "main.lock"
    lock.touch()
    core = Repository.open(git.path, backend=backend)._core
    with pytest.raises(Conflict, match=r"main\.lock"):
        _core.commit_files(core, MAIN, first, [write(b"a", b"2")], WHO, WHO, "m", 0.1)
    lock.unlink()
    assert commit(write(b"a", b"2"), expected=first)[0] == "made"


def test_a_file_and_a_folder_of_one_name_are_refused(git: Git, commit: Callable[..., Any]) -> None:
    _, first = commit(write(b"folder/a", b"1"), write(b"file", b"1"), expected=None)
    for edits in (
        [write(b"folder", b"")],
        [write(b"file/below", b"")],
        [replace(b"file", a=b"")],
        [replace(b"new", a=b"", a__b=b"")],
        [write(b"new", b""), write(b"new/below", b"")],
    ):
        with pytest.raises(InvalidInput, match="can't be a"):
            commit(*edits, expected=first)
    assert git.text("rev-parse", "main") == first
    # What is in the way can go first.
    assert commit(remove(b"folder"), write(b"folder", b""), expected=first)[0] == "made"


ELSEWHERE = (
    b"", b"/a", b"a/", b"a//b", b".", b"..", b"a/../b", b"a/./b", b".git", b".GIT/config",
    b"a/.git/b", b"a/git~1", b".git\xe2\x80\x8c/b", b"a\0b", b"a\\b", b"con", b"a:b",
    b".gitmodules", b"x" * 5000,
)  # fmt: skip


def test_paths_that_lead_elsewhere_are_refused(git: Git, commit: Callable[..., Any]) -> None:
    for path in ELSEWHERE:
        for edit in (
            write(path, b""),
            ("replace", b"folder", [(path, FILE, b"")]),
            ("replace", path, [(b"a", FILE, b"")]),
        ):
            with pytest.raises(InvalidInput, match="path "):
                commit(edit, expected=None)
    assert git.text("for-each-ref") == ""


def test_only_files_are_written(commit: Callable[..., Any]) -> None:
    for mode in ("120000", "160000", "040000", "x", ""):
        with pytest.raises(InvalidInput):
            commit(write(b"a", b"", mode), expected=None)


def test_only_branches_are_written(git: Git, backend: BackendName) -> None:
    core = Repository.open(git.path, backend=backend)._core
    for name in (b"refs/tags/a", b"HEAD~1", b"main", b"refs/heads/a..b", b"refs/notes/a"):
        with pytest.raises(InvalidInput):
            _core.commit_files(core, name, None, [write(b"a", b"")], WHO, WHO, "m", 1.0)
    bad = ("A\n", "a@b", 0, 0)
    with pytest.raises(InvalidInput, match="a signature"):
        _core.commit_files(core, MAIN, None, [write(b"a", b"")], bad, WHO, "m", 1.0)
    assert git.text("for-each-ref") == ""


def test_only_trees_on_the_way_are_read(git: Git, commit: Callable[..., Any]) -> None:
    _, first = commit(write(b"far/away/a", b"1"), write(b"near/b", b"1"), expected=None)
    trees = git.text("rev-parse", "main:far", "main:far/away").split()
    for tree in trees:
        git.loose_object(tree).unlink()
    assert commit(write(b"near/a", b"2"), expected=first)[0] == "made"
    tip = git.text("rev-parse", "main")
    with pytest.raises(NotFound, match="far"):
        commit(write(b"far/b", b"2"), expected=tip)
    # What goes as a whole need not be there.
    assert commit(replace(b"far", a=b"1"), expected=tip)[0] == "made"
    assert set(files(git)) == {b"far/a", b"near/a", b"near/b"}


def test_random_edits_do_what_they_say(
    git: Git, backend: BackendName, commit: Callable[..., Any]
) -> None:
    chance = random.Random(7)
    names = [b"a", b"a-b", b"a.b", b"b", b"ab", b"\xff", "é".encode()]
    model: dict[bytes, tuple[str, bytes]] = {}
    tip: str | None = None
    for _ in range(25):
        edits = []
        for _ in range(chance.randint(1, 4)):
            path = b"/".join(chance.choices(names, k=chance.randint(1, 3)))
            below = {name for name in model if name == path or name.startswith(path + b"/")}
            above = {path[:at] for at, byte in enumerate(path) if byte == 0x2F} & model.keys()
            content = str(chance.random()).encode()
            match chance.choice(["write", "write", "remove", "replace"]):
                case "remove":
                    for name in below:
                        del model[name]
                    edits.append(remove(path))
                case "write" if not above and below <= {path}:
                    mode = chance.choice([FILE, SCRIPT])
                    model[path] = (mode, content)
                    edits.append(write(path, content, mode))
                case "replace" if not above and path not in model:
                    for name in below:
                        del model[name]
                    new = {b"x": content, b"y/z": content}
                    model |= {path + b"/" + name: (FILE, each) for name, each in new.items()}
                    edits.append(
                        ("replace", path, [(name, FILE, each) for name, each in new.items()])
                    )
        outcome, made = commit(*edits, expected=tip)
        tip = made or tip
        assert outcome in {"made", "unchanged"}
        if tip is not None:
            assert files(git) == model
    git.run("fsck", "--strict")
    core = Repository.open(git.path, backend=backend)._core
    tree = git.text("rev-parse", "main^{tree}")
    assert dict(_core.read_files(core, tree)) == {
        path: content for path, (_, content) in model.items()
    }
    path = next(path for path in model if b"/" in path)
    assert _core.read_each(core, [tree], path) == [model[path][1]]
    folder = path.rpartition(b"/")[0]
    listed = _core.list_folder(core, "main", folder) or []
    said = git.run("ls-tree", "-z", "main", folder + b"/").split(b"\0")[:-1]
    assert [name for name, _, _ in listed] == [line.rpartition(b"/")[2] for line in said]
    assert _core.list_folder(core, "main", b"nothing") is None
    assert _core.read_each(core, [tree, tree], folder) == [None, None]
    assert _core.read_each(core, [], folder) == []
    with pytest.raises(InvalidInput, match="40 hexadecimal"):
        _core.read_each(core, ["main"], folder)
    with pytest.raises(NotFound):
        _core.read_files(core, "1" * 40)


def test_a_folder_is_listed_as_far_as_names_are_near(backend: BackendName, tmp_path: Path) -> None:
    git = Git.init(tmp_path / "v", "--bare")
    names = ["Ab--12345678", "ab--0", "b--12345678", "B--1234567", "c--x12345678Y", "あ--0", "ab"]
    blob = git.text("hash-object", "-w", "--stdin", stdin=b"x")
    top = git.text(
        "mktree", stdin=b"".join(f"100644 blob {blob}\t{name}\n".encode() for name in names)
    )
    root = git.text("mktree", stdin=f"040000 tree {top}\tflows\n".encode())
    commit = git.text("commit-tree", root, "-m", "x")
    core = Repository.open(git.path, backend=backend)._core

    def near(part: bytes, *names: bytes) -> set[str]:
        listed = _core.list_folder(core, commit, b"flows", near=(part, list(names))) or []
        return {name.decode() for name, _, _ in listed}

    assert near(b"12345678", b"AB--0", b"b") == {*names} - {"B--1234567", "ab"}
    assert near(b"x12345678y", b"AB") == {"c--x12345678Y", "ab", "あ--0"}
    assert near(b"") == set(names)
    assert near(b"none") == {"あ--0"}
    assert _core.list_folder(core, commit, b"nothing", near=(b"", [])) is None
