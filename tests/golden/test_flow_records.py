"""Flows that are folders read like flows in one file, and what is theirs alone reads well."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import pytest
from msgspec.structs import replace

from flow_folders import FOLDER, bakery, written
from golden import test_flows
from versiondiff import change_record, render, render_warnings

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from versiondiff.records import ChangeRecord
    from versiondiff.wording import Language

CASES: Final = [case for case in test_flows.SHOWS if case != "stored-flow"]
"""The one that is left out says the same, with the flow's name as it is stored."""


def folders(side: Path) -> dict[str, bytes]:
    """Each file of a case as a folder of files."""
    files: dict[str, bytes] = {}
    for path in side.iterdir():
        flow = json.loads(path.read_text(encoding="utf-8"))
        name = path.stem
        files |= written(flow, f"flows/{name.lower()}--{name}", id=name, name=name)
    return files


def without_credentials(record: ChangeRecord) -> ChangeRecord:
    """The record without the names of credentials, which a flow in one file does not have."""
    nodes = []
    for node in record.nodes:
        changes = [replace(change, old_name="", new_name="") for change in node.credentials]
        nodes.append(replace(node, credentials=tuple(changes)))
    return replace(record, nodes=tuple(nodes))


@pytest.mark.parametrize("language", test_flows.LANGUAGES)
@pytest.mark.parametrize("case", CASES)
def test_a_folder_reads_as_its_flow_does(case: str, language: Language) -> None:
    folder = test_flows.HERE / "flows" / case
    record = change_record(folders(folder / "old"), folders(folder / "new"), format="flow")
    in_one_file = change_record(folder / "old", folder / "new", format="flowise")
    nameless = without_credentials(record)
    assert render(nameless, language=language) == render(in_one_file, language=language)
    assert [warning.code for warning in record.warnings] == [
        warning.code for warning in in_one_file.warnings
    ]


def test_a_folder_tells_the_names_of_credentials() -> None:
    folder = test_flows.HERE / "flows" / "nested-configuration"
    record = change_record(folders(folder / "old"), folders(folder / "new"), format="flow")
    (change,) = record.nodes[0].credentials
    assert (change.input, change.label) == ("agentModelConfig", "AgentModel")
    # These files are written with the ids as names.
    assert change.old_name != change.new_name == "66666666-7777-8888-9999-000000000000"


# ── A flow that is looked after in a bakery ─────────────────────────────────────────────────────


def other_version(files: dict[str, bytes]) -> dict[str, bytes]:
    flow = files[f"{FOLDER}/flow.json"].replace(b'"formatVersion": 1', b'"formatVersion": 2')
    return files | {f"{FOLDER}/flow.json": flow}


def without(name: str) -> dict[str, bytes]:
    return {path: content for path, content in bakery().items() if path != f"{FOLDER}/{name}"}


SAYS: Final[dict[str, tuple[Callable[[], dict[str, bytes]], str, str]]] = {
    "prompt": (
        lambda: bakery("You bake cake.\nBe kind.\n"),
        "Changed Conversation Chain: parameters (System Message)",
        "変更: Conversation Chain: パラメータ(System Message)",
    ),
    "credential": (
        lambda: bakery(credential="OpenAI test"),
        "Changed ChatOpenAI: credential changed (OpenAI main → OpenAI test)",
        "変更: ChatOpenAI: 認証情報を変更(OpenAI main → OpenAI test)",
    ),
    "definition": (
        lambda: bakery(version=3),
        "Changed ChatOpenAI: definition updated 2→3",
        "変更: ChatOpenAI: 定義を更新 2→3",
    ),
    "wiring": (
        lambda: bakery(model="chatOllama_0"),
        "Changed Conversation Chain: "
        "wiring (Chat Model from ChatOllama, Chat Model no longer from ChatOpenAI)",
        "変更: Conversation Chain: "
        "配線(ChatOllama からの Chat Model、ChatOpenAI からの Chat Model を切断)",
    ),
    "label": (
        lambda: bakery(label="Baker"),
        "Changed Baker: renamed from Conversation Chain to Baker",
        "変更: Baker: 名前を Conversation Chain から Baker に変更",
    ),
    "renamed": (
        lambda: bakery(name="Cake helper", folder="flows/cake-helper--1f2e3d4c"),
        "Renamed flow Bakery helper to Cake helper",
        "名前の変更: フロー Bakery helper → Cake helper",
    ),
    "deleted": (
        lambda: {"README.md": b"Versions\n"},
        "Removed flow Bakery helper (3 nodes)",
        "削除: フロー Bakery helper(ノード 3 個)",
    ),
    "other-version": (
        lambda: other_version(bakery()),
        f"Workflow settings: {FOLDER}\n"
        f"{FOLDER}/flow.json (new version): not readable: "
        "has format version 2; version 1 is read",
        f"ワークフロー設定: {FOLDER}\n"
        f"{FOLDER}/flow.json(新版): 読み取れません: has format version 2; version 1 is read",
    ),
    "node-missing": (
        lambda: without("nodes/chatOllama_0.json"),
        "Changed ChatOllama: definition\n"
        f"{FOLDER}/nodes/chatOllama_0.json (new version): not readable: is missing",
        "変更: ChatOllama: 定義\n"
        f"{FOLDER}/nodes/chatOllama_0.json(新版): 読み取れません: is missing",
    ),
    "flow-file-missing": (
        lambda: without("flow.json"),
        f"Workflow settings: {FOLDER}\n"
        f"{FOLDER}/flow.json (new version): missing, though there are other files in its folder",
        f"ワークフロー設定: {FOLDER}\n"
        f"{FOLDER}/flow.json(新版): "
        "フォルダーに他のファイルはありますが、このファイルがありません",
    ),
}


@pytest.mark.parametrize("case", SAYS)
def test_a_version_of_the_bakery_reads_as_it_should(case: str) -> None:
    new, english, japanese = SAYS[case]
    record = change_record(bakery(), new())
    assert record.format == "flow"
    wanted_texts: dict[Language, str] = {"en": english, "ja": japanese}
    for language, wanted in wanted_texts.items():
        texts = render(record, language=language), render_warnings(record, language=language)
        assert "\n".join(filter(None, texts)) == wanted
