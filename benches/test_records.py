"""Change records, beside `git log -p` over a whole history; the latency of one.

    python -m pytest benches/test_records.py -s

The history of real flows is measured where its data lies beside the checkout; the synthetic one
is made once and kept in `build/bench`.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import versiondiff
from real import flowise_history
from repositories import ENVIRONMENT, tsugumi_history
from side_by_side import measure, part, repeated

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_benchmark.fixture import BenchmarkFixture

    from table import Table

BUILD = Path(__file__).resolve().parent.parent / "build" / "bench"


def flows() -> Path:
    """Each change of a file as a version of its own: 584 versions of 86 flows."""
    if not flowise_history.DATA.exists():
        pytest.skip(f"{flowise_history.DATA.name} is not beside the checkout")
    path = BUILD / "flows.git"
    if not path.exists():
        rows = flowise_history.rows()
        flowise_history.replay(rows, path, commits=flowise_history.Commits.FILES)
        subprocess.run(["git", "repack", "-adfq"], cwd=path, env=ENVIRONMENT, check=True)
    return path


def with_git(path: Path) -> bytes:
    log = ["git", "log", "--first-parent", "-p", "--no-renames", "--root"]
    return subprocess.run(log, cwd=path, env=ENVIRONMENT, stdout=subprocess.PIPE, check=True).stdout


def with_versiondiff(path: Path, format: str) -> list[versiondiff.VersionRecord]:
    return list(versiondiff.Repository.open(path).records(format=format))


def exhaust(values: Iterable[object]) -> None:
    for _ in values:
        pass


def side_by_side(path: Path, format: str, work: str, table: Table, *, bar: float) -> None:
    records = with_versiondiff(path, format)
    assert len(records) == with_git(path).count(b"\ncommit ") + 1
    assert all(entry.record is not None for entry in records)
    del records
    costs = measure(
        {
            "git log -p": lambda: with_git(path),
            "versiondiff": lambda: exhaust(
                versiondiff.Repository.open(path).records(format=format)
            ),
        }
    )
    table.compare(work, costs, "git log -p", bar)


def test_records_of_real_flows(table: Table) -> None:
    side_by_side(flows(), "flowise", "change records, real flows", table, bar=2)


def test_records_of_a_tsugumi_history(table: Table) -> None:
    path = tsugumi_history(BUILD / "tsugumi-20000.git", versions=20_000)
    side_by_side(path, "tsugumi", "change records, 20,000 Tsugumi versions", table, bar=4)


def mappings() -> tuple[dict[str, bytes], dict[str, bytes]]:
    """Two versions of 250 Cards: 1,000 files of some 5 kB each, of which five differ.

    Equal files are equal bytes, not the same object: a service reads each version anew.
    """
    old = {}
    for number in range(250):
        folder = f"definitions/card{number}"
        card = {
            "name": f"card {number}",
            "parameters": {f"p{n}": {"value": n} for n in range(100)},
        }
        old[f"{folder}/_card.json"] = json.dumps(card).encode()
        old[f"{folder}/_meta.json"] = json.dumps({"title": "x" * 4_900}).encode()
        old[f"{folder}/_link.json"] = json.dumps({"links": [], "note": "x" * 4_900}).encode()
        old[f"{folder}/src/main.py"] = b"print('x')\n" * 450
    new = {path: bytes(bytearray(content)) for path, content in old.items()}
    for number in range(5):
        path = f"definitions/card{number}/_card.json"
        new[path] = old[path].replace(b'"p7": {"value": 7}', b'"p7": {"value": 8}')
    return old, new


def test_a_record_of_mappings(table: Table) -> None:
    """A thousand files, five of which changed; and what the others cost."""
    deepdiff = pytest.importorskip("deepdiff")
    old, new = mappings()
    changed = {path: (old[path], new[path]) for path in old if old[path] != new[path]}
    assert len(changed) == 5

    def ours() -> versiondiff.ChangeRecord:
        return versiondiff.change_record(old, new, format="tsugumi")

    def peer() -> dict[str, dict[str, object]]:
        # What ours does too: read the documents, and find the members that differ.
        read = [
            {
                path: json.loads(content) if path.endswith(".json") else content
                for path, content in side.items()
            }
            for side in (old, new)
        ]
        found: dict[str, dict[str, object]] = deepdiff.DeepDiff(*read)
        return found

    def few() -> versiondiff.ChangeRecord:
        before = {path: sides[0] for path, sides in changed.items()}
        after = {path: sides[1] for path, sides in changed.items()}
        return versiondiff.change_record(before, after, format="tsugumi")

    assert len(ours().nodes) == 5
    assert len(peer()["values_changed"]) == 5
    costs = measure(
        {
            "deepdiff": peer,
            "versiondiff": repeated(ours, 100),
            "the five alone": repeated(few, 100),
        }
    )
    costs = {name: cost if name == "deepdiff" else part(cost, 100) for name, cost in costs.items()}
    work = "one change record, mappings of 1,000 files"
    table.compare(work, costs, "deepdiff", 100)


def test_latency_of_a_record(benchmark: BenchmarkFixture) -> None:
    old, new = mappings()
    benchmark(lambda: versiondiff.change_record(old, new, format="tsugumi"))


def test_latency_of_a_rendering(benchmark: BenchmarkFixture) -> None:
    record = versiondiff.change_record(*mappings(), format="tsugumi")
    benchmark(lambda: versiondiff.render(record))
