"""Explain why parts that are close to a kernel's formula do not run as the kernel."""

from __future__ import annotations

from collections.abc import Collection

from namedtensor.axes import shown
from namedtensor.formula.rewrite.attention import read_scores
from namedtensor.formula.rewrite.patterns import factors, written
from namedtensor.primitives import Node


def misses(node: Node, shared: Collection[Node] = ()) -> list[tuple[str, str]]:
    """List the kernels that this node nearly matches, each with the reason why it does not.

    `shared` are the nodes that are used more than once.
    """
    return [*_attention(node, shared), *_layer_norm(node, shared), *_linear(node)]


def _used_elsewhere(node: Node) -> str:
    return f"{written(node)} is used elsewhere too, and a kernel would compute it once more"


def _attention(node: Node, shared: Collection[Node]) -> list[tuple[str, str]]:
    if node.name != "dot" or len(node.operands) != 2:
        return []
    summed = node.operation.params[0]
    for weights in node.operands:
        if weights.name == "mul" and any(f.name == "softmax" for f in factors(weights)):
            why = f"the softmax in {written(weights)} is multiplied before it weighs the values"
            return [("attention", f"{why}; a mask belongs inside it, added to the scores")]
        if weights.name != "softmax":
            continue
        over = weights.operation.params[0]
        if set(over) != set(summed):
            return [
                (
                    "attention",
                    f"the softmax is over {_list(over)}, and the contraction over {_list(summed)}",
                )
            ]
        scores = read_scores(weights.operands[0])
        if scores is None:
            return [("attention", f"{written(weights.operands[0])} is not Q @ key @ K with masks")]
        (V,) = [o for o in node.operands if o is not weights] or node.operands[:1]
        if weights in shared:
            return [("attention", _used_elsewhere(weights))]
        other = _kinds((*scores.product.operands, V))
        why = f"{written(node)} has axes or masks that the kernel does not take"
        return [("attention", other or why)]
    return []


def _kinds(operands: tuple[Node, ...]) -> str:
    """Name the operands whose numbers are not real: kernels take only real ones."""
    for operand in operands:
        if operand.type.kind != "float":
            held = f"{written(operand)} holds {operand.type.kind} numbers"
            return f"{held}, and the kernel takes real ones; it runs as written"
    return ""


def _linear(node: Node) -> list[tuple[str, str]]:
    if node.name != "add":
        return []
    for product, bias in (node.operands, node.operands[::-1]):
        if product.name == "dot" and len(product.operands) == 2 and not bias.type.host:
            why = _kinds((*product.operands, bias))
            return [("linear", why)] if why else []
    return []


def _layer_norm(node: Node, shared: Collection[Node]) -> list[tuple[str, str]]:
    if node.name != "mul":
        return []
    core = [f for f in factors(node) if f.name == "standardize"]
    rest = [f for f in factors(node) if f.name != "standardize" and not f.type.host]
    if len(core) != 1 or len(rest) != 1:
        return []
    if why := _kinds(core[0].operands[:1]):
        return [("layer_norm", why)]
    (axes,) = core[0].operation.params
    if set(rest[0].type.names) == set(axes):
        return [("layer_norm", _used_elsewhere(core[0]))] if core[0] in shared else []
    return [
        (
            "layer_norm",
            f"{written(rest[0])} is over {_list(rest[0].type.names)}, and the mean over {_list(axes)}",
        )
    ]


def _list(names: tuple[str, ...]) -> str:
    return ", ".join(map(shown, names)) or "no axis"
