"""The Rust core: results are JSON documents as bytes, in the form of `versiondiff.records`."""

import os
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Literal, Protocol, TypeAlias, final

__all__ = [
    "DiffOptions",
    "Format",
    "HistoryStream",
    "NoteStream",
    "Notes",
    "PackageFiles",
    "Repository",
    "Rules",
    "Snapshot",
    "WriteLock",
    "__version__",
    "adopt_history",
    "canonical_text",
    "canonical_value",
    "change_record",
    "commit_files",
    "contents",
    "create_repository",
    "defect",
    "display_name",
    "find_repository",
    "holds_secret",
    "in_scope",
    "is_canonical",
    "list_folder",
    "numbered_lines",
    "package_diff",
    "read_each",
    "read_files",
    "read_package",
    "redact",
    "redact_each",
    "scan",
    "toml_as_json",
    "tree_delta",
    "unseen_parts",
    "version_diff",
    "visible_lines",
    "write_commit",
    "write_package",
    "yaml_as_json",
]
__version__: str

class _HasValue(Protocol):
    @property
    def value(self) -> str: ...

class _File(Protocol):
    @property
    def content(self) -> bytes: ...
    @property
    def mode(self) -> _HasValue: ...

_Source: TypeAlias = (
    dict[str, bytes | _File]
    | dict[str, bytes]
    | dict[bytes, bytes]
    | dict[str | bytes, bytes | _File]
    | str
    | os.PathLike[str]
    | Snapshot
    | PackageFiles
    | None
)
_Job: TypeAlias = Literal["versions", "deltas", "records", "diffs", "scan"]
_Rewrites: TypeAlias = Literal["none", "exact", "similar"]

@final
class Format:
    @staticmethod
    def builtin(name: str) -> Format: ...
    @staticmethod
    def from_json(json: bytes) -> Format: ...
    def to_json(self) -> bytes: ...
    @property
    def name(self) -> str: ...

@final
class Rules:
    @staticmethod
    def builtin() -> Rules: ...
    @staticmethod
    def parse(text: bytes, *, with_builtin: bool = False) -> Rules: ...
    def without(self, names: Sequence[str]) -> Rules: ...
    def joined(self, other: Rules) -> Rules: ...
    @property
    def names(self) -> list[str]: ...
    @property
    def warnings(self) -> list[str]: ...

@final
class DiffOptions:
    def __new__(
        cls,
        *,
        rules: Rules,
        file_limit: int,
        total_limit: int,
        on_secret: Literal["redact", "fail"],
        json: Literal["canonical", "as_written"],
        language: Literal["en", "ja"],
        paths: Sequence[str],
        rewrites: _Rewrites,
    ) -> DiffOptions: ...

@final
class Snapshot:
    @property
    def id(self) -> str: ...

@final
class PackageFiles:
    def content(self, entry: int) -> bytes | None: ...

@final
class HistoryStream:
    def next_chunk(self) -> bytes | None: ...
    def progress(self) -> tuple[int, int | None]: ...
    def close(self) -> None: ...

@final
class Repository:
    def __new__(
        cls,
        path: str | os.PathLike[str],
        *,
        any_owner: bool = True,
        object_memory: int | None = None,
        durable: bool = False,
    ) -> Repository: ...
    @staticmethod
    def over(
        git_dir: str | os.PathLike[str],
        make: Callable[[Path, list[Path]], object],
        *,
        object_memory: int | None = None,
        durable: bool = False,
    ) -> Repository: ...
    @property
    def git_dir(self) -> Path: ...
    @property
    def common_dir(self) -> Path: ...
    def references(self, prefix: bytes) -> bytes: ...
    def head(self) -> bytes: ...
    def resolve(self, revision: str) -> str: ...
    def snapshot(self, revision: str) -> Snapshot: ...
    def walk(
        self,
        job: _Job,
        *,
        range: str | None = None,
        order: Literal["oldest", "newest"] = "newest",
        parents: Literal["first", "all"] = "first",
        paths: Sequence[str] = ...,
        rewrites: _Rewrites = "none",
        format: Format | None = None,
        rules: Rules | None = None,
        diff_options: DiffOptions | None = None,
        threads: int | None = None,
    ) -> HistoryStream: ...
    def detect_format(self, revision: str) -> Format | None: ...
    def single(
        self,
        job: _Job,
        revision: str,
        *,
        paths: Sequence[str] = ...,
        rewrites: _Rewrites = "none",
        format: Format | None = None,
        diff_options: DiffOptions | None = None,
    ) -> bytes: ...

_Signature: TypeAlias = tuple[str, str, int, int]
_NoteEdit: TypeAlias = tuple[str, str, bytes | None, bytes | None]

@final
class Notes:
    def __new__(cls, repository: Repository, name: str) -> Notes: ...
    @property
    def reference(self) -> str: ...
    def get(self, revision: str) -> bytes | None: ...
    def list(self) -> NoteStream: ...
    def edit(
        self,
        edits: Sequence[_NoteEdit],
        author: _Signature,
        committer: _Signature,
        message: str,
        timeout: float,
    ) -> tuple[str | None, bool]: ...

