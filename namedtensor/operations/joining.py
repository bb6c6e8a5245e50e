"""Joining tensors along an axis, and taking them apart (paper, section 3.3).

concat_ax : R^ax[n] x R^ax[m] -> R^ax[n+m];   stack_ax : R x R -> R^ax[2]
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

from namedtensor.axes import Axis, loose, renamed_code, shown, typed_axes
from namedtensor.errors import AxisClashError, AxisNameError, AxisSizeError
from namedtensor.operations.axis_functions import Tensor, axis_function, named_operand
from namedtensor.operations.constants import made
from namedtensor.plans import Emitter, Lowered, Value
from namedtensor.primitives import Call, Node, Primitive, Type, combine, primitive, table
from namedtensor.primitives.notation import Word
from namedtensor.primitives.traits import EVERY, Acts, Traits
from namedtensor.primitives.type import widest
from namedtensor.primitives.use import Use
from namedtensor.shape import shapes, sized
from namedtensor.tensor import NamedTensor, apply
from namedtensor.tensor.apply import NUMBERS
from namedtensor.tensor.labels import first_letters


def _concat_rule(call: Call) -> Type:
    (axis,) = call.params
    size: Any = 0
    for i, type_ in enumerate(call.types):
        call.need(i, [axis], "" if type_.has(axis) else _joined_hint(call, i, axis))
        size = combine("add", type_.size(axis), size)
    rest = list(_union_but(call, axis))
    return Type((*rest, (axis, size)), widest([t.kind for t in call.types]), weak=call.weak)


def _joined_hint(call: Call, lacking: int, axis: str) -> str:
    """Say how an operand gets the axis that others have: by another name of it, or as one more index."""
    if not any([t.has(axis) for t in call.types]) or call.types[lacking].host:
        return ""
    own, label = call.types[lacking].names, call.labels[lacking]
    others = {n for i, t in enumerate(call.types) if i != lacking for n in t.names}
    twin = next((n for n in own if n.rstrip("'") == axis.rstrip("'") and n not in others), None)
    inside = typed_axes([axis])
    code = renamed_code(label, twin, axis) if twin else f"nt.stack[{inside}]({loose(label)})"
    typed = [code if i == lacking else word for i, word in enumerate(call.labels)]
    why = "rename it" if twin else f"a tensor without {shown(axis)} is one index of it"
    return f"{why}: `nt.concat[{inside}]({', '.join(map(loose, typed))})`"


def _union_but(call: Call, axis: str) -> list[tuple[str, Any]]:
    names = dict.fromkeys([n for t in call.types for n in t.names if n != axis])
    every = range(len(call.types))
    return [(n, call.agree(n, every)) for n in names]


def _repeated(
    emit: Emitter, call: Lowered, value: Value, axes: tuple[str, ...], own: dict[str, Any]
) -> Any:
    """Give a value with all the axes, repeated along those that it lacks."""
    code = emit.aligned(value, axes)
    if len(value.axes) == len(axes):
        return code
    sizes = [own.get(a) if a in own else call.type.size(a) for a in axes]
    return emit.call("broadcast_to", code, emit.sizes(sizes))


def _lower_concat(emit: Emitter, call: Lowered, *values: Value) -> Any:
    (axis,) = call.params
    values = tuple([emit.wide(emit.typed_like(v, values), call.type) for v in values])
    axes = emit.order(values, [n for n, _ in call.type.axes])
    parts = tuple([_repeated(emit, call, v, axes, dict(v.type.axes)) for v in values])
    code = emit.call("concat", parts, axes.index(axis))
    return emit.bind(code, axes, call.type, "joined")


def _stack_rule(call: Call) -> Type:
    (axis,) = call.params
    for i, type_ in enumerate(call.types):
        if type_.has(axis):
            raise call.fail(
                AxisClashError,
                f"{call.labels[i]} already has an axis {shown(axis)}",
                f"nt.concat[{typed_axes([axis])}] joins along an axis that is there",
            )
    kind = widest([t.kind for t in call.types])
    return Type(((axis, len(call.types)), *_union_but(call, axis)), kind, weak=call.weak)


def _as_data(emit: Emitter, call: Lowered, value: Value, data: Value | None) -> Any:
    """Turn a number into data: like other data of this kind, or as index-defined numbers are made."""
    if data is not None:
        return emit.call("full_like_kind", (), value, data)
    code = emit.call("full", (), value, emit.like)
    return emit.call("double", code) if call.type.wide and value.type.kind != "float" else code


def _lower_stack(emit: Emitter, call: Lowered, *values: Value) -> Any:
    (axis,) = call.params
    values = tuple([emit.wide(emit.typed_like(v, values), call.type) for v in values])
    axes = emit.order(values, [n for n, _ in call.type.axes if n != axis])
    data = next((v for v in values if not v.type.host and v.type.kind == call.type.kind), None)
    parts = [_as_data(emit, call, v, data) if v.type.host else v.code for v in values]
    if axes:
        parts = [
            emit.call("broadcast_to", p, emit.sizes_of(call.type, axes))
            if v.type.host
            else _repeated(emit, call, v, axes, {})
            for p, v in zip(parts, values, strict=True)
        ]
    at = _place_beside(axis, axes, emit.wanted.get(call.node, ()))
    one = emit.call("unsqueeze", parts[0], at) if len(parts) == 1 else None
    code = one or emit.call("stack", tuple(parts), at)
    return emit.bind(code, (*axes[:at], axis, *axes[at:]), call.type, "stacked")


def _place_beside(axis: str, axes: tuple[str, ...], wanted: Sequence[str]) -> int:
    """Place a new axis among the stored ones so that it has the neighbour that the result's user wants.

    Never last: joining numbers one by one takes longer than a copy afterwards.
    """
    if axis not in wanted:
        return 0
    i = wanted.index(axis)
    after, before = wanted[i + 1 : i + 2], wanted[max(i - 1, 0) : i]
    if after and after[0] in axes:
        return axes.index(after[0])
    at = axes.index(before[0]) + 1 if before and before[0] in axes else 0
    return at if at < len(axes) else 0


def _alike(node: Node) -> bool:
    """Say whether nothing is repeated: then the library refuses sizes that differ."""
    return len({frozenset(part.type.names) for part in node.operands}) == 1


def own_part(g: NamedTensor, X: Tensor, others: Sequence[Tensor]) -> NamedTensor:
    """Sum a gradient over the axes that X lacks and the other operands lift it over."""
    own = axes_of(X)
    lifted = dict.fromkeys([a for Y in others for a in axes_of(Y) if a not in own and a in g.axes])
    return apply(table()["sum"](tuple(lifted)), g) if lifted else g


def axes_of(X: Tensor) -> tuple[str, ...]:
    """Give the axes of an operand; a number has none."""
    return X.axes if isinstance(X, NamedTensor) else ()


def _concat_part(use: Use, place: int, g: NamedTensor) -> NamedTensor:
    """Select the part that the operand gave."""
    axis = sized(use.params[0], None)
    sizes = [X.size(axis) for X in use.operands]
    start = sum(sizes[1:place], sizes[0]) if place else 0
    return own_part(g[axis[start : start + sizes[place]]], use.operands[place], use.operands)


def _stack_part(use: Use, place: int, g: NamedTensor) -> NamedTensor:
    """Index the new axis."""
    return own_part(g[sized(use.params[0], None)(place)], use.operands[place], use.operands)


CONCAT = primitive(
    "concat",
    _concat_rule,
    _lower_concat,
    trusted=_alike,
    notation=Word("concat", also=("cat", "Concat")),
    traits=Traits(
        linear=(EVERY,),
        jointly=True,
        moves=True,
        fresh=True,
        acts=lambda params: Acts(along=params),
    ),
    transpose=_concat_part,
)
STACK = primitive(
    "stack",
    _stack_rule,
    _lower_stack,
    trusted=_alike,
    notation=Word("stack"),
    traits=Traits(
        linear=(EVERY,),
        jointly=True,
        moves=True,
        fresh=True,
        acts=lambda params: Acts(makes=params),
    ),
    transpose=_stack_part,
)


Join = Callable[[Sequence[Any]], NamedTensor]


def _joined_along(entry: Primitive) -> Callable[[tuple[Axis, ...]], Join]:
    """Check the tensors and join them along the axis."""
    name = entry.name

    def first(axes: tuple[Axis, ...]) -> Join:
        (axis,) = axes
        operation = entry(axis.name)

        def join(tensors: Sequence[Any]) -> NamedTensor:
            if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)):
                (tensors,) = tensors
            if not tensors:
                raise AxisNameError(
                    f"{name}[{axis}]()",
                    "there is nothing to join",
                    hint=f"nt.{name}[{axis}](A, B)",
                )
            if name == "stack" and axis.size is not None and axis.size != len(tensors):
                raise AxisSizeError(
                    f"stack[{axis!r}]({', '.join(first_letters(len(tensors)))})",
                    f"axis {axis.name} is {axis.size} in the call, and {len(tensors)} tensors "
                    "are given",
                    hint=f"leave the size out: {axis.name}",
                )
            numbers = name == "stack" and isinstance(tensors[0], NUMBERS)
            if numbers and all([isinstance(x, NUMBERS) for x in tensors]):
                return made(operation, *tensors)  # a tensor that depends on no data
            return apply(operation, *tensors)

        return join

    return first


@axis_function(first=_joined_along(CONCAT), example="nt.concat[seq](A, B)")
def concat(join: Join, *tensors: Tensor | Sequence[Tensor]) -> NamedTensor:
    """Join tensors end to end along an axis that all have.

        concat_ax : R^ax[n] x R^ax[m] -> R^ax[n+m];
        concat(A, B)_{ax(i)} = A_{ax(i)} if i < n else B_{ax(i-n)}, lifted over all other axes

    Takes any number of tensors, or one list of them.

    Raises: AxisMissingError, AxisSizeError, AxisNameError.

    >>> import namedtensor as nt
    >>> nt.concat["seq"](nt.tensor([1, 2], "seq"), nt.tensor([3], "seq"))
    NamedTensor(seq[3], int64)
    seq  0  1  2
         1  2  3
    """
    return join(tensors)


@axis_function(first=_joined_along(STACK), example="nt.stack[head](A, B)")
def stack(join: Join, *tensors: Tensor | Sequence[Tensor]) -> NamedTensor:
    """Join tensors along a new axis, with one index for each.

        stack_ax : R x R -> R^ax[2];  stack(A, B)_{ax(0)} = A, stack(A, B)_{ax(1)} = B

    Takes any number of tensors, or one list of them; they lift over each other's axes.

    Raises: AxisClashError, AxisSizeError, AxisNameError.

    >>> import namedtensor as nt
    >>> nt.stack["head"](nt.tensor([1, 2], "seq"), nt.tensor([3, 4], "seq")).shape
    head[2] x seq[2]
    """
    return join(tensors)


# ------------------------------------------------------------------------------------- inverses


@axis_function(first=lambda axes: axes[0], example="nt.split[seq](X, (2, 3))")
def split(axis: Axis, X: NamedTensor, sizes: Sequence[int]) -> list[NamedTensor]:
    """Take apart what concat joined: give a list of tensors of these sizes.

        split_ax : R^ax[n+m] -> R^ax[n] x R^ax[m]

    Raises: AxisMissingError, AxisSizeError, BackendError.

    >>> import namedtensor as nt
    >>> a, b = nt.split["seq"](nt.tensor([1, 2, 3], "seq"), (2, 1))
    >>> b
    NamedTensor(seq[1], int64)
    seq  0
         3
    """
    whole = int(named_operand(f"split[{axis.name}]", X, axis).size(axis))
    if not isinstance(sizes, (list, tuple)) or not all(hasattr(s, "__index__") for s in sizes):
        raise AxisSizeError(
            f"split[{axis.name}](X, {sizes!r})",
            "the parts are a tuple of whole numbers",
            shapes(X),
            f"nt.split[{typed_axes([axis.name])}](X, ({whole // 2}, {whole - whole // 2}))",
        )
    parts = [int(s) for s in sizes]
    if sum(parts) != whole or min(parts, default=0) < 0:
        raise AxisSizeError(
            f"split[{axis.name}](X, {tuple(parts)})",
            f"axis {axis.name} is {whole} in X, and the parts are {', '.join(map(str, parts))}",
            shapes(X),
            f"give sizes of 0 or more that add up to {whole}",
        )
    ends = itertools.accumulate(parts)
    return [X[axis[end - size : end]] for end, size in zip(ends, parts, strict=True)]


@axis_function(first=lambda axes: axes[0], example="nt.unstack[seq](X)")
def unstack(axis: Axis, X: NamedTensor) -> list[NamedTensor]:
    """Take apart what stack joined: give a list with one tensor for each index.

        unstack_ax : R^ax[n] -> R x ... x R

    Raises: AxisMissingError, BackendError.

    >>> import namedtensor as nt
    >>> nt.unstack["head"](nt.tensor([5, 6], "head"))
    [NamedTensor(5), NamedTensor(6)]
    """
    whole = named_operand(f"unstack[{axis.name}]", X, axis).size(axis)
    return [X[axis(i)] for i in range(int(whole))]
