"""What is remarkable about an archive, in words: flags of entries, and reasons of the whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from versiondiff.rendering.names import catalogue, name

if TYPE_CHECKING:
    from versiondiff.packages.archives import ArchiveReason, EntryFlag
    from versiondiff.wording import Language

__all__ = ["flag_words", "reason_words"]


def flag_words(flag: EntryFlag, *, language: Language = "en") -> str:
    """A flag of an entry, to stand after its name."""
    template: str = getattr(catalogue(language), f"archive_flag_{flag.value}")
    return template


def reason_words(reason: ArchiveReason, *, language: Language = "en") -> str:
    """A reason of an archive on one line; a name in it is safe to show."""
    template: str = getattr(catalogue(language), f"archive_reason_{reason.kind.value}")
    shown = name(reason.name or "")
    return template.format(count=reason.count, size=reason.size, name=shown)
