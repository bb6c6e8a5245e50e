"""Evaluate indices and renamings below a tensor: X_{seq(i)}, E_{vocab(I)}, X_{seq -> seq'}.

An index that runs along the whole axis becomes a renaming, an index with a shift a range, and i + j - 1
a window. All others become indexing by an integer tensor.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from namedtensor.axes import AxisIndex, AxisSelection, Rename, shown
from namedtensor.errors import AxisMissingError, AxisNameError, IndexRangeError, KindError, nearest
from namedtensor.formula.written import calls_taken_in, writing
from namedtensor.latex.evaluation.by_elements import known_size
from namedtensor.latex.evaluation.evaluator import Evaluator, Guard
from namedtensor.latex.evaluation.indices import (
    Index,
    Position,
    at_place,
    equal,
    holds_data,
    is_count,
    is_whole,
    marked,
    one_based,
    plain,
    position,
    same,
    zero_based,
)
from namedtensor.latex.evaluation.values import UNKNOWN, Value
from namedtensor.latex.evaluation.wording import wording
from namedtensor.latex.reading.ranges import ends_of, listed
from namedtensor.latex.reading.words import STATISTICS
from namedtensor.latex.syntax import (
    At,
    AxisSize,
    Binary,
    Call,
    Expression,
    Floor,
    Indexed,
    Is,
    Items,
    Letter,
    Logic,
    Number,
    Relation,
    Renaming,
    SizedAxis,
    Unary,
)
from namedtensor.latex.walk import all_of
from namedtensor.operations.elementwise import clip, where
from namedtensor.operations.indexing import AT, as_asked
from namedtensor.operations.recurrence import SCAN
from namedtensor.operations.windows import POOL, UNROLL
from namedtensor.primitives import combine, number
from namedtensor.primitives.node import apply_node, operands_first
from namedtensor.primitives.sizes import as_node
from namedtensor.shape import sized, spaced
from namedtensor.tensor import NamedTensor, SymbolicTensor, apply
from namedtensor.tensor.resize import resize

#: The least and greatest index are computed only for tensors of at most this many numbers.
MOST = 10_000_000


def indexed(e: Evaluator, part: Indexed) -> Value:
    """Evaluate all indices and renamings below a tensor: first the indices, then the renamings."""
    inner = _taken_before(e, part)
    if inner is not None:
        return e.value(inner)
    value = e.value(part.base)
    if isinstance(value, Position) and len(value.terms) == 1 and value.written is None:
        (term, times), constant = value.terms[0], value.constant
        if isinstance(term, NamedTensor) and times == 1:
            # I_{seq(t)} is an index in data, which counts from 0, as I does
            found = indexed_at(e, part, term)
            return found if found is UNKNOWN else Position(((found, 1),), constant)
    if holds_data(value):  # 1 + x and x + y
        found = indexed_at(e, part, value.from_zero)
        return found if found is UNKNOWN else one_based(found)
    return indexed_at(e, part, e.attempt(part.base, lambda X: X, [value], [part.base]))


def _taken_before(e: Evaluator, part: Indexed) -> Expression | None:
    """Read mean_{batch} (X)_{class(y)}, where y has the axis batch, as mean_{batch} (X_{class(y)}).

    Indexing the mean by y would bring batch back: that is written [mean_{batch}(X)]_{class(y)}.
    """
    call = part.base
    if part.span.start != call.span.start:
        return None  # brackets around the call
    if not isinstance(call, Call) or not call.axes or len(call.arguments) != 1 or call.parameters:
        return None
    if not isinstance(call.function, Letter) or call.function.text not in STATISTICS:
        return None
    picked = [e.value(item.at) for item in part.indices]
    used = {axis.name for axis in call.axes}
    if not any(used.intersection(getattr(index, "axes", ())) for index in map(plain, picked)):
        return None
    (given,) = call.arguments
    inner = replace(part, base=Items(given.span, (given,), "("))
    return replace(call, arguments=(inner,), bracket="")


def indexed_at(e: Evaluator, part: Indexed, X: Value) -> Value:
    """Index and rename a value by the items below a part of a formula."""
    places = [(item, _at_end(e, item, X)) for item in part.indices]
    renames = [_rename(e, part, item) for item in part.items if isinstance(item, Renaming)]
    if X is UNKNOWN or any(v is UNKNOWN for _, v in places) or UNKNOWN in renames:
        return UNKNOWN
    X = plain(X)
    if not isinstance(X, NamedTensor):
        return e.fail(
            part,
            AxisMissingError,
            f"{wording(part.base)} is a number and has no axes",
            "index and rename tensors",
        )
    X = _at(e, part, X, places)
    if X is UNKNOWN or not renames:
        return X
    return e.attempt(part, lambda X: X[tuple(renames)], [X], [part.base])


def _at_end(e: Evaluator, item: At, X: Value) -> Value:
    """Evaluate an index; |seq| in X_{seq(|seq|)} is X's own size, a one-hot argmax becomes an index."""
    at = Floor(item.at.span, "floor", item.at) if _is_half(e, item.at) else item.at
    value, axis = e.exactly().value(at), item.axis.name
    own = isinstance(item.at, AxisSize) and item.at.axis.name == axis and value is not UNKNOWN
    if own and axis in getattr(X, "axes", ()):
        return X.size(sized(axis, None))
    index = index_meant(e, item.at, value)
    return value if index is None else index


