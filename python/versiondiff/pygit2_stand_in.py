"""A git directory for libgit2 to open in place of a repository's own.

libgit2 follows all of a repository's configuration, with what that includes from anywhere. So what
it opens is a directory with a configuration of ours, and links to the objects and references of
the repository. What it reads and writes, and what it locks, are the repository's own files.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Final

from versiondiff.errors import InvalidInput

__all__ = ["make", "remove"]

_SETTINGS: Final = """\
[core]
\trepositoryformatversion = 0
\tbare = true
\tlogallrefupdates = {logs}
\tfsyncobjectfiles = {forced}
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


def make(
    git_dir: Path,
    common_dir: Path,
    *,
    place: Path | None = None,
    logs: str | None = None,
    forced: bool = False,
) -> Path:
    """Make one for the repository with these directories.

    Args:
        git_dir: The repository's own git directory.
        common_dir: Where its objects and references are.
        place: Where to make it, as a directory that is not there yet; None is a place for files
            of the moment.
        logs: What `core.logAllRefUpdates` says; None is what git does where nobody says it.
        forced: Whether libgit2 forces each object and each reference to the disk before it gives
            it its name.

    Raises:
        OSError: Links can't be made here.
        InvalidInput: The file `commondir` names what can be no directory.
    """
    if "\0" in str(common_dir):
        message = f"git repository {git_dir}: its file commondir names no directory"
        raise InvalidInput(message)
    # A link leads from where it stands.
    git_dir, common_dir = git_dir.resolve(), common_dir.resolve()
    if place is None:
        directory = Path(tempfile.mkdtemp(prefix="versiondiff-"))
    else:
        place.mkdir()
        directory = place
    try:
        if logs is None:
            # As git does it: a log where there is a work tree.
            has_logs = git_dir.name == ".git" or git_dir != common_dir
            logs = "true" if has_logs else "false"
        settings = _SETTINGS.format(logs=logs, forced="true" if forced else "false")
        (directory / "config").write_text(settings, encoding="utf-8")
        (directory / "logs").mkdir()
        for name in _HEADS:
            (directory / name).symlink_to(git_dir / name)
        (directory / "logs" / "HEAD").symlink_to(git_dir / "logs" / "HEAD")
        for name in ("objects", "refs", "packed-refs", "logs/refs"):
            (directory / name).symlink_to(common_dir / name)
    except OSError:
        remove(directory)
        raise
    return directory


def remove(directory: Path) -> None:
    """Remove it, and nothing that its links lead to."""
    shutil.rmtree(directory, ignore_errors=True)
