"""The typed values: what a version is, what changed, and what is said about it.

All are frozen `msgspec.Struct` values that compare by content. Their JSON form is the wire format
that the Rust core writes (docs/wire-format.md): fields in the order given here, those that hold
their default left out. Names and paths come from files that anyone can write, and stand here as
they are there; `versiondiff.render` makes them safe to show.
"""

from __future__ import annotations

import enum
from typing import Final

import msgspec

__all__ = [
    "Actor",
    "Change",
    "ChangeKind",
    "ChangeRecord",
    "CommentChange",
    "CommentKind",
    "Compared",
    "CredentialChange",
    "DefinitionChange",
    "DiffOutcome",
    "DiffStatus",
    "EditKind",
    "Extent",
    "Failure",
    "FailureCode",
    "FileChange",
    "FileChangeKind",
    "FileDiff",
    "Finding",
    "FlowChange",
    "FlowChangeKind",
    "Head",
    "HeadState",
    "HistoryDiff",
    "LeftOut",
    "MatchReason",
    "Mode",
    "NodeChange",
    "NodeName",
    "ParameterChange",
    "ParameterChangeKind",
    "PinChange",
    "RecordWarning",
    "Reference",
    "RewriteSummary",
    "SettingChange",
    "Side",
    "Signature",
    "Tag",
    "TreeDelta",
    "Version",
    "VersionDelta",
    "VersionDiff",
    "VersionFindings",
    "VersionRecord",
    "WarningCode",
    "WireChange",
]


class _Value(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    omit_defaults=True,
    forbid_unknown_fields=True,
    # Frozen values of strings, numbers and each other can't form a cycle, so there is nothing for
    # the collector to find in the thousands of them that a history gives.
    gc=False,
):
    """The settings that all values share."""


# ── Versions ────────────────────────────────────────────────────────────────────────────────────


class Signature(_Value, frozen=True, kw_only=True):
    """Who made a version, and when."""

    name: str
    email: str
    time: int
    """Seconds since 1970-01-01T00:00:00Z."""
    offset: int = 0
    """Minutes that the local time was ahead of UTC."""


class Version(_Value, frozen=True, kw_only=True):
    """One version: a commit."""

    id: str
    """The commit id, 40 hexadecimal digits."""
    parents: tuple[str, ...] = ()
    author: Signature
    committer: Signature
    subject: str = ""
    """The first paragraph of the message, on one line."""
    body: str = ""
    """The rest of the message."""
    shallow: bool = False
    """The parents are not in this (shallow) repository: compared with nothing, like a root."""


class HeadState(enum.Enum):
    """What `HEAD` of a repository stands on."""

    BRANCH = "branch"
    """A branch."""
    UNBORN = "unborn"
    """A branch that has no version yet."""
    DETACHED = "detached"
    """A version, on no branch."""


class Head(_Value, frozen=True, kw_only=True):
    """What `HEAD` stands on: where the next version goes."""

    state: HeadState
    branch: str | None = None
    """The full name of the branch, such as `refs/heads/main`; bytes that are no UTF-8 read as
    U+FFFD."""
    commit: str | None = None
    """The id of the version."""
    raw_branch: bytes | None = None
    """The exact name, where it is no UTF-8."""


class Tag(_Value, frozen=True, kw_only=True):
    """What an annotated tag says."""

    tagger: Signature | None = None
    """Who made it; git of old named nobody."""
    message: str = ""
    """The message, without a signature below it and white space at the end."""


class Reference(_Value, frozen=True, kw_only=True):
    """A name in a repository: a branch, a tag, notes."""

    name: str
    """The full name, such as `refs/tags/v1`. Bytes that are no UTF-8 read as U+FFFD."""
    id: str | None = None
    """The id of the object that it holds, of a symbolic one that it leads to; None where it leads
    nowhere. Of an annotated tag it is the tag's own."""
    commit: str | None = None
    """The id of the version that it is, or that its tags lead to; None where it leads to none, or
    an object on the way is missing."""
    tag: Tag | None = None
    """Of an annotated tag."""
    target: str | None = None
    """Of a symbolic one the full name of the other, which need not exist."""
    raw_name: bytes | None = None
    """The exact name, where it is no UTF-8."""
    raw_target: bytes | None = None


