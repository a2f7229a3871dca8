"""Repositories: whatever may be in a git directory, names of revisions, what is written."""

from __future__ import annotations

import contextlib
import hashlib
import shutil
import subprocess
import tempfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fuzz.mutator import Files, in_bytes, in_json
from fuzz.target import IN_MEMORY, Target, TextTarget
from oracle.repositories import ENVIRONMENT
from recorded_runs import FAILED, SUCCEEDED
from versiondiff import Order, Parents, Repository, Rewrites, Signature, append_run, tree_delta
from versiondiff import _core as core
from versiondiff.demo import cas_a
from versiondiff.errors import VersionDiffError
from versiondiff.history_file import adopt, create_repository, decode, encode
from versiondiff.notes import AppendLine, AppendNote, RemoveNote, SetNote
from versiondiff.pygit2_store import Pygit2Store
from versiondiff.signatures import checked_signature

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator

__all__ = ["TARGETS"]

AUTHOR: Final = Signature(name="A", email="a@b", time=1_700_000_000, offset=60)


# ── Good ones ───────────────────────────────────────────────────────────────────────────────────


class Good(NamedTuple):
    """A repository that is whole, and what is in it."""

    folder: Path
    files: Files
    objects: dict[str, tuple[bytes, bytes]]
    """Kind and content, by id."""
    tree: str
    """The id of the tree of `HEAD`."""


_MADE: Final[list[Good]] = []
_FOLDERS: Final[list[tempfile.TemporaryDirectory[str]]] = []


def good() -> list[Good]:
    """The same history, with all objects loose, and with all in a pack."""
    if not _MADE:
        # Removed where the process ends as it should.
        _FOLDERS.append(tempfile.TemporaryDirectory(prefix="fuzz-git-", dir=IN_MEMORY))
        place = Path(_FOLDERS[0].name)
        loose = place / "loose"
        create_repository(loose, cas_a())
        repository = Repository.open(loose, backend="gix")
        for commit in [version.id for version in repository.versions()][:4]:
            append_run(repository, commit, SUCCEEDED, author=AUTHOR)
            append_run(repository, commit, FAILED, author=AUTHOR)
        repository.notes("many").edit(
            [SetNote(f"{number:040x}", b"n") for number in range(300)], author=AUTHOR
        )
        packed = place / "packed"
        shutil.copytree(loose, packed)
        for command in (("repack", "-adfq", "--depth=20"), ("pack-refs", "--all")):
            subprocess.run(["git", *command], cwd=packed, env=ENVIRONMENT, check=True)
        objects = {
            path.parent.name + path.name: split_object(path.read_bytes())
            for path in (loose / ".git" / "objects").glob("??/*")
        }
        _, commit_text = objects[repository.version("HEAD").id]
        tree = commit_text[5:45].decode()
        _MADE.extend(
            Good(folder, files_of(folder / ".git"), objects, tree) for folder in (loose, packed)
        )
    return _MADE


def files_of(folder: Path) -> Files:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "hooks" not in path.parts
    }


def split_object(data: bytes) -> tuple[bytes, bytes]:
    head, _, content = zlib.decompress(data).partition(b"\0")
    return head.partition(b" ")[0], content


# ── Damage ──────────────────────────────────────────────────────────────────────────────────────

