"""Stand-in until the part that writes flows as files is there."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from versiondiff import secrets

Credential = Any


class ReadFlow(NamedTuple):
    flow: Any
    unresolved: tuple[Any, ...] = ()


class _Found(NamedTuple):
    path: str
    rule: str


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n").encode()


def write_flow(flow: Any, *, credentials: Any = None, rules: Any = None) -> dict[str, bytes]:
    if isinstance(flow, bytes | str):
        flow = json.loads(flow)
    content = json.loads(flow["flowData"]) if "flowData" in flow else flow
    files: dict[str, bytes] = {}
    nodes = []
    for node in content["nodes"]:
        data = dict(node["data"])
        definition = {k: data.pop(k) for k in ("inputParams", "inputAnchors") if k in data}
        stem = f"nodes/{node['id']}"
        inputs = dict(data.get("inputs", {}))
        for param in definition.get("inputParams", ()):
            if "rows" in param and isinstance(inputs.get(param["name"]), str):
                path = f"prompts/{node['id']}.{param['name']}.md"
                files[path] = inputs[param["name"]].encode()
                inputs[param["name"]] = {"$text": path}
        data["inputs"] = inputs
        files[stem + ".json"] = _json({"id": node["id"], "data": data})
        files[stem + ".definition.json"] = _json(definition)
        nodes.append({"id": node["id"], "file": stem + ".json"})
    head = {"formatVersion": 1, "id": flow["id"], "name": flow.get("name", ""), "nodes": nodes}
    if "hidden" in flow:
        head["hidden"] = flow["hidden"]
    files["flow.json"] = _json(head)
    files["edges.json"] = _json(content.get("edges", []))
    return files


class FlowFiles(NamedTuple):
    """What is written."""

    files: dict[str, bytes]
    hidden_in_text: int = 0


def write_flow_files(flow: Any, *, credentials: Any = None, rules: Any = None) -> FlowFiles:
    """Stand-in."""
    files = write_flow(flow)
    return FlowFiles(files, sum(content.count(b"[secret hidden]") for content in files.values()))


def split_bulk(bulk: Any) -> tuple[Any, ...]:
    """Stand-in."""
    value = json.loads(bulk) if isinstance(bulk, bytes | str) else bulk
    if isinstance(value, dict):
        return (value,)
    return tuple(value)


def read_flow(files: Any, *, current: Any = None, credentials: Any = None) -> ReadFlow:
    head = json.loads(files["flow.json"])
    nodes = []
    for each in head["nodes"]:
        node = json.loads(files[each["file"]])
        node["data"].update(json.loads(files[each["file"].replace(".json", ".definition.json")]))
        for key, value in node["data"]["inputs"].items():
            if isinstance(value, dict) and "$text" in value:
                node["data"]["inputs"][key] = files[value["$text"]].decode()
        nodes.append(node)
    data = json.dumps({"nodes": nodes, "edges": json.loads(files["edges.json"])})
    return ReadFlow({"id": head["id"], "name": head["name"], "flowData": data})


def folder_name(name: str, flow_id: str, taken: Any = ()) -> str:
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40].strip("-") or "flow"
    short = f"{slug}--{flow_id.replace('-', '')[:8]}"
    return short if short not in taken else f"{slug}--{flow_id}"


def scan_files(files: Any, rules: Any = None) -> tuple[_Found, ...]:
    return tuple(
        _Found(path, found.rule)
        for path, content in files.items()
        for found in secrets.scan(content, rules=rules)
    )
