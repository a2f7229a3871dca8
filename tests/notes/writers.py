"""Programs that write notes, for the tests of races and kills."""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from typing import TYPE_CHECKING

from versiondiff import Repository, Signature

if TYPE_CHECKING:
    from versiondiff.backends import Backend

WHO = Signature(name="A", email="a@example.org", time=1_700_000_000)


def append(path: str, backend: Backend, writer: str, commits: list[str]) -> None:
    """Append 50 numbered lines to the commits in turn, once the word is given."""
    notes = Repository.open(path, backend=backend).notes("tsugumi")
    sys.stdin.readline()
    for number in range(50):
        line = f"writer {writer} line {number} end\n"
        notes.append(commits[number % len(commits)], line, author=WHO, separator=None)


def be_killed(path: str, backend: Backend, kills: str, commits: list[str]) -> None:
    """Have writers killed at random moments, and print what each said it had written.

    After each kill the next call has to go on at once.
    """
    chance = random.Random()
    notes = Repository.open(path, backend=backend).notes("tsugumi")
    for kill in range(int(kills)):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            for number in range(1_000_000):
                line = f"writer {kill} line {number} end\n"
                notes.append(commits[number % len(commits)], line, author=WHO, separator=None)
                os.write(writer, line.encode())
        os.close(writer)
        first = os.read(reader, 1_000)
        time.sleep(chance.uniform(0, 0.02))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        with os.fdopen(reader, "rb") as rest:
            sys.stdout.buffer.write(first + rest.read())
        begin = time.monotonic()
        line = f"writer parent line {kill} end\n"
        notes.append(commits[0], line, author=WHO, separator=None, timeout=2.0)
        assert time.monotonic() - begin < 2
        sys.stdout.write(line)
        sys.stdout.flush()


if __name__ == "__main__":
    program, path, backend, option, *commits = sys.argv[1:]
    run = append if program == "append" else be_killed
    run(path, "pygit2" if backend == "pygit2" else "gix", option, commits)
