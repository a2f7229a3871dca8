"""The lines beside what is said: comments, warnings, failures, what a version diff leaves out."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, assert_never

from versiondiff.records import Actor, CommentKind, FailureCode, NodeName, Side, WarningCode
from versiondiff.rendering.names import LIMIT, catalogue, checked_limit, listed, name, path

if TYPE_CHECKING:
    from versiondiff import records
    from versiondiff.wording import Language, Wording

__all__ = ["render_comments", "render_failure", "render_outcome", "render_warnings"]


def render_comments(
    record: records.ChangeRecord, *, language: Language = "en", limit: int = LIMIT
) -> str:
    r"""The comments that changed, one line each, at most `limit` of them and the rest counted.

    Args:
        record: What changed.
        language: `"en"` or `"ja"`.
        limit: How many comments are shown, and how many names in the list of a line; at least 1.

    Returns:
        Lines joined by `\n`; empty where no comment changed.

    Raises:
        InvalidInput: an unknown language, or a limit below 1.
    """
    wording = catalogue(language)
    show = partial(_comment, wording, checked_limit(limit))
    shown = [show(comment) for comment in record.comments[:limit]]
    return _joined(shown, len(record.comments), wording)


def render_warnings(
    record: records.ChangeRecord, *, language: Language = "en", limit: int = LIMIT
) -> str:
    r"""What the record could not say for sure, one line each, at most `limit`, the rest counted.

    Args:
        record: What changed.
        language: `"en"` or `"ja"`. Reasons are rules that were broken, and are in English always.
        limit: How many warnings are shown; at least 1.

    Returns:
        Lines joined by `\n`; empty where there is no warning.

    Raises:
        InvalidInput: an unknown language, or a limit below 1.
    """
    wording = catalogue(language)
    shown = [_warning(wording, warning) for warning in record.warnings[: checked_limit(limit)]]
    return _joined(shown, len(record.warnings), wording)


def render_failure(failure: records.Failure, *, language: Language = "en") -> str:
    """Why a version could not be compared, on one line.

    Args:
        failure: The failure. Its message is in English always.
        language: `"en"` or `"ja"`.

    Raises:
        InvalidInput: an unknown language.
    """
    wording = catalogue(language)
    match failure.code:
        case FailureCode.MISSING:
            template = wording.failure_missing
        case FailureCode.CORRUPT:
            template = wording.failure_corrupt
        case FailureCode.LIMIT:
            template = wording.failure_limit
        case FailureCode.SOURCE:
            template = wording.failure_source
        case FailureCode.SECRET:
            template = wording.failure_secret
        case _:
            assert_never(failure.code)
    return template.format(message=path(failure.message))


def render_outcome(diff: records.VersionDiff, *, language: Language = "en") -> str:
    r"""What a version diff does not show, and why, one line for each reason.

    Args:
        diff: The version diff.
        language: `"en"` or `"ja"`.

    Returns:
        Lines joined by `\n`; empty where all of the change is shown as it is.

    Raises:
        InvalidInput: an unknown language.
    """
    wording, outcome = catalogue(language), diff.outcome
    shown = [] if diff.text else [wording.diff_nothing]
    shown += [
        template.format(count=count)
        for template, count in (
            (wording.diff_cut, outcome.cut),
            (wording.diff_no_room, outcome.no_room),
            (wording.diff_not_allowed, outcome.left_out.not_allowed),
            (wording.diff_submodules, outcome.left_out.submodules),
            (wording.diff_format_only, outcome.left_out.format_only),
            (wording.diff_taken_back, outcome.taken_back),
        )
        if count
    ]
    if outcome.secrets:
        names = [
            name(rule)
            if count == 1
            else wording.diff_secret_times.format(name=name(rule), count=count)
            for rule, count in outcome.secrets.items()
        ]
        shown.append(wording.diff_secrets.format(names=wording.separator.join(names)))
    return "\n".join(shown)


def _joined(shown: list[str], count: int, wording: Wording) -> str:
    if count > len(shown):
        shown.append(wording.rest.format(count=count - len(shown)))
    return "\n".join(shown)


def _comment(wording: Wording, limit: int, comment: records.CommentChange) -> str:
    match comment.kind:
        case CommentKind.ADDED:
            template = wording.comment_added
        case CommentKind.EDITED:
            template = wording.comment_edited
        case CommentKind.RESOLVED:
            template = wording.comment_resolved
        case CommentKind.REOPENED:
            template = wording.comment_reopened
        case CommentKind.DELETED:
            template = wording.comment_deleted
        case _:
            assert_never(comment.kind)
    by = ""
    if comment.by is Actor.AGENT:
        by = wording.by_agent
    elif comment.by is Actor.USER:
        by = wording.by_user
    text = template.format(node=name(comment.node_name), by=by)
    if not comment.changed_nodes:
        return text
    names = listed(comment.changed_nodes, _node_name, wording, limit)
    return text + wording.comment_changed_nodes.format(names=names)


def _node_name(node: NodeName) -> str:
    return name(node.name)


def _warning(wording: Wording, warning: records.RecordWarning) -> str:
    where = path(warning.path) if warning.path else wording.warning_whole
    if warning.side is Side.OLD:
        where = wording.warning_old.format(path=where)
    elif warning.side is Side.NEW:
        where = wording.warning_new.format(path=where)
    return wording.warning.format(where=where, what=_what(wording, warning))


def _what(wording: Wording, warning: records.RecordWarning) -> str:
    count = warning.count
    match warning.code:
        case WarningCode.UNREADABLE_FILE:
            return wording.unreadable.format(
                place=_place(wording, warning), reason=_reason(wording, warning)
            )
        case WarningCode.MISSING_MARKER:
            return wording.missing_marker
        case WarningCode.DUPLICATE_ID:
            shown = name(warning.id)
            if count > 1:
                return wording.duplicate_id.format(id=shown, count=count)
            return wording.duplicate_id_uncounted.format(id=shown)
        case WarningCode.BLANK_ID:
            template = wording.blank_id_many if count > 1 else wording.blank_id_one
            return template.format(count=max(count, 1))
        case WarningCode.LIMIT:
            reason = _reason(wording, warning)
            if count:
                return wording.limit_counted.format(count=count, reason=reason)
            return wording.limit.format(reason=reason)
        case _:
            assert_never(warning.code)


def _place(wording: Wording, warning: records.RecordWarning) -> str:
    if not warning.line:
        return ""
    if not warning.column:
        return wording.place_line.format(line=warning.line)
    return wording.place_column.format(line=warning.line, column=warning.column)


def _reason(wording: Wording, warning: records.RecordWarning) -> str:
    return wording.reason.format(reason=path(warning.reason)) if warning.reason else ""
