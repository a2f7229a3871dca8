"""The typed values of a package diff: files, hunks and lines.

Nothing is hidden in them: paths and lines stand here as they are in the files, which anyone can
write; `versiondiff.packages.listing` makes them safe to show.
"""

from __future__ import annotations

import enum
from typing import Annotated, TypeAlias

import msgspec

from versiondiff.packages.findings import STANDING, PackageFinding
from versiondiff.records import Mode  # noqa: TC001 (read by msgspec)

__all__ = [
    "ContentKind",
    "FileStatus",
    "GeneratedKind",
    "Hunk",
    "HunkLine",
    "LineSide",
    "PackageDiff",
    "PackageFile",
    "shown_path",
]


class _Value(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    omit_defaults=True,
    forbid_unknown_fields=True,
    # Frozen values of strings, numbers and each other can't form a cycle.
    gc=False,
):
    """The settings that all values share."""


class FileStatus(enum.Enum):
    """What happened to a file."""

    ADDED = "added"
    CHANGED = "changed"
    """Its content changed; its mode may have changed too."""
    DELETED = "deleted"
    RENAMED = "renamed"
    """It has another path; content and mode may have changed too."""
    MODE_CHANGED = "mode_changed"
    """Nothing but its mode changed."""
    TYPE_CHANGED = "type_changed"
    """It became another kind of thing, as a link that was a file."""


class ContentKind(enum.Enum):
    """As what a file was compared."""

    TEXT = "text"
    """Lines of text, or the target of a link."""
    COARSE = "coarse"
    """Text with too many lines: what lies between the lines that are equal at both ends counts as
    one change."""
    BINARY = "binary"
    """A NUL is among the first 8,000 bytes of a side, as git tells; there are no lines."""
    TOO_LARGE = "too_large"
    """Larger than its source reads; there are no lines."""


class GeneratedKind(enum.Enum):
    """A text that no one wrote, by its name or its beginning.

    It is compared like any other: a file can say of itself what it likes.
    """

    LOCK_FILE = "lock_file"
    """Versions that a package manager wrote down."""
    MINIFIED = "minified"
    """Code with white space taken out, or data on a few long lines."""
    GENERATED = "generated"
    """The name, or a line near the beginning, says that a program wrote it."""


class LineSide(enum.Enum):
    """Where a line of a hunk stands."""

    CONTEXT = "context"
    """In both versions."""
    REMOVED = "removed"
    ADDED = "added"


class HunkLine(_Value, frozen=True, kw_only=True):
    """A line of a hunk."""

    kind: LineSide
    old: int | None = None
    """Its number in the old version, from 1."""
    new: int | None = None
    """Its number in the new version, from 1."""
    text: str
    """Without its line feed; bytes that are no UTF-8 read as U+FFFD."""
    ends_without_newline: bool = False
    """It is the last line of a file, and no line feed ends it."""


_LineNumber: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=(1 << 53) - 1)]
"""A number or a count of lines: what every reader of JSON can hold, and every writer can show."""


class Hunk(_Value, frozen=True, kw_only=True):
    """Changed lines, and some around them."""

    old_start: _LineNumber = 0
    """The number of the first line of the old version, from 1; where none is shown, of the line
    before."""
    old_lines: _LineNumber = 0
    """How many lines of the old version are shown."""
    new_start: _LineNumber = 0
    """As `old_start`, in the new version."""
    new_lines: _LineNumber = 0
    """How many lines of the new version are shown."""
    heading: str = ""
    """What the hunk is in, as git tells: the nearest line before it that starts with a letter, `_`
    or `$`, at most 80 bytes of it."""
    body: str
    """The lines as in a patch: ` `, `-` or `+` before each, a line feed after each, and
    `\\ No newline at end of file` after one that has no line feed itself (so is a line with any
    other sign taken). Bytes that are no UTF-8
    read as U+FFFD."""
    raw_body: bytes | None = None
    """The exact bytes, where the lines are no UTF-8."""

    @property
    def lines(self) -> tuple[HunkLine, ...]:
        """The lines with their numbers; made anew each time."""
        found: list[HunkLine] = []
        old, new = self.old_start, self.new_start
        for line in self.body.removesuffix("\n").split("\n"):
            sign, text = line[:1], line[1:]
            if sign == " ":
                found.append(HunkLine(kind=LineSide.CONTEXT, old=old, new=new, text=text))
                old, new = old + 1, new + 1
            elif sign == "-":
                found.append(HunkLine(kind=LineSide.REMOVED, old=old, text=text))
                old += 1
            elif sign == "+":
                found.append(HunkLine(kind=LineSide.ADDED, new=new, text=text))
                new += 1
            elif found:
                found[-1] = msgspec.structs.replace(found[-1], ends_without_newline=True)
        return tuple(found)


