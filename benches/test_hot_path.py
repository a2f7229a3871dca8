"""The hot path of a service: one record, one version diff, one save, one note, from many threads.

    python -m pytest benches/test_hot_path.py -s

`VERSIONDIFF_HOT_SECONDS` says for how long each number of threads is at it; by default it is a
minute. Threads share one history of flows, one handle and one reference of notes, so that saves
and notes wait for one another as they would in a service.
"""

from __future__ import annotations

import collections
import json
import os
import statistics
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pytest

import versiondiff
from repositories import git
from test_version_diffs import sources
from versiondiff import Signature
from versiondiff.flows.history import FlowHistory, Person

if TYPE_CHECKING:
    from collections.abc import Callable

    from table import Table

SECONDS: Final = float(os.environ.get("VERSIONDIFF_HOT_SECONDS", "60"))
THREADS: Final = (1, 4, 16)
WHO: Final = Signature(name="A", email="a@example.org", time=1_700_000_000)
EDITOR: Final = Person(name="A", id="1")


def _flow(number: int, prompt: str) -> dict[str, Any]:
    node = {
        "id": "chat_0",
        "data": {
            "id": "chat_0",
            "name": "chat",
            "label": "Chat",
            "inputParams": [{"label": "Prompt", "name": "prompt", "type": "string", "rows": 4}],
            "inputs": {"prompt": prompt},
        },
    }
    return {
        "id": f"1f2e3d4c-5b6a-4798-8a9b-{number:012d}",
        "name": f"Flow {number}",
        "flowData": json.dumps({"nodes": [node], "edges": []}),
    }


class Service:
    """What the threads share."""

    def __init__(self, folder: Path) -> None:
        self.history = FlowHistory.create(folder / "flows.git", bare=True, time=1_700_000_000)
        notes = folder / "notes.git"
        notes.mkdir()
        git(notes, "init", "--quiet", "--bare", "--initial-branch=main")
        stream = [
            b"commit refs/heads/main\ncommitter A <a@example.org> %d +0000\ndata 1\nx\n" % number
            for number in range(100)
        ]
        subprocess.run(
            ["git", "fast-import", "--quiet"], cwd=notes, input=b"".join(stream), check=True
        )
        self.commits = git(notes, "rev-list", "main").decode().split()
        self.notes = versiondiff.Repository.open(notes).notes("refs/notes/runs")
        self.old, self.new = sources()

    def works(self, thread: int) -> dict[str, Callable[[int], object]]:
        """What a thread does in turn, by name; each is given how often it has been done."""

        def save(turn: int) -> object:
            flow = _flow(thread, f"Be kind, {turn}.")
            return self.history.save(flow, author=EDITOR, time=1_700_000_000 + turn)

        def note(turn: int) -> object:
            commit = self.commits[turn % len(self.commits)]
            return self.notes.append(commit, f"run {thread} {turn}", author=WHO)

        return {
            "record": lambda _: versiondiff.change_record(self.old, self.new, format="tsugumi"),
            "version diff": lambda _: versiondiff.version_diff(
                self.old, self.new, format="tsugumi"
            ),
            "save": save,
            "note": note,
        }


class Latencies(NamedTuple):
    """Seconds of each call, by what it was, and how long all of it took."""

    calls: dict[str, list[float]]
    seconds: float

    def quantile(self, work: str, share: float) -> float:
        times = sorted(self.calls[work])
        return times[min(int(len(times) * share), len(times) - 1)]


def run(service: Service, threads: int, seconds: float) -> Latencies:
    """Let the threads work; what fails in one fails here."""
    calls: dict[str, list[float]] = collections.defaultdict(list)
    failures: list[BaseException] = []
    lock, end = threading.Lock(), time.monotonic() + seconds

    def body(number: int) -> None:
        mine: dict[str, list[float]] = collections.defaultdict(list)
        turn = 0
        try:
            works = service.works(number)
            while time.monotonic() < end:
                turn += 1
                for name, work in works.items():
                    started = time.perf_counter()
                    work(turn)
                    mine[name].append(time.perf_counter() - started)
        except BaseException as error:  # told by the thread of the test
            failures.append(error)
        with lock:
            for name, times in mine.items():
                calls[name] += times

    started = time.monotonic()
    at_work = [threading.Thread(target=body, args=(number,)) for number in range(threads)]
    for thread in at_work:
        thread.start()
    for thread in at_work:
        thread.join()
    if failures:
        raise failures[0]
    return Latencies(calls, time.monotonic() - started)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Latencies:
    return run(Service(tmp_path_factory.mktemp("alone")), 1, SECONDS)


