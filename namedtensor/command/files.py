"""Read the files that a command is given; `-` is standard input."""

from __future__ import annotations

import os
import stat
import sys
from argparse import ArgumentParser
from typing import Any, BinaryIO

#: The longest document that is read, in bytes: ten times a long book of notes.
LONGEST = 16 << 20


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

    Raises: CommandError where it cannot be read, or is longer than any document.
    """
    try:
        if name == "-":
            data = _all_of(name, sys.stdin.buffer)
        else:
            with open(name, "rb", opener=_without_waiting) as file:
                opened, first = file.fileno(), b""
                if stat.S_ISFIFO(os.fstat(opened).st_mode):
                    first = _first_byte(name, opened)
                os.set_blocking(opened, True)
                data = first + _all_of(name, file)
        return data.decode("utf-8-sig")
    except OSError as error:
        raise CommandError(f"{name}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise CommandError(f"{name}: line {line} is not UTF-8 text") from None


def _without_waiting(name: str, flags: int) -> int:
    """Open a file at once, also a pipe that has no writer yet, where `open` would wait."""
    return os.open(name, flags | os.O_NONBLOCK)


def _first_byte(name: str, opened: int) -> bytes:
    """Read the first byte of a pipe if it has come.

    Raises: CommandError where nobody writes to the pipe, so that no byte would ever come.
    """
    import select

    poll = select.poll()
    poll.register(opened, select.POLLIN)
    if poll.poll(0):
        return b""
    try:
        first = os.read(opened, 1)
    except BlockingIOError:  # empty, and somebody may yet write
        return b""
    if not first:
        raise CommandError(f"{name}: is a pipe that nobody writes to")
    return first


def _all_of(name: str, file: BinaryIO) -> bytes:
    """Read a file to its end.

    Raises: CommandError where it is longer than a document may be.
    """
    data = file.read(LONGEST + 1)
    if len(data) > LONGEST:
        raise CommandError(f"{name}: is longer than {LONGEST >> 20} MiB, which no document is")
    return data


def document_of(name: str, preamble: list[str]) -> Any:
    """Read a document, with the macros that the preamble files define.

    Raises: CommandError where a file cannot be read.
    """
    return document_in(text_of(name), name, preamble)


def document_in(text: str, name: str, preamble: list[str]) -> Any:
    """Read the text of a document, with the macros that the preamble files define.

    Raises: CommandError where a file of the preamble cannot be read.
    """
    from namedtensor.latex.documents.opening import read, read_beside

    macros = "\n".join(map(text_of, preamble))
    return read(text, "<stdin>", macros) if name == "-" else read_beside(text, name, macros)