class PackageFile(_Value, frozen=True, kw_only=True):
    """A file that differs."""

    status: FileStatus
    path: str
    """Of a deleted file the old path. Bytes that are no UTF-8 read as U+FFFD."""
    old_path: str | None = None
    """Of a renamed file where it was."""
    old_mode: Mode | None = None
    """What stood there."""
    new_mode: Mode | None = None
    """What stands there."""
    similarity: int = 0
    """Of a renamed file how much of it stayed, in percent; 100 is the very same content."""
    added: int | None = 0
    """How many lines came; None where there are no lines."""
    removed: int | None = 0
    """How many lines went; None where there are no lines."""
    content: ContentKind = ContentKind.TEXT
    generated: GeneratedKind | None = None
    hunks: tuple[Hunk, ...] = ()
    """Empty where there are no lines, where they are equal, and where no hunks were asked for."""
    raw_path: bytes | None = None
    """The exact path, where it is no UTF-8."""
    raw_old_path: bytes | None = None
    """The exact old path, where it is no UTF-8."""

    @property
    def binary(self) -> bool:
        """Whether it is no text."""
        return self.content is ContentKind.BINARY

    @property
    def mode_changed(self) -> bool:
        """Whether it stands there with another mode than it stood."""
        return None not in (self.old_mode, self.new_mode) and self.old_mode != self.new_mode

    @property
    def shown(self) -> str:
        """The path as listings have it: of a renamed file `dir/{old → new}/rest`."""
        return self.path if self.old_path is None else shown_path(self.old_path, self.path)


class PackageDiff(_Value, frozen=True, kw_only=True):
    """What changed between two versions of a package."""

    name: str | None = None
    """The name of the package, where it is known."""
    old_version: str | None = None
    new_version: str | None = None
    files: tuple[PackageFile, ...] = ()
    """Every file that differs, by the components of its path: `a/x` comes before `a.rb`. Files that
    are gone come last."""
    findings: tuple[PackageFinding, ...] = ()
    """What to look at twice: of the archives and of what they say of themselves, of the files in
    their order, of single entries."""
    not_compared: int = 0
    """Comparisons of deleted with added files that were too many to be made: some renames read as a
    deletion and an addition."""

    @property
    def differs(self) -> bool:
        """Whether anything changed: a file, an entry, or what an archive says of itself.

        An entry whose content can't be read counts as changed, as no one knows.
        """
        return bool(self.files) or any(one.kind not in STANDING for one in self.findings)

    @property
    def added(self) -> int:
        """How many lines came, in all."""
        return sum(file.added or 0 for file in self.files)

    @property
    def removed(self) -> int:
        """How many lines went, in all."""
        return sum(file.removed or 0 for file in self.files)


def shown_path(old: str, new: str) -> str:
    """Both paths of a renamed file in one: `dir/{old → new}/rest`.

    What the paths have in common at both ends stands once, in whole components; without such there
    are no braces. As git writes it, but for the arrow.
    """
    before, after = old.split("/"), new.split("/")
    # The name is never part of the beginning, as it is no directory.
    most = min(len(before), len(after)) - 1
    start = 0
    while start < most and before[start] == after[start]:
        start += 1
    end = 0
    while end <= most - start and before[-1 - end] == after[-1 - end]:
        end += 1
    if not start and not end:
        return f"{old} → {new}"
    middle = ["/".join(parts[start : len(parts) - end]) for parts in (before, after)]
    return "/".join(
        [*before[:start], f"{{{middle[0]} → {middle[1]}}}", *before[len(before) - end :]]
    )