def index_meant(e: Evaluator, part: Expression, value: Value) -> Value:
    """Give the index that a part marks by a one-hot argmax, of itself or of a function, j(f); else None."""
    index = marked(value)
    if index is None and any(all_of(Call, part)) and writing():
        with calls_taken_in():
            index = marked(e.value(part))
    return index


def _is_half(e: Evaluator, at: Expression) -> bool:
    """Say whether an index is half of what is even under the conditions around it: (n + 1) / 2 for odd n."""
    if not isinstance(at, Binary) or at.op != "/" or at.right != Number(at.span, 2):
        return False
    for condition, holds in e.guards:
        if isinstance(condition, Is) and condition.what in ("odd", "even"):
            ends = [e.value(part) for part in (at.left, condition.subject)]
            if all(map(is_whole, ends)):
                whole, subject = map(position, ends)
                gap, odd = whole.plus(subject, -1), (condition.what == "odd") is holds
                return not gap.terms and isinstance(gap.constant, int) and gap.constant % 2 == odd
    return False


# --------------------------------------------------------------------------------------- indices


def _at(e: Evaluator, part: Indexed, X: Any, places: Sequence[tuple[At, Value]]) -> Value:
    """Apply the indices below a tensor; those that are integer tensors are applied together."""
    for n, (item, _) in enumerate(places):
        if item.axis.name not in X.axes:
            return _absent(e, part, X, item.axis.name)
        if any(item.axis.name == other.axis.name for other, _ in places[:n]):
            return e.fail(
                part,
                AxisNameError,
                f"{item.axis.name} is indexed twice",
                "index each axis once",
                [(wording(part.base), spaced(X.sizes))],
            )
    picked: list[AxisIndex] = []
    for item, value in places:
        if not is_whole(value):
            shapes = [(wording(item.at), str(value.shape))] if hasattr(value, "shape") else []
            return e.fail(
                item.at,
                KindError,
                f"{wording(item.at)} is no whole number, and stands as an index of {item.axis.name}",
                "an index counts from 1 to the size of its axis",
                shapes,
            )
        found = _one(e, part, X, item, value)
        if found is UNKNOWN:
            return UNKNOWN
        if isinstance(found, AxisIndex):
            picked.append(found)
        else:
            X = found
    if not picked:
        return X
    named = [item.at for item, _ in places]
    words = [p.index for p in picked]
    pick = tuple(picked)
    return e.attempt(part, lambda X, *_: X[pick], [X, *words], [part.base, *named])


def _absent(e: Evaluator, part: Indexed, X: Any, axis: str) -> Value:
    guess = nearest(axis, X.axes)
    text = wording(part.base)
    return e.fail(
        part,
        AxisMissingError,
        f"{text} has no axis {axis}",
        f"did you mean {shown(guess)}?"
        if guess
        else f"{text} has only the axes that its shape shows",
        [(text, spaced(X.sizes))],
    )


