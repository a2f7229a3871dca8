"""Flows as folders of files, written by the layout's description alone.

Small on purpose: nothing is hidden, credentials keep their id as their name, and texts of several
lines get a file each. It is what the records of folders are held against, so it shares no code
with what writes such folders for good.
"""

from __future__ import annotations

import json
from typing import Any, Final

FOLDER: Final = "flows/bakery-helper--1f2e3d4c"
"""Where the bakery's flow is."""
LAYOUT = ("position", "positionAbsolute", "width", "height")
STATE = ("selected", "dragging")
DATA = ("id", "name", "label", "version", "type", "category", "inputs", "outputs", "credential")
CREDENTIALS = ("credential", "FLOWISE_CREDENTIAL_ID")
MARKERS = ("$text", "$credential", "$secret", "$json", "$literal")


def written(flow: dict[str, Any], folder: str, *, id: str, name: str) -> dict[str, bytes]:
    """The files of an export, by their paths from the root."""
    files: dict[str, Any] = {}
    entries, layout = [], {}
    ids = [str(node.get("id") or "") for node in flow["nodes"]]
    for at, (node, node_id) in enumerate(zip(flow["nodes"], ids, strict=True)):
        # Ids that can't be the name of a file, or are shared, are told apart by their order.
        is_plain = node_id.replace("_", "").isalnum() and ids.count(node_id) == 1
        stem = node_id if is_plain else f"node~{at}"
        data = node.get("data", {})
        kept = {key: value for key, value in data.items() if key in DATA}
        rest = {key: value for key, value in data.items() if key not in (*DATA, *STATE)}
        entry = {key: value for key, value in node.items() if key not in (*LAYOUT, *STATE)}
        if "data" in node:
            entry["data"] = marked(kept, stem, (), files)
        path = f"nodes/{stem}.json"
        files[path] = entry
        if rest:
            files[f"nodes/{stem}.definition.json"] = rest
        entries.append({"id": node.get("id"), "file": path})
        place = {key: value for key, value in node.items() if key in LAYOUT}
        layout[stem] = place
    files["edges.json"] = sorted(flow["edges"], key=lambda edge: str(edge.get("id")))
    files["layout.json"] = {"nodes": layout, "viewport": flow.get("viewport")}
    about = {key: flow[key] for key in ("type", "category") if key in flow}
    known = ("nodes", "edges", "viewport", "id", "name", "type", "category")
    extra = {key: value for key, value in flow.items() if key not in known}
    files["flow.json"] = about | {
        "formatVersion": 1,
        "id": id,
        "name": name,
        "nodes": entries,
        "credentials": [],
        "extra": extra,
    }
    return {f"{folder}/{path}": encoded(content) for path, content in files.items()}


def encoded(content: Any) -> bytes:
    if isinstance(content, str):
        return content.encode()
    text = json.dumps(content, ensure_ascii=False, indent=2, sort_keys=True)
    return f"{text}\n".encode()


def marked(value: Any, stem: str, path: tuple[str, ...], files: dict[str, Any]) -> Any:
    """A value of a node's data with its credentials and texts marked."""
    if isinstance(value, dict):
        of = {key: marked(item, stem, (*path, key), files) for key, item in value.items()}
        return {"$literal": of} if len(of) == 1 and next(iter(of)) in MARKERS else of
    if isinstance(value, list):
        return [marked(item, stem, (*path, str(at)), files) for at, item in enumerate(value)]
    if isinstance(value, str) and value and path[-1] in CREDENTIALS:
        return {"$credential": {"name": value, "credentialName": "made up"}}
    if isinstance(value, str) and "\n" in value and path[0] == "inputs":
        file = f"prompts/{stem}.{'.'.join(path[1:])}.md".replace("~", "_")
        files[file] = value
        return {"$text": file}
    return value


def bakery(
    prompt: str = "You bake bread.\nBe kind.\n",
    *,
    name: str = "Bakery helper",
    label: str = "Conversation Chain",
    folder: str = FOLDER,
    version: int = 2,
    credential: str = "OpenAI main",
    model: str = "chatOpenAI_0",
) -> dict[str, bytes]:
    """A repository with one flow, in which a model feeds a chain that has a prompt."""

    def node(id: str, label: str, inputs: dict[str, Any], **more: Any) -> dict[str, Any]:
        data = {"id": id, "name": id[:-2], "label": label, "inputs": inputs, "outputs": {}} | more
        return {"id": id, "type": "customNode", "position": {"x": 0, "y": 0}, "data": data}

    flow = {
        "type": "CHATFLOW",
        "nodes": [
            node("chatOpenAI_0", "ChatOpenAI", {"temperature": 0.9}, version=version,
                 inputParams=[{"name": "temperature", "default": 0.9, "since": version}],
                 credential=credential),
            node("chatOllama_0", "ChatOllama", {}, version=1),
            node("conversationChain_0", label, {"systemMessagePrompt": prompt}, version=3,
                 inputParams=[{"name": "systemMessagePrompt", "label": "System Message",
                               "type": "string", "rows": 4}],
                 inputAnchors=[{"name": "model", "label": "Chat Model"}]),
        ],
        "edges": [
            {
                "id": f"{model}-conversationChain_0",
                "source": model,
                "sourceHandle": f"{model}-output-{model[:-2]}-BaseChatModel",
                "target": "conversationChain_0",
                "targetHandle": "conversationChain_0-input-model-BaseChatModel",
            }
        ],
    }  # fmt: skip
    return {"README.md": b"Versions\n"} | written(flow, folder, id="1f2e3d4c-77aa", name=name)
