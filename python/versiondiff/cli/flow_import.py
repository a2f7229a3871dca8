"""`versiondiff flow import`: many flows at once, from folders and bulk exports."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from versiondiff.cli.arguments import add_language_option, typed
from versiondiff.cli.command import DONE, FAILED, Command
from versiondiff.cli.flow_files import (
    add_credentials_option,
    add_history_option,
    begun_history,
    credentials_of,
    flows_in,
    say_saved,
)
from versiondiff.cli.identity import add_author_options, author_of
from versiondiff.cli.output import note, say
from versiondiff.cli.progress import Progress
from versiondiff.errors import Conflict, InvalidInput, NotFound, VersionDiffError
from versiondiff.rendering.names import name, path
from versiondiff.secrets import redact
from versiondiff.wording import CATALOGUES, Language

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

__all__ = ["COMMAND"]


class _Import(msgspec.Struct, frozen=True, kw_only=True):
    """What was typed."""

    sources: list[Path]
    repo: Path
    bare: bool
    verbose: bool
    language: Language


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "sources",
        nargs="+",
        type=Path,
        metavar="PATH",
        help="a folder, of which all *.json are taken, or a file: a flow, or a bulk export",
    )
    add_history_option(parser, begins=True)
    add_credentials_option(parser)
    group = parser.add_argument_group("what is said")
    group.add_argument("--verbose", action="store_true", help="say each flow, not only how many")
    add_language_option(group)
    add_author_options(parser)


def _run(namespace: argparse.Namespace) -> int:
    options = typed(namespace, _Import)
    author = author_of(namespace)
    credentials = credentials_of(namespace)
    files = list(_files(options.sources))
    if not files:
        raise NotFound("flow import: no *.json there")
    history = begun_history(options.repo, bare=options.bare, time=author.time)
    words = CATALOGUES[options.language]
    outcome = Counter[str]()
    sketches: dict[str, Path] = {}

    def refuse(place: str, error: object) -> None:
        outcome["failed"] += 1
        progress.clear()
        note(words.flow_not_imported.format(path=place, reason=path(str(error))))

    with Progress("flows") as progress:
        for number, file in enumerate(files):
            place = path(str(file))
            progress(outcome.total(), outcome.total() + len(files) - number)
            try:
                flows = flows_in(file)
            except (VersionDiffError, OSError) as error:
                refuse(place, str(error).removeprefix(f"{place}: "))
                continue
            total = outcome.total() + len(flows) + len(files) - number - 1
            for flow in flows:
                progress(outcome.total(), total)
                if flow.is_named_by_file and sketches.setdefault(file.stem, file) != file:
                    # Two that have nothing to do with each other are not versions of one.
                    refuse(place, f"has no id, and the name of {path(str(sketches[file.stem]))}")
                    continue
                try:
                    saved = history.save(
                        flow.content, author=author, time=author.time, credentials=credentials
                    )
                except Conflict:
                    # Nothing that is in the way of one is not in the way of the next.
                    raise
                except (VersionDiffError, OSError) as error:
                    # It may be its name that holds a secret.
                    shown = name(redact(flow.name)[0])
                    refuse(place if len(flows) == 1 else f"{place}: {shown}", error)
                    continue
                outcome["made" if saved is not None else "unchanged"] += 1
                if options.verbose:
                    progress.clear()
                    say_saved(saved, flow.name, options.language)
    counts = {key: outcome[key] for key in ("made", "unchanged", "failed")}
    say(words.flow_import_outcome.format(**counts))
    return FAILED if outcome["failed"] else DONE


def _files(sources: list[Path]) -> Iterator[Path]:
    for source in sources:
        if source.is_dir():
            found = (file for file in source.rglob("*.json") if file.is_file())
            yield from sorted(file for file in found if ".git" not in file.parts)
        elif source.exists():
            yield source
        else:
            raise InvalidInput(f"{source}: no such file or folder")


COMMAND: Final = Command(
    name="import",
    summary="bring in many flows: a folder, or a bulk export",
    description="""\
Save all flows of folders, files and bulk exports, each as a version of its own. One that
can't be saved is said, and the others go on.""",
    examples=(
        ("flow import ~/flows --repo versions", "all *.json in a folder"),
        ("flow import ExportData.json --repo versions.git --bare", "a bulk export"),
    ),
    exit_codes=((DONE, "done"), (FAILED, "an error, or a flow that was not imported, on stderr")),
    add_arguments=_add_arguments,
    run=_run,
)
