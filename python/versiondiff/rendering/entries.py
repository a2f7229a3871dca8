"""The lines of a record: flows and nodes, one line an entry, then the settings."""

from __future__ import annotations

import enum
from collections import Counter
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Final

import msgspec

from versiondiff.records import (
    EditKind,
    FileChange,
    FileChangeKind,
    FlowChangeKind,
    MatchReason,
    ParameterChange,
    ParameterChangeKind,
    PinChange,
)
from versiondiff.rendering.names import LIMIT, catalogue, checked_limit, listed, name, short

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from versiondiff.records import (
        ChangeRecord,
        CredentialChange,
        DefinitionChange,
        FlowChange,
        NodeChange,
        SettingChange,
        WireChange,
    )
    from versiondiff.wording import Language, Wording

__all__ = ["FlowNames", "Line", "LineKind", "labelled", "lines", "render"]


class LineKind(enum.Enum):
    """What a line is about, for those who show kinds apart, as by colour."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    REST = "rest"
    """Counts the entries left out."""
    SETTINGS = "settings"
    MOVED = "moved"
    """Nothing changed but the place of nodes on the canvas."""
    NOTHING = "nothing"


class FlowNames(enum.Enum):
    """Where lines name the flow of a node."""

    WHERE_SEVERAL = "where_several"
    """Where the record is about more than one flow: for whoever looks at one flow."""
    ALWAYS = "always"
    """Wherever a node has a flow: for whoever looks at a repository of many."""


class Line(msgspec.Struct, frozen=True):
    """One line of a rendering."""

    kind: LineKind
    text: str
    """Without a line break; every name in it is safe to show."""


def render(
    record: ChangeRecord,
    *,
    language: Language = "en",
    limit: int = LIMIT,
    flow_names: FlowNames = FlowNames.WHERE_SEVERAL,
) -> str:
    r"""The record as text: at most `limit` entries, the rest counted, then the settings.

    Added entries come first, then removed, then changed ones, each in the record's order. Comments
    and warnings are lines of their own: `render_comments`, `render_warnings`.

    Args:
        record: What changed.
        language: `"en"` or `"ja"`.
        limit: How many entries are shown, and how many names in each list of a line; at least 1.
        flow_names: Where lines name the flow of a node.

    Returns:
        Lines joined by `\n`, with none at the end; never empty.

    Raises:
        InvalidInput: an unknown language, or a limit below 1.
    """
    shown = lines(record, language=language, limit=limit, flow_names=flow_names)
    return "\n".join([line.text for line in shown])


def lines(
    record: ChangeRecord,
    *,
    language: Language = "en",
    limit: int = LIMIT,
    flow_names: FlowNames = FlowNames.WHERE_SEVERAL,
) -> list[Line]:
    """As `render`, line by line, each with what it is about."""
    entries = _Entries(record, catalogue(language), checked_limit(limit), flow_names)
    return entries.lines()


# Attributes of an enum are looked up, and its members hashed, by Python code: too slow for a walk
# over all nodes.
_ADDED: Final = EditKind.ADDED
_CHANGED: Final = EditKind.CHANGED
_DEFAULTS: Final = (
    ParameterChangeKind.DEFAULT_ADDED,
    ParameterChangeKind.DEFAULT_REMOVED,
    ParameterChangeKind.DEFAULT_CHANGED,
)


class _Entries:
    """One rendering of one record."""

    def __init__(
        self, record: ChangeRecord, wording: Wording, limit: int, flow_names: FlowNames
    ) -> None:
        self.record = record
        self.wording = wording
        self.limit = limit
        # A flow that came or went as a whole is one entry, which stands for its nodes and settings.
        self.added = {flow.flow for flow in record.flows if flow.kind is FlowChangeKind.ADDED}
        self.removed = {flow.flow for flow in record.flows if flow.kind is FlowChangeKind.REMOVED}
        self.names_flows = flow_names is FlowNames.ALWAYS or _several_flows(record)

    def lines(self) -> list[Line]:
        wording, flows = self.wording, self.record.flows
        added, removed, changed = self.nodes_by_kind()
        entries: Iterator[Line] = chain(
            map(self.added_flow, [flow for flow in flows if flow.kind is FlowChangeKind.ADDED]),
            map(self.added_node, added),
            map(self.removed_flow, [flow for flow in flows if flow.kind is FlowChangeKind.REMOVED]),
            map(self.removed_node, removed),
            map(self.renamed_flow, [flow for flow in flows if flow.kind is FlowChangeKind.RENAMED]),
            map(self.changed_node, changed),
        )
        shown = list(islice(entries, self.limit))
        rest = len(flows) + len(added) + len(removed) + len(changed) - len(shown)
        if rest:
            shown.append(Line(LineKind.REST, wording.rest.format(count=rest)))
        settings = [
            setting
            for setting in self.record.settings
            if not (setting.flow in self.added or setting.flow in self.removed)
        ]
        if settings:
            names = listed(settings, self.setting, wording, self.limit)
            shown.append(Line(LineKind.SETTINGS, wording.settings.format(names=names)))
        if not shown:
            shown.append(self.nothing())
        return shown

    def nodes_by_kind(self) -> tuple[list[NodeChange], list[NodeChange], list[NodeChange]]:
        """The added, removed and changed nodes, without those that a flow's entry stands for."""
        added: list[NodeChange] = []
        removed: list[NodeChange] = []
        changed: list[NodeChange] = []
        for node in self.record.nodes:
            kind = node.kind
            if kind is _CHANGED:
                changed.append(node)
            elif kind is _ADDED:
                if node.flow not in self.added:
                    added.append(node)
            elif node.flow not in self.removed:
                removed.append(node)
        return added, removed, changed

    def nothing(self) -> Line:
        wording, moved = self.wording, self.record.moved
        if not moved:
            return Line(LineKind.NOTHING, wording.no_changes)
        template = wording.moved_one if moved == 1 else wording.moved_many
        return Line(LineKind.MOVED, template.format(count=moved))

    # ── Flows ───────────────────────────────────────────────────────────────────────────────────

    def added_flow(self, flow: FlowChange) -> Line:
        text = self.wording.flow_added.format(name=name(flow.name), nodes=self.nodes(flow.nodes))
        return Line(LineKind.ADDED, text)

    def removed_flow(self, flow: FlowChange) -> Line:
        text = self.wording.flow_removed.format(name=name(flow.name), nodes=self.nodes(flow.nodes))
        return Line(LineKind.REMOVED, text)

    def renamed_flow(self, flow: FlowChange) -> Line:
        if flow.former_name is None or flow.former_name == flow.name:
            text = self.wording.flow_relocated.format(
                name=name(flow.name), former=name(flow.former_flow or ""), path=name(flow.flow)
            )
        else:
            text = self.wording.flow_renamed.format(
                former=name(flow.former_name), name=name(flow.name)
            )
        return Line(LineKind.CHANGED, text)

    def nodes(self, count: int) -> str:
        template = self.wording.nodes_one if count == 1 else self.wording.nodes_many
        return template.format(count=count)

    # ── Nodes ───────────────────────────────────────────────────────────────────────────────────

    def node(self, node: NodeChange) -> str:
        shown = name(node.name)
        if self.names_flows and node.flow:
            return self.wording.node_in_flow.format(name=shown, flow=name(node.flow_name))
        return shown

    def added_node(self, node: NodeChange) -> Line:
        shown = self.node(node)
        if node.replaces is None:
            return Line(LineKind.ADDED, self.wording.added.format(name=shown))
        text = self.wording.added_replacing.format(name=shown, other=name(node.replaces))
        return Line(LineKind.ADDED, text)

    def removed_node(self, node: NodeChange) -> Line:
        shown = self.node(node)
        if node.replaced_by is None:
            return Line(LineKind.REMOVED, self.wording.removed.format(name=shown))
        text = self.wording.removed_replaced.format(name=shown, other=name(node.replaced_by))
        return Line(LineKind.REMOVED, text)

    def changed_node(self, node: NodeChange) -> Line:
        wording, limit = self.wording, self.limit
        aspects: list[str] = []
        if node.former_name is not None:
            aspects.append(
                wording.renamed.format(former=name(node.former_name), name=name(node.name))
            )
        if node.former_id is not None:
            aspects.append(self.id_changed(node, node.former_id))
        if node.definition is not None:
            aspects.append(self.definition(node.definition))
        if node.source:
            show = partial(_file, wording)
            aspects.append(wording.source.format(names=listed(node.source, show, wording, limit)))
        if node.parameters:
            aspects.extend(self.parameters(node))
        if node.credentials:
            aspects.extend([_credential(wording, change) for change in node.credentials])
        if node.wiring:
            aspects.append(self.wiring(node.wiring))
        if node.outputs_reordered:
            aspects.append(wording.outputs_reordered)

        shown = self.node(node)
        if not aspects:
            return Line(LineKind.CHANGED, wording.changed_somehow.format(name=shown))
        text = wording.changed.format(name=shown, aspects=wording.separator.join(aspects))
        return Line(LineKind.CHANGED, text)

    def id_changed(self, node: NodeChange, former: str) -> str:
        reason = ""
        if node.matched_by is MatchReason.CONTENT:
            reason = self.wording.same_content
        elif node.matched_by is MatchReason.NAME:
            reason = self.wording.same_name
        elif node.matched_by is MatchReason.NEIGHBOURS:
            reason = self.wording.same_neighbours
        return self.wording.id_changed.format(former=name(former), id=name(node.id), reason=reason)

    def definition(self, definition: DefinitionChange) -> str:
        old, new = definition.old_version, definition.new_version
        if not (old or new):
            return self.wording.definition
        none = self.wording.no_version
        return self.wording.definition_updated.format(
            old=short(old) if old else none, new=short(new) if new else none
        )

    def parameters(self, node: NodeChange) -> Iterator[str]:
        edited: Sequence[ParameterChange] = node.parameters
        if any(change.kind in _DEFAULTS for change in edited):
            edited = [change for change in edited if change.kind not in _DEFAULTS]
        if edited:
            names = listed(edited, labelled(edited), self.wording, self.limit)
            yield self.wording.parameters.format(names=names)
        # Where the definition changed, its line stands for the defaults that it brought along.
        if node.definition is None and len(edited) < len(node.parameters):
            defaults = [change for change in node.parameters if change.kind in _DEFAULTS]
            names = listed(defaults, labelled(defaults), self.wording, self.limit)
            yield self.wording.defaults.format(names=names)

    def wiring(self, wiring: Sequence[WireChange]) -> str:
        # What a line shows of a wire is the name of the node that feeds and the input. Wires that
        # differ in nothing else are said once: what they differ in is which node of that name, or
        # which of its outputs.
        if len(wiring) == 1:
            return self.wording.wiring.format(names=_wires(self.wording, wiring))
        alike: dict[tuple[str, str], list[WireChange]] = {}
        for wire in wiring:
            alike.setdefault((wire.node_name, wire.input), []).append(wire)
        show = partial(_wires, self.wording)
        names = listed(list(alike.values()), show, self.wording, self.limit)
        return self.wording.wiring.format(names=names)

    # ── Settings ────────────────────────────────────────────────────────────────────────────────

    def setting(self, setting: SettingChange) -> str:
        wording, shown = self.wording, name(setting.name)
        if setting.pin is PinChange.PINNED:
            shown = wording.pinned.format(name=shown)
        elif setting.pin is PinChange.UNPINNED:
            shown = wording.unpinned.format(name=shown)
        elif setting.pin is PinChange.MOVED:
            shown = wording.pin_moved.format(name=shown)
        if self.names_flows and setting.flow:
            return wording.setting_in_flow.format(name=shown, flow=name(setting.flow_name))
        return shown


