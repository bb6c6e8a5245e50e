"""Print the formulas of a Python module as a LaTeX document."""

from __future__ import annotations

import importlib.util
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

from namedtensor.command.files import CommandError, text_of
from namedtensor.formula import Formula
from namedtensor.latex.printing.names import DIALECTS
from namedtensor.latex.printing.printer import latex_of

NAME = "latex"
HELP = "print a Python module's formulas as LaTeX"


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE.py", help="a Python file with formulas; it is run")
    parser.add_argument(
        "--dialect",
        choices=DIALECTS,
        default="underset",
        help="plain LaTeX (underset, the default), or the notation's style file: macros, or ndef with a "
        "command for each axis",
    )


def perform(given: Namespace) -> int:
    """Print each formula that the module defines, in the order of its lines, after those it calls."""
    formulas = formulas_of(module_of(given.file))
    if not formulas:
        raise CommandError(f"{given.file}: no @formula is defined in it")
    print("\n\n".join(latex_of(f.written(), given.dialect) for f in with_called(formulas)))
    return 0


def module_of(name: str) -> ModuleType:
    """Run a Python file as a module of its own.

    Raises: CommandError where it cannot be read, or does not run.
    """
    text_of(name)  # raises a CommandError if the file cannot be read
    path = Path(name)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise CommandError(f"{name}: not a Python file; its name ends in .py")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise CommandError(f"{name}: {type(error).__name__}: {error}") from None
    except SystemExit:
        raise CommandError(f"{name}: it ends the program when it is run") from None
    finally:
        sys.path.remove(str(path.parent))
    return module


def formulas_of(module: ModuleType) -> list[Formula]:
    """List the formulas that a module defines itself, as they stand in its file."""
    found = {
        value
        for value in vars(module).values()
        if isinstance(value, Formula) and value.function.__module__ == module.__name__
    }
    return sorted(found, key=lambda formula: formula.function.__code__.co_firstlineno)


def with_called(formulas: Iterable[Formula]) -> list[Formula]:
    """Put formulas of other modules before those that call them or take their parameters."""
    found: dict[Formula, None] = {}

    def add(formula: Formula) -> None:
        if formula in found:
            return
        bundles = [p.bundle for p in formula.signature.parameters if p.bundle is not None]
        for other in (*bundles, *formula.written().called.values()):
            add(other)
        found[formula] = None

    for formula in formulas:
        add(formula)
    return list(found)
