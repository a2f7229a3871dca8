"""The words of every rendering: one catalogue a language, all with the same keys.

A further language is a module beside `en` and `ja` that fills a `Wording`, and a line in
`CATALOGUES`.
"""

from __future__ import annotations

from typing import Final, Literal

from versiondiff.wording import en, ja
from versiondiff.wording.catalogue import Wording

__all__ = ["CATALOGUES", "Language", "Wording"]

Language = Literal["en", "ja"]
"""A language by its two-letter code (ISO 639-1)."""

CATALOGUES: Final[dict[str, Wording]] = {"en": en.WORDING, "ja": ja.WORDING}
"""The catalogue of each language."""
