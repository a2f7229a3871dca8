r"""The words of a summary in each language, and the names that have to be quoted between them.

A summary is read back, so each place where a name ends must be found again. A name that could be
taken for more than a name, or for another one, stands in double quotes, with `\"` and `\\` for
`"` and `\` inside. One rule holds for all languages and, but for one place, for all places: so a
name looks the same wherever it stands. It is drawn from the catalogues, so a further language
adds its own words to it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from versiondiff.rendering.names import catalogue
from versiondiff.rendering.names import name as safe_name
from versiondiff.runs.results import KIND
from versiondiff.wording import CATALOGUES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from versiondiff.wording import Language, Wording

__all__ = ["PHRASES", "Around", "Phrases", "phrases_of", "shown", "shown_without_kind"]


class Around(NamedTuple):
    """What stands before and after something that is put in."""

    before: str
    after: str


class Phrases(NamedTuple):
    """The words of one language, taken apart where names and counts are put in."""

    whole: str
    from_card: Around
    only_card: Around
    saved_inputs: str
    """Behind where the run started."""
    names: str
    """Between what a list is of and its first name."""
    section: str
    """Between the parts of a summary."""
    failed: str
    """Before the names of Cards that failed, with what stands before and behind the label."""
    not_run: str
    separator: str
    times: Around
    """Of a count, behind a name."""
    kind: Around
    """Of a kind of failure, behind a name."""
    rest: Around
    """Of a count, behind a list that is cut."""


def _around(template: str) -> Around:
    """A template with one place to put something in."""
    return Around(*re.split(r"\{\w+\}", template))


def _phrases(wording: Wording) -> Phrases:
    section, names = wording.run_section, wording.run_names
    return Phrases(
        whole=wording.run_whole,
        from_card=_around(wording.run_from),
        only_card=_around(wording.run_only),
        saved_inputs=wording.run_saved_inputs,
        names=names,
        section=section,
        failed=section + wording.run_failed + names,
        not_run=section + wording.run_not_run + names,
        separator=wording.separator,
        times=_around(wording.run_times),
        kind=_around(wording.run_kind),
        rest=_around(wording.list_rest),
    )


PHRASES: Final[dict[str, Phrases]] = {
    language: _phrases(wording) for language, wording in CATALOGUES.items()
}
"""The phrases of each language."""


def phrases_of(language: Language) -> Phrases:
    """The phrases of a language.

    Raises:
        InvalidInput: There are none.
    """
    found = PHRASES.get(language)
    return _phrases(catalogue(language)) if found is None else found


def _ambiguous() -> Iterator[str]:
    """Patterns of names that have to be quoted, looked for in a name with a space on either side.

    The spaces are those of the line: a name that ends in a comma makes a separator with the space
    behind it, and a name that is nothing but `×3` a count with the one before it. Each pattern
    starts with a character, which lets the search skip all others.
    """
    yield '"'
    for phrases in PHRASES.values():
        for between in (phrases.separator, phrases.names, phrases.section):
            yield re.escape(between)
        for card in (phrases.from_card, phrases.only_card):
            if card.after:
                yield re.escape(card.after) + r" \Z"
        yield re.escape(phrases.saved_inputs) + r" \Z"
        for count in (phrases.times, phrases.rest):
            # A name that holds the separator is quoted anyway; what stands behind it may be one.
            before = re.sub(f"^{re.escape(phrases.separator)}", " ", count.before)
            yield f"{re.escape(before)}[0-9]+{re.escape(count.after)} " + r"\Z"


_ORDINARY: Final = re.compile(r"[A-Za-z0-9_.-]{1,80}")
"""Names that are shown as they are, and need no closer look."""
_AMBIGUOUS: Final = re.compile("|".join(dict.fromkeys(_ambiguous())))
_LIKE_A_KIND: Final = re.compile(
    "|".join(
        re.escape(phrases.kind.before.strip())
        + KIND.pattern
        + re.escape(phrases.kind.after)
        + r"\Z"
        for phrases in PHRASES.values()
    )
)


def shown(name: str) -> str:
    """A name on one line, shortened, and quoted where it is ambiguous."""
    if _ORDINARY.fullmatch(name):
        return name
    safe = safe_name(name)
    # White space at an edge, or nothing but that, would not be seen.
    if not safe or safe.strip() != safe or _AMBIGUOUS.search(f" {safe} "):
        return _quoted(safe)
    return safe


def shown_without_kind(name: str) -> str:
    """As `shown`, where a kind of failure could follow and does not: none is made up."""
    text = shown(name)
    return _quoted(text) if not text.startswith('"') and _LIKE_A_KIND.search(text) else text


def _quoted(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
