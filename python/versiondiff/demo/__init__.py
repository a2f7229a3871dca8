"""The embedded demo: a made-up project that looks at the remnant of the supernova Cassiopeia A.

Its history holds what happens on the way to one good picture: bands, grids and stretches that were
tried, branches that failed or were not adopted, a merge, the kept version `rgb-v1`, the version
that added the spectrum on top of it, and the one that pinned its packages.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Final

from versiondiff.history_file import HistoryFile, decode

__all__ = ["NAME", "cas_a"]

NAME: Final = "cas-a.tsugumi-history.json"
"""The file of the package that holds it."""


def cas_a() -> HistoryFile:
    """The history of the demo project."""
    return decode(files(__name__).joinpath(NAME).read_bytes())
