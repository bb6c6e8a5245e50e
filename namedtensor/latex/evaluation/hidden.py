"""Axes that a formula's own indices run along, and how they leave the tree again.

The i of sum_i X_{seq(i)} runs along an axis of its own while the body is evaluated, so that it meets
no other axis. Afterwards that axis is renamed: to the axis that is defined or summed over where that
can be done at the leaves, else to the index's letter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from namedtensor.axes import BOUND, shown
from namedtensor.formula.rewrite.renames import push_renames
from namedtensor.operations.indexing import AT, INDEX
from namedtensor.operations.renaming import RENAME
from namedtensor.primitives import Node
from namedtensor.primitives.node import apply_node, operands_first
from namedtensor.tensor import SymbolicTensor, apply


def renamed(value: Any, pairs: Sequence[tuple[str, str]]) -> Any:
    """Rename hidden axes, in an expression at its leaves, so that no trace of them is left."""
    value = apply(RENAME(tuple(pairs)), value)
    if not isinstance(value, SymbolicTensor):
        return value
    (node,) = push_renames((value.node,))
    moved = _through_indices(node)
    if moved is not node:
        (node,) = push_renames((moved,))
    given = [axis for _, axis in pairs]
    return SymbolicTensor(node, (*given, *[a for a in node.type.names if a not in given]))


def _through_indices(root: Node) -> Node:
    """Rename the axes of what indexes, where what is indexed is renamed."""

    def moved(node: Node, operands: tuple[Node, ...]) -> Node:
        found = node if operands == node.operands else apply_node(node.operation, operands)
        return _renamed_index(found) or found

    return _rebuilt(root, moved)


def _rebuilt(root: Node, change: Callable[[Node, tuple[Node, ...]], Node]) -> Node:
    """Rebuild a tree from its leaves; `change` gives a node on changed operands."""
    done: dict[Node, Node] = {}
    for node in operands_first([root]):
        done[node] = change(node, tuple([done[o] for o in node.operands]))
    return done[root]


def _renamed_index(node: Node) -> Node | None:
    """Give (X_{seq(I)})_{i -> seq} as X_{seq(J)}, with J = I_{i -> seq}; X_{seq(1)} likewise."""
    if node.operation.primitive is not RENAME:
        return None
    pairs = dict(node.operation.params[0])
    inner = node.operands[0]
    if inner.operation.primitive not in (INDEX, AT):
        return None
    X, *indices = inner.operands
    used = (
        inner.operation.params[0] if inner.operation.primitive is INDEX else inner.operation.params
    )
    kept = [pairs.get(a, a) for a in X.type.names if a not in used]
    if any(name in used for name in kept):
        return None
    return apply_node(
        inner.operation,
        (_with_names(X, pairs, used), *[_with_names(i, pairs, ()) for i in indices]),
    )


def _with_names(node: Node, pairs: Mapping[str, str], but: Any) -> Node:
    own = tuple([(a, pairs[a]) for a in node.type.names if a in pairs and a not in but])
    return apply_node(RENAME(own), (node,)) if own else node


# ------------------------------------------------------------------------- what is left inside


def settled(value: Any) -> Any:
    """Give hidden axes that are left inside an expression names that a reader knows.

    They are inside: summed over or renamed, and no axes of the expression itself.
    """
    if not isinstance(value, SymbolicTensor):
        return value
    names = dict.fromkeys([n for part in operands_first([value.node]) for n in part.type.names])
    hidden = [n for n in names if BOUND in n and not value.node.type.has(n)]
    if not hidden:
        return value
    taken = set(names)
    new: dict[str, str] = {}
    for name in hidden:
        letter = shown(name)
        while letter in taken:
            letter += "'"
        taken.add(letter)
        new[name] = letter
    return SymbolicTensor(_rewritten(value.node, new), value.axes)


def _rewritten(root: Node, new: Mapping[str, str]) -> Node:
    def changed(node: Node, operands: tuple[Node, ...]) -> Node:
        params = _replaced(node.operation.params, new)
        if operands == node.operands and params == node.operation.params:
            return node
        if not operands:
            return _open_counter(node, new)
        return apply_node(node.operation.primitive(*params), operands)

    return _rebuilt(root, changed)


def _open_counter(node: Node, new: Mapping[str, str]) -> Node:
    """Rename a counter whose size is open; no other leaf has a hidden axis."""
    pairs = tuple([(n, new[n]) for n in node.type.names if n in new])
    (found,) = push_renames((apply_node(RENAME(pairs), (node,)),))
    return found


def _replaced(params: Any, new: Mapping[str, str]) -> Any:
    if isinstance(params, tuple):
        return tuple([_replaced(p, new) for p in params])
    return new.get(params, params) if isinstance(params, str) else params
