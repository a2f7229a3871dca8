"""`versiondiff package`: what changed between two versions of a package."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from versiondiff.cli.arguments import (
    ScreenOptions,
    add_language_option,
    add_screen_options,
    text,
    typed,
)
from versiondiff.cli.command import DIFFERENT, DONE, FAILED, Command
from versiondiff.cli.output import Style, opened
from versiondiff.cli.progress import Progress
from versiondiff.cli.replacing import rewrite_file
from versiondiff.cli.sources import sources_of
from versiondiff.errors import InvalidInput
from versiondiff.packages import (
    Package,
    PackageDiff,
    PackagePhase,
    package_diff,
    package_diff_json,
    package_parts,
    read_package,
    write_package,
)
from versiondiff.packages.listing import PackagePartKind
from versiondiff.wording import Language  # noqa: TC001 (read by msgspec)

if TYPE_CHECKING:
    from versiondiff.cli.output import Output
    from versiondiff.packages.listing import PackagePart
    from versiondiff.snapshots import Files

__all__ = ["COMMAND"]

_MOST_CONTEXT: Final = 1_000_000


class _Package(msgspec.Struct, frozen=True, kw_only=True):
    """What was typed."""

    old: str
    new: str
    repo: Path | None
    stat: bool
    json: bool
    html: Path | None
    context: int
    exit_code: bool
    language: Language

    def sources(self, progress: Progress) -> tuple[Package | Files, Package | Files]:
        """The two that are compared, whatever they are.

        Raises:
            InvalidInput: They are not of one kind.
            NotFound: There is no such version, or no repository.
        """

        def archives(old: Path, new: Path) -> tuple[Package, Package]:
            progress.phase(_PHASES[PackagePhase.READING_OLD])
            before = read_package(old, progress=progress)
            progress.phase(_PHASES[PackagePhase.READING_NEW])
            return before, read_package(new, progress=progress)

        mismatch = "two archives, two directories or two revisions are compared"
        return sources_of(self.old, self.new, self.repo, archives, mismatch=mismatch)


_PHASES: Final = {
    PackagePhase.READING_OLD: "reading OLD",
    PackagePhase.READING_NEW: "reading NEW",
    PackagePhase.FINDING_MOVED: "finding what moved",
    PackagePhase.COMPARING: "comparing",
}


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "old", type=text, metavar="OLD", help="an archive, a directory or a revision"
    )
    parser.add_argument(
        "new", type=text, metavar="NEW", help="what it is compared with: another of the same kind"
    )
    parser.add_argument(
        "--repo",
        type=Path,
        metavar="PATH",
        help="the git repository of two revisions (default: here); with it, OLD and NEW are "
        "revisions even where directories are called so",
    )
    parser.add_argument(
        "--exit-code", action="store_true", help="end with 1 where something changed"
    )
    group = parser.add_argument_group("what is said")
    group.add_argument(
        "--stat",
        action="store_true",
        help="the listing and what to look at twice, without the lines of files",
    )
    group.add_argument(
        "--context",
        type=_lines,
        default=3,
        metavar="N",
        help="lines of context around changes (default: %(default)s)",
    )
    group.add_argument(
        "--html",
        type=Path,
        metavar="FILE",
        help="write it as one page of HTML that needs nothing else, instead of printing it",
    )
    group.add_argument(
        "--json", action="store_true", help="print it as JSON, in the documented wire format"
    )
    add_language_option(group)
    add_screen_options(parser)


def _run(namespace: argparse.Namespace) -> int:
    options = typed(namespace, _Package)
    if options.html is not None and options.json:
        message = "--html and --json: one of them"
        raise InvalidInput(message)
    compare = package_diff_json if options.json else package_diff
    with Progress("files", prints_meanwhile=False) as progress:
        old, new = options.sources(progress)
        if not (options.stat or options.json or options.html or sys.stdout.isatty()):
            with opened(typed(namespace, ScreenOptions)) as output:
                if output.is_plain:
                    differs = _write_plain(old, new, options, output, progress)
                    return DIFFERENT if options.exit_code and differs else DONE
        made = compare(
            old,
            new,
            old_version=_version(old, options.old),
            new_version=_version(new, options.new),
            context=options.context,
            hunks=not options.stat,
            progress=progress,
            phase=lambda phase: progress.phase(_PHASES[phase]),
        )
        if options.html is not None and isinstance(made, PackageDiff):
            from versiondiff.packages import package_page

            progress.phase("making the page")
            page = package_page(made, language=options.language)
            rewrite_file(options.html, page.encode("utf-8"))
            return DIFFERENT if options.exit_code and made.differs else DONE
    with opened(typed(namespace, ScreenOptions)) as output:
        if isinstance(made, PackageDiff):
            differs = made.differs
            _write(made, options.language, output)
        else:
            parts, differs = made
            for part in parts:
                output.write_part(part)
            output.write_line(b"")
    return DIFFERENT if options.exit_code and differs else DONE


def _write_plain(
    old: Package | Files,
    new: Package | Files,
    options: _Package,
    output: Output,
    progress: Progress,
) -> bool:
    """Write the text while it is made; gives whether anything differs."""
    return write_package(
        old,
        new,
        output.write_part,
        language=options.language,
        old_version=_version(old, options.old),
        new_version=_version(new, options.new),
        context=options.context,
        progress=progress,
        phase=lambda phase: progress.phase(_PHASES[phase]),
    )


def _version(source: Package | Files, typed_text: str) -> str | None:
    """What was typed, but for an archive that says its version."""
    if isinstance(source, Package):
        return source.version or Path(typed_text).name
    return typed_text


_STYLES: Final = {
    PackagePartKind.TITLE: Style.BOLD,
    PackagePartKind.ROW: Style.PLAIN,
    PackagePartKind.FINDING: Style.YELLOW,
    PackagePartKind.FILE: Style.BOLD,
    PackagePartKind.HUNK: Style.CYAN,
    PackagePartKind.REMARK: Style.FAINT,
}
_SIGNS: Final = {" ": Style.PLAIN, "-": Style.RED, "+": Style.GREEN, "\\": Style.FAINT}


def _write(diff: PackageDiff, language: Language, output: Output) -> None:
    for part in package_parts(diff, language=language):
        if output.coloured:
            # Line by line: pagers end a style where the line ends.
            styled = [output.styled(line, _style(part, line)) for line in part.text.split("\n")]
            output.write("\n".join(styled))
        else:
            output.write(part.text)


def _style(part: PackagePart, line: str) -> Style:
    return _STYLES[part.kind] if not part.sign_at else _SIGNS[line[part.sign_at]]


def _lines(typed: str) -> int:
    """A number of lines."""
    if not (typed.isascii() and typed.isdecimal() and int(typed[:9]) <= _MOST_CONTEXT):
        message = "must be a whole number"
        raise argparse.ArgumentTypeError(message)
    return int(typed[:9])


COMMAND: Final = Command(
    name="package",
    summary="what changed between two versions of a package, file by file",
    description="""\
