"""The command `namedtensor`: run one of its jobs, and turn errors into messages and an exit status.

Exit status: 0 where all is well, 1 where a document has faults, 2 where a command cannot be
understood or a file cannot be read.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser
from collections.abc import Sequence

from namedtensor.command import check, draw, latex, lsp, python, run
from namedtensor.command.files import CommandError
from namedtensor.errors import NamedTensorError

PROGRAM = "namedtensor"
JOBS = (check, run, draw, python, latex, lsp)


def parser() -> ArgumentParser:
    """Make the parser of the command line; each job adds its own options."""
    whole = ArgumentParser(PROGRAM, description="LaTeX of the named tensor notation, as a program.")
    version = sys.modules["namedtensor"].__version__
    whole.add_argument("--version", action="version", version=f"{PROGRAM} {version}")
    jobs = whole.add_subparsers(dest="job", required=True, metavar="JOB")
    for job in JOBS:
        text = (job.__doc__ or "").partition("\n")[0]
        own = jobs.add_parser(job.NAME, help=job.HELP, description=text)
        job.add_arguments(own)
        own.set_defaults(perform=job.perform)
    return whole


def main(arguments: Sequence[str] | None = None) -> int:
    """Do one job; an error becomes a message on stderr and an exit status.

    >>> main(["python", "/nowhere/notes.md"])
    2
    """
    given = parser().parse_args(arguments)
    try:
        status: int = given.perform(given)
        if not sys.stdout.closed:  # `lsp` closes it when the editor has gone
            sys.stdout.flush()
    except CommandError as error:
        print(f"{PROGRAM}: {error}", file=sys.stderr)
        return 2
    except NamedTensorError as error:
        print(error, file=sys.stderr)
        return 1
    except BrokenPipeError:
        # the program that reads our output has ended, as `head` does: write nothing more to it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        print(f"{PROGRAM}: interrupted", file=sys.stderr)
        return 130
    return status
