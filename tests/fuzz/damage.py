"""Git directories that are whole, and what may be wrong with one."""

from __future__ import annotations

import contextlib
import hashlib
import shutil
import subprocess
import tempfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from fuzz.mutator import Files, in_bytes
from fuzz.target import IN_MEMORY, Target
from oracle.repositories import ENVIRONMENT
from recorded_runs import FAILED, SUCCEEDED
from versiondiff import Repository, Signature, append_run
from versiondiff.demo import cas_a
from versiondiff.history_file import create_repository
from versiondiff.notes import SetNote

if TYPE_CHECKING:
    import random

__all__ = ["AUTHOR", "WORDS", "Damaged", "GitTarget", "Good", "WholeTarget", "good", "put_in"]

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
    b"ref: refs/heads/main\n", b"ref: HEAD", b"tree ", b"parent ", b"author ", b" <", b"> ",
    b"\n\n",
    b"40000 a\0" + bytes(20), b"100644 \0" + bytes(20), b"120000 ..\0" + bytes(20),
    b"160000 m\0" + b"\1" * 20,
    b"0" * 40, b"f" * 40, b"^", b"refs/heads/a", b"[core]\n\tbare = true\n",
    b"repositoryformatversion = 9\n",
    b"[extensions]\n\tobjectFormat = sha256\n", b"\tpreciousObjects = true\n",
    b"[include]\n\tpath = config\n",
    b"worktree = /\n", b"encoding utf-16\n", b"gpgsig -----BEGIN\n x\n", b"-9999",
    b"99999999999999999999",
    b"tag ", b"object ", b"type commit\n", b"../", b"# pack-refs with: peeled\n",
)  # fmt: skip
ADDED: Final[dict[str, bytes]] = {
    "shallow": b"0" * 40 + b"\n", "commondir": b"..\n",
    "objects/info/alternates": b"../../.git/objects\n",
    "packed-refs": b"# pack-refs with: peeled fully-peeled sorted \n",
    "config.worktree": b"[core]\n",
    "refs/heads/a/b": b"ref: refs/heads/a/b\n", "refs/notes/x": b"0" * 40 + b"\n",
    "info/grafts": b"",
    "refs/replace/" + "0" * 40: b"1" * 40 + b"\n", "HEAD": b"ref: refs/heads/nowhere\n",
    "gitdir": b"/\n",
    "objects/info/commit-graph": b"CGPH\1\1\0\0",
    "objects/pack/multi-pack-index": b"MIDX\1\1\0\0\0\0\0\1",
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
        by_folder.setdefault(folder if not path.startswith("objects/") else folder[:10], []).append(
            path
        )
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
            of
            for of in dice.sample(sorted(one.objects.values()), len(one.objects))
            if of[0] != b"blob"
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
    reference = dice.choice(
        ("refs/heads/main", "refs/heads/main", "refs/notes/tsugumi", "refs/tags/x")
    )
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


class WholeTarget(GitTarget):
    """One that reads a repository in which nothing is wrong."""

    def made(self, _dice: random.Random) -> Damaged:
        # The packed one: it has few files, and is copied for each case that writes.
        return Damaged(good()[1], {})


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
