"""What a program does to files, told by `strace`, and what a power cut could take of it."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

import versiondiff

# The packages that are under test, wherever they are.
_PATHS = (str(Path(versiondiff.__file__).parents[1]), str(Path(__file__).parent))
_WRITES = ("write", "pwrite64", "writev", "sendfile", "ftruncate", "copy_file_range")
_NAMES = ("rename", "renameat", "renameat2", "link", "linkat")
_MAKES = (
    "mkdir",
    "mkdirat",
    "symlink",
    "symlinkat",
    "unlink",
    "unlinkat",
    "rmdir",
    "openat",
    "open",
)
_SYNCS = ("fsync", "fdatasync")
_CALL = re.compile(r"^\d+\s+(\w+)\((.*)$")
_OPEN = re.compile(r"\d+<(/[^>]*?)(?: \(deleted\))?>")
_PATH = re.compile(r'(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"')

_LINKS = re.compile(r"/\.git/versiondiff/(?:writing|bench)/(refs|logs/refs|objects)/")


class Event(NamedTuple):
    """Something done to files.

    The kind is `write`, `sync`, `name` (a file gets a name), `gone` (one, or a directory, is
    removed), or `change` (of a name in any other way).
    """

    kind: str
    path: str
    source: str = ""


@functools.cache
def _works() -> bool:
    if shutil.which("strace") is None:
        return False
    done = subprocess.run(["strace", "-f", "-y", "true"], capture_output=True, check=False)
    return done.returncode == 0


def events_of(tmp_path: Path, root: Path, program: str, *arguments: str) -> list[Event]:
    """What a Python program did below a directory, in order; it is told its arguments."""
    if not _works():
        pytest.skip("strace is missing, or is not allowed to look")
    listing = tmp_path / "strace"
    # Not every system has all of them, which the `?` allows for.
    calls = ",".join(f"?{call}" for call in (*_WRITES, *_NAMES, *_MAKES, *_SYNCS))
    watcher = ["strace", "-f", "-y", "-s", "0", "-o", str(listing), "-e", f"trace={calls}"]
    subprocess.run(
        [*watcher, sys.executable, "-c", program, *arguments],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(_PATHS)},
        check=True,
    )
    found = []
    for line in listing.read_text(errors="replace").splitlines():
        call = _CALL.match(line)
        if call and " = -1 " not in line:
            event = _event(call[1], call[2])
            if event and event.path.startswith(f"{root}/"):
                found.append(event)
    return found


def _event(call: str, arguments: str) -> Event | None:
    if call in _SYNCS or call in _WRITES:
        files = _OPEN.findall(arguments)
        if not files:
            return None
        path = files[-1] if call == "copy_file_range" else files[0]
        # With a slash, so that the root is below itself.
        return Event("sync" if call in _SYNCS else "write", _real(path) + "/")
    paths = [os.path.normpath(Path(*found)) for found in _PATH.findall(arguments)]
    if call in _NAMES:
        return Event("name", _real(paths[1]) + "/", _real(paths[0]) + "/")
    if call.startswith("open") and "O_CREAT" not in arguments:
        return None
    kind = "gone" if call in ("rmdir", "unlink", "unlinkat") else "change"
    # Of a link it comes first where it leads to.
    return Event(kind, _real(paths[-1]) + "/") if paths else None


def _real(path: str) -> str:
    """Without the links to directories that the library makes for libgit2."""
    return _LINKS.sub(r"/.git/\1/", path, count=1)


class Unforced:
    """What a power cut could take, event by event."""

    def __init__(self) -> None:
        self.content: set[str] = set()
        """Files whose content may be in memory only."""
        self.names: set[str] = set()
        """Paths that may be on the disk as they were before."""
        self.too_early: list[str] = []
        """Paths that were named before what is in the files was on the disk."""

    def add(self, event: Event) -> None:
        path = event.path
        if event.kind == "write":
            self.content.add(path)
        elif event.kind == "sync":
            self.content.discard(path)
            self.names = {name for name in self.names if _above(name) != path}
        elif event.kind == "change":
            self.names.add(path)
        elif event.kind == "gone":
            # What was in it matters no longer.
            self.content = {found for found in self.content if not found.startswith(path)}
            self.names = {name for name in self.names if not name.startswith(path)} | {path}
        else:
            # A directory takes along what is in it.
            early = [found for found in self.content if found.startswith(event.source)]
            self.content -= set(early)
            self.content |= {path + found.removeprefix(event.source) for found in early}
            self.names |= {
                path + name.removeprefix(event.source)
                for name in self.names
                if name.startswith(event.source)
            }
            self.too_early += [path] * bool(early and not _of_the_moment(path))
            self.names |= {path, event.source}

    def matters(self, *below: str) -> list[str]:
        """What is left of that below these paths, but for what the next one may find or not."""
        left = sorted(self.content | self.names)
        return [path for path in left if path.startswith(below) and not _of_the_moment(path)]


def _above(path: str) -> str:
    return path[:-1].rpartition("/")[0] + "/"


def _of_the_moment(path: str) -> bool:
    names = path.split("/")[:-1]
    return (
        path.removesuffix("/").endswith(".lock")
        or any(name.startswith(("tmp_", ".git.versiondiff", ".versiondiff-")) for name in names)
        or "versiondiff" in names
    )
