"""Rows of joining, of recurrence, and of index-defined tensors."""

from __future__ import annotations

import math
from typing import Any

from hypothesis import strategies as st

import namedtensor as nt
from namedtensor import Axis
from namedtensor.testing import definitions as D
from namedtensor.testing.recurrence import recurrence
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
def to_scan(draw: Draw, either_way: bool = False) -> Example:
    every = sizes(draw, names(draw, 1, 3))
    axis, *others = every
    every[axis] = draw(st.integers(1, 3))
    start = {a: every[a] for a in some(draw, others)}
    settings = {"reverse": draw(st.booleans())} if either_way else {}
    return Example((operand(draw, start), operand(draw, every)), {"axis": axis, **settings})


@st.composite
def to_combine(draw: Draw) -> Example:
    every = sizes(draw, names(draw, 1, 3))
    axis, *others = every
    every[axis] = draw(st.integers(1, 5))
    a = {axis: every[axis], **{n: every[n] for n in some(draw, others)}}
    b = {axis: every[axis], **{n: every[n] for n in some(draw, others)}}
    settings = {"axis": axis, "reverse": draw(st.booleans())}
    return Example((operand(draw, a), operand(draw, b)), settings)


def step(h: Any, x: Any) -> Any:
    return 0.5 * h * x + x


def step_of_records(h: Any, x: Any) -> Any:
    return D["add"](D["mul"](D["mul"](0.5, h), x), x)


def two_steps(carry: Any, x: Any) -> Any:
    h, c = carry
    return step(c, x), h * c + x


def both(h: Any, X: Any, axis: str, reverse: bool) -> Any:
    """Run two carries that use each other, and give both as one tensor."""
    H, C = nt.scan[axis](two_steps, (h, 1.0), X, reverse=reverse)
    return H + 10 * C


def both_of_records(h: Any, X: Any, axis: str, reverse: bool) -> Any:
    def two(carry: Any, x: Any) -> Any:
        h, c = carry
        return step_of_records(c, x), D["add"](D["mul"](h, c), x)

    one = D["add"](D["mul"](h, 0.0), 1.0)
    carries = recurrence(two, (h, one), (X,), axis, reverse)
    return D["stack"](*[D["add"](h, D["mul"](10, c)) for h, c in carries], axis=axis)


def decayed(earlier: Any, later: Any) -> Any:
    """Combine two steps of h = a h + b."""
    (a, b), (c, d) = earlier, later
    return a * c, b * c + d


def decayed_of_records(earlier: Any, later: Any) -> Any:
    (a, b), (c, d) = earlier, later
    return D["mul"](a, c), D["add"](D["mul"](b, c), d)


def emitted(h: Any, X: Any, axis: str, reverse: bool) -> Any:
    last, Y = nt.scan[axis](step, h, X, emit=lambda h, x: h * x, reverse=reverse)
    return last + Y


def emitted_of_records(h: Any, X: Any, axis: str, reverse: bool) -> Any:
    states = D["scan"](step_of_records, h, X, axis, reverse)
    last = D["at"](states, axis, 0 if reverse else X.shape[axis] - 1)
    return D["add"](last, D["mul"](states, X))


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
    Row(
        "scan/two carries",
        to_scan(either_way=True),
        both,
        both_of_records,
        ("scan",),
        meets=True,
    ),
    Row(
        "scan/emitted",
        to_scan(either_way=True),
        emitted,
        emitted_of_records,
        ("scan",),
        meets=True,
    ),
    Row(
        "associative_scan",
        to_combine(),
        lambda a, b, axis, reverse: sum(nt.associative_scan[axis](decayed, (a, b), reverse)),
        lambda a, b, axis, reverse: D["add"](
            *D["associative_scan"](decayed_of_records, (a, b), axis, reverse)
        ),
        ("associative_scan",),
        meets=True,
    ),
    Row(
        "fold",
        to_scan(),
        lambda h, X, axis: nt.fold[axis](step, h, X),
        lambda h, X, axis: D["fold"](step_of_records, h, X, axis),
        ("scan", "fold"),
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
        "define/an axis that is not used",
        with_two_axes(),
        lambda X, row, col: X * nt.define[row, col](lambda i, j: i + 1),
        lambda T, row, col: D["mul"](T, D["add"](D["iota"](row, T.shape[row]), 1)),
        ("define",),
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
