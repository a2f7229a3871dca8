"""What the definition of a node says of its inputs, and which inputs are never written."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, NamedTuple

from versiondiff.flows.secret_names import says_secret

if TYPE_CHECKING:
    from versiondiff.flows.json_text import Json

__all__ = [
    "CREDENTIAL_KEYS",
    "DEFAULT",
    "FILE_STARTS",
    "SERVER_PATHS",
    "Definitions",
    "Parameter",
    "has_secret_default",
    "is_file",
    "is_server_path",
]

CREDENTIAL_KEYS = frozenset({"credential", "FLOWISE_CREDENTIAL_ID", "credentialId"})
"""Inputs that hold the id of a credential, declared or not."""

DEFAULT = "default"
"""Of a declared input, the value that it has where none is set."""

_NEVER_WRITTEN_TYPES = frozenset({"password", "file", "folder"})
_BASE_PATH = "basePath"  # in model nodes a URL, in stores kept on disk a path
SERVER_PATHS = frozenset(
    {
        _BASE_PATH,
        "folderPath",
        "databaseFilePath",
        "caPemPath",
        "clientPemPath",
        "clientKeyPath",
    }
)
"""Inputs that hold a path on the server's disk, though one of them not in every node."""
_STORES_ON_DISK = ("faiss", "simplestore")
_CHOICES = frozenset({"boolean", "number", "options", "multiOptions", "asyncOptions", "tabs"})
_FILE_PREFIX = "FILE-STORAGE::"
_CONTENT_PREFIX = "data:"
FILE_STARTS = (_CONTENT_PREFIX, _FILE_PREFIX)
"""What an uploaded file begins with, though not all that begins so is one."""
_LONGEST_MEDIA_TYPE = 300


class _Kinds(NamedTuple):
    """What follows from the types that an input is declared with."""

    is_never_written: bool
    is_choice: bool
    is_credential: bool
    is_code: bool
    is_list: bool


@functools.lru_cache(maxsize=256)
def _kinds(types: tuple[str, ...]) -> _Kinds:
    return _Kinds(
        is_never_written=not _NEVER_WRITTEN_TYPES.isdisjoint(types),
        is_choice=bool(types) and _CHOICES.issuperset(types),
        is_credential="credential" in types,
        is_code="code" in types,
        is_list="array" in types,
    )


class Parameter:
    """An input as it is declared; a name that is declared more than once is all of these."""

    __slots__ = (
        "_declared",
        "_is_list",
        "is_choice",
        "is_credential",
        "is_never_written",
        "is_text",
    )

    def __init__(self, declared: list[dict[str, Json]]) -> None:
        self._declared = declared
        found = [of.get("type") for of in declared]
        types = tuple([kind for kind in found if isinstance(kind, str)])
        self.is_never_written, self.is_choice, self.is_credential, is_code, self._is_list = _kinds(
            types
        )
        """Whether it is a password, a file or a folder; whether people choose its value, and so
        can't type a secret; and whether it holds the id of a credential."""
        self.is_text = is_code or (
            "string" in types
            and any(of.get("rows") for of in declared if of.get("type") == "string")
        )
        """Whether it is a text of several lines: a string with `rows`, or code."""

    @property
    def label(self) -> str | None:
        """What people see as the input's name."""
        label = self._declared[0].get("label")
        return label if isinstance(label, str) and label else None

    @property
    def credential_types(self) -> tuple[str, ...]:
        """The types of credentials that it takes."""
        names = [of.get("credentialNames") for of in self._declared]
        return tuple(
            name
            for group in names
            if isinstance(group, list)
            for name in group
            if isinstance(name, str)
        )

    @property
    def items(self) -> Definitions:
        """The inputs of an item, where it is a list of such."""
        if not self._is_list:
            return NOTHING
        return Definitions(
            [of["array"] for of in self._declared if isinstance(of.get("array"), list)]
        )


class Definitions:
    """The inputs that are declared for an object, by name."""

    __slots__ = ("_by_name", "_parameters")

    def __init__(self, groups: list[list[Json]]) -> None:
        self._by_name: dict[str, list[dict[str, Json]]] = {}
        self._parameters: dict[str, Parameter] = {}
        for group in groups:
            self._add(group)

    @classmethod
    def of_node(cls, data: dict[str, Json]) -> Definitions:
        """Those of a node's `data`."""
        groups = [data.get("inputParams"), data.get("inputAnchors")]
        return cls([group for group in groups if isinstance(group, list)])

    def _add(self, group: list[Json]) -> None:
        # A stack, as tabs may hold tabs.
        groups = [group]
        while groups:
            for declared in groups.pop():
                if not isinstance(declared, dict):
                    continue
                name = declared.get("name")
                if isinstance(name, str):
                    self._by_name.setdefault(name, []).append(declared)
                if isinstance(tabs := declared.get("tabs"), list):
                    groups.append(tabs)

    def get(self, name: str) -> Parameter | None:
        """The input of a name."""
        parameter = self._parameters.get(name)
        if parameter is None and (declared := self._by_name.get(name)):
            parameter = self._parameters[name] = Parameter(declared)
        return parameter

    def credential_types(self) -> tuple[str, ...]:
        """The types of credentials that the whole takes."""
        named = [
            name
            for name, declared in self._by_name.items()
            if declared[0].get("type") == "credential"
            or (len(declared) > 1 and any(of.get("type") == "credential" for of in declared))
        ]
        return tuple(
            kind
            for name in named
            if (parameter := self.get(name)) is not None
            for kind in parameter.credential_types
        )

    def never_written(self, component: str) -> list[str]:
        """The names of the inputs that are declared and never written."""
        return [
            name
            for name in self._by_name
            if (parameter := self.get(name)) is not None
            and (parameter.is_never_written or is_server_path(name, component))
        ]


NOTHING = Definitions([])
"""Of an object for which nothing is declared."""


def has_secret_default(declared: dict[str, Json]) -> bool:
    """Whether an input is declared with a default that is secret."""
    default = declared.get(DEFAULT)
    if not default or not isinstance(default, str):
        return False
    name = declared.get("name")
    return declared.get("type") == "password" or (isinstance(name, str) and says_secret(name))


def is_server_path(name: str, component: str) -> bool:
    """Whether an input holds a path on the server's disk.

    Args:
        name: The input's name.
        component: The name of the node's kind, such as `faiss`; of a nested configuration, the
            kind that it configures.
    """
    if name == _BASE_PATH:
        return component.lower().startswith(_STORES_ON_DISK)
    return name in SERVER_PATHS


def is_file(value: str) -> bool:
    """Whether a value is an uploaded file: its content, or where the server keeps it."""
    if value.startswith(_CONTENT_PREFIX):
        return ";base64," in value[:_LONGEST_MEDIA_TYPE]
    return value.startswith(_FILE_PREFIX)
