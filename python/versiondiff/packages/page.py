"""A package diff as one page of HTML that needs nothing but itself.

The page reads without a script: sections fold by `<details>`. The one script and the one style
sheet are named by their hashes in a policy that allows nothing else, so that even a mistake in
escaping would run nothing and ask for nothing. Text of files stands between tags, never in an
attribute, a script, a style or an address.
"""

from __future__ import annotations

import base64
import hashlib
import html
from collections import Counter
from importlib.resources import files as resources
from typing import TYPE_CHECKING, Final

from versiondiff.packages.listing import finding_line
from versiondiff.packages.page_files import (
    FILE_WEIGHT,
    PAGE_WEIGHT,
    count,
    counts,
    file_section,
    kind_words,
    kinds,
    labels,
    shares,
    shown_name,
)
from versiondiff.packages.page_text import escaped, name, plain
from versiondiff.rendering.names import catalogue, path

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from versiondiff.packages.difference import PackageDiff, PackageFile
    from versiondiff.wording import Language, Wording

__all__ = ["FILES_OF_A_PAGE", "package_page"]

FILES_OF_A_PAGE: Final = 10_000
"""How many files have a row and a section; further ones are named in one text."""

_NAMED_FILES: Final = 100_000
"""How many more files are named; of further ones there is only the count."""

_OPEN_FINDINGS: Final = 20
_LISTED_FINDINGS: Final = 1_000
_FILE_FINDINGS: Final = 20
"""How many are listed under a file; the list above them has more."""

_Sentences = dict[str, list[str]]
"""What is to be looked at twice, by path."""


def package_page(diff: PackageDiff, *, language: Language = "en") -> str:
    """One HTML page of a package diff, to be written to a file as UTF-8.

    The same diff makes the same page. It loads nothing, and runs no script but its own, which
    folds, filters and jumps; it is all there without it. What would make a page too large for a
    browser is left out and counted: see `page_files.PAGE_WEIGHT`, `page_files.FILE_WEIGHT`,
    `page_text.LINE_CHARACTERS` and `FILES_OF_A_PAGE`.

    Raises:
        InvalidInput: There is no such language.
    """
    wording = catalogue(language)
    return "".join(_page(diff, language, wording))


def _page(diff: PackageDiff, language: Language, wording: Wording) -> Iterator[str]:
    files = diff.files[:FILES_OF_A_PAGE]
    sentences = _sentences(diff, language)
    yield from _head(diff, language, wording)
    yield '<body>\n<a class="skip" href="#files">'
    yield f"{escaped(wording.package_page_skip)}</a>\n"
    yield from _header(diff, wording)
    yield from _bar(files, sentences, wording)
    yield from _twice(diff, files, language, wording)
    yield from _listing(diff, files, sentences, wording)
    yield f'<main id="files" tabindex="-1" aria-label="{_attribute(wording.package_page_files)}">\n'
    rooms = shares(files)
    spare = PAGE_WEIGHT - sum(rooms)
    for number, (file, share) in enumerate(zip(files, rooms, strict=True), 1):
        parts, weight = file_section(
            number,
            file,
            room=min(FILE_WEIGHT, share + max(spare, 0)),
            sentences=sentences.get(file.path, ()),
            wording=wording,
        )
        spare += share - weight
        yield from parts
    yield "</main>\n"
    yield from _help(wording)
    yield f"<script>{_resource('page.js')}</script>\n</body>\n</html>\n"


def _sentences(diff: PackageDiff, language: Language) -> _Sentences:
    """What is to be looked at twice, by path."""
    found: _Sentences = {}
    for finding in diff.findings:
        if finding.path is not None:
            sentences = found.setdefault(finding.path, [])
            if len(sentences) < _FILE_FINDINGS:
                sentences.append(finding_line(finding, language))
    return found


def _resource(name: str) -> str:
    return resources(__package__).joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """What a policy names a script or a style by."""
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def _attribute(words: str) -> str:
    """Words of the catalogue as the value of an attribute; never what comes from a file."""
    return html.escape(words)


def _title(diff: PackageDiff, wording: Wording) -> tuple[str, str]:
    """The name of the package, and its versions."""
    package = path(diff.name) if diff.name else wording.package_page_unnamed
    if diff.old_version is None and diff.new_version is None:
        return package, ""
    old, new = (
        wording.package_page_no_version if version is None else path(version)
        for version in (diff.old_version, diff.new_version)
    )
    return package, f"{old} → {new}"


def _head(diff: PackageDiff, language: Language, wording: Wording) -> Iterator[str]:
    style = _resource("page.css")
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src {_hash(_resource('page.js'))}",
            f"style-src {_hash(style)}",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        )
    )
    yield f'<!DOCTYPE html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8">\n'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    yield '<meta name="color-scheme" content="light dark">\n'
    yield '<meta name="referrer" content="no-referrer">\n'
    yield f"<title>{plain(' '.join(_title(diff, wording)).strip())}</title>\n"
    yield f"<style>{style}</style>\n</head>\n"


def _header(diff: PackageDiff, wording: Wording) -> Iterator[str]:
    package, versions = _title(diff, wording)
    said = f" <span>{escaped(versions)}</span>" if versions else ""
    yield f"<header>\n<h1>{escaped(package)}{said}</h1>\n"
    yield f"<p>{count('p', '+', diff.added)} {count('m', '-', diff.removed)}</p>\n"
    if diff.not_compared:
        said = wording.package_not_compared.format(count=f"{diff.not_compared:,}")
        yield f'<p class="quiet">{escaped(said)}</p>\n'
    # What unseen characters look like is put in as marks, so the words around it are escaped alone.
    about = escaped(wording.package_page_about)
    yield f'<p class="quiet">{about.format(marks="<b>ESC</b> <b>U+202E</b>")}</p>\n</header>\n'


