"""What the real history holds, by kind of change, as docs/change-records.md has it.

`python -m real.test_counts`, run in `tests`, prints the table.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from real import flowise_history
from versiondiff import Repository, change_record, render
from versiondiff.records import (
    ChangeRecord,
    EditKind,
    FlowChangeKind,
    MatchReason,
    NodeChange,
    ParameterChangeKind,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from real.flowise_history import Pair

PAGE: Final = Path(__file__).parents[2] / "docs" / "change-records.md"

Count: TypeAlias = "Callable[[ChangeRecord], int]"


def flows(kind: FlowChangeKind) -> Count:
    return lambda record: sum(flow.kind is kind for flow in record.flows)


def nodes(test: Callable[[NodeChange], bool]) -> Count:
    """Nodes of flows that are on both sides."""
    return lambda record: 0 if record.flows else sum(map(test, record.nodes))


def parameters(kind: ParameterChangeKind) -> Count:
    def count(record: ChangeRecord) -> int:
        return sum(change.kind is kind for node in record.nodes for change in node.parameters)

    return count


def wires(kind: EditKind) -> Count:
    return lambda record: sum(wire.kind is kind for node in record.nodes for wire in node.wiring)


def is_about_definitions(node: NodeChange) -> bool:
    """Whether a definition changed, or defaults came, went or followed, and nothing else."""
    more = (
        *(change for change in node.parameters if not change.kind.value.startswith("default")),
        *node.wiring,
        *filter(None, (node.former_id, node.former_name, node.outputs_reordered)),
    )
    return node.kind is EditKind.CHANGED and not more


def is_definitions_only(record: ChangeRecord) -> bool:
    whole = record.flows or record.settings or record.other_files
    return not whole and bool(record.nodes) and all(map(is_about_definitions, record.nodes))


def is_more(record: ChangeRecord) -> bool:
    is_edited = not record.flows and not record.other_files
    return is_edited and not is_nothing(record) and not is_definitions_only(record)


def is_nothing(record: ChangeRecord) -> bool:
    return not (record.flows or record.settings or record.nodes or record.other_files)


VERSIONS: Final[dict[str, Count]] = {
    "a flow added": flows(FlowChangeKind.ADDED),
    "a flow removed": flows(FlowChangeKind.REMOVED),
    "a JSON file that is no flow": lambda record: record.other_files,
    "a flow edited": lambda record: not record.flows and not record.other_files,
    "… definitions only": is_definitions_only,
    "… more than that": is_more,
    "… nodes moved, nothing else": lambda record: is_nothing(record) and record.moved > 0,
    "… nothing at all": lambda record: render(record) == "No changes" and not record.other_files,
}
"""What a version is, with how many of the 584 are."""

THINGS: Final[dict[str, Count]] = {
    "definitions updated": nodes(lambda node: node.definition is not None),
    "parameters edited": parameters(ParameterChangeKind.EDITED),
    "parameters set that were not": parameters(ParameterChangeKind.ADDED),
    "parameters no longer set": parameters(ParameterChangeKind.REMOVED),
    "defaults that came": parameters(ParameterChangeKind.DEFAULT_ADDED),
    "defaults that went": parameters(ParameterChangeKind.DEFAULT_REMOVED),
    "defaults followed": parameters(ParameterChangeKind.DEFAULT_CHANGED),
    "wires plugged in": wires(EditKind.ADDED),
    "wires pulled": wires(EditKind.REMOVED),
    "nodes added": nodes(lambda node: node.kind is EditKind.ADDED),
    "nodes removed": nodes(lambda node: node.kind is EditKind.REMOVED),
    "nodes renamed": nodes(lambda node: node.former_name is not None),
    "ids changed, same content": nodes(lambda node: node.matched_by is MatchReason.CONTENT),
    "ids changed, same neighbours": nodes(lambda node: node.matched_by is MatchReason.NEIGHBOURS),
    "ids taken over by another node": nodes(lambda node: node.replaces is not None),
    "orders of outputs changed": nodes(lambda node: node.outputs_reordered),
    "settings of flows": lambda record: len(record.settings) if not record.flows else 0,
    "nodes that only moved": lambda record: record.moved,
    "nodes written differently, meaning the same": lambda record: record.format_only,
    "warnings": lambda record: len(record.warnings),
}
"""What is said of the flows that were edited, and how often."""


def records(pairs: list[Pair]) -> list[ChangeRecord]:
    return [
        change_record(
            {pair.path: pair.old} if pair.old else None,
            {pair.path: pair.new} if pair.new else None,
            format="flowise",
        )
        for pair in pairs
    ]


def tables(records: list[ChangeRecord]) -> list[str]:
    versions = ["| a version is | of 584 |", "| --- | ---: |"]
    for what, count in VERSIONS.items():
        versions.append(f"| {what} | {sum(map(bool, map(count, records)))} |")
    things = ["| in flows that were edited | how many | in versions |", "| --- | ---: | ---: |"]
    for what, count in THINGS.items():
        counts = [count(record) for record in records]
        things.append(f"| {what} | {sum(counts)} | {sum(map(bool, counts))} |")
    return ["\n".join(versions), "\n".join(things)]


def test_the_documentation_has_the_counts(pairs: list[Pair]) -> None:
    page = PAGE.read_text(encoding="utf-8")
    for table in tables(records(pairs)):
        assert table in page


def test_flows_that_moved_within_a_commit_are_one_flow(by_commit: Path) -> None:
    renamed = flows(FlowChangeKind.RENAMED)
    history = Repository.open(by_commit).records(format="flowise")
    count = sum(renamed(version.record) for version in history if version.record is not None)
    assert f"In {count} cases a flow moved" in PAGE.read_text(encoding="utf-8")


if __name__ == "__main__":
    rows = flowise_history.rows()
    print("\n\n".join(tables(records(flowise_history.pairs(rows)))))  # noqa: T201
