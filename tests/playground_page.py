"""python -m tests.playground_page [--every N]: try the playground in headless Chromium, without a network.

What the page says of each N-th document of tests/latex is what CPython says of it; the puzzles' wrong answers
fail and the right ones pass; how long findings take is measured. Where a program is missing, it says so.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import itertools
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tornado.websocket import WebSocketClientConnection, websocket_connect

from docs.playground.__main__ import server
from docs.playground.building import BuildError, build
from docs.playground.puzzles import PUZZLES
from tests.latex.fixtures import fixtures, said_of

LIMIT = 120.0
WAIT = 60  # as the page says, at most


def missing() -> str:
    """Name the programs that are needed and not there."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    tools = {"chromium": browser, "node": shutil.which("node"), "npm": shutil.which("npm")}
    return ", ".join(name for name, path in tools.items() if path is None)


class Page:
    """One page of a browser that reaches this machine alone."""

    def __init__(self, socket: WebSocketClientConnection, loop: asyncio.AbstractEventLoop) -> None:
        self.socket = socket
        self.loop = loop
        self.numbers = itertools.count(1)
        self.requests: list[str] = []
        self.said: list[str] = []

    def call(self, method: str, **params: Any) -> Any:
        """Call a command of the DevTools protocol."""
        return self.loop.run_until_complete(asyncio.wait_for(self._call(method, params), LIMIT))

    async def _call(self, method: str, params: dict[str, Any]) -> Any:
        number = next(self.numbers)
        await self.socket.write_message(
            json.dumps({"id": number, "method": method, "params": params})
        )
        while True:
            line = await self.socket.read_message()
            assert line is not None, "the browser ended"
            found = json.loads(line)
            if found.get("method") == "Network.requestWillBeSent":
                self.requests.append(found["params"]["request"]["url"])
            if found.get("method") in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled"):
                self.said.append(json.dumps(found["params"]))
            if found.get("id") == number:
                assert "error" not in found, found
                return found["result"]

    def value(self, script: str) -> Any:
        """Give the value of an expression; a promise is waited for."""
        found = self.call(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def until(self, condition: str) -> float:
        """Wait until a condition holds; give the milliseconds since the page was asked for."""
        script = (
            "new Promise((done) => { const look = () => "
            f"({condition}) ? done(performance.now()) : setTimeout(look, 5); look(); }})"
        )
        return float(self.value(script))

    def picture(self, file: Path, width: int, scheme: str, height: int = 900) -> None:
        """Take a picture of the whole page."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", features=features)
        found = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        file.write_bytes(base64.b64decode(found["data"]))


@contextmanager
def opened(folder: Path) -> Iterator[Page]:
    """Serve a folder and open its page."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    assert browser is not None
    loop = asyncio.new_event_loop()
    profile = tempfile.mkdtemp()
    with server(folder, 0) as serving:
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{serving.server_address[1]}/"
        process = subprocess.Popen(
            [
                browser,
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-background-networking",
                "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
                "--remote-debugging-port=0",
                f"--user-data-dir={profile}",
                "about:blank",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "HOME": profile},
        )
        try:
            socket = loop.run_until_complete(_connected(process))
            page = Page(socket, loop)
            for room in ("Page", "Runtime", "Network"):
                page.call(f"{room}.enable")
            page.call("Page.navigate", url=address)
            page.until("document.readyState === 'complete' && document.getElementById('text')")
            yield page
        finally:
            process.kill()
            process.wait()
            assert process.stderr is not None
            process.stderr.close()
            serving.shutdown()
            loop.close()
            shutil.rmtree(profile, ignore_errors=True)


async def _connected(process: subprocess.Popen[str]) -> WebSocketClientConnection:
    """Connect with the page that the browser opens."""
    from tornado.httpclient import AsyncHTTPClient

    assert process.stderr is not None
    line = next(line for line in process.stderr if "DevTools listening on" in line)
    threading.Thread(target=process.stderr.read, daemon=True).start()
    port = line.split("127.0.0.1:")[1].split("/")[0]
    found = await AsyncHTTPClient().fetch(f"http://127.0.0.1:{port}/json/list")
    (target,) = [t for t in json.loads(found.body) if t["type"] == "page"]
    return await websocket_connect(target["webSocketDebuggerUrl"], max_message_size=1 << 28)


# ------------------------------------------------------------------------------------- what is tried


def ask(page: Page, **question: Any) -> tuple[Any, float]:
    """Ask what the page asks; give the answer and the milliseconds that it took."""
    script = (
        "(async () => { const start = performance.now();"
        f" const found = await ask({json.dumps(question)}); return [found, performance.now() - start]; }})()"
    )
    found, took = page.value(script)
    return found, float(took)


def compare(page: Page, every: int) -> tuple[list[str], dict[str, float]]:
    """Name the documents of which the page says something else, and give the times of all checks."""
    other: list[str] = []
    times: dict[str, float] = {}
    for name, text in list(fixtures())[::every]:
        found, took = ask(page, kind="check", text=text, name=name)
        python = ask(page, kind="python", text=text, name=name)[0]
        wanted = said_of(text, name)
        times[name] = took
        if [f["printed"] for f in found["findings"]] != wanted["findings"] or python != wanted[
            "python"
        ]:
            other.append(name)
    return other, times


def ungraded(page: Page) -> list[str]:
    """Name the answers that the page grades wrongly: the shown text, a wrong one, a right one."""
    faults = []
    for place, puzzle in enumerate(PUZZLES):
        page.value(f"part('puzzles').children[{place}].click()")
        for kind, answer in (
            ("shown", puzzle.faulty),
            ("wrong", puzzle.wrong),
            ("right", puzzle.right),
        ):
            _typed(page, puzzle.answered(answer))
            verdict = str(page.value("part('task').querySelector('.verdict').textContent"))
            if (verdict == "Mended.") is not (kind == "right"):
                faults.append(f"{puzzle.title}, {kind} answer: {verdict}")
    page.value("part('free').click()")
    return faults


def _typed(page: Page, text: str) -> float:
    """Type a text; give the milliseconds until its findings show."""
    script = (
        "(async () => { while (busy || again) await new Promise((go) => setTimeout(go, 1));"
        " part('summary').textContent = ''; const start = performance.now();"
        f" text.value = {json.dumps(text)}; text.dispatchEvent(new Event('input'));"
        " while (!part('summary').textContent) await new Promise((go) => setTimeout(go, 1));"
        " const took = performance.now() - start;"
        " while (busy || again) await new Promise((go) => setTimeout(go, 1)); return took; })()"
    )
    return float(page.value(script))


def edits(page: Page, count: int = 20) -> list[float]:
    """Put an axis wrong and right again, and wait for the findings each time."""
    right = str(page.value("OWN"))
    wrong = right.replace(r"\underset{\text{key}}{\cdot}", r"\underset{\text{val}}{\cdot}")
    assert wrong != right
    return [_typed(page, (wrong, right)[i % 2]) for i in range(count)]


def edits_of_documents(page: Page, every: int) -> list[float]:
    """Type a word into the middle of each document of 1.5 kB or more, and take it out, three times."""
    found = []
    large = [text for _, text in fixtures() if len(text) > 1500]
    for text in large[::every]:
        at = text.find("\n", len(text) // 2)
        _typed(page, text)
        found += [_typed(page, t) for t in (text[:at] + " x" + text[at:], text) * 3]
    return sorted(found)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.playground_page", description=__doc__)
    parser.add_argument(
        "--every", type=int, default=1, metavar="N", help="try each N-th document (1)"
    )
    every = parser.parse_args().every
    if missing():
        print(f"the playground was not tried in a browser: {missing()} not found")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        try:
            built = build(Path(folder) / "playground")
        except BuildError as error:
            print(f"the playground was not tried in a browser: {error}")
            return 0
        with opened(built) as page:
            first = page.until("part('summary').textContent")
            page.until("!busy")
            later = edits(page)
            large = edits_of_documents(page, every)
            faults = ungraded(page)
            other, times = compare(page, every)
            outside = [url for url in page.requests if not url.startswith("http://127.0.0.1:")]
            said = page.said
    print(f"first findings {first / 1000:.1f} s after the page was asked for")
    print(f"findings after an edit: {_spread(later)}, up to {WAIT} ms of it waiting for more keys")
    print(
        f"the same in documents of 1.5 to 4 kB: {_spread(large)}, p95 {large[len(large) * 95 // 100]:.0f} ms"
    )
    print(
        f"checks of {len(times)} documents: {_spread([*times.values()])} ({max(times, key=times.get)})"
    )
    for kind, found in (
        ("the page says something else than CPython of", other),
        ("graded wrongly", faults),
        ("asked for from elsewhere", outside),
        ("the browser complains", said),
    ):
        for line in found:
            print(f"{kind}: {line}")
    wrong = len(other) + len(faults) + len(outside) + len(said)
    print(
        f"{len(times) + 3 * len(PUZZLES)} documents and answers tried in the browser, {wrong} faults"
    )
    return 1 if wrong else 0


def _spread(times: list[float]) -> str:
    return f"median {statistics.median(times):.0f} ms, at most {max(times):.0f} ms"


if __name__ == "__main__":
    sys.exit(main())