def _several_flows(record: ChangeRecord) -> bool:
    """Whether the record is about more than one flow, so that lines have to name theirs."""
    places = {node.flow for node in record.nodes}
    places.update([setting.flow for setting in record.settings])
    places.update([flow.flow for flow in record.flows])
    places.discard("")
    if len(places) < 2:
        return False
    # What went from a renamed flow may still stand under the flow's former place.
    now_at = {flow.former_flow: flow.flow for flow in record.flows if flow.former_flow is not None}
    return len({now_at.get(place, place) for place in places}) > 1


def _file(wording: Wording, change: FileChange) -> str:
    shown = name(change.path)
    kind = change.kind
    if kind is FileChangeKind.EDITED:
        return shown
    if kind is FileChangeKind.ADDED:
        return wording.file_added.format(path=shown)
    if kind is FileChangeKind.REMOVED:
        return wording.file_removed.format(path=shown)
    if kind is FileChangeKind.MODE:
        return wording.file_mode.format(path=shown)
    return wording.file_renamed.format(former=name(change.former_path or ""), path=shown)


def labelled(changes: Sequence[ParameterChange]) -> Callable[[ParameterChange], str]:
    """How to show each of some parameters that stand in one list.

    By its label; where there is none, or several of them share it, by its name.
    """
    if len(changes) == 1:
        return _label
    shared = Counter([change.label for change in changes])
    return lambda change: _label(change) if shared[change.label] == 1 else name(change.name)


