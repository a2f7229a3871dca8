"""Signatures that may be written into a repository."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from versiondiff.errors import InvalidInput

if TYPE_CHECKING:
    from versiondiff.records import Signature

__all__ = ["LAST_SECOND", "checked_signature", "signature_line"]

LAST_SECOND: Final = 253_402_300_799
"""9999-12-31T23:59:59Z, the last second that the usual tools can show."""

_FORBIDDEN: Final = frozenset("<>\n\r\0")
_LAST_OFFSET: Final = 14 * 60
"""No place on earth is further from UTC, in minutes."""


def checked_signature(signature: Signature, place: str) -> Signature:
    """The signature itself.

    The rules are those of the history file, so that whatever is written can be told in one.

    Args:
        signature: Who, and when.
        place: What it is for, at the start of a message: `author`, `tagger`.

    Raises:
        InvalidInput: The name or the address is blank, holds `<`, `>`, a line end or NUL, is no
            valid Unicode, or starts or ends with white space; the time is before 1970 or after
            the year 9999; the offset is more than 14 hours.
    """
    rule = _broken_rule(signature)
    if rule is not None:
        message = f"{place}: {rule}"
        raise InvalidInput(message)
    return signature


def signature_line(signature: Signature) -> bytes:
    """The signature as it stands in commits and tags: `name <email> seconds +hhmm`."""
    hours, minutes = divmod(abs(signature.offset), 60)
    sign = "-" if signature.offset < 0 else "+"
    return (
        f"{signature.name} <{signature.email}> {signature.time} {sign}{hours:02}{minutes:02}"
    ).encode()


def _broken_rule(signature: Signature) -> str | None:
    if not signature.name.strip():
        return "has a blank name"
    # Git can write one, libgit2 can't.
    if not signature.email.strip():
        return "has a blank address"
    for part in (signature.name, signature.email):
        if not _FORBIDDEN.isdisjoint(part):
            return "must not have <, >, line ends or NUL"
        if part.strip() != part:
            return "must not start or end with white space"
        try:
            part.encode()
        except UnicodeEncodeError:
            return "must be valid Unicode"
    if not 0 <= signature.time <= LAST_SECOND:
        return "has a time that is not between the years 1970 and 9999"
    if abs(signature.offset) > _LAST_OFFSET:
        return "has an offset of more than 14 hours"
    return None
