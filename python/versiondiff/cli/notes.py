"""`versiondiff notes`: notes of versions, read and written as `git notes` does."""

from __future__ import annotations

import hashlib
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from versiondiff.cli import notes_records
from versiondiff.cli.arguments import text, typed
from versiondiff.cli.command import DONE, Command, Group
from versiondiff.cli.durability import add_durability_option, durability_of
from versiondiff.cli.identity import add_author_options, author_of
from versiondiff.cli.shown import message_line
from versiondiff.durability import Durability
from versiondiff.errors import InvalidInput, NotFound
from versiondiff.rendering.names import path
from versiondiff.repository import Repository

if TYPE_CHECKING:
    import argparse

    from versiondiff.notes import Notes

__all__ = ["GROUP"]

_STDIN: Final = "-"
_REF: Final = "tsugumi"
_ID: Final = re.compile("[0-9a-fA-F]{40}")


class _Place(msgspec.Struct, frozen=True, kw_only=True):
    """Which notes."""

    repo: Path
    ref: str

    def notes(self, durability: Durability = Durability.PROCESS) -> tuple[Repository, Notes]:
        """The repository and the notes."""
        repository = Repository.open(self.repo, durability=durability)
        return repository, repository.notes(self.ref)


class _Content(msgspec.Struct, frozen=True, kw_only=True):
    """What was typed of the content of a note."""

    revision: str
    message: list[str]
    file: str | None

    def content(self) -> bytes:
        """The content; messages are paragraphs, as git takes them.

        Raises:
            InvalidInput: None was given, or both kinds.
            OSError: The file can't be read.
        """
        if bool(self.message) is (self.file is not None):
            message = "notes: needs the content, as either --message or --file"
            raise InvalidInput(message)
        if self.file is None:
            paragraphs = [part.rstrip("\n") + "\n" for part in self.message]
            return "\n".join(paragraphs).encode()
        if self.file == _STDIN:
            return sys.stdin.buffer.read()
        return Path(self.file).read_bytes()


def _add_place(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--ref",
        type=text,
        default=_REF,
        metavar="NAME",
        help="which notes: NAME stands for refs/notes/NAME, and a full name for itself "
        "(default: %(default)s, the runs)",
    )
    parser.add_argument(
        "--repo",
        type=Path,
        default=Path(),
        metavar="PATH",
        help="the git repository, or a folder in its working tree (default: here)",
    )


def _add_revision(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "revision",
        nargs="?",
        type=text,
        default="HEAD",
        metavar="REVISION",
        help="the version, by any name git knows (default: %(default)s)",
    )


def _add_content(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-m",
        "--message",
        type=text,
        action="append",
        default=[],
        metavar="TEXT",
        help="the content; each further one is a paragraph of its own",
    )
    parser.add_argument(
        "-F", "--file", metavar="FILE", help="a file that holds it, taken as it is (- is stdin)"
    )


# ── Reading ─────────────────────────────────────────────────────────────────────────────────────


class _List(msgspec.Struct, frozen=True, kw_only=True):
    revision: str | None


def _add_list_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "revision",
        nargs="?",
        type=text,
        metavar="REVISION",
        help="only the note of this version, and only its id",
    )
    _add_place(parser)


def _run_list(namespace: argparse.Namespace) -> int:
    revision = typed(namespace, _List).revision
    repository, notes = typed(namespace, _Place).notes()
    if revision is not None:
        sys.stdout.write(f"{_blob_id(_note(repository, notes, revision))}\n")
        return DONE
    for note in notes:
        sys.stdout.write(f"{_blob_id(note.content)} {note.target}\n")
    return DONE


def _blob_id(content: bytes) -> str:
    """The id that git gives to a blob."""
    header = b"blob %d\0" % len(content)
    return hashlib.sha1(header + content, usedforsecurity=False).hexdigest()


class _Show(msgspec.Struct, frozen=True, kw_only=True):
    revision: str


def _add_show_arguments(parser: argparse.ArgumentParser) -> None:
    _add_revision(parser)
    _add_place(parser)


def _run_show(namespace: argparse.Namespace) -> int:
    repository, notes = typed(namespace, _Place).notes()
    content = _note(repository, notes, typed(namespace, _Show).revision)
    if sys.stdout.isatty():
        # Anyone can have written anything.
        lines = content.decode(errors="replace").removesuffix("\n").split("\n")
        content = "".join(f"{message_line(line.expandtabs())}\n" for line in lines).encode(
            sys.stdout.encoding or "utf-8", "replace"
        )
    sys.stdout.buffer.write(content)
    return DONE


