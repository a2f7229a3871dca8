"""The text of a version diff on the command line: its options, and how it is shown."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

import msgspec

from versiondiff.cli.arguments import RecordOptions, ScreenOptions, typed
from versiondiff.cli.output import Style, note, opened
from versiondiff.diffs import JsonForm, Limits, OnSecret
from versiondiff.rendering import render_outcome
from versiondiff.secrets import Rules

if TYPE_CHECKING:
    from versiondiff.cli.output import Output
    from versiondiff.formats import Format
    from versiondiff.records import VersionDiff
    from versiondiff.wording import Language

__all__ = ["Differ", "TextOptions", "add_text_options", "show_text"]

_DEFAULT: Final = Limits()
_MOST_DIGITS: Final = 9


class TextOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Whether the text is asked for, and how it is made."""

    text: bool
    file_limit: int
    total_limit: int
    rules: Path | None
    on_secret: OnSecret
    as_written: bool

    @property
    def limits(self) -> Limits:
        """How long the text may be."""
        return Limits(file=self.file_limit, total=self.total_limit)

    @property
    def json_form(self) -> JsonForm:
        """In which form JSON files are compared."""
        return "as_written" if self.as_written else "canonical"

    def chosen_rules(self) -> Rules | None:
        """The rules as the library takes them; None is the built-in ones.

        Raises:
            OSError, InvalidInput: The file can't be read, or holds no rules.
        """
        if self.rules is None:
            return None
        rules = Rules.load(self.rules, with_default=True)
        for warning in rules.warnings:
            note(f"{self.rules}: {warning}")
        return rules


def add_text_options(parser: argparse.ArgumentParser) -> None:
    """Add what `TextOptions` holds."""
    group = parser.add_argument_group(
        "the text that a model would get (version diff)",
        "Line by line, only the files that the format allows, secrets hidden, within limits.\n"
        "What is cut and left out is said on stderr.",
    )
    group.add_argument("--text", action="store_true", help="print the text and not the record")
    group.add_argument(
        "--file-limit",
        type=_bytes,
        default=_DEFAULT.file,
        metavar="BYTES",
        help="of one file, headers and marks included (default: %(default)s)",
    )
    group.add_argument(
        "--total-limit",
        type=_bytes,
        default=_DEFAULT.total,
        metavar="BYTES",
        help="of the whole text (default: %(default)s)",
    )
    group.add_argument(
        "--rules",
        type=Path,
        metavar="FILE",
        help="secrets of your own, besides the built-in ones: a file in the gitleaks TOML form",
    )
    group.add_argument(
        "--on-secret",
        choices=("redact", "fail"),
        default="redact",
        help="hide a secret, or print nothing and fail (default: %(default)s)",
    )
    group.add_argument(
        "--as-written",
        action="store_true",
        help="compare JSON files as they are written, and not by what they mean",
    )


class Differ(Protocol):
    """What makes a version diff: `version_diff`, or a repository's, of what is compared."""

    def __call__(
        self,
        *,
        format: str | Format | None,
        limits: Limits,
        rules: Rules | None,
        on_secret: OnSecret,
        json: JsonForm,
        language: Language,
    ) -> VersionDiff:
        """The version diff with these options."""


def show_text(differ: Differ, namespace: argparse.Namespace) -> VersionDiff:
    """Make a version diff with what was typed, and print its text; on stderr, what it leaves out.

    Returns:
        What was printed.
    """
    options, text_options = typed(namespace, RecordOptions), typed(namespace, TextOptions)
    diff = differ(
        format=options.chosen_format(),
        limits=text_options.limits,
        rules=text_options.chosen_rules(),
        on_secret=text_options.on_secret,
        json=text_options.json_form,
        language=options.language,
    )
    if options.format is None:
        note(f"format: {diff.format}")
    with opened(typed(namespace, ScreenOptions)) as output:
        if options.json:
            output.write_line(msgspec.json.encode(diff))
        elif diff.text:
            output.write_line("\n".join(_styled(diff.text, output)).encode())
        said = render_outcome(diff, language=options.language)
        if said:
            note(said)
    return diff


_STYLES: Final = {
    "+": Style.GREEN,
    "-": Style.RED,
    "@": Style.CYAN,
    "[": Style.YELLOW,
    " ": Style.PLAIN,
    "\\": Style.FAINT,
}


def _styled(text: str, output: Output) -> list[str]:
    lines = text.removesuffix("\n").split("\n")
    return [output.styled(line, _STYLES.get(line[:1], Style.BOLD)) for line in lines]


def _bytes(typed: str) -> int:
    """A number of bytes."""
    if not (typed.isascii() and typed.isdecimal() and len(typed) <= _MOST_DIGITS):
        message = "must be a whole number of bytes"
        raise argparse.ArgumentTypeError(message)
    return int(typed)
