"""What the commands of `versiondiff flow` share: histories, flows in files, and what is said."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from versiondiff.cli.arguments import typed
from versiondiff.cli.output import note, say
from versiondiff.cli.shown import message_line, short_id
from versiondiff.errors import InvalidInput, NotFound
from versiondiff.flows import Credential, split_bulk
from versiondiff.flows.history import FlowHistory
from versiondiff.rendering.names import name, path
from versiondiff.wording import CATALOGUES

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

    from versiondiff.flows import Unresolved
    from versiondiff.flows.history import SavedVersion
    from versiondiff.wording import Language

__all__ = [
    "FileFlow",
    "add_credentials_option",
    "add_history_option",
    "begun_history",
    "chosen_flow",
    "credentials_of",
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
    except msgspec.DecodeError as error:
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
    if not repo.exists() or (repo.is_dir() and not any(repo.iterdir())):
        return FlowHistory.create(repo, time=time, bare=bare)
    return FlowHistory.open(repo)


class FileFlow(NamedTuple):
    """A flow of a file."""

    content: dict[str, Any]
    """With an id."""
    name: str


def flows_in(file: Path) -> Iterator[FileFlow]:
    """The flows of a file: one, or those of a bulk export.

    An export has no id and no name: it goes by that of its file, without `.json`.

    Raises:
        InvalidInput: There is none in it.
        OSError: It can't be read.
    """
    for flow in split_bulk(file.read_bytes()):
        content = {"id": file.stem, "name": file.stem, **flow} if "id" not in flow else flow
        yield FileFlow(content, str(content.get("name", "")))


def chosen_flow(history: FlowHistory, typed_name: str) -> str:
    """The id of the flow that was named, by its id, its name, its folder, or how its id begins.

    What none of these is, is taken for the id of a flow that was deleted.

    Raises:
        NotFound: Several go by that name.
    """
    flows = history.flows()
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
    return typed_name


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
