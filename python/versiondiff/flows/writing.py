"""A flow as files."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from versiondiff.flows import names
from versiondiff.flows.definitions import NOTHING
from versiondiff.flows.encoding import Encoder
from versiondiff.flows.hiding import Hiders, TextHider
from versiondiff.flows.json_text import encoded, too_deep
from versiondiff.flows.markers import PLACEHOLDER, TEXT
from versiondiff.flows.nodes import (
    DATA_KEYS,
    WrittenNode,
    id_of,
    refuse_secret_keys,
    texts_with_files,
    write_node,
)
from versiondiff.flows.shapes import opened
from versiondiff.flows.survey import Kind, Survey
from versiondiff.flows.values import FlowFiles, Hidden
from versiondiff.rendering.names import name as shown_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from versiondiff.flows.json_text import Json
    from versiondiff.flows.shapes import Canvas
    from versiondiff.flows.values import Credential
    from versiondiff.secrets import Rules

__all__ = ["FORMAT_VERSION", "WrittenFlow", "write_flow", "write_flow_files"]

FORMAT_VERSION = 1

_PLACEHOLDER = PLACEHOLDER.encode()
_EDGE_TEXTS = frozenset({"id", "source", "target", "sourceHandle", "targetHandle", "type"})


def write_flow(
    flow: bytes | str | Mapping[str, Json],
    *,
    credentials: Mapping[str, Credential] | None = None,
    rules: Rules | None = None,
) -> dict[str, bytes]:
    """A flow as files: `write_flow_files` without what is to be known of it."""
    return write_flow_files(flow, credentials=credentials, rules=rules).files


def write_flow_files(
    flow: bytes | str | Mapping[str, Json],
    *,
    credentials: Mapping[str, Credential] | None = None,
    rules: Rules | None = None,
) -> FlowFiles:
    """A flow as small text files, always written the same way.

    Args:
        flow: An export or a stored flow: JSON text, or decoded. It is not changed.
        credentials: What is known of credentials, by id. One that is not in it is written as
            unknown.
        rules: More rules for secrets, beside the built-in ones.

    Returns:
        The files by path below the flow's folder, and what was hidden in them.

    Raises:
        InvalidInput: It is no flow, or no JSON.
        LimitExceeded: It is nested too deeply.
        SecretFound: A key of a node or of an edge holds a secret.
    """
    try:
        canvas = opened(flow)
        return _files(canvas, WrittenFlow(canvas, credentials or {}, rules))
    except RecursionError:
        raise too_deep("flow") from None


class WrittenFlow:
    """A flow as it is written, before it is laid out in files."""

    def __init__(
        self, canvas: Canvas, credentials: Mapping[str, Credential], rules: Rules | None
    ) -> None:
        hiders = _hiders(canvas, credentials, rules)
        self.nodes = [write_node(node, hiders, credentials) for node in canvas.nodes]
        encoder = Encoder(hiders, credentials)
        self.hidden: list[Hidden] = []
        self.named = encoder.named
        self.about: dict[str, Json] = {}
        for key, value in canvas.about.items():
            before = encoder.count
            # The id stays: the folder is found by it. The scan before a commit looks at it.
            self.about[key] = value if key == "id" else encoder.plain(value)
            self._note(encoder.count - before, key)
        before = encoder.count
        counts: dict[str, int] = {}
        self.extra: Json = encoder.object(
            canvas.extra, NOTHING, depth=1, json_depth=1, counts=counts
        )
        for key, count in counts.items():
            self._note(count, key)
        self._note(encoder.count - before - sum(counts.values()), "extra")
        before = encoder.count
        self.edges: list[Json] | None = None
        if "edges" in canvas.content:
            for edge in canvas.content["edges"]:
                refuse_secret_keys(edge, hiders, "an edge")
            self.edges = [
                edge
                if hiders.others.is_plain and "selected" not in edge
                else {
                    key: encoder.plain(value) if key in _EDGE_TEXTS else encoder.other(value, key)
                    for key, value in edge.items()
                    if key != "selected"
                }
                for edge in canvas.content["edges"]
            ]
        self._note(encoder.count - before, "edges")
        before = encoder.count
        self.viewport: dict[str, Json] = {}
        if "viewport" in canvas.content:
            self.viewport["viewport"] = encoder.other(canvas.content["viewport"], "viewport")
        self._note(encoder.count - before, "viewport")
        self.definitions = self._definitions(rules)

    def _definitions(self, rules: Rules | None) -> list[bytes]:
        """The definition of each node as JSON; empty where there is none."""
        contents = [
            encoded(node.definition, "definition") if node.definition else b""
            for node in self.nodes
        ]
        # The texts themselves are looked through: in JSON an escape may stand before a secret.
        surveys = [Survey([node.definition], kind=Kind.DEFINITIONS) for node in self.nodes]
        hider = TextHider(Survey.together(surveys), rules)
        if hider.is_plain:
            return contents
        for at, (node, survey) in enumerate(zip(self.nodes, surveys, strict=True)):
            if survey.is_plain and hider.written.keys().isdisjoint(survey.texts):
                continue
            encoder = Encoder(Hiders(hider, hider), {})
            node.definition = encoder.plain(node.definition)
            node.note(encoder.count, "definition", "definition")
            contents[at] = encoded(node.definition, "definition")
        return contents

    def _note(self, count: int, field: str) -> None:
        if count:
            label = self.about.get("name")
            self.hidden.append(
                Hidden(
                    count=count,
                    input=field,
                    input_label=field,
                    label=label if isinstance(label, str) else "",
                    node="",
                )
            )


def _files(canvas: Canvas, written: WrittenFlow) -> FlowFiles:
    files: dict[str, bytes] = {}
    stems = node_stems([node.tree for node in written.nodes])
    prompts = _take_texts(written.nodes, stems)
    for stem, node, definition in zip(stems, written.nodes, written.definitions, strict=True):
        files[f"nodes/{stem}.json"] = encoded(node.tree, f"nodes/{stem}.json")
        if definition:
            files[f"nodes/{stem}.definition.json"] = definition
    files |= prompts
    if written.edges is not None:
        files["edges.json"] = encoded(_sorted_edges(written.edges), "edges.json")
    layout: dict[str, Json] = {
        "nodes": {
            stem: node.layout
            for stem, node in zip(stems, written.nodes, strict=True)
            if node.layout
        },
        **written.viewport,
    }
    files["layout.json"] = encoded(layout, "layout.json")
    hidden = (
        *(of for node in written.nodes for of in sorted(node.hidden, key=lambda of: of.input)),
        *sorted(written.hidden, key=lambda of: of.input),
    )
    named = sorted(written.named.union(*(node.named for node in written.nodes)))
    about = {
        **written.about,
        "formatVersion": FORMAT_VERSION,
        "nodes": [
            {"file": f"nodes/{stem}.json", "id": node.tree.get("id")}
            for stem, node in zip(stems, written.nodes, strict=True)
        ],
        "credentials": [{"name": name, "credentialName": kind} for name, kind in named],
        "chatModels": [model for node in written.nodes for model in node.models],
    }
    if hidden:
        about["hidden"] = msgspec.to_builtins(hidden)
    if written.extra:
        about["extra"] = written.extra
    files["flow.json"] = encoded(about, "flow.json")
    name = canvas.about.get("name")
    in_text = 0
    if hidden:
        in_text = sum(content.count(_PLACEHOLDER) for content in files.values())
        in_text -= sum(entry.label.count(PLACEHOLDER) for entry in hidden)
    return FlowFiles(
        files=dict(sorted(files.items())),
        hidden=hidden,
        name=name if isinstance(name, str) else "",
        hidden_in_text=in_text,
        warnings=tuple(_warnings(canvas.nodes)),
    )


def node_stems(nodes: list[dict[str, Json]]) -> list[str]:
    """The name of each node's files, without folder and ending; of nodes as they are written."""
    ids = [id_of(node) for node in nodes]
    return names.file_names([(names.stem(of), of) for of in ids])


