"""What a version of a flow says of its change: the most telling one first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from versiondiff.errors import InvalidInput, LimitExceeded
from versiondiff.flows.history.tree import head_of
from versiondiff.records import EditKind, NodeChange, ParameterChangeKind
from versiondiff.rendering.entries import labelled, lines
from versiondiff.rendering.names import catalogue, listed, name
from versiondiff.snapshots import change_record

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from versiondiff.records import ChangeRecord
    from versiondiff.wording import Language

__all__ = ["ChangeDescription", "describe_change"]

_LISTED: Final = 3
"""How many inputs a line names."""
_BODY: Final = 30
"""How many lines the body has; the rest is counted."""
_FORMAT: Final = "flow"
_FOLDER: Final = "flows/flow"
"""Where files are while they are compared; no one is to read of it."""


class ChangeDescription(NamedTuple):
    """A change in words, each on one line; every name in them is safe to show."""

    subject: str
    """The most telling one; empty where nothing can be said."""
    body: tuple[str, ...] = ()
    """The others."""


def describe_change(
    old: Mapping[str, bytes], new: Mapping[str, bytes], *, language: Language = "en"
) -> ChangeDescription:
    """Say what changed between the files of two versions of a flow.

    Edits of texts with a file of their own, such as prompts, come first; then nodes that came, that
    went, other edits, the flow's name, wiring and the rest of a node, definitions and
    defaults, and last what only moved.

    Args:
        old: The files of the version before, by their paths below the flow's folder.
        new: The files now.
        language: The language of the lines.
    """
    try:
        record = change_record(_in_a_folder(old), _in_a_folder(new), format=_FORMAT)
    except (InvalidInput, LimitExceeded):
        # What can't be compared is kept all the same.
        return ChangeDescription("")
    told = sorted(_phrases(record, old, new, language), key=lambda phrase: phrase.rank)
    if not told:
        return ChangeDescription("")
    texts = [phrase.text for phrase in told]
    body = texts[1 : _BODY + 1]
    rest = len(texts) - 1 - len(body)
    if rest:
        body.append(catalogue(language).rest.format(count=rest))
    return ChangeDescription(texts[0], tuple(body))


def _in_a_folder(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files where the format looks for those of a flow.

    Those of both versions are in the same folder there, so that a new name alone is no move.
    """
    return {f"{_FOLDER}/{path}": content for path, content in files.items()}


class _Phrase(NamedTuple):
    rank: int
    text: str


_TEXT, _ADDED, _REMOVED, _EDITED, _NAME, _OTHER, _DEFINITION, _MOVED = range(8)


def _phrases(
    record: ChangeRecord, old: Mapping[str, bytes], new: Mapping[str, bytes], language: Language
) -> Iterator[_Phrase]:
    former, now = _name_of(old), _name_of(new)
    if former != now:
        words = catalogue(language).flow_renamed
        yield _Phrase(_NAME, words.format(former=name(former), name=name(now)))
    texts = {path for path in old.keys() | new.keys() if old.get(path) != new.get(path)}
    for node in record.nodes:
        yield from _of_node(record, node, texts, language)
    # What can't be read, such as files of another format version, is told of by its folder's name.
    settings = tuple(setting for setting in record.settings if setting.name != _FOLDER)
    rest = msgspec.structs.replace(record, nodes=(), flows=(), settings=settings)
    if rest.settings or rest.moved:
        rank = _OTHER if rest.settings else _MOVED
        yield from (_Phrase(rank, line.text) for line in lines(rest, language=language))


def _of_node(
    record: ChangeRecord,
    node: NodeChange,
    changed_files: set[str],
    language: Language,
) -> Iterator[_Phrase]:
    if node.kind is not EditKind.CHANGED:
        rank = _ADDED if node.kind is EditKind.ADDED else _REMOVED
        yield from _lines_of(record, node, rank, language)
        return
    edits = [each for each in node.parameters if each.kind not in _BY_DEFAULT]
    if edits:
        wording = catalogue(language)
        texts = [edit for edit in edits if _has_text(changed_files, node.id, edit.name)]
        names = [*texts, *(edit for edit in edits if edit not in texts)]
        inputs = listed(names, labelled(names), wording, _LISTED)
        words = wording.flow_inputs_changed.format(inputs=inputs, node=name(node.name or node.id))
        yield _Phrase(_TEXT if texts else _EDITED, words)
    if node.credentials:
        alone = NodeChange(
            kind=node.kind,
            id=node.id,
            name=node.name,
            flow=node.flow,
            flow_name=node.flow_name,
            credentials=node.credentials,
        )
        yield from _lines_of(record, alone, _EDITED, language)
    others = tuple(each for each in node.parameters if each.kind in _BY_DEFAULT)
    rest = msgspec.structs.replace(node, parameters=others, credentials=())
    is_renamed = rest.former_name is not None and rest.former_name != rest.name
    if rest.wiring or rest.source or rest.outputs_reordered or is_renamed or rest.former_id:
        yield from _lines_of(record, rest, _OTHER, language)
    elif rest.definition or others or not (edits or node.credentials):
        yield from _lines_of(record, rest, _DEFINITION, language)


_BY_DEFAULT: Final = frozenset(
    {
        ParameterChangeKind.DEFAULT_ADDED,
        ParameterChangeKind.DEFAULT_REMOVED,
        ParameterChangeKind.DEFAULT_CHANGED,
    }
)


def _lines_of(
    record: ChangeRecord, node: NodeChange, rank: int, language: Language
) -> Iterator[_Phrase]:
    alone = msgspec.structs.replace(record, nodes=(node,), flows=(), settings=(), moved=0)
    for line in lines(alone, language=language):
        yield _Phrase(rank, line.text)


# ── What the files say ──────────────────────────────────────────────────────────────────────────


def _name_of(files: Mapping[str, bytes]) -> str:
    head = head_of(files.get("flow.json", b""))
    return "" if head is None else head.name


def _has_text(changed_files: set[str], node: str, parameter: str) -> bool:
    """Whether a text of an input with a file of its own is among what changed."""
    start = f"prompts/{node}.{parameter}"
    return any(
        path.startswith(start) and path[len(start) : len(start) + 1] in {".", "["}
        for path in changed_files
    )
