"""What a record says, and what it never says, of every version of a real flow.

Each check works out what it needs from the two files themselves, on a way of its own.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec
import pytest

from versiondiff import FlowNames, change_record, render, render_warnings
from versiondiff.records import ChangeRecord, EditKind, NodeChange, ParameterChangeKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from real.flowise_history import Pair
    from versiondiff.wording import Language

LANGUAGES: Final[tuple[Language, ...]] = ("en", "ja")
UNSET: Final[tuple[object, ...]] = ("", None, [])


class Compared(NamedTuple):
    """Two versions of a file, and what is said of them."""

    pair: Pair
    old: dict[str, Any]
    """Empty where there is none."""
    new: dict[str, Any]
    record: ChangeRecord

    def texts(self) -> Iterator[str]:
        """All that is said of them, in every form."""
        yield msgspec.json.encode(self.record).decode()
        for language in LANGUAGES:
            yield render(self.record, language=language, limit=1000, flow_names=FlowNames.ALWAYS)
            yield render_warnings(self.record, language=language, limit=1000)

    def nodes(self) -> list[dict[str, Any]]:
        return [*self.old.get("nodes", ()), *self.new.get("nodes", ())]

    def __repr__(self) -> str:
        return repr(self.pair)


def compare(pair: Pair) -> ChangeRecord:
    old, new = ({pair.path: file} if file else None for file in (pair.old, pair.new))
    return change_record(old, new, format="flowise")


@pytest.fixture(scope="session")
def all_compared(pairs: list[Pair]) -> list[Compared]:
    return [
        Compared(pair, json.loads(pair.old or b"{}"), json.loads(pair.new or b"{}"), compare(pair))
        for pair in pairs
    ]


@pytest.fixture(scope="session")
def compared(all_compared: list[Compared]) -> list[Compared]:
    """The flows that are on both sides."""
    return [each for each in all_compared if "nodes" in each.old and "nodes" in each.new]


def parameters(node: dict[str, Any]) -> dict[str, Any]:
    """The inputs of a node that are set."""
    inputs: dict[str, Any] = node["data"].get("inputs", {})
    return {name: value for name, value in inputs.items() if value not in UNSET}


def ends(flow: dict[str, Any]) -> set[tuple[str, str, str]]:
    """Who feeds whom through which input."""
    found = set()
    for edge in flow["edges"]:
        handle = re.search(r"-input-([^-]*)", edge.get("targetHandle") or "")
        found.add((edge["source"], edge["target"], handle[1] if handle else ""))
    return found


def strings(value: Any) -> Iterator[str]:
    """All strings in a value, at any depth."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for member in value.values():
            yield from strings(member)
    elif isinstance(value, list):
        for element in value:
            yield from strings(element)


def pieces(value: str) -> Iterator[str]:
    """What of a value may not be told: all of it, and each of its lines."""
    return filter(is_text, {value, *value.splitlines()})


def is_text(value: str) -> bool:
    """Whether a value is more than a word that may stand in a record as the name of something."""
    return len(value) > 24 or (len(value) >= 12 and any(letter.isspace() for letter in value))


def test_there_is_something_to_check(
    all_compared: list[Compared], compared: list[Compared]
) -> None:
    assert (len(all_compared), len(compared)) == (584, 445)


def test_no_value_of_an_input_is_in_a_record_or_in_a_line(all_compared: list[Compared]) -> None:
    told = []
    for each in all_compared:
        inputs = [node["data"].get("inputs") for node in each.nodes()]
        values = {piece for text in strings(inputs) for piece in pieces(text)}
        texts = list(each.texts())
        told += [
            (each, value)
            for value in values
            for written in (
                value,
                json.dumps(value)[1:-1],
                json.dumps(value, ensure_ascii=False)[1:-1],
            )
            if any(written in text for text in texts)
        ]
    assert told == []


def test_the_same_ends_are_no_wiring(compared: list[Compared]) -> None:
    same = [each for each in compared if ends(each.old) == ends(each.new)]
    assert len(same) > 300
    for each in same:
        assert [node.name for node in each.record.nodes if node.wiring] == [], each
        assert "wiring" not in render(each.record, limit=1000), each


def is_told_by_edges(value: object, node: dict[str, Any], flow: dict[str, Any]) -> bool:
    """Whether a value is not set, or names only nodes that an edge connects to its node."""
    feeds = {source for source, target, _ in ends(flow) if target == node["id"]}
    references = value if isinstance(value, list) else [value]
    found = [re.fullmatch(r"\{\{(.*)\.data\.instance\}\}", str(text)) for text in references]
    return value in UNSET or all(match is not None and match[1] in feeds for match in found)


def on_both_sides(each: Compared) -> Iterator[tuple[NodeChange | None, Any, Any]]:
    """The nodes whose ids stayed with them: what is said of them, how they were, how they are."""
    other_ids = {node.former_id for node in each.record.nodes if node.former_id is not None}
    other_ids |= {
        node.id
        for node in each.record.nodes
        if node.former_id is not None or node.kind is not EditKind.CHANGED
    }
    old = {node["id"]: node for node in each.old["nodes"]}
    said = {node.id: node for node in each.record.nodes}
    for node in each.new["nodes"]:
        if node["id"] in old and node["id"] not in other_ids:
            yield said.get(node["id"]), old[node["id"]], node


