"""The values that flows are written with and read into."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, NamedTuple

import msgspec

if TYPE_CHECKING:
    from versiondiff.flows.json_text import Json

__all__ = ["Credential", "FlowFiles", "Hidden", "ReadFlow", "Reason", "Unresolved"]


class Credential(msgspec.Struct, frozen=True, kw_only=True):
    """What a credential is called; what it holds is never known here."""

    name: str
    """The name that its owner gave it."""
    credential_name: str = ""
    """Its type, such as `openAIApi`; empty takes it from the definition of the node."""


class Hidden(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """An input in which something secret-looking was hidden; an entry of `hidden` in flow.json."""

    count: int
    """How many values were hidden in it, at any depth."""
    input: str
    """The input's name. Of what is no input, the field: `label`, or `name` of the flow."""
    input_label: str
    """What people see as its name."""
    label: str
    """The node's label; the flow's name where the flow itself held it."""
    node: str
    """The node's id; empty for the flow itself."""


class FlowFiles(msgspec.Struct, frozen=True, kw_only=True):
    """A flow as files."""

    files: dict[str, bytes]
    """Contents by path below the flow's own folder, sorted by path."""
    hidden: tuple[Hidden, ...] = ()
    """What was hidden, in canvas order, then by input."""
    name: str = ""
    """The flow's name as it is. In the files a secret in it is hidden."""
    hidden_in_text: int = 0
    """How often `[secret hidden]` stands in the files in the place of a secret; the values that
    are left out as a whole, with the marker `$secret`, are counted by `hidden` alone."""
    warnings: tuple[str, ...] = ()
    """What was odd and kept all the same, such as two nodes with one id. For people who keep the
    service: in English, names escaped."""


class Reason(enum.Enum):
    """Why a value is not as the version had it."""

    SECRET = "secret"
    """It looked secret, or was a file, and was never written."""
    NEVER_WRITTEN = "never_written"
    """A password, a file, a folder or a path on the server: never written."""
    CREDENTIAL = "credential"
    """No credential of this name and type is known, or more than one."""
    PLACEHOLDER = "placeholder"
    """The text holds `[secret hidden]`, and is not otherwise what stands there now."""


class Unresolved(msgspec.Struct, frozen=True, kw_only=True):
    """A value that reading could not bring back."""

    node: str
    """The node's id; empty for the flow itself."""
    input: str
    """The place in its inputs, such as `agentTools[0].agentSelectedToolConfig.apiKey`."""
    reason: Reason


class ReadFlow(NamedTuple):
    """A flow read from files: the flow, and what could not be brought back."""

    flow: dict[str, Json]
    unresolved: tuple[Unresolved, ...]