class FailureCode(enum.Enum):
    """Why a version could not be compared."""

    MISSING = "missing"
    """An object is not in the repository, as in a partial clone."""
    CORRUPT = "corrupt"
    """An object is not what it should be."""
    LIMIT = "limit"
    """A stated limit was met."""
    SOURCE = "source"
    """The repository could not be read."""
    SECRET = "secret"
    """A secret was found where none may be."""


class Failure(_Value, frozen=True, kw_only=True):
    """Why a version could not be compared; the versions around it are not affected."""

    code: FailureCode
    message: str
    """What, where and which rule; never content."""


# ── Tree deltas ─────────────────────────────────────────────────────────────────────────────────


class Mode(enum.Enum):
    """What kind of thing a path is, by git's octal digits."""

    FILE = "100644"
    EXECUTABLE = "100755"
    LINK = "120000"
    SUBMODULE = "160000"


class ChangeKind(enum.Enum):
    """What happened at a path."""

    ADDITION = "addition"
    DELETION = "deletion"
    MODIFICATION = "modification"
    REWRITE = "rewrite"


class Change(_Value, frozen=True, kw_only=True):
    """One path that differs between two snapshots."""

    kind: ChangeKind
    path: str
    """The path; of a rewrite the new one. Bytes that are no UTF-8 read as U+FFFD."""
    old_mode: Mode | None = None
    new_mode: Mode | None = None
    old_id: str | None = None
    """git's object id of the old content, 40 hexadecimal digits."""
    new_id: str | None = None
    old_path: str | None = None
    """Of a rewrite, the path that is gone."""
    similarity: int | None = None
    """Of a rewrite, how much of the content stayed, in percent."""
    raw_path: bytes | None = None
    """The exact path, where it is no UTF-8."""
    raw_old_path: bytes | None = None


class RewriteSummary(_Value, frozen=True, kw_only=True):
    """What the search for rewrites did."""

    exact: int = 0
    similar: int = 0
    not_compared: int = 0
    """Comparisons that a limit kept from being made: some rewrites read as two changes."""


class TreeDelta(_Value, frozen=True, kw_only=True):
    """Everything that differs between two snapshots, sorted by the bytes of the path."""

    changes: tuple[Change, ...] = ()
    rewrites: RewriteSummary | None = None


class VersionDelta(_Value, frozen=True, kw_only=True):
    """What a version changed against its first parent."""

    version: Version
    delta: TreeDelta | None = None
    error: Failure | None = None


# ── Change records ──────────────────────────────────────────────────────────────────────────────


class EditKind(enum.Enum):
    """Whether something came, went or stayed and differs."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


class FlowChangeKind(enum.Enum):
    """What happened to a flow as a whole."""

    ADDED = "added"
    REMOVED = "removed"
    RENAMED = "renamed"


class FlowChange(_Value, frozen=True, kw_only=True):
    """A flow that came, went or got another name, where one file is one flow or holds several."""

    kind: FlowChangeKind
    flow: str
    """Where the flow is: the path of its file, with `#<JSON pointer>` if the file holds several, or
    of its folder."""
    name: str
    nodes: int = 0
    """How many nodes it has; of a removed flow, had."""
    former_flow: str | None = None
    former_name: str | None = None


class MatchReason(enum.Enum):
    """Why two nodes with different ids are the same node."""

    CONTENT = "content"
    """The content is the very same."""
    NAME = "name"
    """The name stayed, and so did some of the content."""
    NEIGHBOURS = "neighbours"
    """The name stayed, and so did all, or some, of the wiring to its neighbours."""


class DefinitionChange(_Value, frozen=True, kw_only=True):
    """A change of what a node is, as against the values it is given."""

    old_version: str = ""
    new_version: str = ""
    """The definition's version numbers, where they differ."""
    parts: tuple[str, ...] = ()
    """The files of the node, or the JSON keys, that differ; sorted."""


