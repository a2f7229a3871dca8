"""What differs between two trees, and which paths may be written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import pygit2
from pygit2.enums import FileMode

from versiondiff.errors import InvalidInput, LimitExceeded, NotFound
from versiondiff.rendering.names import path as shown_path

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Change", "Entry", "broken_rule", "changes", "shown", "tree_of"]

_DEPTH: Final = 1024
"""How deep directories may nest; no file system takes paths much longer."""

_IGNORED_BY_HFS: Final = dict.fromkeys(
    [*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF]
)


class Entry(NamedTuple):
    """A file in a tree."""

    mode: int
    id: str


class Change(NamedTuple):
    """A file that differs."""

    path: bytes
    old: Entry | None
    new: Entry | None


_Level = tuple[bytes, pygit2.Tree | None, pygit2.Tree | None]


def changes(
    repository: pygit2.Repository, old: pygit2.Tree | None, new: pygit2.Tree | None
) -> list[Change]:
    """The files, links and submodules that differ, sorted by path.

    Subtrees that are equal are not read.

    Raises:
        InvalidInput: A path of the new tree must not be written, or a tree is broken.
        LimitExceeded: Directories nest too deep.
        NotFound: An object is missing.
    """
    found: list[Change] = []
    levels: list[_Level] = [(b"", old, new)]
    while levels:
        prefix, old_tree, new_tree = levels.pop()
        if prefix.count(b"/") > _DEPTH:
            message = f"directories nest deeper than {_DEPTH}"
            raise LimitExceeded(message)
        old_entries = dict(_entries(old_tree))
        new_entries = dict(_checked(prefix, new_tree))
        for name in old_entries.keys() | new_entries.keys():
            before, after = old_entries.get(name), new_entries.get(name)
            if before == after:
                continue
            path = prefix + name
            old_below = _subtree(repository, path, before)
            new_below = _subtree(repository, path, after)
            if old_below is not None or new_below is not None:
                levels.append((path + b"/", old_below, new_below))
            old_file = None if old_below is not None else before
            new_file = None if new_below is not None else after
            if old_file is not None or new_file is not None:
                found.append(Change(path, old_file, new_file))
    return sorted(found)


def tree_of(repository: pygit2.Repository, object_id: str, place: str) -> pygit2.Tree:
    """A tree, or that of a commit.

    Raises:
        NotFound: It is missing.
        InvalidInput: It is broken, or something else.
    """
    try:
        return repository[object_id].peel(pygit2.Tree)
    except KeyError as error:
        message = f"{place}: the object {object_id} is missing"
        raise NotFound(message) from error
    except (ValueError, pygit2.GitError) as error:
        message = f"{place}: the object {object_id} is no tree that can be read"
        raise InvalidInput(message) from error


def shown(path: bytes) -> str:
    """A path in a message: on one line, whatever is in it."""
    return shown_path(path.decode(errors="replace"))


def broken_rule(name: bytes, mode: int) -> str | None:
    """The rule that a name in a tree breaks, as git checks it before it writes anything.

    They hold on every system: a repository may be copied to another.
    """
    if name in {b"", b".", b".."}:
        return "names no file"
    if b"/" in name or b"\0" in name:
        return "is no name of a file"
    text = name.decode(errors="replace").translate(_IGNORED_BY_HFS).lower()
    if text == ".git":
        return "is the git directory"
    for part in text.split("\\"):
        # What NTFS takes for the same: streams, dots and spaces at the end, the short name.
        if part.split(":")[0].rstrip(" .") in {".git", "git~1"}:
            return "is the git directory on Windows"
    if mode == FileMode.LINK and text == ".gitmodules":
        return "must not be a link"
    return None


def _entries(tree: pygit2.Tree | None) -> Iterator[tuple[bytes, Entry]]:
    for entry in tree or ():
        name = entry.raw_name
        if name is not None:
            yield name, Entry(int(entry.filemode), str(entry.id))


def _checked(prefix: bytes, tree: pygit2.Tree | None) -> Iterator[tuple[bytes, Entry]]:
    seen: set[bytes] = set()
    for name, entry in _entries(tree):
        rule = broken_rule(name, entry.mode)
        if rule is None and name in seen:
            rule = "stands twice"
        if rule is not None:
            message = f"{shown(prefix + name)}: a path of the version that {rule}"
            raise InvalidInput(message)
        seen.add(name)
        yield name, entry


def _subtree(repository: pygit2.Repository, path: bytes, entry: Entry | None) -> pygit2.Tree | None:
    if entry is None or entry.mode != FileMode.TREE:
        return None
    return tree_of(repository, entry.id, shown(path))
