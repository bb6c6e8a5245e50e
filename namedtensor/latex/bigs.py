"""Operators that reach over a product: sums, products, extremes, over axes or over an index.

The index of sum_{i=1}^n runs along a hidden axis. Where it indexes a whole axis, as in
sum_i X_{seq(i)}, the sum is over that axis itself.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from namedtensor.axes import shown
from namedtensor.latex.arithmetic import axes_of
from namedtensor.latex.hidden import renamed, settled
from namedtensor.latex.indices import Index, Position, bound, is_whole, one_based, plain, position
from namedtensor.latex.nonsense import ArgumentsError, NoAxisError
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
from namedtensor.latex.unrolled import chooses_members, unrolled
from namedtensor.latex.values import UNKNOWN, Value
from namedtensor.latex.wording import wording
from namedtensor.operations.elementwise import where
from namedtensor.operations.joining import concat, stack
from namedtensor.operations.reductions import argmax_index, argmin_index, logsumexp, mean, prod
from namedtensor.operations.reductions import max as greatest
from namedtensor.operations.reductions import min as smallest
from namedtensor.operations.reductions import sum as total
from namedtensor.operations.vectors import argmax, argmin
from namedtensor.primitives import combine
from namedtensor.shape import sized
from namedtensor.tensor import NamedTensor, SymbolicTensor

if TYPE_CHECKING:
    from namedtensor.latex.evaluate import Evaluator

_OVER_AXES: dict[str, Any] = {
    "sum": total,
    "prod": prod,
    "max": greatest,
    "min": smallest,
    "sup": greatest,
    "inf": smallest,
    "argmax": argmax,
    "argmin": argmin,
    "mean": mean,
    "logsumexp": logsumexp,
}
_OVER_INDEX: dict[str, Any] = {**_OVER_AXES, "argmax": argmax_index, "argmin": argmin_index}

#: What a condition puts in the place of what it leaves out.
_NEUTRAL = {
    "sum": 0,
    "prod": 1,
    "max": -math.inf,
    "sup": -math.inf,
    "argmax": -math.inf,
    "min": math.inf,
    "inf": math.inf,
    "argmin": math.inf,
    "logsumexp": -math.inf,
}


def big(e: Evaluator, part: Big) -> Value:
    if part.op in ("concat", "stack"):
        return _joined(e, part)
    if part.op not in _OVER_AXES:
        return e.refuse(part, f"is no operation on named tensors: {part.op} has no meaning here")
    if part.lower is not None or part.upper is not None:
        return _over_index(e, part)
    value = e.value(part.body)
    if not part.axes:
        return _no_axes(e, part, value)
    operation, axes = _OVER_AXES[part.op], axes_of(part.axes)
    return e.attempt(part, lambda X: operation[axes](X), [value], [part.body])


def _no_axes(e: Evaluator, part: Big, value: Value) -> Value:
    text = wording(part.body)
    first = value.axes[0] if isinstance(value, NamedTensor) and value.axes else "ax"
    shapes = [(text, str(value.shape))] if isinstance(value, NamedTensor) else []
    return e.fail(
        part,
        NoAxisError,
        f"{part.op} acts along axes, and none is named",
        f"write its axes below it: {part.op}_{{{first}}} {text}",
        shapes,
    )


def _joined(e: Evaluator, part: Big) -> Value:
    """Join the parts of a list along an axis."""
    body = part.body
    parts = body.parts if isinstance(body, Items) else (body,)
    if len(part.axes) != 1:
        return e.fail(
            part,
            NoAxisError,
            f"{part.op} joins along one axis, and {len(part.axes)} are named",
            f"write the axis below it: {part.op}_ax (X, Y)",
        )
    join = (concat if part.op == "concat" else stack)[axes_of(part.axes)]
    return e.attempt(part, lambda *x: join(*x), [e.value(p) for p in parts], parts)


# -------------------------------------------------------------------------------- over an index


class _Range:
    """The indices that a big operator binds, their values, and the condition on them."""

    def __init__(self) -> None:
        self.indices: list[Index] = []
        self.bound: dict[Expression, Value] = {}
        self.conditions: list[Expression] = []

    def add(self, name: Expression, size: Any = None, first: Any = 1) -> None:
        index = Index(wording(name), size)
        self.indices.append(index)
        self.bound[name] = bound(index).plus(position(first)).plus(Position((), 1), -1)


def _over_index(e: Evaluator, part: Big) -> Value:
    if chooses_members(e, part):
        return unrolled(e, part)
    found = _range(e, part)
    if found is UNKNOWN:
        return UNKNOWN
    inner = e.inside(found.bound)
    value = (inner.guard if found.conditions else inner).value(part.body)
    for condition in found.conditions:
        holds = inner.value(condition)
        value = e.attempt(part, _kept(_NEUTRAL.get(part.op, math.nan)), [holds, value])
    if value is UNKNOWN:
        return UNKNOWN
    for index in reversed(found.indices):
        value = _reduced(e, part, value, index)
        if value is UNKNOWN:
            return UNKNOWN
    return value if e.bound or isinstance(value, Position) else settled(value)


def _kept(neutral: float) -> Callable[[Any, Any], Any]:
    def kept(condition: Any, value: Any) -> Any:
        if isinstance(condition, bool) and not isinstance(value, NamedTensor):
            return value if condition else neutral
        return where(condition, value, neutral)

    return kept


def _reduced(e: Evaluator, part: Big, value: Value, index: Index) -> Value:
    """Reduce over an index's own axis, or over the axis that it indexes where that is the same."""
    given = plain(value)
    if not isinstance(given, NamedTensor) or index.axis not in given.axes:
        return _repeated(e, part, given, index)
    if dict(given.sizes)[index.axis] is None:
        return e.fail(
            part,
            ArgumentsError,
            f"nothing says how far {_letter(index)} runs",
            f"write its range: {part.op}_{{{_letter(index)}=1}}^n, or index an axis by it",
        )
    axis = _free(index.home or _letter(index), [*given.axes, *_homes(e)])
    given = renamed(given, [(index.axis, axis)])
    operation = _OVER_INDEX[part.op][sized(axis, None)]
    result = e.attempt(part, operation, [given], [part.body])
    if part.op in ("argmax", "argmin") and result is not UNKNOWN:
        return one_based(result)
    return result


