"""The command line: what changed between versions of a workflow, in a terminal or in a pipe.

| module | what it holds |
| --- | --- |
| `command` | what a command is; each stands in `_PLACES` below |
| `arguments` | what was typed: the parser, the options that commands share, as typed values |
| `log`, `show`, `diff`, `scan`, `demo` | what is run, and only reads |
| `canonical` | what is run: JSON in its canonical form |
| `package` | what is run: two versions of a package compared |
| `runs`, `run`, `keep`, `start`, `notes` | what is run: versions made, and what they carry |
| `run_options` | what `run end` is told of Cards |
| `baseline` | findings that were accepted |
| `identity` | who does something, and when |
| `layout` | versions and records as lines of a screen |
| `projects` | projects that are written to |
| `attached` | runs, names and branches of versions as lines of a screen |
| `shown` | ids, times and lines of messages |
| `output` | where it goes: colour, pager, pipe |
| `replacing` | files replaced at once |
| `progress` | how far long work is |
"""

from __future__ import annotations

import contextlib
import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Final

from versiondiff.cli.arguments import parser
from versiondiff.cli.command import DONE, FAILED, INTERRUPTED
from versiondiff.errors import VersionDiffError
from versiondiff.rendering.names import path as in_one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from versiondiff.cli.command import Command, Group

__all__ = ["commands", "main"]

_PLACES: Final = {
    "log": ("log", "COMMAND"),
    "show": ("show", "COMMAND"),
    "diff": ("diff", "COMMAND"),
    "package": ("package", "COMMAND"),
    "runs": ("runs", "COMMAND"),
    "start": ("start", "START"),
    "run": ("run", "GROUP"),
    "keep": ("keep", "COMMAND"),
    "start-from": ("start", "START_FROM"),
    "notes": ("notes", "GROUP"),
    "flow": ("flow", "GROUP"),
    "scan": ("scan", "COMMAND"),
    "canonical": ("canonical", "COMMAND"),
    "demo": ("demo", "COMMAND"),
}
"""Every command, in the order in which help lists them, and where it is defined: in which module,
and as what. A module is imported where its command is needed, and what a module may not need where
it does: importing all of it takes longer than most commands do."""


def commands(names: Iterable[str] = tuple(_PLACES)) -> tuple[Command | Group, ...]:
    """The commands of these names; by default all of them."""
    places = [_PLACES[name] for name in names]
    return tuple(
        getattr(import_module(f"versiondiff.cli.{module}"), attribute)
        for module, attribute in places
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        arguments: What was typed after the program's name; by default that of this process.

    Returns:
        The exit code: 0 done, 1 differences where asked for by `--exit-code`, secrets that
        `scan` found, or files that `canonical --check` named, 2 an error that was
        said on stderr in one line, 130 interrupted.
    """
    try:
        given = sys.argv[1:] if arguments is None else arguments
        # Where the first word is a command, nothing that is said depends on the others.
        first = given[0] if given else None
        names = [first] if first in _PLACES else [] if first == "--version" else _PLACES
        typed = parser(commands(names)).parse_args(given)
        code: int = typed.run(typed)
        sys.stdout.flush()
    except KeyboardInterrupt:
        _drop_output()
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read has read enough, as `head` does.
        _drop_output()
        return DONE
    except (VersionDiffError, OSError) as error:
        print(f"versiondiff: {in_one_line(_said(error))}", file=sys.stderr)  # noqa: T201
        return FAILED
    return code


def _drop_output() -> None:
    """Let what is still buffered go nowhere.

    The interpreter writes it at its end, and would then wait, or complain, if no one reads.
    """
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _said(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{os.fsdecode(error.filename)}: {(error.strerror or 'not readable').lower()}"
    return str(error) or type(error).__name__
