"""What the commands of `versiondiff flow` share: histories, flows in files, and what is said."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from versiondiff.cli.arguments import typed
from versiondiff.cli.output import note, say
from versiondiff.cli.shown import message_line, short_id
from versiondiff.decoding import NOT_DECODED
from versiondiff.errors import (
    Conflict,
    InvalidInput,
    LimitExceeded,
    NotFound,
    SecretFound,
    UnsupportedFormat,
)
from versiondiff.flows import Credential, split_bulk
from versiondiff.flows.history import FlowHistory
from versiondiff.rendering.names import name, path
from versiondiff.wording import CATALOGUES

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Sequence

    from versiondiff.flows import Unresolved
    from versiondiff.flows.history import FlowEntry, SavedVersion
    from versiondiff.wording import Language

__all__ = [
    "FileFlow",
    "about",
    "add_credentials_option",
    "add_history_option",
    "begun_history",
    "chosen_flow",
    "chosen_version",
    "credentials_of",
    "current_flow",
    "flows_in",
    "opened_history",
    "say_saved",
    "say_unresolved",
]


def add_history_option(parser: argparse.ArgumentParser, *, begins: bool = False) -> None:
    """Add which history it is, and for a command that may begin one, which kind."""
    parser.add_argument(
        "--repo",
        type=Path,
        default=Path(),
        metavar="DIR",
        help="the history: a git repository, bare or the top of a working tree (default: here)"
        + ("; where nothing is there yet, or an empty folder, it begins" if begins else ""),
    )
    if begins:
        parser.add_argument(
            "--bare", action="store_true", help="begin a history without a working tree"
        )


def add_credentials_option(parser: argparse.ArgumentParser) -> None:
    """Add what credentials are called."""
    parser.add_argument(
        "--credentials",
        type=Path,
        metavar="FILE",
        help='what credentials are called, as JSON: {"<id>": {"name": …, "credentialName": …}}; '
        "what they hold is no business of a history",
    )


class _Credentials(msgspec.Struct, frozen=True, kw_only=True):
    """What was typed."""

    credentials: Path | None


class _Named(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A credential in a file."""

    name: str
    credential_name: str = ""


def credentials_of(namespace: argparse.Namespace) -> dict[str, Credential] | None:
    """The credentials that were named; None where no file was.

    Raises:
        InvalidInput: The file holds something else.
        OSError: It can't be read.
    """
    file = typed(namespace, _Credentials).credentials
    if file is None:
        return None
    try:
        named = msgspec.json.decode(file.read_bytes(), type=dict[str, _Named])
    except NOT_DECODED as error:
        raise InvalidInput(f"{file}: no names of credentials: {error}") from None
    return {
        key: Credential(name=each.name, credential_name=each.credential_name)
        for key, each in named.items()
    }


def opened_history(repo: Path) -> FlowHistory:
    """The history that is there."""
    return FlowHistory.open(repo)


def begun_history(repo: Path, *, bare: bool, time: int) -> FlowHistory:
    """The history that is there, or a new one."""
    with contextlib.suppress(NotFound):
        return FlowHistory.open(repo)
    # Where others begin it at the same time, it is theirs that is there then.
    with contextlib.suppress(Conflict):
        return FlowHistory.create(repo, time=time, bare=bare)
    return FlowHistory.open(repo)


class FileFlow(NamedTuple):
    """A flow of a file."""

    content: dict[str, Any]
    """With an id."""
    name: str

    is_named_by_file: bool
    """Whether it goes by the name of its file, as it has no id."""


def flows_in(file: Path) -> list[FileFlow]:
    """The flows of a file: one, or those of a bulk export.

    An export has no id and no name: it goes by that of its file, without `.json`.

    Raises:
        InvalidInput: There is none in it, as the message says of the file.
        LimitExceeded: It is nested too deeply.
        OSError: It can't be read.
    """
    flows = []
    with about(file):
        for flow in split_bulk(file.read_bytes()):
            has_id = "id" in flow
            content = flow if has_id else {"id": file.stem, "name": file.stem, **flow}
            flows.append(FileFlow(content, str(content.get("name", "")), not has_id))
    return flows


