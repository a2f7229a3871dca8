"""The table of all that is measured: the work, ours, the peer, the ratio, the bar."""

from __future__ import annotations

import enum
import os
import platform
import re
import subprocess
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from side_by_side import Cost

PEERS: Final = (
    "pygit2",
    "dulwich",
    "GitPython",
    "deepdiff",
    "orjson",
    "detect-secrets",
    "kingfisher-bin",
    "ripgrep",
    "diffoscope",
)


class Sense(enum.Enum):
    """On which side of its bar a value is good."""

    AT_LEAST = "≥"
    AT_MOST = "≤"


class Row(NamedTuple):
    """One thing that was measured."""

    work: str
    ours: str
    peer: str
    value: float
    """A ratio, or a number of the bar's unit."""
    bar: float
    sense: Sense = Sense.AT_LEAST
    unit: str = "×"
    cpu: str = ""
    memory: str = ""

    @property
    def holds(self) -> bool:
        if self.sense is Sense.AT_LEAST:
            return self.value >= self.bar
        return self.value <= self.bar


class Table:
    """Rows, in the order in which they were measured."""

    def __init__(self) -> None:
        self.rows: list[Row] = []

    def compare(
        self,
        work: str,
        costs: Mapping[str, Cost],
        peer: str,
        bar: float,
        *,
        ours: str = "versiondiff",
    ) -> None:
        """How many times as long the peer takes, which must not be below the bar."""
        mine, other = costs[ours], costs[peer]
        self.rows.append(
            Row(
                work=work,
                ours=_seconds(mine.wall),
                peer=f"{peer} {_seconds(other.wall)}",
                value=other.wall / mine.wall,
                bar=bar,
                cpu=f"{_seconds(mine.cpu)} / {_seconds(other.cpu)}",
                memory=f"{_bytes(mine.memory)} / {_bytes(other.memory)}",
            )
        )

    def at_most(self, work: str, value: float, bar: float, unit: str, *, said: str = "") -> None:
        """A value that must not be above the bar."""
        self.rows.append(
            Row(
                work=work,
                ours=said or _number(value, unit),
                peer="",
                value=value,
                bar=bar,
                sense=Sense.AT_MOST,
                unit=unit,
            )
        )

    def at_least(self, work: str, value: float, bar: float, unit: str) -> None:
        """A value that must not be below the bar."""
        row = Row(work=work, ours=_number(value, unit), peer="", value=value, bar=bar, unit=unit)
        self.rows.append(row)


_HEAD: Final = ("work", "ours", "peer", "ratio", "bar", "processor", "memory")


def _cells(row: Row) -> tuple[str, ...]:
    is_ratio = row.unit == "×"
    return (
        row.work,
        row.ours,
        row.peer,
        f"{row.value:.2f} ×" if is_ratio else "",
        f"{row.sense.value} {_number(row.bar, row.unit)}",
        row.cpu,
        row.memory,
    )


def as_text(rows: Sequence[Row], *, coloured: bool) -> str:
    """For a terminal: what is short in red, or marked where there is no colour."""
    lines = [_HEAD, *map(_cells, rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(_HEAD))]
    shown = []
    for line, row in zip(lines, [None, *rows], strict=True):
        text = "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        text = text.rstrip()
        if row is not None and not row.holds:
            text = f"\x1b[31m{text}\x1b[0m" if coloured else f"{text}  SHORT"
        shown.append(text)
    return "\n".join(shown)


def as_markdown(rows: Sequence[Row]) -> str:
    """For the documentation: what is short in bold."""
    lines = ["| " + " | ".join(_HEAD) + " |", "|" + " --- |" * len(_HEAD)]
    for row in rows:
        cells = list(_cells(row))
        if not row.holds:
            cells[3] = f"**{cells[3] or 'short'}**"
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


_BEGIN: Final = "<!-- measured: begin -->\n"
_END: Final = "<!-- measured: end -->\n"


def write_into(path: Path, rows: Sequence[Row], day: str) -> None:
    """Put the table in its place in a document, with the machine and the versions."""
    before, _, rest = path.read_text(encoding="utf-8").partition(_BEGIN)
    _, _, after = rest.partition(_END)
    told = f"Measured on {day}: {machine()}. {versions()}.\n"
    path.write_text(
        f"{before}{_BEGIN}\n{told}\n{as_markdown(rows)}\n\n{_END}{after}", encoding="utf-8"
    )


def machine() -> str:
    """The processor, how much of it there is, and the memory."""
    cpus = Path("/proc/cpuinfo")
    text = cpus.read_text(encoding="utf-8") if cpus.exists() else ""
    name = re.search(r"model name\s*: (.*)", text)
    processor = name[1] if name else platform.machine()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / (1 << 30)
    return f"{processor}, {os.cpu_count()} threads, {memory:.0f} GiB, {platform.system()}"


def versions() -> str:
    """Of Python, of the compiler, of git and of the peers."""
    found = [f"Python {platform.python_version()}"]
    for command in (["rustc", "--version"], ["git", "--version"]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        found.append(" ".join(done.stdout.replace("version ", "").split()[:2]))
    for peer in PEERS:
        try:
            found.append(f"{peer} {metadata.version(peer)}")
        except metadata.PackageNotFoundError:
            continue
    return ", ".join(found)


def _seconds(seconds: float) -> str:
    if seconds >= 1:
        return f"{seconds:.2f} s"
    if seconds >= 1e-3:
        return f"{seconds * 1e3:.3g} ms"
    return f"{seconds * 1e6:.3g} µs"


def _bytes(count: int | None) -> str:
    return "?" if count is None else f"{count / 1e6:.0f} MB"


def _number(value: float, unit: str) -> str:
    return f"{value:.3g} {unit}".strip()
