"""The page of a package diff in a browser: it reads, folds, filters, jumps and asks for nothing."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

import pytest

from packages import browser
from packages.browser import Browser
from packages.opened_page import CONTRASTS, SETTLED, Page, Server
from packages.page_values import CANARY, HOSTILE, SMALL, diff, file, hunk, large, long_file
from versiondiff.packages import FileStatus
from versiondiff.packages.page import package_page

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FOCUSED: Final = "document.activeElement.closest('article')?.id"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    program = browser.found()
    if program is None:
        pytest.skip("there is no Chromium on the path")
    folder = tmp_path_factory.mktemp("browser")
    try:
        opened = Browser(program, folder / "profile")
    except browser.NotStarted as error:
        pytest.skip(str(error))
    with opened:
        yield Page(opened, folder)


def test_a_browser_that_does_not_start_is_known(tmp_path: Path) -> None:
    with pytest.raises(browser.NotStarted, match="ended before it answered"):
        Browser("/bin/false", tmp_path / "profile")


@pytest.fixture
def small(page: Page) -> Page:
    """The small page, opened anew."""
    page.open(package_page(SMALL))
    return page


def test_it_opens_from_a_file_and_nothing_is_complained_of(small: Page) -> None:
    assert small.run("document.title") == "samagotchi 0.156.0 → 0.158.0"
    assert small.run("document.compatMode") == "CSS1Compat"
    assert len(small.browser.requests()) == 1
    assert small.browser.complaints() == []
    assert small.run("document.getElementById('count').textContent") == "6 of 6 files"
    assert small.open_files() == ["f1", "f2", "f3", "f4", "f6"]


def test_it_reads_without_a_script(page: Page) -> None:
    page.browser.scripts(allowed=False)
    try:
        page.open(package_page(SMALL))
        assert page.run("getComputedStyle(document.getElementById('bar')).display") == "none"
        assert "0.158.0" in page.run("document.getElementById('f1').innerText")
        assert page.open_files() == ["f1", "f2", "f3", "f4", "f6"]
        page.click("#f5 summary")
        page.click("#f1 summary")
        assert page.open_files() == ["f2", "f3", "f4", "f5", "f6"]
        page.click("nav li:nth-child(6) a")
        assert page.run("location.hash") == "#f6"
    finally:
        page.browser.scripts(allowed=True)


def test_files_are_hidden_and_shown(small: Page) -> None:
    small.click("#hide")
    assert small.open_files() == []
    small.click("#show")
    assert small.open_files() == ["f1", "f2", "f3", "f4", "f5", "f6"]
    small.press("h")
    assert small.open_files() == []
    small.press("s")
    assert small.open_files() == ["f1", "f2", "f3", "f4", "f5", "f6"]


def test_files_are_filtered_by_path_and_kind(small: Page) -> None:
    small.press("/", *"Lib")
    assert small.run("document.activeElement.id") == "query"
    assert small.shown() == ["f2", "f6"]
    assert small.run("document.getElementById('count').textContent") == "2 of 6 files"
    small.press(*" !gone")
    assert small.shown() == ["f2"]
    small.press("Enter")
    assert small.run(FOCUSED) == "f2"
    small.press("/", "Escape")
    assert len(small.shown()) == 6
    assert small.run("document.activeElement === document.body")
    for kind, files in {
        "added": ["f3"],
        "changed": ["f1", "f5"],
        "renamed": ["f2"],
        "mode_changed": ["f4"],
        "deleted": ["f6"],
        "binary": ["f3"],
        "flagged": ["f3", "f4"],
        "generated": ["f5"],
        "": ["f1", "f2", "f3", "f4", "f5", "f6"],
    }.items():
        small.run(
            f"kind.value = '{kind}'; kind.dispatchEvent(new Event('change', {{bubbles: true}}))"
        )
        assert small.run("document.getElementById('kind').value") == kind
        assert small.shown() == files


def test_keys_lead_from_file_to_file(small: Page) -> None:
    visited = []
    for key in ("n", "n", "n", "p", "n", "n", "n", "n", "n"):
        small.press(key)
        visited.append(small.run(FOCUSED))
    assert visited == ["f1", "f2", "f3", "f2", "f3", "f4", "f5", "f6", "f6"]
    small.press("p", "o")
    assert "f5" in small.open_files()
    small.press("o")
    assert "f5" not in small.open_files()
    small.press("l")
    assert small.run("document.activeElement.closest('nav') !== null")
    # Keys with Ctrl, and those that are typed, are not taken.
    small.press("/", "n", "p")
    assert small.run("document.activeElement.value") == "np"


def test_the_help_opens_and_closes(small: Page) -> None:
    small.press("?")
    assert small.run("document.getElementById('help').open")
    small.press("h")
    assert small.open_files() != []
    small.press("Escape")
    assert not small.run("document.getElementById('help').open")
    small.click("#ask")
    assert small.run("document.getElementById('help').open")
    small.click("#close")
    assert not small.run("document.getElementById('help').open")


def test_links_lead_to_files_and_open_them(small: Page) -> None:
    small.click("nav li:nth-child(5) a")
    small.run(SETTLED)
    assert small.run("location.hash") == "#f5"
    assert small.run(FOCUSED) == "f5"
    assert "f5" in small.open_files()
    small.open(package_page(SMALL), "#f5")
    assert "f5" in small.open_files()


def test_far_files_are_reached(page: Page) -> None:
    page.open(package_page(large(300, 60)), "#f200")
    page.run(SETTLED)
    for number in (200, 201, 202):
        top = page.run(f"document.getElementById('f{number}').getBoundingClientRect().top")
        assert 0 <= top < 100
        page.press("n")


def test_the_order_of_focus_is_that_of_the_page(small: Page) -> None:
    found = []
    for _ in range(10):
        small.press("Tab")
        found.append(small.run("document.activeElement.id || document.activeElement.className"))
        where = small.run(
            "(document.activeElement.closest('nav, main, header') ?? document.body).tagName"
        )
        if where == "MAIN":
            break
    assert found[:6] == ["skip", "query", "kind", "hide", "show", "ask"]
    small.open(package_page(SMALL))
    small.press("Tab", "Enter")
    assert small.run("document.activeElement.id") == "files"


def test_it_is_told_to_who_does_not_see_it(small: Page) -> None:
    small.browser.call("Accessibility.enable")
    nodes = small.browser.call("Accessibility.getFullAXTree")["nodes"]
    small.browser.call("Accessibility.disable")
    roles = [node["role"]["value"] for node in nodes if not node["ignored"]]
    for landmark in ("banner", "search", "navigation", "main"):
        assert roles.count(landmark) == 1, landmark
    headings = [
        (
            next(each["value"]["value"] for each in node["properties"] if each["name"] == "level"),
            node["name"]["value"],
        )
        for node in nodes
        if node["role"]["value"] == "heading" and not node["ignored"]
    ]
    assert headings[0] == (1, "samagotchi 0.156.0 → 0.158.0")
    assert headings[1] == (2, "Look twice (2)")
    assert headings[2] == (2, "Files changed (6)")
    assert headings[3] == (3, "data/docs/memory.md")
    assert len([level for level, _ in headings if level == 3]) == 6
    names = {
        node["name"]["value"]
        for node in nodes
        if node["role"]["value"] in {"searchbox", "combobox", "button"} and not node["ignored"]
    }
    assert {"Filter", "Kind", "hide all", "show all", "Keys"} <= names
    headers = {node["name"]["value"] for node in nodes if node["role"]["value"] == "columnheader"}
    assert headers == {"Old line", "New line", "Text"}


def test_numbers_of_lines_are_not_copied(small: Page) -> None:
    copied = small.run(
        "(() => { const table = document.querySelector('#f1 table tbody');"
        " getSelection().selectAllChildren(table); return getSelection().toString(); })()"
    )
    assert copied.rstrip("\n").split("\n") == [
        " one folder per",
        "-git repository, shared by all its worktrees",
        "+project, shared by all its worktrees",
        "+and its subfolders",
        " at last",
    ]


# ── What a package may hold ─────────────────────────────────────────────────────────────────────


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        yield running


def test_no_script_of_a_file_runs_and_nothing_is_asked_for(page: Page, server: Server) -> None:
    texts = [text.replace("{port}", str(server.port)) for text in HOSTILE]
    files = [
        file(
            text,
            hunk(f"-{text}", f"+{text}", heading=text),
            old_path=f"was {text}",
            status=FileStatus.RENAMED,
        )
        for text in texts
    ]
    page.open(package_page(diff(*files, name=texts[0], old_version=texts[2], new_version=texts[3])))
    page.press("s")
    for _ in texts:
        page.press("n")
    page.press("/", *CANARY)
    time.sleep(0.3)
    assert page.run("document.title") != CANARY
    assert page.run("document.querySelectorAll('img, iframe, svg, base, link, object').length") == 0
    assert page.run("document.scripts.length") == 1
    assert server.asked == []
    assert len(page.browser.requests()) == 1
    assert page.browser.complaints() == []


def test_a_mistake_in_escaping_would_still_run_and_ask_for_nothing(
    page: Page, server: Server
) -> None:
    address = f"//127.0.0.1:{server.port}/{CANARY}"
    slipped = (
        f"<script>document.title='{CANARY}'</script>"
        f"<img src=x onerror=\"document.title='{CANARY}'\">"
        f"<img src=http:{address}><script src=http:{address}></script><iframe src=http:{address}>"
        f"</iframe><style>body {{ background: url(http:{address}) }}</style>"
        f"<link rel=stylesheet href=http:{address}><b style='color: red' id=slipped>x</b>"
    )
    written = package_page(SMALL).replace("one folder per", slipped)
    page.open(written)
    time.sleep(0.3)
    assert page.run("document.querySelectorAll('img').length") == 2
    assert page.run("document.title") != CANARY
    assert (
        page.run("getComputedStyle(document.getElementById('slipped')).color") != "rgb(255, 0, 0)"
    )
    assert server.asked == []
    assert page.browser.complaints() != []
    # Without the policy all of it would have happened: the test sees what it looks for.
    page.open(written.replace('http-equiv="Content-Security-Policy"', 'name="none"'))
    time.sleep(0.3)
    assert page.run("document.title") == CANARY
    assert f"/{CANARY}" in server.asked


# ── How it looks ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_stands_out(page: Page, scheme: str) -> None:
    page.browser.scheme(scheme)
    hostile = file("evil\x1b.rb", hunk("-a \x1b old", "+a \x1b new", " \x1b \u202e", cut=True))
    page.open(package_page(diff(*SMALL.files, hostile, long_file(500))))
    page.press("s", "?")
    back = page.run("getComputedStyle(document.body).backgroundColor")
    assert back == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 28)"}[scheme]
    contrasts = page.run(CONTRASTS)
    assert len(contrasts) > 35
    assert {name: ratio for name, ratio in contrasts.items() if ratio < 4.5} == {}


def test_it_fits_a_narrow_window(page: Page) -> None:
    page.browser.call(
        "Emulation.setDeviceMetricsOverride",
        width=360,
        height=700,
        deviceScaleFactor=1,
        mobile=False,
    )
    try:
        long = file("a" * 300 + "/" + "b" * 300, hunk("+" + "x" * 3000, "-y"))
        page.open(package_page(diff(*SMALL.files, long)))
        page.press("n", "n")
        assert page.run("document.documentElement.scrollWidth") <= 360
    finally:
        page.browser.call("Emulation.clearDeviceMetricsOverride")


def test_marks_that_pile_up_stay_on_their_line(page: Page) -> None:
    written = package_page(diff(file("a", hunk("+e" + "\u0301" * 100, "+next"))))
    page.open(written)
    heights = page.run(
        "[...document.querySelectorAll('#f1 tbody tr')].map(row => row.offsetHeight)"
    )
    assert len(heights) == 2
    assert (
        page.run("getComputedStyle(document.querySelector('#f1 td:nth-child(3)')).overflow")
        == "clip"
    )


# ── How large it may be ─────────────────────────────────────────────────────────────────────────

LOADED: Final = 15.0
"""How long a page may take to be loaded and drawn, in seconds; it is 2 on one busy core."""
USED: Final = 12.0
"""How long filtering twice, opening all, jumping and scrolling may take together, in seconds; it
is 1 on one busy core."""


@pytest.mark.parametrize("what", ["5,000 files", "200,000 lines", "as large as can be"])
def test_large_pages_stay_usable(page: Page, what: str) -> None:
    values = {
        "5,000 files": lambda: large(5_000, 12),
        "200,000 lines": lambda: diff(long_file(200_000), *SMALL.files),
        "as large as can be": lambda: diff(*[long_file(20_000)] * 9, *large(10_000, 1).files),
    }[what]()
    assert page.open(package_page(values)) < LOADED
    start = time.monotonic()
    page.run(f"query.value = 'l'; query.dispatchEvent(new Event('input')); {SETTLED}")
    page.run(f"query.value = ''; query.dispatchEvent(new Event('input')); {SETTLED}")
    page.press("s")
    page.press("n", "n", "n")
    assert page.run(FOCUSED) == "f3"
    page.run(f"scrollTo(0, document.body.scrollHeight / 2); {SETTLED}")
    assert time.monotonic() - start < USED
    assert page.browser.complaints() == []
    page.browser.open("about:blank")