class FileChangeKind(enum.Enum):
    """What happened to a source file."""

    ADDED = "added"
    REMOVED = "removed"
    EDITED = "edited"
    MODE = "mode"
    RENAMED = "renamed"


class FileChange(_Value, frozen=True, kw_only=True):
    """A source file that changed."""

    kind: FileChangeKind
    path: str
    """Below the node's source folder."""
    former_path: str | None = None


class ParameterChangeKind(enum.Enum):
    """How a parameter changed."""

    ADDED = "added"
    REMOVED = "removed"
    EDITED = "edited"
    DEFAULT_ADDED = "default_added"
    """Not set before, now written with the value the definition gives anyway."""
    DEFAULT_REMOVED = "default_removed"
    """Written with its default before, now not set."""
    DEFAULT_CHANGED = "default_changed"
    """Followed a default that the definition changed."""


class ParameterChange(_Value, frozen=True, kw_only=True):
    """A parameter that changed: its name, never its value."""

    name: str
    """The key that programs know it by; in a nested set after that of the set and a dot."""
    kind: ParameterChangeKind
    label: str = ""
    """What people see as its name; empty where no definition says."""


class CredentialChange(_Value, frozen=True, kw_only=True):
    """A reference to a credential that came, went or is to another one; never its id.

    What stands at several places of a set of parameters is one reference.
    """

    kind: EditKind
    input: str = ""
    """The parameter in which it is, as `ParameterChange.name`; empty where it is the node's own."""
    label: str = ""
    """What people see as the name of that parameter; empty where no definition says."""
    old_name: str = ""
    new_name: str = ""
    """The names of the credentials before and now, where a file tells them."""


class WireChange(_Value, frozen=True, kw_only=True):
    """A connection into a node that came or went."""

    kind: EditKind
    """Added or removed."""
    node: str
    """The id of the node at the other end, the one that feeds."""
    node_name: str
    output: str = ""
    input: str = ""
    """Empty where the format connects whole nodes."""
    label: str = ""
    """What people see as the name of the input; empty where no definition says."""


class NodeChange(_Value, frozen=True, kw_only=True):
    """A node (in Tsugumi: a Card) that came, went or changed.

    Of added and removed nodes the aspects are empty: all of it came, or went.
    """

    kind: EditKind
    id: str
    name: str
    flow: str = ""
    """Where its flow is (as `FlowChange.flow`); empty where the whole tree is one workflow."""
    flow_name: str = ""
    former_id: str | None = None
    former_name: str | None = None
    matched_by: MatchReason | None = None
    """Where the id changed: why this is the same node."""
    replaces: str | None = None
    """Of an added node: the name of the removed one whose id it took over."""
    replaced_by: str | None = None
    """Of a removed node: the name of the added one that took over its id."""
    definition: DefinitionChange | None = None
    source: tuple[FileChange, ...] = ()
    parameters: tuple[ParameterChange, ...] = ()
    credentials: tuple[CredentialChange, ...] = ()
    wiring: tuple[WireChange, ...] = ()
    outputs_reordered: bool = False
    """The order of positional outputs changed, which moves what follows with no edge changed."""


class PinChange(enum.Enum):
    """What happened to a setting that pins something, such as nixpkgs."""

    PINNED = "pinned"
    UNPINNED = "unpinned"
    MOVED = "moved"


class SettingChange(_Value, frozen=True, kw_only=True):
    """A setting of a workflow that changed: its key, or the path of a file."""

    kind: EditKind
    name: str
    flow: str = ""
    flow_name: str = ""
    pin: PinChange | None = None


class CommentKind(enum.Enum):
    """What happened to a comment since the previous version."""

    ADDED = "added"
    EDITED = "edited"
    RESOLVED = "resolved"
    REOPENED = "reopened"
    DELETED = "deleted"


class Actor(enum.Enum):
    """Who did something to a comment."""

    AGENT = "agent"
    USER = "user"


