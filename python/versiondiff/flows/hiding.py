"""Secrets in the texts of a flow: found by the built-in rules, and by some for texts alone."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from versiondiff import secrets
from versiondiff.flows.markers import PLACEHOLDER

if TYPE_CHECKING:
    from collections.abc import Iterable

    from versiondiff.secrets import Rules

__all__ = ["TextHider", "joined_rules"]

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

_BETWEEN = "\n\n"


def joined_rules(more: Rules | None) -> Rules:
    """The rules for texts of a flow, and more rules."""
    return _text_rules() if more is None else _text_rules() | more


@functools.cache
def _text_rules() -> Rules:
    return secrets.Rules.default() | secrets.Rules.parse(_TEXT_RULES)


class TextHider:
    """Hides secrets in the texts of one flow.

    Most flows hold none. So all texts are scanned at once first, and one by one only where that
    finds something: a call for each of some hundred texts takes longer than the scan itself.
    """

    __slots__ = ("_clean", "_rules")

    def __init__(self, texts: Iterable[str], rules: Rules | None) -> None:
        self._rules = joined_rules(rules)
        self._clean = False
        if rules is None:
            joined = _BETWEEN.join(texts)
            # A NUL may make a text UTF-16, and this is seen only where it stands alone.
            self._clean = (
                "\0" not in joined
                and PLACEHOLDER not in joined
                and not secrets.scan(joined, rules=self._rules)
            )

    @classmethod
    def one_by_one(cls, rules: Rules | None) -> TextHider:
        """One that looks at each text for itself."""
        return cls((PLACEHOLDER,), rules)

    def hide(self, text: str, *, alone: bool = False) -> tuple[str, int]:
        """The text without secrets, and how often the placeholder now stands in it.

        Args:
            text: One of the texts, or a part of one.
            alone: It is nested in the text so that scanning all texts did not reach it.
        """
        if self._clean and not alone:
            return text, 0
        hidden, _ = secrets.redact(text, rules=self._rules)
        return hidden, hidden.count(PLACEHOLDER)
