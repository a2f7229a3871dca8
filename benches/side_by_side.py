"""Measuring several ways to do one thing, in turn, in one run.

The machine may be busy with other things. So the ways take turns, the median of the turns
counts, and what counts is their ratio; beside the wall time stands the processor time of this
process and of those it started.
"""

from __future__ import annotations

import gc
import resource
import statistics
import time
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class Cost(NamedTuple):
    """What one way costs, in seconds: medians over the turns."""

    wall: float
    cpu: float


def processor_time() -> float:
    """The processor time used so far, in seconds: this process and its finished children."""
    used = (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def measure(ways: Mapping[str, Callable[[], object]], *, turns: int = 5) -> dict[str, Cost]:
    """What each way costs. Each has one turn more, the first, that warms up and isn't counted."""
    walls: dict[str, list[float]] = {name: [] for name in ways}
    cpus: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(turns + 1):
        for name, way in ways.items():
            gc.collect()
            cpu, wall = processor_time(), time.perf_counter()
            way()
            wall, cpu = time.perf_counter() - wall, processor_time() - cpu
            if turn:
                walls[name].append(wall)
                cpus[name].append(cpu)
    return {
        name: Cost(statistics.median(walls[name]), statistics.median(cpus[name])) for name in ways
    }


def report(costs: Mapping[str, Cost], *, ours: str = "versiondiff") -> None:
    """Print each way, and how many times as long as ours it took."""
    print()
    for name, cost in costs.items():
        times = cost.wall / costs[ours].wall
        wall, cpu = cost.wall * 1e3, cost.cpu * 1e3
        print(f"{name:12} {wall:9.2f} ms, processor {cpu:9.2f} ms, {times:6.2f} x")
