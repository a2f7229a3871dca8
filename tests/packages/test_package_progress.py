"""Long package diffs: one line on a terminal says how far they are, and Ctrl-C ends them."""

from __future__ import annotations

import gzip
import io
import os
import pty
import select
import signal
import subprocess
import sys
import tarfile
import time
from typing import TYPE_CHECKING

import pytest

from versiondiff.packages import PackageLimits, PackagePhase, package_diff, read_package

if TYPE_CHECKING:
    from pathlib import Path

LARGE = PackageLimits(unpacked_bytes=1 << 34, ratio=1 << 34)
"""What takes long enough to be told of."""

IMPATIENT = """
import sys
from versiondiff.cli import main, progress
progress._FIRST = progress._EVERY = 0.0
raise SystemExit(main(sys.argv[1:]))
"""
"""The program, which says at once what it is at."""


def start(
    program: str, *arguments: str | Path, stdout: int, stderr: int
) -> subprocess.Popen[bytes]:
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("LC_", "LANG"))}
    return subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        env=clean | {"PYTHONPATH": os.pathsep.join(sys.path), "TERM": "xterm", "PAGER": ""},
        stdout=stdout,
        stderr=stderr,
    )


def sdist(version: str) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as tar:
        for name in ("PKG-INFO", "kanari.py"):
            content = f"Name: kanari\nVersion: {version}\n".encode()
            info = tarfile.TarInfo(f"kanari-{version}/{name}")
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return stream.getvalue()


