"""Indexing: records pick numbers out of a tensor (paper, sections 2.2 and 3.4).

    index_ax : R^ax x [|ax|] -> R,  lifted over every other axis of both operands

One rule gives take, gather and embedding lookup: X[seq(I)] with I an integer named tensor.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from namedtensor.axes import Axis, distinct, primed, shown, size_here, typed_axis
from namedtensor.errors import (
    AxisClashError,
    AxisNameError,
    AxisSizeError,
    IndexRangeError,
    KindError,
)
from namedtensor.operations.axis_functions import Tensor, axis_function, named_operand, names
from namedtensor.operations.elementwise import maximum, minimum, where
from namedtensor.operations.index_defined import iota
from namedtensor.operations.joining import axes_of, own_part
from namedtensor.plans import Emitter, Lowered, Value
from namedtensor.primitives import Call, Operation, Primitive, Type, primitive, table, uses_first
from namedtensor.primitives.node import apply_node
from namedtensor.primitives.notation import Special, Word
from namedtensor.primitives.sizes import as_node, need_known
from namedtensor.primitives.traits import Acts, Traits
from namedtensor.primitives.type import KINDS, widest
from namedtensor.primitives.use import Use
from namedtensor.shape import shapes, sized
from namedtensor.tensor import NamedTensor, apply

#: A whole number; in a formula also a size, such as abs(seq).
Size: TypeAlias = int | NamedTensor

# -------------------------------------------------------------------------------- one index: X[seq(0)]


def at_rule(call: Call) -> Type:
    (axis,) = call.params
    call.need(0, [axis])
    size, index = call.types[0].size(axis), call.values[1]
    if isinstance(size, int) and isinstance(index, int) and not -size <= index < size:
        raise _out_of_range(call, axis, size, index)
    return call.types[0].without([axis])


def _out_of_range(call: Call, axis: str, size: int, index: int) -> Exception:
    label = call.labels[0]
    hint = (
        f"axis {shown(axis)} of {label} is empty"
        if size == 0
        else f"{label}[{typed_axis(axis)}({size - 1})] is the last"
    )
    return call.fail(
        IndexRangeError,
        f"index {index} lies outside axis {shown(axis)}, which is {size} in {label}",
        hint,
    )


def lower_at(emit: Emitter, call: Lowered, x: Value, index: Value) -> Any:
    (axis,) = call.params
    rest = tuple([a for a in x.axes if a != axis])
    return emit.bind(emit.call("select", x.code, x.place(axis), index.code), rest, call.type, "x")


def write_at(operation: Operation, labels: tuple[str, ...]) -> str:
    return f"{labels[0]}[{shown(operation.params[0]) if operation.params else ''}({labels[1]})]"


def _placed(use: Use, place: int, g: NamedTensor) -> Any:
    """Put the gradient where it was read, 0 elsewhere."""
    X, index = use.operands
    n = X.size(sized(use.params[0], None))
    at = index if isinstance(index, int) and index >= 0 else index % n
    return where(iota(sized(use.params[0], n)) == at, g, 0.0)


AT = primitive(
    "at",
    at_rule,
    lower_at,
    write=write_at,
    notation=Special("at"),
    traits=Traits(moves=True, linear=(0,), acts=lambda params: Acts(uses=params)),
    transpose=_placed,
)


# ------------------------------------------------------------------------------ a range: X[seq[2:5]]


def _bounds(call: Any) -> list[Any]:
    given = iter(call.values[1:])
    return [next(given) if there else None for there in call.params[1]]


def slice_rule(call: Call) -> Type:
    axis, _ = call.params
    call.need(0, [axis])
    bounds = _bounds(call)
    size = call.types[0].size(axis)
    if isinstance(size, int) and all(b is None or isinstance(b, int) for b in bounds):
        kept: Any = len(range(*slice(*bounds).indices(size)))
    else:
        kept = _slice_size(size, bounds)
    return call.types[0].with_axes([(a, kept if a == axis else s) for a, s in call.types[0].axes])


def _slice_size(size: Any, bounds: Sequence[Any]) -> Any:
    need_known(size)
    flags = tuple([b is not None for b in bounds])
    operands = [as_node(size), *[as_node(b) for b in bounds if b is not None]]
    return apply_node(SLICE_SIZE(flags), tuple(operands))


def _slice_size_rule(call: Call) -> Type:
    return Type((), "int", host=True, weak=True)


def _lower_slice_size(emit: Emitter, call: Lowered, n: Value, *bounds: Value) -> Any:
    code = emit.host_call("slice_size", n.code, *_bound_values(call.params[0], bounds))
    return emit.bind(code, (), call.type, "n")


def _bound_values(flags: Sequence[bool], bounds: Sequence[Any]) -> list[Any]:
    given = iter(bounds)
    return [next(given) if there else None for there in flags]


SLICE_SIZE = primitive(
    "slice_size", _slice_size_rule, _lower_slice_size, notation=Special("slice size")
)


def lower_slice(emit: Emitter, call: Lowered, x: Value, *bounds: Value) -> Any:
    axis, flags = call.params
    code = emit.call("narrow", x.code, x.place(axis), *_bound_values(flags, bounds))
    return emit.bind(code, x.axes, call.type)


def write_slice(operation: Operation, labels: tuple[str, ...]) -> str:
    axis, flags = operation.params
    given = iter(labels[1:])
    parts = [next(given) if there else "" for there in flags]
    text = ":".join(parts if flags[2] else parts[:2])
    return f"{labels[0]}[{shown(axis)}[{text}]]"


def _spread_range(use: Use, place: int, g: NamedTensor) -> NamedTensor:
    """Put 0 around the range, and between its indices if it has a step."""
    name, flags = use.params
    X, *given = use.operands
    axis = sized(name, None)
    found = iter(given)
    start, _, step = [next(found) if there else None for there in flags]
    n, kept = X.size(axis), use.result.size(axis)
    if step is None or (isinstance(step, int) and step == 1):
        first = _first_index(start, n, False)
        rest = n - kept if isinstance(first, int) and first == 0 else n - first - kept
        return apply(table()["pad"](name), g, first, rest, 0)
    first = _first_index(start, n, step < 0)
    # each index of X reads the gradient, or the 0 appended to it
    along = iota(sized(name, n)) - first
    hit = (along % step == 0) & (along // step >= 0) & (along // step < kept)
    longer = apply(table()["pad"](name), g, 0, 1, 0)
    return apply(INDEX((name,)), longer, where(hit, along // step, kept))


def _first_index(start: Any, n: Any, down: Any) -> Any:
    """Give the first index of a range as Python does: from the end if negative, and clipped to the axis."""
    if start is None:
        return (n - 1) * down if not isinstance(down, bool) else (n - 1 if down else 0)
    if start == 0 and isinstance(start, int) and down is False:
        return 0
    counted = start + n * (start < 0) if not isinstance(start, int) or start < 0 else start
    if isinstance(down, bool):
        return maximum(minimum(counted, n - 1 if down else n), -1 if down else 0)
    return maximum(minimum(counted, n - down), 0 - down)


SLICE = primitive(
    "slice",
    slice_rule,
    lower_slice,
    write=write_slice,
    notation=Special("slice"),
    traits=Traits(moves=True, linear=(0,), acts=lambda params: Acts(along=params[:1])),
    transpose=_spread_range,
)


# -------------------------------------------------------------------- integer tensors: X[vocab(I)]


def index_rule(call: Call) -> Type:
    (axes,) = call.params
    call.need(0, axes)
    for i, axis in enumerate(axes, 1):
        label, owner = call.labels[i], call.labels[0]
        mask = call.types[i].kind == "bool"
        flat = call.types[i].names == (axis,)
        call.kind(
            i,
            ("int",),
            f"a mask selects in square brackets: {owner}[{typed_axis(axis)}[{label}]]"
            if mask and flat
            else f"a mask over several axes keeps them: nt.where({label}, {owner}, 0.0)"
            if mask
            else f"nt.cast({label}, int)",
        )
    indices = call.union(range(1, len(call.types)))
    rest = call.types[0].without(axes)
    both = {name for name, _ in indices if rest.has(name)}
    merged = []
    for name, size in rest.axes:
        merged.append((name, _one_size(call, name) if name in both else size))
    return Type(
        (*merged, *[a for a in indices if a[0] not in both]), call.types[0].kind, weak=call.weak
    )


def _one_size(call: Call, name: str) -> Any:
    return call.agree(name, range(len(call.types)))


def lower_index(emit: Emitter, call: Lowered, x: Value, *indices: Value) -> Any:
    (axes,) = call.params
    own = dict.fromkeys([a for i in indices for a in i.axes])
    shared = [a for a in x.axes if a in own and a not in axes]
    order = (*shared, *[a for a in own if a not in shared])
    if len(axes) == 1 and not shared:
        at = x.place(axes[0])
        code = emit.call("take", x.code, indices[0].code, at)
        return emit.bind(code, (*x.axes[:at], *indices[0].axes, *x.axes[at + 1 :]), call.type)
    rest = tuple([a for a in x.axes if a not in axes and a not in shared])
    if len(axes) == 1 and not rest:
        return _lower_along(emit, call, x, indices[0], order[len(shared) :])
    moved = emit.permute(x, (*shared, *axes, *rest))
    grids = [
        emit.call("index_grid", emit.size(x.type.size(a)), len(order), i, indices[0].code)
        for i, a in enumerate(shared)
    ]
    places = (*grids, *[emit.aligned(i, order) for i in indices])
    code = emit.call("gather", moved, places)
    return emit.bind(code, (*order, *rest), call.type)


def _lower_along(emit: Emitter, call: Lowered, x: Value, index: Value, own: tuple[str, ...]) -> Any:
    """Index an axis by a tensor that has all others: its own axes, joined, stand in the axis's place."""
    ((axis,),) = call.params
    at = x.place(axis)
    before, after = x.axes[:at], x.axes[at + 1 :]
    if not own:
        index = emit.permute(index, (*before, *after))
        code = emit.call("take_along", x, emit.call("unsqueeze", index, at), at)
        return emit.bind(emit.call("select", code, at, 0), index.axes, call.type)
    axes = (*before, *own, *after)
    index = emit.permute(index, axes)
    if len(own) > 1:
        sizes = [emit.product_of(index.type, own)]
        lead, tail = [[emit.size(x.type.size(a)) for a in side] for side in (before, after)]
        index = emit.reshape(index, (*lead, *sizes, *tail), (*before, "", *after))
    code = emit.call("take_along", x, index, at)
    if len(own) > 1:
        code = emit.call("reshape", code, emit.sizes_of(call.type, axes))
    return emit.bind(code, axes, call.type)


