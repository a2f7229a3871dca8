"""Counts the instructions of the Rust kernels and compares them with a baseline.

    python benches/gate.py             compare; ends with 1 where a kernel needs more than allowed
    python benches/gate.py --update    write the baseline anew

Instructions, not time: they are the same on a busy machine. Each kernel of
`rust/engine/examples/kernels.rs` and `rust/archive/examples/archive_kernels.rs` runs once and once
more often under valgrind's callgrind; the difference is what the kernel itself needs, without its
preparation. Another compiler counts otherwise, so the baseline says which one it was made with.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BASELINE = Path(__file__).with_name("gate-baseline.json")
ALLOWED = 3.0
"""Percent that a kernel may need more than the baseline says."""
PROGRAMS = {"kernels": "versiondiff-engine", "archive_kernels": "versiondiff-archive"}
"""Programs with kernels, and the crates whose examples they are."""
REPETITIONS = 4
"""How often a kernel runs between the two counts."""


class GateError(Exception):
    """The instructions can't be counted; said in one line."""


def main() -> int:
    parser = argparse.ArgumentParser(description="count the instructions of the Rust kernels")
    parser.add_argument("--update", action="store_true", help="write the baseline anew")
    arguments = parser.parse_args()
    try:
        counts = count_all(build())
        if arguments.update:
            baseline = {"compiler": compiler(), "instructions": counts}
            BASELINE.write_text(json.dumps(baseline, indent=2) + "\n", encoding="utf-8")
            print(table(counts, counts))
            return 0
        baseline = json.loads(BASELINE.read_text(encoding="utf-8"))
    except GateError as error:
        print(f"gate: {error}", file=sys.stderr)
        return 1
    print(table(counts, baseline["instructions"]))
    wrong = broken(counts, baseline["instructions"])
    for line in wrong:
        print(f"gate: {line}", file=sys.stderr)
    if wrong and baseline["compiler"] != compiler():
        print(f"gate: the baseline was made with {baseline['compiler']}", file=sys.stderr)
    return 1 if wrong else 0


def build() -> list[Path]:
    """Build the kernels as they are released; gives the programs."""
    if shutil.which("valgrind") is None:
        message = "install valgrind (Debian and Ubuntu: apt-get install valgrind)"
        raise GateError(message)
    return [built(program, crate) for program, crate in PROGRAMS.items()]


def built(program: str, crate: str) -> Path:
    """Build one program."""
    command = ["cargo", "build", "--release", "--locked", "--package", crate]
    command += ["--example", program, "--message-format", "json-render-diagnostics", "--quiet"]
    ran = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=False)
    if ran.returncode != 0:
        message = "the kernels could not be built"
        raise GateError(message)
    for line in ran.stdout.splitlines():
        message = json.loads(line)
        if message.get("executable") and message["target"]["name"] == program:
            return Path(message["executable"])
    message = "cargo named no program"
    raise GateError(message)


def compiler() -> str:
    """The compiler's name and version."""
    version = subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=True)
    return " ".join(version.stdout.split()[:2])


def count_all(programs: list[Path]) -> dict[str, int]:
    """Instructions of one run of each kernel, by name."""
    kernels = {}
    for program in programs:
        listed = subprocess.run([program, "--list"], capture_output=True, text=True, check=True)
        kernels.update(dict.fromkeys(listed.stdout.split(), program))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        once = {kernel: pool.submit(count, kernels[kernel], kernel, 1) for kernel in kernels}
        more = {
            kernel: pool.submit(count, kernels[kernel], kernel, 1 + REPETITIONS)
            for kernel in kernels
        }
        return {
            kernel: (more[kernel].result() - once[kernel].result()) // REPETITIONS
            for kernel in kernels
        }


def count(program: Path, kernel: str, times: int) -> int:
    """Instructions of a whole run of the program."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "callgrind"
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}"]
        command += [str(program), kernel, str(times)]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        if ran.returncode != 0:
            message = f"{kernel} failed under valgrind"
            raise GateError(message)
        for line in out.read_text(encoding="utf-8", errors="replace").splitlines():
            name, _, number = line.partition(": ")
            if name in {"summary", "totals"}:
                return int(number.split()[0])
    message = f"valgrind gave no count for {kernel}"
    raise GateError(message)


def change(new: int, old: int) -> float:
    """The change in percent."""
    return (new - old) * 100 / max(old, 1)


def broken(counts: dict[str, int], baseline: dict[str, int]) -> list[str]:
    """What does not hold, one line each."""
    lines = []
    for kernel in sorted(counts.keys() | baseline.keys()):
        if kernel not in baseline:
            lines.append(f"{kernel} is not in the baseline: run benches/gate.py --update")
        elif kernel not in counts:
            lines.append(f"{kernel} is in the baseline, but there is no such kernel")
        elif change(counts[kernel], baseline[kernel]) > ALLOWED:
            percent = change(counts[kernel], baseline[kernel])
            lines.append(
                f"{kernel} needs {counts[kernel]:,} instructions, {percent:.1f} % more than the "
                f"{baseline[kernel]:,} of the baseline; allowed are {ALLOWED:.0f} %"
            )
    return lines


def table(counts: dict[str, int], baseline: dict[str, int]) -> str:
    """Counts and baseline beside each other."""
    lines = [f"{'kernel':<24}{'instructions':>16}{'baseline':>16}{'change':>10}"]
    for kernel, number in counts.items():
        old = baseline.get(kernel)
        rest = f"{old:>16,}{change(number, old):>+9.1f}%" if old is not None else f"{'-':>16}"
        lines.append(f"{kernel:<24}{number:>16,}{rest}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
