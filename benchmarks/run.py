"""Run every benchmark and print one table: `make bench`.

A benchmark is a file benchmarks/bench_*.py with a function `rows() -> list[Row]`.
Words on the command line choose among the files: `python -m benchmarks.run import`.
"""

import os
import platform
import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

from benchmarks.table import table


def machine() -> str:
    """Say on what this run measures."""
    libraries = ", ".join(f"{name} {version(name)}" for name in ("numpy", "torch"))
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    system = f"{platform.system()} {platform.machine()}"
    return f"{system}, {cores} cores, Python {platform.python_version()}, {libraries}"


def main(words: list[str]) -> int:
    """Run the benchmarks whose file names hold one of the words; all, if there is none."""
    names = sorted(path.stem for path in Path(__file__).parent.glob("bench_*.py"))
    chosen = [name for name in names if not words or any(word in name for word in words)]
    if not chosen:
        print(f"no benchmark is called {' or '.join(words)}; there are: {' '.join(names)}")
        return 2
    print(machine())
    for name in chosen:
        module = import_module(f"benchmarks.{name}")
        print(f"\n## {name.removeprefix('bench_')}: {(module.__doc__ or '').splitlines()[0]}\n")
        print(table(module.rows()), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
