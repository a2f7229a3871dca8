"""What a `pygit2.Repository` gives to the Rust core: packed objects and references.

The core reads loose objects itself, as libgit2 1.9 waits for ever on one that is cut short, and
finds names of revisions itself over what is here. See `rust/python/src/foreign.rs`, the only
caller.
"""

from __future__ import annotations

import errno
import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import pygit2
from pygit2.enums import ObjectType, ReferenceType
from pygit2.ffi import ffi

from versiondiff import pack_indexes

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Pygit2Store"]

_Reference: TypeAlias = tuple[bytes, bytes | None, bytes | None]
"""The name; the id that it holds, or the name that it holds."""

_KINDS: Final = {
    ObjectType.BLOB: "blob",
    ObjectType.TREE: "tree",
    ObjectType.COMMIT: "commit",
    ObjectType.TAG: "tag",
}
_TYPES: Final = {name: kind for kind, name in _KINDS.items()}


class Pygit2Store:
    """One repository, for any number of threads, one at a time.

    pygit2 holds the interpreter in its calls of libgit2, but for those made through cffi
    (transactions): the lock keeps these from running beside the others.
    """

    def __init__(
        self, repository: pygit2.Repository, common_dir: Path, directories: Sequence[Path]
    ) -> None:
        """Over an open repository whose objects are in these directories, its own first.

        Raises:
            InvalidInput: The index of a pack is damaged in a way that libgit2 would not survive.
        """
        self._repository = repository
        self._common_dir = common_dir
        # A lock that its holder may take again: a signal's handler runs in the midst of a call.
        self._lock = threading.RLock()
        pack_indexes.check(directories)
        self._packs = [pygit2.OdbBackendPack(str(directory)) for directory in directories]
        self._packed = pygit2.Odb()
        for number, pack in enumerate(self._packs):
            self._packed.add_backend(pack, len(self._packs) - number)

    # ── Objects ─────────────────────────────────────────────────────────────────────────────────

    def read(self, raw_id: bytes, most: int) -> tuple[str, bytes]:
        """The kind and the content of a packed object, or why there is none.

        In place of the kind stands `missing`, `corrupt`, or `limit` where it has more than `most`
        bytes.
        """
        oid = pygit2.Oid(raw=raw_id)
        with self._lock:
            try:
                _, size = self._packed.read_header(oid)
                if size > most:
                    return "limit", b""
                kind, content = self._packed.read(oid)
            except KeyError:
                return "missing", b""
            except (pygit2.GitError, ValueError):
                return "corrupt", b""
        return _KINDS[kind], content

    def ids(self, digits: str) -> list[bytes]:
        """The ids of packed objects that start with these hexadecimal digits."""
        found: list[bytes] = []
        with self._lock:
            for pack in self._packs:
                try:
                    found.append(pack.exists_prefix(digits).raw)
                except KeyError:
                    continue
                except ValueError:
                    # Several do, and only going through all of them tells which.
                    found += (oid.raw for oid in pack if str(oid).startswith(digits))
        return found

    def write(self, kind: str, content: bytes) -> bytes:
        """Write an object, where it is not there; its id."""
        with self._lock:
            return self._repository.odb.write(_TYPES[kind], content).raw

    # ── References ──────────────────────────────────────────────────────────────────────────────

    def reference(self, name: bytes) -> _Reference | None:
        """A reference by its full name, as it is; None where there is none."""
        with self._lock:
            return self._reference(name)

    def _reference(self, name: bytes) -> _Reference | None:
        try:
            found = self._repository.lookup_reference(_text(name))
        except (KeyError, UnicodeDecodeError):
            # pygit2 fails to say that there is none of a name that is no UTF-8.
            return None
        return _as_tuple(found)

    def references(self, prefix: bytes) -> list[_Reference]:
        """All whose names start with `prefix`; what libgit2 can't read is none."""
        with self._lock:
            found = self._repository.references.iterator()
            return [
                _as_tuple(reference) for reference in found if reference.raw_name.startswith(prefix)
            ]

    def swap(
        self,
        name: bytes,
        expected: bytes | None,
        new: bytes,
        who: tuple[bytes, bytes, int, int],
        log: str,
    ) -> Literal["done", "moved", "locked"]:
        """Change a reference if it holds `expected`, None being that it does not exist.

        Git's own lock of the reference is held while it is looked at and changed.
        """
        with self._lock:
            self._make_place_for_logs()
            try:
                with self._repository.transaction() as transaction:
                    # cffi's part of pygit2 takes bytes as they are, though it says only text.
                    target: Any = name
                    transaction.lock_ref(target)
                    now = self._reference(name)
                    if (now is None) != (expected is None) or (now and now[1] != expected):
                        return "moved"
                    oid, signature = pygit2.Oid(raw=new), _Signature(who)
                    transaction.set_target(target, oid, signature, log)  # type: ignore[arg-type]
            except pygit2.GitError as error:
                now = self._reference(name)
                if (None if now is None else now[1]) != expected:
                    return "moved"
                lock = self._common_dir / (_text(name) + ".lock")
                # By now it may be gone; what libgit2 met is in its words and the system's.
                met = ("failed to lock", os.strerror(errno.EEXIST))
                if lock.exists() or any(words in str(error) for words in met):
                    return "locked"
                raise
        return "done"

    def _make_place_for_logs(self) -> None:
        """libgit2 makes no directory that a link leads to; see `versiondiff.pygit2_stand_in`."""
        logs = Path(self._repository.path, "logs", "refs")
        is_missing = logs.is_symlink() and not logs.exists()
        if is_missing and self._repository.config.get_bool("core.logallrefupdates"):
            (self._common_dir / "logs" / "refs").mkdir(parents=True, exist_ok=True)


class _Signature:
    """A signature as the transactions of pygit2 want it.

    In pygit2 1.21 the pointer of a `pygit2.Signature` is the bytes of one, which its own
    transactions refuse.
    """

    def __init__(self, who: tuple[bytes, bytes, int, int]) -> None:
        name, email, time, offset = who
        # libgit2 takes no name and no address but for such that have something in them.
        texts = [part.decode("utf-8", "replace") for part in (name, email)]
        said = [text if any(map(str.isalnum, text)) else "unknown" for text in texts]
        # This holds what the pointer points to.
        self._signature: Any = pygit2.Signature(said[0], said[1], time, offset)
        pointer = self._signature._pointer
        if isinstance(pointer, bytes):
            pointer = ffi.cast("git_signature **", ffi.from_buffer(pointer))[0]
        self._pointer = pointer


def _text(name: bytes) -> str:
    # What pygit2 takes for the name of a file: bytes that are no text come through.
    return name.decode("utf-8", "surrogateescape")


def _as_tuple(reference: pygit2.Reference) -> _Reference:
    target = reference.raw_target
    if reference.type == ReferenceType.SYMBOLIC or isinstance(target, bytes):
        return reference.raw_name, None, bytes(target)  # type: ignore[arg-type]
    return reference.raw_name, target.raw, None