def write_index(operation: Operation, labels: tuple[str, ...]) -> str:
    if not operation.params:
        return f"index({', '.join(labels)})"
    pairs = zip(operation.params[0], labels[1:], strict=True)
    return f"{labels[0]}[{', '.join(f'{shown(a)}({i})' for a, i in pairs)}]"


#: Added to an index below 0 that may not count from the end: it lies outside of every axis.
BEYOND = 2**62


def _least_and_greatest(indices: Any) -> tuple[int, int]:
    if isinstance(indices, int):
        return indices, indices
    if 0 in indices.shape:
        return 0, -1
    return int(indices.min()), int(indices.max())


def diagnose_index(
    operation: Operation, labels: Sequence[str], data: Sequence[Any], sizes: Any
) -> Any:
    """Name the index that lies outside; looks at the data after the library has refused it."""
    for axis, label, indices in zip(operation.params[0], labels[1:], data[1:], strict=True):
        size = sizes[0][axis]
        low, high = _least_and_greatest(indices)
        if low < -size or high >= size:
            return _outside(high if high >= size else low, label, axis, size, labels[0])
    return None


def as_asked(index: int) -> int:
    """Undo from_front for an error message: give the index as the caller wrote it."""
    return index - BEYOND if index >= BEYOND // 2 else index


