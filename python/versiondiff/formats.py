"""Formats: declarative values that say what a path, or a place in a JSON file, means.

A format is data, never code. There are two families: in one a node is a folder of files
(`FolderNodes`), in the other one JSON file is a whole flow, or several, and holds nodes and edges
(`InFileNodes`); such a flow may also be put together from the files of a folder (`Assembled`).
`builtin` gives the formats that come with the package, as values to read or to start from;
docs/formats.md shows how to write one.

Patterns of paths know `*` (within a component), `**` (across components) and `{a,b}`. Places are
JSON pointers (RFC 6901); where a rule allows it, a step `*` stands for any member.
"""

from __future__ import annotations

import enum
import functools
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from versiondiff import _core
from versiondiff.decoding import NOT_DECODED
from versiondiff.errors import InvalidInput, NotFound
from versiondiff.paths import why_unread

if TYPE_CHECKING:
    import os

__all__ = [
    "BUILTIN",
    "Around",
    "Aspect",
    "Assembled",
    "ByNode",
    "Comment",
    "CredentialMarker",
    "Credentials",
    "Declared",
    "DeclaredAs",
    "Edge",
    "Equivalence",
    "FileRule",
    "FlowPart",
    "FlowPlace",
    "FolderNodes",
    "Format",
    "Handle",
    "InFileNodes",
    "LayoutVersion",
    "Link",
    "Markers",
    "NodePart",
    "OtherFiles",
    "Outputs",
    "Pin",
    "PlaceRule",
    "Settings",
    "builtin",
    "load",
]

BUILTIN = ("tsugumi", "flow", "flowise")
"""The names of the built-in formats, in the order in which detection tries them."""

Scalar: TypeAlias = str | int | float | bool | None


class _Value(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True
):
    """The settings that all values share."""


class Aspect(enum.Enum):
    """What something of a node is."""

    DEFINITION = "definition"
    """What the node is."""
    SOURCE = "source"
    """The code it runs."""
    PARAMETERS = "parameters"
    """The values it is given."""
    WIRING = "wiring"
    """What feeds it."""
    COMMENTS = "comments"
    """What people and agents wrote about it."""
    LAYOUT = "layout"
    """Where it stands on the canvas."""
    IGNORED = "ignored"
    """Nothing that counts."""


class FileRule(_Value, frozen=True, kw_only=True):
    """What a file of a folder node, or a place in it, means."""

    file: str
    """A path pattern below the node's folder."""
    place: str | None = None
    """A place in the file, which is JSON; a step `*` is any member. Without it the whole file."""
    aspect: Aspect


class Link(_Value, frozen=True, kw_only=True):
    """Places in an entry of a node's list of what feeds it."""

    source: str
    """The id of the node that feeds."""
    output: str | None = None
    input: str | None = None


class Comment(_Value, frozen=True, kw_only=True):
    """Places in a comment."""

    id: str
    """What tells comments apart, across all nodes."""
    author: str
    """Who wrote it: `agent` or `user`."""
    state: str
    resolved: str
    """The state that means it is resolved."""
    resolved_by: str
    """Who resolved it: `agent` or `user`."""
    changed_nodes: str
    """The ids of the nodes that resolving it changed."""


class FolderNodes(_Value, frozen=True, kw_only=True, tag_field="kind", tag="folder"):
    """Nodes that are folders of files."""

    folder: str
    """The folder of a node: a path whose last component is `{id}`."""
    marker: str
    """The JSON file in it that makes it a node."""
    name: str | None = None
    """Where in the marker the node's name is."""
    rules: tuple[FileRule, ...] = ()
    """What files and places mean. Rules with the same `file` belong together, and the first
    `file` that fits a path counts; what has no rule is definition."""
    link: Link | None = None
    comment: Comment | None = None


class LayoutVersion(_Value, frozen=True, kw_only=True):
    """Which version of a layout of files is known; files of another one are not read."""

    place: str
    """The key of the flow's file that has it."""
    known: int
    """The version."""


class NodePart(_Value, frozen=True, kw_only=True):
    """A file that holds more of one node: an object whose members belong to the node."""

    ending: str
    """What its name ends in, in place of the `.json` of the node's file."""
    place: str
    """The key of the node whose members it holds; empty for the node's own."""


class ByNode(_Value, frozen=True, kw_only=True):
    """A file that holds something of each node."""

    file: str
    place: str
    """Where in the file the object is that has it: by the name of the node's file without folder
    and ending, or by the node's id."""


class FlowPart(_Value, frozen=True, kw_only=True):
    """A file that holds a value of the flow."""

    file: str
    place: str
    """The key of the flow whose value it is."""


