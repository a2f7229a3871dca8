"""The history of flows: a plain git repository, in which each version of a flow is one commit.

| module | what it holds |
| --- | --- |
| `history` | `FlowHistory`: versions made, listed and read |
| `versions` | versions of flows, as values |
| `people` | who makes them: people, and the service |
| `messages` | what their commits say, and reading it back |
| `changes` | what changed, in words |
| `tree` | where flows are in a version |
| `writers` | how a version gets onto the branch, with a working tree and without |
| `beginning` | a new history |
| `recognising` | whether a repository is one |
"""

from __future__ import annotations

from versiondiff.flows.history.changes import ChangeDescription, describe_change
from versiondiff.flows.history.history import FlowHistory
from versiondiff.flows.history.people import CUTTLELY, Person, Service
from versiondiff.flows.history.versions import (
    FlowEntry,
    FlowVersion,
    Restored,
    SavedVersion,
    VersionKind,
)

__all__ = [
    "CUTTLELY",
    "ChangeDescription",
    "FlowEntry",
    "FlowHistory",
    "FlowVersion",
    "Person",
    "Restored",
    "SavedVersion",
    "Service",
    "VersionKind",
    "describe_change",
]
