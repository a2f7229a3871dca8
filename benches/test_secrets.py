"""Scanning clean text for secrets, beside scanners that pip can install and a literal search.

    python -m pytest benches/test_secrets.py -s

The text is the sources and documents of this checkout, over and over, some 64 MB, without those
that hold a secret, and without those of the rules themselves, which are full of what rules look
for. How many rules each side has stands beside it.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import versiondiff
from side_by_side import Cost, measure
from test_records import BUILD

if TYPE_CHECKING:
    from table import Table

ROOT = Path(__file__).resolve().parent.parent
BYTES = 64 << 20
SLOW_BYTES = 256 << 10
"""For scanners of which a megabyte takes seconds."""

LITERALS = [
    rb"\bgh[pousr]_[A-Za-z0-9]{36}",
    rb"\bsk-[A-Za-z0-9_-]{20,}",
    rb"\bxai-[A-Za-z0-9]{20,}",
    rb"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}",
    rb"\bxox[abpr]-[A-Za-z0-9-]{10,}",
    rb"postgres(?:ql)?://[^\s:@/]+:[^\s@]+@",
    rb"-----BEGIN [A-Z ]*PRIVATE KEY-----",
    rb"\bAIza[A-Za-z0-9_-]{35}",
    rb"\bhf_[A-Za-z0-9]{34}",
    rb"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.",
]


def text() -> bytes:
    """Clean text: sources and documents."""
    parts = []
    for pattern in ("rust/**/*.rs", "python/**/*.py", "tests/**/*.py", "docs/*.md"):
        parts += [
            path.read_bytes()
            for path in sorted(ROOT.glob(pattern))
            if "secrets" not in path.as_posix()
        ]
    clean = [part for part in parts if not versiondiff.scan(part)]
    joined = b"".join(clean)
    return (joined * (BYTES // len(joined) + 1))[:BYTES]


def program(name: str) -> str:
    found = shutil.which(name) or shutil.which(name, path=str(Path(sys.executable).parent))
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def test_clean_text(table: Table) -> None:
    clean = text()
    path = BUILD / "clean.txt"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(clean)
    alternation = re.compile(b"|".join(LITERALS))
    ripgrep = program("rg")
    assert versiondiff.scan(clean) == ()

    def search() -> None:
        # A literal that is nowhere, on one thread, the file mapped.
        subprocess.run(
            [ripgrep, "-c", "-j1", "-a", "--fixed-strings", "zqzqzqzq", str(path)], check=False
        )

    costs = measure(
        {
            "rg, literal": search,
            "re, 10 rules": lambda: alternation.findall(clean),
            "versiondiff": lambda: versiondiff.scan(clean),
        },
        turns=5,
    )
    rules = len(versiondiff.Rules.default().names)
    work = f"secrets in 64 MB of clean text, {rules} rules"
    rate = len(clean) / costs["versiondiff"].cpu
    table.at_least(f"{work}, on one core", rate / 1e9, 1, "GB/s")
    table.compare(work, costs, "re, 10 rules", 8)


def test_beside_other_scanners(table: Table) -> None:
    detect_secrets = pytest.importorskip("detect_secrets")
    settings = pytest.importorskip("detect_secrets.settings")
    kingfisher = program("kingfisher")
    small, large = BUILD / "clean-small.txt", BUILD / "clean-large.txt"
    BUILD.mkdir(parents=True, exist_ok=True)
    clean = text()
    small.write_bytes(clean[:SLOW_BYTES])
    large.write_bytes(clean)

    def with_detect_secrets() -> None:
        collection = detect_secrets.SecretsCollection()
        with settings.default_settings():
            collection.scan_file(str(small))

    def with_kingfisher() -> None:
        command = [kingfisher, "scan", str(large), "--no-validate", "--no-update-check", "--jobs=1"]
        subprocess.run(command, capture_output=True, check=False)

    costs = measure(
        {
            "detect-secrets": with_detect_secrets,
            "kingfisher": with_kingfisher,
            "versiondiff": lambda: versiondiff.scan(large.read_bytes()),
        },
        turns=3,
    )
    # As if each had as much to read.
    more = len(clean) / SLOW_BYTES
    slow = costs["detect-secrets"]
    costs["detect-secrets"] = Cost(slow.wall * more, slow.cpu * more, slow.memory)
    for peer in ("detect-secrets", "kingfisher"):
        table.compare("secrets in a file of 64 MB", costs, peer, 1)


HOSTILE = {
    "headers": b"-----BEGIN RSA PRIVATE KEY-----\n",
    "urls": b"postgres://a:",
    "short keys": b"sk-a ",
    "tokens": b"eyJhbGciOiJI",
    "escapes": b"\\u0041\\u0042",
    "percent": b"%41%42",
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_text_is_linear(kind: str, table: Table) -> None:
    """Twice the text takes about twice as long."""
    half = HOSTILE[kind] * (4_000_000 // len(HOSTILE[kind]))
    costs = measure(
        {"half": lambda: versiondiff.scan(half), "versiondiff": lambda: versiondiff.scan(half * 2)}
    )
    whole = costs["versiondiff"].wall
    work = f"secrets in hostile text, {kind}"
    table.at_most(f"{work}, twice the text", whole / costs["half"].wall, 3, "times the time")
    table.at_least(work, 2 * len(half) / whole / 1e6, 5, "MB/s")
