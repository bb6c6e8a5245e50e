"""Sizes: whole numbers where they are known, host expressions where the code reads them later."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from namedtensor.errors import AxisSizeError
from namedtensor.primitives.node import Node, apply_node, number
from namedtensor.primitives.primitive import table

Size = Any  # int | Node | None

#: Python's operators that give whole numbers of whole numbers.
OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
}


def combine(operation: str, a: Size, b: Size) -> Size:
    """Compute with sizes: add, sub, mul, floordiv."""
    entry = table()[operation]
    traits = entry.traits
    if isinstance(a, int) and isinstance(b, int):
        return OPERATORS[traits.symbol](a, b)
    need_known(a, b)
    if traits.neutral is not None:
        if is_known(b, traits.neutral):
            return a
        if traits.commutative and is_known(a, traits.neutral):
            return b
    return apply_node(entry.plain, (as_node(a), as_node(b)))


def need_known(*sizes: Size) -> None:
    """Raise AxisSizeError where a size is still open."""
    if any(size is None for size in sizes):
        raise AxisSizeError(
            "index-defined tensor",
            "an axis whose size is still open cannot be cut, merged or split",
            hint="give it a size where it is defined: nt.iota(seq[5])",
        )


def as_node(size: Size) -> Node:
    """Give the node of a size."""
    return size if isinstance(size, Node) else number(size)


def product(sizes: Any) -> Size:
    """Multiply sizes."""
    total: Size = 1
    for size in sizes:
        total = combine("mul", total, size)
    return total


def is_known(size: Size, value: float) -> bool:
    """Say whether a size is known to be a number."""
    return isinstance(size, int) and size == value
