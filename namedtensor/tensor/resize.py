"""An index-defined tensor takes its open sizes from what it meets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from namedtensor.axes import shown
from namedtensor.errors import AxisSizeError
from namedtensor.primitives import Node, Size, Type
from namedtensor.primitives.node import apply_node, describe, make_node
from namedtensor.primitives.sizes import as_node


def meet(nodes: Sequence[Node]) -> list[Node]:
    """Give each node's open axes the sizes that the other nodes have for them."""
    if not any(size is None for n in nodes for _, size in n.type.axes):
        return list(nodes)
    known: dict[str, Any] = {}
    for node in nodes:
        for name, size in node.type.axes:
            if size is not None:
                known.setdefault(name, size)
    return [resize(n, known) for n in nodes]


def resize(node: Node, sizes: dict[str, Size], done: dict[Any, Node] | None = None) -> Node:
    """Rebuild an index-defined tree with sizes for its open axes; what it shares is rebuilt once."""
    wanted = {n: sizes[n] for n, s in node.type.axes if s is None and n in sizes}
    if not wanted:
        return node
    done = {} if done is None else done
    key = (node, tuple(wanted.items()))
    if key not in done:
        done[key] = _resized(node, wanted, done)
    return done[key]


def _resized(node: Node, wanted: dict[str, Size], done: dict[Any, Node]) -> Node:
    if node.name == "iota":
        (axis,) = node.operation.params
        return apply_node(node.operation, (as_node(wanted[axis]),))
    if node.name == "rename":
        before = {new: old for old, new in node.operation.params[0]}
        inner = {before.get(n, n): s for n, s in wanted.items()}
        return apply_node(node.operation, (resize(node.operands[0], inner, done),))
    return apply_node(node.operation, tuple([resize(o, wanted, done) for o in node.operands]))


def opened(node: Node, done: dict[Node, Node] | None = None) -> Node:
    """Rebuild an index-defined tree with all its sizes open."""
    done = {} if done is None else done
    if node not in done:
        if node.name == "iota":
            axis = node.operation.params[0]
            done[node] = make_node(node.operation, (), Type(((axis, None),), "int", weak=True))
        elif not node.type.axes:
            done[node] = node
        else:
            operands = tuple([opened(o, done) for o in node.operands])
            done[node] = apply_node(node.operation, operands)
    return done[node]


def without_found_sizes(node: Node) -> Node:
    """Open the sizes of an index-defined tree where it took them all from others, not from numbers."""
    pending, seen = [node], {node}
    while pending:
        part = pending.pop()
        if part.name == "iota":
            if any(o.value is not None for o in part.operands):
                return node
        elif part.type.axes and (part.operation.params or not part.type.weak):
            return node
        new = [o for o in part.operands if o not in seen]
        seen.update(new)
        pending += new
    return opened(node) if any(part.name == "iota" for part in seen) else node


def need_sizes(node: Node, call: str) -> None:
    """Raise AxisSizeError where an index-defined tensor still has an open size."""
    for name, size in node.type.axes:
        if size is None:
            raise AxisSizeError(
                call,
                f"axis {shown(name)} has no size yet",
                [(describe(node), str(node.type))],
                f"give it one where the tensor is defined, {shown(name)}[5], or combine the tensor "
                f"with one that has an axis {shown(name)}",
            )
