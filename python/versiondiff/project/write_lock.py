"""Who writes: one holder at a time, over all processes and threads."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Self

from versiondiff.errors import Conflict

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["WriteLock"]

_PAUSE = 0.01


class WriteLock:
    """An OS lock on `versiondiff.lock`; git's lock files of a killed holder are removed."""

    def __init__(
        self, git_common_dir: str | os.PathLike[str], files: Sequence[str], timeout: float
    ) -> None:
        self._directory = Path(git_common_dir)
        self._files = list(files)
        self._timeout = timeout
        self._descriptor = -1

    def __enter__(self) -> Self:
        path = self._directory / "versiondiff.lock"
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        end = time.monotonic() + self._timeout
        while True:
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= end:
                    os.close(self._descriptor)
                    message = f"{path}: another writer holds the lock"
                    raise Conflict(message) from None
                time.sleep(_PAUSE)
        left = os.pread(self._descriptor, 1 << 20, 0).decode().split("\n")
        for name in left:
            if name:
                with contextlib.suppress(FileNotFoundError):
                    (self._directory / name).unlink()
        self._write("\n".join(self._files))
        return self

    def __exit__(self, *_: object) -> None:
        self._write("")
        os.close(self._descriptor)

    def _write(self, text: str) -> None:
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, text.encode(), 0)
