"""git's own lock of the index, which keeps git's commands out while this library writes."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Final, Self

from versiondiff.errors import Conflict
from versiondiff.project.folder import NO_LINKS

if TYPE_CHECKING:
    from pathlib import Path

    from versiondiff.project.disk import Disk

__all__ = ["IndexLock"]

_TOKEN: Final = b"versiondiff\n"
"""What the lock file holds. Who finds it while holding the write lock knows that the one who put it
there is dead; git's own lock files never hold it."""
_PAUSE: Final = 0.02
_PATIENCE: Final = 2.0
"""Seconds: `git status` of an editor holds the lock for moments."""


class IndexLock:
    """`index.lock`, held; to be taken only under the write lock."""

    def __init__(self, git_dir: Path, own_dir: Path, disk: Disk) -> None:
        self._disk = disk
        self._path = git_dir / "index.lock"
        self._token = own_dir / "index.lock-token"

    @classmethod
    def is_left(cls, git_dir: Path) -> bool:
        """Whether a writer of this library holds the lock, or a dead one left it."""
        return _holds_token(git_dir / "index.lock")

    def __enter__(self) -> Self:
        # Written aside and linked, so that there is never a lock without the token in it.
        self._token.write_bytes(_TOKEN)
        # Nor after a power cut.
        self._disk.sync(self._token)
        end = time.monotonic() + _PATIENCE
        while True:
            try:
                self._take()
            except FileExistsError:
                if _holds_token(self._path):
                    self._path.unlink(missing_ok=True)
                    continue
                if time.monotonic() >= end:
                    message = (
                        f"{self._path}: another git process holds the index"
                        " (if none is running, remove this file)"
                    )
                    raise Conflict(message) from None
                time.sleep(_PAUSE)
            else:
                return self

    def _take(self) -> None:
        try:
            os.link(self._token, self._path)
        except FileExistsError:
            raise
        except OSError as error:
            if error.errno not in NO_LINKS:
                raise
            with self._path.open("xb") as file:
                file.write(_TOKEN)
                file.flush()
                self._disk.sync_open(file.fileno())

    def __exit__(self, *_: object) -> None:
        if _holds_token(self._path):
            self._path.unlink(missing_ok=True)
        self._token.unlink(missing_ok=True)


def _holds_token(path: Path) -> bool:
    try:
        return path.read_bytes() == _TOKEN
    except FileNotFoundError:
        return False
