"""All that a flow holds, looked at once before it is written: most of it goes as it is."""

from __future__ import annotations

import enum
import re
from typing import TYPE_CHECKING, Final

from versiondiff.errors import InvalidInput
from versiondiff.flows.definitions import (
    CREDENTIAL_KEYS,
    DEFAULT,
    FILE_STARTS,
    SERVER_PATHS,
    has_secret_default,
    is_file,
)
from versiondiff.flows.json_text import MAX_DEPTH, too_deep
from versiondiff.flows.markers import MARKERS
from versiondiff.flows.secret_names import PAIR_VALUES, says_secret

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from versiondiff.flows.json_text import Json

__all__ = ["Kind", "Survey"]

_BETWEEN: Final = "\n\n"
_SHALLOW: Final = 100
"""Levels. What is deeper is walked through, and the levels are counted."""
_DEEPEST: Final = 10 * MAX_DEPTH  # a cycle; what ends is refused when it is encoded
_MANY: Final = 100_000

# What the rules for inputs may write otherwise than it is.
_RULED_KEYS = frozenset({*CREDENTIAL_KEYS, *PAIR_VALUES, *SERVER_PATHS})
_RULED_TEXT = re.compile(r"\n\n\s*(?:[\[{]|data:|FILE-STORAGE::)")


class Kind(enum.Enum):
    """What values are, and so by which rules they are written."""

    INPUTS = enum.auto()
    """An uploaded file in them is left out as a whole, and may be large: it is no text."""
    DEFINITIONS = enum.auto()
    OTHERS = enum.auto()
    """All else in a flow."""


class Survey:
    """The texts in values, with the keys of objects; and whether anything else needs a look."""

    __slots__ = ("_has_texts_in_lists", "_keys", "is_plain", "joined", "texts")

    def __init__(self, values: Iterable[Json], *, kind: Kind) -> None:
        """Walk through values.

        Args:
            values: The values.
            kind: What they are.

        Raises:
            InvalidInput: A key of an object is no string.
            LimitExceeded: There is no end to them.
        """
        self.is_plain = True
        """Whether nothing looks like a marker, no name says secret, and nothing is deep: without a
        secret in it, a value is written as it is. It says nothing of inputs."""
        self._has_texts_in_lists = False
        self._keys: set[str] = set()
        self.texts: list[str] = self._walk(values)
        """The texts, some more than once."""
        try:
            self.joined = _BETWEEN.join(self.texts)
            """All of them in one."""
        except TypeError:
            raise InvalidInput("flow: a key of an object is no string") from None
        if kind is Kind.INPUTS:
            whole = _BETWEEN + self.joined
            if any(_BETWEEN + start in whole for start in FILE_STARTS):
                self.texts = [text for text in self.texts if not is_file(text)]
                self.joined = _BETWEEN.join(self.texts)
        elif any(map(says_secret, self._keys)) or (kind is Kind.OTHERS and self._is_ruled()):
            self.is_plain = False

    def _is_ruled(self) -> bool:
        """Whether a rule for inputs may apply, where names of inputs say nothing."""
        return (
            self._has_texts_in_lists
            or not self._keys.isdisjoint(_RULED_KEYS)
            or _RULED_TEXT.search(_BETWEEN + self.joined) is not None
        )

    @classmethod
    def together(cls, surveys: Sequence[Survey]) -> Survey:
        """Those of several definitions as one."""
        whole = cls((), kind=Kind.DEFINITIONS)
        whole.is_plain = all(of.is_plain for of in surveys)
        whole.texts = [text for of in surveys for text in of.texts]
        whole.joined = _BETWEEN.join([of.joined for of in surveys])
        return whole

    def _walk(self, values: Iterable[Json]) -> list[str]:
        texts: list[str] = []
        level = list(values)
        keys = self._keys
        depth = 0
        while level:
            if depth > _DEEPEST:
                raise too_deep("flow")
            if len(level) > _MANY:
                # What is there many times, as in cycles, is looked at once.
                level = list({id(of): of for of in level}.values())
            below: list[Json] = []
            for value in level:
                kind = type(value)
                if kind is str:
                    texts.append(value)
                elif kind is dict:
                    texts.extend(value)
                    keys.update(value)
                    below.extend(value.values())
                    if len(value) == 1 and not MARKERS.isdisjoint(value):
                        self.is_plain = False
                    if DEFAULT in value and has_secret_default(value):
                        self.is_plain = False
                elif kind is list:
                    below.extend(value)
                    if not self._has_texts_in_lists and str in map(type, value):
                        self._has_texts_in_lists = True
                elif isinstance(value, str):
                    texts.append(value)
                elif isinstance(value, dict):
                    self.is_plain = False
                    texts.extend(value)
                    keys.update(value)
                    below.extend(value.values())
                elif isinstance(value, list | tuple):
                    self.is_plain = False
                    below.extend(value)
            level = below
            depth += 1
        if depth > _SHALLOW:
            self.is_plain = False
        return texts
