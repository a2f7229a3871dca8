"""The files of a package diff as HTML: a section each, with its hunks as tables.

How much of a file is shown follows from weights: what a browser has to do for a line, counted in
characters of HTML. A file has at most its own limit, and where the page has not room for all of
them, every file has the same share: no file, however long, keeps another one from being shown.
What a file leaves of its share goes to those after it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec

from versiondiff.packages import page_text
from versiondiff.packages.difference import ContentKind, FileStatus, GeneratedKind, shown_path
from versiondiff.packages.page_text import LINE_CHARACTERS, escaped, name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from versiondiff.packages.difference import Hunk, PackageFile
    from versiondiff.wording import Wording

__all__ = [
    "FILE_WEIGHT",
    "OPEN_LINES",
    "PAGE_WEIGHT",
    "count",
    "counts",
    "file_section",
    "kinds",
    "shares",
]

PAGE_WEIGHT: Final = 12_000_000
"""Of all lines of a page."""

FILE_WEIGHT: Final = 2_000_000
"""Of the lines of one file: some 16,000 lines of code."""

OPEN_LINES: Final = 400
"""A file with more lines is folded at first, and so is what is generated."""

_ROW: Final = 60
"""The weight of a line without its text: the elements of its row."""
_HUNK: Final = 500
"""The weight of a hunk without its lines: a table and its heads."""
_MARK: Final = 48
"""The weight of an element in a line, over its characters."""
_TABLE_ROWS: Final = 400
"""A longer hunk is put into several tables, for a browser draws a table as a whole."""

_ROWS: Final = {"+": '<tr class="a">', "-": '<tr class="d">', " ": "<tr>"}
_CUT: Final = "\\"
"""The sign of what a patch says after a line that has no line feed."""
_Row: TypeAlias = tuple[str, int | None, int | None, str]


def shares(files: Sequence[PackageFile]) -> list[int]:
    """How much weight each file may have, so that all of them fit into the page."""
    wanted = [_wanted(file) for file in files]
    room, waiting = PAGE_WEIGHT, len(wanted)
    share = FILE_WEIGHT
    # The small ones have what they want; what they leave is shared by the others.
    for weight in sorted(wanted):
        share = min(FILE_WEIGHT, room // waiting)
        if weight > share:
            break
        room -= weight
        waiting -= 1
    return [min(weight, share) for weight in wanted]


def _wanted(file: PackageFile) -> int:
    """About what the lines of a file weigh; no more than the limit."""
    weight = 0
    for hunk in file.hunks:
        body = hunk.body
        # Twice a row's weight leaves room for entities and for the marks of what changed.
        weight += _HUNK + 2 * _ROW * body.count("\n")
        weight += (
            len(body)
            if len(body) <= LINE_CHARACTERS
            else sum(min(len(text), LINE_CHARACTERS) for text in body.split("\n"))
        )
        if weight >= FILE_WEIGHT:
            return FILE_WEIGHT
    return weight


def shown_name(file: PackageFile) -> str:
    """The path of a file as it is shown, with the bytes that are no UTF-8 as surrogates."""
    path = exact(file.path, file.raw_path)
    return path if file.old_path is None else shown_path(_old_path(file), path)


def _old_path(file: PackageFile) -> str:
    return exact(file.old_path or "", file.raw_old_path)


def exact(text: str, raw: bytes | None) -> str:
    """A text with nothing lost: bytes that are no UTF-8 are surrogates, as `os.fsdecode` has it."""
    return text if raw is None else raw.decode("utf-8", "surrogateescape")


def kinds(file: PackageFile, *, flagged: bool) -> list[str]:
    """What a file can be filtered by."""
    names = [file.status.value]
    if file.mode_changed and file.status is not FileStatus.TYPE_CHANGED:
        names.append(FileStatus.MODE_CHANGED.value)
    if file.binary:
        names.append("binary")
    if file.generated is not None:
        names.append("generated")
    if flagged:
        names.append("flagged")
    return list(dict.fromkeys(names))


def counts(file: PackageFile) -> str:
    """`+N -N` of a file; nothing of a binary one."""
    if file.added is None or file.removed is None:
        return ""
    return count("p", "+", file.added) + " " + count("m", "-", file.removed)


def count(name: str, sign: str, number: int) -> str:
    """A count of lines; one of none is quiet."""
    return f'<span class="{name}{"" if number else " z"}">{sign}{number:,}</span>'


def file_section(
    number: int, file: PackageFile, *, room: int, sentences: Sequence[str], wording: Wording
) -> tuple[list[str], int]:
    """The section of a file, in pieces, and how much of its room its lines took.

    Args:
        number: Its number in the listing, from 1.
        file: The file.
        room: How much weight its lines may have.
        sentences: What makes a reviewer look twice at it.
        wording: The words of the page.
    """
    lines = sum(_line_count(hunk) for hunk in file.hunks)
    names = kinds(file, flagged=bool(sentences))
    folded = lines > OPEN_LINES or file.generated is not None
    parts = [
        f'<article id="f{number}" class="{" ".join(names)}"><details{"" if folded else " open"}>'
        f"<summary><h3>{name(shown_name(file), wording)}</h3>"
        f'<span class="s">{labels(names, file, wording)} {counts(file)}</span></summary>\n'
    ]
    if sentences:
        items = "".join(f"<li>{name(sentence, wording)}</li>" for sentence in sentences)
        parts.append(f'<ul class="said">{items}</ul>\n')
    parts += [
        f'<p class="said">{name(remark, wording)}</p>\n' for remark in _remarks(file, wording)
    ]
    shown, left = 0, room
    for hunk in file.hunks:
        rows, left = _rows(hunk, left, wording)
        shown += len(rows)
        if rows:
            parts += _tables(hunk, rows, wording)
        if len(rows) < _line_count(hunk):
            break
    if shown < lines:
        said = wording.package_page_lines_left_out.format(
            shown=f"{shown:,}", count=f"{lines:,}", rest=f"{lines - shown:,}"
        )
        parts.append(f'<p class="said">{escaped(said)}</p>\n')
    parts.append("</details></article>\n")
    return parts, room - left


def labels(names: Iterable[str], file: PackageFile, wording: Wording) -> str:
    """What a file is, as labels."""
    said = kind_words(wording)
    if file.generated is not None:
        said["generated"] = {
            GeneratedKind.LOCK_FILE: wording.package_lock_file,
            GeneratedKind.MINIFIED: wording.package_minified,
            GeneratedKind.GENERATED: wording.package_generated,
        }[file.generated]
    return " ".join(f'<span class="k {name}">{escaped(said[name])}</span>' for name in names)


def kind_words(wording: Wording) -> dict[str, str]:
    """What each kind that a file can be filtered by is called, in the order of the page's list."""
    return {
        FileStatus.ADDED.value: wording.package_added,
        FileStatus.CHANGED.value: wording.package_changed,
        FileStatus.RENAMED.value: wording.package_renamed,
        FileStatus.MODE_CHANGED.value: wording.package_mode_changed,
        FileStatus.TYPE_CHANGED.value: wording.package_type_changed,
        FileStatus.DELETED.value: wording.package_deleted,
        "binary": wording.package_binary,
        "generated": wording.package_generated,
        "flagged": wording.package_page_flagged,
    }


