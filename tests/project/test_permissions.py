"""What may not be read or written is named, and nothing is changed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from oracle.repositories import ENVIRONMENT, Git
from project.projects import MIKA, fill, locks, look
from versiondiff import VersionDiffError
from versiondiff.project import Project

NOBODY = 65534


def check_reading(folder: Path) -> None:
    fill(folder, {"a/x": b"1", "y": b"1"})
    project = Project.start(folder, author=MIKA)
    fill(folder, {"secret": b""})
    (folder / "secret").chmod(0)
    with pytest.raises(VersionDiffError, match="secret"):
        project.start_run("load", author=MIKA)
    (folder / "secret").unlink()
    # The files in it are not deleted, they only can't be seen.
    for mode in (0o000, 0o300):
        (folder / "a").chmod(mode)
        with pytest.raises(VersionDiffError, match="a/x"):
            project.start_run("load", author=MIKA)
    (folder / "a").chmod(0o755)
    assert not project.start_run("load", author=MIKA).made


def check_writing(folder: Path) -> None:
    fill(folder, {"a/x": b"1", "b/y": b"1"})
    project = Project.start(folder, author=MIKA)
    fill(folder, {"a/x2": b"", "b/y2": b""})
    (folder / "a/x").write_bytes(b"2")
    project.start_run("load", author=MIKA)
    before = look(folder)
    (folder / "b").chmod(0o555)
    with pytest.raises(VersionDiffError, match=r"b/y2?: Permission denied"):
        project.start_from("main~1", author=MIKA)
    (folder / "b").chmod(0o755)
    assert look(folder) == before
    assert locks(folder) == []
    (folder / ".git").chmod(0o555)
    with pytest.raises(VersionDiffError, match="Permission denied"):
        Project.open(folder).start_run("load", author=MIKA)
    (folder / ".git").chmod(0o755)
    project.start_from("main~1", author=MIKA)
    assert not Git(folder).run("status", "--porcelain")


@pytest.mark.parametrize("what", ["reading", "writing"])
def test_permissions(what: str) -> None:
    directory = Path(tempfile.mkdtemp())
    try:
        if os.geteuid() == 0:
            os.chown(directory, NOBODY, NOBODY)
        done = subprocess.run(
            [sys.executable, __file__, str(directory / "project"), what],
            capture_output=True,
            text=True,
            env={**ENVIRONMENT, "PYTHONPATH": os.pathsep.join(sys.path)},
            cwd=directory,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    finally:
        shutil.rmtree(directory)


if __name__ == "__main__":
    # For root nothing is forbidden.
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    {"reading": check_reading, "writing": check_writing}[sys.argv[2]](Path(sys.argv[1]))