def _bar(files: Sequence[PackageFile], sentences: _Sentences, wording: Wording) -> Iterator[str]:
    """What filters and folds; it is hidden where there is no script to do it."""
    found = Counter(kind for file in files for kind in kinds(file, flagged=file.path in sentences))
    options = "".join(
        f'<option value="{kind}">{escaped(words)} ({found[kind]:,})</option>'
        for kind, words in kind_words(wording).items()
        if found[kind]
    )
    yield (
        '<div class="bar" id="bar" role="search" hidden><div>'
        f'<label for="query">{escaped(wording.package_page_filter)}</label>'
        '<input id="query" type="search" autocomplete="off" spellcheck="false"'
        ' aria-keyshortcuts="/">'
        f'<label for="kind">{escaped(wording.package_page_kind)}</label>'
        f'<select id="kind"><option value="">{escaped(wording.package_page_every_kind)}</option>'
        f"{options}</select>"
        '<button type="button" id="hide" aria-keyshortcuts="h">'
        f"{escaped(wording.package_page_hide)}</button>"
        '<button type="button" id="show" aria-keyshortcuts="s">'
        f"{escaped(wording.package_page_show)}</button>"
        f'<output id="count" for="query kind" data-text="{_attribute(wording.package_page_count)}">'
        "</output>"
        '<button type="button" id="ask" aria-keyshortcuts="?">'
        f"{escaped(wording.package_page_keys)}</button></div></div>\n"
    )


def _twice(
    diff: PackageDiff, files: Sequence[PackageFile], language: Language, wording: Wording
) -> Iterator[str]:
    """What makes a reviewer look twice, in the order of the diff, leading to the files."""
    if not diff.findings:
        return
    title = wording.package_look_twice.format(count=f"{len(diff.findings):,}")
    is_open = " open" if len(diff.findings) <= _OPEN_FINDINGS else ""
    yield f'<section class="twice" aria-labelledby="twice"><details{is_open}>'
    yield f'<summary><h2 id="twice">{escaped(title)}</h2></summary>\n<ul>\n'
    numbers = {file.path: number for number, file in enumerate(files, 1)}
    for finding in diff.findings[:_LISTED_FINDINGS]:
        said = name(finding_line(finding, language), wording)
        number = None if finding.path is None else numbers.get(finding.path)
        yield f"<li>{_linked(said, number)}</li>\n"
    if len(diff.findings) > _LISTED_FINDINGS:
        rest = wording.rest.format(count=f"{len(diff.findings) - _LISTED_FINDINGS:,}")
        yield f"<li>{escaped(rest)}</li>\n"
    yield "</ul></details></section>\n"


def _linked(said: str, number: int | None) -> str:
    """A sentence that leads to a file, where that has a section."""
    return said if number is None else f'<a href="#f{number}">{said}</a>'


def _listing(
    diff: PackageDiff, files: Sequence[PackageFile], sentences: _Sentences, wording: Wording
) -> Iterator[str]:
    """Every file in a numbered row, which leads to its section."""
    title = wording.package_files.format(count=f"{len(diff.files):,}")
    yield '<nav aria-labelledby="listed"><details id="listing" open><summary><h2 id="listed">'
    yield f"{escaped(title)}</h2></summary>\n<ol>\n"
    for number, file in enumerate(files, 1):
        names = [
            kind
            for kind in kinds(file, flagged=file.path in sentences)
            if kind not in {"changed", "renamed"}
        ]
        yield (
            f'<li value="{number}"><a href="#f{number}">{name(shown_name(file), wording)}</a>'
            f" <span>{labels(names, file, wording)}</span> {counts(file)}</li>\n"
        )
    yield "</ol>\n"
    if len(diff.files) > len(files):
        yield from _rest(diff.files[len(files) :], len(files), wording)
    yield "</details></nav>\n"


def _rest(files: Sequence[PackageFile], before: int, wording: Wording) -> Iterator[str]:
    """The files that have no section, as one text: it costs a browser next to nothing."""
    said = wording.package_page_files_left_out.format(count=f"{len(files):,}")
    yield f'<details><summary>{escaped(said)}</summary>\n<pre class="rest">\n'
    for number, file in enumerate(files[:_NAMED_FILES], before + 1):
        numbers = "" if file.added is None else f" +{file.added} -{file.removed}"
        yield f"{number:>6}. {plain(path(shown_name(file)))}{numbers}\n"
    if len(files) > _NAMED_FILES:
        yield escaped(wording.rest.format(count=f"{len(files) - _NAMED_FILES:,}"))
    yield "</pre></details>\n"


def _help(wording: Wording) -> Iterator[str]:
    """What the keys do."""
    keys = {
        "n": wording.package_page_key_next,
        "p": wording.package_page_key_previous,
        "o": wording.package_page_key_fold,
        "h": wording.package_page_key_hide,
        "s": wording.package_page_key_show,
        "/": wording.package_page_key_filter,
        "l": wording.package_page_key_list,
        "?": wording.package_page_key_help,
    }
    yield '<dialog id="help" aria-labelledby="help-title">'
    yield f'<h2 id="help-title">{escaped(wording.package_page_keys)}</h2>\n<dl>'
    for key, words in keys.items():
        yield f"<dt><kbd>{key}</kbd></dt><dd>{escaped(words)}</dd>\n"
    yield f"</dl>\n<p>{escaped(wording.package_page_filter_help)}</p>\n"
    yield f'<button type="button" id="close">{escaped(wording.package_page_close)}</button>'
    yield "</dialog>\n"
