"""Versions and records as lines of a screen.

Subjects and names of authors come from the repository, where anyone can have written anything; like
the names in a record they are put on one line and made harmless.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from versiondiff.cli.attached import kept_lines, labels, run_counts, run_rows
from versiondiff.cli.output import Output, Style
from versiondiff.cli.shown import date, message_line, short_id
from versiondiff.rendering import (
    FlowNames,
    LineKind,
    lines,
    render_comments,
    render_failure,
    render_warnings,
)
from versiondiff.rendering.names import name
from versiondiff.wording import CATALOGUES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from versiondiff.cli.arguments import RecordOptions
    from versiondiff.cli.attached import Carried
    from versiondiff.records import ChangeRecord, Signature, VersionRecord

__all__ = ["log_entry", "record_lines", "version_page"]

_INDENT: Final = "    "

_STYLES: Final = {
    LineKind.ADDED: Style.GREEN,
    LineKind.REMOVED: Style.RED,
    LineKind.CHANGED: Style.CYAN,
    LineKind.SETTINGS: Style.MAGENTA,
    LineKind.REST: Style.FAINT,
    LineKind.MOVED: Style.FAINT,
    LineKind.NOTHING: Style.FAINT,
}


def log_entry(
    entry: VersionRecord, carried: Carried | None, options: RecordOptions, output: Output
) -> str:
    """A version as `versiondiff log` shows it: who, when and what for, and what it carries.

    Below stand the results of its runs, and what changed.
    """
    version = entry.version
    heading = [
        output.styled(short_id(version.id), Style.YELLOW),
        date(version.author.time),
        name(version.author.name),
        output.styled(message_line(version.subject), Style.BOLD),
    ]
    below: list[str] = []
    if carried is not None:
        heading += [text for text in (labels(carried, output),) if text]
        below += run_counts(carried.attached.runs, options.language, output)
    below += _said(entry, options, output)
    below = [_INDENT + line for line in below]
    return "\n".join(["  ".join(heading), *below])


def version_page(
    entry: VersionRecord, carried: Carried, options: RecordOptions, output: Output
) -> str:
    """A version as `versiondiff show` shows it: all about it; below, what changed."""
    wording, version = CATALOGUES[options.language], entry.version
    heading = [output.styled(wording.version_label.format(text=version.id), Style.YELLOW)]
    page = ["  ".join([*heading, *(text for text in (labels(carried, output),) if text)])]
    if version.parents:
        page.append(wording.parents_label.format(text=" ".join(version.parents)))
    page.append(wording.author_label.format(text=_who(version.author)))
    page.append(wording.date_label.format(text=date(version.author.time)))
    page.append("")
    page.append(_INDENT + output.styled(message_line(version.subject), Style.BOLD))
    body = version.body.strip("\n")
    if body:
        page.append("")
        page += [(_INDENT + message_line(line.expandtabs())).rstrip() for line in body.split("\n")]
    for label, lines_below in (
        (wording.attached_kept_label, kept_lines(carried.attached)),
        (wording.attached_runs_label, run_rows(carried.attached.runs, options.language, output)),
    ):
        rows = [_INDENT + row for row in lines_below]
        if rows:
            page += ["", label, *rows]
    page.append("")
    page += _said(entry, options, output)
    return "\n".join(page)


def record_lines(
    record: ChangeRecord,
    options: RecordOptions,
    output: Output,
    *,
    flow_names: FlowNames = FlowNames.ALWAYS,
) -> Iterator[str]:
    """What changed: the entries, the comments, the warnings.

    A repository may hold many flows, so by default each line says whose node it is about.
    """
    language, limit = options.language, options.limit
    for line in lines(record, language=language, limit=limit, flow_names=flow_names):
        yield output.styled(line.text, _STYLES[line.kind])
    for text in render_comments(record, language=language, limit=limit).splitlines():
        yield output.styled(text, Style.BLUE)
    for text in render_warnings(record, language=language, limit=limit).splitlines():
        yield _warning(text, options, output)


def _said(entry: VersionRecord, options: RecordOptions, output: Output) -> Iterator[str]:
    if entry.record is not None:
        yield from record_lines(entry.record, options, output)
    if entry.version.shallow:
        yield _warning(CATALOGUES[options.language].shallow, options, output)
    if entry.error is not None:
        yield output.styled(render_failure(entry.error, language=options.language), Style.RED)


def _warning(text: str, options: RecordOptions, output: Output) -> str:
    label = CATALOGUES[options.language].warning_label
    return output.styled(label.format(text=text), Style.YELLOW)


def _who(signature: Signature) -> str:
    return f"{name(signature.name)} <{name(signature.email)}>"
