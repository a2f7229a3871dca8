"""Repositories damaged where libgit2, or what stands before it, would go astray."""

from __future__ import annotations

import hashlib
import importlib.util
import struct
from typing import TYPE_CHECKING

import pytest

from oracle.repositories import Git
from versiondiff import InvalidInput, Repository, VersionDiffError, pack_indexes

if TYPE_CHECKING:
    from pathlib import Path

IDS = 8 + 1024


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    git = Git.init(tmp_path / "repository")
    git.chain(*(git.tree(("100644", b"a", git.blob(b"%d" % at))) for at in range(5)))
    git.run("repack", "-adfq")
    return git.path


def index_of(folder: Path) -> Path:
    (path,) = (folder / ".git" / "objects" / "pack").glob("*.idx")
    return path


def damage(path: Path, offset: int, more: bytes = b"") -> None:
    """Another offset for the first object, and the right checksum."""
    data = bytearray(path.read_bytes())
    (count,) = struct.unpack_from(">L", data, IDS - 4)
    place = IDS + 24 * count
    data[place : place + 4] = struct.pack(">L", offset)
    data[-40:-40] = more
    data[-20:] = hashlib.sha1(data[:-20], usedforsecurity=False).digest()
    path.chmod(0o644)
    path.write_bytes(data)


@pytest.mark.skipif(importlib.util.find_spec("pygit2") is None, reason="needs pygit2")
def test_a_common_directory_that_is_none(packed: Path) -> None:
    (packed / ".git" / "commondir").write_bytes(b"a\0b\n")
    with pytest.raises(VersionDiffError):
        Repository.open(packed, backend="pygit2")


def test_sound_ones_are_read(packed: Path) -> None:
    pack_indexes.check([packed / ".git" / "objects"])
    if importlib.util.find_spec("pygit2") is not None:
        repository = Repository.open(packed, backend="pygit2")
        assert len(list(repository.deltas())) == 5


@pytest.mark.parametrize("offset", [0x8000_0000, 0xFFFF_FFFF])
def test_one_that_leads_out_of_itself_is_refused(packed: Path, offset: int) -> None:
    damage(index_of(packed), offset)
    with pytest.raises(InvalidInput, match="damaged index"):
        pack_indexes.check([packed / ".git" / "objects"])
    if importlib.util.find_spec("pygit2") is not None:
        with pytest.raises(InvalidInput, match="damaged index"):
            Repository.open(packed, backend="pygit2")


def test_a_place_in_the_table_of_longer_offsets_is_none_outside(packed: Path) -> None:
    damage(index_of(packed), 0x8000_0000, struct.pack(">Q", 12))
    pack_indexes.check([packed / ".git" / "objects"])


def test_one_that_ends_early_is_refused(packed: Path) -> None:
    path = index_of(packed)
    path.chmod(0o644)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(InvalidInput, match="damaged index"):
        pack_indexes.check([packed / ".git" / "objects"])
