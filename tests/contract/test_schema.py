"""The published wire format is what the typed values say."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from subprocess import run
from typing import Any

import msgspec
import pytest

from versiondiff import records
from versiondiff.schema import DOCUMENTS, document

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_committed_schema_is_what_is_generated(name: str) -> None:
    committed = DOCS / "schema" / f"{name}.schema.json"
    assert committed.read_bytes() == document(name), "run python -m versiondiff.schema docs/schema"


def test_no_other_schema_is_committed() -> None:
    committed = {path.name for path in (DOCS / "schema").iterdir()}
    assert committed == {f"{name}.schema.json" for name in DOCUMENTS}


def test_the_module_writes_the_files(tmp_path: Path) -> None:
    run([sys.executable, "-m", "versiondiff.schema", str(tmp_path / "new")], check=True)
    written = {path.name: path.read_bytes() for path in (tmp_path / "new").iterdir()}
    assert written == {f"{name}.schema.json": document(name) for name in DOCUMENTS}


def references(schema: Any) -> set[str]:
    if isinstance(schema, dict):
        own = {schema["$ref"]} if isinstance(schema.get("$ref"), str) else set()
        return own.union(*map(references, schema.values()))
    return set().union(*map(references, schema)) if isinstance(schema, list) else set()


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_schema_stands_alone_and_refuses_unknown_fields(name: str) -> None:
    schema = json.loads(document(name))
    assert references(schema) == {f"#/$defs/{component}" for component in schema["$defs"]}
    for component in schema["$defs"].values():
        assert component.get("additionalProperties") is (
            False if component.get("type") == "object" else None
        )
        assert component["description"]


def test_the_documented_examples_are_the_wire_format() -> None:
    pages = ("wire-format.md", "history-file.md")
    text = "".join((DOCS / page).read_text(encoding="utf-8") for page in pages)
    examples = re.findall(r"^```json (\w+)\n(.+?)\n```$", text, flags=re.MULTILINE | re.DOTALL)
    kinds = {kind.__name__: kind for kind in DOCUMENTS.values()}
    assert {kind for kind, _ in examples} == kinds.keys()
    for kind, example in examples:
        value = msgspec.json.decode(example, type=kinds[kind])
        # Shown on several lines, written on one.
        assert msgspec.json.encode(value) == msgspec.json.encode(json.loads(example))


def test_a_strict_reader_refuses_unknown_fields() -> None:
    with pytest.raises(msgspec.ValidationError, match="unknown field"):
        msgspec.json.decode(b'{"format":"tsugumi","more":1}', type=records.ChangeRecord)
