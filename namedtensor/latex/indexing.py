"""Indices and renamings below a tensor: X_{seq(i)}, E_{vocab(I)}, X_{seq -> seq'}.

An index along its own axis is a renaming, one with a shift a range, and i + j - 1 a window; only what
is none of these picks by an integer tensor.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from namedtensor.axes import AxisIndex, AxisSelection, Rename, shown
from namedtensor.errors import AxisMissingError, IndexRangeError, nearest
from namedtensor.latex.indices import Index, Position, is_whole, plain, same, zero_based
from namedtensor.latex.nonsense import ArgumentsError
from namedtensor.latex.syntax import At, Expression, Indexed, Renaming, SizedAxis
from namedtensor.latex.values import UNKNOWN, Value
from namedtensor.latex.wording import wording
from namedtensor.operations.windows import UNROLL
from namedtensor.primitives import combine
from namedtensor.shape import sized, spaced
from namedtensor.tensor import NamedTensor, apply

if TYPE_CHECKING:
    from namedtensor.latex.evaluate import Evaluator


def indexed(e: Evaluator, part: Indexed) -> Value:
    """Index and rename all at once: indices first, as in brackets."""
    X = e.numbers(part.base)
    places = [(item, e.value(item.at)) for item in part.items if isinstance(item, At)]
    renames = [_rename(e, item) for item in part.items if isinstance(item, Renaming)]
    if X is UNKNOWN or any(v is UNKNOWN for _, v in places) or UNKNOWN in renames:
        return UNKNOWN
    if not isinstance(X, NamedTensor):
        X = _as_tensor(X)
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


def _as_tensor(X: Value) -> Value:
    return plain(X) if isinstance(X, Position) else X


# --------------------------------------------------------------------------------------- indices


def _at(e: Evaluator, part: Indexed, X: Any, places: Sequence[tuple[At, Value]]) -> Value:
    """Apply named indices; those that pick by tensors are picked together."""
    for item, _ in places:
        if item.axis.name not in X.axes:
            return _absent(e, part, X, item.axis.name)
    picked: list[AxisIndex] = []
    for item, value in places:
        if not is_whole(value):
            return e.fail(
                item.at,
                ArgumentsError,
                f"{wording(item.at)} is no whole number, and stands as an index of {item.axis.name}",
                "an index counts from 1 to the size of its axis",
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
    """Apply one index where it needs no integer tensor; give the index where it does."""
    axis, size = item.axis.name, X.size(sized(item.axis.name, None))
    if isinstance(value, NamedTensor) and not _is_size(value):
        return AxisIndex(axis, zero_based(value))
    if not isinstance(value, Position):
        return _number(e, part, X, item, value, size)
    if not value.terms:
        return _number(e, part, X, item, value.constant, size)
    index = value.index
    if index is not None:
        return _along(e, part, X, item, index, value.constant - 1, size)
    window = _window(X, axis, value, size)
    if window is not None:
        return window
    return AxisIndex(axis, value.from_zero)


def _is_size(value: Any) -> bool:
    return hasattr(value, "node") and value.node.type.host


def _number(e: Evaluator, part: Indexed, X: Any, item: At, number: Any, size: Any) -> Value:
    """Apply an index that is one number: from 1, or from the end where it is below 0."""
    if isinstance(number, int):
        beyond = isinstance(size, int) and abs(number) > size
        if number == 0 or beyond:
            return outside(e, item.at, part.base, X, item.axis.name, str(number), size)
    at = zero_based(number)
    return e.attempt(part, lambda X: X[AxisIndex(item.axis.name, at)], [X], [part.base])


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
    if index.home is None:
        index.home = axis
    if shift == 0 and (index.size is None or _equal(index.size, size)):
        index.size = size
        if index.axis not in X.axes:
            return X[(Rename((sized(axis, None),), (sized(index.axis, None),)),)]
        return AxisIndex(axis, index.counter())
    if index.size is None:
        index.size = combine("sub", size, shift) if shift >= 0 else size
    count = index.size
    if isinstance(count, int) and isinstance(size, int):
        if shift < 0 or count + shift > size:
            bad = shift + 1 if shift < 0 else count + shift
            return outside(e, item.at, part.base, X, axis, str(bad), size)
        if index.axis not in X.axes:
            chosen = AxisSelection(axis, slice(shift, shift + count))
            renamed = Rename((sized(axis, None),), (sized(index.axis, None),))
            return X[(chosen, renamed)]
    if shift < 0 and isinstance(count, int):
        return outside(e, item.at, part.base, X, axis, str(shift + 1), size)
    return AxisIndex(axis, Position(((index, 1),), shift).numbers)


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, int) and isinstance(b, int):
        return a == b
    return not isinstance(a, int) and not isinstance(b, int) and same(a, b)


def _window(X: Any, axis: str, value: Position, size: Any) -> Value:
    """See i + j - 1 as a window along the axis, where it fits: unroll."""
    if value.constant != 1 or len(value.terms) != 2 or any(n != 1 for _, n in value.terms):
        return None
    pair = [t for t, _ in value.terms if isinstance(t, Index)]
    if len(pair) != 2:
        return None
    for place, kernel in (pair, pair[::-1]):
        if kernel.size is None or place.axis in X.axes or kernel.axis in X.axes:
            continue
        width, length = getattr(kernel.size, "node", kernel.size), getattr(size, "node", size)
        if length is None:
            continue
        left = combine("add", combine("sub", length, width), 1)
        own = getattr(place.size, "node", place.size)
        if own is None or own is left or (isinstance(own, int) and own == left):
            place.size = left if own is None else place.size
            place.home = place.home or axis
            seen = apply(UNROLL(axis, kernel.axis), X, kernel.size)
            return seen[(Rename((sized(axis, None),), (sized(place.axis, None),)),)]
    return None


# -------------------------------------------------------------------------------------- renamings


def _rename(e: Evaluator, item: Renaming) -> Any:
    """Give a renaming as brackets take it."""
    sides: list[Any] = []
    for side in (item.before, item.after):
        axes = [_sized_axis(e, axis) for axis in side]
        if any(axis is UNKNOWN for axis in axes):
            return UNKNOWN
        sides.append(tuple(axes))
    return Rename(*sides)


def _sized_axis(e: Evaluator, axis: SizedAxis) -> Any:
    size = None if axis.size is None else e.extent(axis.size)
    return UNKNOWN if size is UNKNOWN else sized(axis.axis.name, size)


READERS: Mapping[type, Any] = {Indexed: indexed}
