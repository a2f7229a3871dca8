"""What holds for all tests."""

from __future__ import annotations

import importlib.util
import signal
import threading
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

from versiondiff import Repository

if TYPE_CHECKING:
    from versiondiff.backends import BackendName

# A shell that starts the tests in the background has them ignore Ctrl-C, and so would every program
# that they start: those that are about Ctrl-C would wait for ever.
if (
    signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    and threading.current_thread() is threading.main_thread()
):
    signal.signal(signal.SIGINT, signal.default_int_handler)


# The same cases in each run, so that a change is not blamed for what chance has found elsewhere:
# `make fuzz` draws others, with --hypothesis-profile=default.
settings.register_profile("repeatable", derandomize=True)
settings.load_profile("repeatable")


@pytest.fixture(params=["gix", "pygit2"])
def backend(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> BackendName:
    """Each backend in turn: `Repository.open` takes it where a test names none."""
    name: BackendName = request.param
    if name == "pygit2" and importlib.util.find_spec("pygit2") is None:
        pytest.skip("pygit2 is not installed: the contract is shown for gix alone")
    opened = Repository.open

    def open_with_it(path: Any, **options: Any) -> Repository:
        return opened(path, **({"backend": name} | options))

    monkeypatch.setattr(Repository, "open", open_with_it)
    return name
