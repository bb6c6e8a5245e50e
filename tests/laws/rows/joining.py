"""Rows of joining, of recurrence, and of index-defined tensors."""

from __future__ import annotations

import math
from typing import Any

from hypothesis import strategies as st

import namedtensor as nt
from namedtensor import Axis
from namedtensor.testing import definitions as D
from tests.laws.examples import REAL, WHOLE, Domain, Example
from tests.laws.row import Row
from tests.laws.strategies import Draw, names, operand, overlapping, shaped, sizes, some


@st.composite
def to_concat(draw: Draw, *domains: Domain) -> Example:
    """Tensors that all have one axis, of any sizes, and lift over each other's others."""
    axis = "joined"
    operands = []
    for shape, domain in zip(overlapping(draw, len(domains), most=2), domains, strict=True):
        operands.append(operand(draw, {axis: draw(st.integers(0, 3)), **shape}, domain))
    return Example(tuple(operands), {"axis": axis})


@st.composite
def to_stack(draw: Draw, *domains: Domain) -> Example:
    shapes = overlapping(draw, len(domains))
    operands = [operand(draw, s, d) for s, d in zip(shapes, domains, strict=True)]
    return Example(tuple(operands), {"axis": "new"})


@st.composite
def to_take_apart(draw: Draw) -> Example:
    """An axis in parts, and the part to look at."""
    shape = shaped(draw, 1, 3)
    axis = draw(st.sampled_from(list(shape)))
    parts = tuple(draw(st.lists(st.integers(0, 2), min_size=1, max_size=3)))
    shape[axis] = sum(parts)
    return Example(
        (operand(draw, shape),),
        {"axis": axis, "parts": parts, "which": draw(st.integers(0, len(parts) - 1))},
    )


@st.composite
def to_scan(draw: Draw) -> Example:
    every = sizes(draw, names(draw, 1, 3))
    axis, *others = every
    every[axis] = draw(st.integers(1, 3))
    start = {a: every[a] for a in some(draw, others)}
    return Example((operand(draw, start), operand(draw, every)), {"axis": axis})


def step(h: Any, x: Any) -> Any:
    return 0.5 * h * x + x


def step_of_records(h: Any, x: Any) -> Any:
    return D["add"](D["mul"](D["mul"](0.5, h), x), x)


JOINING = [
    Row(
        "concat",
        to_concat(REAL, REAL)
        | to_concat(REAL, REAL, REAL)
        | to_concat(REAL, WHOLE)
        | to_concat(WHOLE),
        lambda *parts, axis: nt.concat[axis](*parts),
        D["concat"],
        ("concat",),
        meets=True,
    ),
    Row(
        "stack",
        to_stack(REAL, REAL) | to_stack(REAL, REAL, REAL) | to_stack(REAL, WHOLE) | to_stack(WHOLE),
        lambda *parts, axis: nt.stack[axis](*parts),
        D["stack"],
        ("stack",),
        meets=True,
        names=False,
    ),
    Row(
        "split/part",
        to_take_apart(),
        lambda X, axis, parts, which: nt.split[axis](X, parts)[which],
        lambda X, axis, parts, which: D["split"](X, axis, parts)[which],
        ("slice",),
    ),
    Row(
        "unstack/part",
        to_take_apart().filter(lambda example: sum(example.settings["parts"]) > 0),
        lambda X, axis, parts, which: nt.unstack[axis](X)[-1],
        lambda X, axis, parts, which: D["unstack"](X, axis)[-1],
        ("unstack", "at"),
    ),
    Row(
        "scan",
        to_scan(),
        lambda h, X, axis: nt.scan[axis](step, h, X),
        lambda h, X, axis: D["scan"](step_of_records, h, X, axis),
        ("scan",),
        meets=True,
    ),
]

# ------------------------------------------------------- index-defined tensors, meeting data


@st.composite
def with_two_axes(draw: Draw) -> Example:
    shape = shaped(draw, 2, 4)
    row, col = some(draw, list(shape), 2, 2)
    return Example((operand(draw, shape),), {"row": row, "col": col})


def masked(X: Any, row: str, col: str) -> Any:
    return X + nt.define[row, col](lambda i, j: nt.where(j <= i, 0.0, -nt.inf))


def masked_records(T: Any, row: str, col: str) -> Any:
    shape = {row: T.shape[row], col: T.shape[col]}
    return D["add"](T, D["define"](shape, lambda i, j: 0.0 if j <= i else -math.inf))


def waves(X: Any, row: str, col: str) -> Any:
    """The positional encoding, with cases."""
    P = nt.define[row, col](
        lambda p, i: nt.cases(
            (nt.sin(p / 100 ** (i / 4)), i % 2 == 0), nt.cos(p / 100 ** ((i - 1) / 4))
        )
    )
    return X * P


def waves_of_records(T: Any, row: str, col: str) -> Any:
    def number(p: int, i: int) -> float:
        wave = math.sin if i % 2 == 0 else math.cos
        return wave(p / 100 ** ((i - i % 2) / 4))

    return D["mul"](T, D["define"]({row: T.shape[row], col: T.shape[col]}, number))


def diagonal_only(T: Any, row: str, col: str) -> Any:
    same = D["eq"](D["iota"](row, T.shape[row]), D["iota"](col, T.shape[col]))
    return D["where"](same, T, 0.0)


INDEX_DEFINED = [
    Row("define/causal mask", with_two_axes(), masked, masked_records, ("define", "iota")),
    Row("define/positional encoding", with_two_axes(), waves, waves_of_records, ("define", "iota")),
    Row(
        "iota",
        with_two_axes(),
        lambda X, row, col: X * nt.iota(row),
        lambda T, row, col: D["mul"](T, D["iota"](row, T.shape[row])),
        ("iota",),
        names=False,
    ),
    Row(
        "eye",
        with_two_axes(),
        lambda X, row, col: X * nt.eye(row, col),
        diagonal_only,
        ("eye", "iota"),
    ),
    Row(
        "eye/contracted",
        with_two_axes(),
        lambda X, row, col: X @ row @ nt.eye(Axis(row), Axis("new")[X.size(row)]),
        lambda T, row, col: D["rename"](T, {row: "new"}),
        ("eye", "dot"),
        renames=False,
        names=False,
    ),
]

ROWS = [*JOINING, *INDEX_DEFINED]
