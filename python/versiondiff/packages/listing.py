"""Package diffs as text: the listing, what to look at twice, and the hunks with both line numbers.

Paths and lines come from files that anyone can write. Each stands on its line: what could break it,
colour a terminal or turn the reading direction around is made visible, `^[` or `<U+202E>`.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final, NamedTuple

from versiondiff._core import numbered_lines, visible_lines
from versiondiff.packages.difference import ContentKind, FileStatus, GeneratedKind
from versiondiff.packages.findings import PackageFindingKind
from versiondiff.packages.remarks import flag_words, reason_words
from versiondiff.rendering.names import catalogue
from versiondiff.rendering.names import path as shortened

if TYPE_CHECKING:
    from collections.abc import Iterator

    from versiondiff.packages.difference import Hunk, PackageDiff, PackageFile
    from versiondiff.packages.findings import PackageFinding
    from versiondiff.wording import Language, Wording

__all__ = [
    "PackagePart",
    "PackagePartKind",
    "file_heading",
    "finding_line",
    "package_parts",
    "render_package",
]


class PackagePartKind(enum.Enum):
    """What lines are."""

    TITLE = "title"
    """The package and its versions, or the beginning of a part."""
    ROW = "row"
    """A file in the listing."""
    FINDING = "finding"
    """Something to look at twice."""
    FILE = "file"
    """The beginning of a file's hunks."""
    HUNK = "hunk"
    """The beginning of a hunk."""
    LINES = "lines"
    """The lines of a hunk: old number, new number, sign, text."""
    REMARK = "remark"
    """What is said beside the listing."""


class PackagePart(NamedTuple):
    """One or more lines, with line feeds between them."""

    kind: PackagePartKind
    text: str
    sign_at: int = 0
    """Of lines of a hunk: where in each its sign stands, ` `, `-`, `+` or `\\`."""


def render_package(diff: PackageDiff, *, language: Language = "en", hunks: bool = True) -> str:
    """A package diff as text, without a line feed at the end; see `package_parts`.

    Raises:
        InvalidInput: No rendering speaks that language.
    """
    text = ""
    lines: list[str] = []
    size = 0
    for part in package_parts(diff, language=language, hunks=hunks):
        lines.append(part.text)
        size += len(part.text) + 1
        if size > _PIECE:
            # Large pieces are put to the end of a text that no one else holds in place: all of them
            # and the whole are not to be there at once.
            lines.append("")
            text += "\n".join(lines)
            lines, size = [], 0
    return (text + "\n".join(lines)).removesuffix("\n") if text else "\n".join(lines)


def package_parts(
    diff: PackageDiff, *, language: Language = "en", hunks: bool = True
) -> Iterator[PackagePart]:
    """A package diff as text, part by part.

    First the package and its versions, where they are known; then every file as
    `  1. path +4 -4`, with remarks in parentheses; then what to look at twice; then, if asked for,
    the hunks of each file that has some, each line as old number, new number, sign and text.

    Raises:
        InvalidInput: No rendering speaks that language.
    """
    wording = catalogue(language)
    title = _title(diff, wording)
    if title:
        yield PackagePart(PackagePartKind.TITLE, title)
    files = wording.package_files.format(count=len(diff.files)) if diff.differs else None
    yield PackagePart(PackagePartKind.TITLE, files or wording.no_changes)
    for number, file in enumerate(diff.files, 1):
        yield PackagePart(PackagePartKind.ROW, f"  {number}. {_row(file, wording)}")
    if diff.not_compared:
        remark = wording.package_not_compared.format(count=diff.not_compared)
        yield PackagePart(PackagePartKind.REMARK, remark)
    if diff.findings:
        look_twice = wording.package_look_twice.format(count=len(diff.findings))
        yield PackagePart(PackagePartKind.TITLE, f"\n{look_twice}")
        for finding in diff.findings:
            yield PackagePart(PackagePartKind.FINDING, f"  {finding_line(finding, language)}")
    if hunks:
        for file in diff.files:
            if file.hunks:
                yield from _file(file, wording)


