"""Measuring several ways to do one thing, in turn, in one run.

The machine may be busy with other things. So the ways take turns, the median of the turns
counts, and what counts is their ratio; beside the wall time stands the processor time of this
process and of those it started.
"""

from __future__ import annotations

import contextlib
import gc
import os
import re
import resource
import statistics
import struct
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class Cost(NamedTuple):
    """What one way costs: medians over the turns, in seconds."""

    wall: float
    cpu: float
    memory: int | None = None
    """The most bytes that it needed over what was there before; of a way that starts a program,
    all of the program's. None where that can't be told."""


def processor_time() -> float:
    """The processor time used so far, in seconds: this process and its finished children."""
    used = (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def measure(ways: Mapping[str, Callable[[], object]], *, turns: int = 5) -> dict[str, Cost]:
    """What each way costs. Each has one turn more, the first, that warms up and isn't counted."""
    walls: dict[str, list[float]] = {name: [] for name in ways}
    cpus: dict[str, list[float]] = {name: [] for name in ways}
    memories = {name: most_memory(way) for name, way in ways.items()}
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
        name: Cost(statistics.median(walls[name]), statistics.median(cpus[name]), memories[name])
        for name in ways
    }


def repeated(work: Callable[[], object], times: int) -> Callable[[], None]:
    """Work that takes too little time to be measured once."""

    def run() -> None:
        for _ in range(times):
            work()

    return run


def part(cost: Cost, times: int) -> Cost:
    """What one time of repeated work costs."""
    return cost._replace(wall=cost.wall / times, cpu=cost.cpu / times)


_STATUS = Path("/proc/self/status")


def most_memory(way: Callable[[], object]) -> int | None:
    """The most bytes that a way needs, in a process of its own that starts with what is here."""
    if not _STATUS.exists():
        return None
    out, in_ = os.pipe()
    child = os.fork()
    if not child:
        needed = -1
        try:
            # What the parent once needed is not to count.
            Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
            before = peak(_STATUS)
            with _Programs() as programs:
                way()
            needed = peak(_STATUS) - before + programs.most
        finally:
            os.write(in_, struct.pack("q", needed))
            os._exit(0)
    os.close(in_)
    with os.fdopen(out, "rb") as pipe:
        (needed,) = struct.unpack("q", pipe.read(8))
    os.waitpid(child, 0)
    return needed if needed >= 0 else None


class _Programs:
    """Looks at the programs that are started, as long as it is entered.

    The system's own count of them has in it what their parent had when it started them.
    """

    def __init__(self) -> None:
        self.most = 0
        self._done = threading.Event()
        self._looking = threading.Thread(target=self._look)

    def __enter__(self) -> _Programs:
        self._looking.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._looking.join()

    def _look(self) -> None:
        while not self._done.wait(0.002):
            # One that ends while it is looked at is gone from one line to the next.
            with contextlib.suppress(OSError):
                for task in Path("/proc/self/task").iterdir():
                    for child in (task / "children").read_text(encoding="ascii").split():
                        self.most = max(self.most, self._peak_of(child))

    def _peak_of(self, process: str) -> int:
        # Before it became the program it was what started it.
        if Path(f"/proc/{process}/exe").readlink() == Path("/proc/self/exe").readlink():
            return 0
        return peak(Path(f"/proc/{process}/status"))


def peak(status: Path) -> int:
    """The most bytes that a process had in memory so far."""
    found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text(encoding="ascii"))
    return int(found[1]) * 1024 if found is not None else 0
