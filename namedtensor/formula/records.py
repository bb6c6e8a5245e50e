"""Compute a small tree record by record in Python numbers, without a plan and without an array library.

Rules of the checker ask for them where a few numbers tell what a formula says: what a mask hides, whether
something is nan. What an operation does is asked of its entry: pointwise ones are run on numbers, as
`nt.exp(1.0)` is; reductions repeat the operation that they fold; renames change a record's names.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from namedtensor.plans.compile import plan_for_numbers
from namedtensor.primitives import Node, table
from namedtensor.primitives.node import ARGUMENT, NUMBER, operands_first
from namedtensor.primitives.primitive import Operation

Record = tuple[int, ...]  # indices, in the order of the node's names
Numbers = dict[Record, Any]


class NotCounted(Exception):
    """A tree has a part that cannot be computed here."""


def numbers_of(
    roots: Sequence[Node], given: Callable[[Node], Numbers] = lambda argument: {}
) -> list[Numbers]:
    """Compute trees whose sizes are all known: the number at each record of each root.

    `given(argument)` gives the numbers of an argument, at least one.

    Raises: NotCounted.

    >>> tree = nt.define["seq'[2]", "seq[2]"](lambda i, j: nt.where(j <= i, 0.0, -nt.inf)).node
    >>> tree.type.names
    ('seq', "seq'")
    >>> numbers_of([tree])
    [{(0, 0): 0.0, (0, 1): 0.0, (1, 0): -inf, (1, 1): 0.0}]
    """
    found: dict[Node, Numbers] = {}
    for node in operands_first(roots):
        found[node] = _numbers(node, found, given)
    return [found[root] for root in roots]


def records_in(node: Node) -> int:
    """Count the operations needed to compute a node's numbers from those of its operands.

    Raises: NotCounted.
    """
    return math.prod(
        dict([pair for part in (node, *node.operands) for pair in sizes_of(part)]).values()
    )


def sizes_of(node: Node) -> list[tuple[str, int]]:
    """Give a node's axes and sizes. Raises: NotCounted where one is no number."""
    if not all(isinstance(size, int) for _, size in node.type.axes):
        raise NotCounted("a size is open")
    return [(name, int(size)) for name, size in node.type.axes]


def records_of(sizes: Sequence[tuple[str, int]]) -> Iterator[Record]:
    """List the records of some sizes, the last axis running fastest."""
    return itertools.product(*[range(size) for _, size in sizes])


def _numbers(
    node: Node, found: Mapping[Node, Numbers], given: Callable[[Node], Numbers]
) -> Numbers:
    if node.operation.primitive is NUMBER:
        return {(): node.value}
    if node.operation.primitive is ARGUMENT:
        numbers = given(node)
        if not numbers:
            raise NotCounted(node.name)
        return numbers
    traits = node.operation.primitive.traits
    acts = traits.acts(node.operation.params)
    operands = [(o.type.names, found[o]) for o in node.operands]
    if node.name == "dot":
        return _contracted(node, operands)
    if traits.pointwise:
        return _over_records(node, operands, _on_numbers(node))
    if traits.spreads:
        return _over_records(node, operands[:1], lambda x: x)
    if traits.folds or traits.of_list:
        return _reduced(node, operands[0], acts.uses)
    if traits.normalises:
        return _normalised(node, operands[0], acts.along, traits.normalises == "logs")
    if node.name == "iota":
        return {at: at[0] for at in records_of(sizes_of(node))}
    if node.name == "rename":
        names, numbers = operands[0]
        after = dict(node.operation.params[0])
        return _over_records(node, [([after.get(n, n) for n in names], numbers)], lambda x: x)
    raise NotCounted(node.name)


