"""Packages: the archives that registries hand out, and what changed between two versions of one.

| module | what it holds |
| --- | --- |
| `archives` | `read_package`: an archive as typed entries and as files to compare |
| `metadata` | what a package says of itself: version, licence, people, dependencies, hooks |
| `remarks` | flags and reasons in words, in English and Japanese |
| `record` | whether a wheel holds what its `RECORD` lists |
| `comparing` | `package_diff` |
| `difference` | the typed values that it gives |
| `findings` | what makes a reviewer look twice, as typed values |
| `metadata_findings` | what of it packages say of themselves |
| `archive_findings` | what of it two archives tell beside their files |
| `listing` | the values as text: the listing, the hunks, the findings |
| `page` | the values as one page of HTML |

    from versiondiff.packages import package_diff, read_package, render_package

    diff = package_diff(read_package("requests-2.31.tar.gz"), read_package("requests-2.32.tar.gz"))
    print(render_package(diff))
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from versiondiff.on_demand import names_on_demand

if TYPE_CHECKING:
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
    from versiondiff.packages.comparing import (
        PackagePhase,
        package_diff,
        package_diff_json,
        write_package,
    )
    from versiondiff.packages.difference import (
        ContentKind,
        FileStatus,
        GeneratedKind,
        Hunk,
        HunkLine,
        LineSide,
        PackageDiff,
        PackageFile,
    )
    from versiondiff.packages.findings import PackageFinding, PackageFindingKind
    from versiondiff.packages.listing import finding_line, package_parts, render_package
    from versiondiff.packages.metadata import Dependency, InstallHook, PackageMetadata
    from versiondiff.packages.page import package_page
    from versiondiff.packages.record import RecordMismatch, RecordProblem, record_mismatches
    from versiondiff.packages.remarks import flag_words, reason_words

__all__ = [
    "ArchiveReason",
    "ArchiveReasonKind",
    "ContentKind",
    "Dependency",
    "EntryFlag",
    "EntryKind",
    "FileStatus",
    "GeneratedKind",
    "Hunk",
    "HunkLine",
    "InstallHook",
    "LineSide",
    "Package",
    "PackageDiff",
    "PackageEntry",
    "PackageFile",
    "PackageFinding",
    "PackageFindingKind",
    "PackageKind",
    "PackageLimits",
    "PackageMetadata",
    "PackagePhase",
    "RecordMismatch",
    "RecordProblem",
    "finding_line",
    "flag_words",
    "package_diff",
    "package_diff_json",
    "package_page",
    "package_parts",
    "read_package",
    "reason_words",
    "record_mismatches",
    "render_package",
    "write_package",
]

_NAMES: Final = {
    "archives": (
        "ArchiveReason",
        "ArchiveReasonKind",
        "EntryFlag",
        "EntryKind",
        "Package",
        "PackageEntry",
        "PackageKind",
        "PackageLimits",
        "read_package",
    ),
    "comparing": ("PackagePhase", "package_diff", "package_diff_json", "write_package"),
    "difference": (
        "ContentKind",
        "FileStatus",
        "GeneratedKind",
        "Hunk",
        "HunkLine",
        "LineSide",
        "PackageDiff",
        "PackageFile",
    ),
    "findings": ("PackageFinding", "PackageFindingKind"),
    "listing": ("finding_line", "package_parts", "render_package"),
    "metadata": ("Dependency", "InstallHook", "PackageMetadata"),
    "page": ("package_page",),
    "record": ("RecordMismatch", "RecordProblem", "record_mismatches"),
    "remarks": ("flag_words", "reason_words"),
}
"""What each module gives, imported when it is asked for."""

if not TYPE_CHECKING:
    __getattr__, __dir__ = names_on_demand(__name__, _NAMES)
