"""What two versions of a package say of themselves, where it changed.

Archives say what kind of package they are. Of directories, versions in git and mappings it is told
by the files at the top, as far as both sides have them.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import chain, islice
from typing import TYPE_CHECKING, Final

from versiondiff import _core
from versiondiff.packages.archives import Package, PackageKind
from versiondiff.packages.egg_info import normal_name
from versiondiff.packages.findings import PackageFinding, PackageFindingKind
from versiondiff.packages.metadata import MANIFESTS, PRESENT, metadata_of
from versiondiff.snapshots import as_source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TypeAlias

    from versiondiff.packages.metadata import Dependency, InstallHook, PackageMetadata
    from versiondiff.snapshots import Files

    _Words: TypeAlias = tuple[str, str]
    """A name, and what is said of it."""

__all__ = ["metadata_findings"]


def metadata_findings(
    old: Package | Files, new: Package | Files, of_files: Iterable[PackageFinding]
) -> Iterator[PackageFinding]:
    """What changed in the metadata, and which of the new ones can't be read.

    Args:
        old: What is before.
        new: What is now.
        of_files: What the files tell. A file that runs because of its name is not told of again.

    Raises:
        VersionDiffError: A file of metadata can't be read from its source.
    """
    before, now = _metadata(old), _metadata(new)
    for metadata in now.values():
        for path in metadata.unreadable:
            yield PackageFinding(kind=PackageFindingKind.METADATA_UNREADABLE, path=path)
    if isinstance(old, Package) and isinstance(new, Package):
        yield from _changed(PackageFindingKind.KIND_CHANGED, old.kind.value, new.kind.value)
        # Whatever they are, they are to be compared.
        before = {new.kind: old.metadata}
    hooks = {one.path for one in of_files if one.kind in _HOOKS}
    for kind in now:
        if kind not in before:
            continue
        yield from _compared(before[kind], now[kind])
        yield from _scripts(old, new, before[kind], now[kind], hooks)


def _metadata(source: Package | Files) -> dict[PackageKind, PackageMetadata]:
    """What a source says of itself, by the kind of package that says so."""
    if isinstance(source, Package):
        return {source.kind: source.metadata}
    found = _contents(source, [*PRESENT, *chain.from_iterable(MANIFESTS.values())])
    return {
        PackageKind(kind): metadata_of(kind, found.get, found)
        for kind, manifests in MANIFESTS.items()
        if not found.keys().isdisjoint(manifests)
    }


def _contents(source: Package | Files, paths: list[str]) -> dict[str, bytes]:
    """What stands at these paths, where there is something."""
    files = source.files if isinstance(source, Package) else source
    contents = _core.contents(as_source(files), paths)
    pairs = zip(paths, contents, strict=True)
    return {path: content for path, content in pairs if content is not None}


def _compared(before: PackageMetadata, now: PackageMetadata) -> Iterator[PackageFinding]:
    yield from _changed(PackageFindingKind.NAME_CHANGED, before.name, now.name)
    yield from _changed(
        PackageFindingKind.LICENCE_CHANGED, ", ".join(before.licences), ", ".join(now.licences)
    )
    for person in _without(now.people, before.people):
        yield PackageFinding(kind=PackageFindingKind.NEW_PERSON, new=person)
    for person in _without(before.people, now.people):
        yield PackageFinding(kind=PackageFindingKind.PERSON_GONE, old=person)
    yield from _named(
        map(_dependency, before.dependencies),
        map(_dependency, now.dependencies),
        PackageFindingKind.NEW_DEPENDENCY,
        PackageFindingKind.DEPENDENCY_CHANGED,
    )
    for command in _without(now.commands, before.commands):
        yield PackageFinding(kind=PackageFindingKind.NEW_COMMAND, new=command)


def _changed(
    kind: PackageFindingKind, old: str | None, new: str | None
) -> Iterator[PackageFinding]:
    if old != new:
        yield PackageFinding(kind=kind, old=old or "", new=new or "")


def _without(items: Iterable[str], others: Iterable[str]) -> list[str]:
    """Those that the others do not have, each once."""
    known = set(others)
    return [item for item in dict.fromkeys(items) if item not in known]


def _dependency(dependency: Dependency) -> _Words:
    # Markers of Python's are quoted either way, by the tool that built the package.
    quoted = dependency.scope.replace("'", '"')
    scope = f"({quoted})" if quoted else ""
    words = (dependency.name, dependency.requirement, scope)
    return normal_name(dependency.name), " ".join(filter(None, words))


def _named(
    before: Iterable[_Words],
    now: Iterable[_Words],
    kind_of_new: PackageFindingKind,
    kind_of_changed: PackageFindingKind,
) -> Iterator[PackageFinding]:
    """What is said anew of names, one after the other with what was said of them."""
    old, new = Counter(before), Counter(now)
    gone: dict[str, list[str]] = defaultdict(list)
    for name, words in (old - new).elements():
        gone[name].append(words)
    for name, words in (new - old).elements():
        if gone[name]:
            yield PackageFinding(kind=kind_of_changed, old=gone[name].pop(0), new=words)
        else:
            yield PackageFinding(kind=kind_of_new, new=words)


_HOOKS: Final = {PackageFindingKind.NEW_HOOK, PackageFindingKind.HOOK_CHANGED}
_MOST_WORDS: Final = 1_000
"""How many words of commands are looked up as paths, at most."""
_BETWEEN_WORDS: Final = re.compile(r"""[\s'"`;&|()<>=]+""")


def _scripts(
    old: Package | Files,
    new: Package | Files,
    before: PackageMetadata,
    now: PackageMetadata,
    known: set[str | None],
) -> Iterator[PackageFinding]:
    """Scripts that are new or run something else, and the files that they run, where these changed.

    A file that has been told of, as it runs because of its name, is not told again.
    """
    yield from _named(
        [_script(hook) for hook in before.hooks if known.isdisjoint(_files(hook))],
        [_script(hook) for hook in now.hooks if known.isdisjoint(_files(hook))],
        PackageFindingKind.NEW_SCRIPT,
        PackageFindingKind.SCRIPT_CHANGED,
    )
    words = {path: hook for hook, path in islice(_run_files(now.hooks), _MOST_WORDS)}
    paths = [path for path in words if path not in known]
    if not paths:
        return
    was, has = _contents(old, paths), _contents(new, paths)
    for path in paths:
        if path in was and path in has and was[path] != has[path]:
            known.add(path)
            _, said = _script(words[path])
            yield PackageFinding(kind=PackageFindingKind.SCRIPT_CHANGED, path=path, new=said)


def _script(hook: InstallHook) -> _Words:
    return hook.name, f"{hook.name}: {hook.command}" if hook.command else hook.name


def _files(hook: InstallHook) -> tuple[str, ...]:
    """Where the file of a hook that is one stands: in a gem below `data`."""
    return () if hook.command else (hook.name, f"data/{hook.name}")


def _run_files(hooks: Iterable[InstallHook]) -> Iterator[tuple[InstallHook, str]]:
    """What could be the paths of files that hooks run."""
    for hook in hooks:
        for path in _files(hook):
            yield hook, path
        for word in _BETWEEN_WORDS.split(hook.command):
            path = word.removeprefix("./")
            # Node finds a module without its ending.
            yield from ((hook, path), (hook, f"{path}.js"))
