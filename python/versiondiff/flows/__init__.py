"""Flows as folders of small text files, and back.

A flow is a workflow of the Flowise family: one JSON document. `write_flow` makes a folder's files
of it in which a prompt edit is a one-line change, and which hold no credential, secret or path of
a server; `read_flow` makes the flow of them again, and takes what was not written from the flow
as it is now. Both are pure. docs/flow-files.md shows the files.
"""

from __future__ import annotations

from versiondiff.flows.names import folder_name, slug
from versiondiff.flows.reading import read_flow
from versiondiff.flows.scanning import scan_files
from versiondiff.flows.shapes import Shape, split_bulk
from versiondiff.flows.values import (
    Credential,
    FlowFiles,
    Hidden,
    ReadFlow,
    Reason,
    Unresolved,
)
from versiondiff.flows.writing import FORMAT_VERSION, write_flow, write_flow_files

__all__ = [
    "FORMAT_VERSION",
    "Credential",
    "FlowFiles",
    "Hidden",
    "ReadFlow",
    "Reason",
    "Shape",
    "Unresolved",
    "folder_name",
    "read_flow",
    "scan_files",
    "slug",
    "split_bulk",
    "write_flow",
    "write_flow_files",
]
