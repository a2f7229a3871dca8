"""Files of our own that others may have edited, and git's that are read here."""

from __future__ import annotations

import argparse
import contextlib
import io
import struct
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from fuzz.mutator import in_bytes, in_json
from fuzz.target import IN_MEMORY, LANGUAGES, Refused, TextTarget
from fuzz.targets.texts import assert_harmless
from versiondiff.cli import baseline, commands
from versiondiff.cli.arguments import parser
from versiondiff.cli.flow_files import credentials_of
from versiondiff.flows import folder_name, slug
from versiondiff.flows.history.messages import Message, version_of
from versiondiff.flows.history.versions import VersionKind
from versiondiff.project import ignore_file, index_file, journal
from versiondiff.project.disk import Disk
from versiondiff.project.references import Move, Person
from versiondiff.records import Signature, Version

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

__all__ = ["TARGETS"]


def in_a_file(
    read: Callable[[Path, random.Random], object],
) -> Callable[[bytes, random.Random], None]:
    """A target that is told the path of a file."""

    def check(data: bytes, dice: random.Random) -> None:
        with tempfile.TemporaryDirectory(prefix="fuzz-file-", dir=IN_MEMORY) as folder:
            path = Path(folder, ".gitignore")
            path.write_bytes(data)
            read(path, dice)

    return check


# ── Git's index ─────────────────────────────────────────────────────────────────────────────────


def entry(name: bytes, version: int, extended: int | None, before: bytes = b"") -> bytes:
    flags = min(len(name), 0xFFF) | (0x4000 if extended is not None else 0)
    fixed = struct.pack(">10L20sH", *range(10), bytes(20), flags)
    fixed += b"" if extended is None else struct.pack(">H", extended)
    if version == 4:
        same = next((at for at in range(len(name)) if before[at : at + 1] != name[at : at + 1]), 0)
        return fixed + bytes([len(before) - same]) + name[same:] + b"\0"
    whole = fixed + name
    return whole + bytes(8 - len(whole) % 8)


def index_seeds() -> list[bytes]:
    made = []
    for version in (2, 3, 4):
        names = [b"a", b"a/b.txt", b"a/c" + b"d" * 40, "é".encode()]
        before = b""
        body = b""
        for at, name in enumerate(names):
            body += entry(name, version, 0x4000 if version > 2 and at % 2 else None, before)
            before = name
        made.append(struct.pack(">4sLL", b"DIRC", version, len(names)) + body + bytes(20))
    return made


def index(path: Path, _dice: random.Random) -> None:
    index_file.left_out_of_the_tree(path)
    size = path.stat().st_size
    index_file.stamp(path, {b"a": path.stat(), b"a/b.txt": path.stat()})
    assert path.stat().st_size == size


# ── The journal of a restore, baselines, ignore files ───────────────────────────────────────────


def journal_seeds() -> list[bytes]:
    identity = journal.Identity(inode=1, size=2, modified=3, mode=0o100644)
    one = journal.Journal(
        phase=journal.Phase.MOVING,
        taken=(journal.Taken(path=b"a/b"), journal.Taken(path=b"a", directory=True)),
        made=(b"c",),
        placed=(journal.Placed(path=b"c/d", number=0, identity=identity),),
        left=(b"e",),
        moves=(Move(name="refs/heads/main", old="0" * 40, new="1" * 40),),
        person=Person(name="A", email="a@b"),
    )
    return [msgspec.json.encode(one)]


def restoring(path: Path, _dice: random.Random) -> None:
    read = journal.read(path)
    assert read is not None
    for name in (*(taken.path for taken in read.taken), *read.made, *read.left):
        assert b".." not in name.split(b"/")
        assert not name.startswith(b"/")


def baseline_seeds() -> list[bytes]:
    return [
        b'{"version": 1, "findings": [\n  {"path":"a","rule":"r","line":1,"column":2},\n'
        b'  {"commit":"%s","rule":"s"}\n]}\n' % (b"0" * 40),
        b'{"version": 1, "findings": []}\n',
    ]


def baselines(path: Path, _dice: random.Random) -> None:
    found = baseline.load(path)
    baseline.write(path, found)
    assert baseline.load(path) == found


class Unforced(Disk):
    """One that forces nothing, as a file in memory has no use for it."""

    def __init__(self) -> None:
        pass

    def sync(self, *paths: Path) -> None:
        pass


def ignoring(path: Path, _dice: random.Random) -> None:
    before = path.read_bytes()
    disk = Unforced()
    added = ignore_file.complete(path.parent, path.with_name("aside"), disk)
    assert path.read_bytes().startswith(before)
    assert added is (path.read_bytes() != before)
    assert not ignore_file.complete(path.parent, path.with_name("aside"), disk)


