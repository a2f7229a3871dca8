"""Findings that were accepted: by place and rule, never by text.

A baseline is a JSON file, sorted, with one finding a line, so that it reads well in a diff.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from versiondiff.cli.replacing import replace_file
from versiondiff.decoding import NOT_DECODED
from versiondiff.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from versiondiff.records import Finding

__all__ = ["Baseline", "Place", "load", "write"]

_VERSION: Final = 1


class Place(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True
):
    """Where a finding was accepted, and of which rule."""

    commit: str | None = None
    """The id of the version, in a scan of a history."""
    path: str | None = None
    rule: str
    line: int = 0
    column: int = 0

    @classmethod
    def of(cls, finding: Finding, commit: str | None = None) -> Place:
        """The place of a finding."""
        return cls(
            commit=commit,
            path=finding.path,
            rule=finding.rule,
            line=finding.line,
            column=finding.column,
        )


class _File(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a baseline file holds."""

    version: int
    findings: tuple[Place, ...]


Baseline = frozenset[Place]


def load(path: Path) -> Baseline:
    """Read a baseline.

    Raises:
        NotFound: The file can't be read.
        InvalidInput: It is no baseline.
    """
    try:
        text = path.read_bytes()
    except OSError as error:
        message = f"baseline {str(path)!r}: {(error.strerror or 'not readable').lower()}"
        raise NotFound(message) from error
    try:
        file = msgspec.json.decode(text, type=_File)
    except NOT_DECODED as error:
        # What the decoder says names places and kinds, but may quote a field's name.
        message = f"baseline {str(path)!r}: not a baseline that this program wrote"
        raise InvalidInput(message) from error
    if file.version != _VERSION:
        message = f"baseline {str(path)!r}: its version is not {_VERSION}"
        raise InvalidInput(message)
    return frozenset(file.findings)


def write(path: Path, places: Iterable[Place]) -> None:
    """Write a baseline: either all of it is there, or what was there before.

    Raises:
        OSError: It can't be written.
    """
    rows = sorted(
        set(places),
        key=lambda place: (
            place.commit or "",
            place.path or "",
            place.line,
            place.column,
            place.rule,
        ),
    )
    lines = b",\n  ".join(msgspec.json.encode(place) for place in rows)
    findings = b"[\n  " + lines + b"\n]" if rows else b"[]"
    text = b'{"version": %d, "findings": %s}\n' % (_VERSION, findings)
    replace_file(path, text)