def test_what_edges_tell_is_no_parameter(compared: list[Compared]) -> None:
    seen = 0
    for each in compared:
        for said, old, new in on_both_sides(each):
            before, after = old["data"].get("inputs", {}), new["data"].get("inputs", {})
            for name in {*before, *after}:
                if is_told_by_edges(before.get(name), old, each.old) and is_told_by_edges(
                    after.get(name), new, each.new
                ):
                    seen += before.get(name) != after.get(name)
                    told = said is not None and name in {change.name for change in said.parameters}
                    assert not told, (each, new["id"], name)
    assert seen > 50


def test_every_plain_edit_is_told(compared: list[Compared]) -> None:
    seen = 0
    for each in compared:
        for said, old, new in on_both_sides(each):
            before, after = parameters(old), parameters(new)
            for name in set(before) & set(after):
                if is_plainly_another(before[name], after[name]):
                    seen += 1
                    assert said is not None, (each, new["id"], name)
                    assert name in {change.name for change in said.parameters}, (each, name)
    assert seen > 20


def is_plainly_another(old: object, new: object) -> bool:
    """Whether two values are texts that no markup, JSON, number or reference makes the same."""
    if not (isinstance(old, str) and isinstance(new, str)):
        return False
    is_plain = all(text[:1].isalpha() and "{{" not in text for text in (old, new))
    return is_plain and old != new


def only_definitions_differ(each: Compared) -> bool:
    old = {node["id"]: node for node in each.old["nodes"]}
    new = {node["id"]: node for node in each.new["nodes"]}
    return (
        set(old) == set(new)
        and ends(each.old) == ends(each.new)
        and all(
            parameters(old[id]) == parameters(new[id])
            and old[id]["data"].get("label") == new[id]["data"].get("label")
            for id in old  # noqa: A001 (the field's word)
        )
        and all(
            each.old.get(key) == each.new.get(key)
            for key in {*each.old, *each.new} - {"nodes", "edges", "viewport"}
        )
    )


def test_definitions_alone_show_nothing_but_definition_lines(compared: list[Compared]) -> None:
    shown = re.compile(
        r"Changed .*: definition( updated (\S+|none)→(\S+|none))?|No changes|\d+ nodes? moved"
    )
    alone = [each for each in compared if only_definitions_differ(each)]
    assert len(alone) > 50
    for each in alone:
        lines = render(each.record, limit=1000).split("\n")
        assert [line for line in lines if not shown.fullmatch(line)] == [], each


# ── The way back ────────────────────────────────────────────────────────────────────────────────

EDIT_BACK: Final = {
    EditKind.ADDED: EditKind.REMOVED,
    EditKind.REMOVED: EditKind.ADDED,
    EditKind.CHANGED: EditKind.CHANGED,
}
PARAMETER_BACK: Final = {
    ParameterChangeKind.ADDED: ParameterChangeKind.REMOVED,
    ParameterChangeKind.REMOVED: ParameterChangeKind.ADDED,
    ParameterChangeKind.EDITED: ParameterChangeKind.EDITED,
    ParameterChangeKind.DEFAULT_ADDED: ParameterChangeKind.DEFAULT_REMOVED,
    ParameterChangeKind.DEFAULT_REMOVED: ParameterChangeKind.DEFAULT_ADDED,
    ParameterChangeKind.DEFAULT_CHANGED: ParameterChangeKind.DEFAULT_CHANGED,
}


def there(record: ChangeRecord) -> list[tuple[object, ...]]:
    """What a record says of nodes, in an order that both ways share."""
    said = [
        (
            node.kind.value,
            node.former_id or node.id,
            node.id,
            node.former_name or node.name,
            node.name,
            node.replaces,
            node.replaced_by,
            node.definition and (node.definition.old_version, node.definition.new_version),
            sorted((change.name, change.kind.value) for change in node.parameters),
            sorted((wire.kind.value, wire.node, wire.output, wire.input) for wire in node.wiring),
            node.outputs_reordered,
        )
        for node in record.nodes
    ]
    return sorted(said, key=repr)


def back(record: ChangeRecord) -> list[tuple[object, ...]]:
    """The same of the record of the way back, turned around."""
    said = [
        (
            EDIT_BACK[node.kind].value,
            node.id,
            node.former_id or node.id,
            node.name,
            node.former_name or node.name,
            node.replaced_by,
            node.replaces,
            node.definition and (node.definition.new_version, node.definition.old_version),
            sorted((change.name, PARAMETER_BACK[change.kind].value) for change in node.parameters),
            sorted(
                (EDIT_BACK[wire.kind].value, wire.node, wire.output, wire.input)
                for wire in node.wiring
            ),
            node.outputs_reordered,
        )
        for node in record.nodes
    ]
    return sorted(said, key=repr)


def test_the_way_back_mirrors_the_way_there(compared: list[Compared]) -> None:
    for each in compared:
        returned = compare(each.pair._replace(old=each.pair.new, new=each.pair.old))
        assert back(returned) == there(each.record), each
        assert returned.moved == each.record.moved, each
        assert returned.format_only == each.record.format_only, each
        names = {(setting.name, EDIT_BACK[setting.kind]) for setting in returned.settings}
        assert names == {(setting.name, setting.kind) for setting in each.record.settings}, each


def test_a_version_against_itself_is_no_change(compared: list[Compared]) -> None:
    nothing = ChangeRecord(format="flowise")
    for each in compared:
        record = compare(each.pair._replace(old=each.pair.new))
        assert msgspec.structs.replace(record, warnings=()) == nothing, each
