"""One node of a flow: what of it goes into which file."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from versiondiff.errors import InvalidInput, SecretFound
from versiondiff.flows import markers
from versiondiff.flows.definitions import Definitions
from versiondiff.flows.encoding import Encoder
from versiondiff.flows.json_text import encoded
from versiondiff.flows.markers import FileText
from versiondiff.flows.values import Hidden

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from versiondiff.flows.hiding import Hiders
    from versiondiff.flows.json_text import Json
    from versiondiff.flows.names import Step
    from versiondiff.flows.values import Credential

__all__ = ["DATA_KEYS", "LAYOUT_KEYS", "ChatModel", "WrittenNode", "texts_with_files", "write_node"]

LAYOUT_KEYS = ("position", "positionAbsolute", "width", "height")
_TEXT_KEYS = frozenset({"id", "type", "extent", "parentNode", "parentId", *LAYOUT_KEYS})
STATE_KEYS = frozenset({"selected", "dragging"})
DATA_KEYS = frozenset(
    {"id", "name", "label", "version", "type", "category", "inputs", "outputs", "credential"}
)
"""What the node's file keeps of its data; all else is its definition."""

_CHAT_CATEGORY = "Chat Models"
_CHAT_CLASS = "BaseChatModel"
_MODEL_KEYS = ("modelName", "customModel", "model", "modelId", "deploymentName")
_MODEL_CONFIG = "ModelConfig"

ChatModel: TypeAlias = "dict[str, Json]"
"""A chat model that a flow uses: `node` (an id), `component`, `model` (null where none is set)."""


class WrittenNode:
    """A node as it is written; texts stand where in the files `$text` names theirs."""

    __slots__ = (
        "definition",
        "hidden",
        "layout",
        "models",
        "named",
        "raw",
        "raw_definition",
        "text_count",
        "tree",
    )

    def __init__(self, raw: dict[str, Json]) -> None:
        self.raw = raw
        self.tree: dict[str, Json] = {}
        """The node's file."""
        self.raw_definition: dict[str, Json] = {}
        """The rest of its data, as it is."""
        self.definition: Json = self.raw_definition
        """The same as it is written."""
        self.layout: dict[str, Json] = {}
        """Where it stands, and how large it is."""
        self.hidden: list[Hidden] = []
        self.models: list[ChatModel] = []
        self.named: set[tuple[str, str]] = set()
        self.text_count = 0
        """How many of its texts get a file of their own."""

    @property
    def id(self) -> str:
        """The node's id as it is written; empty where it has none."""
        return id_of(self.tree)

    @property
    def raw_data(self) -> dict[str, Json]:
        """Its data as it is; empty where that is no object."""
        data = self.raw.get("data")
        return data if isinstance(data, dict) else {}

    @property
    def data(self) -> dict[str, Json]:
        """Its data as the node's file has it."""
        data = self.tree.get("data")
        return data if isinstance(data, dict) else {}

    def note(self, count: int, name: str, label: str) -> None:
        """Note that something was hidden in an input, or in a field that is none."""
        if count:
            shown = self.data.get("label")
            self.hidden.append(
                Hidden(
                    count=count,
                    input=name,
                    input_label=label,
                    label=shown if isinstance(shown, str) else self.id,
                    node=self.id,
                )
            )


def id_of(node: Mapping[str, Json]) -> str:
    """A node's id as text, whatever it is."""
    of = node.get("id")
    if isinstance(of, str):
        return of
    # As a file has it: 1e5 is 100000 when it is read again.
    return "" if of is None else encoded(of, "id").decode().rstrip()


def component_of(data: Mapping[str, Json]) -> str:
    """The kind of a node, such as `chatOpenAI`."""
    name = data.get("name")
    return name if isinstance(name, str) else ""


