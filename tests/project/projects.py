"""Projects to break, and all that can be seen of one."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import NamedTuple

from oracle.repositories import Git
from versiondiff.records import Signature

MIKA = Signature(name="Mika Sato", email="mika@example.org", time=1_791_191_520, offset=540)


def fill(folder: Path, files: dict[str, bytes | str | None]) -> None:
    """Write files; a text is where a link leads to, and None is an empty directory."""
    for name, content in files.items():
        path = folder / name
        if content is None:
            path.mkdir(parents=True, exist_ok=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, str):
            path.symlink_to(content)
        else:
            path.write_bytes(content)


class Sight(NamedTuple):
    """What a project looks like from outside."""

    files: dict[bytes, tuple[str, int, bytes]]
    """Kind, permissions and content, or where a link leads to; without `.git`."""
    references: dict[str, str]
    """All that are not packed, and HEAD."""
    status: str
    """What git says of HEAD, the index and the folder, ignored files too."""


def look(folder: Path) -> Sight:
    return Sight(
        files=files_of(folder),
        references=references_of(folder / ".git"),
        status=Git(folder).text(
            "--no-optional-locks", "status", "--porcelain=v2", "--branch", "--ignored"
        ),
    )


def references_of(git_dir: Path) -> dict[str, str]:
    paths = [git_dir / "HEAD", *(path for path in (git_dir / "refs").rglob("*") if path.is_file())]
    return {str(path.relative_to(git_dir)): path.read_text() for path in paths}


def is_clean(folder: Path) -> bool:
    return not Git(folder).run("status", "--porcelain")


def files_of(folder: Path) -> dict[bytes, tuple[str, int, bytes]]:
    found: dict[bytes, tuple[str, int, bytes]] = {}
    root = os.fsencode(folder)
    for directory, directories, names in os.walk(root):
        if directory == root:
            directories[:] = [name for name in directories if name != b".git"]
            names = [name for name in names if name != b".git"]
        for name in [*directories, *names]:
            path = Path(os.fsdecode(directory), os.fsdecode(name))
            state = path.lstat()
            mode = stat.S_IMODE(state.st_mode)
            relative = os.fsencode(path.relative_to(folder))
            if stat.S_ISLNK(state.st_mode):
                found[relative] = ("link", 0, os.fsencode(path.readlink()))
            elif stat.S_ISDIR(state.st_mode):
                found[relative] = ("directory", mode, b"")
            elif stat.S_ISREG(state.st_mode):
                found[relative] = ("file", mode, path.read_bytes())
            else:
                found[relative] = ("other", mode, b"")
    return found


def locks(folder: Path) -> list[str]:
    """Lock files that would stop the next one, of git or of ours."""
    top = folder / ".git"
    found = (path for path in top.rglob("*.lock") if path.name != "versiondiff.lock")
    return sorted(str(path.relative_to(top)) for path in found)