WORDS: Final = (
    b"ref: refs/heads/main\n", b"ref: HEAD", b"tree ", b"parent ", b"author ", b" <", b"> ", b"\n\n",
    b"40000 a\0" + bytes(20), b"100644 \0" + bytes(20), b"120000 ..\0" + bytes(20), b"160000 m\0" + b"\1" * 20,
    b"0" * 40, b"f" * 40, b"^", b"refs/heads/a", b"[core]\n\tbare = true\n", b"repositoryformatversion = 9\n",
    b"[extensions]\n\tobjectFormat = sha256\n", b"\tpreciousObjects = true\n", b"[include]\n\tpath = config\n",
    b"worktree = /\n", b"encoding utf-16\n", b"gpgsig -----BEGIN\n x\n", b"-9999", b"99999999999999999999",
    b"tag ", b"object ", b"type commit\n", b"../", b"# pack-refs with: peeled\n",
)  # fmt: skip
ADDED: Final[dict[str, bytes]] = {
    "shallow": b"0" * 40 + b"\n", "commondir": b"..\n", "objects/info/alternates": b"../../.git/objects\n",
    "packed-refs": b"# pack-refs with: peeled fully-peeled sorted \n", "config.worktree": b"[core]\n",
    "refs/heads/a/b": b"ref: refs/heads/a/b\n", "refs/notes/x": b"0" * 40 + b"\n", "info/grafts": b"",
    "refs/replace/" + "0" * 40: b"1" * 40 + b"\n", "HEAD": b"ref: refs/heads/nowhere\n", "gitdir": b"/\n",
    "objects/info/commit-graph": b"CGPH\1\1\0\0", "objects/pack/multi-pack-index": b"MIDX\1\1\0\0\0\0\0\1",
}  # fmt: skip


def damage(one: Good, dice: random.Random) -> Files:
    """Files to be written over those of a good repository, or put beside them."""
    made: Files = {}
    for _ in range(dice.choice((1, 1, 1, 2, 3))):
        how = dice.choice((_in_a_file, _in_a_file, _in_an_object, _under_its_id, _under_its_id))
        made |= how(one, dice)
    return made


def _in_a_file(one: Good, dice: random.Random) -> Files:
    if dice.random() < 0.2:
        path = dice.choice(sorted(ADDED))
        return {path: in_bytes(dice, [ADDED[path]], WORDS)}
    # As many cases for each folder as for each file above them.
    by_folder: dict[str, list[str]] = {}
    for path in one.files:
        folder = "/".join(path.split("/")[:-1]) or path
        by_folder.setdefault(folder if not path.startswith("objects/") else folder[:10], []).append(path)
    path = dice.choice(by_folder[dice.choice(sorted(by_folder))])
    content = in_bytes(dice, [one.files[path]], WORDS)
    if path.endswith((".pack", ".idx")) and dice.random() < 0.7:
        content = content[:-20] + hashlib.sha1(content[:-20], usedforsecurity=False).digest()
    return {path: content}


def _in_an_object(one: Good, dice: random.Random) -> Files:
    """An object that is not what its id says."""
    name = dice.choice(sorted(one.objects))
    kind, content = one.objects[name]
    content = in_bytes(dice, [content], WORDS)
    kind = dice.choice((kind,) * 6 + (b"blob", b"tree", b"commit", b"tag", b"x"))
    said = len(content) + dice.choice((0, 0, 0, 1, -1, 10**12))
    data = zlib.compress(b"%s %d\0" % (kind, said) + content, 1)
    return {_loose(name): in_bytes(dice, [data], ()) if dice.random() < 0.2 else data}


def _under_its_id(one: Good, dice: random.Random) -> Files:
    """A new object that is what its id says, and a reference that leads to it."""
    kind, content = one.objects[dice.choice(sorted(one.objects))]
    if kind == b"blob":
        kind, content = next(
            of for of in dice.sample(sorted(one.objects.values()), len(one.objects)) if of[0] != b"blob"
        )
    made: Files = {}

    def put(kind: bytes, content: bytes) -> bytes:
        data = b"%s %d\0" % (kind, len(content)) + content
        name = hashlib.sha1(data, usedforsecurity=False).hexdigest()
        made[_loose(name)] = zlib.compress(data, 1)
        return name.encode()

    name = put(kind, in_bytes(dice, [content], WORDS))
    if kind == b"tree":
        commits = sorted(of for kind_of, of in one.objects.values() if kind_of == b"commit")
        commit = dice.choice(commits)
        name = put(b"commit", b"tree " + name + commit[45:])
    reference = dice.choice(("refs/heads/main", "refs/heads/main", "refs/notes/tsugumi", "refs/tags/x"))
    return made | {reference: name + b"\n"}