class CredentialMarker(_Value, frozen=True, kw_only=True):
    """An object with one key that stands for a credential."""

    key: str
    name: str
    """Where in its value the name of the credential is."""


class Markers(_Value, frozen=True, kw_only=True):
    """The only key of an object that stands for something else in the files of nodes."""

    text: str | None = None
    """Of one that stands for the text of the file whose path is its value."""
    json: str | None = None
    """Of one that stands for JSON text, of which its value is the content."""
    literal: str | None = None
    """Of one that stands for its value, which only looks like one of these."""
    credential: CredentialMarker | None = None
    """Of one that stands for a credential."""


class Assembled(_Value, frozen=True, kw_only=True):
    """How the files of a folder are put together to one flow, as if it were in one file.

    The file that `InFileNodes.files` matches says which nodes there are. Paths of other files are
    those below its folder.
    """

    version: LayoutVersion | None = None
    bookkeeping: tuple[str, ...] = ()
    """Keys of the flow's file that say nothing of the flow itself."""
    spread: tuple[str, ...] = ()
    """Places in the flow's file of objects whose members are the flow's own; of the same name, the
    later one counts."""
    node_file: str
    """Where in an entry of the list of nodes the path of the node's file is."""
    node_parts: tuple[NodePart, ...] = ()
    by_node: tuple[ByNode, ...] = ()
    parts: tuple[FlowPart, ...] = ()
    markers: Markers = Markers()


class FlowPlace(_Value, frozen=True, kw_only=True):
    """Where in a file a flow may be."""

    holder: str
    """The object with the flow's id, name and settings; a step `*` is any member or element."""
    graph: str
    """Where in the holder the graph is: an object, or a string that holds one as JSON text."""


class PlaceRule(_Value, frozen=True, kw_only=True):
    """What a place of an in-file node means."""

    place: str
    aspect: Aspect


class Declared(_Value, frozen=True, kw_only=True):
    """Where a definition says which parameters there are."""

    parameters: str
    """The place of the parameters it is about."""
    list: str
    """The list with an entry for each."""
    name: str
    """Where in an entry the parameter's name is."""
    default: str
    """Where in an entry its default is."""
    label: str | None = None
    """Where in an entry what people see as its name is."""
    items: str | None = None
    """Where in an entry for a list the entries are for what an item of it holds."""
    groups: str | None = None
    """Where in an entry that groups others these are, such as those of a tab."""


class DeclaredAs(_Value, frozen=True, kw_only=True):
    """What a definition says of a parameter."""

    place: str
    """The place in the entry for the parameter."""
    value: str
    """The text that stands there."""


class Credentials(_Value, frozen=True, kw_only=True):
    """How parameters refer to credentials."""

    parameter: str
    """The name of the parameter that does; what goes by other names for it is the same one."""
    declared: DeclaredAs | None = None
    """What says in the definition of another parameter that it does."""


class Outputs(_Value, frozen=True, kw_only=True):
    """Where a definition says which outputs there are."""

    list: str
    """The list with an entry for each."""
    name: str
    """Where in an entry the output's name is."""
    options: str | None = None
    """Where in an entry a list of alternatives is, each with a name of its own."""


class Equivalence(enum.Enum):
    """A way to write a value differently that means the same."""

    JSON_TEXT = "json_text"
    """A number, boolean, list or object, and a string that holds it as JSON text."""
    PARAGRAPH_MARKUP = "paragraph_markup"
    """Text, and the same text in a rich-text editor's paragraphs: `<p>x</p>` and `x`."""


class Around(_Value, frozen=True, kw_only=True):
    """What stands before and after a node's id."""

    before: str
    after: str


class Handle(_Value, frozen=True, kw_only=True):
    """A name inside a text that holds more: what stands between two marks."""

    place: str
    """Where the text is."""
    after: str = ""
    """The name starts after the first of these; a text without one names nothing."""
    until: str = ""
    """The name ends before the next of these."""


class Edge(_Value, frozen=True, kw_only=True):
    """Places in an edge. Edges with the same ends are the same edge."""

    source: str
    """The id of the node that feeds."""
    target: str
    """The id of the node that is fed."""
    output: Handle | None = None
    input: Handle | None = None


