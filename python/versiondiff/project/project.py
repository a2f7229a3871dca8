"""A project: a folder whose content is kept in versions."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar

import pygit2

from versiondiff import history_file
from versiondiff._core import WriteLock
from versiondiff.durability import Durability
from versiondiff.errors import VersionDiffError
from versiondiff.project import ignore_file
from versiondiff.project.beginning import make_repository
from versiondiff.project.disk import Disk
from versiondiff.project.names import check_name
from versiondiff.project.objects import checked_text
from versiondiff.project.places import Places
from versiondiff.project.results import RunStarted, StartedFrom, UnsavedChanges, VersionKept
from versiondiff.project.writer import MoreReferences, Writer, expected_references
from versiondiff.rendering.names import catalogue
from versiondiff.rendering.names import name as shown_name
from versiondiff.repository import Ownership, Repository
from versiondiff.run_notes import append_run
from versiondiff.signatures import checked_signature

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from versiondiff.project.results import Recovery
    from versiondiff.records import Signature
    from versiondiff.runs import RunLine, RunResult
    from versiondiff.wording import Language

__all__ = ["Project"]

_T = TypeVar("_T")


class Project:
    """A project's folder, which is a git repository with a working tree.

    Safe to share between threads and with other processes: one writes at a time, and git's own
    commands are kept out of the index by git's own lock meanwhile. Nothing of git's configuration
    has an effect, be it the user's, the system's or the repository's, nor has the environment;
    `docs/versions.md` says how, and what that means for the rest of the process.

    People and times are given, never looked up; only the reflog has the clock's time.
    """

    def __init__(
        self,
        places: Places,
        *,
        ownership: Ownership,
        lock_timeout: float,
        durability: Durability,
    ) -> None:
        """Use `Project.open` or `Project.start`."""
        self._places = places
        self._lock_timeout = lock_timeout
        self._durability = durability
        self._repository = Repository.open(
            places.folder, ownership=ownership, durability=durability
        )
        self._recovered: Recovery | None = None

    @classmethod
    def open(
        cls,
        folder: str | os.PathLike[str],
        *,
        ownership: Ownership = Ownership.ANY,
        lock_timeout: float = 30.0,
        durability: Durability = Durability.PROCESS,
    ) -> Self:
        """Open the project in `folder`, and end what a killed process left half-way.

        Args:
            folder: The top of the working tree; no folder above it is looked at.
            ownership: Whose repositories are opened.
            lock_timeout: How many seconds to wait for other writers.
            durability: What outlives what, of what is written.

        Raises:
            NotFound: The folder is not there, or is under no version control.
            UnsupportedFormat: The repository is stored in a way that is not written here.
            InvalidInput: The repository is bare, or its working tree is another folder; or it
                belongs to another user, where only one's own are asked for.
            Conflict: Another writer is at it for too long.
        """
        with _errors(folder):
            places = Places.find(Path(os.path.abspath(folder)))  # noqa: PTH100 (keeps links)
            project = cls(
                places, ownership=ownership, lock_timeout=lock_timeout, durability=durability
            )
            if Writer.has_leftovers(places):
                project._write(lambda _: None)
        return project

    @classmethod
    def start(
        cls,
        folder: str | os.PathLike[str],
        *,
        author: Signature,
        language: Language = "en",
        lock_timeout: float = 30.0,
        durability: Durability = Durability.PROCESS,
    ) -> Self:
        """Start versioning: make the folder a repository, with a first version of its content.

        `.tsugumi/` is added to `.gitignore`. A folder that is a repository is opened, its
        `.gitignore` completed, and a first version made only if it has none. A folder that holds
        a history file becomes that history; see `versiondiff.history_file.adopt`.

        Args:
            folder: The project's folder.
            author: Who makes the first version, and when.
            language: The language of its message.
            lock_timeout: How many seconds to wait for other writers.
            durability: What outlives what, of what is written.

        Raises:
            NotFound: The folder is not there.
            InvalidInput: The author breaks a rule, `.gitignore` is no plain file, the history file
                breaks one of its rules, or what `open` says.
            UnsupportedFormat: What `open` says.
            Conflict: Another writer is at it for too long, or a git operation is under way.
            VersionDiffError: A file can't be read, or something can't be written.
        """
        checked_signature(author, "author")
        message = catalogue(language).message_start
        with _errors(folder):
            history_file.adopt(folder, durability=durability)
            make_repository(Path(os.path.abspath(folder)), Disk(durability))  # noqa: PTH100 (keeps links)
            project = cls.open(folder, lock_timeout=lock_timeout, durability=durability)

            def first(writer: Writer) -> None:
                aside = writer.places.own_dir / "gitignore"
                ignore_file.complete(writer.places.folder, aside, writer.disk)
                if writer.head.commit is None:
                    writer.check_idle()
                    writer.save(message, author)

            project._write(first)
        return project

    @property
    def folder(self) -> Path:
        """The top of the working tree."""
        return self._places.folder

    @property
    def repository(self) -> Repository:
        """The repository, for reading."""
        return self._repository

    @property
    def recovered(self) -> Recovery | None:
        """How it ended what a killed process left half-way: a version made, kept or restored.

        None where no call on this object found one; otherwise the last one found.
        """
        return self._recovered

    def __repr__(self) -> str:
        return f"Project.open({str(self.folder)!r})"

    def unsaved_changes(self) -> tuple[str, ...]:
        """The paths that differ from the version that HEAD stands on, sorted.

        Ignored files, submodules and other repositories in the folder are left out. Bytes that are
        no UTF-8 are surrogates, as in `os.fsdecode`.

        Raises:
            Conflict: Another writer is at it for too long, or a merge is not finished.
        """
        with _errors(self.folder):
            return tuple(
                os.fsdecode(path) for path in self._write(lambda writer: writer.changed_paths())
            )

    def start_run(self, name: str, *, author: Signature, language: Language = "en") -> RunStarted:
        """Make a version of the content a run starts with, if it changed since the last one.

        Where HEAD is detached, a version begins a branch `try-<version>`.

        Args:
            name: What the run is called, for the message `Run: <name>`.
            author: Who makes the version, and when.
            language: The language of the message.

        Raises:
            InvalidInput: The author or the name breaks a rule.
            Conflict: A merge, a rebase or the like is under way; another process writes, or moved
                the branch meanwhile.
            VersionDiffError: A file can't be read, or something can't be written.
        """
        checked_signature(author, "author")
        message = catalogue(language).message_run.format(name=_one_line(name))
        with _errors(self.folder):

            def save(writer: Writer) -> RunStarted:
                writer.check_idle()
                saved = writer.save(message, author)
                return RunStarted(
                    commit=saved.commit,
                    made=saved.made,
                    branch=saved.branch,
                    left_out=writer.left_out,
                )

            return self._write(save)

    def end_run(
        self,
        commit: str,
        run: RunResult,
        *,
        author: Signature,
        language: Language = "en",
    ) -> RunLine:
        """Note how a run ended, in a line of the note of the version that it stood on.

        Args:
            commit: What `start_run` returned.
            run: What the core recorded of it.
            author: Who notes it, and when.
            language: The language of the line.

        Returns:
            What was written.

        Raises:
            NotFound: No version goes by that name.
            InvalidInput: The author breaks a rule.
            Conflict: Other writers stood in the way for too long.
            VersionDiffError: The repository can't be written.
        """
        return append_run(
            self._repository,
            commit,
            run,
            language=language,
            author=author,
            timeout=self._lock_timeout,
        )

    def keep(
        self, name: str, *, memo: str = "", author: Signature, language: Language = "en"
    ) -> VersionKept:
        """Keep the content as a version with a name and a memo: an annotated tag.

        Content that is in no version yet becomes one first.

        Args:
            name: The name, by git's rules for tags.
            memo: What is to be known of it; the tag's message.
            author: Who keeps it, and when.
            language: The language of the message of a version that is made.

        Raises:
            InvalidInput: The author, the name or the memo breaks a rule.
            Conflict: The name is taken; or a merge, a rebase or the like is under way; or another
                process writes, or moved the branch meanwhile. Nothing is changed then.
            VersionDiffError: A file can't be read, or something can't be written.
        """
        checked_signature(author, "author")
        check_name(name)
        checked_text(memo, "memo")
        message = catalogue(language).message_keep.format(name=shown_name(name))
        with _errors(self.folder):

            def keep(writer: Writer) -> VersionKept:
                writer.check_idle()
                saved = writer.save(message, author, tag=name, memo=memo)
                return VersionKept(
                    commit=saved.commit,
                    made=saved.made,
                    branch=saved.branch,
                    name=name,
                    tag=saved.tag,
                    left_out=writer.left_out,
                )

            return self._write(keep)

    def start_from(
        self,
        revision: str,
        *,
        author: Signature,
        language: Language = "en",
        unsaved: UnsavedChanges = UnsavedChanges.KEEP,
        run_going: bool = False,
    ) -> StartedFrom:
        """Go back to a version: all of the folder's content becomes what it was then, or nothing.

        At the tip of a branch that branch goes on (the current one, then `main`, then the first by
        name); elsewhere a new branch `try-<version>` begins. No version and no file is lost: what
        is in no version stays where it is, and if it is in the way nothing happens at all.

        Args:
            revision: The version, by any name that git knows.
            author: Who makes the version of the content before, and when.
            language: The language of its message.
            unsaved: What becomes of content that is in no version.
            run_going: Whether a run is going in this folder: then nothing happens.

        Raises:
            NotFound: No version goes by that name, or an object that is needed is missing.
            Conflict: A run is going; a merge, a rebase or the like is under way; there is unsaved
                content and none is to be kept; a file is in the way; another process writes, or
                changed something meanwhile. Nothing is changed then.
            InvalidInput: The author breaks a rule, or the version has paths that must not be
                written.
            VersionDiffError: Something can't be read or written. Nothing is changed then.
        """
        checked_signature(author, "author")
        words = catalogue(language)
        with _errors(self.folder):
            target = self._repository.version(revision).id

            def restore(writer: Writer) -> StartedFrom:
                return writer.start_from(
                    target,
                    revision=revision,
                    author=author,
                    message_before=words.message_before,
                    unsaved=unsaved,
                    run_going=run_going,
                )

            return self._write(restore)

    def advance(
        self, branch: str, make: Callable[[str | None], str | None], *, author: Signature
    ) -> str | None:
        """Put a new commit on the branch, and let the folder and the index follow: all or nothing.

        For versions that are not made of the folder's content.

        Args:
            branch: The full name of the branch that HEAD has to stand on.
            make: Writes the commit on the tip that it is given (None: there is no version yet) and
                returns its id, or None where there is nothing to do. It may be called again.
            author: Whom the reflog names.

        Returns:
            What `make` returned at last.

        Raises:
            Conflict: HEAD is on another branch; the folder was edited by hand, as the message says
                where; a merge, a rebase or the like is under way; something that is in no version
                is in the way; another process writes. Nothing is changed then.
            VersionDiffError: Something can't be read or written. Nothing is changed then.
        """

        def go(writer: Writer) -> str | None:
            writer.check_stands_on(branch)
            commit = make(writer.head.commit)
            if commit is not None:
                writer.advance(commit, author)
            return commit

        with _errors(self.folder):
            return self._write(go)

    def _write(self, work: Callable[[Writer], _T]) -> _T:
        """Do something as the only writer.

        Locks of references that a killed process leaves are removed by the next writer if they
        were named before they were taken; so work that turns out to need more starts again.
        """
        references = expected_references(self._places)
        while True:
            lock = WriteLock(
                self._places.common_dir,
                sorted(self._lock_files(references)),
                self._lock_timeout,
            )
            try:
                with lock, Writer(self._places, references, self._durability) as writer:
                    if writer.recovered is not None:
                        self._recovered = writer.recovered
                    return work(writer)
            except MoreReferences as more:
                references |= more.names

    def _lock_files(self, references: set[str]) -> Iterator[str]:
        own = os.path.relpath(self._places.git_dir, self._places.common_dir)
        for name in references:
            # HEAD is each work tree's own.
            yield os.path.normpath(f"{own}/HEAD.lock") if name == "HEAD" else f"{name}.lock"


def _one_line(name: str) -> str:
    shown = shown_name(checked_text(name, "name of a run"))
    return shown.strip()


@contextlib.contextmanager
def _errors(folder: str | os.PathLike[str]) -> Iterator[None]:
    """What the system and libgit2 raise becomes an error of this library."""
    try:
        yield
    except pygit2.GitError as error:
        message = f"{os.fspath(folder)}: {error}"
        raise VersionDiffError(message) from error
    except OSError as error:
        place = error.filename if error.filename is not None else folder
        message = f"{os.fsdecode(os.fspath(place))}: {error.strerror or error}"
        raise VersionDiffError(message) from error
