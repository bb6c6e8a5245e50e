"""Replace forms that overflow for large numbers by equal ones that do not."""

from __future__ import annotations

from namedtensor.primitives import Node, table
from namedtensor.primitives.node import apply_node


def stable_softmax(node: Node) -> Node | None:
    if node.name != "div":
        return None
    top, bottom = node.operands
    if top.name != "exp" or bottom.name != "sum" or bottom.operands[0] is not top:
        return None
    if not _takes(top.operands[0]):
        return None
    return apply_node(table()["softmax"](*bottom.operation.params), top.operands)


def stable_log_softmax(node: Node) -> Node | None:
    if node.name != "log" or node.operands[0].name != "softmax":
        return None
    inner = node.operands[0]
    return apply_node(table()["log_softmax"](*inner.operation.params), inner.operands)


def stable_logsumexp(node: Node) -> Node | None:
    if node.name != "log" or node.operands[0].name != "sum":
        return None
    total = node.operands[0]
    if total.operands[0].name != "exp" or not _takes(total.operands[0].operands[0]):
        return None
    return apply_node(table()["logsumexp"](*total.operation.params), total.operands[0].operands)


def _takes(X: Node) -> bool:
    """Say whether numbers are ordered, because the stable forms subtract the greatest."""
    return not X.type.host and X.type.kind != "complex"
