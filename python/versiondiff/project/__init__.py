"""The working tree of a project: versions made from it, and gone back to.

This is the only part of the library that touches a working tree. It needs pygit2, which the extra
`versiondiff[pygit2]` installs.

Raises:
    UnsupportedFormat: On import, where pygit2 is missing.
"""

from __future__ import annotations

from versiondiff.errors import UnsupportedFormat

try:
    import pygit2  # noqa: F401 (only to say what is missing, before any other module needs it)
except ModuleNotFoundError as missing:
    _MESSAGE = "a working tree needs pygit2: pip install versiondiff[pygit2]"
    raise UnsupportedFormat(_MESSAGE) from missing

from versiondiff.project.project import Project
from versiondiff.project.results import (
    Recovery,
    RunStarted,
    StartedFrom,
    UnsavedChanges,
    VersionKept,
)

__all__ = ["Project", "Recovery", "RunStarted", "StartedFrom", "UnsavedChanges", "VersionKept"]
