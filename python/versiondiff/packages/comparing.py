"""Package diffs: two versions of a package, compared file by file.

Complete: every path that differs is listed, and every text is compared, whatever it is called.
Counts, renames and hunks are those of `git diff -M` without a configuration. Nothing is hidden:
paths and lines stand here as they are in the files, which anyone can write;
`versiondiff.packages.listing` makes them safe to show.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final

import msgspec

from versiondiff import _core
from versiondiff.errors import InvalidInput
from versiondiff.packages.archives import Package
from versiondiff.records import Mode  # noqa: TC001 (read by msgspec)
from versiondiff.snapshots import Rewrites, as_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from versiondiff.snapshots import Files

__all__ = [
    "ContentKind",
    "FileStatus",
    "GeneratedKind",
    "Hunk",
    "HunkLine",
    "LineSide",
    "PackageDiff",
    "PackageFile",
    "PackageFinding",
    "PackageFindingKind",
    "package_diff",
    "package_diff_json",
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


class Hunk(_Value, frozen=True, kw_only=True):
    """Changed lines, and some around them."""

    old_start: int = 0
    """The number of the first line of the old version, from 1; where none is shown, of the line
    before."""
    old_lines: int = 0
    """How many lines of the old version are shown."""
    new_start: int = 0
    """As `old_start`, in the new version."""
    new_lines: int = 0
    """How many lines of the new version are shown."""
    heading: str = ""
    """What the hunk is in, as git tells: the nearest line before it that starts with a letter, `_`
    or `$`, at most 80 bytes of it."""
    body: str
    """The lines as in a patch: ` `, `-` or `+` before each, a line feed after each, and
    `\\ No newline at end of file` after one that has no line feed itself. Bytes that are no UTF-8
    read as U+FFFD."""
    raw_body: bytes | None = None
    """The exact bytes, where the lines are no UTF-8."""

    @property
    def lines(self) -> tuple[HunkLine, ...]:
        """The lines with their numbers; made anew each time."""
        found: list[HunkLine] = []
        old, new = self.old_start, self.new_start
        for line in self.body.removesuffix("\n").split("\n"):
            sign, text = line[0], line[1:]
            if sign == " ":
                found.append(HunkLine(kind=LineSide.CONTEXT, old=old, new=new, text=text))
                old, new = old + 1, new + 1
            elif sign == "-":
                found.append(HunkLine(kind=LineSide.REMOVED, old=old, text=text))
                old += 1
            elif sign == "+":
                found.append(HunkLine(kind=LineSide.ADDED, new=new, text=text))
                new += 1
            else:
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


class PackageFindingKind(enum.Enum):
    """Why to look twice."""

    NEW_EXECUTABLE = "new_executable"
    """A file that may be executed is new."""
    MADE_EXECUTABLE = "made_executable"
    """A file that was there may be executed now."""
    NOT_EXECUTABLE = "not_executable"
    """A file may no longer be executed."""
    NEW_BINARY = "new_binary"
    """A file that can't be read as text is new, or took the place of text."""
    NEW_LINK = "new_link"
    """A symbolic link is new, or took the place of something else. `new`: its target."""
    LINK_CHANGED = "link_changed"
    """A symbolic link leads elsewhere. `old`, `new`: the targets."""
    LINK_OUTSIDE = "link_outside"
    """A new or changed symbolic link is absolute or leaves the root. `new`: its target."""
    NEW_FILE_FOR_OTHER = "new_file_for_other"
    """A file took the place of a link, or of another repository."""
    NEW_HOOK = "new_hook"
    """A file that is run when the package is built, installed or loaded, because of its name, is
    new."""
    HOOK_CHANGED = "hook_changed"
    """Such a file changed."""
    HIDDEN_CHARACTERS = "hidden_characters"
    """Lines that came hold characters that no one sees, that turn the direction of reading around,
    or that speak to a terminal. `line`: the first of them; `count`: how many."""
    HIDDEN_IN_NAME = "hidden_in_name"
    """A new path holds such characters, or is no UTF-8."""


class PackageFinding(_Value, frozen=True, kw_only=True):
    """Something to look at twice. Which fields are filled, the kind says."""

    kind: PackageFindingKind
    path: str | None = None
    """The file, by its new path; None where it is about the package as a whole."""
    old: str | None = None
    """What there was, in the words of the kind."""
    new: str | None = None
    """What there is, in the words of the kind."""
    line: int = 0
    """The number of a line of the new version, from 1; 0 where it is about no line."""
    count: int = 0
    """How many lines it is about."""


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
    """What to look at twice, in the order of the files."""
    not_compared: int = 0
    """Comparisons of deleted with added files that were too many to be made: some renames read as a
    deletion and an addition."""

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


_FILE_DECODER: Final = msgspec.json.Decoder(PackageFile)
_FINDINGS_DECODER: Final = msgspec.json.Decoder(tuple[PackageFinding, ...])
_MOST_CONTEXT: Final = 1 << 30


