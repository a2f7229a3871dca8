"""What a command is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

__all__ = ["DIFFERENT", "DONE", "FAILED", "FOUND", "INTERRUPTED", "Command", "Group"]

DONE: Final = 0
DIFFERENT: Final = 1
"""There are differences, where `--exit-code` asks."""
FOUND: Final = 1
"""There are secrets, where `scan` looked."""
FAILED: Final = 2
INTERRUPTED: Final = 130
"""Ended by Ctrl-C; as shells count, 128 and the number of the signal."""


class Command(msgspec.Struct, frozen=True, kw_only=True):
    """A command of `versiondiff`: what help says, what can be typed, and what is run.

    A module that has one defines it as `COMMAND` and is named in `versiondiff.cli`.
    """

    name: str
    summary: str
    """In the list of commands: what it does, on one line, without a full stop."""
    description: str
    """At the top of its help."""
    examples: tuple[tuple[str, str], ...]
    """What to type (without the program's name), and what it is for."""
    exit_codes: tuple[tuple[int, str], ...] = ((DONE, "done"), (FAILED, "an error, said on stderr"))
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]
    """Does the work and gives the exit code. Errors that a person can act on are raised as
    `VersionDiffError` or `OSError`; they end the program with one line and exit code 2."""


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """Commands under one name: `versiondiff run start`, `versiondiff run end`."""

    name: str
    summary: str
    """As a command's."""
    description: str
    commands: tuple[Command, ...]
