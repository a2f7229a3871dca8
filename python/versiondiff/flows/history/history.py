"""The history of flows in a plain git repository."""

from __future__ import annotations

import functools
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from versiondiff.durability import Durability
from versiondiff.errors import InvalidInput, NotFound
from versiondiff.flows import read_flow, write_flow_files
from versiondiff.flows.history.beginning import make_bare, make_with_folder
from versiondiff.flows.history.making import Saying, VersionMaker, Who
from versiondiff.flows.history.messages import checked_version_id, trailer_value, version_of
from versiondiff.flows.history.people import CUTTLELY
from versiondiff.flows.history.recognising import check_is_history
from versiondiff.flows.history.tree import BRANCH, FLOWS, FlowFolders, tip_of, unicode_text
from versiondiff.flows.history.versions import (
    FlowEntry,
    FlowVersion,
    Restored,
    SavedVersion,
    VersionKind,
)
from versiondiff.flows.history.writers import BareWriter, FolderWriter
from versiondiff.rendering.names import catalogue
from versiondiff.rendering.names import name as shown_name
from versiondiff.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Self

    from versiondiff.backends import Backend
    from versiondiff.flows import Credential, ReadFlow
    from versiondiff.flows.history.people import Author, Service
    from versiondiff.flows.history.writers import Writer
    from versiondiff.records import Signature
    from versiondiff.secrets import Rules
    from versiondiff.wording import Language

__all__ = ["FlowHistory"]

Flow: TypeAlias = "bytes | str | Mapping[str, Any]"
"""A flow: JSON text, or decoded."""

_SHORT_ID: Final = 7


