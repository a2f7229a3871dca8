"""Who makes versions of flows: people, and the service that writes them down."""

from __future__ import annotations

import re
from typing import Final, TypeAlias

import msgspec

from versiondiff.errors import InvalidInput
from versiondiff.records import Signature
from versiondiff.signatures import checked_signature

__all__ = ["CUTTLELY", "Author", "Person", "Service"]

_ID: Final = re.compile(r"[^\s<>@\x00-\x1f\x7f]{1,200}")
_NOT_IN_A_NAME: Final = re.compile(r"[<>\s\x00-\x1f\x7f-\x9f\ud800-\udfff]+")


class Person(msgspec.Struct, frozen=True, kw_only=True):
    """Someone who uses the service."""

    name: str
    """The display name, as the person chose it: what git can't hold in one reads as a space."""
    id: str
    """The user id: no white space, and none of `<`, `>`, `@`."""


Author: TypeAlias = Person | Signature | None
"""Who makes a version: a person who uses the service, anyone else with their own time, or None: the
service itself, as for an API key."""


class Service(msgspec.Struct, frozen=True, kw_only=True):
    """The service that writes a history.

    It is the committer of all versions, and the author of those that no person made, as with an API
    key.
    """

    name: str = "Cuttlely"
    email: str = "system@versions.local"
    people: str = "users.versions.local"
    """What people's addresses end with."""

    def signature(self, time: int, offset: int = 0) -> Signature:
        """The service's own.

        Args:
            time: Seconds since 1970-01-01T00:00:00Z.
            offset: Minutes ahead of UTC.

        Raises:
            InvalidInput: The name, the address or the time is one that git can't hold.
        """
        signature = Signature(name=self.name, email=self.email, time=time, offset=offset)
        return checked_signature(signature, "service")

    def author(self, person: Author, time: int, offset: int = 0) -> Signature:
        """That of a person, `<user id>@users.versions.local`; of None, the service's own.

        A signature is taken as it is, with its own time.

        Raises:
            InvalidInput: The user id or the time breaks a rule.
        """
        if isinstance(person, Signature):
            return checked_signature(person, "author")
        if person is None:
            return self.signature(time, offset)
        if _ID.fullmatch(person.id) is None:
            raise InvalidInput(
                "author: a user id has no white space, no <, > or @, and is not empty"
            )
        name = _NOT_IN_A_NAME.sub(" ", person.name).strip() or person.id
        email = f"{person.id}@{self.people}"
        return checked_signature(
            Signature(name=name, email=email, time=time, offset=offset), "author"
        )


CUTTLELY: Final = Service()
"""The service whose files these are."""
