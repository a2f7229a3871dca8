"""A git directory for libgit2 to open in place of a repository's own.

libgit2 follows all of a repository's configuration, with what that includes from anywhere. So what
it opens is a directory with a configuration of ours, and links to the objects and references of
the repository. What it reads and writes, and what it locks, are the repository's own files.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path
from typing import Final

__all__ = ["make", "remove"]

_SETTINGS: Final = """\
[core]
\trepositoryformatversion = 0
\tbare = true
\tlogallrefupdates = {logs}
"""
# Of each work tree its own; those that are not there lead nowhere.
_HEADS: Final = (
    "AUTO_MERGE",
    "BISECT_HEAD",
    "CHERRY_PICK_HEAD",
    "FETCH_HEAD",
    "HEAD",
    "MERGE_HEAD",
    "ORIG_HEAD",
    "REBASE_HEAD",
    "REVERT_HEAD",
)
_IDS: Final = re.compile(rb"(?:[0-9a-f]{40}\n)*(?:[0-9a-f]{40})?")


def make(git_dir: Path, common_dir: Path) -> Path:
    """Make one for the repository with these directories.

    Raises:
        OSError: Links can't be made here.
    """
    # A link leads from where it stands.
    git_dir, common_dir = git_dir.resolve(), common_dir.resolve()
    directory = Path(tempfile.mkdtemp(prefix="versiondiff-"))
    try:
        # As git does it where nobody says otherwise: a log where there is a work tree.
        has_logs = git_dir.name == ".git" or git_dir != common_dir
        settings = _SETTINGS.format(logs="true" if has_logs else "false")
        (directory / "config").write_text(settings, encoding="utf-8")
        (directory / "logs").mkdir()
        for name in _HEADS:
            (directory / name).symlink_to(git_dir / name)
        (directory / "logs" / "HEAD").symlink_to(git_dir / "logs" / "HEAD")
        for name in ("objects", "refs", "packed-refs", "logs/refs"):
            (directory / name).symlink_to(common_dir / name)
        shallow = common_dir / "shallow"
        # libgit2 opens nothing where a line in it is no id, which git's other readers pass over.
        if shallow.is_file() and _IDS.fullmatch(shallow.read_bytes()):
            (directory / "shallow").symlink_to(shallow)
    except OSError:
        remove(directory)
        raise
    return directory


def remove(directory: Path) -> None:
    """Remove it, and nothing that its links lead to."""
    shutil.rmtree(directory, ignore_errors=True)
