"""pygit2 without the configuration of the user and the system.

libgit2 keeps its settings for the whole process, so what is set here holds for every other user of
pygit2 in the process too. It is set once, before the first repository is opened:

- no configuration of the system, the user (XDG, home) or the program is looked for, and with it no
  `core.excludesFile`, no `core.attributesFile`, no `safe.directory`; the home directory is unknown;
- there is no directory of templates;
- whose repository is opened is not libgit2's decision (it would ask `safe.directory`), but an
  option of `Repository.open` and of `Project.open`;
- partial clones and work trees with relative paths can be opened: what is missing is an error once
  it is needed, and nothing is fetched.

libgit2 itself runs no hooks, no filter drivers, no credential helpers and no `core.fsmonitor`, and
signs nothing; the environment (`GIT_DIR`, `GIT_INDEX_FILE`…) is read only where it is asked to be.
The configuration of the repository itself is kept out by `versiondiff.pygit2_stand_in`, and of work
trees by `versiondiff.project.workbench`.
"""

from __future__ import annotations

import os
import threading

import pygit2
from pygit2.enums import ConfigLevel, Option, RepositoryOpenFlag

__all__ = ["isolate", "open_exactly"]

_ONCE = threading.Lock()
_done = False


def isolate() -> None:
    """Set the process-wide settings of libgit2; again, nothing happens."""
    global _done
    with _ONCE:
        if _done:
            return
        for level in (
            ConfigLevel.PROGRAMDATA,
            ConfigLevel.SYSTEM,
            ConfigLevel.XDG,
            ConfigLevel.GLOBAL,
        ):
            pygit2.option(Option.SET_SEARCH_PATH, level, "")
        pygit2.option(Option.SET_TEMPLATE_PATH, "")
        pygit2.option(Option.SET_HOMEDIR, "")
        pygit2.option(Option.SET_OWNER_VALIDATION, 0)
        # Beside those that libgit2 knows itself; those that someone else added stay.
        extensions = {*pygit2.settings.extensions, "partialclone", "relativeworktrees"}
        pygit2.settings.set_extensions(sorted(extensions))
        _done = True


def open_exactly(path: str | os.PathLike[str]) -> pygit2.Repository:
    """Open the repository whose work tree or git directory is at `path`, not one above it.

    Raises:
        pygit2.GitError: There is none, or it is stored in a way that libgit2 can't read.
    """
    isolate()
    return pygit2.Repository(os.fspath(path), RepositoryOpenFlag.NO_SEARCH)
