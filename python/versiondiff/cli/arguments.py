"""What was typed: the parser, the options that commands share, and their typed values.

Only here, in `identity` and in `output` is the environment read; the library never reads it.
"""

from __future__ import annotations

import argparse
import enum
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn, TypeVar

import msgspec

from versiondiff._core import __version__
from versiondiff.cli.command import FAILED, Group
from versiondiff.rendering import LIMIT
from versiondiff.rendering.names import path as in_one_line
from versiondiff.wording import CATALOGUES, Language

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from versiondiff import formats
    from versiondiff.cli.command import Command

__all__ = [
    "Colour",
    "RecordOptions",
    "ScreenOptions",
    "add_language_option",
    "add_record_options",
    "add_screen_options",
    "natural",
    "parser",
    "text",
    "typed",
]


class Colour(enum.Enum):
    """When lines are coloured."""

    AUTO = "auto"
    """In a terminal, unless NO_COLOR is set."""
    ALWAYS = "always"
    NEVER = "never"


class RecordOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What is read, and how it is said."""

    format: str | None
    """The name of a format, or a file that holds one."""
    language: Language
    limit: int
    json: bool

    def chosen_format(self) -> str | formats.Format | None:
        """The format as the library takes it; None where it is to be found.

        Raises:
            OSError, InvalidInput: the file can't be read, or holds no format.
        """
        if self.format is not None and _is_file_name(self.format):
            from versiondiff import formats

            return formats.load(Path(self.format))
        return self.format


class ScreenOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Where it is shown."""

    color: Colour
    pager: bool


def _is_file_name(format: str) -> bool:
    return format.endswith(".json") or os.sep in format or "/" in format


_Options = TypeVar("_Options")


def typed(namespace: argparse.Namespace, kind: type[_Options]) -> _Options:
    """What was typed as a value of `kind`, which names the options it takes."""
    return msgspec.convert(vars(namespace), kind)


# ── The options that commands share ─────────────────────────────────────────────────────────────


def add_record_options(parser: argparse.ArgumentParser) -> None:
    """Add what `RecordOptions` holds."""
    group = parser.add_argument_group("what is said")
    group.add_argument(
        "--format",
        type=text,
        metavar="NAME|FILE",
        help="what the files mean: tsugumi, flow, flowise, or a JSON file (*.json) that holds a "
        "format of your own; by default it is found by looking at the files, and said on stderr",
    )
    add_language_option(group)
    group.add_argument(
        "--limit",
        type=natural,
        default=LIMIT,
        metavar="N",
        help="how many entries a record shows, and how many names a list in a line; the rest is "
        "counted (default: %(default)s)",
    )
    group.add_argument(
        "--json",
        action="store_true",
        help="print whole records as JSON, one a line, in the documented wire format",
    )


def add_language_option(group: argparse._ArgumentGroup) -> None:
    """Add the language of the lines."""
    group.add_argument(
        "--language",
        choices=tuple(CATALOGUES),
        default=language_of(os.environ),
        help="the language of the lines (default: from LC_ALL, LC_MESSAGES or LANG, here "
        "%(default)s)",
    )


def add_screen_options(parser: argparse.ArgumentParser) -> None:
    """Add what `ScreenOptions` holds."""
    group = parser.add_argument_group("how it is shown")
    group.add_argument(
        "--color",
        choices=tuple(colour.value for colour in Colour),
        default=Colour.AUTO.value,
        help="auto: in a terminal, unless NO_COLOR is set (default: %(default)s)",
    )
    group.add_argument(
        "--no-pager",
        action="store_false",
        dest="pager",
        help="do not show through PAGER (default: less), as is done in a terminal",
    )


def language_of(environment: Mapping[str, str]) -> Language:
    """The language that the environment asks for; English where it asks for no other we speak."""
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        locale = environment.get(variable)
        if locale:
            return "ja" if locale.partition("_")[0].partition(".")[0].lower() == "ja" else "en"
    return "en"


# ── Types of arguments ──────────────────────────────────────────────────────────────────────────


def text(typed: str) -> str:
    """Text that is UTF-8, as names of revisions and formats are."""
    if not typed.isascii() and typed != os.fsencode(typed).decode("utf-8", "replace"):
        message = "must be UTF-8"
        raise argparse.ArgumentTypeError(message)
    return typed


def natural(typed: str) -> int:
    """A whole number of at least 1."""
    if not (typed.isascii() and typed.isdecimal() and 0 < len(typed) < 10 and int(typed) > 0):
        message = "must be a whole number, at least 1"
        raise argparse.ArgumentTypeError(message)
    return int(typed)


# ── The parser ──────────────────────────────────────────────────────────────────────────────────

_DESCRIPTION: Final = """\
What changed between versions of a workflow, in words that a person can read.

A workflow is a project of Cards (format tsugumi), or flows in JSON files (format
flowise), or what a format of your own says. Each version is compared with its first
parent. Records hold names and counts, never a value, a prompt or a line of source.
"""


class _Help(argparse.RawDescriptionHelpFormatter):
    """Help in which the names of commands stand beside what they do."""

    def add_argument(self, action: argparse.Action) -> None:
        """Take an action in; commands stand further in than it is reckoned by default."""
        super().add_argument(action)
        if isinstance(action, argparse._SubParsersAction):
            self._action_max_length += 2


class _Parser(argparse.ArgumentParser):
    """A parser that says in one line what is wrong."""

    def error(self, message: str) -> NoReturn:
        said = in_one_line(message)
        self.exit(FAILED, f"versiondiff: {said} (see {self.prog} --help)\n")


def parser(commands: Sequence[Command | Group]) -> argparse.ArgumentParser:
    """The parser of the whole command line; what it parses has `run`, the command's."""
    whole = _Parser(
        prog="versiondiff",
        description=_DESCRIPTION,
        epilog="versiondiff COMMAND --help explains a command, with examples.",
        formatter_class=_Help,
        allow_abbrev=False,
    )
    whole.add_argument(
        "--version",
        action="version",
        version=f"versiondiff {__version__}",
        help="print the version and exit",
    )
    _add_commands(whole, commands, dest="command")
    return whole


def _add_commands(
    parser: argparse.ArgumentParser, commands: Sequence[Command | Group], *, dest: str
) -> None:
    choices = parser.add_subparsers(title="commands", dest=dest, metavar="COMMAND", required=True)
    for command in commands:
        own = choices.add_parser(
            command.name,
            help=command.summary,
            description=command.description,
            epilog=_epilog(command),
            formatter_class=_Help,
            allow_abbrev=False,
        )
        if isinstance(command, Group):
            _add_commands(own, command.commands, dest=f"{command.name}_command")
        else:
            command.add_arguments(own)
            own.set_defaults(run=command.run)


def _epilog(command: Command | Group) -> str:
    commands = command.commands if isinstance(command, Group) else (command,)
    lines = ["examples:"]
    for typed, meaning in [example for each in commands for example in each.examples]:
        lines += [f"  versiondiff {typed}", f"      {meaning}"]
    lines += ["", "exit codes:"]
    codes = {code: meaning for each in commands for code, meaning in each.exit_codes}
    lines += [f"  {code}  {meaning}" for code, meaning in codes.items()]
    return "\n".join(lines)
