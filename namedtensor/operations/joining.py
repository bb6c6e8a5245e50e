"""Joining tensors along an axis, and taking them apart (paper, section 3.3).

concat_ax : R^ax[n] x R^ax[m] -> R^ax[n+m];   stack_ax : R x R -> R^ax[2]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from namedtensor.axes import Axis, shown
from namedtensor.errors import AxisClashError, AxisNameError, AxisSizeError
from namedtensor.operations.axis_functions import AxisFunction, named_operand, wants
from namedtensor.primitives import Call, Type, combine, primitive
from namedtensor.primitives.notation import Word
from namedtensor.primitives.type import widest
from namedtensor.shape import spaced
from namedtensor.tensor import apply


def _concat_rule(call: Call) -> Type:
    (axis,) = call.params
    size: Any = 0
    for i, type_ in enumerate(call.types):
        call.need(i, [axis])
        size = combine("add", type_.size(axis), size)
    rest = list(_union_but(call, axis))
    return Type((*rest, (axis, size)), widest([t.kind for t in call.types]), weak=call.weak)


def _union_but(call: Call, axis: str) -> list[tuple[str, Any]]:
    names = dict.fromkeys([n for t in call.types for n in t.names if n != axis])
    every = range(len(call.types))
    return [(n, call.agree(n, every)) for n in names]


def _repeated(emit: Any, call: Any, value: Any, axes: tuple[str, ...], own: dict[str, Any]) -> str:
    """Write a value with all the axes, repeated along those that it lacks."""
    code = emit.aligned(value, axes)
    if len(value.axes) == len(axes):
        return str(code)
    sizes = [emit.size(own.get(a) if a in own else call.type.size(a)) for a in axes]
    return str(emit.call("broadcast_to", code, f"({', '.join(sizes)},)"))


def _lower_concat(emit: Any, call: Any, *values: Any) -> Any:
    (axis,) = call.params
    values = tuple([emit.typed_like(v, values) for v in values])
    axes = emit.order(values, [n for n, _ in call.type.axes])
    parts = [_repeated(emit, call, v, axes, dict(v.type.axes)) for v in values]
    code = emit.call("concat", f"({', '.join(parts)},)", axes.index(axis))
    return emit.bind(code, axes, call.type, "joined")


def _stack_rule(call: Call) -> Type:
    (axis,) = call.params
    for i, type_ in enumerate(call.types):
        if type_.has(axis):
            raise call.fail(
                AxisClashError,
                f"{call.labels[i]} already has an axis {shown(axis)}",
                f"nt.concat[{shown(axis)}] joins along an axis that is there",
            )
    kind = widest([t.kind for t in call.types])
    return Type(((axis, len(call.types)), *_union_but(call, axis)), kind, weak=call.weak)


def _lower_stack(emit: Any, call: Any, *values: Any) -> Any:
    (axis,) = call.params
    values = tuple([emit.typed_like(v, values) for v in values])
    axes = emit.order(values, [n for n, _ in call.type.axes if n != axis])
    data = next((v for v in values if not v.type.host), None)
    parts = [
        emit.call("full_like_kind", "()", v.code, data.code)
        if v.type.host and data is not None
        else v.code
        for v in values
    ]
    if axes:
        parts = [
            emit.call("broadcast_to", p, emit.sizes_of(call.type, axes))
            if v.type.host
            else _repeated(emit, call, v, axes, {})
            for p, v in zip(parts, values, strict=True)
        ]
    code = emit.call("stack", f"({', '.join(parts)},)", 0)
    return emit.bind(code, (axis, *axes), call.type, "stacked")


CONCAT = primitive(
    "concat", _concat_rule, _lower_concat, notation=Word("concat", also=("cat", "Concat"))
)
STACK = primitive("stack", _stack_rule, _lower_stack, notation=Word("stack"))


def _bind(name: str, entry: Any) -> Callable[..., Any]:
    def bind(axes: tuple[Axis, ...]) -> Callable[..., Any]:
        wants(name, axes, 1, f"nt.{name}[seq](A, B)")
        operation = entry(axes[0].name)

        def join(*tensors: Any) -> Any:
            if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)):
                tensors = tuple(tensors[0])
            if not tensors:
                raise AxisNameError(
                    f"{name}[{axes[0]}]()",
                    "there is nothing to join",
                    hint=f"nt.{name}[{axes[0]}](A, B)",
                )
            if name == "stack" and axes[0].size not in (None, len(tensors)):
                raise AxisSizeError(
                    f"stack[{axes[0]!r}]({', '.join('ABCDEFGH'[: len(tensors)])})",
                    f"axis {axes[0].name} is {axes[0].size} in the call, and {len(tensors)} tensors "
                    "are given",
                    hint=f"leave the size out: {axes[0].name}",
                )
            return apply(operation, *tensors)

        return join

    return bind


concat = AxisFunction(
    "concat",
    _bind("concat", CONCAT),
    "Join end to end along an axis: R^ax[n] x R^ax[m] -> R^ax[n+m]; other axes lift.",
)
stack = AxisFunction(
    "stack",
    _bind("stack", STACK),
    "Join along a new axis: one index for each tensor; other axes lift.",
)


# ------------------------------------------------------------------------------------- inverses


def _bind_split(axes: tuple[Axis, ...]) -> Callable[..., Any]:
    wants("split", axes, 1, "nt.split[seq](X, (2, 3))")
    axis = axes[0]

    def split(X: Any, sizes: Any) -> list[Any]:
        whole = int(named_operand(f"split[{axis.name}]", X, axis).size(axis))
        if not isinstance(sizes, (list, tuple)) or not all(hasattr(s, "__index__") for s in sizes):
            raise AxisSizeError(
                f"split[{axis.name}](X, {sizes!r})",
                "the parts are a tuple of whole numbers",
                [("X", spaced(X.sizes))],
                f"nt.split[{axis.name}](X, ({whole // 2}, {whole - whole // 2}))",
            )
        parts = [int(s) for s in sizes]
        if sum(parts) != whole or min(parts, default=0) < 0:
            raise AxisSizeError(
                f"split[{axis.name}](X, {tuple(parts)})",
                f"axis {axis.name} is {whole} in X, and the parts are {', '.join(map(str, parts))}",
                [("X", spaced(X.sizes))],
                f"give sizes of 0 or more that add up to {whole}",
            )
        ends = [sum(parts[: i + 1]) for i in range(len(parts))]
        return [X[axis[end - size : end]] for end, size in zip(ends, parts, strict=True)]

    return split


def _bind_unstack(axes: tuple[Axis, ...]) -> Callable[..., Any]:
    wants("unstack", axes, 1, "nt.unstack[head](X)")
    axis = axes[0]

    def unstack(X: Any) -> list[Any]:
        whole = named_operand(f"unstack[{axis.name}]", X, axis).size(axis)
        return [X[axis(i)] for i in range(int(whole))]

    return unstack


split = AxisFunction(
    "split", _bind_split, "Take apart what concat joined: a list of tensors of these sizes."
)
unstack = AxisFunction(
    "unstack", _bind_unstack, "Take apart what stack joined: a list, one for each index."
)
