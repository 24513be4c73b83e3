"""A headless Chromium for tests, driven through the DevTools protocol over a pair of pipes.

Each message is a line of JSON that ends in a zero byte, so neither a driver nor a library is needed.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from select import select
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--headless",
    "--remote-debugging-pipe",
    "--no-sandbox",  # root may not use it, and the pages are our own
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND",  # what a page wants from the network, it does not get
    "--window-size=1000,900",
)
KEYS = {
    "Tab": 9, "Enter": 13, "Escape": 27, "Home": 36,
    "ArrowRight": 39, "ArrowLeft": 37, "ArrowDown": 40, "ArrowUp": 38,
}  # fmt: skip
SHIFT = 8  # the modifier
# Chromium reads from the pipe with the number 3, and writes to 4. Both are moved out of the way first: these
# numbers may be in use by the very pipes. A process of its own does it, since a fork with Python code in it
# (preexec_fn) is warned of where JAX has been imported.
HAND_OVER = """
import os, sys
first, second = (os.dup(int(number)) for number in sys.argv[1:3])
os.dup2(first, 3)
os.dup2(second, 4)
for number in (3, 4):
    os.set_inheritable(number, True)
os.execv(sys.argv[3], sys.argv[3:])
"""
SECONDS = 60  # to wait for an answer: the first start on a busy machine took more than 15


def find() -> str | None:
    """The path of a Chromium, or None where there is none."""
    if os.name != "posix":  # pipes are handed over by number
        return None
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Page:
    """One open page. `evaluate` looks at it; `press` and `click` are a user's hands."""

    def __init__(self, process: subprocess.Popen[bytes], to: int, of: int) -> None:
        self.process = process
        self.to, self.of = to, of
        self.rest = b""
        self.count = 0
        self.session: str | None = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def call(self, method: str, **parameters: Any) -> Any:
        self.count += 1
        message: dict[str, Any] = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + SECONDS
        while True:
            line, end, rest = self.rest.partition(b"\0")
            if end:
                self.rest = rest
                answer = json.loads(line)
                if answer.get("id") == self.count:
                    assert "error" not in answer, (method, answer["error"])
                    return answer["result"]
                continue  # an event
            ready, _, _ = select([self.of], [], [], max(0.0, until - time.monotonic()))
            more = os.read(self.of, 1 << 16) if ready else b""
            assert more, f"Chromium gave no answer to {method}"
            self.rest += more

    def evaluate(self, script: str) -> Any:
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def open(self, place: Path | str) -> None:
        """Open a file or an address, and wait until the page and its pictures are there."""
        address = place if isinstance(place, str) else place.as_uri()
        self.call("Page.navigate", url=address)
        self.wait_for(
            f"location.href == {json.dumps(address)} && document.readyState != 'loading'"
            " && [...document.images].every(image => image.complete)"
        )

    def wait_for(self, expression: str, seconds: float = SECONDS) -> None:
        """Wait until a JavaScript expression is true."""
        until = time.monotonic() + seconds
        while not self.evaluate(f"Boolean({expression})"):
            assert time.monotonic() < until, f"{expression} does not come true"
            time.sleep(0.02)

    def emulate(self, *, media: str = "", width: int = 0, **features: str) -> None:
        """Look at the page on paper, in another width, in the dark (prefers_color_scheme="dark"), or so."""
        given = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
        self.call("Emulation.setEmulatedMedia", media=media, features=given)
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width or 1000,
            height=900,
            deviceScaleFactor=1,
            mobile=False,
        )

    def picture(self, element: str) -> bytes:
        """The PNG of what a JavaScript expression gives, as it is on the screen."""
        x, y, width, height = self.evaluate(
            f"(() => {{ const r = ({element}).getBoundingClientRect();"
            " return [r.x + scrollX, r.y + scrollY, r.width, r.height] })()"
        )
        clip = {"x": x, "y": y, "width": width, "height": height, "scale": 1}
        taken = self.call("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)
        return base64.b64decode(taken["data"])

    def press(self, key: str, modifiers: int = 0) -> None:
        named = {"key": key, "code": key, "windowsVirtualKeyCode": KEYS[key], "modifiers": modifiers}
        for kind in ("rawKeyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, **named)

    def write(self, text: str) -> None:
        """Type a text, letter by letter."""
        for letter in text:
            for kind in ("keyDown", "keyUp"):
                self.call("Input.dispatchKeyEvent", type=kind, key=letter, text=letter * (kind == "keyDown"))

    def middle(self, element: str) -> tuple[float, float]:
        """The middle of what a JavaScript expression gives, which is scrolled to where one sees it."""
        x, y = self.evaluate(
            f"(() => {{ const e = {element}; e.scrollIntoView({{block: 'center'}}); "
            "const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2] })()"
        )
        return x, y

    def click(self, element: str) -> None:
        """Click into the middle of what a JavaScript expression gives."""
        self.drag(element, 0)

    def drag(self, element: str, across: float, modifiers: int = 0) -> None:
        """Press the mouse in the middle of an element, move it to the right, and release it there."""
        x, y = self.middle(element)
        moves = [("mousePressed", x)]
        moves += [("mouseMoved", x + across * k / 4) for k in range(1, 5) if across]
        moves += [("mouseReleased", x + across)]
        for kind, at in moves:
            held = {"button": "left", "buttons": 1, "clickCount": 1, "modifiers": modifiers}
            self.call("Input.dispatchMouseEvent", type=kind, x=at, y=y, **held)

    def point(self, element: str) -> None:
        """Move the mouse to the middle of an element."""
        x, y = self.middle(element)
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def swipe(self, element: str, across: float) -> None:
        """Touch the middle of an element with a finger, and move it to the right."""
        x, y = self.middle(element)
        self.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        for k in range(1, 11):
            at = {"x": x + across * k / 10, "y": y}
            self.call("Input.dispatchTouchEvent", type="touchMove", touchPoints=[at])
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])


@contextmanager
def started(program: str, folder: Path, *flags: str) -> Iterator[Page]:
    """A Chromium with one page, which keeps its settings in `folder`; it is gone after the block."""
    its_input, to = os.pipe()
    of, its_output = os.pipe()

    command = [program, *FLAGS, *flags, f"--user-data-dir={folder}"]
    process = subprocess.Popen(
        [sys.executable, "-S", "-c", HAND_OVER, str(its_input), str(its_output), *command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=(its_input, its_output),
    )
    os.close(its_input)
    os.close(its_output)
    try:
        page = Page(process, to, of)
        yield page
        page.session = None
        page.call("Browser.close")
        process.wait(SECONDS)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        os.close(to)
        os.close(of)