@pytest.mark.parametrize("threads", THREADS)
def test_latency_under_threads(
    threads: int, alone: Latencies, tmp_path: Path, table: Table
) -> None:
    """Calls that need nothing of each other must not wait for each other.

    Of the threads that want to run only as many can as there are processors, so the median may be
    as many times as long as there are threads for each of them, and the interpreter's own turns
    of 5 ms come on top.
    """
    found = alone if threads == 1 else run(Service(tmp_path), threads, SECONDS)
    crowd = max(1, threads / (os.cpu_count() or 1))
    for work in found.calls:
        median, late, latest = (found.quantile(work, share) for share in (0.5, 0.99, 0.999))
        rate = len(found.calls[work]) / found.seconds
        said = (
            f"median {median * 1e3:.2f}, p99 {late * 1e3:.1f}, p99.9 {latest * 1e3:.1f} ms, "
            f"{rate:,.0f} a second"
        )
        bar = 3 * crowd * statistics.median(alone.calls[work]) * 1e3 + 5 * (threads > 1)
        if work in {"save", "note"}:
            # One at a time, for all threads.
            bar = max(bar, 3 * threads * statistics.median(alone.calls[work]) * 1e3 + 5)
        table.at_most(f"{work}, {threads} threads", median * 1e3, bar, "ms", said=said)
    assert not service_lost(found)


def service_lost(found: Latencies) -> bool:
    """Whether some kind of work was never done."""
    return not all(found.calls.values()) or len(found.calls) != 4


def test_threads_do_not_wait_for_each_other(table: Table) -> None:
    """What is pure runs beside itself: two threads do more than one."""
    old, new = sources()

    def rate(threads: int) -> float:
        done = [0] * threads
        end = time.monotonic() + 2

        def body(number: int) -> None:
            while time.monotonic() < end:
                versiondiff.version_diff(old, new, format="tsugumi")
                done[number] += 1

        at_work = [threading.Thread(target=body, args=(number,)) for number in range(threads)]
        for thread in at_work:
            thread.start()
        for thread in at_work:
            thread.join()
        return sum(done) / 2

    if (os.cpu_count() or 1) < 2:
        pytest.skip("one processor")
    alone = statistics.median(rate(1) for _ in range(3))
    both = statistics.median(rate(2) for _ in range(3))
    table.at_least("version diffs of two threads over those of one", both / alone, 1.1, "×")


MOST_GROWTH: Final = 4 << 20


def test_no_memory_is_lost(table: Table) -> None:
    """100,000 calls need no more than 10,000 did."""
    script = textwrap.dedent("""
        import gc, json, sys
            import versiondiff
        from versiondiff import flows
        from test_version_diffs import sources

        old, new = sources()
        text = json.dumps({"nodes": [], "edges": []}).encode()
        works = [
            lambda: versiondiff.change_record(old, new, format="tsugumi"),
            lambda: versiondiff.version_diff(old, new, format="tsugumi"),
            lambda: versiondiff.canonical_json(text),
            lambda: versiondiff.scan(text),
            lambda: versiondiff.tree_delta(old, new),
        ]

        def resident():
            gc.collect()
            return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

        for number in range(100_000):
            works[number % len(works)]()
            if number == 10_000:
                before = resident()
        print(resident() - before)
    """)
    if not Path("/proc/self/statm").exists():
        pytest.skip("Linux says what is needed")
    path = os.pathsep.join(sys.path)
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        check=True,
    )
    grown = int(done.stdout) / 1e6
    table.at_most("growth of memory over 100,000 calls", grown, MOST_GROWTH / 1e6, "MB")
