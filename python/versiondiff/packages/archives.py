"""The archive of a package, read into memory: gem, wheel, zip, sdist, tar, npm tgz, crate.

Nothing is written to disk, and what kind of archive it is tells its content, not its name. Every
entry is listed as it stands; what two readers could see in two ways is flagged on the entry, or is
a reason of the archive. Names come from whoever made the archive: `versiondiff.rendering.names`
makes them safe to show.
"""

from __future__ import annotations

import enum
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from versiondiff import _core
from versiondiff.errors import InvalidInput, LimitExceeded, NotFound, VersionDiffError
from versiondiff.packages.metadata import PackageMetadata, metadata_of
from versiondiff.records import Mode  # noqa: TC001 (read by msgspec)
from versiondiff.rendering.names import path as shown_path

if TYPE_CHECKING:
    from versiondiff._core import PackageFiles
    from versiondiff.repository import Progress

__all__ = [
    "ArchiveReason",
    "ArchiveReasonKind",
    "EntryFlag",
    "EntryKind",
    "Package",
    "PackageEntry",
    "PackageKind",
    "PackageLimits",
    "read_package",
]


class PackageKind(enum.Enum):
    """What kind of package an archive is, by its content."""

    GEM = "gem"
    """Its members are unpacked: `metadata`, `checksums.yaml` and `data/…`."""
    WHEEL = "wheel"
    SDIST = "sdist"
    CRATE = "crate"
    NPM = "npm"
    ZIP = "zip"
    TAR = "tar"


class EntryKind(enum.Enum):
    """What an entry is."""

    FILE = "file"
    EXECUTABLE = "executable"
    LINK = "link"
    HARD_LINK = "hard_link"
    """Another name of an entry before it, whose content it has."""
    DIRECTORY = "directory"
    CHARACTER_DEVICE = "character_device"
    BLOCK_DEVICE = "block_device"
    FIFO = "fifo"
    OTHER = "other"


class EntryFlag(enum.Enum):
    """What to know of an entry before anyone unpacks it."""

    ABSOLUTE_NAME = "absolute_name"
    """The name is absolute, on Unix or on Windows."""
    LEAVES_ROOT = "leaves_root"
    """The name leads out of the root."""
    PARENT_STEP = "parent_step"
    """The name has a `..` that stays below the root."""
    EMPTY_NAME = "empty_name"
    NUL_IN_NAME = "nul_in_name"
    """Some readers cut the name there."""
    NOT_UTF8 = "not_utf8"
    BACKSLASH = "backslash"
    """On Windows it separates directories."""
    WINDOWS_NAME = "windows_name"
    """The name is that of something else on Windows: a device, a stream of a file, or the same name
    without the dots and spaces at its end."""
    CONTROL_CHARACTER = "control_character"
    """The name has a character that no one sees, as a control character."""
    TOO_DEEP = "too_deep"
    DUPLICATE = "duplicate"
    """Another entry has the same path; the last one is compared."""
    CASE_TWIN = "case_twin"
    """Another path, or the path of another folder, differs in upper and lower case alone, or in how
    its accents are written (Unicode, NFC and NFD)."""
    BELOW_FILE = "below_file"
    """The path goes through a file."""
    THROUGH_LINK = "through_link"
    """The path goes through a link, so that its place is wherever the link leads."""
    OUTSIDE_FOLDER = "outside_folder"
    """The entry is not in the folder that holds the rest of the package."""
    LINK_OUTSIDE = "link_outside"
    """The link leads out of the root."""
    HARD_LINK_TO_LINK = "hard_link_to_link"
    BROKEN_HARD_LINK = "broken_hard_link"
    """The hard link names nothing that came before it, or nothing with content."""
    DEVICE = "device"
    """A device, a named pipe or another thing that a package has no use for."""
    UNKNOWN_TYPE = "unknown_type"
    """A type of tar that is not known here; most readers take it for a file."""
    SET_ID = "set_id"
    """Runs as its owner or group."""
    HEADER_MISMATCH = "header_mismatch"
    """The headers of the entry contradict one another."""
    CONTENT_ON_NON_FILE = "content_on_non_file"
    """A link, directory or device that claims to have content."""
    SPARSE = "sparse"
    """A file with holes, which are zeros as when it is unpacked; without a map of them the content
    is what is stored."""
    ENCRYPTED = "encrypted"
    UNKNOWN_METHOD = "unknown_method"
    """Compressed in a way that is not read here."""
    OVERLAPS = "overlaps"
    """Its bytes in the archive are those of something else as well."""
    SLACK = "slack"
    """Bytes follow in the entry that its decoder never reads."""


