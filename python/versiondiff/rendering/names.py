"""Names made safe to show, and lists of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from versiondiff._core import display_name
from versiondiff.errors import InvalidInput
from versiondiff.wording import CATALOGUES, Wording

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["LIMIT", "catalogue", "checked_limit", "listed", "name", "path", "short"]

LIMIT: Final = 6
"""How many entries a rendering shows, and how many names each list in a line, if not told."""

_NAME_LENGTH: Final = 80
_PATH_LENGTH: Final = 200
"""In characters. A warning's path is there to be opened, so it is cut later than a name."""
_SHORT_LENGTH: Final = 24

_Item = TypeVar("_Item")


def name(text: str) -> str:
    """A name on one line, at most 80 characters long."""
    return display_name(text, _NAME_LENGTH)


def path(text: str) -> str:
    """A path, or a message that may hold one, on one line, at most 200 characters long."""
    return display_name(text, _PATH_LENGTH)


def short(text: str) -> str:
    """A version number or the like on one line, at most 24 characters long."""
    return display_name(text, _SHORT_LENGTH)


def listed(
    items: Sequence[_Item], show: Callable[[_Item], str], wording: Wording, limit: int
) -> str:
    """The first `limit` items as `show` puts them, and how many more there are."""
    if len(items) == 1:
        return show(items[0])
    text = wording.separator.join([show(item) for item in items[:limit]])
    rest = len(items) - limit
    return text + wording.list_rest.format(count=rest) if rest > 0 else text


def catalogue(language: str) -> Wording:
    """The words of a language.

    Raises:
        InvalidInput: no rendering speaks that language.
    """
    wording = CATALOGUES.get(language)
    if wording is None:
        message = f"language: must be one of {', '.join(CATALOGUES)}"
        raise InvalidInput(message)
    return wording


def checked_limit(limit: int) -> int:
    """The limit itself.

    Raises:
        InvalidInput: the limit is below 1.
    """
    if limit < 1:
        message = "limit: must be at least 1"
        raise InvalidInput(message)
    return limit
