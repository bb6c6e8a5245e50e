"""Recurrences along an axis: h^t = f(h^{t-1}, x^t) is a loop, which serves every length.

The first members of a series are evaluated one by one. Where the second follows from the first as the
third from the second, by the elements that stand at their places, so do all others: the rule is one, and
computes nothing from the number of a member.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from namedtensor.axes import Axis
from namedtensor.errors import NamedTensorError
from namedtensor.latex.syntax import At, Binary, Expression, Items, Letter, Number, Scripts
from namedtensor.latex.walk import children
from namedtensor.operations.indexing import AT
from namedtensor.operations.recurrence import placed_parts, scan
from namedtensor.primitives import Node, number
from namedtensor.primitives.node import apply_node, argument, operands_first
from namedtensor.tensor import NamedTensor, SymbolicTensor

#: So many members show how a series goes on.
SHOWN = 3


def computes_with(letter: str, body: Expression) -> bool:
    """Say whether a formula computes with an index letter, and does not merely choose members by it.

    Members are chosen by t, t - 1 or t + 1; [t > 10] may be alike for the first ones, and differ later.
    """
    pending: list[Any] = [body]
    while pending:
        part = pending.pop()
        chosen: tuple[Any, ...] = ()
        if isinstance(part, Scripts):
            pending.append(part.base)
            chosen = part.sub, part.sup
        elif isinstance(part, At):
            chosen = (part.at,)
        else:
            pending += children(part)
        pending += [script for script in chosen if not _is_step(script)]
        if isinstance(part, Letter) and part.text == letter:
            return True
    return False


def _is_step(script: Expression | None) -> bool:
    if isinstance(script, Items):
        return all(_is_step(part) for part in script.parts)
    if isinstance(script, Binary):
        return script.op in ("+", "-") and _is_step(script.left) and _is_step(script.right)
    return script is None or isinstance(script, Letter | Number)


def looped(members: Sequence[Node], axis: str) -> NamedTensor | None:
    """Give all members along an axis, of which these are the first; None where they make no loop."""
    first, second, third = members
    own = operands_first([second], lambda node: () if node is first else node.operands)
    sequences = list(dict.fromkeys([n.operands[0] for n in own if _is_element(n, axis)]))
    if not sequences:
        return None
    before = argument("member before", first.type)
    elements = [
        argument(f"element {i}", _element(X, axis, 1).type) for i, X in enumerate(sequences)
    ]

    def step(member: Node, earlier: Node, place: int) -> Node:
        given = [_element(X, axis, place) for X in sequences]
        known = {earlier: before, **dict(zip(given, elements, strict=True))}
        return placed_parts([member], known)[0]

    def after(*given: Node) -> Node:
        return placed_parts([rule], dict(zip([before, *elements], given, strict=True)))[0]

    rule = step(second, first, 1)
    if step(third, second, 2) is not rule:
        return None
    given = [_element(X, axis, 0) for X in sequences]

    def begins(start: Node) -> bool:
        try:
            return after(start, *given) is first
        except NamedTensorError:
            return False  # the rule renames an axis that a number lacks

    parts = [n for n in operands_first([first]) if n is not first]
    starts = [n for n in parts if n.value is None and set(n.type.names) == set(first.type.names)]
    start = next(filter(begins, [*starts, *[n for n in parts if n.value is not None]]), None)
    if start is None:
        return None
    found: NamedTensor = scan[Axis(axis)](
        lambda *parts: SymbolicTensor(after(*[part.node for part in parts])),
        SymbolicTensor(start) if start.value is None else start.value,
        *map(SymbolicTensor, sequences),
    )
    return found


def _element(X: Node, axis: str, place: int) -> Node:
    return apply_node(AT(axis), (X, number(place)))


def _is_element(node: Node, axis: str) -> bool:
    """Say whether a part of the second member is the element of a sequence at its place."""
    found = node.operation.primitive is AT and node.operation.params == (axis,)
    return found and node.operands[1].value == 1