class NodeName(_Value, frozen=True, kw_only=True):
    """A node, by id and by the name it has in that version."""

    id: str
    name: str


class CommentChange(_Value, frozen=True, kw_only=True):
    """A comment that changed, told apart by id across all nodes; never its text."""

    kind: CommentKind
    id: str
    node: str
    node_name: str
    by: Actor | None = None
    """Who did it; not known of a deletion."""
    changed_nodes: tuple[NodeName, ...] = ()
    """Of a resolved comment: the nodes that resolving it changed."""


class Side(enum.Enum):
    """The version a warning is about."""

    OLD = "old"
    NEW = "new"


class WarningCode(enum.Enum):
    """What a record could not say for sure."""

    UNREADABLE_FILE = "unreadable_file"
    """A file is not what the format expects; `reason`, `line` and `column` say why."""
    MISSING_MARKER = "missing_marker"
    """A folder holds files of a node, or a flow, but not the file that makes it one."""
    DUPLICATE_ID = "duplicate_id"
    """Several nodes of a flow, or comments, share an id: all are kept, told apart by order."""
    BLANK_ID = "blank_id"
    """Nodes of a flow have no id: all are kept."""
    LIMIT = "limit"
    """A limit was met, so a move may read as a removal and an addition."""


class RecordWarning(_Value, frozen=True, kw_only=True):
    """What a record could not say for sure, and why."""

    code: WarningCode
    path: str
    side: Side | None = None
    id: str = ""
    """The node or comment it is about."""
    count: int = 0
    """How many nodes, comments or comparisons it is about."""
    line: int = 0
    column: int = 0
    """Where in the file, counted from 1, columns in bytes; 0 where no place is known."""
    reason: str = ""
    """The rule that was broken; never text of the file."""


class ChangeRecord(_Value, frozen=True, kw_only=True):
    """Everything that changed between two versions of a workflow; never a value or a line of text.

    Nodes are sorted by name, then id. Only rendering shortens.
    """

    format: str
    """The name of the format that said what paths mean."""
    flows: tuple[FlowChange, ...] = ()
    nodes: tuple[NodeChange, ...] = ()
    settings: tuple[SettingChange, ...] = ()
    comments: tuple[CommentChange, ...] = ()
    warnings: tuple[RecordWarning, ...] = ()
    moved: int = 0
    """How many nodes changed nothing but their place on the canvas."""
    format_only: int = 0
    """How many files, or nodes in a file, are written differently and mean the same."""
    other_files: int = 0
    """How many changed files the format gives no meaning to."""


class VersionRecord(_Value, frozen=True, kw_only=True):
    """The change record of a version against its first parent."""

    version: Version
    record: ChangeRecord | None = None
    error: Failure | None = None


class Finding(_Value, frozen=True, kw_only=True):
    """A secret, by the rule that found it and where it stands; never its text.

    Lines and columns count from 1, columns in characters (Unicode code points), in the file as it
    is written. A secret in the path itself has no place: there they are all 0.
    """

    rule: str
    """The name of the rule."""
    path: str | None = None
    """The file; of a version's finding without one, it is in the version's message. What is a
    secret in the path is hidden; bytes that are no UTF-8 read as U+FFFD."""
    side: Side | None = None
    """In a version diff the version it stands in; a scan knows but one."""
    line: int = 0
    """The line of the first character, from 1; 0 is a secret in the path itself."""
    column: int = 0
    """The column of the first character, from 1."""
    end_line: int = 0
    """The line of the last character."""
    end_column: int = 0
    """The column after the last character."""


# ── Version diffs ───────────────────────────────────────────────────────────────────────────────


class DiffStatus(enum.Enum):
    """What happened to a file."""

    ADDED = "added"
    DELETED = "deleted"
    MODIFIED = "modified"
    """Its content, its mode or both changed."""
    RENAMED = "renamed"


