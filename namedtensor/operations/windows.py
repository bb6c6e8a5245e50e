"""Windows: an axis seen through a kernel that moves along it (paper, section 4.3).

unroll_{seq,kernel}(X)_{seq(i), kernel(j)} = X_{seq(i + j)}          seq[n] -> seq[n-k+1] x kernel[k]
pool_{seq,kernel}(X)_{seq(i), kernel(j)}   = X_{seq(k i + j)}        seq[n] -> seq[n/k] x kernel[k]
overlap_add_{seq,kernel}(Y)_{seq(i)} = sum_j Y_{seq(i - j), kernel(j)}     seq[m] x kernel[k] -> seq[m+k-1]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

from namedtensor.axes import Axis, shown
from namedtensor.errors import AxisSizeError, KindError, kind_of_thing
from namedtensor.operations.axis_functions import Tensor, axis_function, named_operand
from namedtensor.operations.elementwise import maximum, minimum
from namedtensor.operations.index_defined import iota
from namedtensor.primitives import Call, Operation, Primitive, Type, combine, primitive, table
from namedtensor.primitives.notation import Word
from namedtensor.primitives.traits import Acts, Traits, Use
from namedtensor.primitives.type import KINDS, kind_of
from namedtensor.shape import shapes, sized
from namedtensor.tensor import NamedTensor, apply

#: A whole number; in a formula also a size, such as abs(seq).
Size: TypeAlias = int | NamedTensor


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
    code = emit.call("windows", x, x.place(axis), k, 1)
    return emit.bind(code, (*x.axes, kernel), call.type, "windows")


def _lower_pool(emit: Any, call: Any, x: Any, k: Any) -> Any:
    axis, kernel = call.params
    at = x.place(axis)
    axes = (*x.axes[: at + 1], kernel, *x.axes[at + 1 :])
    code = emit.call("reshape", x, emit.sizes_of(call.type, axes))
    return emit.bind(code, axes, call.type, "windows")


def _windows(params: tuple[str, ...]) -> Acts:
    return Acts(along=params[:1], makes=params[1:])


def _add_windows(use: Use, place: int, g: NamedTensor) -> NamedTensor:
    return apply(OVERLAP_ADD(*use.params), g)


def _join_windows(use: Use, place: int, g: NamedTensor) -> NamedTensor:
    axis, kernel = use.params
    return apply(table()["merge"]((axis, kernel), axis), g)


def _unroll_again(use: Use, place: int, g: NamedTensor) -> NamedTensor:
    axis, kernel = use.params
    (Y,) = use.operands
    return apply(UNROLL(axis, kernel), g, Y.size(sized(kernel, None)))


UNROLL = primitive(
    "unroll",
    _window_rule(_unrolled),
    _lower_unroll,
    notation=Word("unroll", sized=True),
    traits=Traits(linear=(0,), uniform=True, acts=_windows),
    transpose=_add_windows,
)
POOL = primitive(
    "pool",
    _window_rule(_pooled),
    _lower_pool,
    notation=Word("pool", sized=True),
    traits=Traits(linear=(0,), uniform=True, acts=_windows),
    transpose=_join_windows,
)


def _of_window(entry: Primitive) -> Callable[[tuple[Axis, ...]], tuple[Operation, int]]:
    """Check the size of the window; give the operation and that size."""
    name = entry.name

    def first(axes: tuple[Axis, ...]) -> tuple[Operation, int]:
        axis, kernel = axes
        size: Any = kernel.size
        if size is None or (isinstance(size, int) and size < 1):
            raise AxisSizeError(
                f"{name}[{axis!r}, {kernel!r}]",
                f"the window {kernel.name} has no size"
                if size is None
                else "a window holds 1 or more",
                hint=f"nt.{name}[{axis.name}, {kernel.name}[3]](X)",
            )
        return entry(axis.name, kernel.name), size

    return first


@axis_function(first=_of_window(UNROLL), example="nt.unroll[seq, kernel[3]](X)")
def unroll(window: tuple[Operation, int], X: NamedTensor) -> NamedTensor:
    """See an axis through a sliding window.

        unroll_{ax,kernel} : R^ax[n] -> R^{ax[n-k+1] x kernel[k]};
        unroll(X)_{ax(i), kernel(j)} = X_{ax(i + j)}, counting from 0

    The result is a view where the library has one: windows share their numbers.

    Source: paper, section 4.3. Raises: AxisSizeError, AxisMissingError, AxisClashError.

    >>> import namedtensor as nt
    >>> nt.unroll["seq, kernel[2]"](nt.tensor([1, 2, 3], "seq"))
    NamedTensor(seq[2] x kernel[2], int64)
           kernel
           0  1
    seq 0  1  2
        1  2  3
    """
    return apply(window[0], X, window[1])


@axis_function(first=_of_window(POOL), example="nt.pool[seq, kernel[3]](X)")
def pool(window: tuple[Operation, int], X: NamedTensor) -> NamedTensor:
    """Cut an axis into windows side by side, which fill it.

        pool_{ax,kernel} : R^ax[n] -> R^{ax[n/k] x kernel[k]};
        pool(X)_{ax(i), kernel(j)} = X_{ax(k i + j)}, counting from 0

    Source: paper, section 4.3. Raises: AxisSizeError, AxisMissingError, AxisClashError.

    >>> import namedtensor as nt
    >>> nt.max["kernel"](nt.pool["seq, kernel[2]"](nt.tensor([1, 5, 2, 3], "seq")))
    NamedTensor(seq[2], int64)
    seq  0  1
         5  3
    """
    return apply(window[0], X, window[1])


def _overlap_rule(call: Call) -> Type:
    axis, kernel = call.params
    call.need(0, [axis, kernel])
    type_ = call.types[0]
    m, k = type_.size(axis), type_.size(kernel)
    if k == 0:
        raise call.fail(
            AxisSizeError,
            f"axis {shown(kernel)} is 0 in {call.labels[0]}, and a window holds 1 or more",
            f"sum over it: nt.sum[{shown(kernel)}]({call.labels[0]})",
        )
    size = combine("sub", combine("add", m, k), 1)
    rest = type_.without([kernel])
    kind = "int" if type_.kind == "bool" else type_.kind
    return rest.with_axes([(a, size if a == axis else s) for a, s in rest.axes], kind)


def _lower_overlap(emit: Any, call: Any, x: Any) -> Any:
    axis, kernel = call.params
    code = x.code if x.type.kind != "bool" else emit.call("integer", x.code)
    code = emit.call("overlap_add", code, x.place(axis), x.place(kernel))
    return emit.bind(code, tuple([a for a in x.axes if a != kernel]), call.type, "added")


OVERLAP_ADD = primitive(
    "overlap_add",
    _overlap_rule,
    _lower_overlap,
    notation=Word("overlapadd"),
    traits=Traits(
        linear=(0,),
        uniform=True,
        fresh=True,
        acts=lambda params: Acts(along=params[:1], uses=params[1:]),
    ),
    transpose=_unroll_again,
)


@axis_function(
    first=lambda axes: OVERLAP_ADD(axes[0].name, axes[1].name),
    example="nt.overlap_add[seq, kernel](X)",
)
def overlap_add(op: Operation, X: NamedTensor) -> NamedTensor:
    """Add up windows where they overlap: the transpose of unroll, and what undoes it in sums.

        overlap_add_{ax,kernel} : R^{ax[m] x kernel[k]} -> R^ax[m+k-1];
        overlap_add(Y)_{ax(i)} = sum_j Y_{ax(i - j), kernel(j)}, over each j that has an i - j

    Raises: AxisMissingError, AxisSizeError.

    >>> import namedtensor as nt
    >>> nt.overlap_add["seq", "kernel"](nt.tensor([[1, 2], [10, 20]], "seq kernel"))
    NamedTensor(seq[3], int64)
    seq  0   1   2
         1  12  20
    """
    return apply(op, X)


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
    code = emit.call("pad", x, place, before, after, value)
    return emit.bind(code, x.axes, call.type, "padded")


def _unpadded(use: Use, place: int, g: NamedTensor) -> Any:
    """Select X's part; the value has what is left."""
    X, before, _, _ = use.operands
    axis = sized(use.params[0], None)
    part = g[axis[before : before + X.size(axis)]]
    if place == 0:
        return part
    every = table()["sum"](X.axes)
    return apply(every, g) - apply(every, part)


