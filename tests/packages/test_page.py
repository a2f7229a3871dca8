"""The page of a package diff, as text: what is escaped, what is left out, how large it gets.

`page_en.html` and `page_ja.html` hold a small page word for word, but for its style and script. To
take over an intended change, run `python tests/packages/test_page.py` and read the difference
before committing it.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import re
import time
import unicodedata
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from packages.page_values import CANARY, HOSTILE, SMALL, diff, file, hunk, large, long_file
from versiondiff.errors import InvalidInput
from versiondiff.packages import (
    FileStatus,
    LineSide,
    PackageFinding,
    PackageFindingKind,
    package_diff,
    page_files,
    page_text,
)
from versiondiff.packages.page import FILES_OF_A_PAGE, package_page

if TYPE_CHECKING:
    from versiondiff.wording import Language

HERE: Final = Path(__file__).parent
LISTING: Final = HERE.parents[2] / "shared/data/package-page/listing.tsv"
LANGUAGES: Final[tuple[Language, ...]] = ("en", "ja")
VOID: Final = {"meta", "input", "col"}
# fmt: off
TAGS: Final = {
    "a", "article", "b", "body", "button", "caption", "col", "colgroup", "dd", "details",
    "dialog", "div", "dl", "dt", "h1", "h2", "h3", "head", "header", "html", "i", "input",
    "kbd", "label", "li", "main", "mark", "meta", "nav", "ol", "option", "output", "p", "pre",
    "script", "section", "select", "span", "style", "summary", "table", "tbody", "td", "th",
    "thead", "title", "tr", "ul",
}
ATTRIBUTES: Final = {
    "aria-keyshortcuts", "aria-label", "aria-labelledby", "autocomplete", "charset", "class",
    "content", "data-text", "for", "hidden", "href", "http-equiv", "id", "lang", "name", "open",
    "role", "scope", "spellcheck", "tabindex", "type", "value",
}
# fmt: on


class Page(HTMLParser):
    """A page that was read: every element closes the one that was opened last."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        """Each text, and the element that it stands in."""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        assert len(dict(attrs)) == len(attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((self.open[-1] if self.open else "", data))

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    def text(self, *tags: str) -> str:
        return "".join(text for tag, text in self.texts if tag in tags)


def visible(page: str) -> str:
    """The page without its style and script, and without their hashes."""
    page = re.sub(r"'sha256-[^']*'", "'sha256-…'", page)
    return re.sub(r"(<(style|script)>).*?(</\2>)", r"\1…\3", page, flags=re.DOTALL)


def hostile_page(text: str) -> str:
    """A page with a text in every place that a package fills."""
    return package_page(
        diff(
            file(
                f"dir/{text}",
                hunk(f"-{text}", f"+{text}!", f" {text}", heading=text),
                old_path=text,
                status=FileStatus.RENAMED,
            ),
            name=text,
            old_version=text,
            new_version=text,
        )
    )


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_nothing_of_a_package_is_more_than_text(text: str) -> None:
    written = hostile_page(text)
    page = Page(written)
    assert {tag for tag, _ in page.elements} <= TAGS
    for tag, attributes in page.elements:
        assert set(attributes) <= ATTRIBUTES
        assert CANARY not in repr(attributes)
        if tag not in {"meta", "option", "li"} and "href" in attributes:
            assert re.fullmatch(r"#(f\d+|files)", attributes["href"] or "")
    assert CANARY not in page.text("script", "style")
    assert [tag for tag, _ in page.elements].count("script") == 1
    assert [tag for tag, _ in page.elements].count("style") == 1
    # The one canary whose text is cut by what is shown in it spells it in parts.
    assert CANARY in page.text("td", "mark") or "\u200b" in text


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_what_is_not_seen_is_named(text: str) -> None:
    written = hostile_page(text)
    written.encode()
    for letter in set(written) - {"\n", "\t"}:
        assert unicodedata.category(letter) not in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}, ascii(
            letter
        )
    assert not set(written) & set("\u3164\ufe01\U000e0101\u180e")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\tb", "a\tb"),
        ("a<b>&\"'", "a&lt;b&gt;&amp;\"'"),
        ("\x1b[1m", "<b>ESC</b>[1m"),
        ("a\0\x7f\x85", "a<b>NUL</b><b>DEL</b><b>U+0085</b>"),
        ("\u202ea", "<b>U+202E</b>a"),
        ("\udcff", "<b>\\xFF</b>"),
        ("\ud800", "<b>U+D800</b>"),
        ("\U000e0041", "<b>U+E0041</b>"),
        ("\0" * 1000, "<b>NUL ×1,000</b>"),
        ("e\u0301e\u0301\u0302\u0303\u0304\u0305", "e\u0301e\u0301\u0302\u0303\u0304<b>U+0305</b>"),
        ("全角\u3000と👍🏽", "全角\u3000と👍🏽"),
        ("a\xa0b\u202fc", "a\xa0b\u202fc"),
        ("👩\u200d👧 ❤\ufe0f a\u200db", "👩\u200d👧 ❤\ufe0f a<b>U+200D</b>b"),
    ],
)
def test_how_text_is_shown(text: str, shown: str) -> None:
    assert page_text.escaped(text) == shown


def test_only_the_one_script_and_the_one_style_are_allowed() -> None:
    page = Page(package_page(SMALL))
    policy = next(
        attributes["content"] or ""
        for _, attributes in page.elements
        if attributes.get("http-equiv") == "Content-Security-Policy"
    )
    for kind in ("script", "style"):
        digest = hashlib.sha256(page.text(kind).encode()).digest()
        assert f"{kind}-src 'sha256-{base64.b64encode(digest).decode()}';" in policy
    assert policy.startswith("default-src 'none'; ")
    for word in ("unsafe", "*", "self", "data:"):
        assert word not in policy


def test_the_page_needs_nothing_from_elsewhere() -> None:
    written = package_page(SMALL)
    assert "http" not in written.replace("http-equiv", "")
    assert "src=" not in written
    assert "url(" not in written
    assert "@import" not in written
    assert "style=" not in written


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_small_page_word_for_word(language: Language) -> None:
    written = visible(package_page(SMALL, language=language))
    assert written == (HERE / f"page_{language}.html").read_text(encoding="utf-8")


def test_the_same_diff_makes_the_same_page() -> None:
    assert package_page(SMALL) == package_page(SMALL)


def test_there_are_two_languages() -> None:
    with pytest.raises(InvalidInput, match="language: must be one of en, ja"):
        package_page(SMALL, language="fr")  # type: ignore[arg-type]


def listing(written: str) -> list[str]:
    """The rows of the listing, as they read."""
    found = re.findall(r'<li value="(\d+)">(.*?)</li>', written)
    return [" ".join(re.sub(r"<[^>]*>", "", f"{number}. {row}").split()) for number, row in found]


def test_files_stand_in_the_order_of_the_diff() -> None:
    written = package_page(SMALL)
    assert listing(written) == [
        "1. data/docs/memory.md +3 -2",
        "2. data/lib/known-names/{hooks/known_names.rb → plugin.rb} +1 -0",
        "3. data/logo.png ADDED binary LOOK TWICE",
        "4. data/bin/chi MODE CHANGED LOOK TWICE +0 -0",
        "5. data/app.min.js minified +1 -1",
        "6. data/lib/gone.rb DELETED +0 -1",
    ]
    assert re.findall(r'<article id="f(\d+)"', written) == ["1", "2", "3", "4", "5", "6"]


def test_lines_have_the_numbers_of_the_diff() -> None:
    rows = re.findall(r"<tr[^>]*><td>(\d*)</td><td>(\d*)</td><td>(.)", package_page(SMALL))
    signs = {LineSide.CONTEXT: " ", LineSide.REMOVED: "-", LineSide.ADDED: "+"}
    assert rows == [
        (str(line.old or ""), str(line.new or ""), signs[line.kind])
        for each in SMALL.files
        for hunk in each.hunks
        for line in hunk.lines
    ]


def test_bytes_that_are_no_text_are_shown() -> None:
    written = package_page(package_diff({}, {b"caf\xe9/a": b"one\ntwo \xff\n"}))
    assert "<h3>caf<b>\\xE9</b>/a</h3>" in written
    assert "<td>+one</td>" in written
    assert "<td>+two <b>\\xFF</b></td>" in written


@pytest.mark.skipif(
    not LISTING.exists(), reason="shared/data/package-page is not beside this checkout"
)
def test_the_page_of_the_registry() -> None:
    rows = list(csv.reader(LISTING.read_text(encoding="utf-8").splitlines(), delimiter="\t"))
    written = package_page(
        diff(
            *(
                file(path, added=int(added.lstrip("+")), removed=int(removed.lstrip("-")))
                for path, added, removed in rows
            )
        )
    )
    assert "<title>samagotchi 0.156.0 → 0.158.0</title>" in written
    assert "Files changed (198)" in written
    assert listing(written) == [
        f"{number}. {path} +{added.lstrip('+')} -{removed.lstrip('-')}"
        for number, (path, added, removed) in enumerate(rows, 1)
    ]


def test_a_package_without_name_and_version() -> None:
    assert "<title>Package diff</title>" in package_page(
        diff(name=None, old_version=None, new_version=None)
    )
    assert "<title>a (no version) → 2</title>" in package_page(
        diff(name="a", old_version=None, new_version="2")
    )


# ── What is left out ────────────────────────────────────────────────────────────────────────────


def shown_lines(written: str, number: int) -> int:
    """How many lines of a file are on the page."""
    start = written.index(f'<article id="f{number}"')
    return written.count("<td>", start, written.index("</article>", start)) // 3


def test_a_long_file_is_folded_and_its_rest_is_counted() -> None:
    start = time.perf_counter()
    written = package_page(diff(long_file(200_000)))
    assert time.perf_counter() - start < 10
    shown = shown_lines(written, 1)
    assert 10_000 < shown < 20_000
    assert len(written) < 3_000_000
    assert (
        f"The first {shown:,} of 200,000 lines are shown; {200_000 - shown:,} are left out."
        in written
    )
    assert '<article id="f1" class="added"><details><summary>' in written


def test_five_thousand_files_are_all_there() -> None:
    values = large(5_000, 12)
    start = time.perf_counter()
    written = package_page(values)
    assert time.perf_counter() - start < 10
    assert len(written) < 12_000_000
    assert len(listing(written)) == 5_000
    assert "left out" not in visible(written)


def test_no_page_is_too_large() -> None:
    written = package_page(diff(*[long_file(20_000) for _ in range(30)], *SMALL.files))
    assert len(written) < page_files.PAGE_WEIGHT * 1.5
    # What is long leaves no other file without its lines.
    assert [shown_lines(written, 31 + at) for at in range(6)] == [7, 1, 0, 0, 2, 1]
    long = {shown_lines(written, at) for at in range(1, 31)}
    assert len(long) == 1
    assert min(long) > 1_000


def test_unseen_characters_make_no_page_too_large() -> None:
    text = "+" + "a\0" * 1_000
    written = package_page(diff(*[file(f"{at}", hunk(*[text] * 200)) for at in range(10)]))
    assert page_files.PAGE_WEIGHT / 100 < written.count("<b>") < page_files.PAGE_WEIGHT / 48
    assert len(written) < page_files.PAGE_WEIGHT * 1.5


def test_many_hunks_make_no_page_too_large() -> None:
    hunks = [hunk("-a", "+b", old=at, new=at) for at in range(0, 200_000, 10)]
    written = package_page(diff(*[file(f"{at}", *hunks) for at in range(10)]))
    assert written.count("<table>") < page_files.PAGE_WEIGHT / 500
    assert len(written) < page_files.PAGE_WEIGHT * 1.5


def test_long_names_are_cut() -> None:
    written = package_page(diff(file("a" * 5_000, hunk("+a")), file("\x1ba" * 500, hunk("+a"))))
    assert len(visible(written)) < 12_000
    assert f"<h3>{'a' * page_text.NAME_CHARACTERS}<i>4,500 characters left out</i></h3>" in written
    assert f"<h3>{'<b>ESC</b>a' * 20}<i>960 characters left out</i></h3>" in written


def test_files_over_the_limit_are_named() -> None:
    values = [file(f"file_{at}") for at in range(FILES_OF_A_PAGE + 20)]
    written = package_page(diff(*values, file("last", hunk("+a"))))
    assert written.count("<article") == FILES_OF_A_PAGE
    assert "Files changed (10,021)" in written
    assert "<summary>21 more files, by name only</summary>" in written
    assert " 10021. last +1 -0\n" in written


def test_what_to_look_at_twice_is_listed_and_said_at_the_file() -> None:
    written = package_page(SMALL)
    assert written.count("data/bin/chi: made executable") == 2
    assert '<li><a href="#f4">data/bin/chi: made executable</a></li>' in written
    findings = [
        PackageFinding(kind=PackageFindingKind.HIDDEN_IN_NAME, path=f"{at}\x1b")
        for at in range(1_002)
    ]
    written = package_page(diff(file("a"), findings=tuple(findings)))
    assert "Look twice (1,002)" in written
    assert "<li>and 2 more</li>" in written


def test_of_a_long_line_the_part_that_changed_is_shown() -> None:
    before, after = "x" * 600_000, "y" * 400_000
    written = package_page(diff(file("a.min.js", hunk(f"-{before}1{after}", f"+{before}2{after}"))))
    assert len(visible(written)) < 20_000
    assert "<i>599,800 characters left out</i>" not in written
    for digit in "12":
        assert re.search(rf"x<mark>[xy]*{digit}[xy]*</mark>y", written)


def test_the_part_of_a_line_that_changed_is_marked() -> None:
    written = package_page(SMALL)
    assert "-    VERSION = '0.<mark>156</mark>.0'" in written
    assert "+    VERSION = '0.<mark>158</mark>.0'" in written


@pytest.mark.parametrize(
    ("text", "other", "part"),
    [
        ("a = 1", "a = 2", (4, 5)),
        ("same", "same", None),
        ("nothing in common", "1234567890", None),
        ("call(one)", "call(one, two)", (8, 8)),
        ("    return old_value", "    return new_value", (11, 14)),
        ("call(one, two)", "call(one)", (8, 13)),
        ("a.one", "a.none", (2, 5)),
        ("", "a", None),
        ("aaa", "aaaa", (0, 3)),
    ],
)
def test_which_part_of_a_line_changed(text: str, other: str, part: tuple[int, int] | None) -> None:
    assert page_text.changed_part(text, other) == part


if __name__ == "__main__":
    for language in LANGUAGES:
        (HERE / f"page_{language}.html").write_text(
            visible(package_page(SMALL, language=language)), encoding="utf-8"
        )
