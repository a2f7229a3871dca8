"""A value of a flow as it is written: secrets, credentials and files marked, at any depth."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from versiondiff.flows import markers
from versiondiff.flows.definitions import (
    CREDENTIAL_KEYS,
    DEFAULT,
    FILE_STARTS,
    NOTHING,
    SERVER_PATHS,
    Definitions,
    Parameter,
    has_secret_default,
    is_file,
    is_server_path,
)
from versiondiff.flows.json_text import MAX_DEPTH, decoded_text, too_deep
from versiondiff.flows.markers import PLACEHOLDER, FileText
from versiondiff.flows.secret_names import (
    PAIR_NAMES,
    PAIR_VALUES,
    is_reference,
    says_secret,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from versiondiff.flows.hiding import Hiders, TextHider
    from versiondiff.flows.json_text import Json
    from versiondiff.flows.values import Credential

__all__ = ["Encoder"]

_CONFIG = "Config"  # `agentModelConfig` configures what `agentModel` names
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_SHORTEST_PLAIN_SECRET = 20
_PAIR_VALUES = frozenset(PAIR_VALUES)
_LITERALS = frozenset({bool, float, int, type(None)})
_JSON_STARTS = ("{", "[")


class Encoder:
    """Encodes the values of one node, or what else is in a flow, and counts what it hides."""

    __slots__ = (
        "_component",
        "_credentials",
        "_hider",
        "_marked",
        "_node_types",
        "_others",
        "count",
        "named",
        "text_count",
    )

    def __init__(
        self,
        hiders: Hiders,
        credentials: Mapping[str, Credential],
        *,
        component: str = "",
        credential_types: tuple[str, ...] = (),
    ) -> None:
        self._hider = hiders.inputs
        self._others = hiders.others
        self._credentials = credentials
        self._component = component
        self._node_types = credential_types
        # Values that are marked, whether they count as hidden or not.
        self._marked = 0
        self.count = 0
        """How many secret-looking values were hidden so far."""
        self.text_count = 0
        """How many texts get a file of their own."""
        self.named: set[tuple[str, str]] = set()
        """The names and types of credentials met so far."""

    def plain(
        self,
        value: Json,
        depth: int = 0,
        *,
        named: bool = False,
    ) -> Json:
        """A text of the flow or of a node, or a definition: secrets are hidden.

        Where there are none it is the very same value: it is not to be changed.

        Args:
            value: The value.
            depth: How deep it is.
            named: A name says that it is secret.
        """
        if self._others.is_plain:
            return value
        if isinstance(value, str):
            if named and value and not value.isspace() and not is_reference(value):
                self._hid(1)
                return markers.secret()
            return self._hidden(value, self._others)
        if isinstance(value, dict):
            if self._keys_are_secret(value, self._others):
                return markers.secret()
            depth = _deeper(depth)
            written = self._others.written
            default = has_secret_default(value)
            of: dict[str, Json] = {}
            for key, item in value.items():
                kind = type(item)
                secret = says_secret(key) or (default and key == DEFAULT)
                # Most are texts without a secret: a call for each would take most of the time.
                if kind in _LITERALS or (kind is str and not secret and item not in written):
                    of[key] = item
                else:
                    of[key] = self.plain(item, depth, named=secret)
            return {markers.LITERAL: of} if markers.looks_like_marker(of) else of
        if isinstance(value, list | tuple):
            depth = _deeper(depth)
            return [self.plain(item, depth, named=named) for item in value]
        return value

    def other(self, value: Json, key: str) -> Json:
        """What is neither an input nor a text that people see, such as the style of a node.

        It is written by the rules for inputs for which nothing is declared.
        """
        if self._others.is_plain:
            return value
        outer = self._hider
        self._hider = self._others
        try:
            named = says_secret(key)
            return self.input(value, key, None, named=named, around={}, depth=1, json_depth=1)
        finally:
            self._hider = outer

    def credential(self, value: Json, types: tuple[str, ...] = ()) -> Json:
        """The id of a credential, as its name and type."""
        if not isinstance(value, str):
            return self.plain(value)
        if not value or is_reference(value):
            is_input = value in self._hider.written
            return self._hidden(value, self._hider if is_input else self._others)
        self._marked += 1
        known = self._credentials.get(value)
        if known is None:
            return {markers.CREDENTIAL: None}
        if not known.credential_name and not types:
            types = self._node_types
        kind = known.credential_name or (types[0] if len(types) == 1 else "")
        name, _ = self._hider.hide_other(known.name)
        self.named.add((name, kind))
        return {markers.CREDENTIAL: {"name": name, "credentialName": kind}}

    def object(
        self,
        value: dict[str, Json],
        definitions: Definitions,
        *,
        component: str = "",
        depth: int = 0,
        json_depth: int = 0,
        counts: dict[str, int] | None = None,
    ) -> dict[str, Json]:
        """An object whose members are inputs.

        Args:
            value: The object.
            definitions: What is declared for it.
            component: The kind of node that it configures; empty for that of the node itself.
            depth: How deep it is.
            json_depth: In how many JSON texts it is.
            counts: Gets how many values were hidden in each member.
        """
        if self._keys_are_secret(value, self._hider):
            return markers.secret()
        component = component or self._component
        paired = _says_secret_of_value(value)
        of: dict[str, Json] = {}
        for key, item in value.items():
            parameter = definitions.get(key) if definitions is not NOTHING else None
            if parameter is not None and parameter.is_never_written:
                continue
            if key in SERVER_PATHS and is_server_path(key, component):
                # Where nothing is declared, only a marker tells that something is missing.
                if depth and parameter is None:
                    self._marked += 1
                    of[key] = markers.secret()
                continue
            named = says_secret(key) or (paired and key in _PAIR_VALUES)
            before = self.count
            if type(item) is str:
                of[key] = self._text(item, key, parameter, named, depth, json_depth)
            elif item is None or item is True or item is False:
                of[key] = item
            else:
                of[key] = self.input(
                    item,
                    key,
                    parameter,
                    named=named,
                    around=value,
                    depth=depth,
                    json_depth=json_depth,
                )
            if counts is not None:
                counts[key] = self.count - before
        return {markers.LITERAL: of} if markers.looks_like_marker(of) else of

    def input(
        self,
        value: Json,
        key: str,
        parameter: Parameter | None,
        *,
        named: bool,
        around: dict[str, Json],
        depth: int = 0,
        json_depth: int = 0,
    ) -> Json:
        """A value of an input.

        Args:
            value: The value.
            key: The input's name; of an item, that of its list.
            parameter: How it is declared.
            named: A name says that it is secret.
            around: The object that it is in.
            depth: How deep it is.
            json_depth: In how many JSON texts it is.
        """
        if isinstance(value, str):
            return self._text(value, key, parameter, named, depth, json_depth)
        if isinstance(value, dict):
            return self.object(
                value,
                NOTHING if parameter is None else parameter.items,
                component=_configured(key, value, around),
                depth=_deeper(depth),
                json_depth=json_depth,
            )
        if isinstance(value, list | tuple):
            secret = _secret_items(value)
            return [
                self.input(
                    item,
                    key,
                    parameter,
                    named=named or at in secret,
                    around=around,
                    depth=_deeper(depth),
                    json_depth=json_depth,
                )
                for at, item in enumerate(value)
            ]
        if named and not isinstance(value, bool) and value is not None and not _choice(parameter):
            self._hid(1)
            return markers.secret()
        return value

    def _text(
        self,
        text: str,
        key: str,
        parameter: Parameter | None,
        named: bool,  # noqa: FBT001 (called for each text: names of arguments take time)
        depth: int,
        json_depth: int,
    ) -> Json:
        if not text:
            return text
        if text in self._credentials or (
            (parameter is not None or key in CREDENTIAL_KEYS)
            and self._is_credential(text, key, parameter)
        ):
            return self.credential(text, parameter.credential_types if parameter else ())
        if text.startswith(FILE_STARTS) and is_file(text):
            self._marked += 1
            return markers.secret()
        if named and not text.isspace() and not _choice(parameter) and not is_reference(text):
            self._hid(1)
            return markers.secret()
        first = text[0]
        if first in _JSON_STARTS or (first.isspace() and text.lstrip()[:1] in _JSON_STARTS):
            as_json = self._json(text, depth=depth, json_depth=json_depth)
            if as_json is not None:
                return as_json
        hidden = self._hidden(text, self._hider)
        is_file_text = not json_depth and (
            parameter.is_text if parameter is not None else "\n" in text
        )
        if is_file_text:
            self.text_count += 1
            return FileText(hidden)
        if hidden == PLACEHOLDER != text:
            return markers.secret()
        return hidden

    def _json(self, text: str, *, depth: int, json_depth: int) -> dict[str, Json] | None:
        """A JSON text that holds what has to be marked, as JSON; None for any other text."""
        if text.lstrip().startswith("{{"):
            return None
        read = decoded_text(text)
        if read is None:
            return None
        value, doubled = read
        marked, count = self._marked, self.count
        outer = self._hider
        self._hider = outer.within(value)
        try:
            of = self.input(
                value,
                "",
                None,
                named=False,
                around={},
                depth=_deeper(depth),
                json_depth=json_depth + 1,
            )
        finally:
            self._hider = outer
        if self._marked == marked:
            return None
        if doubled:
            # As JSON one of the two equal keys would be lost.
            self.count = max(self.count, count + 1)
            return markers.secret()
        return {markers.JSON: of}

    def _is_credential(self, text: str, key: str, parameter: Parameter | None) -> bool:
        declared = parameter is not None and parameter.is_credential
        if declared or key == "FLOWISE_CREDENTIAL_ID":
            return not is_reference(text)
        return key in CREDENTIAL_KEYS and _UUID.fullmatch(text) is not None

    def _hidden(self, text: str, hider: TextHider) -> str:
        if text not in hider.written:
            return text
        hidden, count = hider.hide(text)
        self._hid(count)
        return hidden

    def _keys_are_secret(self, value: dict[str, Json], hider: TextHider) -> bool:
        """Whether a key of an object is a secret: then nothing of the object can be written."""
        if not hider.written or hider.written.keys().isdisjoint(value):
            return False
        self._hid(sum(hider.hide(key)[1] for key in value))
        return True

    def _hid(self, count: int) -> None:
        self.count += count
        self._marked += count


def _deeper(depth: int) -> int:
    if depth >= MAX_DEPTH:
        raise too_deep("flow")
    return depth + 1


def _choice(parameter: Parameter | None) -> bool:
    return parameter is not None and parameter.is_choice


def _configured(key: str, value: dict[str, Json], around: dict[str, Json]) -> str:
    """The kind of node that a nested configuration is for, if it is one."""
    if not key.endswith(_CONFIG):
        return ""
    chosen = key.removesuffix(_CONFIG)
    kind = value.get(chosen) or around.get(chosen)
    return kind if isinstance(kind, str) else ""


def _says_secret_of_value(value: dict[str, Json]) -> bool:
    """Whether an object is a pair such as `{"key": "Authorization", "value": "…"}`."""
    return not _PAIR_VALUES.isdisjoint(value) and any(
        isinstance(name := value.get(key), str) and says_secret(name) for key in PAIR_NAMES
    )


def _secret_items(value: list[Json] | tuple[Json, ...]) -> tuple[int, ...]:
    """Which items of a list stand after a name that says secret: as a pair, or as an option."""
    if len(value) == 2 and _is_secret_pair(*value):
        return (1,)
    return tuple(
        at
        for at, name in enumerate(value[:-1], 1)
        if isinstance(name, str) and name.startswith("-") and says_secret(name)
    )


def _is_secret_pair(name: Json, of: Json) -> bool:
    """Whether a name says secret, and what follows looks like a value, not like a name."""
    return (
        isinstance(name, str)
        and isinstance(of, str)
        and says_secret(name)
        and (len(of) >= _SHORTEST_PLAIN_SECRET or any(map(str.isdigit, of)) or " " in of)
    )
