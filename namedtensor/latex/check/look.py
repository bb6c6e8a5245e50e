"""Look at each part of a formula as its value is found: sizes that meet, axes that flow, indices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from namedtensor.errors import AxisMissingError
from namedtensor.latex.check.failing import failed
from namedtensor.latex.check.flow import look_at_sum
from namedtensor.latex.check.meeting import sizes_meet
from namedtensor.latex.check.ranges import check_bound, check_range
from namedtensor.latex.check.types import node_of
from namedtensor.latex.check.words import is_own_size
from namedtensor.latex.evaluation.indices import is_whole, position
from namedtensor.latex.evaluation.values import UNKNOWN, Value
from namedtensor.latex.syntax import At, Binary, Cases, Contract, Expression, Indexed
from namedtensor.latex.walk import all_of, walk
from namedtensor.primitives import Type

if TYPE_CHECKING:
    from namedtensor.latex.check.checker import Checker

#: Binary operations in which two tensors meet on the axes that they share.
MEETING = frozenset("+ - * / odot times mod".split())


@dataclass(slots=True)
class Taken:
    """An index that was taken of a tensor; looked at when the whole definition is evaluated."""

    base: Expression
    item: At
    value: Value


def look_at(checker: Checker, where: Expression, value: Value) -> Value:
    """Look at a part whose value is found; give it on, without the axes of a fault."""
    if isinstance(where, (Contract, Binary)):
        left, right = [
            node_of(checker.values.get(id(p), UNKNOWN)) for p in (where.left, where.right)
        ]
        if left is None or right is None:
            if isinstance(where, Contract):
                _lacks(checker, where)
            return value
        if left.type.host or right.type.host:
            return value
        if isinstance(where, Contract) or where.op in MEETING:
            sizes_meet(checker, where)
        if isinstance(where, Binary) and where.op in ("+", "-") and not where.axes:
            axis = look_at_sum(checker, where, left, right)
            node = node_of(value)
            if axis is not None and node is not None:
                return checker.stand_in(node.type.without([axis]))
    elif isinstance(where, Indexed):
        for item in where.items:
            if isinstance(item, At) and id(item.at) in checker.values:
                checker.indexed.append(Taken(where.base, item, checker.values[id(item.at)]))
    return value


def _lacks(checker: Checker, where: Contract) -> None:
    """Report an axis that the one known operand of a contraction lacks."""
    for part in (where.left, where.right):
        type_ = checker.type_of(part)
        if type_ is not None and not all(type_.has(axis.name) for axis in where.axes):
            failed(checker, where, AxisMissingError("", ""))


def look_at_indices(checker: Checker, body: Expression) -> None:
    """Hold the indices of a definition to the sizes of their axes."""
    guarded = {
        id(part)
        for cases in all_of(Cases, body)
        for row in cases.rows
        if len(cases.rows) > 1
        for part in walk(row.value)
    }
    for taken in checker.indexed:
        base = checker.type_of(taken.base)
        axis = taken.item.axis.name
        if base is None or not base.has(axis):
            continue
        size = None if is_own_size(axis, base.size(axis)) else base.size(axis)
        shown = checker.report.text(taken.base.span), base
        span = taken.item.at.span
        if _index_type(checker, taken, axis, size, shown):
            continue
        if id(taken.item) not in guarded and taken.value is not UNKNOWN:
            check_range(
                axis, size, taken.value, checker.bounds, span, shown, checker.facts, checker.report
            )
    checker.indexed.clear()


def _index_type(
    checker: Checker, taken: Taken, axis: str, size: object, shown: tuple[str, Type]
) -> bool:
    """Hold a tensor that indexes an axis to what it is declared in; say whether it is one."""
    value = taken.value
    if value is UNKNOWN:
        return False
    terms = position(value).terms if is_whole(value) else ((value, 1),)
    nodes = [n for t, _ in terms if (n := getattr(t, "node", None)) in checker.spaces]
    if len(terms) != 1 or not nodes:
        return False
    name, space, bound = checker.spaces[nodes[0]]
    index = name, space.base, bound
    span = taken.item.at.span
    check_bound(axis, size, index, span, shown, checker.facts, checker.report)
    return True
