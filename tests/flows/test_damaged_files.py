"""Files and flows in which anything may stand anywhere: an error of ours, or a flow."""

from __future__ import annotations

import contextlib
import copy
import json
import random
from typing import Any

import pytest

from flows.builders import flow, node
from versiondiff import flows
from versiondiff.errors import VersionDiffError
from versiondiff.flows import Credential

ANYTHING: list[Any] = [
    None, 1, 1e5, "x", True, [], {}, [1], {"a": 1}, "[secret hidden]", {"$text": 1},
    {"$text": "prompts/x"}, {"$secret": False}, {"$credential": 3}, {"$credential": {"name": [1]}},
    {"$json": None}, {"$literal": 3}, {"$literal": {"a": 1, "b": 2}},
]  # fmt: skip
ID = "6b1f2a52-9f0e-4c3a-8a4e-1d2c3b4a5f60"
KNOWN = {ID: Credential(name="Main", credential_name="openAIApi")}


def whole() -> dict[str, Any]:
    inputs = {
        "prompt": "a\nb",
        "messages": [{"role": "user", "content": "c"}],
        "headers": {"Authorization": "hunter22"},
        "plain": '{"apiKey": "hunter22"}',
        "x": {"$text": 1},
    }
    one = {"nodes": [node("a", inputs, credential=ID), node("b", {})], "description": "d"}
    return {**flow({}), **one, "edges": [{"id": "e", "source": "a", "target": "b"}], "id": "f"}


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    members: Any = ()
    if isinstance(value, dict):
        members = value.items()
    elif isinstance(value, list):
        members = enumerate(value)
    return [path, *(of for step, item in members for of in places(item, (*path, step)))]


def damaged(value: Any, chance: random.Random) -> Any:
    value = copy.deepcopy(value)
    path = chance.choice(places(value))
    new = copy.deepcopy(chance.choice(ANYTHING))
    if not path:
        return new
    holder = value
    for step in path[:-1]:
        holder = holder[step]
    if chance.random() < 0.2:
        del holder[path[-1]]
    else:
        holder[path[-1]] = new
    return value


@pytest.mark.parametrize("seed", range(4))
def test_damaged_files(seed: int) -> None:
    chance = random.Random(seed)
    current = whole()
    base = flows.write_flow(current, credentials=KNOWN)
    paths = [path for path in base if path.endswith(".json")]
    for _ in range(150):
        path = chance.choice(paths)
        content = json.dumps(damaged(json.loads(base[path]), chance)).encode()
        for now in (current, None):
            with contextlib.suppress(VersionDiffError):
                read = flows.read_flow({**base, path: content}, current=now, credentials=KNOWN)
                flows.write_flow(read.flow)


@pytest.mark.parametrize("seed", range(4))
def test_damaged_flows(seed: int) -> None:
    chance = random.Random(seed)
    current = whole()
    base = flows.write_flow(current)
    for _ in range(100):
        one = damaged(current, chance)
        with contextlib.suppress(VersionDiffError):
            files = flows.write_flow(one)
            assert flows.read_flow(files, current=one) == (one, ())
            flows.read_flow(files, current=current)
            flows.read_flow(base, current=one)
