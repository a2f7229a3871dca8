"""Notes: bytes that are kept about a version, beside it, as `git notes` keeps them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import msgspec

from versiondiff.errors import InternalError, InvalidInput
from versiondiff.signatures import checked_signature

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from versiondiff import _core
    from versiondiff.records import Signature

__all__ = ["AppendLine", "AppendNote", "Note", "NoteEdit", "Notes", "RemoveNote", "SetNote"]

DEFAULT_TIMEOUT = 10.0
"""How many seconds other writers are waited for."""


class Note(msgspec.Struct, frozen=True):
    """A note."""

    target: str
    """The id of the object that it is about."""
    content: bytes
    """What it says: bytes, which need not be text."""


class AppendNote(msgspec.Struct, frozen=True):
    """Put something after the note that there may be."""

    target: str
    """A version, by any name that git knows, or the full id of any object."""
    content: bytes | str
    """Bytes, taken as they are; or text, which gets the line feed that its last line lacks."""
    separator: bytes | None = b"\n"
    """What stands between the old and the new, and a line feed where it doesn't end in one; None
    is nothing at all."""


class AppendLine(msgspec.Struct, frozen=True):
    """Put a line after those that the note may have.

    Nothing stands between them, but a line feed where the last line there lacks its own: whoever
    wrote it, the new line is one.
    """

    target: str
    """A version, by any name that git knows, or the full id of any object."""
    line: bytes | str
    """The line, which gets the line feed that it lacks."""


class SetNote(msgspec.Struct, frozen=True):
    """Put a note in place of the one that there may be."""

    target: str
    """A version, by any name that git knows, or the full id of any object."""
    content: bytes | str
    """Bytes, taken as they are; or text, which gets the line feed that its last line lacks."""


class RemoveNote(msgspec.Struct, frozen=True):
    """Take a note away; where there is none, nothing changes."""

    target: str
    """A version, by any name that git knows, or the full id of any object."""


NoteEdit: TypeAlias = AppendLine | AppendNote | SetNote | RemoveNote


class Notes:
    """The notes of one reference, from `Repository.notes`; safe to share between threads.

    Every edit becomes a commit on the reference, and none is lost: where another process changed
    the reference meanwhile, the edit is made anew on what is there then. All methods that take a
    revision take any name of a version that git knows, or the full id of any object, which need
    not even be in the repository.
    """

    __slots__ = ("_core",)

    def __init__(self, core: _core.Notes) -> None:
        """Use `Repository.notes`."""
        self._core = core

    @property
    def ref(self) -> str:
        """The full name of the reference, such as `refs/notes/tsugumi`."""
        return self._core.reference

    def __repr__(self) -> str:
        return f"<Notes {self.ref}>"

    def get(self, revision: str) -> bytes | None:
        """The note about a version or an object; None where there is none.

        Raises:
            NotFound: No version goes by that name, or an object that is needed is missing.
            InvalidInput: The reference holds no notes, or an object that is needed is corrupt.
        """
        return self._core.get(revision)

    def __iter__(self) -> Iterator[Note]:
        """All notes, sorted by the ids of what they are about, as they are at this moment.

        Raises:
            NotFound: An object that is needed is missing.
            InvalidInput: The reference holds no notes, or an object that is needed is corrupt.
        """
        stream = self._core.list()
        while chunk := stream.next_chunk():
            for target, content in chunk:
                yield Note(target, content)

    def append(
        self,
        revision: str,
        content: bytes | str,
        *,
        author: Signature,
        committer: Signature | None = None,
        separator: bytes | None = b"\n",
        message: str | None = None,
        timeout: float = DEFAULT_TIMEOUT,
    ) -> str:
        """Put something after the note that there may be, as `git notes append` does.

        Args:
            revision: The version or the object.
            content: Bytes, taken as they are; or text, which gets the line feed that its last line
                lacks.
            author: Who made the edit, and when.
            committer: Who made the commit, and when; None is the author.
            separator: What stands between the old and the new, and a line feed where it doesn't end
                in one: a blank line where nothing else is said. None is nothing at all.
            message: The message of the commit; None is one that says what was done.
            timeout: How many seconds other writers are waited for.

        Returns:
            The id of the notes commit.

        Raises:
            Conflict: Other writers stood in the way until time was up.
            NotFound: No version goes by that name, or an object that is needed is missing.
            InvalidInput: There is nothing in the content; a signature or the message breaks a rule;
                the reference is one that notes can't be written to.
            VersionDiffError: The repository can't be written.
        """
        edit = AppendNote(revision, content, separator)
        return self._one(edit, author, committer, message, timeout)

    def set(
        self,
        revision: str,
        content: bytes | str,
        *,
        author: Signature,
        committer: Signature | None = None,
        message: str | None = None,
        timeout: float = DEFAULT_TIMEOUT,
    ) -> str:
        """Put a note in place of the one that there may be.

        Args:
            revision: The version or the object.
            content: Bytes, taken as they are; or text, which gets the line feed that its last line
                lacks.
            author: Who made the edit, and when.
            committer: Who made the commit, and when; None is the author.
            message: The message of the commit; None is one that says what was done.
            timeout: How many seconds other writers are waited for.

        Returns:
            The id of the notes commit. Where the note says that already no commit is made, and it
            is the one that there is.

        Raises:
            Conflict: Other writers stood in the way until time was up.
            NotFound: No version goes by that name, or an object that is needed is missing.
            InvalidInput: There is nothing in the content; a signature or the message breaks a rule;
                the reference is one that notes can't be written to.
            VersionDiffError: The repository can't be written.
        """
        return self._one(SetNote(revision, content), author, committer, message, timeout)

    def remove(
        self,
        revision: str,
        *,
        author: Signature,
        committer: Signature | None = None,
        message: str | None = None,
        timeout: float = DEFAULT_TIMEOUT,
    ) -> bool:
        """Take a note away.

        Args:
            revision: The version or the object.
            author: Who made the edit, and when.
            committer: Who made the commit, and when; None is the author.
            message: The message of the commit; None is one that says what was done.
            timeout: How many seconds other writers are waited for.

        Returns:
            Whether there was one. Where there was none no commit is made.

        Raises:
            Conflict: Other writers stood in the way until time was up.
            NotFound: No version goes by that name, or an object that is needed is missing.
            InvalidInput: A signature or the message breaks a rule; the reference is one that notes
                can't be written to.
            VersionDiffError: The repository can't be written.
        """
        edits = [RemoveNote(revision)]
        edited = self.edit(
            edits, author=author, committer=committer, message=message, timeout=timeout
        )
        return edited is not None

    def edit(
        self,
        edits: Iterable[NoteEdit],
        *,
        author: Signature,
        committer: Signature | None = None,
        message: str | None = None,
        timeout: float = DEFAULT_TIMEOUT,
    ) -> str | None:
        """Make many edits, in the order given, in one commit.

        Args:
            edits: What to do.
            author: Who made the edits, and when.
            committer: Who made the commit, and when; None is the author.
            message: The message of the commit; None is one that says what was done.
            timeout: How many seconds other writers are waited for.

        Returns:
            The id of the notes commit; None where nothing changed and none was made.

        Raises:
            Conflict: Other writers stood in the way until time was up.
            NotFound: No version goes by one of the names, or an object that is needed is missing.
            InvalidInput: There is nothing in a content; a signature or the message breaks a rule;
                the reference is one that notes can't be written to.
            VersionDiffError: The repository can't be written.
        """
        tip, made = self._edit(list(edits), author, committer, message, timeout)
        return tip if made else None

    def _one(
        self,
        edit: NoteEdit,
        author: Signature,
        committer: Signature | None,
        message: str | None,
        timeout: float,
    ) -> str:
        tip, _ = self._edit([edit], author, committer, message, timeout)
        if tip is None:
            # A note that says something is in a tree that is not empty: there is a commit.
            raise InternalError("notes: no commit was made")
        return tip

    def _edit(
        self,
        edits: list[NoteEdit],
        author: Signature,
        committer: Signature | None,
        message: str | None,
        timeout: float,
    ) -> tuple[str | None, bool]:
        author = checked_signature(author, "author")
        committer = author if committer is None else checked_signature(committer, "committer")
        if message is None:
            only_removes = all(isinstance(edit, RemoveNote) for edit in edits)
            message = f"Notes {'removed' if only_removes else 'added'} by versiondiff"
        return self._core.edit(
            [_core_edit(edit) for edit in edits],
            msgspec.structs.astuple(author),
            msgspec.structs.astuple(committer),
            _unicode(message, "the message of a notes commit").decode(),
            timeout,
        )


def _core_edit(edit: NoteEdit) -> tuple[str, str, bytes | None, bytes | None]:
    # The core would be asked for a text that none of its own can be.
    _unicode(edit.target, "the name of a version")
    match edit:
        case AppendNote(target, content, separator):
            return "append", target, _as_bytes(content), separator
        case AppendLine(target, line):
            return "append_line", target, _whole_lines(_as_bytes(line)), None
        case SetNote(target, content):
            return "set", target, _as_bytes(content), None
        case RemoveNote(target):
            return "remove", target, None, None


def _as_bytes(content: bytes | str) -> bytes:
    if isinstance(content, bytes):
        return content
    return _whole_lines(_unicode(content, "a note"))


def _whole_lines(content: bytes) -> bytes:
    return content + b"\n" if content and not content.endswith(b"\n") else content


def _unicode(text: str, what: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise InvalidInput(f"{what} is not Unicode text") from None
