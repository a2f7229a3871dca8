"""Whether a wheel holds what its `RECORD` lists (PyPA, "Recording installed projects")."""

from __future__ import annotations

import base64
import csv
import enum
import hashlib
import io
from typing import TYPE_CHECKING, Final

import msgspec

from versiondiff.packages.archives import EntryKind, PackageKind

if TYPE_CHECKING:
    from versiondiff.packages.archives import Package

__all__ = ["RecordMismatch", "RecordProblem", "record_mismatches"]


class RecordProblem(enum.Enum):
    """How a file and the record differ."""

    NO_RECORD = "no_record"
    """The wheel has no record, or one that can't be read."""
    NOT_LISTED = "not_listed"
    """The file is there, and the record has never heard of it."""
    NOT_THERE = "not_there"
    """The record lists a file that is not there."""
    OTHER_CONTENT = "other_content"
    """The file has another digest or size than the record says."""
    NO_DIGEST = "no_digest"
    """The record lists the file without a digest, or with a weak one."""


class RecordMismatch(msgspec.Struct, frozen=True, kw_only=True):
    """A file that the record and the wheel do not agree on."""

    path: str
    """Levelled, as in the entries."""
    problem: RecordProblem


_DIGESTS: Final = frozenset(("sha256", "sha384", "sha512"))
"""Those that the specification allows; md5 and sha1 it forbids."""

_WITHOUT_DIGEST: Final = ("RECORD", "RECORD.jws", "RECORD.p7s")


def record_mismatches(package: Package) -> tuple[RecordMismatch, ...]:
    """All files of a wheel that its `RECORD` does not list as they are, sorted by path.

    Empty for a package of another kind.
    """
    if package.kind is not PackageKind.WHEEL:
        return ()
    folder = f"{(package.folder or '').partition('-')[0]}.dist-info"
    listed = _listed(package, f"{folder}/RECORD")
    if listed is None:
        return (RecordMismatch(path=f"{folder}/RECORD", problem=RecordProblem.NO_RECORD),)
    found = []
    seen: set[str] = set()
    exempt = {f"{folder}/{name}" for name in _WITHOUT_DIGEST}
    for place, entry in enumerate(package.entries):
        name = entry.name or entry.path
        if entry.kind is EntryKind.DIRECTORY:
            # Some tools list the directories too. There is nothing in them to differ.
            seen.add(f"{name.rstrip('/')}/")
            continue
        seen.add(name)
        if entry.path in exempt:
            continue
        if name not in listed:
            problem: RecordProblem | None = RecordProblem.NOT_LISTED
        else:
            content = package.files.content(place)
            found_problems = (_differs(content, *said) for said in sorted(listed[name]))
            problem = next(filter(None, found_problems), None)
        if problem is not None:
            found.append(RecordMismatch(path=entry.path, problem=problem))
    found += [
        RecordMismatch(path=name, problem=RecordProblem.NOT_THERE)
        for name in listed
        if name not in seen
    ]
    return tuple(sorted(found, key=lambda one: (one.path, one.problem.value)))


def _listed(package: Package, path: str) -> dict[str, set[tuple[str, str]]] | None:
    """Digest and size of each file: all that are said of it."""
    content = package.content(path)
    if content is None:
        return None
    try:
        rows = list(csv.reader(io.StringIO(content.decode(), newline="")))
    except (UnicodeDecodeError, csv.Error):
        return None
    listed: dict[str, set[tuple[str, str]]] = {}
    for row in rows:
        if len(row) == 3:
            listed.setdefault(row[0], set()).add((row[1], row[2]))
    return listed


def _differs(content: bytes | None, digest: str, size: str) -> RecordProblem | None:
    algorithm, _, said = digest.partition("=")
    if algorithm not in _DIGESTS:
        return RecordProblem.NO_DIGEST
    if content is None:
        return RecordProblem.OTHER_CONTENT
    made = base64.urlsafe_b64encode(hashlib.new(algorithm, content).digest())
    if made.rstrip(b"=").decode() != said.rstrip("=") or (size and size != str(len(content))):
        return RecordProblem.OTHER_CONTENT
    return None
