"""Indexing: records pick numbers out of a tensor (paper, sections 2.2 and 3.4).

    index_ax : R^ax x [|ax|] -> R,  lifted over every other axis of both operands

One rule gives take, gather and embedding lookup: X[seq(I)] with I an integer named tensor.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from namedtensor.axes import primed, shown
from namedtensor.errors import (
    AxisClashError,
    AxisNameError,
    AxisSizeError,
    IndexRangeError,
    KindError,
)
from namedtensor.operations.axis_functions import AxisFunction, names
from namedtensor.primitives import Call, Operation, Type, primitive
from namedtensor.primitives.node import apply_node
from namedtensor.primitives.notation import Special
from namedtensor.primitives.sizes import as_node, need_known
from namedtensor.primitives.type import KINDS
from namedtensor.shape import spaced
from namedtensor.tensor import apply

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
        else f"{label}[{shown(axis)}({size - 1})] is the last"
    )
    return call.fail(
        IndexRangeError,
        f"index {index} lies outside axis {shown(axis)}, which is {size} in {label}",
        hint,
    )


def lower_at(emit: Any, call: Any, x: Any, index: Any) -> Any:
    (axis,) = call.params
    rest = tuple([a for a in x.axes if a != axis])
    return emit.bind(emit.call("select", x.code, x.place(axis), index.code), rest, call.type, "x")


def write_at(operation: Operation, labels: tuple[str, ...]) -> str:
    return f"{labels[0]}[{shown(operation.params[0]) if operation.params else ''}({labels[1]})]"


primitive("at", at_rule, lower_at, write=write_at, notation=Special("at"))


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


def _lower_slice_size(emit: Any, call: Any, n: Any, *bounds: Any) -> Any:
    code = emit.host_call("slice_size", n.code, *_bound_codes(call.params[0], bounds))
    return emit.bind(code, (), call.type, "n")


def _bound_codes(flags: Sequence[bool], bounds: Sequence[Any]) -> list[str]:
    given = iter(bounds)
    return [next(given).code if there else "None" for there in flags]


SLICE_SIZE = primitive(
    "slice_size", _slice_size_rule, _lower_slice_size, notation=Special("slice size")
)


def lower_slice(emit: Any, call: Any, x: Any, *bounds: Any) -> Any:
    axis, flags = call.params
    code = emit.call("narrow", x.code, x.place(axis), *_bound_codes(flags, bounds))
    return emit.bind(code, x.axes, call.type)


def write_slice(operation: Operation, labels: tuple[str, ...]) -> str:
    axis, flags = operation.params
    given = iter(labels[1:])
    parts = [next(given) if there else "" for there in flags]
    text = ":".join(parts if flags[2] else parts[:2])
    return f"{labels[0]}[{shown(axis)}[{text}]]"


primitive("slice", slice_rule, lower_slice, write=write_slice, notation=Special("slice"))


# -------------------------------------------------------------------- integer tensors: X[vocab(I)]


def index_rule(call: Call) -> Type:
    (axes,) = call.params
    call.need(0, axes)
    for i in range(1, len(call.types)):
        call.kind(
            i,
            ("int",),
            f"nt.cast({call.labels[i]}, int); a mask selects in square brackets: "
            f"{call.labels[0]}[{shown(axes[0])}[mask]]",
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


def lower_index(emit: Any, call: Any, x: Any, *indices: Any) -> Any:
    (axes,) = call.params
    own = dict.fromkeys([a for i in indices for a in i.axes])
    shared = [a for a in x.axes if a in own and a not in axes]
    order = (*shared, *[a for a in own if a not in shared])
    if len(axes) == 1 and not shared:
        at = x.place(axes[0])
        code = emit.call("take", x.code, indices[0].code, at)
        return emit.bind(code, (*x.axes[:at], *indices[0].axes, *x.axes[at + 1 :]), call.type)
    rest = tuple([a for a in x.axes if a not in axes and a not in shared])
    moved = emit.permute(x, (*shared, *axes, *rest))
    grids = [
        emit.call("index_grid", emit.size(x.type.size(a)), len(order), i, indices[0].code)
        for i, a in enumerate(shared)
    ]
    codes = [*grids, *[emit.aligned(i, order) for i in indices]]
    code = emit.call("gather", moved.code, f"({', '.join(codes)},)")
    return emit.bind(code, (*order, *rest), call.type)


def write_index(operation: Operation, labels: tuple[str, ...]) -> str:
    if not operation.params:
        return f"index({', '.join(labels)})"
    pairs = zip(operation.params[0], labels[1:], strict=True)
    return f"{labels[0]}[{', '.join(f'{shown(a)}({i})' for a, i in pairs)}]"


def _least_and_greatest(indices: Any) -> tuple[int, int]:
    if isinstance(indices, int):
        return indices, indices
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


def _outside(index: int, label: str, axis: str, size: int, owner: str) -> tuple[Any, str, str]:
    why = f"index {index} in {label} lies outside axis {shown(axis)}, which is {size} in {owner}"
    hint = f"indices count from 0 to {size - 1}" if size else f"axis {shown(axis)} is empty"
    return IndexRangeError, why, hint


INDEX = primitive(
    "index",
    index_rule,
    lower_index,
    write=write_index,
    diagnose=diagnose_index,
    notation=Special("index"),
)


def _bind_index(axes: Any) -> Callable[..., Any]:
    operation = INDEX(names(axes))

    def index(X: Any, *indices: Any) -> Any:
        if len(indices) != len(axes):
            written = ", ".join(map(repr, axes))
            raise AxisNameError(
                f"index[{written}]({', '.join('XIJKLMN'[: len(indices) + 1])})",
                f"{len(axes)} to index by, and {len(indices)} tensors of indices",
                [("X", spaced(X.sizes))] if hasattr(X, "sizes") else [],
                "one integer tensor for each axis: nt.index[row, col](X, I, J)",
            )
        return apply(operation, X, *indices)

    return index


index = AxisFunction(
    "index",
    _bind_index,
    "Pick by integer tensors: index[vocab](E, I) = E[vocab(I)], lifted over all other axes.",
)


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
    def lower(emit: Any, call: Any, x: Any, y: Any, *indices: Any) -> Any:
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
        codes = [_place_code(emit, base, a, by_axis.get(a), given.get(a), order) for a in stored]
        y = emit.typed_like(y, [x])
        value = y.code if y.type.host else emit.aligned(y, order)
        code = emit.call(word, base.code, f"({', '.join(codes)},)", value)
        return emit.bind(code, stored, call.type)

    return lower


def _place_code(emit: Any, x: Any, axis: str, place: Any, given: Any, order: Any) -> str:
    """Write the index array of one stored axis, shaped to broadcast in `order`."""
    if given is not None:
        return str(given.code if given.type.host else emit.aligned(given, order))
    size = emit.size(x.type.size(axis))
    grid = emit.call("index_grid", size, len(order), order.index(axis), x.code)
    if place is None:
        return str(grid)
    return str(emit.call("narrow", grid, order.index(axis), *place[2:]))


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


for _verb in ("set_at", "add_at"):
    primitive(
        _verb,
        update_rule,
        lower_update(_verb),
        write=write_update,
        diagnose=diagnose_update,
        notation=Special("update"),
    )
