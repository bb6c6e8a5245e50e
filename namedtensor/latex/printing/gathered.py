"""Tensors defined by where their elements stand in others: Y_{seq(i), kernel(j)} = X_{seq(i + j - 1)}."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from namedtensor.latex.printing.elements import Elements, counts
from namedtensor.operations.elementwise import ADD, MUL, NEG, SUB
from namedtensor.primitives import Node
from namedtensor.primitives.node import operands_first


@dataclass(frozen=True, slots=True)
class Gathered:
    """A tensor whose elements stand in `base`: the sizes of the axes of its indices, and the places."""

    base: Node
    sizes: dict[str, Any]
    places: dict[str, Node]


def gathered(node: Node, elements: Elements) -> Gathered | None:
    """Find a tensor that is picked out of another one at places which are sums of indices.

    Places whose sizes are open, or that run along an axis which the other tensor keeps, stay apart;
    so does what is renamed inside, for a definition by elements renames at the leaves.
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
    """Write a place that counts from 0 as the sum from 1 that it is: i + j - 1."""
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
    """Take a sum of counts and other whole numbers apart: how often each is added, and a constant."""
    if type(node.value) is int:
        return [], node.value
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
