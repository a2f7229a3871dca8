"""Whatever happens to the files of a flow, a record is made of it, and its way back mirrors it."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any, Final

import pytest

from flow_folders import FOLDER, bakery
from versiondiff import change_record, render, render_warnings
from versiondiff.records import EditKind

if TYPE_CHECKING:
    from versiondiff.records import ChangeRecord, NodeChange

WHOLE: Final = [
    b"", b"{}", b"[]", b"null", b"1", b'"x"', b"\xff", b'{"$text": "flow.json"}', b'{"a":',
    b'{"nodes": {}}', b'{"nodes": []}',
]  # fmt: skip
VALUES: Final[list[Any]] = [
    None, 1, "x", [], {}, {"$text": 5}, {"$literal": [1]},
    {"$text": "prompts/conversationChain_0.systemMessagePrompt.md"},
    {"$json": {"$literal": {"$text": "a"}}},
]  # fmt: skip
MIRRORED: Final = {
    EditKind.ADDED: EditKind.REMOVED,
    EditKind.REMOVED: EditKind.ADDED,
    EditKind.CHANGED: EditKind.CHANGED,
}


class Mutation:
    """Breaks files, the same way for the same seed."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)

    def value(self, value: Any) -> Any:
        if self.draw.random() < 0.1:
            return self.draw.choice(VALUES)
        if isinstance(value, dict):
            kept = {key: item for key, item in value.items() if self.draw.random() > 0.05}
            return {key: self.value(item) for key, item in kept.items()}
        if isinstance(value, list):
            return [self.value(item) for item in value] * self.draw.choice([1] * 9 + [2])
        return value

    def spelled(self, content: bytes) -> bytes:
        text = bytearray(content)
        for _ in range(3 if text else 0):
            text[self.draw.randrange(len(text))] = self.draw.choice(b'{}[]",:0ax\\$')
        return bytes(text)

    def once(self, files: dict[str, bytes]) -> dict[str, bytes]:
        path = self.draw.choice(sorted(files))
        match self.draw.randrange(7):
            case 0:
                changed = {at: content for at, content in files.items() if at != path}
            case 1:
                changed = files | {path: self.draw.choice(WHOLE)}
            case 2:
                changed = files | {path: self.spelled(files[path])}
            case 3:
                changed = files | {self.draw.choice(sorted(files)): files[path]}
            case 4 if path.startswith("flows/"):
                changed = files | {f"flows/other--2/{path.split('/', 2)[2]}": files[path]}
            case 5:
                changed = {at.replace("bakery-helper", "moved"): files[at] for at in files}
            case _:
                try:
                    value = json.loads(files[path])
                except ValueError:
                    return files
                changed = files | {path: json.dumps(self.value(value)).encode()}
        return changed or files

    def files(self, files: dict[str, bytes]) -> dict[str, bytes]:
        for _ in range(self.draw.randint(1, 4)):
            files = self.once(files)
        return files


def nodes(record: ChangeRecord) -> list[tuple[EditKind, str, str]]:
    def former(node: NodeChange) -> str:
        return node.id if node.former_id is None else node.former_id

    return sorted(
        [(node.kind, former(node), node.id) for node in record.nodes],
        key=lambda entry: (entry[0].value, *entry[1:]),
    )


def counts(record: ChangeRecord) -> tuple[int, ...]:
    lists = record.flows, record.settings, record.warnings
    return record.moved, record.format_only, record.other_files, *map(len, lists)


@pytest.mark.parametrize("seed", range(8))
def test_any_two_versions_have_a_record_that_its_way_back_mirrors(seed: int) -> None:
    mutation = Mutation(seed)
    for _ in range(60):
        old = mutation.files(bakery())
        new = mutation.files(mutation.draw.choice([old, bakery()]))
        record, back = (change_record(*pair, format="flow") for pair in ((old, new), (new, old)))
        mirrored = [(MIRRORED[kind], now, former) for kind, former, now in nodes(record)]
        assert nodes(back) == sorted(mirrored, key=lambda entry: (entry[0].value, *entry[1:]))
        assert counts(back) == counts(record)
        for language in ("en", "ja"):
            assert render(record, language=language) + render_warnings(record, language=language)
        unchanged = change_record(old, dict(old), format="flow")
        assert counts(unchanged) == (0,) * 6
        assert not unchanged.nodes


def test_what_is_broken_is_said_of_the_files_it_is_in() -> None:
    mutation = Mutation(99)
    for _ in range(60):
        record = change_record(bakery(), mutation.files(bakery()), format="flow")
        places = FOLDER, FOLDER.replace("bakery-helper", "moved"), "flows/other--2"
        assert all(warning.path.startswith(places) for warning in record.warnings)
