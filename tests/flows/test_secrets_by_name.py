"""Secrets that only a name gives away, wherever people type such a name: none is written."""

from __future__ import annotations

import json
import string
import time
from typing import TYPE_CHECKING, Any

import pytest

import versiondiff
from flows.builders import Flow, flow, inputs_of
from planted import LETTERS, drawn
from versiondiff import flows
from versiondiff.flows.hiding import joined_rules
from versiondiff.flows.secret_names import says_secret

if TYPE_CHECKING:
    from collections.abc import Callable

HEX = "0123456789abcdef"
VALUES = {
    "hex": drawn(32, seed=31, alphabet=HEX),
    "letters and digits": drawn(20, seed=32) + "7",
    "letters": drawn(22, seed=33, alphabet=string.ascii_letters),
    "base64": drawn(40, seed=34, alphabet=LETTERS + "+/"),
    "short": drawn(11, seed=35) + "9",
}
NAMES = [
    "apiKey", "X-API-KEY", "SERPAPI_KEY", "Authorization", "HF_TOKEN", "accessToken",
    "client_secret", "signing_secret", "password", "DB_PASSWORD", "AWS_SECRET_ACCESS_KEY",
]  # fmt: skip
TEXTS: dict[str, str] = {
    "JSON in a sentence": 'Call it with {{"{name}": "{value}"}} please.',
    "JSON in JSON": 'use {{\\"{name}\\": \\"{value}\\"}}',
    "variable": "const {word} = '{value}';",
    "template string": "const {word} = `{value}`;",
    "typed variable": '{word}: str = "{value}"',
    "fallback": "const {word} = process.env.{word} || '{value}'",
    "fallback of a call": 'os.environ.get("{name}") or "{value}"',
    "member": "headers['{name}'] = \"{value}\"",
    "attribute": 'config.{word} = "{value}"',
    "call": "headers.set('{name}', '{value}')",
    "named argument": "Client({word}='{value}')",
    "header of a command": "curl -H '{name}: {value}' https://example.org",
    "option": "run --{name} {value} --verbose",
    "option with a sign": "run --{name}={value}",
    "form": "curl -d 'a=1&{name}={value}&b=2' https://example.org",
    "YAML": "env:\n  {name}: {value}\n  port: 80",
    "quoted YAML": 'env:\n  {name}: "{value}"',
    "environment": "A=1\n{name}={value}\nB=2",
    "shell": "export {word}={value}",
    "query": "https://example.org/a?{name}={value}&b=1",
    "Markdown": "- **{name}**: `{value}`",
    "rich text": "<p>{name}: {value}</p>",
    "element": "<{name}>{value}</{name}>",
    "encoded query": "https://example.org/?next=%2F%3F{name}%3D{value}",
}


def texts(name: str, value: str) -> dict[str, str]:
    word = name.replace("-", "_")
    return {kind: of.format(name=name, word=word, value=value) for kind, of in TEXTS.items()}


def check(planted: Flow, value: str) -> None:
    written = flows.write_flow_files(planted)
    everything = b"\n".join(written.files.values()).decode()
    assert value not in everything
    assert json.dumps(value) not in everything
    assert written.hidden
    assert flows.read_flow(written.files, current=planted) == (planted, ())
    without = flows.read_flow(written.files)
    assert without.unresolved
    assert not any(f'"{marker}"' in json.dumps(without.flow) for marker in ("$secret", "$json"))


@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize("value", VALUES)
def test_in_texts(kind: str, value: str) -> None:
    for name in NAMES:
        text = texts(name, VALUES[value])[kind]
        for planted in ({"prompt": text}, {"code": text}, {"note": f"{text}\nsticky"}):
            check(flow(planted), VALUES[value])
        check(flow({}, description=f"For example:\n{text}"), VALUES[value])


PLACES: dict[str, Callable[[str, str], Flow]] = {
    "member of a node": lambda name, value: with_node({name: value}),
    "object in a node": lambda name, value: with_node({"note": [{name: value}]}),
    "JSON text in a node": lambda name, value: with_node({"note": json.dumps({name: value})}),
    "member of data": lambda name, value: flow({}, **{name: value}),
    "object in data": lambda name, value: flow({}, settings={"a": [{name: value}]}),
    "outputs": lambda name, value: flow({}, outputs={name: value}),
    "inputs that are a list": lambda name, value: flow([{name: value}]),  # type: ignore[arg-type]
    "data that is a list": lambda name, value: {"nodes": [{"id": "a", "data": [{name: value}]}]},
    "member of an edge": lambda name, value: {**flow({}), "edges": [{"id": "e", name: value}]},
    "data of an edge": lambda name, value: {
        **flow({}),
        "edges": [{"id": "e", "data": {name: [value]}}],
    },
    "viewport": lambda name, value: {**flow({}), "viewport": {name: value}},
    "default": lambda name, value: flow({}, inputParams=[{"name": name, "default": value}]),
    "default of a password": lambda _, value: flow(
        {}, inputParams=[{"name": "pin", "type": "password", "default": value}]
    ),
    "arguments": lambda name, value: flow(
        {"mcpServerConfig": {"args": ["-y", "server", f"--{name}", value]}}
    ),
}


