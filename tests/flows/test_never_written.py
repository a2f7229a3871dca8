"""Passwords, files, folders, paths of the server, and credentials."""

from __future__ import annotations

import json
from typing import Any

import pytest

from flows.builders import flow, inputs_of, node
from versiondiff import flows
from versiondiff.flows import Credential, Reason

ID = "6b1f2a52-9f0e-4c3a-8a4e-1d2c3b4a5f60"
OTHER = "0a1b2c3d-9f0e-4c3a-8a4e-1d2c3b4a5f60"
KNOWN = {ID: Credential(name="OpenAI main", credential_name="openAIApi")}

PATHS = ("folderPath", "databaseFilePath", "caPemPath", "clientPemPath", "clientKeyPath")
UPLOADED = "data:text/plain;base64,c2VydmVyIHRleHQ="
KEPT = "FILE-STORAGE::report.pdf"


def unresolved(read: flows.ReadFlow) -> set[tuple[str, Reason]]:
    return {(of.input, of.reason) for of in read.unresolved}


def test_declared_inputs() -> None:
    one = flow({"secretPin": "hunter22", "document": UPLOADED, "place": "/srv", "plain": "x"})
    files = flows.write_flow(one)
    assert inputs_of(files) == {"plain": "x"}
    assert flows.read_flow(files, current=one) == (one, ())
    read = flows.read_flow(files)
    assert read.flow == flow({"plain": "x"})
    assert unresolved(read) == {
        (name, Reason.NEVER_WRITTEN) for name in ("secretPin", "document", "place")
    }


def test_they_come_back_as_they_are_now() -> None:
    files = flows.write_flow(flow({"secretPin": "old", "plain": "x"}))
    read = flows.read_flow(files, current=flow({"secretPin": "new", "plain": "y"}))
    assert read == (flow({"secretPin": "new", "plain": "x"}), ())


def test_in_items_of_arrays() -> None:
    one = flow({"messages": [{"role": "user", "content": "a", "attachment": KEPT}]})
    files = flows.write_flow(one)
    assert KEPT.encode() not in b"".join(files.values())
    assert flows.read_flow(files, current=one) == (one, ())
    assert ("messages[0].attachment", Reason.NEVER_WRITTEN) in unresolved(flows.read_flow(files))


@pytest.mark.parametrize("name", PATHS)
def test_paths_of_the_server(name: str) -> None:
    one = flow({name: "/srv/data", "agentModelConfig": {"a": [{name: "/srv/other"}]}})
    files = flows.write_flow(one)
    assert b"/srv" not in b"".join(files.values())
    assert name not in inputs_of(files)
    assert flows.read_flow(files, current=one) == (one, ())
    read = flows.read_flow(files)
    assert (f"agentModelConfig.a[0].{name}", Reason.SECRET) in unresolved(read)
    assert name not in read.flow["nodes"][0]["data"]["inputs"]["agentModelConfig"]["a"][0]


def test_paths_of_the_server_in_json_text() -> None:
    one = flow({"plain": json.dumps({"folderPath": "/srv/data", "x": 1})})
    files = flows.write_flow(one)
    assert b"/srv" not in b"".join(files.values())
    assert flows.read_flow(files, current=one) == (one, ())


def test_a_declared_path_is_listed() -> None:
    params = [{"name": "folderPath", "label": "Folder", "type": "string"}]
    files = flows.write_flow(flow({"folderPath": "/srv/data"}, inputParams=params))
    assert unresolved(flows.read_flow(files)) == {("folderPath", Reason.NEVER_WRITTEN)}


@pytest.mark.parametrize(
    ("component", "written"),
    [("faiss", False), ("faissUpsert", False), ("simpleStoreLlamaIndex", False),
     ("chatOpenAI", True), ("agentAgentflow", True)],
)  # fmt: skip
def test_base_paths(component: str, written: bool) -> None:
    one = flow({"basePath": "x/y", "basepath": "https://example.org/v1"}, name=component)
    inputs = inputs_of(flows.write_flow(one))
    assert ("basePath" in inputs) is written
    assert "basepath" in inputs
    nested = flow({"vectors": [{"vectorStore": component, "vectorStoreConfig": {"basePath": "x"}}]})
    config = inputs_of(flows.write_flow(nested))["vectors"][0]["vectorStoreConfig"]
    assert (config["basePath"] == "x") is written
    assert flows.read_flow(flows.write_flow(nested), current=nested) == (nested, ())


@pytest.mark.parametrize(
    "value",
    [
        UPLOADED,
        KEPT,
        [UPLOADED, KEPT],
        [[KEPT]],
        json.dumps([UPLOADED, KEPT]),
        'FILE-STORAGE::["a.pdf"]',
        {"a": [UPLOADED]},
    ],
)
def test_files_where_none_is_declared(value: Any) -> None:
    one = flow({"plain": value, "config": {"x": value}})
    written = flows.write_flow_files(one)
    everything = b"".join(written.files.values())
    assert b"FILE-STORAGE" not in everything
    assert b"base64" not in everything
    assert written.hidden == ()
    assert flows.read_flow(written.files, current=one) == (one, ())
    read = flows.read_flow(written.files)
    assert read.unresolved
    assert "$secret" not in json.dumps(read.flow)


def test_a_large_file_is_quick() -> None:
    one = flow({"document": "data:a/b;base64," + "A" * 5_000_000, "plain": UPLOADED * 1000})
    assert sum(map(len, flows.write_flow(one).values())) < 10_000


