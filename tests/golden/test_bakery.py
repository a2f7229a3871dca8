"""The files of a flow, file for file: the bakery's helper.

The secret in it is drawn when the test runs. The files are read by hand when they change.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import planted
from versiondiff import flows
from versiondiff.flows import Credential

HERE = Path(__file__).parent / "flow_files"
FOLDER = "bakery-helper--1f2e3d4c"
KNOWN = {
    "6b1f2a52-9f0e-4c3a-8a4e-1d2c3b4a5f60": Credential(
        name="OpenAI main", credential_name="openAIApi"
    )
}


def bakery() -> dict[str, Any]:
    text = (HERE / "bakery.json").read_text("utf-8").replace("@TOKEN@", planted.github_token(5))
    flow: dict[str, Any] = json.loads(text)
    return {**flow, "flowData": json.dumps(flow["flowData"])}


def expected() -> dict[str, bytes]:
    folder = HERE / FOLDER
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_bakery_is_written_file_for_file() -> None:
    flow = bakery()
    files = flows.write_flow(flow, credentials=KNOWN)
    assert flows.folder_name(flow["name"], flow["id"]) == FOLDER
    assert sorted(files) == sorted(expected())
    for path, content in expected().items():
        assert files[path].decode() == content.decode(), path


def test_bakery_comes_back() -> None:
    flow = bakery()
    read = flows.read_flow(expected(), current=flow, credentials=KNOWN)
    canvas = json.loads(flow["flowData"])
    for node in canvas["nodes"]:
        for holder in (node, node["data"]):
            holder.pop("selected", None)
            holder.pop("dragging", None)
    assert read.unresolved == ()
    assert {**read.flow, "flowData": json.loads(read.flow["flowData"])} == {
        **flow,
        "flowData": canvas,
    }