def _one(e: Evaluator, part: Indexed, X: Any, item: At, value: Value) -> Value:
    """Apply one index, or return it as an AxisIndex if it needs an integer tensor."""
    axis, size = item.axis.name, X.size(sized(item.axis.name, None))
    if isinstance(value, NamedTensor) and not is_count(value):
        return _picked(e, part, X, item, value, size)
    if not isinstance(value, Position):
        return _number(e, part, X, item, value, size)
    if not value.terms:
        return _number(e, part, X, item, value.constant, size)
    index = value.index
    if index is not None:
        return _along(e, part, X, item, index, value.constant - 1, size)
    indices = [(term, count) for term, count in value.terms if isinstance(term, Index)]
    if any(term.follows for term, _ in indices):
        for term, count in indices:  # in x_{t + l} and x_{t - l}, t runs along the whole axis
            if count == 1 and not term.follows and term.size is None:
                term.size, term.home = size, term.home or axis
    # under a condition, i + j - 1 may go beyond the axis, which a window may not
    seen = None if e.guards else window(e, part, X, axis, value, size)
    if seen is not None:
        return seen
    return _picked(e, part, X, item, value, size)


def _picked(e: Evaluator, part: Indexed, X: Any, item: At, value: Value, size: Any) -> Value:
    """Make an integer tensor of computed indices; if the size is known, report one that lies outside.

    Indices that a condition around the part leaves out are replaced by indices inside the axis.
    """
    axis = item.axis.name
    numbers = value.from_zero if isinstance(value, Position) else zero_based(value)
    if numbers is value:
        return AxisIndex(axis, value)
    counting = _that_count(e, numbers)
    if isinstance(size, int):
        every = _that_count(e, numbers, wide=True) if counting is None else counting
        # `listed` tensors, which the printer writes, may hold negative numbers: from the end
        node = getattr(every, "node", None)
        listed = node is not None and any(part.name == "listed" for part in operands_first([node]))
        least = -size if listed else 0
        beyond = [n for n in _ends(e, every) if not least <= n < size]
        if beyond:
            return outside(e, item.at, part.base, X, axis, str(as_asked(beyond[0]) + 1), size)
    if not e.guards or not isinstance(value, Position):
        return AxisIndex(axis, at_place(value))
    left_out = counting is None  # the condition depends on other data: clip all indices
    return AxisIndex(
        axis, clip(numbers, 0, size - 1) if left_out else _that_count(e, at_place(value))
    )


def _that_count(e: Evaluator, numbers: Any, wide: bool = False) -> Any:
    """Replace the numbers by 0 where a condition around the part does not hold.

    None if a condition depends on more than these indices; `wide` gives the numbers for all of those, too.
    """
    for condition, holds in e.guards:
        found: Any = UNKNOWN if any(all_of(Indexed, condition)) else e.value(condition)
        if isinstance(found, bool):
            numbers = numbers if found is holds else 0
        elif found is UNKNOWN or not (wide or {*found.axes} <= {*getattr(numbers, "axes", ())}):
            return None
        else:
            numbers = where(found, numbers, 0) if holds else where(found, 0, numbers)
    return numbers


def length_of(e: Evaluator, index: Index) -> Any:
    """Give the size of an index's range, or None if it is not known."""
    if index.size is not None or not index.home:
        return index.size
    return known_size(e.scope, index.home)


def _ends(e: Evaluator, numbers: Any) -> list[int]:
    """Compute the least and greatest of index-defined numbers; [] if a size is open."""
    if not hasattr(numbers, "node") or not numbers.axes:
        return []
    sizes = dict(numbers.node.type.axes)
    for found in e.bound.values():
        index = found.index if isinstance(found, Position) else None
        if index is not None and index.axis in sizes and sizes[index.axis] is None:
            known = length_of(e, index)
            sizes[index.axis] = getattr(known, "node", known)
    if not numbers.node.closed or not all(isinstance(n, int) and n for n in sizes.values()):
        return []
    if math.prod(sizes.values()) > MOST:
        return []
    data = SymbolicTensor(resize(numbers.node, sizes)).data
    return [int(data.min()), int(data.max())]


def _number(e: Evaluator, part: Indexed, X: Any, item: At, number: Any, size: Any) -> Value:
    """Apply an index that is one number: it counts from 1, or from the end if it is negative."""
    if isinstance(number, int):
        beyond = isinstance(size, int) and abs(number) > size
        if number == 0 or beyond:
            return outside(e, item.at, part.base, X, item.axis.name, str(number), size)
    at = zero_based(number)
    return e.attempt(part, lambda X: _folded(X[AxisIndex(item.axis.name, at)]), [X], [part.base])


