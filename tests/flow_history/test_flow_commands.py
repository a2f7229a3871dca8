"""`versiondiff flow`, as it is typed."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from flow_history.sample_flows import BAKERY, check_whole, flow, node, prompt_of
from oracle.repositories import Git
from versiondiff.cli import main
from versiondiff.flows.history import FlowHistory

if TYPE_CHECKING:
    from pathlib import Path

KEY = "sk-proj-Zx9Kq2Lm7Vb4Nc8Rt5Yw1Hs6Jd3Fg0PoIuTe"
WHO = ("--author", "Mika Sato <mika@example.org>", "--time", "1793787120")


class Typed:
    """What commands wrote."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: str, code: int = 0) -> str:
        assert main(["flow", *arguments]) == code
        captured = self._capsys.readouterr()
        self.aside = captured.err
        return captured.out


@pytest.fixture
def typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Typed:
    monkeypatch.chdir(tmp_path)
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(variable, raising=False)
    write(tmp_path / "bakery.json", flow())
    return Typed(capsys)


def write(path: Path, content: object) -> None:
    path.write_text(json.dumps(content))


@pytest.mark.parametrize("options", [("--bare",), ()])
def test_a_flow_is_saved_listed_shown_and_restored(
    tmp_path: Path, typed: Typed, options: tuple[str, ...]
) -> None:
    if not options:
        pytest.importorskip("pygit2")
    saved = typed("save", "bakery.json", "--repo", "v", *options, *WHO)
    assert saved.startswith("Bakery helper: version ")
    assert saved.endswith(", Created Bakery helper\n")
    first = Git(tmp_path / "v").text("rev-parse", "main")
    assert typed("save", "bakery.json", "--repo", "v", *WHO) == "Bakery helper: nothing changed\n"
    write(tmp_path / "bakery.json", flow("You bake."))
    typed("save", "bakery.json", "--repo", "v", *WHO)
    assert typed("list", "--repo", "v") == (
        f"{BAKERY}  Bakery helper  flows/bakery-helper--1f2e3d4c\n"
    )
    log = typed("log", "Bakery helper", "--repo", "v")
    assert "save  Changed System Message on Conversation Chain" in log
    assert "Mika Sato, 2026-11-04T10:12:00Z" in log
    rows = [json.loads(line) for line in typed("log", BAKERY, "--repo", "v", "--json").splitlines()]
    assert [row["kind"] for row in rows] == ["save", "create"]
    assert len(typed("log", "1f2e", "--repo", "v", "--json", "-n", "1").splitlines()) == 1
    shown = typed("show", f"{BAKERY}@{first}", "--repo", "v")
    assert prompt_of(json.loads(shown)) == "You help a baker."
    assert prompt_of(json.loads(typed("show", BAKERY, "--repo", "v"))) == "You bake."
    typed(
        "restore", f"Bakery helper@{first[:8]}", "--current", "bakery.json", "--repo", "v",
        "-o", "back.json", *WHO,
    )  # fmt: skip
    assert prompt_of(json.loads((tmp_path / "back.json").read_text())) == "You help a baker."
    assert f"Restored version {first[:7]} of Bakery helper" in typed.aside
    check_whole(FlowHistory.open(tmp_path / "v"))


def test_an_export_goes_by_the_name_of_its_file(tmp_path: Path, typed: Typed) -> None:
    write(tmp_path / "sketch.json", json.loads(flow("Old.")["flowData"]))
    typed("save", "sketch.json", "--repo", "v", "--bare", *WHO)
    first = Git(tmp_path / "v").text("rev-parse", "main")
    write(tmp_path / "sketch.json", json.loads(flow("New.")["flowData"]))
    typed("save", "sketch.json", "--repo", "v", *WHO)
    back = typed("restore", f"sketch@{first}", "--current", "sketch.json", "--repo", "v", *WHO)
    restored = json.loads(back)
    assert restored["nodes"][0]["data"]["inputs"]["systemMessagePrompt"] == "Old."
    assert len(typed("log", "sketch", "--repo", "v", "--json").splitlines()) == 3
    assert len(FlowHistory.open(tmp_path / "v").flows()) == 1