def _letter(index: Index) -> str:
    return shown(index.axis)


def _homes(e: Evaluator) -> list[str]:
    """List the axes along which the indices run that are bound around."""
    terms = [t for v in e.bound.values() if isinstance(v, Position) for t, _ in v.terms]
    return [t.home for t in terms if isinstance(t, Index) and t.home is not None]


def _free(axis: str, taken: Sequence[str]) -> str:
    """Prime a name until it is free."""
    while axis in taken:
        axis += "'"
    return axis


def _repeated(e: Evaluator, part: Big, value: Any, index: Index) -> Value:
    """Reduce what does not depend on the index: a sum of n equal terms is n times one."""
    if part.op in ("max", "min", "sup", "inf", "mean"):
        return value
    if index.size is None or part.op not in ("sum", "prod"):
        return e.fail(
            part,
            ArgumentsError,
            f"{wording(part.body)} does not depend on {_letter(index)}",
            f"write its range: {part.op}_{{{_letter(index)}=1}}^n",
        )
    operation = operator.mul if part.op == "sum" else operator.pow
    return e.attempt(part, operation, [value, index.size], [part.body])


# --------------------------------------------------------------------------------------- ranges


def _range(e: Evaluator, part: Big) -> Any:
    """Read what stands below and above: i; i = 1 .. n; i in [n]; 1 <= i <= n; j != i; i, j."""
    found = _Range()
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


