"""References moved together, each only from the value that it was seen with."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec
import pygit2

from versiondiff.errors import Conflict, InvalidInput
from versiondiff.project.names import BRANCHES

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Head", "Move", "Person", "current_value", "move", "move_back", "names", "read_head"]

_SYMBOLIC: Final = "ref: "
_LOCKED: Final = "failed to lock"
"""How libgit2 says so; what the system does not let it lock is said in other words."""
_PATIENCE: Final = 2.0
"""Seconds that locks of others are waited for."""
_CRUD: Final = ".,:;<>\"\\'"


class Person(msgspec.Struct, frozen=True, kw_only=True):
    """Who moves references, for the reflog; when is the clock's, as in git."""

    name: str
    email: str


class Move(msgspec.Struct, frozen=True, kw_only=True):
    """A reference from one value to another; the same one twice is only looked at."""

    name: str
    """The full name, or `HEAD`."""
    old: str | None
    """An object id, `ref: ` and the name of a reference, or None where there is none."""
    new: str | None
    message: str = ""
    """For the reflog."""


class Head(NamedTuple):
    """Where HEAD stands."""

    value: str
    """An object id, or `ref: ` and a name."""
    branch: str | None
    """The full name of the branch; None where HEAD is detached."""
    commit: str | None
    """None on a branch without versions."""

    @property
    def short(self) -> str:
        """The branch without `refs/heads/`, or the commit: as the reflog calls it."""
        return (self.branch or self.commit or "").removeprefix(BRANCHES)


def read_head(repository: pygit2.Repository) -> Head:
    """Where HEAD stands now.

    Raises:
        InvalidInput: HEAD stands on something that is no branch.
    """
    reference = repository.lookup_reference("HEAD")
    value = _value(reference)
    if not value.startswith(_SYMBOLIC):
        return Head(value, None, value)
    branch = value.removeprefix(_SYMBOLIC)
    try:
        reference = reference.resolve()
    except KeyError:
        commit = None
    else:
        # A branch may itself be a name for another.
        branch = reference.name
        commit = str(reference.target)
    if not branch.startswith(BRANCHES):
        message = f"HEAD stands on {branch}, which is no branch"
        raise InvalidInput(message)
    return Head(value, branch, commit)


def names(repository: pygit2.Repository, prefix: str) -> list[str]:
    """The full names of all references below a prefix, sorted."""
    return sorted(name for name in repository.listall_references() if name.startswith(prefix))


def current_value(repository: pygit2.Repository, name: str) -> str | None:
    """What a reference says now, in the form of `Move`; None where there is none."""
    try:
        return _value(repository.lookup_reference(name))
    except KeyError:
        return None


def move(repository: pygit2.Repository, moves: Sequence[Move], person: Person) -> None:
    """Move all of them, or none.

    All are locked before the first is looked at. What libgit2 can't write in the end, such as on a
    full disk, is taken back.

    Raises:
        Conflict: One has another value than it was seen with, or stays locked by another process.
    """
    _identify(repository, person)
    end = time.monotonic() + _PATIENCE
    while True:
        writing = False
        try:
            with repository.transaction() as transaction:
                for change in moves:
                    transaction.lock_ref(change.name)
                _compare(repository, moves)
                for change in moves:
                    _queue(transaction, change)
                writing = True
        except BaseException as error:
            if writing:
                move_back(repository, moves, person)
            if not isinstance(error, pygit2.GitError) or writing or _LOCKED not in str(error):
                raise
            if time.monotonic() >= end:
                message = f"a reference is locked by another process: {error}"
                raise Conflict(message) from error
            time.sleep(random.uniform(0.005, 0.05))  # noqa: S311 (no secret, only jitter)
        else:
            return


def move_back(repository: pygit2.Repository, moves: Sequence[Move], person: Person) -> None:
    """Undo those that were made; what has yet another value is someone else's and stays."""
    made = [
        Move(name=change.name, old=change.new, new=change.old, message=f"undo: {change.message}")
        for change in moves
        if change.old != change.new and current_value(repository, change.name) == change.new
    ]
    if made:
        _identify(repository, person)
        with repository.transaction() as transaction:
            for change in made:
                transaction.lock_ref(change.name)
            _compare(repository, made)
            for change in made:
                _queue(transaction, change)


def _identify(repository: pygit2.Repository, person: Person) -> None:
    """Say who stands in the reflog; libgit2 refuses a name without letters and an empty address."""
    name = person.name if person.name.strip(_CRUD + " ") else "unknown"
    repository.set_ident(name, person.email or "unknown")


def _compare(repository: pygit2.Repository, moves: Sequence[Move]) -> None:
    for change in moves:
        value = current_value(repository, change.name)
        if value != change.old:
            message = f"{change.name} was moved by another process meanwhile"
            raise Conflict(message)


def _queue(transaction: pygit2.ReferenceTransaction, change: Move) -> None:
    if change.new == change.old:
        return
    if change.new is None:
        transaction.remove(change.name)
    elif change.new.startswith(_SYMBOLIC):
        target = change.new.removeprefix(_SYMBOLIC)
        transaction.set_symbolic_target(change.name, target, message=change.message)
    else:
        transaction.set_target(change.name, change.new, message=change.message)


def _value(reference: pygit2.Reference) -> str:
    target = reference.raw_target
    return _SYMBOLIC + target.decode() if isinstance(target, bytes) else str(target)
