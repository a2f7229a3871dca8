"""Records as lines that a person can read, in English and Japanese.

Pure text: no colour, no clock, no environment; the same record gives the same lines everywhere.

Names and paths come from files that anyone can write. Each is put on one line: control characters,
line and paragraph separators, bidirectional controls and other invisible characters become U+FFFD,
and a long one is cut at a grapheme border with `…`. So no name can forge a line, a colour code or a
direction override. That is all that is promised: commas, colons and parentheses stay as they are,
so a name that holds them can make its own line read oddly. Programs read records, not these lines.

| module | what it holds |
| --- | --- |
| `entries` | the lines of a record: nodes, flows and settings |
| `remarks` | the lines beside them: comments, warnings, failures, what a version diff leaves out |
| `names` | names made safe, and lists of them |
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from versiondiff.on_demand import names_on_demand

if TYPE_CHECKING:
    from versiondiff.rendering.entries import FlowNames, Line, LineKind, lines, render
    from versiondiff.rendering.names import LIMIT
    from versiondiff.rendering.remarks import (
        render_comments,
        render_failure,
        render_outcome,
        render_warnings,
    )

__all__ = [
    "LIMIT",
    "FlowNames",
    "Line",
    "LineKind",
    "lines",
    "render",
    "render_comments",
    "render_failure",
    "render_outcome",
    "render_warnings",
]

_NAMES: Final = {
    "entries": ("FlowNames", "Line", "LineKind", "lines", "render"),
    "names": ("LIMIT",),
    "remarks": ("render_comments", "render_failure", "render_outcome", "render_warnings"),
}
"""What each module gives, imported when it is asked for."""

if not TYPE_CHECKING:
    __getattr__, __dir__ = names_on_demand(__name__, _NAMES)
