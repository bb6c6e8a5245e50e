"""What `import namedtensor` costs beside `import numpy`, each in a fresh interpreter."""

import subprocess
import sys

from benchmarks.pairwise import compare
from benchmarks.table import Row

PAIRS = 25
PROGRAM = """
from time import perf_counter
start = perf_counter()
import {module}
print(perf_counter() - start)
"""


def seconds_to_import(module: str) -> float:
    """Import a module in a fresh interpreter and ask it how long the import took."""
    command = [sys.executable, "-c", PROGRAM.format(module=module)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def rows() -> list[Row]:
    comparison = compare(
        lambda: seconds_to_import("namedtensor"), lambda: seconds_to_import("numpy"), PAIRS
    )
    return [Row("import namedtensor / import numpy", comparison, goal=1.5)]
