"""What git keeps as notes is read here, and what is written here is what git would write."""

from __future__ import annotations

import hashlib
import random
import shutil
from typing import TYPE_CHECKING

import pytest

from oracle.repositories import Git
from versiondiff import AppendNote, Note, RemoveNote, Repository, SetNote, Signature

if TYPE_CHECKING:
    from pathlib import Path

    from versiondiff import NoteEdit, Notes

REF = "refs/notes/tsugumi"
WHO = Signature(name="A", email="a@example.org", time=1_700_000_000)


def object_id(number: int, start: str = "") -> str:
    """An id that no object need have: git keeps notes about any."""
    return start + hashlib.sha256(b"%d" % number).hexdigest()[len(start) : 40]


def notes_by_git(git: Git, ref: str = REF) -> list[Note]:
    """All notes as git lists and shows them."""
    listed = [line.split() for line in git.text("notes", "--ref", ref, "list").splitlines()]
    asked = "".join(f"{blob}\n" for blob, _ in listed).encode()
    rest = git.run("cat-file", "--batch=%(objectsize)", stdin=asked) + b"\n"
    notes = []
    for _, target in listed:
        size, rest = rest.split(b"\n", 1)
        notes.append(Note(target, rest[: int(size)]))
        rest = rest[int(size) + 1 :]
    assert rest in {b"", b"\n"}
    return sorted(notes, key=lambda note: note.target)


def tree(git: Git) -> str:
    return git.text("rev-parse", REF + "^{tree}")


def import_notes(git: Git, files: dict[str, bytes], ref: str = REF) -> None:
    """Make a commit with these files, whatever git would make of them as notes."""
    stream = [b"commit %s\ncommitter A <a@example.org> 1700000000 +0000\ndata 0\n" % ref.encode()]
    for path, content in files.items():
        stream.append(b"M 100644 inline %s\ndata %d\n%s\n" % (path.encode(), len(content), content))
    git.run("fast-import", "--quiet", "--force", stdin=b"".join(stream))


def placed(target: str, depth: int) -> str:
    """The path of a note `depth` folders down."""
    pairs = [target[2 * at : 2 * at + 2] for at in range(depth)]
    return "/".join([*pairs, target[2 * depth :]])


def apply_by_git(git: Git, edit: NoteEdit) -> None:
    command = ["notes", "--ref", REF]
    exactly = ["--no-stripspace", "-F", "-"]
    match edit:
        case AppendNote(target, bytes(content), None):
            git.run(*command, "append", "--no-separator", *exactly, target, stdin=content)
        case AppendNote(target, bytes(content), bytes(separator)):
            option = f"--separator={separator.decode()}"
            git.run(*command, "append", option, *exactly, target, stdin=content)
        case SetNote(target, bytes(content)):
            git.run(*command, "add", "-f", *exactly, target, stdin=content)
        case RemoveNote(target):
            git.run(*command, "remove", "--ignore-missing", target)


def random_edit(chance: random.Random, targets: list[str]) -> NoteEdit:
    target = chance.choice(targets)
    content = chance.choice([b"run %d failed", b"%d\n", b"\n\n%d\n\n", b"\xff\xfe\t %d  "])
    match chance.randrange(8):
        case 0 | 1:
            return SetNote(target, content % chance.randrange(10_000))
        case 2 | 3 | 4:
            return RemoveNote(target)
        case 5:
            return AppendNote(target, content % chance.randrange(10_000), None)
        case 6:
            return AppendNote(target, content % chance.randrange(10_000), b"-- ")
        case _:
            return AppendNote(target, content % chance.randrange(10_000))


# How many notes there are to begin with, and with what digits the objects edited then start: around
# those numbers the root gets folders, and a folder gets folders of its own.
BORDERS = [(0, ""), (60, ""), (90, ""), (1_500, "ab"), (5_000, "ab")]


@pytest.mark.parametrize(("count", "start"), BORDERS)
def test_any_edits_give_the_trees_that_git_gives(tmp_path: Path, count: int, start: str) -> None:
    chance = random.Random(count)
    git = Git.init(tmp_path / "git", "--bare")
    targets = [object_id(number) for number in range(count)]
    if count:
        # Below them enough that a few more or less make a difference.
        targets += [object_id(number, start) for number in range(59 if start else 0)]
        import_notes(git, {placed(target, 0): target[:9].encode() for target in targets})
        targets = [target for target in targets if target.startswith(start)][:120]
    targets += [object_id(number, start) for number in range(1_000, 1_060)]
    shutil.copytree(git.path, tmp_path / "ours")
    ours = Git(tmp_path / "ours")
    notes = Repository.open(ours.path).notes(REF)
    for _ in range(70):
        edit = random_edit(chance, targets)
        apply_by_git(git, edit)
        if notes.edit([edit], author=WHO) is None:
            assert isinstance(edit, RemoveNote)
    # Git makes a commit for what changes nothing too; no edit above does.
    assert trees(ours) == trees(git)
    if count in {60, 1_500}:
        # Folders came and went on the way.
        assert len({depths(git, tree) for tree in trees(git)[::4]}) > 1
    assert ours.run("fsck", "--strict") == b""


