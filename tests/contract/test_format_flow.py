"""The built-in format `flow` by every door: records, histories, the command line, version diffs."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import msgspec
import pytest

import planted
from flow_folders import FOLDER, bakery
from oracle.repositories import Git
from version_diffs.parsing import assert_holds, parse
from versiondiff import (
    InvalidInput,
    Limits,
    Repository,
    VersionDiff,
    change_record,
    formats,
    render,
    version_diff,
)

if TYPE_CHECKING:
    from pathlib import Path

VERSIONS = [
    {"README.md": b"Versions\n"},
    bakery(),
    bakery("You bake cake.\nBe kind.\n"),
    bakery("You bake cake.\nBe kind.\n", name="Cakes", folder="flows/cakes--1f2e3d4c", version=3),
    {"README.md": b"Versions\n"},
    bakery(name="Cakes", folder="flows/cakes--1f2e3d4c"),
]


@pytest.fixture(scope="module")
def git(tmp_path_factory: pytest.TempPathFactory) -> Git:
    git = Git.init(tmp_path_factory.mktemp("flows"))
    for number, files in enumerate(VERSIONS):
        git.run("rm", "-rq", "--ignore-unmatch", ".")
        for path, content in files.items():
            (git.path / path).parent.mkdir(parents=True, exist_ok=True)
            (git.path / path).write_bytes(content)
        git.run("add", "-A")
        git.run("commit", "-qm", f"version {number}")
    return git


def test_a_history_says_what_its_versions_say(git: Git) -> None:
    told = [version.record for version in Repository.open(git.path).records()][::-1]
    pairs = zip([{}, *VERSIONS], VERSIONS, strict=False)
    assert told == [change_record(old, new, format="flow") for old, new in pairs]
    assert [render(record) for record in told if record is not None][1:4] == [
        "Added flow Bakery helper (3 nodes)",
        "Changed Conversation Chain: parameters (System Message)",
        "Renamed flow Bakery helper to Cakes\nChanged ChatOpenAI: definition updated 2→3",
    ]


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "versiondiff", *map(str, arguments)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )


def test_the_command_line_names_flows(git: Git) -> None:
    log = run("log", git.path)
    assert log.stderr == "format: flow\n"
    lines = log.stdout.splitlines()
    assert "    Changed Conversation Chain in Bakery helper: parameters (System Message)" in lines
    assert "    Renamed flow Bakery helper to Cakes" in lines
    shown = run("show", "HEAD~3", "--repo", git.path)
    assert "Changed Conversation Chain" in shown.stdout


def test_two_folders_are_compared_by_path(tmp_path: Path) -> None:
    for side, files in (("old", VERSIONS[1]), ("new", VERSIONS[2])):
        for path, content in files.items():
            (tmp_path / side / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / side / path).write_bytes(content)
    diff = run("diff", tmp_path / "old", tmp_path / "new")
    assert "Changed Conversation Chain: parameters (System Message)" in diff.stdout
    text = run("diff", tmp_path / "old", tmp_path / "new", "--text").stdout
    assert "-You bake bread.\n+You bake cake.\n" in text


# ── What a model may see ────────────────────────────────────────────────────────────────────────


def shown(old: dict[str, bytes], new: dict[str, bytes]) -> VersionDiff:
    diff = version_diff(old, new)
    assert diff.format == "flow"
    assert_holds(diff, Limits())
    return diff


def test_a_prompt_is_shown_line_by_line() -> None:
    diff = shown(VERSIONS[1], VERSIONS[2])
    assert [file.path for file in diff.files] == [
        f"{FOLDER}/prompts/conversationChain_0.systemMessagePrompt.md"
    ]
    (section,) = parse(diff.text).sections
    rows = [row.sign + row.text for row in section.rows]
    assert rows == ["-You bake bread.", "+You bake cake.", " Be kind."]


def test_definitions_and_layout_are_counted_and_not_shown() -> None:
    diff = shown({}, bakery())
    names = [file.path.removeprefix(f"{FOLDER}/") for file in diff.files]
    assert names == [
        "edges.json",
        "flow.json",
        "nodes/chatOllama_0.json",
        "nodes/chatOpenAI_0.json",
        "nodes/conversationChain_0.json",
        "prompts/conversationChain_0.systemMessagePrompt.md",
    ]
    # Two definitions, the layout and the README.
    assert diff.outcome.left_out.not_allowed == 4
    assert "inputParams" not in diff.text


def test_a_secret_in_a_prompt_is_hidden() -> None:
    tokens = planted.github_token(1), planted.github_token(2)
    diff = shown(*(bakery(f"You bake.\nUse {token} there.\n") for token in tokens))
    assert "-Use [secret hidden] there.\n+Use [secret hidden] there.\n" in diff.text
    assert not any(token in msgspec.json.encode(diff).decode() for token in tokens)


# ── A format of one's own ───────────────────────────────────────────────────────────────────────


def test_a_user_may_write_such_a_format() -> None:
    own = msgspec.json.decode(
        msgspec.json.encode(formats.builtin("flow")).replace(b"flows/*/", b"boards/*/*/"),
        type=formats.Format,
    )
    own.check()

    def moved(files: dict[str, bytes]) -> dict[str, bytes]:
        return {path.replace("flows/", "boards/a/"): content for path, content in files.items()}

    record = change_record(moved(VERSIONS[1]), moved(VERSIONS[2]), format=own)
    assert render(record) == "Changed Conversation Chain: parameters (System Message)"
    assert record.nodes[0].flow == FOLDER.replace("flows/", "boards/a/")


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ({"files": ["**/flow.json"]}, "nodes.files[0]: of a flow that is a folder has no **"),
        ({"files": ["flow.json"]}, "nodes.files[0]: has to name a folder and a file in it"),
        ({"files": ["a/*/x.json", "b/*/y.json"]}, "nodes.files[1]: has to end in the same name"),
        ({"flows": [{"holder": "", "graph": "/x"}]}, "nodes.flows: has to be one entry"),
        ({"nodes": "/a/b"}, "nodes.nodes: is not one step long"),
        ({"edges": "/links"}, "nodes.assembled.parts: has no file at the place of the edges"),
    ],
)
def test_one_that_does_not_hold_together_is_refused(
    broken: dict[str, object], message: str
) -> None:
    fields = json.loads(msgspec.json.encode(formats.builtin("flow")))
    fields["nodes"] |= broken
    value = msgspec.convert(fields, formats.Format)
    with pytest.raises(InvalidInput) as caught:
        value.check()
    assert message in str(caught.value)
