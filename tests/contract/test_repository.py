"""What `Repository` promises: what opens, which names are known, which versions are listed."""

from __future__ import annotations

import os
import subprocess
import threading
from typing import TYPE_CHECKING

import pytest

import versiondiff
from oracle.repositories import ENVIRONMENT, Git
from versiondiff import Order, Parents, Repository, Rewrites, VersionDelta

if TYPE_CHECKING:
    from pathlib import Path

    from versiondiff.backends import BackendName

pytestmark = pytest.mark.usefixtures("backend")


FOLLOWED: dict[Parents, list[str]] = {Parents.FIRST: ["--first-parent"], Parents.ALL: []}
"""What git calls following these parents."""


@pytest.fixture
def git(tmp_path: Path) -> Git:
    """Five versions on `main`, the fourth a merge of a branch of two."""
    git = Git.init(tmp_path / "work")
    blob = git.blob(b"x")
    trees = [git.tree(*(("100644", bytes([97 + i]), blob) for i in range(n + 1))) for n in range(5)]
    one = git.commit(trees[0], message="one")
    two = git.commit(trees[1], one, message="two")
    side = git.commit(git.tree(("100644", b"s", blob)), one, message="side")
    side2 = git.commit(
        git.tree(("100644", b"s", blob), ("100644", b"t", blob)), side, message="side two"
    )
    merge = git.commit(trees[2], two, side2, message="merge")
    last = git.commit(trees[3], merge, message="last\n\nbody\n")
    git.run("update-ref", "refs/heads/main", last)
    git.run("update-ref", "refs/heads/side", side2)
    git.run("tag", "-a", "-m", "annotated", "v1", two)
    git.run("tag", "light", merge)
    return git


# ── Opening ─────────────────────────────────────────────────────────────────────────────────────


def test_a_repository_opens_from_wherever_git_finds_it(git: Git, tmp_path: Path) -> None:
    below = git.path / "a" / "b"
    below.mkdir(parents=True)
    git.run("worktree", "add", "--quiet", "--detach", str(tmp_path / "linked"), "side")
    Git(tmp_path).run("clone", "--quiet", "--bare", str(git.path), "bare.git")
    head = git.text("rev-parse", "HEAD")
    for path in (git.path, str(git.path), below, git.path / ".git", tmp_path / "bare.git"):
        assert Repository.open(path).version("HEAD").id == head, path
    for path in (tmp_path / "linked", tmp_path / "linked" / ".git"):
        assert Repository.open(path).version("HEAD").id == git.text("rev-parse", "side"), path
    assert Repository.open(below).git_dir == git.path / ".git"


def test_a_missing_repository_is_named(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(versiondiff.NotFound, match=f"no git repository at {path}"):
            Repository.open(path)


@pytest.mark.parametrize(
    ("options", "rule"),
    [
        (["--object-format=sha256"], "extensions.objectformat sha256 is not supported"),
        (["--ref-format=reftable"], "extensions.refstorage reftable is not supported"),
    ],
)
def test_storage_that_is_not_read_is_refused(tmp_path: Path, options: list[str], rule: str) -> None:
    Git.init(tmp_path, *options)
    with pytest.raises(versiondiff.UnsupportedFormat, match=rule):
        Repository.open(tmp_path)


def test_an_unknown_extension_is_refused(git: Git) -> None:
    git.run("config", "core.repositoryFormatVersion", "1")
    git.run("config", "extensions.worktreeConfig", "true")
    Repository.open(git.path)
    git.run("config", "extensions.fromTheFuture", "x")
    with pytest.raises(
        versiondiff.UnsupportedFormat, match=r"extensions\.fromthefuture is not supported"
    ):
        Repository.open(git.path)


def test_no_configuration_is_followed(
    git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = list(Repository.open(git.path).deltas())
    hostile = tmp_path / "hostile"
    hostile.write_text("[core\nbroken")
    for name in (
        "GIT_CONFIG_GLOBAL",
        "GIT_CONFIG_SYSTEM",
        "GIT_DIR",
        "GIT_OBJECT_DIRECTORY",
        "GIT_WORK_TREE",
    ):
        monkeypatch.setenv(name, str(hostile))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / ".gitconfig").write_text("[broken")
    with (git.path / ".git" / "config").open("a") as config:
        config.write(
            f"[include]\n\tpath = {hostile}\n[core]\n\tpager = false\n\tdeltaBaseCacheLimit = 1\n"
        )
    assert list(Repository.open(git.path).deltas()) == expected


# ── Versions by name ────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "revision",
    ["HEAD", "@", "HEAD~3", "main", "heads/side", "v1", "v1^{commit}", "light", "light^2~1",
     ":/side", "main^{/two}",
     "v1-0-gSHORT", "SHORT"],
)  # fmt: skip
def test_every_name_that_git_knows_names_a_version(git: Git, revision: str) -> None:
    revision = revision.replace("SHORT", git.text("rev-parse", "--short=8", "v1^{commit}"))
    version = Repository.open(git.path).version(revision)
    assert version.id == git.text("rev-list", "-n1", revision)


