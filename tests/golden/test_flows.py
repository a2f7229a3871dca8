"""What a record says of telling versions of a flow, checked by hand against the files.

Each folder of `flows/` holds the files of two versions, `old` and `new`, with content of our own
in the shapes of real flows. `flows.txt` holds, for each, the text in both languages and what else
is in the record. It was written by reading the files, and nothing writes it: a change there is a
change of what a record says.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec
import pytest

from versiondiff import change_record, render, render_warnings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from versiondiff.records import ChangeRecord
    from versiondiff.wording import Language

HERE: Final = Path(__file__).parent
LANGUAGES: Final[tuple[Language, ...]] = ("en", "ja")

SHOWS: Final = {
    "definition-updated": """
        The tool that made the flow got a new release: version 5 → 6 of the model, with other
        `inputParams`, `baseClasses` and category. So the edge's id and handles read otherwise, a
        new parameter stands with its default, an empty one came, one went, and a number is
        spelled as text. All of it is one line.""",
    "prompt-edited": """
        One true edit. Nodes and edges stand in another order, and 0.9 is spelled "0.90".""",
    "defaults-came-and-went": """
        Parameters that are written with the default of their definition, or no longer are. With
        a new definition its line stands for them, and only the record names them.""",
    "default-followed": """
        The definition's default changed. The first model had the old default and has the new
        one: it followed. The other one had a value of its own and lost it: an edit.""",
    "nodes-renumbered": """
        All ids end in 1, no longer in 0, and what mentions them follows: no wiring changed and
        no prompt. One node was edited on the way, so it is known by its neighbours; the template
        too, as its text mentions a node that is yet to be known then.""",
    "component-replaced": """
        `agent_0` was deleted, and the agent that was added then got the id that was free.""",
    "wiring-changed": """
        The chain's model comes from another node, its memory is cut and a new tool is plugged
        in, all before one that stays. Its inputs repeat that and are no second change.""",
    "conditions-reordered": """
        The two conditions changed places. Outputs are named by position, so what was taken for
        sweet is now taken for salty, though no edge differs.""",
    "flows-added-and-removed": """
        A file came, another went, and in a third only the flow's description was edited.""",
    "paragraphs": """
        The cook's message left the editor's paragraphs, with a variable in them: format only.
        The taster's has a tag of its own now, and the waiter's paragraph says more: edits.""",
    "ids-shared-and-blank": """
        Two notes share an id and one has none. All are kept; the second one was edited.""",
    "nested-configuration": """
        A nested set of parameters is named by what differs in it: another model, one that was set,
        and another credential, which is no parameter. Its label is that of the input it is of. A
        temperature in another spelling and empty ones that went are nothing. A list of tools, with
        a set of its own in an item, is one parameter.""",
    "stored-flow": """
        A flow as the database stores it, its graph as JSON text in `flowData`. The flow and a
        node have other names, a parameter was set, the category changed and the canvas moved.""",
    "nodes-moved": """
        Two nodes stand elsewhere, one was selected and widened, and the canvas was zoomed.""",
}
"""What each case shows."""


def compared(case: str) -> ChangeRecord:
    folder = HERE / "flows" / case
    return change_record(folder / "old", folder / "new", format="flowise")


def text(record: ChangeRecord, language: Language) -> str:
    parts = render(record, language=language), render_warnings(record, language=language)
    return "\n".join(filter(None, parts))


def details(record: ChangeRecord) -> str:
    """What no line shows: how parameters changed, ends of wires, counts."""
    said = []
    for node in record.nodes:
        said += [f"{node.id}: {change.name} {change.kind.value}" for change in node.parameters]
        for change in node.credentials:
            names = f"{change.old_name or '-'} → {change.new_name or '-'}"
            said.append(f"{node.id}: credential {change.input} {change.kind.value} {names}")
        for wire in node.wiring:
            ends = f"{wire.node} {wire.output} → {wire.input}"
            said.append(f"{node.id}: {ends} {wire.kind.value}")
    said += [f"moved: {record.moved}"] * bool(record.moved)
    said += [f"format only: {record.format_only}"] * bool(record.format_only)
    return "\n".join(said) or "nothing else"


def golden() -> dict[tuple[str, str], str]:
    texts: dict[tuple[str, str], str] = {}
    for section in (HERE / "flows.txt").read_text(encoding="utf-8").split("\n== ")[1:]:
        heading, _, body = section.partition("\n")
        case, _, what = heading.rpartition(", ")
        texts[case, what] = body.rstrip("\n")
    return texts


@pytest.mark.parametrize("case", SHOWS)
def test_a_telling_version_reads_as_checked_by_hand(case: str) -> None:
    record = compared(case)
    said = {language: text(record, language) for language in LANGUAGES}
    assert said | {"record": details(record)} == {
        what: golden()[case, what] for what in (*LANGUAGES, "record")
    }


def test_every_case_is_told_and_no_other() -> None:
    assert {case for case, _ in golden()} == set(SHOWS)
    assert {folder.name for folder in (HERE / "flows").iterdir()} == set(SHOWS)


@pytest.mark.parametrize("case", SHOWS)
def test_no_value_of_an_input_is_told(case: str) -> None:
    record = compared(case)
    told = [msgspec.json.encode(record).decode(), *(text(record, each) for each in LANGUAGES)]
    for file in (HERE / "flows" / case).rglob("*.json"):
        for value in values(json.loads(file.read_text(encoding="utf-8"))):
            assert not any(value in each for each in told), f"{file.name} gives a value away"


def values(flow: dict[str, Any]) -> Iterator[str]:
    """The texts in the inputs of a flow that are more than a word."""
    graph: dict[str, Any] = json.loads(flow["flowData"]) if "flowData" in flow else flow
    for node in graph["nodes"]:
        found = strings(node["data"]["inputs"])
        yield from (value for value in found if len(value) >= 12 and not value.isidentifier())


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for member in value.values() if isinstance(value, dict) else value:
            yield from strings(member)
