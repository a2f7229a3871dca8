"""Measures what is given to others, and installs it in empty environments.

    python benches/distributions.py FILE...                 compare sizes with their bounds
    python benches/distributions.py --try PYTHON FILE...    and install each file, and try it

A file is an extension module, a wheel or an sdist. With `--try`, which can be given more than once,
each wheel and sdist is installed with each interpreter in a virtual environment of its own, where
nothing of this folder is seen; an sdist is built there, which needs Rust. Ends with 1 where a size
is over its bound or something that was installed does not do what it should.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

MEGABYTE = 1_000_000
BOUNDS = {
    ".so": 12 * MEGABYTE,
    ".dylib": 12 * MEGABYTE,
    ".pyd": 12 * MEGABYTE,
    ".dll": 12 * MEGABYTE,
    ".whl": 6 * MEGABYTE,
    ".gz": 1 * MEGABYTE,
}
"""Bytes at most, by the end of the file's name; `docs/supply-chain.md` tells them too."""
INSTALLED = 15 * MEGABYTE
"""Bytes at most of all that one installation puts into an environment, without dependencies."""

TRIAL = r"""
import importlib.metadata, pathlib, subprocess, sys, sysconfig, tempfile

import versiondiff

environment = pathlib.Path(sys.prefix).resolve()
module = pathlib.Path(versiondiff.__file__).resolve()
assert module.is_relative_to(environment), f"{module} is not in {environment}"

card = "definitions/a1/_card.json"
old = {card: b'{"name": "bands", "parameters": {"lo": {"value": 0.5}}}'}
new = {card: b'{"name": "bands", "parameters": {"lo": {"value": 1.5}}}'}
line = versiondiff.render(versiondiff.change_record(old, new, format="tsugumi")).strip()
assert line == "Changed bands: parameters (lo)", line

distribution = importlib.metadata.distribution("versiondiff")
command = pathlib.Path(sysconfig.get_path("scripts"), "versiondiff")

def run(*arguments):
    return subprocess.run([command, *arguments], check=True, capture_output=True, text=True).stdout

assert run("--version").split() == ["versiondiff", distribution.version], run("--version")
with tempfile.TemporaryDirectory() as folder:
    for side, files in (("old", old), ("new", new)):
        place = pathlib.Path(folder, side, card)
        place.parent.mkdir(parents=True)
        place.write_bytes(files[card])
    shown = run("diff", f"{folder}/old", f"{folder}/new", "--format", "tsugumi", "--language", "ja")
assert "変更: bands: パラメータ(lo)" in shown, shown

licences = {file.name for file in distribution.files if "licenses" in file.parts}
assert licences == {"LICENSE", "THIRD-PARTY.txt"}, licences
print(sum(file.locate().stat().st_size for file in distribution.files))
"""


class DistributionError(Exception):
    """A file that can't be given to others; said in one line."""


def main() -> int:
    parser = argparse.ArgumentParser(description="measure and try what is given to others")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--try", action="append", default=[], dest="interpreters", metavar="PYTHON")
    arguments = parser.parse_args()
    for file in arguments.files:
        if not file.is_file() or file.suffix not in BOUNDS:
            parser.error(f"{file} is no extension module, wheel or sdist")
    try:
        for file in arguments.files:
            report(file.name, file.stat().st_size, BOUNDS[file.suffix])
        for interpreter in arguments.interpreters:
            for file in arguments.files:
                label = f"{file.name} in {version_of(interpreter)}"
                report(label, installed_bytes(file.resolve(), interpreter), INSTALLED)
    except DistributionError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def report(label: str, size: int, bound: int) -> None:
    """Prints a size beside its bound; raises DistributionError where it is above."""
    told = f"{label}: {size / MEGABYTE:.2f} MB of at most {bound / MEGABYTE:.0f} MB"
    if size > bound:
        raise DistributionError(told)
    print(told, flush=True)


def version_of(interpreter: str) -> str:
    """The interpreter's name and version, as `Python 3.11.7`."""
    return run([interpreter, "--version"]).strip()


def installed_bytes(file: Path, interpreter: str) -> int:
    """Installs a wheel or an sdist in an empty environment, tries it, and tells its size there."""
    with tempfile.TemporaryDirectory(prefix="versiondiff-") as folder:
        environment = Path(folder, "environment")
        run([interpreter, "-m", "venv", str(environment)])
        python = environment / ("Scripts" if os.name == "nt" else "bin") / "python"
        run([str(python), "-m", "pip", "install", "--quiet", str(file)])
        # Isolated, and in the empty folder: nothing but what was installed can be imported.
        return int(run([str(python), "-I", "-c", TRIAL], folder=folder))


def run(command: list[str], *, folder: str | None = None) -> str:
    """What a command prints; raises DistributionError with all it said where it fails."""
    outside = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    # The build asks the interpreter that installs, not the one that `make` builds with.
    outside.pop("PYO3_PYTHON", None)
    done = subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", cwd=folder, env=outside
    )
    if done.returncode:
        raise DistributionError(f"{' '.join(command[:5])} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
