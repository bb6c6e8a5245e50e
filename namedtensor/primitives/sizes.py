"""Sizes: whole numbers where they are known, host expressions where the code reads them later."""

from __future__ import annotations

from typing import Any

from namedtensor.errors import AxisSizeError
from namedtensor.primitives.node import Node, apply_node, number
from namedtensor.primitives.primitive import table

Size = Any  # int | Node | None

_EXACT = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "floordiv": lambda a, b: a // b,
}


def combine(operation: str, a: Size, b: Size) -> Size:
    """Compute with sizes: add, sub, mul, floordiv."""
    if isinstance(a, int) and isinstance(b, int):
        return _EXACT[operation](a, b)
    need_known(a, b)
    if operation == "mul" and (_is(a, 1) or _is(b, 1)):
        return b if _is(a, 1) else a
    if operation in ("add", "sub") and _is(b, 0):
        return a
    return apply_node(table()[operation](), (as_node(a), as_node(b)))


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


def _is(size: Size, value: int) -> bool:
    return isinstance(size, int) and size == value
