"""Both backends say the same of every repository: the same bytes, and the same errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

import versiondiff
from contract.backend_repositories import MAKERS, corrupt_objects, odd_references, versions
from oracle.repositories import Git
from versiondiff import Limits, Parents, Repository
from versiondiff.formats import FolderNodes, Format

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pygit2 = pytest.importorskip("pygit2", reason="there is no second backend to compare with")

FORMAT = Format(
    name="all", nodes=FolderNodes(folder="nodes/{id}", marker="node.json"), visible=("**",)
)
REVISIONS = """
HEAD @ HEAD~1 HEAD~2 HEAD~3 HEAD~9 HEAD^ HEAD^1 HEAD^2 HEAD^0 HEAD^^ HEAD~1^1~1 HEAD~x HEAD^x
main heads/main refs/heads/main side v1 v1^{} v1^{commit} v1^{tag} v1^{tree} v1^0 v1~1 v2 v2^{}
of-tree of-blob tags/v1 light nowhere loop missing junk empty held.lock origin to-bytes none
HEAD^{commit} HEAD^{tree} HEAD^{blob} HEAD^{object} HEAD^{} HEAD^{/version} HEAD^{/} HEAD^{/none}
:/version :/none @{0} HEAD@{0} HEAD@{9} main@{u} main@{0} HEAD:nodes HEAD:none HEAD:nodes/one/a.py
HEAD..side side..HEAD HEAD~1.. ..HEAD~1 .. ... HEAD...side HEAD.. main..none none..main x..y..z
HEAD^! HEAD^@ HEAD^- HEAD^-1 HEAD^-2 ^HEAD ^none HEAD^!^ HEAD^@^ v1..main v1^!
0000000000000000000000000000000000000000 1111111111111111111111111111111111111111 0000 abcd
HEAD^{ HEAD^{x} HEAD~99999999999999999999 HEAD^3000000000 -HEAD --all @@ HEAD@ HEAD@{ {
""".split()


def said(work: Callable[[], Any]) -> Any:
    """What came of it: the value, or the kind and the text of the error."""
    try:
        return work()
    except versiondiff.VersionDiffError as error:
        return type(error).__name__, str(error)


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
        walk = {
            "deltas": lambda p=parents: b"".join(repository.delta_lines(parents=p, threads=2)),
            "records": lambda p=parents: b"".join(
                repository.record_lines(parents=p, format=FORMAT, threads=2)
            ),
            "scan": lambda p=parents: b"".join(repository.scan_lines(parents=p, threads=2)),
            "diffs": lambda p=parents: [
                msgspec.json.encode(diff)
                for diff in repository.version_diffs(parents=p, format=FORMAT, limits=Limits())
            ],
        }
        for name, work in walk.items():
            found[f"{name} of {parents.value}"] = said(work)
    for name in ("HEAD", "HEAD~1", "HEAD~2", "v1"):
        found[f"snapshot {name}"] = said(
            lambda name=name: versiondiff.tree_delta(None, repository.snapshot(name))
        )
        found[f"delta {name}"] = said(lambda name=name: repository.delta(name))
        found[f"diff {name}"] = said(
            lambda name=name: repository.version_diff(name, format=FORMAT)
        )
    for name in revisions:
        found[f"version {name}"] = said(lambda name=name: repository.version(name))
        found[f"range {name}"] = said(
            lambda name=name: [version.id for version in repository.versions(range=name)]
        )
    return found


def assert_same(path: Path, **options: Any) -> None:
    revisions = list(REVISIONS)
    gix = Repository.open(path, backend="gix", **options)
    ids = {version.id for version in gix.versions()}
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


def test_what_git_lists_is_listed(tmp_path: Path) -> None:
    git = Git(odd_references(tmp_path))
    listed = git.run("for-each-ref", "--format=%(refname)%00%(objectname)%00%(*objectname)")
    for backend in ("gix", "pygit2"):
        repository = Repository.open(git.path, backend=backend)
        found = {
            r.raw_name or r.name.encode(): r for r in repository.references()
        }
        gits = {}
        for line in listed.split(b"\n"):
            name, object_id, peeled = line.split(b"\0")
            gits[name] = (object_id.decode(), peeled.decode())
        assert list(found) == sorted(found)
        # git leaves out what leads nowhere, too.
        nowhere = {b"refs/heads/nowhere", b"refs/heads/loop", b"refs/heads/loop2"}
        assert set(found) - set(gits) <= nowhere
        assert set(gits) <= set(found)
        for name, (object_id, peeled) in gits.items():
            assert found[name].id == object_id
            assert (found[name].tag is not None) == bool(peeled)
        assert found[b"refs/tags/v2"].commit == git.text("rev-parse", "v1^{commit}")
        assert found[b"refs/tags/of-tree"].commit is None
        assert found[b"refs/heads/missing"].commit is None
        tag = found[b"refs/tags/signed"].tag
        assert tag is not None
        assert tag.message == "first\n\nmemo"
        assert tag.tagger is not None
        assert tag.tagger.email == "committer@example.org"
        latin1 = found[b"refs/tags/latin1"].tag
        assert latin1 is not None
        assert latin1.message == "café first\n\nmemo"
        assert found[b"refs/heads/to-bytes"].raw_target == b"refs/heads/\xff\xfe"


def test_an_object_that_is_cut_short_keeps_nobody_waiting(tmp_path: Path) -> None:
    """libgit2 itself never comes back from one."""
    path = corrupt_objects(tmp_path)
    deltas = list(Repository.open(path, backend="pygit2").scan())
    assert any(delta.error is not None for delta in deltas)
