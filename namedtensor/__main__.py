"""`python -m namedtensor` is the command `namedtensor`."""

import sys

from namedtensor.command import main

if __name__ == "__main__":
    sys.exit(main())
