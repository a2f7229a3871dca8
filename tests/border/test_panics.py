"""A defect of the core is an exception like any other, and says nothing of what was being read."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from versiondiff import InternalError, VersionDiffError, _core, canonical_json

SECRET = "what was being read"


@pytest.mark.parametrize("attached", [False, True])
def test_a_panic_is_an_exception_with_its_place_and_no_text(
    attached: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(
        InternalError, match=r"^a defect in versiondiff, at door\.rs:\d+$"
    ) as caught:
        _core.defect(SECRET, attached=attached)
    assert isinstance(caught.value, VersionDiffError)
    assert SECRET not in repr(caught.value)
    # Nothing is printed past Python either.
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("attached", [False, True])
def test_the_next_call_works(attached: bool) -> None:
    for _ in range(100):
        with pytest.raises(InternalError):
            _core.defect(SECRET, attached=attached)
        assert canonical_json(b"[1]") == b"[\n  1\n]\n"


def test_a_panic_in_a_thread_is_an_exception_there() -> None:
    caught: list[BaseException] = []

    def body() -> None:
        for attached in (False, True):
            try:
                _core.defect(SECRET, attached=attached)
            except InternalError as error:
                caught.append(error)

    threads = [threading.Thread(target=body) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(caught) == 32


def test_a_process_ends_as_after_any_exception() -> None:
    code = f"from versiondiff import _core; _core.defect({SECRET!r}, attached=False)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "versiondiff.errors.InternalError: a defect in versiondiff" in done.stderr
    assert "panicked" not in done.stderr