def package_diff(
    old: Package | Files,
    new: Package | Files,
    *,
    name: str | None = None,
    old_version: str | None = None,
    new_version: str | None = None,
    context: int = 3,
    rewrites: Rewrites = Rewrites.SIMILAR,
    paths: Iterable[str] = (),
    hunks: bool = True,
    progress: Callable[[int, int], object] | None = None,
) -> PackageDiff:
    """What changed between two versions of a package.

    Args:
        old: The archive or the files before.
        new: The archive or the files now.
        name: The name of the package, for who reads the diff; by default what archives say.
        old_version: The version of `old`; by default what an archive says.
        new_version: The version of `new`; likewise.
        context: Lines of context around changes.
        rewrites: How to find files that moved. Here, similar ones are found as by `git diff -M`: at
            least half stayed, whatever the name, and at most a thousand files are compared with a
            thousand others.
        paths: Files and directories to look at; none means everything.
        hunks: Whether the lines are asked for too; without, there are the listing, its counts and
            the findings.
        progress: Told every tenth of a second, while files are compared, how many of how many are
            done. What it raises ends the comparison.

    Raises:
        InvalidInput: A path of a mapping can't be in a tree, or an option is out of range.
        NotFound: An object of a version is missing.
        LimitExceeded: A file is too large, or directories nest too deep.
        VersionDiffError: A file can't be read, or changed while it was being read.
    """
    encoded, findings, not_compared = _compared(old, new, context, rewrites, paths, hunks, progress)
    about = _about(old, new, name, old_version, new_version)
    # Taken from the end, so that no file is there in both forms for longer than it takes.
    files = []
    while encoded:
        files.append(_FILE_DECODER.decode(encoded.pop()))
    files.reverse()
    return msgspec.structs.replace(
        about,
        files=tuple(files),
        findings=_FINDINGS_DECODER.decode(findings),
        not_compared=not_compared,
    )


def package_diff_json(
    old: Package | Files,
    new: Package | Files,
    *,
    name: str | None = None,
    old_version: str | None = None,
    new_version: str | None = None,
    context: int = 3,
    rewrites: Rewrites = Rewrites.SIMILAR,
    paths: Iterable[str] = (),
    hunks: bool = True,
    progress: Callable[[int, int], object] | None = None,
) -> tuple[Iterator[bytes], int]:
    """As `package_diff`, as the JSON that `msgspec.json.encode` makes of it.

    For large packages, which are not held as values then.

    Returns:
        The JSON in parts, a file each, and how many files differ.

    Raises:
        VersionDiffError: As of `package_diff`; all of it is raised before the first part.
    """
    files, findings, not_compared = _compared(old, new, context, rewrites, paths, hunks, progress)
    about = _about(old, new, name, old_version, new_version)
    rest = PackageDiff(findings=_FINDINGS_DECODER.decode(findings), not_compared=not_compared)
    return _joined(msgspec.json.encode(about), files, msgspec.json.encode(rest)), len(files)


def _about(
    old: Package | Files,
    new: Package | Files,
    name: str | None,
    old_version: str | None,
    new_version: str | None,
) -> PackageDiff:
    """What is said of the whole: as it was given, else as archives say of themselves."""
    for package in (new, old):
        if name is None and isinstance(package, Package):
            name = package.name
    if old_version is None and isinstance(old, Package):
        old_version = old.version
    if new_version is None and isinstance(new, Package):
        new_version = new.version
    return PackageDiff(name=name, old_version=old_version, new_version=new_version)


def _joined(about: bytes, files: list[bytes], rest: bytes) -> Iterator[bytes]:
    """One object of the members of the first, the files and the members of the last."""
    opening, closing = about[:-1], rest[1:]
    yield opening
    is_empty = len(opening) == 1
    if files:
        separator = b'"files":[' if is_empty else b',"files":['
        is_empty = False
        # Given away one by one, so that none is kept longer than it takes.
        files.reverse()
        while files:
            yield separator
            yield files.pop()
            separator = b","
        yield b"]"
    if not is_empty and len(closing) > 1:
        yield b","
    yield closing


def _compared(
    old: Package | Files,
    new: Package | Files,
    context: int,
    rewrites: Rewrites,
    paths: Iterable[str],
    hunks: bool,  # noqa: FBT001 (handed on)
    progress: Callable[[int, int], object] | None,
) -> tuple[list[bytes], bytes, int]:
    if not 0 <= context <= _MOST_CONTEXT:
        message = f"context: must be from 0 to {_MOST_CONTEXT}"
        raise InvalidInput(message)
    return _core.package_diff(
        as_source(old.files if isinstance(old, Package) else old),
        as_source(new.files if isinstance(new, Package) else new),
        context=context,
        rewrites=rewrites.value,
        paths=list(paths),
        hunks=hunks,
        progress=progress,
    )
