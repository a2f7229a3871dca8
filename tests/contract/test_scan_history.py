"""What `Repository.scan` promises."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from oracle.repositories import Git
from planted import drawn, github_token
from versiondiff import FailureCode, Order, Parents, Repository, Rules, VersionFindings

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("backend")

TOKENS = [github_token(seed) for seed in range(6)]


def places(entry: VersionFindings) -> list[tuple[str | None, int, int]]:
    return [(hit.path, hit.line, hit.column) for hit in entry.findings]


@pytest.fixture
def git(tmp_path: Path) -> Git:
    return Git.init(tmp_path / "work")


def scanned(git: Git, last: str, **options: Any) -> list[VersionFindings]:
    git.run("update-ref", "refs/heads/main", last)
    repository = Repository.open(git.path)
    return list(repository.scan(**options))


def files(git: Git, **contents: bytes) -> str:
    entries = [("100644", name.encode(), git.blob(content)) for name, content in contents.items()]
    return git.tree(*sorted(entries, key=lambda entry: entry[1]))


def test_a_version_has_the_findings_of_the_files_it_brought_or_changed(git: Git) -> None:
    secret = b"k = " + TOKENS[0].encode() + b"\n"
    first = git.commit(files(git, a=secret, b=b"plain"), message="first")
    second = git.commit(files(git, a=secret, b=b"plain 2"), first, message="second")
    third = git.commit(files(git, a=b"\n" + secret, b=b"plain 2"), second, message="third")
    fourth = git.commit(files(git, b=b"plain 2"), third, message="fourth")
    entries = scanned(git, fourth)
    assert [entry.version.id for entry in entries] == [third, first]
    assert [places(entry) for entry in entries] == [[("a", 2, 5)], [("a", 1, 5)]]
    assert {hit.rule for entry in entries for hit in entry.findings} == {"github-token"}


def test_the_order_paths_rules_and_range_are_those_asked_for(git: Git) -> None:
    commits = git.chain(
        *(files(git, **{name: token.encode()}) for name, token in zip("abc", TOKENS, strict=False))
    )
    repository = Repository.open(git.path)
    ids = [entry.version.id for entry in repository.scan(order=Order.OLDEST_FIRST)]
    assert ids == commits
    assert [entry.version.id for entry in repository.scan(paths=["b"])] == [commits[1]]
    assert [entry.version.id for entry in repository.scan(range="HEAD^!")] == [commits[2]]
    without = Rules.default().without("github-token")
    assert list(repository.scan(rules=without)) == []


def test_links_and_binary_files_are_scanned_and_submodules_are_not(git: Git) -> None:
    token = TOKENS[0].encode()
    other = git.commit(files(git, a=b"x"))
    tree = git.tree(
        ("100755", b"binary", git.blob(b"\0\xff" + token + b"\0")),
        ("120000", b"link", git.blob(b"/home/" + token)),
        ("160000", b"module", other),
    )
    (entry,) = scanned(git, git.commit(tree))
    assert [path for path, _, _ in places(entry)] == ["binary", "link"]


def test_a_change_of_mode_brings_no_content(git: Git) -> None:
    blob = git.blob(TOKENS[0].encode())
    first = git.commit(git.tree(("100644", b"a", blob)))
    second = git.commit(git.tree(("100755", b"a", blob)), first)
    assert [entry.version.id for entry in scanned(git, second)] == [first]


def test_of_a_merge_only_what_no_parent_holds_counts_where_all_are_followed(git: Git) -> None:
    one, two = TOKENS[0].encode(), TOKENS[1].encode()
    root = git.commit(files(git, a=b"x"), message="root")
    main = git.commit(files(git, a=b"y"), root, message="main")
    side = git.commit(files(git, a=b"x", s=one), root, message="side")
    merge = git.commit(files(git, a=b"y", s=one, new=two), main, side, message="merge")
    entries = scanned(git, merge, parents=Parents.ALL)
    assert [(entry.version.id, places(entry)) for entry in entries] == [
        (merge, [("new", 1, 1)]),
        (side, [("s", 1, 1)]),
    ]
    (entry,) = scanned(git, merge)
    assert [path for path, _, _ in places(entry)] == ["new", "s"]


def test_what_is_said_of_a_version_holds_no_secret(git: Git) -> None:
    subject, body, name = TOKENS[:3]
    tree = files(git, **{f"{name}.txt": TOKENS[3].encode()})
    message = f"Use {subject}\n\nand then\n{body} too\n"
    git.run("update-ref", "refs/heads/main", git.commit(tree, message=message))
    repository = Repository.open(git.path)
    (entry,) = repository.scan()
    assert entry.version.subject == "Use [secret hidden]"
    assert entry.version.body == "and then\n[secret hidden] too"
    shown = "[secret hidden].txt"
    assert places(entry) == [(None, 1, 5), (None, 4, 1), (shown, 0, 0), (shown, 1, 1)]
    lines = b"".join(repository.scan_lines())
    for token in TOKENS[:4]:
        assert all(token[at : at + 8].encode() not in lines for at in range(4, 32))


def test_a_file_that_is_missing_is_said_and_the_others_are_scanned(git: Git) -> None:
    missing = git.blob(b"to be lost")
    tree = git.tree(
        ("100644", b"a", missing),
        ("100644", b"b", git.blob(TOKENS[0].encode())),
        ("100644", TOKENS[1].encode(), git.blob(drawn(20, seed=9).encode())),
    )
    last = git.commit(tree)
    git.run("update-ref", "refs/heads/main", last)
    (git.path / ".git" / "objects" / missing[:2] / missing[2:]).unlink()
    (entry,) = Repository.open(git.path).scan()
    assert entry.error is not None
    assert entry.error.code is FailureCode.MISSING
    assert [path for path, _, _ in places(entry)] == ["b", "[secret hidden]"]


def test_lines_are_the_values_and_the_same_for_any_number_of_threads(git: Git) -> None:
    git.chain(*(files(git, a=github_token(seed).encode()) for seed in range(40)))
    repository = Repository.open(git.path)
    lines = b"".join(repository.scan_lines())
    entries = list(repository.scan())
    assert [msgspec.json.encode(entry) for entry in entries] == lines.splitlines()
    assert len(entries) == 40
    for threads in (1, 2, 5):
        assert b"".join(repository.scan_lines(threads=threads)) == lines


def test_how_far_it_is_is_said_though_nothing_is_found(git: Git) -> None:
    git.chain(*(files(git, a=b"%d" % number) for number in range(30)))
    said: list[tuple[int, int | None]] = []
    entries = Repository.open(git.path).scan(progress=lambda *far: said.append(far))
    assert list(entries) == []
    assert said[-1] == (30, 30)


def test_an_empty_repository_has_no_findings(git: Git) -> None:
    assert list(Repository.open(git.path).scan()) == []
