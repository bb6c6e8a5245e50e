"""Check documents: print what is wrong, where, and how to mend it."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from namedtensor.command.files import add_preamble, document_of

NAME = "check"
HELP = "find the faults of documents"


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", metavar="FILE", help="Markdown or LaTeX; - for stdin")
    add_preamble(parser)


def perform(given: Namespace) -> int:
    """Print the findings of each file; status 1 where there is an error."""
    faults = 0
    for name in given.files:
        for finding in document_of(name, given.preamble).check():
            print(finding, end="\n\n")
            faults += finding.severity == "error"
    return int(faults > 0)
