"""Secrets for tests: a generator for each built-in rule, put together when the tests run.

Nothing that looks like a secret stands in this file, and a scanner of it finds none.
"""

from __future__ import annotations

import random
import string
from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

ALPHANUMERIC: Final = string.ascii_letters + string.digits
HEX: Final = "0123456789abcdef"
BASE64: Final = ALPHANUMERIC + "+/"
BASE64URL: Final = ALPHANUMERIC + "-_"
BASE32: Final = string.ascii_uppercase + "234567"
BECH32: Final = "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"

Dice: TypeAlias = random.Random


class Planted(NamedTuple):
    """A secret, by the rule that is to find it."""

    rule: str
    text: str
    drawn: tuple[str, ...]
    """The parts of it that are drawn: of none of them may eight bytes be seen."""

    @property
    def pieces(self) -> list[str]:
        return [part[at : at + 8] for part in self.drawn for at in range(len(part) - 7)]


def draw(dice: Dice, alphabet: str, length: int) -> str:
    """Characters that start and end with a letter or digit, as in most tokens, of many kinds."""
    while True:
        text = "".join(dice.choice(alphabet) for _ in range(length))
        if text[0].isalnum() and text[-1].isalnum() and len(set(text)) >= 6 and _looks_drawn(text):
            return text


def _looks_drawn(text: str) -> bool:
    letters = [letter for letter in text.lower() if letter.isalnum()]
    return letters.count("x") * 2 < len(letters) and any(map(str.isdigit, text))


def token(*parts: str | tuple[str, int]) -> Callable[[Dice], tuple[str, tuple[str, ...]]]:
    """A maker of tokens: texts as they are, and alphabets with how many of them to draw."""

    def make(dice: Dice) -> tuple[str, tuple[str, ...]]:
        made = [part if isinstance(part, str) else draw(dice, *part) for part in parts]
        drawn = (text for text, part in zip(made, parts, strict=True) if not isinstance(part, str))
        return "".join(made), tuple(drawn)

    return make


def pem(
    dice: Dice, *, line_feed: str = "\n", lines: int | None = None
) -> tuple[str, tuple[str, ...]]:
    label = dice.choice(["", "RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED "]) + "PRIVATE" + " KEY"
    body = [draw(dice, BASE64, 64) for _ in range(lines or dice.randrange(3, 9))]
    body.append(draw(dice, BASE64, dice.randrange(20, 60)))
    dashes = "-" * 5
    rows = [f"{dashes}BEGIN {label}{dashes}", *body, f"{dashes}END {label}{dashes}"]
    return line_feed.join(rows), tuple(body)


def jwt(dice: Dice) -> tuple[str, tuple[str, ...]]:
    head, payload, signature = (draw(dice, BASE64URL, length) for length in (17, 60, 43))
    return f"eyJ{head}.eyJ{payload}.{signature}", (head, payload, signature)


def github_application(dice: Dice) -> tuple[str, tuple[str, ...]]:
    text, drawn = jwt(dice)
    return "gh" + f"s_{dice.randrange(10**5, 10**7)}_{text}", drawn


def postgres(dice: Dice) -> tuple[str, tuple[str, ...]]:
    scheme = dice.choice(["postgres", "postgresql", "postgresql+psycopg"])
    password = draw(dice, ALPHANUMERIC + "!$*~", dice.randrange(12, 30))
    return f"{scheme}:" + f"//flows:{password}@db.example.org:5432/flows", (password,)


def postgres_keywords(dice: Dice) -> tuple[str, tuple[str, ...]]:
    password = draw(dice, ALPHANUMERIC, 20)
    return f"host=db.example.org user=flows password={password} dbname=flows", (password,)


def database(dice: Dice) -> tuple[str, tuple[str, ...]]:
    scheme = dice.choice(["mongodb+srv", "redis", "mysql", "amqps"])
    password = draw(dice, ALPHANUMERIC, dice.randrange(12, 30))
    return f"{scheme}:" + f"//flows:{password}@cluster.example.org/flows", (password,)


def telegram(dice: Dice) -> tuple[str, tuple[str, ...]]:
    body = draw(dice, BASE64URL, 33)
    return f"{dice.randrange(10**8, 10**10)}" + f":AA{body}", (body,)


Maker: TypeAlias = Callable[[Dice], tuple[str, tuple[str, ...]]]

