"""Whatever the depth: a clear error."""

from __future__ import annotations

import json
from typing import Any

import pytest

from flows.builders import flow
from versiondiff import flows
from versiondiff.errors import LimitExceeded

DEEP = 100_000


def text(inputs: str = "{}", params: str = "[]", more: str = "null") -> str:
    data = f'{{"inputs": {inputs}, "inputParams": {params}}}'
    return f'{{"nodes": [{{"id": "a", "data": {data}}}], "edges": [], "more": {more}}}'


def lists(depth: int) -> str:
    return "[" * depth + "]" * depth


def objects(depth: int) -> str:
    return '{"a":' * depth + "1" + "}" * depth


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = {"a": value}
    return value


@pytest.mark.parametrize(
    "content",
    [
        text(inputs=f'{{"a": {lists(DEEP)}}}'),
        text(inputs=f'{{"a": {objects(DEEP)}}}'),
        text(inputs=f'{{"a": {objects(300)}}}'),
        text(inputs=f'{{"a": {json.dumps(lists(DEEP))}}}'),
        text(params=lists(DEEP)),
        text(more=objects(DEEP)),
    ],
    ids=["lists", "objects", "too deep", "JSON text", "definition", "other keys"],
)
def test_texts(content: str) -> None:
    with pytest.raises(LimitExceeded, match="deep"):
        flows.write_flow(content)
    with pytest.raises(LimitExceeded, match="deep"):
        flows.read_flow(flows.write_flow(flow({})), current=content)


def test_values() -> None:
    for value in (
        flow({"a": nested(DEEP)}),
        flow({}, inputParams=nested(DEEP)),
        {**flow({}), "more": nested(DEEP)},
    ):
        with pytest.raises(LimitExceeded, match="deep"):
            flows.write_flow(value)


def test_files() -> None:
    for path in ("nodes/step_0.json", "edges.json", "layout.json", "flow.json"):
        files = flows.write_flow(flow({}))
        with pytest.raises(LimitExceeded, match="deep"):
            flows.read_flow({**files, path: objects(DEEP).encode()})


def test_what_is_deep_and_still_read() -> None:
    one = flow({"a": nested(150), "b": json.dumps(nested(100))})
    files = flows.write_flow(one)
    assert flows.read_flow(files).flow == one
    assert flows.read_flow(files, current=one) == (one, ())
