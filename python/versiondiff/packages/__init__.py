"""What changed between two versions of a package: the listing, the hunks, what to look at twice.

| module | what it holds |
| --- | --- |
| `comparing` | `package_diff`, and the typed values that it gives |
| `listing` | the values as text: the listing, the hunks, the findings |

    from versiondiff.packages import package_diff, render_package

    diff = package_diff("requests-2.31", "requests-2.32")
    print(render_package(diff))
"""

from __future__ import annotations

from versiondiff.packages.comparing import (
    ContentKind,
    FileStatus,
    GeneratedKind,
    Hunk,
    HunkLine,
    LineSide,
    PackageDiff,
    PackageFile,
    PackageFinding,
    PackageFindingKind,
    package_diff,
)
from versiondiff.packages.listing import finding_line, package_parts, render_package

__all__ = [
    "ContentKind",
    "FileStatus",
    "GeneratedKind",
    "Hunk",
    "HunkLine",
    "LineSide",
    "PackageDiff",
    "PackageFile",
    "PackageFinding",
    "PackageFindingKind",
    "finding_line",
    "package_diff",
    "package_parts",
    "render_package",
]
