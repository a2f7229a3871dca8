"""JSON as flows need it: no digit of a number is lost, and no depth ends the process.

Numbers become `int` and `float`, and `Decimal` where a float would be another number: `1e400`, or
more digits than the 17 that a float is ever written with.
"""

from __future__ import annotations

import json
import math
from decimal import Decimal, InvalidOperation
from typing import Any, TypeAlias

import msgspec

from versiondiff.canonical import canonical_json
from versiondiff.errors import InvalidInput, LimitExceeded

__all__ = ["MAX_DEPTH", "Json", "decoded", "decoded_text", "encoded", "text_of"]

Json: TypeAlias = Any
"""A JSON value: dict, list, str, int, float, `Decimal`, bool or None."""

MAX_DEPTH = 200
"""How deep the values of a flow may be nested: objects, lists, and JSON texts in them."""

# Files are deeper than flows: markers and literals add levels. A definition is as deep as it came.
_DEEPEST_FILE = 1_000
_FLOAT_DIGITS = 17
_LONG_INTEGER = 4000  # digits; Python refuses to convert some more than these to an int


def decoded(content: bytes | str, place: str) -> Json:
    """The value of a JSON text; of a key that occurs twice the last counts, as in JavaScript.

    Args:
        content: UTF-8, with or without a byte order mark.
        place: What it is called in errors.

    Raises:
        InvalidInput: It is no JSON; the message names line and column.
        LimitExceeded: It is nested too deeply.
    """
    try:
        return _FAST_DECODER.decode(content)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        # What is left says what is wrong, and takes surrogates that stand alone.
        pass
    if isinstance(content, bytes):
        try:
            content = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise InvalidInput(f"{place}: no UTF-8 at byte {error.start}") from None
    try:
        return _DECODER.decode(content)
    except json.JSONDecodeError as error:
        raise InvalidInput(
            f"{place}: no JSON at line {error.lineno}, column {error.colno}"
        ) from None
    except _NoNumber as error:
        raise InvalidInput(f"{place}: no JSON: {error}") from None
    except RecursionError:
        raise too_deep(place) from None


def decoded_text(text: str) -> tuple[Json, bool] | None:
    """The value of a JSON text that is a value of a flow, and whether a key of it occurs twice.

    None where it is no JSON text.

    Raises:
        LimitExceeded: It is nested too deeply.
    """
    doubled = False

    def members(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
        nonlocal doubled
        found = dict(pairs)
        if len(found) != len(pairs):
            doubled = True
            # Nothing is dropped, so that a secret under the first of two equal keys is seen too.
            return {f"{at} {key}": value for at, (key, value) in enumerate(pairs)} | found
        return found

    try:
        value = json.loads(
            text,
            parse_float=_float,
            parse_int=_int,
            parse_constant=_constant,
            object_pairs_hook=members,
        )
    except (json.JSONDecodeError, _NoNumber):
        return None
    except RecursionError:
        raise too_deep("a JSON text in the flow") from None
    return value, doubled


def encoded(value: Json, place: str) -> bytes:
    """The canonical JSON of a value, with a final newline.

    Raises:
        InvalidInput: It is no JSON value.
        LimitExceeded: It is nested too deeply.
    """
    try:
        return canonical_json(value, max_depth=_DEEPEST_FILE)
    except LimitExceeded:
        raise too_deep(place) from None
    except InvalidInput as error:
        raise InvalidInput(f"{place}: {error}") from None


def text_of(value: Json) -> str:
    """A value as JavaScript's `JSON.stringify` writes it: on one line, without spaces."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except TypeError:
        return _text_with_decimals(value)


def too_deep(place: str) -> LimitExceeded:
    """The error for what is nested too deeply."""
    return LimitExceeded(f"{place}: nested more than {MAX_DEPTH} levels deep")


class _NoNumber(ValueError):
    """NaN or Infinity, or a number that no decimal can hold; the message says which."""


def _constant(_name: str) -> Json:
    raise _NoNumber("NaN and Infinity are no numbers")


def _float(digits: str) -> float | Decimal:
    number = float(digits)
    if len(digits) <= _FLOAT_DIGITS and number and math.isfinite(number):
        return number
    try:
        exact = Decimal(digits)
    except InvalidOperation:  # an exponent of some twenty digits
        raise _NoNumber("a number is too large or too small") from None
    if repr(number) == digits or Decimal(repr(number)) == exact:
        return number
    # What programs write for a float need not be its shortest form.
    significant = len(exact.as_tuple().digits)
    return number if significant <= _FLOAT_DIGITS and number and math.isfinite(number) else exact


def _int(digits: str) -> int | Decimal:
    return int(digits) if len(digits) < _LONG_INTEGER else Decimal(digits)


_FAST_DECODER = msgspec.json.Decoder(float_hook=_float)
_DECODER = json.JSONDecoder(parse_float=_float, parse_int=_int, parse_constant=_constant)


def _text_with_decimals(value: Json) -> str:
    if isinstance(value, dict):
        members = (f"{json.dumps(key)}:{_text_with_decimals(of)}" for key, of in value.items())
        return "{" + ",".join(members) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(_text_with_decimals, value)) + "]"
    if isinstance(value, Decimal):
        return str(value)
    return json.dumps(value, ensure_ascii=False)