def _take_texts(nodes: list[WrittenNode], stems: list[str]) -> dict[str, bytes]:
    """The texts that have files of their own; in the nodes `$text` takes their place."""
    places = []
    wanted = []
    for node, stem in zip(nodes, stems, strict=True):
        for holder, key, path in texts_with_files(node.data.get("inputs"), node.text_count):
            try:
                content = holder[key].encode()
            except UnicodeEncodeError:
                continue  # A lone surrogate: JSON can write it, a text file can't.
            places.append((holder, key, content))
            wanted.append((names.prompt_stem(stem, path), repr((stem, path))))
    files = {}
    for (holder, key, content), stem in zip(places, names.file_names(wanted), strict=True):
        file = f"prompts/{stem}.md"
        holder[key] = {TEXT: file}
        files[file] = content
    return files


def _sorted_edges(edges: list[Json]) -> list[Json]:
    """Edges by id; those of one id, or without, by their content."""
    ids = Counter(id_of(edge) for edge in edges)
    return sorted(
        edges,
        key=lambda edge: (
            of := id_of(edge),
            encoded(edge, "edges.json") if ids[of] > 1 else b"",
        ),
    )


def _hiders(canvas: Canvas, credentials: Mapping[str, Credential], rules: Rules | None) -> Hiders:
    """Those of all of a flow, but for the definitions of its nodes."""
    inputs: list[Json] = [canvas.extra]
    others = [canvas.about, canvas.content.get("edges"), canvas.content.get("viewport")]
    for node in canvas.nodes:
        data = node.get("data")
        if isinstance(data, dict):
            for name, of in data.items():
                if name in DATA_KEYS:
                    (inputs if name == "inputs" else others).append(of)
            others.append({key: value for key, value in node.items() if key != "data"})
        else:
            others.append(node)
    survey = Survey(others, kind=Kind.OTHERS)
    if not credentials.keys().isdisjoint(survey.texts):
        survey.is_plain = False
    return Hiders(TextHider(Survey(inputs, kind=Kind.INPUTS), rules), TextHider(survey, rules))


def _warnings(nodes: list[dict[str, Json]]) -> Iterator[str]:
    for of, count in Counter(map(id_of, nodes)).items():
        if not of.strip():
            yield f"{count} nodes without an id" if count > 1 else "a node without an id"
        elif count > 1:
            yield f"{count} nodes with the id {shown_name(of)}"
