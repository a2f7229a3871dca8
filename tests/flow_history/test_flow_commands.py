"""`versiondiff flow`, as it is typed."""

from __future__ import annotations

import json
import multiprocessing
import os
import sys
from typing import TYPE_CHECKING

import pytest

from flow_history.sample_flows import BAKERY, check_whole, flow, node, prompt_of
from oracle.repositories import Git
from versiondiff.cli import main
from versiondiff.flows.history import FlowHistory

if TYPE_CHECKING:
    from multiprocessing.synchronize import Barrier
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


def test_a_file_with_an_error_is_named(tmp_path: Path, typed: Typed) -> None:
    (tmp_path / "broken.json").write_text('{"nodes": [],\n "edges": }')
    write(tmp_path / "no-id.json", flow() | {"id": 5})
    write(tmp_path / "secret.json", flow(name=KEY))
    for file, said in (
        ("broken.json", "broken.json: no JSON at line 2, column 11"),
        ("no-id.json", "no-id.json: flow: has no id"),
        ("secret.json", "secret.json: flow.json: holds what looks secret"),
    ):
        typed("save", "bakery.json", file, "--repo", "v", "--bare", *WHO, code=2)
        assert said in typed.aside
        assert KEY not in typed.aside
    typed("show", BAKERY, "--repo", "v", "--current", "broken.json", code=2)
    assert "broken.json: no JSON at line 2, column 11" in typed.aside


@pytest.mark.parametrize("name", ["Mail @ home", "@", "a@", "@a", "Bakery helper@HEAD"])
def test_a_name_may_hold_what_divides_it_from_a_version(
    tmp_path: Path, typed: Typed, name: str
) -> None:
    write(tmp_path / "mail.json", flow("Old.", id="mail", name=name))
    typed("save", "bakery.json", "mail.json", "--repo", "v", "--bare", *WHO)
    write(tmp_path / "mail.json", flow("New.", id="mail", name=name))
    typed("save", "mail.json", "--repo", "v", *WHO)
    assert prompt_of(json.loads(typed("show", name, "--repo", "v"))) == "New."
    assert prompt_of(json.loads(typed("show", f"{name}@main~1", "--repo", "v"))) == "Old."


def test_a_flow_has_to_be_named(typed: Typed) -> None:
    typed("save", "bakery.json", "--repo", "v", "--bare", *WHO)
    for arguments in (("log", ""), ("show", ""), ("show", "@main")):
        typed(*arguments, "--repo", "v", code=2)
        assert "none is named" in typed.aside


def test_no_other_flow_is_taken_for_the_current_one(tmp_path: Path, typed: Typed) -> None:
    typed("save", "bakery.json", "--repo", "v", "--bare", *WHO)
    before = Git(tmp_path / "v").text("rev-parse", "main")
    write(tmp_path / "other.json", flow("Other.", id="other"))
    write(tmp_path / "several.json", {"ChatFlow": [flow("Other."), flow(id="other")]})
    for file, said in (("other.json", "is another flow"), ("several.json", "several flows")):
        for command in (("show", BAKERY), ("restore", f"{BAKERY}@main")):
            typed(*command, "--repo", "v", "--current", file, code=2)
            assert f"{file}: " in typed.aside
            assert said in typed.aside
    write(tmp_path / "sketch.json", json.loads(flow("Other.")["flowData"]))
    typed("show", BAKERY, "--repo", "v", "--current", "sketch.json")
    assert Git(tmp_path / "v").text("rev-parse", "main") == before


def test_a_file_that_is_replaced_keeps_its_mode_and_its_links(tmp_path: Path, typed: Typed) -> None:
    typed("save", "bakery.json", "--repo", "v", "--bare", *WHO)
    write(tmp_path / "bakery.json", flow("You bake."))
    typed("save", "bakery.json", "--repo", "v", *WHO)
    (tmp_path / "bakery.json").chmod(0o640)
    (tmp_path / "link.json").symlink_to("bakery.json")
    options = ("--repo", "v", "--current", "link.json", "-o")
    typed("restore", f"{BAKERY}@main~1", *options, "link.json", *WHO)
    assert prompt_of(json.loads((tmp_path / "bakery.json").read_text())) == "You help a baker."
    assert (tmp_path / "bakery.json").stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "link.json").is_symlink()


