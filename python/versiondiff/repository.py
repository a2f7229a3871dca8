"""Versions of a workflow in a git repository."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Literal, TypeVar

import msgspec

from versiondiff import _core
from versiondiff.attached import Attached, all_attached, attached_to
from versiondiff.backends import Opened, open_repository, over_pygit2
from versiondiff.diffs import DEFAULT_LIMITS, as_options
from versiondiff.durability import Durability
from versiondiff.notes import Notes
from versiondiff.paths import path_bytes
from versiondiff.records import (
    Head,
    HistoryDiff,
    Reference,
    TreeDelta,
    Version,
    VersionDelta,
    VersionDiff,
    VersionFindings,
    VersionRecord,
)
from versiondiff.secrets import core_rules
from versiondiff.snapshots import Rewrites, as_format

if TYPE_CHECKING:
    import os
    from pathlib import Path

    import pygit2

    from versiondiff.backends import Backend, BackendName
    from versiondiff.diffs import JsonForm, Limits, OnSecret
    from versiondiff.formats import AnyFormat
    from versiondiff.secrets import Rules
    from versiondiff.wording import Language

__all__ = ["Order", "Ownership", "Parents", "Progress", "Repository"]


class Order(enum.Enum):
    """The order in which versions come."""

    NEWEST_FIRST = "newest"
    """As in `git log`. The way git stores objects makes it the cheaper one."""
    OLDEST_FIRST = "oldest"
    """From the first version to the last."""


class Parents(enum.Enum):
    """Which parents a history follows; a version is compared with its first parent either way."""

    FIRST = "first"
    """The first parent of each merge: the line of versions that a branch saw."""
    ALL = "all"
    """All of them: each version comes once."""


class Ownership(enum.Enum):
    """Whose repositories are opened."""

    ANY = "any"
    """Anyone's: reading one runs nothing and follows no configuration."""
    CURRENT_USER = "current_user"
    """Only those of the user that this process runs as."""


Progress = Callable[[int, int | None], None]
"""Called now and then with how many are done, and how many there are once known: versions of a
history, files of a package. What it raises ends the work."""

_T = TypeVar("_T")
_Job = Literal["versions", "deltas", "records", "diffs"]

_VERSIONS = msgspec.json.Decoder(Version)
_DELTAS = msgspec.json.Decoder(VersionDelta)
_RECORDS = msgspec.json.Decoder(VersionRecord)
_FINDINGS = msgspec.json.Decoder(VersionFindings)
_DIFFS = msgspec.json.Decoder(HistoryDiff)
_REFERENCES = msgspec.json.Decoder(tuple[Reference, ...])
_HEAD = msgspec.json.Decoder(Head)


