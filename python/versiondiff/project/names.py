"""Names of kept versions and of branches that begin at a version."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from versiondiff.errors import Conflict, InvalidInput

if TYPE_CHECKING:
    from collections.abc import Collection

    import pygit2

__all__ = ["BRANCHES", "TAGS", "check_free", "check_name", "free_branch", "short_id"]

BRANCHES: Final = "refs/heads/"
TAGS: Final = "refs/tags/"

_SHORTEST_ID: Final = 7
_FULL_ID: Final = 40
_LONGEST_PART: Final = 240
"""In bytes: file systems take 255, and git needs some for its locks."""
_LONGEST: Final = 1000
_FORBIDDEN: Final = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]")


def check_name(name: str) -> None:
    """Check the name of a tag by git's rules: `git check-ref-format`, and those of `git tag`.

    Raises:
        InvalidInput: A rule is broken.
    """
    rule = _broken_rule(name)
    if rule is not None:
        message = f"name of a version: {rule}"
        raise InvalidInput(message)


def check_free(name: str, taken: Collection[str]) -> None:
    """Check that a reference may be made beside others.

    Args:
        name: Its full name.
        taken: The full names of the others.

    Raises:
        Conflict: One has that name, is a folder of it, or has it as a folder.
    """
    for other in taken:
        if other == name or other.startswith(name + "/") or name.startswith(other + "/"):
            message = f"the name is taken: {other} is there"
            raise Conflict(message)


def free_branch(label: str, taken: Collection[str]) -> str:
    """The full name of a new branch `try-<label>`; `-2`, `-3`… where the name is taken."""
    number = 1
    while True:
        name = f"{BRANCHES}try-{label}" + (f"-{number}" if number > 1 else "")
        try:
            check_free(name, taken)
        except Conflict:
            number += 1
        else:
            return name


def short_id(repository: pygit2.Repository, commit: str) -> str:
    """The first digits of an object's id, seven or as many as no other object has."""
    for length in range(_SHORTEST_ID, _FULL_ID):
        try:
            repository.expand_id(commit[:length])
        except ValueError:
            continue
        return commit[:length]
    return commit


def _broken_rule(name: str) -> str | None:
    if not name:
        return "must not be empty"
    try:
        encoded = name.encode()
    except UnicodeEncodeError:
        return "must be valid Unicode"
    if name.startswith("-"):
        return "must not start with a dash"
    if name == "HEAD":
        return "must not be HEAD"
    if _FORBIDDEN.search(name):
        return "must not have spaces, control characters or any of ~ ^ : ? * [ \\"
    if ".." in name or "@{" in name or name.endswith("."):
        return "must not have .. or @{, nor end with a dot"
    parts = name.split("/")
    if not all(parts):
        return "must not start or end with a slash, nor have two in a row"
    if any(part.startswith(".") or part.endswith(".lock") for part in parts):
        return "must have no part that starts with a dot or ends with .lock"
    if len(encoded) > _LONGEST or any(len(part.encode()) > _LONGEST_PART for part in parts):
        return f"must not be longer than {_LONGEST} bytes, and no part than {_LONGEST_PART}"
    return None
