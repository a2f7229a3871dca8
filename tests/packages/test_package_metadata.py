"""What packages say of themselves, and whether a wheel is what its record lists."""

from __future__ import annotations

import base64
import email.parser
import hashlib
import json
import random
import time

import pytest

from packages.archive_building import gem_of, tar_of, tgz_of, zip_of
from versiondiff.packages import (
    Dependency,
    InstallHook,
    Package,
    PackageMetadata,
    RecordMismatch,
    RecordProblem,
    metadata,
    read_package,
    record_mismatches,
)

GEM = b"""\
--- !ruby/object:Gem::Specification
name: thing
version: !ruby/object:Gem::Version
  version: 1.2.0
authors:
- A. Author
email: a@example.org
licenses: [MIT]
dependencies:
- !ruby/object:Gem::Dependency
  name: rake
  requirement: &id001 !ruby/object:Gem::Requirement
    requirements:
    - - ">="
      - !ruby/object:Gem::Version
        version: '13'
    - - "<"
      - !ruby/object:Gem::Version
        version: '14'
  type: :development
  version_requirements: *id001
- !ruby/object:Gem::Dependency
  name: rack
  requirement: *id001
  type: :runtime
executables: [thing]
extensions: [ext/thing/extconf.rb]
"""


def test_a_gem() -> None:
    package = read_package(gem_of({"a": b""}, GEM))
    assert (package.name, package.version) == ("thing", "1.2.0")
    assert package.metadata == PackageMetadata(
        name="thing",
        version="1.2.0",
        licences=("MIT",),
        people=("A. Author", "a@example.org"),
        dependencies=(
            Dependency(name="rake", requirement=">= 13, < 14", scope="development"),
            Dependency(name="rack", requirement=">= 13, < 14"),
        ),
        hooks=(InstallHook(name="ext/thing/extconf.rb"),),
        commands=("thing",),
    )


METADATA = b"""\
Metadata-Version: 2.4
Name: thing
Version: 1.0
License: The whole text
        of a licence
Author-email: "A. Author" <a@example.org>
Maintainer: M
Requires-Dist: one>=1,<2
Requires-Dist: two[extra] (>=2) ; extra == 'test'
Requires-Dist: three

Name: not a header
"""

PYTHON = PackageMetadata(
    name="thing",
    version="1.0",
    licences=("The whole text",),
    people=('"A. Author" <a@example.org>', "M"),
    dependencies=(
        Dependency(name="one", requirement=">=1,<2"),
        Dependency(name="two", requirement="[extra] (>=2)", scope="extra == 'test'"),
        Dependency(name="three"),
    ),
)


def wheel(files: dict[str, bytes], record: str | None = None) -> Package:
    files = {"thing-1.0.dist-info/WHEEL": b"x", "thing-1.0.dist-info/METADATA": METADATA} | files
    if record is None:
        record = "".join(row(name, content) for name, content in files.items())
    files["thing-1.0.dist-info/RECORD"] = f"{record}thing-1.0.dist-info/RECORD,,\n".encode()
    return read_package(zip_of(files))