def _note(repository: Repository, notes: Notes, revision: str) -> bytes:
    content = notes.get(revision)
    if content is None:
        raise _without_note(repository, notes, revision)
    return content


def _without_note(repository: Repository, notes: Notes, revision: str) -> NotFound:
    # The full id of something that need not be a version stands for itself.
    target = revision if _ID.fullmatch(revision) else repository.version(revision).id
    return NotFound(f"{path(notes.ref)}: no note for {target}")


# ── Writing ─────────────────────────────────────────────────────────────────────────────────────


class _Separator(msgspec.Struct, frozen=True, kw_only=True):
    separator: str | None


def _add_append_arguments(parser: argparse.ArgumentParser) -> None:
    _add_revision(parser)
    _add_content(parser)
    parser.add_argument(
        "--no-separator",
        action="store_const",
        const=None,
        default="\n",
        dest="separator",
        help="no blank line between what is there and what is appended",
    )
    _add_place(parser)
    add_durability_option(parser)
    add_author_options(parser)


def _run_append(namespace: argparse.Namespace) -> int:
    content = typed(namespace, _Content)
    separator = typed(namespace, _Separator).separator
    _, notes = typed(namespace, _Place).notes(durability_of(namespace))
    notes.append(
        content.revision,
        content.content(),
        author=author_of(namespace),
        separator=None if separator is None else separator.encode(),
    )
    return DONE


def _add_set_arguments(parser: argparse.ArgumentParser) -> None:
    _add_revision(parser)
    _add_content(parser)
    _add_place(parser)
    add_durability_option(parser)
    add_author_options(parser)


def _run_set(namespace: argparse.Namespace) -> int:
    content = typed(namespace, _Content)
    _, notes = typed(namespace, _Place).notes(durability_of(namespace))
    notes.set(content.revision, content.content(), author=author_of(namespace))
    return DONE


class _Remove(msgspec.Struct, frozen=True, kw_only=True):
    revision: str
    ignore_missing: bool


def _add_remove_arguments(parser: argparse.ArgumentParser) -> None:
    _add_revision(parser)
    parser.add_argument(
        "--ignore-missing", action="store_true", help="a version without a note is no error"
    )
    _add_place(parser)
    add_durability_option(parser)
    add_author_options(parser)


def _run_remove(namespace: argparse.Namespace) -> int:
    remove = typed(namespace, _Remove)
    repository, notes = typed(namespace, _Place).notes(durability_of(namespace))
    removed = notes.remove(remove.revision, author=author_of(namespace))
    if not removed and not remove.ignore_missing:
        raise _without_note(repository, notes, remove.revision)
    return DONE


GROUP: Final = Group(
    name="notes",
    summary="notes of versions: read, append, set, remove; and change records as notes",
    description="""\
Read and write the notes of versions. They are those of `git notes`: what one writes
the other reads. Any number of processes may append at once, and nothing is lost.""",
    commands=(
        Command(
            name="list",
            summary="the notes there are: the id of each, and the version that it is of",
            description="List the notes as `git notes list` does, sorted by version.",
            examples=(("notes list --ref tsugumi-record-en", "which versions have a record"),),
            add_arguments=_add_list_arguments,
            run=_run_list,
        ),
        Command(
            name="show",
            summary="the note of a version",
            description="Print the note of a version: in a pipe the very bytes of it.",
            examples=(("notes show rgb-v1", "the runs that were noted"),),
            add_arguments=_add_show_arguments,
            run=_run_show,
        ),
        Command(
            name="append",
            summary="write something below what is in the note of a version",
            description="""\
Append to the note of a version, or make it. A blank line goes between, as with git.""",
            examples=(("notes append --ref review -m 'Looks good.'", "to that of the newest one"),),
            add_arguments=_add_append_arguments,
            run=_run_append,
        ),
        Command(
            name="set",
            summary="write the note of a version, instead of what is in it",
            description="Write the note of a version; what was in it is replaced.",
            examples=(("notes set HEAD~1 --ref review -F review.txt", "from a file"),),
            add_arguments=_add_set_arguments,
            run=_run_set,
        ),
        Command(
            name="remove",
            summary="remove the note of a version",
            description="Remove the note of a version.",
            examples=(("notes remove HEAD --ref review", "that of the newest version"),),
            add_arguments=_add_remove_arguments,
            run=_run_remove,
        ),
        notes_records.COMMAND,
    ),
)
