"""What can go wrong.

A message names the file, the place and the rule that was broken, never the text of a file.
"""

from __future__ import annotations

__all__ = [
    "Conflict",
    "InternalError",
    "InvalidInput",
    "InvalidJson",
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


class InvalidJson(InvalidInput):
    """A text is no JSON, or it or a value has no canonical form."""

    def __init__(
        self, message: str, *, line: int = 0, column: int = 0, pointer: str = "", rule: str = ""
    ) -> None:
        super().__init__(message)
        self.line = line
        """Counted from 1; 0 where no text was read."""
        self.column = column
        """In bytes, counted from 1; 0 where no text was read."""
        self.pointer = pointer
        """The value, as a JSON pointer (RFC 6901) that is safe to show: names that look like a
        secret are hidden, long names are cut, and of many steps the middle is left out."""
        self.rule = rule
        """What is wrong there."""


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
