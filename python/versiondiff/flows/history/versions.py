"""Versions of flows, as values."""

from __future__ import annotations

import enum
from typing import Any

import msgspec

from versiondiff.records import Signature  # noqa: TC001 (msgspec looks the fields' types up)

__all__ = ["FlowEntry", "FlowVersion", "Restored", "SavedVersion", "VersionKind"]


class VersionKind(enum.Enum):
    """Why a version was made."""

    CREATE = "create"
    """The first version of a flow, and one of a flow that was deleted."""
    SAVE = "save"
    RESTORE = "restore"
    """An earlier version was brought back."""
    PUBLISH = "publish"
    ROLLBACK = "rollback"
    """What is published went back to an earlier version."""
    PROMOTE = "promote"
    """A version was copied from Dev."""
    DELETE = "delete"
    """The flow's folder is gone; earlier versions still have it."""


class _Value(msgspec.Struct, frozen=True, kw_only=True):
    """The settings that all values share."""


class FlowEntry(_Value, frozen=True, kw_only=True):
    """A flow, as the newest version has it."""

    id: str
    name: str
    folder: str
    """Its path in the repository, such as `flows/bakery-helper--1f2e3d4c`."""


class FlowVersion(_Value, frozen=True, kw_only=True):
    """A version of a flow: a commit, read from what it says."""

    id: str
    """The commit id, 40 hexadecimal digits."""
    flow: str
    """The flow's id."""
    kind: VersionKind
    name: str
    """The flow's name then, on one line."""
    subject: str
    """The version's name, at most 72 characters."""
    body: str = ""
    """More lines about the change."""
    author: Signature
    committer: Signature
    source: str | None = None
    """Of a promotion: the full id of the version that it copies."""
    hidden: int = 0
    """How many secret-looking values it holds as hidden."""


class SavedVersion(_Value, frozen=True, kw_only=True):
    """A version that was made."""

    id: str
    """The commit id, 40 hexadecimal digits."""
    flow: str
    """The flow's id."""
    kind: VersionKind
    name: str
    """The flow's name."""
    folder: str
    """The flow's path in the repository; of a deleted flow, the one that is gone."""
    subject: str
    hidden: int = 0
    """How many secret-looking values it holds as hidden."""


class Restored(_Value, frozen=True, kw_only=True):
    """An earlier version that was brought back."""

    flow: Any
    """The flow as it is to be now."""
    unresolved: tuple[Any, ...] = ()
    """What the version does not hold and the current flow does not give (`Unresolved`)."""
    saved: SavedVersion | None = None
    """The version that was made; None where the flow is that already."""