def _outside(index: int, label: str, axis: str, size: int, owner: str) -> tuple[Any, str, str]:
    why = f"index {as_asked(index)} in {label} lies outside axis {shown(axis)}, which is {size} in {owner}"
    hint = f"indices count from 0 to {size - 1}" if size else f"axis {shown(axis)} is empty"
    return IndexRangeError, why, hint


def _scattered(use: Use, place: int, g: NamedTensor) -> NamedTensor:
    """Add the gradient up at the indices that were read."""
    (axes,) = use.params
    X, *indices = use.operands
    kept = [a for a in X.axes if a not in axes]
    own = dict.fromkeys([a for I in indices for a in axes_of(I)])
    used = tuple([a for a in own if a not in kept])
    sizes = [X.size(sized(a, None)) for a in axes]
    return apply(SCATTER((*used, *axes), len(axes)), g, *indices, *sizes)


INDEX = primitive(
    "index",
    index_rule,
    lower_index,
    write=write_index,
    diagnose=diagnose_index,
    notation=Special("index"),
    traits=Traits(moves=True, linear=(0,), fresh=True, acts=uses_first),
    transpose=_scattered,
)


# ------------------------------------------------- indices that never count from the end: I - 1


def _from_front_rule(call: Call) -> Type:
    call.kind(0, ("int",), f"nt.cast({call.labels[0]}, int)")
    return Type(call.types[0].axes, "int", weak=call.weak)


def _lower_from_front(emit: Emitter, call: Lowered, x: Value) -> Any:
    return emit.bind(emit.call("from_front", x, BEYOND), x.axes, call.type, "index")


