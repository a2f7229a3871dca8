"""A page in the browser as a person meets it, how its text stands out, and who asked for what."""

from __future__ import annotations

import http.server
import threading
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pathlib import Path

    from packages.browser import Browser

__all__ = ["CONTRASTS", "SETTLED", "Page", "Server"]

SETTLED: Final = """
new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))
"""
"""A script that ends when what was done can be seen."""

CONTRASTS: Final = r"""
(() => {
  const parse = (color) => {
    const [red, green, blue, alpha = 1] = color.match(/[\d.]+/g).map(Number);
    return [red, green, blue, alpha];
  };
  const over = (front, back) =>
    [0, 1, 2].map((at) => front[at] * front[3] + back[at] * (1 - front[3])).concat(1);
  const light = (color) => {
    const [red, green, blue] = color.slice(0, 3).map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const behind = (element) => {
    const layers = [];
    for (let each = element; each !== null; each = each.parentElement) {
      layers.push(parse(getComputedStyle(each).backgroundColor));
    }
    return layers.reverse().reduce((back, front) => over(front, back), parse("rgb(255, 255, 255)"));
  };
  const found = {};
  const add = (element, part) => {
    const style = getComputedStyle(element, part);
    const back = behind(element);
    const front = over(parse(style.color), back);
    const [high, low] = [light(front), light(back)].sort((one, other) => other - one);
    const around = element.parentElement.className;
    const name = `${element.tagName} ${element.className} ${part ?? ""} in ${around}`;
    found[name] = Math.min(found[name] ?? 99, (high + 0.05) / (low + 0.05));
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (walker.currentNode.data.trim() !== "" && !element.closest("script, .skip:not(:focus)")) {
      add(element);
    }
  }
  for (const [selector, part] of [["ol > li", "::before"], ["article summary", "::before"]]) {
    add(document.querySelector(selector), part);
  }
  for (const element of document.querySelectorAll("input, select, button")) {
    add(element);
  }
  return found;
})()
"""
"""A script: of each kind of text how it stands out from what is behind it, as WCAG has it."""


class Page:
    """A page in the browser, as a person meets it."""

    def __init__(self, browser: Browser, folder: Path) -> None:
        self.browser = browser
        self._file = folder / "page.html"

    def open(self, written: str, part: str = "") -> float:
        """Write a page to a file and open that; how long it took, in seconds."""
        self._file.write_text(written, encoding="utf-8")
        # A page that only differs in its part is not loaded anew.
        self.browser.open("about:blank")
        return self.browser.open(f"{self._file.as_uri()}{part}")

    def run(self, script: str) -> Any:
        return self.browser.run(script)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.browser.press(key)
        self.run(SETTLED)

    def shown(self) -> list[str]:
        """The numbers of the files that are shown, in the listing and beneath."""
        rows = self.run(
            "[...document.querySelectorAll('ol > li:not([hidden])')].map(row => `f${row.value}`)"
        )
        sections = self.run(
            "[...document.querySelectorAll('article:not([hidden])')].map(file => file.id)"
        )
        assert rows == sections
        return [str(name) for name in rows]

    def open_files(self) -> list[str]:
        found: list[str] = self.run(
            "[...document.querySelectorAll('article > details[open]')]"
            ".map(fold => fold.parentElement.id)"
        )
        return found

    def click(self, selector: str) -> None:
        """Click into the middle of an element."""
        at = f"document.querySelector({selector!r})"
        self.run(f"{at}.scrollIntoView({{block: 'center'}})")
        # What comes into view for the first time gets its height when it is drawn.
        self.browser.frame()
        place = self.run(
            f"(box => [box.left + box.width / 2, box.top + box.height / 2])"
            f"({at}.getBoundingClientRect())"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.browser.call(
                "Input.dispatchMouseEvent",
                type=kind,
                x=place[0],
                y=place[1],
                button="left",
                clickCount=1,
            )


class Server:
    """A server that nothing is to ask; it keeps who did."""

    def __init__(self) -> None:
        asked: list[str] = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append(self.path)
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self.asked = asked
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever)

    def __enter__(self) -> Server:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
