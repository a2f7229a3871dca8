"""Versions and records as lines of a screen.

Subjects and names of authors come from the repository, where anyone can have written anything; like
the names in a record they are put on one line and made harmless.
"""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Final

from versiondiff._core import display_name
from versiondiff.cli.output import Output, Style
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
    from versiondiff.records import ChangeRecord, Signature, VersionRecord

__all__ = ["log_entry", "record_lines", "version_page"]

_INDENT: Final = "    "
_SHORT_ID: Final = 10
"""Digits of a shortened commit id."""
_LINE_LENGTH: Final = 500
"""Characters of a shown line of a message."""

_STYLES: Final = {
    LineKind.ADDED: Style.GREEN,
    LineKind.REMOVED: Style.RED,
    LineKind.CHANGED: Style.CYAN,
    LineKind.SETTINGS: Style.MAGENTA,
    LineKind.REST: Style.FAINT,
    LineKind.MOVED: Style.FAINT,
    LineKind.NOTHING: Style.FAINT,
}


def log_entry(entry: VersionRecord, options: RecordOptions, output: Output) -> str:
    """A version as `versiondiff log` shows it: who, when and what for; below, what changed."""
    version = entry.version
    heading = [
        output.styled(version.id[:_SHORT_ID], Style.YELLOW),
        date(version.author.time),
        name(version.author.name),
        output.styled(display_name(version.subject, _LINE_LENGTH), Style.BOLD),
    ]
    below = [_INDENT + line for line in _said(entry, options, output)]
    return "\n".join(["  ".join(heading), *below])


def version_page(entry: VersionRecord, options: RecordOptions, output: Output) -> str:
    """A version as `versiondiff show` shows it: all about it; below, what changed."""
    wording, version = CATALOGUES[options.language], entry.version
    page = [output.styled(wording.version_label.format(text=version.id), Style.YELLOW)]
    if version.parents:
        page.append(wording.parents_label.format(text=" ".join(version.parents)))
    page.append(wording.author_label.format(text=_who(version.author)))
    page.append(wording.date_label.format(text=date(version.author.time)))
    page.append("")
    page.append(_INDENT + output.styled(display_name(version.subject, _LINE_LENGTH), Style.BOLD))
    body = version.body.strip("\n")
    if body:
        page.append("")
        page += [
            (_INDENT + display_name(line.expandtabs(), _LINE_LENGTH)).rstrip()
            for line in body.split("\n")
        ]
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


def date(seconds: int) -> str:
    """A time in UTC, as ISO 8601 has it; its bare number where no calendar has it."""
    try:
        time = datetime.datetime.fromtimestamp(seconds, datetime.UTC)
    except (OverflowError, ValueError, OSError):
        return f"@{seconds}"
    return time.strftime("%Y-%m-%dT%H:%M:%SZ") if time.year >= 1000 else f"@{seconds}"


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
