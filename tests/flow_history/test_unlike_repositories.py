"""Repositories that are no histories of flows, and folders that keep their names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from flow_history.sample_flows import BAKERY, MIKA, NOW, check_whole, flow, history, subjects
from oracle.repositories import Git
from versiondiff import Conflict, InvalidInput, UnsupportedFormat
from versiondiff.flows import read_flow, write_flow
from versiondiff.flows.history import FlowHistory

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

NEIGHBOUR = "1f2e3d4c-0000-4000-8000-000000000002"


@pytest.fixture(params=[True, False], ids=["bare", "folder"])
def bare(request: pytest.FixtureRequest) -> bool:
    if not request.param:
        pytest.importorskip("pygit2")
    return bool(request.param)


def tree_of(git: Git, files: Mapping[str, bytes]) -> str:
    """The tree of files, by their paths."""
    folders: dict[str, dict[str, bytes]] = {}
    entries = []
    for path, content in files.items():
        first, _, rest = path.partition("/")
        if rest:
            folders.setdefault(first, {})[rest] = content
        else:
            entries.append(("100644", first.encode(), git.blob(content)))
    for folder, below in folders.items():
        entries.append(("040000", folder.encode(), tree_of(git, below)))
    return git.tree(*sorted(entries, key=lambda entry: entry[1] + b"/" * (entry[0] == "040000")))


def committed(path: Path, files: list[str], *, bare: bool) -> Git:
    """A repository in which these files were committed by hand."""
    git = Git.init(path, *(["--bare"] if bare else []))
    tree = tree_of(git, dict.fromkeys(files, b"x\n"))
    git.run("update-ref", "refs/heads/main", git.commit(tree, message="by hand"))
    if not bare:
        git.run("reset", "-q", "--hard")
    return git


@pytest.mark.parametrize("files", [["main.py", "README.md"], ["flows"], ["flows/flow.py"]])
def test_a_project_is_no_history(tmp_path: Path, bare: bool, files: list[str]) -> None:
    git = committed(tmp_path / "v", files, bare=bare)
    before = git.text("rev-parse", "main")
    with pytest.raises(InvalidInput, match="is no history of flows"):
        FlowHistory.open(tmp_path / "v")
    assert git.text("rev-parse", "--all") == before


@pytest.mark.parametrize("files", [["README.md"], [".gitattributes", "README.md"], [".gitignore"]])
def test_what_can_become_a_history_is_opened(tmp_path: Path, bare: bool, files: list[str]) -> None:
    committed(tmp_path / "v", files, bare=bare)
    made = FlowHistory.open(tmp_path / "v")
    assert made.save(flow(), author=MIKA, time=NOW)
    check_whole(made)


@pytest.mark.parametrize("was_used", [True, False])
def test_a_history_without_flows_stays_one(tmp_path: Path, was_used: bool) -> None:
    made = history(tmp_path / "v")
    if was_used:
        made.save(flow(), author=MIKA, time=NOW)
        made.delete(BAKERY, author=MIKA, time=NOW)
    git = Git(made.path)
    tree = tree_of(git, {"LICENSE": b"x\n", "README.md": b"x\n"})
    commit = git.commit(tree, git.text("rev-parse", "main"), message="by hand")
    git.run("update-ref", "refs/heads/main", commit)
    assert FlowHistory.open(made.path).save(flow(), author=MIKA, time=NOW)


def test_a_bare_repository_on_another_branch_is_left_alone(tmp_path: Path) -> None:
    made = history(tmp_path / "v")
    git = Git(made.path)
    git.run("symbolic-ref", "HEAD", "refs/heads/mine")
    with pytest.raises(Conflict, match="HEAD stands on mine, not on main"):
        made.save(flow(), author=MIKA, time=NOW)
    assert made.flows() == ()
    git.run("symbolic-ref", "HEAD", "refs/heads/main")
    made.save(flow(), author=MIKA, time=NOW)
    check_whole(made)


def test_a_folder_keeps_its_name_when_a_better_one_gets_free(tmp_path: Path, bare: bool) -> None:
    made = history(tmp_path / "v", bare=bare)
    made.save(flow(), author=MIKA, time=NOW)
    whole = made.save(flow(id=NEIGHBOUR), author=MIKA, time=NOW)
    assert whole is not None
    assert whole.folder == f"flows/bakery-helper--{NEIGHBOUR}"
    made.delete(BAKERY, author=MIKA, time=NOW)
    assert made.save(flow(id=NEIGHBOUR), author=MIKA, time=NOW) is None
    edited = made.save(flow("Other.", id=NEIGHBOUR), author=MIKA, time=NOW)
    assert edited is not None
    assert edited.folder == whole.folder
    renamed = made.save(flow("Other.", id=NEIGHBOUR, name="Other"), author=MIKA, time=NOW)
    assert renamed is not None
    assert renamed.folder == "flows/other--1f2e3d4c"
    check_whole(made)


def test_a_version_of_another_format_is_gone_on_from(tmp_path: Path) -> None:
    made = history(tmp_path / "v")
    first = made.save(flow(), author=MIKA, time=NOW)
    assert first is not None
    git = Git(made.path)
    files = {f"{first.folder}/{path}": text for path, text in made.files(BAKERY).items()}
    about = f"{first.folder}/flow.json"
    files[about] = files[about].replace(b'"formatVersion": 1', b'"formatVersion": 2')
    commit = git.commit(tree_of(git, files), first.id, message="by a later service")
    git.run("update-ref", "refs/heads/main", commit)

    with pytest.raises(UnsupportedFormat) as caught:
        made.read(BAKERY)
    assert str(caught.value) == "flow.json has format version 2. This Cuttlely reads version 1."
    saved = made.save(flow("Other."), author=MIKA, time=NOW)
    assert saved is not None
    assert saved.subject == "Changed Bakery helper"
    assert "flows/flow" not in git.text("log", "-1", "--format=%B", "main")
    assert made.read(BAKERY).flow["id"] == BAKERY
    assert made.read(BAKERY, first.id).flow["id"] == BAKERY


def test_a_format_version_shows_no_secret() -> None:
    key = "sk-proj-Zx9Kq2Lm7Vb4Nc8Rt5Yw1Hs6Jd3Fg0PoIuTe"
    files = write_flow(flow())
    files["flow.json"] = files["flow.json"].replace(b'Version": 1', f'Version": "{key}"'.encode())
    with pytest.raises(UnsupportedFormat) as caught:
        read_flow(files)
    assert key[:12] not in str(caught.value)


def test_a_flow_without_a_name_is_called_by_its_id(tmp_path: Path) -> None:
    made = history(tmp_path / "v")
    made.save(flow(name=" "), author=MIKA, time=NOW)
    made.publish(flow(name=""), author=MIKA, time=NOW)
    made.delete(BAKERY, author=MIKA, time=NOW)
    assert subjects(Git(made.path))[:3] == [
        f"{word} {BAKERY}" for word in ("Deleted", "Published", "Created")
    ]


@pytest.mark.parametrize("letter", ["👨\u200d👩\u200d👧\u200d👦", "e\u0301", "か\u3099", "🇯🇵"])
def test_a_subject_is_cut_between_what_reads_as_characters(tmp_path: Path, letter: str) -> None:
    made = history(tmp_path / "v")
    made.save(flow(), author=MIKA, time=NOW)
    saved = made.save(flow("Other.", label=letter * 60), author=MIKA, time=NOW)
    assert saved is not None
    start = "Changed System Message on "
    assert saved.subject.startswith(start)
    assert len(saved.subject) <= 72
    letters = saved.subject.removeprefix(start).removesuffix("…")
    assert letters == letter * (len(letters) // len(letter))
    assert len(letters) + len(letter) + 1 > 72 - len(start)