def with_credentials(value: str) -> dict[str, Any]:
    return flow(
        {
            "FLOWISE_CREDENTIAL_ID": value,
            "agentModelConfig": {"credential": value, "FLOWISE_CREDENTIAL_ID": value},
            "agentTools": [{"agentSelectedToolConfig": {"FLOWISE_CREDENTIAL_ID": value}}],
            "plain": f'{{"provider":{{"credentialId":"{value}"}}}}',
        },
        credential=value,
    )


def test_credentials_by_name() -> None:
    one = with_credentials(ID)
    files = flows.write_flow(one, credentials=KNOWN)
    assert ID.encode() not in b"".join(files.values())
    marker = {"$credential": {"name": "OpenAI main", "credentialName": "openAIApi"}}
    assert json.loads(files["nodes/step_0.json"])["data"]["credential"] == marker
    assert inputs_of(files) == {
        "FLOWISE_CREDENTIAL_ID": marker,
        "agentModelConfig": {"credential": marker, "FLOWISE_CREDENTIAL_ID": marker},
        "agentTools": [{"agentSelectedToolConfig": {"FLOWISE_CREDENTIAL_ID": marker}}],
        "plain": {"$json": {"provider": {"credentialId": marker}}},
    }
    assert json.loads(files["flow.json"])["credentials"] == [marker["$credential"]]
    assert "hidden" not in json.loads(files["flow.json"])
    assert flows.read_flow(files, current=one, credentials=KNOWN) == (one, ())
    assert flows.read_flow(files, current=one) == (one, ())
    looked_up = flows.read_flow(files, credentials=KNOWN)
    assert looked_up.flow["nodes"][0]["data"]["credential"] == ID
    assert {of.reason for of in looked_up.unresolved} == {Reason.NEVER_WRITTEN}


def test_a_credential_that_is_not_known() -> None:
    one = with_credentials(ID)
    files = flows.write_flow(one)
    assert json.loads(files["nodes/step_0.json"])["data"]["credential"] == {"$credential": None}
    assert flows.read_flow(files, current=one) == (one, ())
    read = flows.read_flow(files)
    assert ("credential", Reason.CREDENTIAL) in unresolved(read)
    assert "credential" not in read.flow["nodes"][0]["data"]


def test_another_credential_now() -> None:
    known = {**KNOWN, OTHER: Credential(name="OpenAI test", credential_name="openAIApi")}
    files = flows.write_flow(with_credentials(ID), credentials=known)
    read = flows.read_flow(files, current=with_credentials(OTHER), credentials=known)
    assert read == (with_credentials(ID), ())
    known.pop(ID)
    read = flows.read_flow(files, current=with_credentials(OTHER), credentials=known)
    assert "credential" not in read.flow["nodes"][0]["data"]
    assert ("credential", Reason.CREDENTIAL) in unresolved(read)


def test_two_credentials_of_one_name() -> None:
    twice = {**KNOWN, OTHER: KNOWN[ID]}
    files = flows.write_flow(with_credentials(ID), credentials=twice)
    assert flows.read_flow(files, current=with_credentials(OTHER), credentials=twice).flow == (
        with_credentials(OTHER)
    )
    assert ("credential", Reason.CREDENTIAL) in unresolved(
        flows.read_flow(files, credentials=twice)
    )


def test_the_type_comes_from_the_definition() -> None:
    files = flows.write_flow(with_credentials(ID), credentials={ID: Credential(name="Main")})
    assert json.loads(files["flow.json"])["credentials"] == [
        {"name": "Main", "credentialName": "openAIApi"}
    ]


def test_a_credential_that_is_a_reference() -> None:
    files = flows.write_flow(with_credentials("{{$vars.credential}}"))
    assert inputs_of(files)["FLOWISE_CREDENTIAL_ID"] == "{{$vars.credential}}"


def test_nothing_goes_to_another_kind_of_node() -> None:
    files = flows.write_flow(flow({"headers": {"Authorization": "hunter22"}}))
    other = flow({"headers": {"Authorization": "hunter33"}}, name="other")
    read = flows.read_flow(files, current=other)
    assert b"hunter33" not in json.dumps(read.flow).encode()
    assert ("headers.Authorization", Reason.SECRET) in unresolved(read)


def test_nothing_goes_to_another_item() -> None:
    def headers(*pairs: tuple[str, str]) -> dict[str, Any]:
        return flow({"headers": [{"key": key, "value": value} for key, value in pairs]})

    files = flows.write_flow(headers(("X-Token", "hunter22"), ("Cookie", "hunter33")))
    turned = headers(("Cookie", "hunter33"), ("X-Token", "hunter22"))
    read = flows.read_flow(files, current=turned)
    assert read.flow == headers(("X-Token", "hunter22"), ("Cookie", "hunter33"))
    other = headers(("Authorization", "hunter44"), ("Cookie", "hunter33"))
    assert "hunter44" not in json.dumps(flows.read_flow(files, current=other).flow)


def test_nodes_are_found_by_their_ids() -> None:
    one = {"nodes": [node("a", {"secretPin": "1"}), node("b", {"secretPin": "2"})], "edges": []}
    turned = {**one, "nodes": one["nodes"][::-1]}
    assert flows.read_flow(flows.write_flow(one), current=turned) == (one, ())