def test_what_does_not_come_back_is_said(tmp_path: Path, typed: Typed) -> None:
    secret = node("chat_0", "Chat", openAIApiKey=KEY)
    secret["data"]["inputParams"].append(
        {"label": "Key", "name": "openAIApiKey", "type": "password"}
    )
    write(tmp_path / "bakery.json", flow(more=(secret,)))
    typed("save", "bakery.json", "--repo", "v", "--bare", *WHO)
    shown = typed("show", BAKERY, "--repo", "v")
    assert KEY not in shown
    assert "chat_0: openAIApiKey was not brought back" in typed.aside
    assert KEY in typed("show", BAKERY, "--repo", "v", "--current", "bakery.json")
    assert typed.aside == ""


def test_credentials_are_written_by_name(tmp_path: Path, typed: Typed) -> None:
    key = "0a1b2c3d-0000-4000-8000-00000000000a"
    chat = node("chat_0", "Chat")
    chat["data"]["credential"] = key
    write(tmp_path / "bakery.json", flow(more=(chat,)))
    write(tmp_path / "names.json", {key: {"name": "OpenAI main", "credentialName": "openAIApi"}})
    typed("save", "bakery.json", "--repo", "v", "--bare", "--credentials", "names.json", *WHO)
    written = Git(tmp_path / "v").text("log", "-p", "main")
    assert "OpenAI main" in written
    assert key not in written
    typed("save", "bakery.json", "--repo", "v", "--credentials", "bakery.json", *WHO, code=2)
    assert "no names of credentials" in typed.aside


def test_folders_and_bulk_exports_are_imported(tmp_path: Path, typed: Typed) -> None:
    (tmp_path / "many" / "below").mkdir(parents=True)
    for number in range(3):
        write(tmp_path / "many" / "below" / f"{number}.json", flow(id=f"id-{number}", name="One"))
    (tmp_path / "many" / "broken.json").write_text("{")
    write(tmp_path / "many" / "sketch.json", json.loads(flow()["flowData"]))
    write(tmp_path / "bulk.json", {"AgentFlow": [flow(id="id-7"), flow(id="id-8")], "Tool": []})
    out = typed("import", "many", "bulk.json", "--repo", "v", "--bare", *WHO, code=2)
    assert out == "6 versions made, 0 unchanged, 1 not imported\n"
    assert typed.aside.startswith("many/broken.json: not imported: ")
    listed = [line.split("  ") for line in typed("list", "--repo", "v").splitlines()]
    assert sorted(row[0] for row in listed) == ["id-0", "id-1", "id-2", "id-7", "id-8", "sketch"]
    os.unlink("many/broken.json")  # noqa: PTH108
    out = typed("import", "many", "bulk.json", "--repo", "v", "--verbose", *WHO)
    assert out.endswith("0 versions made, 6 unchanged, 0 not imported\n")
    assert len(out.splitlines()) == 7
    check_whole(FlowHistory.open(tmp_path / "v"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("list", "--repo", "nowhere"), "no git repository"),
        (("log", "nothing", "--repo", "v"), "flow nothing: has no version"),
        (("show", "nothing", "--repo", "v"), "flow nothing: is not in version"),
        (("show", f"{BAKERY}@nothing", "--repo", "v"), "nothing"),
        (("restore", BAKERY, "--current", "bakery.json", "--repo", "v"), "needs a version"),
        (("save", "nothing.json", "--repo", "v"), "no such file"),
        (("import", "nothing", "--repo", "v"), "no such file or folder"),
        (("save", "twice.json", "--repo", "v"), "no flow"),
    ],
)
def test_what_goes_wrong_is_said_in_a_line(
    tmp_path: Path, typed: Typed, arguments: tuple[str, ...], said: str
) -> None:
    write(tmp_path / "twice.json", [1])
    typed("save", "bakery.json", "--repo", "v", "--bare", *WHO)
    assert typed(*arguments, code=2) == ""
    assert said in typed.aside
    assert typed.aside.count("\n") == 1


def test_a_name_of_several_flows_is_refused(tmp_path: Path, typed: Typed) -> None:
    write(tmp_path / "other.json", flow(id="other"))
    typed("save", "bakery.json", "other.json", "--repo", "v", "--bare", *WHO)
    typed("log", "Bakery helper", "--repo", "v", code=2)
    assert "2 go by that name" in typed.aside
