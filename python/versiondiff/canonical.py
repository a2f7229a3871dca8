"""Canonical JSON: one text for all ways of writing the same value.

Two profiles. `canonical` is for files that people read and compare: members sorted by name as
JavaScript sorts strings, two spaces of indent, a line feed at the end, no digit lost. `jcs` is
RFC 8785: no white space, numbers as doubles; for hashes and signatures.

What both have in common, and what numbers become, is in docs/canonical-json.md.
"""

from __future__ import annotations

import dataclasses
import decimal
import enum
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec

from versiondiff import _core
from versiondiff.errors import InvalidInput, InvalidJson, LimitExceeded

if TYPE_CHECKING:
    from typing import Final

__all__ = ["MAX_DEPTH", "canonical_json", "is_canonical"]

Profile: TypeAlias = Literal["canonical", "jcs"]
Duplicates: TypeAlias = Literal["error", "last"]

MAX_DEPTH: Final = 1_000
"""How deep arrays and objects may nest, unless said otherwise."""
_DEEPEST: Final = 1 << 30


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """Why there is no canonical form."""

    line: int
    """Counted from 1; 0 where no text was read."""
    column: int
    """In bytes, counted from 1; 0 where no text was read."""
    pointer: str
    """The value, as a JSON pointer (RFC 6901) that is safe to show."""
    rule: str
    is_limit: bool

    def error(self) -> InvalidJson | LimitExceeded:
        """As the exception that is raised."""
        place = [f"line {self.line}, column {self.column}"] if self.line else []
        place += [f"at {self.pointer}"] if self.pointer else []
        message = f"{', '.join(place)}: {self.rule}" if place else self.rule
        if self.is_limit:
            return LimitExceeded(message)
        return InvalidJson(
            message, line=self.line, column=self.column, pointer=self.pointer, rule=self.rule
        )


def canonical_json(
    value: object,
    *,
    profile: Profile = "canonical",
    duplicates: Duplicates = "error",
    max_depth: int = MAX_DEPTH,
) -> bytes:
    """The canonical form of a JSON text or of a value.

    Args:
        value: `bytes`, `bytearray` or `memoryview` are JSON text (RFC 8259, UTF-8, no byte order
            mark). Anything else is a value: a dict whose keys are strings, a list, a tuple, a str,
            an int, a float, a finite `Decimal`, a bool, None; dataclasses, msgspec Structs and
            members of enums as `msgspec.to_builtins` has them.
        profile: `canonical`, or `jcs` for RFC 8785.
        duplicates: In a text, what becomes of names that stand twice in an object: an error, or
            the last one counts, as for `JSON.parse`.
        max_depth: How deep arrays and objects may nest.

    Returns:
        UTF-8. A text that is canonical already is given back as it is.

    Raises:
        InvalidJson: The text is no JSON, a name stands twice, or a value is of a kind that JSON
            has not. It says where: line, column, and a JSON pointer.
        LimitExceeded: Nested too deeply, or longer than 1 GiB.
        InvalidInput: An option has no such value.
    """
    written = attempt(value, profile=profile, duplicates=duplicates, max_depth=max_depth)
    if isinstance(written, Fault):
        raise written.error()
    return written


def is_canonical(
    data: bytes | bytearray | memoryview,
    *,
    profile: Profile = "canonical",
    max_depth: int = MAX_DEPTH,
) -> bool:
    """Whether `canonical_json` would give these very bytes.

    It looks no further than the first difference, and writes nothing.

    Raises:
        InvalidInput: An option has no such value, or `data` is no bytes.
    """
    # Of a number `bytes` would make as many zeros.
    given: object = data
    if not isinstance(given, bytes | bytearray | memoryview):
        message = "data is bytes, a bytearray or a memoryview: a text is encoded as UTF-8 first"
        raise InvalidInput(message)
    return _core.is_canonical(
        bytes(data), jcs=_is_jcs(profile), max_depth=_checked_depth(max_depth)
    )


def attempt(
    value: object, *, profile: Profile, duplicates: Duplicates, max_depth: int
) -> bytes | Fault:
    """As `canonical_json`, for those who want to say in their own way what is wrong.

    Raises:
        InvalidInput: An option has no such value.
    """
    jcs, depth = _is_jcs(profile), _checked_depth(max_depth)
    if duplicates not in ("error", "last"):
        message = "duplicates is one of error and last"
        raise InvalidInput(message)
    outcome: bytes | tuple[int, int, str, str, bool]
    if isinstance(value, bytes | bytearray | memoryview):
        outcome = _core.canonical_text(
            bytes(value), jcs=jcs, last=duplicates == "last", max_depth=depth
        )
    else:
        outcome = _core.canonical_value(
            value, jcs=jcs, max_depth=depth, decimal=decimal.Decimal, builtins=_builtins
        )
    if isinstance(outcome, bytes):
        return outcome
    line, column, pointer, rule, is_limit = outcome
    return Fault(line=line, column=column, pointer=pointer, rule=rule, is_limit=is_limit)


def _is_jcs(profile: str) -> bool:
    if profile not in ("canonical", "jcs"):
        message = "profile is one of canonical and jcs"
        raise InvalidInput(message)
    return profile == "jcs"


def _checked_depth(max_depth: int) -> int:
    if max_depth < 0:
        message = "max_depth is a whole number, not below zero"
        raise InvalidInput(message)
    return min(max_depth, _DEEPEST)


def _builtins(value: object) -> Any:  # noqa: ANN401 (whatever JSON has)
    """A dataclass, a Struct or a member of an enum as what JSON has; others as they are."""
    is_record = dataclasses.is_dataclass(value) and not isinstance(value, type)
    if is_record or isinstance(value, msgspec.Struct | enum.Enum):
        return msgspec.to_builtins(value, builtin_types=(decimal.Decimal,))
    return value
