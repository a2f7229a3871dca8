"""A flow as files: what a save takes without git.

    python -m pytest benches/test_flows.py -s

Real flows stand in `data/flowise` where VERSIONDIFF_FLOWISE says; without it they are made up.
"""

from __future__ import annotations

import copy
import json
import os
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

import planted
from side_by_side import measure
from versiondiff import flows

if TYPE_CHECKING:
    from collections.abc import Callable

    from table import Table

MOST: Final = 3e-3
"""Seconds for a flow of 100 kB."""
SIZE: Final = 100_000
CALLS: Final = 10
CREDENTIALS: Final = {
    f"6b1f2a52-9f0e-4c3a-8a4e-1d2c3b4a5f{number:02}": flows.Credential(
        name=f"Key {number}", credential_name="openAIApi"
    )
    for number in range(30)
}

Flow = dict[str, Any]


def _node(at: int, chance: random.Random) -> Flow:
    def sentence(length: int) -> str:
        return " ".join(f"{chance.getrandbits(24):x}" for _ in range(length))

    return {
        "id": f"llm_{at}",
        "type": "customNode",
        "width": 300,
        "height": 143 + at,
        "position": {"x": 10.5 * at, "y": chance.random() * 1000},
        "positionAbsolute": {"x": 10.5 * at, "y": chance.random() * 1000},
        "data": {
            "id": f"llm_{at}",
            "label": f"Model {at}",
            "version": 5,
            "name": "llm",
            "baseClasses": ["Chain", "LLM"],
            "category": "Chains",
            "description": sentence(14),
            "inputParams": [
                {
                    "label": f"Input {index}",
                    "name": f"in{index}",
                    "type": "string",
                    **({"rows": 4} if index < 2 else {}),
                    "optional": True,
                    "description": sentence(12),
                    "id": f"llm_{at}-input-in{index}-string",
                }
                for index in range(9)
            ],
            "inputAnchors": [],
            "inputs": {
                f"in{index}": f"{sentence(40)}\n{sentence(40)}" if index < 2 else sentence(2)
                for index in range(9)
            },
            "outputs": {},
            "selected": False,
        },
        "selected": False,
    }


def flow() -> Flow:
    """A flow of 100 kB, or somewhat more, as JSON without spaces."""
    folder = os.environ.get("VERSIONDIFF_FLOWISE")
    whole: Flow = {"nodes": [], "edges": [], "viewport": {"x": 0, "y": 0, "zoom": 1}}
    if folder:
        paths = sorted(Path(folder).rglob("*.json"), key=lambda path: path.stat().st_size)
        real = [json.loads(path.read_bytes()) for path in reversed(paths)]
        nodes = [node for of in real if isinstance(of, dict) for node in of.get("nodes", [])]
    else:
        chance = random.Random(3)
        nodes = [_node(at, chance) for at in range(60)]
    while len(_text(whole)) < SIZE:
        at = len(whole["nodes"])
        node = nodes[at] | {"id": f"node_{at}"}
        whole["nodes"].append(node | {"data": node["data"] | {"id": f"node_{at}"}})
        edge = {"id": f"{at}", "source": f"node_{at - 1}", "target": f"node_{at}", "type": "button"}
        whole["edges"].append(edge)
    return whole


def _text(value: Flow) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def _export(flow: Flow) -> str:
    """As the editor writes it."""
    return json.dumps(flow, indent=2, ensure_ascii=False)


def _stored(flow: Flow) -> str:
    """As the service keeps it."""
    about = {"id": "1f2e3d4c-0000-4000-8000-000000000000", "name": "Flow", "type": "CHATFLOW"}
    return _text({**about, "flowData": _text(flow)})


SHAPES: Final[dict[str, Callable[[Flow], str]]] = {
    "export": _export,
    "stored": _stored,
}


def _with_each(change: Callable[[int, Flow], None], shape: Callable[[Flow], str]) -> bytes:
    """The flow with a change of each node's data, cut to 100 kB."""
    changed = copy.deepcopy(flow())
    for at, node in enumerate(changed["nodes"]):
        change(at, node["data"])
    while len(text := shape(changed)) > SIZE:
        changed["nodes"].pop()
    return text.encode()


def _secret_in_definition(at: int, data: Flow) -> None:
    if not at:
        data["inputParams"][0]["description"] = f"Use {planted.github_token(at)} here."


def _secret_in_prompts(at: int, data: Flow) -> None:
    texts = [key for key, value in data["inputs"].items() if isinstance(value, str) and value]
    for key in texts[:2]:
        data["inputs"][key] += f"\nUse {planted.github_token(at)} here."


def _json_texts(at: int, data: Flow) -> None:
    if at % 3:
        return
    rows = [{"number": number, "text": "some words", "more": None} for number in range(8)]
    data["inputs"]["rows"] = json.dumps(rows)
    data["inputs"]["headers"] = json.dumps({"Authorization": planted.drawn(30, seed=at)})


def _configurations(at: int, data: Flow) -> None:
    if at >= len(CREDENTIALS) / 2:
        return
    ids = list(CREDENTIALS)
    data["inputs"]["agentTools"] = [
        {
            "agentSelectedTool": "request",
            "agentSelectedToolConfig": {
                "modelName": "some-model",
                "temperature": 0.5,
                "FLOWISE_CREDENTIAL_ID": ids[at * 2 + number],
                "headers": {"Authorization": f"Bearer {planted.drawn(30, seed=number)}"},
                "url": "https://example.org/api",
            },
        }
        for number in range(2)
    ]


CASES: Final[dict[str, Callable[[int, Flow], None]]] = {
    "plain": lambda _at, _data: None,
    "a secret in a definition": _secret_in_definition,
    "a secret in every prompt": _secret_in_prompts,
    "JSON texts with secrets": _json_texts,
    "30 credentials in configurations": _configurations,
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", CASES)
def test_a_flow_is_written_in_no_time(kind: str, shape: str, table: Table) -> None:
    text = _with_each(CASES[kind], SHAPES[shape])
    assert len(text) >= SIZE * 0.9
    written = flows.write_flow_files(text, credentials=CREDENTIALS)
    # What is measured is what was to be measured.
    assert (sum(of.count for of in written.hidden) > 0) == (kind != "plain")

    def write() -> None:
        for _ in range(CALLS):
            flows.write_flow(text, credentials=CREDENTIALS)

    taken = measure({"write": write}, turns=9)["write"].cpu / CALLS
    table.at_most(f"a flow of 100 kB to files, {shape}, {kind}", taken * 1e3, MOST * 1e3, "ms")
