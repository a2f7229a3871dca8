"""A secret that is the key of a member: nothing of it is written, wherever that stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from flows.builders import Flow, flow
from planted import github_token
from versiondiff import SecretFound, flows

if TYPE_CHECKING:
    from collections.abc import Callable

TOKEN = github_token(7)

HIDDEN: dict[str, Callable[[Flow], Flow]] = {
    "the flow": lambda of: of,
    "a node's data": lambda of: of["nodes"][0]["data"],
    "inputs": lambda of: of["nodes"][0]["data"]["inputs"],
    "an input": lambda of: of["nodes"][0]["data"]["inputs"].setdefault("headers", {}),
    "the viewport": lambda of: of.setdefault("viewport", {}),
}
REFUSED: dict[str, Callable[[Flow], Flow]] = {
    "a node": lambda of: of["nodes"][0],
    "an edge": lambda of: of["edges"][0],
}


@pytest.mark.parametrize("place", HIDDEN)
def test_a_key_that_is_a_secret_is_left_out_and_comes_back(place: str) -> None:
    given = flow({"prompt": "Hello."})
    HIDDEN[place](given)[TOKEN] = "x"
    written = flows.write_flow_files(given)
    assert all(TOKEN.encode() not in content for content in written.files.values())
    assert sum(of.count for of in written.hidden) == 1
    assert flows.read_flow(written.files, current=given).flow == given


@pytest.mark.parametrize("place", REFUSED)
def test_where_nothing_can_stand_in_its_place_it_is_refused(place: str) -> None:
    given = flow({"prompt": "Hello."})
    given["edges"].append({"id": "e", "source": "step_0", "target": "step_0"})
    REFUSED[place](given)[TOKEN] = "x"
    with pytest.raises(SecretFound) as refused:
        flows.write_flow_files(given)
    assert str(refused.value) == (
        f"flow: a key of {place} holds what looks secret, and can't be hidden"
    )
