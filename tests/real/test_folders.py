"""Records of flows that are folders say what those of the flows in one file say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from flow_folders import written
from versiondiff import change_record
from versiondiff.flows import read_flow, write_flow

if TYPE_CHECKING:
    from real.flowise_history import Pair
    from versiondiff.records import ChangeRecord

FOLDER: Final = "flows/a-flow--1f2e3d4c"
ELSEWHERE: Final = "flows/another-name--1f2e3d4c"


def opened(content: bytes | None) -> dict[str, Any] | None:
    flow = None if content is None else json.loads(content)
    is_flow = isinstance(flow, dict) and isinstance(flow.get("nodes"), list) and "edges" in flow
    return flow if is_flow else None


def said(record: ChangeRecord, path: str) -> dict[str, Any]:
    """A record but for where its flow is, and for how much is only spelled differently."""
    text = msgspec.json.encode(record).replace(json.dumps(path).encode(), b'"here"')
    fields: dict[str, Any] = msgspec.json.decode(text)
    del fields["format"]
    fields.pop("format_only", None)
    return fields


def files(flow: dict[str, Any] | None, pair: Pair, folder: str = FOLDER) -> dict[str, bytes]:
    readme = {"README.md": b"Versions\n"}
    if flow is None:
        return readme
    return readme | written(flow, folder, id="1f2e3d4c-0000", name=Path(pair.path).stem)


def test_records_of_folders_equal_those_of_flows(pairs: list[Pair]) -> None:
    compared = 0
    for pair in pairs:
        old, new = opened(pair.old), opened(pair.new)
        if old is None and new is None:
            continue
        in_one_file = change_record(
            {pair.path: pair.old} if pair.old else None,
            {pair.path: pair.new} if pair.new else None,
            format="flowise",
        )
        in_a_folder = change_record(files(old, pair), files(new, pair), format="flow")
        assert said(in_a_folder, FOLDER) == said(in_one_file, pair.path), pair
        compared += 1
    assert compared > 500


def in_one_file(pair: Pair, *flows: dict[str, Any] | None) -> ChangeRecord:
    old, new = (flow and {pair.path: json.dumps(flow).encode()} for flow in flows)
    return change_record(old, new, format="flowise")


def test_records_of_written_flows_equal_those_of_flows(pairs: list[Pair]) -> None:
    """All that is written is told, and only what is never written is not."""
    untold = []
    for pair in pairs:
        flows = [
            flow and {"id": "1f2e3d4c-0000", "name": Path(pair.path).stem} | flow
            for flow in (opened(pair.old), opened(pair.new))
        ]
        if flows == [None, None]:
            continue
        folders = [flow and write_flow(flow) for flow in flows]
        paths = [
            {f"{FOLDER}/{path}": content for path, content in (folder or {}).items()}
            for folder in folders
        ]
        told = said(change_record(*paths, format="flow"), FOLDER)
        read = [folder and read_flow(folder).flow for folder in folders]
        assert told == said(in_one_file(pair, *read), pair.path), pair
        if told != said(in_one_file(pair, *flows), pair.path):
            untold.append(pair)
    # The path of a folder on the server's disk was set.
    assert [(pair.sequence, Path(pair.path).stem) for pair in untold] == [
        (112, "Support Routing System")
    ]


def test_a_renamed_folder_changes_nothing_else(pairs: list[Pair]) -> None:
    for pair in pairs[::5]:
        old, new = opened(pair.old), opened(pair.new)
        if old is None or new is None:
            continue
        stayed = change_record(files(old, pair), files(new, pair), format="flow")
        moved = change_record(files(old, pair), files(new, pair, ELSEWHERE), format="flow")
        (renamed,) = moved.flows
        assert (renamed.former_flow, renamed.flow) == (FOLDER, ELSEWHERE)
        as_moved = said(moved, ELSEWHERE)
        del as_moved["flows"]
        assert as_moved == said(stayed, FOLDER), pair
