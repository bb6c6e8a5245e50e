"""Ranges of indices as they are written: l = 1, ..., L; i, j in [n]; t in {1, ..., T}; 1 <= i <= n; t > 0."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from namedtensor.latex.source import Span
from namedtensor.latex.syntax import (
    Big,
    Binary,
    Call,
    Dots,
    Expression,
    Items,
    Letter,
    Number,
    Relation,
    Space,
)

_TURNED = {">=": "<=", ">": "<", "<=": ">=", "<": ">"}


@dataclass(frozen=True, slots=True, eq=False)
class Between:
    """The numbers that an index runs through; an open end is None."""

    index: Letter
    lower: Expression | None
    upper: Expression | None


def listed(part: Expression) -> tuple[Expression, ...]:
    """Give what is listed without brackets, and anything else alone."""
    return part.parts if isinstance(part, Items) and not part.bracket else (part,)


def ends_of(numbers: Expression) -> tuple[Expression, Expression | None] | None:
    """Give the first and the last of 1, ..., n, of {1, ..., n} and of [n]; None for anything else."""
    if isinstance(numbers, Space) and numbers.base == "[n]" and numbers.bound is not None:
        return None if numbers.axes else (Number(numbers.span, 1), numbers.bound)
    if not isinstance(numbers, Items) or not numbers.parts:
        return None
    first, last = numbers.parts[0], numbers.parts[-1]
    if any(isinstance(p, Dots) for p in numbers.parts[1:]):
        return first, None if isinstance(last, Dots) else last
    alone = numbers.bracket == "[" and first is last
    return (Number(numbers.span, 1), first) if alone else None


def members_of(numbers: Expression) -> tuple[Expression, ...] | None:
    """Give what {0, 1} lists, or one number alone; None for anything else."""
    span = numbers.span
    if isinstance(numbers, Space) and numbers.base == "{0,1}" and not numbers.axes:
        return Number(span, 0), Number(span, 1)
    if isinstance(numbers, Items) and numbers.bracket == "{" and ends_of(numbers) is None:
        return numbers.parts
    return (numbers,) if isinstance(numbers, Number) else None


def ranges_in(relation: Relation) -> Iterator[Between]:
    """List the ranges that a relation gives to indices.

    >>> from namedtensor.latex.reading.reader import parse_expression
    >>> [r.index.text for r in ranges_in(parse_expression("1 \\\\le i < j \\\\le n"))]
    ['i', 'j']
    """
    members = [("", relation.first), *relation.rest]
    for (_, left), (op, right) in itertools.pairwise(members):
        dotted = isinstance(right, Items) and right.bracket != "["
        ends = ends_of(right) if op == "in" or (op == "=" and dotted) else None
        for index in listed(left) if ends is not None else ():
            if ends is not None and isinstance(index, Letter):
                yield Between(index, *ends)
    yield from _compared(relation)


def _compared(relation: Relation) -> Iterator[Between]:
    """Read 1 <= t <= T, t >= 1, 0 < t; a letter at the end of a chain is no least number."""
    ends: dict[Letter, list[Expression | None]] = {}
    members = [("", relation.first), *relation.rest]
    for at, ((_, left), (op, right)) in enumerate(itertools.pairwise(members)):
        if op not in _TURNED:
            continue
        inside = 0 < at < len(members) - 2
        for side, sign, end in ((left, op, right), (right, _TURNED[op], left)):
            for index in listed(side):
                lower = sign[0] == ">"
                known = isinstance(end, Items) or (lower and isinstance(end, Letter) and not inside)
                if not isinstance(index, Letter) or known:
                    continue
                step = Number(end.span, 1)
                pair = ends.setdefault(index, [None, None])
                if lower:
                    pair[0] = end if sign == ">=" else Binary(end.span, "+", end, step)
                else:
                    pair[1] = end if sign == "<=" else Binary(end.span, "-", end, step)
    for index, (lowest, highest) in ends.items():
        if lowest is not None:
            yield Between(index, lowest, highest)


def set_of(index: Expression, condition: Expression, span: Span) -> Items:
    """Write the set of the indices for which a condition holds."""
    return Items(span, (Relation(span, index, (("mid", condition),)),), "{")


def is_set(part: Any) -> bool:
    """Say whether a part is the set of the indices for which a condition holds."""
    alone = isinstance(part, Items) and part.bracket == "{" and len(part.parts) == 1
    relation = part.parts[0] if alone else None
    return isinstance(relation, Relation) and [op for op, _ in relation.rest] == ["mid"]


def number_of(index: Expression, condition: Expression, span: Span) -> Big:
    """Count the indices for which a condition holds: the sum of 1 there."""
    one = Call(span, Letter(span, "1bold"), (), (condition,))
    return Big(span, "sum", (), index, None, one)
