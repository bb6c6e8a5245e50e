"""Print the Python module that a document defines, in the notation of namedtensor."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from namedtensor.command.files import add_preamble, document_of

NAME = "python"
HELP = "print a document as a Python module"


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="Markdown or LaTeX; - for stdin")
    add_preamble(parser)


def perform(given: Namespace) -> int:
    """Print the module of a document."""
    print(document_of(given.file, given.preamble).python(), end="")
    return 0
