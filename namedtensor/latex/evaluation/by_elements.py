"""Evaluate definitions by elements, P_{seq(p), emb(i)} = ..., updates at a place, and matrices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

from namedtensor.axes import AxisIndex, AxisSelection
from namedtensor.errors import (
    AxisClashError,
    AxisMissingError,
    AxisNameError,
    AxisSizeError,
    IndexRangeError,
    NamedTensorError,
    TraceError,
)
from namedtensor.latex.evaluation.evaluator import Evaluator
from namedtensor.latex.evaluation.indices import (
    Index,
    at_place,
    bound,
    holds_data,
    one_based,
    renamed,
    settled,
    zero_based,
)
from namedtensor.latex.evaluation.values import UNKNOWN, ArgumentsError, Scope, Value
from namedtensor.latex.evaluation.wording import wording
from namedtensor.latex.reading.ranges import all_bound, conjuncts, ranges_in
from namedtensor.latex.source import Span
from namedtensor.latex.syntax import (
    At,
    Big,
    Binary,
    Call,
    Definition,
    Expression,
    Indexed,
    Letter,
    Logic,
    Matrix,
    Number,
    Relation,
    Scripts,
)
from namedtensor.latex.walk import all_of, letters_of, texts_of
from namedtensor.operations.constants import along
from namedtensor.operations.elementwise import where
from namedtensor.operations.joining import stack
from namedtensor.shape import sized
from namedtensor.tensor import NamedTensor, SymbolicTensor
from namedtensor.tensor.resize import resize


def element(
    e: Evaluator,
    target: Indexed,
    body: Expression,
    sizes: Mapping[str, Any] | None = None,
    condition: Expression | None = None,
) -> Value:
    """Define a tensor by its elements: P_{seq(p), emb(i)} = body.

    `sizes` are the sizes of its axes; an axis without one takes its size from other operands.
    """
    sizes = sizes or {}
    if condition is not None:
        ends, condition = _bounded(e, target, condition)
        sizes = {**ends, **sizes}
    indices = _indices(e, target, sizes, body)
    if indices is UNKNOWN:
        return UNKNOWN
    given = {at: bound(index) for _, at, index in indices}
    inner = e.inside(given)
    choosing = getattr(e.scope, "choosing", None)
    chooses = chooses_members(e, tuple(given), body)
    with choosing(given) if choosing and chooses else nullcontext(e.scope) as scope:
        inner.scope = scope
        value = (inner if condition is None else inner.under((condition, True))).value(body)
    if condition is not None:
        holds = inner.value(condition)
        value = e.attempt(body, lambda c, x: where(c, x, float("nan")), [holds, value])
    pairs = [(index, axis) for axis, _, index in indices]
    of_data = holds_data(value)  # elements that are indices of data count as these do
    value = value.from_zero if of_data else value
    found = e.attempt(target, lambda x: _over(x, pairs, wording(target)), [value])
    found = sized_here(e.scope, found)
    found = found if e.bound else settled(found)
    return one_based(found) if of_data and found is not UNKNOWN else found


def chooses_members(e: Evaluator, indices: Any, body: Expression) -> bool:
    """Say whether an index chooses a member of a family in a body, as l in W^l and F_l(x)."""
    counts = getattr(e.scope, "counts", None)
    letters = texts_of(indices)
    names = [*all_of(Scripts, body)]
    names += [
        replace(name, sup=None) for name in names if name.sub is not None and name.sup is not None
    ]
    return counts is not None and any(counts(name, letters) for name in names)


def right_side(
    e: Evaluator,
    statement: Definition,
    part: Expression,
    sizes: Mapping[str, Any] | None = None,
    before: Value = None,
) -> Value:
    """Evaluate one right side of a definition: elements, an update of what was `before`, a value.

    `sizes` are those of the axes of the defined name that are declared.
    """
    target = statement.target
    if isinstance(target, Indexed) and before is not None:
        return update(e, before, target, part)
    if isinstance(target, Indexed):
        return element(e, target, part, sizes, statement.condition)
    return e.value(part)


def upper_ends(target: Indexed, condition: Expression | None) -> dict[str, Expression]:
    """Read from a condition how far the index of each axis of a target runs: axis -> last index."""
    axes = {item.at: item.axis.name for item in target.indices}
    found: dict[str, Expression] = {}
    for relation in _relations(condition):
        for within in ranges_in(relation):
            own = axes.get(within.index)
            if own is not None and within.upper is not None and not _moves(within.upper, axes):
                found[own] = within.upper
    for relation in _at_numbers(condition):
        own, number = axes.get(relation.first), relation.rest[0][1]
        end = found.get(own) if own is not None else None
        if isinstance(end, Number) and isinstance(number, Number) and number.value > end.value:
            found[str(own)] = number  # d_4 = 10 beside i = 1, ..., 3
    return found


def _relations(condition: Expression | None) -> list[Relation]:
    """List the relations that give ends of indices; in "i = 1 or 2 <= i <= n" the second gives one."""
    found: list[Relation] = []
    for part in () if condition is None else conjuncts(condition):
        if isinstance(part, Relation):
            found.append(part)
        elif isinstance(part, Logic) and _is_at_number(part.parts[0]):
            found += [r for other in part.parts[1:] for r in _relations(other)]
    return found


def _at_numbers(condition: Expression | None) -> list[Relation]:
    """List the conditions such as i = 4, of one element that is defined beside those of a range."""
    found: list[Relation] = []
    for part in () if condition is None else conjuncts(condition):
        if isinstance(part, Logic) and part.op == "or":
            first = part.parts[0]
            found += [first] if isinstance(first, Relation) and _is_at_number(first) else []
            found += [r for other in part.parts[1:] for r in _at_numbers(other)]
    return found


def _is_at_number(part: Expression) -> bool:
    return isinstance(part, Relation) and isinstance(part.rest[0][1], Number)


def _moves(end: Expression, axes: Mapping[Expression, str]) -> bool:
    return any(letter in axes for letter in letters_of(end))


def _bounded(
    e: Evaluator, target: Indexed, condition: Expression
) -> tuple[dict[str, Any], Expression | None]:
    """Take a condition apart: the sizes that it gives to axes of the target, and the rest of it."""
    sizes: dict[str, Any] = {}
    open_: set[str] = set()
    for axis, end in upper_ends(target, condition).items():
        size = _extent(e, end)
        if size is not UNKNOWN:
            sizes[axis] = size
        elif isinstance(end, (Letter, Scripts)):
            open_.add(axis)  # the size comes from the tensors that the index is used on
    axes = {item.at: item.axis.name for item in target.indices}
    left: list[Expression] = []
    counted = getattr(e.scope, "indices", {})  # the letters of series, whose ranges these heed
    for part in conjuncts(condition):
        within = list(ranges_in(part)) if isinstance(part, Relation) else []
        if within and all(isinstance(r.index, Letter) and r.index.text in counted for r in within):
            continue
        below = next((r for r in within if r.index in axes and _is_below_one(r.lower)), None)
        if below is not None:
            e.fail(
                below.index,
                IndexRangeError,
                f"{wording(below.index)} starts at {wording(below.lower)}, and indices count from 1",  # type: ignore[arg-type]
                f"let it run from 1, and write {wording(below.index)} - 1 where it counts from 0",
            )
        if not within or not all(
            r.lower == ONE and (r.upper is None or axes.get(r.index) in (*sizes, *open_))
            for r in within
        ):
            left.append(part)
    span = condition.span
    return sizes, None if not left else left[0] if len(left) == 1 else Logic(
        span, "and", tuple(left)
    )


#: Where indices begin.
ONE = Number(Span(0, 0), 1)


def _is_below_one(end: Expression | None) -> bool:
    return isinstance(end, Number) and end.value < 1


def sized_here(scope: Scope, X: Value, weak: bool = False) -> Value:
    """Give open axes of a tensor the sizes that the scope knows, if its numbers depend on data.

    With `weak`, do so also if its numbers depend on indices alone.
    """
    if not isinstance(X, SymbolicTensor) or (X.node.type.weak and not weak):
        return X
    sizes = {}
    for axis, size in X.node.type.axes:
        known = None if size is not None else known_size(scope, axis)
        if known is not None:
            sizes[axis] = getattr(known, "node", known)
    return SymbolicTensor(resize(X.node, sizes), X.axes) if sizes else X


def known_size(scope: Scope, axis: str) -> Any:
    """Give |axis| in this scope, or None if it is not known."""
    try:
        size = scope.size(axis)
    except NamedTensorError:
        return None
    return None if size is UNKNOWN else size


def _indices(e: Evaluator, target: Indexed, sizes: Mapping[str, Any], body: Expression) -> Any:
    found: list[tuple[str, Expression, Index]] = []
    for item in target.items:
        if not isinstance(item, At) or not isinstance(item.at, (Letter, Scripts)):
            return e.fail(
                target,
                ArgumentsError,
                "a definition by elements names an index for each axis",
                "X_{seq(i)} = ... defines every element, X_{seq(1)} <- ... changes one",
            )
        if any(axis == item.axis.name or at == item.at for axis, at, _ in found):
            return e.fail(
                target,
                AxisNameError,
                f"{wording(target)} names an axis or an index twice",
                "give each axis an index of its own: A_{row(i), col(j)}",
            )
        size = sizes.get(item.axis.name)
        if size is UNKNOWN:
            return UNKNOWN
        uses = [other for other in all_of(At, body) if item.at in letters_of(other.at)]
        taken = {other.axis for other in uses}
        summed = {each.index for big in all_of(Big, body) for each in all_bound(big)}
        goes_on = any(
            not summed & {*letters_of(other.at)} and _goes_on(e, item.at, other.at)
            for other in uses
        )
        if size is None and (goes_on or (item.axis in taken and len(taken) > 1)):
            size = _declared_size(e, item.axis.name)  # and not that of a longer axis
        if size is None and goes_on and item.axis not in taken:
            name = wording(item.at)
            why = f"nothing says how long {item.axis.name} is: {name} goes on behind the axis it is used on"
            return e.fail(item.at, AxisSizeError, why, f"write its range: {name} = 1, ..., n")
        if size is None and not uses and all_of(At, body):
            known = known_size(e.scope, item.axis.name)
            size = known if isinstance(known, int) else None  # among data, which meet no open axis
        index = Index(wording(item.at), size)
        index.home = item.axis.name
        index.shifts = _shifts(item, body)
        found.append((item.axis.name, item.at, index))
    return found


def _goes_on(e: Evaluator, index: Expression, at: Expression) -> bool:
    """Say whether an index runs past the axis that it is used on, as in X_{freq(i - F)} for i > F."""
    if not isinstance(at, Binary) or at.op != "-" or at.left != index:
        return False
    return not isinstance(at.right, Number) and _extent(e, at.right) is not UNKNOWN


def _declared_size(e: Evaluator, axis: str) -> Any:
    """Give the size of an axis that all declarations give it, or what the scope knows."""
    names = getattr(e.scope, "names", None)
    said = {sized.size for _, sized in getattr(names, "sized", ()) if sized.axis.name == axis}
    size = _extent(e, said.pop()) if len(said) == 1 else UNKNOWN
    return known_size(e.scope, axis) if size is UNKNOWN else size


def _extent(e: Evaluator, end: Expression) -> Value:
    try:
        return e.extent(end)
    except NamedTensorError:
        return UNKNOWN


def _shifts(own: At, body: Expression) -> dict[str, int]:
    """Give how far beyond an index a body looks along other axes than its own: 2 for i + 2."""
    found: dict[str, int] = {}
    for item in all_of(At, body):
        at, axis = item.at, item.axis.name
        if not isinstance(at, Binary) or at.op != "+" or at.left != own.at or axis == own.axis.name:
            continue
        if isinstance(at.right, Number) and isinstance(at.right.value, int):
            found[axis] = max(at.right.value, found.get(axis, 0))
    return found


def _over(value: Any, pairs: list[tuple[Index, str]], text: str) -> Any:
    """Rename the hidden axes of indices to the axes that the definition gives."""
    for index, axis in pairs:
        if not isinstance(value, NamedTensor) or index.axis not in value.axes:
            # the body does not use this index: the tensor is constant along its axis
            value = along(value, sized(index.axis, index.size))
        if axis in value.axes:
            raise AxisClashError(
                text,
                f"the body has an axis {axis} of its own, which the definition also gives",
                [("body", str(value.shape))],
                f"index it, or rename it: X_{{{axis} -> {axis}'}}",
            )
    return renamed(value, [(index.axis, axis) for index, axis in pairs])


# ---------------------------------------------------------------------------------------- updates


def update(e: Evaluator, X: Value, target: Indexed, body: Expression, verb: str = "set") -> Value:
    """Copy X with a value written or added at a place: X_{seq(1)} <- body.

    A place is given by numbers, integer tensors, ranges, or an unbound index, for a whole axis. `verb`
    is the method of X.at[...], such as add.
    """
    values: dict[Expression, Value] = {}
    places: list[Any] = []
    along: list[tuple[Index, str]] = []
    for item in target.items:
        if not isinstance(item, At):
            return e.refuse(target, "renames, and an update is at indices")
        axis = item.axis.name
        bounds = range_of(item.at)
        if bounds is not None:
            start, *others = [None if b is None else e.extent(b) for b in bounds]
            if UNKNOWN in (start, *others):
                return UNKNOWN
            places.append(AxisSelection(axis, slice(zero_based(start), *others)))
            continue
        named = isinstance(item.at, (Letter, Scripts)) and item.at not in e.bound
        if named and e.scope.find(item.at) is None:
            index = Index(wording(item.at))
            values[item.at] = bound(index)
            along.append((index, axis))
            continue
        value = e.value(item.at)
        if value is UNKNOWN:
            return UNKNOWN
        places.append(AxisIndex(axis, at_place(value)))
    if isinstance(X, NamedTensor):
        for index, axis in along:
            index.size = X.size(sized(axis, None)) if axis in X.axes else None
    value = e.inside(values).value(body)
    if X is not UNKNOWN and not (isinstance(X, NamedTensor) and X.axes):
        return e.fail(
            target,
            AxisMissingError,
            f"{wording(target.base)} has no axes, and an update is at indices",
            "update a tensor: X_{seq(1)} <- ...",
        )
    return e.attempt(
        target, lambda X, Y: _written(X, Y, places, along, verb), [X, value], [target.base]
    )


def _written(X: Any, Y: Any, places: list[Any], along: list[tuple[Index, str]], verb: str) -> Any:
    pairs = [(i.axis, a) for i, a in along if isinstance(Y, NamedTensor) and i.axis in Y.axes]
    if pairs:
        Y = renamed(Y, pairs)
    if not places:
        places = [AxisSelection(X.axes[0], slice(None))]
    return getattr(X.at[tuple(places)], verb)(Y)


#: The words of ranges, and the bounds that each takes.
RANGES: dict[str, tuple[str, ...]] = {
    "range": ("start", "stop", "step"),
    "from": ("start",),
    "until": ("stop",),
    "every": ("step",),
    "from-every": ("start", "step"),
    "until-every": ("stop", "step"),
    "whole": (),
}
#: The beginning of the words for the lengths of ranges: size-range, size-from.
SIZE_OF = "size-"


def in_order(word: str, given: Sequence[Any]) -> tuple[Any, Any, Any]:
    """Sort the arguments of a range's word into start, stop and step; None for those not given."""
    known = dict(zip(RANGES[word], given, strict=False))
    return known.get("start"), known.get("stop"), known.get("step")


