"""The examples of the README and of the documentation do what they show.

In each page, blocks run from top to bottom in one new folder:

- `python`: runs, with the names of the blocks above it. Where an `output` block comes next, it is
  what the code prints.
- `console`: lines that start with `$ ` are commands of `versiondiff`, and the lines below one are
  what it prints, on stdout. A line `...` stands for any number of lines.

Blocks of other languages are not run.
"""

from __future__ import annotations

import contextlib
import fnmatch
import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    path.relative_to(ROOT).as_posix() for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
)
# These need a repository of their own, and are run where it is made.
ELSEWHERE = {"docs/cli.md": "tests/cli/test_documentation.py"}
FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    """A fenced block of a page."""

    language: str
    text: str
    line: int


def blocks(page: str) -> list[Block]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return [
        Block(found[1], found[2], text.count("\n", 0, found.start()) + 2)
        for found in FENCE.finditer(text)
    ]


def examples(page: str) -> list[Block]:
    return [block for block in blocks(page) if block.language in {"python", "console"}]


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page not in ELSEWHERE and examples(page)]
)
def test_examples(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "example"}
    all_blocks = blocks(page)
    for at, block in enumerate(all_blocks):
        if block.language == "python":
            printed = run_python(block, page, names)
            following = all_blocks[at + 1] if at + 1 < len(all_blocks) else None
            if following is not None and following.language == "output":
                assert_shown(printed, following.text, f"{page}:{following.line}")
        elif block.language == "console":
            for command, shown, line in commands(block):
                assert_shown(run_command(command, f"{page}:{line}"), shown, f"{page}:{line}")


def run_python(block: Block, page: str, names: dict[str, Any]) -> str:
    # Lines of errors are those of the page.
    code = compile("\n" * (block.line - 1) + block.text, page, "exec")
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(code, names)  # noqa: S102 (our own documentation)
    return out.getvalue()


def commands(block: Block) -> list[tuple[str, str, int]]:
    """Each command, the output shown, and its line."""
    found: list[tuple[str, list[str], int]] = []
    for line, text in enumerate(block.text.splitlines(), block.line):
        if text.startswith("$ "):
            found.append((text[2:], [], line))
        else:
            assert found, "a console block starts with a command"
            found[-1][1].append(text)
    return [(command, "\n".join(shown), line) for command, shown, line in found]


def run_command(command: str, place: str) -> str:
    program, *arguments = shlex.split(command)
    assert program == "versiondiff", f"{place}: only versiondiff is run"
    ran = subprocess.run(
        [sys.executable, "-m", program, *arguments],
        capture_output=True,
        encoding="utf-8",
        env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "PYTHONUTF8": "1"},
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert ran.returncode in {0, 1}, f"{place}: {ran.stderr}"
    return ran.stdout


def assert_shown(printed: str, shown: str, place: str) -> None:
    """What was printed is what is shown; spaces at the ends of lines do not count."""
    got = [line.rstrip() for line in printed.strip("\n").splitlines()]
    want = [line.rstrip() for line in shown.strip("\n").splitlines()]
    assert matches(got, want), f"{place}: printed\n" + "\n".join(got)


def matches(got: list[str], want: list[str]) -> bool:
    """Whether the lines are those wanted, `...` standing for any number of lines."""
    escaped = [re.sub(r"([\[*?])", r"[\1]", line) for line in want]
    pattern = "\n".join("*" if line == "..." else line for line in escaped) + "\n"
    text = "\n".join(got) + "\n"
    # A `...` that stands for no line at all leaves no empty line either.
    return fnmatch.fnmatchcase(text, pattern.replace("*\n", "*"))


def test_links_lead_somewhere() -> None:
    links = re.compile(r"\]\(([^)#:]+)\)")
    targets = [
        (page, target)
        for page in PAGES
        for target in links.findall((ROOT / page).read_text(encoding="utf-8"))
    ]
    broken = [pair for pair in targets if not (ROOT / pair[0]).parent.joinpath(pair[1]).exists()]
    assert broken == []
