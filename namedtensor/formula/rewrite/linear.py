"""A contraction with a bias is a linear map; one with the identity is a renaming."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Collection
from typing import Any

from namedtensor.formula.rewrite.patterns import counter, each_term, is_number, op
from namedtensor.primitives import Call, Node, Type, primitive, table
from namedtensor.primitives.node import apply_node
from namedtensor.primitives.notation import KERNEL


def identity(node: Node) -> Node | None:
    """eye(ax, bx) @ bx @ X is X[bx >> ax]."""
    if node.name != "dot" or len(node.operands) != 2 or len(node.operation.params[0]) != 1:
        return None
    (axis,) = node.operation.params[0]
    for one, X in (node.operands, node.operands[::-1]):
        if one.name != "where" or not one.type.weak or X.type.weak:
            continue
        condition, yes, no = one.operands
        if condition.name != "eq" or not is_number(yes, 1) or not is_number(no, 0):
            continue
        axes = [counter(o) for o in condition.operands]
        other = [a for a in axes if a != axis]
        if None in axes or axis not in axes or len(other) != 1 or X.type.has(str(other[0])):
            continue
        if one.type.size(axis) is not one.type.size(str(other[0])) and X.type.kind != "float":
            continue
        if _same_size(one.type.size(axis), one.type.size(str(other[0]))):
            return apply_node(table()["rename"](((axis, other[0]),)), (X,))
    return None


def _same_size(a: Any, b: Any) -> bool:
    return a is b or (isinstance(a, int) and isinstance(b, int) and a == b)


def linear(node: Node, shared: Collection[Node] = ()) -> Node | None:
    """W @ ax @ X + b where b has just the axes that W adds, wherever the two stand in a sum.

    A part of the sum that is also used elsewhere stays whole.
    """
    if node.name != "add":
        return None
    found = _mapped(*node.operands)
    if found is not None:
        return found
    parts = list(each_term(node, shared))
    products = [i for i, part in enumerate(parts) if part.name == "dot"]
    for i, j in itertools.product(products, range(len(parts))):
        found = _mapped(parts[i], parts[j]) if i != j else None
        if found is not None:
            rest = [part for place, part in enumerate(parts) if place not in (i, j)]
            # real numbers first: two terms of whole numbers would be added as such, and might wrap
            return functools.reduce(lambda a, b: op("add", a, b), [found, *rest])
    return None


def _mapped(a: Node, b: Node) -> Node | None:
    """Give the linear map of a product and its bias, in either order."""
    for product, bias in ((a, b), (b, a)):
        if product.name != "dot" or len(product.operands) != 2 or bias.type.host or bias.type.weak:
            continue
        summed = product.operation.params[0]
        for W, X in (product.operands, product.operands[::-1]):
            own = [n for n in W.type.names if n not in summed]
            if not own or not summed or set(own) != set(bias.type.names):
                continue
            if any(X.type.has(n) for n in own) or X.type.weak or W.type.weak:
                continue
            if any(t.kind != "float" for t in (W.type, X.type, bias.type)):
                continue
            return apply_node(LINEAR(summed), (X, W, bias))
    return None


def _linear_rule(call: Call) -> Type:
    (summed,) = call.params
    X, W, _ = call.types
    for axis in summed:
        call.agree(axis, (0, 1))
    new = [(n, call.agree(n, (1, 2))) for n, _ in W.axes if n not in summed]
    return X.with_axes((*X.without(summed).axes, *new))


def _lower_linear(emit: Any, call: Any, x: Any, w: Any, b: Any) -> Any:
    (summed,) = call.params
    rest = tuple([a for a in x.axes if a not in summed])
    order = tuple([a for a in x.axes if a in summed])
    new = tuple([a for a in w.axes if a not in summed])
    flat_x = emit.flat(emit.permute(x, (*rest, *order)), order)
    matrix = emit.permute(w, (*new, *order))
    rows = emit.product_of(w.type, new)
    columns = emit.product_of(w.type, order)
    weight = matrix
    if len(new) != 1 or len(order) != 1:
        weight = emit.call("reshape", weight, (rows, columns))
    bias = emit.permute(b, new)
    if len(new) != 1:
        bias = emit.call("reshape", bias, (rows,))
    code = emit.call("linear", flat_x, weight, bias)
    if len(new) != 1:
        code = emit.call("reshape", code, emit.sizes_of(call.type, (*rest, *new)))
    return emit.bind(code, (*rest, *new), call.type, "mapped")


LINEAR = primitive("linear", _linear_rule, _lower_linear, notation=KERNEL)
