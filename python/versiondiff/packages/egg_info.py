"""What older setuptools wrote of dependencies: beside the metadata, not into them.

Up to version 68 the `PKG-INFO` of an sdist has none: `NAME.egg-info/requires.txt` alone has them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

__all__ = ["normal_name", "requirements", "requirements_path"]


def requirements_path(name: str, paths: Collection[str]) -> str | None:
    """Where the list of a package of this name is: at the top, or below a folder of sources."""
    wanted = normal_name(name)
    found = []
    for path in paths:
        if path.endswith(".egg-info/requires.txt") and path.count("/") <= 2:
            folder = path.split("/")[-2]
            if normal_name(folder.removesuffix(".egg-info")) == wanted:
                found.append(path)
    return min(found, default=None, key=lambda path: (path.count("/"), path))


def requirements(text: str) -> Iterator[str]:
    """The requirements of a list, each as it would stand in `Requires-Dist` (PEP 508).

    A section is `[extra]`, `[:marker]` or `[extra:marker]`; what stands before all of them is
    needed always.
    """
    marker = ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("[") and line.endswith("]"):
            extra, _, condition = line[1:-1].partition(":")
            if extra and re.search(r"\s(and|or)\s", condition):
                condition = f"({condition})"
            marker = " and ".join(filter(None, (condition, extra and f'extra == "{extra}"')))
        elif line and not line.startswith("#"):
            yield f"{line}; {marker}" if marker else line


def normal_name(name: str) -> str:
    """A name with all the ways to write it made one, as registries compare them (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()
