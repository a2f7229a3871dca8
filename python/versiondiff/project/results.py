"""What is asked of a project, and what comes back."""

from __future__ import annotations

import enum

import msgspec

__all__ = ["Recovery", "RunStarted", "StartedFrom", "UnsavedChanges", "VersionKept"]


class UnsavedChanges(enum.Enum):
    """What becomes of content that is in no version when another version is started from."""

    KEEP = "keep"
    """It becomes a version first, on the branch that HEAD stands on."""
    REFUSE = "refuse"
    """`Conflict`, and nothing happens."""


class Recovery(enum.Enum):
    """How it ended what a process that was killed half-way had begun."""

    FINISHED = "finished"
    """The version is made, or restored."""
    UNDONE = "undone"
    """The content is what it was before."""


class _Result(msgspec.Struct, frozen=True, kw_only=True):
    """The settings that all results share."""


class RunStarted(_Result, frozen=True, kw_only=True):
    """A run may start."""

    commit: str
    """The version that it stands on: a commit id of 40 hexadecimal digits."""
    made: bool
    """Whether the version was made now; False where the content has not changed since it."""
    branch: str | None
    """The branch that HEAD stands on; None where HEAD is detached and nothing was to be made."""
    left_out: tuple[str, ...] = ()
    """Folders that are git repositories of their own, which no version holds."""


class VersionKept(_Result, frozen=True, kw_only=True):
    """The content is kept under a name."""

    commit: str
    """The version: a commit id of 40 hexadecimal digits."""
    made: bool
    """Whether the version was made now; False where the content has not changed since it."""
    branch: str | None
    """The branch that HEAD stands on; None where HEAD is detached and nothing was to be made."""
    name: str
    """The name of the tag."""
    tag: str
    """The id of the annotated tag, 40 hexadecimal digits."""
    left_out: tuple[str, ...] = ()
    """Folders that are git repositories of their own, which no version holds."""


class StartedFrom(_Result, frozen=True, kw_only=True):
    """A version is restored."""

    commit: str
    """The version: a commit id of 40 hexadecimal digits."""
    branch: str
    """The branch that HEAD stands on now."""
    branch_made: bool
    """Whether that branch begins here."""
    kept: str | None = None
    """The version that the content before became; None where all of it was in one."""
    left_out: tuple[str, ...] = ()
    """Folders that are git repositories of their own, which no version holds."""
