"""Secrets planted in every kind of place: none is written, each is counted, each comes back."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest

import versiondiff
from flows.builders import Flow, flow, inputs_of, node, secrets
from planted import drawn
from versiondiff import flows
from versiondiff.flows import Reason

if TYPE_CHECKING:
    from collections.abc import Callable

SECRETS = secrets()
PLACES: dict[str, Callable[[str], Flow]] = {
    "prompt": lambda secret: flow({"prompt": f"Use this:\n{secret}\nand be kind."}),
    "whole prompt": lambda secret: flow({"prompt": secret}),
    "whole value": lambda secret: flow({"plain": secret}),
    "part of a value": lambda secret: flow({"plain": f"use {secret} for it"}),
    "code": lambda secret: flow({"code": f'const key = "{secret}";\nreturn key'}),
    "rich text": lambda secret: flow({"prompt": f"<p>{secret}</p>"}),
    "message": lambda secret: flow({"messages": [{"role": "user", "content": f"a {secret} b"}]}),
    "nested configuration": lambda secret: flow(
        {"agentModelConfig": {"a": {"b": [{"c": secret}]}}}
    ),
    "nested by name": lambda secret: flow({"agentModelConfig": {"proxy": {"apiKey": secret}}}),
    "items of tools": lambda secret: flow(
        {"agentTools": [{"agentSelectedToolConfig": {"headers": secret}}]}
    ),
    "JSON text": lambda secret: flow({"plain": json.dumps({"a": secret, "b": [1, [secret]]})}),
    "JSON text by name": lambda secret: flow({"plain": json.dumps({"X-Api-Key": secret})}),
    "JSON text in prompts": lambda secret: flow({"prompt": json.dumps({"a": secret}, indent=2)}),
    "JSON in JSON in JSON": lambda secret: flow(
        {"plain": json.dumps({"a": json.dumps({"b": json.dumps({"c": [secret]})})})}
    ),
    "server configuration": lambda secret: flow(
        {"mcpServerConfig": json.dumps({"command": "npx", "env": {"KEY": secret}}, indent=2)}
    ),
    "header object": lambda secret: flow({"headers": {"Authorization": f"Bearer {secret}"}}),
    "header pairs": lambda secret: flow(
        {"headers": [{"key": "Authorization", "value": f"Bearer {secret}"}, {"key": "A"}]}
    ),
    "arrays of arrays": lambda secret: flow({"rows": [[["a", secret], [secret]], []]}),
    "URL": lambda secret: flow({"plain": f"https://example.org/path?k={secret}&b=1"}),
    "label": lambda secret: flow({}, label=f"Step {secret}"),
    "name of a node": lambda secret: flow({}, name=secret),
    "outputs": lambda secret: flow({}, outputs={"output": secret}),
    "definition": lambda secret: flow({}, description=f"e.g. {secret}"),
    "default of a definition": lambda secret: flow(
        {}, inputParams=[{"name": "plain", "label": "Plain", "default": secret}]
    ),
    "name of an input": lambda secret: flow({secret: "value"}),
    "key of an object": lambda secret: flow({"config": {"a": {secret: "value"}}}),
    "edge": lambda secret: {
        **flow({}),
        "edges": [{"id": "e", "source": "step_0", "target": "b", "data": {"label": secret}}],
    },
    "description": lambda secret: {**flow({}), "description": f"With {secret}."},
    "other keys": lambda secret: {**flow({}), "apiConfig": json.dumps({"a": {"b": secret}})},
    "name of the flow": lambda secret: {**flow({}), "name": f"Helper {secret}"},
    "id of a node": lambda secret: {"nodes": [{"id": secret, "data": {}}], "edges": []},
    "viewport": lambda secret: {**flow({}), "viewport": {"x": secret}},
}


def parts(secret: str) -> list[str]:
    """What of a secret must not be written: all of it, and what is secret in it by itself."""
    if "://" in secret:
        return [secret.split(":")[2].split("@")[0]]
    return [line for line in secret.splitlines() if "-----" not in line]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", SECRETS)
def test_planted_secret(kind: str, place: str) -> None:
    planted = PLACES[place](SECRETS[kind])
    written = flows.write_flow_files(planted)
    for path, content in written.files.items():
        for part in parts(SECRETS[kind]):
            assert part not in path
            assert part.encode() not in content, path
    assert sum(entry.count for entry in written.hidden) >= 1
    assert json.loads(written.files["flow.json"])["hidden"] == [
        {
            "count": entry.count,
            "input": entry.input,
            "inputLabel": entry.input_label,
            "label": entry.label,
            "node": entry.node,
        }
        for entry in written.hidden
    ]
    assert flows.scan_files(written.files) == ()
    assert flows.read_flow(written.files, current=planted) == (planted, ())

    without = flows.read_flow(written.files)
    assert without.unresolved
    text = json.dumps(without.flow)
    assert not any(marker in text for marker in ("$secret", "$json", "$text", "$credential"))


@pytest.mark.parametrize("kind", ["github-token", "private-key", "postgres-url"])
def test_text_as_bytes_and_objects(kind: str) -> None:
    planted = PLACES["JSON text"](SECRETS[kind])
    assert flows.write_flow(json.dumps(planted).encode()) == flows.write_flow(planted)


WORD = drawn(9, seed=21)
BY_NAME: dict[str, Any] = {
    "object": {"headers": {"x-api-key": WORD}},
    "number": {"config": {"password": 8715309442}},
    "list": {"config": {"apiKeys": [WORD, WORD]}},
    "JSON text": {"plain": json.dumps({"auth": {"client_secret": WORD}})},
    "pair": {"headers": [{"name": "Cookie", "value": WORD}]},
    "pair of texts": {"headers": [["Authorization", "Basic " + WORD]]},
    "nested": {"agentTools": [{"agentSelectedToolConfig": {"botToken": WORD}}]},
    "plain": {"sessionToken": WORD},
    "doubled key": {"plain": f'{{"password": "{WORD}", "password": ""}}'},
    "not quite JSON": {"plain": f"{{password: '{drawn(14, seed=3)}1'}}"},
    "code": {"code": f'const apiKey = "{drawn(24, seed=4)}"'},
    "URL with a password": {"plain": f"https://bob:{drawn(10, seed=5)}1@example.org/"},
    "URL with a parameter": {"plain": f"https://example.org/?api_key={drawn(24, seed=6)}"},
    "bearer": {"code": f"curl -H 'Authorization: Bearer {drawn(24, seed=7)}'"},
}


@pytest.mark.parametrize("case", BY_NAME)
def test_secret_by_its_name(case: str) -> None:
    planted = flow(BY_NAME[case])
    written = flows.write_flow_files(planted)
    everything = b"".join(written.files.values()).decode()
    drawn_again = [WORD, "8715309442", *(drawn(14, seed=3), drawn(10, seed=5))]
    drawn_again += [drawn(24, seed=seed) for seed in (4, 6, 7)]
    assert not any(word in everything for word in drawn_again)
    assert written.hidden
    assert flows.read_flow(written.files, current=planted) == (planted, ())
    assert flows.read_flow(written.files).unresolved


@pytest.mark.parametrize(
    "value",
    [
        "{{$vars.key}}",
        "Bearer {{ $vars.key }}",
        "{{ secret() }}",
        "={{ $env.K }}",
        "${API_KEY}",
        "process.env.API_KEY",
        '<p><span class="variable" data-id="$vars.key">{{ $vars.key }}</span> </p>',
        "{{chatOpenAI_0.data.instance}}",
        "",
    ],
)
def test_references_stay(value: str) -> None:
    planted = flow(
        {
            "sessionToken": value,
            "headers": {"Authorization": value},
            "plain": json.dumps({"apiKey": value}),
        }
    )
    written = flows.write_flow_files(planted)
    assert written.hidden == ()
    assert inputs_of(written.files) == planted["nodes"][0]["data"]["inputs"]


@pytest.mark.parametrize(
    "name",
    ["maxTokens", "tokenLimit", "memoryKey", "partitionKey", "inputKey", "pineconeTextKey",
     "llmMemoryMaxTokenLimit", "maxToken", "tokenizer", "secretName", "passwordField", "keywords"],
)  # fmt: skip
def test_names_that_say_nothing(name: str) -> None:
    planted = flow({name: "4f9a1c77aa", "config": {name: "4f9a1c77aa"}})
    assert flows.write_flow_files(planted).hidden == ()


def test_what_is_hidden_is_named() -> None:
    secret = SECRETS["github-token"]
    planted = flow({"prompt": f"{secret} and {secret}", "messages": [{"content": secret}]})
    written = flows.write_flow_files(planted)
    assert [(of.input, of.input_label, of.label, of.count) for of in written.hidden] == [
        ("messages", "Messages", "Step", 1),
        ("prompt", "Prompt", "Step", 2),
    ]
    assert written.files["prompts/step_0.prompt.md"] == b"[secret hidden] and [secret hidden]"
    assert written.hidden_in_text == 3


def test_placeholder_counts_again_and_stays() -> None:
    restored = flow({"prompt": "Use [secret hidden]."})
    written = flows.write_flow_files(restored)
    assert [of.count for of in written.hidden] == [1]
    changed = flow({"prompt": "Use " + SECRETS["github-token"] + " now."})
    read = flows.read_flow(written.files, current=changed)
    assert read.flow == restored
    assert [(of.input, of.reason) for of in read.unresolved] == [("prompt", Reason.PLACEHOLDER)]


def test_nothing_hidden_is_not_said() -> None:
    assert "hidden" not in json.loads(flows.write_flow(flow({"plain": "x"}))["flow.json"])


def test_a_secret_in_the_name_stops_a_commit() -> None:
    secret = SECRETS["github-token"]
    written = flows.write_flow_files({**flow({}), "name": f"Helper {secret}"})
    (finding,) = flows.scan_files(written)
    assert (finding.path, finding.rule) == ("flow.json", "github-token")
    assert secret not in repr(finding)


def test_a_secret_in_any_file_stops_a_commit() -> None:
    secret = SECRETS["private-key"]
    (finding,) = flows.scan_files({"a.md": b"fine", "prompts/b.md": f"x\n{secret}\n".encode()})
    assert (finding.path, finding.rule) == ("prompts/b.md", "private-key")


def test_own_rules() -> None:
    rules = versiondiff.Rules.parse("""
