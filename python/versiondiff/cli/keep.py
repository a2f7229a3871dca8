"""`versiondiff keep`: the content of a project as a version with a name."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 (msgspec looks the fields' types up)
from typing import TYPE_CHECKING, Final

import msgspec

from versiondiff.cli.arguments import add_language_option, text, typed
from versiondiff.cli.command import DONE, Command
from versiondiff.cli.durability import add_durability_option, durability_of
from versiondiff.cli.identity import add_author_options, author_of
from versiondiff.cli.output import say
from versiondiff.cli.projects import add_project_option, opened_project, say_left_out
from versiondiff.cli.shown import short_id
from versiondiff.rendering.names import name
from versiondiff.wording import CATALOGUES, Language

if TYPE_CHECKING:
    import argparse

__all__ = ["COMMAND"]


class _Keep(msgspec.Struct, frozen=True, kw_only=True):
    """What was typed."""

    name: str
    memo: str
    repo: Path
    language: Language


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "name", type=text, metavar="NAME", help="its name, a tag: what git allows, and not taken"
    )
    parser.add_argument(
        "--memo", type=text, default="", metavar="TEXT", help="what there is to say about it"
    )
    add_project_option(parser)
    add_language_option(parser.add_argument_group("what is said"))
    add_durability_option(parser)
    add_author_options(parser)


def _run(namespace: argparse.Namespace) -> int:
    keep = typed(namespace, _Keep)
    author = author_of(namespace)
    project = opened_project(keep.repo, keep.language, durability_of(namespace))
    kept = project.keep(keep.name, memo=keep.memo, author=author, language=keep.language)
    say_left_out(kept.left_out, keep.language)
    wording = CATALOGUES[keep.language]
    template = wording.kept_made if kept.made else wording.kept_unchanged
    say(template.format(name=name(kept.name), version=short_id(kept.commit)))
    return DONE


COMMAND: Final = Command(
    name="keep",
    summary="keep the project's content as a version with a name",
    description="""\
Make a version of the project's content, if it changed since the last one, and give it
a name and a memo (an annotated tag). A name that is taken is refused.""",
    examples=(
        ("keep rgb-v1", "keep what is there now as rgb-v1"),
        ("keep rgb-v1 --memo 'The picture for the poster.'", "with a memo"),
    ),
    add_arguments=_add_arguments,
    run=_run,
)
