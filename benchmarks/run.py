"""Run every benchmark and print one table for each: `make bench`.

A benchmark is a file benchmarks/bench_*.py with a function `rows(settings)` that gives lines of the table;
its THREADS, if it has any, are torch's, and all cores are torch's otherwise. Words on the command
line choose among the files: `python -m benchmarks.run eager peers`.
"""

import argparse
import os
import platform
import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import torch

from benchmarks.pairwise import Clock
from benchmarks.results import written
from benchmarks.settings import Settings
from benchmarks.table import table


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def processor() -> str:
    """Name the processor, where the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def machine() -> str:
    """Say on what this run measures."""
    libraries = ", ".join(f"{name} {version(name)}" for name in ("numpy", "torch"))
    card = f", {torch.cuda.get_device_name()}" if torch.cuda.is_available() else ""
    return (
        f"{platform.system()}, {processor()}, {cores()} cores{card}, "
        f"Python {platform.python_version()}, {libraries}"
    )


def section(module: ModuleType, settings: Settings) -> str:
    """Run a benchmark and give its heading, its table, and what its docstring says of both."""
    threads = getattr(module, "THREADS", cores())
    torch.set_num_threads(threads)
    title, _, about = (module.__doc__ or "").partition("\n")
    name = module.__name__.rpartition("bench_")[2]
    note = f"torch on {threads} thread{'s' * (threads > 1)}. {' '.join(about.split())}".strip()
    lines = []
    for line in module.rows(settings):
        print("  ".join(line.cells()), file=sys.stderr, flush=True)  # a long run shows where it is
        lines.append(line)
    return f"## {name}: {title}\n\n{note}\n\n{table(lines)}\n"


def main(words: list[str]) -> int:
    """Run the benchmarks whose file names hold one of the words; all, if there is none."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__)
    parser.add_argument("words", nargs="*", help="words in the names of the benchmarks to run")
    parser.add_argument("--long", action="store_true", help="measure four times as long")
    parser.add_argument("--compiled", action="store_true", help="compile the big model (minutes)")
    parser.add_argument("--processor", action="store_true", help="time the processor, not the wall")
    parser.add_argument("--write", type=Path, help="put each table into this file, by its name")
    given = parser.parse_args(words)
    Clock.processor = given.processor
    settings = Settings(long=given.long, compiled=given.compiled)

    names = sorted(path.stem for path in Path(__file__).parent.glob("bench_*.py"))
    chosen = [n for n in names if not given.words or any(word in n for word in given.words)]
    if not chosen:
        print(f"no benchmark is called {' or '.join(given.words)}; there are: {' '.join(names)}")
        return 2
    print(machine(), end="\n\n", flush=True)
    for name in chosen:
        text = section(import_module(f"benchmarks.{name}"), settings)
        print(text, flush=True)
        if given.write:
            written(given.write, name.removeprefix("bench_"), text, machine())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