def range_of(at: Expression) -> tuple[Any, Any, Any] | None:
    """Read the place of an update as a range, from(2); None if it is no range."""
    if not isinstance(at, Call) or not isinstance(at.function, Letter) or at.axes:
        return None
    return in_order(at.function.text, at.arguments) if at.function.text in RANGES else None


# --------------------------------------------------------------------------------------- matrices


def matrix(e: Evaluator, part: Matrix) -> Value:
    """Make a tensor from the cells of a matrix, or of a column, which has one in each row."""
    if part.row is None:
        return e.refuse(part, "says nothing that can be computed")
    rows, columns = part.row.name, None if part.column is None else part.column.name
    lines = []
    for row in part.rows:
        cells = [e.value(cell) for cell in row]
        line = cells[0]
        if columns is not None:
            line = e.attempt(part, lambda *c: _beside(columns, c), cells, row)
        lines.append(line)
    return e.attempt(part, lambda *r: _beside(rows, r), lines)


def _beside(axis: str, cells: Any) -> Any:
    """Stack values along a new axis; where no value depends on data, the result is index-defined."""
    if any(isinstance(c, NamedTensor) and not _is_weak(c) for c in cells):
        return stack[sized(axis, None)](*cells)
    index = Index(axis, len(cells))
    index.axis = axis
    result = cells[-1]
    for place, cell in reversed(list(enumerate(cells[:-1]))):
        result = where(index.counter() == place, cell, result)
    return along(result, sized(index.axis, index.size)) if len(cells) == 1 else result


def _is_weak(X: Any) -> bool:
    return hasattr(X, "node") and bool(X.node.type.weak)


READERS: dict[type, Callable[[Evaluator, Any], Value]] = {Matrix: matrix}


def number_of(size: Any) -> int | None:
    """Give the number of a size; None where a formula is written, for there sizes stay open."""
    try:
        return None if size is None else int(size)
    except TraceError:
        return None