def _folded(X: NamedTensor) -> NamedTensor:
    """Turn the last state of a scan into a fold, which keeps no other state."""
    if not isinstance(X, SymbolicTensor) or X.node.operation.primitive is not AT:
        return X
    whole, index = X.node.operands
    if whole.operation.primitive is not SCAN:
        return X
    axis, reverse, listed, step, place = whole.operation.params
    last = number(0) if reverse else combine("sub", whole.type.size(axis), 1)
    if (
        X.node.operation.params != (axis,)
        or index is not as_node(last)
        or len(listed) > step.carries
    ):
        return X
    return SymbolicTensor(
        apply_node(SCAN(axis, reverse, (False,) * len(listed), step, place), whole.operands)
    )


def outside(
    e: Evaluator, where: Expression, base: Expression, X: Any, axis: str, index: str, size: Any
) -> Value:
    """Report an index that lies outside its axis."""
    text = wording(base)
    owned = f", which is {size} in {text}" if isinstance(size, int) else f" of {text}"
    return e.fail(
        where,
        IndexRangeError,
        f"index {index} lies outside axis {axis}{owned}",
        f"indices count from 1 to |{axis}|",
        [(text, spaced(X.sizes))],
    )


def _along(
    e: Evaluator, part: Indexed, X: Any, item: At, index: Index, shift: int, size: Any
) -> Value:
    """Apply an index i + shift that runs along an axis of its own."""
    axis = item.axis.name
    index.home = index.home or axis
    if shift < 0 and not e.guards:
        return outside(e, item.at, part.base, X, axis, str(shift + 1), size)
    if index.follows and all(map(partial(_is_end, e), e.guards)):
        length, more = _longest(e, index)
        if more + shift > 0 and size is not None and equal(length, size):
            return outside(e, item.at, part.base, X, axis, f"|{axis}| + {more + shift}", size)
    if shift and e.guards and index.home == axis and _is_as_long(index, size):
        kept = reach(e, index, axis, size)
        if not kept.within(shift) and kept.beyond(shift):
            return outside(e, item.at, part.base, X, axis, wording(item.at), size)
        if kept.said and index.size is None:
            index.size = size
    # under a condition, i - 1 along one axis does not tell the range of an i of another axis
    if index.size is None and size is not None and (shift >= 0 or index.home == axis):
        most = max(shift, index.shifts.get(axis, 0))
        index.size = size - most if most > 0 else size
    count = index.size
    whole = Rename((sized(axis, None),), (sized(index.axis, None),))
    if index.axis in X.axes:
        return _picked(e, part, X, item, Position(((index, 1),), shift + 1), size)
    whole_axis = index.open and not index.shifts.get(axis)
    if shift == 0 and (size is None or whole_axis or equal(count, size)):
        return e.attempt(part, lambda X: sized_as(X, axis, count)[(whole,)], [X], [part.base])
    if isinstance(count, int) and isinstance(size, int) and not e.guards:
        if count + shift > size:
            return outside(e, item.at, part.base, X, axis, str(count + shift), size)
        chosen = AxisSelection(axis, slice(shift, shift + count))
        return e.attempt(part, lambda X: X[(chosen, whole)], [X], [part.base])
    return _picked(e, part, X, item, Position(((index, 1),), shift + 1), size)


def _is_end(e: Evaluator, guard: Guard) -> bool:
    """Say whether a condition is the end of an index that follows another one."""
    condition, holds = guard
    at = e.bound.get(condition.first) if isinstance(condition, Relation) else None
    index = at.index if isinstance(at, Position) else None
    return holds and index is not None and index.follows


def _longest(e: Evaluator, index: Index) -> tuple[Any, int]:
    """Give the greatest end of an index as a size and a number, k + 1 with k up to n as (n, 1)."""
    if not index.follows:
        return length_of(e, index), 0
    last = index.last
    if last is None or len(last.terms) != 1 or last.terms[0][1] != 1:
        return None, 0
    term = last.terms[0][0]
    length, more = _longest(e, term) if isinstance(term, Index) else (None, 0)
    return length, more + last.constant


def _is_as_long(index: Index, size: Any) -> bool:
    """Say whether an index runs along a whole axis; an index of open range does."""
    return size is not None and (index.size is None or equal(index.size, size))