def _remarks(file: PackageFile, wording: Wording) -> Iterator[str]:
    """What is said of a file beside its lines."""
    if file.old_path is not None:
        yield wording.package_page_was.format(path=_old_path(file))
    if file.old_mode is not None and file.new_mode is not None and file.mode_changed:
        yield wording.package_mode.format(old=file.old_mode.value, new=file.new_mode.value)
    if file.generated is not None:
        yield wording.package_page_is_generated
    if file.content is ContentKind.BINARY:
        yield wording.package_page_is_binary
    elif file.content is ContentKind.TOO_LARGE:
        yield wording.package_too_large
    elif file.content is ContentKind.COARSE:
        yield wording.package_coarse
    elif not file.hunks:
        yield wording.package_page_no_lines


def _line_count(hunk: Hunk) -> int:
    """How many lines a hunk has."""
    return hunk.body.count("\n") - hunk.body.count(f"\n{_CUT}")


def _rows(hunk: Hunk, share: int, wording: Wording) -> tuple[list[str], int]:
    """The rows of a hunk that a share is enough for, and what is left of it."""
    if hunk.raw_body is not None:
        hunk = msgspec.structs.replace(hunk, body=exact(hunk.body, hunk.raw_body), raw_body=None)
    share -= _HUNK
    # No row weighs less, so no more can be shown.
    lines = list(_lines(hunk, max(share, 0) // _ROW + 2))
    changes = _changes(lines)
    rows: list[str] = []
    for at, (sign, old, new, text) in enumerate(lines):
        if sign == _CUT:
            continue
        if share <= 0:
            break
        said = page_text.line(sign, text, changes.get(at), wording)
        if at + 1 < len(lines) and lines[at + 1][0] == _CUT:
            said += f" <i>{escaped(wording.package_no_newline)}</i>"
        share -= _ROW + len(said) + _MARK * said.count("<b>")
        old_number = "" if old is None else old
        new_number = "" if new is None else new
        rows.append(
            f"{_ROWS[sign]}<td>{old_number}</td><td>{new_number}</td><td>{said}</td></tr>\n"
        )
    return rows, share


def _lines(hunk: Hunk, most: int) -> Iterator[_Row]:
    """The first lines of a hunk: sign, old number, new number, text."""
    old, new = hunk.old_start, hunk.new_start
    for text in hunk.body.split("\n", most)[:most]:
        sign = text[:1]
        if sign:
            # Nothing else stands in a body that was not made up.
            sign = sign if sign in _ROWS else _CUT
            in_old, in_new = sign in " -", sign in " +"
            yield sign, old if in_old else None, new if in_new else None, text[1:]
            old += in_old
            new += in_new


def _changes(lines: Sequence[_Row]) -> dict[int, tuple[int, int]]:
    """Which part of which line changed, where as many lines came as went."""
    found: dict[int, tuple[int, int]] = {}
    at = 0
    while at < len(lines):
        removed = _run(lines, at, "-")
        added = _run(lines, removed, "+")
        came = [place for place in range(removed, added) if lines[place][0] == "+"]
        went = [place for place in range(at, removed) if lines[place][0] == "-"]
        if len(came) == len(went):
            for old, new in zip(went, came, strict=True):
                for one, other in ((old, new), (new, old)):
                    part = page_text.changed_part(lines[one][3], lines[other][3])
                    if part is not None:
                        found[one] = part
        at = max(added, at + 1)
    return found


def _run(lines: Sequence[_Row], start: int, sign: str) -> int:
    """Where the lines of a sign end that start here."""
    while start < len(lines) and lines[start][0] in (sign, _CUT):
        start += 1
    return start


def _tables(hunk: Hunk, rows: Sequence[str], wording: Wording) -> Iterator[str]:
    """A hunk's rows as tables, each with a class that tells about how high it is."""
    place = f"@@ -{hunk.old_start},{hunk.old_lines} +{hunk.new_start},{hunk.new_lines} @@"
    said = name(f"{place} {hunk.heading}" if hunk.heading else place, wording)
    head = "".join(
        f'<th scope="col">{escaped(word)}</th>'
        for word in (
            wording.package_page_old_line,
            wording.package_page_new_line,
            wording.package_page_text,
        )
    )
    for start in range(0, len(rows), _TABLE_ROWS):
        part = rows[start : start + _TABLE_ROWS]
        height = min(max(len(part).bit_length(), 3), 9)
        hidden = ' class="unseen"' if start else ""
        yield (
            f'<div class="h n{height}"><table><caption{hidden}>{said}</caption>'
            f"<colgroup><col><col><col></colgroup>"
            f'<thead class="unseen"><tr>{head}</tr></thead><tbody>\n'
        )
        yield from part
        yield "</tbody></table></div>\n"
