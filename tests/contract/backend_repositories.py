"""Repositories of every kind that both backends have to read alike."""

from __future__ import annotations

import random
import shutil
import zlib
from typing import TYPE_CHECKING

from oracle.repositories import Git
from oracle.test_deltas_equal_git import empty_trees, merges, modes_and_kinds, names, old_modes
from planted import github_token

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def versions(git: Git, count: int = 5) -> list[str]:
    """A line of versions of a few files in folders, one with a secret, with two tags."""
    dice = random.Random(3)
    roots = []
    for number in range(count):
        lines = b"".join(b"line %d\n" % dice.randrange(30) for _ in range(40))
        code, settings = git.blob(lines), git.blob(b'{"a": %d}' % number)
        files = [("100644", b"a.py", code), ("100644", b"node.json", settings)]
        if number == 2:
            files.append(("100644", b"secret", git.blob(github_token(1).encode())))
        node = git.tree(*files)
        roots.append(git.tree(("40000", b"nodes", git.tree(("40000", b"one", node)))))
    commits = git.chain(*roots)
    git.run("tag", "-a", "-m", "first\n\nmemo", "v1", commits[1])
    git.run("tag", "light", commits[2])
    git.run("branch", "side", commits[3])
    return commits


def bare(path: Path) -> Path:
    versions(git := Git.init(path, "--bare"))
    return git.path


def work_tree(path: Path) -> Path:
    versions(git := Git.init(path))
    return git.path


def of(fill: Callable[[Git], None]) -> Callable[[Path], Path]:
    def make(path: Path) -> Path:
        fill(git := Git.init(path, "--bare"))
        return git.path

    make.__name__ = fill.__name__
    return make


def packed_and_loose(path: Path) -> Path:
    versions(git := Git.init(path, "--bare"))
    git.run("repack", "-adfq", "--depth=50")
    git.run("pack-refs", "--all")
    commit = git.commit(git.tree(("100644", b"f", git.blob(b"x"))), "main")
    git.run("update-ref", "refs/heads/main", commit)
    return git.path


def many_packs(path: Path) -> Path:
    commits = versions(git := Git.init(path, "--bare"))
    for commit in commits:
        git.run("pack-objects", "--revs", "-q", "objects/pack/pack", stdin=commit.encode())
    git.run("prune-packed", "-q")
    git.run("multi-pack-index", "write")
    return git.path


def shallow(path: Path) -> Path:
    versions(origin := Git.init(path / "origin"))
    Git(path).run("clone", "--quiet", "--depth=2", f"file://{origin.path}", "clone")
    return path / "clone"


def partial(path: Path) -> Path:
    versions(origin := Git.init(path / "origin"))
    origin.run("config", "uploadpack.allowFilter", "true")
    url = f"file://{origin.path}"
    Git(path).run("clone", "--quiet", "--bare", "--filter=blob:none", url, "clone")
    return path / "clone"


def borrowed(path: Path) -> Path:
    versions(origin := Git.init(path / "origin"))
    Git(path).run("clone", "--quiet", "--shared", str(origin.path), "clone")
    git = Git(path / "clone")
    git.run("commit", "--quiet", "--allow-empty", "-m", "own")
    return git.path


def borrowed_by_relative_path(path: Path) -> Path:
    clone = borrowed(path)
    listed = clone / ".git" / "objects" / "info" / "alternates"
    listed.write_text("# a remark\n../../../origin/.git/objects\n/nowhere/objects\n")
    return clone


def linked(path: Path) -> Path:
    versions(git := Git.init(path / "main"))
    git.run("worktree", "add", "--quiet", "-b", "linked", str(path / "linked"), "v1")
    return path / "linked"


def linked_of_bare(path: Path) -> Path:
    versions(git := Git.init(path / "main.git", "--bare"))
    git.run("worktree", "add", "--quiet", "--detach", str(path / "linked"), "side")
    return path / "linked"


def split_git_dir(path: Path) -> Path:
    Git.init(path / "work", f"--separate-git-dir={path / 'elsewhere'}")
    versions(Git(path / "work"))
    return path / "work"


def replaced(path: Path) -> Path:
    commits = versions(git := Git.init(path, "--bare"))
    git.run("replace", commits[3], commits[0])
    git.run("replace", git.text("rev-parse", "main:nodes"), git.text("rev-parse", "v1:nodes"))
    return git.path


def grafted(path: Path) -> Path:
    commits = versions(git := Git.init(path, "--bare"))
    (path / "info" / "grafts").write_text(f"{commits[4]} {commits[0]}\n{commits[3]}\n")
    return git.path


def odd_references(path: Path) -> Path:
    """Tags of tags, of trees; what leads nowhere; broken ones; names that are no UTF-8."""
    commits = versions(git := Git.init(path, "--bare"))
    git.run("pack-refs", "--all")
    for name, target in (
        ("v2", "v1"),
        ("of-tree", "main^{tree}"),
        ("of-blob", "main:nodes/one/a.py"),
    ):
        git.run("tag", "-a", "-m", name, name, target)
    git.run("symbolic-ref", "refs/remotes/origin/HEAD", "refs/heads/main")
    git.run("symbolic-ref", "refs/heads/nowhere", "refs/heads/none")
    git.run("symbolic-ref", "refs/heads/loop", "refs/heads/loop2")
    git.run("symbolic-ref", "refs/heads/loop2", "refs/heads/loop")
    git.run(b"update-ref", b"refs/heads/\xff\xfe", commits[0].encode())
    git.run(b"symbolic-ref", b"refs/heads/to-bytes", b"refs/heads/\xff\xfe")
    unsigned = git.run("cat-file", "tag", "v1")
    signed = unsigned + b"\n-----BEGIN PGP SIGNATURE-----\nx\n-----END PGP SIGNATURE-----\n"
    nobody = b"\n".join(line for line in unsigned.split(b"\n") if not line.startswith(b"tagger"))
    latin1 = unsigned.replace(b"\n\n", b"\nencoding ISO-8859-1\n\ncaf\xe9 ", 1)
    for kind, raw in (("signed", signed), ("nobody", nobody), ("latin1", latin1)):
        tag = git.text("hash-object", "-t", "tag", "-w", "--literally", "--stdin", stdin=raw)
        git.run("update-ref", f"refs/tags/{kind}", tag)
    heads = path / "refs" / "heads"
    (heads / "missing").write_text("1" * 40 + "\n")
    (heads / "junk").write_text("junk\n")
    (heads / "empty").write_text("")
    (heads / "held.lock").write_text(commits[0] + "\n")
    git.run("update-ref", "refs/heads/a/b", commits[1])
    git.run("update-ref", "refs/heads/a-b", commits[1])
    return git.path