Show what changed from OLD to NEW: every file that differs with the lines that came and went,
renames and modes; what makes a reviewer look twice, such as new executables, binaries, links
and files that run by themselves, and of archives new dependencies, people, licences, scripts
and every odd entry; and the lines of each file. Two archives are compared (gem, wheel, sdist,
npm's tgz, crate, zip, tar), two directories, or two revisions of a repository. Nothing of an
archive is unpacked to disk.

Counts, renames and lines are those of git diff -M. Whatever a name or a line could do to a
terminal is made visible.""",
    examples=(
        ("package requests-2.31.tar.gz requests-2.32.tar.gz", "two archives"),
        ("package --html page.html old.whl new.whl", "as a page for a browser"),
        ("package requests-2.31 requests-2.32", "two directories"),
        ("package --stat requests-2.31 requests-2.32", "the listing alone"),
        ("package v1.0 v1.1 --repo ~/src/requests", "two versions in git"),
        ("package --json v1.0 v1.1", "for a program"),
        ("package --exit-code --stat old new", "for a script: 1 if something changed"),
    ),
    exit_codes=(
        (DONE, "done; with --exit-code: nothing changed"),
        (DIFFERENT, "with --exit-code: something changed"),
        (FAILED, "an error, said on stderr"),
    ),
    add_arguments=_add_arguments,
    run=_run,
)