MAKERS: Final[dict[str, tuple[Maker, ...]]] = {
    "private-key": (pem, token("AGE-SEC" + "RET-KEY-1", (BECH32, 58))),
    "github-token": (
        *(token(f"gh{kind}_", (ALPHANUMERIC, 36)) for kind in "pousr"),
        token("github" + "_pat_", (ALPHANUMERIC, 22), "_", (ALPHANUMERIC, 59)),
        github_application,
    ),
    "gitlab-token": (token("gl" + "pat-", (BASE64URL, 20)),),
    "docker-token": (token("dckr" + "_pat_", (BASE64URL, 27)),),
    "shopify-token": (token("sh" + "pat_", (HEX, 32)),),
    "anthropic-key": (token("sk-" + "ant-api03-", (BASE64URL, 93)),),
    "openai-key": (
        token("sk" + "-", (ALPHANUMERIC, 48)),
        token("sk" + "-proj-", (BASE64URL, 74), "T3Blb" + "kFJ", (BASE64URL, 74)),
        token("sk" + "-svcacct-", (BASE64URL, 58)),
        token("sk" + "-admin-", (BASE64URL, 58)),
    ),
    "xai-key": (token("xa" + "i-", (ALPHANUMERIC, 80)),),
    "groq-key": (token("gs" + "k_", (ALPHANUMERIC, 52)),),
    "perplexity-key": (token("pp" + "lx-", (ALPHANUMERIC, 48)),),
    "replicate-key": (token("r" + "8_", (ALPHANUMERIC, 37)),),
    "hugging-face-token": (token("h" + "f_", (ALPHANUMERIC, 34)),),
    "nvidia-key": (token("nv" + "api-", (BASE64URL, 64)),),
    "jina-key": (token("ji" + "na_", (ALPHANUMERIC, 60)),),
    "tavily-key": (token("tv" + "ly-dev-", (ALPHANUMERIC, 32)),),
    "langsmith-key": (token("ls" + "v2_pt_", (HEX, 32), "_", (HEX, 10)),),
    "pinecone-key": (token("pc" + "sk_", (ALPHANUMERIC, 6), "_", (ALPHANUMERIC, 62)),),
    "google-api-key": (token("AI" + "za", (BASE64URL, 35)),),
    "google-oauth-secret": (token("GOC" + "SPX-", (BASE64URL, 28)),),
    "google-access-token": (token("ya" + "29.", (BASE64URL, 120)),),
    "aws-access-key-id": tuple(
        token(kind + "IA", (BASE32, 16)) for kind in ("AK", "AS")
    ),
    "aws-secret-access-key": (token("aws_secret" + "_access_key=", (BASE64, 40)),),
    "digitalocean-token": (token("dop" + "_v1_", (HEX, 64)),),
    "slack-token": (
        token("xo" + "xb-", ("0123456789", 12), "-", ("0123456789", 12), "-", (ALPHANUMERIC, 24)),
    ),
    "slack-webhook": (
        token("https://hooks." + "slack.com/services/T", (BASE32, 9), "/B", (BASE32, 9), "/",
              (ALPHANUMERIC, 24)),
    ),
    "stripe-key": (
        token("sk_" + "live_", (ALPHANUMERIC, 24)),
        token("rk_" + "test_", (ALPHANUMERIC, 99)),
    ),
    "webhook-secret": (token("wh" + "sec_", (ALPHANUMERIC, 32)),),
    "telegram-bot-token": (telegram,),
    "sendgrid-key": (token("S" + "G.", (BASE64URL, 22), ".", (BASE64URL, 43)),),
    "twilio-key": (token("S" + "K", (HEX, 32)),),
    "npm-token": (token("np" + "m_", (ALPHANUMERIC, 36)),),
    "pypi-token": (token("py" + "pi-AgE", (BASE64URL, 160)),),
    "notion-token": (
        token("nt" + "n_", (ALPHANUMERIC, 46)),
        token("sec" + "ret_", (ALPHANUMERIC, 43)),
    ),
    "airtable-token": (token("pa" + "t", (ALPHANUMERIC, 14), ".", (HEX, 64)),),
    "supabase-key": (
        token("sb" + "p_", (HEX, 40)),
        token("sb_sec" + "ret_", (BASE64URL, 31)),
    ),
    "postgres-url": (postgres, postgres_keywords),
    "database-url": (database,),
    "jwt": (jwt,),
}  # fmt: skip
"""Makers of valid secrets, by the name of the rule."""


def plant(rule: str, dice: Dice) -> Planted:
    """A secret that this rule is to find, never the same twice."""
    return Planted(rule, *dice.choice(MAKERS[rule])(dice))
