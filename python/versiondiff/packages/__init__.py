"""Packages: the archives that registries hand out, read without unpacking anything to disk.

| module | what it holds |
| --- | --- |
| `archives` | `read_package`: an archive as typed entries and as files to compare |
| `metadata` | what a package says of itself: version, licence, people, dependencies, hooks |
| `remarks` | flags and reasons in words, in English and Japanese |
| `record` | whether a wheel holds what its `RECORD` lists |
"""

from __future__ import annotations

from versiondiff.packages.archives import (
    ArchiveReason,
    ArchiveReasonKind,
    EntryFlag,
    EntryKind,
    Package,
    PackageEntry,
    PackageKind,
    PackageLimits,
    read_package,
)
from versiondiff.packages.metadata import Dependency, InstallHook, PackageMetadata
from versiondiff.packages.record import RecordMismatch, RecordProblem, record_mismatches
from versiondiff.packages.remarks import flag_words, reason_words

__all__ = [
    "ArchiveReason",
    "ArchiveReasonKind",
    "Dependency",
    "EntryFlag",
    "EntryKind",
    "InstallHook",
    "Package",
    "PackageEntry",
    "PackageKind",
    "PackageLimits",
    "PackageMetadata",
    "RecordMismatch",
    "RecordProblem",
    "flag_words",
    "read_package",
    "reason_words",
    "record_mismatches",
]
