"""Serve an editor: findings, shapes, mends, declarations and renamings, over standard input and output."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from namedtensor.command.files import CommandError

NAME = "lsp"
HELP = "serve an editor over standard input and output"


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--trust",
        action="store_true",
        help="import Python files where they are opened and saved; else they are only read",
    )
    parser.add_argument(
        "--no-inlay", action="store_true", help="show no shapes in the lines of assignments"
    )
    parser.add_argument(
        "--python", default="", metavar="PATH", help="the interpreter that imports Python files"
    )


def perform(given: Namespace) -> int:
    """Serve until the editor ends it.

    Raises: CommandError where the extra `editor` is not installed.
    """
    try:
        from namedtensor.check.server import make_server
    except ImportError as error:
        raise CommandError(
            f"lsp needs {error.name}: pip install 'namedtensor-notation[editor]'"
        ) from None
    server = make_server()
    server.settings.trusted = given.trust
    server.settings.inlay = not given.no_inlay
    server.settings.python = given.python
    try:
        server.start_io()
    finally:
        server.reader.close()
    return 0
