"""Package diffs made by hand, for the tests of the page."""

from __future__ import annotations

from typing import Any, Final

from versiondiff.packages import (
    ContentKind,
    FileStatus,
    GeneratedKind,
    Hunk,
    PackageDiff,
    PackageFile,
    PackageFinding,
    PackageFindingKind,
)
from versiondiff.records import Mode

__all__ = ["HOSTILE", "SMALL", "diff", "file", "hunk", "large", "long_file"]


def hunk(*lines: str, old: int = 1, new: int = 1, heading: str = "", cut: bool = False) -> Hunk:
    """A hunk of lines with their signs; `cut`: the last line is without a line feed."""
    signs = [text[0] for text in lines]
    body = "".join(f"{text}\n" for text in lines)
    raw = body.encode("utf-8", "surrogateescape") if "\udcff" in body else None
    return Hunk(
        old_start=old,
        old_lines=len(signs) - signs.count("+"),
        new_start=new,
        new_lines=len(signs) - signs.count("-"),
        heading=heading,
        body=body + ("\\ No newline at end of file\n" if cut else ""),
        raw_body=raw,
    )


def file(path: str, *hunks: Hunk, **fields: Any) -> PackageFile:
    """A file that changed, with the counts of its hunks."""
    signs = [text[:1] for each in hunks for text in each.body.split("\n")]
    values: dict[str, Any] = {
        "status": FileStatus.CHANGED,
        "path": path,
        "old_mode": Mode.FILE,
        "new_mode": Mode.FILE,
        "added": signs.count("+"),
        "removed": signs.count("-"),
        "hunks": hunks,
    }
    return PackageFile(**(values | fields))


def diff(*files: PackageFile, **fields: Any) -> PackageDiff:
    """A diff of files."""
    values: dict[str, Any] = {
        "name": "samagotchi",
        "old_version": "0.156.0",
        "new_version": "0.158.0",
        "files": files,
    }
    return PackageDiff(**(values | fields))


SMALL: Final = diff(
    file(
        "data/docs/memory.md",
        hunk(
            " one folder per",
            "-git repository, shared by all its worktrees",
            "+project, shared by all its worktrees",
            "+and its subfolders",
            " at last",
            old=3,
            new=3,
            heading="## Memories & <scopes>",
        ),
        hunk("-    VERSION = '0.156.0'", "+    VERSION = '0.158.0'", old=90, new=91, cut=True),
    ),
    file(
        "data/lib/known-names/plugin.rb",
        hunk("+# frozen_string_literal: true"),
        status=FileStatus.RENAMED,
        old_path="data/lib/known-names/hooks/known_names.rb",
        similarity=90,
    ),
    file(
        "data/logo.png",
        status=FileStatus.ADDED,
        added=None,
        removed=None,
        content=ContentKind.BINARY,
    ),
    file(
        "data/bin/chi",
        status=FileStatus.MODE_CHANGED,
        new_mode=Mode.EXECUTABLE,
    ),
    file("data/app.min.js", hunk("-var a=1;", "+var a=2;"), generated=GeneratedKind.MINIFIED),
    file("data/lib/gone.rb", hunk("-gone", new=0), status=FileStatus.DELETED),
    findings=(
        PackageFinding(kind=PackageFindingKind.NEW_BINARY, path="data/logo.png"),
        PackageFinding(kind=PackageFindingKind.MADE_EXECUTABLE, path="data/bin/chi"),
    ),
)
"""Every kind of file, once."""

CANARY: Final = "kanari"
"""Stands in every hostile text; nothing but text may hold it."""

HOSTILE: Final = (
    "</script><script>document.title='kanari'</script>",
    "--></style></td></table></details><script>document.title='kanari'</script>",
    "\"><img src=x onerror=document.title='kanari'>",
    "'><svg onload=document.title='kanari'>",
    "<a href=\"javascript:document.title='kanari'\">kanari</a>",
    "<img src=//127.0.0.1:{port}/kanari><link rel=stylesheet href=http://127.0.0.1:{port}/kanari>",
    "<iframe srcdoc='kanari'></iframe><base href=//127.0.0.1:{port}/kanari>",
    "<meta http-equiv=refresh content='0;url=http://127.0.0.1:{port}/kanari'>",
    "@import url(//127.0.0.1:{port}/kanari); </style> kanari",
    "&lt;kanari&gt; &amp; &#60;script&#62; &nbsp;",
    "{0} {count} {kanari!r} %s %(kanari)s",
    "kanari\0nul\0\0\0\0\0\0\0\0\0\0\0",
    "\x1b[31mkanari\x1b[0m \x1b]8;;http://kanari\x07link\x1b]8;;\x07 \x9b2J",
    "\u202ekanari\u202c \u2066kanari\u2069 \u200f\u061c\ufeff",
    "ka\u200bna\u00adri\u2060\u180e\u3164\U000e0041\ufe01\U000e0101",
    "kanari\udcff\udc80",
    "kanari\u2028line\u2029paragraph\x85next\x0c\x0b",
    "kanari" + "\u0301" * 200,
    "kanari\r",
    "kanari" * 200_000,
)


def large(files: int, lines: int) -> PackageDiff:
    """Many files, each with a hunk of so many lines."""
    made = []
    for number in range(files):
        text = (
            f"{' -+'[at % 3]}    value_{number}_{at // 3} = compute({at}, 'some text')"
            for at in range(lines)
        )
        made.append(file(f"src/part_{number // 50}/file_{number}.py", hunk(*text)))
    return diff(*made)


def long_file(lines: int) -> PackageFile:
    """A new file with so many lines."""
    text = (f"+{{'row': {at}, 'text': 'a line of a long file'}}" for at in range(lines))
    return file("data/long.txt", hunk(*text, old=0), status=FileStatus.ADDED, old_mode=None)