@pytest.mark.parametrize(
    "revision", ["none", "HEAD~9", "", "-n", "--all", "a\0b", "0" * 40, "HEAD^{tree}", "a..b"]
)
def test_a_name_that_is_not_known_is_named(git: Git, revision: str) -> None:
    with pytest.raises(versiondiff.NotFound, match="revision"):
        Repository.open(git.path).version(revision)


def test_a_version_says_what_git_says(git: Git) -> None:
    version = Repository.open(git.path).version("main")
    names = ["%H", "%P", "%an", "%ae", "%at", "%cn", "%ce", "%ct", "%s", "%b"]
    said = git.text("log", "-1", f"--format={'%x00'.join(names)}", "main").split("\0")
    author, committer = version.author, version.committer
    assert said == [
        version.id, " ".join(version.parents), author.name, author.email, str(author.time),
        committer.name, committer.email, str(committer.time), version.subject, version.body + "\n",
    ]  # fmt: skip
    assert (author.offset, committer.offset) == (9 * 60 + 30, 0)


# ── Histories ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "range",
    [
        None,
        "main",
        "main~2..main",
        "v1..",
        "side..main",
        "main..side",
        "light^!",
        "main..main",
        "..side",
        "HEAD~1..HEAD",
    ],
)
def test_a_range_lists_what_git_lists(git: Git, range: str | None) -> None:
    repository = Repository.open(git.path)
    for parents, options in FOLLOWED.items():
        listed = git.text("rev-list", *options, range or "HEAD").split()
        for order, expected in ((Order.NEWEST_FIRST, listed), (Order.OLDEST_FIRST, listed[::-1])):
            found = [
                version.id
                for version in repository.versions(range=range, parents=parents, order=order)
            ]
            assert found == expected


@pytest.mark.parametrize("range", ["main...side", "^main", "main^@"])
def test_what_is_no_range_is_refused(git: Git, range: str) -> None:
    with pytest.raises(versiondiff.InvalidInput, match=r"range .* is none of"):
        Repository.open(git.path).versions(range=range)


def test_ranges_equal_git_where_clocks_run_backwards(tmp_path: Path) -> None:
    """A tangle of merges with dates in no order: every pair of commits as a range."""
    import random

    git, dice = Git.init(tmp_path, "--bare"), random.Random(7)
    tree = git.tree()
    commits: list[str] = []
    for number in range(24):
        merged = dice.sample(commits[-6:], min(len(commits), dice.choice([1, 1, 2, 3])))
        at = 1_700_000_000 + number * 60 + dice.choice([0, 0, 0, -600, 90])
        commits.append(git.commit(tree, *merged, message=str(number), at=at))
    repository = Repository.open(git.path)
    for old in commits[::3]:
        for new in commits[::2]:
            for parents, options in FOLLOWED.items():
                listed = git.text("rev-list", *options, f"{old}..{new}").split()
                versions = repository.versions(
                    range=f"{old}..{new}", parents=parents, order=Order.NEWEST_FIRST
                )
                assert [version.id for version in versions] == listed


def test_a_repository_without_a_version_lists_none(tmp_path: Path) -> None:
    Git.init(tmp_path)
    repository = Repository.open(tmp_path)
    assert list(repository.versions()) == []
    assert list(repository.deltas()) == []
    assert list(repository.records()) == []
    with pytest.raises(versiondiff.NotFound):
        repository.version("HEAD")


