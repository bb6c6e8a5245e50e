"""Repeat numbers along new axes, or change their dtype: operations that only derivatives need.

expand_ax : R -> R^ax,  expand_ax(X)_{ax(i)} = X;   alike(X, Y) = X in the dtype of Y
"""

from __future__ import annotations

from typing import Any

from namedtensor.plans import Emitter, Lowered, Value
from namedtensor.primitives import Call, Type, primitive, table
from namedtensor.primitives.notation import Special
from namedtensor.primitives.traits import Acts, Traits
from namedtensor.tensor import NamedTensor, apply
from namedtensor.tensor.resize import need_sizes


def _expand_rule(call: Call) -> Type:
    (axis,) = call.params
    call.absent(0, [axis])
    type_ = call.types[0]
    size = call.values[1] if len(call.values) > 1 else None
    return Type((*type_.axes, (axis, size)), type_.kind, weak=type_.weak)


def _lower_expand(emit: Emitter, call: Lowered, x: Value, n: Value | None = None) -> Any:
    (axis,) = call.params
    if n is None:
        need_sizes(call.node, "index-defined tensor")
    if x.type.host:
        return emit.filled(emit.call("full", (n,), x, emit.like), (axis,), call.type)
    axes = (axis, *x.axes)
    fill = emit.fill_of(x)
    if fill is not None:
        code = emit.call("full", emit.sizes_of(call.type, axes), fill, emit.like)
        return emit.filled(code, axes, call.type)
    code = emit.call("broadcast_to", x, emit.sizes_of(call.type, axes))
    return emit.bind(code, axes, call.type, "expanded")


EXPAND = primitive(
    "expand",
    _expand_rule,
    _lower_expand,
    notation=Special("operand"),
    traits=Traits(
        linear=(0,), moves=True, uniform=True, spreads=True, acts=lambda params: Acts(makes=params)
    ),
    transpose=lambda use, place, g: _added_up(g, use.params),
)


def _added_up(g: NamedTensor, axes: tuple[str, ...]) -> Any:
    return apply(table()["sum"](axes), g)


def _alike_rule(call: Call) -> Type:
    x, like = call.types
    return Type(x.axes, "float" if like.kind == "float" else x.kind)


def _lower_alike(emit: Emitter, call: Lowered, x: Value, like: Value) -> Any:
    if x.type.host:
        code = emit.call("full_like_kind", (), x, like)
        return emit.bind(code, (), call.type, "number")
    return emit.bind(emit.call("as_like", x, like), x.axes, call.type, "alike")


ALIKE = primitive(
    "alike",
    _alike_rule,
    _lower_alike,
    notation=Special("operand"),
    traits=Traits(pointwise=True, linear=(0,), moves=True, uniform=True),
    slopes=(None, lambda x, like, y: 0.0),
)