def _over_records(
    node: Node, operands: Sequence[tuple[Sequence[str], Numbers]], function: Callable[..., Any]
) -> Numbers:
    """Apply a function of numbers to those at the same indices."""
    sizes = sizes_of(node)
    names = [name for name, _ in sizes]
    places = [[names.index(n) for n in own] for own, _ in operands]
    return {
        at: function(
            *[
                numbers[tuple([at[i] for i in own])]
                for own, (_, numbers) in zip(places, operands, strict=True)
            ]
        )
        for at in records_of(sizes)
    }


def _contracted(node: Node, operands: Sequence[tuple[Sequence[str], Numbers]]) -> Numbers:
    sizes = dict([pair for o in node.operands for pair in sizes_of(o)])
    kept = [(name, sizes[name]) for name, _ in sizes_of(node)]
    summed = [(n, s) for n, s in sizes.items() if n not in dict(kept)]
    names = [name for name, _ in [*kept, *summed]]
    places = [[names.index(n) for n in own] for own, _ in operands]
    total: Numbers = {}
    for at in records_of(kept):
        products = [
            math.prod(
                numbers[tuple([(at + more)[i] for i in own])]
                for own, (_, numbers) in zip(places, operands, strict=True)
            )
            for more in records_of(summed)
        ]
        total[at] = sum(products)
    return total


def _groups(
    operand: tuple[Sequence[str], Numbers], along: Sequence[str]
) -> dict[Record, dict[Record, Any]]:
    """Group the records that differ only along some axes, by their indices along the others."""
    names, numbers = operand
    others = [i for i, name in enumerate(names) if name not in along]
    groups: dict[Record, dict[Record, Any]] = {}
    for at, x in numbers.items():
        groups.setdefault(tuple([at[i] for i in others]), {})[at] = x
    return groups


def _reduced(node: Node, operand: tuple[Sequence[str], Numbers], uses: Sequence[str]) -> Numbers:
    own = [n for n in operand[0] if n not in uses]
    order = [own.index(name) for name, _ in sizes_of(node)]
    traits = node.operation.primitive.traits
    reduce = traits.of_list
    if reduce is None:
        pair = _on_numbers_of(table()[traits.folds].plain)
        reduce = functools.partial(functools.reduce, pair)
    found: Numbers = {}
    for at, group in _groups(operand, uses).items():
        found[tuple([at[i] for i in order])] = reduce(list(group.values()))
    return found


def _normalised(
    node: Node, operand: tuple[Sequence[str], Numbers], along: Sequence[str], logs: bool
) -> Numbers:
    order = [list(operand[0]).index(name) for name, _ in sizes_of(node)]
    found: Numbers = {}
    for group in _groups(operand, along).values():
        top = max(group.values())
        powers = {at: math.exp(x - top) for at, x in group.items()}  # nan where all are infinite
        total = sum(powers.values())
        for at, x in group.items():
            number = x - top - math.log(total) if logs else powers[at] / total
            found[tuple([at[i] for i in order])] = number
    return found


def _on_numbers(node: Node) -> Callable[..., Any]:
    function = _on_numbers_of(node.operation)
    if node.type.kind != "float":
        return function

    def real(*operands: Any) -> Any:
        x = function(*operands)
        return math.nan if isinstance(x, complex) else x  # (-8) ** 0.5 is complex in Python alone

    return real


def _on_numbers_of(operation: Operation) -> Callable[..., Any]:
    """Give an operation on Python numbers, which has a value where a tensor's has one."""
    chooses = operation.primitive.traits.idempotent

    def run(*operands: Any) -> Any:
        if chooses and any(x != x for x in operands):
            return math.nan
        plan = plan_for_numbers(operation, operands)
        try:
            return plan.run(*operands)
        except ZeroDivisionError:
            if len(operands) == 2 and operation.name == "div":
                return operands[0] * math.inf
            raise NotCounted(operation.name) from None
        except OverflowError:
            return math.inf
        except ValueError:
            if any(x == 0 for x in operands):  # log(0) is infinite, and log(-1) is nan
                raise NotCounted(operation.name) from None
            return math.nan

    return run
