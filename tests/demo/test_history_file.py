"""The history file's typed form, its schema, and the repositories made from it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import jsonschema
import msgspec
import pytest

from versiondiff import history_file
from versiondiff.demo import NAME, cas_a
from versiondiff.errors import InvalidInput, VersionDiffError

ROOT = Path(__file__).resolve().parents[2]


def shipped() -> bytes:
    return (ROOT / "python/versiondiff/demo" / NAME).read_bytes()


def documented() -> bytes:
    page = (ROOT / "docs/history-file.md").read_text(encoding="utf-8")
    found = re.search(r"^```json HistoryFile\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1].encode()


def schema() -> dict[str, object]:
    path = ROOT / "docs/schema/history-file.schema.json"
    value: dict[str, object] = json.loads(path.read_bytes())
    return value


def git(place: Path, *arguments: str) -> str:
    command = ["git", "-C", str(place), *arguments]
    environment = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "PATH": PATH}
    ran = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return ran.stdout


PATH = "/usr/local/bin:/usr/bin:/bin"


@pytest.mark.parametrize("data", [shipped(), documented()], ids=["demo", "documentation"])
def test_what_is_shipped_and_shown_fits_the_schema_and_makes_a_repository(
    data: bytes, tmp_path: Path
) -> None:
    jsonschema.Draft202012Validator(schema()).validate(json.loads(data))
    history = history_file.decode(data)
    created = history_file.create_repository(tmp_path / "project", data)
    assert created.head == history.head
    assert set(created.versions) == {version.key for version in history.versions}
    assert set(created.tags) == set(history.tags)
    git(tmp_path / "project", "fsck", "--strict")
    assert git(tmp_path / "project", "status", "--porcelain") == ""


def test_ids_depend_on_the_file_alone(tmp_path: Path) -> None:
    first = history_file.create_repository(tmp_path / "a", shipped())
    second = history_file.create_repository(tmp_path / "b", history_file.encode(cas_a()))
    assert first == second


def test_the_demo_is_what_its_story_says() -> None:
    script = [sys.executable, str(ROOT / "docs/demo/cas_a.py")]
    written = subprocess.run(script, capture_output=True, check=True, env={"PYTHONUTF8": "1"})
    assert written.stdout == shipped(), "run docs/demo/cas_a.py again"


def test_encoding_and_decoding_keep_everything() -> None:
    history = cas_a()
    assert history_file.decode(history_file.encode(history)) == history


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"runs": []}, "history file: Object contains unknown field `runs`"),
        ({"head": 1}, "history file: Expected `str`, got `int` - at `$.head`"),
        ({"versions": [{"key": "a"}]}, "missing required field `message` - at `$.versions[0]`"),
    ],
)
def test_a_wrong_field_is_named_with_its_place(change: dict[str, object], message: str) -> None:
    value = json.loads(shipped()) | change
    with pytest.raises(InvalidInput) as raised:
        history_file.decode(msgspec.json.encode(value))
    assert message in str(raised.value)


def test_a_broken_rule_is_named_with_its_place_and_nothing_is_made(tmp_path: Path) -> None:
    history = msgspec.structs.replace(cas_a(), head="nowhere")
    with pytest.raises(InvalidInput, match="history file: head: is none of the branches"):
        history_file.create_repository(tmp_path / "project", history)
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine", encoding="utf-8")
    with pytest.raises(VersionDiffError, match="is not an empty folder"):
        history_file.create_repository(tmp_path, shipped())
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


@pytest.mark.parametrize("path", ["../a", "/a", ".git/config", ".GIT/x", "a//b", "a\0b"])
def test_no_path_leaves_the_project(path: str, tmp_path: Path) -> None:
    history = cas_a()
    first = history.versions[0]
    first = msgspec.structs.replace(first, files={**first.files, path: "x"})
    history = msgspec.structs.replace(history, versions=(first, *history.versions[1:]))
    with pytest.raises(InvalidInput, match='version "load": file '):
        history_file.create_repository(tmp_path / "project", history)
    assert list(tmp_path.iterdir()) == []
