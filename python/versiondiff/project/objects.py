"""Commits and annotated tags, written as they are given.

libgit2's own way drops dots and other characters at the ends of names, so the same signature would
make another id than elsewhere in this library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pygit2.enums import ObjectType

from versiondiff.errors import InvalidInput
from versiondiff.signatures import signature_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pygit2

    from versiondiff.records import Signature

__all__ = ["checked_text", "write_commit", "write_tag"]


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


def _closed(message: str) -> bytes:
    """The message with a line end; an empty memo stays empty, as in history files."""
    if not message or message.endswith("\n"):
        return message.encode()
    return message.encode() + b"\n"