def finding_line(finding: PackageFinding, language: Language = "en") -> str:
    """What to look at twice, on one line.

    Raises:
        InvalidInput: No rendering speaks that language.
    """
    wording = catalogue(language)
    key = f"package_{finding.kind.value}"
    if finding.kind is PackageFindingKind.HIDDEN_CHARACTERS:
        key += "_one" if finding.count == 1 else "_many"
    elif finding.kind is PackageFindingKind.SCRIPT_CHANGED and finding.path is not None:
        key = "package_script_file_changed"
    template: str = getattr(wording, key)
    target = finding.new if finding.old is None else finding.old
    flags = [flag_words(flag, language=language) for flag in finding.flags]
    return template.format(
        path=_visible(finding.path or ""),
        old=shortened(finding.old or "") or wording.package_none,
        new=shortened(finding.new or "") or wording.package_none,
        line=finding.line,
        count=finding.count,
        to="" if target is None else wording.package_entry_to.format(target=shortened(target)),
        flags=wording.separator.join(flags),
        reason="" if finding.reason is None else reason_words(finding.reason, language=language),
    )


def _title(diff: PackageDiff, wording: Wording) -> str:
    """The package and its versions, as far as they are known."""
    if diff.old_version is None or diff.new_version is None:
        return "" if diff.name is None else shortened(diff.name)
    title = wording.package_title.format(
        name=shortened(diff.name or ""),
        old=shortened(diff.old_version),
        new=shortened(diff.new_version),
    )
    return title.strip()


def _row(file: PackageFile, wording: Wording) -> str:
    counts = "" if file.added is None else f" +{file.added} -{file.removed}"
    return f"{_visible(file.shown)}{counts}{_remarks(file, wording)}"


_CONTENTS: Final = {
    ContentKind.BINARY: "package_binary",
    ContentKind.TOO_LARGE: "package_too_large",
    ContentKind.COARSE: "package_coarse",
}
_GENERATED: Final = {
    GeneratedKind.LOCK_FILE: "package_lock_file",
    GeneratedKind.MINIFIED: "package_minified",
    GeneratedKind.GENERATED: "package_generated",
}
_STATUSES: Final = {
    FileStatus.ADDED: "package_added",
    FileStatus.CHANGED: "package_changed",
    FileStatus.DELETED: "package_deleted",
    FileStatus.RENAMED: "package_renamed",
    FileStatus.MODE_CHANGED: "package_mode_changed",
    FileStatus.TYPE_CHANGED: "package_type_changed",
}


def _remarks(file: PackageFile, wording: Wording) -> str:
    """What the counts do not tell, in parentheses."""
    remarks = []
    if file.content in _CONTENTS:
        remarks.append(getattr(wording, _CONTENTS[file.content]))
    if file.generated is not None:
        remarks.append(getattr(wording, _GENERATED[file.generated]))
    if file.mode_changed and file.old_mode is not None and file.new_mode is not None:
        modes = wording.package_mode.format(old=file.old_mode.value, new=file.new_mode.value)
        remarks.append(modes)
    return f" ({wording.separator.join(remarks)})" if remarks else ""


def _file(file: PackageFile, wording: Wording) -> Iterator[PackagePart]:
    yield PackagePart(PackagePartKind.FILE, file_heading(file, wording))
    last = file.hunks[-1]
    width = len(str(max(last.old_start + last.old_lines, last.new_start + last.new_lines)))
    for hunk in file.hunks:
        yield from _hunk(hunk, width, wording)


def file_heading(file: PackageFile, wording: Wording) -> str:
    """What stands before the hunks of a file: an empty line, and its name."""
    status = getattr(wording, _STATUSES[file.status])
    return f"\n{_visible(file.shown)} {status}{_remarks(file, wording)}"


def _hunk(hunk: Hunk, width: int, wording: Wording) -> Iterator[PackagePart]:
    place = f"@@ -{hunk.old_start},{hunk.old_lines} +{hunk.new_start},{hunk.new_lines} @@"
    heading = f" {_visible(hunk.heading)}" if hunk.heading else ""
    yield PackagePart(PackagePartKind.HUNK, place + heading)
    old, new = hunk.old_start, hunk.new_start
    for piece in _pieces(hunk.body):
        text, old, new = numbered_lines(piece, old, new, width, wording.package_no_newline)
        yield PackagePart(PackagePartKind.LINES, text, 2 * width + 2)


_PIECE: Final = 1 << 20
"""How many characters of lines are made ready at once, at least."""


def _pieces(body: str) -> Iterator[str]:
    """The lines, some at a time: a hunk may be as large as two files."""
    start = 0
    while len(body) - start > _PIECE:
        end = body.find("\n", start + _PIECE) + 1
        if not end:
            break
        yield body[start:end]
        start = end
    if start < len(body):
        yield body[start:] if start else body


def _visible(text: str) -> str:
    """Text on one line, with what could deceive made visible."""
    return visible_lines(text).replace("\n", "^J")
