"""Index-defined tensors inside a formula, which are printed by their elements: M_{seq(i)} = ...

Such a part is made of counts along axes (`iota`), sizes and numbers by functions of single numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

from namedtensor.primitives import Node
from namedtensor.primitives.node import ARGUMENT, NUMBER, SIZE
from namedtensor.primitives.primitive import Operation
from namedtensor.tensor.resize import made_by


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
    """Give the number that a tensor without axes is made of."""
    return node.operands[0] if node.name == "full" and not node.type.axes else None


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
            elif node.name == "full":
                self._known[pending.pop()] = (1, bool(node.type.axes))
            elif node.name == "expand" and node.operands[0] in self._known:
                size, counted = self._known[node.operands[0]]
                self._known[pending.pop()] = (size and size + 1, counted)
            elif node.name == "expand":
                pending.append(node.operands[0])
            elif not element_wise(node.operation):
                self._known[pending.pop()] = (0, False)
            else:
                missing = [o for o in node.operands if o not in self._known]
                pending += missing
                if not missing:
                    found = [self._known[o] for o in node.operands]
                    # a repeated axis is written on the left of its own definition alone
                    whole = all(n for n, _ in found) and not any(map(made_by, node.operands))
                    size = 1 + sum([n for n, _ in found]) if whole else 0
                    self._known[pending.pop()] = (size, any(c for _, c in found))
        return self._known[root]


def element_of(node: Node) -> Element:
    """Give the axes and the rule, without what `nt.define` adds for axes that the rule ignores."""
    ignored: list[str] = []
    while made := made_by(node):
        ignored += made
        node = node.operands[0]
    own = sorted(node.type.names, key=lambda name: -name.count("'"))
    return Element((*own, *reversed(ignored)), node)
