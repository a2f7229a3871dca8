"""The last look at files before they are committed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from versiondiff import secrets
from versiondiff.flows.values import FlowFiles
from versiondiff.rendering.names import path as shown_path

if TYPE_CHECKING:
    from collections.abc import Mapping

    from versiondiff.secrets import Finding, Rules

__all__ = ["refusal", "scan_files"]


def scan_files(
    files: FlowFiles | Mapping[str, bytes], *, rules: Rules | None = None
) -> tuple[Finding, ...]:
    """The secrets that are left in files: what must not be committed.

    Values are hidden when a flow is written. This finds what is no value and can't be hidden
    without harm: the flow's name and id, of which folders and commits are named, and ids of
    nodes, of which files are.

    Args:
        files: Contents by path. With `FlowFiles` the flow's own name, which commits hold, is
            looked at too, as a part of flow.json.
        rules: By default the built-in ones.

    Returns:
        Findings by path, then by place: each names the file and the rule, never the text.
    """
    found: list[Finding] = []
    contents = files.files if isinstance(files, FlowFiles) else files
    joined = b"\n".join([*contents.values(), *(path.encode() for path in contents)])
    if secrets.holds_secret(joined, rules=rules) or b"\0" in joined:
        for path in sorted(contents):
            found.extend(secrets.scan(contents[path], rules=rules, path=path))
    if isinstance(files, FlowFiles) and files.name:
        found.extend(
            msgspec.structs.replace(finding, path="flow.json")
            for finding in secrets.scan(files.name, rules=rules)
        )
    return tuple(found)


def refusal(finding: Finding) -> str:
    """Why files are not committed: the file and the pattern, never the text."""
    return f"{shown_path(finding.path or '')}: holds what looks secret: {finding.rule}"
