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
    metadata_texts,
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


@pytest.mark.parametrize("first", [True, False])
def test_a_record_that_says_two_things_of_a_file(first: bool) -> None:
    """Of two lines, readers take one; a right one beside a wrong one is no excuse."""
    right, wrong = row("thing/a.py", b"x"), row("thing/a.py", b"other")
    others = row("thing-1.0.dist-info/WHEEL", b"x") + row("thing-1.0.dist-info/METADATA", METADATA)
    lines = right + wrong if first else wrong + right
    assert record_mismatches(wheel({"thing/a.py": b"x"}, others + lines)) == (
        RecordMismatch(path="thing/a.py", problem=RecordProblem.OTHER_CONTENT),
    )
    assert record_mismatches(wheel({"thing/a.py": b"x"}, others + right + right)) == ()


# What would hide from a reader of metadata, and not from what installs the package.


@pytest.mark.parametrize(
    "noise",
    [rb'"\ud800"', b'"\xe9"', b"9" * 5_000, b"-1e400"],
    ids=["lone surrogate", "no UTF-8", "long number", "large number"],
)
def test_a_manifest_that_node_reads(noise: bytes) -> None:
    manifest = b'{"name": "x", "noise": %s, "scripts": {"postinstall": "evil"}}' % noise
    metadata = read_package(tgz_of({"package/package.json": manifest})).metadata
    assert metadata.unreadable == ()
    assert metadata.hooks == (InstallHook(name="postinstall", command="evil"),)


@pytest.mark.parametrize("manifest", [b'{"a": NaN}', b'{"a": 1} x', b"{'a': 1}", b"[" * 100_000])
def test_a_manifest_that_node_refuses(manifest: bytes) -> None:
    metadata = read_package(tgz_of({"package/package.json": manifest})).metadata
    assert metadata.unreadable == ("package.json",)


def test_a_command_of_a_package_with_a_scope() -> None:
    manifest = b'{"name": "@org/tool", "bin": "cli.js", "maintainers": "A. Author"}'
    metadata = read_package(tgz_of({"package/package.json": manifest})).metadata
    assert (metadata.commands, metadata.people) == (("tool",), ("A. Author",))


def test_keys_of_a_crate_as_older_editions_have_them() -> None:
    manifest = b"""
[project]
name = "x"
version = "1.0"
build = ["evil.rs", "more.rs"]
[lib]
crate-type = ["proc-macro"]
[dev_dependencies]
a = "1"
[build_dependencies]
b = "2"
"""
    metadata = read_package(tgz_of({"x-1.0/Cargo.toml": manifest})).metadata
    assert (metadata.name, metadata.version) == ("x", "1.0")
    assert [hook.name for hook in metadata.hooks] == ["evil.rs", "more.rs", "proc-macro"]
    assert metadata.dependencies == (
        Dependency(name="a", requirement="1", scope="development"),
        Dependency(name="b", requirement="2", scope="build"),
    )


def test_a_plugin_of_a_gem_is_a_hook() -> None:
    metadata = read_package(gem_of({"lib/rubygems_plugin.rb": b"evil"}, b"name: x\n")).metadata
    assert metadata.hooks == (InstallHook(name="lib/rubygems_plugin.rb"),)


def test_keys_of_a_gem_that_stand_elsewhere_are_not_read_over() -> None:
    """Ruby merges what stands at `<<`."""
    text = b"name: x\n<<: {extensions: [ext/evil/extconf.rb]}\n"
    assert read_package(gem_of({"a": b""}, text)).metadata.unreadable == ("metadata",)


def test_hooks_and_commands_in_the_data_of_a_wheel() -> None:
    files = [
        "top.pth", "thing/not.pth", "sitecustomize.py", "usercustomize/__init__.py",
        "thing-1.0.data/purelib/lib.pth", "thing-1.0.data/purelib/thing/not.pth",
        "thing-1.0.data/data/lib/python3.12/site-packages/deep.pth",
        "thing-1.0.data/data/share/not.pth", "thing-1.0.data/scripts/run",
    ]  # fmt: skip
    metadata = wheel(dict.fromkeys(files, b"")).metadata
    assert [hook.name for hook in metadata.hooks] == [
        "sitecustomize.py",
        "thing.data/data/lib/python3.12/site-packages/deep.pth",
        "thing.data/purelib/lib.pth",
        "top.pth",
        "usercustomize/__init__.py",
    ]
    assert "run" in metadata.commands


@pytest.mark.parametrize(
    ("text", "dependency"),
    [
        ('a @ https://host/p;q=1 ; extra == "e"',
         Dependency(name="a", requirement="@ https://host/p;q=1", scope='extra == "e"')),
        ("b@git+https://host/b", Dependency(name="b", requirement="@git+https://host/b")),
        ('c[x,y] (>=1); python_version < "3"',
         Dependency(name="c", requirement="[x,y] (>=1)", scope='python_version < "3"')),
        ("d>=1,<2;x", Dependency(name="d", requirement=">=1,<2", scope="x")),
    ],
)  # fmt: skip
def test_requirements(text: str, dependency: Dependency) -> None:
    information = f"Name: x\nRequires-Dist: {text}\nRequires-Dist:\n".encode()
    metadata = read_package(tgz_of({"x-1/PKG-INFO": information})).metadata
    assert metadata.dependencies == (dependency,)


@pytest.mark.parametrize("lines", [b" \n", b" y\n", b"\r", b"a:\n", b"From x\n"])
def test_headers_without_end_take_neither_time_nor_memory(lines: bytes) -> None:
    text = b"Name: x\n" + lines * ((4 << 20) // len(lines) - 8)
    start = time.process_time()
    read_package(tgz_of({"x-1/PKG-INFO": text}))
    assert time.process_time() - start < 3


def test_lines_that_go_on_with_a_header() -> None:
    """As many as are read; they once took the square of their number."""
    text = b"Name: x\nSummary: y\n" + (b" " + b"z" * 38 + b"\n") * 99_000 + b"Version: 1\n"
    start = time.process_time()
    package = read_package(tgz_of({"x-1/PKG-INFO": text}))
    assert (package.name, package.version) == ("x", "1")
    assert time.process_time() - start < 3


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
        found = metadata_texts.headers(text.encode())
    except metadata_texts.Unreadable:
        found = {}
    assert found == expected
