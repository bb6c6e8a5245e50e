"""Parts of a tree that depend on no data, only on sizes: masks, encodings. They are built once.

Each becomes a separate function of sizes. Its result is kept for these sizes and for the dtype and device of
the data that it is combined with.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from namedtensor.axes import shown
from namedtensor.primitives import Node
from namedtensor.primitives.node import ARGUMENT, NUMBER

#: Building fewer parts than this costs no more than looking them up.
_FEW = 3


def constants_of(nodes: Iterable[Node]) -> frozenset[Node]:
    """Find the largest parts that depend on sizes alone and are worth keeping."""
    seen: set[Node] = set()
    waiting = list(nodes)
    # kept values are never returned, neither themselves nor as a view
    given = set(waiting)
    while waiting:
        top = waiting.pop()
        if top in seen:
            continue
        seen.add(top)
        if _is_constant(top):
            continue
        if not top.operation.primitive.traits.fresh:
            given.update(top.operands)
        waiting += top.operands
    found = [n for n in seen if _is_constant(n) and n not in given]
    return frozenset([n for n in found if len(_tensors_of(n)) >= _FEW])


def _is_constant(node: Node) -> bool:
    type_ = node.type
    known = all(size is not None for _, size in type_.axes)
    if not (type_.weak and not type_.host and type_.axes and known):
        return False
    if any([n.operation.primitive is ARGUMENT for n in _tensors_of(node)]):
        return False  # operands that the step of a loop gets from outside
    # 0.0 and -0.0 would be the same key
    return all([size.type.kind == "int" for size in sizes_of(node)])


def _tensors_of(node: Node) -> set[Node]:
    """List the parts of a constant that are tensors."""
    found: set[Node] = set()
    waiting = [node]
    while waiting:
        top = waiting.pop()
        if top not in found and not top.type.host:
            found.add(top)
            waiting += top.operands
    return found


def sizes_of(node: Node) -> list[Node]:
    """List the numbers that a constant needs from outside, in the order in which it needs them."""
    found: dict[Node, None] = {}
    seen: set[Node] = set()
    waiting = [node]
    while waiting:
        top = waiting.pop()
        if top.type.host:
            if top.operation.primitive is not NUMBER:
                found[top] = None
        elif top not in seen:
            seen.add(top)
            waiting += reversed(top.operands)
    return list(found)


def stem_of(size: Node) -> str:
    """Find a name for a number that a constant needs."""
    params: Sequence[Any] = size.operation.params
    return shown(str(params[-1])) if size.name == "size" else "n"
