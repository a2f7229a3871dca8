"""Secrets in the texts of a flow: found by the built-in rules, and by some for texts alone."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, NamedTuple

from versiondiff import secrets
from versiondiff._core import redact_each
from versiondiff.flows.markers import PLACEHOLDER
from versiondiff.flows.survey import Kind, Survey
from versiondiff.secrets import core_rules

if TYPE_CHECKING:
    from versiondiff.flows.json_text import Json
    from versiondiff.secrets import Rules

__all__ = ["Hiders", "TextHider", "joined_rules"]

# What people paste into code, URLs and headers besides tokens that are known by their form. A
# value has to look random: it is in history for good, but what is hidden by mistake is lost on
# restore, so the bar is the entropy of a key and not that of a word.
#
# In JSON inside of texts an escape may stand before a secret, and before a quotation mark.
#
# Names begin with letters of their own, and not with any word: so they are searched for faster.
_COUNTED = "(?:max|min|next|page|per|stop|start|end|bos|eos|pad|sep|unk|special|cancel)"
_KEY_NAME = (
    r"(?:api|access|account|encryption|private|service_?role|secret|shared|signing|storage"
    rf"|subscription)[_-]?key|(?:{_COUNTED}[_-]?)?token|secret|authorization"
)
_PASSWORD_NAME = r"password|passwd|passphrase|pwd|smtp_?pass|db_?pass"
_QUOTE = r"""\\{0,7}["'`]"""
# What may stand between a name and its value besides an operator: `**key**:`, `h["key"] =`.
_NAME_END = r"""[\\"'`*\])]{0,9}"""
_SCHEME = r"(?:(?:bearer|basic|token|bot|api-?key)\s+)?"
# `=`, `: str =`, `=>`, `,` and `= process.env.KEY ||`.
_TO_QUOTED = (
    r"\s*(?:(?::\s*[a-z]+\s*)?={1,3}>?|[:,>]|:=)\s*"
    r"(?:[a-z][\w.]{0,60}[^\n]{0,60}?(?:\|\||\?\?|\bor\b)\s*)?|\s*(?:\|\||\?\?|\bor\b)\s*"
)
_TO_PLAIN = r"(?:\s*(?:[:=>]|%3[ad])[ \t*`_]*|[ \t]+)"
_PLAIN_END = r"""(?:[\s"'`<>,;&|)}\]\\*]|$)"""
# `accessToken`, `response.data.token_2`, `YOUR_API_KEY`: names that stand for a value.
_WORDS = (
    r"^(?:[a-z]+|[A-Z][a-z]{2,}|API|AWS|DB|ID|JWT|URL|[A-Z]+[_.$:/-]|[_.$:/-])*[A-Z]*[0-9]{0,3}$"
)
_WORDS_AND_NUMBERS = (
    r"^(?:[A-Za-z][a-z]+[0-9]{1,2}(?:[A-Z][a-z]+)+|[A-Za-z]{4,}_[0-9]{1,2}(?:\.[A-Za-z_]+)*"
    r"|[0-9.:/-]+)$"
)
_PATH = r"^~?(?:/[A-Za-z0-9_.-]+){2,}/?$"

_TEXT_RULES = rf"""
[[rules]]
id = "bearer-token"
description = "token in an authorization header"
regex = '''(?i)(?:\b|\\[nrt])(?:bearer|basic)(?:\s+|%20|\+)([a-z0-9._~+/=-]{{16,}})'''
keywords = ["bearer", "basic"]
entropy = 3.3
[[rules.allowlists]]
regexes = ['''{_WORDS}''']

[[rules]]
id = "url-parameter"
description = "secret in the query of a URL"
regex = '''(?i)[?&](?:[a-z_-]*(?:api_?-?key|token|secret|password|signature)|key|sig|code)=([a-z0-9._~+/%-]{{12,}})'''
keywords = ["key=", "token=", "secret=", "password=", "signature=", "sig=", "code="]
entropy = 3
[[rules.allowlists]]
regexes = ['''{_WORDS}''']

[[rules]]
id = "assigned-secret"
description = "secret in code, as the value of a name that says so"
regex = '''(?i)(?:{_KEY_NAME}|{_PASSWORD_NAME}){_NAME_END}(?:{_TO_QUOTED}){_QUOTE}{_SCHEME}([^\s"'`\\${{}}<>]{{12,}}){_QUOTE}'''
keywords = ["key", "token", "secret", "pass", "pwd", "authorization"]
entropy = 3
[[rules.allowlists]]
regexes = ['''{_WORDS}''', '''^https?://''']
[[rules.allowlists]]
regexTarget = "match"
regexes = ['''(?i)^{_COUNTED}[_-]?token''']

[[rules]]
id = "named-secret"
description = "secret in a header, in settings or on a command line, after its name"
regex = '''(?i)(?:{_KEY_NAME}){_NAME_END}{_TO_PLAIN}{_SCHEME}([a-z0-9+/_.~-]{{12,}}={{0,2}}){_PLAIN_END}'''
keywords = ["key", "token", "secret", "authorization"]
entropy = 3
[[rules.allowlists]]
regexes = ['''{_WORDS}''', '''{_WORDS_AND_NUMBERS}''']
[[rules.allowlists]]
regexTarget = "match"
regexes = ['''(?i)^{_COUNTED}[_-]?token''']

[[rules]]
id = "named-password"
description = "password in code, in settings or on a command line, after its name"
regex = '''(?i)(?:(?:{_PASSWORD_NAME}){_NAME_END}\s*(?:[:=>]|=>|%3[ad])\s*|--[a-z_-]{{0,20}}(?:password|passwd|passphrase|pwd)[ \t]+)(?:{_QUOTE})?([^\s"'`\\${{}}<>,;&|()]{{8,}}){_PLAIN_END}'''
keywords = ["pass", "pwd"]
entropy = 2.5
[[rules.allowlists]]
regexes = ['''{_WORDS}''', '''{_WORDS_AND_NUMBERS}''', '''{_PATH}''']

[[rules]]
id = "command-password"
description = "password of a user on a command line"
regex = '''(?:\s-u|--user)[\s=]*(?:{_QUOTE})?[\w.@+-]{{1,80}}:([^\s"'`\\${{}}<>]{{6,}})'''
keywords = ["-u", "--user"]
entropy = 2.5
[[rules.allowlists]]
regexes = ['''{_WORDS}''', '''^[0-9:]+$''']

[[rules]]
id = "url-password"
description = "password in a URL"
regex = '''\b[a-z][a-z0-9+.-]{{1,20}}://[^\s:/?#@"'`<>{{}}$]{{0,60}}:([^\s/?#@"'`<>{{}}$]{{6,}})@[a-z0-9]'''
keywords = ["://"]
entropy = 2.5
[[rules.allowlists]]
regexes = ['''{_WORDS}''']

[[rules]]
id = "webhook-url"
description = "URL that lets anyone post who knows it"
regex = '''(?i)(?:discord(?:app)?\.com/api/(?:v[0-9]+/)?webhooks/[0-9]+/([\w-]{{60,}})|\.webhook\.office\.com/webhookb2/[0-9a-f@-]+/IncomingWebhook/([0-9a-f]{{32}}[0-9a-z/-]*))'''
keywords = ["/webhooks/", "/webhookb2/"]

[[rules]]
id = "service-token"
description = "token of a service, by its form"
regex = '''\b(lin_api_[A-Za-z0-9]{{40}}|figd_[\w-]{{40,}}|sntr[yu]s_[\w=-]{{60,}}|dp\.(?:pt|st|ct)\.[\w.-]{{40,}}|pat-(?:na|eu|ap)[0-9]-[0-9a-f-]{{36}}|hvs\.[\w-]{{24,}}|dapi[0-9a-f]{{32}}|ATATT3[\w=-]{{60,}}|fc-[0-9a-f]{{32}}|key-[0-9a-f]{{32}}|pa-[A-Za-z0-9_-]{{43}})'''
keywords = ["lin_api_", "figd_", "sntrys_", "sntryu_", "dp.pt.", "dp.st.", "dp.ct.", "pat-na", "pat-eu", "pat-ap", "hvs.", "dapi", "atatt3", "fc-", "key-", "pa-"]
entropy = 3

[[rules]]
id = "service-token-by-its-end"
description = "token of a service, by what stands in or behind it"
regex = '''\b([0-9a-f]{{32}}-us[0-9]{{1,2}}|[A-Za-z0-9]{{52}}JQQJ99[A-Za-z0-9]{{26}})'''
keywords = ["-us1", "-us2", "jqqj99"]
entropy = 3
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
            or secrets.holds_secret(survey.joined, rules=self._rules)
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
        return TextHider(Survey([value], kind=Kind.INPUTS), self._given)