def depths(git: Git, tree: str) -> frozenset[int]:
    """How deep in folders notes are."""
    listed = git.text("ls-tree", "-r", "--name-only", tree).splitlines()
    return frozenset(path.count("/") for path in listed)


def trees(git: Git) -> list[str]:
    return git.text("log", "--format=%T", REF).splitlines()


def test_many_edits_in_one_commit_give_what_git_gives_one_by_one(tmp_path: Path) -> None:
    chance = random.Random(7)
    git, ours = Git.init(tmp_path / "git"), Git.init(tmp_path / "ours")
    targets = [object_id(number) for number in range(60)]
    edits = [random_edit(chance, targets) for _ in range(150)]
    for edit in edits:
        apply_by_git(git, edit)
    notes = Repository.open(ours.path).notes(REF)
    assert notes.edit(edits, author=WHO) is not None
    assert tree(ours) == tree(git)
    assert list(notes) == notes_by_git(git)


def mixed(count: int) -> dict[str, bytes]:
    """Notes in folders of any depth side by side, and things that are no notes."""
    files = {"README": b"no note", "ab/README": b"none", "ab/cd/x/y": b"", "zz/" + "0" * 38: b""}
    for number in range(count):
        target = object_id(number)
        depth = [0, 1, 2, 1, 3, 2, 7, 0][int(target[1], 16) % 8]
        status = "failed" if number % 100 == 0 else "succeeded"
        path = placed(target, depth)
        # Git can't read a folder beside a name in upper case that starts like it.
        if target[1] == "f":
            path = path.upper()
        files[path] = f"run {number} {status}\n".encode()
        if target[1] != "f" and number % 40 == 0:
            # The same object a second time, elsewhere.
            files[placed(target, (depth + 1) % 3)] = b"\n" if number % 80 == 0 else b"twice"
    return files


def test_twenty_thousand_notes_in_mixed_folders_are_read_as_git_reads_them(tmp_path: Path) -> None:
    git = Git.init(tmp_path / "git", "--bare")
    import_notes(git, mixed(20_000))
    shutil.copytree(git.path, tmp_path / "ours")
    ours = Git(tmp_path / "ours")
    notes = Repository.open(ours.path).notes(REF)
    expected = notes_by_git(git)
    assert list(notes) == expected
    assert len(expected) == 20_000
    for note in random.Random(1).sample(expected, 40):
        assert notes.get(note.target) == note.content
    assert notes.get(object_id(-1)) is None
    for number in (0, 40, 80, 5, 123, 19_999, -5):
        edit = AppendNote(object_id(number), b"more\n")
        apply_by_git(git, edit)
        assert notes.edit([edit], author=WHO) is not None
        assert tree(ours) == tree(git), number
    assert list(notes) == notes_by_git(git)


def test_twenty_thousand_notes_written_here_are_read_by_git(tmp_path: Path) -> None:
    git = Git.init(tmp_path)
    stream = []
    for number in range(200):
        who = b"committer A <a@example.org> %d +0000" % number
        stream.append(b"commit refs/heads/main\n%s\ndata 1\nx" % who)
    git.run("fast-import", "--quiet", stdin=b"\n".join(stream))
    commits = git.text("rev-list", "main").split()
    targets = commits + [object_id(number) for number in range(20_000 - len(commits))]
    notes = Repository.open(tmp_path).notes("tsugumi")
    edits = [
        AppendNote(target, f"run {at} {'failed' if at % 50 == 0 else 'succeeded'} 1.0s\n", None)
        for at, target in enumerate(targets)
    ]
    notes.edit(edits, author=WHO)
    git.run("fsck", "--strict")
    by_git = notes_by_git(git)
    assert len(by_git) == 20_000
    assert by_git == list(notes)
    assert git.run("notes", "--ref=tsugumi", "show", commits[0]) == b"run 0 failed 1.0s"
    found = git.text("log", "--notes=tsugumi", "--grep=failed", "--format=%H", "main").split()
    assert found == [commit for at, commit in enumerate(commits) if at % 50 == 0]
    objects = int(git.text("rev-list", "--objects", "--count", "--all"))
    notes.append(commits[5], "run again failed 2.0s\n", author=WHO, separator=None)
    # A blob, a commit, the root, a folder in it and, where there is one, a folder in that.
    assert int(git.text("rev-list", "--objects", "--count", "--all")) - objects in {4, 5}


def entry(mode: str, kind: str, object_: str, name: str) -> str:
    return f"{mode} {kind} {object_}\t{name}\n"


