"""Repositories read: whatever may be in a git directory, names of revisions, other backends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pygit2

from fuzz.damage import WORDS, GitTarget, WholeTarget, good, put_in
from fuzz.mutator import in_bytes
from fuzz.target import TextTarget
from versiondiff import Order, Parents, Repository, Rewrites, tree_delta
from versiondiff import _core as core
from versiondiff.errors import InternalError, VersionDiffError
from versiondiff.pygit2_store import Pygit2Store

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from fuzz.damage import Damaged, Good

__all__ = ["TARGETS"]


def reading(backend: Any) -> Callable[[Damaged, random.Random], None]:
    def read(case: Damaged, dice: random.Random) -> None:
        with put_in(case):
            read_all(case.good, backend, dice)

    return read


def read_all(one: Good, backend: Any, dice: random.Random) -> None:
    """Whatever can be read, one thing after the other, each on its own."""
    folder = one.folder
    repository = Repository.open(folder, backend=backend)
    own = repository._core  # the functions that nothing else reaches alone
    jobs: list[Callable[[], object]] = [
        repository.head,
        repository.references,
        repository.attached,
        lambda: list(repository.notes("tsugumi")),
        lambda: list(repository.notes("many")),
        lambda: repository.notes("many").get(f"{7:040x}"),
        lambda: tree_delta(repository.snapshot("HEAD~1"), repository.snapshot("HEAD")),
        lambda: core.find_repository(folder),
        lambda: core.list_folder(own, "HEAD", b"definitions", near=(b"definitions", [b"bands"])),
        lambda: core.read_files(own, one.tree),
        lambda: core.read_each(own, [one.tree], b"README.md"),
        lambda: own.detect_format("HEAD"),
        lambda: repository.version_diff("HEAD", format="tsugumi"),
        lambda: repository.record("main"),
        lambda: repository.scan_lines(range="main"),
    ]
    ways: dict[str, Any] = {
        "order": dice.choice(tuple(Order)),
        "parents": dice.choice(tuple(Parents)),
    }
    walks: list[Callable[[], Iterator[object]]] = [
        lambda: repository.versions(**ways),
        lambda: repository.deltas(**ways, rewrites=Rewrites.SIMILAR, threads=dice.choice((1, 2))),
        lambda: repository.records(**ways, threads=1),
        lambda: repository.version_diffs(**ways, format="tsugumi", threads=1),
        lambda: repository.scan(threads=1),
    ]
    walk = dice.choice(walks)
    jobs = [*dice.sample(jobs, 5), lambda: sum(1 for _ in walk())]
    for job in jobs:
        try:
            job()
        except InternalError:
            raise
        except VersionDiffError:
            continue


# ── Names of revisions, and paths ───────────────────────────────────────────────────────────────


def revision_seeds() -> list[bytes]:
    return [
        b"HEAD", b"main~3^2", b"HEAD^{tree}", b"refs/heads/main", b"main..HEAD", b"HEAD^!", b"@{1}",
        b":/text", b"HEAD:README.md", b"v1^{}", b"abc1234", b"HEAD@{2020-01-01}", b"..", b"a...b",
    ]  # fmt: skip


def revisions(data: bytes, dice: random.Random) -> None:
    repository = Repository.open(good()[dice.randrange(2)].folder, backend="gix")
    text = data.decode(errors=dice.choice(("replace", "surrogateescape"))) + dice.choice(
        ("", "", "\ud800")
    )
    path = data.decode(errors="surrogateescape")
    for job in (
        lambda: repository.version(text),
        lambda: list(repository.versions(range=text)),
        lambda: list(repository.versions(paths=[path])),
        lambda: list(repository.deltas(range="HEAD^!", paths=[path])),
        lambda: repository.references(data),
        lambda: repository.notes(text).get("HEAD"),
        lambda: repository.notes("tsugumi").get(text),
        lambda: core.list_folder(repository._core, "HEAD", data),
        lambda: core.read_each(repository._core, [good()[0].tree], data),
        lambda: core.read_files(repository._core, data.decode(errors="replace")),
    ):
        try:
            job()
        except InternalError:
            raise
        except VersionDiffError:
            continue


# ── A backend that says anything ────────────────────────────────────────────────────────────────


class Liar:
    """A store of objects and references whose answers are now and then something else."""

    def __init__(self, inner: Pygit2Store, dice: random.Random) -> None:
        self._inner = inner
        self._dice = dice

    def __getattr__(self, name: str) -> Any:
        answer = getattr(self._inner, name)

        def answered(*arguments: Any) -> Any:
            return (
                self._bent(answer(*arguments)) if self._dice.random() < 0.1 else answer(*arguments)
            )

        return answered

    def _bent(self, value: Any) -> Any:
        dice = self._dice
        match dice.randrange(6):
            case 0:
                raise dice.choice((ValueError, KeyError, OSError, RuntimeError))("x")
            case 1:
                return dice.choice(
                    (None, 1, "x", b"", [], (), ("blob",), ("x", b""), [b"1"], "missing")
                )
            case _ if isinstance(value, tuple):
                return tuple(self._part(part) for part in value)
            case _ if isinstance(value, list):
                return [self._part(part) for part in value] * dice.choice((1, 2))
            case _:
                return self._part(value)

    def _part(self, value: Any) -> Any:
        dice = self._dice
        if isinstance(value, tuple):
            return tuple(self._part(part) for part in value)
        if isinstance(value, bytes) and dice.random() < 0.6:
            return in_bytes(dice, [value], WORDS)
        if dice.random() < 0.3:
            return dice.choice(
                (None, "blob", "tree", "commit", "tag", "limit", "corrupt", "locked", 3)
            )
        return value


def foreign(case: Damaged, dice: random.Random) -> None:
    folder = case.good.folder

    def make(common: Path, directories: list[Path]) -> Liar:
        return Liar(Pygit2Store(pygit2.Repository(str(folder)), common, directories), dice)

    own = core.Repository.over(folder / ".git", make)
    for job in (
        own.head,
        lambda: own.references(b"refs/"),
        lambda: own.resolve("main~2"),
        lambda: drained(own.walk(dice.choice(("versions", "deltas")), threads=1)),
        lambda: own.single("deltas", "HEAD"),
        lambda: core.Notes(own, "many").list().next_chunk(),
        lambda: core.Notes(own, "many").get(f"{3:040x}"),
        lambda: core.read_files(own, case.good.tree),
    ):
        try:
            job()
        except InternalError:
            raise
        except VersionDiffError:
            continue


def drained(stream: core.HistoryStream) -> None:
    while stream.next_chunk():
        stream.progress()
    stream.close()


JOBS: Final = ("HistoryStream", "NoteStream", "Notes", "Repository", "Snapshot", "find_repository",
               "list_folder", "read_each", "read_files")  # fmt: skip

TARGETS: Final = (
    GitTarget("git", reading("gix"), core=JOBS, share=10),
    GitTarget("git-pygit2", reading("pygit2"), core=JOBS, share=3),
    WholeTarget("git-backend", foreign, core=("HistoryStream", "Notes", "Repository"), share=3),
    TextTarget(
        "revision",
        revisions,
        revision_seeds,
        words=(b"^", b"~", b"{", b"}", b"@", b"..", b"^!", b":", b"/", b"HEAD", b"99999999999"),
        share=5,
    ),
)