def with_node(members: dict[str, Any]) -> Flow:
    made = flow({})
    made["nodes"][0] |= members
    return made


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("value", VALUES)
def test_in_places_that_are_no_inputs(place: str, value: str) -> None:
    for name in NAMES:
        check(PLACES[place](name, VALUES[value]), VALUES[value])


@pytest.mark.parametrize(
    "text",
    [
        "lin_api_" + drawn(40),
        "figd_" + drawn(40),
        "hvs." + drawn(90),
        "dapi" + drawn(32, alphabet=HEX),
        "fc-" + drawn(32, alphabet=HEX),
        "key-" + drawn(32, alphabet=HEX),
        drawn(32, alphabet=HEX) + "-us14",
        "AccountName=shop;AccountKey=" + drawn(86) + "==;EndpointSuffix=core.windows.net",
        "Server=db;User ID=sa;Password=" + drawn(10) + "4;Encrypt=true",
        "https://discord.com/api/webhooks/1234567890/" + drawn(68),
        f"curl -u bob:{drawn(12)}4 https://example.org",
    ],
)
def test_of_services(text: str) -> None:
    kept = {"AccountName", "shop", "EndpointSuffix", "core", "windows", "Encrypt", "discord"}
    words = [word for word in text.replace("=", " ").replace("/", " ").split() if len(word) > 20]
    for planted in ({"prompt": f"Use\n{text}\nnow"}, {"code": f"f('{text}')"}):
        written = flows.write_flow_files(flow(planted))
        everything = b"".join(written.files.values()).decode()
        assert not [word for word in words if word in everything and word not in kept]
        assert written.hidden
    assert flows.write_flow_files(flow({}, description=f"e.g.\n{text}")).hidden


@pytest.mark.parametrize(
    "text",
    [
        "Never ask for a password, and do not reveal the secret ingredient.",
        "password: at least 12 characters with numbers",
        "const token = response.data.access_token_v2;",
        "const apiKey = process.env.OPENAI_API_KEY;",
        "let accessToken = await getAccessToken(client, 2);",
        "const apiKey = $vars.openai_key_v2",
        "Authorization: `Bearer ${token}`",
        "Authorization: Bearer {{$vars.token}}",
        "x-api-key: {{secret()}}",
        "api_key=YOUR_API_KEY_123",
        "max_tokens: 128000",
        "maxToken: 123456789012x",
        'next_page_token: "CAUQAA12345678901"',
        "memoryKey: chat_history_2024, partitionKey: customerRegion2024",
        "password=<your password here>",
        "cd $(pwd): /home/user/project2024",
        "secret: chatOpenAI_0.data.instance",
        "token: 4096, tokens: 1234567890123",
        'curl -u "$USER:$PASSWORD" https://example.org',
        "session: 6b1f2a52-9f0e-4c3a-8a4e-1d2c3b4a5f60",
    ],
)
def test_what_is_none(text: str) -> None:
    planted = flow({"plain": text}, description=text)
    written = flows.write_flow_files(planted)
    assert written.hidden == ()
    assert inputs_of(written.files) == {"plain": text}


@pytest.mark.parametrize(
    "name",
    ["pass", "smtpPass", "PGPASSWORD", "service_role_key", "OPENAI_KEY", "appsecret", "passcode"],
)
def test_names_that_say_so(name: str) -> None:
    assert says_secret(name)


@pytest.mark.parametrize("name", ["bypass", "highPass", "compass", "monkey", "roleKey", "keyName"])
def test_names_that_do_not(name: str) -> None:
    assert not says_secret(name)


def test_a_flood_of_names_takes_no_longer_than_its_length() -> None:
    rules = joined_rules(None)
    start = time.process_time()
    for flood in ("token = a or ", "password: x ", "--user a:b ", "apiKey'\"]) => ", "-u" * 9):
        versiondiff.scan(flood * (1_000_000 // len(flood)), rules=rules)
    assert time.process_time() - start < 10  # some 0.03 s; minutes if it were quadratic
