"""python -m docs.playground [--build FOLDER] [--port N]: build the page, and serve it on this machine."""

import argparse
import functools
import http.server
import sys
from pathlib import Path
from typing import ClassVar

from docs.playground.building import ROOT, BuildError, build


class Handler(http.server.SimpleHTTPRequestHandler):
    """Files of a folder, with the types that browsers ask of scripts and of WebAssembly."""

    extensions_map: ClassVar = {
        **http.server.SimpleHTTPRequestHandler.extensions_map,
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
    }

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def server(folder: Path, port: int) -> http.server.ThreadingHTTPServer:
    """Serve a folder to this machine alone."""
    handler = functools.partial(Handler, directory=str(folder))
    return http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m docs.playground", description=__doc__)
    parser.add_argument(
        "--build", type=Path, metavar="FOLDER", help="build the page there, and stop"
    )
    parser.add_argument("--port", type=int, default=8000, help="where to serve it (8000)")
    given = parser.parse_args()
    try:
        folder = build((given.build or ROOT / "build" / "playground").resolve())
    except BuildError as error:
        print(f"playground: {error}", file=sys.stderr)
        return 1
    if given.build:
        print(folder / "index.html")
        return 0
    with server(folder, given.port) as serving:
        print(f"http://127.0.0.1:{given.port}/ shows the playground; Ctrl-C ends it", flush=True)
        try:
            serving.serve_forever()
        except KeyboardInterrupt:
            print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
