"""Contractions of contractions are one contraction of many operands, done in the cheapest order."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from namedtensor.operations.contraction import find_path, pair
from namedtensor.primitives import Call, Node, Type, primitive
from namedtensor.primitives.node import apply_node
from namedtensor.primitives.notation import KERNEL

Place = tuple[int, int]


def chain(node: Node, shared: Collection[Node] = ()) -> Node | None:
    """A @ ax @ B @ bx @ C is dot[ax, bx](A, B, C), where no name of a summed axis returns outside.

    A part that is also used elsewhere stays whole.
    """
    if not _is_link(node):
        return None
    operands, axes = list(node.operands), list(node.operation.params[0])
    at = 0
    while at < len(operands):
        inner = operands[at]
        others = [o for o in operands if o is not inner]
        if not _is_link(inner) or inner in shared or len(others) + 1 != len(operands):
            at += 1
            continue
        summed = inner.operation.params[0]
        if any(o.type.has(a) for o in others for a in summed) or set(summed) & set(axes):
            at += 1
            continue
        operands[at : at + 1] = inner.operands
        axes += summed
    if len(operands) == 2 or len(set(operands)) != len(operands):
        return None
    return apply_node(CHAIN(tuple(axes), _as_written(node, operands)), tuple(operands))


def _is_link(node: Node) -> bool:
    return (
        node.name == "dot"
        and len(node.operands) == 2
        and all(o.type.kind == "float" and not o.type.weak for o in node.operands)
    )


def _as_written(node: Node, operands: Sequence[Node]) -> tuple[Place, ...]:
    """Give the order in which the formula contracts, as places in the list of the remaining operands."""
    pending: list[Node] = list(operands)
    path: list[Place] = []

    def contract(top: Node) -> None:
        if top in pending:
            return
        for operand in top.operands:
            contract(operand)
        left, right = sorted(pending.index(o) for o in top.operands)
        path.append((left, right))
        del pending[right], pending[left]
        pending.append(top)

    contract(node)
    return tuple(path)


def _rule(call: Call) -> Type:
    axes, _ = call.params
    kept = [a for a in call.union() if a[0] not in axes]
    return Type(tuple(kept), "float")


def _lower(emit: Any, call: Any, *values: Any) -> Any:
    axes, written = call.params
    pending = list(values)
    for i, j in _path(emit, values, axes, written):
        right, left = pending.pop(max(i, j)), pending.pop(min(i, j))
        ready = [a for a in axes if not any(a in v.axes for v in pending)]
        pending.append(pair(emit, call, left, right, ready))
    return pending[0]


def _path(emit: Any, values: Any, axes: Any, written: tuple[Place, ...]) -> Sequence[Place]:
    """Choose the order: the formula's own, unless another takes half its steps or fewer.

    The sizes are those of the first call; a small gain there may be a loss at the next.
    """
    best, cost = find_path(emit, values, axes)
    _, own = find_path(emit, values, axes, list(written))
    return best if 2 * cost <= own else written


CHAIN = primitive("chain", _rule, _lower, notation=KERNEL)
