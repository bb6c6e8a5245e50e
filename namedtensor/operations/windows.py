"""Windows: an axis seen through a kernel that moves along it (paper, section 4.3).

unroll_{seq,kernel}(X)_{seq(i), kernel(j)} = X_{seq(i + j)}          seq[n] -> seq[n-k+1] x kernel[k]
pool_{seq,kernel}(X)_{seq(i), kernel(j)}   = X_{seq(k i + j)}        seq[n] -> seq[n/k] x kernel[k]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from namedtensor.axes import Axis, shown
from namedtensor.errors import AxisSizeError, KindError
from namedtensor.operations.axis_functions import AxisFunction, wants
from namedtensor.primitives import Call, Type, combine, primitive
from namedtensor.primitives.notation import Word
from namedtensor.primitives.type import KINDS, kind_of
from namedtensor.shape import spaced
from namedtensor.tensor import NamedTensor, apply


def _window_rule(length: Callable[[Call, str, Any, Any], Any]) -> Callable[[Call], Type]:
    def rule(call: Call) -> Type:
        axis, kernel = call.params
        call.need(0, [axis])
        call.absent(0, [kernel])
        type_, size = call.types[0], call.values[1]
        new = length(call, axis, type_.size(axis), size)
        axes = [(a, new if a == axis else s) for a, s in type_.axes]
        return type_.with_axes((*axes, (kernel, size)))

    return rule


def _unrolled(call: Call, axis: str, n: Any, k: Any) -> Any:
    if isinstance(n, int) and isinstance(k, int) and not 1 <= k <= n:
        raise call.fail(
            AxisSizeError,
            f"a window of {k} does not fit into axis {shown(axis)}, which is {n} in {call.labels[0]}",
            f"pad first: nt.pad[{shown(axis)}]({call.labels[0]}, {k // 2}, {k // 2})",
        )
    return combine("add", combine("sub", n, k), 1)


def _pooled(call: Call, axis: str, n: Any, k: Any) -> Any:
    if isinstance(n, int) and isinstance(k, int):
        if k < 1 or n % k:
            raise call.fail(
                AxisSizeError,
                f"axis {shown(axis)} is {n} in {call.labels[0]}, which windows of {k} do not fill",
                f"select what they fill: {call.labels[0]}[{shown(axis)}[:{n - n % k if k else 0}]]",
            )
        return n // k
    part = combine("floordiv", n, k)
    call.guards.append((n, combine("mul", part, k)))
    return part


def _lower_unroll(emit: Any, call: Any, x: Any, k: Any) -> Any:
    axis, kernel = call.params
    code = emit.call("windows", x.code, x.place(axis), k.code, 1)
    return emit.bind(code, (*x.axes, kernel), call.type, "windows")


def _lower_pool(emit: Any, call: Any, x: Any, k: Any) -> Any:
    axis, kernel = call.params
    at = x.place(axis)
    axes = (*x.axes[: at + 1], kernel, *x.axes[at + 1 :])
    code = emit.call("reshape", x.code, emit.sizes_of(call.type, axes))
    return emit.bind(code, axes, call.type, "windows")


UNROLL = primitive(
    "unroll", _window_rule(_unrolled), _lower_unroll, notation=Word("unroll", sized=True)
)
POOL = primitive("pool", _window_rule(_pooled), _lower_pool, notation=Word("pool", sized=True))


def _bind(name: str, entry: Any) -> Callable[..., Any]:
    def bind(axes: tuple[Axis, ...]) -> Callable[..., Any]:
        wants(name, axes, 2, f"nt.{name}[seq, kernel[3]](X)")
        axis, kernel = axes
        if kernel.size is None:
            raise AxisSizeError(
                f"{name}[{axis!r}, {kernel!r}]",
                f"the window {kernel.name} has no size",
                hint=f"nt.{name}[{axis.name}, {kernel.name}[3]](X)",
            )
        if isinstance(kernel.size, int) and kernel.size < 1:
            raise AxisSizeError(
                f"{name}[{axis!r}, {kernel!r}]",
                "a window holds 1 or more",
                hint=f"nt.{name}[{axis.name}, {kernel.name}[3]](X)",
            )
        operation = entry(axis.name, kernel.name)
        return lambda X: apply(operation, X, kernel.size)

    return bind


unroll = AxisFunction(
    "unroll",
    _bind("unroll", UNROLL),
    "See an axis through a sliding window: seq[n] -> seq[n-k+1] x kernel[k].\n\n"
    "    unroll(X)_{seq(i), kernel(j)} = X_{seq(i + j)}, counting from 0",
)
pool = AxisFunction(
    "pool",
    _bind("pool", POOL),
    "Cut an axis into windows side by side: seq[n] -> seq[n/k] x kernel[k].\n\n"
    "    pool(X)_{seq(i), kernel(j)} = X_{seq(k i + j)}, counting from 0",
)


# --------------------------------------------------------------------------------------- padding


def _pad_rule(call: Call) -> Type:
    (axis,) = call.params
    call.need(0, [axis])
    type_ = call.types[0]
    for width in call.types[1:3]:
        if not width.host or width.kind != "int":
            raise call.fail(
                KindError, "a width is a whole number", f"nt.pad[{shown(axis)}](X, 1, 1)"
            )
    before, after = call.values[1:3]
    size = combine("add", combine("add", type_.size(axis), before), after)
    return type_.with_axes([(a, size if a == axis else s) for a, s in type_.axes])


def _lower_pad(emit: Any, call: Any, x: Any, before: Any, after: Any, value: Any) -> Any:
    place = x.place(call.params[0])
    code = emit.call("pad", x.code, place, before.code, after.code, value.code)
    return emit.bind(code, x.axes, call.type, "padded")


PAD = primitive("pad", _pad_rule, _lower_pad, notation=Word("pad"))


def _bind_pad(axes: tuple[Axis, ...]) -> Callable[..., Any]:
    wants("pad", axes, 1, "nt.pad[seq](X, 1, 1)")
    operation = PAD(axes[0].name)

    def pad(X: Any, before: Any, after: Any, value: Any = 0) -> Any:
        _check_padding(axes[0].name, X, before, after, value)
        return apply(operation, X, before, after, value)

    return pad


def _check_padding(axis: str, X: Any, before: Any, after: Any, value: Any) -> None:
    """Refuse what torch would do silently: cut, or round the value to X's kind of numbers."""
    if not isinstance(X, NamedTensor):
        return
    call = f"pad[{axis}](X, {before!r}, {after!r}, {value!r})"
    shapes = [("X", spaced(X.sizes))]
    if any(isinstance(w, int) and w < 0 for w in (before, after)):
        raise AxisSizeError(call, "a negative width would cut", shapes, f"select: X[{axis}[1:]]")
    number = isinstance(value, (bool, int, float, complex))
    if number and value != 0 and KINDS.index(kind_of(value)) > KINDS.index(X.kind):
        raise KindError(
            call,
            f"X holds {X.kind} numbers, which cannot hold {value!r}",
            shapes,
            f"nt.cast(X, {kind_of(value)}) first",
        )


pad = AxisFunction("pad", _bind_pad, "Lengthen an axis by so many equal numbers before and after.")