class Repository:
    """A git repository; safe to share between threads.

    Nothing but the repository is read: no configuration of the user or the system, no
    environment, no hook, and of its own configuration only how it is stored.
    """

    __slots__ = ("_backend", "_backend_reason", "_core")

    def __init__(self, opened: Opened) -> None:
        """Use `Repository.open`."""
        self._core, self._backend, self._backend_reason = opened

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        backend: Backend = "auto",
        ownership: Ownership = Ownership.ANY,
        object_memory: int | None = None,
        durability: Durability = Durability.PROCESS,
    ) -> Repository:
        """Open the repository at `path` or above it.

        Args:
            path: A work tree or a directory in one, a bare repository, a `.git` directory or file.
            backend: What reads and writes it: `gix` (gitoxide), `pygit2` (libgit2, of the extra
                `versiondiff[pygit2]`), or `auto`: gix, and pygit2 where gix can't open the
                repository or tell what `HEAD` stands on, pygit2 can, and it is installed. The
                results are the same. Using pygit2 sets process-wide settings of libgit2; see
                `versiondiff.isolation`.
            ownership: Whose repositories are opened.
            object_memory: The most memory, in bytes, that reading one object may take; a packed
                object takes up to about three times its size. None is 1 GiB.
            durability: What outlives what, of the notes that are written.

        Raises:
            NotFound: There is no repository.
            UnsupportedFormat: The repository is stored in a way that is not read here, such as
                with SHA-256 ids or in a reftable.
            InvalidInput: It belongs to another user, where only one's own are asked for; or
                pygit2 is asked for by name and not installed.
            VersionDiffError: It can't be opened; where no backend can, that is gix's error.
        """
        return cls(
            open_repository(
                path,
                backend=backend,
                any_owner=ownership is Ownership.ANY,
                object_memory=object_memory,
                durability=durability,
            )
        )

    @classmethod
    def from_pygit2(
        cls,
        repository: pygit2.Repository,
        *,
        object_memory: int | None = None,
        durability: Durability = Durability.PROCESS,
    ) -> Repository:
        """The repository that is open in pygit2.

        It is read with the settings with which it was opened; no process-wide setting of libgit2
        is changed. It may be used by its owner and here at the same time, from the same thread.

        Args:
            repository: An open repository that has a git directory; object stores that were added
                to it in memory are not read.
            object_memory: As in `Repository.open`.
            durability: As in `Repository.open`.

        Raises:
            InvalidInput: It has no git directory.
        """
        core = over_pygit2(
            repository,
            object_memory=object_memory,
            durable=durability is Durability.POWER,
        )
        return cls(Opened(core, "pygit2"))

    @property
    def git_dir(self) -> Path:
        """The git directory; of a linked work tree its own, below the repository's."""
        return self._core.git_dir

    @property
    def common_dir(self) -> Path:
        """The directory that holds objects and references, for all work trees."""
        return self._core.common_dir

    @property
    def backend(self) -> BackendName:
        """What reads and writes it."""
        return self._backend

    @property
    def backend_reason(self) -> str:
        """Why it is not the backend that `auto` prefers; empty where it is, or was asked for."""
        return self._backend_reason

    # ── References ──────────────────────────────────────────────────────────────────────────────

    def head(self) -> Head:
        """What `HEAD` stands on: a branch, one that has no version yet, or a version alone.

        Raises:
            InvalidInput: `HEAD`, or the branch it is on, can't be read.
        """
        return _HEAD.decode(self._core.head())

    def references(self, prefix: str | bytes = "refs/") -> tuple[Reference, ...]:
        """The references whose full names start with `prefix`, sorted by the bytes of the name.

        As in `git for-each-ref`, one that holds nothing git can read is left out. One that leads
        to an object that is missing, or to no version, is there without a commit.

        Args:
            prefix: Such as `refs/heads/` or `refs/tags/v1`. With a `/` at its end, nothing but
                that directory is read. A name that is no UTF-8 is asked for in bytes.

        Raises:
            InvalidInput: They can't be listed.
        """
        raw = prefix if isinstance(prefix, bytes) else path_bytes(prefix)
        return _REFERENCES.decode(self._core.references(raw))

    def __repr__(self) -> str:
        return f"Repository.open({str(self.git_dir)!r})"

    # ── One version ─────────────────────────────────────────────────────────────────────────────

    def version(self, revision: str) -> Version:
        """The version that `revision` names, by any name that git knows.

        Raises:
            NotFound: No version goes by that name.
        """
        return _VERSIONS.decode(self._core.single("versions", revision))

    def snapshot(self, revision: str) -> _core.Snapshot:
        """The files of the version that `revision` names, to compare with others.

        Raises:
            NotFound: No version goes by that name.
        """
        return self._core.snapshot(revision)

    def delta(
        self, revision: str, *, paths: Iterable[str] = (), rewrites: Rewrites = Rewrites.NONE
    ) -> VersionDelta:
        """What the version changed against its first parent; a version without one, all it has.

        Args:
            revision: The version, by any name that git knows.
            paths: Files and directories to look at; none means everything.
            rewrites: How to pair deletions with additions.

        Raises:
            NotFound: No version goes by that name, or an object that is needed is missing.
            InvalidInput: An object that is needed is corrupt.
            LimitExceeded: An object is larger than allowed, or directories nest too deep.
        """
        line = self._core.single("deltas", revision, paths=list(paths), rewrites=rewrites.value)
        if not line:
            # Left out, as a history leaves out a version that touches none of the paths.
            return VersionDelta(version=self.version(revision), delta=TreeDelta())
        return _DELTAS.decode(line)

    def record(self, revision: str, *, format: AnyFormat | None = None) -> VersionRecord:
        """What changed in the version against its first parent, in the format's terms.

        Args:
            revision: The version, by any name that git knows.
            format: What paths mean: the name of a built-in format, or a format. None takes the
                first built-in one that fits the version's files.

        Raises:
            UnsupportedFormat: No built-in format fits.
            NotFound: No version goes by that name, or an object that is needed is missing.
            InvalidInput: An object that is needed is corrupt, or there is no such format.
            LimitExceeded: An object is larger than allowed, or directories nest too deep.
        """
        line = self._core.single("records", revision, format=as_format(format))
        return _RECORDS.decode(line)

    def version_diff(
        self,
        revision: str,
        *,
        format: AnyFormat | None = None,
        limits: Limits = DEFAULT_LIMITS,
        rules: Rules | None = None,
        on_secret: OnSecret = "redact",
        json: JsonForm = "canonical",
        language: Language = "en",
        paths: Iterable[str] = (),
        rewrites: Rewrites = Rewrites.SIMILAR,
    ) -> VersionDiff:
        """The text of what the version changed against its first parent; see `version_diff`.

        Args:
            revision: The version, by any name that git knows.
            format: What paths mean, and which may be seen: the name of a built-in format, or a
                format. None takes the first built-in one that fits the version's files.
            limits: How long the text may be.
            rules: What counts as a secret; None is the built-in rules.
            on_secret: Hide secrets, or raise `SecretFound`.
            json: In which form JSON files are compared.
            language: The language of the marks.
            paths: Files and directories to look at; none means everything.
            rewrites: How to find files that moved.

        Raises:
            SecretFound: With `on_secret="fail"`: a changed file that may be seen holds a secret,
                or its path does.
            UnsupportedFormat: No built-in format fits.
            NotFound: No version goes by that name, or an object that is needed is missing.
            InvalidInput: An object that is needed is corrupt, or there is no such format.
            LimitExceeded: Directories nest too deep.
        """
        options = as_options(
            limits=limits,
            rules=rules,
            on_secret=on_secret,
            json=json,
            language=language,
            paths=paths,
            rewrites=rewrites,
        )
        core_format = as_format(format)
        line = self._core.single("diffs", revision, format=core_format, diff_options=options)
        if line:
            diff = _DIFFS.decode(line).diff
            if diff is not None:
                return diff
        # Left out, as a history leaves out a version that touches none of the paths.
        if core_format is None:
            core_format = self._core.detect_format(revision)
        return VersionDiff(format="" if core_format is None else core_format.name)

    # ── What is kept about versions ─────────────────────────────────────────────────────────────

    def notes(self, ref: str) -> Notes:
        """The notes of a reference, to read and to write.

        Args:
            ref: The reference, as `git notes --ref` takes it: `tsugumi`, `notes/tsugumi` and
                `refs/notes/tsugumi` are the same. It need not exist.

        Raises:
            InvalidInput: Git doesn't allow the name.
        """
        return Notes(_core.Notes(self._core, ref))

    def attached(self) -> dict[str, Attached]:
        """What versions carry, by the id of the version: runs, names, branches, `HEAD`.

        Those that carry nothing are left out. Runs are the lines of `refs/notes/tsugumi`; a note
        there about an object that is no version, or is missing, is listed by that object's id.

        Raises:
            NotFound: An object that is needed is missing.
            InvalidInput: The references or the notes can't be read.
        """
        return all_attached(self)

    def attached_to(self, revision: str) -> Attached:
        """What one version carries.

        Args:
            revision: The version, by any name that git knows.

        Raises:
            NotFound: No version goes by that name, or an object that is needed is missing.
            InvalidInput: The references or the notes can't be read.
        """
        return attached_to(self, revision)

    # ── A history ───────────────────────────────────────────────────────────────────────────────

    def versions(
        self,
        *,
        range: str | None = None,
        order: Order = Order.NEWEST_FIRST,
        parents: Parents = Parents.FIRST,
        paths: Iterable[str] = (),
    ) -> Iterator[Version]:
        """The versions of a range.

        Args:
            range: `A..B`, `A..`, `B` (all of it), `B^!` (that one alone); None is all of `HEAD`.
            order: The order in which versions come.
            parents: Which parents to follow.
            paths: Versions that touch none of these files and directories are left out.

        Raises:
            NotFound: A name in the range is not known.
            InvalidInput: It is no such range.
        """
        stream = self._core.walk(
            "versions",
            range=range,
            order=order.value,
            parents=parents.value,
            paths=list(paths),
        )
        return _decoded(stream, _VERSIONS, None)

    def deltas(
        self,
        *,
        range: str | None = None,
        paths: Iterable[str] = (),
        order: Order = Order.NEWEST_FIRST,
        parents: Parents = Parents.FIRST,
        rewrites: Rewrites = Rewrites.NONE,
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> Iterator[VersionDelta]:
        """What each version of a range changed against its first parent.

        A version that can't be compared comes with an error in place of its delta, and the walk
        goes on.

        Args:
            range: `A..B`, `A..`, `B` (all of it), `B^!` (that one alone); None is all of `HEAD`.
            paths: Files and directories to look at; versions that touch none of them are left
                out.
            order: The order in which versions come.
            parents: Which parents to follow.
            rewrites: How to pair deletions with additions.
            threads: How many threads compare; None is one for each core. What comes out is the
                same for any number.
            progress: Called now and then with how far it is.

        Raises:
            NotFound: A name in the range is not known.
            InvalidInput: It is no such range.
        """
        stream = self._core.walk(
            "deltas",
            range=range,
            order=order.value,
            parents=parents.value,
            paths=list(paths),
            rewrites=rewrites.value,
            threads=threads,
        )
        return _decoded(stream, _DELTAS, progress)

    def records(
        self,
        *,
        range: str | None = None,
        paths: Iterable[str] = (),
        format: AnyFormat | None = None,
        order: Order = Order.NEWEST_FIRST,
        parents: Parents = Parents.FIRST,
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> Iterator[VersionRecord]:
        """What changed in each version of a range, in the format's terms.

        A version that can't be compared comes with an error in place of its record, and the walk
        goes on.

        Args:
            range: `A..B`, `A..`, `B` (all of it), `B^!` (that one alone); None is all of `HEAD`.
            paths: Files and directories to look at; versions that touch none of them are left
                out.
            format: What paths mean: the name of a built-in format, or a format. None takes the
                first built-in one that fits the newest version's files.
            order: The order in which versions come.
            parents: Which parents to follow.
            threads: How many threads compare; None is one for each core. What comes out is the
                same for any number.
            progress: Called now and then with how far it is.

        Raises:
            UnsupportedFormat: No built-in format fits.
            NotFound: A name in the range is not known.
            InvalidInput: It is no such range, or there is no such format.
        """
        stream = self._walk_records(range, paths, format, order, parents, threads)
        return _decoded(stream, _RECORDS, progress)

    def version_diffs(
        self,
        *,
        range: str | None = None,
        paths: Iterable[str] = (),
        format: AnyFormat | None = None,
        limits: Limits = DEFAULT_LIMITS,
        rules: Rules | None = None,
        on_secret: OnSecret = "redact",
        json: JsonForm = "canonical",
        language: Language = "en",
        rewrites: Rewrites = Rewrites.SIMILAR,
        order: Order = Order.NEWEST_FIRST,
        parents: Parents = Parents.FIRST,
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> Iterator[HistoryDiff]:
        """The text of what each version of a range changed against its first parent.

        A version that can't be compared, or with `on_secret="fail"` one that holds a secret, comes
        with an error in place of its diff, and the walk goes on.

        Args:
            range: `A..B`, `A..`, `B` (all of it), `B^!` (that one alone); None is all of `HEAD`.
            paths: Files and directories to look at; versions that touch none of them are left
                out.
            format: What paths mean, and which may be seen: the name of a built-in format, or a
                format. None takes the first built-in one that fits the newest version's files.
            limits: How long each text may be.
            rules: What counts as a secret; None is the built-in rules.
            on_secret: Hide secrets, or give an error for the version.
            json: In which form JSON files are compared.
            language: The language of the marks.
            rewrites: How to find files that moved.
            order: The order in which versions come.
            parents: Which parents to follow.
            threads: How many threads compare; None is one for each core. What comes out is the
                same for any number.
            progress: Called now and then with how far it is.

        Raises:
            UnsupportedFormat: No built-in format fits.
            NotFound: A name in the range is not known.
            InvalidInput: It is no such range, or there is no such format.
        """
        options = as_options(
            limits=limits,
            rules=rules,
            on_secret=on_secret,
            json=json,
            language=language,
            paths=paths,
            rewrites=rewrites,
        )
        stream = self._core.walk(
            "diffs",
            range=range,
            order=order.value,
            parents=parents.value,
            format=as_format(format),
            diff_options=options,
            threads=threads,
        )
        return _decoded(stream, _DIFFS, progress)

    def record_lines(
        self,
        *,
        range: str | None = None,
        paths: Iterable[str] = (),
        format: AnyFormat | None = None,
        order: Order = Order.NEWEST_FIRST,
        parents: Parents = Parents.FIRST,
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> Iterator[bytes]:
        """As `records`, as the JSON Lines that the core writes.

        Yields:
            Chunks of whole lines, each line a `VersionRecord` that ends in a line feed.
        """
        return _chunks(self._walk_records(range, paths, format, order, parents, threads), progress)

    def delta_lines(
        self,
        *,
        range: str | None = None,
        paths: Iterable[str] = (),
        order: Order = Order.NEWEST_FIRST,
        parents: Parents = Parents.FIRST,
        rewrites: Rewrites = Rewrites.NONE,
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> Iterator[bytes]:
        """As `deltas`, as the JSON Lines that the core writes.

        Yields:
            Chunks of whole lines, each line a `VersionDelta` that ends in a line feed.
        """
        stream = self._core.walk(
            "deltas",
            range=range,
            order=order.value,
            parents=parents.value,
            paths=list(paths),
            rewrites=rewrites.value,
            threads=threads,
        )
        return _chunks(stream, progress)

    def scan(
        self,
        *,
        range: str | None = None,
        paths: Iterable[str] = (),
        rules: Rules | None = None,
        order: Order = Order.NEWEST_FIRST,
        parents: Parents = Parents.FIRST,
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> Iterator[VersionFindings]:
        """Where secrets are in the versions of a range; versions without one are left out.

        Of each version its message is scanned, and the whole of every file that it brought or
        changed against its first parent; where all parents are followed, a merge is said to bring
        only what none of them holds. A file that can't be read is said as the version's error,
        and all else is scanned.

        Args:
            range: `A..B`, `A..`, `B` (all of it), `B^!` (that one alone); None is all of `HEAD`.
            paths: Files and directories to look at; messages are looked at in any case.
            rules: What recognises secrets; None is the built-in rules.
            order: The order in which versions come.
            parents: Which parents to follow.
            threads: How many threads scan; None is one for each core. What comes out is the same
                for any number.
            progress: Called now and then with how far it is.

        Raises:
            NotFound: A name in the range is not known.
            InvalidInput: It is no such range.
        """
        stream = self._walk_scan(range, paths, rules, order, parents, threads)
        return _decoded(stream, _FINDINGS, progress)

    def scan_lines(
        self,
        *,
        range: str | None = None,
        paths: Iterable[str] = (),
        rules: Rules | None = None,
        order: Order = Order.NEWEST_FIRST,
        parents: Parents = Parents.FIRST,
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> Iterator[bytes]:
        """As `scan`, as the JSON Lines that the core writes.

        Yields:
            Chunks of whole lines, each line a `VersionFindings` that ends in a line feed.
        """
        return _chunks(self._walk_scan(range, paths, rules, order, parents, threads), progress)

    def _walk_scan(
        self,
        range: str | None,
        paths: Iterable[str],
        rules: Rules | None,
        order: Order,
        parents: Parents,
        threads: int | None,
    ) -> _core.HistoryStream:
        return self._core.walk(
            "scan",
            range=range,
            order=order.value,
            parents=parents.value,
            paths=list(paths),
            rules=core_rules(rules),
            threads=threads,
        )

    def _walk_records(
        self,
        range: str | None,
        paths: Iterable[str],
        format: AnyFormat | None,
        order: Order,
        parents: Parents,
        threads: int | None,
    ) -> _core.HistoryStream:
        return self._core.walk(
            "records",
            range=range,
            order=order.value,
            parents=parents.value,
            paths=list(paths),
            format=as_format(format),
            threads=threads,
        )


def _chunks(stream: _core.HistoryStream, progress: Progress | None) -> Iterator[bytes]:
    """The chunks of a walk, which ends when the iterator is closed."""
    try:
        while (chunk := stream.next_chunk()) is not None:
            if progress is not None:
                progress(*stream.progress())
            # An empty one only says that the next lines take long.
            if chunk:
                yield chunk
        if progress is not None:
            progress(*stream.progress())
    finally:
        stream.close()


def _decoded(
    stream: _core.HistoryStream, decoder: msgspec.json.Decoder[_T], progress: Progress | None
) -> Iterator[_T]:
    for chunk in _chunks(stream, progress):
        yield from decoder.decode_lines(chunk)
