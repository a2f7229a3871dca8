"""Files and flows that are refused: the message names the file, the place and the rule."""

from __future__ import annotations

import json
from typing import Any

import pytest

from flows.builders import flow, inputs_of
from planted import drawn
from versiondiff import flows
from versiondiff.errors import InvalidInput, LimitExceeded, UnsupportedFormat

FLOW = flow({"prompt": "two\nlines", "plain": "x"})
FILES = flows.write_flow(FLOW)
NODE = "nodes/step_0.json"
PROMPT = "prompts/step_0.prompt.md"
DEFINITION = "nodes/step_0.definition.json"


def with_input(value: Any) -> dict[str, Any]:
    node = json.loads(FILES[NODE])
    node["data"]["inputs"]["plain"] = value
    return {NODE: json.dumps(node).encode()}


def with_flow(**members: Any) -> dict[str, Any]:
    return {"flow.json": json.dumps({**json.loads(FILES["flow.json"]), **members}).encode()}


def with_layout(layout: Any) -> dict[str, Any]:
    return {"layout.json": json.dumps({"nodes": layout}).encode()}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (with_input({"$text": "../x"}), f"{NODE}: at plain: $text names no file in prompts/"),
        (with_input({"$text": 5}), f"{NODE}: at plain: $text names no file in prompts/"),
        (
            with_input([{"$text": "prompts/x.md"}]),
            f"{NODE}: at plain[0]: prompts/x.md is not there",
        ),
        (with_input({"$literal": 5}), f"{NODE}: at plain: $literal holds no object"),
        ({PROMPT: None}, f"{PROMPT} is not there"),
        ({PROMPT: "text"}, f"{PROMPT}: the content is not given as bytes"),
        ({"edges.json": 5}, "edges.json: the content is not given as bytes"),
        (
            {"edges.json": b'[{"id": {"$text": "x"}}]'},
            "edges.json: at id: $text outside of a node's inputs",
        ),
        (with_flow(nodes=[5]), "flow.json: nodes[0] has no file"),
        (
            with_flow(nodes=[{"file": "flow.json"}]),
            "flow.json: the file of nodes[0] is not in nodes/",
        ),
        (
            with_flow(nodes=[{"file": "../nodes/a.json"}]),
            "flow.json: the file of nodes[0] is not in nodes/",
        ),
        (
            with_flow(nodes=[{"file": NODE}, {"file": NODE}]),
            "flow.json: nodes[1] has the file of another node",
        ),
        (
            with_flow(extra={"flowData": {"nodes": 5}}),
            "flow.json: extra.flowData: holds what has its own place: nodes",
        ),
        (with_layout([]), "layout.json: nodes is no object"),
        (with_layout({"step_0": 5}), f"layout.json: {NODE}: no object"),
        (
            with_layout({"step_0": {"data": 5}}),
            f"layout.json: {NODE}: only position, positionAbsolute, width, height stand here",
        ),
        (
            {DEFINITION: b'{"label": "Other"}'},
            f"{DEFINITION}: holds what has its own place: label",
        ),
    ],
)
def test_refused(changed: dict[str, Any], message: str) -> None:
    for current in (None, FLOW):
        with pytest.raises(InvalidInput) as caught:
            flows.read_flow({**FILES, **changed}, current=current)
        assert str(caught.value) == message


@pytest.mark.parametrize(("version", "shown"), [(2, "2"), (None, "null"), ([1], "no number")])
def test_other_format_version(version: Any, shown: str) -> None:
    with pytest.raises(UnsupportedFormat) as caught:
        flows.read_flow({**FILES, **with_flow(formatVersion=version)})
    assert str(caught.value) == (
        f"flow.json has format version {shown}. This Cuttlely reads version 1."
    )


@pytest.mark.parametrize(
    ("refused", "message"),
    [
        ('{"nodes": [], "x": 1e99999999999999999999}', "too large or too small"),
        ('{"nodes": [], "x": -1e-99999999999999999999}', "too large or too small"),
        ({"nodes": [{None: 1}]}, "no string"),
        ({"nodes": [], "edges": [{None: 1}]}, "no string"),
    ],
)
def test_flows_that_are_refused(refused: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        flows.write_flow(refused)


def test_a_value_of_a_cycle_is_refused() -> None:
    cycle: list[Any] = []
    cycle += [cycle, cycle]
    for refused in (flow({"plain": cycle}), {**flow({}), "viewport": cycle}):
        with pytest.raises(LimitExceeded):
            flows.write_flow(refused)


def test_a_number_in_a_text_that_no_decimal_holds() -> None:
    word = drawn(20) + "1"
    text = f'{{"n": 1e99999999999999999999, "password": "{word}"}}'
    written = flows.write_flow(flow({"plain": text}))
    assert word.encode() not in b"".join(written.values())
    assert flows.read_flow(written, current=flow({"plain": text})).flow == flow({"plain": text})


def test_a_long_text_is_no_reference() -> None:
    long = "{{" * 500_000
    written = flows.write_flow(flow({"apiKey": long}))
    assert inputs_of(written) == {"apiKey": {"$secret": True}}
