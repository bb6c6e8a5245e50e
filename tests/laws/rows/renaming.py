"""Rows of renaming and reshaping (paper, section 3.4)."""

from __future__ import annotations

import math
from typing import Any

from hypothesis import strategies as st

from namedtensor import Axis
from namedtensor.testing import definitions as D
from tests.laws.examples import ByAxis, Example
from tests.laws.row import Row
from tests.laws.strategies import (
    NAMES,
    NEW_NAMES,
    Draw,
    names,
    operand,
    shaped,
    sizes,
    some,
)


@st.composite
def to_rename(draw: Draw) -> Example:
    """New names for some axes, which may be one another's old ones."""
    shape = shaped(draw, 1, 4)
    before = some(draw, list(shape), 1)
    taken = [axis for axis in shape if axis not in before]
    free = [name for name in [*before, *NEW_NAMES, *NAMES[:3]] if name not in taken]
    after = some(draw, list(dict.fromkeys(free)), len(before), len(before))
    return Example((operand(draw, shape),), {"names": ByAxis(zip(before, after, strict=True))})


@st.composite
def to_merge(draw: Draw) -> Example:
    shape = shaped(draw, 2, 4)
    merged = some(draw, list(shape), 2)
    into = draw(st.sampled_from([*NEW_NAMES, *merged]))
    return Example((operand(draw, shape),), {"axes": tuple(merged), "into": into})


@st.composite
def to_split(draw: Draw) -> Example:
    """An axis that is the product of some sizes, one of which may be left open."""
    axis, *others = names(draw, 1, 3)
    parts = names(draw, 2, 3, [axis, "first", "second", "third'"])
    split = ByAxis(sizes(draw, parts))
    shape = {axis: math.prod(split.values()), **sizes(draw, others)}
    known = lambda hole: math.prod(n for part, n in split.items() if part != hole) > 0
    hole = draw(st.sampled_from([None, *[part for part in parts if known(part)]]))
    return Example(
        (operand(draw, dict(sorted(shape.items()))),),
        {"axis": axis, "sizes": split, "hole": (hole,)},
    )


def split_axis(X: Any, axis: str, sizes: dict[str, int], hole: tuple[str | None]) -> Any:
    parts = tuple(Axis(name) if name in hole else Axis(name)[n] for name, n in sizes.items())
    return X[Axis(axis) >> parts]


@st.composite
def to_rearrange(draw: Draw) -> Example:
    """An axis of two parts, split, and one part joined to another axis."""
    shape = sizes(draw, ["a", "b", "c"])
    stored = {"a_b": shape["a"] * shape["b"], "c": shape["c"], "batch": 2}
    return Example((operand(draw, stored),), {"size": max(shape["b"], 1)}, ("a_b", "c"))


def rearrange(X: Any, size: int) -> Any:
    return X.rearrange("(a b) c -> b (c a)", b=size)


def rearranged(X: Any, size: int) -> Any:
    split = D["split_axis"](X, "a_b", {"a": X.shape["a_b"] // size, "b": size})
    return D["merge"](split, ["c", "a"], "c_a")


ROWS = [
    Row(
        "rename",
        to_rename(),
        lambda X, names: X[tuple(Axis(a) >> Axis(b) for a, b in names.items())],
        D["rename"],
        ("rename",),
    ),
    Row(
        "rename/string",
        to_rename(),
        lambda X, names: X[", ".join(f"{a} -> {b}" for a, b in names.items())],
        D["rename"],
        ("rename",),
    ),
    Row(
        "merge",
        to_merge(),
        lambda X, axes, into: X[tuple(map(Axis, axes)) >> Axis(into)],
        D["merge"],
        ("merge",),
    ),
    Row(
        "split",
        to_split(),
        split_axis,
        lambda X, axis, sizes, hole: D["split_axis"](X, axis, sizes),
        ("split",),
    ),
    Row(
        "rearrange",
        to_rearrange(),
        rearrange,
        rearranged,
        ("rearrange",),
        renames=False,
        names=False,
    ),
]