class InFileNodes(_Value, frozen=True, kw_only=True, tag_field="kind", tag="in_file"):
    """Nodes, and the edges between them, in JSON files."""

    files: tuple[str, ...]
    """Path patterns of the files that may hold flows; those that hold none are other files."""
    assembled: Assembled | None = None
    """What else of a flow is in files beside that one: the folder it is in is the flow."""
    flows: tuple[FlowPlace, ...]
    """Where in a file a flow may be; the first entry that finds one counts."""
    flow_id: str | None = None
    """Where in the holder a flow's id is, which tells the flows of one file apart."""
    flow_name: str | None = None
    """Where in the holder a flow's name is; without it the file's name is the flow's."""
    ignored_settings: tuple[str, ...] = ()
    """Places of the holder, or the graph, that are no settings."""
    nodes: str
    """Where in the graph the list of nodes is."""
    edges: str
    id: str
    """Where in a node its id is."""
    name: str
    component: str | None = None
    """Where in a node the name of its component, or type, is."""
    version: str | None = None
    """Where in a node the version of its definition is."""
    rules: tuple[PlaceRule, ...] = ()
    """What places of a node mean; what has no rule is definition."""
    declared: tuple[Declared, ...] = ()
    outputs: Outputs | None = None
    """Where the definition says which outputs there are: an output that it renamed leaves its
    edges the same."""
    aliases: dict[str, str] = {}
    """Parameters that go by another name in places."""
    nested_parameters: tuple[str, ...] = ()
    """Patterns of the names of parameters that hold a set of parameters of their own. One of the
    form `*Config` goes by the label of the parameter whose name the `*` stands for."""
    credentials: Credentials | None = None
    """How parameters refer to credentials: what changes there is said as such."""
    unset: tuple[Scalar, ...] = ()
    """Values that mean that a parameter is not set."""
    equivalences: tuple[Equivalence, ...] = ()
    reference: Around | None = None
    """How a parameter that only repeats an edge names the node at its other end."""
    mention: Around | None = None
    """How text names a node: a node's new id there is no edit."""
    positional_outputs: tuple[str, ...] = ()
    """Parameters whose list has an output for each item, named by its position."""
    edge: Edge


class Pin(_Value, frozen=True, kw_only=True):
    """A setting that pins something, such as the packages a workflow is built from."""

    place: str
    """Where in the settings file it is: one key."""
    name: str
    """What it pins."""
    free: str
    """The value that means it is not pinned; so does its absence."""


class OtherFiles(enum.Enum):
    """What files are that nothing else gives a meaning to."""

    SETTINGS = "settings"
    """Settings, named by their path."""
    IGNORED = "ignored"
    """Only counted."""


class Settings(_Value, frozen=True, kw_only=True):
    """A workflow's own settings."""

    file: str | None = None
    """The JSON file whose keys are settings."""
    pins: tuple[Pin, ...] = ()
    other_files: OtherFiles = OtherFiles.SETTINGS


class Format(_Value, frozen=True, kw_only=True):
    """A format: where the nodes are, and what their files, or places, mean.

    Whether it holds together is checked where it is used first, or by `check`.
    """

    name: str
    """The name that records carry."""
    nodes: FolderNodes | InFileNodes
    settings: Settings = Settings()
    ignored: tuple[str, ...] = ()
    """Path patterns of files that never make a change."""
    visible: tuple[str, ...] = ()
    """Path patterns of the files that a model may see."""
    withheld: tuple[str, ...] = ()
    """Path patterns of files that a model may not see, whatever `visible` says."""

    def check(self) -> None:
        """Check that the format holds together.

        Raises:
            InvalidInput: Names the field and the rule it breaks.
        """
        handle(self)


def builtin(name: str) -> Format:
    """The built-in format of this name, as a value.

    Raises:
        NotFound: There is none of this name.
    """
    return msgspec.json.decode(handle(name).to_json(), type=Format)


def load(path: str | os.PathLike[str]) -> Format:
    """Read a format from a JSON file and check it.

    Raises:
        NotFound: The file can't be read.
        InvalidInput: It is no valid format; the message names the place and the rule.
    """
    try:
        text = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        message = f"format file {str(path)!r}: {why_unread(error)}"
        raise NotFound(message) from error
    try:
        value = msgspec.json.decode(text, type=Format)
    except NOT_DECODED as error:
        message = f"format file {str(path)!r}: {error}"
        raise InvalidInput(message) from error
    value.check()
    return value


AnyFormat: TypeAlias = str | Format | _core.Format
"""How a format is given: the name of a built-in one, a value, or the core's handle of one."""


def handle(format: AnyFormat) -> _core.Format:
    """The core's handle of a format, made once for each value."""
    if isinstance(format, str):
        return _handle_of_name(format)
    if isinstance(format, Format):
        return _handle_of_json(msgspec.json.encode(format))
    return format


@functools.lru_cache(maxsize=8)
def _handle_of_name(name: str) -> _core.Format:
    if name not in BUILTIN:
        message = f"format {name!r} is not built in; there are {', '.join(BUILTIN)}"
        raise NotFound(message)
    return _core.Format.builtin(name)


@functools.lru_cache(maxsize=32)
def _handle_of_json(json: bytes) -> _core.Format:
    return _core.Format.from_json(json)
