"""What the definition of a node says of its inputs, and which inputs are never written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from versiondiff.flows.secret_names import says_secret

if TYPE_CHECKING:
    from versiondiff.flows.json_text import Json

__all__ = [
    "CREDENTIAL_KEYS",
    "DEFAULT",
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
_SERVER_PATHS = frozenset(
    {"folderPath", "databaseFilePath", "caPemPath", "clientPemPath", "clientKeyPath"}
)
_BASE_PATH = "basePath"  # in model nodes a URL, in stores kept on disk a path
_STORES_ON_DISK = ("faiss", "simplestore")
_CHOICES = frozenset({"boolean", "number", "options", "multiOptions", "asyncOptions", "tabs"})
_FILE_PREFIX = "FILE-STORAGE::"
_LONGEST_MEDIA_TYPE = 300


class Parameter:
    """An input as it is declared; a name that is declared more than once is all of these."""

    __slots__ = ("_declared", "types")

    def __init__(self, declared: list[dict[str, Json]]) -> None:
        self._declared = declared
        self.types = frozenset(kind for of in declared if isinstance(kind := of.get("type"), str))

    @property
    def label(self) -> str | None:
        """What people see as the input's name."""
        label = self._declared[0].get("label")
        return label if isinstance(label, str) and label else None

    @property
    def is_never_written(self) -> bool:
        """Whether it is a password, a file or a folder."""
        return not self.types.isdisjoint(_NEVER_WRITTEN_TYPES)

    @property
    def is_text(self) -> bool:
        """Whether it is a text of several lines: a string with `rows`, or code."""
        return "code" in self.types or any(
            of.get("type") == "string" and of.get("rows") for of in self._declared
        )

    @property
    def is_choice(self) -> bool:
        """Whether people choose its value, and so can't type a secret."""
        return bool(self.types) and self.types <= _CHOICES

    @property
    def is_credential(self) -> bool:
        """Whether it holds the id of a credential."""
        return "credential" in self.types

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
        if "array" not in self.types:
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
        parameters = [self.get(name) for name in self._by_name]
        return tuple(
            name
            for parameter in parameters
            if parameter is not None and parameter.is_credential
            for name in parameter.credential_types
        )

    @property
    def have_secret_defaults(self) -> bool:
        """Whether any of the inputs is declared with a default that is secret."""
        return any(has_secret_default(of) for group in self._by_name.values() for of in group)

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
    return name in _SERVER_PATHS


def is_file(value: str) -> bool:
    """Whether a value is an uploaded file: its content, or where the server keeps it."""
    if value.startswith("data:"):
        return ";base64," in value[:_LONGEST_MEDIA_TYPE]
    return value.startswith(_FILE_PREFIX)
