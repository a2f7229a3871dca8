"""Small flows for tests, and secrets of every kind that has a rule."""

from __future__ import annotations

import copy
import json
import string
from typing import Any

import planted
from planted import drawn

Flow = dict[str, Any]

PARAMETERS: list[dict[str, Any]] = [
    {"name": "prompt", "label": "Prompt", "type": "string", "rows": 4},
    {"name": "plain", "label": "Plain", "type": "string"},
    {"name": "code", "label": "Code", "type": "code"},
    {"name": "secretPin", "label": "Pin", "type": "password"},
    {"name": "document", "label": "Document", "type": "file"},
    {"name": "place", "label": "Place", "type": "folder"},
    {
        "name": "messages",
        "label": "Messages",
        "type": "array",
        "array": [
            {"name": "role", "label": "Role", "type": "options"},
            {"name": "content", "label": "Content", "type": "string", "rows": 4},
            {"name": "attachment", "label": "Attachment", "type": "file"},
        ],
    },
    {
        "name": "credential",
        "label": "Connect Credential",
        "type": "credential",
        "credentialNames": ["openAIApi"],
    },
]


def node(node_id: str, inputs: dict[str, Any], **data: Any) -> dict[str, Any]:
    return {
        "id": node_id,
        "type": "customNode",
        "position": {"x": 1, "y": 2.5},
        "positionAbsolute": {"x": 1, "y": 2.5},
        "width": 300,
        "height": 100,
        "data": {
            "id": node_id,
            "label": "Step",
            "name": "agentAgentflow",
            "version": 1,
            "type": "Agent",
            "category": "Agent Flows",
            "baseClasses": ["Agent"],
            "inputParams": copy.deepcopy(PARAMETERS),
            "inputAnchors": [],
            "inputs": inputs,
            "outputs": {},
            **data,
        },
    }


def flow(inputs: dict[str, Any], **data: Any) -> Flow:
    """A flow of one node, `step_0`."""
    return {
        "nodes": [node("step_0", inputs, **data)],
        "edges": [],
        "viewport": {"x": 0, "y": 0, "zoom": 1},
    }


def stored(export: Flow, **about: Any) -> Flow:
    named = {
        "id": "1f2e3d4c-0000-4000-8000-000000000000",
        "name": "Helper",
        "type": "CHATFLOW",
        "category": None,
    }
    return {**named, "flowData": json.dumps(export), **about}


def inputs_of(files: dict[str, bytes], stem: str = "step_0") -> dict[str, Any]:
    inputs: dict[str, Any] = json.loads(files[f"nodes/{stem}.json"])["data"]["inputs"]
    return inputs


def without_state(export: Flow) -> Flow:
    """A flow without what is selected or dragged."""
    bare = copy.deepcopy(export)
    for step in bare["nodes"]:
        for key in ("selected", "dragging"):
            step.pop(key, None)
        step["data"].pop("selected", None)
    for edge in bare.get("edges", []):
        edge.pop("selected", None)
    return bare


def secrets() -> dict[str, str]:
    """A secret for each of many built-in rules, by the rule's name."""
    digits = string.digits
    base32 = string.ascii_uppercase + "234567"
    parts = [drawn(length, seed=9) for length in (36, 60, 43)]
    return {
        "github-token": planted.github_token(1),
        "private-key": planted.private_key(2),
        "openai-key": "sk" + "-proj-" + drawn(48, seed=3),
        "anthropic-key": "sk" + "-ant-api03-" + drawn(93, seed=4) + "AA",
        "xai-key": "xa" + "i-" + drawn(80, seed=5),
        "aws-access-key-id": "AK" + "IA" + drawn(16, seed=6, alphabet=base32),
        "postgres-url": "postgres" + "ql://bob:" + drawn(14, seed=7) + "@db.corp.net/x",
        "slack-token": "xo"
        + "xb-"
        + "-".join([drawn(12, seed=8, alphabet=digits), drawn(24, seed=8)]),
        "groq-key": "gs" + "k_" + drawn(52, seed=10),
        "hugging-face-token": "hf" + "_" + drawn(34, seed=11, alphabet=string.ascii_letters),
        "google-api-key": "AI" + "za" + drawn(35, seed=12),
        "stripe-key": "sk" + "_live_" + drawn(24, seed=13),
        "gitlab-token": "gl" + "pat-" + drawn(20, seed=14),
        "npm-token": "np" + "m_" + drawn(36, seed=15),
        "sendgrid-key": "SG" + "." + drawn(22, seed=16) + "." + drawn(43, seed=17),
        "jwt": ".".join(["ey" + "J" + parts[0], "ey" + "J" + parts[1], parts[2]]),
        "database-url": "mongodb" + "://bob:" + drawn(14, seed=18) + "@db.corp.net/x",
    }
