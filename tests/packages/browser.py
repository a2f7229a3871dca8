"""A browser without a window, driven over a pipe.

Chromium speaks its DevTools protocol over two pipes: JSON, each message ended by a NUL. The few
calls that the tests make don't weigh up a package that drives browsers: those bring a browser of
their own, or a web socket and a driver, and this is a page of code.
"""

from __future__ import annotations

import base64
import itertools
import json
import os
import selectors
import shutil
import subprocess
import time
from typing import TYPE_CHECKING, Any, Final, Self

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Browser", "NotStarted", "found"]

_NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_FLAGS: Final = (
    "--headless=new",
    "--remote-debugging-pipe",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-gpu",
    "--disable-sync",
    "--hide-scrollbars",
    "--mute-audio",
    "--window-size=1280,900",
)
_CODES: Final = {"Tab": 9, "Enter": 13, "Escape": 27}
"""Keys that do something by themselves are known by their number."""
_ENDED: Final = "the browser ended before it answered"
_PATIENCE: Final = 60.0
"""How long an answer is waited for, in seconds; a machine may be busy with other tests."""


def found() -> str | None:
    """Where a browser is that can be driven."""
    return next((path for path in map(shutil.which, _NAMES) if path is not None), None)


class NotStarted(Exception):
    """The browser ended before it answered, as where it may not make its sandbox."""


class Browser:
    """One browser with one page, and all that the page said and asked for."""

    def __init__(self, program: str, profile: Path, *, scheme: str = "light") -> None:
        self.events: list[dict[str, Any]] = []
        """What the browser told of, in order: messages with `method` and `params`."""
        self._numbers = itertools.count(1)
        self._rest = b""
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()
        # The browser reads from descriptor 3 and writes to 4; a shell puts the pipes there.
        there = f'exec "$@" 3<&{to_browser} 4>&{from_browser}'
        flags = [*_FLAGS, f"--user-data-dir={profile}"]
        if os.getuid() == 0:
            flags.append("--no-sandbox")
        self._log = (profile.parent / f"{profile.name}.log").open("wb")
        self._process = subprocess.Popen(
            ["/bin/bash", "-c", there, "bash", program, *flags, "about:blank"],
            pass_fds=(to_browser, from_browser),
            # Nothing of who runs the tests is read or written.
            env={"PATH": os.environ["PATH"], "HOME": str(profile.parent), "LANG": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._session: str | None = None
        try:
            self._attach(scheme)
        except BaseException:
            self.__exit__()
            raise

    def _attach(self, scheme: str) -> None:
        """Take the browser's first page."""
        target = next(
            each["targetId"]
            for each in self.call("Target.getTargets")["targetInfos"]
            if each["type"] == "page"
        )
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.scheme(scheme)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._write)
        try:
            # A browser whose pipe ends goes by itself.
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._read)
        self._log.close()

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """What the browser answers to a call of its protocol."""
        number = next(self._numbers)
        message: dict[str, Any] = {"id": number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        try:
            os.write(self._write, json.dumps(message).encode() + b"\0")
        except BrokenPipeError as error:
            raise NotStarted(_ENDED) from error
        until = time.monotonic() + _PATIENCE
        while True:
            answer = self._next(until)
            if answer.get("id") == number:
                assert "error" not in answer, f"{method}: {answer['error']}"
                result: dict[str, Any] = answer["result"]
                return result

    def _next(self, until: float) -> dict[str, Any]:
        """The next message; what is no answer is kept as an event."""
        while b"\0" not in self._rest:
            with selectors.DefaultSelector() as selector:
                selector.register(self._read, selectors.EVENT_READ)
                ready = selector.select(max(0.0, until - time.monotonic()))
            assert ready, "the browser does not answer"
            more = os.read(self._read, 1 << 20)
            if not more:
                raise NotStarted(_ENDED)
            self._rest += more
        text, self._rest = self._rest.split(b"\0", 1)
        message: dict[str, Any] = json.loads(text)
        if "method" in message:
            self.events.append(message)
        return message

    def scheme(self, name: str) -> None:
        """Prefer light or dark colours."""
        features = [{"name": "prefers-color-scheme", "value": name}]
        self.call("Emulation.setEmulatedMedia", features=features)

    def scripts(self, *, allowed: bool) -> None:
        """Whether the next page's own scripts may run."""
        self.call("Emulation.setScriptExecutionDisabled", value=not allowed)

    def open(self, address: str) -> float:
        """Open an address; how long it took until the page was loaded, in seconds."""
        self.events.clear()
        start = time.monotonic()
        self.call("Page.navigate", url=address)
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self._next(start + _PATIENCE)
        # Drawn as well: a page that hangs when it is drawn is not usable.
        self.frame()
        return time.monotonic() - start

    def run(self, script: str) -> Any:
        """The value of an expression in the page, awaited."""
        answer = self.call(
            "Runtime.evaluate",
            expression=script,
            returnByValue=True,
            awaitPromise=True,
            allowUnsafeEvalBlockedByCSP=False,
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def press(self, key: str) -> None:
        """Press a key and let it go; one letter also types it."""
        text = {"text": "\r" if key == "Enter" else key} if len(key) == 1 or key == "Enter" else {}
        code = {"windowsVirtualKeyCode": _CODES[key]} if key in _CODES else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **text, **code)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, **code)

    def frame(self) -> None:
        """Wait until what can be seen is drawn; it needs no script in the page."""
        self.call("Page.captureScreenshot", format="jpeg", quality=1)

    def draw(self, path: Path) -> None:
        """Keep what can be seen as a PNG file."""
        answer = self.call("Page.captureScreenshot", format="png")
        path.write_bytes(base64.b64decode(answer["data"]))

    def requests(self) -> list[str]:
        """The addresses that the page has asked for since it was opened."""
        return [
            event["params"]["request"]["url"]
            for event in self.events
            if event["method"] == "Network.requestWillBeSent"
        ]

    def complaints(self) -> list[str]:
        """What stands in the page's console since it was opened."""
        return [
            json.dumps(event["params"])
            for event in self.events
            if event["method"]
            in {"Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"}
        ]
