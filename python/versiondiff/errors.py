"""What can go wrong.

A message names the file, the place and the rule that was broken, never the text of a file.
"""

from __future__ import annotations

__all__ = [
    "Conflict",
    "InternalError",
    "InvalidInput",
    "LimitExceeded",
    "NotFound",
    "SecretFound",
    "UnsupportedFormat",
    "VersionDiffError",
]


class VersionDiffError(Exception):
    """The base of all errors that this package raises; alone, a source that can't be read."""


class NotFound(VersionDiffError):
    """A repository, a version or an object is not there."""


class InvalidInput(VersionDiffError):
    """An argument, a file or an object breaks a rule."""


class LimitExceeded(VersionDiffError):
    """A stated limit was met."""


class SecretFound(VersionDiffError):
    """Something would have been written or shown that holds a secret."""


class Conflict(VersionDiffError):
    """Something else changed what was to be changed."""


class UnsupportedFormat(VersionDiffError):
    """A repository is stored in a way, or files have a format, that is not known here."""


class InternalError(VersionDiffError):
    """A defect of this package; the message says where."""
