"""The command line: documents checked, run, and printed as Python or LaTeX."""

from namedtensor.command.program import main as main
