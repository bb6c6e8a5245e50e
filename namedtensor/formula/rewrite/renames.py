"""Renames move down to the leaves, so that no pattern has one between its parts.

A formula inside another renames its extra axes on entry and back on exit. Pushed down, the two meet
and vanish. A tree that is used under two sets of names is computed once, and keeps its renames above.
"""

from __future__ import annotations

from collections.abc import Sequence

from namedtensor.operations.step_trees import remade
from namedtensor.primitives import Node, table
from namedtensor.primitives.node import apply_node
from namedtensor.primitives.origins import Origins

Names = tuple[tuple[str, str], ...]


def push_renames(roots: Sequence[Node], origins: Origins | None = None) -> tuple[Node, ...]:
    """Move renames as near to the leaves as possible without computing anything twice."""
    order = _parents_first(roots)
    wanted: dict[Node, list[Names]] = {node: [] for node in order}
    for root in roots:
        _want(wanted[root], ())
    given: dict[Node, Names] = {}
    for node in order:
        names = wanted[node]
        taken = names[0] if len(names) == 1 and _takes(node, names[0]) else ()
        given[node] = taken
        for operand in node.operands:
            _want(wanted[operand], _passed_down(node, taken, operand))
    done: dict[Node, Node] = {}
    for node in reversed(order):
        done[node] = _rebuilt(node, given, done)
        if origins is not None and done[node] is not node:
            origins.move(node, done[node])
    return tuple([_renamed(done[root], _difference(root, (), given[root])) for root in roots])


def _want(names: list[Names], more: Names) -> None:
    if more not in names:
        names.append(more)


def _parents_first(roots: Sequence[Node]) -> list[Node]:
    """List all nodes, each after every node that uses it."""
    found: list[Node] = []
    seen: set[Node] = set()
    waiting = [(root, False) for root in roots]
    while waiting:
        node, left = waiting.pop()
        if left:
            found.append(node)
        elif node not in seen:
            seen.add(node)
            waiting.append((node, True))
            waiting += [(o, False) for o in node.operands if o not in seen]
    return found[::-1]


def _takes(node: Node, names: Names) -> bool:
    """Say whether a node can be computed under other names for its axes."""
    if not names or node.name == "rename":
        return True
    if not node.operation.primitive.traits.uniform:
        return False
    bound = {n for o in node.operands for n in o.type.names} - set(node.type.names)
    return not bound & {new for _, new in names}


def _passed_down(node: Node, names: Names, operand: Node) -> Names:
    """Give the names that an operand's axes must have so that its node's axes have these."""
    renaming = dict(names)
    if node.name == "rename":
        renaming = {old: renaming.get(new, new) for old, new in _every_pair(node)}
    own = operand.type.names
    return tuple(sorted((n, renaming[n]) for n in own if renaming.get(n, n) != n))


def _every_pair(node: Node) -> list[tuple[str, str]]:
    pairs = dict(node.operation.params[0])
    return [(n, pairs.get(n, n)) for n in node.operands[0].type.names]


def _rebuilt(node: Node, given: dict[Node, Names], done: dict[Node, Node]) -> Node:
    operands = tuple(
        [
            _renamed(done[o], _difference(o, _passed_down(node, given[node], o), given[o]))
            for o in node.operands
        ]
    )
    if node.name == "rename":
        return operands[0]
    if not given[node]:
        return node if operands == node.operands else remade(node, operands)
    return apply_node(node.operation.renamed(dict(given[node])), operands)


def _difference(node: Node, wanted: Names, given: Names) -> Names:
    """Give the renaming that is left where a node got other names than this use of it needs."""
    has, wants = dict(given), dict(wanted)
    names = [(has.get(n, n), wants.get(n, n)) for n in node.type.names]
    return tuple([(old, new) for old, new in names if old != new])


def _renamed(node: Node, names: Names) -> Node:
    if not names:
        return node
    if node.type.weak and node.operands and _takes(node, names):
        # what is defined by its indices costs little, and rules must see it without renames
        operands = [_renamed(o, _passed_down(node, names, o)) for o in node.operands]
        if node.name == "rename":
            return operands[0]
        return apply_node(node.operation.renamed(dict(names)), tuple(operands))
    return apply_node(table()["rename"](names), (node,))
