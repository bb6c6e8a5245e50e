"""Give an index-defined tensor its open sizes from the tensors that it is combined with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from namedtensor.primitives import Node, Size, Type, table
from namedtensor.primitives.node import apply_node, describe, make_node, still_open
from namedtensor.primitives.sizes import as_node


def made_by(node: Node) -> tuple[str, ...]:
    """Give the axes that a tensor is filled or repeated along.

    Their sizes follow the first operand; the axes are open where no size is given.
    """
    traits = node.operation.primitive.traits
    return traits.acts(node.operation.params).makes if traits.spreads else ()


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
    """Rebuild an index-defined tree with sizes for its open axes; shared nodes are rebuilt once."""
    open_ = [n for n, s in node.type.axes if s is None] + sorted(node.measures)
    wanted = {n: sizes[n] for n in open_ if n in sizes}
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
    if node.name == "open_size":
        return as_node(wanted[node.operation.params[0]])
    if made_by(node):
        return _made(node, wanted, done)
    if not node.operands:
        return node  # an argument whose size nobody knows, as checkers have them
    if node.name == "rename":
        before = {new: old for old, new in node.operation.params[0]}
        inner = {before.get(n, n): s for n, s in wanted.items()}
        return apply_node(node.operation, (resize(node.operands[0], inner, done),))
    operands = tuple([resize(o, wanted, done) for o in node.operands])
    if node.name == "call":  # its type is stored, and not computed again
        axes = [(n, wanted.get(n) if s is None else s) for n, s in node.type.axes]
        return make_node(node.operation, operands, node.type.with_axes(axes))
    return apply_node(node.operation, operands)


def _made(node: Node, wanted: dict[str, Size], done: dict[Any, Node]) -> Node:
    """Give sizes to a tensor filled with a number, or repeated along axes."""
    names = made_by(node)
    first, *sizes = node.operands
    known = [n for n in names if n in wanted]
    inside = resize(first, wanted, done)
    if sizes or not known:
        return apply_node(node.operation, (inside, *sizes))
    if known != list(names):  # the others stay open
        rest = tuple([n for n in names if n not in wanted])
        rest_params = (rest, *node.operation.params[1:])
        inside = apply_node(node.operation.primitive(*rest_params), (inside,))
        for name in known:
            inside = apply_node(table()["expand"](name), (inside, as_node(wanted[name])))
        return inside
    return apply_node(node.operation, (inside, *[as_node(wanted[n]) for n in known]))


def opened(node: Node, done: dict[Node, Node] | None = None) -> Node:
    """Rebuild an index-defined tree with all its sizes open."""
    done = {} if done is None else done
    if node not in done:
        if node.name == "iota":
            axis = node.operation.params[0]
            done[node] = make_node(node.operation, (), Type(((axis, None),), "int", weak=True))
        elif not node.type.axes:
            done[node] = node
        elif made_by(node):
            done[node] = apply_node(node.operation, (opened(node.operands[0], done),))
        else:
            operands = tuple([opened(o, done) for o in node.operands])
            done[node] = apply_node(node.operation, operands)
    return done[node]


def without_found_sizes(node: Node) -> Node:
    """Open the sizes of an index-defined tree if it took all of them from other tensors."""
    pending, seen = [node], {node}
    while pending:
        part = pending.pop()
        if part.name == "iota":
            if any(o.value is not None for o in part.operands):
                return node
        elif made_by(part) and part.type.weak:
            if any(o.value is not None for o in part.operands[1:]):
                return node
        elif part.type.axes and (part.operation.params or not part.type.weak):
            return node
        new = [o for o in part.operands if o not in seen]
        seen.update(new)
        pending += new
    makes = any(part.name == "iota" or made_by(part) for part in seen)
    return opened(node) if makes else node


def need_sizes(node: Node, call: str) -> None:
    """Raise AxisSizeError where an index-defined tensor still has an open size."""
    for name, size in node.type.axes:
        if size is None:
            raise still_open(call, name, [(describe(node), str(node.type))])
