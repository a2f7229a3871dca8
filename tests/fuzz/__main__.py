"""Fuzzing: every target, or one, or one case.

python -m fuzz                                        a million cases
python -m fuzz --target tar zip --cases 50000 --seed 7
python -m fuzz --target tar --seed 7 --case 4567      one case, with its traceback
python -m fuzz --target tar --seed 7 --case 4567 --save input
"""

from __future__ import annotations

import argparse
import os
import random
import sys
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fuzz.running import Outcome, run_in_child, run_in_children
from fuzz.targets import TARGETS

if TYPE_CHECKING:
    from fuzz.target import Target

_MOST_IN_A_CHILD = 40_000


def say(text: str) -> None:
    print(text, flush=True)  # noqa: T201 (it is what the program is for)


def main() -> int:
    if sys.argv[1:2] == ["--child"]:
        name, seed, first, last, place, hang = sys.argv[2:]
        run_in_child(name, int(seed), int(first), int(last), place, float(hang))
        return 0
    parser = argparse.ArgumentParser(prog="python -m fuzz", description="Fuzzing.")
    parser.add_argument("--target", nargs="+", choices=TARGETS, default=list(TARGETS))
    parser.add_argument("--cases", type=int, default=1_000_000, help="of all targets together")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--case", type=int, help="only this one, in this process")
    parser.add_argument("--save", type=Path, help="write the input of the case there")
    typed = parser.parse_args()
    targets: list[Target[Any]] = [TARGETS[name] for name in typed.target]
    if typed.case is None:
        return _all(targets, typed.seed, typed.cases, typed.jobs)
    for target in targets:
        _one(target, typed.seed, typed.case, typed.save)
    return 0


def _one(target: Target[Any], seed: int, case: int, save: Path | None) -> None:
    if save is not None:
        made = target.made(random.Random(f"{target.name} {seed} {case}"))
        save.write_bytes(made if isinstance(made, bytes) else repr(made).encode())
    target.run(seed, case)
    say(f"{target.name}: nothing wrong with case {case}")


def _all(targets: list[Target[Any]], seed: int, cases: int, jobs: int) -> int:
    say(f"SEED={seed}")
    shares = sum(target.share for target in targets)
    columns = f"{'target':20} {'cases':>9} {'a second':>9} {'slowest':>10} {'case':>8}"
    say(f"{columns} {'grew':>8}  failures")
    outcomes: dict[str, Outcome] = {}
    with ThreadPoolExecutor(jobs) as pool:
        running = {}
        left: dict[str, int] = {}
        for target in sorted(targets, key=lambda one: one.share):
            wanted = max(1, round(cases * target.share / shares))
            for first in range(0, wanted, _MOST_IN_A_CHILD):
                last = min(wanted, first + _MOST_IN_A_CHILD)
                running[pool.submit(run_in_children, target, seed, first, last)] = target.name
                left[target.name] = left.get(target.name, 0) + 1
        for done in as_completed(running):
            name = running[done]
            outcomes[name] = outcomes.get(name, Outcome(failures={})).joined(done.result())
            left[name] -= 1
            if left[name] == 0:
                _show(name, outcomes[name], seed)
    failed = sum(len(outcome.failures) for outcome in outcomes.values())
    in_all = sum(outcome.cases for outcome in outcomes.values())
    say(f"{in_all} cases, {failed} failures")
    return 1 if failed else 0


def _show(name: str, outcome: Outcome, seed: int) -> None:
    rate = outcome.cases / outcome.seconds if outcome.seconds else 0.0
    took = f"{rate:9.0f} {outcome.slowest * 1000:7.0f} ms {outcome.slowest_case:8}"
    grew = f"{outcome.growth >> 20:4} MiB"
    say(f"{name:20} {outcome.cases:9} {took} {grew}  {len(outcome.failures)}")
    for failure in outcome.failures.values():
        say(f"  {failure.count} × {failure.what}")
        say(f"    python -m fuzz --target {name} --seed {seed} --case {failure.case}")


if __name__ == "__main__":
    sys.exit(main())
