"""Flows, and histories of them, for these tests."""

from __future__ import annotations

import json
from typing import Any

from versiondiff.flows.history import Person

MIKA = Person(name="Mika Sato", id="42")
NOW = 1_793_787_120
BAKERY = "1f2e3d4c-0000-4000-8000-000000000001"


def node(id: str, label: str, **inputs: Any) -> dict[str, Any]:
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
                {
                    "label": "System Message",
                    "name": "systemMessagePrompt",
                    "type": "string",
                    "rows": 4,
                },
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
    more: tuple[dict[str, Any], ...] = (),
) -> dict[str, Any]:
    nodes = [
        node("conversationChain_0", "Conversation Chain", systemMessagePrompt=prompt),
        *more,
    ]
    return {
        "id": id,
        "name": name,
        "type": "CHATFLOW",
        "flowData": json.dumps({"nodes": nodes, "edges": []}),
    }
