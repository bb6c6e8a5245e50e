"""Readers that the rules share: the terms of a sum, the scale of a tensor, the counter of an axis."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator
from typing import Any

from namedtensor.operations.elementwise import GE, LE, LOGICAL_NOT
from namedtensor.primitives import Node, number, table
from namedtensor.primitives.node import apply_node, describe


def op(name: str, *operands: Node) -> Node:
    """Apply an operation without parameters."""
    return apply_node(table()[name].plain, operands)


def written(node: Node, depth: int = 2) -> str:
    """Describe a node; the renames of a caller's axes, whose two names look alike, are left out."""
    return re.sub(r"\[((\S+) >> \2(, )?)+\]", "", describe(node, depth))


def each_term(node: Node, whole: Collection[Node] = ()) -> Iterator[Node]:
    """Give the terms of a sum; inner sums that are in `whole` count as one term."""
    waiting = [node]
    while waiting:
        top = waiting.pop()
        if top.name == "add" and (top is node or top not in whole):
            waiting += reversed(top.operands)
        else:
            yield top


def terms(node: Node) -> list[Node]:
    """List the terms of a sum."""
    return list(each_term(node))


def factors(node: Node) -> list[Node]:
    """List the factors of a product."""
    if node.name == "mul":
        return [f for o in node.operands for f in factors(o)]
    return [node]


def peel_scale(node: Node) -> tuple[Node, Node | None]:
    """Split off the number that a tensor is multiplied or divided by."""
    scale: Node | None = None
    while True:
        if node.name == "mul" and any(o.type.host for o in node.operands):
            a, b = node.operands
            node, s = (b, a) if a.type.host else (a, b)
        elif node.name == "div" and node.operands[1].type.host and not node.operands[0].type.host:
            node, s = node.operands[0], op("div", number(1), node.operands[1])
        else:
            return node, scale
        scale = s if scale is None else op("mul", scale, s)


def positive(scale: Node | None) -> bool:
    """Say whether a scale is surely greater than 0: a positive number, a size, a root of one."""
    if scale is None:
        return True
    if scale.value is not None:
        return bool(scale.value > 0)
    if scale.name == "size":
        return True
    return scale.operation.primitive.traits.positive and all(positive(o) for o in scale.operands)


def counter(node: Node) -> str | None:
    """Give the axis of an iota, renamed or not."""
    while node.name == "rename":
        node_axes = node.type.names
        node = node.operands[0]
        if node.name == "iota":
            return node_axes[0]
    return node.type.names[0] if node.name == "iota" else None


def is_number(node: Node, value: float) -> bool:
    found: Any = node.value
    return found is not None and (found == value or (math.isnan(value) and math.isnan(found)))


def below_diagonal(condition: Node) -> tuple[str, str] | None:
    """Read j <= i, in any of its forms, as the pair of axes (i, j)."""
    if condition.operation not in (LE, GE):
        return None
    a, b = [counter(o) for o in condition.operands]
    if a is None or b is None:
        return None
    return (b, a) if condition.operation is LE else (a, b)


def negated(condition: Node) -> Node | None:
    """Give the negation of a condition that is a comparison.

    Numbers must be whole, since neither x < nan nor x >= nan holds.
    """
    if condition.operation is LOGICAL_NOT:
        return condition.operands[0]
    opposite = condition.operation.primitive.traits.opposite
    if opposite and all(o.type.kind == "int" for o in condition.operands):
        return op(opposite, *condition.operands)
    return None
