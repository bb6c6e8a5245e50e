"""One law for programs whose constructs stand inside of each other.

A text is run by hand (`by_hand`: numpy and Python's loops), as it stands, as formulas with and without
kernels, as formulas in plain Python, untraced, over further axes, under vmap, at other sizes, and derived by
torch and on symbols. All must give the same.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

import namedtensor as nt
from tests.laws import by_hand, derived
from tests.laws.agreement import (
    TRACED,
    Disagreement,
    Numbers,
    Outcome,
    Refused,
    Runs,
    among_its_own_names,
    gradients,
    other_sizes,
    outcome,
    over_another,
    refuses_two_dtypes,
    same,
    same_dtype,
    unchanged,
    under_vmap,
    written,
)
from tests.laws.counting import count
from tests.laws.drawn_nesting import Nested, hand, program
from tests.laws.shortening import shortened


def hold(program: Nested, seed: int, every: bool = False) -> list[str]:
    """Raise Disagreement unless all ways to run a program agree; give the ways that were tried."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        failure: Disagreement | None = None
        for turn in range(3):  # a jump may be near: other numbers show whether it is that
            inputs = tuple([replace(X, seed=X.seed + 5000 * turn) for X in program.inputs])
            try:
                return list(_held(replace(program, inputs=inputs), seed, every))
            except Disagreement as error:
                if failure is not None and failure.kind != error.kind:
                    continue
                failure = error
                if not error.kind.startswith(("numbers", "gradient", "derivative", "change")):
                    break
        assert failure is not None
        raise failure


def _held(program: Nested, seed: int, every: bool) -> Iterator[str]:
    runs = Runs(program, spread=True)
    before = [a.tobytes() for a in runs.arrays]
    try:
        found = hand(program, runs.arrays)
    except by_hand.Nonsense:  # of other numbers than those that it was drawn for
        return
    theirs: Outcome = [Numbers(*in_order(x), x.kind, str(x.array.dtype)) for x in found]
    rounded = replace(program, dtype="float32") if program.single else program
    eager = {}
    for library in ("numpy", "torch"):
        given = runs.named(library)
        eager[library] = outcome(lambda: runs.call(runs.eager, given), f"eager {library}")
        if changes_dtype(eager[library]) or refuses_two_dtypes(eager[library]):
            return
        coarse = rounded if library == "torch" else program
        same(coarse, eager[library], theirs, f"eager {library} for by hand")
        yield library
    formulas = {}
    for library, fuse in TRACED if every else (TRACED[seed % 4], TRACED[(seed + 1) % 4]):
        made = formulas[library, fuse] = runs.formula(fuse=fuse)
        given = runs.named(library)
        way = f"formula on {library}{'' if fuse else ' with fuse=False'}"
        found = outcome(lambda made=made, given=given: runs.call(made, given), way)
        same(rounded, found, eager[library], f"{way} for eager {library}")
        if not program.single:
            same_dtype(program, found, eager[library], f"{way} for eager {library}")
        yield way
    if every or seed % 3 == 0:
        library = ("numpy", "torch")[seed // 3 % 2]
        given = runs.named(library)
        found = outcome(lambda: runs.call(runs.mixed(), given), "formulas in plain Python")
        same(rounded, found, eager[library], f"formulas in plain Python on {library}")
        yield "mixed"
    if every or seed % 3 == 1:
        given = runs.named("numpy")
        found = outcome(lambda: runs.call(runs.formula(trace=False), given), "untraced")
        same(rounded, found, eager["numpy"], "untraced formula on numpy")
        yield "untraced"
    if every or seed % 3 == 2:
        shapes(program, runs)
        yield "shape"
    if every or seed % 2 == 0:
        over_another(rounded, runs, seed)
        yield "another axis"
    if program.hidden:
        given = runs.named("torch")
        under_vmap(rounded, runs, given, eager["torch"])
        among_its_own_names(rounded, runs, given, eager["torch"])
        yield "vmap"
    if program.dtype == "float64":
        if all(X.size for X in runs.arrays):  # a loop of no steps looks at no index
            other_sizes(rounded, formulas)
            yield "other sizes"
        if every or seed % 2:
            gradients(program)
            yield "gradient"
        if every or seed % 4 == 0:
            yield from derived.hold(program)
    unchanged(runs, before)


def changes_dtype(found: Outcome) -> bool:
    """A carry keeps its dtype, and real numbers of whole ones have each library's own."""
    return isinstance(found, Refused) and "a carry keeps its dtype" in found.text


def in_order(x: by_hand.T) -> tuple[tuple[str, ...], Any]:
    axes = tuple(sorted(x.axes))
    return axes, x.over(axes)


def shapes(program: Nested, runs: Runs) -> None:
    """f.shape(...) says which shapes results have."""
    made = runs.formula()
    given = [" ".join(f"{a}[{n}]" for a, n in X.sizes.items()) for X in program.inputs]
    try:
        found = runs.call(made.shape, given)
    except nt.NamedTensorError as error:
        raise Disagreement("shape raises", str(error)) from error
    found = found if len(program.results) > 1 else (found,)
    for shape, known in zip(found, program.outs, strict=True):
        if shape != nt.Shape(" ".join(f"{a}[{n}]" for a, n in known.sizes.items())):
            raise Disagreement("shape", f"f.shape gives {shape} for {known.sizes}")


def shown(program: Nested, seed: int, error: Disagreement, seconds: float = 30.0) -> str:
    """Write down a failure, and a shorter text that fails too."""

    def fails(other: Nested) -> bool:
        try:
            hold(other, seed)
        except Disagreement as found:
            return found.kind == error.kind
        except Exception:  # what was taken away was needed
            return False
        return False

    small = shortened(program, fails, seconds)
    inputs = [f"# {small.name(i)}: {X.sizes} {X.dtype}" for i, X in enumerate(small.inputs)]
    return "\n".join([f"program {seed}: {error}", *inputs, written(small, "@nt.formula")])


def counted(program: Nested, seed: int) -> list[str]:
    """Hold a program to the law; its failure is written down."""
    try:
        return hold(program, seed)
    except Disagreement as error:
        raise Disagreement(error.kind, shown(program, seed, error)) from error


if __name__ == "__main__":  # python -m tests.laws.nested 0 3000
    count(counted, sys.argv[1:], program)
