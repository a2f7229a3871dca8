"""The two definitions of the values, Rust's and Python's, are one.

`rust/engine/tests/wire.rs` holds Rust to these files.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from versiondiff import records
from versiondiff.records import ChangeRecord, TreeDelta, VersionDiff

if TYPE_CHECKING:
    from enum import Enum

WIRE = Path(__file__).resolve().parent.parent / "golden" / "wire"


@pytest.mark.parametrize(
    ("name", "type_"),
    [
        ("change-record.json", ChangeRecord),
        ("no-change.json", ChangeRecord),
        ("tree-delta.json", TreeDelta),
        ("version-diff.json", VersionDiff),
        ("no-version-diff.json", VersionDiff),
    ],
)
def test_what_rust_writes_is_read_and_written_again_byte_for_byte(
    name: str, type_: type[ChangeRecord | TreeDelta | VersionDiff]
) -> None:
    text = (WIRE / name).read_bytes().removesuffix(b"\n")
    value = msgspec.json.decode(text, type=type_)
    assert msgspec.json.encode(value) == text


@pytest.mark.parametrize(
    "kinds",
    [
        records.ChangeKind,
        records.CommentKind,
        records.Compared,
        records.DiffStatus,
        records.EditKind,
        records.Extent,
        records.FileChangeKind,
        records.FlowChangeKind,
        records.MatchReason,
        records.Mode,
        records.ParameterChangeKind,
        records.PinChange,
        records.Side,
        records.WarningCode,
        records.Actor,
    ],
)
def test_rust_writes_every_kind_that_python_knows(kinds: type[Enum]) -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in WIRE.iterdir())
    assert [kind for kind in kinds if f'"{kind.value}"' not in text] == []
