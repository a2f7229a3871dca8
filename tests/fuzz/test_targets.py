"""Every border function is fuzzed, a little here and a lot by `make fuzz`; failures are found."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

import pytest

from fuzz.broken import BROKEN
from fuzz.running import run_here, run_in_children
from fuzz.targets import TARGETS
from versiondiff import _core

if TYPE_CHECKING:
    from types import FrameType

SEED: Final = 20
SLOW: Final = {"git-writing-damaged": 2, "git-writing": 2, "git-pygit2": 8, "arguments": 3}
"""How many cases the slowest get."""


NO_TARGET: Final = {
    "__version__": "it is a text",
    "defect": "it panics on purpose, and does nothing else",
}
"""Names of the border without one, and why."""


@pytest.mark.parametrize("name", TARGETS)
def test_nothing_but_errors_of_the_package_comes_out(name: str) -> None:
    target = TARGETS[name]
    outcome = run_here(target, SEED, range(SLOW.get(name, target.share * 5)))
    assert outcome.failures == {}


def test_every_function_of_the_border_has_a_target() -> None:
    aimed = {name for target in TARGETS.values() for name in target.core}
    assert aimed == set(_core.__all__) - set(NO_TARGET)


@pytest.mark.parametrize("name", [name for name, target in TARGETS.items() if target.core])
def test_a_target_calls_what_it_says(name: str) -> None:
    target = TARGETS[name]
    called: set[str] = set()
    classes = {value: key for key, value in vars(_core).items() if isinstance(value, type)}

    def look(_frame: FrameType, event: str, function: Any) -> None:
        if event == "c_call":
            owner = getattr(function, "__self__", None)
            if type(owner) in classes:
                called.add(classes[type(owner)])
            elif isinstance(owner, type):
                called.add(classes.get(owner, ""))
            elif getattr(function, "__module__", None) == _core.__name__:
                called.add(function.__name__)

    wanted = set(target.core)
    # What no method is called of: values that are only handed on.
    wanted -= {"DiffOptions", "Snapshot", "WriteLock"}
    for case in range(400):
        sys.setprofile(look)
        try:
            target.run(SEED, case)
        finally:
            sys.setprofile(None)
        if wanted <= called:
            return
    assert wanted - called == set()


# ── Whether failures are found ──────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("good", None),
        ("raises", "KeyError"),
        ("defect", "InternalError"),
        ("panics", "_Panic"),
        ("dies", "the process died (SIGABRT)"),
        ("hangs", "hangs"),
        ("wants", "MemoryError"),
    ],
)
def test_what_goes_wrong_is_told_with_its_case(name: str, said: str | None) -> None:
    outcome = run_in_children(BROKEN[name], SEED, 0, 12, hang=1.0)
    assert outcome.cases == 12
    if said is None:
        assert outcome.failures == {}
    else:
        ((what, failure),) = outcome.failures.items()
        assert what.startswith(said)
        assert (failure.case, failure.count) == (7, 1)


def test_memory_that_grows_is_told() -> None:
    outcome = run_in_children(BROKEN["grows"], SEED, 0, 2_000)
    assert [what[:13] for what in outcome.failures] == ["memory grew b"]


def test_a_case_is_made_again_from_its_number() -> None:
    import random

    for target in TARGETS.values():
        one, other = (target.made(random.Random(f"{target.name} 1 2")) for _ in range(2))
        assert one == other, target.name
