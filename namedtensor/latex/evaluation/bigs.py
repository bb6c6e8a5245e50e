"""Evaluate big operators: sums, products and extremes, over axes or over an index.

The index of sum_{i=1}^n runs along a hidden axis. If it indexes a whole axis, as in sum_i X_{seq(i)},
the sum is over that axis itself.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from functools import partial, reduce
from typing import Any

from namedtensor.axes import shown, unused
from namedtensor.errors import NamedTensorError
from namedtensor.latex.evaluation.arithmetic import axes_of
from namedtensor.latex.evaluation.by_elements import chooses_members, number_of, sized_here
from namedtensor.latex.evaluation.conditions import chosen
from namedtensor.latex.evaluation.evaluator import Evaluator, Word
from namedtensor.latex.evaluation.indexing import length_of, sized_as
from namedtensor.latex.evaluation.indices import (
    Index,
    Position,
    bound,
    is_whole,
    one_based,
    plain,
    position,
    renamed,
    settled,
)
from namedtensor.latex.evaluation.values import UNKNOWN, ArgumentsError, NoAxisError, Value
from namedtensor.latex.evaluation.vocabulary import big_word
from namedtensor.latex.evaluation.wording import wording
from namedtensor.latex.printing.names import axis_letters
from namedtensor.latex.reading import words
from namedtensor.latex.reading.ranges import bound_by, chooses, members_of, pieces_below
from namedtensor.latex.syntax import (
    At,
    Big,
    Binary,
    Call,
    Expression,
    Indexed,
    Items,
    Letter,
    Logic,
    Number,
    Relation,
    Scripts,
)
from namedtensor.latex.walk import all_of, letters_of, walk
from namedtensor.operations.contraction import DOT, dot
from namedtensor.operations.elementwise import MUL
from namedtensor.operations.joining import concat, stack
from namedtensor.operations.reductions import prod
from namedtensor.operations.reductions import sum as total
from namedtensor.primitives import combine, table
from namedtensor.primitives.sizes import OPERATORS
from namedtensor.shape import sized
from namedtensor.tensor import NamedTensor, SymbolicTensor, apply


class Range:
    """The indices that a big operator binds, with their values, ends and conditions."""

    def __init__(self) -> None:
        self.indices: list[Index] = []
        self.bound: dict[Expression, Value] = {}
        self.conditions: list[Expression] = []
        self.held: list[Expression] = []
        #: the ends that depend on other indices: (index, start, end)
        self.ends: list[tuple[Index, Any, Expression]] = []

    def of(self, name: Expression) -> Index | None:
        """Give the index of a name that counts from 1; None for any other name."""
        value = self.bound.get(name)
        return value.index if value is not None and value.direct else None

    def add(self, name: Expression, index: Index, first: Any = 1) -> None:
        self.indices.append(index)
        self.bound[name] = bound(index).plus(position(first)).plus(Position((), 1), -1)


def read_range(e: Evaluator, part: Big) -> Any:
    """Read the range below and above: i; i = 1 .. n; i in [n]; 1 <= i <= n; j != i; i, j."""
    found = Range()
    for piece in pieces_below(part):
        if piece is None:
            return e.refuse(part, "has an upper end and no index below", "write i=1 below it")
        if not _piece(e, part, piece, found):
            return UNKNOWN
    return found


def _piece(e: Evaluator, part: Big, piece: Expression, found: Range) -> bool:
    """Read one part of a range; if it cannot be read, report it and return False."""
    if piece in found.bound:
        return True
    if isinstance(piece, Logic) and found.bound:
        found.conditions.append(piece)
        return True
    if not isinstance(piece, (Letter, Scripts, Relation)):
        e.refuse(
            part, f"has no range: {wording(piece)} binds no index", "write i=1 below and n above"
        )
        return False

    def is_open(name: Expression) -> bool:
        if name in found.bound or name in e.bound:
            return False
        known = e.scope.find(name)  # a tensor of numbers is no end, and chooses no elements
        return known is None or (not is_whole(known) and chooses(name, part.body))

    stated = getattr(e.scope, "range_of", lambda *_: None)
    indices, says_more = bound_by(part, piece, is_open)
    indices = [one for one in indices if one.index not in found.bound]
    of_set = isinstance(piece, Relation) and piece.rest[0][0] == "in"
    if not indices and not (found.bound and (not of_set or piece.first in found.bound)):  # type: ignore[union-attr]
        return _no_index(e, part, piece)
    for one in indices:
        ends: tuple[Expression, Expression | None] = one.lower or Number(part.span, 1), one.upper
        if not isinstance(piece, Relation):
            ends = stated(piece, part.body) or ends
        elif says_more and one.upper is None:
            found.add(one.index, Index(wording(one.index)))
            continue
        if not _between(e, part, one.index, *ends, found):
            return False
    if says_more or not indices:
        found.conditions.append(piece)
    return True


def _no_index(e: Evaluator, part: Big, piece: Expression) -> bool:
    """Report a piece below an operator that binds no index."""
    op, right = piece.rest[0] if isinstance(piece, Relation) else ("", None)
    if op == "in" and right is not None:
        why = f"runs over {wording(right)}, which is no range"
        name = piece.first  # type: ignore[union-attr]
        e.refuse(part, why, _condition_for(part, name, right) or "write i=1 below and n above")
    else:
        e.refuse(part, "binds no index", "write the index below it: i=1, or i")
    return False


def _between(
    e: Evaluator,
    part: Big,
    name: Expression,
    first: Expression,
    last: Expression | None,
    found: Range,
) -> bool:
    """Bind an index from a first to a last number; ends that depend on indices become conditions."""
    inner = e.inside(found.bound)
    start = inner.extent(first)
    end = None if last is None else inner.extent(last)
    if start is UNKNOWN or end is UNKNOWN:
        return False
    for at, value in ((first, start), (last, end)):
        if value is not None and not is_whole(value):
            e.refuse(part, f"ends at {wording(at)}, which is no whole number")  # type: ignore[arg-type]
            return False
    index = Index(wording(name))
    if _moves(start):
        found.held.append(Relation(part.span, name, ((">=", first),)))
        index.first = _end(inner, first, 1)
        start = 1
    if _moves(end) and last is not None:
        found.held.append(Relation(part.span, name, (("<=", last),)))
        index.follows, index.last = True, _end(inner, last, start)
        found.ends.append((index, start, last))
    elif end is not None:
        index.size = _count(start, end)
    index.open = index.size is None
    found.add(name, index, start)
    return True


def _end(e: Evaluator, end: Expression, first: Any) -> Position | None:
    """Evaluate an end that depends on other indices, from 0; None if it is no sum of them."""
    at = e.value(end)
    return at.plus(position(first), -1) if isinstance(at, Position) else None


def _give_ends(e: Evaluator, found: Range) -> None:
    """Give indices whose ends depend on others their greatest size: l = 1, ..., n - i that for i = 1."""
    for index, start, last in found.ends:
        if index.size is None:
            sizes = [_at_most(e, found, start, end) for end in _least_of(last)]
            known = [size for size in sizes if size is not None]
            index.size = min([n for n in known if isinstance(n, int)], default=(*known, None)[0])
            index.open = index.size is None


def _least_of(end: Expression) -> tuple[Expression, ...]:
    """Split an end that is a minimum, min(2, n - i) or min(c, t) - 1, into the ends that it compares."""
    if isinstance(end, Binary) and end.op in ("+", "-") and isinstance(end.right, Number):
        return tuple([replace(end, left=left) for left in _least_of(end.left)])
    least = isinstance(end, Call) and end.function == Letter(end.span, "min", "word")
    return end.arguments if least and not end.axes else (end,)  # type: ignore[union-attr]


def _at_most(e: Evaluator, found: Range, start: Any, last: Expression) -> Any:
    """Count the numbers up to an end that depends on indices, at its greatest; None if not known."""
    at = e.inside(found.bound).value(last)
    terms = [(t, n) for t, n in position(at).terms if isinstance(t, Index)] if is_whole(at) else []
    ends = {term: 1 if n < 0 else length_of(e, term) for term, n in terms}
    if any(n is None for n in ends.values()):
        return None
    known = {name: v.index for name, v in e.bound.items() if isinstance(v, Position) and v.direct}
    given = {name: position(ends[i]) for name, i in known.items() if i in ends}
    most = e.inside({**found.bound, **given}).extent(last)
    return None if _moves(most) or not is_whole(most) else _count(start, most)


def _moves(end: Any) -> bool:
    """Say whether an end differs between records: it is neither a number nor a size."""
    node = getattr(end, "node", None)
    return isinstance(end, NamedTensor) and (node is None or not node.type.host)


def _count(start: Any, end: Any) -> Any:
    """Count the numbers from start to end."""
    if isinstance(start, int) and isinstance(end, int):
        return max(0, end - start + 1)
    start, end = [getattr(x, "node", x) for x in (start, end)]
    return SymbolicTensor(combine("sub", end, combine("sub", start, 1)))


def _condition_for(part: Big, name: Expression, members: Expression) -> str:
    r"""Write, for a hint, a sum over a set as one with a condition; "" if its index indexes no axis."""
    axis = next((at.axis.name for at in all_of(At, part.body) if at.at == name), "")
    of = [*letters_of(members)][1:]  # i of N(i)
    if not axis:
        return ""
    places = [(axis, of[-1]), (f"{axis}'", name)] if of else [(axis, name)]
    inside = ", ".join([f"{axis_letters(a, 'underset')}({wording(i)})" for a, i in places])
    axes = ", ".join([axis_letters(a, "underset") for a, _ in places])
    return rf"write {wording(name)} : M_{{{inside}}} = 1 below it, with M \in \{{0, 1\}}^{{{axes}}}"


#: The most members of a sum that are evaluated one by one.
MEMBERS = 1000


def _pair(part: Big) -> Callable[[Any, Any], Any] | None:
    """Find the function that joins two members: addition for a sum."""
    word = big_word(part.op)
    folds = table()[word.name].traits.folds if word is not None else ""
    if not folds:
        return None
    entry = table()[folds]
    once = partial(apply, entry.plain)
    pair: Callable[[Any, Any], Any] = OPERATORS.get(entry.traits.symbol, once)
    return pair


def _ends(e: Evaluator, part: Big, sizes: bool = False) -> tuple[int, int] | None:
    """Give the ends of i=1 below and n above as numbers, if both are known; also what `sizes` make."""
    lower = part.lower
    if part.upper is None or not isinstance(lower, Relation) or not isinstance(lower.first, Letter):
        return None
    numbers = [
        e.extent(end) if (number := e.scope.whole(end)) is None else number  # type: ignore[attr-defined]
        for end in (lower.rest[0][1], part.upper)
    ]
    start, end = [
        number_of(n) if isinstance(n, int) or (sizes and is_whole(n) and not _moves(n)) else None
        for n in numbers
    ]
    return None if start is None or end is None else (start, end)


def _from_to(e: Evaluator, part: Big) -> Big:
    """Write i=1 below and t - 1 above for i < t, where an operator says no more of its one index."""
    pieces = pieces_below(part) if part.upper is None else []
    if len(pieces) != 1 or not isinstance(pieces[0], Relation):
        return part
    found, says_more = bound_by(part, pieces[0], lambda name: e.scope.find(name) is None)
    if len(found) != 1 or says_more or not isinstance(found[0].index, Letter):
        return part
    below = found[0].lower or Number(part.span, 1)
    return replace(
        part, lower=Relation(part.span, found[0].index, (("=", below),)), upper=found[0].upper
    )


def unrolled(e: Evaluator, part: Big, start: int, end: int) -> Value:
    """Evaluate the body for each number of its index, and join the values."""
    lower: Any = part.lower
    if end == start - 1:
        return _neutral(part)
    if not 0 <= end - start < MEMBERS:
        return e.refuse(
            part,
            f"has {max(0, end - start + 1)} members, and 1 to {MEMBERS} are written out",
            f"count from {wording(lower.rest[0][1])} upwards",
        )
    values = []
    for i in range(start, end + 1):
        inner = e.inside({})
        inner.scope = e.scope.inside({lower.first.text: i})  # type: ignore[attr-defined]
        values.append(inner.numbers(part.body))
    pair = _pair(part)
    assert pair is not None
    return e.attempt(part, lambda *x: reduce(pair, x), values)


def _listed(part: Big) -> tuple[list[Any], list[Expression], tuple[Expression, ...]] | None:
    """Read a, b in {0, 1}: the indices, the members of the set, and the pieces after them."""
    names: list[Any] = []
    pieces = pieces_below(part)
    for at, piece in enumerate(pieces):
        if isinstance(piece, (Letter, Scripts)):
            names.append(piece)
            continue
        single = isinstance(piece, Relation) and len(piece.rest) == 1 and piece.rest[0][0] == "in"
        members = members_of(piece.rest[0][1]) if single else None
        if members is not None and isinstance(piece.first, (Letter, Scripts)):
            return [*names, piece.first], list(members), pieces[at + 1 :]
        return None
    return None


def _over_listed(e: Evaluator, part: Big, names: list[Any], members: Any, rest: Any) -> Value:
    """Evaluate the body for each member of a listed set, and join the values."""
    pair = _pair(part)
    if pair is None or len(members) ** len(names) > MEMBERS:
        return e.refuse(part, "runs over a list", "write it as a sum, a product, max or min")
    values = []
    for given in itertools.product([e.value(m) for m in members], repeat=len(names)):
        inner = e.inside(dict(zip(names, given, strict=True)))
        left = replace(part, lower=Items(part.span, rest, "")) if rest else part.body
        values.append(inner.numbers(left))
    return e.attempt(part, lambda *x: reduce(pair, x), values)


def big(e: Evaluator, part: Big) -> Value:
    word = big_word(part.op)
    if word is not None and word.along in (concat, stack):
        return _joined(e, part, word)
    if word is None:
        return e.refuse(part, f"is no operation on named tensors: {part.op} has no meaning here")
    if part.lower is not None or part.upper is not None:
        return _over_index(e, part)
    value = e.value(part.body)
    if not part.axes:
        return _no_axes(e, part, value)
    operation, axes = word.along, axes_of(part.axes)
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


def _joined(e: Evaluator, part: Big, word: Word) -> Value:
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
    join = word.along[axes_of(part.axes)]
    values = [sized_here(e.scope, e.value(p), weak=True) for p in parts]
    return e.attempt(part, lambda *x: join(*x), values, parts)


# -------------------------------------------------------------------------------- over an index


def _over_index(e: Evaluator, part: Big) -> Value:
    listed = _listed(part)
    if listed is not None:
        return _over_listed(e, part, *listed)
    chooses = chooses_members(e, part.lower, part.body)
    choosing = getattr(e.scope, "choosing", nullcontext) if chooses else nullcontext
    one_for_all = chooses and choosing is nullcontext  # a checker looks at one member only
    may_be_listed = choosing is not nullcontext and _pair(part) is not None
    ends = _ends(e, part) if may_be_listed else None
    if ends is not None:
        return unrolled(e, part, *ends)
    try:
        return _over_range(e, part, choosing, one_for_all)
    except NamedTensorError:
        part = _from_to(e, part)
        ends = _ends(e, part, sizes=True) if may_be_listed else None
        if ends is None:
            raise
        return unrolled(e, part, *ends)


def _over_range(e: Evaluator, part: Big, choosing: Any, one_for_all: bool) -> Value:
    """Evaluate the body at an index for all members at once, and reduce over it."""
    if _is_over_tensors(e, part):
        e.value(part.body)
        return e.refuse(part, "is an optimum over tensors, and is not computed")
    found = read_range(e, part)
    if found is UNKNOWN:
        return UNKNOWN
    inner = e.inside(found.bound)
    conditions = [*found.held, *found.conditions]
    for asked in (part.body, *conditions):
        _give_ranges(e, asked, found)
    _give_ends(e, found)
    with choosing(found.bound) as scope:
        inner.scope = e.scope if choosing is nullcontext else scope
        inner = inner.under(*[(c, True) for c in found.held], ends=True)
        value = inner.under(*[(c, True) for c in found.conditions]).value(part.body)
    for condition in conditions:
        holds = inner.value(condition)
        if one_for_all:
            continue
        value = e.attempt(part, chosen, [holds, value, _neutral(part)])
    if value is UNKNOWN:
        return UNKNOWN
    _give_ends(e, found)
    for index in reversed(found.indices):
        if one_for_all and index.axis not in getattr(value, "axes", ()):
            continue
        value = _reduced(e, part, value, index)
        if value is UNKNOWN:
            return UNKNOWN
    return value if e.bound or isinstance(value, Position) else settled(value)


def _is_over_tensors(e: Evaluator, part: Big) -> bool:
    """Say whether an operator runs over a tensor and no index, as in min_W f(W)."""
    if part.op not in words.CHOOSING or not isinstance(part.lower, (Letter, Scripts)):
        return False
    if part.lower in e.bound:
        return False
    found = e.scope.find(part.lower)
    return isinstance(found, NamedTensor) and bool(found.axes)


def _give_ranges(e: Evaluator, body: Expression, found: Range) -> None:
    """Give each index without a range the size of the first axis that it indexes: W_{kernel(j)}."""
    for part in walk(body):
        if not isinstance(part, Indexed) or not isinstance(part.base, (Letter, Scripts)):
            continue
        indices = [(i.axis.name, found.of(i.at)) for i in part.indices]
        X = e.scope.find(part.base) if any(i is not None for _, i in indices) else None
        for axis, index in indices:
            open_ = index is not None and index.size is None
            if index is not None and open_ and isinstance(X, NamedTensor) and axis in X.axes:
                index.size, index.home = X.size(sized(axis, None)), axis


def _meaning(part: Big) -> Word:
    found = big_word(part.op, over_index=True)
    assert found is not None  # `big` has looked
    return found


def _neutral(part: Big) -> float:
    """Give the number that replaces members which a condition leaves out: 0 for a sum."""
    neutral = table()[_meaning(part).name].traits.neutral
    return math.nan if neutral is None else neutral


def _reduced(e: Evaluator, part: Big, value: Value, index: Index) -> Value:
    """Reduce over an index: its hidden axis is renamed to the axis that it indexes, and reduced."""
    given = plain(value)
    if not isinstance(given, NamedTensor) or index.axis not in given.axes:
        return _repeated(e, part, given, index)
    given = sized_as(given, index.axis, index.size)
    if dict(given.sizes)[index.axis] is None:
        return e.fail(
            part,
            ArgumentsError,
            f"nothing says how far {_letter(index)} runs",
            f"write its range: {part.op}_{{{_letter(index)}=1}}^n, or index an axis by it",
        )
    axis = unused(index.home or _letter(index), [*given.axes, *_homes(e)])
    given = renamed(given, [(index.axis, axis)])
    word = _meaning(part)
    operation = partial(_summed, axis) if word.along is total else word.along[sized(axis, None)]
    result = e.attempt(part, operation, [given], [part.body])
    gives_index = word is not big_word(part.op)
    return one_based(result) if gives_index and result is not UNKNOWN else result


def _summed(axis: str, X: Any) -> Any:
    """Sum over an axis; a sum of products is a contraction."""
    node = getattr(X, "node", None)
    summed = node is not None and node.operation.primitive is DOT
    if node is not None and (summed or node.operation is MUL) and len(node.operands) == 2:
        over = node.operation.params[0] if summed else ()
        if all(o.type.has(axis) for o in node.operands):
            axes = tuple([sized(a, None) for a in (*over, axis)])
            return dot[axes](*[SymbolicTensor(o) for o in node.operands])
    return total[sized(axis, None)](X)


def _letter(index: Index) -> str:
    return shown(index.axis)


def _homes(e: Evaluator) -> list[str]:
    """List the axes that are indexed by the indices bound outside."""
    terms = [t for v in e.bound.values() if isinstance(v, Position) for t, _ in v.terms]
    return [t.home for t in terms if isinstance(t, Index) and t.home is not None]


def _repeated(e: Evaluator, part: Big, value: Any, index: Index) -> Value:
    """Reduce a body that does not depend on the index: a sum of n equal terms is n times one term."""
    word = _meaning(part)
    if table()[word.name].traits.idempotent:
        return value
    if index.size is None or word.along not in (total, prod):
        return e.fail(
            part,
            ArgumentsError,
            f"{wording(part.body)} does not depend on {_letter(index)}",
            f"write its range: {part.op}_{{{_letter(index)}=1}}^n",
        )
    operation = operator.mul if word.along is total else operator.pow
    return e.attempt(part, operation, [value, index.size], [part.body])


READERS: Mapping[type, Any] = {Big: big}
