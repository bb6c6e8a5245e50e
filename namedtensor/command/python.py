"""Print the Python module that a document defines, in the notation of namedtensor."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

from namedtensor.command.files import add_preamble, document_of
from namedtensor.command.inputs import read_numbers
from namedtensor.errors import NamedTensorError
from namedtensor.formula import Formula
from namedtensor.latex.python import python_of

NAME = "python"
HELP = "print a document as a Python module"


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="Markdown or LaTeX; - for stdin")
    parser.add_argument(
        "--bind",
        nargs="+",
        action="extend",
        default=[],
        metavar="L=N",
        help="numbers of the document: lengths of what it writes with dots, as L=6",
    )
    add_preamble(parser)


def perform(given: Namespace) -> int:
    """Print the formulas that can be written as a module; status 1, and the reasons, if some cannot."""
    document = document_of(given.file, given.preamble)
    numbers = read_numbers(given.bind)
    if numbers:
        document = document.bind(**numbers)
    failed: list[NamedTensorError] = []
    formulas: list[Formula] = []
    for _, found in document.attempts():
        if isinstance(found, Formula):
            formulas.append(found)
        else:
            failed.append(found)
    print(python_of(formulas, failed), end="")
    for text in dict.fromkeys(map(str, failed)):
        print(text, file=sys.stderr)
    return int(bool(failed))
