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

import pytest

import versiondiff
from side_by_side import measure, report
from test_records import BUILD

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


def rate(seconds: float, size: int) -> str:
    return f"{size / seconds / 1e6:8.1f} MB/s"


def test_clean_text(capsys: pytest.CaptureFixture[str]) -> None:
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
    with capsys.disabled():
        report(costs)
        for name, cost in costs.items():
            print(f"{name:14} {rate(cost.cpu, len(clean))} a core")
        print(f"versiondiff has {rules} rules")
    assert len(clean) / costs["versiondiff"].cpu >= 1e9
    assert costs["re, 10 rules"].wall / costs["versiondiff"].wall >= 8


def test_beside_other_scanners(capsys: pytest.CaptureFixture[str]) -> None:
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
    sizes = {"detect-secrets": SLOW_BYTES, "kingfisher": len(clean), "versiondiff": len(clean)}
    rates = {name: sizes[name] / cost.wall for name, cost in costs.items()}
    with capsys.disabled():
        print()
        for name, cost in costs.items():
            times = rates["versiondiff"] / rates[name]
            print(f"{name:14} {rate(cost.wall, sizes[name])}: ours {times:8.1f} x")
    assert min(rates["versiondiff"] / rates[peer] for peer in ("detect-secrets", "kingfisher")) >= 1


HOSTILE = {
    "headers": b"-----BEGIN RSA PRIVATE KEY-----\n",
    "urls": b"postgres://a:",
    "short keys": b"sk-a ",
    "tokens": b"eyJhbGciOiJI",
    "escapes": b"\\u0041\\u0042",
    "percent": b"%41%42",
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_text_is_linear(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Twice the text takes about twice as long."""
    half = HOSTILE[kind] * (4_000_000 // len(HOSTILE[kind]))
    costs = measure(
        {"half": lambda: versiondiff.scan(half), "versiondiff": lambda: versiondiff.scan(half * 2)}
    )
    with capsys.disabled():
        print(f"\n{kind:14} {rate(costs['versiondiff'].wall, 2 * len(half))}")
    assert costs["versiondiff"].wall <= 3 * costs["half"].wall
    assert 2 * len(half) / costs["versiondiff"].wall >= 5e6
