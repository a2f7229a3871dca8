"""Names of folders and files: readable, safe on every system, and never two alike.

A name that is plain stands as it is. Any other keeps what is readable of it and gets a digest of
the whole, so that it depends on nothing but itself. Only where names differ in nothing but case
does one depend on the others: then all of them get a digest.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from typing import TYPE_CHECKING

from versiondiff.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

__all__ = [
    "Step",
    "file_names",
    "folder_name",
    "is_folder_name",
    "place",
    "prompt_stem",
    "slug",
    "stem",
]

Step = str | int
"""A step into a value: the key of an object, or an index of a list."""

_SLUG_LENGTH = 40
_ID_LENGTH = 8
_LONGEST_ID = 80
_LONGEST_STEM = 180
# Nothing plain holds a `~`, so what has a digest never equals what has none.
_DIGEST_MARK = "~"
_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*")
_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_OTHER = re.compile(r"[^A-Za-z0-9_]+")
_WINDOWS_DEVICES = re.compile(r"(?i:con|prn|aux|nul|com[0-9]|lpt[0-9]|conin|conout|clock)")


def slug(name: str) -> str:
    """A flow's name as the start of a folder's: up to 40 of `a-z`, `0-9` and `-`, or `flow`."""
    readable = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    return readable[:_SLUG_LENGTH].strip("-") or "flow"


def folder_name(name: str, flow_id: str, taken: Collection[str] = ()) -> str:
    """The folder of a flow: `<slug>--<first 8 characters of the id, without dashes>`.

    Args:
        name: The flow's name.
        flow_id: Its id; not blank.
        taken: The folders of the *other* flows. Names that differ in case alone count as one.

    Raises:
        InvalidInput: The id is blank.
    """
    if not flow_id.strip():
        raise InvalidInput("a flow without an id has no folder")
    used = {folder.casefold() for folder in taken}
    *candidates, last = _folder_names(name, flow_id)
    free = (candidate for candidate in candidates if candidate.casefold() not in used)
    return next(free, last)


def is_folder_name(folder: str, name: str, flow_id: str) -> bool:
    """Whether a flow's folder may be called this, whichever other flows there were."""
    return folder in _folder_names(name, flow_id)


def _folder_names(name: str, flow_id: str) -> list[str]:
    """What a flow's folder may be called, the best first."""
    start = slug(name)
    short = _OTHER.sub("", flow_id)[:_ID_LENGTH]
    names = [f"{start}--{short}"] if short else []
    # The last is for an id that differs from another's in case alone.
    return [*names, f"{start}--{stem(flow_id)}", f"{start}--{_with_digest(flow_id, flow_id)}"]


def stem(node_id: str) -> str:
    """The name of a node's files: its id where that is plain."""
    plain = _PLAIN.fullmatch(node_id) and not _WINDOWS_DEVICES.fullmatch(node_id)
    return node_id if plain and len(node_id) <= _LONGEST_ID else _with_digest(node_id, node_id)


def file_names(wanted: Sequence[tuple[str, str]]) -> list[str]:
    """Distinct names, also where case does not count.

    Args:
        wanted: For each name the plain form that it should have, and the whole that it stands
            for. Equal wholes are numbered, in order.
    """
    wholes: dict[str, set[str]] = {}
    for readable, whole in wanted:
        wholes.setdefault(readable.casefold(), set()).add(whole)
    seen: Counter[str] = Counter()
    names = []
    for readable, whole in wanted:
        alone = len(wholes[readable.casefold()]) == 1
        name = readable if alone else _with_digest(readable, whole)
        seen[whole] += 1
        if seen[whole] > 1:
            name += f"{_DIGEST_MARK}{seen[whole]}"
        names.append(name)
    return names


def prompt_stem(node_stem: str, path: Sequence[Step]) -> str:
    """The name of a text's file: `<node>.<input>`, an input inside of others by its path."""
    steps = [str(step) for step in path]
    plain = all(isinstance(step, int) or _PLAIN_KEY.fullmatch(step) for step in path)
    readable = ".".join(steps)
    if plain and len(readable) <= _LONGEST_STEM - _LONGEST_ID:
        return f"{node_stem}.{readable}"
    return f"{node_stem}.{_with_digest(readable, repr(tuple(path)))}"


def place(path: Sequence[Step]) -> str:
    """A place as people write it: `agentMessages[0].content`."""
    shown = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return shown.removeprefix(".")


def _with_digest(readable: str, whole: str) -> str:
    digest = hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    start = _OTHER.sub("-", readable)[:_SLUG_LENGTH].strip("-")
    return f"{start or 'node'}{_DIGEST_MARK}{digest}"
