"""What changed between two versions of a workflow."""

from __future__ import annotations

from versiondiff import errors, notes, records, runs
from versiondiff._core import Snapshot, __version__
from versiondiff.attached import Attached, KeptName
from versiondiff.canonical import canonical_json, is_canonical
from versiondiff.diffs import Limits, version_diff
from versiondiff.durability import Durability
from versiondiff.errors import *  # noqa: F403
from versiondiff.formats import Format
from versiondiff.kept_records import KeptRecord, RecordOrigin, kept_record, kept_records
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
__all__ += errors.__all__
__all__ += notes.__all__
__all__ += records.__all__
__all__ += runs.__all__