def sized_as(X: Any, axis: str, size: Any) -> Any:
    """Give an open axis the size of the index that runs along it."""
    if size is None or dict(X.sizes)[axis] is not None:
        return X
    return SymbolicTensor(resize(X.node, {axis: getattr(size, "node", size)}))


# -------------------------------------------------------------------------------------- renamings


def _rename(e: Evaluator, part: Indexed, item: Renaming) -> Any:
    """Turn a renaming into the one that brackets take in Python, X[a >> b]."""
    sides: list[Any] = []
    for side in (item.before, item.after):
        axes = [_sized_axis(e, axis) for axis in side]
        if any(axis is UNKNOWN for axis in axes):
            return UNKNOWN
        sides.append(tuple(axes))
    open_ = [a for a in sides[1] if a.size is None]
    if len(open_) > 1:
        known = {a.name: known_size(e.scope, a.name) for a in open_}
        sides[1] = tuple(
            [a if a.size is not None else sized(a.name, known[a.name]) for a in sides[1]]
        )
    return e.attempt(part, lambda: Rename(*sides), [])


def _sized_axis(e: Evaluator, axis: SizedAxis) -> Any:
    size = None if axis.size is None else e.extent(axis.size)
    return UNKNOWN if size is UNKNOWN else sized(axis.axis.name, size)


# ----------------------------------------------------------------------------------------- windows


def window(e: Evaluator, part: Indexed, X: Any, axis: str, value: Position, size: Any) -> Value:
    """Evaluate i + j - 1 as a window (`unroll` or `pool`); None if the position is no window."""
    for place, place_step, kernel in _pairs(axis, value):
        if place.axis in X.axes or kernel.axis in X.axes:
            continue
        count = _count(place_step, kernel.size, size)
        if count is None or not _fits(place.size, count):
            continue
        place.size = count if place.size is None else place.size
        place.home = place.home or axis
        width = kernel.size
        seen = (UNROLL if place_step == 1 else POOL)(axis, kernel.axis)
        whole = Rename((sized(axis, None),), (sized(place.axis, None),))
        return e.attempt(
            part, lambda X, seen=seen: apply(seen, X, width)[(whole,)], [X], [part.base]
        )
    return None


def _pairs(axis: str, value: Position) -> list[tuple[Index, int, Index]]:
    """List the ways to read a position as a window: its index, its step, and the index inside it."""
    if value.constant != 1 or len(value.terms) != 2:
        return []
    (a, n), (b, m) = value.terms
    if not isinstance(a, Index) or not isinstance(b, Index) or n < 1 or m < 1 or 1 not in (n, m):
        return []
    pairs = [(a, n, b)] if m == 1 else []
    pairs += [(b, m, a)] if n == 1 else []
    # try first the index whose home is this axis
    return sorted(pairs, key=lambda pair: pair[0].home != axis)


def _count(step: int, width: Any, length: Any) -> Any:
    """Count the windows that fit into a length: in steps of 1, or side by side."""
    if width is None or length is None:
        return None
    k, n = getattr(width, "node", width), getattr(length, "node", length)
    if step == 1:
        return combine("add", combine("sub", n, k), 1)
    if k != step or (isinstance(n, int) and n % step):
        return None
    return combine("floordiv", n, step)


def _fits(size: Any, count: Any) -> bool:
    own = getattr(size, "node", size)
    return own is None or own is count or (isinstance(own, int) and own == count)


# ------------------------------------- what conditions say of an index: i + 1 is inside if i < N


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
    found.take(op, *_compared_with(rest, 1 - less.constant, size))


def _sum(e: Evaluator, part: Expression, axis: str, size: Any) -> Position | None:
    """Evaluate letters, sizes and numbers to a position; None if a letter is no whole number."""
    if isinstance(part, Binary):
        left, right = [_sum(e, side, axis, size) for side in (part.left, part.right)]
        return left and right and left.plus(right, 1 if part.op == "+" else -1)
    own = isinstance(part, AxisSize) and part.axis.name == axis
    value = size if own else e.value(part)
    return position(value) if value is not UNKNOWN and is_whole(value) else None


def _compared_with(
    rest: Sequence[tuple[Any, int]], number: int, size: Any
) -> tuple[int | None, int | None]:
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
