"""Find the tensors that depend on indices alone, which are printed by elements: M_{seq(i)} = ...

Such a part applies elementwise functions to counts along axes (`iota`), sizes and numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from namedtensor.operations.elementwise import ADD, MUL, NEG, SUB
from namedtensor.operations.indexing import FROM_FRONT
from namedtensor.primitives import Node
from namedtensor.primitives.node import ARGUMENT, NUMBER, SIZE, operands_first
from namedtensor.primitives.primitive import Operation
from namedtensor.tensor.resize import made_by


@dataclass(frozen=True, slots=True)
class Element:
    """The elements of an index-defined tensor: its axes in the order of writing, and the rule."""

    axes: tuple[str, ...]
    rule: Node


def counts(node: Node) -> bool:
    """Say whether a node is `iota`, the index along an axis."""
    return node.name == "iota"


def element_wise(operation: Operation) -> bool:
    """Say whether an operation acts on each number alone."""
    entry = operation.primitive
    return not operation.params and not entry.effect and entry not in (ARGUMENT, SIZE, NUMBER)


def constant(node: Node) -> Node | None:
    """Give the number that a tensor without axes holds, or None."""
    return node.operands[0] if node.name == "full" and not node.type.axes else None


#: A rule of more operations than this is written in several parts, as other expressions are.
LARGEST = 120


class Elements:
    """Find the parts of a formula that are defined by their indices."""

    def __init__(self) -> None:
        self._known: dict[Node, tuple[int, bool]] = {}

    def __call__(self, node: Node) -> bool:
        """Say whether a node depends on indices alone, and is short enough to be written by elements."""
        size, counted = self._look(node)
        return counted and 0 < size <= LARGEST

    def _look(self, root: Node) -> tuple[int, bool]:
        """Give the size of a tree of counts, sizes and numbers, or 0; and whether it has a count."""
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
                    # a tensor that is repeated along an axis has a definition of its own
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


# ---------------------------------------------------------------------------------------- gathered


@dataclass(frozen=True, slots=True)
class Gathered:
    """A tensor whose elements are elements of `base`.

    `sizes` are the sizes of its own axes; `places` are the indices, by the axis of `base` they index.
    """

    base: Node
    sizes: dict[str, Any]
    places: dict[str, Node]


def gathered(node: Node, elements: Elements) -> Gathered | None:
    """Recognise a tensor of elements of another one, at index-defined places: Y_{i} = X_{i + 2}.

    None if the size of a place is open, if a place runs along an axis that the other tensor keeps, or if
    the other tensor has a renaming inside, because a definition by elements renames at the leaves.
    """
    if node.name != "index" or not all(elements(place) for place in node.operands[1:]):
        return None
    base, *places = node.operands
    axes = node.operation.params[0]
    sizes = {
        count.operation.params[0]: count.operands[0].value or count.operands[0]
        for place in places
        for count in operands_first([place])
        if counts(count) and count.operands
    }
    own = {axis for place in places for axis in place.type.names}
    kept = set(base.type.names) - set(axes)
    if own != set(sizes) or own & kept or any(n.name == "rename" for n in operands_first([base])):
        return None
    return Gathered(base, sizes, dict(zip(axes, places, strict=True)))


def from_one(place: Node, write: Callable[[Node], str], letter: Callable[[Node], str]) -> str:
    """Write a place that counts from 0 by indices that count from 1: i + j from 0 becomes i + j - 1."""
    terms, constant = _sum_of(place)
    total = constant + 1
    texts: list[str] = []
    for term, count in terms:
        text = letter(term) if counts(term) else write(term)
        total -= count if counts(term) else 0
        many = text if abs(count) == 1 else f"{abs(count)} {text}"
        sign = "-" if count < 0 else "+"
        texts.append(f"{sign} {many}" if texts else many if count > 0 else f"-{many}")
    if total or not texts:
        sign = "-" if total < 0 else "+"
        texts.append(f"{sign} {abs(total)}" if texts else str(total))
    return " ".join(texts)


def _sum_of(node: Node) -> tuple[list[tuple[Node, int]], int]:
    """Write a sum as a constant and its terms, each with the whole number that it is multiplied by."""
    if type(node.value) is int:
        return [], node.value
    if node.operation.primitive is FROM_FRONT:
        return _sum_of(node.operands[0])
    if node.operation in (ADD, SUB):
        (terms, constant), (more, other) = [_sum_of(o) for o in node.operands]
        sign = 1 if node.operation is ADD else -1
        return [*terms, *[(t, sign * n) for t, n in more]], constant + sign * other
    if node.operation is NEG:
        terms, constant = _sum_of(node.operands[0])
        return [(t, -n) for t, n in terms], -constant
    if node.operation is MUL and any(type(o.value) is int for o in node.operands):
        first, second = node.operands
        times, whole = (first, second) if type(first.value) is int else (second, first)
        terms, constant = _sum_of(whole)
        return [(t, n * times.value) for t, n in terms], constant * times.value
    return [(node, 1)], 0