def credential_names(path: Path, _dice: random.Random) -> None:
    credentials_of(argparse.Namespace(credentials=path))


# ── What commits of flows say ───────────────────────────────────────────────────────────────────


def messages() -> list[bytes]:
    return [
        Message(subject="Prompt of Agent changed", body=("line", "other"), flow="1f2e",
        name="Helper",
                kind=kind, source="0" * 40, hidden=2).text(language=language).encode()
        for kind in VersionKind
        for language in LANGUAGES
    ]  # fmt: skip


MESSAGE_WORDS: Final = (
    b"Version-Flow: x\n", b"Version-Kind: ", b"Version-Hidden: 9" + b"9" * 5_000,
    b"Version-From: ", b"\n\n",
    b"---\n", b"Version-Hidden: -1\n", "Version-Hidden: １２\n".encode(), b"Version-Hidden: 1_0\n",
)  # fmt: skip


def message(data: bytes, dice: random.Random) -> None:
    subject, _, body = data.decode(errors="replace").partition("\n")
    who = Signature(name="A", email="a@b", time=0)
    version = Version(
        id="0" * 40, author=who, committer=who, subject=subject, body=body.lstrip("\n")
    )
    read = version_of(version)
    if read is not None:
        assert read.hidden >= 0
    name = body[: dice.randrange(60)]
    said = Message(
        subject=subject, body=(body,), flow="f", name=name, kind=dice.choice(tuple(VersionKind))
    )
    text = said.text(language=dice.choice(LANGUAGES))
    assert_harmless(text)
    first, _, rest = text.partition("\n\n")
    again = version_of(Version(id="0" * 40, author=who, committer=who, subject=first, body=rest))
    assert again is not None
    assert (again.flow, again.kind, again.hidden) == ("f", said.kind, 0)
    folder = folder_name(subject, body.strip() or "x")
    assert folder.startswith(slug(subject))
    assert "/" not in folder


# ── What is typed ───────────────────────────────────────────────────────────────────────────────


def typed_seeds() -> list[bytes]:
    lines = (
        "log -n 3 --format flow --json", "show HEAD --language ja", "diff a b --exit-code",
        "scan . --rules x",
        "run end x --card a:3 --failed b:worker_failed --status 1 --seconds 12.3",
        "run start x --author 'A <a@b>'",
        "keep name --message m --at 2026-01-01T00:00:00Z", "notes append x --content y",
        "canonical --check x",
        "package a.gem b.gem --context 3 --page out.html", "flow save x --id y", "demo x",
    )  # fmt: skip
    return [line.replace(" ", "\0").encode() for line in lines]


def typed(data: bytes, _dice: random.Random) -> None:
    """What is typed is read, and not done."""
    words = [word.decode(errors="surrogateescape") for word in data.split(b"\0")]
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
        try:
            parser(commands()).parse_args(words)
        except SystemExit as error:
            if error.code in (0, 2):
                raise Refused from error
            raise


def credential_seeds() -> list[bytes]:
    return [b'{"6b1f2a52": {"name": "Main", "credentialName": "openAIApi"}, "b": {"name": "x"}}']


def ignore_seeds() -> list[bytes]:
    return [b"a\n.tsugumi/\n", b"x\r\n!.tsugumi/\r\n", b""]


JSONS: Final = (in_json, in_json, in_bytes)
INDEX_WORDS: Final = (b"DIRC", b"\0\0\0\4", b"TREE")
JOURNAL_WORDS: Final = (b"Li4=", b"LmdpdA==", b"refs/heads/x", b"HEAD", b"L2V0Yw==", b"moved")
IGNORE_WORDS: Final = (b"!.tsugumi", b"/.tsugumi/ ", b"\r\n", b"\xef\xbb\xbf", b"#")
TYPED_WORDS: Final = (
    b"\0--", b"\0-", b"\0--help\0", b"=", b":", b"\0--json\0", b"\0--\0", b"run\0",
    b"99999999999",
)  # fmt: skip

TARGETS: Final = (
    TextTarget("index-file", in_a_file(index), index_seeds, words=INDEX_WORDS, share=25),
    TextTarget(
        "journal",
        in_a_file(restoring),
        journal_seeds,
        mutations=JSONS,
        words=JOURNAL_WORDS,
        share=15,
    ),
    TextTarget("baseline", in_a_file(baselines), baseline_seeds, mutations=JSONS, share=10),
    TextTarget(
        "credentials-file", in_a_file(credential_names), credential_seeds, mutations=JSONS, share=5
    ),
    TextTarget("ignore-file", in_a_file(ignoring), ignore_seeds, words=IGNORE_WORDS, share=10),
    TextTarget("message", message, messages, words=MESSAGE_WORDS, share=60),
    TextTarget("arguments", typed, typed_seeds, words=TYPED_WORDS, share=2),
)