def unborn(path: Path) -> Path:
    return Git.init(path).path


def unborn_beside_versions(path: Path) -> Path:
    versions(git := Git.init(path, "--bare"))
    git.run("symbolic-ref", "HEAD", "refs/heads/new")
    return git.path


def detached(path: Path) -> Path:
    commits = versions(git := Git.init(path, "--bare"))
    git.run("update-ref", "--no-deref", "HEAD", commits[2])
    return git.path


def at_a_missing_commit(path: Path) -> Path:
    versions(git := Git.init(path, "--bare"))
    (path / "refs" / "heads" / "main").write_text("2" * 40 + "\n")
    return git.path


def other_encodings(path: Path) -> Path:
    git = Git.init(path, "--bare")
    tree = git.tree(("100644", b"f", git.blob(b"x")))
    git.run("config", "i18n.commitEncoding", "ISO-8859-1")
    one = git.text("commit-tree", tree, "-F", "-", stdin=b"caf\xe9\n\nna\xefve\n")
    git.run("config", "--unset", "i18n.commitEncoding")
    raw = b"tree %s\nparent %s\nauthor \xff <\xfe> 1 +9999\n\n\xe9\0after" % (
        tree.encode(),
        one.encode(),
    )
    two = git.text("hash-object", "-t", "commit", "-w", "--literally", "--stdin", stdin=raw)
    git.run("update-ref", "refs/heads/main", two)
    return git.path


def _spoil(git: Git, name: str, content: bytes | None) -> None:
    path = git.loose_object(git.text("rev-parse", name))
    path.chmod(0o644)
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)


def missing_objects(path: Path) -> Path:
    versions(git := Git.init(path, "--bare"))
    for name in ("main~1:nodes/one", "main~3:nodes/one/a.py", "main~4"):
        _spoil(git, name, None)
    return git.path


def corrupt_objects(path: Path) -> Path:
    """Objects that are no stream, empty, cut short, of another size, another kind, no kind."""
    versions(git := Git.init(path, "--bare"), 9)
    stream = zlib.compress(b"blob 90000\0" + random.Random(1).randbytes(90_000))
    cut = zlib.compress(b"blob 5\0hello")[:-6]
    spoiled = {
        "main~1:nodes": b"this is no stream",
        "main~2:nodes/one/a.py": b"",
        "main~3:nodes/one/a.py": stream[:40_000],
        "main~4:nodes/one/node.json": cut,
        "main~5:nodes": zlib.compress(b"tree 0\0"),
        "main~6:nodes/one": zlib.compress(b"blob 5\0hello"),
        "main~7:nodes/one/a.py": zlib.compress(b"blub 5\0hello"),
        "main~8": zlib.compress(b"commit 3\0abc"),
    }
    ids = {name: git.text("rev-parse", name) for name in spoiled}
    for name, content in spoiled.items():
        _spoil(git, ids[name], content)
    return git.path


def cut_short_at_head(path: Path) -> Path:
    """What a full disk leaves: the newest version is cut short."""
    versions(git := Git.init(path, "--bare"))
    loose = git.loose_object(git.text("rev-parse", "main"))
    _spoil(git, "main", loose.read_bytes()[:60])
    return git.path


def corrupt_pack(path: Path) -> Path:
    versions(git := Git.init(path, "--bare"))
    git.run("repack", "-adfq")
    (pack,) = (path / "objects" / "pack").glob("*.pack")
    offset = 0
    blob = git.text("rev-parse", "main~3:nodes/one/a.py")
    for line in git.run("verify-pack", "-v", str(pack)).splitlines():
        if line.startswith(blob.encode()):
            offset = int(line.split()[4])
    content = bytearray(pack.read_bytes())
    content[offset + 4 : offset + 12] = b"\xff" * 8
    pack.chmod(0o644)
    pack.write_bytes(content)
    return git.path


def no_packs_and_no_logs(path: Path) -> Path:
    versions(git := Git.init(path))
    for name in ("objects/pack", "logs", "info", "hooks", "branches"):
        shutil.rmtree(git.path / ".git" / name, ignore_errors=True)
    return git.path


MAKERS: list[Callable[[Path], Path]] = [
    *map(of, (empty_trees, merges, modes_and_kinds, names, old_modes)),
    at_a_missing_commit, bare, borrowed, borrowed_by_relative_path, corrupt_objects, corrupt_pack,
    cut_short_at_head, detached, grafted, linked, linked_of_bare, many_packs, missing_objects,
    no_packs_and_no_logs, odd_references, other_encodings, packed_and_loose, partial, replaced,
    shallow, split_git_dir, unborn, unborn_beside_versions, work_tree,
]  # fmt: skip