def make_odd_tree(git: Git) -> list[str]:
    """A notes tree with everything that git tells from notes; the objects with notes."""
    a, b, empty = git.blob(b"a\n"), git.blob(b"b"), git.blob(b"")
    targets = [object_id(number, f"{number % 16:x}") for number in range(16)]
    below = git.text(
        "mktree",
        stdin=(
            entry("100644", "blob", b, targets[1][2:])
            + entry("120000", "blob", a, targets[2][2:])
            + entry("100644", "blob", a, "README")
        ).encode(),
    )
    commit = git.text("commit-tree", "-m", "x", below)
    # Git sorts, and refuses no name and no mode.
    lines = [
        entry("100755", "blob", a, targets[0]),
        entry("100644", "blob", a, targets[1]),
        entry("040000", "tree", below, targets[1][:2]),
        entry("120000", "blob", b, targets[3]),
        entry("040000", "tree", below, targets[4]),
        entry("160000", "commit", commit, targets[5]),
        entry("100644", "blob", a, targets[6].upper()),
        entry("100644", "blob", b, targets[6]),
        entry("100644", "blob", empty, targets[7].upper()),
        entry("100644", "blob", b, targets[7]),
        entry("100644", "blob", empty, targets[8]),
        entry("100644", "blob", a, targets[9][:39] + "g"),
        entry("100644", "blob", a, targets[10][:39]),
        entry("100644", "blob", a, targets[10] + "0"),
        entry("100644", "blob", a, "zz"),
        entry("040000", "tree", below, "FF"),
        entry("040000", "tree", below, "x"),
        entry("100644", "blob", b, "x.txt"),
        entry("160000", "commit", commit, "module"),
        entry("120000", "blob", b, "link"),
    ]
    root = git.text("mktree", stdin="".join(sorted(lines, key=lambda line: line[53:])).encode())
    git.run("update-ref", REF, git.text("commit-tree", "-m", "odd", root))
    return targets


def test_what_git_takes_for_no_notes_is_kept_where_it_is(tmp_path: Path) -> None:
    git = Git.init(tmp_path / "git", "--bare")
    targets = make_odd_tree(git)
    shutil.copytree(git.path, tmp_path / "ours")
    ours = Git(tmp_path / "ours")
    notes = Repository.open(ours.path).notes(REF)
    assert list(notes) == notes_by_git(git)
    contents = {note.target: note.content for note in notes}
    assert contents[targets[0]] == b"a\n"
    assert contents[targets[6]] == b"a\n\nb"
    assert not {targets[3], targets[4], targets[5], targets[9]} & set(contents)
    for target in [targets[0], targets[1], targets[6], targets[7], targets[8], object_id(99, "ff")]:
        edit = AppendNote(target, b"more")
        apply_by_git(git, edit)
        notes.edit([edit], author=WHO)
        assert sorted(listing(ours)) == sorted(listing(git)), target
    names = {line.split("\t")[1] for line in listing(ours)}
    assert {"README", "x.txt", "module", "link", "zz"} <= {name.split("/")[-1] for name in names}


def listing(git: Git) -> list[str]:
    """All that is in the tree. Git itself writes `x` and `x.txt` in the wrong order, so that the
    ids of the trees differ here."""
    return git.text("ls-tree", "-r", "-t", REF).splitlines()


def test_notes_of_one_commit_have_its_ids_too_where_the_message_is_gits(tmp_path: Path) -> None:
    git, ours = Git.init(tmp_path / "git"), Git.init(tmp_path / "ours")
    commit = git.text("commit-tree", "-m", "x", git.tree())
    author = Signature(
        name="Ａ. Author", email="author@example.org", time=1_700_000_000, offset=570
    )
    committer = Signature(name="C. Committer", email="committer@example.org", time=1_700_000_000)
    notes = Repository.open(ours.path).notes(REF)
    for text in ("one", "two\n", "three"):
        git.run("notes", "--ref", REF, "append", "-m", text, commit)
        message = "Notes added by 'git notes append'"
        assert notes.append(
            commit, text, author=author, committer=committer, message=message
        ) == git.text("rev-parse", REF)


@pytest.mark.parametrize("kind", ["commit", "tree", "tag of a commit", "tag of a tree", "symbolic"])
def test_a_reference_is_read_as_git_reads_it(tmp_path: Path, kind: str) -> None:
    git = Git.init(tmp_path)
    import_notes(git, mixed(30), "refs/notes/there")
    match kind:
        case "commit":
            git.run("update-ref", REF, "refs/notes/there")
        case "tree":
            git.run("update-ref", REF, "refs/notes/there^{tree}")
        case "symbolic":
            git.run("symbolic-ref", REF, "refs/notes/there")
        case _:
            target = "refs/notes/there" + ("^{tree}" if kind == "tag of a tree" else "")
            git.run("tag", "-m", "x", "marked", target)
            git.run("update-ref", REF, "refs/tags/marked")
    notes: Notes = Repository.open(tmp_path).notes("tsugumi")
    assert len(list(notes)) == 30
    assert list(notes) == notes_by_git(git)
