"""Recognise operations that are spelled out in others, so that further rules see one form."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from namedtensor.formula.rewrite.patterns import is_number
from namedtensor.operations.elementwise import prefix
from namedtensor.operations.vectors import DROPOUT_MASK
from namedtensor.primitives import Call, Node, Type, primitive, table
from namedtensor.primitives.node import apply_node
from namedtensor.primitives.notation import KERNEL


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


def drawn_once(node: Node) -> Node | None:
    """dropout(X, p) is X times a mask, which its derivative shares."""
    if node.name != "dropout" or node.type.weak:
        return None
    mask = apply_node(DROPOUT_MASK.plain, node.operands)
    return apply_node(table()["mul"].plain, (node.operands[0], mask))


def relu_gradient(node: Node, present: Collection[Node] = ()) -> Node | None:
    """where(X > 0, G, 0) beside relu(X) is the gradient G of relu(X), handed on to X.

    Where X is nan, so is relu(X), and the kernel hands G on as torch does. Without relu(X) it stays 0.
    """
    if node.name != "where" or node.operands[0].name != "gt" or not is_number(node.operands[2], 0):
        return None
    (X, zero), G = node.operands[0].operands, node.operands[1]
    fits = all(t.kind == "float" and t.data for t in (X.type, G.type))
    if not fits or not is_number(zero, 0) or set(X.type.names) != set(G.type.names):
        return None
    if apply_node(table()["relu"].plain, (X,)) not in present:
        return None
    return apply_node(RELU_GRADIENT.plain, (G, X))


def _float_rule(call: Call) -> Type:
    return Type(call.union(), "float")


def _lower_relu_gradient(emit: Any, call: Any, g: Any, x: Any) -> Any:
    code = emit.call("relu_gradient", g, emit.permute(x, g.axes))
    return emit.bind(code, g.axes, call.type, "slope")


RELU_GRADIENT = primitive("relu_gradient", _float_rule, _lower_relu_gradient, notation=KERNEL)


def accumulated(node: Node, shared: Collection[Node] = ()) -> Node | None:
    """A + B * C of floating data is one operation, where nothing else needs the product.

    It is looked for in steps of loops, where starting an operation takes longer than computing it.
    """
    if node.name != "add":
        return None
    for product, A in (node.operands[::-1], node.operands):
        parts = (A, *product.operands)
        if product.name != "mul" or product in shared:
            continue
        if all(part.type.kind == "float" and part.type.data for part in parts):
            return apply_node(ADDCMUL.plain, parts)
    return None


ADDCMUL = primitive("addcmul", _float_rule, prefix("addcmul"), notation=KERNEL)
