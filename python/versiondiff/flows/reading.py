"""Files as a flow."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from versiondiff.errors import InvalidInput, UnsupportedFormat
from versiondiff.flows import markers
from versiondiff.flows.definitions import Definitions
from versiondiff.flows.json_text import decoded, text_of, too_deep
from versiondiff.flows.names import place
from versiondiff.flows.nodes import DATA_KEYS, LAYOUT_KEYS, component_of, id_of
from versiondiff.flows.resolving import MISSING, Resolver, same
from versiondiff.flows.shapes import CANVAS_KEYS, FLOW_DATA, FLOW_KEYS, Shape, looks_stored, opened
from versiondiff.flows.values import ReadFlow
from versiondiff.flows.writing import FORMAT_VERSION, WrittenFlow
from versiondiff.rendering.names import name as shown_name
from versiondiff.rendering.names import path as shown_path
from versiondiff.rendering.names import short
from versiondiff.secrets import redact

if TYPE_CHECKING:
    from collections.abc import Mapping

    from versiondiff.flows.json_text import Json
    from versiondiff.flows.names import Step
    from versiondiff.flows.nodes import WrittenNode
    from versiondiff.flows.shapes import Canvas
    from versiondiff.flows.values import Credential, Unresolved
    from versiondiff.secrets import Rules

__all__ = ["read_flow"]

_READER = "Cuttlely"
"""Whom the message about another format version names: the one that these files belong to."""


def read_flow(
    files: Mapping[str, bytes],
    *,
    current: bytes | str | Mapping[str, Json] | None = None,
    credentials: Mapping[str, Credential] | None = None,
    rules: Rules | None = None,
) -> ReadFlow:
    """A flow from its files, with what was not written taken from the flow as it is now.

    Args:
        files: Contents by path below the flow's folder.
        current: The flow as it is now: an export or a stored flow. What is hidden, or never
            written, comes back from the node with the same id.
        credentials: What is known of credentials, by id: those that the files name are looked up
            in it. Without it, a node keeps the credential that it has now.
        rules: The rules that the files were written with.

    Returns:
        The flow, of the shape of `current`, or else of the shape that was written; and
        what could not be brought back, which is left out of the flow. A text that holds
        `[secret hidden]` keeps it, unless it is otherwise what stands there now.

    Raises:
        UnsupportedFormat: The files have another format version.
        InvalidInput: They are not as they are written; the message names the file.
        LimitExceeded: They, or the flow as it is now, are nested too deeply.
    """
    try:
        return _Reading(files, current, credentials, rules).flow()
    except RecursionError:
        raise too_deep("flow files") from None


class _Reading:
    def __init__(
        self,
        files: Mapping[str, bytes],
        current: bytes | str | Mapping[str, Json] | None,
        credentials: Mapping[str, Credential] | None,
        rules: Rules | None,
    ) -> None:
        self._files = files
        self._credentials = credentials
        self._about = self._read("flow.json")
        version = self._about.get("formatVersion")
        if isinstance(version, bool) or version != FORMAT_VERSION:
            raise UnsupportedFormat(
                f"flow.json has format version {_shown(version)}. "
                f"This {_READER} reads version {FORMAT_VERSION}."
            )
        self._canvas: Canvas | None = None
        self._now: WrittenFlow | None = None
        if current is not None:
            self._canvas = opened(current, "current flow")
            self._now = WrittenFlow(self._canvas, credentials or {}, rules)
        self._unresolved: list[Unresolved] = []
        self._resolver = self._resolver_of("", "", "flow.json")

    def flow(self) -> ReadFlow:
        content: dict[str, Json] = {"nodes": self._nodes()}
        if "edges.json" in self._files:
            content["edges"] = self._edges()
        content |= self._viewport()
        about, extra = self._about_and_extra()
        is_stored = self._is_stored(extra)
        inner = extra.pop(FLOW_DATA, None)
        if isinstance(inner, dict):
            _refuse_keys(inner, frozenset(CANVAS_KEYS), "flow.json: extra.flowData")
            content |= inner
        if is_stored:
            flow = {**extra, **about, FLOW_DATA: self._flow_data(content)}
        else:
            flow = {**extra, **about, **content}
        return ReadFlow(flow, tuple(self._unresolved))

    def _nodes(self) -> list[dict[str, Json]]:
        listed = self._about.get("nodes")
        if not isinstance(listed, list):
            raise InvalidInput("flow.json: nodes is no list")
        layout = self._layout().get("nodes", {})
        if not isinstance(layout, dict):
            raise InvalidInput("layout.json: nodes is no object")
        by_id: dict[str, list[WrittenNode]] = {}
        for node in self._now.nodes if self._now else ():
            by_id.setdefault(node.id, []).append(node)
        seen: Counter[str] = Counter()
        named: set[str] = set()
        nodes = []
        for at, entry in enumerate(listed):
            file = entry.get("file") if isinstance(entry, dict) else None
            if not isinstance(file, str) or not file.endswith(".json"):
                raise InvalidInput(f"flow.json: nodes[{at}] has no file")
            if not file.startswith("nodes/"):
                raise InvalidInput(f"flow.json: the file of nodes[{at}] is not in nodes/")
            if file in named:
                raise InvalidInput(f"flow.json: nodes[{at}] has the file of another node")
            named.add(file)
            stem = file.removesuffix(".json")
            tree = self._read(file)
            of = id_of(tree)
            same_id = by_id.get(of, ())
            now = same_id[seen[of]] if seen[of] < len(same_id) else None
            seen[of] += 1
            step = self._node(file, tree, f"{stem}.definition.json", now)
            own_layout = layout.get(stem.removeprefix("nodes/"), {})
            shown = f"layout.json: {shown_path(file)}"
            if not isinstance(own_layout, dict):
                raise InvalidInput(f"{shown}: no object")
            if not own_layout.keys() <= set(LAYOUT_KEYS):
                raise InvalidInput(f"{shown}: only {', '.join(LAYOUT_KEYS)} stand here")
            resolver = self._resolver_of(of, "", "layout.json")
            step |= _members(
                resolver, own_layout, now.layout if now else {}, now.raw if now else {}
            )
            nodes.append(step)
        return nodes

    def _node(
        self, file: str, tree: dict[str, Json], definition_file: str, now: WrittenNode | None
    ) -> dict[str, Json]:
        definition = self._read(definition_file) if definition_file in self._files else {}
        data = tree.get("data")
        component = component_of(data) if isinstance(data, dict) else ""
        if now is not None and component_of(now.data) != component:
            # An id that another kind of node has now: nothing of that one belongs here.
            now = None
        resolver = self._resolver_of(id_of(tree), component, shown_path(file))
        written, raw = (now.tree, now.raw) if now else ({}, {})
        if not isinstance(data, dict):
            return _members(resolver, tree, written, raw)
        outer = {key: value for key, value in tree.items() if key != "data"}
        node = _members(resolver, outer, written, raw)
        written, raw = (now.data, now.raw_data) if now else ({}, {})
        own = _members(
            resolver, {key: value for key, value in data.items() if key != "inputs"}, written, raw
        )
        _refuse_keys(definition, DATA_KEYS, shown_path(definition_file))
        result = self._resolver_of(id_of(tree), component, shown_path(definition_file)).resolve(
            definition,
            now.definition if now else MISSING,
            now.raw_definition if now else MISSING,
            (),
        )
        own |= _object(result, shown_path(definition_file))
        if "inputs" in data:
            result = resolver.resolve(
                self._with_texts(data["inputs"], file, ()),
                written.get("inputs", MISSING),
                raw.get("inputs", MISSING),
                (),
                Definitions.of_node(own),
            )
            if result is not MISSING:
                own["inputs"] = result
        return {**node, "data": own}

    def _edges(self) -> list[Json]:
        """The edges, in the order that those have that are there now, then by id."""
        edges = decoded(self._content("edges.json"), "edges.json")
        if not isinstance(edges, list) or not all(isinstance(edge, dict) for edge in edges):
            raise InvalidInput("edges.json: no list of objects")
        written = self._now.edges if self._now else None
        raw = self._canvas.content["edges"] if self._canvas and written else []
        free: dict[str, list[int]] = {}
        for at, edge in enumerate(written or ()):
            free.setdefault(id_of(edge), []).append(at)
        resolver = self._resolver_of("", "", "edges.json")
        found: list[tuple[int, dict[str, Json]]] = []
        for edge in edges:
            at = len(raw)
            members: tuple[dict[str, Json], dict[str, Json]] = ({}, {})
            if written and (places := free.get(id_of(edge))):
                at = next((of for of in places if same(edge, written[of])), places[0])
                places.remove(at)
                members = written[at], raw[at]
            found.append((at, _members(resolver, edge, *members)))
        return [edge for _, edge in sorted(found, key=lambda of: of[0])]

    def _viewport(self) -> dict[str, Json]:
        layout = self._layout()
        tree = {"viewport": layout["viewport"]} if "viewport" in layout else {}
        written = self._now.viewport if self._now else {}
        resolver = self._resolver_of("", "", "layout.json")
        return _members(resolver, tree, written, self._canvas.content if self._canvas else {})

    def _about_and_extra(self) -> tuple[dict[str, Json], dict[str, Json]]:
        now, canvas = self._now, self._canvas
        about = _members(
            self._resolver,
            {key: self._about[key] for key in FLOW_KEYS if key in self._about},
            now.about if now else {},
            canvas.about if canvas else {},
        )
        extra = self._resolver.resolve(
            self._about.get("extra", {}),
            now.extra if now else MISSING,
            canvas.extra if canvas else MISSING,
            (),
        )
        return about, dict(_object(extra, "flow.json: extra"))

    def _is_stored(self, extra: dict[str, Json]) -> bool:
        if self._canvas is not None:
            return self._canvas.shape is Shape.STORED
        if FLOW_DATA in extra:
            return isinstance(extra[FLOW_DATA], dict)
        return looks_stored(self._about)

    def _flow_data(self, content: dict[str, Json]) -> str:
        canvas = self._canvas
        if canvas and canvas.shape is Shape.STORED and same(content, canvas.content):
            return str(canvas.source[FLOW_DATA])
        return text_of(content)

    def _layout(self) -> dict[str, Json]:
        return self._read("layout.json") if "layout.json" in self._files else {}

    def _read(self, path: str) -> dict[str, Json]:
        value = decoded(self._content(path), shown_path(path))
        if not isinstance(value, dict):
            raise InvalidInput(f"{shown_path(path)}: no object")
        return value

    def _content(self, path: str) -> bytes:
        content = self._files.get(path)
        if content is None:
            raise InvalidInput(f"{shown_path(path)} is not there")
        if not isinstance(content, bytes):
            raise InvalidInput(f"{shown_path(path)}: the content is not given as bytes")
        return content

    def _resolver_of(self, node: str, component: str, file: str) -> Resolver:
        return Resolver(
            node=node,
            component=component,
            file=file,
            credentials=self._credentials,
            unresolved=self._unresolved,
        )

    def _with_texts(self, tree: Json, file: str, path: tuple[Step, ...]) -> Json:
        """Inputs with the texts that are in files of their own."""
        if isinstance(tree, list):
            return [self._with_texts(item, file, (*path, at)) for at, item in enumerate(tree)]
        if not isinstance(tree, dict):
            return tree
        marker = markers.marker_of(tree)
        if marker == markers.TEXT:
            return self._text(tree[markers.TEXT], file, path)
        if marker == markers.LITERAL and isinstance(inner := tree[markers.LITERAL], dict):
            return {markers.LITERAL: self._texts_of_members(inner, file, path)}
        return self._texts_of_members(tree, file, path)

    def _texts_of_members(
        self, tree: dict[str, Json], file: str, path: tuple[Step, ...]
    ) -> dict[str, Json]:
        return {key: self._with_texts(of, file, (*path, key)) for key, of in tree.items()}

    def _text(self, named: Json, file: str, path: tuple[Step, ...]) -> str:
        shown = f"{shown_path(file)}: at {shown_name(place(path))}"
        if not isinstance(named, str) or not named.startswith("prompts/"):
            raise InvalidInput(f"{shown}: $text names no file in prompts/")
        if named not in self._files:
            raise InvalidInput(f"{shown}: {shown_path(named)} is not there")
        try:
            return self._content(named).decode()
        except UnicodeDecodeError as error:
            raise InvalidInput(f"{shown_path(named)}: no UTF-8 at byte {error.start}") from None


def _members(
    resolver: Resolver, tree: dict[str, Json], written: dict[str, Json], now: dict[str, Json]
) -> dict[str, Json]:
    """An object whose members are resolved one by one, and which is itself no marker."""
    of = {
        key: resolver.resolve(value, written.get(key, MISSING), now.get(key, MISSING), (key,))
        for key, value in tree.items()
    }
    return {key: value for key, value in of.items() if value is not MISSING}


def _object(value: Json, place: str) -> dict[str, Json]:
    """An object that was resolved; empty where it is not there."""
    if value is MISSING:
        return {}
    if not isinstance(value, dict):
        raise InvalidInput(f"{place}: no object")
    return value


def _refuse_keys(tree: dict[str, Json], keys: frozenset[str], place: str) -> None:
    """Refuse what stands in another file, and would take its place."""
    if not tree.keys().isdisjoint(keys):
        raise InvalidInput(
            f"{place}: holds what has its own place: {', '.join(sorted(keys & tree.keys()))}"
        )


def _shown(version: Json) -> str:
    """A format version as a message shows it: without what looks secret."""
    if isinstance(version, dict | list):
        return "no number"
    return short(redact(version if isinstance(version, str) else text_of(version))[0])
