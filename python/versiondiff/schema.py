"""The wire format as JSON Schema (draft 2020-12), generated from the typed values.

`python -m versiondiff.schema DIRECTORY` writes the files that `docs/schema/` holds.
"""

from __future__ import annotations

import ast
import inspect
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from versiondiff import history_file, records
from versiondiff.packages import difference

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

__all__ = ["DOCUMENTS", "document"]

DOCUMENTS: Final[dict[str, type[msgspec.Struct]]] = {
    "version-record": records.VersionRecord,
    "version-delta": records.VersionDelta,
    "change-record": records.ChangeRecord,
    "version-diff": records.VersionDiff,
    "package-diff": difference.PackageDiff,
    "history-diff": records.HistoryDiff,
    "version-findings": records.VersionFindings,
    "history-file": history_file.HistoryFile,
}
"""The documents that are written, each by the name of its schema."""

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def document(name: str) -> bytes:
    """The schema of one of `DOCUMENTS` as JSON text, UTF-8, the same bytes every time."""
    kind = DOCUMENTS[name]
    (reference,), components = msgspec.json.schema_components([kind], ref_template="#/$defs/{name}")
    descriptions: dict[str, str] = {}
    for module in _modules(sys.modules[kind.__module__]):
        descriptions |= _descriptions(module)
    for component, schema in components.items():
        for field, property_ in schema.get("properties", {}).items():
            _describe(property_, descriptions.get(f"{component}.{field}"))
    schema = {
        "$schema": _DIALECT,
        "title": kind.__name__,
        **reference,
        "$defs": dict(sorted(components.items())),
    }
    return json.dumps(schema, ensure_ascii=False, indent=2).encode() + b"\n"


def _describe(property_: dict[str, Any], description: str | None) -> None:
    # Beside a reference, a description is allowed since draft 2019-09.
    if description is not None:
        property_["description"] = description


def _modules(module: ModuleType) -> Iterator[ModuleType]:
    """The module, after those that its values come from."""
    for value in vars(module).values():
        if isinstance(value, type) and issubclass(value, msgspec.Struct):
            home = sys.modules[value.__module__]
            if home not in (module, msgspec):
                yield from _modules(home)
    yield module


def _descriptions(module: ModuleType) -> dict[str, str]:
    """The text below each field of the values, by `Class.field`, which Python itself drops."""
    found: dict[str, str] = {}
    for class_ in ast.parse(inspect.getsource(module)).body:
        if not isinstance(class_, ast.ClassDef):
            continue
        for field, below in zip(class_.body, class_.body[1:], strict=False):
            match field, below:
                case (
                    ast.AnnAssign(target=ast.Name(id=name)),
                    ast.Expr(value=ast.Constant(value=str(text))),
                ):
                    found[f"{class_.name}.{name}"] = inspect.cleandoc(text)
    return found


def _write(directory: Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    for name in DOCUMENTS:
        (directory / f"{name}.schema.json").write_bytes(document(name))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m versiondiff.schema DIRECTORY")
    _write(Path(sys.argv[1]))
