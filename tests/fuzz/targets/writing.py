"""Repositories written: commits, notes, locks, and those made from history files."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from fuzz.damage import AUTHOR, WORDS, Damaged, GitTarget, WholeTarget, put_in
from fuzz.mutator import in_bytes, in_json
from fuzz.target import IN_MEMORY, TextTarget
from versiondiff import Parents, Repository, Signature
from versiondiff import _core as core
from versiondiff.errors import InternalError, VersionDiffError
from versiondiff.history_file import adopt, create_repository, decode, encode
from versiondiff.notes import AppendLine, AppendNote, RemoveNote, SetNote
from versiondiff.signatures import checked_signature

if TYPE_CHECKING:
    import random

__all__ = ["TARGETS"]


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
                except InternalError:
                    raise
                except VersionDiffError:
                    continue
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
    return Signature(
        name=_text(dice, b"A B"), email=_text(dice, b"a@b"), time=number, offset=number
    )


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
        "tags": {"v1": {"version": "a", "memo": "m", "tagger": {"name": "A", "email": "a@b"},
        "time": 5}},
        "versions": [
            {"key": "a", "message": "one\n\nbody", "author": {"name": "A", "email": "a@b"},
            "time": 1,
             "files": {"a.txt": "text\n", "b/c.bin": {"base64": "AAE=", "mode": "100755"}},
             "runs": [{"id": "r1", "status": "succeeded", "ended": 9, "seconds": 1.5}]},
            {"key": "b", "parents": ["a"], "message": "two", "author": {"name": "B",
            "email": "b@c"},
             "time": 2, "files": {"a.txt": None, "d": {"text": "x"}}},
        ],
    }  # fmt: skip
    return [json.dumps(small).encode(), json.dumps(small, indent=2).encode()]


HISTORY_WORDS: Final = (
    b"../x", b".git/config", b".git", b"a/b/../c", b"/etc", b"a\\b", b"a\0b", b"\n", b"<",
    b"main", b"HEAD",
    b"-x", b"a..b", b"a.lock", b".GIT", b"git~1", b".gitmodules", b"AAE", b"b/c.bin/d", b"CON",
    b"x" * 5_000,
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


WRITERS: Final = ("Notes", "WriteLock", "commit_files", "write_commit")

TARGETS: Final = (
    WholeTarget("git-writing", writing, core=WRITERS, share=2),
    GitTarget("git-writing-damaged", writing, core=WRITERS, share=1),
    TextTarget(
        "history-file", history, history_seeds, mutations=(in_json,), words=HISTORY_WORDS, share=50
    ),
    TextTarget(
        "history-made",
        history_made,
        history_seeds,
        mutations=(in_json,),
        words=HISTORY_WORDS,
        core=("adopt_history", "create_repository"),
        share=4,
    ),
)
