"""What is read of a history may have been written by anyone."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

import pytest

from versiondiff import InvalidInput, Signature, Version
from versiondiff.cli.flow_files import credentials_of
from versiondiff.flows.history.messages import version_of
from versiondiff.flows.history.tree import head_of

if TYPE_CHECKING:
    from pathlib import Path

WHO = Signature(name="A", email="a@b", time=1)


@pytest.mark.parametrize("count", ["-1", "1_0", "１２", "", "x", "9" * 5_000, " 1"])
def test_a_count_that_no_version_has(count: str) -> None:
    body = f"Version-Flow: 1f2e\nVersion-Kind: save\nVersion-Hidden: {count}\n"
    assert version_of(Version(id="0" * 40, author=WHO, committer=WHO, body=body)) is None
    sound = body.replace(f": {count}\n", ": 3\n")
    read = version_of(Version(id="0" * 40, author=WHO, committer=WHO, body=sound))
    assert read is not None
    assert read.hidden == 3


@pytest.mark.parametrize(
    "content",
    [b"\xff", b'{"id": "a\xff", "name": "b"}', b'{"x":' + b"[" * 100_000, b"[" * 100_000, b"{}"],
)
def test_a_head_that_is_none(content: bytes) -> None:
    assert head_of(content) is None


@pytest.mark.parametrize("content", [b'{"a": {"name": "\xff"}}', b'{"a":' * 100_000, b"[]", b""])
def test_names_of_credentials_that_are_none(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "names.json"
    path.write_bytes(content)
    with pytest.raises(InvalidInput):
        credentials_of(argparse.Namespace(credentials=path))
