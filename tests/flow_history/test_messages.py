"""What a version says can be read back, and no name forges anything in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from flow_history.sample_flows import BAKERY, MIKA, NOW, check_whole, flow, history, node, trailers
from oracle.repositories import Git
from versiondiff import change_record, render
from versiondiff.flows import Credential, write_flow
from versiondiff.flows.history import VersionKind, describe_change

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = [
    "a: b",
    "Version-Kind: delete",
    "x\nVersion-Kind: delete",
    "x\n\nVersion-Kind: delete\nVersion-From: " + "0" * 40,
    "x\r\n\r\nVersion-Kind: delete",
    "---",
    "--- x",
    "---\n",
    "# comment",
    "x\u2028Version-Kind: delete\x85y\x0bz\x0c",
    "\x1b[31mred",
    "‮evil",
    "",
    " ",
    "y" * 500,
    "日本語の名前" * 30,
    "\ud800 lone",
    "Signed-off-by: A <a@b>",
    "[secret hidden]",
    "(cherry picked from commit 0)",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_forges_a_trailer(tmp_path: Path, name: str) -> None:
    made = history(tmp_path / "v")
    git = Git(made.path)
    for version in (
        flow(name=name),
        flow(name=name, label=name),
        flow("Other.", name=name, label=name, more=(node("other_0", name),)),
        flow("Other.", name="plain"),
    ):
        saved = made.save(version, author=MIKA, time=NOW)
        if saved is None:
            continue
        found = trailers(git)
        keys = [line.partition(":")[0] for line in found]
        assert keys[:3] == ["Version-Flow", "Version-Kind", "Version-Name"]
        assert keys[3:] in ([], ["Version-Hidden"])
        assert found[:2] == [f"Version-Flow: {BAKERY}", f"Version-Kind: {saved.kind.value}"]
        subject = git.run("log", "-1", "--format=%B").split(b"\n")[0].decode()
        assert 0 < len(subject) <= 72
        assert subject == saved.subject
    kinds = [version.kind for version in made.versions(BAKERY)]
    assert VersionKind.DELETE not in kinds
    assert kinds[-1] is VersionKind.CREATE
    assert len(kinds) == int(git.text("rev-list", "--count", "main")) - 1
    check_whole(made)


@pytest.mark.parametrize("flow_id", ["a: b", "x\nVersion-Kind: delete", "..", "y" * 300, "日本"])
def test_no_id_forges_a_trailer(tmp_path: Path, flow_id: str) -> None:
    made = history(tmp_path / "v")
    made.save(flow(id=flow_id), author=MIKA, time=NOW)
    made.save(flow("Other.", id=flow_id), author=MIKA, time=NOW)
    assert [version.kind.value for version in made.versions(flow_id)] == ["save", "create"]
    assert [entry.id for entry in made.flows()] == [flow_id]
    assert made.read(flow_id).flow["id"] == flow_id
    assert len(trailers(Git(made.path))) == 3
    check_whole(made)


def test_what_others_commit_is_no_version_of_a_flow(tmp_path: Path) -> None:
    made = history(tmp_path / "v")
    made.save(flow(), author=MIKA, time=NOW)
    git = Git(made.path)
    tree = git.text("rev-parse", "main^{tree}")
    for message in (
        "by hand",
        f"by hand\n\nVersion-Flow: {BAKERY}\nVersion-Kind: other",
        f"by hand\n\nVersion-Flow: {BAKERY}\nVersion-Kind: save\n\nmore text",
        f"by hand\n\nVersion-Flow: {BAKERY}\nVersion-Kind: save\nVersion-Hidden: x",
    ):
        commit = git.commit(tree, git.text("rev-parse", "main"), message=message)
        git.run("update-ref", "refs/heads/main", commit)
    assert [version.kind.value for version in made.versions(BAKERY)] == ["create"]


def test_the_most_telling_change_comes_first() -> None:
    old = write_flow(flow(more=(node("chat_0", "Chat", temperature=1), node("gone_0", "Gone"))))
    new = write_flow(
        flow("You bake.", more=(node("chat_0", "Chat", temperature=2), node("new_0", "New")))
    )
    change = describe_change(old, new)
    assert change.subject == "Changed System Message on Conversation Chain"
    assert change.body == ("Added New", "Removed Gone", "Changed Temperature on Chat")
    japanese = describe_change(old, new, language="ja")
    assert japanese.subject == "Conversation Chain の System Message を変更"
    assert len(japanese.body) == 3


def test_a_credential_is_told_by_its_names() -> None:
    keys = [f"6b1f2a52-9f0e-4c3a-8a4e-1d2c3b4a5f6{number}" for number in range(2)]
    known = {
        key: Credential(name=name, credential_name="openAIApi")
        for key, name in zip(keys, ("OpenAI main", "OpenAI test"), strict=True)
    }

    def files(key: str, temperature: int = 1) -> dict[str, bytes]:
        chat = node("chat_0", "Chat", temperature=temperature, FLOWISE_CREDENTIAL_ID=key)
        chat["data"]["credential"] = key
        return write_flow(flow(more=(chat,)), credentials=known)

    def said(old: dict[str, bytes], new: dict[str, bytes]) -> tuple[str, ...]:
        english, japanese = describe_change(old, new), describe_change(old, new, language="ja")
        assert english.body == japanese.body == ()
        return english.subject, japanese.subject

    assert said(files(keys[0]), files(keys[1])) == (
        "Changed Chat: credential changed (OpenAI main → OpenAI test)",
        "変更: Chat: 認証情報を変更(OpenAI main → OpenAI test)",
    )
    assert said(files(""), files(keys[1])) == (
        "Changed Chat: credential set (OpenAI test)",
        "変更: Chat: 認証情報を設定(OpenAI test)",
    )
    both = describe_change(files(keys[0]), files("", temperature=2))
    assert both.subject == "Changed Temperature on Chat"
    assert both.body == ("Changed Chat: credential removed (OpenAI main)",)


def test_subjects_and_records_name_inputs_alike() -> None:
    old, new = write_flow(flow()), write_flow(flow("You bake."))
    paths = [{f"flows/bakery/{path}": text for path, text in files.items()} for files in (old, new)]
    record = change_record(*paths, format="flow")
    assert render(record) == "Changed Conversation Chain: parameters (System Message)"
    (parameter,) = record.nodes[0].parameters
    assert (parameter.name, parameter.label) == ("systemMessagePrompt", "System Message")
    assert describe_change(old, new).subject == "Changed System Message on Conversation Chain"


def test_what_only_moved_is_said_so() -> None:
    moved = node("chat_0", "Chat")
    moved["position"] = {"x": 500, "y": 1}
    old = write_flow(flow(more=(node("chat_0", "Chat"),)))
    change = describe_change(old, write_flow(flow(more=(moved,))))
    assert change.subject == "1 node moved"
    assert change.body == ()


def test_a_long_body_is_counted() -> None:
    nodes = tuple(node(f"chat_{number}", f"Chat {number:03}") for number in range(100))
    change = describe_change(write_flow(flow()), write_flow(flow(more=nodes)))
    assert change.subject == "Added Chat 000"
    assert len(change.body) == 31
    assert change.body[-1] == "and 69 more"
