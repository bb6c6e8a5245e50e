"""The command line: `transformer-named g2p|embed|generate`."""

import sys
from argparse import ArgumentParser
from collections.abc import Sequence

from transformer_named.g2p.cli import add_commands
from transformer_named.g2p.errors import G2PError
from transformer_named.published import commands as published

PROGRAM = "transformer-named"
EXTRA = "pip install 'namedtensor-notation[g2p]'"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; a mistake becomes one line on stderr and status 1."""
    parser = ArgumentParser(PROGRAM, description="Transformers written in axis names, put to work.")
    jobs = parser.add_subparsers(dest="job", required=True, metavar="JOB")
    add_commands(jobs.add_parser("g2p", help="grapheme to phoneme on CMUdict"))
    published.add_commands(jobs)
    given = parser.parse_args(arguments)
    try:
        if given.job != "g2p":
            status: int = given.run(given)
            return status
        from transformer_named.g2p.commands import COMMANDS

        return COMMANDS[given.command](given)
    except (G2PError, published.NoWeights, published.OutOfRange) as error:
        print(f"{PROGRAM}: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"{PROGRAM}: {error.filename}: {error.strerror}", file=sys.stderr)
        return 1
    except ModuleNotFoundError as error:
        if str(error.name).startswith(("namedtensor", "transformer_named")):
            raise
        extra = EXTRA if given.job == "g2p" else published.EXTRA
        print(f"{PROGRAM}: the module {error.name} is missing: {extra}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"{PROGRAM}: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