PAD = primitive(
    "pad",
    _pad_rule,
    _lower_pad,
    notation=Word("pad"),
    traits=Traits(
        linear=(0, 3),
        jointly=True,
        uniform=True,
        fresh=True,
        acts=lambda params: Acts(along=params),
    ),
    transpose=_unpadded,
)

Mode: TypeAlias = Literal["constant", "edge", "reflect", "symmetric", "wrap"]


@axis_function(first=lambda axes: PAD(axes[0].name), example="nt.pad[seq](X, 1, 1)")
def pad(
    op: Operation,
    X: NamedTensor,
    before: Size,
    after: Size,
    value: Tensor = 0,
    mode: Mode = "constant",
) -> NamedTensor:
    """Lengthen an axis before and after, by one number or by its own numbers.

        pad_ax : R^ax[n] -> R^ax[before+n+after];
        pad(X, before, after, v)_{ax(i)} = X_{ax(i - before)} if 0 <= i - before < n else v

    With a mode there is a number of X at each index: "edge" repeats the first and the last, "wrap"
    starts again at the other end, "reflect" turns at the first and the last, "symmetric" turns
    between two copies of them.

    Raises: AxisMissingError, AxisSizeError, KindError.

    >>> import namedtensor as nt
    >>> nt.pad["seq"](nt.tensor([1, 2, 3], "seq"), 1, 2)
    NamedTensor(seq[6], int64)
    seq  0  1  2  3  4  5
         0  1  2  3  0  0
    >>> nt.pad["seq"](nt.tensor([1, 2, 3], "seq"), 1, 2, mode="reflect")
    NamedTensor(seq[6], int64)
    seq  0  1  2  3  4  5
         2  1  2  3  2  1
    """
    axis: str = op.params[0]
    if mode != "constant":
        return _pad_by_itself(sized(axis, None), X, before, after, value, mode)
    _check_padding(axis, X, before, after, value)
    return apply(op, X, before, after, value)


