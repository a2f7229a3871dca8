"""Markers: objects with one key that stand for a value in a file.

A user's own value that looks like one is wrapped in `$literal`. What is inside of such an object
is written by the same rules as everything else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from versiondiff.flows.json_text import Json

__all__ = [
    "CREDENTIAL",
    "JSON",
    "LITERAL",
    "MARKERS",
    "PLACEHOLDER",
    "SECRET",
    "TEXT",
    "FileText",
    "looks_like_marker",
    "marker_of",
    "secret",
]

TEXT = "$text"
CREDENTIAL = "$credential"
SECRET = "$secret"
JSON = "$json"
LITERAL = "$literal"
MARKERS = frozenset({TEXT, CREDENTIAL, SECRET, JSON, LITERAL})

PLACEHOLDER = "[secret hidden]"
"""What stands in a text in the place of a secret."""


class FileText(str):
    """A text that gets a file of its own; in the node `$text` names it."""

    __slots__ = ()


def secret() -> dict[str, Json]:
    """The marker of a value that is not written."""
    return {SECRET: True}


def marker_of(value: dict[str, Json]) -> str | None:
    """Which marker an object is, if it is one."""
    if len(value) == 1:
        (key,) = value
        if key in MARKERS:
            return key
    return None


def looks_like_marker(value: dict[str, Json]) -> bool:
    """Whether a user's object has to be wrapped."""
    return marker_of(value) is not None
