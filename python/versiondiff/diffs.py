"""Version diffs: the text of a change that may go to a model, a log or another house.

What may be seen is what the format allows (`Format.visible`); secrets are hidden, both limits hold
for the text as it is sent, and whatever is cut or left out is counted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import msgspec

from versiondiff import _core
from versiondiff.errors import InvalidInput
from versiondiff.records import VersionDiff
from versiondiff.secrets import core_rules
from versiondiff.snapshots import Rewrites, as_format, as_source

if TYPE_CHECKING:
    from collections.abc import Iterable

    from versiondiff.formats import AnyFormat
    from versiondiff.secrets import Rules
    from versiondiff.snapshots import Files
    from versiondiff.wording import Language

__all__ = ["JsonForm", "Limits", "OnSecret", "version_diff"]

OnSecret: TypeAlias = Literal["redact", "fail"]
"""What to do where a secret is found: show `[secret hidden]` in its place, or raise."""

JsonForm: TypeAlias = Literal["canonical", "as_written"]
"""In which form JSON files are compared: the canonical one, in which key order and white space are
no change, or as they are written."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """How long the text of a version diff may be, in bytes of UTF-8.

    Headers, marks and line feeds are counted: the promise is about what is sent.
    """

    file: int = 4_000
    """Of one file."""
    total: int = 12_000
    """Of the whole text."""

    def __post_init__(self) -> None:
        """Refuse what is no number of bytes."""
        for name, value in (("file", self.file), ("total", self.total)):
            if not 0 <= value <= _MOST_BYTES:
                message = f"limits: {name} is from 0 to {_MOST_BYTES} bytes"
                raise InvalidInput(message)


_MOST_BYTES: Final = 1 << 30

DEFAULT_LIMITS: Final = Limits()

_DECODER = msgspec.json.Decoder(VersionDiff)


def version_diff(
    old: Files,
    new: Files,
    *,
    format: AnyFormat | None = None,
    limits: Limits = DEFAULT_LIMITS,
    rules: Rules | None = None,
    on_secret: OnSecret = "redact",
    json: JsonForm = "canonical",
    language: Language = "en",
    paths: Iterable[str] = (),
    rewrites: Rewrites = Rewrites.SIMILAR,
) -> VersionDiff:
    """The text of what changed between two snapshots, in the files that a model may see.

    Args:
        old: The files before.
        new: The files now.
        format: What paths mean, and which may be seen: the name of a built-in format, or a
            format. None takes the first built-in one that fits the new files, or else the old
            ones.
        limits: How long the text may be.
        rules: What counts as a secret; None is the built-in rules.
        on_secret: Hide secrets, or raise `SecretFound`.
        json: In which form JSON files are compared.
        language: The language of the marks. Lines of files, and git's own, are what they are.
        paths: Files and directories to look at; none means everything.
        rewrites: How to find files that moved.

    Raises:
        SecretFound: With `on_secret="fail"`: a changed file that may be seen holds a secret, or
            its path does. The message names file, line and rule.
        UnsupportedFormat: No built-in format fits.
        InvalidInput: A path of a mapping can't be in a tree, or there is no such format.
        NotFound: An object of a version is missing.
        LimitExceeded: Directories nest too deep.
        VersionDiffError: A file can't be read, or changed while it was being read.
    """
    options = as_options(
        limits=limits,
        rules=rules,
        on_secret=on_secret,
        json=json,
        language=language,
        paths=paths,
        rewrites=rewrites,
    )
    return _DECODER.decode(
        _core.version_diff(as_source(old), as_source(new), options, as_format(format))
    )


def as_options(
    *,
    limits: Limits,
    rules: Rules | None,
    on_secret: OnSecret,
    json: JsonForm,
    language: Language,
    paths: Iterable[str],
    rewrites: Rewrites,
) -> _core.DiffOptions:
    """The options as the core takes them.

    Raises:
        InvalidInput: One of them is not a value that it may have.
    """
    return _core.DiffOptions(
        rules=core_rules(rules),
        file_limit=limits.file,
        total_limit=limits.total,
        on_secret=on_secret,
        json=json,
        language=language,
        paths=list(paths),
        rewrites=rewrites.value,
    )
