"""A program that saves flows, for the tests of races and kills."""

from __future__ import annotations

import os
import random
import signal
import sys
import time

from flow_history.sample_flows import MIKA, NOW, flow
from versiondiff.flows.history import FlowHistory


def save(path: str, writer: str, count: str) -> None:
    """Save a flow of its own, and one that all share, in turn; once the word is given."""
    history = FlowHistory.open(path, lock_timeout=60)
    sys.stdin.readline()
    for number in range(int(count)):
        shared = number % 2 == 0
        saved = history.save(
            flow(
                f"writer {writer} save {number}",
                id="shared" if shared else f"own-{writer}",
                # All want the same folder.
                name=f"Flow {number}" if shared else "Bakery",
            ),
            author=MIKA,
            time=NOW,
        )
        assert saved is not None
        print(saved.id, flush=True)  # noqa: T201


def be_killed(path: str, kills: str) -> None:
    """Have writers killed at random moments; print what each said it had saved.

    After each kill the next call goes on at once.
    """
    chance = random.Random()
    for kill in range(int(kills)):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            history = FlowHistory.open(path)
            for number in range(1_000_000):
                name = f"Flow {number % 3}"
                saved = history.save(
                    flow(f"kill {kill} save {number}", name=name), author=MIKA, time=NOW
                )
                os.write(writer, f"{saved.id if saved else '-'}\n".encode())
        os.close(writer)
        first = os.read(reader, 1_000)
        time.sleep(chance.uniform(0, 0.02))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        with os.fdopen(reader, "rb") as rest:
            sys.stdout.buffer.write(first + rest.read())
        sys.stdout.buffer.flush()
        history = FlowHistory.open(path, lock_timeout=5)
        saved = history.save(flow(f"after kill {kill}"), author=MIKA, time=NOW)
        assert saved is not None
        print(saved.id, flush=True)  # noqa: T201


if __name__ == "__main__":
    program, *arguments = sys.argv[1:]
    if program == "save":
        save(*arguments)
    else:
        be_killed(*arguments)
