"""The files that a command is given: `-` is standard input, what cannot be read has its own words."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any


class CommandError(Exception):
    """A command that cannot be understood, or a file that cannot be read: exit status 2."""


def add_preamble(parser: ArgumentParser) -> None:
    """Add the option that names files of macros."""
    parser.add_argument(
        "--preamble",
        action="append",
        default=[],
        metavar="FILE",
        help="a file of macros to read first, such as a preamble or a style file",
    )


def text_of(name: str) -> str:
    """Read a file as text; `-` is standard input.

    Raises: CommandError where it cannot be read.
    """
    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        return data.decode("utf-8-sig")
    except OSError as error:
        raise CommandError(f"{name}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise CommandError(f"{name}: line {line} is not UTF-8 text") from None


def document_of(name: str, preamble: list[str]) -> Any:
    """Read a document; macros of the preamble files count in it.

    Raises: CommandError where a file cannot be read.
    """
    from namedtensor.latex import read

    macros = "\n".join(map(text_of, preamble))
    return read(text_of(name), "<stdin>" if name == "-" else name, macros)
