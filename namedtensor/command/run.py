"""Run a formula of a document on random or given numbers, and show what goes in and what comes out."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from namedtensor.command.files import add_preamble, document_of

NAME = "run"
HELP = "evaluate a formula of a document"


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="Markdown or LaTeX; - for stdin")
    parser.add_argument("--name", required=True, help="the formula to evaluate, such as att")
    add_preamble(parser)


def perform(given: Namespace) -> int:
    """Evaluate a formula and print its inputs and its result."""
    print(document_of(given.file, given.preamble)[given.name])
    return 0
