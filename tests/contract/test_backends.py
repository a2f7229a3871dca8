"""Which backend a repository is opened with, and what each does to references."""

from __future__ import annotations

import builtins
import gc
import multiprocessing
import subprocess
import sys
import tempfile
import threading
from typing import TYPE_CHECKING, Any

import pytest

import versiondiff
from contract.backend_repositories import versions
from oracle.repositories import ENVIRONMENT, Git
from versiondiff import Repository

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from versiondiff.backends import Backend
    from versiondiff.pygit2_store import Pygit2Store

pygit2 = pytest.importorskip("pygit2", reason="the second backend is not installed")

BACKENDS: tuple[Backend, ...] = ("auto", "gix", "pygit2")
WHO = (b"Some One", b"one@example.org", 1_700_000_000, 90)


@pytest.fixture
def git(tmp_path: Path) -> Git:
    git = Git.init(tmp_path / "work")
    versions(git)
    return git


# ── Which one ───────────────────────────────────────────────────────────────────────────────────


def test_gix_is_taken_where_it_reads(git: Git) -> None:
    for backend in BACKENDS[:2]:
        repository = Repository.open(git.path, backend=backend)
        assert (repository.backend, repository.backend_reason) == ("gix", "")
    repository = Repository.open(git.path, backend="pygit2")
    assert (repository.backend, repository.backend_reason) == ("pygit2", "")
    assert Repository.from_pygit2(pygit2.Repository(str(git.path))).backend == "pygit2"
    with pytest.raises(versiondiff.InvalidInput, match="backend is one of"):
        Repository.open(git.path, backend="dulwich")  # type: ignore[arg-type]


def borrows_from_itself(git: Git) -> None:
    """As a script that adds one alternate too many leaves it; git reads it."""
    (git.path / ".git/objects/info/alternates").write_text("../objects\n")


def a_setting_that_is_no_boolean(git: Git) -> None:
    with (git.path / ".git/config").open("a") as config:
        config.write("[core]\n\tlogAllRefUpdates = sometimes\n")


def a_key_that_starts_with_a_digit(git: Git) -> None:
    with (git.path / ".git/config").open("a") as config:
        config.write("[tool]\n\t3d = yes\n")


def a_packed_reference_that_is_none(git: Git) -> None:
    """gix opens the repository, and can't tell what HEAD stands on."""
    (git.path / ".git/packed-refs").write_text("junk\n")


@pytest.mark.parametrize(
    "spoil",
    [
        borrows_from_itself,
        a_setting_that_is_no_boolean,
        a_key_that_starts_with_a_digit,
        a_packed_reference_that_is_none,
    ],
)
def test_pygit2_takes_over_where_gix_can_not_read(git: Git, spoil: Callable[[Git], None]) -> None:
    expected = b"".join(Repository.open(git.path).delta_lines())
    head = git.text("rev-parse", "HEAD")
    spoil(git)
    repository = Repository.open(git.path)
    assert repository.backend == "pygit2"
    assert repository.backend_reason.startswith("gix can't read it: ")
    assert repository.head().commit == head
    assert b"".join(repository.delta_lines()) == expected
    with pytest.raises(versiondiff.VersionDiffError):
        Repository.open(git.path, backend="gix").head()


def test_what_neither_reads_gives_the_error_of_gix(tmp_path: Path) -> None:
    for options in (["--object-format=sha256"], ["--ref-format=reftable"]):
        path = Git.init(tmp_path / options[0], *options).path
        for backend in BACKENDS:
            with pytest.raises(versiondiff.UnsupportedFormat, match="extensions"):
                Repository.open(path, backend=backend)
    git = Git.init(tmp_path / "broken")
    (git.path / ".git/config").write_text("[core\n")
    messages = set()
    for backend in BACKENDS[:2]:
        with pytest.raises(versiondiff.VersionDiffError, match="can't be opened") as raised:
            Repository.open(git.path, backend=backend)
        messages.add(str(raised.value))
    assert len(messages) == 1
    for backend in BACKENDS:
        with pytest.raises(versiondiff.NotFound, match="no git repository at"):
            Repository.open(tmp_path, backend=backend)


