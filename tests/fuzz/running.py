"""Cases run: one after another in this process, or in children that may die or hang."""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import json
import mmap
import os
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from fuzz.target import IN_MEMORY

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO, Any

    from fuzz.target import Target

__all__ = ["Failure", "Outcome", "run_here", "run_in_child", "run_in_children"]

HANG: Final = 15.0
"""In seconds: whatever takes longer hangs. Cases are small, but machines are busy."""
MOST_MEMORY: Final = 6 << 30
"""In bytes of address space: whatever wants more fails."""
MOST_GROWTH: Final = 96 << 20
"""In bytes: how much more may be resident after all cases than after a tenth of them."""
_MOST_FAILURES: Final = 40
"""Different ones; a target that has more is in need of a look."""
_FEW: Final = 2_000
"""So few cases say nothing of growth: caches and pools are yet to be filled."""
_PLACE: Final = struct.Struct("<q")


class Failure(msgspec.Struct):
    """Something that must not come out."""

    case: int
    """The first case that it came out of."""
    what: str
    """In one line."""
    detail: str = ""
    count: int = 1


class Outcome(msgspec.Struct):
    """What came of the cases of a target."""

    cases: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    """In seconds."""
    slowest_case: int = 0
    growth: int = 0
    """In bytes."""
    failures: dict[str, Failure] = {}

    def add(self, failure: Failure) -> None:
        """Count a failure; those that are the same in all but the case count as one."""
        if failure.what in self.failures:
            self.failures[failure.what].count += failure.count
        else:
            self.failures[failure.what] = failure

    def joined(self, other: Outcome) -> Outcome:
        """Both."""
        slower = other.slowest > self.slowest
        both = Outcome(
            cases=self.cases + other.cases,
            seconds=self.seconds + other.seconds,
            slowest=max(self.slowest, other.slowest),
            slowest_case=other.slowest_case if slower else self.slowest_case,
            growth=max(self.growth, other.growth),
        )
        for failure in (*self.failures.values(), *other.failures.values()):
            both.add(failure)
        return both


def run_here(
    target: Target[Any],
    seed: int,
    cases: range,
    *,
    place: mmap.mmap | None = None,
    hang: float = HANG,
) -> Outcome:
    """Run cases in this process, which is ended with a traceback if one of them hangs."""
    outcome = Outcome(failures={})
    start = time.perf_counter()
    before = 0
    with _alarm() as set_alarm:
        for number, case in enumerate(cases):
            if place is not None:
                _PLACE.pack_into(place, 0, case)
            set_alarm(hang)
            began = time.perf_counter()
            try:
                target.run(seed, case)
            except Exception as error:
                outcome.add(_failure(case, error))
            except BaseException as error:
                # A panic that got through is none of the exceptions that programs catch.
                if isinstance(error, KeyboardInterrupt):
                    raise
                outcome.add(_failure(case, error))
            took = time.perf_counter() - began
            outcome.cases += 1
            if took > outcome.slowest:
                outcome.slowest, outcome.slowest_case = took, case
            if number == max(len(cases) // 10, 500):
                before = _resident()
            if len(outcome.failures) >= _MOST_FAILURES:
                break
    if len(cases) >= _FEW and before:
        gc.collect()
        outcome.growth = max(0, _resident() - before)
        if outcome.growth > MOST_GROWTH:
            grown = f"memory grew by {outcome.growth >> 20} MiB"
            outcome.add(Failure(case=cases.start, what=grown))
    outcome.seconds = time.perf_counter() - start
    return outcome


def run_in_child(target: str, seed: int, first: int, last: int, place: str, hang: float) -> None:
    """What a child does: run cases and say on stdout what came of them."""
    from fuzz.broken import BROKEN
    from fuzz.targets import TARGETS

    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    said = os.fdopen(os.dup(1), "wb")
    # What cases print is of no interest; standard output is for what came of them.
    os.dup2(2, 1)
    with Path(place).open("r+b") as file, mmap.mmap(file.fileno(), _PLACE.size) as where:
        known = {**TARGETS, **BROKEN}
        outcome = run_here(known[target], seed, range(first, last), place=where, hang=hang)
    said.write(msgspec.json.encode(outcome))
    said.close()


def run_in_children(
    target: Target[Any], seed: int, first: int, last: int, *, hang: float = HANG
) -> Outcome:
    """Run cases in a child; where it dies, another goes on with the case after."""
    outcome = Outcome(failures={})
    with tempfile.TemporaryDirectory(prefix="fuzz-", dir=IN_MEMORY) as folder:
        place = Path(folder, "place")
        while first < last and len(outcome.failures) < _MOST_FAILURES:
            place.write_bytes(_PLACE.pack(first))
            began = time.perf_counter()
            with Path(folder, "said").open("w+b") as errors:
                command = [sys.executable, "-m", "fuzz", "--child", target.name, str(seed)]
                done = subprocess.run(
                    [*command, str(first), str(last), str(place), str(hang)],
                    stdout=subprocess.PIPE,
                    stderr=errors,
                    check=False,
                    env=os.environ | {"TMPDIR": folder, "PYTHONPATH": _path()},
                )
                said = _end_of(errors)
            if done.returncode == 0:
                return outcome.joined(msgspec.json.decode(done.stdout, type=Outcome))
            (case,) = _PLACE.unpack(place.read_bytes())
            died = Outcome(cases=case + 1 - first, failures={})
            died.seconds = time.perf_counter() - began
            died.add(Failure(case=case, what=_said(done.returncode, said), detail=said))
            outcome = outcome.joined(died)
            first = case + 1
    return outcome


def _path() -> str:
    """Where children find what this process has found."""
    tests = str(Path(__file__).parents[1])
    return os.pathsep.join(filter(None, (tests, os.environ.get("PYTHONPATH"))))


def _said(code: int, said: str) -> str:
    if code == -signal.SIGALRM:
        # Where it hung, so that two that hang elsewhere are two.
        inner = next((line.strip() for line in said.splitlines() if "File " in line), "")
        return f"hangs: {inner}"
    how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
    last = said.strip().splitlines()[-1:] or [""]
    return f"the process died ({how}): {last[0][:160]}"


def _end_of(file: IO[bytes]) -> str:
    file.seek(0, os.SEEK_END)
    file.seek(max(0, file.tell() - 8_000))
    return file.read().decode(errors="replace")


def _failure(case: int, error: BaseException) -> Failure:
    frames = traceback.extract_tb(error.__traceback__)
    inner = frames[-1] if frames else None
    at = "" if inner is None else f" ({Path(inner.filename).name}:{inner.lineno})"
    # Numbers differ from case to case where the defect is one.
    text = "".join("#" if letter.isdigit() else letter for letter in str(error)[:100])
    what = f"{type(error).__name__}{at}: {json.dumps(text)[1:-1]}"
    return Failure(case=case, what=what, detail="".join(traceback.format_exception(error))[-6_000:])


def _resident() -> int:
    """In bytes; zero where it isn't told."""
    try:
        pages = int(Path("/proc/self/statm").read_bytes().split()[1])
    except OSError:
        return 0
    return pages * resource.getpagesize()


@contextlib.contextmanager
def _alarm() -> Iterator[Any]:
    """A clock for each case; where it runs out, the process ends, and says where it was."""
    faulthandler.register(signal.SIGALRM, file=2, all_threads=True, chain=True)
    try:
        yield lambda seconds: signal.setitimer(signal.ITIMER_REAL, seconds)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        faulthandler.unregister(signal.SIGALRM)
