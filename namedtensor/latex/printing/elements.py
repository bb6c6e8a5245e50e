"""Index-defined tensors inside a formula, which are printed by their elements: M_{seq(i)} = ...

Such a part is made of counts along axes (`iota`), sizes and numbers by functions of single numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

from namedtensor.primitives import Node
from namedtensor.primitives.node import ARGUMENT, NUMBER, SIZE
from namedtensor.primitives.primitive import Operation


@dataclass(frozen=True, slots=True)
class Element:
    """The elements of an index-defined tensor: its axes as they are to be written, and the rule."""

    axes: tuple[str, ...]
    rule: Node


def counts(node: Node) -> bool:
    """Say whether a node is the count along an axis."""
    return node.name == "iota"


def element_wise(operation: Operation) -> bool:
    """Say whether an operation acts on each number alone."""
    entry = operation.primitive
    return not operation.params and not entry.effect and entry not in (ARGUMENT, SIZE, NUMBER)


def constant(node: Node) -> Node | None:
    """Give the number that a formula without tensors is: `document` makes a tensor of it by adding 0."""
    if node.name != "add" or node.operands[1].name != "sum":
        return None
    (zero,) = node.operands[1].operands
    single = counts(zero) and zero.operands and zero.operands[0].value == 1
    return node.operands[0] if single and node.operands[0].value is not None else None


#: A rule that takes more operations than this is written in parts, as other expressions are.
LARGEST = 120


class Elements:
    """Finds the parts of a formula that are defined by their indices."""

    def __init__(self) -> None:
        self._known: dict[Node, tuple[int, bool]] = {}

    def __call__(self, node: Node) -> bool:
        """Say whether a node is defined by indices."""
        size, counted = self._look(node)
        return counted and 0 < size <= LARGEST

    def _look(self, root: Node) -> tuple[int, bool]:
        """Give the size of a tree of counts, sizes and numbers, 0 for others, and whether it counts."""
        pending = [root]
        while pending:
            node = pending[-1]
            if node in self._known:
                pending.pop()
            elif counts(node) or node.operation.primitive in (SIZE, NUMBER):
                self._known[pending.pop()] = (1, counts(node))
            elif not element_wise(node.operation):
                self._known[pending.pop()] = (0, False)
            else:
                missing = [o for o in node.operands if o not in self._known]
                pending += missing
                if not missing:
                    found = [self._known[o] for o in node.operands]
                    size = 1 + sum([n for n, _ in found]) if all(n for n, _ in found) else 0
                    self._known[pending.pop()] = (size, any(c for _, c in found))
        return self._known[root]


def element_of(node: Node) -> Element:
    """Give the axes and the rule, without what `nt.define` adds for axes that the rule ignores."""
    ignored: list[str] = []
    while True:
        axis = _ignored_axis(node)
        if axis is None:
            own = sorted(node.type.names, key=lambda name: -name.count("'"))
            return Element((*own, *reversed(ignored)), node)
        ignored.append(axis)
        node = node.operands[1]


def _ignored_axis(node: Node) -> str | None:
    if node.name != "where" or node.operands[1] is not node.operands[2]:
        return None
    condition, rule = node.operands[:2]
    if condition.name != "ge" or condition.operands[1].value != 0:
        return None
    count = condition.operands[0]
    axis: str = count.operation.params[0] if counts(count) else ""
    return axis if axis and not rule.type.has(axis) else None