@contextlib.contextmanager
def about(file: Path) -> Iterator[None]:
    """Have errors about what is in a file name the file."""
    try:
        yield
    except (InvalidInput, LimitExceeded, SecretFound, UnsupportedFormat) as error:
        said = str(error).removeprefix("bulk export: ")
        kind = InvalidInput if isinstance(error, InvalidInput) else type(error)
        raise kind(f"{path(str(file))}: {said}") from error


def current_flow(file: Path | None, flow: str) -> bytes | None:
    """The content of the file that holds a flow as it is now.

    Raises:
        InvalidInput: It is another flow, of which no secret is to get into this one.
        OSError: It can't be read.
    """
    if file is None:
        return None
    flows = flows_in(file)
    if len(flows) > 1:
        raise InvalidInput(f"{path(str(file))}: holds several flows; only the one as it is now")
    for other in flows:
        if not other.is_named_by_file and other.content["id"] != flow:
            raise InvalidInput(f"{path(str(file))}: is another flow, not {name(flow)}")
    return file.read_bytes()


def chosen_flow(history: FlowHistory, typed_name: str) -> str:
    """The id of the flow that was named, by its id, its name, its folder, or how its id begins.

    What none of these is, is taken for the id of a flow that was deleted.

    Raises:
        InvalidInput: Nothing was named.
        NotFound: Several go by that name.
    """
    return _named(history.flows(), typed_name) or typed_name


def chosen_version(history: FlowHistory, typed_name: str) -> tuple[str, str]:
    """The flow and the version that `FLOW@VERSION` names; the version is empty where it names none.

    Names of flows and of versions may hold an `@`: the longest that is a flow's counts.

    Raises:
        InvalidInput: No flow was named.
        NotFound: Several go by that name.
    """
    flows = history.flows()
    parts = typed_name.split("@")
    for count in range(len(parts), 0, -1):
        flow = "@".join(parts[:count])
        found = _named(flows, flow) if flow else None
        if found is not None:
            return found, "@".join(parts[count:])
    flow, _, version = typed_name.partition("@")
    if not flow:
        raise InvalidInput("flow: none is named, as in FLOW@VERSION")
    return flow, version


def _named(flows: Sequence[FlowEntry], typed_name: str) -> str | None:
    if not typed_name:
        raise InvalidInput("flow: none is named")
    for found in (
        [flow.id for flow in flows if flow.id == typed_name],
        [flow.id for flow in flows if typed_name in (flow.name, flow.folder)],
        [flow.id for flow in flows if flow.folder == f"flows/{typed_name}"],
        [flow.id for flow in flows if flow.id.startswith(typed_name)],
    ):
        if len(found) > 1:
            raise NotFound(f"flow {name(typed_name)}: {len(found)} go by that name, so say the id")
        if found:
            return found[0]
    return None


def say_saved(
    saved: SavedVersion | None, flow_name: str, language: Language, *, aside: bool = False
) -> None:
    """Say which version was made, if one was; `aside` from what is written to stdout."""
    words = CATALOGUES[language]
    shown = name(flow_name if saved is None else saved.name.strip() or saved.flow)
    if saved is None:
        line = words.flow_unchanged.format(name=shown)
    else:
        line = words.flow_version_made.format(
            name=shown, version=short_id(saved.id), subject=message_line(saved.subject)
        )
    (note if aside else say)(line)
    if saved is not None and saved.hidden:
        note(words.flow_hidden_warning.format(name=shown, count=saved.hidden))


def say_unresolved(unresolved: Iterable[Unresolved], language: Language) -> None:
    """Say what was not brought back, on stderr."""
    words = CATALOGUES[language]
    for each in unresolved:
        note(
            words.flow_not_resolved.format(
                node=name(each.node), input=path(each.input), reason=each.reason.value
            )
        )