class ArchiveReasonKind(enum.Enum):
    """What to know of the archive as a whole."""

    LEADING_DATA = "leading_data"
    TRAILING_DATA = "trailing_data"
    HIDDEN_DATA = "hidden_data"
    """Bytes between the entries of a zip that belong to none."""
    UNLISTED_ENTRY = "unlisted_entry"
    """An entry of a zip that its central directory does not list."""
    SEVERAL_ENDS = "several_ends"
    """A zip with two end records, each of which a reader may take."""
    COUNT_MISMATCH = "count_mismatch"
    """The end record of a zip says another number of entries than there are."""
    HEADER_MISMATCH = "header_mismatch"
    """Central and local headers of a zip contradict one another."""
    OVERLAPS = "overlaps"
    ENCRYPTED = "encrypted"
    SEVERAL_STREAMS = "several_streams"
    """Several gzip streams, of which some readers see the first alone."""
    NO_END = "no_end"
    """A tar ends without the zeros that mark its end."""
    GLOBAL_NAMES = "global_names"
    """A tar says a name or a size for all its files, which readers take differently."""
    LOOSE_HEADER = "loose_header"
    """An extended header at the end of a tar, for a file that never comes."""
    COMMENT = "comment"
    """A zip ends with a comment, which may be anything."""
    SEVERAL_KINDS = "several_kinds"
    """A tar, or a compressed one, that is a zip for readers that look for the end of one."""


class PackageEntry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """An entry, as it stands in the archive."""

    path: str
    """What is compared: without the folder that changes its name with every version. Of an entry
    that no tree of files can hold, its name. Bytes that are no UTF-8 read as U+FFFD, here and in
    the other names; `raw_…` has the exact bytes where that is so."""
    raw_path: bytes | None = None
    name: str | None = None
    """The name in the archive, where it is another than `path`."""
    raw_name: bytes | None = None
    within: str | None = None
    """The member that the entry is in, such as a gem's `data.tar.gz`."""
    raw_within: bytes | None = None
    kind: EntryKind
    target: str | None = None
    """Of a link or a hard link."""
    raw_target: bytes | None = None
    major: int | None = None
    """Of a device."""
    minor: int | None = None
    size: int | None = None
    """Of the content in bytes; None where there is none, or it can't be read."""
    compared: Mode | None = None
    """As what the entry is compared; None where it is only listed."""
    id: str | None = None
    """git's id of the content, of an entry with content that is not compared."""
    flags: tuple[EntryFlag, ...] = ()


class ArchiveReason(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    omit_defaults=True,
    forbid_unknown_fields=True,
    gc=False,
):
    """What was met in an archive, and how often."""

    kind: ArchiveReasonKind
    count: int
    size: int = 0
    """How many bytes, where it is about bytes."""
    name: str | None = None
    """The first entry that it is about, where it is about entries."""
    raw_name: bytes | None = None


class PackageLimits(msgspec.Struct, frozen=True, kw_only=True):
    """The most that is read of an archive; met, a limit ends the reading with `LimitExceeded`."""

    unpacked_bytes: int = 512 << 20
    """Bytes that come out of all decoders together, with headers and skipped members. A hard link
    counts as the file that it names, and a name of more than a hundred bytes eight times, as it is
    held so often."""
    entries: int = 200_000
    file_bytes: int = 256 << 20
    """Of one entry."""
    ratio: int = 500
    """Unpacked bytes for one byte of the archive; looked at from 16 MiB on."""
    nesting: int = 4
    """How many compressions and archives may be within one another; a gem has three."""

    def __post_init__(self) -> None:
        """Refuse what is no number of anything."""
        for name in self.__struct_fields__:
            if not 0 <= getattr(self, name) <= _MOST:
                message = f"package limits: {name} is from 0 to {_MOST}"
                raise InvalidInput(message)


