"""One law for programs that are printed: what is read, and its Python, give the same numbers.

A drawn program is a formula; its text is printed in both dialects, read, checked, run, and written as
Python, which runs too.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from namedtensor.latex import read
from tests.laws import agreement
from tests.laws.agreement import Disagreement, Refused, Runs, outcome, same
from tests.laws.counting import count
from tests.laws.draft import Program, Step

DIALECTS = ("underset", "macros")

#: Another order of the same operations rounds otherwise.
SCALE = 64.0

#: What the check says of text that has a meaning: the sum of a tensor that has used up an axis, and of one
#: that has it, each with axes that the other lacks, is a fault in most papers. What it finds after that
#: follows from it.
SUSPECTED = "axis-returns"


def excluded(program: Program) -> str:
    """Say why a program is not held to the law; nothing where it is."""
    if program.faulty:
        return "it is refused before it is printed"
    if any(_combines_backwards(program, step) for step in program.steps):
        return "an associative scan backwards, or of no elements, is not always read"
    return ""


def _combines_backwards(program: Program, step: Step) -> bool:
    if "nt.associative_scan" not in step.text:
        return False
    sizes = [size for value in step.operands for size in program.known(value).sizes.values()]
    return ", True)" in step.text or 0 in sizes


def declared(program: Program) -> Program:
    """Give the program that says Z and B of whole numbers and truth values, in a formula of its own.

    A part of a program declares R for what it takes, whatever that holds.
    """
    inputs = tuple([replace(X, seed=X.seed | 1) for X in program.inputs])
    program = replace(program, inputs=inputs)
    group = agreement.grouped(program)
    if group is not None and any(program.known(v).kind in ("bool", "int") for v in group[1]):
        program = replace(program, inner=None)
    return program


def hold(program: Program) -> list[str]:
    """Raise Disagreement unless what is read gives the program's numbers; give the ways that were tried."""
    if excluded(program):
        return []
    program = declared(program)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return list(_held(program))


def _held(program: Program) -> Iterator[str]:
    runs = Runs(program)
    given = runs.named("numpy")
    expected = outcome(lambda: runs.call(runs.eager, given), "eager")
    if isinstance(expected, Refused):
        return
    made = runs.formula()
    for dialect in DIALECTS:
        text = made.latex(dialect)
        document = read(text)
        found = [f for f in (*document.findings, *document.check()) if f.severity != "note"]
        if any(f.code == SUSPECTED for f in found):
            yield SUSPECTED
        elif found:
            raise Disagreement(f"finding {found[0].code}", f"{found[0]}\n{text}")
        again = document["program"]
        mine, own = ([p.name for p in f.signature.parameters] for f in (made, again))
        order = sorted(range(len(given)), key=lambda i: program.inputs[i].after)
        values = dict(zip(mine, [given[i] for i in order], strict=True))
        if set(own) != set(mine):
            raise Disagreement("names", f"{own} for {mine}\n{text}")
        way = f"read of {dialect}"
        try:
            same(program, outcome(lambda: again(**values), way), expected, way, SCALE)
        except Disagreement as error:
            raise Disagreement(error.kind, f"{error}\n{text}") from error
        yield way
    yield from _as_python(program, document.python(), values, expected)


def _as_python(program: Program, text: str, values: dict[str, Any], expected: Any) -> Iterator[str]:
    module: dict[str, Any] = {"__name__": "printed"}
    exec(compile(text, "<written>", "exec"), module)
    try:
        found = outcome(lambda: module["program"](**values), "written as Python")
        same(program, found, expected, "written as Python", SCALE)
    except Disagreement as error:
        raise Disagreement(f"python {error.kind}", f"{error}\n{text}") from error
    yield "Python"


def kinds(program: Program, seed: int) -> list[str]:
    """Say why a program is not held to the law, or that it gives the same."""
    reason = excluded(program)
    ways = [] if reason else hold(program)
    return [reason or ("same" if SUSPECTED not in ways else f"same, with {SUSPECTED}")]


if __name__ == "__main__":  # python -m tests.laws.printed 0 1500
    count(kinds, sys.argv[1:])
