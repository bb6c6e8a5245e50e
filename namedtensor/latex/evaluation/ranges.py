"""Ranges of the indices that sums bind: what stands below and above the sign."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from namedtensor.latex.evaluation.indices import Index, Position, bound, is_whole, position
from namedtensor.latex.evaluation.values import UNKNOWN, Value
from namedtensor.latex.evaluation.wording import wording
from namedtensor.latex.syntax import (
    Big,
    Dots,
    Expression,
    Items,
    Letter,
    Logic,
    Number,
    Relation,
    Scripts,
    Space,
)
from namedtensor.primitives import combine
from namedtensor.tensor import NamedTensor, SymbolicTensor

if TYPE_CHECKING:
    from namedtensor.latex.evaluation.evaluate import Evaluator


class Range:
    """The indices that a big operator binds, their values, and the condition on them."""

    def __init__(self) -> None:
        self.indices: list[Index] = []
        self.bound: dict[Expression, Value] = {}
        self.conditions: list[Expression] = []

    def of(self, name: Expression) -> Index | None:
        """Give the index that a name is, counting from 1."""
        value = self.bound.get(name)
        return value.index if value is not None and value.direct else None

    def add(self, name: Expression, size: Any = None, first: Any = 1) -> None:
        index = Index(wording(name), size)
        self.indices.append(index)
        self.bound[name] = bound(index).plus(position(first)).plus(Position((), 1), -1)


def read_range(e: Evaluator, part: Big) -> Any:
    """Read what stands below and above: i; i = 1 .. n; i in [n]; 1 <= i <= n; j != i; i, j."""
    found = Range()
    lower = part.lower
    pieces = lower.parts if isinstance(lower, Items) and lower.bracket == "" else (lower,)
    if isinstance(lower, Logic) and lower.op == "and":
        pieces = lower.parts
    for piece in pieces:
        if piece is None:
            return e.refuse(part, "has an upper end and no index below", "write i=1 below it")
        if not _piece(e, part, piece, found):
            return UNKNOWN
    return found


def _piece(e: Evaluator, part: Big, piece: Expression, found: Range) -> bool:
    """Read one part of a range; False where it cannot be read, which has been reported."""
    if isinstance(piece, (Letter, Scripts)):
        if piece not in found.bound:
            return _between(e, part, piece, Number(part.span, 1), part.upper, found)
        return True
    if not isinstance(piece, Relation):
        e.refuse(
            part, f"has no range: {wording(piece)} binds no index", "write i=1 below and n above"
        )
        return False
    op, right = piece.rest[0]
    single = len(piece.rest) == 1 and isinstance(piece.first, (Letter, Scripts))
    if single and op == "=" and piece.first not in found.bound:
        return _between(e, part, piece.first, right, part.upper, found)
    if single and op == "in" and piece.first not in found.bound:
        return _from_set(e, part, piece.first, right, found)
    return _from_condition(e, part, piece, found)


def _between(
    e: Evaluator,
    part: Big,
    name: Expression,
    first: Expression,
    last: Expression | None,
    found: Range,
) -> bool:
    """Bind an index from a first number to a last; ends that depend on other indices are conditions."""
    inner = e.inside(found.bound)
    start = inner.extent(first)
    end = None if last is None else inner.extent(last)
    if start is UNKNOWN or end is UNKNOWN:
        return False
    for at, value in ((first, start), (last, end)):
        if value is not None and not is_whole(value):
            e.refuse(part, f"ends at {wording(at)}, which is no whole number")  # type: ignore[arg-type]
            return False
    if _moves(start):
        found.conditions.append(Relation(part.span, name, ((">=", first),)))
        start = 1
    if _moves(end):
        found.conditions.append(Relation(part.span, name, (("<=", last),)))  # type: ignore[arg-type]
        end = None
    found.add(name, None if end is None else _count(start, end), start)
    return True


def _moves(end: Any) -> bool:
    """Say whether an end is another one for each record: neither a number nor a size."""
    node = getattr(end, "node", None)
    return isinstance(end, NamedTensor) and (node is None or not node.type.host)


def _count(start: Any, end: Any) -> Any:
    """Count the numbers from start to end."""
    if isinstance(start, int) and isinstance(end, int):
        return max(0, end - start + 1)
    start, end = [getattr(x, "node", x) for x in (start, end)]
    return SymbolicTensor(combine("sub", end, combine("sub", start, 1)))


def _from_set(e: Evaluator, part: Big, name: Expression, right: Expression, found: Range) -> bool:
    """i in [n], and i in {1, ..., n}."""
    one = Number(part.span, 1)
    if isinstance(right, Space) and right.bound is not None and not right.axes:
        return _between(e, part, name, one, right.bound, found)
    if isinstance(right, Items) and right.bracket == "[" and len(right.parts) == 1:
        return _between(e, part, name, one, right.parts[0], found)
    if isinstance(right, Items) and any(isinstance(p, Dots) for p in right.parts):
        return _between(e, part, name, right.parts[0], right.parts[-1], found)
    e.refuse(part, f"runs over {wording(right)}, which is no range", "write i=1 below and n above")
    return False


def _from_condition(e: Evaluator, part: Big, piece: Relation, found: Range) -> bool:
    """1 <= i <= n, j < i, j != i: the first name that stands for nothing yet is the index."""
    members = [piece.first, *[right for _, right in piece.rest]]
    names = [m for m in members if isinstance(m, (Letter, Scripts)) and m not in found.bound]
    fresh = next((m for m in names if m not in e.bound and e.scope.find(m) is None), None)
    if fresh is not None:
        if _is_from_one(piece, fresh):
            return _between(e, part, fresh, piece.first, piece.rest[1][1], found)
        found.add(fresh)
    elif not found.bound:
        e.refuse(part, "binds no index", "write the index below it: i=1, or i")
        return False
    found.conditions.append(piece)
    return True


def _is_from_one(piece: Relation, name: Expression) -> bool:
    """Say whether a relation is 1 <= name <= n."""
    return (
        isinstance(piece.first, Number)
        and piece.first.value == 1
        and [op for op, _ in piece.rest] == ["<=", "<="]
        and piece.rest[0][1] == name
    )
