"""What is in which file."""

from __future__ import annotations

import json
from typing import Any

import pytest

from flows.builders import flow, inputs_of, node, stored
from versiondiff import flows
from versiondiff.errors import InvalidInput, UnsupportedFormat
from versiondiff.flows import Reason


def about(files: dict[str, bytes]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(files["flow.json"])
    return found


def test_the_files_of_an_export() -> None:
    files = flows.write_flow(flow({"prompt": "Be kind.", "plain": "x"}))
    assert list(files) == [
        "edges.json",
        "flow.json",
        "layout.json",
        "nodes/step_0.definition.json",
        "nodes/step_0.json",
        "prompts/step_0.prompt.md",
    ]
    assert about(files) == {
        "formatVersion": 1,
        "nodes": [{"id": "step_0", "file": "nodes/step_0.json"}],
        "credentials": [],
        "chatModels": [],
    }
    assert inputs_of(files) == {"prompt": {"$text": "prompts/step_0.prompt.md"}, "plain": "x"}
    assert files["prompts/step_0.prompt.md"] == b"Be kind."


def test_a_node_and_its_definition_and_layout() -> None:
    files = flows.write_flow(flow({}))
    step = json.loads(files["nodes/step_0.json"])
    assert set(step) == {"id", "type", "data"}
    assert set(step["data"]) == {
        "id", "name", "label", "version", "type", "category", "inputs", "outputs",
    }  # fmt: skip
    definition = json.loads(files["nodes/step_0.definition.json"])
    assert set(definition) == {"baseClasses", "inputParams", "inputAnchors"}
    layout = json.loads(files["layout.json"])
    assert layout["viewport"] == {"x": 0, "y": 0, "zoom": 1}
    assert set(layout["nodes"]["step_0"]) == {"position", "positionAbsolute", "width", "height"}


def test_no_definition_no_file() -> None:
    files = flows.write_flow({"nodes": [{"id": "a", "data": {"id": "a"}}], "edges": []})
    assert "nodes/a.definition.json" not in files


def test_json_is_written_one_way() -> None:
    files = flows.write_flow(flow({"plain": "ü", "b": 1.0, "a": [], "c": {}}))
    assert (
        files["nodes/step_0.json"].decode()
        == """{
  "data": {
    "category": "Agent Flows",
    "id": "step_0",
    "inputs": {
      "a": [],
      "b": 1,
      "c": {},
      "plain": "ü"
    },
    "label": "Step",
    "name": "agentAgentflow",
    "outputs": {},
    "type": "Agent",
    "version": 1
  },
  "id": "step_0",
  "type": "customNode"
}
"""
    )
    assert all(of.endswith(b"\n") for path, of in files.items() if path.endswith(".json"))


def test_a_stored_flow() -> None:
    one = stored(flow({"plain": "x"}), deployed=True, chatbotConfig=None)
    files = flows.write_flow(one)
    found = about(files)
    assert {key: found[key] for key in ("id", "name", "type", "category")} == {
        "id": "1f2e3d4c-0000-4000-8000-000000000000",
        "name": "Helper",
        "type": "CHATFLOW",
        "category": None,
    }
    assert found["extra"] == {"deployed": True, "chatbotConfig": None}
    assert flows.read_flow(files, current=one).flow == one
    again = flows.read_flow(files).flow
    assert json.loads(again.pop("flowData")) == flow({"plain": "x"})
    assert again == {key: value for key, value in one.items() if key != "flowData"}


@pytest.mark.parametrize("keys", [(), ("id",), ("id", "name"), ("id", "type"), ("name", "type")])
def test_shapes_stay_also_without_the_flow_as_it_is_now(keys: tuple[str, ...]) -> None:
    named = {key: f"a {key}" for key in keys}
    export = {**named, **flow({"plain": "x"})}
    assert flows.read_flow(flows.write_flow(export)).flow == export
    kept = {**named, "flowData": json.dumps(flow({"plain": "x"}))}
    read = flows.read_flow(flows.write_flow(kept)).flow
    assert {**read, "flowData": json.loads(read["flowData"])} == {
        **named,
        "flowData": flow({"plain": "x"}),
    }


def test_other_keys_of_a_stored_canvas() -> None:
    one = stored({**flow({}), "description": "Bakes.", "usecases": ["Bread"]}, isPublic=False)
    files = flows.write_flow(one)
    assert about(files)["extra"] == {
        "isPublic": False,
        "flowData": {"description": "Bakes.", "usecases": ["Bread"]},
    }
    again = flows.read_flow(files).flow
    assert json.loads(again["flowData"])["description"] == "Bakes."
    assert "description" not in again


def test_a_bulk_export() -> None:
    first, second = stored(flow({"plain": "x"})), stored(flow({"plain": "y"}), id="other")
    bulk = {"ChatFlow": [first], "Tool": [{"name": "t"}], "AgentFlowV2": [second], "Variable": []}
    assert flows.split_bulk(bulk) == (first, second)
    assert flows.split_bulk(json.dumps(bulk)) == (first, second)
    assert flows.split_bulk([second]) == (second,)
    assert flows.split_bulk(first) == (first,)
    with pytest.raises(InvalidInput, match="several flows"):
        flows.write_flow(bulk)


@pytest.mark.parametrize(
    "value",
    ["{}", "[]", "3", '{"nodes": {}}', '{"flowData": "{}"}', '{"flowData": "x"}', "{", "NaN",
     '{"nodes": [3]}', '{"nodes": [], "edges": {}}', b"\xff", '{"nodes": [], "x": NaN}'],
)  # fmt: skip
def test_what_is_no_flow(value: str | bytes) -> None:
    with pytest.raises(InvalidInput):
        flows.write_flow(value)


@pytest.mark.parametrize("value", [{1: "x"}, {"a": {2: 3}}, {"a": float("nan")}, {"a": {1, 2}}])
def test_what_is_no_json(value: dict[str, Any]) -> None:
    for one in (flow(value), flow({}, tags=value), {**flow({}), "more": value}):
        with pytest.raises(InvalidInput):
            flows.write_flow(one)


def test_a_text_that_is_no_utf8_stays_in_the_node() -> None:
    one = flow({"prompt": "a\ud800\nb"})
    files = flows.write_flow(one)
    assert not any(path.startswith("prompts/") for path in files)
    assert flows.read_flow(files).flow == one


def test_selection_and_drag_state_is_not_written() -> None:
    one = flow({}, selected=True)
    one["nodes"][0] |= {"selected": True, "dragging": False}
    one["edges"] = [{"id": "e", "source": "a", "target": "b", "selected": True}]
    still = flow({})
    still["edges"] = [{"id": "e", "source": "a", "target": "b"}]
    assert flows.write_flow(one) == flows.write_flow(still)
    assert flows.read_flow(flows.write_flow(one), current=one).flow == still


def test_edges_are_sorted_and_keep_the_order_that_they_have_now() -> None:
    one = flow({})
    one["edges"] = [{"id": of, "n": at} for at, of in enumerate("cabb")]
    files = flows.write_flow(one)
    assert [edge["id"] for edge in json.loads(files["edges.json"])] == list("abbc")
    assert flows.read_flow(files, current=one).flow == one
    turned = {**one, "edges": one["edges"][::-1]}
    assert flows.write_flow(turned) == files


def test_chat_models() -> None:
    one = flow({"agentModel": "chatAnthropic", "agentModelConfig": {"modelName": "claude"}})
    model = node("chat_0", {"modelName": "gpt-4o"}, name="chatOpenAI", category="Chat Models")
    one["nodes"].append(model)
    assert about(flows.write_flow(one))["chatModels"] == [
        {"node": "step_0", "component": "chatAnthropic", "model": "claude"},
        {"node": "chat_0", "component": "chatOpenAI", "model": "gpt-4o"},
    ]


TEXTS: dict[str, tuple[dict[str, Any], dict[str, str]]] = {
    "rows": ({"prompt": "a"}, {"step_0.prompt": "a"}),
    "code": ({"code": "return 1\n"}, {"step_0.code": "return 1\n"}),
    "in arrays": (
        {"messages": [{"role": "user", "content": "a"}, {"role": "user", "content": "b\r\nc"}]},
        {"step_0.messages.0.content": "a", "step_0.messages.1.content": "b\r\nc"},
    ),
    "several lines, not declared": (
        {"agentTools": [{"agentSelectedToolConfig": {"description": "a\nb"}}]},
        {"step_0.agentTools.0.agentSelectedToolConfig.description": "a\nb"},
    ),
    "empty": ({"prompt": ""}, {}),
    "no text": ({"prompt": ["a"], "code": 3}, {"step_0.prompt.0": "a"}),
    "plain": ({"plain": "a\nb"}, {}),
    "in a literal": ({"x": {"$text": "a\nb"}}, {"step_0.x.$text": "a\nb"}),
}


@pytest.mark.parametrize("case", TEXTS)
def test_texts(case: str) -> None:
    inputs, texts = TEXTS[case]
    files = flows.write_flow(flow(inputs))
    prompts = {path: of for path, of in files.items() if path.startswith("prompts/")}
    if case == "in a literal":
        assert list(prompts.values()) == [b"a\nb"]
    else:
        assert prompts == {f"prompts/{stem}.md": of.encode() for stem, of in texts.items()}
    assert flows.read_flow(files).flow == flow(inputs) or case == "empty"


def test_names_of_texts_differ() -> None:
    inputs = {"a.b": "x\n", "a": {"b": "y\n"}, "A": {"b": "z\n"}, "x" * 300: "long\n", "/": "s\n"}
    one = {"nodes": [{"id": "n", "data": {"inputs": inputs}}], "edges": []}
    files = flows.write_flow(one)
    prompts = [path for path in files if path.startswith("prompts/")]
    assert len({path.casefold() for path in prompts}) == 5
    assert all(len(path) < 200 and path.count("/") == 1 for path in prompts)
    assert flows.read_flow(files).flow == one


MARKER_LIKE: list[Any] = [
    {"$text": "prompts/step_0.prompt.md"},
    {"$secret": True},
    {"$credential": None},
    {"$json": {"$literal": {"$text": 1}}},
    {"$literal": {"$secret": True}},
    [{"$literal": 3}],
]


@pytest.mark.parametrize("value", MARKER_LIKE)
def test_values_that_look_like_markers(value: Any) -> None:
    one = flow({"x": value, "prompt": "p"}, outputs=value, tags=value)
    one |= {"extra": value, "viewport": value, "edges": [{"id": "e", "data": value}]}
    files = flows.write_flow(one)
    assert flows.read_flow(files).flow == one
    assert flows.read_flow(files, current=one) == (one, ())
    assert inputs_of(flows.write_flow(flow({"x": {"$secret": True}})))["x"] == {
        "$literal": {"$secret": True}
    }


def test_json_text_stays_as_typed_where_nothing_is_hidden() -> None:
    text = '{ "a" : 1.0,\n "b": {"$text": 1} }'
    assert inputs_of(flows.write_flow(flow({"plain": text})))["plain"] == text


def test_json_text_comes_back_as_typed() -> None:
    text = '{ "password" : "hunter22", "n": 1.0 }'
    files = flows.write_flow(flow({"plain": text}))
    assert inputs_of(files)["plain"] == {
        "$json": {"n": 1, "password": {"$secret": True}},
    }
    assert flows.read_flow(files, current=flow({"plain": text})) == (flow({"plain": text}), ())
    changed = flow({"plain": '{"n": 2, "password": "hunter33"}'})
    read = flows.read_flow(files, current=changed)
    assert json.loads(read.flow["nodes"][0]["data"]["inputs"]["plain"]) == {
        "n": 1,
        "password": "hunter33",
    }
    read = flows.read_flow(files)
    assert json.loads(read.flow["nodes"][0]["data"]["inputs"]["plain"]) == {"n": 1}
    assert ("plain.password", Reason.SECRET) in {(of.input, of.reason) for of in read.unresolved}


def test_numbers_keep_their_value() -> None:
    digits = "0.1234567890123456789012345"
    text = json.dumps(flow({"a": "A", "b": "B", "c": 18446744073709551617, "d": 1.0, "e": -0.0}))
    text = text.replace('"A"', "1e400").replace('"B"', digits)
    files = flows.write_flow(text)
    inputs = files["nodes/step_0.json"].decode()
    assert digits in inputs
    assert "18446744073709551617" in inputs
    read = flows.read_flow(files)
    assert flows.write_flow(read.flow) == files
    assert str(read.flow["nodes"][0]["data"]["inputs"]["b"]) == digits
    # What a program wrote for a float is that float.
    long = flows.write_flow(text.replace(digits, "-90.372437481171687"))
    inputs_back = flows.read_flow(long).flow["nodes"][0]["data"]["inputs"]
    assert inputs_back["b"] == -90.372437481171687


@pytest.mark.parametrize(("version", "shown"), [("2", "2"), ('"1"', "1"), ("null", "null")])
def test_another_format_version(version: str, shown: str) -> None:
    files = flows.write_flow(flow({}))
    files["flow.json"] = files["flow.json"].replace(
        b'"formatVersion": 1', b'"formatVersion": ' + version.encode()
    )
    with pytest.raises(UnsupportedFormat) as caught:
        flows.read_flow(files)
    assert str(caught.value) == (
        f"flow.json has format version {shown}. This Cuttlely reads version 1."
    )


def test_files_that_are_not_as_they_are_written() -> None:
    files = flows.write_flow(flow({"prompt": "x"}))
    for path in ("flow.json", "nodes/step_0.json", "prompts/step_0.prompt.md"):
        missing = {name: of for name, of in files.items() if name != path}
        with pytest.raises(InvalidInput):
            flows.read_flow(missing)
        with pytest.raises(InvalidInput):
            flows.read_flow({**files, path: b"\xff"})
    for path in (of for of in files if of.endswith(".json")):
        with pytest.raises(InvalidInput, match="json"):
            flows.read_flow({**files, path: b'"x"'})


def test_the_flow_given_is_not_changed_nor_shared() -> None:
    one = flow({"config": {"list": [1]}, "prompt": "x"})
    before = json.dumps(one)
    read = flows.read_flow(flows.write_flow(one), current=one)
    read.flow["nodes"][0]["data"]["inputs"]["config"]["list"].append(2)
    read.flow["nodes"][0]["data"]["inputParams"].clear()
    assert json.dumps(one) == before
