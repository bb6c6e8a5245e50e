"""Where axes go: used up on one side of a sum and back through the other, or met by nothing.

Operands that lack axes of each other are legal: k-means takes X from all centres. It is a fault
where one side has contracted an axis away and the other brings it back, or where an axis of one
side is named nowhere else in the document.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

from namedtensor.primitives import Node, Type

_REDUCE = frozenset("sum mean var std max min prod norm logsumexp".split())


_known: WeakKeyDictionary[Node, frozenset[str]] = WeakKeyDictionary()


def used_up(node: Node) -> frozenset[str]:
    """Collect the axes that a tree contracts or reduces, and that its result does not have.

    >>> from namedtensor.operations.contraction import dot
    >>> from namedtensor.tensor.symbolic import symbol
    >>> W, X = symbol("W", Type((("emb", 2), ("hid", 3)))), symbol("X", Type((("emb", 2),)))
    >>> used_up(dot["emb"](W, X).node)
    frozenset({'emb'})
    """
    found = _known.get(node)
    if found is None:
        found = frozenset().union(*[used_up(o) for o in node.operands])
        if node.name == "dot" or node.name in _REDUCE:
            found |= {n for o in node.operands for n in o.type.names}
        found = _known[node] = found - set(node.type.names)
    return found


def one_sided(left: Type, right: Type) -> tuple[list[str], list[str]]:
    """List the axes that only the left and only the right side has."""
    return (
        [n for n in left.names if not right.has(n)],
        [n for n in right.names if not left.has(n)],
    )


def coming_back(giver: Node, taker: Node) -> list[str]:
    """List the axes of the giver that the taker has used up.

    None where the giver lacks nothing of the taker, X - mean X, or uses up axes of the taker in turn,
    as marginals along two axes do.
    """
    own, others = one_sided(giver.type, taker.type)
    if not others or used_up(giver) & set(others):
        return []
    gone = used_up(taker)
    return [name for name in own if name in gone]
