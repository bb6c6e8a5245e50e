"""Operations spelled out in other ones, so that the rules know them by one name."""

from __future__ import annotations

from namedtensor.formula.rewrite.patterns import is_number
from namedtensor.primitives import Node, table
from namedtensor.primitives.node import apply_node


def variance(node: Node) -> Node | None:
    """mean[ax]((X - mean[ax](X))^2) is var[ax](X) for real X; of complex numbers it is no square."""
    if node.name != "mean":
        return None
    distance = squared(node.operands[0])
    if distance is None or distance.name != "sub":
        return None
    X, center = distance.operands
    if center.name != "mean" or center.operands[0] is not X or X.type.kind == "complex":
        return None
    if center.operation.params != node.operation.params:
        return None
    return apply_node(table()["var"](*node.operation.params), (X,))


def squared(node: Node) -> Node | None:
    """Read X * X, X ** 2 and square(X) as the square of X."""
    if node.name == "square":
        return node.operands[0]
    if node.name == "mul" and node.operands[0] is node.operands[1]:
        return node.operands[0]
    if node.name == "pow" and is_number(node.operands[1], 2):
        return node.operands[0]
    return None


def rectifier(node: Node) -> Node | None:
    """maximum(0, X) is relu(X)."""
    if node.name != "maximum" or node.type.host:
        return None
    for zero, X in (node.operands, node.operands[::-1]):
        if is_number(zero, 0) and X.type.kind == node.type.kind:
            return apply_node(table()["relu"].plain, (X,))
    return None
