"""An editor in a few lines: it speaks the protocol to `namedtensor lsp` over pipes."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from typing import Any


class Editor:
    """A client of the server, which answers what it is asked and collects what it is told."""

    def __init__(self, *options: str, encodings: list[str] | None = None, **settings: Any) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "namedtensor", "lsp", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.messages: queue.Queue[dict[str, Any] | None] = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()
        self.diagnostics: dict[str, list[dict[str, Any]]] = {}
        self.versions: dict[str, int] = {}
        self.number = 0
        known = ["utf-16"] if encodings is None else encodings
        general = {
            "general": {"positionEncodings": known} if known else {},
            "textDocument": {},
            "workspace": {},
        }
        self.capabilities = self.ask(
            "initialize",
            processId=None,
            rootUri=None,
            capabilities=general,
            initializationOptions=settings,
        )["capabilities"]
        self.tell("initialized")

    def _listen(self) -> None:
        out = self.process.stdout
        assert out is not None
        while True:
            length = 0
            while (line := out.readline()).strip():
                name, _, value = line.decode().partition(":")
                length = int(value) if name.lower() == "content-length" else length
            if not length:
                self.messages.put(None)
                return
            self.messages.put(json.loads(out.read(length)))

    def _send(self, message: dict[str, Any]) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        self.process.stdin.flush()

    def tell(self, method: str, **params: Any) -> None:
        self._send({"method": method, "params": params})

    def ask(self, method: str, **params: Any) -> Any:
        self.number += 1
        self._send({"id": self.number, "method": method, "params": params})
        while True:
            message = self._next()
            if message.get("id") == self.number and "method" not in message:
                assert "error" not in message, message["error"]
                return message["result"]

    def _next(self, timeout: float = 60.0) -> dict[str, Any]:
        message = self.messages.get(timeout=timeout)
        assert message is not None, "the server ended"
        if message.get("method") == "textDocument/publishDiagnostics":
            params = message["params"]
            self.diagnostics[params["uri"]] = params["diagnostics"]
            self.versions[params["uri"]] = params.get("version") or 0
        elif "id" in message and "method" in message:
            self._send({"id": message["id"], "result": None})
        return message

    def open(self, uri: str, text: str, language: str = "python") -> None:
        document = {"uri": uri, "languageId": language, "version": 1, "text": text}
        self.tell("textDocument/didOpen", textDocument=document)

    def change(self, uri: str, version: int, *changes: dict[str, Any]) -> None:
        self.tell(
            "textDocument/didChange",
            textDocument={"uri": uri, "version": version},
            contentChanges=list(changes),
        )

    def published(self, uri: str, version: int | None = None) -> list[dict[str, Any]]:
        """Wait until something is said of a text, of this version or a later one."""
        while True:
            message = self._next()
            if message.get("method") != "textDocument/publishDiagnostics":
                continue
            if message["params"]["uri"] == uri and self.versions[uri] >= (version or 0):
                return self.diagnostics[uri]

    def at(self, uri: str, line: int, character: int) -> dict[str, Any]:
        return {
            "textDocument": {"uri": uri},
            "position": {"line": line, "character": character},
        }

    def end(self) -> int:
        """Shut the server down and give its exit status."""
        self.ask("shutdown")
        self.tell("exit")
        status = self.process.wait(timeout=30)
        self.close()
        return status

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()