def _check_padding(axis: str, X: Tensor, before: Size, after: Size, value: Tensor) -> None:
    """Refuse what torch would do silently: cut, or round the value to X's kind of numbers."""
    if not isinstance(X, NamedTensor):
        return
    call = f"pad[{shown(axis)}](X, {before!r}, {after!r}, {value!r})"
    if any(isinstance(w, int) and w < 0 for w in (before, after)):
        hint = f"select: X[{shown(axis)}[1:]]"
        raise AxisSizeError(call, "a negative width would cut", shapes(X), hint)
    number = isinstance(value, (bool, int, float, complex))
    if number and value != 0 and KINDS.index(kind_of(value)) > KINDS.index(X.kind):
        raise KindError(
            call,
            f"X holds {X.kind} numbers, which cannot hold {value!r}",
            shapes(X),
            f"nt.cast(X, {kind_of(value)}) first",
        )


#: Which of n numbers stands at an index i that may lie outside.
_INSIDE: dict[str, Callable[[Any, Any], Any]] = {
    "edge": lambda i, n: minimum(maximum(i, 0), n - 1),
    "wrap": lambda i, n: i % n,
    "reflect": lambda i, n: n - 1 - abs(n - 1 - i % maximum(2 * n - 2, 1)),
    "symmetric": lambda i, n: minimum(i % (2 * n), 2 * n - 1 - i % (2 * n)),
}


def _pad_by_itself(
    axis: Axis, X: NamedTensor, before: Size, after: Size, value: Tensor, mode: str
) -> NamedTensor:
    """Index X where its own numbers are repeated."""
    call = f"pad[{axis}](X, {before!r}, {after!r}, mode={mode!r})"
    n = named_operand(f"pad[{axis}]", X, axis).size(axis)
    if mode not in _INSIDE:
        raise KindError(
            call,
            f"there is no mode {mode!r}",
            shapes(X),
            f"a mode is one of {', '.join(map(repr, ('constant', *_INSIDE)))}",
        )
    if value != 0:
        raise KindError(
            call,
            "with this mode the numbers are X's own, and a value is given",
            shapes(X),
            f"leave the value out: nt.pad[{axis}](X, {before!r}, {after!r}, mode={mode!r})",
        )
    for width in (before, after):
        if not hasattr(width, "__index__") and not isinstance(width, NamedTensor):
            raise KindError(
                call,
                f"a width is a whole number, not {kind_of_thing(width)}",
                shapes(X),
                f"nt.pad[{axis}](X, 1, 1, mode={mode!r})",
            )
        if isinstance(width, int) and width < 0:
            raise AxisSizeError(
                call, "a negative width would cut", shapes(X), f"select: X[{axis}[1:]]"
            )
    if isinstance(n, int) and n == 0:
        raise AxisSizeError(
            call,
            f"axis {axis} is empty in X, so there is no number to repeat",
            shapes(X),
            f"pad by a number: nt.pad[{axis}](X, {before!r}, {after!r})",
        )
    longer: Any = before + n + after
    padded: NamedTensor = X[axis(_INSIDE[mode](iota(axis[longer]) - before, n))]
    return padded
