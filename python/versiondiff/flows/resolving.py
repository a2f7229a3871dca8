"""A written value turned back, with what the flow as it is now has in its place.

Three trees are walked side by side: the value as the version wrote it, the value of the flow as
it is now, and this one written the same way. Where both written forms are the same, the value is
as it is now, whatever was hidden in it. Where they differ, a marker takes what stands now in its
place, and only there.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from versiondiff.errors import InvalidInput
from versiondiff.flows import markers
from versiondiff.flows.definitions import NOTHING, Definitions
from versiondiff.flows.json_text import MAX_DEPTH, decoded_text, text_of, too_deep
from versiondiff.flows.markers import PLACEHOLDER
from versiondiff.flows.names import place
from versiondiff.flows.secret_names import PAIR_NAMES
from versiondiff.flows.values import Reason, Unresolved
from versiondiff.rendering.names import name as shown_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from versiondiff.flows.json_text import Json
    from versiondiff.flows.names import Step
    from versiondiff.flows.values import Credential

__all__ = ["MISSING", "Resolver", "same"]


class _Missing:
    """Nothing stands there."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = _Missing()

# A list's item takes what is hidden from the item that is now in its place, if these agree.
_NAMES_OF_ITEMS = (*PAIR_NAMES, "agentSelectedTool", "vectorStore", "embeddingModel", "role")
_NUMBERS = (int, float, Decimal)
# What is written may be deeper than the flow, as markers and literals add levels.
_MAX_DEPTH = 2 * MAX_DEPTH


class Resolver:
    """Turns the values of one node back, or what else is in a flow."""

    __slots__ = ("_component", "_credentials", "_file", "_node", "unresolved")

    def __init__(
        self,
        *,
        node: str,
        component: str,
        file: str,
        credentials: Mapping[str, Credential] | None,
        unresolved: list[Unresolved],
    ) -> None:
        self._node = node
        self._component = component
        self._file = file
        self._credentials = credentials
        self.unresolved = unresolved

    def note(self, path: tuple[Step, ...], reason: Reason) -> None:
        """Note that a value could not be brought back."""
        self.unresolved.append(Unresolved(node=self._node, input=place(path), reason=reason))

    def resolve(
        self,
        tree: Json,
        written: Json,
        now: Json,
        path: tuple[Step, ...],
        definitions: Definitions = NOTHING,
    ) -> Json:
        """The value; MISSING where it can't be brought back.

        Args:
            tree: The value as the version wrote it.
            written: What stands now in its place, as it would be written; or MISSING.
            now: What stands now in its place; or MISSING.
            path: Where it is.
            definitions: What the version's definition says of its members.
        """
        if now is not MISSING and same(tree, written):
            return _copy(now)
        if len(path) > _MAX_DEPTH:
            raise too_deep("flow files")
        if isinstance(tree, str):
            if PLACEHOLDER in tree:
                self.note(path, Reason.PLACEHOLDER)
            return tree
        if isinstance(tree, dict):
            marker = markers.marker_of(tree)
            if marker is not None:
                return self._marker(marker, tree[marker], written, now, path, definitions)
            return self._object(tree, written, now, path, definitions)
        if isinstance(tree, list):
            return self._list(tree, written, now, path, definitions)
        return tree

    def _object(
        self,
        tree: dict[str, Json],
        written: Json,
        now: Json,
        path: tuple[Step, ...],
        definitions: Definitions,
    ) -> dict[str, Json]:
        written = _unwrapped(written)
        known = isinstance(now, dict) and isinstance(written, dict)
        of = {}
        for key, value in tree.items():
            parameter = definitions.get(key)
            result = self.resolve(
                value,
                written.get(key, MISSING) if known else MISSING,
                now.get(key, MISSING) if known else MISSING,
                (*path, key),
                parameter.items if parameter is not None else NOTHING,
            )
            if result is not MISSING:
                of[key] = result
        never = definitions.never_written(self._component)
        if known:
            of |= {
                key: _copy(value)
                for key, value in now.items()
                if key not in tree and (key not in written or key in never)
            }
        else:
            for key in never:
                if key not in tree:
                    self.note((*path, key), Reason.NEVER_WRITTEN)
        return of

    def _list(
        self,
        tree: list[Json],
        written: Json,
        now: Json,
        path: tuple[Step, ...],
        definitions: Definitions,
    ) -> Json:
        known = isinstance(now, list | tuple) and isinstance(written, list)
        of = []
        for at, item in enumerate(tree):
            partner = _partner(item, at, len(tree), written) if known else None
            result = self.resolve(
                item,
                MISSING if partner is None else written[partner],
                MISSING if partner is None else now[partner],
                (*path, at),
                definitions,
            )
            of.append(result)
        if of and all(item is MISSING for item in of):
            return MISSING
        # An item that is not there would move those after it.
        return ["" if item is MISSING else item for item in of]

    def _marker(
        self,
        marker: str,
        content: Json,
        written: Json,
        now: Json,
        path: tuple[Step, ...],
        definitions: Definitions,
    ) -> Json:
        if marker == markers.SECRET:
            return self._as_it_is_now(now, path, Reason.SECRET)
        if marker == markers.CREDENTIAL:
            return self._credential(content, now, path)
        if marker == markers.JSON:
            return self._json(content, written, now, path)
        if marker == markers.LITERAL:
            if not isinstance(content, dict):
                raise self._invalid(path, "$literal holds no object")
            return self._object(content, written, now, path, definitions)
        raise self._invalid(path, f"{marker} outside of a node's inputs")

    def _invalid(self, path: tuple[Step, ...], rule: str) -> InvalidInput:
        return InvalidInput(f"{self._file}: at {shown_name(place(path))}: {rule}")

    def _as_it_is_now(self, now: Json, path: tuple[Step, ...], reason: Reason) -> Json:
        if now is MISSING:
            self.note(path, reason)
        return _copy(now)

    def _credential(self, content: Json, now: Json, path: tuple[Step, ...]) -> Json:
        if now is not MISSING and (not isinstance(now, str) or not now):
            now = MISSING
        if content is None or self._credentials is None:
            return self._as_it_is_now(now, path, Reason.CREDENTIAL)
        if not isinstance(content, dict):
            raise self._invalid(path, "$credential holds no object")
        named = content.get("name"), content.get("credentialName")
        found = [
            of
            for of, known in self._credentials.items()
            if known.name == named[0] and known.credential_name in (named[1], "")
        ]
        if now in found:
            return now
        return self._as_it_is_now(found[0] if len(found) == 1 else MISSING, path, Reason.CREDENTIAL)

    def _json(self, content: Json, written: Json, now: Json, path: tuple[Step, ...]) -> Json:
        inner_now: Json = MISSING
        inner_written: Json = MISSING
        read = decoded_text(now) if isinstance(now, str) else None
        if read is not None and not read[1]:
            inner_now = inner_written = read[0]
            if isinstance(written, dict) and markers.marker_of(written) == markers.JSON:
                inner_written = written[markers.JSON]
        of = self.resolve(content, inner_written, inner_now, path)
        if inner_now is not MISSING and same(of, inner_now):
            return now
        return of if of is MISSING else text_of(of)


