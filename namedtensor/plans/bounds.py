"""Find, without running a tree, an interval that contains the numbers of each part, unless one may be nan."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

from namedtensor.errors import NamedTensorError
from namedtensor.plans.compile import run_on_numbers
from namedtensor.primitives import Node
from namedtensor.primitives.node import operands_first
from namedtensor.primitives.primitive import table
from namedtensor.primitives.traits import EVERY, Bounds

#: Gives the bounds of a leaf: an argument, a size, a kept call.
Given = Callable[[Node], Bounds]


def bounds_of(root: Node, given: Given) -> Bounds:
    """Bound the numbers of a tree; None if one may be nan, or if nothing is known.

    `given` bounds its leaves. The result is a safe interval, but it may be too wide.

    >>> from namedtensor.operations.elementwise import exp
    >>> from namedtensor.primitives import Type
    >>> from namedtensor.tensor.symbolic import symbol
    >>> X = symbol("X", Type((("seq", 3),)))
    >>> bounds_of((exp(X) - 1).node, lambda leaf: (0.0, 0.0))
    (0.0, 0.0)
    """
    known: dict[Node, Bounds] = {}

    def size_of(size: object) -> tuple[float, float]:
        if isinstance(size, int):
            return size, size
        if isinstance(size, Node) and size not in known:
            known[size] = bounds_of(size, given)
        found = known[size] if isinstance(size, Node) else None
        return (0, math.inf) if found is None else found

    for node in operands_first([root]):
        value = node.value
        if isinstance(value, (int, float)) and not math.isnan(value):
            known[node] = (value, value)
        elif not node.operands and node.operation.primitive.bounds is None:
            known[node] = given(node)
        else:
            operands = [found for o in node.operands if (found := known[o]) is not None]
            complete = len(operands) == len(node.operands)
            known[node] = _of_operation(node, operands, size_of) if complete else None
    return known[root]


def _of_operation(
    node: Node, known: list[tuple[float, float]], size_of: Callable[[object], tuple[float, float]]
) -> Bounds:
    """Bound one operation by its own rule, or as its traits say."""
    entry = node.operation.primitive
    acts = entry.traits.acts(node.operation.params)
    finite = all(map(math.isfinite, itertools.chain(*known)))
    owners = [
        [o.type.size(a) for o in node.operands if o.type.has(a)] for a in (*acts.uses, *acts.along)
    ]
    sizes = [size_of(found[0]) for found in owners if found]
    records = math.prod([low for low, _ in sizes]), math.prod([high for _, high in sizes])
    if entry.bounds is not None:
        found = entry.bounds(node, known, records[1])
    else:
        found = _by_traits(node, known, records, finite)
    if found is None or math.isnan(found[0]) or math.isnan(found[1]):
        return None
    overflows = finite and not all(map(math.isfinite, found))
    return None if overflows else found


def _by_traits(
    node: Node, known: list[tuple[float, float]], records: tuple[float, float], finite: bool
) -> Bounds:
    traits = node.operation.primitive.traits
    first = known[0]
    if traits.moves:
        return _hull(known) if EVERY in traits.linear else first
    if node.type.kind == "bool":
        return 0, 1
    if traits.monotone:
        product = EVERY in traits.linear and not traits.jointly
        return _at_corners(node, known) if finite or not product else None
    if not finite:
        return None
    if traits.picks or traits.normalises == "numbers":
        return 0, 1
    if traits.idempotent:
        return _hull(known)
    if traits.folds and table()[traits.folds].traits.jointly:
        return _repeated(first, records)
    if EVERY in traits.linear and not traits.jointly:
        low, high = 1.0, 1.0
        for a, b in known:
            ends = [low * a, low * b, high * a, high * b]
            low, high = min(ends), max(ends)
        return _repeated((low, high), records)
    return None


def _hull(known: list[tuple[float, float]]) -> Bounds:
    return min([low for low, _ in known]), max([high for _, high in known])


def _repeated(each: tuple[float, float], times: tuple[float, float]) -> Bounds:
    """Bound a sum from the bounds of one term and those of the number of terms."""
    ends = [number * count for number in each for count in times if number]
    return (min(ends), max(ends)) if len(ends) == 4 else (min([0.0, *ends]), max([0.0, *ends]))


def _at_corners(node: Node, known: list[tuple[float, float]]) -> Bounds:
    """Bound an operation that is monotone in each operand, by its values at the operands' bounds."""
    try:
        ends = [run_on_numbers(node.operation, corner) for corner in itertools.product(*known)]
    except NamedTensorError:
        return None  # it has no value there
    return None if any(map(math.isnan, ends)) else (min(ends), max(ends))
