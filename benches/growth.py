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
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from repositories import tsugumi_history

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
    """Bytes, of the whole process."""


AXES: Final[dict[str, list[Point]]] = {
    "versions": [Point(1_000), Point(3_000), Point(10_000), Point(30_000), Point(100_000)],
    "cards": [Point(2_000, cards) for cards in (10, 100, 1_000, 10_000)],
    "depth": [Point(2_000, 100, depth) for depth in (0, 4, 16, 64)],
}

WORK: Final[dict[str, Callable[[Path], Iterable[object]]]] = {
    "deltas": lambda path: _repository(path).deltas(),
    "records": lambda path: _repository(path).records(format="tsugumi"),
    "version diffs": lambda path: _repository(path).version_diffs(format="tsugumi"),
}


def _repository(path: Path):  # type: ignore[no-untyped-def]  # noqa: ANN202 (of the child alone)
    import versiondiff

    return versiondiff.Repository.open(path)


def measured(point: Point, work: str) -> Measured:
    """In a process of its own."""
    command = [sys.executable, __file__, "--point", str(point.path()), work]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return Measured(*json.loads(done.stdout))


def _measure_here(path: Path, work: str) -> None:
    started = 0.0
    for _ in range(2):
        started = time.perf_counter()
        for _ in WORK[work](path):
            pass
    seconds = time.perf_counter() - started
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text(encoding="ascii"))
    assert found is not None
    print(json.dumps([seconds, int(found[1]) * 1024]))


def draw(axis: str, sizes: Sequence[int], results: dict[str, list[Measured]]) -> None:
    """Time and memory over the size, as one picture."""
    import matplotlib as mpl

    mpl.use("svg")
    # The same picture for the same numbers.
    mpl.rcParams["svg.hashsalt"] = "versiondiff"
    mpl.rcParams["svg.fonttype"] = "none"
    from matplotlib import pyplot as plt

    figure, (times, memories) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    for work, points in results.items():
        per_size = [point.seconds for point in points]
        if axis != "versions":
            per_size = [point.seconds / 2_000 * 1e6 for point in points]
        times.plot(sizes, per_size, marker="o", label=work)
        memories.plot(sizes, [point.memory / 1e6 for point in points], marker="o", label=work)
    times.set_ylabel("seconds" if axis == "versions" else "µs a version")
    memories.set_ylabel("MB")
    for part in (times, memories):
        part.set_xlabel(axis)
        part.set_ylim(bottom=0)
        if axis != "versions":
            part.set_xscale("symlog")
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
                print(f"{work:14} {size:18} {each:8.1f} µs a version {one.memory / 1e6:6.0f} MB")
        draw(axis, sizes, results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
