"""Text that no file and no name can hold, wherever it is given: an error of this package."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from oracle.repositories import Git
from versiondiff import (
    InvalidInput,
    NotFound,
    Repository,
    Rules,
    Signature,
    change_record,
    formats,
    history_file,
    scan,
    tree_delta,
    version_diff,
)
from versiondiff.packages import package_diff

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

HALF = "a\ud800"
"""Half of a pair of surrogates, which stands for no byte either."""
NOT_UTF8 = "caf\udce9"
"""As `os.fsdecode` has `caf\\xe9`."""
AUTHOR = Signature(name="A", email="a@b", time=1)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    git = Git.init(tmp_path / "repository")
    git.chain(git.tree(("100644", b"caf\xe9", git.blob(b"x"))))
    return Repository.open(git.path, backend="gix")


@pytest.mark.parametrize(
    "ask",
    [
        lambda: tree_delta({HALF: b""}, None),
        lambda: tree_delta({}, {}, paths=[HALF]),
        lambda: tree_delta(HALF, None),
        lambda: version_diff({}, {}, format="tsugumi", paths=[HALF]),
        lambda: package_diff({}, {}, paths=[HALF]),
        lambda: change_record({HALF: b""}, None, format="tsugumi"),
        lambda: scan(b"", path=HALF),
        lambda: Rules.default().without(HALF),
        lambda: Repository.open(HALF),
        lambda: history_file.adopt(HALF),
    ],
)
def test_half_a_character(ask: Callable[[], object]) -> None:
    with pytest.raises(InvalidInput):
        ask()


@pytest.mark.parametrize(
    "ask",
    [
        lambda repository: repository.version(HALF),
        lambda repository: repository.snapshot(HALF),
        lambda repository: list(repository.versions(range=HALF)),
        lambda repository: list(repository.deltas(paths=[HALF])),
        lambda repository: repository.references(HALF),
        lambda repository: repository.notes(HALF),
        lambda repository: repository.notes("x").get(HALF),
        lambda repository: repository.notes("x").append(HALF, "x", author=AUTHOR),
    ],
)
def test_half_a_character_to_a_repository(
    repository: Repository, ask: Callable[[Repository], object]
) -> None:
    with pytest.raises(InvalidInput):
        ask(repository)


def test_paths_that_are_no_utf8_are_asked_for(repository: Repository) -> None:
    files: dict[str, bytes] = {NOT_UTF8: b"x", "other": b"y"}
    assert len(tree_delta(None, files, paths=[NOT_UTF8]).changes) == 1
    assert len(package_diff(None, files, paths=[NOT_UTF8]).files) == 1
    (entry,) = repository.deltas(paths=[NOT_UTF8])
    assert entry.delta is not None
    assert [change.raw_path for change in entry.delta.changes] == [b"caf\xe9"]
    assert list(repository.versions(paths=["other"])) == []


def test_a_file_that_no_path_leads_to() -> None:
    for load in (Rules.load, formats.load):
        reader: Any = load
        with pytest.raises(NotFound):
            reader("a\0b")


@pytest.mark.parametrize(
    "content", [b'{"name": "\xff"}', b"[" * 100_000, b'{"nodes":' * 100_000, b"", b"\xff\xfe"]
)
def test_json_that_can_not_be_decoded(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "format.json"
    path.write_bytes(content)
    with pytest.raises(InvalidInput):
        formats.load(path)
    with pytest.raises(InvalidInput):
        history_file.decode(content)
