"""What a program costs as a whole: time, and the most memory that it held at once.

A program that is started inherits the peak of the process that starts it. So each is started by
a small one, which is all that this file does when it is run.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


class ProcessCost(NamedTuple):
    """What one run costs: seconds and bytes; of several runs, the medians and the largest peak."""

    wall: float
    cpu: float
    peak: int


def run(command: Sequence[str | Path], *, cwd: Path, env: Mapping[str, str]) -> ProcessCost:
    """Run a program whose output goes nowhere. 0 and 1 are the exit codes of a comparison."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", __file__, *command],
        cwd=cwd,
        env=dict(env),
        stdout=subprocess.PIPE,
        check=True,
    )
    code, *cost = json.loads(done.stdout)
    if code not in {0, 1}:
        message = f"{command[0]} ended with {code}"
        raise RuntimeError(message)
    return ProcessCost(*cost)


def measure_processes(
    commands: Mapping[str, Sequence[str | Path]],
    *,
    cwd: Path,
    env: Mapping[str, str],
    turns: int = 3,
) -> dict[str, ProcessCost]:
    """What each program costs. They take turns; the first turn warms up and isn't counted."""
    costs: dict[str, list[ProcessCost]] = {name: [] for name in commands}
    for turn in range(turns + 1):
        for name, command in commands.items():
            cost = run(command, cwd=cwd, env=env)
            if turn:
                costs[name].append(cost)
    return {
        name: ProcessCost(
            statistics.median(cost.wall for cost in runs),
            statistics.median(cost.cpu for cost in runs),
            max(cost.peak for cost in runs),
        )
        for name, runs in costs.items()
    }


def main() -> None:
    """Start the program that the arguments name, and print its exit code and what it cost."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    redirected = [(os.POSIX_SPAWN_DUP2, nowhere, stream) for stream in (0, 1, 2)]
    start = time.perf_counter()
    child = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=redirected)
    _, status, usage = os.wait4(child, 0)
    wall = time.perf_counter() - start
    # Linux counts the peak in kibibytes, macOS in bytes. Of its own children, the largest counts.
    peak = usage.ru_maxrss if sys.platform == "darwin" else usage.ru_maxrss * 1_024
    code = os.waitstatus_to_exitcode(status)
    print(json.dumps([code, wall, usage.ru_utime + usage.ru_stime, peak]))


if __name__ == "__main__":
    main()