def _piece(e: Evaluator, part: Big, piece: Expression, found: _Range) -> bool:
    """Read one part of a range; False where it cannot be read, which has been reported."""
    if isinstance(piece, (Letter, Scripts)):
        if piece not in found.bound:
            found.add(
                piece, None if part.upper is None else _count(e, part, 1, e.extent(part.upper))
            )
        return True
    if not isinstance(piece, Relation):
        e.refuse(
            part, f"has no range: {wording(piece)} binds no index", "write i=1 below and n above"
        )
        return False
    op, right = piece.rest[0]
    single = len(piece.rest) == 1 and isinstance(piece.first, (Letter, Scripts))
    if single and op == "=" and piece.first not in found.bound:
        return _from(e, part, piece.first, right, found)
    if single and op == "in" and piece.first not in found.bound:
        return _from_set(e, part, piece.first, right, found)
    return _from_condition(e, part, piece, found)


def _from(e: Evaluator, part: Big, name: Expression, first: Expression, found: _Range) -> bool:
    """i = 1 below, n above; ends that depend on other indices become conditions."""
    inner = e.inside(found.bound)
    start = inner.extent(first)
    end = None if part.upper is None else inner.extent(part.upper)
    if start is UNKNOWN or end is UNKNOWN:
        return False
    for at, value in ((first, start), (part.upper, end)):
        if value is not None and not is_whole(value):
            e.refuse(part, f"ends at {wording(at)}, which is no whole number")  # type: ignore[arg-type]
            return False
    if _moves(start):
        found.conditions.append(Relation(part.span, name, ((">=", first),)))
        start = 1
    if _moves(end):
        found.conditions.append(Relation(part.span, name, (("<=", part.upper),)))  # type: ignore[arg-type]
        end = None
    found.add(name, None if end is None else _count(e, part, start, end), start)
    return True


def _moves(end: Any) -> bool:
    """Say whether an end is another one for each record: neither a number nor a size."""
    node = getattr(end, "node", None)
    return isinstance(end, NamedTensor) and (node is None or not node.type.host)


def _count(e: Evaluator, part: Big, start: Any, end: Any) -> Any:
    if isinstance(start, int) and isinstance(end, int):
        return max(0, end - start + 1)
    start, end = [getattr(x, "node", x) for x in (start, end)]
    return SymbolicTensor(combine("sub", end, combine("sub", start, 1)))


def _from_set(e: Evaluator, part: Big, name: Expression, right: Expression, found: _Range) -> bool:
    """i in [n], and i in {1, ..., n}."""
    if isinstance(right, Space) and right.bound is not None and not right.axes:
        size = e.extent(right.bound)
    elif isinstance(right, Items) and right.bracket == "[" and len(right.parts) == 1:
        size = e.extent(right.parts[0])
    elif isinstance(right, Items) and any(isinstance(p, Dots) for p in right.parts):
        first, last = e.extent(right.parts[0]), e.extent(right.parts[-1])
        if first is UNKNOWN or last is UNKNOWN or not is_whole(first) or not is_whole(last):
            return False
        found.add(name, _count(e, part, first, last), first)
        return True
    else:
        e.refuse(
            part, f"runs over {wording(right)}, which is no range", "write i=1 below and n above"
        )
        return False
    if size is UNKNOWN:
        return False
    found.add(name, size)
    return True


def _from_condition(e: Evaluator, part: Big, piece: Relation, found: _Range) -> bool:
    """1 <= i <= n, j < i, j != i: the first name that stands for nothing yet is the index."""
    members = [piece.first, *[right for _, right in piece.rest]]
    names = [m for m in members if isinstance(m, (Letter, Scripts)) and m not in found.bound]
    fresh = next((m for m in names if m not in e.bound and e.scope.find(m) is None), None)
    if fresh is not None:
        if _is_from_one(piece, fresh):
            size = e.extent(piece.rest[1][1])
            if size is UNKNOWN:
                return False
            found.add(fresh, size)
            return True
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


READERS: Mapping[type, Any] = {Big: big}
