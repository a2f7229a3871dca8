"""The shapes that flows come in: an export, a stored flow, a bulk export of stored flows.

- An export is the canvas itself: `{nodes, edges, …}`.
- A stored flow is `{id, name, type, category, flowData}`, with the canvas as a JSON string.
- A bulk export has lists of stored flows, by kind, beside lists of other things; or is one list.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import TYPE_CHECKING

from versiondiff.errors import InvalidInput
from versiondiff.flows.json_text import decoded

if TYPE_CHECKING:
    from versiondiff.flows.json_text import Json

__all__ = ["Canvas", "Shape", "opened", "split_bulk"]

FLOW_KEYS = ("id", "name", "type", "category")
CANVAS_KEYS = ("nodes", "edges", "viewport")
FLOW_DATA = "flowData"


class Shape(enum.Enum):
    """How a flow came."""

    EXPORT = "export"
    STORED = "stored"
    BULK = "bulk"


class Canvas:
    """A flow, opened: what is said of the flow, and what is on its canvas."""

    __slots__ = ("about", "content", "extra", "shape", "source")

    def __init__(self, shape: Shape, source: dict[str, Json], content: dict[str, Json]) -> None:
        self.shape = shape
        self.source = source
        """The flow as it came, decoded."""
        self.content = content
        """`nodes`, `edges`, `viewport` and more."""
        self.about = {key: source[key] for key in FLOW_KEYS if key in source}
        """Its id, name, type and category, as far as they are there."""
        self.extra = {
            key: value
            for key, value in source.items()
            if key not in FLOW_KEYS and key not in CANVAS_KEYS
        }
        """All other keys; those of a stored flow's canvas under `flowData`.

        Of a flow whose shape does not follow from what is said of it, `flowData` tells it: null
        is an export, an object a stored flow.
        """
        seems_stored = looks_stored(self.about)
        if shape is Shape.STORED:
            del self.extra[FLOW_DATA]
            self.extra |= {key: source[key] for key in CANVAS_KEYS if key in source}
            inner = {key: value for key, value in content.items() if key not in CANVAS_KEYS}
            if inner or not seems_stored:
                self.extra[FLOW_DATA] = inner
        elif seems_stored:
            self.extra[FLOW_DATA] = None

    @property
    def nodes(self) -> list[dict[str, Json]]:
        """The nodes, in canvas order."""
        nodes: list[dict[str, Json]] = self.content["nodes"]
        return nodes


def opened(flow: bytes | str | Mapping[str, Json], place: str = "flow") -> Canvas:
    """A flow of either shape.

    Raises:
        InvalidInput: It is no flow, or a bulk export, which holds several.
        LimitExceeded: It is nested too deeply.
    """
    value = decoded(flow, place) if isinstance(flow, bytes | str) else flow
    shape = shape_of(value)
    if shape is Shape.BULK:
        raise InvalidInput(f"{place}: a bulk export holds several flows; split it first")
    if shape is None:
        raise InvalidInput(f"{place}: no flow: neither nodes nor flowData")
    if shape is Shape.EXPORT and FLOW_DATA in value:
        raise InvalidInput(f"{place}: flowData is no text")
    source = dict(value)
    content: Json = source
    if shape is Shape.STORED:
        content = decoded(source[FLOW_DATA], f"{place}: flowData")
        if not isinstance(content, dict) or not isinstance(content.get("nodes"), list):
            raise InvalidInput(f"{place}: flowData holds no list of nodes")
    for at, node in enumerate(content["nodes"]):
        if not isinstance(node, dict):
            raise InvalidInput(f"{place}: nodes[{at}] is no object")
    edges = content.get("edges", [])
    if not isinstance(edges, list) or not all(isinstance(edge, dict) for edge in edges):
        raise InvalidInput(f"{place}: edges is no list of objects")
    if not all(isinstance(key, str) for edge in edges for key in edge):
        raise InvalidInput(f"{place}: a key of an edge is no string")
    return Canvas(shape, source, content)


def looks_stored(about: dict[str, Json]) -> bool:
    """Whether a flow is taken for a stored one by what is said of it."""
    return "id" in about and "type" in about


def shape_of(value: Json) -> Shape | None:
    """Which shape a decoded value has; None where it is no flow."""
    if isinstance(value, Mapping):
        if isinstance(value.get(FLOW_DATA), str):
            return Shape.STORED
        if isinstance(value.get("nodes"), list):
            return Shape.EXPORT
        return Shape.BULK if any(map(_stored_flows, value.values())) else None
    return Shape.BULK if _stored_flows(value) else None


def split_bulk(bulk: bytes | str | Mapping[str, Json] | list[Json]) -> tuple[dict[str, Json], ...]:
    """The stored flows of a bulk export, in its order; of a single flow, that flow.

    What else it holds, such as tools and variables, is left out.

    Raises:
        InvalidInput: It holds no flow.
        LimitExceeded: It is nested too deeply.
    """
    value = decoded(bulk, "bulk export") if isinstance(bulk, bytes | str) else bulk
    shape = shape_of(value)
    if shape is None:
        raise InvalidInput("bulk export: no flow in it")
    if shape is not Shape.BULK:
        return (dict(value),)
    groups = value.values() if isinstance(value, Mapping) else [value]
    return tuple(dict(flow) for group in groups for flow in _stored_flows(group))


def _stored_flows(group: Json) -> list[Mapping[str, Json]]:
    if not isinstance(group, list):
        return []
    return [of for of in group if isinstance(of, Mapping) and shape_of_one(of)]


def shape_of_one(value: Mapping[str, Json]) -> bool:
    """Whether an item of a bulk export is a flow."""
    return isinstance(value.get(FLOW_DATA), str)
