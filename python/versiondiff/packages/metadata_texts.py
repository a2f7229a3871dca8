"""Files of metadata as values: JSON, TOML, YAML, headers, entry points. Nothing in them is run."""

from __future__ import annotations

import json
import re
from typing import Any, Final

import msgspec

from versiondiff import _core

__all__ = [
    "MOST_BYTES",
    "Unreadable",
    "entry_points",
    "gem_metadata",
    "headers",
    "json_object",
    "toml",
]

MOST_BYTES: Final = 4 << 20
"""The largest file that is read."""

_MOST_HEADER_LINES: Final = 100_000
"""Of a description, say."""

_LINE_END: Final = re.compile("\r\n|\r|\n")
_BLANK_LINE: Final = re.compile(rb"\r?\n\r?\n|\r\r")
_HEADER: Final = re.compile(r"(?P<name>[!-9;-~]+):[ \t]*(?P<value>.*)", re.DOTALL)


class Unreadable(Exception):
    """A file of metadata is not what it should be."""


def json_object(text: bytes) -> dict[str, Any]:
    """A manifest in JSON, as Node reads it."""
    # Some write a byte order mark, and npm reads over it.
    text = text.removeprefix(b"\xef\xbb\xbf")
    try:
        document = msgspec.json.decode(text)
    except msgspec.DecodeError:
        document = _loose_json(text)
    if not isinstance(document, dict):
        raise Unreadable
    return document


def _loose_json(text: bytes) -> object:
    """What Node reads as well: lone surrogates, bytes that are no UTF-8, numbers of any size."""
    document = json.loads(
        text.decode("utf-8", "replace"), parse_int=str, parse_float=str, parse_constant=_refuse
    )
    safe = json.dumps(document, ensure_ascii=False).encode("utf-8", "replace")
    return msgspec.json.decode(safe)


def _refuse(_constant: str) -> object:
    raise Unreadable


def toml(text: bytes) -> dict[str, Any]:
    """A manifest in TOML; numbers and times are text."""
    return json_object(_core.toml_as_json(text))


def _yaml(text: bytes) -> dict[str, Any]:
    return json_object(_core.yaml_as_json(text))


def headers(text: bytes) -> dict[str, list[str]]:
    """Headers as in mail (PEP 566, RFC 5322), each with all its values.

    As `email.parser` reads them, whose import takes longer than reading a small archive does.
    """
    head = _BLANK_LINE.split(text, maxsplit=1)[0]
    if head.count(b"\n") + head.count(b"\r") > _MOST_HEADER_LINES:
        raise Unreadable
    found: dict[str, list[list[str]]] = {}
    value: list[str] | None = None
    for line in _LINE_END.split(head.decode("utf-8", "replace")):
        header = _HEADER.match(line)
        if header is not None:
            value = [header["value"]]
            found.setdefault(header["name"].lower(), []).append(value)
        elif line[:1] in (" ", "\t"):
            # A line that goes on with the header before it.
            if value is not None:
                value.append(line)
        elif line.startswith(("From ", ":")):
            value = None
        else:
            break
    if not found:
        raise Unreadable
    return {
        name: ["\n".join(value).rstrip("\n") for value in values] for name, values in found.items()
    }


def gem_metadata(text: bytes) -> dict[str, Any]:
    """The specification of a gem, in YAML."""
    gem = _yaml(text)
    if "<<" in gem:
        # Ruby would take over the keys of what stands there, and no gem that is built has it.
        raise Unreadable
    return gem


def entry_points(text: bytes) -> dict[str, Any]:
    """The names below `[console_scripts]` and `[gui_scripts]`."""
    section, names = "", {}
    for line in text.decode("utf-8", "replace").splitlines():
        line = line.strip()
        if line.startswith("["):
            section = line
        elif section in ("[console_scripts]", "[gui_scripts]") and "=" in line:
            name, _, target = line.partition("=")
            names[name.strip()] = target.strip()
    return names
