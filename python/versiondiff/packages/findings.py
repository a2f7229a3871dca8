"""What makes a reviewer look twice, as typed values.

A finding never says that something is wrong, and where there is none, nothing is proved.
"""

from __future__ import annotations

import enum
from typing import Final

import msgspec

from versiondiff.packages.archives import ArchiveReason, EntryFlag  # noqa: TC001 (read by msgspec)

__all__ = ["STANDING", "PackageFinding", "PackageFindingKind"]


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
    NAME_CHANGED = "name_changed"
    """The metadata say another name. `old`, `new`: the names."""
    KIND_CHANGED = "kind_changed"
    """The archives are of two kinds. `old`, `new`: values of `PackageKind`."""
    LICENCE_CHANGED = "licence_changed"
    """`old`, `new`: the licences, one after the other; empty where there are none."""
    NEW_PERSON = "new_person"
    """Someone became an author or maintainer. `new`: as it is written."""
    PERSON_GONE = "person_gone"
    """Someone is no author or maintainer any more. `old`: as it was written."""
    NEW_DEPENDENCY = "new_dependency"
    """The package asks for another one. `new`: its name, which versions, what for."""
    DEPENDENCY_CHANGED = "dependency_changed"
    """It asks for other versions, or for another purpose. `old`, `new`: as of `NEW_DEPENDENCY`."""
    NEW_SCRIPT = "new_script"
    """The metadata name something new that runs when the package is installed, built or loaded.
    `new`: its name, and what it runs."""
    SCRIPT_CHANGED = "script_changed"
    """Such a thing runs something else. `old`, `new`: as of `NEW_SCRIPT`. Or a file that it runs
    changed: then `path` is the file, and `new` what runs it."""
    NEW_COMMAND = "new_command"
    """The package puts another program on the path. `new`: its name."""
    METADATA_UNREADABLE = "metadata_unreadable"
    """A file of metadata can't be read as what it should be."""
    ENTRY = "entry"
    """An entry that the old archive did not have is flagged: `flags`, and `new` where it leads, if
    it is a link."""
    ENTRY_NOT_COMPARED = "entry_not_compared"
    """As `ENTRY`, of one that no tree of files can hold, so that no file of the diff shows it."""
    ENTRY_GONE = "entry_gone"
    """An entry that was not compared is no longer in the archive. `flags`, and `old` as `new` of
    `ENTRY`."""
    ARCHIVE = "archive"
    """What was met in the new archive, whether or not in the old one, too: `reason`."""
    OLD_ARCHIVE = "old_archive"
    """What was met in the old archive, and not in the new one: `reason`."""
    RECORD_NO_RECORD = "record_no_record"
    """The new wheel has no `RECORD`, or one that can't be read."""
    RECORD_NOT_LISTED = "record_not_listed"
    """A file that its `RECORD` does not list."""
    RECORD_NOT_THERE = "record_not_there"
    """Its `RECORD` lists a file that is not there."""
    RECORD_OTHER_CONTENT = "record_other_content"
    """A file has another digest or size than its `RECORD` says."""
    RECORD_NO_DIGEST = "record_no_digest"
    """Its `RECORD` lists a file without a digest, or with a weak one."""


STANDING: Final = frozenset(
    kind
    for kind in PackageFindingKind
    if kind in {PackageFindingKind.ARCHIVE, PackageFindingKind.METADATA_UNREADABLE}
    or kind.value.startswith("record_")
)
"""What is said of the new archive by itself: with nothing but these, nothing changed."""


class PackageFinding(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    omit_defaults=True,
    forbid_unknown_fields=True,
    gc=False,
):
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
    flags: tuple[EntryFlag, ...] = ()
    """What is remarkable about an entry of an archive."""
    reason: ArchiveReason | None = None
    """What is remarkable about an archive."""