[[rules]]
id = "own-key"
regex = '''own_[a-z0-9]{8}'''
keywords = ["own_"]
""")
    planted = flow({"plain": "x own_abcd1234 y"}, description="own_abcd1234")
    written = flows.write_flow_files(planted, rules=rules)
    assert b"own_abcd1234" not in b"".join(written.files.values())
    assert flows.read_flow(written.files, current=planted, rules=rules) == (planted, ())


BEARER = "Bearer " + drawn(24, seed=21)
"""Found by where the word begins: a letter before it, as in an escape, hides it from the rule."""


@pytest.mark.parametrize(
    "planted",
    [
        flow({}, description=f"To send:\n{BEARER}"),
        flow({"plain": json.dumps({"a": f"To send:\n{BEARER}"})}),
        flow({"plain": json.dumps([json.dumps([f"To send:\n{BEARER}"])])}),
    ],
    ids=["definition", "JSON text", "JSON in JSON"],
)
def test_an_escape_before_a_secret_hides_none(planted: Flow) -> None:
    written = flows.write_flow_files(planted)
    assert BEARER.split()[1].encode() not in b"".join(written.files.values())
    assert [of.count for of in written.hidden] == [1]
    assert flows.read_flow(written.files, current=planted) == (planted, ())


def test_a_secret_in_what_names_an_input_is_hidden() -> None:
    secret = SECRETS["github-token"]
    label = f"Plain {secret}"
    planted = flow(
        {"plain": secret}, inputParams=[{"name": "plain", "label": label, "type": "string"}]
    )
    written = flows.write_flow_files(planted)
    assert secret.encode() not in b"".join(written.files.values())
    assert [(of.input, of.input_label) for of in written.hidden] == [
        ("definition", "definition"),
        ("plain", "Plain [secret hidden]"),
    ]


def test_a_secret_in_the_name_of_a_credential_is_hidden() -> None:
    secret = SECRETS["github-token"]
    known = {"c": flows.Credential(name=f"Key {secret}", credential_name="openAIApi")}
    written = flows.write_flow_files(flow({"credential": "c"}), credentials=known)
    assert secret.encode() not in b"".join(written.files.values())
    assert b"Key [secret hidden]" in written.files["flow.json"]


@pytest.mark.parametrize("kind", ["github-token", "private-key"])
def test_only_what_holds_a_secret_is_changed(kind: str) -> None:
    secret = SECRETS[kind]
    nodes = [node(f"step_{at}", {"plain": "same", "prompt": "a\nb"}) for at in range(3)]
    plain = {"nodes": nodes, "edges": []}
    changed = copy.deepcopy(plain)
    changed["nodes"][1]["data"]["inputs"]["prompt"] = f"a\n{secret}"
    before, after = flows.write_flow(plain), flows.write_flow(changed)
    different = {path for path in before | after if before.get(path) != after.get(path)}
    assert different == {"flow.json", "prompts/step_1.prompt.md"}


def test_a_flow_is_not_changed_by_being_written() -> None:
    planted = flow({"prompt": SECRETS["github-token"], "messages": [{"content": "x\ny"}]})
    before = copy.deepcopy(planted)
    flows.write_flow(planted)
    flows.write_flow(flows.read_flow(flows.write_flow(planted), current=planted).flow)
    assert planted == before