_MOST: Final = 1 << 40

_DEFAULT_LIMITS: Final = PackageLimits()


class _Listing(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    kind: PackageKind
    folder: str | None = None
    raw_folder: bytes | None = None
    entries: tuple[PackageEntry, ...]
    reasons: tuple[ArchiveReason, ...]


_DECODER: Final = msgspec.json.Decoder(_Listing)


class Package(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """An archive that was read."""

    kind: PackageKind
    metadata: PackageMetadata
    """What the package says of itself; empty where it says nothing that can be read."""
    folder: str | None
    """What was taken from the paths: `NAME-VERSION` or `package`."""
    entries: tuple[PackageEntry, ...]
    """All of them, in the order of the archive."""
    reasons: tuple[ArchiveReason, ...]
    files: Any
    """The entries that are compared, as a source of files (`_core.PackageFiles`)."""

    @property
    def name(self) -> str | None:
        """The name, from the package's own metadata."""
        return self.metadata.name

    @property
    def version(self) -> str | None:
        """The version, from the package's own metadata."""
        return self.metadata.version

    def content(self, path: str) -> bytes | None:
        """The content of the entry that is compared at this path; None where there is none."""
        for place, entry in enumerate(self.entries):
            if entry.compared is not None and entry.path == path:
                return _content(self.files, place)
        return None


def read_package(
    archive: bytes | str | os.PathLike[str],
    *,
    limits: PackageLimits = _DEFAULT_LIMITS,
    progress: Progress | None = None,
) -> Package:
    """Read an archive, whose kind is found by its content.

    Memory stays below the limit of unpacked bytes and the size of the archive, but for some hundred
    bytes an entry and the window of a decoder (64 MiB at most).

    Args:
        archive: The bytes, or the path of a file.
        limits: The most that is read.
        progress: Called now and then with how many entries were read; how many there are is never
            known. What it raises ends the reading.

    Raises:
        LimitExceeded: A limit was met; the message says which.
        UnsupportedFormat: The bytes are no archive that is read here.
        InvalidInput: The archive is cut off or breaks a rule of its format.
        NotFound: There is no such file.
        VersionDiffError: The file can't be read.
    """
    if isinstance(archive, bytes):
        return _read(archive, limits, progress)
    place = shown_path(os.fsdecode(archive))
    data = _file(Path(archive), place, limits)
    try:
        return _read(data, limits, progress)
    except VersionDiffError as error:
        message = f"{place}: {error}"
        raise type(error)(message) from error


def _file(path: Path, place: str, limits: PackageLimits) -> bytes:
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            message = f"{place}: is no file"
            raise InvalidInput(message)
        with path.open("rb") as file:
            # Whatever is larger has more in it than may be unpacked. As much memory is taken as is
            # asked for, however large the file is.
            data = file.read(min(status.st_size, limits.unpacked_bytes) + 1)
    except (FileNotFoundError, NotADirectoryError) as error:
        message = f"{place}: there is no such file"
        raise NotFound(message) from error
    except (OSError, ValueError) as error:
        message = f"{place}: can't be read"
        raise VersionDiffError(message) from error
    if len(data) > limits.unpacked_bytes:
        message = f"{place}: the archive exceeds unpacked_bytes = {limits.unpacked_bytes}"
        raise LimitExceeded(message)
    return data


def _read(data: bytes, limits: PackageLimits, progress: Progress | None) -> Package:
    files, json = _core.read_package(data, **msgspec.structs.asdict(limits), progress=progress)
    listing = _DECODER.decode(json)
    places = {
        entry.path: place
        for place, entry in enumerate(listing.entries)
        if entry.compared is not None and entry.raw_path is None
    }

    def content(path: str) -> bytes | None:
        place = places.get(path)
        return None if place is None else _content(files, place)

    return Package(
        kind=listing.kind,
        metadata=metadata_of(listing.kind.value, content, places),
        folder=listing.folder,
        entries=listing.entries,
        reasons=listing.reasons,
        files=files,
    )


def _content(files: PackageFiles, place: int) -> bytes | None:
    return files.content(place)
