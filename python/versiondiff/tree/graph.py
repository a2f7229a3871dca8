"""Branches and merges drawn as lines of text, one version a row, newest first.

Each version stands in a lane, the column of its line. A lane waits for the version that it leads
to, and that version takes the leftmost of the lanes that wait for it. Lanes never move: one that
ends leaves a gap, and the next new lane takes it. So every line stays straight.
"""

from __future__ import annotations

import enum
import heapq
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["GraphRow", "GraphVersion", "Style", "draw", "sort"]


class Style(enum.Enum):
    """The characters that lines are drawn with."""

    UNICODE = "unicode"
    ASCII = "ascii"


_ASCII = str.maketrans("●│─├┤┼┴┬╮╯╭╰", "*|-||+++.'.'")


class GraphVersion(msgspec.Struct, frozen=True, kw_only=True):
    """What the drawing needs to know of a version."""

    id: str
    parents: tuple[str, ...] = ()
    time: int = 0
    """Seconds since 1970-01-01T00:00:00Z."""


class GraphRow(msgspec.Struct, frozen=True, kw_only=True):
    """The drawing beside one version; all parts end with a space."""

    id: str
    before: str | None = None
    """The line above it, where other lanes end in it."""
    node: str
    """The line of the version itself, with its dot."""
    after: str | None = None
    """The line below it, where it is a merge and lanes begin."""
    beside: str
    """What stands beside further lines of text about it."""


def sort(versions: Iterable[GraphVersion]) -> list[GraphVersion]:
    """Put versions newest first, and every version above its parents.

    Of versions that may come next, the one with the latest time does; of those with the same
    time, the one that came first in `versions`.
    """
    known = list(versions)
    by_id = {version.id: at for at, version in enumerate(known)}
    children = [0] * len(known)
    for version in known:
        for parent in version.parents:
            if parent in by_id:
                children[by_id[parent]] += 1
    ready = [(-version.time, at) for at, version in enumerate(known) if children[at] == 0]
    heapq.heapify(ready)
    ordered = []
    while ready:
        version = known[heapq.heappop(ready)[1]]
        ordered.append(version)
        for parent in version.parents:
            if parent in by_id:
                at = by_id[parent]
                children[at] -= 1
                if children[at] == 0:
                    heapq.heappush(ready, (-known[at].time, at))
    return ordered


def draw(
    versions: Sequence[GraphVersion], *, first: str | None = None, style: Style = Style.UNICODE
) -> Iterator[GraphRow]:
    """Draw the lines of a history.

    Args:
        versions: Newest first, every version above its parents, as `sort` puts them. Parents that
            are not among them end in a line that leads on.
        first: The id of the version whose line takes the leftmost lane, such as HEAD's.
        style: The characters to draw with.

    Yields:
        One row a version, in the order given.
    """
    lanes: list[str | None] = [first] if any(v.id == first for v in versions) else []
    for version in versions:
        waiting = [at for at, awaited in enumerate(lanes) if awaited == version.id]
        lane = waiting[0] if waiting else _new_lane(lanes, version.id)
        before = None
        if len(waiting) > 1:
            before = _connection(lanes, lane, ends=waiting[1:], begins=[], meets=[])
            for at in waiting[1:]:
                lanes[at] = None
        _drop_free_end(lanes)
        node = _straight(lanes, dot=lane)
        lanes[lane] = version.parents[0] if version.parents else None
        begins, meets = [], []
        for parent in version.parents[1:]:
            if parent in lanes:
                meets.append(lanes.index(parent))
            else:
                begins.append(_new_lane(lanes, parent))
        after = None
        if begins or meets:
            after = _connection(lanes, lane, ends=[], begins=begins, meets=meets)
        _drop_free_end(lanes)
        row = GraphRow(
            id=version.id, before=before, node=node, after=after, beside=_straight(lanes)
        )
        yield row if style is Style.UNICODE else _in_ascii(row)


def _new_lane(lanes: list[str | None], awaited: str) -> int:
    """The leftmost lane that is free, now waiting for `awaited`."""
    if None in lanes:
        at = lanes.index(None)
        lanes[at] = awaited
    else:
        at = len(lanes)
        lanes.append(awaited)
    return at


def _drop_free_end(lanes: list[str | None]) -> None:
    while lanes and lanes[-1] is None:
        lanes.pop()


def _straight(lanes: Sequence[str | None], dot: int | None = None) -> str:
    """All lanes going down, one of them through a dot."""
    cells = ["│" if awaited is not None else " " for awaited in lanes]
    if dot is not None:
        cells[dot] = "●"
    return "".join(f"{cell} " for cell in cells)


def _connection(
    lanes: Sequence[str | None],
    lane: int,
    *,
    ends: Sequence[int],
    begins: Sequence[int],
    meets: Sequence[int],
) -> str:
    """All lanes going down, with a line across from `lane` to each of the others."""
    others = [*ends, *begins, *meets]
    left, right = min(lane, *others), max(lane, *others)
    line = []
    for at, awaited in enumerate(lanes):
        within = left < at < right
        if at in ends or at in begins:
            corner = "╯" if at in ends else "╮"
            cell = ("┴" if at in ends else "┬") if within else corner
            # A lane that begins to the left of the merge turns the other way.
            if at == left:
                cell = "╰" if at in ends else "╭"
        elif at == lane or at in meets:
            cell = "┼" if within else ("├" if at == left else "┤")
        elif within:
            cell = "┼" if awaited is not None else "─"
        else:
            cell = "│" if awaited is not None else " "
        line.append(cell + ("─" if left <= at < right else " "))
    return "".join(line)


def _in_ascii(row: GraphRow) -> GraphRow:
    def plain(line: str | None) -> str | None:
        return None if line is None else line.translate(_ASCII)

    return msgspec.structs.replace(
        row,
        before=plain(row.before),
        node=row.node.translate(_ASCII),
        after=plain(row.after),
        beside=row.beside.translate(_ASCII),
    )