def test_paths_leave_out_versions_that_touch_none_of_them(tmp_path: Path) -> None:
    git = Git.init(tmp_path, "--bare")
    a, b = git.blob(b"a"), git.blob(b"b")
    inner = [git.tree(("100644", b"x", blob)) for blob in (a, b)]
    commits = git.chain(
        git.tree(("100644", b"f", a)),
        git.tree(("40000", b"d", inner[0]), ("100644", b"f", a)),
        git.tree(("40000", b"d", inner[0]), ("100644", b"f", b)),
        git.tree(("40000", b"d", inner[1]), ("40000", b"dd", inner[0]), ("100644", b"f", b)),
    )
    repository = Repository.open(git.path)
    for paths in (["d"], ["d/x"], ["f"], ["d", "f"], ["none"], ["."]):
        listed = git.text("log", "--format=%H", "--first-parent", "main", "--", *paths).split()
        assert [version.id for version in repository.versions(paths=paths)] == listed, paths
        assert [delta.version.id for delta in repository.deltas(paths=paths)] == listed, paths
    untouched = repository.delta(commits[2], paths=["d"])
    assert untouched.delta is not None
    assert untouched.delta.changes == ()
    (delta,) = repository.deltas(paths=["d"], range=f"{commits[2]}..")
    assert delta.delta is not None
    assert [change.path for change in delta.delta.changes] == ["d/x"]


def test_rewrites_are_paired_where_asked_for(tmp_path: Path) -> None:
    git = Git.init(tmp_path, "--bare")
    lines = b"".join(b"line %d\n" % n for n in range(50))
    old, new = git.blob(lines), git.blob(lines + b"more\n")
    git.chain(
        git.tree(("100644", b"a", old)),
        git.tree(("100644", b"b", old)),
        git.tree(("40000", b"d", git.tree(("100644", b"b", new)))),
    )
    repository = Repository.open(git.path)

    def kinds(rewrites: Rewrites) -> list[list[str]]:
        history = repository.deltas(rewrites=rewrites, order=Order.OLDEST_FIRST)
        deltas = [version.delta for version in history]
        return [[change.kind.value for change in delta.changes] for delta in deltas if delta]

    both = ["addition", "deletion"]
    assert kinds(Rewrites.NONE) == [
        ["addition"],
        ["deletion", "addition"],
        ["deletion", "addition"],
    ]
    assert kinds(Rewrites.EXACT) == [["addition"], ["rewrite"], both[::-1]]
    assert kinds(Rewrites.SIMILAR) == [["addition"], ["rewrite"], ["rewrite"]]


def test_an_iterator_that_is_dropped_ends_its_threads(git: Git) -> None:
    before = threading.active_count()
    deltas = Repository.open(git.path).deltas()
    assert isinstance(next(deltas), VersionDelta)
    del deltas
    assert threading.active_count() == before


def test_a_repository_is_shared_between_threads(git: Git) -> None:
    repository = Repository.open(git.path)
    expected = list(repository.deltas())
    results: list[list[VersionDelta]] = []
    threads = [
        threading.Thread(target=lambda: results.append(list(repository.deltas()))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 8


def test_progress_ends_with_all_versions(git: Git) -> None:
    seen: list[tuple[int, int | None]] = []
    list(Repository.open(git.path).deltas(progress=lambda done, total: seen.append((done, total))))
    assert seen[-1] == (4, 4)


def test_nothing_is_written(git: Git) -> None:
    def state() -> dict[Path, tuple[int, int]]:
        files = (path for path in git.path.rglob("*") if path.is_file())
        return {path: (path.stat().st_mtime_ns, path.stat().st_size) for path in files}

    before = state()
    list(Repository.open(git.path).deltas())
    assert state() == before


def test_ctrl_c_ends_a_walk_at_once(tmp_path: Path, backend: BackendName) -> None:
    """A walk that would take minutes, interrupted: the process ends within a second or two."""
    import signal
    import sys
    import time

    git = Git.init(tmp_path, "--bare")
    blobs = [git.blob(bytes([65 + n])) for n in range(2)]
    wide = [git.tree(*(("100644", b"%06d" % n, blob) for n in range(20_000))) for blob in blobs]
    git.chain(*(wide[n % 2] for n in range(60)))
    program = (
        "import sys, versiondiff\n"
        "repository = versiondiff.Repository.open(sys.argv[1], backend=sys.argv[2])\n"
        "print('go', flush=True)\n"
        "while True:\n"
        "    for chunk in repository.delta_lines(threads=2): pass\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(git.path), backend],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=ENVIRONMENT | {"PYTHONPATH": os.pathsep.join(sys.path)},
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stdout.readline() == b"go\n"
        time.sleep(0.3)
        sent = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
        assert time.monotonic() - sent < 5
        assert b"KeyboardInterrupt" in errors
