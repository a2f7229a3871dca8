"""What the commit of a version says, and reading it back.

The subject, more lines about the change, and trailers in git's own form. Names come from anyone:
each is put on one line before it goes in, so that none forges a line, and with it a trailer.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import msgspec

from versiondiff._core import display_name
from versiondiff.errors import InvalidInput
from versiondiff.flows.history.versions import FlowVersion, VersionKind
from versiondiff.rendering.names import catalogue

if TYPE_CHECKING:
    from versiondiff.records import Version
    from versiondiff.wording import Language

__all__ = ["SUBJECT_LENGTH", "Message", "checked_version_id", "cut", "trailer_value", "version_of"]

SUBJECT_LENGTH: Final = 72
"""In characters."""
_VALUE_LENGTH: Final = 1000
_TRAILER: Final = re.compile(r"([A-Za-z0-9-]+):(?: (.*))?")
_FULL_ID: Final = re.compile("[0-9a-f]{40}")
_COUNT: Final = re.compile("[0-9]{1,18}")

_FLOW: Final = "Version-Flow"
_KIND: Final = "Version-Kind"
_NAME: Final = "Version-Name"
_FROM: Final = "Version-From"
_HIDDEN: Final = "Version-Hidden"


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """What a commit says."""

    subject: str
    body: tuple[str, ...] = ()
    """More lines about the change."""
    flow: str
    """The flow's id."""
    kind: VersionKind
    name: str
    """The flow's name."""
    source: str | None = None
    """Of a promotion: the full id of the version it copies."""
    hidden: int = 0
    """How many values the version holds as hidden."""

    def text(self, *, language: Language = "en") -> str:
        """The whole message."""
        wording = catalogue(language)
        body = [_one_line(line) for line in self.body]
        if self.hidden:
            said = wording.flow_hidden_one if self.hidden == 1 else wording.flow_hidden_many
            body.append(said.format(count=self.hidden))
        trailers = [(_FLOW, self.flow), (_KIND, self.kind.value), (_NAME, self.name)]
        if self.source is not None:
            trailers.append((_FROM, self.source))
        if self.hidden:
            trailers.append((_HIDDEN, str(self.hidden)))
        paragraphs = [
            [cut(self.subject)],
            body,
            [f"{key}: {trailer_value(value)}".rstrip(" ") for key, value in trailers],
        ]
        return "\n\n".join("\n".join(lines) for lines in paragraphs if lines) + "\n"


def cut(subject: str) -> str:
    """The subject on one line, of at most 72 characters."""
    line = _one_line(subject)
    # At a border of what a reader takes for one character.
    return display_name(line, SUBJECT_LENGTH)


def trailer_value(text: str) -> str:
    """A text as it stands in a trailer: on one line, without space around it."""
    return display_name(text, _VALUE_LENGTH).strip()


def checked_version_id(version: str) -> str:
    """The full id of a version itself.

    Raises:
        InvalidInput: It is not 40 hexadecimal digits.
    """
    if _FULL_ID.fullmatch(version) is None:
        raise InvalidInput("from_version: must be the full id of a version, 40 hexadecimal digits")
    return version


def version_of(version: Version) -> FlowVersion | None:
    """The version of a flow that a commit is, from its trailers; None where it is none."""
    body = version.body.rstrip("\n")
    above, _, last = body.rpartition("\n\n")
    found = [_TRAILER.fullmatch(line) for line in last.split("\n")]
    trailers: dict[str, str] = {}
    for trailer in found:
        if trailer is None:
            return None
        trailers.setdefault(trailer[1], trailer[2] or "")
    try:
        kind = VersionKind(trailers.get(_KIND, ""))
    except ValueError:
        return None
    hidden = trailers.get(_HIDDEN, "0")
    if _FLOW not in trailers or _COUNT.fullmatch(hidden) is None:
        return None
    return FlowVersion(
        id=version.id,
        flow=trailers[_FLOW],
        kind=kind,
        name=trailers.get(_NAME, ""),
        subject=version.subject,
        body=above.strip("\n"),
        author=version.author,
        committer=version.committer,
        source=trailers.get(_FROM),
        hidden=int(hidden),
    )


def _one_line(text: str) -> str:
    # Git takes a line of dashes, with white space after it, for the end of a message; an indented
    # one is the text of a paragraph.
    line = display_name(text, _VALUE_LENGTH).strip()
    return f" {line}" if line.startswith("---") else line
