"""What a package says of itself, and what of it runs when it is installed or built.

Read as text and never run; what can't be read is left out, and named in `unreadable`. Everything
here was written by whoever made the package.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from versiondiff.errors import VersionDiffError
from versiondiff.packages.egg_info import requirements, requirements_path
from versiondiff.packages.metadata_texts import (
    MOST_BYTES,
    Unreadable,
    entry_points,
    gem_metadata,
    headers,
    json_object,
    toml,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from typing import TypeAlias

    _Read: TypeAlias = Callable[[str, Callable[[bytes], dict[str, Any]]], dict[str, Any] | None]
    """A file of metadata, parsed; None where there is none, or it can't be read."""

__all__ = ["MANIFESTS", "PRESENT", "Dependency", "InstallHook", "PackageMetadata", "metadata_of"]


class _Value(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """The settings that all values share."""


class Dependency(_Value, frozen=True, kw_only=True):
    """Another package that this one asks for."""

    name: str
    requirement: str = ""
    """Which versions, as it is written."""
    scope: str = ""
    """What for, where it is not always needed: `development`, `build`, `optional`, `peer`, an
    extra of Python's, a target of Rust's."""


class InstallHook(_Value, frozen=True, kw_only=True):
    """Something that runs when the package is installed or built."""

    name: str
    """Its name, as `postinstall`, or the file that runs, as `setup.py`."""
    command: str = ""
    """What it runs, where the metadata says so."""


class PackageMetadata(_Value, frozen=True, kw_only=True):
    """What a package says of itself."""

    name: str | None = None
    version: str | None = None
    licences: tuple[str, ...] = ()
    """As they are written; of a longer text the first line."""
    people: tuple[str, ...] = ()
    """Authors and maintainers, as they are written."""
    dependencies: tuple[Dependency, ...] = ()
    hooks: tuple[InstallHook, ...] = ()
    commands: tuple[str, ...] = ()
    """Programs that the package puts on the path."""
    unreadable: tuple[str, ...] = ()
    """Files of metadata that are there and can't be read."""


def metadata_of(
    kind: str, content: Callable[[str], bytes | None], paths: Collection[str]
) -> PackageMetadata:
    """Read the metadata of a package.

    Args:
        kind: The value of its `PackageKind`.
        content: The content at a levelled path.
        paths: All levelled paths.
    """
    unreadable: list[str] = []

    def read(path: str, parse: Callable[[bytes], dict[str, Any]]) -> dict[str, Any] | None:
        text = content(path)
        if text is None:
            return None
        try:
            if len(text) > MOST_BYTES:
                raise Unreadable
            return parse(text)
        except (Unreadable, ValueError, RecursionError, VersionDiffError, msgspec.MsgspecError):
            unreadable.append(path)
            return None

    found = _READERS[kind](read, paths) if kind in _READERS else PackageMetadata()
    return msgspec.structs.replace(found, unreadable=tuple(unreadable))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _items(value: object) -> Iterable[tuple[str, Any]]:
    return value.items() if isinstance(value, dict) else ()


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _texts(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,) if value else ()
    return tuple(item for item in _list(value) if isinstance(item, str) and item)


def _at(value: object, *keys: str) -> Any:  # noqa: ANN401 (any part of a document)
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


_GEM_PLUGIN: Final = re.compile(r"data/(?:[^/]+/)*rubygems_plugin\.rb")
"""Every run of `gem` loads it, from any directory that the gem is required from."""


def _gem(read: _Read, paths: Collection[str]) -> PackageMetadata:
    gem = read("metadata", gem_metadata) or {}
    dependencies = []
    for item in _list(gem.get("dependencies")):
        requirement = _at(item, "requirement") or _at(item, "version_requirements")
        parts = [
            f"{_text(pair[0])} {_text(_at(pair[1], 'version'))}"
            for pair in _list(_at(requirement, "requirements"))
            if isinstance(pair, list) and len(pair) == 2
        ]
        kind = _text(_at(item, "type")).removeprefix(":")
        dependencies.append(
            Dependency(
                name=_text(_at(item, "name")),
                requirement=", ".join(parts),
                scope="" if kind == "runtime" else kind,
            )
        )
    licences = _texts(gem.get("licenses")) or _texts(gem.get("license"))
    return PackageMetadata(
        name=_text(gem.get("name")) or None,
        version=_text(_at(gem, "version", "version")) or None,
        licences=licences,
        people=(*_texts(gem.get("authors") or gem.get("author")), *_texts(gem.get("email"))),
        dependencies=tuple(dependencies),
        hooks=(
            *(InstallHook(name=path) for path in _texts(gem.get("extensions"))),
            *(
                InstallHook(name=path.removeprefix("data/"))
                for path in sorted(filter(_GEM_PLUGIN.fullmatch, paths))
            ),
        ),
        commands=_texts(gem.get("executables")),
    )


def _python(found: dict[str, list[str]]) -> PackageMetadata:
    def first(key: str) -> str:
        return found.get(key, [""])[0]

    people = [
        value
        for key in ("author", "author-email", "maintainer", "maintainer-email")
        for value in found.get(key, [])
        if value
    ]
    # Some give the whole text of a licence, of which the first line has its name or its owner.
    licences = [
        value.strip().partition("\n")[0]
        for key in ("license-expression", "license")
        for value in found.get(key, [])
        if value.strip() and value != "UNKNOWN"
    ]
    classifiers = [value for value in found.get("classifier", []) if value.startswith("License ::")]
    return PackageMetadata(
        name=first("name") or None,
        version=first("version") or None,
        licences=(*licences, *classifiers),
        people=tuple(people),
        dependencies=tuple(map(_requirement, filter(str.strip, found.get("requires-dist", [])))),
    )


def _requirement(text: str) -> Dependency:
    """A requirement as in PEP 508: the name, then extras and versions, then a marker."""
    # An address may have a semicolon, and goes on to the next space.
    has_address = re.match(r"[^;<>=!~(]*@", text) is not None
    wanted, _, marker = text.partition(" ;" if has_address else ";")
    wanted = wanted.strip()
    end = next((at for at, one in enumerate(wanted) if one in " [(<>=!~@"), len(wanted))
    return Dependency(name=wanted[:end], requirement=wanted[end:].strip(), scope=marker.strip())


def _wheel(read: _Read, paths: Collection[str]) -> PackageMetadata:
    folder = next((path for path in paths if path.endswith(".dist-info/WHEEL")), "/")
    folder = folder.rpartition("/")[0]
    metadata = _python(read(f"{folder}/METADATA", headers) or {})
    hooks = [path for path in paths if _runs_at_start(_installed(path) or "")]
    scripts = {
        place.removeprefix("scripts/")
        for place in map(_data_place, paths)
        if place is not None and place.startswith("scripts/")
    }
    points = read(f"{folder}/entry_points.txt", entry_points) or {}
    return msgspec.structs.replace(
        metadata,
        hooks=tuple(InstallHook(name=path) for path in sorted(hooks)),
        commands=tuple(sorted(scripts.union(points))),
    )


def _data_place(path: str) -> str | None:
    """Where below `NAME.data` a file is."""
    folder, slash, place = path.partition("/")
    return place if slash and folder.endswith(".data") else None


def _installed(path: str) -> str | None:
    """Where below the directory of Python's packages a file of a wheel lands (PEP 427).

    What stands in `NAME.data/data` lands below the directory that Python itself is in, and that of
    its packages is below it as well.
    """
    place = _data_place(path)
    if place is None:
        return path
    kind, _, rest = place.partition("/")
    match kind:
        case "purelib" | "platlib":
            return rest
        case "data":
            return rest.rpartition("/site-packages/")[2] if "/site-packages/" in rest else None
        case _:
            return None


def _runs_at_start(place: str) -> bool:
    """Whether every start of Python runs it: see Python's documentation of `site`."""
    is_module = place in {"sitecustomize.py", "usercustomize.py"}
    is_package = place in {"sitecustomize/__init__.py", "usercustomize/__init__.py"}
    return is_module or is_package or (place.endswith(".pth") and "/" not in place)


def _sdist(read: _Read, paths: Collection[str]) -> PackageMetadata:
    project = read("pyproject.toml", toml) or {}
    if "PKG-INFO" in paths:
        metadata = _python(read("PKG-INFO", headers) or {})
        beside = requirements_path(metadata.name or "", paths)
        if beside is not None and not metadata.dependencies:
            listed = read(beside, _requirements) or {}
            metadata = msgspec.structs.replace(
                metadata, dependencies=tuple(map(_requirement, listed))
            )
    else:
        metadata = _project(_at(project, "project"))
    hooks = [InstallHook(name="setup.py")] if "setup.py" in paths else []
    backend = _text(_at(project, "build-system", "build-backend"))
    if backend:
        hooks.append(InstallHook(name="build-backend", command=backend))
    build = [
        msgspec.structs.replace(_requirement(text), scope="build")
        for text in _texts(_at(project, "build-system", "requires"))
    ]
    return msgspec.structs.replace(
        metadata,
        dependencies=(*metadata.dependencies, *build),
        hooks=tuple(hooks),
        commands=tuple(name for name, _ in _items(_at(project, "project", "scripts"))),
    )


def _requirements(text: bytes) -> dict[str, Any]:
    return dict.fromkeys(requirements(text.decode("utf-8", "replace")))


def _project(project: object) -> PackageMetadata:
    """What stands below `[project]`, before it is made into headers (PEP 621)."""
    licence = _at(project, "license")
    licences = (licence, _at(licence, "text"), _at(licence, "file"))
    people = [*_list(_at(project, "authors")), *_list(_at(project, "maintainers"))]
    dependencies = [_requirement(text) for text in _texts(_at(project, "dependencies"))]
    for extra, wanted in _items(_at(project, "optional-dependencies")):
        for dependency in map(_requirement, _texts(wanted)):
            scope = " and ".join(filter(None, (dependency.scope, f'extra == "{extra}"')))
            dependencies.append(msgspec.structs.replace(dependency, scope=scope))
    return PackageMetadata(
        name=_text(_at(project, "name")) or None,
        version=_text(_at(project, "version")) or None,
        licences=tuple(_text(one).strip().partition("\n")[0] for one in licences if _text(one)),
        people=tuple(filter(None, map(_person, people))),
        dependencies=tuple(dependencies),
    )


_NPM_HOOKS: Final = (
    "preinstall",
    "install",
    "postinstall",
    "prepublish",
    "preprepare",
    "prepare",
    "postprepare",
    "prepack",
)
"""What npm runs of a package that is installed, from the registry or from git."""

_NPM_SCOPES: Final = {
    "dependencies": "",
    "devDependencies": "development",
    "peerDependencies": "peer",
    "optionalDependencies": "optional",
}


def _npm(read: _Read, paths: Collection[str]) -> PackageMetadata:
    package = read("package.json", json_object) or {}
    scripts = package.get("scripts")
    hooks = [
        InstallHook(name=name, command=_text(_at(scripts, name)))
        for name in _NPM_HOOKS
        if _at(scripts, name)
    ]
    if "binding.gyp" in paths and not _at(scripts, "install"):
        hooks.append(InstallHook(name="binding.gyp", command="node-gyp rebuild"))
    dependencies = [
        Dependency(name=name, requirement=_text(wanted), scope=scope)
        for key, scope in _NPM_SCOPES.items()
        for name, wanted in _items(package.get(key))
    ]
    people = [package.get("author")]
    for key in ("maintainers", "contributors"):
        said = package.get(key)
        people += said if isinstance(said, list) else [said]
    licence = package.get("license")
    licences = [licence, *_list(package.get("licenses"))]
    commands = package.get("bin")
    # One command has the name of the package, without its scope.
    own_name = _text(package.get("name")).rpartition("/")[2]
    return PackageMetadata(
        name=_text(package.get("name")) or None,
        version=_text(package.get("version")) or None,
        licences=tuple(filter(None, (_text(_at(one, "type")) or _text(one) for one in licences))),
        people=tuple(filter(None, map(_person, people))),
        dependencies=tuple(dependencies),
        hooks=tuple(hooks),
        commands=(own_name,)
        if isinstance(commands, str) and own_name
        else tuple(name for name, _ in _items(commands)),
    )


def _person(value: object) -> str:
    if isinstance(value, str):
        return value
    name, address = _text(_at(value, "name")), _text(_at(value, "email"))
    return f"{name} <{address}>".strip() if address else name


_CRATE_SCOPES: Final = {
    "dependencies": "",
    "dev-dependencies": "development",
    "build-dependencies": "build",
    # As older editions of Rust have them.
    "dev_dependencies": "development",
    "build_dependencies": "build",
}


def _crate(read: _Read, paths: Collection[str]) -> PackageMetadata:
    manifest = read("Cargo.toml", toml) or {}
    # The latter is the name that older editions of Rust know as well.
    package = _at(manifest, "package") or _at(manifest, "project") or {}
    dependencies = list(_crate_dependencies(manifest, ""))
    for target, table in _items(manifest.get("target")):
        dependencies += _crate_dependencies(table, target)
    hooks = []
    build = _at(package, "build")
    if _texts(build):
        hooks += [InstallHook(name=path) for path in _texts(build)]
    elif build is not False and "build.rs" in paths:
        hooks.append(InstallHook(name="build.rs"))
    library = _at(manifest, "lib")
    types = {
        *_texts(_at(library, "crate-type")),
        *_texts(_at(library, "crate_type")),
    }
    is_said = _at(library, "proc-macro") is True or _at(library, "proc_macro") is True
    if is_said or "proc-macro" in types:
        hooks.append(InstallHook(name="proc-macro"))
    return PackageMetadata(
        name=_text(_at(package, "name")) or None,
        version=_text(_at(package, "version")) or None,
        licences=tuple(
            filter(None, (_text(_at(package, "license")), _text(_at(package, "license-file"))))
        ),
        people=_texts(_at(package, "authors")),
        dependencies=tuple(dependencies),
        hooks=tuple(hooks),
        commands=tuple(
            filter(None, (_text(_at(program, "name")) for program in _list(manifest.get("bin"))))
        ),
    )


def _crate_dependencies(table: object, target: str) -> Iterable[Dependency]:
    for key, scope in _CRATE_SCOPES.items():
        for name, wanted in _items(_at(table, key)):
            is_optional = _at(wanted, "optional") is True
            words = (scope, "optional" if is_optional else "", target)
            yield Dependency(
                name=_text(_at(wanted, "package")) or name,
                requirement=_text(wanted) or _text(_at(wanted, "version")),
                scope=" ".join(filter(None, words)),
            )


_READERS: Final = {"gem": _gem, "wheel": _wheel, "sdist": _sdist, "npm": _npm, "crate": _crate}

MANIFESTS: Final = {
    "npm": ("package.json",),
    "crate": ("Cargo.toml",),
    "sdist": ("PKG-INFO", "pyproject.toml"),
    "gem": ("metadata",),
}
"""What tells of a folder, by its path, which kinds of package it is; kinds as of `_READERS`."""

PRESENT: Final = ("setup.py", "build.rs", "binding.gyp")
"""Paths of which the readers ask no more than whether something is there."""
