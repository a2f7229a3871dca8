"""The commands over a small repository, run as a person runs them, but in pipes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from subprocess import run as run_git
from typing import TYPE_CHECKING

import msgspec
import pytest

from versiondiff.records import ChangeRecord, VersionRecord

if TYPE_CHECKING:
    from collections.abc import Callable
    from subprocess import CompletedProcess

    Run = Callable[..., CompletedProcess[str]]


def without_ids(text: str) -> str:
    """Ids of commits replaced: they follow from the content, but say nothing to a reader."""
    lines = text.split("\n")
    return "\n".join(
        f"<id>{line[10:]}" if line[10:12] == "  " and line[:1] != " " else line for line in lines
    )


LOG_EN = """\
<id>  2026-11-04T12:12:00Z  Aki  Pin nixpkgs  (HEAD -> main)
    Added grid
    Workflow settings: nixpkgs pinned
    Comment resolved on bands by the Agent (changed bands)
    Warning: definitions/grid/_card.json (new version): not readable, line 1, column 3: \
expected a name in quotes

<id>  2026-11-04T11:12:00Z  Aki  Tune the bands
    Changed bands: definition, source (main.py), parameters (hi, lo), wiring (events from load)
    Comment added on bands by the user

<id>  2026-11-04T10:12:00Z  Aki  First version
    Added bands
    Added load
    Workflow settings: formatVersion, name, settings, trigger
