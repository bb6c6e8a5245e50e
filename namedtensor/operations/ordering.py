"""Ordering: sort, and the k greatest (paper, section 3.2).

sort_ax : R^ax -> R^ax;   maxk_{ax,k} : R^ax -> R^k;   argmaxk_{ax,k} : R^ax -> {0,1}^{ax x k}
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from namedtensor.axes import Axis, shown
from namedtensor.errors import AxisSizeError
from namedtensor.operations.axis_functions import AxisFunction, names, wants
from namedtensor.operations.vectors import along_rule
from namedtensor.primitives import Call, Type, primitive
from namedtensor.primitives.notation import Word
from namedtensor.tensor import apply


def _sorting(name: str, kind: Callable[[str], str], doc: str) -> AxisFunction:
    def lower(emit: Any, call: Any, x: Any) -> Any:
        (axis,), descending = call.params
        code = emit.call(name, x.code, x.place(axis), descending)
        return emit.bind(code, x.axes, call.type, "sorted_")

    notation = Word(name, otherwise=f"{name}-descending")
    entry = primitive(name, along_rule(kind), lower, notation=notation)

    def bind(axes: tuple[Axis, ...]) -> Callable[..., Any]:
        wants(name, axes, 1, f"nt.{name}[seq](X)")
        up, down = entry(names(axes), False), entry(names(axes), True)
        return lambda X, descending=False: apply(down if descending else up, X)

    return AxisFunction(name, bind, doc)


sort = _sorting("sort", lambda kind: kind, "Sort along an axis, smallest first unless descending.")
argsort = _sorting(
    "argsort", lambda _: "int", "Give the indices that sort along an axis; equals keep their order."
)


def _top_rule(kind: Callable[[str], str], keeps_axis: bool) -> Callable[[Call], Type]:
    def rule(call: Call) -> Type:
        axis, k = call.params
        call.need(0, [axis])
        type_, count = call.types[0], call.values[1]
        if k != axis:
            call.absent(0, [k])
        size = type_.size(axis)
        if isinstance(size, int) and isinstance(count, int) and count > size:
            raise call.fail(
                AxisSizeError,
                f"axis {shown(axis)} is {size} in {call.labels[0]}, which has no {count} to choose",
                f"{k}[{size}] takes them all",
            )
        axes = [a for a in type_.axes if keeps_axis or a[0] != axis]
        return type_.with_axes((*axes, (k, count)), kind(type_.kind))

    return rule


def _lower_top(mode: str, largest: bool) -> Callable[..., Any]:
    def lower(emit: Any, call: Any, x: Any, k: Any) -> Any:
        axis, new = call.params
        x = emit.named(x)
        rest = tuple([a for a in x.axes if a != axis])
        moved = emit.named(emit.permute(x, (*rest, axis)))
        index = emit.call("top_indices", moved.code, k.code, len(rest), largest)
        if mode == "index":
            return emit.bind(index, (*rest, new), call.type, "indices")
        if mode == "one_hot":
            hot = emit.call("one_hot", index, emit.size(x.type.size(axis)))
            return emit.bind(hot, (*rest, new, axis), call.type, "one_hot")
        code = emit.call("take_along", moved.code, index, len(rest))
        return emit.bind(code, (*rest, new), call.type, "top")

    return lower


def _top(name: str, mode: str, largest: bool, doc: str) -> AxisFunction:
    kind: Callable[[str], str] = (lambda k: k) if mode == "value" else (lambda _: "int")
    lower = _lower_top(mode, largest)
    notation = Word(name.replace("_", "-"), sized=True)
    entry = primitive(name, _top_rule(kind, mode == "one_hot"), lower, notation=notation)

    def bind(axes: tuple[Axis, ...]) -> Callable[..., Any]:
        wants(name, axes, 2, f"nt.{name}[ax, k[5]](X)")
        axis, k = axes
        if k.size is None:
            raise AxisSizeError(
                f"{name}[{axis!r}, {k!r}]",
                f"{k.name} has no size: how many?",
                hint=f"nt.{name}[{axis.name}, {k.name}[5]](X)",
            )
        operation = entry(axis.name, k.name)
        return lambda X: apply(operation, X, k.size)

    return AxisFunction(name, bind, doc)


maxk = _top("maxk", "value", True, "Give the k greatest numbers, greatest first: R^ax -> R^k.")
mink = _top("mink", "value", False, "Give the k smallest numbers, smallest first: R^ax -> R^k.")
argmaxk = _top(
    "argmaxk",
    "one_hot",
    True,
    "Mark the k greatest numbers, each by a one-hot vector: R^ax -> {0,1}^{ax x k}.",
)
argmink = _top(
    "argmink",
    "one_hot",
    False,
    "Mark the k smallest numbers, each by a one-hot vector: R^ax -> {0,1}^{ax x k}.",
)
argmaxk_index = _top(
    "argmaxk_index", "index", True, "Give the indices of the k greatest numbers, greatest first."
)
argmink_index = _top(
    "argmink_index", "index", False, "Give the indices of the k smallest numbers, smallest first."
)
