"""Versions made and gone back to from the command line, and what it shows of their runs."""

from __future__ import annotations

import getpass
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from versiondiff import Repository, history_file
from versiondiff.demo import cas_a
from versiondiff.runs import RunLine, RunResult, parse_run_line, run_line

if TYPE_CHECKING:
    from collections.abc import Callable
    from subprocess import CompletedProcess

    Run = Callable[..., CompletedProcess[str]]

WHO = ("--author", "Mika <mika@example.org>")
UTF_8 = {"PYTHONIOENCODING": "utf-8"}
ID = "3f2a9c1e-5b7d-4e0a-9c41-7d20b6a1f3c8"


def git(place: Path, *arguments: str) -> str:
    environment = {
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "PATH": os.environ["PATH"],
    }
    command = ["git", "-C", str(place), *arguments]
    return subprocess.run(
        command, check=True, capture_output=True, encoding="utf-8", env=environment
    ).stdout


def write(project: Path, card: str, **parameters: int) -> None:
    """Write a Card of a project."""
    folder = project / "definitions" / card
    folder.mkdir(parents=True, exist_ok=True)
    values = {key: {"type": "int", "value": value} for key, value in parameters.items()}
    (folder / "_card.json").write_text(
        json.dumps({"name": card, "kind": "process", "parameters": values})
    )