def same(one: Json, other: Json) -> bool:
    """Whether two JSON values are equal; true is not 1."""
    if one is other:
        return True
    if isinstance(one, dict):
        return (
            isinstance(other, dict)
            and one.keys() == other.keys()
            and all(same(value, other[key]) for key, value in one.items())
        )
    if isinstance(one, list | tuple):
        return (
            isinstance(other, list | tuple)
            and len(one) == len(other)
            and all(map(same, one, other))
        )
    if isinstance(one, bool) != isinstance(other, bool):
        return False
    return bool(one == other) or (
        isinstance(one, _NUMBERS) and isinstance(other, _NUMBERS) and _exact(one) == _exact(other)
    )


def _exact(number: float | Decimal) -> Decimal:
    """The decimal number as which it is written: of `5.504634869257434e16` that is an integer."""
    return Decimal(repr(number)) if isinstance(number, float) else Decimal(number)


def _copy(value: Json) -> Json:
    """A value of the flow as it is now, which stays the caller's own."""
    if isinstance(value, dict):
        return {key: _copy(of) for key, of in value.items()}
    if isinstance(value, list | tuple):
        return [_copy(of) for of in value]
    return value


def _unwrapped(written: Json) -> Json:
    """What a literal holds, as it has no step in a path."""
    if isinstance(written, dict) and markers.marker_of(written) == markers.LITERAL:
        return written[markers.LITERAL]
    return written


def _partner(item: Json, at: int, length: int, written: list[Json]) -> int | None:
    """Which of the items that are there now is the one that was written."""
    if at < len(written) and same(item, written[at]) and len(written) == length:
        return at
    if not isinstance(item, dict | list):
        return None
    if isinstance(item, dict) and markers.marker_of(item) is not None:
        other = written[at] if len(written) == length else None
        alike = isinstance(other, dict) and markers.marker_of(other) == markers.marker_of(item)
        return at if alike else None
    found = [index for index, of in enumerate(written) if same(item, of)]
    if found:
        return found[0]
    if len(written) != length or type(item) is not type(written[at]):
        return None
    if isinstance(item, dict):
        names = [(item.get(name), written[at].get(name)) for name in _NAMES_OF_ITEMS]
        return at if all(same(one, other) for one, other in names) else None
    return at