def test_pygit2_is_missed_only_where_it_is_asked_for_by_name(
    git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    importing = builtins.__import__

    def without_it(name: str, *others: Any) -> Any:
        if name.partition(".")[0] == "pygit2":
            raise ModuleNotFoundError(name)
        return importing(name, *others)

    monkeypatch.setattr(builtins, "__import__", without_it)
    assert Repository.open(git.path).backend == "gix"
    with pytest.raises(versiondiff.InvalidInput, match=r"install versiondiff\[pygit2\]"):
        Repository.open(git.path, backend="pygit2")
    borrows_from_itself(git)
    with pytest.raises(versiondiff.VersionDiffError, match="cycle"):
        Repository.open(git.path)


def test_nothing_imports_pygit2_before_it_is_needed(git: Git) -> None:
    program = (
        "import sys, versiondiff\n"
        "versiondiff.Repository.open(sys.argv[1]).head()\n"
        "sys.exit('pygit2' in sys.modules)\n"
    )
    command = [sys.executable, "-c", program, str(git.path)]
    environment = ENVIRONMENT | {"PYTHONPATH": ":".join(sys.path)}
    assert subprocess.run(command, env=environment, check=False).returncode == 0


def test_a_repository_in_memory_alone_is_refused() -> None:
    with pytest.raises(versiondiff.InvalidInput, match="without a git directory"):
        Repository.from_pygit2(pygit2.Repository())


def test_nothing_is_left_behind(git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    repository = Repository.open(git.path, backend="pygit2")
    assert list(tmp_path.glob("versiondiff-*"))
    repository.head()
    del repository
    gc.collect()
    assert list(tmp_path.glob("versiondiff-*")) == []
    assert git.text("rev-parse", "HEAD")


def test_references_are_listed_while_others_are_written(git: Git) -> None:
    """One repository for all threads: a reader in each, while git writes beside them."""
    repository = Repository.open(git.path, backend="pygit2")
    expected = b"".join(repository.delta_lines())
    errors: list[BaseException] = []

    def read() -> None:
        try:
            for _ in range(20):
                assert b"".join(repository.delta_lines(range="main", threads=2)) == expected
                repository.references()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for number in range(15):
        git.run("update-ref", f"refs/heads/new-{number}", "main")
    git.run("pack-refs", "--all")
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(repository.references("refs/heads/new-")) == 15


# ── Changing a reference ────────────────────────────────────────────────────────────────────────


def store_of(path: Path) -> Pygit2Store:
    from versiondiff.pygit2_store import Pygit2Store

    git_dir = path / ".git"
    return Pygit2Store(pygit2.Repository(str(git_dir)), git_dir, [git_dir / "objects"])


def test_a_reference_changes_only_where_it_holds_what_is_expected(git: Git) -> None:
    store, name = store_of(git.path), b"refs/notes/x"
    old, new = (bytes.fromhex(git.text("rev-parse", name)) for name in ("main~1", "main"))
    assert store.swap(name, old, new, WHO, "not there") == "moved"
    assert store.swap(name, None, old, WHO, "made") == "done"
    assert store.swap(name, None, new, WHO, "there already") == "moved"
    assert store.swap(name, new, old, WHO, "holds another") == "moved"
    assert store.swap(name, old, new, WHO, "changed") == "done"
    assert git.text("rev-parse", "refs/notes/x") == new.hex()
    log = (git.path / ".git/logs/refs/notes/x").read_text().splitlines()
    assert [line.split("\t")[1] for line in log] == ["made", "changed"]
    assert "Some One <one@example.org> 1700000000 +0130" in log[1]
    git.run("pack-refs", "--all")
    assert store.swap(name, old, new, WHO, "packed, and moved") == "moved"
    assert store.swap(name, new, old, WHO, "packed") == "done"
    git.run("symbolic-ref", "refs/heads/symbolic", "refs/heads/main")
    assert store.swap(b"refs/heads/symbolic", new, old, WHO, "symbolic") == "moved"
    lock = git.path / ".git/refs/notes/x.lock"
    lock.touch()
    assert store.swap(name, old, new, WHO, "locked") == "locked"
    lock.unlink()
    with pytest.raises(pygit2.GitError):
        store.swap(b"refs/heads/main/below", None, new, WHO, "below a branch")
    assert store.swap(b"refs/heads/\xff", None, new, WHO, "bytes") == "done"
    assert git.run("rev-parse", b"refs/heads/\xff") == new.hex().encode()


def count_up(path: Path, times: int) -> None:
    """Add a commit to `refs/notes/race`, this often, however often it takes."""
    store, name = store_of(path), b"refs/notes/race"
    for number in range(times):
        while True:
            now = store.reference(name)
            held = None if now is None else now[1]
            parent = b"" if held is None else b"parent %s\n" % held.hex().encode()
            text = b"tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n%s" % parent
            text += b"author A <a> %d +0000\ncommitter A <a> 1 +0000\n\nx\n" % number
            if store.swap(name, held, store.write("commit", text), WHO, "up") == "done":
                break


def test_of_many_writers_none_is_lost(git: Git) -> None:
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=count_up, args=(git.path, 15)) for _ in range(3)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0, 0, 0]
    assert git.text("rev-list", "--count", "refs/notes/race") == "45"
