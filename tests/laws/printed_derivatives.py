"""One law for derivatives that are printed: what is read gives the numbers of what was printed.

The formulas are drawn programs, the sums of what they give, and those of `transformer_named`. Each is derived
by one of its inputs, printed in both dialects, read, checked and run.
"""

from __future__ import annotations

import random
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

import namedtensor as nt
from namedtensor.latex import read
from tests.laws import agreement, printed
from tests.laws.agreement import Disagreement, Runs
from tests.laws.counting import count
from tests.laws.derived import has_no_rule
from tests.laws.draft import Program

WAYS = ("grad", "derivative", "differential")

#: The check warns where a program's own sizes, such as sum[1], are what lets two axes meet.
SIZES = "axis-size"


def hold(program: Program, seed: int) -> list[str]:
    """Raise Disagreement unless what is read of a program's derivative gives its numbers."""
    floats = [i for i, X in enumerate(program.inputs) if X.dtype in ("float64", "float32")]
    kinds = {program.known(r).kind for r in program.results}
    if printed.excluded(program) or program.hidden or not floats or "float" not in kinds:
        return ["excluded"]
    draw = random.Random(seed)
    way = draw.choice(WAYS) if kinds == {"float"} and len(program.results) == 1 else "grad"
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        runs = Runs(printed.declared(program))
        scope = dict(runs.eager.__globals__)
        if way == "grad":
            exec(compile(_total(runs.program), "<total>", "exec"), scope)
        f = nt.formula(scope["program"])
        values = dict(zip([p.name for p in f.signature.parameters], _ordered(runs), strict=True))
        by = program.name(draw.choice(floats))
        return list(held(way, f, by, values))


def held(way: str, f: Any, by: Any, values: dict[str, Any]) -> Iterator[str]:
    """Hold one derivative of a formula to the law."""
    derived, given = getattr(nt, way)(f, by), values
    if way == "differential":
        dX = nt.cos(_at(values, by) + 1.0)
        given = {**values, f"d{by.replace('.', '_')}": dX}
        values = {**values, f"d{by}": dX}
    try:
        expected = derived(**given)
    except nt.NamedTensorError as error:
        yield "no rule" if has_no_rule(error) else "refused"
        return
    for dialect in printed.DIALECTS:
        text = derived.latex(dialect)
        if "·" in text or "‧" in text:
            raise Disagreement("internal name", text)
        document = read(text)
        found = [f for f in (*document.findings, *document.check()) if f.severity != "note"]
        if any(f.code == printed.SUSPECTED for f in found):
            yield printed.SUSPECTED
        elif found and all(f.code == SIZES and f.severity == "warning" for f in found):
            yield SIZES
        elif found:
            raise Disagreement(f"finding {found[0].code}", f"{found[0]}\n{text}")
        try:
            again = document[asked(way, f, by)]
            given = {p.name: named_here(values, p.name) for p in again.signature.parameters}
        except nt.NamedTensorError as error:
            raise Disagreement("nothing to ask", f"{error}\n{text}") from error
        try:
            numbers = again(**given)
        except Exception as error:
            raise Disagreement(f"raises {type(error).__name__}", f"{error}\n{text}") from error
        same(numbers, expected, text)
        yield f"{way}, {dialect}"


def asked(way: str, f: Any, by: str) -> str:
    """Give the name by which the document is asked for a derivative."""
    return f"d{f.name}" if way == "differential" else f"d{f.name}_d{'_'.join(by.split('.')[::-1])}"


def named_here(values: Any, name: str) -> Any:
    """Find a value by its name in a document: gamma_norm for norm.gamma."""
    for path, value in values.items():
        if name in (path, f"d{'_'.join(path[1:].split('.')[::-1])}" if path[0] == "d" else path):
            return value
    for bundle, inner in values.items():
        if isinstance(inner, dict) and name.endswith(f"_{bundle}"):
            return named_here(inner, name.removesuffix(f"_{bundle}"))
    raise KeyError(name)


def same(found: Any, expected: Any, text: str) -> None:
    """Raise Disagreement unless two tensors agree."""
    if found.sizes != expected.sizes and dict(found.sizes) != dict(expected.sizes):
        raise Disagreement("axes", f"{found.shape} for {expected.shape}\n{text}")
    a, b = [X.numpy(*expected.axes).astype(float) for X in (found, expected)]
    finite = np.isfinite(b)
    bound = 1e-4 * (1.0 + np.abs(b[finite]).max(initial=0.0))
    if not (np.abs(a - b)[finite] <= bound).all():
        raise Disagreement("numbers", f"{a}\nfor {b}\n{text}")


def _at(values: Any, path: str) -> Any:
    for part in path.split("."):
        values = values[int(part)] if isinstance(values, list) else values[part]
    return values


def _ordered(runs: Runs) -> list[Any]:
    given = runs.named("numpy")
    order = sorted(range(len(given)), key=lambda i: runs.program.inputs[i].after)
    return [given[i] for i in order]


def _total(program: Program) -> str:
    """Write a program whose result is the sum of all that it gives, and of the squares."""
    *lines, _ = agreement.written(program).rstrip("\n").split("\n")
    names = [program.name(r) for r in program.results if program.known(r).kind == "float"]
    lines = [
        line if not line.startswith("def program(") else line.partition(" -> ")[0].rstrip(":") + ":"
        for line in lines
    ]
    squares = [f"nt.sum[...]({name} * {name} + {name})" for name in names]
    return "\n".join([*lines, f"    return {' + '.join(squares)}"]) + "\n"


if __name__ == "__main__":  # python -m tests.laws.printed_derivatives 0 300
    count(lambda program, seed: set(hold(program, seed)), sys.argv[1:])