class FlowHistory:
    """The versions of many flows; safe to share between threads, and with other processes.

    Every change becomes one commit on the branch `main`, made on the newest one, whoever else
    writes at the same time: none is lost. Where the repository has a working tree it follows each
    commit. Times and people are given, never looked up.
    """

    def __init__(
        self,
        path: Path,
        *,
        service: Service,
        language: Language,
        backend: Backend,
        lock_timeout: float,
        rules: Rules | None,
        durability: Durability,
    ) -> None:
        """Use `FlowHistory.open` or `FlowHistory.create`."""
        self._path = path
        self._service = service
        self._language = language
        self._timeout = lock_timeout
        self._rules = rules
        catalogue(language)
        self._has_folder = os.path.lexists(path / ".git")
        self._repository = Repository.open(path, backend=backend, durability=durability)
        self._check_exact()
        self._folders = FlowFolders(self._repository)
        check_is_history(self._repository, self._folders, path)
        if self._has_folder:
            # Only working trees need pygit2.
            from versiondiff.project import Project

            self._project = Project.open(path, lock_timeout=lock_timeout, durability=durability)
        self._maker = VersionMaker(
            self._folders, self._writer, service=service, language=language, rules=rules
        )

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str],
        *,
        time: int,
        bare: bool = False,
        service: Service = CUTTLELY,
        language: Language = "en",
        backend: Backend = "auto",
        lock_timeout: float = 30.0,
        rules: Rules | None = None,
        durability: Durability = Durability.PROCESS,
    ) -> Self:
        """Make a new history: a repository on the branch `main`, which begins with a README.

        Args:
            path: Where it is to be: nothing is there yet, or an empty folder.
            time: When, in seconds since 1970-01-01T00:00:00Z.
            bare: Without a working tree. One with a working tree needs `versiondiff[pygit2]`.
            service: Who writes it.
            language: The language of the README and of what versions say.
            backend: As in `Repository.open`.
            lock_timeout: How many seconds to wait for other writers.
            rules: What else counts as a secret, beside what flows are looked through for.
            durability: What outlives what, of what is written.

        Raises:
            Conflict: Something is there.
            InvalidInput: The service or the time breaks a rule.
            VersionDiffError: It can't be made.
        """
        place = Path(os.path.abspath(path))  # noqa: PTH100 (keeps links)
        service.signature(time)

        opened = functools.partial(
            cls.open,
            service=service,
            language=language,
            backend=backend,
            lock_timeout=lock_timeout,
            rules=rules,
            durability=durability,
        )
        if bare:
            make_bare(place, lambda aside: opened(aside)._begin(time), durability)
            return opened(place)
        make_with_folder(place, durability)
        history = opened(place)
        history._begin(time)
        return history

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        service: Service = CUTTLELY,
        language: Language = "en",
        backend: Backend = "auto",
        lock_timeout: float = 30.0,
        rules: Rules | None = None,
        durability: Durability = Durability.PROCESS,
    ) -> Self:
        """Open the history at `path`, and end what a killed process left half-way.

        Args:
            path: A bare repository, or the top of a working tree.
            service: Who writes it.
            language: The language of what versions say.
            backend: As in `Repository.open`.
            lock_timeout: How many seconds to wait for other writers.
            rules: What else counts as a secret, beside what flows are looked through for.
            durability: What outlives what, of what is written.

        Raises:
            NotFound: There is no repository.
            InvalidInput: It is the git directory of a working tree, which would not follow; or its
                branch `main` has files, and nothing of flows.
            UnsupportedFormat: The repository is stored in a way that is not written here.
            Conflict: Another writer is at it for too long.
        """
        place = Path(os.path.abspath(path))  # noqa: PTH100 (keeps links)
        return cls(
            place,
            service=service,
            language=language,
            backend=backend,
            lock_timeout=lock_timeout,
            rules=rules,
            durability=durability,
        )

    @property
    def path(self) -> Path:
        """Where it is."""
        return self._path

    @property
    def repository(self) -> Repository:
        """The repository, for reading."""
        return self._repository

    @property
    def is_bare(self) -> bool:
        """Whether it has no working tree."""
        return not self._has_folder

    def __repr__(self) -> str:
        return f"FlowHistory.open({str(self._path)!r})"

    # ── Reading ─────────────────────────────────────────────────────────────────────────────────

    def flows(self) -> tuple[FlowEntry, ...]:
        """The flows of the newest version, sorted by the names of their folders."""
        return tuple(
            FlowEntry(id=found.id, name=found.name, folder=f"{FLOWS}/{found.folder}")
            for found in self._folders.all(tip_of(self._repository))
        )

    def versions(self, flow: str) -> Iterator[FlowVersion]:
        """The versions of a flow, the newest first, under whatever names it had.

        Also of one that was deleted; none where it never was.

        Args:
            flow: The flow's id.
        """
        if tip_of(self._repository) is None:
            return
        wanted = trailer_value(unicode_text(flow))
        for version in self._repository.versions(range=BRANCH):
            found = version_of(version)
            if found is not None and found.flow == wanted:
                yield found

    def files(self, flow: str, version: str = BRANCH) -> dict[str, bytes]:
        """The files of a flow at a version, by their paths below its folder.

        Args:
            flow: The flow's id.
            version: Any version of the repository, by any name that git knows; by default the
                newest.

        Raises:
            NotFound: No version goes by that name, or the flow is not in it.
        """
        commit = self._repository.version(version).id
        found = self._folders.find(commit, flow)
        if found is None:
            raise NotFound(
                f"flow {shown_name(unicode_text(flow))}: is not in version {shown_name(version)}"
            )
        return self._folders.files(found)

    def read(
        self,
        flow: str,
        version: str = BRANCH,
        *,
        current: Flow | None = None,
        credentials: Mapping[str, Credential] | None = None,
    ) -> ReadFlow:
        """A flow at a version, with what is in no version taken from the flow as it is now.

        Args:
            flow: The flow's id.
            version: Any version of the repository, by any name that git knows.
            current: The flow as it is now, in any form that `read_flow` takes.
            credentials: The credentials there are, by their ids; None leaves each node the one that
                it has now.

        Raises:
            NotFound: No version goes by that name, or the flow is not in it.
            UnsupportedFormat: Its files have another format version.
            InvalidInput: Its files are not what they should be.
        """
        return read_flow(self.files(flow, version), current=current, credentials=credentials)

    # ── Versions made ───────────────────────────────────────────────────────────────────────────

    def save(
        self,
        flow: Flow,
        *,
        author: Author,
        time: int,
        offset: int = 0,
        credentials: Mapping[str, Credential] | None = None,
    ) -> SavedVersion | None:
        """Save a flow: a version of kind `save`, or `create` where it is in the newest one not.

        Args:
            flow: The flow, in any form that `write_flow` takes; it has an id.
            author: Who saves it; None is the service, as for an API key.
            time: When, in seconds since 1970-01-01T00:00:00Z.
            offset: Minutes ahead of UTC where the author is.
            credentials: The credentials there are, by their ids: they are written by name; others,
                and without any all, as unknown.

        Returns:
            The version; None where nothing changed, and none was made. When the flow was made and
            last saved (`createdDate`, `updatedDate`) is in a version, but is no change.

        Raises:
            SecretFound: What would be written still holds text that looks like a key. The message
                names the file and the pattern, never the text.
            InvalidInput: The flow, the author or the time breaks a rule.
            Conflict: The working tree was edited by hand; or another one, linked to the repository,
                would be left behind; or other writers stood in the way for too long. Nothing is
                changed then.
            VersionDiffError: The repository can't be written.
        """
        return self._put(flow, credentials, author, time, offset, Saying(VersionKind.SAVE))

    def publish(
        self,
        flow: Flow,
        *,
        author: Author,
        time: int,
        offset: int = 0,
        credentials: Mapping[str, Credential] | None = None,
    ) -> SavedVersion | None:
        """As `save`, for a flow that is published: a version of kind `publish`.

        There is one in any case: that it was published is what it tells, also of a flow that was
        saved like this before.
        """
        words = catalogue(self._language).flow_published
        saying = Saying(VersionKind.PUBLISH, lambda name: words.format(name=name))
        return self._put(flow, credentials, author, time, offset, saying)

    def promote(
        self,
        flow: Flow,
        *,
        from_version: str,
        author: Author,
        time: int,
        offset: int = 0,
        credentials: Mapping[str, Credential] | None = None,
    ) -> SavedVersion | None:
        """As `save`, for a flow that is copied from Dev: a version of kind `promote`, in any case.

        Args:
            flow: The flow.
            from_version: The full id of the version from Dev that it copies, 40 hexadecimal digits.
            author: Who promotes it.
            time: When.
            offset: Minutes ahead of UTC.
            credentials: The credentials there are here, by their ids.
        """
        words = catalogue(self._language).flow_promoted
        saying = Saying(
            VersionKind.PROMOTE,
            lambda name: words.format(name=name),
            source=checked_version_id(from_version),
        )
        return self._put(flow, credentials, author, time, offset, saying)

    def restore(
        self,
        flow: str,
        version: str,
        *,
        current: Flow | None = None,
        author: Author,
        time: int,
        offset: int = 0,
        credentials: Mapping[str, Credential] | None = None,
    ) -> Restored:
        """Bring an earlier version of a flow back: a version of kind `restore`.

        Args:
            flow: The flow's id.
            version: The version, by any name that git knows.
            current: The flow as it is now; what is in no version comes from it.
            author: Who restores it.
            time: When.
            offset: Minutes ahead of UTC.
            credentials: The credentials there are, by their ids; None leaves each node the one that
                it has now.

        Returns:
            The flow as it is to be now, what could not be brought back, and the version.

        Raises:
            NotFound: No version goes by that name, or the flow is not in it.
            UnsupportedFormat: Its files have another format version.
            VersionDiffError: As for `save`.
        """
        words = catalogue(self._language).flow_restored
        return self._back(
            VersionKind.RESTORE, words, flow, version, current, author, time, offset, credentials
        )

    def rollback(
        self,
        flow: str,
        version: str,
        *,
        current: Flow | None = None,
        author: Author,
        time: int,
        offset: int = 0,
        credentials: Mapping[str, Credential] | None = None,
    ) -> Restored:
        """As `restore`, for what is published: a version of kind `rollback`, in any case.

        The flow itself may be like that version already; what is published was not.
        """
        words = catalogue(self._language).flow_rolled_back
        return self._back(
            VersionKind.ROLLBACK, words, flow, version, current, author, time, offset, credentials
        )

    def delete(
        self, flow: str, *, author: Author, time: int, offset: int = 0
    ) -> SavedVersion | None:
        """Delete a flow: a version without its folder. Earlier versions still have it.

        Args:
            flow: The flow's id.
            author: Who deletes it.
            time: When.
            offset: Minutes ahead of UTC.

        Returns:
            The version; None where the flow is in the newest one not.

        Raises:
            Conflict, InvalidInput, VersionDiffError: As for `save`.
        """
        return self._maker.delete(flow, self._who(author, time, offset))

    # ── Parts ───────────────────────────────────────────────────────────────────────────────────

    def _back(
        self,
        kind: VersionKind,
        words: str,
        flow: str,
        version: str,
        current: Flow | None,
        author: Author,
        time: int,
        offset: int,
        credentials: Mapping[str, Credential] | None,
    ) -> Restored:
        commit = self._repository.version(version)
        read = self.read(flow, commit.id, current=current, credentials=credentials)
        short = commit.id[:_SHORT_ID]
        saying = Saying(
            kind,
            lambda name: words.format(name=name, version=short),
            flow=flow,
        )
        saved = self._put(read.flow, credentials, author, time, offset, saying)
        return Restored(flow=read.flow, unresolved=tuple(read.unresolved), saved=saved)

    def _put(
        self,
        flow: Flow,
        credentials: Mapping[str, Credential] | None,
        author: Author,
        time: int,
        offset: int,
        saying: Saying,
    ) -> SavedVersion | None:
        who = self._who(author, time, offset)
        written = write_flow_files(flow, credentials=credentials, rules=self._rules)
        return self._maker.put(written, saying, who)

    def _who(self, author: Author, time: int, offset: int = 0) -> Who:
        return Who(self._service.author(author, time, offset), self._service.signature(time))

    def _writer(self, committer: Signature) -> Writer:
        if self._has_folder:
            return FolderWriter(self._repository, self._project, committer)
        return BareWriter(self._repository, self._timeout)

    def _begin(self, time: int) -> None:
        self._maker.begin(self._who(None, time))

    def _check_exact(self) -> None:
        """Check that the repository is the one at the path, and none above it or beside it."""
        git_dir = self._repository.git_dir
        if self._has_folder:
            return
        if not git_dir.samefile(self._path):
            raise NotFound(f"{self._path}: is no git repository, nor the top of a working tree")
        if git_dir.name == ".git" or (git_dir / "index").exists():
            raise InvalidInput(f"{self._path}: has a working tree: open its folder")
