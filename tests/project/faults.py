"""Faults at every step: a process that dies, or a disk that is full, at a call of the system."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MOVING = ("rename", "replace", "link", "symlink", "unlink", "mkdir", "rmdir", "open")
CREATING = ("link", "symlink", "mkdir", "open")


@contextlib.contextmanager
def at_each_call(names: tuple[str, ...], fault: Callable[[int], None]) -> Iterator[list[int]]:
    """Call `fault` with the number of the call before and after each call of the system's.

    Twice a call: even numbers are before it, odd ones after.
    """
    count = [0]
    real = {name: getattr(os, name) for name in names}

    def watched(name: str) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            number = count[0]
            count[0] += 2
            fault(number)
            result = real[name](*arguments, **options)
            fault(number + 1)
            return result

        return call

    supports = os.supports_dir_fd.copy()
    try:
        for name in names:
            wrapped = watched(name)
            if real[name] in supports:
                os.supports_dir_fd.add(wrapped)
            setattr(os, name, wrapped)
        yield count
    finally:
        for name in names:
            setattr(os, name, real[name])
        os.supports_dir_fd.clear()
        os.supports_dir_fd.update(supports)


def die_at(step: int) -> Callable[[int], None]:
    """The process is gone at that step, and nothing in it can do anything about it."""

    def fault(number: int) -> None:
        if 0 <= step <= number:
            os.kill(os.getpid(), signal.SIGKILL)

    return fault


def no_room_from(step: int, *, times: int) -> Callable[[int], None]:
    """The disk is full at that step, for so many calls."""

    def fault(number: int) -> None:
        if number % 2 == 0 and step <= number // 2 < step + times:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    return fault
