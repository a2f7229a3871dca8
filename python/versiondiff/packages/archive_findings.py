"""What two archives tell beside their files: entries, reasons, metadata, the `RECORD` of a wheel.

Entries and metadata are told where they changed. What is wrong with the new archive itself is told
whether or not the old one had it, too: whoever takes the new one takes it with that.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import islice
from typing import TYPE_CHECKING, Final

from versiondiff.packages.archives import EntryFlag, EntryKind, Package, PackageKind
from versiondiff.packages.findings import PackageFinding, PackageFindingKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TypeAlias

    from versiondiff.packages.archives import PackageEntry
    from versiondiff.packages.metadata import Dependency, InstallHook

    _Words: TypeAlias = tuple[str, str]
    """A name, and what is said of it."""

__all__ = ["with_findings_of_archives"]


def with_findings_of_archives(
    old: object,
    new: object,
    of_files: tuple[PackageFinding, ...],
    paths: Sequence[str],
) -> tuple[PackageFinding, ...]:
    """All findings in their order, those of the files among them.

    Args:
        old: What is before; where it is no archive, there is nothing to compare metadata with.
        new: What is now; likewise.
        of_files: What the files tell. An entry is not told of what stands here of its file.
        paths: Files and directories to look at; none means everything.
    """
    before = old if isinstance(old, Package) else None
    now = new if isinstance(new, Package) else None
    entries = _entries(before, now, _said_of_files(of_files))
    told = (*_reasons(before, now), *_metadata(before, now, of_files))
    return (
        *told,
        *of_files,
        *(one for one in entries if _is_within(one.path, paths)),
        *(one for one in _record(now) if _is_within(one.path, paths)),
    )


def _is_within(path: str | None, scope: Sequence[str]) -> bool:
    if path is None or not scope:
        return True
    return any(path == one or path.startswith(f"{one.rstrip('/')}/") for one in scope)


def _reasons(old: Package | None, new: Package | None) -> Iterator[PackageFinding]:
    found = new.reasons if new is not None else ()
    for reason in found:
        yield PackageFinding(kind=PackageFindingKind.ARCHIVE, reason=reason)
    kinds = {reason.kind for reason in found}
    for reason in old.reasons if old is not None else ():
        if reason.kind not in kinds:
            yield PackageFinding(kind=PackageFindingKind.OLD_ARCHIVE, reason=reason)


# ── Metadata ────────────────────────────────────────────────────────────────────────────────────


def _metadata(
    old: Package | None, new: Package | None, of_files: Iterable[PackageFinding]
) -> Iterator[PackageFinding]:
    if new is None:
        return
    for path in new.metadata.unreadable:
        yield PackageFinding(kind=PackageFindingKind.METADATA_UNREADABLE, path=path)
    if old is None:
        return
    before, now = old.metadata, new.metadata
    yield from _changed(PackageFindingKind.NAME_CHANGED, before.name, now.name)
    yield from _changed(PackageFindingKind.KIND_CHANGED, old.kind.value, new.kind.value)
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
    yield from _scripts(old, new, {one.path for one in of_files if one.kind in _HOOKS})
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
    scope = f"({dependency.scope})" if dependency.scope else ""
    words = (dependency.name, dependency.requirement, scope)
    return _same_name(dependency.name), " ".join(filter(None, words))


def _same_name(name: str) -> str:
    """A name as registries compare them (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


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


def _scripts(old: Package, new: Package, known: set[str | None]) -> Iterator[PackageFinding]:
    """Scripts that are new or run something else, and the files that they run, where these changed.

    A file that has been told of, as it runs because of its name, is not told again.
    """
    named = _named(
        [_script(hook) for hook in old.metadata.hooks if known.isdisjoint(_files(hook))],
        [_script(hook) for hook in new.metadata.hooks if known.isdisjoint(_files(hook))],
        PackageFindingKind.NEW_SCRIPT,
        PackageFindingKind.SCRIPT_CHANGED,
    )
    yield from named
    both = {entry.path for entry in old.entries if entry.compared is not None}
    both &= {entry.path for entry in new.entries if entry.compared is not None}
    for hook, path in islice(_run_files(new.metadata.hooks), _MOST_WORDS):
        if path in both and path not in known and old.content(path) != new.content(path):
            known.add(path)
            _, words = _script(hook)
            yield PackageFinding(kind=PackageFindingKind.SCRIPT_CHANGED, path=path, new=words)


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


# ── Entries ─────────────────────────────────────────────────────────────────────────────────────

_SAID_OF_FILES: Final = {
    PackageFindingKind.LINK_OUTSIDE: {EntryFlag.LINK_OUTSIDE},
    PackageFindingKind.HIDDEN_IN_NAME: {EntryFlag.NOT_UTF8, EntryFlag.CONTROL_CHARACTER},
}
"""Flags that say of an entry what a finding says of its file."""

_LINKS: Final = {EntryKind.LINK, EntryKind.HARD_LINK}


def _said_of_files(of_files: Iterable[PackageFinding]) -> dict[str | None, set[EntryFlag]]:
    said: dict[str | None, set[EntryFlag]] = defaultdict(set)
    for finding in of_files:
        if finding.kind in _SAID_OF_FILES:
            said[finding.path] |= _SAID_OF_FILES[finding.kind]
    return said


def _entries(
    old: Package | None, new: Package | None, said: dict[str | None, set[EntryFlag]]
) -> Iterator[PackageFinding]:
    """Flagged entries of the new archive that the old one did not have, and what is gone."""
    before = [entry for entry in old.entries if entry.flags] if old is not None else []
    now = [entry for entry in new.entries if entry.flags] if new is not None else []
    left = Counter(map(_identity, before))
    for entry in now:
        identity = _identity(entry)
        if left[identity] and _is_known(entry):
            left[identity] -= 1
            continue
        is_compared = entry.compared is not None
        flags = tuple(
            flag for flag in entry.flags if not (is_compared and flag in said.get(entry.path, ()))
        )
        if flags:
            kind = (
                PackageFindingKind.ENTRY if is_compared else PackageFindingKind.ENTRY_NOT_COMPARED
            )
            yield PackageFinding(kind=kind, path=entry.path, new=_target(entry), flags=flags)
    left -= Counter(_identity(entry) for entry in now if not _is_known(entry))
    for entry in before:
        identity = _identity(entry)
        if left[identity] > 0:
            left[identity] -= 1
            if entry.compared is None:
                yield PackageFinding(
                    kind=PackageFindingKind.ENTRY_GONE,
                    path=entry.path,
                    old=_target(entry),
                    flags=entry.flags,
                )


def _identity(entry: PackageEntry) -> tuple[object, ...]:
    """What makes two entries the same: all but the content of one that is compared as a file."""
    content = (entry.size, entry.id) if entry.compared is None else None
    place = (entry.path, entry.raw_path, entry.within)
    thing = (entry.kind, entry.target, entry.raw_target, entry.major, entry.minor)
    return (*place, *thing, entry.compared, entry.flags, content)


def _is_known(entry: PackageEntry) -> bool:
    """Whether what is in the entry could be read, so that an equal one is the same."""
    return entry.compared is not None or entry.id is not None or entry.kind not in _WITH_CONTENT


_WITH_CONTENT: Final = {EntryKind.FILE, EntryKind.EXECUTABLE}


def _target(entry: PackageEntry) -> str | None:
    return entry.target if entry.kind in _LINKS else None


def _record(new: Package | None) -> Iterator[PackageFinding]:
    if new is None or new.kind is not PackageKind.WHEEL:
        return
    # Wheels alone have records, and what reads them takes a while to import.
    from versiondiff.packages.record import record_mismatches

    for mismatch in record_mismatches(new):
        kind = PackageFindingKind(f"record_{mismatch.problem.value}")
        yield PackageFinding(kind=kind, path=mismatch.path)
