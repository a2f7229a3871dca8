"""Names of keys that say that their value is secret, and values that are none all the same.

`apiKey`, `X-API-KEY`, `client_secret` and `Authorization` say so; `maxTokens`, `tokenLimit`,
`memoryKey` and `partitionKey` do not: the last word decides, with the one before it.
"""

from __future__ import annotations

import functools
import re

__all__ = ["PAIR_NAMES", "PAIR_VALUES", "is_reference", "says_secret"]

PAIR_NAMES = (
    "key",
    "name",
    "header",
    "headerName",
    "property",
    "variable",
    "variableName",
    "inputArgName",
)
"""Keys that hold the name of a pair, as `key` in `{"key": "Authorization", "value": "…"}`."""

PAIR_VALUES = ("value", "headerValue", "variableValue", "inputArgValue")
"""Keys that hold the value of such a pair."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")

_SECRETS = frozenset(
    {
        "apikey",
        "authorization",
        "authkey",
        "accesskey",
        "accesstoken",
        "authtoken",
        "bearer",
        "clientsecret",
        "cookie",
        "jwt",
        "passcode",
        "passphrase",
        "passwd",
        "password",
        "passwords",
        "privatekey",
        "pwd",
        "secret",
        "secretkey",
        "secrets",
        "token",
    }
)
# `max token`, `stop token`: what is counted, or marks a place in a text.
_PLAIN_TOKENS = frozenset(
    {
        "bos",
        "cancel",
        "end",
        "eos",
        "max",
        "min",
        "next",
        "pad",
        "page",
        "per",
        "sep",
        "special",
        "start",
        "stop",
        "unk",
    }
)
_KEYS = frozenset({"key", "keys"})
_SECRET_KEYS = frozenset(
    {
        "access",
        "account",
        "admin",
        "api",
        "auth",
        "encryption",
        "license",
        "master",
        "private",
        "secret",
        "service",
        "shared",
        "signing",
        "storage",
        "subscription",
        "webhook",
    }
)
# Whose key it is: `OPENAI_KEY`. A service's own name for its keys ends so too: `SERPAPI_KEY`.
_KEY_GIVERS = frozenset(
    {
        "anthropic",
        "aws",
        "azure",
        "brave",
        "cohere",
        "functions",
        "gemini",
        "google",
        "groq",
        "hmac",
        "mistral",
        "openai",
        "pinecone",
        "sas",
        "sendgrid",
        "stripe",
        "tavily",
    }
)
# `{"user": …, "pass": …}`, `smtpPass`; not `highPass`.
_PASSES = frozenset(
    {
        "",
        "admin",
        "auth",
        "database",
        "db",
        "email",
        "ftp",
        "login",
        "mail",
        "proxy",
        "smtp",
        "user",
    }
)
_JOINED = re.compile(
    r"(?:api|secret|access|private)keys?$|(?:auth|access|refresh|bearer)token$"
    r"|(?:api|app|client)secret$|password$"
)

_LONGEST_REFERENCE = 1_000  # looked through again from each `{{` that nothing closes
_TAG = re.compile(r"<[^<>]*>")
_REFERENCE = re.compile(
    r"\{\{.*?\}\}|\$\{[^{}]*\}|\$\(?[A-Za-z_][\w.]*\)?|process\.env\.\w+|%[A-Z_][A-Z0-9_]*%",
    re.DOTALL,
)
_AROUND = re.compile(r"(?i)\b(?:bearer|basic|token|apikey|bot|env)\b|&nbsp;|[\s=:;,.\"'`+/-]+")


@functools.lru_cache(maxsize=4096)
def says_secret(name: str) -> bool:
    """Whether a key of this name holds a secret."""
    if len(name) > 200:
        return False
    words = [word.lower() for word in _WORD.findall(name)]
    while words and words[-1].isdigit():
        words.pop()
    if not words:
        return False
    last = words[-1]
    before = words[-2] if len(words) > 1 else ""
    if last in _KEYS:
        if before in _SECRET_KEYS or before in _KEY_GIVERS or before.endswith("api"):
            return True
        return before == "role" and words[-3:-2] == ["service"]
    if last == "pass":
        return before in _PASSES
    if last == "token":
        return before not in _PLAIN_TOKENS
    return last in _SECRETS or _JOINED.search(last) is not None


def is_reference(value: str) -> bool:
    """Whether a value only refers to what it stands for: `{{$vars.key}}`, `Bearer ${KEY}`.

    What the editor puts around a variable, tags and spaces, does not count.
    """
    if "$" not in value and "{{" not in value and "env" not in value and "%" not in value:
        return False
    if len(value) > _LONGEST_REFERENCE:
        return False
    left, count = _REFERENCE.subn("", _TAG.sub("", value))
    return count > 0 and not _AROUND.sub("", left)
