"""Flows, and histories of them, for these tests."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from oracle.repositories import Git
from versiondiff.flows.history import FlowHistory, Person

if TYPE_CHECKING:
    from pathlib import Path

    from versiondiff.backends import Backend

MIKA = Person(name="Mika Sato", id="42")
NOW = 1_793_787_120
BAKERY = "1f2e3d4c-0000-4000-8000-000000000001"


def node(id: str, label: str, **inputs: Any) -> dict[str, Any]:
    system = {"label": "System Message", "name": "systemMessagePrompt", "type": "string", "rows": 4}
    return {
        "id": id,
        "type": "customNode",
        "position": {"x": 0, "y": 0},
        "data": {
            "id": id,
            "label": label,
            "name": id.partition("_")[0],
            "version": 1,
            "inputParams": [
                system,
                {"label": "Temperature", "name": "temperature", "type": "number"},
            ],
            "inputAnchors": [],
            "inputs": inputs,
            "outputs": {},
        },
    }


def flow(
    prompt: str = "You help a baker.",
    *,
    id: str = BAKERY,
    name: str = "Bakery helper",
    label: str = "Conversation Chain",
    more: tuple[dict[str, Any], ...] = (),
) -> dict[str, Any]:
    nodes = [node("conversationChain_0", label, systemMessagePrompt=prompt), *more]
    data = json.dumps({"nodes": nodes, "edges": []})
    return {"id": id, "name": name, "type": "CHATFLOW", "flowData": data}


def prompt_of(read: Any) -> str:
    nodes = json.loads(read["flowData"])["nodes"]
    prompt: str = nodes[0]["data"]["inputs"]["systemMessagePrompt"]
    return prompt


def history(path: Path, *, bare: bool = True, backend: Backend = "auto") -> FlowHistory:
    return FlowHistory.create(path, time=NOW, bare=bare, backend=backend)


def check_whole(made: FlowHistory) -> None:
    """Git finds nothing wrong, and a working tree is as the newest version says."""
    git = Git(made.path)
    git.run("fsck", "--strict", "--no-dangling")
    assert git.text("symbolic-ref", "HEAD") == "refs/heads/main"
    if not made.is_bare:
        assert git.text("status", "--porcelain", "--ignored") == ""


def trailers(git: Git, revision: str = "main") -> list[str]:
    """The trailers of a version, as git reads them."""
    message = git.run("log", "-1", "--format=%B", revision)
    return git.text("interpret-trailers", "--parse", stdin=message).splitlines()


def subjects(git: Git) -> list[str]:
    """Those of all versions, the newest first."""
    return git.text("log", "--format=%s", "main").splitlines()
