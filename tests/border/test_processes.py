"""Handles in other processes and in many threads: forked, spawned, shared."""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import pickle
import threading
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

import versiondiff
from oracle.repositories import Git
from versiondiff import Repository
from versiondiff.packages import package_diff

if TYPE_CHECKING:
    from pathlib import Path

VERSIONS = 40


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of Tsugumi's with some versions."""
    folder: Path = tmp_path_factory.mktemp("history")
    git = Git.init(folder)
    (folder / "tsugumi.json").write_bytes(b'{"formatVersion": 1, "name": "x", "settings": {}}')
    card = folder / "definitions" / "card"
    (card / "src").mkdir(parents=True)
    for number in range(VERSIONS):
        (card / "_card.json").write_bytes(
            b'{"name": "Card", "parameters": {"p": {"type": "int", "value": %d}}}' % number
        )
        (card / "src" / "main.py").write_bytes(b"value = %d\n" % number)
        git.run("add", "--all")
        git.run("commit", "--quiet", "--message", f"version {number}")
    return folder


def told(repository: Repository) -> bytes:
    """All that is said of the history."""
    records = list(repository.records(format="tsugumi", threads=2))
    diffs = list(repository.version_diffs(format="tsugumi", threads=2))
    return msgspec.json.encode([records, diffs])


def tell(path: Path) -> bytes:
    return told(Repository.open(path))


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_processes_say_the_same(path: Path, method: str) -> None:
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {method} here")
    expected = tell(path)
    context = multiprocessing.get_context(method)
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        assert list(pool.map(tell, [path] * 3)) == [expected] * 3


def test_a_forked_process_goes_on_with_what_its_parent_opened(path: Path) -> None:
    """Handles are the child's, too; the threads of a walk under way are the parent's alone."""
    repository = Repository.open(path)
    expected = told(repository)
    under_way = repository.records(format="tsugumi", threads=2)
    first = next(under_way)
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()

    def child() -> None:
        there.send_bytes(told(repository))

    process = context.Process(target=child)
    process.start()
    assert here.poll(60)
    assert here.recv_bytes() == expected
    process.join(60)
    assert process.exitcode == 0
    assert len([first, *under_way]) == VERSIONS


def test_values_go_between_processes(path: Path) -> None:
    repository = Repository.open(path)
    for value in (
        next(repository.records(format="tsugumi")),
        repository.version_diff("HEAD", format="tsugumi"),
        versiondiff.tree_delta(None, {"a": b"1\n"}),
    ):
        assert pickle.loads(pickle.dumps(value)) == value  # noqa: S301 (our own)


def test_sixty_four_threads_read_with_one_handle(path: Path) -> None:
    repository = Repository.open(path)
    expected = told(repository)
    single = repository.version_diff("HEAD", format="tsugumi")
    wrong: list[Any] = []
    start = threading.Barrier(64)

    def body(number: int) -> None:
        try:
            start.wait(60)
            if number % 2:
                if told(repository) != expected:
                    wrong.append(number)
            else:
                diffs = [repository.version_diff("HEAD", format="tsugumi") for _ in range(20)]
                if diffs != [single] * 20:
                    wrong.append(number)
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=body, args=(number,)) for number in range(64)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_threads_share_what_is_pure() -> None:
    old, new = {"a": b"1\n" * 500}, {"a": b"1\n" * 499 + b"2\n", "b": b"3\n"}
    expected = versiondiff.tree_delta(old, new)
    diff = package_diff(old, new)
    with concurrent.futures.ThreadPoolExecutor(64) as pool:
        deltas = pool.map(lambda _: versiondiff.tree_delta(old, new), range(256))
        diffs = pool.map(lambda _: package_diff(old, new), range(256))
        assert all(one == expected for one in deltas)
        assert all(one == diff for one in diffs)
