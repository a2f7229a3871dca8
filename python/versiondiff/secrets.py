"""Secrets in text: rules that recognise them, where they stand, and text without them.

A finding holds a rule and a place, never text. `scan` finds, `redact` hides; both take `Rules`,
by default the built-in ones. A user's own rules come from a file in the gitleaks TOML form;
docs/secrets.md lists the built-in rules and shows how to write more.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec

from versiondiff import _core
from versiondiff.errors import InvalidInput, LimitExceeded, NotFound
from versiondiff.paths import path_bytes, why_unread
from versiondiff.records import Finding

if TYPE_CHECKING:
    import os

__all__ = ["Finding", "Rules", "holds_secret", "redact", "scan"]


_FINDINGS = msgspec.json.Decoder(tuple[Finding, ...])


class Rules:
    """A set of rules; immutable, and safe to share between threads."""

    __slots__ = ("_core",)

    def __init__(self, core: _core.Rules) -> None:
        """Use `Rules.default`, `Rules.load` or `Rules.parse`."""
        self._core = core

    @classmethod
    def default(cls) -> Rules:
        """The built-in rules."""
        return _default()

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, with_default: bool = False) -> Rules:
        """The rules of a file in the gitleaks TOML form.

        Args:
            path: The file.
            with_default: Add the built-in rules, unless the file says `useDefault = false`.
                Without it they are added where the file says `useDefault = true`.

        Raises:
            NotFound: The file can't be read.
            InvalidInput: It holds no valid rules; the message names the rule, the field and the
                line.
            LimitExceeded: It, or a rule of it, is too large.
        """
        try:
            text = Path(path).read_bytes()
        except (OSError, ValueError) as error:
            message = f"rule file {str(path)!r}: {why_unread(error)}"
            raise NotFound(message) from error
        try:
            return cls(_core.Rules.parse(text, with_builtin=with_default))
        except (InvalidInput, LimitExceeded) as error:
            message = f"rule file {str(path)!r}: {error}"
            raise type(error)(message) from error

    @classmethod
    def parse(cls, text: str, *, with_default: bool = False) -> Rules:
        """As `load`, from the text of such a file.

        Raises:
            InvalidInput: It holds no valid rules.
            LimitExceeded: It, or a rule of it, is too large.
        """
        return cls(_core.Rules.parse(_encoded(text), with_builtin=with_default))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all rules, each once, the more specific ones first."""
        return tuple(self._core.names)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was odd, though not wrong, in the files that the rules came from."""
        return tuple(self._core.warnings)

    def without(self, *names: str) -> Rules:
        """This set without the rules of these names.

        Raises:
            InvalidInput: There is no rule of such a name.
        """
        return Rules(self._core.without(names))

    def joined(self, other: Rules) -> Rules:
        """The rules of both sets: what either finds is found. Also written `one | other`."""
        return Rules(self._core.joined(other._core))

    def __or__(self, other: object) -> Rules:
        return self.joined(other) if isinstance(other, Rules) else NotImplemented

    def __repr__(self) -> str:
        return f"<Rules: {len(self.names)}>"


@functools.cache
def _default() -> Rules:
    return Rules(_core.Rules.builtin())


_Text = TypeVar("_Text", str, bytes)


def scan(
    content: bytes | str, *, rules: Rules | None = None, path: str | None = None
) -> tuple[Finding, ...]:
    """Find the secrets in a content.

    Args:
        content: The whole content of a file; of a part of one, what is cut is not recognised.
        rules: By default the built-in ones.
        path: Where the file is, with `/`: it is scanned too, and some rules look at some paths
            only. It is not opened.

    Returns:
        Where the secrets are, those in the path first, then sorted by place; no two overlap.
    """
    if isinstance(content, str):
        content = _encoded(content)
    where = None if path is None else path_bytes(path)
    return _FINDINGS.decode(_core.scan(content, core_rules(rules), where))


def holds_secret(content: bytes | str, *, rules: Rules | None = None) -> bool:
    """Whether `scan` finds a secret in a content; quicker where there is one.

    Args:
        content: As of `scan`.
        rules: By default the built-in ones.
    """
    if isinstance(content, str):
        content = _encoded(content)
    return _core.holds_secret(content, core_rules(rules))


def redact(text: _Text, *, rules: Rules | None = None) -> tuple[_Text, tuple[Finding, ...]]:
    """Hide the secrets in a text.

    Args:
        text: The text; whole, as what is cut off a secret may hide it from the rules.
        rules: By default the built-in ones.

    Returns:
        The text with `[secret hidden]` in place of each secret, of the same type as it came; and
        where they stood in the text that came.
    """
    content = _encoded(text) if isinstance(text, str) else text
    redacted, findings = _core.redact(content, core_rules(rules))
    found = _FINDINGS.decode(findings)
    if isinstance(text, str):
        return redacted.decode("utf-8", "surrogatepass"), found
    return redacted, found


def core_rules(rules: Rules | None) -> _core.Rules:
    """The core's handle of a set of rules; None is the built-in ones."""
    return (_default() if rules is None else rules)._core


def _encoded(text: str) -> bytes:
    """The text as bytes; a lone surrogate, as JSON text can bring it, is kept."""
    return text.encode("utf-8", "surrogatepass")
