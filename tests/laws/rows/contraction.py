"""Rows of contraction (paper, section 3.3)."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

import namedtensor as nt
from namedtensor.testing import definitions as D
from tests.laws.examples import REAL, TRUTH, WHOLE, Domain, Example
from tests.laws.row import Row
from tests.laws.strategies import Draw, names, operand, sizes, some

PAIRS = [(REAL, REAL), (WHOLE, WHOLE), (REAL, WHOLE), (TRUTH, REAL), (TRUTH, TRUTH)]


@st.composite
def factors(draw: Draw, *domains: Domain, least: int = 0) -> Example:
    """Operands, and axes under the dot that at least two of them have (both, where there are two)."""
    every = sizes(draw, names(draw, least, 5))
    dotted = some(draw, list(every), least, 3)
    places = range(len(domains))
    shapes: list[dict[str, int]] = []
    owners = {axis: some(draw, places, 2) if len(places) > 2 else [0, 1] for axis in dotted}
    for place in places:
        own = some(draw, [axis for axis in every if axis not in dotted], 0, 2)
        own += [axis for axis in dotted if place in owners[axis]]
        shapes.append({axis: every[axis] for axis in own})
    operands = [operand(draw, s, d) for s, d in zip(shapes, domains, strict=True)]
    return Example(tuple(operands), {"axes": tuple(dotted)})


def several(*operands: Any, axes: tuple[str, ...]) -> Any:
    return nt.dot[axes](*operands)


ROWS = [
    Row(
        "dot",
        st.one_of([factors(*pair) for pair in PAIRS]),
        several,
        D["dot"],
        ("dot",),
        kind="number",
        meets=True,
    ),
    Row(
        "dot/infix",
        factors(REAL, REAL, least=1),
        lambda X, Y, axes: X @ axes @ Y,
        D["dot"],
        ("dot",),
        kind="number",
        meets=True,
    ),
    Row(
        "dot/three",
        factors(REAL, REAL, REAL),
        several,
        D["dot"],
        ("dot",),
        meets=True,
        borrows=True,
    ),
    Row(
        "dot/four",
        factors(REAL, WHOLE, REAL, REAL),
        several,
        D["dot"],
        ("dot",),
        meets=True,
        borrows=True,
    ),
]