@final
class NoteStream:
    def next_chunk(self) -> list[tuple[str, bytes]]: ...

@final
class WriteLock:
    def __new__(
        cls, common_dir: str | os.PathLike[str], files: Sequence[str], timeout: float
    ) -> WriteLock: ...
    def __enter__(self) -> WriteLock: ...
    def __exit__(self, *_exception: object) -> None: ...

_FileEdit: TypeAlias = tuple[
    Literal["write", "remove", "replace"], bytes, Sequence[tuple[bytes, str, bytes]]
]

def commit_files(
    repository: Repository,
    branch: bytes,
    expected: str | None,
    edits: Sequence[_FileEdit],
    author: _Signature,
    committer: _Signature,
    message: str,
    timeout: float,
    *,
    even_unchanged: bool = False,
) -> tuple[Literal["made", "unchanged", "moved"], str | None]: ...
def write_commit(
    repository: Repository,
    parent: str | None,
    edits: Sequence[_FileEdit],
    author: _Signature,
    committer: _Signature,
    message: str,
    *,
    even_unchanged: bool = False,
) -> str | None: ...
def list_folder(
    repository: Repository,
    revision: str,
    path: bytes,
    *,
    near: tuple[bytes, list[bytes]] | None = None,
) -> list[tuple[bytes, str, str]] | None: ...
def read_each(repository: Repository, trees: list[str], path: bytes) -> list[bytes | None]: ...
def read_files(repository: Repository, tree: str) -> list[tuple[bytes, bytes]]: ...
def read_package(
    data: bytes,
    *,
    unpacked_bytes: int,
    entries: int,
    file_bytes: int,
    ratio: int,
    nesting: int,
    progress: Callable[[int, int | None], object] | None = None,
) -> tuple[PackageFiles, bytes]: ...
def toml_as_json(text: bytes) -> bytes: ...
def yaml_as_json(text: bytes) -> bytes: ...
def tree_delta(
    old: _Source,
    new: _Source,
    *,
    paths: Sequence[str] = ...,
    rewrites: _Rewrites = "none",
) -> bytes: ...
def change_record(old: _Source, new: _Source, format: Format | None = None) -> bytes: ...
def version_diff(
    old: _Source, new: _Source, options: DiffOptions, format: Format | None = None
) -> bytes: ...
def package_diff(
    old: _Source,
    new: _Source,
    *,
    context: int,
    rewrites: _Rewrites,
    paths: Sequence[str],
    hunks: bool,
    beside: bool,
    progress: Callable[[int, int | None], object] | None = None,
    phase: Callable[[str], object] | None = None,
) -> tuple[list[bytes], bytes, int, list[str]]: ...
def write_package(
    old: _Source,
    new: _Source,
    *,
    context: int,
    rewrites: _Rewrites,
    paths: Sequence[str],
    no_line_feed: str,
    list: Callable[[list[bytes], bytes, int], str],
    begin: Callable[[int], str],
    write: Callable[[bytes], object],
    progress: Callable[[int, int | None], object] | None = None,
    phase: Callable[[str], object] | None = None,
) -> None: ...
def defect(text: str, *, attached: bool) -> None: ...
def contents(source: _Source, paths: Sequence[str]) -> list[bytes | None]: ...
def in_scope(paths: Sequence[str], scope: Sequence[str]) -> list[bool]: ...
def display_name(text: str, length: int) -> str: ...
def unseen_parts(text: str) -> list[tuple[int, int]]: ...
def visible_lines(text: str) -> str: ...
def numbered_lines(
    body: str, old: int, new: int, width: int, no_line_feed: str
) -> tuple[str, int, int]: ...
def adopt_history(folder: str | os.PathLike[str], *, durable: bool = False) -> bytes | None: ...
def create_repository(
    path: str | os.PathLike[str], history: bytes, *, durable: bool = False
) -> bytes: ...
def find_repository(
    path: str | os.PathLike[str], *, any_owner: bool = True
) -> tuple[Path, Path, bool]: ...
def scan(content: bytes, rules: Rules, path: bytes | None = None) -> bytes: ...
def holds_secret(content: bytes, rules: Rules) -> bool: ...
def redact(content: bytes, rules: Rules) -> tuple[bytes, bytes]: ...
def redact_each(texts: list[str], rules: Rules) -> list[tuple[int, bytes]]: ...
def canonical_text(
    text: bytes, *, jcs: bool, last: bool, max_depth: int
) -> bytes | tuple[int, int, str, str, bool]: ...
def canonical_value(
    value: object,
    *,
    jcs: bool,
    max_depth: int,
    decimal: type[Decimal],
    builtins: Callable[[object], object],
) -> bytes | tuple[int, int, str, str, bool]: ...
def is_canonical(text: bytes, *, jcs: bool, max_depth: int) -> bool: ...
