"""One law for programs that are derived: the table's derivatives give torch's gradients.

Of a drawn program in float64 the sum of its results, and of their squares, is derived on symbols by each
input, backwards and forwards; torch derives the same numbers as it does for everybody.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

import namedtensor as nt
from tests.laws.agreement import Disagreement, Runs, to_torch
from tests.laws.counting import count
from tests.laws.draft import Program
from tests.laws.test_derivatives import NO_RULE, NO_RULE_BY

#: Operations without a rule, as their errors name them.
UNRULED = {*NO_RULE, *[name for name, _ in NO_RULE_BY]}


def has_no_rule(error: nt.NamedTensorError) -> bool:
    """Say whether an error is that of an operation without a rule for its derivative."""
    said = str(error)
    return "lifted without a rule" in said or any(f"{name} has no rule" in said for name in UNRULED)


def floats(program: Program, runs: Runs) -> list[int]:
    """List the inputs that a program is derived by; none where it is not held to the law."""
    if program.faulty or program.dtype != "float64":
        return []
    if not any(program.known(r).kind == "float" for r in program.results):
        return []
    own = [i for i, X in enumerate(program.inputs) if X.kind == "float"]
    return [i for i in own if runs.arrays[i].dtype == np.float64]


def total(runs: Runs, given: Sequence[Any]) -> Any:
    """Add up all real results of a program, and their squares."""
    found = runs.call(runs.eager, list(given))
    results = found if isinstance(found, tuple) else (found,)
    return sum([nt.sum[...](Y * Y + Y) for Y in results if Y.kind == "float"])


def by_torch(program: Program, runs: Runs, places: Sequence[int]) -> list[Any]:
    """Let torch derive; None where it has no gradient of its own."""
    given = []
    for i, (X, array) in enumerate(zip(program.inputs, runs.arrays, strict=True)):
        data = to_torch(array, X.dtype)
        data = data.clone().requires_grad_() if i in places else data
        given.append(nt.tensor(data, *X.axes))
    try:
        data = total(runs, given).torch()
        if data.requires_grad:
            data.backward()
    except (RuntimeError, nt.NamedTensorError):
        return []  # torch has no backward of some operations on nothing
    found = [given[i].data.grad for i in places]
    return [
        np.zeros(runs.arrays[i].shape) if g is None else g.numpy()
        for i, g in zip(places, found, strict=True)
    ]


def hold(program: Program) -> list[str]:
    """Raise Disagreement unless derivatives are those of torch; give the ways that were tried."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        runs = Runs(program, spread=True)
        places = floats(program, runs)
        expected = by_torch(program, runs, places) if places else []
        return [
            way
            for place, wanted in zip(places, expected, strict=False)
            for way in _held(program, runs, place, wanted)
        ]


def _held(program: Program, runs: Runs, place: int, expected: Any) -> list[str]:
    given = runs.named("numpy")
    X, name = given[place], program.name(place)

    def one(x: Any) -> Any:
        return total(runs, [*given[:place], x, *given[place + 1 :]])

    try:
        found = nt.grad(one)(X).numpy(*program.inputs[place].axes)
        dX = nt.cos(X + 1.0)
        change = float(nt.differential(one)(X, dX).numpy())
    except nt.DerivativeError as error:
        if has_no_rule(error):
            return ["no rule"]
        raise Disagreement("derivative raises", f"by {name}: {error}") from error
    except nt.NamedTensorError as error:
        raise Disagreement("derivative raises", f"by {name}: {error}") from error
    finite = np.isfinite(found) & np.isfinite(expected)
    # a gradient sums over all results: its rounding is that of the largest
    bound = 1e-6 * (1.0 + float(np.abs(expected[finite]).max(initial=0.0)))
    if not (np.abs(found - expected)[finite] <= bound).all():
        raise Disagreement("derivative", f"by {name}:\n{found}\ntorch\n{expected}")
    along = float((expected * dX.numpy(*program.inputs[place].axes)).sum())
    if abs(change - along) > bound * (1.0 + expected.size):  # no number is no fault
        raise Disagreement("change", f"by {name}: {change}, and torch's {along}")
    return ["backwards", "forwards"]


if __name__ == "__main__":  # python -m tests.laws.derived 0 3000
    count(lambda program, _: hold(program), sys.argv[1:])
