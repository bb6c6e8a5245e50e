"""Find what conditions say about an index: i + 1 stays inside its axis if i < N holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from namedtensor.latex.evaluation.evaluator import Evaluator
from namedtensor.latex.evaluation.indices import Index, Position, equal, is_whole, position, same
from namedtensor.latex.evaluation.values import UNKNOWN
from namedtensor.latex.reading.ranges import ends_of, listed
from namedtensor.latex.syntax import (
    AxisSize,
    Binary,
    Expression,
    Items,
    Letter,
    Logic,
    Number,
    Relation,
    Unary,
)

_OPPOSITE = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_TURNED = {"=": "=", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}

#: One relation between whole numbers; None stands for a condition that is not understood.
Told = tuple[str, Expression, Expression] | None


@dataclass(slots=True)
class Reach:
    """The range of an index along an axis: from `low` to the axis's size plus `high`.

    `said` says that a condition is about the index. An end is clear if all conditions on it were
    understood.
    """

    low: int = 1
    high: int = 0
    said: bool = False
    low_is_clear: bool = True
    high_is_clear: bool = True

    def within(self, shift: int) -> bool:
        """Say whether the index plus a number stays inside the axis."""
        return self.low + shift >= 1 and self.high + shift <= 0

    def beyond(self, shift: int) -> bool:
        """Say whether the index plus a number is known to leave the axis."""
        clear = self.high_is_clear if shift > 0 else self.low_is_clear
        return clear and not self.within(shift) and (self.said or shift < 0)

    def blur(self) -> None:
        """Note that a condition about the index is not understood."""
        self.low_is_clear = self.high_is_clear = False

    def take(self, op: str, low: int | None, high: int | None) -> None:
        """Note a relation to a number, which `low` counts from 1 and `high` from the axis's end."""
        if op == "!=":
            self.low += low == self.low
            self.high -= high == self.high
        if op in ("=", ">", ">="):
            self.low_is_clear &= low is not None
            self.low = max(self.low, 1 if low is None else low + (op == ">"))
        if op in ("=", "<", "<="):
            self.high_is_clear &= high is not None
            self.high = min(self.high, 0 if high is None else high - (op == "<"))


def reach(e: Evaluator, index: Index, axis: str, size: Any) -> Reach:
    """Find the range that the conditions around an expression leave to an index of an axis."""
    found = Reach()
    for condition, holds in e.guards:
        for told in _told(condition, holds):
            if told is None or not all(map(_is_plain, told[1:])):
                found.blur()
            else:
                _read(e, told, index, axis, size, found)
    return found


def _told(condition: Expression, holds: bool) -> Iterator[Told]:
    """List relations that hold where a condition holds, or where it does not (`holds` False)."""
    if isinstance(condition, Unary) and condition.op == "not":
        yield from _told(condition.operand, not holds)
    elif isinstance(condition, Logic) and (condition.op == "and") is holds:
        for part in condition.parts:
            yield from _told(part, holds)
    elif isinstance(condition, Relation) and (holds or len(condition.rest) == 1):
        left = condition.first
        for op, right in condition.rest:
            dotted = isinstance(right, Items) and right.bracket != "["
            ends = ends_of(right) if holds and (op == "in" or (op == "=" and dotted)) else None
            if ends is not None:  # i = 2, ..., n
                lowest, highest = ends
                yield from [(">=", index, lowest) for index in listed(left)]
                yield from [("<=", index, highest) for index in listed(left) if highest is not None]
                left = right
                continue
            several = len(listed(left)) > 1 or len(listed(right)) > 1
            if op not in _OPPOSITE or several:
                yield None
            else:
                yield (op if holds else _OPPOSITE[op]), left, right
            left = right
    else:
        yield None


def _is_plain(part: Expression) -> bool:
    """Say whether an expression is a sum of letters, sizes and numbers."""
    if isinstance(part, Binary):
        return part.op in ("+", "-") and _is_plain(part.left) and _is_plain(part.right)
    return isinstance(part, (Letter, Number, AxisSize))


def _read(
    e: Evaluator,
    told: tuple[str, Expression, Expression],
    index: Index,
    axis: str,
    size: Any,
    found: Reach,
) -> None:
    """Note what one relation says about an index."""
    op, *sides = told
    left, right = [_sum(e, side, axis, size) for side in sides]
    if left is None or right is None:
        found.blur()
        return
    less = left.plus(right, -1)
    times = next((n for term, n in less.terms if term is index), 0)
    if times == 0:
        return  # the relation is not about this index
    found.said = True
    if times not in (1, -1):
        found.blur()
        return
    if times == -1:
        less, op = Position(()).plus(less, -1), _TURNED[op]
    rest = [(term, n) for term, n in less.terms if term is not index]
    found.take(op, *_ends(rest, 1 - less.constant, size))


def _sum(e: Evaluator, part: Expression, axis: str, size: Any) -> Position | None:
    """Evaluate letters, sizes and numbers to a position; None if a letter is no whole number."""
    if isinstance(part, Binary):
        left, right = [_sum(e, side, axis, size) for side in (part.left, part.right)]
        return left and right and left.plus(right, 1 if part.op == "+" else -1)
    own = isinstance(part, AxisSize) and part.axis.name == axis
    value = size if own else e.value(part)
    return position(value) if value is not UNKNOWN and is_whole(value) else None


def _ends(rest: Sequence[tuple[Any, int]], number: int, size: Any) -> tuple[int | None, int | None]:
    """Give the number that the relation compares the index with, counted from 1 and from the axis's end.

    `rest` are the other terms of the relation. A number is None if it is not known.
    """
    if not rest:
        return number, number - size if isinstance(size, int) else None
    (term, times), *others = rest
    if others or times != -1:
        return None, None
    if isinstance(term, Index):  # it runs from 1, and to the axis's end if it has the same size
        alike = term.size is None or equal(term.size, size)
        return number, number - 1 if alike else None
    return None, number if same(term, size) else None
