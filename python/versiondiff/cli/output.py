"""Where lines go: a pager, a terminal or a pipe; coloured or plain."""

from __future__ import annotations

import contextlib
import enum
import os
import sys
from typing import IO, TYPE_CHECKING, Final

from versiondiff.cli.arguments import Colour

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from versiondiff.cli.arguments import ScreenOptions

__all__ = ["Output", "Style", "note", "opened", "say"]


class Style(enum.Enum):
    """A colour, or another way to make text stand out, by its SGR number (ECMA-48)."""

    PLAIN = ""
    BOLD = "1"
    FAINT = "2"
    RED = "31"
    GREEN = "32"
    YELLOW = "33"
    BLUE = "34"
    MAGENTA = "35"
    CYAN = "36"


class Output:
    """Takes lines and bytes, and colours or not."""

    def __init__(self, stream: IO[bytes], *, coloured: bool, encoding: str, watched: bool) -> None:
        self._stream = stream
        self._coloured = coloured
        self._encoding = encoding
        self._watched = watched

    @property
    def is_plain(self) -> bool:
        """Whether text is written as it is, in UTF-8, and no one watches."""
        return not self._coloured and not self._watched and _is_utf8(self._encoding)

    @property
    def coloured(self) -> bool:
        """Whether styles are shown."""
        return self._coloured

    def can_write(self, text: str) -> bool:
        """Whether the encoding has all of its characters."""
        try:
            text.encode(self._encoding)
        except UnicodeEncodeError:
            return False
        return True

    def styled(self, text: str, style: Style) -> str:
        """The text in a style, where styles are shown."""
        if not self._coloured or style is Style.PLAIN:
            return text
        return f"\x1b[{style.value}m{text}\x1b[m"

    def write(self, text: str) -> None:
        """Write text, and a line break after it."""
        self.write_line(text.encode(self._encoding, "replace"))

    def write_line(self, line: bytes) -> None:
        """Write bytes as they are, and a line break after them."""
        self.write_part(line + b"\n")

    def write_part(self, part: bytes) -> None:
        """Write bytes as they are: a part of a line."""
        left = memoryview(part)
        while left:
            left = left[self._stream.write(left) :]
        if self._watched:
            self._stream.flush()


@contextlib.contextmanager
def opened(options: ScreenOptions) -> Iterator[Output]:
    """The output that was asked for; the pager, if any, has ended when this is left.

    Raises:
        BrokenPipeError: whoever reads has stopped reading.
    """
    terminal = sys.stdout.isatty()
    coloured = options.color is Colour.ALWAYS or (
        options.color is Colour.AUTO and terminal and _wants_colour(os.environ)
    )
    encoding = sys.stdout.encoding or "utf-8"
    pager = _pager(os.environ) if terminal and options.pager else None
    if pager is None:
        stream = sys.stdout.buffer
        yield Output(stream, coloured=coloured, encoding=encoding, watched=terminal)
        stream.flush()
    else:
        with _paged(pager) as stream:
            yield Output(stream, coloured=coloured, encoding=encoding, watched=True)


def _is_utf8(encoding: str) -> bool:
    return encoding.lower().replace("_", "-") in ("utf-8", "utf8")


def say(text: str) -> None:
    """Write a line that tells a person what was done, on stdout, in any encoding."""
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.buffer.write(f"{text}\n".encode(encoding, "replace"))
    sys.stdout.buffer.flush()


def note(text: str) -> None:
    """Say something beside the output, on stderr."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def _wants_colour(environment: Mapping[str, str]) -> bool:
    return not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"


_NO_PAGER: Final = "cat"


def _pager(environment: Mapping[str, str]) -> list[str] | None:
    """The pager's program and arguments; None where there is none, or none is wanted."""
    import shlex
    import shutil

    try:
        command = shlex.split(environment.get("PAGER", "less"))
    except ValueError:
        return None
    if not command or command == [_NO_PAGER]:
        return None
    program = shutil.which(command[0])
    return None if program is None else [program, *command[1:]]


@contextlib.contextmanager
def _paged(command: list[str]) -> Iterator[IO[bytes]]:
    import subprocess

    # As git does: end at once if it fits on a screen (F), show colours (R), leave the screen as it
    # is (X). Run without a shell.
    environment = {"LESS": "FRX", "LV": "-c", **os.environ}
    # Not buffered, so that nothing is left to be written, and to wait for, when it is closed.
    process = subprocess.Popen(  # noqa: S603 (the user's own choice of program)
        command, bufsize=0, stdin=subprocess.PIPE, env=environment
    )
    stream = process.stdin
    if stream is None:  # pragma: no cover (it was asked for above)
        message = "pager: no pipe"
        raise OSError(message)
    try:
        yield stream
    finally:
        # A terminal sends Ctrl-C to the pager too, which lives on and gives the terminal back in
        # good order when it is left: wait for that.
        stream.close()
        while process.returncode is None:
            with contextlib.suppress(KeyboardInterrupt):
                process.wait()