def _label(change: ParameterChange) -> str:
    return name(change.label or change.name)


def _credential(wording: Wording, change: CredentialChange) -> str:
    old, new, kind = change.old_name, change.new_name, change.kind
    names = ""
    if kind is not _CHANGED:
        if old or new:
            names = wording.credential_name.format(name=name(new or old))
    elif old != new:
        unknown = wording.credential_unknown
        names = wording.credential_names.format(
            old=name(old) if old else unknown, new=name(new) if new else unknown
        )
    where = change.label or change.input
    if kind is _CHANGED:
        template = wording.credential_changed_in if where else wording.credential_changed
    elif kind is _ADDED:
        template = wording.credential_set_in if where else wording.credential_set
    else:
        template = wording.credential_removed_in if where else wording.credential_removed
    return template.format(input=name(where), names=names)


def _wires(wording: Wording, wires: Sequence[WireChange]) -> str:
    """Wires into one input from nodes of one name."""
    first = wires[0]
    added = first.kind is _ADDED
    whole = not first.input
    nodes = 1
    template = wording.wire_added if added else wording.wire_removed
    if whole:
        template = wording.wire_added_whole if added else wording.wire_removed_whole
    if len(wires) > 1:
        came = {wire.node for wire in wires if wire.kind is _ADDED}
        went = {wire.node for wire in wires if wire.kind is not _ADDED}
        if came and came == went:
            template = wording.wire_other_output_whole if whole else wording.wire_other_output
        elif came and went:
            template = wording.wire_other_node_whole if whole else wording.wire_other_node
        else:
            nodes = len(came or went)
    shown = template.format(input=name(first.label or first.input), node=name(first.node_name))
    return wording.wire_times.format(wire=shown, count=nodes) if nodes > 1 else shown