@pytest.fixture(scope="module", params=["archives", "directories"])
def sides(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two versions of a package."""
    folder = tmp_path_factory.mktemp("sides")
    sides = [folder / "old", folder / "new"]
    for number, side in enumerate(sides):
        if request.param == "archives":
            side.write_bytes(sdist(f"1.{number}"))
        else:
            side.mkdir()
            (side / "kanari.py").write_text(f"{number}\n")
    return sides


# ── On a terminal ───────────────────────────────────────────────────────────────────────────────


def until_closed(terminal: int) -> str:
    shown = bytearray()
    while select.select([terminal], [], [], 60)[0]:
        try:
            part = os.read(terminal, 1 << 16)
        except OSError:  # how Linux says that the other end is closed
            break
        if not part:
            break
        shown += part
    os.close(terminal)
    return shown.decode()


PARTS = ["reading OLD", "reading NEW", "finding what moved", "comparing"]


def test_each_part_is_said_in_one_line_that_goes_away(sides: list[Path], tmp_path: Path) -> None:
    terminal, other_end = pty.openpty()
    page = tmp_path / "page.html"
    with start(
        IMPATIENT, "package", *sides, "--html", page, stdout=subprocess.PIPE, stderr=other_end
    ) as process:
        os.close(other_end)
        shown = until_closed(terminal)
        assert process.wait(60) == 0
    # The cursor goes to the beginning of the line, which is cleared: there is never a second one.
    assert "\n" not in shown
    said = shown.split("\r\x1b[K")
    assert (said[0], said[-1]) == ("", "")
    parts = [text.split(":")[0] for text in said if text]
    assert list(dict.fromkeys(parts)) == [*PARTS, "making the page"]
    assert page.exists()


def test_a_screen_is_not_shared_with_what_is_printed(sides: list[Path]) -> None:
    terminal, other_end = pty.openpty()
    with start(IMPATIENT, "package", *sides, stdout=other_end, stderr=other_end) as process:
        os.close(other_end)
        shown = until_closed(terminal)
        assert process.wait(60) == 0
    progress, printed = shown.rsplit("\r\x1b[K", 1)
    assert all(part in progress for part in PARTS)
    assert "\n" not in progress
    assert "Files changed" in printed
    assert not any(part in printed for part in PARTS)


def test_nothing_is_said_where_no_one_watches(sides: list[Path]) -> None:
    with start(
        IMPATIENT, "package", *sides, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, b"")


# ── In the library ──────────────────────────────────────────────────────────────────────────────


def test_phases_come_in_their_order(tmp_path: Path) -> None:
    told: list[PackagePhase] = []
    (tmp_path / "a").write_bytes(b"1\n")
    package_diff(tmp_path, {"b": b"1\n"}, phase=told.append)
    assert told == [PackagePhase.READING_OLD, PackagePhase.FINDING_MOVED, PackagePhase.COMPARING]
    told.clear()
    package_diff(tmp_path, tmp_path, phase=told.append)
    assert told == list(PackagePhase)


class Enough(Exception):
    """What a caller may raise."""


@pytest.mark.parametrize("phase", PackagePhase)
def test_what_is_raised_at_a_phase_ends_it(phase: PackagePhase, tmp_path: Path) -> None:
    told: list[PackagePhase] = []

    def stop(at: PackagePhase) -> None:
        told.append(at)
        if at is phase:
            raise Enough

    (tmp_path / "a").write_bytes(b"1\n")
    with pytest.raises(Enough):
        package_diff(tmp_path, tmp_path, phase=stop)
    assert told[-1] is phase


def test_progress_counts_the_entries_of_an_archive(tmp_path: Path) -> None:
    place = endless_archive(tmp_path)

    def stop(done: int, total: int | None) -> None:
        assert total is None
        if done == 2:
            raise Enough

    with pytest.raises(Enough):
        read_package(place, limits=LARGE, progress=stop)


# ── Ctrl-C ──────────────────────────────────────────────────────────────────────────────────────

INTERRUPTED = """
import sys
from versiondiff.packages import PackageLimits, package_diff, read_package

def say(words):
    print(words, flush=True)

def phase_interrupted(trace):
    while trace is not None:
        if trace.tb_frame.f_code.co_name == "<lambda>":
            return trace.tb_frame.f_locals["name"]
        trace = trace.tb_next

def is_within(function, trace):
    return trace is not None and (
        trace.tb_frame.f_code.co_name == function or is_within(function, trace.tb_next)
    )

def compare(old, new, wanted, **options):
    while True:
        try:
            package_diff(old, new, phase=lambda phase: say(phase.value), **options)
        except KeyboardInterrupt as interrupt:
            # Where it came while it was being said, the comparison itself is still to be ended.
            if phase_interrupted(interrupt.__traceback__.tb_next) != wanted:
                raise
"""
"""What each of the programs below begins with."""


def ended(program: str, *arguments: str | Path, at: str) -> list[str]:
    """Interrupt a program whenever it says that it is there, until it ends; what it said in all."""
    with start(
        INTERRUPTED + program, *arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        try:
            assert process.stdout is not None
            said = []
            while line := process.stdout.readline():
                said.append(line.decode().strip())
                if said[-1] == at:
                    # Mostly enough for it to go on; where it is not, it says so again.
                    time.sleep(0.1)
                    process.send_signal(signal.SIGINT)
                    if not select.select([process.stdout], [], [], 60)[0]:
                        pytest.fail("Ctrl-C does not end it")
            _, errors = process.communicate(timeout=60)
        finally:
            # One that no signal ends would be waited for until it is done.
            process.kill()
    innermost = errors.decode().rsplit('  File "', 1)[1]
    assert innermost.endswith("KeyboardInterrupt\n")
    # Not at the next step of Python's own.
    assert "_core." in innermost
    return said


def endless_archive(folder: Path) -> Path:
    """A file of 34 MB that unpacks to a terabyte: to unpack it all would take an hour."""
    zeros = gzip.compress(bytes(1 << 26), 1)
    place = folder / "endless.tar.gz.gz"
    with place.open("wb") as file:
        file.write(gzip.compress(sdist("1.0")))
        many = gzip.compress(zeros * 64, 1)
        for _ in range(300):
            file.write(many)
    return place


def test_ctrl_c_ends_the_reading_of_an_archive(tmp_path: Path) -> None:
    program = """
with open(sys.argv[1], "rb") as file:
    archive = file.read()
while True:
    try:
        say("reading")
        read_package(archive, limits=PackageLimits(unpacked_bytes=1 << 40, ratio=1 << 40))
    except KeyboardInterrupt as interrupt:
        if is_within("_read", interrupt.__traceback__):
            raise
"""
    assert ended(program, endless_archive(tmp_path), at="reading")[-1] == "reading"


@pytest.mark.parametrize("phase", [PackagePhase.READING_OLD, PackagePhase.READING_NEW])
def test_ctrl_c_ends_the_reading_of_a_directory(phase: PackagePhase, tmp_path: Path) -> None:
    # Ten thousand names of one file without a block on the disk: 640 GB to be hashed.
    endless, small = tmp_path / "endless", tmp_path / "small"
    endless.mkdir()
    small.mkdir()
    with (endless / "0").open("wb") as file:
        file.truncate(1 << 26)
    for number in range(1, 10_000):
        (endless / str(number)).hardlink_to(endless / "0")
    sides = [endless, small] if phase is PackagePhase.READING_OLD else [small, endless]
    program = "compare(*sys.argv[1:])"
    assert ended(program, *sides, phase.value, at=phase.value)[-1] == phase.value


def test_ctrl_c_ends_the_search_for_what_moved() -> None:
    # A million pairs with all lines in common but one.
    program = """
lines = b"".join(b"%d\\n" % number for number in range(5_000))
old, new = ({f"{side}{number}": b"%s%d\\n" % (side.encode(), number) + lines
             for number in range(1_000)} for side in ("a", "b"))
compare(old, new, "finding_moved")
"""
    assert ended(program, at="finding_moved")[-1] == "finding_moved"


def test_ctrl_c_ends_the_comparing_of_files() -> None:
    # Four thousand files of ten thousand lines in two orders.
    program = """
import random
lines = [b"%d\\n" % number for number in range(10_000)]
old = b"".join(lines)
random.Random(1).shuffle(lines)
new = b"".join(lines)
sides = [{str(number): side for number in range(4_000)} for side in (old, new)]
compare(*sides, "comparing", hunks=False)
"""
    assert ended(program, at="comparing")[-1] == "comparing"
