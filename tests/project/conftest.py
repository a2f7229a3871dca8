"""A small project under versioning."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from oracle.repositories import Git
from project.projects import MIKA, fill
from versiondiff.project import Project

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    fill(folder, {"tsugumi.json": b"{}\n", "definitions/load/_card.json": b"{}\n"})
    return folder


@pytest.fixture
def project(folder: Path) -> Project:
    return Project.start(folder, author=MIKA)


@pytest.fixture
def git(project: Project) -> Git:
    return Git(project.folder)