"""


def test_log_says_what_every_version_changed(run: Run, repository: Path) -> None:
    done = run("log", repository)
    assert without_ids(done.stdout) == LOG_EN
    assert done.stderr == "format: tsugumi\n"
    assert done.returncode == 0


def test_log_is_plain_in_a_pipe(run: Run, repository: Path) -> None:
    assert "\x1b" not in run("log", repository).stdout
    assert "\x1b[32mAdded load\x1b[m" in run("log", repository, "--color", "always").stdout


def test_log_names_no_format_that_was_given(run: Run, repository: Path) -> None:
    assert run("log", repository, "--format", "tsugumi").stderr == ""


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, "Added load"),
        ({"LANG": "ja_JP.UTF-8"}, "追加: load"),
        ({"LANG": "ja_JP.UTF-8", "LC_ALL": "C.UTF-8"}, "Added load"),
        ({"LANG": "fr_FR.UTF-8", "LC_MESSAGES": "ja"}, "追加: load"),
    ],
)
def test_log_speaks_the_language_of_the_environment(
    run: Run, repository: Path, environment: dict[str, str], expected: str
) -> None:
    utf_8 = {"PYTHONIOENCODING": "utf-8"}
    done = run("log", repository, "--reverse", environment=environment | utf_8)
    assert expected in done.stdout.split("\n")[2]


def test_log_speaks_the_language_that_was_asked_for(run: Run, repository: Path) -> None:
    done = run("log", repository, "--language", "ja", "-n", "1")
    assert "    ワークフロー設定: nixpkgs を固定\n" in done.stdout
    assert "    Agent が bands のコメントを解決(変更: bands)\n" in done.stdout


def test_json_is_the_documented_record_a_line(run: Run, repository: Path) -> None:
    done = run("log", repository, "--json")
    lines = done.stdout.encode().splitlines()
    records = [msgspec.json.decode(line, type=VersionRecord) for line in lines]
    subjects = [record.version.subject for record in records]
    assert subjects == ["Pin nixpkgs", "Tune the bands", "First version"]
    assert [msgspec.json.encode(record) for record in records] == lines


def test_versions_can_be_chosen(run: Run, repository: Path) -> None:
    def subjects(*arguments: str) -> list[str]:
        lines = run("log", repository, "--json", *arguments).stdout.splitlines()
        return [json.loads(line)["version"]["subject"].split()[0] for line in lines]

    assert subjects() == ["Pin", "Tune", "First"]
    assert subjects("--reverse") == ["First", "Tune", "Pin"]
    assert subjects("-n", "2") == ["Pin", "Tune"]
    assert subjects("--reverse", "--count", "1") == ["First"]
    assert subjects("--range", "main~2..main~1") == ["Tune"]
    assert subjects("--range", "main~1") == ["Tune", "First"]
    assert subjects("--paths", "definitions/load") == ["First"]


def test_limit_cuts_what_a_record_shows(run: Run, repository: Path) -> None:
    shown = run("log", repository, "--limit", "1", "--reverse", "-n", "1").stdout.split("\n")
    assert shown[1:4] == [
        "    Added bands",
        "    and 1 more",
        "    Workflow settings: formatVersion and 3 more",
    ]


def test_show_says_all_about_a_version(run: Run, repository: Path) -> None:
    done = run("show", "main~1", "--repo", repository)
    heading, parents, *rest = done.stdout.split("\n")
    assert heading.startswith("Version: ")
    assert parents.startswith("Parents: ")
    assert len(heading) == len(parents) == 9 + 40
    assert rest == [
        "Author:  Aki <aki@example.org>",
        "Date:    2026-11-04T11:12:00Z",
        "",
        "    Tune the bands",
        "",
        "    The soft band was too wide:",
        "            0.5 to 1.2 keV is enough.",
        "",
        "Changed bands: definition, source (main.py), parameters (hi, lo), "
        "wiring (events from load)",
        "Comment added on bands by the user",
        "",
    ]


def test_what_a_repository_says_can_not_redraw_the_screen(
    run: Run, hostile_repository: Path
) -> None:
    assert without_ids(run("log", hostile_repository).stdout).split("\n")[0] == (
        "<id>  2026-11-04T10:12:00Z  Aki \ufffdiverse  Tune \ufffd[31mthe bands\ufffd[0m"
        "  (HEAD -> main)"
    )
    assert run("show", "main", "--repo", hostile_repository).stdout.split("\n")[1:9] == [
        "Author:  Aki \ufffdiverse <aki@example.org>",
        "Date:    2026-11-04T10:12:00Z",
        "",
        "    Tune \ufffd[31mthe bands\ufffd[0m",
        "",
        "    More\ufffd[2J",
        "    \ufffdof it",
        "",
    ]


def git(repository: Path, *arguments: str) -> str:
    done = run_git(["git", "-C", str(repository), *arguments], check=True, capture_output=True)
    return done.stdout.decode().strip()


def test_a_version_that_can_not_be_read_says_so_in_its_place(
    run: Run, repository: Path, tmp_path: Path
) -> None:
    broken = Path(shutil.copytree(repository, tmp_path / "broken.git"))
    blob = git(broken, "rev-parse", "main~1:definitions/bands/_card.json")
    (broken / "objects" / blob[:2] / blob[2:]).unlink()
    done = run("log", broken)
    versions = without_ids(done.stdout).split("\n\n")
    assert len(versions) == 3
    # Where the object is the old side as well as where it is the new one.
    for version in versions[:2]:
        assert f"\n    Not compared: object {blob} of definitions/bands/_card.json" in version
    assert versions[2].endswith("settings, trigger\n")
    assert done.returncode == 0
    assert run("show", "main~1", "--repo", broken).returncode == 2


def test_a_version_whose_parents_are_not_there_says_so(
    run: Run, repository: Path, tmp_path: Path
) -> None:
    shallow = tmp_path / "shallow.git"
    git(tmp_path, "clone", "-q", "--bare", "--depth=1", f"file://{repository}", str(shallow))
    done = run("log", shallow, "--language", "en")
    assert "\n    Added load\n" in done.stdout
    assert "\n    Warning: its parents are not in this shallow repository" in done.stdout


def test_show_as_json_is_what_log_prints(run: Run, repository: Path) -> None:
    shown = run("show", "main", "--repo", repository, "--json").stdout
    assert shown == run("log", repository, "--json", "-n", "1").stdout


def test_diff_of_revisions(run: Run, repository: Path) -> None:
    done = run("diff", "main~2", "main~1", "--repo", repository)
    assert done.stdout.startswith("Changed bands: ")
    assert done.returncode == 0
    assert run("diff", "main~2", "main~1", "--repo", repository, "--exit-code").returncode == 1
    same = run("diff", "main", "main", "--repo", repository, "--exit-code")
    assert (same.stdout, same.returncode) == ("No changes\n", 0)


def written(folder: Path, files: dict[str, bytes]) -> Path:
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    return folder


def test_diff_of_directories(run: Run, tmp_path: Path) -> None:
    card = b'{"name": "load", "parameters": {}}'
    old = written(tmp_path / "a", {"tsugumi.json": b"{}", "definitions/l/_card.json": card})
    new = written(tmp_path / "b", {"tsugumi.json": b"{}"})
    done = run("diff", old, new, "--exit-code")
    assert (done.stdout, done.returncode) == ("Removed load\n", 1)
    record = msgspec.json.decode(run("diff", old, new, "--json").stdout, type=ChangeRecord)
    assert [node.name for node in record.nodes] == ["load"]


def flow(label: str) -> bytes:
    node = {
        "id": "llm_0",
        "type": "customNode",
        "position": {"x": 0, "y": 0},
        "data": {"id": "llm_0", "label": label, "name": "llm", "version": 1, "inputs": {}},
    }
    return json.dumps({"nodes": [node], "edges": []}).encode()


def test_diff_of_files_is_of_one_flow_however_they_are_called(run: Run, tmp_path: Path) -> None:
    written(tmp_path, {"old.json": flow("LLM"), "new.json": flow("Chat Model")})
    done = run("diff", "old.json", "new.json", cwd=tmp_path)
    assert done.stdout == "Changed Chat Model: renamed from LLM to Chat Model\n"
    assert done.stderr == "format: flowise\n"


def test_diff_of_a_directory_with_a_file_is_refused(run: Run, tmp_path: Path) -> None:
    written(tmp_path, {"a/x.json": b"{}", "b.json": b"{}"})
    done = run("diff", "a", "b.json", cwd=tmp_path)
    assert done.stderr == "versiondiff: a and b.json: one is a directory and the other is not\n"
    assert done.returncode == 2
