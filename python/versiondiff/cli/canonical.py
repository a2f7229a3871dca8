"""`versiondiff canonical`: JSON files in their canonical form; also as a hook before a commit."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from versiondiff.canonical import MAX_DEPTH, Duplicates, Fault, Profile, attempt
from versiondiff.cli.arguments import add_language_option, natural, typed
from versiondiff.cli.command import DIFFERENT, DONE, FAILED, Command
from versiondiff.cli.output import note
from versiondiff.cli.replacing import replace_file
from versiondiff.errors import InvalidInput
from versiondiff.rendering.names import path as in_one_line
from versiondiff.wording import CATALOGUES, Language

if TYPE_CHECKING:
    import argparse

__all__ = ["COMMAND"]

_STDIN: Final = "-"
_LARGEST: Final = 1 << 30
"""Bytes of the largest file that is read; it is held in memory."""


class _Canonical(msgspec.Struct, frozen=True, kw_only=True):
    """What was typed."""

    files: list[str]
    check: bool
    write: bool
    profile: Profile
    duplicates: Duplicates
    max_depth: int
    language: Language

    def form(self, content: bytes) -> bytes | Fault:
        """The canonical form of a content, or what is wrong with it."""
        return attempt(
            content,
            profile=self.profile,
            duplicates=self.duplicates,
            max_depth=self.max_depth,
        )


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files", nargs="*", metavar="FILE", help="JSON files; - or none at all is stdin"
    )
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--check",
        action="store_true",
        help="print the names of the files that are not canonical, and end with 1 if there are any",
    )
    group.add_argument(
        "--write",
        action="store_true",
        help="rewrite the files that are not canonical, each at once, and print their names",
    )
    parser.add_argument(
        "--profile",
        choices=("canonical", "jcs"),
        default="canonical",
        help="jcs: RFC 8785, without white space, numbers as doubles (default: %(default)s)",
    )
    parser.add_argument(
        "--duplicates",
        choices=("error", "last"),
        default="error",
        help="what becomes of names that stand twice in an object: the last one counts, as for "
        "JSON.parse, or an error (default: %(default)s)",
    )
    parser.add_argument(
        "--max-depth",
        type=natural,
        default=MAX_DEPTH,
        metavar="N",
        help="how deep arrays and objects may nest (default: %(default)s)",
    )
    add_language_option(parser.add_argument_group("what is said"))


def _run(arguments: argparse.Namespace) -> int:
    options = typed(arguments, _Canonical)
    if options.write and (not options.files or _STDIN in options.files):
        message = "canonical: --write needs FILEs"
        raise InvalidInput(message)
    code = DONE
    unread: BrokenPipeError | None = None
    for path in dict.fromkeys(options.files or [_STDIN]):
        try:
            code = max(code, _file(path, options))
        except BrokenPipeError as error:
            if not options.write:
                raise
            # Who read the names had enough; the files are to be written all the same.
            unread = error
    if unread is not None and code == DONE:
        raise unread
    return code


def _file(path: str, options: _Canonical) -> int:
    """Check, rewrite or print one file; errors are said, and the others go on."""
    try:
        content = _read(path)
        form = options.form(content)
        if isinstance(form, Fault):
            place = f"{path}:{form.line}:{form.column}"
            where = f" ({form.pointer})" if form.pointer else ""
            note(in_one_line(f"{place}: {form.rule}{where}"))
            return FAILED
        is_different = form != content
        if options.write and is_different:
            _replace(Path(path), form)
    except (OSError, InvalidInput) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        note(in_one_line(f"versiondiff: {path}: {(reason or 'not readable').lower()}"))
        return FAILED
    # From here on it is stdout that something is wrong with, such as a reader who had enough.
    if not (options.check or options.write):
        sys.stdout.buffer.write(form)
        sys.stdout.buffer.flush()
        return DONE
    if is_different:
        _print(path, options)
    return DIFFERENT if is_different and options.check else DONE


def _print(path: str, options: _Canonical) -> None:
    line = in_one_line(path)
    if options.write:
        line = CATALOGUES[options.language].canonical_written.format(path=line)
    sys.stdout.buffer.write(f"{line}\n".encode(sys.stdout.encoding or "utf-8", "replace"))
    sys.stdout.buffer.flush()


def _read(path: str) -> bytes:
    """The whole content.

    Raises:
        OSError: It can't be read.
        InvalidInput: It is no file, or larger than is held in memory.
    """
    if path == _STDIN:
        content = sys.stdin.buffer.read(_LARGEST + 1)
    else:
        with Path(path).open("rb") as file:
            content = file.read(_LARGEST + 1)
    if len(content) > _LARGEST:
        message = f"larger than {_LARGEST:,} bytes"
        raise InvalidInput(message)
    return content


def _replace(path: Path, content: bytes) -> None:
    """Put a content in a file's place at once, under the same mode.

    A link stays, and what it leads to is replaced. If anything fails, the file is as it was.

    Raises:
        OSError: The folder or the file can't be written.
        InvalidInput: It is no regular file.
    """
    target = path.resolve(strict=True)
    status = target.stat()
    if not stat.S_ISREG(status.st_mode):
        message = "no regular file"
        raise InvalidInput(message)
    if not os.access(target, os.W_OK):
        raise PermissionError(13, "Permission denied", str(path))
    replace_file(target, content, mode=stat.S_IMODE(status.st_mode))


COMMAND: Final = Command(
    name="canonical",
    summary="JSON in its canonical form",
    description="""\
Print JSON in its canonical form, check files for it, or rewrite them: members sorted
by name, two spaces of indent, a line feed at the end, numbers as JavaScript writes
them where no digit is lost.""",
    examples=(
        ("canonical flow.json", "print one file"),
        ("canonical --check flows/*.json", "name those that are not canonical"),
        ("canonical --write flows/*.json", "rewrite those, and touch no other"),
        ("canonical --profile jcs - < agent.json", "what is hashed or signed (RFC 8785)"),
    ),
    exit_codes=(
        (DONE, "done; with --check, all are canonical"),
        (DIFFERENT, "with --check: some are not"),
        (FAILED, "an error, said on stderr as file:line:column: rule; the others are done"),
    ),
    add_arguments=_add_arguments,
    run=_run,
)