def _loose(name: str) -> str:
    return f"objects/{name[:2]}/{name[2:]}"


class Damaged(NamedTuple):
    """A repository, and what is put into it."""

    good: Good
    files: Files


class GitTarget(Target[Damaged]):
    """One that reads a git directory in which something is not as it should be."""

    def made(self, dice: random.Random) -> Damaged:
        one = dice.choice(good())
        return Damaged(one, damage(one, dice))


def reading(backend: Any) -> Callable[[Damaged, random.Random], None]:
    def read(case: Damaged, dice: random.Random) -> None:
        with put_in(case):
            read_all(case.good, backend, dice)

    return read


class put_in:  # noqa: N801 (a context)
    """The files are there, and what they stand in place of comes back."""

    def __init__(self, case: Damaged) -> None:
        self.case = case
        self.git = case.good.folder / ".git"
        self.written: list[str] = []
        self.folders: list[Path] = []

    def __enter__(self) -> None:
        for path, content in self.case.files.items():
            place = self.git / path
            try:
                self._make(place.parent)
                if place.exists():
                    place.chmod(0o644)
                place.write_bytes(content)
            except OSError:
                continue
            self.written.append(path)

    def __exit__(self, *_: object) -> None:
        for path in self.written:
            place = self.git / path
            if path in self.case.good.files:
                place.write_bytes(self.case.good.files[path])
            else:
                place.unlink()
        # An empty folder would be in the way of a reference.
        for folder in reversed(self.folders):
            with contextlib.suppress(OSError):
                folder.rmdir()

    def _make(self, folder: Path) -> None:
        if not folder.exists():
            self._make(folder.parent)
            folder.mkdir()
            self.folders.append(folder)


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
        except VersionDiffError as error:
            if type(error).__name__ == "InternalError":
                raise


# ── Names of revisions, and paths ───────────────────────────────────────────────────────────────


def revision_seeds() -> list[bytes]:
    return [
        b"HEAD", b"main~3^2", b"HEAD^{tree}", b"refs/heads/main", b"main..HEAD", b"HEAD^!", b"@{1}",
        b":/text", b"HEAD:README.md", b"v1^{}", b"abc1234", b"HEAD@{2020-01-01}", b"..", b"a...b",
    ]  # fmt: skip


def revisions(data: bytes, dice: random.Random) -> None:
    repository = Repository.open(good()[dice.randrange(2)].folder, backend="gix")
    text = data.decode(errors=dice.choice(("replace", "surrogateescape"))) + dice.choice(("", "", "\ud800"))
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
        except VersionDiffError as error:
            if type(error).__name__ == "InternalError":
                raise


# ── A backend that says anything ────────────────────────────────────────────────────────────────


class Liar:
    """A store of objects and references whose answers are now and then something else."""

    def __init__(self, inner: Pygit2Store, dice: random.Random) -> None:
        self._inner = inner
        self._dice = dice

    def __getattr__(self, name: str) -> Any:
        answer = getattr(self._inner, name)

        def answered(*arguments: Any) -> Any:
            return self._bent(answer(*arguments)) if self._dice.random() < 0.1 else answer(*arguments)

        return answered

    def _bent(self, value: Any) -> Any:
        dice = self._dice
        match dice.randrange(6):
            case 0:
                raise dice.choice((ValueError, KeyError, OSError, RuntimeError))("x")
            case 1:
                return dice.choice((None, 1, "x", b"", [], (), ("blob",), ("x", b""), [b"1"], "missing"))
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
            return dice.choice((None, "blob", "tree", "commit", "tag", "limit", "corrupt", "locked", 3))
        return value


def foreign(case: Damaged, dice: random.Random) -> None:
    import pygit2

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
        except VersionDiffError as error:
            if type(error).__name__ == "InternalError":
                raise


def drained(stream: core.HistoryStream) -> None:
    while stream.next_chunk():
        stream.progress()
    stream.close()


