"""What conditions say of an index: whether i + 1 stays inside its axis where i < N holds."""

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

#: One relation between whole numbers; None is one that says something that is not followed.
Told = tuple[str, Expression, Expression] | None


@dataclass(slots=True)
class Reach:
    """How far an index runs along an axis: from `low` to `high` more than the axis's size.

    `said` says that a condition names the index. An end is clear where all that names it is understood.
    """

    low: int = 1
    high: int = 0
    said: bool = False
    low_is_clear: bool = True
    high_is_clear: bool = True

    def within(self, shift: int) -> bool:
        """Say whether the index plus a number stays inside of the axis."""
        return self.low + shift >= 1 and self.high + shift <= 0

    def beyond(self, shift: int) -> bool:
        """Say whether the index plus a number leaves the axis, as far as conditions name it."""
        clear = self.high_is_clear if shift > 0 else self.low_is_clear
        return clear and not self.within(shift) and (self.said or shift < 0)

    def blur(self) -> None:
        """Take in that something is said that is not followed."""
        self.low_is_clear = self.high_is_clear = False

    def take(self, op: str, low: int | None, high: int | None) -> None:
        """Take in that the index stands so to a number, counted from 1 and from the axis's end."""
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
    """Find how far the conditions around an expression let an index run along an axis of this size."""
    found = Reach()
    for condition, holds in e.guards:
        for told in _told(condition, holds):
            if told is None or not all(map(_is_plain, told[1:])):
                found.blur()
            else:
                _read(e, told, index, axis, size, found)
    return found


def _told(condition: Expression, holds: bool) -> Iterator[Told]:
    """List the relations that all hold where a condition does, or does not."""
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
    """Say whether an expression is made of letters, sizes and numbers: no data are looked at."""
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
    """Take in what one relation says of an index."""
    op, *sides = told
    left, right = [_sum(e, side, axis, size) for side in sides]
    if left is None or right is None:
        found.blur()
        return
    less = left.plus(right, -1)
    times = next((n for term, n in less.terms if term is index), 0)
    if times == 0:
        return  # it is about others
    found.said = True
    if times not in (1, -1):
        found.blur()
        return
    if times == -1:
        less, op = Position(()).plus(less, -1), _TURNED[op]
    rest = [(term, n) for term, n in less.terms if term is not index]
    found.take(op, *_ends(rest, 1 - less.constant, size))


def _sum(e: Evaluator, part: Expression, axis: str, size: Any) -> Position | None:
    """Give what is made of letters, sizes and numbers as a sum; None where a letter is no whole number."""
    if isinstance(part, Binary):
        left, right = [_sum(e, side, axis, size) for side in (part.left, part.right)]
        return left and right and left.plus(right, 1 if part.op == "+" else -1)
    own = isinstance(part, AxisSize) and part.axis.name == axis
    value = size if own else e.value(part)
    return position(value) if value is not UNKNOWN and is_whole(value) else None


def _ends(rest: Sequence[tuple[Any, int]], number: int, size: Any) -> tuple[int | None, int | None]:
    """Give what the index is held to, a number or one more than another term: from 1, and from the end.

    Each is None where it depends on how long the axis is.
    """
    if not rest:
        return number, number - size if isinstance(size, int) else None
    (term, times), *others = rest
    if others or times != -1:
        return None, None
    if isinstance(term, Index):  # which runs from 1, and up to the end where it is as long
        alike = term.size is None or equal(term.size, size)
        return number, number - 1 if alike else None
    return None, number if same(term, size) else None
