"""Versions of flows: what each kind makes, and what git says of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from flow_history.sample_flows import (
    BAKERY,
    MIKA,
    NOW,
    check_whole,
    flow,
    history,
    node,
    prompt_of,
    subjects,
    trailers,
)
from oracle.repositories import Git
from versiondiff import Conflict, InvalidInput, NotFound, SecretFound, Signature, _core
from versiondiff.durability import Durability
from versiondiff.flows.history import FlowHistory, Person, Service, VersionKind
from versiondiff.flows.history.bookkeeping import are_same

if TYPE_CHECKING:
    from pathlib import Path

    from versiondiff.backends import BackendName

OTHER = "1f2e3d4c-0000-4000-8000-000000000002"
KEY = "sk-proj-Zx9Kq2Lm7Vb4Nc8Rt5Yw1Hs6Jd3Fg0PoIuTe"


@pytest.fixture(params=[True, False], ids=["bare", "folder"])
def bare(request: pytest.FixtureRequest) -> bool:
    if not request.param:
        pytest.importorskip("pygit2")
    return bool(request.param)


@pytest.fixture
def made(tmp_path: Path, bare: bool, backend: BackendName) -> FlowHistory:
    return history(tmp_path / "versions", bare=bare, backend=backend)


def test_a_history_begins_with_a_readme_on_main(made: FlowHistory) -> None:
    git = Git(made.path)
    assert git.text("log", "--format=%s|%an <%ae>|%cn <%ce>|%at", "main") == (
        "Started the history of flows|Cuttlely <system@versions.local>"
        f"|Cuttlely <system@versions.local>|{NOW}"
    )
    assert git.text("ls-tree", "-r", "--name-only", "main") == "README.md"
    assert git.text("remote") == ""
    assert git.text("branch", "--format=%(refname)") == "refs/heads/main"
    assert not (made.repository.git_dir / "hooks").exists()
    assert made.flows() == ()
    assert list(made.versions(BAKERY)) == []
    check_whole(made)


def test_each_kind_is_a_version(made: FlowHistory) -> None:
    git = Git(made.path)
    who: dict[str, Any] = {"author": MIKA, "time": NOW}
    created = made.save(flow(), **who)
    edited = made.save(flow("You help a kind baker."), **who)
    published = made.publish(flow("You help a kind baker!"), **who)
    assert created
    assert edited
    assert published
    restored = made.restore(BAKERY, created.id, current=flow("now"), **who)
    rolled_back = made.rollback(BAKERY, published.id, current=flow("now"), **who)
    promoted = made.promote(flow("From Dev."), from_version=edited.id, **who)
    deleted = made.delete(BAKERY, **who)
    assert subjects(git)[:-1] == [
        "Deleted Bakery helper",
        "Promoted Bakery helper from Dev",
        f"Rolled back to version {published.id[:7]} of Bakery helper",
        f"Restored version {created.id[:7]} of Bakery helper",
        "Published Bakery helper",
        "Changed System Message on Conversation Chain",
        "Created Bakery helper",
    ]
    assert prompt_of(restored.flow) == "You help a baker."
    assert prompt_of(rolled_back.flow) == "You help a kind baker!"
    assert promoted
    assert deleted
    assert trailers(git, promoted.id) == [
        f"Version-Flow: {BAKERY}",
        "Version-Kind: promote",
        "Version-Name: Bakery helper",
        f"Version-From: {edited.id}",
    ]
    versions = list(made.versions(BAKERY))
    kinds = ["delete", "promote", "rollback", "restore", "publish", "save", "create"]
    assert [version.kind.value for version in versions] == kinds
    assert [version.id for version in versions] == git.text(
        "rev-list", "main", f"^{created.id}^"
    ).split()
    assert versions[1].source == edited.id
    assert git.text("ls-tree", "-r", "--name-only", "main") == "README.md"
    assert made.flows() == ()
    assert prompt_of(made.read(BAKERY, edited.id).flow) == "You help a kind baker."
    with pytest.raises(NotFound, match="is not in version"):
        made.read(BAKERY)
    again = made.save(flow(), **who)
    assert again
    assert again.kind is VersionKind.CREATE
    check_whole(made)


def test_a_save_without_a_change_is_no_version(made: FlowHistory) -> None:
    saved = made.save(flow(), author=MIKA, time=NOW)
    assert saved
    tip = Git(made.path).text("rev-parse", "main")
    assert tip == saved.id
    assert made.save(flow(), author=None, time=NOW + 1) is None
    assert made.restore(BAKERY, saved.id, author=MIKA, time=NOW).saved is None
    assert made.delete(OTHER, author=MIKA, time=NOW) is None
    assert Git(made.path).text("rev-parse", "main") == tip


def test_when_a_flow_was_saved_is_no_change(made: FlowHistory) -> None:
    def saved(updated: str, prompt: str = "You help.", **more: Any) -> dict[str, Any]:
        return {**flow(prompt), "createdDate": "2026-01-01", "updatedDate": updated, **more}

    def kept() -> dict[str, Any]:
        extra: dict[str, Any] = json.loads(made.files(BAKERY)["flow.json"])["extra"]
        return extra

    who: dict[str, Any] = {"author": MIKA, "time": NOW}
    assert made.save(saved("2026-01-02"), **who)
    assert kept() == {"createdDate": "2026-01-01", "updatedDate": "2026-01-02"}
    assert made.save(saved("2026-01-03"), **who) is None
    assert made.save(flow("You help."), **who) is None
    assert made.save({**saved("2026-01-03"), "createdDate": None}, **who) is None
    assert made.restore(BAKERY, "main", current=saved("2026-01-04"), **who).saved is None
    assert kept()["updatedDate"] == "2026-01-02"
    # What a version has for another reason is all that the flow has.
    assert made.save(saved("2026-01-05", "You help more."), **who)
    assert kept()["updatedDate"] == "2026-01-05"
    published = made.publish(saved("2026-01-06", "You help more."), **who)
    assert published
    assert kept()["updatedDate"] == "2026-01-06"
    assert made.save(saved("2026-01-06", "You help more.", deployed=True), **who)
    assert made.save(saved("2026-01-06", "You help more.", updatedDates=[]), **who)
    assert [version.kind.value for version in made.versions(BAKERY)] == [
        "save",
        "save",
        "publish",
        "save",
        "create",
    ]
    nested = saved(
        "2026-01-06", "You help more.", updatedDates=[], chatbotConfig={"updatedDate": 1}
    )
    assert made.save(nested, **who)
    check_whole(made)


def test_a_damaged_file_is_not_what_it_was(made: FlowHistory) -> None:
    made.save(flow(), author=MIKA, time=NOW)
    damaged = {**made.files(BAKERY), "flow.json": b'{"id": "%s", "extra": {' % BAKERY.encode()}
    assert not are_same(damaged, made.files(BAKERY))
    assert not are_same({}, made.files(BAKERY))
    listed = {**made.files(BAKERY), "flow.json": b"[]\n"}
    assert not are_same(listed, made.files(BAKERY))
    assert are_same(damaged, dict(damaged))


def test_what_happened_to_a_flow_is_a_version_without_a_change_too(made: FlowHistory) -> None:
    saved = made.save(flow(), author=MIKA, time=NOW)
    assert saved is not None
    published = made.publish(flow(), author=None, time=NOW + 1)
    assert published is not None
    assert published.kind is VersionKind.PUBLISH
    promoted = made.promote(flow(), from_version="1" * 40, author=None, time=NOW + 2)
    assert promoted is not None
    rolled_back = made.rollback(BAKERY, saved.id, author=None, time=NOW + 3).saved
    assert rolled_back is not None
    assert rolled_back.kind is VersionKind.ROLLBACK
    assert [version.id for version in made.versions(BAKERY)] == [
        each.id for each in (rolled_back, promoted, published, saved)
    ]
    assert made.files(BAKERY, promoted.id) == made.files(BAKERY, saved.id)
    check_whole(made)


def test_a_renamed_flow_keeps_its_history(made: FlowHistory) -> None:
    made.save(flow(), author=MIKA, time=NOW)
    made.save(flow(name="Pâtisserie & Bread!"), author=MIKA, time=NOW)
    (entry,) = made.flows()
    assert (entry.id, entry.name) == (BAKERY, "Pâtisserie & Bread!")
    assert entry.folder == "flows/p-tisserie-bread--1f2e3d4c"
    assert [version.name for version in made.versions(BAKERY)] == [
        "Pâtisserie & Bread!",
        "Bakery helper",
    ]
    assert subjects(Git(made.path))[0] == "Renamed flow Bakery helper to Pâtisserie & Bread!"
    paths = Git(made.path).text("ls-tree", "-d", "--name-only", "main:flows").splitlines()
    assert paths == ["p-tisserie-bread--1f2e3d4c"]
    check_whole(made)


def test_flows_of_one_name_have_folders_of_their_own(made: FlowHistory) -> None:
    made.save(flow(), author=MIKA, time=NOW)
    made.save(flow(id=OTHER), author=MIKA, time=NOW)
    folders = {entry.id: entry.folder for entry in made.flows()}
    assert folders == {
        BAKERY: "flows/bakery-helper--1f2e3d4c",
        OTHER: f"flows/bakery-helper--{OTHER}",
    }
    made.save(flow("Changed.", id=OTHER), author=MIKA, time=NOW)
    assert prompt_of(made.read(BAKERY).flow) == "You help a baker."
    assert prompt_of(made.read(OTHER).flow) == "Changed."


def test_people_and_the_service_are_named_as_the_files_say(made: FlowHistory) -> None:
    git = Git(made.path)
    people: list[tuple[Any, str]] = [
        (MIKA, "Mika Sato <42@users.versions.local>"),
        (None, "Cuttlely <system@versions.local>"),
        (Person(name=" <b>Bob</b>\n\0", id="b-1"), "b Bob /b <b-1@users.versions.local>"),
        (Person(name="\n", id="b-2"), "b-2 <b-2@users.versions.local>"),
        (
            Signature(name="Aya", email="aya@example.org", time=5, offset=540),
            "Aya <aya@example.org>",
        ),
    ]
    for number, (person, said) in enumerate(people):
        made.save(flow(f"Prompt {number}."), author=person, time=NOW, offset=60)
        assert git.text("log", "-1", "--format=%an <%ae>", "main") == said
        assert git.text("log", "-1", "--format=%cn <%ce> %ct", "main") == (
            f"Cuttlely <system@versions.local> {NOW}"
        )
    assert git.text("log", "-1", "--format=%ad", "--date=raw", "main") == "5 +0900"
    for bad in ("", "a b", "a@b", "<a", "a\n"):
        with pytest.raises(InvalidInput, match="a user id has no white space"):
            made.save(flow("x"), author=Person(name="A", id=bad), time=NOW)
    check_whole(made)


def test_another_service_can_be_named(tmp_path: Path) -> None:
    service = Service(name="Lab", email="lab@example.org", people="people.example.org")
    made = FlowHistory.create(tmp_path / "v", time=NOW, bare=True, service=service, language="ja")
    made.save(flow(), author=MIKA, time=NOW)
    assert Git(made.path).text("log", "--format=%ae %ce", "main").splitlines() == [
        "42@people.example.org lab@example.org",
        "lab@example.org lab@example.org",
    ]
    assert subjects(Git(made.path))[0] == "Bakery helper を作成"
    assert "Lab" in Git(made.path).text("show", "main:README.md")


def test_what_is_to_outlive_a_power_cut_is_the_same(tmp_path: Path, bare: bool) -> None:
    tips = []
    for durability in Durability:
        made = FlowHistory.create(
            tmp_path / durability.value, time=NOW, bare=bare, durability=durability
        )
        made.save(flow(), author=MIKA, time=NOW)
        tips.append(Git(made.path).text("rev-parse", "main"))
        check_whole(made)
    assert tips[0] == tips[1]


def test_what_was_hidden_is_counted(made: FlowHistory) -> None:
    git = Git(made.path)
    saved = made.save(flow(f"Use {KEY} and go."), author=MIKA, time=NOW)
    assert saved
    assert saved.hidden == 1
    assert "Version-Hidden: 1" in trailers(git)
    assert "1 secret-looking value was hidden from history." in git.text("log", "-1", "--format=%b")
    everything = git.run("log", "-p", "--all")
    assert KEY.encode() not in everything
    made.save(flow(f"Use {KEY} and {KEY[::-1]} go."), author=MIKA, time=NOW)
    made.save(flow("Use none."), author=MIKA, time=NOW)
    assert not any("Hidden" in line for line in trailers(git))
    assert [version.hidden for version in made.versions(BAKERY)][::2] == [0, 1]


def test_a_secret_that_is_no_value_stops_the_commit(made: FlowHistory) -> None:
    made.save(flow(), author=MIKA, time=NOW)
    before = Git(made.path).text("rev-parse", "main")
    with pytest.raises(SecretFound) as caught:
        made.save(flow(name=f"Bakery {KEY}"), author=MIKA, time=NOW)
    assert "flow.json" in str(caught.value)
    assert "openai" in str(caught.value)
    assert KEY not in str(caught.value)
    assert Git(made.path).text("rev-parse", "main") == before
    assert KEY.encode() not in Git(made.path).run("log", "-p", "--all", "--reflog")
    check_whole(made)


@pytest.mark.parametrize("version", ["", "abc", "g" * 40, "A" * 40, "a" * 41, "a" * 40 + "\n"])
def test_a_promotion_names_a_full_id(tmp_path: Path, version: str) -> None:
    made = history(tmp_path / "v")
    with pytest.raises(InvalidInput, match="40 hexadecimal"):
        made.promote(flow(), from_version=version, author=MIKA, time=NOW)


def test_a_flow_needs_an_id(tmp_path: Path) -> None:
    made = history(tmp_path / "v")
    export = {"nodes": [node("chat_0", "Chat")], "edges": []}
    for bad in (export, flow(id=" "), export | {"id": 5}):
        with pytest.raises(InvalidInput):
            made.save(bad, author=MIKA, time=NOW)
    assert made.flows() == ()
    assert made.save(flow() | {"name": None}, author=MIKA, time=NOW)
    assert [entry.name for entry in made.flows()] == [""]


def test_a_place_that_is_taken_is_refused(tmp_path: Path, bare: bool) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "file").write_text("x")
    (tmp_path / "empty").mkdir()
    with pytest.raises(Conflict):
        history(tmp_path / "taken", bare=bare)
    assert [path.name for path in (tmp_path / "taken").iterdir()] == ["file"]
    made = history(tmp_path / "empty", bare=bare)
    made.save(flow(), author=MIKA, time=NOW)
    with pytest.raises(Conflict):
        history(tmp_path / "empty", bare=bare)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "taken"]
    assert len(FlowHistory.open(made.path).flows()) == 1


def test_only_the_repository_at_the_path_is_opened(tmp_path: Path) -> None:
    pytest.importorskip("pygit2")
    made = history(tmp_path / "v", bare=False)
    (made.path / "below").mkdir()
    with pytest.raises(NotFound):
        FlowHistory.open(made.path / "below")
    with pytest.raises(InvalidInput, match="open its folder"):
        FlowHistory.open(made.path / ".git")
    with pytest.raises(NotFound):
        FlowHistory.open(tmp_path / "nothing")


def test_a_history_that_is_empty_can_be_gone_on_with(tmp_path: Path, bare: bool) -> None:
    Git.init(tmp_path / "v", *(["--bare"] if bare else []))
    made = FlowHistory.open(tmp_path / "v")
    assert made.flows() == ()
    made.save(flow(), author=MIKA, time=NOW)
    names = Git(made.path).text("ls-tree", "--name-only", "main").splitlines()
    assert names == ["README.md", "flows"]
    check_whole(made)


def test_other_files_stay(made: FlowHistory) -> None:
    made.save(flow(), author=MIKA, time=NOW)
    before = Git(made.path).text("rev-parse", "main:README.md")
    made.save(flow(id=OTHER, name="Other"), author=MIKA, time=NOW)
    made.delete(BAKERY, author=MIKA, time=NOW)
    assert Git(made.path).text("rev-parse", "main:README.md") == before
    assert [entry.id for entry in made.flows()] == [OTHER]


def test_a_flow_is_found_by_its_id_whatever_its_folder_is_named(tmp_path: Path) -> None:
    made = history(tmp_path / "v")
    made.save(flow(), author=MIKA, time=NOW)
    made.save(flow(id=OTHER, name="Other"), author=MIKA, time=NOW)
    git = Git(made.path)
    folders = git.text("ls-tree", "main:flows").splitlines()
    moved = "\n".join(folders).replace("bakery-helper--1f2e3d4c", "moved") + "\n"
    flows = git.text("mktree", stdin=moved.encode())
    root = git.text("mktree", stdin=f"040000 tree {flows}\tflows\n".encode())
    commit = git.text("commit-tree", root, "-p", "main", "-m", "Moved by hand")
    git.run("update-ref", "refs/heads/main", commit)
    for opened in (made, FlowHistory.open(made.path)):
        assert prompt_of(opened.read(BAKERY).flow) == "You help a baker."
    assert made.save(flow("You help more."), author=MIKA, time=NOW)
    assert [entry.folder for entry in made.flows()] == [
        "flows/bakery-helper--1f2e3d4c",
        "flows/other--1f2e3d4c",
    ]
    assert [version.kind.value for version in made.versions(BAKERY)] == ["save", "create"]
    check_whole(made)


@pytest.mark.parametrize("count", [3, 20])
def test_a_save_reads_as_much_however_many_flows_there_are(
    tmp_path: Path, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own folder's files, and of the list of folders what is near it."""
    made = history(tmp_path / "v")
    for number in range(count):
        named = flow(id=f"{number:08x}-0000-4000-8000-000000000001", name="Bakery helper")
        made.save(named, author=MIKA, time=NOW)
    made.save(flow(), author=MIKA, time=NOW)
    seen: list[int] = []

    def listing(*arguments: Any, **options: Any) -> Any:
        listed = list_folder(*arguments, **options)
        seen.append(len(listed or ()))
        return listed

    def reading(core: Any, trees: list[str], path: bytes) -> Any:
        seen.append(len(trees))
        return read_each(core, trees, path)

    list_folder, read_each = _core.list_folder, _core.read_each
    # Opening looks once whether this is a history of flows.
    opened = FlowHistory.open(made.path)
    monkeypatch.setattr(_core, "list_folder", listing)
    monkeypatch.setattr(_core, "read_each", reading)
    assert opened.save(flow("You help more."), author=MIKA, time=NOW)
    # The folder in the list, and its head where opening did not see it.
    assert seen in ([1], [1, 1])