@pytest.mark.parametrize("place", ["nowhere/file.json", "folder"])
def test_where_a_flow_can_not_be_written_no_version_is_made(
    tmp_path: Path, typed: Typed, place: str
) -> None:
    (tmp_path / "folder").mkdir()
    typed("save", "bakery.json", "--repo", "v", "--bare", *WHO)
    write(tmp_path / "bakery.json", flow("You bake."))
    typed("save", "bakery.json", "--repo", "v", *WHO)
    before = Git(tmp_path / "v").text("rev-parse", "main")
    options = ("--repo", "v", "--current", "bakery.json", "-o", place)
    typed("restore", f"{BAKERY}@main~1", *options, *WHO, code=2)
    assert place in typed.aside
    assert Git(tmp_path / "v").text("rev-parse", "main") == before


def test_one_of_a_bulk_export_stops_no_other(tmp_path: Path, typed: Typed) -> None:
    bulk = [
        flow(id="id-1"),
        flow(id="id-2", name=KEY),
        flow(id="id-3"),
        flow(id="id-4") | {"id": 4},
    ]
    write(tmp_path / "bulk.json", {"ChatFlow": bulk})
    out = typed("import", "bulk.json", "--repo", "v", "--bare", *WHO, code=2)
    assert out == "2 versions made, 0 unchanged, 2 not imported\n"
    assert typed.aside.count("bulk.json: ") == 2
    assert KEY not in typed.aside
    listed = [line.split("  ") for line in typed("list", "--repo", "v").splitlines()]
    assert [row[0] for row in listed] == ["id-1", "id-3"]


def test_exports_of_one_name_are_not_versions_of_one_flow(tmp_path: Path, typed: Typed) -> None:
    for folder in ("first", "second"):
        (tmp_path / "many" / folder).mkdir(parents=True)
        sketch = json.loads(flow(folder)["flowData"])
        write(tmp_path / "many" / folder / "sketch.json", sketch)
    out = typed("import", "many", "--repo", "v", "--bare", *WHO, code=2)
    assert out == "1 versions made, 0 unchanged, 1 not imported\n"
    assert "many/second/sketch.json: " in typed.aside
    assert "many/first/sketch.json" in typed.aside
    assert prompt_of_nodes(typed("show", "sketch", "--repo", "v")) == "first"


def prompt_of_nodes(written: str) -> str:
    prompt: str = json.loads(written)["nodes"][0]["data"]["inputs"]["systemMessagePrompt"]
    return prompt


def begin(folder: Path, number: int, options: tuple[str, ...], start: Barrier) -> None:
    os.chdir(folder)
    start.wait(30)
    sys.exit(main(["flow", "save", f"{number}.json", "--repo", "v", *options, *WHO]))


@pytest.mark.parametrize("options", [("--bare",), ()])
def test_several_may_begin_a_history_at_once(tmp_path: Path, options: tuple[str, ...]) -> None:
    if not options:
        pytest.importorskip("pygit2")
    context = multiprocessing.get_context("fork")
    start = context.Barrier(4)
    programs = []
    for number in range(4):
        write(tmp_path / f"{number}.json", flow(id=f"id-{number}"))
        programs.append(context.Process(target=begin, args=(tmp_path, number, options, start)))
        programs[-1].start()
    for program in programs:
        program.join()
    assert [program.exitcode for program in programs] == [0] * 4
    made = FlowHistory.open(tmp_path / "v")
    assert sorted(entry.id for entry in made.flows()) == [f"id-{number}" for number in range(4)]
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_dir()) == ["v"]
    check_whole(made)
