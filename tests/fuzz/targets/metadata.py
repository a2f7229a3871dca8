"""What packages say of themselves: headers, TOML, YAML, JSON, the record of a wheel."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING, Final

import msgspec

from fuzz.mutator import Files, in_json
from fuzz.target import LANGUAGES, FilesTarget, TextTarget
from fuzz.targets.texts import assert_harmless
from packages.archive_building import zip_of
from versiondiff._core import toml_as_json, yaml_as_json
from versiondiff.packages import finding_line, package_diff, read_package, record_mismatches
from versiondiff.packages.metadata import metadata_of

if TYPE_CHECKING:
    import random

    from fuzz.target import Pair

__all__ = ["FOLDERS", "TARGETS"]

GEM: Final = b"""\
--- !ruby/object:Gem::Specification
name: a
version: !ruby/object:Gem::Version
  version: '1'
authors:
- A B
email: [a@b]
licenses: [MIT]
dependencies:
- !ruby/object:Gem::Dependency
  name: b
  requirement: !ruby/object:Gem::Requirement
    requirements:
    - - "~>"
      - !ruby/object:Gem::Version
        version: '2'
  type: :runtime
extensions: [ext/x.rb]
executables:
- a
x: &y [1]
z: *y
"""
WHEEL: Final = b"""\
Metadata-Version: 2.1
Name: t
Version: 1
Requires-Dist: a[x] (>=1) ; extra == 'y'
License: MIT
 more
Author-email: =?utf-8?q?=C3=A9?= <a@b>

Text
"""
PROJECT: Final = b"""\
[build-system]
requires = ['a>=1; x']
build-backend = 'b'
[project]
name = 't'
version = '1'
license = {text = 'MIT'}
authors = [{name='A', email='a@b'}]
dependencies = ['x~=1']
[project.optional-dependencies]
d = ['y']
[project.scripts]
t = 't:main'
"""
NPM: Final = b"""\
{"name": "t", "version": "1.0.0", "license": "MIT", "author": {"name": "A"},
 "bin": {"t": "t.js"}, "scripts": {"postinstall": "node x"}, "dependencies": {"a": "^1"},
 "contributors": ["B <b@c>"], "licenses": [{"type": "MIT"}]}
"""
CRATE: Final = b"""\
[package]
name = 't'
version = '1.0.0'
license = 'MIT'
authors = ['A <a@b>']
build = 'build.rs'
[dependencies]
a = '1'
b = {version = '2', optional = true, package = 'c'}
[target.'cfg(unix)'.dependencies]
d = '3'
[[bin]]
name = 't'
[lib]
proc-macro = true
"""
FOLDERS: Final[dict[str, Files]] = {
    "gem": {"metadata": GEM},
    "wheel": {
        "t-1.dist-info/WHEEL": b"Wheel-Version: 1.0\n",
        "t-1.dist-info/METADATA": WHEEL,
        "t-1.dist-info/entry_points.txt": b"[console_scripts]\nt = t:main\n[x]\ny=z\n",
        "x.pth": b"import os\n",
    },
    "sdist": {"pyproject.toml": PROJECT, "setup.py": b""},
    "npm": {"package.json": NPM, "binding.gyp": b"{}"},
    "crate": {"Cargo.toml": CRATE, "build.rs": b""},
}
"""A folder of each kind."""


def metadata(pair: Pair, dice: random.Random) -> None:
    """As of an archive, and as of two folders."""
    kind = next((kind for kind, of in FOLDERS.items() if of.keys() & pair.new.keys()), "npm")
    if dice.random() < 0.1:
        kind = dice.choice(sorted(FOLDERS))
    found = metadata_of(kind, pair.new.get, pair.new)
    assert msgspec.json.decode(msgspec.json.encode(found), type=type(found)) == found
    if dice.random() < 0.1:
        diff = package_diff(pair.old, pair.new)
        for finding in diff.findings:
            assert_harmless(finding_line(finding, dice.choice(LANGUAGES)))


def toml(text: bytes, _dice: random.Random) -> None:
    msgspec.json.decode(toml_as_json(text))


def yaml(text: bytes, _dice: random.Random) -> None:
    msgspec.json.decode(yaml_as_json(text))


LISTED: Final = {
    "thing-1.0.dist-info/WHEEL": b"x",
    "thing-1.0.dist-info/METADATA": b"Name: thing\n",
    "thing/a": b"a" * 100,
}


def record(text: bytes, _dice: random.Random) -> None:
    files = LISTED | {"thing-1.0.dist-info/RECORD": text}
    found = record_mismatches(read_package(zip_of(files, zipfile.ZIP_STORED)))
    assert found == tuple(sorted(found, key=lambda one: (one.path, one.problem.value)))


WORDS: Final = (
    b"name", b"version", b"[project]\n", b"- ", b": ", b"&a ", b"*a", b"!ruby/object:X ", b"\n ",
    b"dependencies", b"[[", b"{", b"\n\n", b"<<: ", b"scripts", b"install",
)  # fmt: skip
TOML_WORDS: Final = (
    b"[", b"[[a]]\n", b"a.b=", b"{", b"}", b"'''", b'"""', b"\\u0000", b"1e999", b"99999-01-01",
)  # fmt: skip
YAML_WORDS: Final = (
    b"&a ", b"*a", b"- ", b": ", b"[", b"{", b"!!int ", b"<<: *a", b"|\n ", b"%YAML 1.2\n",
    b"---\n", b"...\n", b"? ", b"\t", b"[*a,*a]",
)  # fmt: skip


def toml_seeds() -> list[bytes]:
    more = b"a.b.c = 1979-05-27T07:32:00Z\nx = [1, 2.5, inf, nan, 0xff, '''a''']\n"
    return [PROJECT, CRATE, more]


def yaml_seeds() -> list[bytes]:
    flowing = b"a: &x {b: [1, ~, yes, 0x1f, .inf]}\nc: *x\n"
    return [GEM, flowing, b"? a\n: |\n  text\n--- >-\n folded\n...\n"]


def records() -> list[bytes]:
    return [
        b"thing/a,sha256=xyz,100\r\nthing-1.0.dist-info/RECORD,,\r\n",
        b'"thing/a",sha256=,1\n"a ""b""",md5=1,2\nx,y\n\n,,\n',
    ]


TARGETS: Final = (
    FilesTarget(
        "metadata",
        metadata,
        lambda: list(FOLDERS.values()),
        mutation=in_json,
        words=WORDS,
        core=("toml_as_json", "yaml_as_json"),
        share=50,
    ),
    TextTarget("toml", toml, toml_seeds, words=TOML_WORDS, core=("toml_as_json",), share=60),
    TextTarget("yaml", yaml, yaml_seeds, words=YAML_WORDS, core=("yaml_as_json",), share=60),
    TextTarget("record-file", record, records, words=(b",", b'"', b"sha256=", b"\r\0"), share=8),
)
