"""All that a flow holds, looked at once before it is written: most of it goes as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from versiondiff.errors import InvalidInput
from versiondiff.flows.definitions import FILE_STARTS, is_file
from versiondiff.flows.markers import MARKERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from versiondiff.flows.json_text import Json

__all__ = ["Survey"]

_BETWEEN: Final = "\n\n"
_SHALLOW: Final = 100
"""Levels. What is deeper is walked through, and the levels are counted."""


class Survey:
    """The texts in values, with the keys of objects; and whether anything else needs a look."""

    __slots__ = ("is_plain", "joined", "texts")

    def __init__(self, values: Iterable[Json], inputs: Iterable[Json] = ()) -> None:
        """Walk through values.

        Args:
            values: The values.
            inputs: More of them, in which an uploaded file is left out as a whole, and may be
                large: it is none of the texts.

        Raises:
            InvalidInput: A key of an object is no string.
        """
        self.is_plain = True
        """Whether nothing looks like a marker, and nothing is deep: without a secret in it, a value
        is written as it is."""
        self.texts: list[str] = []
        """The texts, some more than once."""
        uploads = self._walk(inputs)
        try:
            joined = _BETWEEN + _BETWEEN.join(uploads)
            if any(_BETWEEN + start in joined for start in FILE_STARTS):
                uploads = [text for text in uploads if not is_file(text)]
            self.texts = [*uploads, *self._walk(values)]
            self.joined = _BETWEEN.join(self.texts)
            """All of them in one."""
        except TypeError:
            raise InvalidInput("flow: a key of an object is no string") from None

    @classmethod
    def together(cls, surveys: Sequence[Survey]) -> Survey:
        """Those of several values as one."""
        whole = cls(())
        whole.is_plain = all(of.is_plain for of in surveys)
        whole.texts = [text for of in surveys for text in of.texts]
        whole.joined = _BETWEEN.join([of.joined for of in surveys])
        return whole

    def _walk(self, values: Iterable[Json]) -> list[str]:
        texts: list[str] = []
        level = list(values)
        depth = 0
        while level:
            below: list[Json] = []
            for value in level:
                kind = type(value)
                if kind is str:
                    texts.append(value)
                elif kind is dict:
                    texts.extend(value)
                    below.extend(value.values())
                    if len(value) == 1 and not MARKERS.isdisjoint(value):
                        self.is_plain = False
                elif kind is list:
                    below.extend(value)
                elif isinstance(value, str):
                    texts.append(value)
                elif isinstance(value, dict):
                    self.is_plain = False
                    texts.extend(value)
                    below.extend(value.values())
                elif isinstance(value, list | tuple):
                    self.is_plain = False
                    below.extend(value)
            level = below
            depth += 1
        if depth > _SHALLOW:
            self.is_plain = False
        return texts
