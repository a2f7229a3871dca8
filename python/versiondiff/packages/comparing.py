"""Package diffs: two versions of a package, compared file by file.

Complete: every path that differs is listed, and every text is compared, whatever it is called.
Counts, renames and hunks are those of `git diff -M` without a configuration.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any, Final

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
    from versiondiff.wording import Language

__all__ = ["PackagePhase", "package_diff", "package_diff_json", "write_package"]


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
    encoded, of_files, not_compared, bodies = _core.package_diff(
        _source(old),
        _source(new),
        context=_checked(context),
        rewrites=rewrites.value,
        paths=scope,
        hunks=hunks,
        beside=True,
        progress=progress,
        phase=_named(phase),
    )
    about = _about(old, new, name, old_version, new_version)
    # Taken from the end, so that no file is there in both forms for longer than it takes.
    files = []
    while encoded:
        file = _FILE_DECODER.decode(encoded.pop())
        files.append(_with_bodies(file, bodies) if bodies else file)
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
    files, of_files, not_compared, _ = _core.package_diff(
        _source(old),
        _source(new),
        context=_checked(context),
        rewrites=rewrites.value,
        paths=scope,
        hunks=hunks,
        beside=False,
        progress=progress,
        phase=_named(phase),
    )
    about = _about(old, new, name, old_version, new_version)
    findings = _findings(old, new, of_files, scope)
    rest = PackageDiff(findings=findings, not_compared=not_compared)
    differs = bool(files) or rest.differs
    return _joined(msgspec.json.encode(about), files, msgspec.json.encode(rest)), differs


def write_package(
    old: Package | Files,
    new: Package | Files,
    write: Callable[[bytes], object],
    *,
    language: Language = "en",
    name: str | None = None,
    old_version: str | None = None,
    new_version: str | None = None,
    context: int = 3,
    rewrites: Rewrites = Rewrites.SIMILAR,
    paths: Iterable[str] = (),
    progress: Progress | None = None,
    phase: Callable[[PackagePhase], object] | None = None,
) -> bool:
    """The text that `render_package` makes of a package diff, handed over in parts.

    For large packages, which are held neither as values nor as one text then.

    Args:
        old: The archive or the files before.
        new: The archive or the files now.
        write: Is given the text in parts, as UTF-8, with a line feed at the end. What it raises
            ends the comparison.
        language: The language of what is said beside the files.
        name: As for `package_diff`, and so are all that follow.
        old_version: The version of `old`.
        new_version: The version of `new`.
        context: Lines of context around changes.
        rewrites: How to find files that moved.
        paths: Files and directories to look at.
        progress: Told how far the phase is.
        phase: Told as each phase begins.

    Returns:
        Whether anything differs (`PackageDiff.differs`).

    Raises:
        InvalidInput: No rendering speaks that language.
        VersionDiffError: As of `package_diff`; all of it is raised before the first part.
    """
    from versiondiff.packages.listing import file_heading, render_package
    from versiondiff.rendering.names import catalogue

    scope = list(paths)
    about = _about(old, new, name, old_version, new_version)
    wording = catalogue(language)
    files: list[PackageFile] = []
    differs = False

    def listed(encoded: list[bytes], of_files: bytes, not_compared: int) -> str:
        nonlocal differs
        files.extend(map(_FILE_DECODER.decode, encoded))
        diff = msgspec.structs.replace(
            about,
            files=tuple(files),
            findings=_findings(old, new, of_files, scope),
            not_compared=not_compared,
        )
        differs = diff.differs
        return f"{render_package(diff, language=language, hunks=False)}\n"

    _core.write_package(
        _source(old),
        _source(new),
        context=_checked(context),
        rewrites=rewrites.value,
        paths=scope,
        no_line_feed=wording.package_no_newline,
        list=listed,
        begin=lambda number: f"{file_heading(files[number], wording)}\n",
        write=write,
        progress=progress,
        phase=_named(phase),
    )
    return differs


def _with_bodies(file: PackageFile, bodies: list[str]) -> PackageFile:
    """The file with the bodies of its large hunks, taken from the end of those that are left."""
    if all(hunk.body for hunk in file.hunks):
        return file
    hunks = [
        hunk if hunk.body else msgspec.structs.replace(hunk, body=bodies.pop())
        for hunk in reversed(file.hunks)
    ]
    return msgspec.structs.replace(file, hunks=tuple(reversed(hunks)))


def _findings(
    old: Package | Files, new: Package | Files, of_files: bytes, scope: list[str]
) -> tuple[PackageFinding, ...]:
    """What to look at twice, in the order in which it is told."""
    files = _FINDINGS_DECODER.decode(of_files)
    before = old if isinstance(old, Package) else None
    now = new if isinstance(new, Package) else None
    found = [
        *reason_findings(before, now),
        *metadata_findings(old, new, files),
        *files,
        *entry_findings(before, now, files),
        *record_findings(now),
    ]
    if not scope:
        return tuple(found)
    seen = _core.in_scope([one.path or "" for one in found], scope)
    # What is about the whole is told whatever is looked at.
    kept = zip(found, seen, strict=True)
    return tuple(one for one, is_seen in kept if is_seen or one.path is None)


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


def _source(files: Package | Files) -> Any:  # noqa: ANN401 (as `as_source`)
    return as_source(files.files if isinstance(files, Package) else files)


def _checked(context: int) -> int:
    if not 0 <= context <= _MOST_CONTEXT:
        message = f"context: must be from 0 to {_MOST_CONTEXT}"
        raise InvalidInput(message)
    return context


def _named(phase: Callable[[PackagePhase], object] | None) -> Callable[[str], object] | None:
    return None if phase is None else lambda name: phase(PackagePhase(name))
