"""One tree is one tree, wherever it is: in memory, in a directory, in git."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from versiondiff import File, Mode, Order, Repository, change_record, render, tree_delta

if TYPE_CHECKING:
    from versiondiff.snapshots import Files

Project = dict[str, File]

IDS = ("a", "b", "c")
LIMIT = settings(deadline=None, max_examples=25)


# ── Projects ────────────────────────────────────────────────────────────────────────────────────
# Made of few enough names and values that two versions often have something in common.


def document(value: Any) -> File:
    return File(json.dumps(value).encode())


@st.composite
def cards(draw: st.DrawFn, id: str) -> Project:
    """The files of a Card, which may lack the one that makes it a Card."""
    folder = f"definitions/{id}"
    parameters = draw(st.dictionaries(st.sampled_from("xy"), st.integers(0, 2), max_size=2))
    links = draw(st.lists(st.sampled_from(IDS), max_size=2))
    texts = st.binary(max_size=3) | st.just(b"import numpy\nprint('a line that stays')\n" * 3)
    modes = st.sampled_from([Mode.FILE, Mode.EXECUTABLE])
    source = draw(st.dictionaries(st.sampled_from(["m.py", "lib/n.py"]), texts))
    files = {
        f"{folder}/_card.json": document(
            {
                "name": draw(st.sampled_from("pq")),
                "kind": "process",
                "parameters": {name: {"value": value} for name, value in parameters.items()},
            }
        ),
        f"{folder}/_link.json": document({"links": [{"from": at, "input": "in"} for at in links]}),
        f"{folder}/_meta.json": document(
            {
                "title": draw(st.sampled_from("tu")),
                "comments": [
                    {"id": f"{id}1", "text": draw(st.sampled_from("vw")), "author": "user"}
                ],
            }
        ),
        f"{folder}/default.nix": File(draw(st.sampled_from([b"{}", b"[]"])), mode=draw(modes)),
    }
    files |= {f"{folder}/src/{name}": File(text, mode=draw(modes)) for name, text in source.items()}
    if draw(st.booleans()):
        files[f"{folder}/src/link"] = File(draw(st.sampled_from([b"m.py", b"n"])), mode=Mode.LINK)
    left_out = draw(st.sets(st.sampled_from(sorted(files)), max_size=2))
    return {path: file for path, file in files.items() if path not in left_out}


@st.composite
def projects(draw: st.DrawFn) -> Project:
    """A project of up to three Cards."""
    pin = draw(st.sampled_from(["tsugumi:default", "one", "two"]))
    files = {
        "tsugumi.json": document({"pkgsPath": pin, "trigger": draw(st.sampled_from(IDS))}),
        "layout.json": document({"a": draw(st.integers(0, 3))}),
        "data/events.bin": File(draw(st.binary(max_size=2))),
        "README ü.md": File(draw(st.sampled_from([b"", b"x\n"]))),
    }
    for id in draw(st.sets(st.sampled_from(IDS))):  # noqa: A001
        files |= draw(cards(id))
    return files


# ── Where a tree can be ─────────────────────────────────────────────────────────────────────────


def directory(project: Project, path: Path) -> Path:
    """The project as files on disk."""
    for name, file in project.items():
        place = path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if file.mode is Mode.LINK:
            place.symlink_to(os.fsdecode(file.content))
        else:
            place.write_bytes(file.content)
            place.chmod(0o755 if file.mode is Mode.EXECUTABLE else 0o644)
    return path


def git(path: Path, *arguments: str, stdin: bytes = b"") -> None:
    environment = {
        "PATH": os.environ["PATH"],
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    command = ["git", "--git-dir", str(path), *arguments]
    subprocess.run(command, input=stdin, check=True, env=environment)


def commit(path: Path, versions: list[Project]) -> Repository:
    """The projects as the versions of branch main, which is made anew."""
    stream = bytearray(b"reset refs/heads/main\n\n")
    for number, project in enumerate(versions):
        stream += b"commit refs/heads/main\n"
        stream += b"committer Test <test@example.com> %d +0000\ndata 0\n" % number
        stream += b"deleteall\n"
        for name, file in project.items():
            stream += b"M %s inline %s\n" % (file.mode.value.encode(), name.encode())
            stream += b"data %d\n%s\n" % (len(file.content), file.content)
    git(path, "fast-import", "--quiet", "--force", stdin=bytes(stream))
    return Repository.open(path)


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("git") / "project.git"
    git(path, "init", "--quiet", "--bare", "-b", "main")
    return path


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("folders")


# ── What holds ──────────────────────────────────────────────────────────────────────────────────


@LIMIT
@given(old=projects(), new=projects())
def test_a_mapping_a_directory_and_a_version_are_told_apart_by_nothing(
    bare: Path, folders: Path, old: Project, new: Project
) -> None:
    place = Path(tempfile.mkdtemp(dir=folders))
    repository = commit(bare, [old, new])
    sources: list[tuple[Files, Files]] = [
        (old, new),
        (directory(old, place / "old"), directory(new, place / "new")),
        (repository.snapshot("main~1"), repository.snapshot("main")),
        (old, place / "new"),
        (place / "old", repository.snapshot("main")),
    ]
    deltas = [tree_delta(old, new) for old, new in sources]
    assert deltas == [deltas[0]] * len(sources)
    records = [change_record(old, new, format="tsugumi") for old, new in sources]
    assert records == [records[0]] * len(sources)


@LIMIT
@given(versions=st.lists(projects(), min_size=1, max_size=6))
def test_a_history_is_its_versions_compared_one_by_one_by_any_number_of_threads(
    bare: Path, versions: list[Project]
) -> None:
    repository = commit(bare, versions)
    written = [
        b"".join(repository.record_lines(format="tsugumi", threads=threads))
        for threads in (1, 2, 4)
    ]
    assert written == [written[0]] * 3
    history = repository.records(format="tsugumi", order=Order.OLDEST_FIRST)
    records = [version.record for version in history]
    assert records == [
        change_record(old, new, format="tsugumi")
        for old, new in zip([None, *versions], versions, strict=False)
    ]


@LIMIT
@given(old=projects(), new=projects(), limit=st.integers(1, 8))
def test_both_languages_say_as_many_lines(old: Project, new: Project, limit: int) -> None:
    record = change_record(old, new, format="tsugumi")
    english, japanese = (
        render(record, language=language, limit=limit) for language in ("en", "ja")
    )
    assert english.count("\n") == japanese.count("\n")
    assert msgspec.json.decode(msgspec.json.encode(record), type=type(record)) == record
