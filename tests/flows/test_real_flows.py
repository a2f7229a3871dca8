"""Every version of a real history of flows; skipped where it is not there."""

from __future__ import annotations

import json
import re
import time
from itertools import pairwise
from typing import Any

import pytest

from flows.builders import Flow, without_state
from real import flowise_history
from versiondiff import flows
from versiondiff.flows import Reason


@pytest.fixture(scope="module")
def versions() -> list[bytes]:
    if not flowise_history.DATA.exists():
        pytest.skip("shared/data/flowise is not beside this checkout")
    contents = {row.content: None for row in flowise_history.rows() if row.content is not None}
    return [of for of in contents if "nodes" in json.loads(of)]


def test_all_come_back(versions: list[bytes]) -> None:
    assert len(versions) > 400
    for content in versions:
        one = json.loads(content)
        written = flows.write_flow_files(content)
        assert written.hidden == ()
        assert flows.read_flow(written.files, current=content) == (without_state(one), ())
        without = flows.read_flow(written.files)
        assert {of.reason for of in without.unresolved} <= {Reason.NEVER_WRITTEN}
        assert flows.write_flow(without.flow) == written.files
        assert flows.write_flow(one) == written.files


def test_the_version_before_over_the_one_after(versions: list[bytes]) -> None:
    for old, new in pairwise(versions):
        read = flows.read_flow(flows.write_flow(old), current=new)
        text = json.dumps(read.flow)
        assert not re.search(r'"\$(text|secret|credential|json|literal)"', text)
        assert flows.write_flow(read.flow) == flows.write_flow(old)


def places_of_texts(files: dict[str, bytes]) -> list[str]:
    return [path for path in files if path.startswith("prompts/")]


def edited(value: Any, old: str, new: str) -> Any:
    if isinstance(value, dict):
        return {key: edited(of, old, new) for key, of in value.items()}
    if isinstance(value, list):
        return [edited(of, old, new) for of in value]
    return new if value == old else value


def test_an_edit_of_a_word_is_a_change_of_a_line(versions: list[bytes]) -> None:
    seen = 0
    for content in versions[::7]:
        one: Flow = json.loads(content)
        before = flows.write_flow(one)
        for path in places_of_texts(before):
            text = before[path].decode()
            words = list(re.finditer(r"[A-Za-z]{3,}", text))
            if not words or repr(one).count(repr(text)) > 1:
                continue
            word = words[len(words) // 2]
            changed = text[: word.start()] + "sourdough" + text[word.end() :]
            inputs = [node["data"]["inputs"] for node in one["nodes"]]
            for node, new in zip(one["nodes"], edited(inputs, text, changed), strict=True):
                node["data"]["inputs"] = new
            after = flows.write_flow(one)
            assert [of for of in {**before, **after} if before.get(of) != after.get(of)] == [path]
            lines = zip(text.split("\n"), after[path].decode().split("\n"), strict=True)
            assert sum(old != new for old, new in lines) == 1
            before = after
            seen += 1
    assert seen > 100


def test_quick(versions: list[bytes]) -> None:
    """A large flow is written in some milliseconds; the bound leaves room for a busy machine."""
    large = max(versions, key=len)
    flows.write_flow(large)
    took = []
    for _ in range(5):
        start = time.perf_counter()
        flows.write_flow(large)
        took.append(time.perf_counter() - start)
    assert min(took) < 0.15
