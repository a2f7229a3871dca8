"""What changed between two versions of a workflow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from versiondiff.on_demand import names_on_demand

if TYPE_CHECKING:
    from versiondiff import errors, notes, records, runs
    from versiondiff._core import Snapshot, __version__
    from versiondiff.attached import Attached, KeptName
    from versiondiff.canonical import canonical_json, is_canonical
    from versiondiff.diffs import Limits, version_diff
    from versiondiff.durability import Durability
    from versiondiff.errors import *  # noqa: F403
    from versiondiff.formats import Format
    from versiondiff.kept import KeptRecord, RecordOrigin, kept_record, kept_records
    from versiondiff.notes import *  # noqa: F403
    from versiondiff.records import *  # noqa: F403
    from versiondiff.rendering import (
        FlowNames,
        render,
        render_comments,
        render_failure,
        render_outcome,
        render_warnings,
    )
    from versiondiff.repository import Order, Ownership, Parents, Repository
    from versiondiff.run_notes import append_run
    from versiondiff.runs import *  # noqa: F403
    from versiondiff.secrets import Rules, redact, scan
    from versiondiff.snapshots import File, Rewrites, change_record, tree_delta

__all__ = [
    "Attached",
    "Durability",
    "File",
    "FlowNames",
    "Format",
    "KeptName",
    "KeptRecord",
    "Limits",
    "Order",
    "Ownership",
    "Parents",
    "RecordOrigin",
    "Repository",
    "Rewrites",
    "Rules",
    "Snapshot",
    "__version__",
    "append_run",
    "canonical_json",
    "change_record",
    "is_canonical",
    "kept_record",
    "kept_records",
    "redact",
    "render",
    "render_comments",
    "render_failure",
    "render_outcome",
    "render_warnings",
    "scan",
    "tree_delta",
    "version_diff",
]

_NAMES: Final = {
    "_core": ("Snapshot", "__version__"),
    "attached": ("Attached", "KeptName"),
    "canonical": ("canonical_json", "is_canonical"),
    "diffs": ("Limits", "version_diff"),
    "durability": ("Durability",),
    "errors": (
        "Conflict",
        "InternalError",
        "InvalidInput",
        "InvalidJson",
        "LimitExceeded",
        "NotFound",
        "SecretFound",
        "UnsupportedFormat",
        "VersionDiffError",
    ),
    "formats": ("Format",),
    "kept": ("KeptRecord", "RecordOrigin", "kept_record", "kept_records"),
    "notes": ("AppendLine", "AppendNote", "Note", "NoteEdit", "Notes", "RemoveNote", "SetNote"),
    "records": (
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
    ),
    "rendering": (
        "FlowNames",
        "render",
        "render_comments",
        "render_failure",
        "render_outcome",
        "render_warnings",
    ),
    "repository": ("Order", "Ownership", "Parents", "Repository"),
    "run_notes": ("append_run",),
    "runs": (
        "CardOutcome",
        "CardResult",
        "FailedCard",
        "FromCard",
        "NotRunReason",
        "OnlyCard",
        "RanCard",
        "RunLine",
        "RunResult",
        "RunStart",
        "RunStatus",
        "RunSummary",
        "UnreadLine",
        "WholeRun",
        "parse_run_line",
        "parse_run_note",
        "run_line",
        "run_summary",
    ),
    "secrets": ("Rules", "redact", "scan"),
    "snapshots": ("File", "Rewrites", "change_record", "tree_delta"),
}
"""What each module gives, imported when it is asked for."""

if TYPE_CHECKING:
    __all__ += errors.__all__
    __all__ += notes.__all__
    __all__ += records.__all__
    __all__ += runs.__all__
else:
    for _module in ("errors", "notes", "records", "runs"):
        __all__ += _NAMES[_module]
    __getattr__, __dir__ = names_on_demand(__name__, _NAMES)