class WholeTarget(GitTarget):
    """One that reads a repository in which nothing is wrong."""

    def made(self, _dice: random.Random) -> Damaged:
        # The packed one: it has few files, and is copied for each case that writes.
        return Damaged(good()[1], {})


# ── What is written ─────────────────────────────────────────────────────────────────────────────


def writing(case: Damaged, dice: random.Random) -> None:
    """Edits of anything: made, or refused with all as it was."""
    with tempfile.TemporaryDirectory(prefix="fuzz-write-", dir=IN_MEMORY) as place:
        folder = Path(place, "copy")
        shutil.copytree(case.good.folder, folder)
        with put_in(Damaged(case.good._replace(folder=folder), case.files)):
            repository = Repository.open(folder, backend="gix")
            own = repository._core
            for _ in range(3):
                job = dice.choice((_edit_notes, _commit, _commit, _write, _lock))
                try:
                    job(repository, own, dice)
                except VersionDiffError as error:
                    if type(error).__name__ == "InternalError":
                        raise
            if not case.files:
                assert repository.head() is not None
                assert list(repository.deltas())
                assert list(repository.notes("many")) is not None


def _some(dice: random.Random, *seeds: bytes) -> bytes:
    return in_bytes(dice, seeds, WORDS) if dice.random() < 0.6 else dice.choice(seeds)


def _text(dice: random.Random, *seeds: bytes) -> str:
    return _some(dice, *seeds).decode(errors="replace")


def _edit_notes(repository: Repository, _own: core.Repository, dice: random.Random) -> None:
    target = _text(dice, b"HEAD", b"main~1", b"%040x" % dice.randrange(400))
    edits = (
        AppendNote(target, _some(dice, b"note\n"), dice.choice((None, b"", b"\n", b"\0"))),
        AppendLine(target, _some(dice, b"run x")), SetNote(target, _some(dice, b"n", b"\0")),
        RemoveNote(target),
    )  # fmt: skip
    notes = repository.notes(dice.choice(("many", "tsugumi", "new")))
    notes.edit(dice.sample(edits, 2), author=_who(dice), timeout=0.0)


def _who(dice: random.Random) -> Signature:
    if dice.random() < 0.9:
        return AUTHOR
    number = dice.choice((0, -1, 2**31, 253_402_300_800, -(2**62), 60))
    return Signature(name=_text(dice, b"A B"), email=_text(dice, b"a@b"), time=number, offset=number)


def _edits(dice: random.Random) -> list[Any]:
    made = []
    for _ in range(dice.randrange(1, 4)):
        kind = dice.choice(("write", "write", "replace", "replace", "remove"))
        count = {"write": 1, "remove": 0}.get(kind, dice.randrange(4))
        if dice.random() < 0.05:
            kind, count = dice.choice(("x", "remove")), 2
        files = [
            (
                _some(dice, b"a.txt", b"b/c", b"_card.json", b"b"),
                dice.choice(("100644",) * 8 + ("100755", "120000", "40000", "x")),
                _some(dice, b"content\n"),
            )
            for _ in range(count)
        ]
        made.append((kind, _some(dice, b"definitions", b"a/b", b"README.md", b"flows/x"), files))
    return made


def _signature(dice: random.Random) -> tuple[str, str, int, int]:
    # As the package itself does before it calls the core.
    who = checked_signature(_who(dice), "author")
    return who.name, who.email, who.time, who.offset


def _commit(_repository: Repository, own: core.Repository, dice: random.Random) -> None:
    expected = own.resolve("HEAD") if dice.random() < 0.9 else _text(dice, b"0" * 40)
    core.commit_files(
        own, _branch(dice), expected, _edits(dice),
        _signature(dice), _signature(dice), _text(dice, b"message\n"), 0.0,
        even_unchanged=dice.random() < 0.3,
    )  # fmt: skip


def _branch(dice: random.Random) -> bytes:
    return b"refs/heads/main" if dice.random() < 0.8 else _some(dice, b"refs/heads/new", b"HEAD")


