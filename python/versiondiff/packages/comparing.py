"""Package diffs: two versions of a package, compared file by file.

Complete: every path that differs is listed, and every text is compared, whatever it is called.
Counts, renames and hunks are those of `git diff -M` without a configuration.
"""

from __future__ import annotations

import enum
from itertools import chain
from typing import TYPE_CHECKING, Final

import msgspec

from versiondiff import _core
from versiondiff.errors import InvalidInput
from versiondiff.packages.archive_findings import (
    entry_findings,
    reason_findings,
    record_findings,
)
from versiondiff.packages.archives import Package
from versiondiff.packages.difference import PackageDiff, PackageFile
from versiondiff.packages.findings import PackageFinding
from versiondiff.packages.metadata_findings import metadata_findings
from versiondiff.snapshots import Rewrites, as_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from versiondiff.repository import Progress
    from versiondiff.snapshots import Files

__all__ = ["PackagePhase", "package_diff", "package_diff_json"]


class PackagePhase(enum.Enum):
    """What a comparison is at. Each begins once at most, in this order."""

    READING_OLD = "reading_old"
    """A directory is listed and hashed. Files of other sources are read as they are compared."""
    READING_NEW = "reading_new"
    FINDING_MOVED = "finding_moved"
    """What differs is found, and which files moved."""
    COMPARING = "comparing"
    """The files that differ are compared, line by line."""


_FILE_DECODER: Final = msgspec.json.Decoder(PackageFile)
_FINDINGS_DECODER: Final = msgspec.json.Decoder(tuple[PackageFinding, ...])
_MOST_CONTEXT: Final = 1 << 30


def package_diff(
    old: Package | Files,
    new: Package | Files,
    *,
    name: str | None = None,
    old_version: str | None = None,
    new_version: str | None = None,
    context: int = 3,
    rewrites: Rewrites = Rewrites.SIMILAR,
    paths: Iterable[str] = (),
    hunks: bool = True,
    progress: Progress | None = None,
    phase: Callable[[PackagePhase], object] | None = None,
) -> PackageDiff:
    """What changed between two versions of a package.

    Args:
        old: The archive or the files before.
        new: The archive or the files now.
        name: The name of the package, for who reads the diff; by default what archives say.
        old_version: The version of `old`; by default what an archive says.
        new_version: The version of `new`; likewise.
        context: Lines of context around changes.
        rewrites: How to find files that moved. Here, similar ones are found as by `git diff -M`: at
            least half stayed, whatever the name, and at most a thousand files are compared with a
            thousand others.
        paths: Files and directories to look at; none means everything.
        hunks: Whether the lines are asked for too; without, there are the listing, its counts and
            the findings.
        progress: Called now and then with how many files are done of the phase, and how many there
            are once known. What it raises ends the comparison.
        phase: Called with each phase as it begins; likewise.

    Raises:
        InvalidInput: A path of a mapping can't be in a tree, or an option is out of range.
        NotFound: An object of a version is missing.
        LimitExceeded: A file is too large, or directories nest too deep.
        VersionDiffError: A file can't be read, or changed while it was being read.
    """
    scope = list(paths)
    encoded, of_files, not_compared = _compared(
        old, new, context, rewrites, scope, hunks, progress, phase
    )
    about = _about(old, new, name, old_version, new_version)
    # Taken from the end, so that no file is there in both forms for longer than it takes.
    files = []
    while encoded:
        files.append(_FILE_DECODER.decode(encoded.pop()))
    files.reverse()
    return msgspec.structs.replace(
        about,
        files=tuple(files),
        findings=_findings(old, new, of_files, scope),
        not_compared=not_compared,
    )


def package_diff_json(
    old: Package | Files,
    new: Package | Files,
    *,
    name: str | None = None,
    old_version: str | None = None,
    new_version: str | None = None,
    context: int = 3,
    rewrites: Rewrites = Rewrites.SIMILAR,
    paths: Iterable[str] = (),
    hunks: bool = True,
    progress: Progress | None = None,
    phase: Callable[[PackagePhase], object] | None = None,
) -> tuple[Iterator[bytes], bool]:
    """As `package_diff`, as the JSON that `msgspec.json.encode` makes of it.

    For large packages, which are not held as values then.

    Returns:
        The JSON in parts, a file each, and whether anything differs (`PackageDiff.differs`).

    Raises:
        VersionDiffError: As of `package_diff`; all of it is raised before the first part.
    """
    scope = list(paths)
    files, of_files, not_compared = _compared(
        old, new, context, rewrites, scope, hunks, progress, phase
    )
    about = _about(old, new, name, old_version, new_version)
    findings = _findings(old, new, of_files, scope)
    rest = PackageDiff(findings=findings, not_compared=not_compared)
    differs = bool(files) or rest.differs
    return _joined(msgspec.json.encode(about), files, msgspec.json.encode(rest)), differs


def _findings(
    old: Package | Files, new: Package | Files, of_files: bytes, scope: list[str]
) -> tuple[PackageFinding, ...]:
    """What to look at twice, in the order in which it is told."""
    files = _FINDINGS_DECODER.decode(of_files)
    before = old if isinstance(old, Package) else None
    now = new if isinstance(new, Package) else None
    found = chain(
        reason_findings(before, now),
        metadata_findings(old, new, files),
        files,
        entry_findings(before, now, files),
        record_findings(now),
    )
    return tuple(one for one in found if one.path is None or _is_within(one.path, scope))


def _is_within(path: str, scope: list[str]) -> bool:
    return not scope or any(path == one or path.startswith(f"{one}/") for one in scope)


def _about(
    old: Package | Files,
    new: Package | Files,
    name: str | None,
    old_version: str | None,
    new_version: str | None,
) -> PackageDiff:
    """What is said of the whole: as it was given, else as archives say of themselves."""
    for package in (new, old):
        if name is None and isinstance(package, Package):
            name = package.name
    if old_version is None and isinstance(old, Package):
        old_version = old.version
    if new_version is None and isinstance(new, Package):
        new_version = new.version
    return PackageDiff(name=name, old_version=old_version, new_version=new_version)


def _joined(about: bytes, files: list[bytes], rest: bytes) -> Iterator[bytes]:
    """One object of the members of the first, the files and the members of the last."""
    opening, closing = about[:-1], rest[1:]
    yield opening
    is_empty = len(opening) == 1
    if files:
        separator = b'"files":[' if is_empty else b',"files":['
        is_empty = False
        # Given away one by one, so that none is kept longer than it takes.
        files.reverse()
        while files:
            yield separator
            yield files.pop()
            separator = b","
        yield b"]"
    if not is_empty and len(closing) > 1:
        yield b","
    yield closing


def _compared(
    old: Package | Files,
    new: Package | Files,
    context: int,
    rewrites: Rewrites,
    scope: list[str],
    hunks: bool,  # noqa: FBT001 (handed on)
    progress: Progress | None,
    phase: Callable[[PackagePhase], object] | None,
) -> tuple[list[bytes], bytes, int]:
    if not 0 <= context <= _MOST_CONTEXT:
        message = f"context: must be from 0 to {_MOST_CONTEXT}"
        raise InvalidInput(message)
    return _core.package_diff(
        as_source(old.files if isinstance(old, Package) else old),
        as_source(new.files if isinstance(new, Package) else new),
        context=context,
        rewrites=rewrites.value,
        paths=scope,
        hunks=hunks,
        progress=progress,
        phase=None if phase is None else lambda name: phase(PackagePhase(name)),
    )
