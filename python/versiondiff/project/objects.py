"""Commits and annotated tags, written as they are given.

libgit2's own way drops dots and other characters at the ends of names, so the same signature would
make another id than elsewhere in this library.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pygit2
from pygit2.enums import FileMode, ObjectType

from versiondiff import pygit2_stand_in
from versiondiff.errors import InvalidInput
from versiondiff.isolation import open_exactly
from versiondiff.signatures import signature_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from versiondiff.project.disk import Disk
    from versiondiff.project.places import Places
    from versiondiff.records import Signature

__all__ = [
    "checked_text",
    "objects_of_tree",
    "write_commit",
    "write_tag",
    "writing_repository",
]


def checked_text(text: str, place: str) -> str:
    """The text itself, which may go into a commit or a tag.

    Raises:
        InvalidInput: It holds NUL, or is no valid Unicode.
    """
    try:
        rule = "must not have NUL" if b"\0" in text.encode() else None
    except UnicodeEncodeError:
        rule = "must be valid Unicode"
    if rule is not None:
        message = f"{place}: {rule}"
        raise InvalidInput(message)
    return text


def write_commit(
    repository: pygit2.Repository,
    tree: str,
    parents: Sequence[str],
    author: Signature,
    message: str,
) -> str:
    """Write a commit; its id. The author is the committer too."""
    who = signature_line(author)
    lines = [b"tree " + tree.encode()]
    lines += [b"parent " + parent.encode() for parent in parents]
    lines += [b"author " + who, b"committer " + who, b"", _closed(message)]
    return str(repository.write(ObjectType.COMMIT, b"\n".join(lines)))


def write_tag(
    repository: pygit2.Repository, commit: str, name: str, tagger: Signature, message: str
) -> str:
    """Write an annotated tag of a commit; its id."""
    lines = [
        b"object " + commit.encode(),
        b"type commit",
        b"tag " + name.encode(),
        b"tagger " + signature_line(tagger),
        b"",
        _closed(message),
    ]
    return str(repository.write(ObjectType.TAG, b"\n".join(lines)))


def objects_of_tree(
    repository: pygit2.Repository, tree: pygit2.Tree, before: pygit2.Tree | None
) -> set[str]:
    """The ids of a tree, and of all that is in it and not in the same place in the one before."""
    found = set()
    left: list[tuple[pygit2.Tree, pygit2.Tree | None]] = [(tree, before)]
    while left:
        new, old = left.pop()
        found.add(str(new.id))
        known = {} if old is None else {entry.raw_name: entry for entry in old}
        for entry in new:
            there = known.get(entry.raw_name)
            if entry.filemode == FileMode.COMMIT or (there and there.id == entry.id):
                continue
            if entry.filemode == FileMode.TREE:
                other = there if there and there.filemode == FileMode.TREE else None
                before = None if other is None else _tree(repository, other)
                left.append((_tree(repository, entry), before))
            else:
                found.add(str(entry.id))
    return found


def writing_repository(
    places: Places, repository: pygit2.Repository, disk: Disk
) -> pygit2.Repository:
    """The repository to write commits, tags and references with.

    Where a power cut must not take anything, libgit2 forces each of them to the disk before it
    gives it its name. It asks for that in a configuration, which then is ours.
    """
    if not disk.is_forced:
        return repository
    place = places.own_dir / "writing"
    shutil.rmtree(place, ignore_errors=True)
    name, config = "core.logallrefupdates", repository.config
    logs = None
    if name in config:
        always = str(config[name]).lower() == "always"
        logs = "always" if always else str(config.get_bool(name)).lower()
    if logs != "false":
        # libgit2 makes no directory that a link leads to.
        place_of_logs = places.common_dir / "logs" / "refs"
        if not place_of_logs.exists():
            place_of_logs.mkdir(parents=True)
            disk.sync_above(place_of_logs, places.common_dir)
    made = pygit2_stand_in.make(
        places.git_dir, places.common_dir, place=place, logs=logs, forced=True
    )
    return open_exactly(made)


def _tree(repository: pygit2.Repository, entry: pygit2.Object) -> pygit2.Tree:
    return repository[entry.id].peel(pygit2.Tree)


def _closed(message: str) -> bytes:
    """The message with a line end; an empty memo stays empty, as in history files."""
    if not message or message.endswith("\n"):
        return message.encode()
    return message.encode() + b"\n"