class Compared(enum.Enum):
    """As what a file is compared."""

    TEXT = "text"
    """Lines of text, as they are written."""
    CANONICAL_JSON = "canonical_json"
    """Lines of the canonical form of JSON."""
    COARSELY = "coarsely"
    """Text with too many lines for that: what lies between the lines that are equal at both ends
    counts as one change."""
    BINARY = "binary"
    """A NUL is among the first 8,000 bytes, as git tells binary files; nothing of it is shown."""
    HIDDEN_LINK = "hidden_link"
    """A link to something that may not be seen; its target is not shown."""
    TOO_LARGE = "too_large"
    """Larger than 64 MiB, or than its source reads; there are no counts."""


class Extent(enum.Enum):
    """How much of a file's change the text shows."""

    EXACT = "exact"
    """All of it, every line as it is: `git apply` takes it."""
    WHOLE = "whole"
    """All of it, but for secrets, for characters that are not shown as they are, and for what is
    compared in another form than it is written in."""
    CUT = "cut"
    """A part: long lines show what changed in them, or lines are missing, with marks where."""
    HEADER = "header"
    """One line with the path and the counts."""
    NOTHING = "nothing"
    """Nothing, for want of room: it is counted in the closing line."""


class FileDiff(_Value, frozen=True, kw_only=True):
    """A changed file that may be seen."""

    status: DiffStatus
    path: str
    """Of a deleted file the old path. Secrets in it are hidden, here as in the text."""
    old_path: str | None = None
    """Of a renamed file where it was."""
    old_mode: Mode | None = None
    new_mode: Mode | None = None
    added: int = 0
    """How many lines came in all, whatever is shown."""
    removed: int = 0
    """How many lines went in all, whatever is shown."""
    extent: Extent
    bytes: int = 0
    """How many bytes of the text are about it."""
    compared: Compared = Compared.TEXT


class LeftOut(_Value, frozen=True, kw_only=True):
    """Changed files that are no part of the text, by reason: counted, never named."""

    not_allowed: int = 0
    """The format does not allow their paths to be seen."""
    submodules: int = 0
    format_only: int = 0
    """They are written differently and mean the same."""


class DiffOutcome(_Value, frozen=True, kw_only=True):
    """What was cut, left out and found."""

    left_out: LeftOut = LeftOut()
    cut: int = 0
    """Files of which a part, or one line, is shown for want of room."""
    no_room: int = 0
    """Files for which there was no room at all."""
    secrets: dict[str, int] = {}
    """How many secrets were found, by the name of the rule."""
    taken_back: int = 0
    """Files whose lines were taken back since the finished text, read as a whole, looked as if it
    held a secret there."""


class VersionDiff(_Value, frozen=True, kw_only=True):
    """The text of a change that may go to a model, and what is to be known of it."""

    format: str
    """The name of the format that said what may be seen."""
    text: str = ""
    """Within both limits, without secrets. Empty where nothing that may be seen changed."""
    files: tuple[FileDiff, ...] = ()
    """Every changed file that may be seen, sorted by path, whether there is room for it or not."""
    findings: tuple[Finding, ...] = ()
    """The secrets in those files, in the order of the files."""
    outcome: DiffOutcome = DiffOutcome()

    def __repr__(self) -> str:
        # The text is long, and meant for one reader.
        return (
            f"VersionDiff(format={self.format!r}, {len(self.text.encode())} bytes of text, "
            f"files={self.files!r}, findings={self.findings!r}, outcome={self.outcome!r})"
        )


class HistoryDiff(_Value, frozen=True, kw_only=True):
    """The version diff of a version against its first parent.

    Secrets in the message and in the names of the version are hidden as well.
    """

    version: Version
    diff: VersionDiff | None = None
    error: Failure | None = None


LANGUAGES: Final = ("en", "ja")
"""The languages that every rendering speaks."""


# ── Secrets ─────────────────────────────────────────────────────────────────────────────────────


class VersionFindings(_Value, frozen=True, kw_only=True):
    """The secrets in the message of a version and in the files that it brought or changed.

    Of the version, what is a secret in its message or in a name is hidden.
    """

    version: Version
    findings: tuple[Finding, ...] = ()
    error: Failure | None = None
    """Why not all of it could be scanned; what could be, was."""
