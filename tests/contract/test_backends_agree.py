"""Both backends say the same of every repository: the same bytes, and the same errors."""

from __future__ import annotations

import re
import subprocess
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

import versiondiff
from contract.backend_repositories import (
    MAKERS,
    corrupt_objects,
    odd_references,
    versions,
    work_tree,
)
from oracle.repositories import ENVIRONMENT, Git
from versiondiff import Head, HeadState, Limits, Parents, Repository
from versiondiff.formats import FolderNodes, Format

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from versiondiff.backends import Backend

pygit2 = pytest.importorskip("pygit2", reason="there is no second backend to compare with")

FORMAT = Format(
    name="all", nodes=FolderNodes(folder="nodes/{id}", marker="node.json"), visible=("**",)
)
REVISIONS = re.split(
    r"\s+",
    """HEAD @ HEAD~1 HEAD~2 HEAD~3 HEAD~9 HEAD^ HEAD^1 HEAD^2 HEAD^0 HEAD^^ HEAD~1^1~1 HEAD~x HEAD^x
main heads/main refs/heads/main side v1 v1^{} v1^{commit} v1^{tag} v1^{tree} v1^0 v1~1 v2 v2^{}
of-tree of-blob tags/v1 light nowhere loop missing junk empty held.lock origin to-bytes none
HEAD^{commit} HEAD^{tree} HEAD^{blob} HEAD^{object} HEAD^{} HEAD^{/version} HEAD^{/} HEAD^{/none}
:/version :/none @{0} HEAD@{0} HEAD@{9} main@{u} main@{0} HEAD:nodes HEAD:none HEAD:nodes/one/a.py
HEAD..side side..HEAD HEAD~1.. ..HEAD~1 .. ... HEAD...side HEAD.. main..none none..main x..y..z
HEAD^! HEAD^@ HEAD^- HEAD^-1 HEAD^-2 ^HEAD ^none HEAD^!^ HEAD^@^ v1..main v1^!
0000000000000000000000000000000000000000 1111111111111111111111111111111111111111 0000 abcd
HEAD^{ HEAD^{x} HEAD~99999999999999999999 HEAD^3000000000 -HEAD --all @@ HEAD@ HEAD@{ {""",
)


def said(work: Callable[[], Any]) -> Any:
    """What came of it: the value, or the kind and the text of the error."""
    try:
        return work()
    except versiondiff.VersionDiffError as error:
        return type(error).__name__, str(error)


def walks(repository: Repository, parents: Parents) -> dict[str, Callable[[], Any]]:
    """All that goes through a history."""
    return {
        "deltas": lambda: b"".join(repository.delta_lines(parents=parents, threads=2)),
        "records": lambda: b"".join(
            repository.record_lines(parents=parents, format=FORMAT, threads=2)
        ),
        "scan": lambda: b"".join(repository.scan_lines(parents=parents, threads=2)),
        "diffs": lambda: [
            msgspec.json.encode(diff)
            for diff in repository.version_diffs(parents=parents, format=FORMAT, limits=Limits())
        ],
    }


def of_version(repository: Repository, name: str) -> dict[str, Any]:
    """All that is said of one version."""
    return {
        "snapshot": said(lambda: versiondiff.tree_delta(None, repository.snapshot(name))),
        "delta": said(lambda: repository.delta(name)),
        "diff": said(lambda: repository.version_diff(name, format=FORMAT)),
    }


def listed(repository: Repository, range: str) -> list[str]:
    return [version.id for version in repository.versions(range=range)]


def everything(repository: Repository, revisions: list[str]) -> dict[str, Any]:
    """All that can be said of a repository."""
    found: dict[str, Any] = {
        "references": said(repository.references),
        "heads": said(lambda: repository.references("refs/heads/")),
        "prefix": said(lambda: repository.references("refs/tags/v")),
        "one": said(lambda: repository.references("refs/heads/main")),
        "head": said(repository.head),
        "places": (repository.git_dir, repository.common_dir),
    }
    for parents in Parents:
        walk = walks(repository, parents)
        found |= {f"{name} of {parents.value}": said(work) for name, work in walk.items()}
    for name in ("HEAD", "HEAD~1", "HEAD~2", "v1"):
        found |= {f"{what} {name}": value for what, value in of_version(repository, name).items()}
    for name in revisions:
        found[f"version {name}"] = said(partial(repository.version, name))
        found[f"range {name}"] = said(partial(listed, repository, name))
    return found


def assert_same(path: Path, **options: Any) -> None:
    revisions = list(REVISIONS)
    gix = Repository.open(path, backend="gix", **options)
    ids = {reference.commit for reference in gix.references() if reference.commit}
    revisions += [id_[:length] for id_ in sorted(ids)[:4] for length in (4, 7, 39, 40)]
    revisions += [f"v1-2-g{id_[:9]}" for id_ in sorted(ids)[:2]]
    expected = everything(gix, revisions)
    assert len(expected) > 200
    pygit2_repository = Repository.open(path, backend="pygit2", **options)
    found = everything(pygit2_repository, revisions)
    for name, value in expected.items():
        assert found[name] == value, name


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
def test_both_say_the_same(make: Callable[[Path], Path], tmp_path: Path) -> None:
    assert_same(make(tmp_path))