def write_node(
    raw: dict[str, Json], hiders: Hiders, credentials: Mapping[str, Credential]
) -> WrittenNode:
    """Encode a node.

    Raises:
        LimitExceeded: It is nested too deeply.
        SecretFound: A key of the node itself holds a secret.
    """
    refuse_secret_keys(raw, hiders, "a node")
    written = WrittenNode(raw)
    data = raw.get("data")
    definitions = Definitions.of_node(data) if isinstance(data, dict) else Definitions([])
    encoder = Encoder(
        hiders,
        credentials,
        component=component_of(data) if isinstance(data, dict) else "",
        credential_types=definitions.credential_types(),
    )
    written.named = encoder.named
    counts: list[tuple[int, str, str]] = []

    def counted(name: str, label: str, before: int) -> None:
        counts.append((encoder.count - before, name, label))

    for key, value in raw.items():
        if key in STATE_KEYS or (key == "data" and isinstance(value, dict)):
            continue
        if not isinstance(key, str):
            raise InvalidInput("flow: a key of a node is no string")
        tree = written.layout if key in LAYOUT_KEYS else written.tree
        if hiders.others.is_plain:
            tree[key] = value
            continue
        before = encoder.count
        if key == "data":
            # A marker in its place would be taken for data.
            tree[key] = (
                [encoder.other(item, "") for item in value]
                if isinstance(value, list | tuple)
                else encoder.plain(value)
            )
        else:
            tree[key] = encoder.plain(value) if key in _TEXT_KEYS else encoder.other(value, key)
        counted(key, key, before)
    if isinstance(data, dict):
        own: dict[str, Json] = {}
        written.tree["data"] = own
        for key, value in data.items():
            before = encoder.count
            if key == "inputs" and isinstance(value, dict):
                own[key] = _inputs(value, definitions, encoder, counts)
            elif key == "credential":
                own[key] = encoder.credential(value)
                counted(key, key, before)
            elif key not in DATA_KEYS:
                if key not in STATE_KEYS:
                    written.raw_definition[key] = value
            elif key == "inputs":
                own[key] = encoder.input(value, key, None, named=False, around={}, json_depth=1)
                counted(key, key, before)
            elif hiders.others.is_plain:
                own[key] = value
            else:
                is_text = key != "outputs"
                own[key] = encoder.plain(value) if is_text else encoder.other(value, key)
                counted(key, key, before)
        written.text_count = encoder.text_count
        written.models = list(_models(written.id, {**data, **own}))
    for count, name, label in counts:
        if count:
            # A label from the definition is none of the texts that were looked through.
            written.note(
                count, name, label if label == name else hiders.others.hide_other(label)[0]
            )
    return written


def refuse_secret_keys(of: Mapping[str, Json], hiders: Hiders, what: str) -> None:
    """Refuse a node or an edge of which a key holds a secret: there is nothing to put in its place.

    Raises:
        SecretFound: One does.
    """
    if not hiders.others.written.keys().isdisjoint(of):
        raise SecretFound(f"flow: a key of {what} holds what looks secret, and can't be hidden")


def _inputs(
    inputs: dict[str, Json],
    definitions: Definitions,
    encoder: Encoder,
    counts: list[tuple[int, str, str]],
) -> Json:
    """The inputs of a node, each counted for itself."""
    start = encoder.count
    by_name: dict[str, int] = {}
    of = encoder.object(inputs, definitions, counts=by_name)
    for name, count in by_name.items():
        if not count:
            continue
        parameter = definitions.get(name)
        label = parameter.label if parameter is not None else None
        counts.append((count, name, label or name))
    left = encoder.count - start - sum(by_name.values())
    if marked_whole(of):
        counts.append((left, "inputs", "inputs"))
    return of


def marked_whole(value: Json) -> bool:
    """Whether a value is left out as a whole."""
    return isinstance(value, dict) and markers.marker_of(value) == markers.SECRET


def _models(node: str, data: dict[str, Json]) -> Iterator[ChatModel]:
    """The chat models that a node is or has."""
    inputs = data.get("inputs")
    inputs = inputs if isinstance(inputs, dict) else {}
    classes = data.get("baseClasses")
    is_chat = data.get("category") == _CHAT_CATEGORY or (
        isinstance(classes, list) and _CHAT_CLASS in classes
    )
    if is_chat and (component := component_of(data)):
        yield {"node": node, "component": component, "model": _model(inputs)}
    for key in sorted(inputs):
        config = inputs[key]
        if key.endswith(_MODEL_CONFIG) and isinstance(config, dict):
            chosen = key.removesuffix("Config")
            kind = inputs.get(chosen) or config.get(chosen)
            if isinstance(kind, str) and kind:
                yield {"node": node, "component": kind, "model": _model(config)}


def _model(inputs: dict[str, Json]) -> str | None:
    for key in _MODEL_KEYS:
        value = inputs.get(key)
        if isinstance(value, str) and value:
            return str(value)
    return None


def texts_with_files(tree: Json, count: int) -> Iterator[tuple[Json, Json, tuple[Step, ...]]]:
    """Each text with a file of its own: what holds it, its key there, and its path.

    The paths are those of the values in the flow: markers are no steps.

    Args:
        tree: Inputs as they are written.
        count: How many there are: most are not deep, and the rest needs no look.
    """
    level: list[tuple[Json, tuple[Step, ...]]] = [(tree, ())]
    while level and count:
        below: list[tuple[Json, tuple[Step, ...]]] = []
        for of, path in level:
            if isinstance(of, dict) and markers.marker_of(of) == markers.LITERAL:
                of = of[markers.LITERAL]
            for step, value in of.items() if isinstance(of, dict) else enumerate(of):
                if isinstance(value, FileText):
                    count -= 1
                    yield of, step, (*path, step)
                elif isinstance(value, dict | list):
                    below.append((value, (*path, step)))
        level = below
