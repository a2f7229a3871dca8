"""Canonical JSON, beside orjson with sorted keys and an indent of two.

    python -m pytest benches/test_canonical_json.py -s

Real flows stand in `data/flowise` where VERSIONDIFF_FLOWISE says; without it flows are made up.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import versiondiff
from side_by_side import measure

if TYPE_CHECKING:
    from table import Table

orjson = pytest.importorskip("orjson")
OPTIONS = orjson.OPT_SORT_KEYS | orjson.OPT_INDENT_2


def flow(nodes: int, seed: int) -> dict[str, Any]:
    chance = random.Random(seed)
    words = [f"{chance.getrandbits(30):x}" for _ in range(400)]

    def sentence(length: int) -> str:
        return " ".join(chance.choices(words, k=length)) + '\n"end"'

    return {
        "nodes": [
            {
                "width": 300,
                "height": 143 + at,
                "id": f"llm_{at}",
                "position": {"x": 10.5 * at, "y": chance.random() * 1000},
                "type": "customNode",
                "data": {
                    "id": f"llm_{at}",
                    "label": f"Model {at}",
                    "version": 5,
                    "name": "llm",
                    "inputParams": [
                        {
                            "label": f"Input {index}",
                            "name": f"in{index}",
                            "type": "string",
                            "rows": 4,
                            "optional": True,
                            "description": sentence(6),
                            "id": f"llm_{at}-input-in{index}-string",
                        }
                        for index in range(12)
                    ],
                    "inputs": {f"in{index}": sentence(8) for index in range(12)},
                    "outputs": {},
                    "selected": False,
                },
            }
            for at in range(nodes)
        ],
        "edges": [{"source": f"llm_{at}", "target": f"llm_{at + 1}"} for at in range(nodes - 1)],
    }


def flows() -> list[bytes]:
    """Flows as they are exported: indented, members in no order."""
    folder = os.environ.get("VERSIONDIFF_FLOWISE")
    if folder:
        texts = [path.read_bytes() for path in sorted(Path(folder).rglob("*.json"))]
        return [text for text in texts if _is_read(text)][:300]
    return [json.dumps(flow(6 + seed % 9, seed), indent=2).encode() for seed in range(60)]


def _is_read(text: bytes) -> bool:
    try:
        orjson.loads(text)
        versiondiff.canonical_json(text)
    except (ValueError, versiondiff.InvalidJson):
        return False
    return True


def texts(kind: str) -> list[bytes]:
    chance = random.Random(kind)
    match kind:
        case "flows":
            return flows()
        case "20 MB":
            return [json.dumps([flow(40, seed) for seed in range(135)]).encode()]
        case "strings":
            letters = "abcdefghij klmnopqrstuvwxyz, あいう\n"
            strings = ["".join(chance.choices(letters, k=400)) for _ in range(4_000)]
            return [json.dumps(strings, ensure_ascii=False).encode()]
        case _:
            return [json.dumps([chance.uniform(-1000, 1000) for _ in range(200_000)]).encode()]


@pytest.mark.parametrize(
    ("kind", "bar"), [("flows", 2.5), ("20 MB", 4.0), ("strings", 1.3), ("floats", 1.5)]
)
def test_texts(kind: str, bar: float, table: Table) -> None:
    given = texts(kind)
    for text in given:
        # The same values, and the same lines but for numbers.
        assert json.loads(versiondiff.canonical_json(text)) == json.loads(text)

    def peer() -> None:
        for text in given:
            orjson.dumps(orjson.loads(text), option=OPTIONS)

    def ours() -> None:
        for text in given:
            versiondiff.canonical_json(text)

    costs = measure({"orjson": peer, "versiondiff": ours}, turns=15)
    work = f"canonical JSON of texts, {kind}, {sum(map(len, given)) / 1e6:.1f} MB"
    table.compare(work, costs, "orjson", bar)


def test_values(table: Table) -> None:
    values = [orjson.loads(text) for text in flows()]

    def peer() -> None:
        for value in values:
            orjson.dumps(value, option=OPTIONS)

    def ours() -> None:
        for value in values:
            versiondiff.canonical_json(value)

    costs = measure({"orjson": peer, "versiondiff": ours}, turns=15)
    table.compare("canonical JSON of values, flows", costs, "orjson", 0.8)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="Linux says what was needed")
def test_memory(tmp_path: Path, table: Table) -> None:
    """In a process of its own, whose most memory is asked for.

    Not by `getrusage`, which counts in what the parent needed.
    """
    (text,) = texts("20 MB")
    path = tmp_path / "large.json"
    path.write_bytes(text)
    script = textwrap.dedent("""
        import re, sys
        from pathlib import Path
        import versiondiff

        def most():
            status = Path("/proc/self/status").read_text()
            return int(re.search(r"VmHWM:\\s+(\\d+) kB", status)[1]) * 1024

        versiondiff.canonical_json(b"[2, 1.0]")
        text = Path(sys.argv[1]).read_bytes()
        before = most()
        written = versiondiff.canonical_json(text)
        print((most() - before) / len(text), len(written) / len(text))
    """)
    ran = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, check=True)
    needed, length = map(float, ran.stdout.split())
    # The form at least is there, or this measures nothing.
    assert length * 0.9 <= needed
    table.at_most("canonical JSON of 20 MB, memory over the input", needed, 2, "of the input")
