"""The drawing of a history: straight lanes, every fork and merge shown."""

from __future__ import annotations

import random

import pytest

from versiondiff.tree import GraphVersion, Style, draw, sort


def history(*lines: str) -> list[GraphVersion]:
    """Versions from lines such as `c: b a`, newest first."""
    versions = []
    for at, line in enumerate(lines):
        name, _, parents = line.partition(":")
        versions.append(GraphVersion(id=name, parents=tuple(parents.split()), time=-at))
    return versions


def drawing(
    versions: list[GraphVersion], *, first: str | None = None, style: Style = Style.UNICODE
) -> str:
    lines = []
    for row in draw(versions, first=first, style=style):
        lines += [row.before] if row.before is not None else []
        lines.append(row.node + row.id)
        lines += [row.after] if row.after is not None else []
    return "\n".join(line.rstrip() for line in lines)


def test_a_line() -> None:
    assert drawing(history("c: b", "b: a", "a:")) == "● c\n● b\n● a"


def test_a_fork_and_a_merge() -> None:
    versions = history("m: c b", "b: a", "c: a", "a: r", "r:")
    assert drawing(versions) == "● m\n├─╮\n│ ● b\n● │ c\n├─╯\n● a\n● r"
    assert drawing(versions, style=Style.ASCII) == "* m\n|-.\n| * b\n* | c\n|-'\n* a\n* r"


def test_the_first_lane_is_kept_for_head() -> None:
    versions = history("side: a", "main: a", "a:")
    assert drawing(versions, first="main") == "│ ● side\n● │ main\n├─╯\n● a"


def test_several_branches_end_in_one_version_and_lanes_between_are_crossed() -> None:
    versions = history("d: a", "x: y", "c: a", "a: r", "y: r", "r:")
    assert drawing(versions) == ("● d\n│ ● x\n│ │ ● c\n├─┼─╯\n● │ a\n│ ● y\n├─╯\n● r")


def test_a_merge_with_what_is_on_a_line_already_meets_it() -> None:
    versions = history("t: p", "m: q p", "q: p", "p:")
    assert drawing(versions) == "● t\n│ ● m\n├─┤\n│ ● q\n├─╯\n● p"


def test_an_octopus() -> None:
    versions = history("o: a b c", "a: r", "b: r", "c: r", "r:")
    assert drawing(versions) == "● o\n├─┬─╮\n● │ │ a\n│ ● │ b\n│ │ ● c\n├─┴─╯\n● r"


def test_parents_beyond_the_range_leave_their_lines_open() -> None:
    assert [row.beside for row in draw(history("b: a"))] == ["│ "]


def test_unrelated_histories_reuse_lanes() -> None:
    assert drawing(history("b:", "a:")) == "● b\n● a"


@pytest.mark.parametrize("seed", range(20))
def test_every_version_is_drawn_once_above_its_parents(seed: int) -> None:
    source = random.Random(seed)
    versions = [
        GraphVersion(
            id=str(at),
            parents=tuple(
                str(parent) for parent in source.sample(range(at), min(at, source.randint(0, 3)))
            ),
            time=source.randint(0, 10),
        )
        for at in range(40)
    ]
    source.shuffle(versions)
    ordered = sort(versions)
    place = {version.id: at for at, version in enumerate(ordered)}
    assert len(place) == len(versions)
    assert all(place[v.id] < place[parent] for v in versions for parent in v.parents)
    rows = list(draw(ordered))
    assert [row.id for row in rows] == [version.id for version in ordered]
    assert all(row.node.count("●") == 1 for row in rows)
    assert rows == list(draw(ordered))