def test_both_meet_the_same_limit(tmp_path: Path) -> None:
    git = Git.init(tmp_path, "--bare")
    git.chain(*(git.tree(("100644", b"f", git.blob(b"%d" % n * 3_000))) for n in range(3)))
    assert_same(git.path, object_memory=2_000)
    git.run("repack", "-adfq")
    assert_same(git.path, object_memory=2_000)
    assert_same(git.path, object_memory=20)


def test_an_open_repository_of_pygit2_says_the_same(tmp_path: Path) -> None:
    versions(git := Git.init(tmp_path))
    opened = pygit2.Repository(str(git.path))
    repository = Repository.from_pygit2(opened)
    assert repository.backend == "pygit2"
    expected = everything(Repository.open(git.path, backend="gix"), REVISIONS)
    assert everything(repository, REVISIONS) == expected
    assert str(opened.head.target) == repository.head().commit


@pytest.mark.parametrize("backend", ["gix", "pygit2"])
def test_what_git_lists_is_listed(tmp_path: Path, backend: Backend) -> None:
    git = Git(odd_references(tmp_path))
    lines = git.run("for-each-ref", "--format=%(refname)%00%(objectname)").split(b"\n")
    gits = {name: id_.decode() for name, id_ in (line.split(b"\0") for line in lines)}
    listed = Repository.open(git.path, backend=backend).references()
    found = {reference.raw_name or reference.name.encode(): reference for reference in listed}
    assert list(found) == sorted(found)
    # git leaves out what leads nowhere, too.
    nowhere = {b"refs/heads/nowhere", b"refs/heads/loop", b"refs/heads/loop2"}
    assert set(found) == set(gits) | nowhere
    for name, object_id in gits.items():
        assert found[name].id == object_id
        if object_id != "1" * 40:
            is_tag = git.text("cat-file", "-t", object_id) == "tag"
            assert (found[name].tag is not None) == is_tag
    for name in nowhere:
        assert found[name].id is None
        assert found[name].target is not None
    assert found[b"refs/tags/v2"].commit == git.text("rev-parse", "v1^{commit}")
    assert found[b"refs/tags/of-tree"].commit is None
    assert found[b"refs/heads/missing"].commit is None
    assert found[b"refs/heads/to-bytes"].raw_target == b"refs/heads/\xff\xfe"


@pytest.mark.parametrize("backend", ["gix", "pygit2"])
def test_a_tag_says_who_made_it_and_why(tmp_path: Path, backend: Backend) -> None:
    repository = Repository.open(odd_references(tmp_path), backend=backend)
    tags = {reference.name: reference.tag for reference in repository.references("refs/tags/")}
    assert tags["refs/tags/light"] is None
    for name, message in (("v1", "first\n\nmemo"), ("latin1", "café first\n\nmemo")):
        tag = tags[f"refs/tags/{name}"]
        assert tag is not None
        assert tag.message == message
        assert tag.tagger is not None
        assert (tag.tagger.name, tag.tagger.email) == ("C. Committer", "committer@example.org")
    assert tags["refs/tags/signed"] == tags["refs/tags/v1"]
    nobody = tags["refs/tags/nobody"]
    assert nobody is not None
    assert nobody.tagger is None


@pytest.mark.parametrize("backend", ["gix", "pygit2"])
def test_names_stand_for_what_git_says(tmp_path: Path, backend: Backend) -> None:
    git = Git(work_tree(tmp_path))
    git.run("branch", "--force", "moved", "v1")
    git.run("branch", "--force", "moved", "light")
    git.run("checkout", "--quiet", "-f", "moved")
    git.run("checkout", "--quiet", "-f", "main")
    repository = Repository.open(git.path, backend=backend)
    known = 0
    for name in [*REVISIONS, "@{-1}", "moved@{1}", "moved@{0}~1", "HEAD@{1}", "HEAD@{2020-01-01}"]:
        if ".." in name or name.startswith(("^", "-")) or name.endswith(("^!", "^@", "^-", "^-1")):
            continue
        if name.startswith(":/"):
            # Behind a text, what makes it a commit would be a part of the text.
            continue
        done = subprocess.run(
            ["git", "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}", "--"],
            cwd=git.path, env=ENVIRONMENT, capture_output=True, check=False, text=True,
        )  # fmt: skip
        if done.returncode == 0:
            assert repository.version(name).id == done.stdout.split()[0], name
            known += 1
        else:
            assert said(partial(repository.version, name))[0] == "NotFound", name
    assert known > 30


@pytest.mark.parametrize("backend", ["gix", "pygit2"])
def test_head_is_where_git_says(tmp_path: Path, backend: Backend) -> None:
    git = Git.init(tmp_path)
    repository = Repository.open(git.path, backend=backend)
    assert repository.head() == Head(state=HeadState.UNBORN, branch="refs/heads/main")
    commits = versions(git)
    assert repository.head() == Head(
        state=HeadState.BRANCH, branch="refs/heads/main", commit=commits[-1]
    )
    git.run("update-ref", "--no-deref", "HEAD", commits[0])
    assert repository.head() == Head(state=HeadState.DETACHED, commit=commits[0])


def test_an_object_that_is_cut_short_keeps_nobody_waiting(tmp_path: Path) -> None:
    """libgit2 itself never comes back from one."""
    path = corrupt_objects(tmp_path)
    deltas = list(Repository.open(path, backend="pygit2").scan())
    assert any(delta.error is not None for delta in deltas)
