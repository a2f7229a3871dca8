"""What holds for every flow."""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import planted
from flows.builders import PARAMETERS, Flow, node, stored, without_state
from versiondiff import flows

NAMES = st.sampled_from(
    ["prompt", "plain", "code", "secretPin", "document", "messages", "credential", "headers",
     "agentModelConfig", "agentTools", "folderPath", "basePath", "apiKey", "undefined",
     "FLOWISE_CREDENTIAL_ID", "key", "value", "content", "$text", "$secret", "$literal", "$json"]
)  # fmt: skip
TEXTS = st.one_of(
    st.text(max_size=12),
    st.sampled_from(
        [
            "",
            "a\nb",
            "[secret hidden]",
            "x [secret hidden] y",
            "{{ $vars.key }}",
            "data:a/b;base64,QUJD",
            "FILE-STORAGE::a.pdf",
            '{"apiKey": "hunter22"}',
            '{"a": [1.0, {"token": "hunter22"}]}',
            "6b1f2a52-9f0e-4c3a-8a4e-1d2c3b4a5f60",
            f"use {planted.github_token(1)}",
            planted.github_token(2),
            planted.private_key(3),
        ]
    ),
)
SCALARS = st.one_of(
    TEXTS,
    st.booleans(),
    st.none(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(NAMES | TEXTS, inner, max_size=3)
    ),
    max_leaves=8,
)
NODES = st.builds(
    lambda of, inputs, more, label: {**node(of, inputs, label=label, **more), "selected": True},
    st.sampled_from(["a", "A", "b", "chatOpenAI_0", "..", ""]),
    st.dictionaries(NAMES, VALUES, max_size=4),
    st.dictionaries(st.sampled_from(["credential", "tags", "outputs", "x"]), VALUES, max_size=2),
    TEXTS,
)
EDGES = st.lists(
    st.fixed_dictionaries({"id": st.sampled_from(["e", "f", ""]), "data": VALUES}), max_size=3
)
FLOWS = st.builds(
    lambda nodes, edges, more: {"nodes": nodes, "edges": edges, **more},
    st.lists(NODES, max_size=3),
    EDGES,
    st.dictionaries(
        st.sampled_from(["viewport", "description", "extra", "name"]), VALUES, max_size=2
    ),
)


@settings(max_examples=100, deadline=None)
@given(FLOWS)
def test_every_flow_comes_back(one: Flow) -> None:
    before = copy.deepcopy(one)
    written = flows.write_flow_files(one)
    assert one == before
    read = flows.read_flow(written.files, current=one)
    assert read == (without_state(one), ())
    text = json.dumps(one)
    assert flows.write_flow(text) == written.files
    whole = stored(one)
    assert flows.read_flow(flows.write_flow(whole), current=whole).unresolved == ()
    assert flows.scan_files(written.files) == ()


def turned(value: Any) -> Any:
    """The same with the members of all objects in another order."""
    if isinstance(value, dict):
        return {key: turned(of) for key, of in reversed(value.items())}
    return [turned(of) for of in value] if isinstance(value, list) else value


@settings(max_examples=80, deadline=None)
@given(FLOWS)
def test_the_order_of_keys_and_edges_means_nothing(one: Flow) -> None:
    other = turned(one)
    other["edges"].reverse()
    assert flows.write_flow(other) == flows.write_flow(one)


@settings(max_examples=80, deadline=None)
@given(FLOWS)
def test_without_the_flow_as_it_is_now(one: Flow) -> None:
    files = flows.write_flow(one)
    read = flows.read_flow(files)
    again = flows.write_flow(read.flow)
    if not read.unresolved:
        assert again == files
    # What is left out stays out, and what is there is not made anything else.
    last = flows.read_flow(again).flow
    # Edges of one id are sorted by what they hold.
    for value in (last, read.flow):
        value["edges"].sort(key=lambda edge: json.dumps(edge, sort_keys=True, default=str))
    assert last == read.flow


def test_the_parameters_are_those_of_real_flows() -> None:
    assert {of["type"] for of in PARAMETERS} >= {"string", "code", "password", "file", "array"}