@pytest.fixture(scope="session")
def template(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with one version, made at 10:00."""
    folder = tmp_path_factory.mktemp("template") / "cas-a"
    folder.mkdir()
    (folder / "tsugumi.json").write_text('{"formatVersion": 1, "name": "Cas A"}\n')
    write(folder, "load")
    (folder / ".tsugumi").mkdir()
    (folder / ".tsugumi/state").write_text("state")
    done = run("start", folder, *WHO, "--time", "2026-11-04T10:00:00Z")
    assert (done.returncode, done.stderr) == (0, "")
    return folder


@pytest.fixture
def project(template: Path, tmp_path: Path) -> Path:
    """A copy of it, to write to."""
    return Path(shutil.copytree(template, tmp_path / "cas-a", symlinks=True))


# ── start ───────────────────────────────────────────────────────────────────────────────────────


def test_start_makes_a_repository_with_a_first_version(run: Run, project: Path) -> None:
    assert git(project, "log", "--format=%an %ae %at %s") == (
        "Mika mika@example.org 1793786400 Start Versioning\n"
    )
    assert git(project, "status", "--porcelain", "--ignored") == "!! .tsugumi/\n"
    head = git(project, "rev-parse", "HEAD")
    again = run("start", cwd=project)
    assert again.stdout == f".: a git repository, at version {head[:10]}\n"
    assert git(project, "rev-parse", "HEAD") == head


def test_start_turns_a_copy_of_a_demo_into_its_history(run: Run, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    history_file.create_repository(copy, cas_a())
    shutil.rmtree(copy / ".git")
    (copy / history_file.FILE_NAME).write_bytes(history_file.encode(cas_a()))
    done = run("start", copy)
    assert (done.returncode, done.stderr) == (0, "")
    assert not (copy / history_file.FILE_NAME).exists()
    assert git(copy, "status", "--porcelain") == ""
    assert len(
        git(
            copy, "log", "--all", "--branches", "--format=%h", "--not", "--glob=refs/notes/*"
        ).splitlines()
    ) == len(cas_a().versions)
    assert "Runs: 1 succeeded, 1 failed" in run("log", copy, "-n", "1").stdout


def test_start_leaves_the_history_of_something_else_alone(run: Run, project: Path) -> None:
    (project / history_file.FILE_NAME).write_bytes(history_file.encode(cas_a()))
    done = run("start", project)
    assert done.returncode == 0
    assert done.stderr == (
        ".tsugumi-history.json is of another history than this repository, and is left alone\n"
    )
    assert (project / history_file.FILE_NAME).exists()


# ── Who and when ────────────────────────────────────────────────────────────────────────────────


def test_who_it_is_comes_from_the_option_the_environment_or_the_login(
    run: Run, project: Path
) -> None:
    hostile = project.parent / "gitconfig"
    hostile.write_text("[user]\nname = Mallory\nemail = mallory@example.org\n")
    base = {"GIT_CONFIG_GLOBAL": str(hostile), "GIT_AUTHOR_NAME": "Mallory", "HOME": "/nowhere"}

    def author(number: int, *arguments: str, **environment: str) -> str:
        write(project, "load", lo=number)
        done = run("run", "start", "load", *arguments, cwd=project, environment=base | environment)
        assert done.returncode == 0, done.stderr
        return git(project, "log", "-1", "--format=%an <%ae> %cn <%ce>").strip()

    own = {"VERSIONDIFF_AUTHOR": "Aki Ito <aki@example.org>"}
    login = getpass.getuser()
    assert author(1) == f"{login} <{login}@localhost> {login} <{login}@localhost>"
    assert author(2, **own) == "Aki Ito <aki@example.org> Aki Ito <aki@example.org>"
    assert author(3, *WHO, **own) == "Mika <mika@example.org> Mika <mika@example.org>"


@pytest.mark.parametrize(
    "wrong", ["Aki", "<aki@example.org>", "Aki <a> <b>", "A\n<a@b>", "Aki <>", ""]
)
def test_an_author_of_another_form_is_refused(run: Run, project: Path, wrong: str) -> None:
    done = run("run", "start", "load", "--author", wrong, cwd=project)
    assert done.returncode == 2
    assert "must be 'Name <email>'" in done.stderr
    if wrong:
        done = run("keep", "v", cwd=project, environment={"VERSIONDIFF_AUTHOR": wrong})
        assert done.returncode == 2
        assert done.stderr == (
            "versiondiff: VERSIONDIFF_AUTHOR in the environment: must be 'Name <email>'\n"
        )


@pytest.mark.parametrize(
    ("time", "seconds"),
    [
        ("1793787120", "1793787120"),
        ("2026-11-04T10:12:00Z", "1793787120"),
        ("2026-11-04 10:12Z", "1793787120"),
        ("2026-11-04T10:12:00+00:00", "1793787120"),
        ("0", "0"),
    ],
)
def test_when_it_is_can_be_said(run: Run, project: Path, time: str, seconds: str) -> None:
    assert run("keep", "v", *WHO, "--time", time, cwd=project).returncode == 0
    tagger = git(project, "for-each-ref", "--format=%(taggerdate:unix)", "refs/tags/v")
    assert tagger == f"{seconds}\n"


@pytest.mark.parametrize(
    "time",
    [
        "now",
        "2026-11-04",
        "2026-11-04T10:12:00",
        "2026-11-04T10:12:00+09:00",
        "2026-13-04T10:12:00Z",
        "1969-12-31T23:59:59Z",
        "-1",
        "1.5",
    ],
)
def test_a_time_of_another_form_is_refused(run: Run, project: Path, time: str) -> None:
    done = run("keep", "v", *WHO, f"--time={time}", cwd=project)
    assert done.returncode == 2
    assert "argument --time: must be seconds since 1970, or a time in UTC" in done.stderr


# ── run ─────────────────────────────────────────────────────────────────────────────────────────


def test_a_run_makes_a_version_only_where_something_changed(run: Run, project: Path) -> None:
    first = git(project, "rev-parse", "HEAD")
    done = run("run", "start", "load", *WHO, cwd=project / "definitions")
    assert (done.stdout, done.stderr) == (first, "nothing changed since the last version\n")
    write(project, "load", lo=1)
    done = run("run", "start", "load", *WHO, "--language", "ja", cwd=project, environment=UTF_8)
    assert done.stdout == git(project, "rev-parse", "HEAD") != first
    assert done.stderr == "版を作りました\n"
    assert git(project, "log", "-1", "--format=%s") == "実行: load\n"


WHOLE = (
    "--status=0", "--seconds=12.34", "--card=load", "--card=bands:3", "--card=rgb",
    f"--id={ID}", "--ended=2026-11-04T10:12:00Z",
)  # fmt: skip
FAILED = (
    "--status=failed", "--seconds=1.8", "--from=bands", "--saved-inputs",
    "--failed=bands:worker_failed", "--not-run=rgb", "--id=7c01d2aa", "--ended=1793787300",
)  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (WHOLE, f"run {ID} succeeded 2026-11-04T10:12:00Z 12.3s whole: load, bands ×3, rgb"),
        (
            FAILED,
            "run 7c01d2aa failed 2026-11-04T10:15:00Z 1.8s from bands (with saved inputs): bands"
            " / failed: bands (worker_failed) / not run: rgb",
        ),
        (
            ("--status=143", "--seconds=3", "--only=rgb", "--stopped=rgb", "--id=r", "--ended=0"),
            "run r stopped 1970-01-01T00:00:00Z 3.0s only rgb: rgb",
        ),
        (
            # A count and a failure of one Card, in any order; names with colons.
            ("--status=1", "--seconds=0", "--failed=bands:x", "--card=bands:2", "--card=a:b",
             "--failed=a:b:", "--card=late", "--id=r", "--ended=0", "--whole"),
            "run r failed 1970-01-01T00:00:00Z 0.0s whole: bands ×2, a:b, late"
            " / failed: bands (x), a:b",
        ),
    ],
)  # fmt: skip
def test_the_end_of_a_run_is_a_line_of_the_note(
    run: Run, project: Path, arguments: tuple[str, ...], line: str
) -> None:
    commit = git(project, "rev-parse", "HEAD").strip()
    done = run("run", "end", commit, *arguments, *WHO, cwd=project, environment=UTF_8)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{line}\n", "")
    assert git(project, "notes", "--ref=tsugumi", "show", commit) == f"{line}\n"
    read = parse_run_line(line)
    assert isinstance(read, RunLine)
    assert read.summary is not None


def test_runs_of_one_version_are_lines_one_below_the_other(run: Run, project: Path) -> None:
    first = run("run", "end", "HEAD", *WHOLE, *WHO, cwd=project, environment=UTF_8)
    second = run("run", "end", "HEAD", *FAILED, *WHO, "--language=ja", cwd=project,
                 environment=UTF_8)  # fmt: skip
    assert "bands から(保存済みの入力で): bands" in second.stdout
    assert git(project, "notes", "--ref=tsugumi", "show") == first.stdout + second.stdout


def test_what_is_not_told_of_a_run_is_found(run: Run, project: Path) -> None:
    done = run("run", "end", "HEAD", "--status=0", "--seconds=1", *WHO,
               "--time=2026-11-04T10:12:00Z", cwd=project)  # fmt: skip
    uuid = r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
    assert re.fullmatch(rf"run {uuid} succeeded 2026-11-04T10:12:00Z 1.0s whole\n", done.stdout)


RESULT = {
    "id": "r1",
    "status": "failed",
    "ended": 1793787300,
    "seconds": 1.8,
    "start": {"type": "from", "card": "bands"},
    "cards": [
        {"name": "bands", "outcome": "failed", "failure": "worker_failed", "saved_inputs": True},
        {"name": "rgb", "outcome": "not_run", "reason": "upstream_failed"},
    ],
}


@pytest.mark.parametrize("place", ["file", "stdin"])
def test_a_run_can_be_told_as_json(run: Run, project: Path, tmp_path: Path, place: str) -> None:
    import msgspec

    text = json.dumps(RESULT).encode()
    (tmp_path / "result.json").write_bytes(text)
    if place == "file":
        done = run("run", "end", "HEAD", "--result", tmp_path / "result.json", cwd=project)
        printed = done.stdout
    else:
        command = [sys.executable, "-m", "versiondiff", "run", "end", "HEAD", "--result", "-"]
        printed = subprocess.run(
            command, input=text, cwd=project, capture_output=True, check=True
        ).stdout.decode()
    assert printed == run_line(msgspec.json.decode(text, type=RunResult)) + "\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "run end: needs --status and --seconds, or --result"),
        (("--status=0",), "run end: needs --status and --seconds, or --result"),
        (("--status=lost", "--seconds=1"), "must be succeeded, failed, stopped or an exit code"),
        (("--status=0", "--seconds=-1"), "must be a number of seconds"),
        (("--status=0", "--seconds=1.2.3"), "must be a number of seconds"),
        (("--status=0", "--seconds=1", "--id=a b"), "run: id: is one word"),
        (("--status=0", "--seconds=1", "--card="), "needs the name of a Card"),
        (("--status=1", "--seconds=1", "--failed=a:b c"), "card a: failure: is a kind"),
        (("--status=0", "--seconds=1", "--from=a", "--only=b"), "not allowed with argument"),
        (("--status=0", "--result=x"), "--result tells the whole run"),
        (("--result=nowhere.json",), "nowhere.json: no such file or directory"),
        (("--result=tsugumi.json",), "run result: Object contains unknown field `formatVersion`"),
    ],
)
def test_a_run_that_can_not_be_is_refused_in_one_line(
    run: Run, project: Path, arguments: tuple[str, ...], message: str
) -> None:
    done = run("run", "end", "HEAD", *arguments, *WHO, cwd=project)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.startswith("versiondiff: ")
    assert done.stderr.count("\n") == 1
    assert git(project, "for-each-ref", "refs/notes") == ""


# ── keep and start-from ─────────────────────────────────────────────────────────────────────────


def test_a_version_is_kept_by_name(run: Run, project: Path) -> None:
    write(project, "bands")
    done = run("keep", "rgb-v1", "--memo", "The poster.\n\nReally.", *WHO, cwd=project)
    head = git(project, "rev-parse", "HEAD")
    assert done.stdout == f"made version {head[:10]} and kept it as rgb-v1\n"
    assert git(project, "tag", "-l", "--format=%(objecttype) %(contents)").strip() == (
        "tag The poster.\n\nReally."
    )
    assert run("keep", "again", *WHO, cwd=project).stdout == f"kept version {head[:10]} as again\n"
    taken = run("keep", "rgb-v1", *WHO, cwd=project)
    assert taken.returncode == 2
    assert re.fullmatch("versiondiff: .*taken.*\n", taken.stderr)
    assert run("keep", "a..b", *WHO, cwd=project).returncode == 2


def test_starting_from_a_version_keeps_what_there_is(run: Run, project: Path) -> None:
    first = git(project, "rev-parse", "HEAD").strip()
    write(project, "bands")
    second = run("run", "start", "load", *WHO, cwd=project).stdout.strip()
    write(project, "bands", lo=1)
    refused = run("start-from", first, "--refuse-unsaved", *WHO, cwd=project)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "definitions/bands/_card.json" in refused.stderr
    going = run("start-from", first, "--run-going", *WHO, cwd=project)
    assert (going.returncode, going.stdout) == (2, "")
    done = run("start-from", first, *WHO, cwd=project)
    kept = git(project, "rev-parse", "main").strip()
    branch = git(project, "symbolic-ref", "--short", "HEAD").strip()
    assert done.stdout == (
        f"the content before is version {kept[:10]}\n"
        f"the content is that of {first[:10]}, on the new branch {branch}\n"
    )
    assert branch.startswith("try-")
    assert not (project / "definitions/bands").exists()
    assert git(project, "rev-parse", "main~1").strip() == second
    back = run("start-from", "main", "--keep", *WHO, cwd=project)
    assert back.stdout == f"the content is that of {kept[:10]}, on branch main\n"
    assert git(project, "status", "--porcelain") == ""


def test_there_has_to_be_a_project(run: Run, tmp_path: Path) -> None:
    for arguments in (("run", "start", "load"), ("keep", "v"), ("start-from", "HEAD")):
        done = run(*arguments, *WHO, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (2, "")
        assert re.fullmatch(r"versiondiff: [^\x00-\x1f\x7f]+\n", done.stderr)


def test_a_working_tree_needs_its_package(run: Run, project: Path, tmp_path: Path) -> None:
    (tmp_path / "without").mkdir()
    (tmp_path / "without/pygit2.py").write_text("raise ModuleNotFoundError('pygit2')\n")
    path = os.pathsep.join([str(tmp_path / "without"), os.environ.get("PYTHONPATH", "")])
    done = run("keep", "v", *WHO, cwd=project, environment={"PYTHONPATH": path})
    assert done.returncode == 2
    assert done.stderr == (
        "versiondiff: a working tree needs pygit2: pip install versiondiff[pygit2]\n"
    )
    # To note how a run ended needs none.
    done = run("run", "end", "HEAD", *WHOLE, *WHO, cwd=project, environment={"PYTHONPATH": path})
    assert done.returncode == 0


def test_no_configuration_and_no_hook_has_an_effect(
    run: Run, template: Path, tmp_path: Path
) -> None:
    marker = tmp_path / "marker"
    hooks = tmp_path / "template/hooks"
    hooks.mkdir(parents=True)
    for hook in (
        "pre-commit",
        "commit-msg",
        "post-commit",
        "post-checkout",
        "post-index-change",
        "reference-transaction",
        "prepare-commit-msg",
        "post-rewrite",
    ):
        (hooks / hook).write_text(f"#!/bin/sh\ntouch '{marker}'\n")
        (hooks / hook).chmod(0o755)
    program = hooks / "post-commit"
    (tmp_path / "gitconfig").write_text(
        f"[core]\nhooksPath = {hooks}\nfsmonitor = {program}\nexcludesFile = {tmp_path}/ignored\n"
        f"attributesFile = {tmp_path}/attributes\nautocrlf = true\n"
        f"[init]\ntemplateDir = {hooks.parent}\ndefaultBranch = theirs\n"
        f"[commit]\ngpgSign = true\n[tag]\ngpgSign = true\n[gpg]\nprogram = {program}\n"
        f'[filter "x"]\nclean = {program}\nsmudge = {program}\nrequired = true\n'
        "[user]\nname = Mallory\nemail = mallory@example.org\n"
        "[notes]\nrewriteRef = refs/notes/*\n"
    )
    (tmp_path / "ignored").write_text("*\n")
    (tmp_path / "attributes").write_text("* filter=x\n")
    hostile = {
        "GIT_CONFIG_GLOBAL": str(tmp_path / "gitconfig"),
        "GIT_TEMPLATE_DIR": str(hooks.parent),
        "GIT_DIR": "/nowhere",
        "GIT_NOTES_REF": "refs/notes/theirs",
        "HOME": str(tmp_path),
        "XDG_CONFIG_HOME": str(tmp_path),
    }
    (tmp_path / ".gitconfig").write_bytes((tmp_path / "gitconfig").read_bytes())
    project = tmp_path / "project"
    shutil.copytree(template, project, ignore=shutil.ignore_patterns(".git"))
    who = (*WHO, "--time", "1793787120")
    for arguments in (
        ("start", ".", *who),
        ("run", "start", "load", *who),
        ("run", "end", "HEAD", *WHOLE, *WHO),
        ("keep", "v1", *who),
        ("notes", "append", "-m", "more", "--ref", "review", *who),
        ("notes", "records", *who),
    ):
        done = run(*arguments, cwd=project, environment=hostile)
        assert done.returncode == 0, done.stderr
        write(project, "load", lo=len(arguments))
    assert run("start-from", "v1~1", *who, cwd=project, environment=hostile).returncode == 0
    assert not marker.exists()
    assert git(project, "symbolic-ref", "HEAD") != "refs/heads/theirs\n"
    assert "Mallory" not in git(project, "log", "--all", "--format=%an %cn")
    assert git(project, "status", "--porcelain") == ""


# ── What is shown of it ─────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("demo") / "cas-a"
    history_file.create_repository(place, cas_a())
    return place


def test_log_shows_runs_names_and_branches(run: Run, demo: Path) -> None:
    shown = run("log", demo, environment=UTF_8).stdout.split("\n\n")
    assert shown[0].split("\n")[0].endswith("Run: load  (HEAD -> main)")
    assert shown[0].split("\n")[1] == "    Runs: 1 succeeded, 1 failed"
    kept = next(entry for entry in shown if "Keep as Version" in entry)
    assert kept.split("\n")[0].endswith("Keep as Version: rgb-v1  (tag: rgb-v1)")
    assert "Runs:" not in kept
    japanese = run("log", demo, "--language", "ja", "-n", "1", environment=UTF_8).stdout
    assert "\n    実行: 成功 1、失敗 1\n" in japanese


def test_results_are_green_and_red_signs_where_there_is_colour(run: Run, demo: Path) -> None:
    coloured = run("log", demo, "-n", "1", "--color", "always", environment=UTF_8).stdout
    assert "    Runs: \x1b[32m✓ 1\x1b[m, \x1b[31m✗ 1\x1b[m\n" in coloured
    ascii_only = run("log", demo, "-n", "1", "--color", "always",
                     environment={"PYTHONIOENCODING": "ascii"}).stdout  # fmt: skip
    assert "    Runs: \x1b[32m1 succeeded\x1b[m, \x1b[31m1 failed\x1b[m\n" in ascii_only


def test_log_as_json_is_the_records_alone(run: Run, demo: Path) -> None:
    lines = run("log", demo, "--json").stdout.splitlines()
    repository = Repository.open(demo)
    assert len(lines) == len(list(repository.versions()))
    assert {key for line in lines for key in json.loads(line)} == {"version", "record"}


def test_show_tells_of_each_run_and_of_the_memo(run: Run, demo: Path) -> None:
    shown = run("show", "rgb-v1~1", "--repo", demo, environment=UTF_8).stdout.split("\n")
    at = shown.index("Runs:")
    assert shown[at + 1 : at + 3] == [
        "    2026-10-09T10:18:04Z  failed  3.8s  2179a602-b914-4406-aa68-3dc95472823d",
        "    2026-10-09T10:22:10Z  succeeded  9.6s  3b00c699-e892-4977-b554-a1a7396f367f",
    ]
    kept = run("show", "rgb-v1", "--repo", demo, environment=UTF_8).stdout
    assert "\n\nKept as:\n    rgb-v1: The picture for the poster. 北が上。\n\n" in kept


def test_runs_lists_them_the_last_first(run: Run, demo: Path) -> None:
    entries = run("runs", "--repo", demo, environment=UTF_8).stdout.strip().split("\n\n")
    assert len(entries) == sum(bool(version.runs) for version in cas_a().versions)
    last = [entry.split("\n")[-1].split()[0] for entry in entries]
    assert last == sorted(last, reverse=True)
    failed = run("runs", "--repo", demo, "--failed").stdout
    rows = [line for line in failed.split("\n") if line.startswith("    ")]
    runs = [run for version in cas_a().versions for run in version.runs]
    assert len(rows) == sum(run.status.value == "failed" for run in runs)
    assert all("  failed  " in row for row in rows)
    one = run("runs", "try-tidy", "--repo", demo).stdout.split("\n")
    assert one[0].endswith("  Run: grid")
    assert len(one) == 3
    assert run("runs", "rgb-v1", "--repo", demo).stdout == ""


def test_runs_as_json_is_what_versions_carry(run: Run, demo: Path) -> None:
    rows = [json.loads(line) for line in run("runs", "--repo", demo, "--json").stdout.splitlines()]
    by_commit = {row["commit"]: row for row in rows}
    kept = by_commit[git(demo, "rev-parse", "rgb-v1^{commit}").strip()]
    assert [name["name"] for name in kept["names"]] == ["rgb-v1"]
    assert "runs" not in kept
    head = by_commit[git(demo, "rev-parse", "HEAD").strip()]
    assert (head["branches"], head["is_head"]) == (["main"], True)
    assert head["runs"][0] == {
        "id": "6282285d-3bdc-45bf-8d91-68a207845e75",
        "status": "failed",
        "ended": 1791970383,
        "seconds": 182.4,
    }
    failed = run("runs", "HEAD", "--repo", demo, "--json", "--failed").stdout
    assert [row["status"] for row in json.loads(failed)["runs"]] == ["failed"]


def test_a_note_that_anyone_wrote_can_not_redraw_the_screen(run: Run, project: Path) -> None:
    head = git(project, "rev-parse", "HEAD").strip()
    notes = Repository.open(project).notes("tsugumi")
    from versiondiff.records import Signature

    author = Signature(name="Mallory", email="m@example.org", time=1)
    content = b"\x1b[2Jnothing\xff\nrun r succeeded 2026-11-04T10:12:00Z 1.0s \x1b[31mwhole\n"
    notes.set(head, content, author=author)
    for arguments in (("runs",), ("show", "HEAD"), ("log",)):
        shown = run(*arguments, cwd=project, environment=UTF_8).stdout
        assert "\x1b" not in shown
    assert "    Runs: 1 succeeded, 1 unreadable\n" in shown
    git(project, "update-ref", "refs/notes/tsugumi", git(project, "hash-object", "-w",
                                                         "tsugumi.json").strip())  # fmt: skip
    done = run("log", "--format", "tsugumi", cwd=project)
    assert done.returncode == 0
    assert "Start Versioning" in done.stdout
    assert re.fullmatch(r"[^\x00-\x1f\x7f]+\n", done.stderr)
