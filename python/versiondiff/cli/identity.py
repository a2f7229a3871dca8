"""Who does something, and when, as it is typed; where it isn't, from the login and the clock.

A repository's, a user's and the system's git configuration have no say in it.
"""

from __future__ import annotations

import argparse
import datetime
import getpass
import os
import re
import time
from typing import TYPE_CHECKING, Final

import msgspec

from versiondiff.cli.arguments import text, typed
from versiondiff.errors import InvalidInput
from versiondiff.records import Signature

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["VARIABLE", "add_author_options", "author_of", "moment", "now"]

VARIABLE: Final = "VERSIONDIFF_AUTHOR"
"""The variable of the environment that says who it is."""

_PERSON: Final = re.compile(r" *([^<>\x00-\x1f]*[^<>\x00-\x20]) *<([^<>\x00-\x20]+)> *")
_SECONDS: Final = re.compile(r"[0-9]{1,12}")
_ISO: Final = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[T ]([0-9]{2}:[0-9]{2})(:[0-9]{2})?(?:Z|\+00:00)"
)


class _Person(msgspec.Struct, frozen=True):
    """Who it is."""

    name: str
    email: str


class _Author(msgspec.Struct, frozen=True, kw_only=True):
    """What was typed."""

    author: _Person | None
    time: int | None


def add_author_options(parser: argparse.ArgumentParser) -> None:
    """Add who does it, and when."""
    group = parser.add_argument_group("who and when")
    group.add_argument(
        "--author",
        type=_person,
        metavar="'NAME <EMAIL>'",
        help=f"who does it (default: {VARIABLE} in the environment, or else the login's name); "
        "git's configuration is not read",
    )
    group.add_argument(
        "--time",
        type=moment,
        metavar="TIME",
        help="when: seconds since 1970, or UTC as 2026-11-04T10:12:00Z (default: now)",
    )


def author_of(namespace: argparse.Namespace) -> Signature:
    """Who does it and when, from what was typed, the environment, the login and the clock.

    Raises:
        InvalidInput: The variable in the environment is not `Name <email>`, or it isn't set and
            the login has no name.
    """
    options = typed(namespace, _Author)
    person = options.author or _from_environment(os.environ) or _from_login()
    when = now() if options.time is None else options.time
    return Signature(name=person.name, email=person.email, time=when)


def now() -> int:
    """The time by the clock, in seconds since 1970-01-01T00:00:00Z."""
    return int(time.time())


def moment(typed: str) -> int:
    """A time, in seconds since 1970-01-01T00:00:00Z."""
    if _SECONDS.fullmatch(typed):
        return int(typed)
    found = _ISO.fullmatch(typed)
    try:
        if found is not None:
            date, minutes, seconds = found.groups(":00")
            parsed = datetime.datetime.fromisoformat(f"{date}T{minutes}{seconds}+00:00")
            if parsed.year >= 1970:
                return int(parsed.timestamp())
    except ValueError:
        pass
    message = "must be seconds since 1970, or a time in UTC such as 2026-11-04T10:12:00Z"
    raise argparse.ArgumentTypeError(message)


def _person(typed: str) -> _Person:
    found = _PERSON.fullmatch(text(typed))
    if found is None:
        message = "must be 'Name <email>'"
        raise argparse.ArgumentTypeError(message)
    return _Person(found[1], found[2])


def _from_environment(environment: Mapping[str, str]) -> _Person | None:
    value = environment.get(VARIABLE)
    if not value:
        return None
    try:
        return _person(value)
    except argparse.ArgumentTypeError as error:
        message = f"{VARIABLE} in the environment: {error}"
        raise InvalidInput(message) from error


def _from_login() -> _Person:
    try:
        name = getpass.getuser()
    except (ImportError, KeyError, OSError) as error:
        message = f"author: the login has no name, so give --author or set {VARIABLE}"
        raise InvalidInput(message) from error
    return _Person(name, f"{name}@localhost")
