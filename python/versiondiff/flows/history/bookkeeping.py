"""What a service keeps of a flow that is no part of it: when it was made, and last saved.

It is in `extra` of `flow.json`, as all other keys of a flow are. But a service sets it at each
save: alone it is no change, or there would be a version of each save that changed nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from versiondiff.errors import InvalidInput, LimitExceeded
from versiondiff.flows.json_text import decoded, encoded

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["are_same"]

_ABOUT: Final = "flow.json"
_EXTRA: Final = "extra"
_KEYS: Final = frozenset({"createdDate", "updatedDate"})
"""As stored flows have them. The format `flow` takes them for no change too."""


def are_same(old: Mapping[str, bytes], new: Mapping[str, bytes]) -> bool:
    """Whether the files of two versions of a flow differ in nothing but bookkeeping, if at all."""
    if old.keys() != new.keys():
        return False
    if any(content != new[path] for path, content in old.items() if path != _ABOUT):
        return False
    former, now = old.get(_ABOUT, b""), new.get(_ABOUT, b"")
    return former == now or _without(former) == _without(now)


def _without(content: bytes) -> bytes:
    """A `flow.json` without bookkeeping; what is no such file is as it is."""
    try:
        about = decoded(content, _ABOUT)
        extra = about.get(_EXTRA) if isinstance(about, dict) else None
        if not isinstance(extra, dict):
            return content
        left = {key: value for key, value in extra.items() if key not in _KEYS}
        about = {key: value for key, value in about.items() if key != _EXTRA}
        return encoded({**about, _EXTRA: left} if left else about, _ABOUT)
    except (InvalidInput, LimitExceeded):
        return content
