"""A strict reader of the text of version diffs, and what holds of every one of them.

It takes nothing that `versiondiff.version_diff` does not promise to write: a line that is no part
of the grammar fails the test that reads it.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final, NamedTuple

from versiondiff import Compared, Extent, FileDiff, Limits, VersionDiff

MARK: Final = "[secret hidden]"
SKIPPED: Final = "…"

WORDS: Final = {
    "en": {
        "statuses": {
            "added": "added", "deleted": "deleted", "modified": "modified", "renamed": "renamed",
        },
        "remarks": [
            "only line ends: LF → CRLF", "only line ends: CRLF → LF",
            "too large to compare line by line", "too large to compare", "link target not shown",
        ],
        "cut": r"\[cut: (\d+) bytes, \+(\d+) -(\d+)\]",
        "closing": r"\[not shown: (\d+) more files?, \+(\d+) -(\d+)\]",
    },
    "ja": {
        "statuses": {
            "追加": "added", "削除": "deleted", "変更": "modified", "移動": "renamed",
        },
        "remarks": [
            "改行コードのみ: LF → CRLF", "改行コードのみ: CRLF → LF",
            "大きすぎて行単位では比較できません", "大きすぎて比較できません",
            "リンク先は表示しません",
        ],
        "cut": r"\[省略: (\d+) バイト, \+(\d+) -(\d+)\]",
        "closing": r"\[非表示: 他 (\d+) ファイル, \+(\d+) -(\d+)\]",
    },
}  # fmt: skip


class Row(NamedTuple):
    """A line of a file: its sign, its text, and its number in both files, from 0."""

    sign: str
    text: str
    old: int
    new: int
    has_end: bool


class Hunk(NamedTuple):
    old_start: int
    old_count: int
    new_start: int
    new_count: int
    heading: str
    rows: list[Row]


class Cut(NamedTuple):
    bytes: int
    added: int
    removed: int


class Section(NamedTuple):
    """What the text says of a file."""

    status: str
    added: int | None
    removed: int | None
    remark: int | None
    """Which of the remarks, by its place."""
    path: str | None
    """Of a header of one line."""
    header: list[str]
    pieces: list[Hunk | Cut]
    text: str

    @property
    def hunks(self) -> list[Hunk]:
        return [piece for piece in self.pieces if isinstance(piece, Hunk)]

    @property
    def cuts(self) -> list[Cut]:
        return [piece for piece in self.pieces if isinstance(piece, Cut)]

    @property
    def rows(self) -> list[Row]:
        return [row for hunk in self.hunks for row in hunk.rows]


class Parsed(NamedTuple):
    sections: list[Section]
    closing: Cut | None
    """How many files, and their counts."""
    closing_bytes: int


HUNK: Final = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(?: (.+))?")
HEADER: Final = [
    r"old mode \d{6}", r"new mode \d{6}", r"new file mode \d{6}", r"deleted file mode \d{6}",
    r"similarity index \d+%", "rename from .+", "rename to .+", "Binary files .+ differ", "--- .+",
    r"\+\+\+ .+",
]  # fmt: skip
"""The lines that may follow `diff --git`, in this order."""


def parse(text: str, language: str = "en") -> Parsed:
    """Read a text; whatever is not in the grammar is an error."""
    if not text:
        return Parsed([], None, 0)
    assert text.endswith("\n")
    lines = text.split("\n")[:-1]
    # No line of a file holds what some reader takes for the end of a line; a carriage return
    # stands only before one.
    assert text.splitlines() == [line.removesuffix("\r") for line in lines]
    return _Reader(lines, language).read()


class _Reader:
    def __init__(self, lines: list[str], language: str) -> None:
        self.lines = lines
        self.at = 0
        words = WORDS[language]
        self.statuses: dict[str, str] = words["statuses"]  # type: ignore[assignment]
        self.remarks: list[str] = words["remarks"]  # type: ignore[assignment]
        statuses, remarks = "|".join(self.statuses), "|".join(map(re.escape, self.remarks))
        self.head = re.compile(
            rf"\[({statuses})(?:, \+(\d+) -(\d+))?(?:, ({remarks}))?(?:: (.+))?\]"
        )
        self.cut = re.compile(str(words["cut"]))
        self.closing = re.compile(str(words["closing"]))

    def peek(self) -> str:
        return self.lines[self.at] if self.at < len(self.lines) else ""

    def read(self) -> Parsed:
        sections, closing, closing_bytes = [], None, 0
        while self.at < len(self.lines):
            if match := self.closing.fullmatch(self.peek()):
                assert self.at == len(self.lines) - 1, "the closing line is the last one"
                closing = Cut(*map(int, match.groups()))
                closing_bytes = len(self.peek().encode()) + 1
                self.at += 1
            else:
                sections.append(self.section())
        return Parsed(sections, closing, closing_bytes)

    def section(self) -> Section:
        start = self.at
        match = self.head.fullmatch(self.peek())
        assert match, f"a file starts with its status: {self.peek()[:60]!r}"
        status, added, removed, remark, path = match.groups()
        self.at += 1
        header: list[str] = []
        pieces: list[Hunk | Cut] = []
        if path is None:
            assert self.peek().startswith("diff --git "), self.peek()[:60]
            header.append(self.peek())
            self.at += 1
            for pattern in HEADER:
                if re.fullmatch(pattern, self.peek()):
                    header.append(self.peek())
                    self.at += 1
            while piece := self.piece():
                pieces.append(piece)
        text = "".join(line + "\n" for line in self.lines[start : self.at])
        return Section(
            self.statuses[status],
            None if added is None else int(added),
            None if removed is None else int(removed),
            None if remark is None else self.remarks.index(remark),
            path,
            header,
            pieces,
            text,
        )

    def piece(self) -> Hunk | Cut | None:
        if match := self.cut.fullmatch(self.peek()):
            self.at += 1
            return Cut(*map(int, match.groups()))
        match = HUNK.fullmatch(self.peek())
        if match is None:
            return None
        self.at += 1
        old_start, old_count, new_start, new_count = (
            int(number) if number is not None else 1 for number in match.groups()[:4]
        )
        # Where there is no line, the one before stands.
        old = old_start - (1 if old_count else 0)
        new = new_start - (1 if new_count else 0)
        old_end, new_end = old + old_count, new + new_count
        rows = []
        while old < old_end or new < new_end:
            line = self.peek()
            sign = line[:1]
            assert sign in (" ", "+", "-"), f"a line of a file has a sign: {line[:60]!r}"
            self.at += 1
            has_end = True
            if self.peek() == "\\ No newline at end of file":
                has_end = False
                self.at += 1
            rows.append(Row(sign, line[1:], old, new, has_end))
            old += sign != "+"
            new += sign != "-"
        assert (old, new) == (old_end, new_end), "a hunk has as many lines as it says"
        assert any(row.sign != " " for row in rows), "a hunk shows a change"
        return Hunk(old_start, old_count, new_start, new_count, match.group(5) or "", rows)


# ── What holds of every version diff ────────────────────────────────────────────────────────────


def assert_holds(diff: VersionDiff, limits: Limits, language: str = "en") -> Parsed:
    """Check all that is promised of any version diff; what the text says."""
    size = len(diff.text.encode())
    assert size <= limits.total
    assert all(file.bytes <= limits.file for file in diff.files)
    parsed = parse(diff.text, language)
    shown = [file for file in diff.files if file.extent is not Extent.NOTHING]
    hidden = [file for file in diff.files if file.extent is Extent.NOTHING]
    assert [file.path for file in diff.files] == sorted(file.path for file in diff.files)
    assert len(parsed.sections) == len(shown)
    for section, file in zip(parsed.sections, shown, strict=True):
        assert_section(section, file)
    assert sum(file.bytes for file in diff.files) + parsed.closing_bytes == size
    assert all(file.bytes == 0 for file in hidden)
    if parsed.closing is not None:
        added, removed = (sum(getattr(f, name) for f in hidden) for name in ("added", "removed"))
        assert parsed.closing == (len(hidden), added, removed)
    elif hidden:
        # Not even the closing line fits.
        assert diff.text == ""
        assert limits.total < 60
    assert diff.outcome.no_room == len(hidden)
    assert diff.outcome.cut == sum(f.extent in (Extent.CUT, Extent.HEADER) for f in diff.files)
    counts: dict[str, int] = {}
    for finding in diff.findings:
        counts[finding.rule] = counts.get(finding.rule, 0) + 1
    assert diff.outcome.secrets == counts
    return parsed


def assert_section(section: Section, file: FileDiff) -> None:
    assert len(section.text.encode()) == file.bytes
    assert section.status == file.status.value
    if file.compared is Compared.TOO_LARGE:
        assert (section.added, section.removed) == (None, None)
    else:
        assert (section.added, section.removed) == (file.added, file.removed)
    assert (section.path is not None) == (file.extent is Extent.HEADER)
    if section.pieces:
        rows, cuts = section.rows, section.cuts
        added = sum(row.sign == "+" for row in rows) + sum(cut.added for cut in cuts)
        removed = sum(row.sign == "-" for row in rows) + sum(cut.removed for cut in cuts)
        assert (added, removed) == (file.added, file.removed)
    if file.extent in (Extent.EXACT, Extent.WHOLE):
        assert not section.cuts
    if file.extent is Extent.CUT:
        assert section.cuts or SKIPPED in section.text
    old, new = -1, -1
    for hunk in section.hunks:
        assert (hunk.old_start, hunk.new_start) >= (old, new), "hunks go forward"
        old, new = hunk.old_start + hunk.old_count, hunk.new_start + hunk.new_count


def visible(text: str, *, at_start: bool = False) -> str:
    """A text as it is shown: what could deceive is made visible."""
    shown = []
    for at, letter in enumerate(text):
        if letter == "\t" or not deceives(letter) or (at_start and at == 0 and letter == "\ufeff"):
            shown.append(letter)
        elif letter < " " or letter == "\x7f":
            shown.append("^" + chr(ord(letter) ^ 0x40))
        else:
            shown.append(f"<U+{ord(letter):04X}>")
    return "".join(shown)


def deceives(letter: str) -> bool:
    code = ord(letter)
    return (
        unicodedata.category(letter) == "Cc"
        or code in (0x61C, 0x200B, 0x200E, 0x200F, 0xFEFF)
        or 0x2028 <= code <= 0x202E
        or 0x2060 <= code <= 0x206F
        or 0xFFF9 <= code <= 0xFFFB
        or 0xE0000 <= code <= 0xE007F
    )


def lines_of(text: str) -> list[str]:
    """Lines without their line feeds, as git has them."""
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def assert_rows_are_lines(section: Section, old: str, new: str) -> None:
    """Every row is the line of the file that its number says: whole, or in whole graphemes."""
    sides = {"-": lines_of(old), " ": lines_of(old), "+": lines_of(new)}
    for row in section.rows:
        number = row.new if row.sign == "+" else row.old
        line = sides[row.sign][number]
        assert_shows(row.text.removesuffix("\r"), line.removesuffix("\r"), at_start=number == 0)
        if row.sign == " ":
            assert sides["+"][row.new] == line
        is_last = number == len(sides[row.sign]) - 1
        text = new if row.sign == "+" else old
        assert row.has_end == (not is_last or text.endswith("\n"))


def assert_shows(shown: str, line: str, *, at_start: bool = False) -> None:
    """The text shows the line: all of it, or parts that cut no grapheme, `…` between them."""
    whole = visible(line, at_start=at_start)
    if shown == whole:
        return
    assert SKIPPED in shown, (shown[:80], whole[:80])
    borders = set(grapheme_borders(whole))
    at = 0
    for part in filter(None, shown.split(SKIPPED)):
        while True:
            at = whole.find(part, at)
            assert at >= 0, f"{part!r} is no part of the line, or cuts a grapheme"
            if at in borders and at + len(part) in borders:
                break
            at += 1
        at += len(part)


def grapheme_borders(text: str) -> list[int]:
    """Where one may cut: a rule for what the tests write, not all of UAX 29."""
    joiner = "\u200d"
    found = [0]
    flags = 0
    for at in range(1, len(text)):
        before, letter = text[at - 1], text[at]
        flags = flags + 1 if _is_flag(before) else 0
        joins = (
            unicodedata.category(letter) in ("Mn", "Me", "Mc")
            or letter == joiner
            or 0x1F3FB <= ord(letter) <= 0x1F3FF
            or (before == joiner and ord(letter) > 0x2000)
            or (_is_flag(letter) and flags % 2 == 1)
        )
        if not joins:
            found.append(at)
    return [*found, len(text)]


def _is_flag(letter: str) -> bool:
    return 0x1F1E6 <= ord(letter) <= 0x1F1FF
