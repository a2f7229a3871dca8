"""How time and memory grow with the history, with the number of Cards, and with the depth.

    python benches/growth.py            measure, draw docs/growth-*.svg, print the table
    python benches/growth.py --quick    without the history of 100,000 versions

The histories are made once, by `git fast-import`, and kept in `build/bench`. Each point is
measured in a process of its own: the time of the second of two runs, and the most memory.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from repositories import ENVIRONMENT, tsugumi_history
from versiondiff import Repository

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

ROOT: Final = Path(__file__).resolve().parent.parent
BUILD: Final = ROOT / "build" / "bench"


class Point(NamedTuple):
    """A history, by what it is large in."""

    versions: int
    cards: int = 100
    depth: int = 0

    def path(self) -> Path:
        name = f"growth-{self.versions}-{self.cards}-{self.depth}.git"
        return tsugumi_history(
            BUILD / name, versions=self.versions, cards=self.cards, depth=self.depth
        )


class Measured(NamedTuple):
    """What one point takes."""

    seconds: float
    memory: int
    """Bytes, of the whole process, at most; packs among them, as they are mapped."""
    own: int
    """Bytes, without what is mapped from files, which the system takes back when it needs room."""


AXES: Final[dict[str, list[Point]]] = {
    "versions": [Point(1_000), Point(3_000), Point(10_000), Point(30_000), Point(100_000)],
    "cards": [Point(2_000, cards) for cards in (10, 100, 1_000, 10_000)],
    "depth": [Point(2_000, 100, depth) for depth in (0, 4, 16, 64)],
}

WORK: Final[dict[str, Callable[[Path], Iterable[object]]]] = {
    "deltas": lambda path: _repository(path).deltas(),
    "records": lambda path: _repository(path).records(format="tsugumi"),
    "version diffs": lambda path: _repository(path).version_diffs(format="tsugumi"),
    "git log -p": lambda path: [_with_git(path)],
}


def _repository(path: Path) -> Repository:
    return Repository.open(path)


def _with_git(path: Path) -> int:
    log = ["git", "log", "--first-parent", "-p", "--no-renames", "--root"]
    return len(
        subprocess.run(log, cwd=path, env=ENVIRONMENT, capture_output=True, check=True).stdout
    )


def measured(point: Point, work: str) -> Measured:
    """In a process of its own."""
    command = [sys.executable, __file__, "--point", str(point.path()), work]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return Measured(*json.loads(done.stdout))


def _measure_here(path: Path, work: str) -> None:
    """The second of two runs, and the most memory; git's own is not counted."""
    own, done = 0, threading.Event()

    def look() -> None:
        nonlocal own
        while not done.wait(0.005):
            own = max(own, _status("RssAnon"))

    looking = threading.Thread(target=look)
    looking.start()
    started = 0.0
    for _ in range(2):
        started = time.perf_counter()
        for _ in WORK[work](path):
            pass
    seconds = time.perf_counter() - started
    done.set()
    looking.join()
    print(json.dumps([seconds, _status("VmHWM"), own]))


def _status(field: str) -> int:
    text = Path("/proc/self/status").read_text(encoding="ascii")
    found = re.search(rf"{field}:\s+(\d+) kB", text)
    assert found is not None
    return int(found[1]) * 1024


def draw(axis: str, sizes: Sequence[int], results: dict[str, list[Measured]]) -> None:
    """Time and memory over the size, as one picture."""
    import matplotlib as mpl

    mpl.use("svg")
    # The same picture for the same numbers.
    mpl.rcParams["svg.hashsalt"] = "versiondiff"
    mpl.rcParams["svg.fonttype"] = "none"
    from matplotlib import pyplot as plt

    figure, (times, memories) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    for number, (work, points) in enumerate(results.items()):
        taken = [point.seconds for point in points]
        if axis != "versions":
            taken = [seconds / 2_000 * 1e6 for seconds in taken]
        colour = f"C{number}"
        times.plot(sizes, taken, marker="o", color=colour, label=work)
        if work.startswith("git"):
            continue
        memories.plot(sizes, [point.own / 1e6 for point in points], marker="o", color=colour)
        memories.plot(sizes, [point.memory / 1e6 for point in points], ":", color=colour)
    times.set_ylabel("seconds" if axis == "versions" else "µs a version")
    memories.set_ylabel("MB; dotted: with mapped packs")
    for part in (times, memories):
        part.set_xlabel(axis)
        if axis != "versions":
            part.set_xscale("symlog")
        part.set_xlim(left=0)
        part.set_ylim(bottom=0)
        part.grid(alpha=0.3)
    times.legend(frameon=False)
    figure.savefig(ROOT / "docs" / f"growth-{axis}.svg", metadata={"Date": None, "Creator": None})
    plt.close(figure)


def main() -> int:
    parser = argparse.ArgumentParser(description="how time and memory grow")
    parser.add_argument("--quick", action="store_true", help="without the largest history")
    parser.add_argument("--point", nargs=2, metavar=("PATH", "WORK"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.point is not None:
        _measure_here(Path(arguments.point[0]), arguments.point[1])
        return 0
    for axis, points in AXES.items():
        kept = [point for point in points if not arguments.quick or point.versions < 100_000]
        sizes = [getattr(point, axis) for point in kept]
        results = {work: [measured(point, work) for point in kept] for work in WORK}
        for work, found in results.items():
            for point, one in zip(kept, found, strict=True):
                each = one.seconds / point.versions * 1e6
                size = f"{getattr(point, axis):,} {axis}"
                memory = f"{one.own / 1e6:5.0f} MB, {one.memory / 1e6:5.0f} MB with packs"
                print(f"{work:14} {size:18} {each:8.1f} µs a version {memory}")
        draw(axis, sizes, results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
