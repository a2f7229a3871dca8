"""What is fuzzed: a function that takes an input, where inputs come from, what may come out."""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING, Final, Generic, NamedTuple, TypeVar

from fuzz.mutator import Files, Mutation, in_bytes, in_files, in_json
from versiondiff.errors import InternalError, VersionDiffError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from versiondiff.wording import Language

__all__ = ["IN_MEMORY", "LANGUAGES", "FilesTarget", "Pair", "Refused", "Target", "TextTarget"]

_Input = TypeVar("_Input")

LANGUAGES: Final[tuple[Language, ...]] = ("en", "ja")

IN_MEMORY: Final = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # noqa: S108
"""Where files are made and removed at once; elsewhere a disk would set the pace."""


class Refused(Exception):
    """An input was refused in a way that is documented, though by no error of the package."""


class Target(Generic[_Input]):
    """Something that reads what anyone may have written."""

    def __init__(
        self,
        name: str,
        check: Callable[[_Input, random.Random], object],
        *,
        core: Sequence[str] = (),
        share: int = 1,
    ) -> None:
        """Name it.

        Args:
            name: What it is called on the command line.
            check: Calls the border with an input, and asserts what holds. What else it needs it
                draws from the dice.
            core: The names of `versiondiff._core` that it calls.
            share: How many cases it gets, in proportion to others. Slow ones get few.
        """
        self.name = name
        self.core = tuple(core)
        self.share = share
        self._check = check

    def made(self, dice: random.Random) -> _Input:
        """An input."""
        raise NotImplementedError

    def run(self, seed: int, case: int) -> None:
        """Make the input of a case and have it read.

        Raises:
            Exception: The case failed.
        """
        dice = random.Random(f"{self.name} {seed} {case}")
        made = self.made(dice)
        try:
            self._check(made, dice)
        except InternalError:
            raise
        except (VersionDiffError, Refused):
            pass


class TextTarget(Target[bytes]):
    """One that reads bytes."""

    def __init__(
        self,
        name: str,
        check: Callable[[bytes, random.Random], object],
        seeds: Callable[[], Sequence[bytes]],
        *,
        mutations: Sequence[Mutation] = (in_bytes,),
        words: Sequence[bytes] = (),
        core: Sequence[str] = (),
        share: int = 1,
    ) -> None:
        """See `Target`.

        Args:
            seeds: Good inputs; called once, when the first case is made.
            mutations: How inputs are made of them, one for each case.
            words: What the form knows, to be put in.
        """
        super().__init__(name, check, core=core, share=share)
        self._make_seeds = seeds
        self._seeds: Sequence[bytes] | None = None
        self._mutations = mutations
        self._words = words

    def made(self, dice: random.Random) -> bytes:
        if self._seeds is None:
            self._seeds = self._make_seeds()
        return dice.choice(self._mutations)(dice, self._seeds, self._words)


class Pair(NamedTuple):
    """Two versions of a folder."""

    old: Files
    new: Files


class FilesTarget(Target[Pair]):
    """One that reads two versions of a folder: the second comes from the first, or from another."""

    def __init__(
        self,
        name: str,
        check: Callable[[Pair, random.Random], object],
        seeds: Callable[[], Sequence[Mapping[str, bytes]]],
        *,
        mutation: Mutation = in_json,
        words: Sequence[bytes] = (),
        core: Sequence[str] = (),
        share: int = 1,
    ) -> None:
        """See `TextTarget`; the mutation is that of JSON files, others are changed as bytes."""
        super().__init__(name, check, core=core, share=share)
        self._make_seeds = seeds
        self._seeds: Sequence[Mapping[str, bytes]] | None = None
        self._mutation = mutation
        self._words = words

    def made(self, dice: random.Random) -> Pair:
        if self._seeds is None:
            self._seeds = self._make_seeds()
        old = dict(dice.choice(self._seeds))
        if dice.random() < 0.3:
            old = in_files(dice, old, self._words, self._mutation)
        new = dict(dice.choice(self._seeds)) if dice.random() < 0.1 else old
        return Pair(old, in_files(dice, new, self._words, self._mutation))
