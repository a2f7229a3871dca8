"""Targets that do what no target may, to see that it is found."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Final

from fuzz.target import Refused, TextTarget
from versiondiff.errors import InternalError, InvalidInput

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Mapping

__all__ = ["BROKEN"]

_KEPT: Final[list[bytes]] = []
_BAD: Final = 7
"""The case that goes wrong; all before are fine, and so are those after."""


def _once(wrong: Callable[[], object]) -> Callable[[bytes, random.Random], None]:
    """All cases are refused, as is right, but for one."""

    def check(data: bytes, _dice: random.Random) -> None:
        if data == b"%d" % _BAD:
            wrong()
        raise InvalidInput("refused")

    return check


class _Numbered(TextTarget):
    """Its inputs are the numbers of the cases."""

    def __init__(self, name: str, check: Callable[[bytes, random.Random], object]) -> None:
        super().__init__(name, check, lambda: [b""])

    def run(self, seed: int, case: int) -> None:
        self._seeds = [b"%d" % case]
        self._mutations = (lambda dice, seeds, words: seeds[0],)  # noqa: ARG005
        super().run(seed, case)


def _raise(error: BaseException) -> Callable[[], None]:
    def wrong() -> None:
        raise error

    return wrong


def _keep(_data: bytes, _dice: random.Random) -> None:
    _KEPT.append(bytes(100_000))


def _refuse() -> None:
    raise Refused


class _Panic(BaseException):
    """As the border's own way to tell of a panic: no `Exception`."""


BROKEN: Final[Mapping[str, _Numbered]] = {
    target.name: target
    for target in (
        _Numbered("good", _once(_refuse)),
        _Numbered("raises", _once(_raise(KeyError("x")))),
        _Numbered("defect", _once(_raise(InternalError("a defect")))),
        _Numbered("panics", _once(_raise(_Panic("x")))),
        _Numbered("dies", _once(os.abort)),
        _Numbered("hangs", _once(lambda: time.sleep(60))),
        _Numbered("wants", _once(lambda: bytearray(1 << 40))),
        _Numbered("grows", _keep),
    )
}