FROM_FRONT = primitive(
    "from_front",
    _from_front_rule,
    _lower_from_front,
    write=lambda operation, labels: labels[0],
    notation=Special("operand"),
    traits=Traits(pointwise=True, uniform=True, fresh=True, stepped=True),
)


def from_front(I: NamedTensor) -> NamedTensor:
    """Let negative indices lie outside instead of counting from the end: E[vocab(from_front(I - 1))].

        from_front : Z -> Z,  from_front(i) = i, and lies outside of every axis where i < 0

    Departure: the notation's indices count from 1 and none from the end, so it has no need of this.

    Raises: BackendError where I is no named tensor, KindError unless it holds whole numbers; IndexRangeError
    comes from what is indexed.

    >>> import namedtensor as nt
    >>> nt.tensor([10, 20, 30], "vocab")[nt.Axis("vocab")(nt.from_front(nt.tensor([2, 0], "seq")))]
    NamedTensor(seq[2], int64)
    seq   0   1
         30  10
    """
    named_operand("from_front", I)
    return apply(FROM_FRONT.plain, I)


@axis_function(INDEX)
def index(op: Operation, X: NamedTensor, *indices: Tensor) -> NamedTensor:
    """Pick by integer tensors, one for each axis: index[vocab](E, I) = E[vocab(I)].

        index_ax : R^ax x [|ax|] -> R,  index_ax(X, i) = X_{ax(i)}, lifted over all other axes

    Indices count from 0, negative ones from the end.

    Source: paper, section 3.5. Raises: AxisNameError, AxisMissingError, KindError, IndexRangeError.

    >>> import namedtensor as nt
    >>> nt.index["vocab"](nt.tensor([10, 20, 30], "vocab"), nt.tensor([2, 0], "seq"))
    NamedTensor(seq[2], int64)
    seq   0   1
         30  10
    """
    (axes,) = op.params
    if len(indices) != len(axes):
        written = ", ".join(map(shown, axes))
        raise AxisNameError(
            f"index[{written}]({', '.join('XIJKLMN'[: len(indices) + 1])})",
            f"{len(axes)} to index by, and {len(indices)} tensors of indices",
            shapes(X),
            "one integer tensor for each axis: nt.index[row, col](X, I, J)",
        )
    return apply(op, X, *indices)


# -------------------------------------------------------------------- the transpose of indexing


