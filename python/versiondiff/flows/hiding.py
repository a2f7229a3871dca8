"""Secrets in the texts of a flow: found by the built-in rules, and by some for texts alone."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, NamedTuple

from versiondiff import secrets
from versiondiff._core import redact_each
from versiondiff.flows.markers import PLACEHOLDER
from versiondiff.flows.survey import Survey
from versiondiff.secrets import core_rules

if TYPE_CHECKING:
    from versiondiff.flows.json_text import Json
    from versiondiff.secrets import Rules

__all__ = ["Hiders", "TextHider", "joined_rules"]

# What people paste into code, URLs and headers besides tokens that are known by their form. A
# value has to look random: it is in history for good, but what is hidden by mistake is lost on
# restore, so the bar is the entropy of a key and not that of a word.
_TEXT_RULES = r"""
[[rules]]
id = "bearer-token"
description = "token in an authorization header"
regex = '''(?i)\b(?:bearer|basic)\s+([a-z0-9._~+/=-]{16,})'''
keywords = ["bearer ", "basic "]
entropy = 3.5
[[rules.allowlists]]
regexTarget = "secret"
regexes = ['''^[A-Za-z_.-]+$''']

[[rules]]
id = "url-parameter"
description = "secret in the query of a URL"
regex = '''(?i)[?&](?:[a-z_-]*(?:api_?-?key|token|secret|password|signature)|key|sig|code)=([a-z0-9._~+/%-]{12,})'''
keywords = ["key=", "token=", "secret=", "password=", "signature=", "sig=", "code="]
entropy = 3
[[rules.allowlists]]
regexTarget = "secret"
regexes = ['''^[A-Za-z_.-]+$''']

[[rules]]
id = "assigned-secret"
description = "secret in code, as the value of a name that says so"
regex = '''(?i)(?:api_?-?key|access_?-?key|private_?-?key|secret_?-?key|(?:auth|access|refresh|bearer|api|bot)_?-?token|client_?-?secret|webhook_?-?secret|password|passwd|authorization|\bsecret|\btoken)\\?["'`]?\s*(?::|=>?|,)\s*\\?["'`]([^\s"'`\\${}<>]{12,})\\?["'`]'''
keywords = ["key", "token", "secret", "passw", "authorization"]
entropy = 3
[[rules.allowlists]]
regexTarget = "secret"
regexes = ['''^[A-Za-z_.-]+$''', '''^https?://''']

[[rules]]
id = "url-password"
description = "password in a URL"
regex = '''\b[a-z][a-z0-9+.-]{1,20}://[^\s:/?#@"'`<>{}$]{0,60}:([^\s/?#@"'`<>{}$]{6,})@[a-z0-9]'''
keywords = ["://"]
entropy = 2.5
[[rules.allowlists]]
regexTarget = "secret"
regexes = ['''^[A-Za-z_.-]+$''']
"""  # noqa: E501 (an expression stands on one line)


def joined_rules(more: Rules | None) -> Rules:
    """The rules for texts of a flow, and more rules."""
    return _text_rules() if more is None else _text_rules() | more


@functools.cache
def _text_rules() -> Rules:
    return secrets.Rules.default() | secrets.Rules.parse(_TEXT_RULES)


class Hiders(NamedTuple):
    """Those of a flow: mostly inputs alone have secrets, and all else is written as it is."""

    inputs: TextHider
    others: TextHider


class TextHider:
    """Hides secrets in the texts of one flow.

    Most flows hold none. So all texts are scanned at once first, and one by one only where that
    finds something.
    """

    __slots__ = ("_given", "_others", "_rules", "is_plain", "written")

    def __init__(self, survey: Survey, rules: Rules | None) -> None:
        """Look through texts, with more rules for secrets than the built-in ones or without."""
        self._rules = joined_rules(rules)
        self._given = rules
        self._others: dict[str, str] = {}
        self.written: dict[str, str] = {}
        """By each text that is a secret, or holds one or the placeholder: as it is written."""
        # A NUL may make a text UTF-16, and this is seen only where it stands alone; so is what a
        # rule of someone's own says of where a text begins and ends.
        if (
            rules is not None
            or "\0" in survey.joined
            or PLACEHOLDER in survey.joined
            or secrets.scan(survey.joined, rules=self._rules)
        ):
            self._look_at(list(dict.fromkeys(survey.texts)))
        self.is_plain = survey.is_plain and not self.written
        """Whether every value is written as it is, but for what a rule leaves out of inputs."""

    def _look_at(self, texts: list[str]) -> None:
        self.written = {text: text for text in texts if PLACEHOLDER in text}
        for at, content in redact_each(texts, core_rules(self._rules)):
            self.written[texts[at]] = content.decode("utf-8", "surrogatepass")

    def hide(self, text: str) -> tuple[str, int]:
        """One of the texts without secrets, and how often the placeholder now stands in it."""
        written = self.written.get(text)
        if written is None:
            return text, 0
        return written, written.count(PLACEHOLDER)

    def hide_other(self, text: str) -> tuple[str, int]:
        """The same for what is none of the texts."""
        written = self._others.get(text)
        if written is None:
            written = self._others[text] = secrets.redact(text, rules=self._rules)[0]
        return written, written.count(PLACEHOLDER)

    def within(self, value: Json) -> TextHider:
        """The one for the value of a JSON text, in which an escape may stand before a secret."""
        return TextHider(Survey((), [value]), self._given)