def _write(_repository: Repository, own: core.Repository, dice: random.Random) -> None:
    parent = own.resolve("HEAD") if dice.random() < 0.7 else None
    core.write_commit(own, parent, _edits(dice), _signature(dice), _signature(dice), "m")


def _lock(_repository: Repository, own: core.Repository, dice: random.Random) -> None:
    with core.WriteLock(own.common_dir, [_text(dice, b"index.lock", b"HEAD.lock", b"x")], 0.0):
        pass


# ── The history file ────────────────────────────────────────────────────────────────────────────


def history_seeds() -> list[bytes]:
    small = {
        "formatVersion": 1, "head": "main", "branches": {"main": "b"},
        "tags": {"v1": {"version": "a", "memo": "m", "tagger": {"name": "A", "email": "a@b"}, "time": 5}},
        "versions": [
            {"key": "a", "message": "one\n\nbody", "author": {"name": "A", "email": "a@b"}, "time": 1,
             "files": {"a.txt": "text\n", "b/c.bin": {"base64": "AAE=", "mode": "100755"}},
             "runs": [{"id": "r1", "status": "succeeded", "ended": 9, "seconds": 1.5}]},
            {"key": "b", "parents": ["a"], "message": "two", "author": {"name": "B", "email": "b@c"},
             "time": 2, "files": {"a.txt": None, "d": {"text": "x"}}},
        ],
    }  # fmt: skip
    import json

    return [json.dumps(small).encode(), json.dumps(small, indent=2).encode()]


HISTORY_WORDS: Final = (
    b"../x", b".git/config", b".git", b"a/b/../c", b"/etc", b"a\\b", b"a\0b", b"\n", b"<", b"main", b"HEAD",
    b"-x", b"a..b", b"a.lock", b".GIT", b"git~1", b".gitmodules", b"AAE", b"b/c.bin/d", b"CON", b"x" * 5_000,
)  # fmt: skip


def history(data: bytes, _dice: random.Random) -> None:
    read = decode(data)
    text = encode(read)
    assert decode(text) == read
    assert encode(decode(text)) == text


def history_made(data: bytes, dice: random.Random) -> None:
    """Made whole, or not at all."""
    with tempfile.TemporaryDirectory(prefix="fuzz-history-", dir=IN_MEMORY) as place:
        folder = Path(place, "made")
        try:
            if dice.random() < 0.3:
                folder.mkdir()
                (folder / ".tsugumi-history.json").write_bytes(data)
                adopt(folder)
            elif dice.random() < 0.5:
                core.create_repository(folder, data)
            else:
                create_repository(folder, data)
        except VersionDiffError:
            assert not (folder / ".git").exists()
            raise
        assert {path.name for path in Path(place).iterdir()} == {"made"}
        repository = Repository.open(folder, backend="gix")
        assert list(repository.deltas(parents=Parents.ALL))
        assert repository.attached()


JOBS: Final = ("HistoryStream", "NoteStream", "Notes", "Repository", "Snapshot", "find_repository",
               "list_folder", "read_each", "read_files")  # fmt: skip
WRITERS: Final = ("Notes", "WriteLock", "commit_files", "write_commit")

TARGETS: Final = (
    GitTarget("git", reading("gix"), core=JOBS, share=10),
    GitTarget("git-pygit2", reading("pygit2"), core=JOBS, share=3),
    WholeTarget("git-backend", foreign, core=("HistoryStream", "Notes", "Repository"), share=3),
    WholeTarget("git-writing", writing, core=WRITERS, share=2),
    GitTarget("git-writing-damaged", writing, core=WRITERS, share=1),
    TextTarget("revision", revisions, revision_seeds, share=5,
               words=(b"^", b"~", b"{", b"}", b"@", b"..", b"^!", b":", b"/", b"HEAD", b"99999999999")),
    TextTarget("history-file", history, history_seeds, mutations=(in_json,), words=HISTORY_WORDS, share=50),
    TextTarget("history-made", history_made, history_seeds, mutations=(in_json,), words=HISTORY_WORDS,
               core=("adopt_history", "create_repository"), share=4),
)  # fmt: skip