def _used_and_made(params: tuple[Any, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Split the axes of a scatter into those used up and those made."""
    axes, count = params
    return axes[: len(axes) - count], axes[len(axes) - count :]


def _scatter_rule(call: Call) -> Type:
    """Indices come after what is added up, and the sizes of the axes that they index come last."""
    used, made = _used_and_made(call.params)
    indices = range(1, 1 + len(made))
    for i in indices:
        call.kind(i, ("int",), f"nt.cast({call.labels[i]}, int)")
    for axis in used:
        if not any(call.types[i].has(axis) for i in (0, *indices)):
            call.need(0, [axis])
    rest = [a for a in call.union((0, *indices)) if a[0] not in used]
    for axis in made:
        for i in (0, *indices):
            if axis not in used:
                call.absent(i, [axis])
    kind = widest((call.types[0].kind, "int"))
    return Type((*rest, *zip(made, call.values[1 + len(made) :], strict=True)), kind)


def _lower_scatter(emit: Emitter, call: Lowered, y: Value, *given: Value) -> Any:
    used, made = _used_and_made(call.params)
    indices, sizes = given[: len(made)], given[len(made) :]
    own = dict.fromkeys([a for i in indices for a in i.axes])
    every = dict.fromkeys([*y.axes, *own])
    shared = [a for a in every if a in own and a not in used]
    rest = [a for a in every if a not in own and a not in used]
    if y.type.host:
        y = emit.bind(emit.call("full", (), y, emit.named(indices[0])), (), Type((), y.type.kind))
    if y.type.kind in ("bool", "int"):  # a narrow dtype would wrap around
        y = emit.bind(emit.call("integer", y.code), y.axes, y.type.of_kind("int"))
    y = emit.named(emit.typed_like(y, indices))
    alone = [a for a in used if a not in own]  # one place for all of their numbers
    if alone:
        kept = tuple([a for a in y.axes if a not in alone])
        added = emit.call("sum", y.code, tuple([y.place(a) for a in alone]))
        y = emit.named(
            emit.bind(added, kept, y.type.with_axes([(a, y.type.size(a)) for a in kept]))
        )
        used = tuple([a for a in used if a in own])
    order = (*shared, *used)
    size_of = {a: emit.size(call.type.size(a)) for a in (*shared, *rest)}
    shape = [*[size_of[a] for a in shared], *[n.code for n in sizes], *[size_of[a] for a in rest]]
    if len(made) == 1:
        index, value = emit.permute(indices[0], order), emit.aligned(y, (*order, *rest))
        place = index.code
        if len(y.axes) < len(order) + len(rest):
            full = [*[emit.size(index.type.size(a)) for a in order], *[size_of[a] for a in rest]]
            value = emit.call("broadcast_to", value, tuple(full))
        if len(used) != 1:
            lead, records = shape[: len(shared)], emit.product_of(index.type, used)
            place = emit.call("reshape", place, (*lead, records))
            value = emit.call("reshape", value, (*lead, records, *shape[len(shared) + 1 :]))
        code = emit.call("add_along", value, place, tuple(shape), len(shared))
        return emit.bind(code, (*shared, *made, *rest), call.type, "scattered")
    zeros = emit.call("full_like_kind", tuple(shape), 0, y.code)
    codes = [
        emit.call("index_grid", size_of[a], len(order), i, y.code) for i, a in enumerate(shared)
    ]
    codes += [emit.aligned(i, order) for i in indices]
    code = emit.call("add_at", zeros, tuple(codes), emit.aligned(y, (*order, *rest)))
    return emit.bind(code, (*shared, *made, *rest), call.type, "scattered")


def _write_scatter(operation: Operation, labels: tuple[str, ...]) -> str:
    if not operation.params:
        return f"scatter({', '.join(labels)})"
    used, made = _used_and_made(operation.params)
    sizes = labels[1 + len(made) :]
    axes = [*map(shown, used), *[f"{shown(a)}[{n}]" for a, n in zip(made, sizes, strict=True)]]
    return f"scatter[{', '.join(axes)}]({', '.join(labels[: 1 + len(made)])})"


def _diagnose_scatter(
    operation: Operation, labels: Sequence[str], data: Sequence[Any], sizes: Any
) -> Any:
    """Name the index that lies outside, as for reading."""
    _, made = _used_and_made(operation.params)
    count = len(made)
    for axis, label, indices, size in zip(
        made, labels[1:], data[1:], data[1 + count :], strict=False
    ):
        low, high = _least_and_greatest(indices)
        if low < -size or high >= size:
            wrong = high if high >= size else low
            return (
                IndexRangeError,
                f"index {wrong} in {label} lies outside axis {shown(axis)}[{size}]",
                f"indices count from 0 to {size - 1}" if size else f"axis {shown(axis)} is empty",
            )
    return None


def _gathered(use: Use, place: int, g: NamedTensor) -> NamedTensor:
    _, made = _used_and_made(use.params)
    Y, *given = use.operands
    indices = given[: len(made)]
    return own_part(apply(INDEX(made), g, *indices), Y, indices)


def _scattering(params: tuple[Any, ...]) -> Acts:
    used, made = _used_and_made(params)
    return Acts(uses=used, makes=made)


SCATTER = primitive(
    "scatter",
    _scatter_rule,
    _lower_scatter,
    write=_write_scatter,
    diagnose=_diagnose_scatter,
    notation=Word("scatter", sized=True),
    traits=Traits(linear=(0,), fresh=True, acts=lambda params: _scattering(params)),
    transpose=_gathered,
)


def _picks_rule(call: Call) -> Type:
    (axis,) = call.params
    call.kind(0, ("int",), "an index is an integer tensor")
    call.absent(0, [axis])
    return Type((*call.types[0].axes, (axis, call.values[1])), "int")


def _lower_picks(emit: Emitter, call: Lowered, i: Value, n: Value) -> Any:
    """Add 1 to zeros at the index, so that the library refuses one that lies outside."""
    (axis,) = call.params
    i = emit.named(i)
    sizes = [emit.size(i.type.size(a)) for a in i.axes]
    zeros = emit.call("full_like_kind", (*sizes, n), 0, i)
    grids = [emit.call("index_grid", size, len(sizes), at, i) for at, size in enumerate(sizes)]
    code = emit.call("add_at", zeros, (*grids, i), 1)
    return emit.bind(code, (*i.axes, axis), call.type, "picked")


def _diagnose_picks(
    operation: Operation, labels: Sequence[str], data: Sequence[Any], sizes: Any
) -> Any:
    n = int(data[1])
    low, high = _least_and_greatest(data[0])
    outside = low < -n or high >= n
    return (
        _outside(high if high >= n else low, labels[0], operation.params[0], n, "the result")
        if outside
        else None
    )


#: picks_ax(I)_{ax(j)} = 1 at the place that index_ax(X, I) picks, else 0: a one-hot vector whose index
#: lies inside its axis, and counts from the end where it is negative.
PICKS = primitive(
    "picks",
    _picks_rule,
    _lower_picks,
    diagnose=_diagnose_picks,
    notation=Special("picks"),
    traits=Traits(stepped=True, fresh=True, acts=lambda params: Acts(makes=params)),
)


def _to_scatter(axes: tuple[Axis, ...]) -> tuple[Operation, Axis]:
    """Read the axes that are used up, and the one that is made."""
    *used, made = axes
    call = f"scatter[{', '.join(map(repr, axes))}]"
    distinct(call, used)
    if not used or size_here(made) is None:
        raise AxisNameError(
            call,
            f"axis {made.name} is to be made and has no size"
            if used
            else "the axes to add up come first, then the axis to make",
            hint="nt.scatter[seq, vocab[10]](X, I)",
        )
    return SCATTER(names(axes), 1), made


@axis_function(first=_to_scatter, distinct=0)
def scatter(to: tuple[Operation, Axis], X: Tensor, I: NamedTensor) -> NamedTensor:
    """Add numbers up at the places that an integer tensor says: the transpose of indexing.

        scatter_{ax,bx} : R^ax x [n]^ax -> R^bx[n],  scatter(X, I)_{bx(j)} = sum_{i: I_{ax(i)} = j} X_{ax(i)}

    The last axis in brackets is made, also by the name of one before it; those are used up. It is
    X @ ax @ one_hot(I, bx) without the one-hot matrix: sums over segments, messages at the nodes of a
    graph, histograms. Inside a formula an axis without a size has its size there. The greatest number
    at each place is nt.full(bx[n], -nt.inf).at[bx(I)].max(X).

    Raises: AxisNameError, AxisMissingError, AxisClashError, KindError, IndexRangeError.

    >>> import namedtensor as nt
    >>> I = nt.tensor([2, 0, 2], "seq")
    >>> nt.scatter["seq", "vocab[4]"](nt.tensor([1.0, 5.0, 10.0], "seq"), I)
    NamedTensor(vocab[4], float64)
    vocab  0  1   2  3
           5  0  11  0
    """
    operation, made = to
    return apply(operation, X, I, abs(made))


# ------------------------------------------------------------------------------ functional update


def update_rule(call: Call) -> Type:
    """The result has X's axes, and those that Y adds."""
    (places,) = call.params
    names_ = [p[0] for p in places]
    call.need(0, names_)
    type_ = call.types[0]
    written = _written_sizes(call)
    value = call.types[1]
    if KINDS.index(value.kind) > KINDS.index(type_.kind):
        raise call.fail(
            KindError,
            f"{call.labels[0]} holds {type_.kind} numbers, which cannot hold {call.labels[1]}, "
            f"{'an int' if value.kind == 'int' else f'a {value.kind}'} value",
            f"nt.cast({call.labels[0]}, {value.kind}) first",
        )
    extra = []
    for name, size in value.axes:
        if name in written:
            _same_size(call, name, written[name], size)
        elif type_.has(name):
            raise call.fail(
                AxisClashError,
                f"{call.labels[1]} has axis {shown(name)}, which the index uses up",
                f"rename it: {primed(call.labels[1], name)}",
            )
        else:
            extra.append((name, size))
    return type_.with_axes((*extra, *type_.axes))


def _same_size(call: Call, name: str, a: Any, b: Any) -> None:
    if isinstance(a, int) and isinstance(b, int):
        if a != b:
            place = f"the place in {call.labels[0]}"

            raise call.fail(
                AxisSizeError,
                f"axis {shown(name)} is {a} at {place} and {b} in {call.labels[1]}",
                f"write a tensor with {shown(name)}[{a}]",
            )
    elif a is not b:
        call.guards.append((a, b))


def _written_sizes(call: Call) -> dict[str, Any]:
    """Give the axes of what is written: the rest of X, ranges, and the axes of index tensors."""
    (places,) = call.params
    type_ = call.types[0]
    kinds = {p[0]: p for p in places}
    found: dict[str, Any] = {}
    operand = 2
    for name, size in type_.axes:
        place = kinds.get(name)
        if place is None:
            found[name] = size
        elif place[1] == "slice":
            bounds = list(place[2:])
            found[name] = (
                len(range(*slice(*bounds).indices(size)))
                if isinstance(size, int)
                else _slice_size(size, bounds)
            )
    for place in places:
        if place[1] == "tensor":
            call.kind(operand, ("int",), "an index is an integer tensor")
            used_up = {p[0] for p in places}
            for name, size in call.types[operand].axes:
                # an axis that X keeps must have X's size in the index too
                shared = type_.has(name) and name not in used_up
                found[name] = call.agree(name, (0, operand)) if shared else size
        elif place[1] == "number":
            size, index = type_.size(place[0]), call.values[operand]
            if isinstance(size, int) and isinstance(index, int) and not -size <= index < size:
                raise _out_of_range(call, place[0], size, index)
        operand += place[1] in ("tensor", "number")
    return found


def lower_update(word: str) -> Callable[..., Any]:
    def lower(emit: Emitter, call: Lowered, x: Value, y: Value, *indices: Value) -> Any:
        (places,) = call.params
        extra = tuple([n for n, _ in call.type.axes if not x.type.has(n)])
        code = x.code
        if extra:
            code = emit.call("broadcast_to", code, emit.sizes_of(call.type, (*extra, *x.axes)))
        stored = (*extra, *x.axes)
        base = emit.bind(code, stored, call.type) if extra else emit.named(x)
        by_axis = {p[0]: p for p in places}
        given = dict(zip([p[0] for p in places if p[1] != "slice"], indices, strict=True))
        kept = [a for a in stored if by_axis.get(a, ("", "slice"))[1] == "slice"]
        tensor_axes = dict.fromkeys([a for i in indices for a in i.axes])
        order = (*[a for a in kept if a not in tensor_axes], *tensor_axes)
        y = emit.fitting(emit.typed_like(y, [x]), [x])
        if x.type.kind == y.type.kind == "int" and not y.type.host:
            base = emit.bind(emit.call("widened", base, emit.named(y)), stored, call.type)
        if word in PARTWISE and all(map(_is_part, places)):
            parts = [
                (stored.index(a), given[a].code if a in given else by_axis[a][2:])
                for a in reversed(stored)
                if a in by_axis
            ]
            code = emit.call(PARTWISE[word], base, tuple(parts), emit.aligned(y, kept))
        elif (
            word in ALONG
            and [p[1] for p in places] == ["tensor"]
            and len(tensor_axes) == 1
            and tensor_axes.keys().isdisjoint({*stored} - {places[0][0]})
        ):
            ((axis, *_),), (new,) = places, tensor_axes
            ordered = [new if a == axis else a for a in stored]
            at = stored.index(axis)
            code = emit.call(ALONG[word], base, at, indices[0].code, emit.aligned(y, ordered))
        else:
            each = [_place_code(emit, base, a, by_axis.get(a), given.get(a), order) for a in stored]
            code = emit.call(word, base, tuple(each), emit.aligned(y, order))
        return emit.bind(code, stored, call.type)

    return lower


#: What writes to a part of an array that numbers and ranges tell, for each update that has it.
PARTWISE = {"set_at": "set_part", "add_at": "add_part"}
#: What writes along one axis at an index with one axis, which is none of the others of the tensor.
ALONG = {"add_at": "add_at_dim", "max_at": "max_at_dim", "min_at": "min_at_dim"}


def _is_part(place: tuple[Any, ...]) -> bool:
    """Say whether a place is a number or a range that does not count down."""
    return place[1] == "number" or (place[1] == "slice" and (place[4] is None or place[4] > 0))


def _place_code(emit: Emitter, x: Value, axis: str, place: Any, given: Any, order: Any) -> Any:
    """Give the index array of one stored axis, shaped to broadcast in `order`."""
    if given is not None:
        return emit.aligned(given, order)
    size = emit.size(x.type.size(axis))
    grid = emit.call("index_grid", size, len(order), order.index(axis), x.code)
    if place is None:
        return grid
    return emit.call("narrow", grid, order.index(axis), *place[2:])


def write_update(operation: Operation, labels: tuple[str, ...]) -> str:
    if not operation.params:
        return f"at({', '.join(labels)})"
    given = iter(labels[2:])
    parts = []
    for place in operation.params[0]:
        if place[1] == "slice":
            bounds = ["" if b is None else str(b) for b in place[2:4]]
            parts.append(f"{shown(place[0])}[{':'.join(bounds)}]")
        else:
            parts.append(f"{shown(place[0])}({next(given)})")
    verb = operation.name.removesuffix("_at")
    return f"{labels[0]}.at[{', '.join(parts)}].{verb}({labels[1]})"


def diagnose_update(
    operation: Operation, labels: Sequence[str], data: Sequence[Any], sizes: Any
) -> Any:
    """Name the index that lies outside, as for reading."""
    places = [p for p in operation.params[0] if p[1] != "slice"]
    for place, label, indices in zip(places, labels[2:], data[2:], strict=True):
        size = sizes[0][place[0]]
        low, high = _least_and_greatest(indices)
        if low < -size or high >= size:
            return _outside(high if high >= size else low, label, place[0], size, labels[0])
    return None


def read_back(use: Use, X: NamedTensor) -> NamedTensor:
    """Read X at the place of an update: the axes are those of what was written there."""
    (places,) = use.params
    indices = iter(use.operands[2:])
    tensors = []
    for axis, kind, *bounds in places:
        if kind == "slice":
            flags = tuple([b is not None for b in bounds])
            X = apply(SLICE(axis, flags), X, *[b for b in bounds if b is not None])
        elif kind == "number":
            X = apply(AT(axis), X, next(indices))
        else:
            tensors.append((axis, next(indices)))
    if tensors:
        X = apply(INDEX(tuple([axis for axis, _ in tensors])), X, *[I for _, I in tensors])
    return X


def _share_of_value(use: Use, g: NamedTensor) -> NamedTensor:
    """Sum what is read at the place over the axes that the value lacks."""
    read = read_back(use, g)
    X, Y, *indices = use.operands
    return own_part(read, Y, (X, *indices))


def _share_of_base(use: Use, g: NamedTensor) -> NamedTensor:
    """Sum over the axes that only the value has."""
    X, Y = use.operands[:2]
    return own_part(g, X, (Y,))


def _shares_of_set(use: Use, place: int, g: NamedTensor) -> NamedTensor:
    """The share of an operand of set; numbers of X that are overwritten have none."""
    if place == 1:
        return _share_of_value(use, g)
    return _share_of_base(use, apply(use.operation, g, 0, *use.operands[2:]))


def _shares_of_add(use: Use, place: int, g: NamedTensor) -> NamedTensor:
    return _share_of_value(use, g) if place == 1 else _share_of_base(use, g)


def _share_of_multiplied(use: Use, place: int, g: NamedTensor) -> NamedTensor:
    """X is multiplied where the place is, whatever else is."""
    _, Y, *indices = use.operands
    return _share_of_base(use, apply(use.operation, g, Y, *indices))


def _change_of_extreme(use: Use, place: int, d: NamedTensor) -> Any:
    """The numbers that equal the extreme one share its change alike, as torch has it."""
    X, Y, *indices = use.operands
    result = use.result
    axis = sized(use.params[0][0][0], None)
    # 0 for each number of the result, in its dtype
    none = where(iota(axis[result.size(axis)]) < 0, result, 0)
    add = ADD_AT(*use.params)
    own = where(result == X, 1.0, 0.0)
    hits = where(read_back(use, result) == Y, 1.0, 0.0)
    count = apply(add, none + own, hits, *indices)
    if place == 0:
        return own * d / count
    return apply(add, none, hits * d, *indices) / count


def _ordered_update_rule(call: Call) -> Type:
    """Extremes are of real numbers."""
    call.real(0)
    return update_rule(call)


def _update(
    verb: str,
    word: str,
    traits: Traits,
    differential: Any = None,
    transpose: Any = None,
    rule: Callable[[Call], Type] = update_rule,
) -> Primitive:
    return primitive(
        verb,
        rule,
        lower_update(verb),
        write=write_update,
        diagnose=diagnose_update,
        notation=Special("update", word),
        traits=replace(traits, scatters=True),
        differential=differential,
        transpose=transpose,
    )


def _updates(params: tuple[Any, ...]) -> Acts:
    return Acts(along=tuple([place[0] for place in params[0]]))


SET_AT = _update(
    "set_at",
    "set",
    Traits(linear=(0, 1), jointly=True, fresh=True, acts=_updates),
    transpose=_shares_of_set,
)
ADD_AT = _update(
    "add_at",
    "add",
    Traits(linear=(0, 1), jointly=True, fresh=True, acts=_updates),
    transpose=_shares_of_add,
)
#: What is multiplied in has no rule: at an index that stands twice it meets other factors.
MULTIPLY_AT = _update(
    "multiply_at",
    "multiply",
    Traits(linear=(0,), fresh=True, acts=_updates),
    transpose=_share_of_multiplied,
)
#: On paper max(X, Y) is of two tensors.
MIN_AT, MAX_AT = (
    _update(
        verb,
        verb.replace("_", "-"),
        Traits(fresh=True, acts=_updates),
        differential=_change_of_extreme,
        rule=_ordered_update_rule,
    )
    for verb in ("min_at", "max_at")
)
