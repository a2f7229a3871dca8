"""`versiondiff scan`: where secrets are in files, or in the versions of a repository."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from versiondiff.cli import baseline
from versiondiff.cli.arguments import (
    ScreenOptions,
    add_language_option,
    add_screen_options,
    text,
    typed,
)
from versiondiff.cli.baseline import Baseline, Place
from versiondiff.cli.command import DONE, FAILED, FOUND, Command
from versiondiff.cli.output import note, opened
from versiondiff.cli.progress import Progress
from versiondiff.errors import InvalidInput
from versiondiff.rendering.names import path as in_one_line
from versiondiff.repository import Parents, Repository
from versiondiff.secrets import Rules, redact, scan
from versiondiff.wording import CATALOGUES, Language

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

    from versiondiff.cli.output import Output
    from versiondiff.records import Finding, VersionFindings
    from versiondiff.wording import Wording

__all__ = ["COMMAND"]

_STDIN: Final = "-"
_LARGEST: Final = 1 << 30
"""Bytes of the largest file that is scanned; it is held in memory."""
_SHORT_ID: Final = 10
"""Digits of a shortened commit id."""


class _Scan(msgspec.Struct, frozen=True, kw_only=True):
    """What was typed."""

    paths: list[str]
    history: Path | None
    range: str | None
    first_parent: bool
    rules: Path | None
    without: list[str]
    list_rules: bool
    baseline: Path | None
    write_baseline: Path | None
    language: Language
    json: bool

    def checked(self) -> _Scan:
        """Itself.

        Raises:
            InvalidInput: Options stand together that can't, or none says what to scan.
        """
        message = None
        if self.history is not None and self.paths:
            message = "scan: either PATHs or --history"
        elif self.history is None and (self.range is not None or self.first_parent):
            message = "scan: --range and --first-parent need --history"
        elif self.history is None and not self.paths and not self.list_rules:
            message = "scan: name a PATH, or --history REPO"
        if message is not None:
            raise InvalidInput(message)
        return self

    def chosen_rules(self) -> Rules:
        """The rules that were asked for; what is odd about a file of them is said.

        Raises:
            VersionDiffError: The file can't be read or holds no rules, or no rule has a name.
        """
        rules = Rules.default()
        if self.rules is not None:
            rules = Rules.load(self.rules, with_default=True)
            for warning in rules.warnings:
                note(in_one_line(f"{self.rules}: {warning}"))
        return rules.without(*self.without)


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="a file, a directory (all below it but what is named .git), or - for stdin",
    )
    parser.add_argument(
        "--history",
        type=Path,
        metavar="REPO",
        help="scan the versions of a git repository: their messages, and the whole of every file "
        "that one brought or changed",
    )
    parser.add_argument(
        "--range",
        type=text,
        metavar="A..B",
        help="of the history, the versions that B has and A has not; or a revision alone: it and "
        "all before it (default: HEAD)",
    )
    parser.add_argument(
        "--first-parent",
        action="store_true",
        help="of the history, leave out the versions that merges brought in",
    )
    group = parser.add_argument_group("rules")
    group.add_argument(
        "--rules",
        type=Path,
        metavar="FILE",
        help="add your own, from a file in the gitleaks TOML form; they take the place of the "
        "built-in ones where it says useDefault = false",
    )
    group.add_argument(
        "--without",
        type=text,
        action="append",
        default=[],
        metavar="RULE",
        help="switch a rule off, by its name; may be repeated",
    )
    group.add_argument(
        "--list-rules", action="store_true", help="print the names of the rules, and scan nothing"
    )
    group = parser.add_argument_group("accepted findings")
    group.add_argument(
        "--baseline",
        type=Path,
        metavar="FILE",
        help="leave out the findings that this file accepts, by path, rule, line and column (and "
        "version, in a history)",
    )
    group.add_argument(
        "--write-baseline",
        type=Path,
        metavar="FILE",
        help="write all findings to this file as accepted, and end with 0",
    )
    group = parser.add_argument_group("what is said")
    add_language_option(group)
    group.add_argument(
        "--json",
        action="store_true",
        help="print findings as JSON, one a line (of a history: versions with findings), in the "
        "documented wire format",
    )
    add_screen_options(parser)


class _Report:
    """Takes findings: shows those that are not accepted, counts, and keeps all their places."""

    def __init__(self, options: _Scan, output: Output, *, rules: Rules, accepted: Baseline) -> None:
        self.wording: Wording = CATALOGUES[options.language]
        self.places: set[Place] = set()
        self.found = 0
        self.accepted = 0
        self.failed = False
        self.rules = rules
        self._json = options.json
        self._output = output
        self._baseline = accepted

    def take(self, finding: Finding, commit: str | None = None) -> bool:
        """Count a finding; whether it is to be shown."""
        place = Place.of(finding, commit)
        self.places.add(place)
        if place in self._baseline:
            self.accepted += 1
            return False
        self.found += 1
        return True

    def file(self, findings: tuple[Finding, ...]) -> None:
        """Show the findings of a file."""
        for finding in findings:
            if self.take(finding):
                if self._json:
                    self._output.write_line(msgspec.json.encode(finding))
                else:
                    self._output.write(self._line(finding, in_one_line(finding.path or _STDIN)))

    def version(self, entry: VersionFindings) -> None:
        """Show the findings of a version."""
        commit = entry.version.id
        shown = tuple(finding for finding in entry.findings if self.take(finding, commit))
        if entry.error is not None:
            self.fail(f"{commit[:_SHORT_ID]}: {entry.error.message}")
        if self._json:
            if shown or entry.error is not None:
                rest = msgspec.structs.replace(entry, findings=shown)
                self._output.write_line(msgspec.json.encode(rest))
            return
        for finding in shown:
            where = self.wording.finding_in_message
            if finding.path is not None:
                where = in_one_line(finding.path)
            where = self.wording.finding_in_version.format(version=commit[:_SHORT_ID], path=where)
            self._output.write(self._line(finding, where))

    def _line(self, finding: Finding, where: str) -> str:
        rule = in_one_line(finding.rule)
        if finding.line == 0:
            return self.wording.finding_in_path.format(path=where, rule=rule)
        place = f"{where}:{finding.line}:{finding.column}"
        return self.wording.finding.format(place=place, rule=rule)

    def fail(self, message: str) -> None:
        """Say what could not be scanned; the rest goes on."""
        self.failed = True
        # A path may hold a secret itself.
        hidden, _ = redact(message, rules=self.rules)
        note(f"versiondiff: {in_one_line(hidden)}")

    def outcome(self, scanned: str) -> str:
        """How many were found, in so many files or versions."""
        said = self.wording.scan_outcome.format(secrets=self._secrets(), scanned=scanned)
        if not self.accepted:
            return said
        accepted = _counted(
            self.accepted, self.wording.scan_accepted_one, self.wording.scan_accepted_many
        )
        return f"{said}{self.wording.separator}{accepted}"

    def _secrets(self) -> str:
        if not self.found:
            return self.wording.secrets_none
        return _counted(self.found, self.wording.secrets_one, self.wording.secrets_many)


def _counted(count: int, one: str, many: str) -> str:
    return (one if count == 1 else many).format(count=f"{count:,}")


def _run(namespace: argparse.Namespace) -> int:
    options = typed(namespace, _Scan).checked()
    rules = options.chosen_rules()
    accepted = Baseline() if options.baseline is None else baseline.load(options.baseline)
    with opened(typed(namespace, ScreenOptions)) as output:
        if options.list_rules:
            for name in rules.names:
                output.write(in_one_line(name))
            return DONE
        report = _Report(options, output, rules=rules, accepted=accepted)
        if options.history is not None:
            scanned = _scan_history(options.history, options, report)
        else:
            scanned = _scan_files(options.paths, report)
    note(report.outcome(scanned))
    if options.write_baseline is not None:
        return _write_baseline(options.write_baseline, report)
    if report.failed:
        return FAILED
    return FOUND if report.found else DONE


def _write_baseline(path: Path, report: _Report) -> int:
    shown = in_one_line(str(path))
    if report.failed:
        # What could not be looked at may have been accepted before, and would be forgotten.
        note(report.wording.baseline_not_written.format(path=shown))
        return FAILED
    baseline.write(path, report.places)
    count = len(report.places)
    wording = report.wording
    template = wording.baseline_written_one if count == 1 else wording.baseline_written_many
    note(template.format(path=shown, count=f"{count:,}"))
    return DONE


# ── A history ───────────────────────────────────────────────────────────────────────────────────


def _scan_history(path: Path, options: _Scan, report: _Report) -> str:
    repository = Repository.open(path)
    count = 0
    with Progress("versions") as progress:

        def count_versions(done: int, total: int | None) -> None:
            nonlocal count
            count = done
            progress(done, total)

        entries = repository.scan(
            range=options.range,
            rules=report.rules,
            parents=Parents.FIRST if options.first_parent else Parents.ALL,
            progress=count_versions,
        )
        for entry in entries:
            if entry.error is not None:
                progress.clear()
            report.version(entry)
    return _counted(count, report.wording.versions_one, report.wording.versions_many)


# ── Files ───────────────────────────────────────────────────────────────────────────────────────


def _scan_files(paths: list[str], report: _Report) -> str:
    count = 0
    with Progress("files") as progress:
        for path, content in _files(paths, report, progress):
            count += 1
            shown = None if path == _STDIN else path
            report.file(scan(content, rules=report.rules, path=shown))
            progress(count, None)
    return _counted(count, report.wording.files_one, report.wording.files_many)


def _files(paths: list[str], report: _Report, progress: Progress) -> Iterator[tuple[str, bytes]]:
    """The files that were named, and those below directories, sorted; each once.

    What can't be read is said, and left out.
    """

    def fail(path: str, error: OSError | InvalidInput) -> None:
        progress.clear()
        report.fail(_said(path, error))

    def fail_folder(error: OSError) -> None:
        fail(os.fsdecode(error.filename), error)

    seen = set()
    for named in paths:
        top = named if named == _STDIN else os.path.normpath(named)
        is_folder = top != _STDIN and Path(top).is_dir()
        for path in _below(top, fail_folder) if is_folder else (top,):
            if path in seen:
                continue
            seen.add(path)
            try:
                # A link that was named stands for what it leads to.
                yield path, _content(path, follow=not is_folder)
            except (OSError, InvalidInput) as error:
                fail(path, error)


def _below(top: str, fail: Callable[[OSError], None]) -> Iterator[str]:
    for folder, folders, files in os.walk(top, onerror=fail):
        folders[:] = sorted(name for name in folders if name != ".git")
        # Links to directories stand among the directories, and are not followed.
        links = [name for name in folders if Path(folder, name).is_symlink()]
        for name in sorted(files + links):
            path = os.path.normpath(Path(folder, name))
            if name != ".git" and _holds_content(path):
                yield path


def _holds_content(path: str) -> bool:
    """Whether it is a file or a link: a pipe or a device would be waited for."""
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        # Gone, or not to be looked at: reading it says so.
        return True
    return stat.S_ISREG(mode) or stat.S_ISLNK(mode)


def _content(path: str, *, follow: bool) -> bytes:
    """The content of a file, or the target of a link that is not followed.

    Raises:
        OSError: It can't be read.
        InvalidInput: It is larger than is held in memory.
    """
    if path == _STDIN:
        content = sys.stdin.buffer.read(_LARGEST + 1)
    elif not follow and Path(path).is_symlink():
        return os.fsencode(os.readlink(path))  # noqa: PTH115 (a path would be normalised)
    else:
        with Path(path).open("rb") as file:
            content = file.read(_LARGEST + 1)
    if len(content) > _LARGEST:
        message = f"larger than {_LARGEST:,} bytes"
        raise InvalidInput(message)
    return content


def _said(path: str, error: Exception) -> str:
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return f"{path}: {(reason or 'not readable').lower()}"


COMMAND: Final = Command(
    name="scan",
    summary="where secrets are, in files or in a history",
    description="""\
Find tokens, passwords in URLs and private keys, by rules, and print where they stand
and which rule found them, never what they are. Files are scanned whole, binary ones
too. Of a history every version is scanned; a secret stays in it after it has been
deleted from the files.""",
    examples=(
        ("scan .", "everything below the folder that you are in"),
        ("scan --history . --range main..try-2", "the versions that a branch adds"),
        ("scan flows --rules own.toml --without jwt", "with own rules added and one switched off"),
        ("scan . --write-baseline accepted.json", "accept what there is"),
        ("scan . --baseline accepted.json", "and find only what comes after"),
        ("scan - < agent.json", "what another program writes"),
    ),
    exit_codes=(
        (DONE, "no secret, or only accepted ones"),
        (FOUND, "secrets"),
        (FAILED, "an error, said on stderr; what could be scanned, was"),
    ),
    add_arguments=_add_arguments,
    run=_run,
)
