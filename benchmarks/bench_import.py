"""What `import namedtensor` costs beside `import numpy`, which it does when asked, in fresh interpreters."""

import os
import subprocess
import sys
from tempfile import TemporaryDirectory

from benchmarks.pairwise import Comparison, compare
from benchmarks.settings import Settings
from benchmarks.table import Row

PROGRAM = """
from time import perf_counter
start = perf_counter()
import {module}
print(perf_counter() - start)
"""


def seconds_to_import(module: str, bytecode: str) -> float:
    """Import a module in a fresh interpreter and ask it how long the import took."""
    command = [sys.executable, "-c", PROGRAM.format(module=module)]
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": bytecode, "PYTHONDONTWRITEBYTECODE": ""}
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return float(done.stdout)


def compare_imports(module: str, pairs: int) -> Comparison:
    """Time both imports from compiled bytecode, as an installed package has it.

    The warm-up compiles both into a folder of their own: a source tree may have none, numpy has.
    """
    with TemporaryDirectory() as bytecode:
        return compare(
            lambda: seconds_to_import(module, bytecode),
            lambda: seconds_to_import("numpy", bytecode),
            pairs,
        )


def rows(settings: Settings) -> list[Row]:
    return [
        Row(
            f"import {module} / import numpy",
            compare_imports(module, 50 if settings.long else 25),
            goal=1.5 if module == "namedtensor" else None,
        )
        for module in ("namedtensor", "numpy, namedtensor")
    ]
