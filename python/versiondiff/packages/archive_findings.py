"""What two archives tell beside their files: reasons, entries, the `RECORD` of a wheel.

Entries are told where they changed. What is wrong with the new archive itself is told whether or
not the old one had it, too: whoever takes the new one takes it with that.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final

from versiondiff.packages.archives import EntryFlag, EntryKind, PackageKind
from versiondiff.packages.findings import PackageFinding, PackageFindingKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from versiondiff.packages.archives import Package, PackageEntry

__all__ = ["entry_findings", "reason_findings", "record_findings"]


def reason_findings(old: Package | None, new: Package | None) -> Iterator[PackageFinding]:
    """What was met in the new archive, and in the old one alone."""
    found = new.reasons if new is not None else ()
    for reason in found:
        yield PackageFinding(kind=PackageFindingKind.ARCHIVE, reason=reason)
    kinds = {reason.kind for reason in found}
    for reason in old.reasons if old is not None else ():
        if reason.kind not in kinds:
            yield PackageFinding(kind=PackageFindingKind.OLD_ARCHIVE, reason=reason)


_SAID_OF_FILES: Final = {
    PackageFindingKind.LINK_OUTSIDE: {EntryFlag.LINK_OUTSIDE},
    PackageFindingKind.HIDDEN_IN_NAME: {EntryFlag.NOT_UTF8, EntryFlag.CONTROL_CHARACTER},
}
"""Flags that say of an entry what a finding says of its file."""

_LINKS: Final = {EntryKind.LINK, EntryKind.HARD_LINK}


def _said_of_files(of_files: Iterable[PackageFinding]) -> dict[str | None, set[EntryFlag]]:
    said: dict[str | None, set[EntryFlag]] = defaultdict(set)
    for finding in of_files:
        if finding.kind in _SAID_OF_FILES:
            said[finding.path] |= _SAID_OF_FILES[finding.kind]
    return said


def entry_findings(
    old: Package | None, new: Package | None, of_files: Iterable[PackageFinding]
) -> Iterator[PackageFinding]:
    """Flagged entries of the new archive that the old one did not have, and what is gone.

    Args:
        old: The archive before; None where there was none.
        new: The archive now.
        of_files: What the files tell. What stands here of a file is not told of its entry again.
    """
    said = _said_of_files(of_files)
    before = [entry for entry in old.entries if entry.flags] if old is not None else []
    now = [entry for entry in new.entries if entry.flags] if new is not None else []
    left = Counter(map(_identity, before))
    for entry in now:
        identity = _identity(entry)
        if left[identity] and _is_known(entry):
            left[identity] -= 1
            continue
        is_compared = entry.compared is not None
        flags = tuple(
            flag for flag in entry.flags if not (is_compared and flag in said.get(entry.path, ()))
        )
        if flags:
            kind = (
                PackageFindingKind.ENTRY if is_compared else PackageFindingKind.ENTRY_NOT_COMPARED
            )
            yield PackageFinding(kind=kind, path=entry.path, new=_target(entry), flags=flags)
    left -= Counter(_identity(entry) for entry in now if not _is_known(entry))
    for entry in before:
        identity = _identity(entry)
        if left[identity] > 0:
            left[identity] -= 1
            if entry.compared is None:
                yield PackageFinding(
                    kind=PackageFindingKind.ENTRY_GONE,
                    path=entry.path,
                    old=_target(entry),
                    flags=entry.flags,
                )


def _identity(entry: PackageEntry) -> tuple[object, ...]:
    """What makes two entries the same: all but the content of one that is compared as a file."""
    content = (entry.size, entry.id) if entry.compared is None else None
    place = (entry.path, entry.raw_path, entry.within)
    thing = (entry.kind, entry.target, entry.raw_target, entry.major, entry.minor)
    return (*place, *thing, entry.compared, entry.flags, content)


def _is_known(entry: PackageEntry) -> bool:
    """Whether what is in the entry could be read, so that an equal one is the same."""
    return entry.compared is not None or entry.id is not None or entry.kind not in _WITH_CONTENT


_WITH_CONTENT: Final = {EntryKind.FILE, EntryKind.EXECUTABLE}


def _target(entry: PackageEntry) -> str | None:
    return entry.target if entry.kind in _LINKS else None


def record_findings(new: Package | None) -> Iterator[PackageFinding]:
    """Where a wheel is not what its `RECORD` lists."""
    if new is None or new.kind is not PackageKind.WHEEL:
        return
    # Wheels alone have records, and what reads them takes a while to import.
    from versiondiff.packages.record import record_mismatches

    for mismatch in record_mismatches(new):
        kind = PackageFindingKind(f"record_{mismatch.problem.value}")
        yield PackageFinding(kind=kind, path=mismatch.path)