def row(name: str, content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f'"{name}",sha256={digest},{len(content)}\n'


def test_a_wheel() -> None:
    points = b"[console_scripts]\nthing = thing:main\n\n[other]\nno = one\n"
    package = wheel({"thing-1.0.dist-info/entry_points.txt": points, "evil.pth": b"import os\n"})
    assert package.metadata.commands == ("thing",)
    assert package.metadata.hooks == (InstallHook(name="evil.pth"),)
    assert package.metadata.dependencies == PYTHON.dependencies
    assert (package.name, package.version) == ("thing", "1.0")


def test_an_sdist() -> None:
    project = (
        b'[build-system]\nrequires = ["flit_core >=3"]\nbuild-backend = "flit_core.buildapi"\n'
    )
    package = read_package(
        tgz_of(
            {
                "thing-1.0/PKG-INFO": METADATA,
                "thing-1.0/setup.py": b"",
                "thing-1.0/pyproject.toml": project,
            }
        )
    )
    assert package.metadata.hooks == (
        InstallHook(name="setup.py"),
        InstallHook(name="build-backend", command="flit_core.buildapi"),
    )
    assert package.metadata.dependencies[3:] == (
        Dependency(name="flit_core", requirement=">=3", scope="build"),
    )


def test_dependencies_of_an_sdist_may_stand_beside_its_metadata() -> None:
    listed = b"""\
one>=1

[:python_version < "3"]
two

[docs]
three[all]<2

[docs:python_version < "3" or os_name == "nt"]
four
"""
    said = b"""\
Name: Thing.Name
Version: 1.0
Requires-Dist: one>=1
Requires-Dist: two; python_version < "3"
Requires-Dist: three[all]<2; extra == "docs"
Requires-Dist: four; (python_version < "3" or os_name == "nt") and extra == "docs"
"""
    silent = said[: said.index(b"Requires")]

    def sdist(**files: bytes) -> Package:
        return read_package(tgz_of({f"thing_name-1.0/{name}": files[name] for name in files}))

    for folder in ("thing_name.egg-info", "src/Thing.Name.egg-info"):
        old = sdist(**{"PKG-INFO": silent, f"{folder}/requires.txt": listed})
        new = sdist(**{"PKG-INFO": said})
        assert len(new.metadata.dependencies) == 4
        assert old.metadata == new.metadata
    for folder in ("other.egg-info", "a/b/thing_name.egg-info"):
        other = sdist(**{"PKG-INFO": silent, f"{folder}/requires.txt": listed})
        assert other.metadata.dependencies == ()
    both = sdist(**{"PKG-INFO": said, "thing_name.egg-info/requires.txt": b"five\n"})
    assert both.metadata == sdist(**{"PKG-INFO": said}).metadata


def test_an_npm_package() -> None:
    content = {
        "name": "thing", "version": "1.0.0", "license": "MIT", "bin": {"thing": "cli.js"},
        "author": {"name": "A", "email": "a@example.org"}, "maintainers": ["B <b@example.org>"],
        "scripts": {"test": "x", "postinstall": "node evil.js"},
        "dependencies": {"one": "^1"}, "devDependencies": {"two": "*"},
    }  # fmt: skip
    package = read_package(
        tgz_of(
            {
                "package/package.json": b"\xef\xbb\xbf" + json.dumps(content).encode(),
                "package/binding.gyp": b"",
            }
        )
    )
    assert package.metadata == PackageMetadata(
        name="thing",
        version="1.0.0",
        licences=("MIT",),
        people=("A <a@example.org>", "B <b@example.org>"),
        dependencies=(
            Dependency(name="one", requirement="^1"),
            Dependency(name="two", requirement="*", scope="development"),
        ),
        hooks=(
            InstallHook(name="postinstall", command="node evil.js"),
            InstallHook(name="binding.gyp", command="node-gyp rebuild"),
        ),
        commands=("thing",),
    )


def test_a_crate() -> None:
    manifest = b"""
[package]
name = "thing"
version = "1.0.0"
license = "MIT OR Apache-2.0"
authors = ["A"]
build = "build.rs"
[lib]
proc-macro = true
[[bin]]
name = "run"
[dependencies]
one = "1"
renamed = { package = "two", version = "2", optional = true }
[build-dependencies.cc]
version = "1"
[target.'cfg(unix)'.dependencies]
libc = "0.2"
"""
    package = read_package(
        tgz_of({"thing-1.0.0/Cargo.toml": manifest, "thing-1.0.0/build.rs": b""})
    )
    assert package.metadata == PackageMetadata(
        name="thing",
        version="1.0.0",
        licences=("MIT OR Apache-2.0",),
        people=("A",),
        dependencies=(
            Dependency(name="one", requirement="1"),
            Dependency(name="two", requirement="2", scope="optional"),
            Dependency(name="cc", requirement="1", scope="build"),
            Dependency(name="libc", requirement="0.2", scope="cfg(unix)"),
        ),
        hooks=(InstallHook(name="build.rs"), InstallHook(name="proc-macro")),
        commands=("run",),
    )


@pytest.mark.parametrize(
    "text",
    [
        b"", b"\xff\xfe", b"[", b"null", b"[]", b'"x"', b"{" * 200_000, b"[" * 200_000,
        b"- " * 100_000, b"a." * 500_000, b'{"a":' * 100_000, b"name: [*x]", b"x" * (5 << 20),
        b"!!python/object/apply:os.system ['true']", b"name: {a: 1}\nversion: []\nauthors: {}\n",
        b'{"name": 1, "version": [], "scripts": [], "dependencies": "x", "author": 5, "bin": 3}',
        b"[package]\nname = 1\nversion = []\n[dependencies]\na = 1\n[target]\nx = 1\n",
    ],
)  # fmt: skip
def test_metadata_that_can_not_be_read_is_named_and_breaks_nothing(text: bytes) -> None:
    start = time.perf_counter()
    for package in (
        read_package(gem_of({}, text)),
        read_package(tgz_of({"package/package.json": text})),
        read_package(tgz_of({"a-1/Cargo.toml": text})),
        read_package(tgz_of({"a-1/PKG-INFO": text, "a-1/pyproject.toml": text})),
        read_package(zip_of({"a-1.dist-info/WHEEL": text, "a-1.dist-info/METADATA": text})),
    ):
        assert isinstance(package.metadata, PackageMetadata)
        assert package.name is None or package.name
    assert time.perf_counter() - start < 5


def test_what_is_unreadable_is_named() -> None:
    assert read_package(gem_of({}, b"[")).metadata.unreadable == ("metadata",)
    package = read_package(tgz_of({"package/package.json": b"{"}))
    assert package.metadata == PackageMetadata(unreadable=("package.json",))


def test_a_plain_archive_says_nothing() -> None:
    assert read_package(tar_of({"a": b""})).metadata == PackageMetadata()


def test_a_wheel_that_is_what_its_record_lists() -> None:
    assert record_mismatches(wheel({"thing/a,b.py": b"x", "thing/c.py": b""})) == ()


def test_a_record_may_list_the_directories_of_a_wheel() -> None:
    files = {"thing/": b"", "thing/a.py": b"x"}
    record = (
        row("thing-1.0.dist-info/WHEEL", b"x")
        + row("thing-1.0.dist-info/METADATA", METADATA)
        + row("thing/", b"")
        + row("thing/a.py", b"x")
    )
    assert record_mismatches(wheel(files, record)) == ()
    assert record_mismatches(wheel(files, record + row("other/", b""))) == (
        RecordMismatch(path="other/", problem=RecordProblem.NOT_THERE),
    )


def test_a_wheel_that_is_not() -> None:
    record = (
        row("thing-1.0.dist-info/WHEEL", b"x")
        + row("thing-1.0.dist-info/METADATA", METADATA)
        + row("thing/changed.py", b"before")
        + row("thing/gone.py", b"")
        + "thing/without.py,,\n"
        + "thing/weak.py,md5=abc,1\n"
    )
    files = dict.fromkeys(
        ("thing/changed.py", "thing/unlisted.py", "thing/without.py", "thing/weak.py"), b"x"
    )
    assert record_mismatches(wheel(files, record)) == tuple(
        RecordMismatch(path=f"thing/{name}.py", problem=problem)
        for name, problem in (
            ("changed", RecordProblem.OTHER_CONTENT),
            ("gone", RecordProblem.NOT_THERE),
            ("unlisted", RecordProblem.NOT_LISTED),
            ("weak", RecordProblem.NO_DIGEST),
            ("without", RecordProblem.NO_DIGEST),
        )
    )


def test_a_wheel_without_a_record() -> None:
    package = read_package(zip_of({"thing-1.0.dist-info/WHEEL": b"x"}))
    assert record_mismatches(package) == (
        RecordMismatch(path="thing.dist-info/RECORD", problem=RecordProblem.NO_RECORD),
    )
    assert record_mismatches(read_package(tar_of({"a": b""}))) == ()


@pytest.mark.parametrize("seed", range(40))
def test_headers_are_read_as_mail_is(seed: int) -> None:
    dice = random.Random(seed)
    pieces = [
        "Name: demo", "name:x", "Version:\t1", "Author: A\n  B", " loose", ":", "From here", "",
        "no header", "Requires-Dist: a>1; x == 'y: z'", "K e y: v", "Über: 1", "X: ü  ", "Y:",
        "\ty",
    ]  # fmt: skip
    lines = dice.choices(pieces[:5] + pieces[9:10], k=3) + dice.choices(pieces, k=6)
    text = dice.choice(["\n", "\n", "\r\n"]).join(lines)
    message = email.parser.Parser().parsestr(text, headersonly=True)
    expected: dict[str, list[str]] = {}
    for key, value in message.items():
        expected.setdefault(key.lower(), []).append("\n".join(str(value).splitlines()))
    try:
        found = metadata._headers(text.encode())
    except metadata._Unreadable:
        found = {}
    assert found == expected
