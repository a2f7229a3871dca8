"""Repositories made to hurt, and what git itself says of them.

Every call of git is isolated from the machine's configuration, with fixed identities and dates.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import NamedTuple

ENVIRONMENT = {
    "PATH": os.environ.get("PATH", os.defpath),
    "HOME": os.devnull,
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Ａ. Author",
    "GIT_AUTHOR_EMAIL": "author@example.org",
    "GIT_COMMITTER_NAME": "C. Committer",
    "GIT_COMMITTER_EMAIL": "committer@example.org",
    "GIT_AUTHOR_DATE": "1700000000 +0930",
    "GIT_COMMITTER_DATE": "1700000000 +0000",
    "LC_ALL": "C",
}


class Git:
    """A repository for a test to fill."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.clock = 1_700_000_000

    @classmethod
    def init(cls, path: Path, *options: str) -> Git:
        path.mkdir(parents=True, exist_ok=True)
        git = cls(path)
        git.run("init", "--quiet", "--initial-branch=main", *options)
        return git

    def run(self, *arguments: str | bytes, stdin: bytes | None = None) -> bytes:
        """Run git; its output, without the line feed at the end."""
        environment = ENVIRONMENT | {"GIT_COMMITTER_DATE": f"{self.clock} +0000"}
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.path,
            env=environment,
            input=stdin,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode(errors="replace")
        return done.stdout.removesuffix(b"\n")

    def text(self, *arguments: str | bytes, stdin: bytes | None = None) -> str:
        return self.run(*arguments, stdin=stdin).decode()

    def blob(self, content: bytes) -> str:
        return self.text("hash-object", "-w", "--stdin", stdin=content)

    def tree(self, *entries: tuple[str, bytes, str]) -> str:
        """A tree as it is given: octal mode, name, object id; nothing is checked or sorted."""
        raw = b"".join(
            mode.encode() + b" " + name + b"\0" + bytes.fromhex(object_id)
            for mode, name, object_id in entries
        )
        return self.text("hash-object", "-w", "-t", "tree", "--stdin", "--literally", stdin=raw)

    def commit(
        self, tree: str, *parents: str, message: str = "a version", at: int | None = None
    ) -> str:
        self.clock = self.clock + 60 if at is None else at
        arguments = [argument for parent in parents for argument in ("-p", parent)]
        return self.text("commit-tree", tree, *arguments, "-m", message)

    def chain(self, *trees: str) -> list[str]:
        """A commit for each tree, each the parent of the next; `main` is the last."""
        commits: list[str] = []
        for tree in trees:
            commits.append(self.commit(tree, *commits[-1:]))
        self.run("update-ref", "refs/heads/main", commits[-1])
        return commits

    def loose_object(self, object_id: str) -> Path:
        git_dir = Path(self.text("rev-parse", "--absolute-git-dir"))
        return git_dir / "objects" / object_id[:2] / object_id[2:]


class RawChange(NamedTuple):
    """A line of `git diff-tree --raw`, with modes as kinds."""

    status: str
    path: bytes
    old_mode: str | None
    new_mode: str | None
    old_id: str | None
    new_id: str | None


KINDS = {"04": "040000", "10": "100644", "12": "120000", "16": "160000"}


def kind(mode: str) -> str | None:
    """The kind of a mode: stray permission bits are none of a tree delta's business."""
    if mode == "000000":
        return None
    executable = mode.startswith("10") and int(mode, 8) & 0o100
    return "100755" if executable else KINDS[mode[:2]]


def diff_tree(git: Git, commit: str) -> list[RawChange]:
    """What git says a commit changed against its first parent, or against nothing."""
    parents = git.text("rev-list", "--parents", "-n1", commit).split()[1:]
    old = parents[0] if parents else git.text("hash-object", "-t", "tree", os.devnull)
    raw = git.run(
        "diff-tree", "-r", "--raw", "-z", "--no-renames", "--no-abbrev", old, commit,
    )  # fmt: skip
    fields = raw.split(b"\0")[:-1]
    changes = []
    for header, path in zip(fields[::2], fields[1::2], strict=True):
        old_mode, new_mode, old_id, new_id, status = header.decode().removeprefix(":").split(" ")
        before, after = kind(old_mode), kind(new_mode)
        changes.append(
            RawChange(
                status={"T": "M"}.get(status, status),
                path=path,
                old_mode=before,
                new_mode=after,
                old_id=old_id if before else None,
                new_id=new_id if after else None,
            )
        )
    # git shows a mode that only lost stray bits; as kinds the two are the same.
    return [c for c in changes if (c.old_mode, c.old_id) != (c.new_mode, c.new_id)]
