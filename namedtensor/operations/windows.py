"""Windows: an axis seen through a kernel that moves along it (paper, section 4.3).

unroll_{seq,kernel}(X)_{seq(i), kernel(j)} = X_{seq(i + j)}          seq[n] -> seq[n-k+1] x kernel[k]
pool_{seq,kernel}(X)_{seq(i), kernel(j)}   = X_{seq(k i + j)}        seq[n] -> seq[n/k] x kernel[k]
overlap_add_{seq,kernel}(Y)_{seq(i)} = sum_j Y_{seq(i - j), kernel(j)}     seq[m] x kernel[k] -> seq[m+k-1]

With a stride s, a dilation d and p records of padding before, window i has X_{seq(s i + d j - p)}.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from namedtensor.axes import (
    Axis,
    axis_code,
    parse_axes,
    shown,
    size_here,
    typed_axes,
    typed_axis,
    typed_order,
)
from namedtensor.errors import (
    AxisMissingError,
    AxisNameError,
    AxisSizeError,
    KindError,
    NamedTensorError,
    flag,
    kind_of_thing,
)
from namedtensor.operations.axis_functions import Tensor, axis_function, named_operand
from namedtensor.operations.elementwise import maximum, minimum
from namedtensor.operations.index_defined import iota
from namedtensor.plans import Emitter, Lowered, Value
from namedtensor.primitives import Call, Operation, Type, combine, primitive, table
from namedtensor.primitives.notation import Word
from namedtensor.primitives.sizes import is_known
from namedtensor.primitives.traits import Acts, Traits, along_first
from namedtensor.primitives.type import KINDS, kind_of
from namedtensor.primitives.use import Use
from namedtensor.shape import shapes, sized
from namedtensor.tensor import NamedTensor, apply

#: A whole number; in a formula also a size, such as abs(seq).
Size: TypeAlias = int | NamedTensor

#: One for every axis, one for each in turn, or one for each by its axis.
Each: TypeAlias = Size | Sequence[Size] | Mapping[Any, Size]

#: What an axis gets at its ends: as much at both, a pair, or what gives ceil(n / stride) windows.
Width: TypeAlias = Size | tuple[Size, Size] | Literal["same"]
Padding: TypeAlias = Width | Sequence[Width] | Mapping[Any, Width]


def span_of(k: Any, dilation: Any) -> Any:
    """Give the length of an axis that a window spans."""
    if is_known(dilation, 1):
        return k
    return combine("add", combine("mul", combine("sub", k, 1), dilation), 1)


def count_of(n: Any, k: Any, stride: Any = 1, dilation: Any = 1) -> Any:
    """Count the windows that fit into an axis."""
    if stride is k and is_known(dilation, 1):
        return combine("floordiv", n, k)
    steps = combine("sub", n, span_of(k, dilation))
    if not is_known(stride, 1):
        steps = combine("floordiv", steps, stride)
    return combine("add", steps, 1)


def _window_rule(length: Callable[..., Any]) -> Callable[[Call], Type]:
    def rule(call: Call) -> Type:
        axis, kernel = call.params
        call.need(0, [axis])
        call.absent(0, [kernel])
        type_, size = call.types[0], call.values[1]
        new = length(call, axis, type_.size(axis), *call.values[1:])
        axes = [(a, new if a == axis else s) for a, s in type_.axes]
        return type_.with_axes((*axes, (kernel, size)))

    return rule


def _unrolled(call: Call, axis: str, n: Any, k: Any, stride: Any = 1, dilation: Any = 1) -> Any:
    span = span_of(k, dilation)
    if isinstance(n, int) and isinstance(span, int) and not 1 <= span <= n:
        wide = f"a window of {k}" + ("" if span == k else f", which reaches over {span},")
        raise call.fail(
            AxisSizeError,
            f"{wide} does not fit into axis {shown(axis)}, which is {n} in {call.labels[0]}",
            f"pad first: nt.pad[{typed_axes([axis])}]({call.labels[0]}, {span // 2}, {span // 2})",
        )
    return count_of(n, k, stride, dilation)


def _pooled(call: Call, axis: str, n: Any, k: Any) -> Any:
    if isinstance(n, int) and isinstance(k, int):
        if k < 1 or n % k:
            raise call.fail(
                AxisSizeError,
                f"axis {shown(axis)} is {n} in {call.labels[0]}, which windows of {k} do not fill",
                f"select what they fill: {call.labels[0]}[{typed_axis(axis)}[:{n - n % k if k else 0}]]",
            )
        return n // k
    part = combine("floordiv", n, k)
    call.guards.append((n, combine("mul", part, k)))
    return part


def _lower_unroll(emit: Emitter, call: Lowered, x: Value, k: Value, *steps: Value) -> Any:
    axis, kernel = call.params
    code = emit.call("windows", x, x.place(axis), k, *(steps or (1,)))
    return emit.bind(code, (*x.axes, kernel), call.type, "windows")


def _lower_pool(emit: Emitter, call: Lowered, x: Value, k: Value) -> Any:
    axis, kernel = call.params
    at = x.place(axis)
    axes = (*x.axes[: at + 1], kernel, *x.axes[at + 1 :])
    code = emit.call("reshape", x, emit.sizes_of(call.type, axes))
    return emit.bind(code, axes, call.type, "windows")


def _windows(params: tuple[str, ...]) -> Acts:
    return Acts(along=params[:1], makes=params[1:])


def _add_windows(use: Use, place: int, g: NamedTensor) -> NamedTensor:
    X, _, *steps = use.operands
    if steps:
        steps += [0, 0, X.size(sized(use.params[0], None))]
    return apply(OVERLAP_ADD(*use.params), g, *steps)


def _join_windows(use: Use, place: int, g: NamedTensor) -> NamedTensor:
    axis, kernel = use.params
    return apply(table()["merge"]((axis, kernel), axis), g)


def _unroll_again(use: Use, place: int, g: NamedTensor) -> NamedTensor:
    """Unroll a gradient; it is 0 where windows reach beyond the axis."""
    axis, kernel = use.params
    Y, *steps = use.operands
    k = Y.size(sized(kernel, None))
    if not steps:
        return apply(UNROLL(axis, kernel), g, k)
    stride, dilation, before, _, n = steps
    along = sized(axis, None)
    m = Y.size(along)
    beyond = (m - 1) * stride + (k - 1) * dilation + 1 - before - n
    seen = apply(PAD(axis), g, before, maximum(beyond, 0), 0)
    windows: NamedTensor = apply(UNROLL(axis, kernel), seen, k, stride, dilation)[along[:m]]
    return windows


UNROLL = primitive(
    "unroll",
    _window_rule(_unrolled),
    _lower_unroll,
    notation=Word("unroll", sized=True, settings=("stride", "dilation")),
    traits=Traits(linear=(0,), moves=True, uniform=True, acts=_windows),
    transpose=_add_windows,
)
POOL = primitive(
    "pool",
    _window_rule(_pooled),
    _lower_pool,
    notation=Word("pool", sized=True),
    traits=Traits(linear=(0,), moves=True, uniform=True, acts=_windows),
    transpose=_join_windows,
)


def _overlap_rule(call: Call) -> Type:
    axis, kernel = call.params
    call.need(0, [axis, kernel])
    type_ = call.types[0]
    m, k = type_.size(axis), type_.size(kernel)
    if k == 0:
        raise call.fail(
            AxisSizeError,
            f"axis {shown(kernel)} is 0 in {call.labels[0]}, and a window holds 1 or more",
            f"sum over it: nt.sum[{typed_axes([kernel])}]({call.labels[0]})",
        )
    size = combine("sub", combine("add", m, k), 1)
    if call.values[1:]:
        stride, dilation, before, after, size = call.values[1:]
        whole = combine("add", combine("add", size, before), after)
        found = count_of(whole, k, stride, dilation)
        if not isinstance(found, int) or not isinstance(m, int):
            call.guards.append((m, found))
        elif found != m:
            least = (m - 1) * stride + span_of(k, dilation) - before - after
            most = f"{least} to {least + stride - 1}" if stride > 1 else f"{least}"
            how = f"stride={stride}, padding={(before, after)}, dilation={dilation}"
            raise call.fail(
                AxisSizeError,
                f"{m} windows in steps of {stride} give {most} of axis {shown(axis)}, and not {size}",
                f"nt.overlap_add[{typed_order([axis, kernel])}]({call.labels[0]}, {how})",
            )
    rest = type_.without([kernel])
    kind = "int" if type_.kind == "bool" else type_.kind
    return rest.with_axes([(a, size if a == axis else s) for a, s in rest.axes], kind)


def _lower_overlap(emit: Emitter, call: Lowered, x: Value, *steps: Value) -> Any:
    axis, kernel = call.params
    # sums of a narrow dtype would wrap around
    code = emit.call("integer", x.code) if x.type.kind in ("bool", "int") else x.code
    code = emit.call("overlap_add", code, x.place(axis), x.place(kernel), *steps)
    return emit.bind(code, tuple([a for a in x.axes if a != kernel]), call.type, "added")


#: With a stride, a dilation, how many of the first sums are left out, and how many are wanted.
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


# ------------------------------------------------------------------------------- what users call

#: Axes, each with the axis of its windows.
Pairs: TypeAlias = tuple[tuple[Axis, Axis], ...]


def _in_pairs(name: str, example: str) -> Callable[[tuple[Axis, ...]], Pairs]:
    """Read axes, each followed by the axis of its windows."""

    def first(axes: tuple[Axis, ...]) -> Pairs:
        call = f"{name}[{', '.join(map(repr, axes))}]"
        if len(axes) % 2 or not axes:
            count = f"{len(axes)} {'is' if len(axes) == 1 else 'are'} named"
            raise AxisNameError(
                call,
                f"{name} acts on axes, each with that of its windows, and {count}",
                hint=example,
            )
        return tuple(zip(axes[::2], axes[1::2], strict=True))

    return first


@dataclass
class _Moved:
    """A call on moving windows, with its arguments spread over the axes."""

    name: str
    pairs: Pairs
    X: NamedTensor
    given: dict[str, Any]

    def __post_init__(self) -> None:
        X = self.X
        if not isinstance(X, NamedTensor) or False in [
            axis.name in X.axes for axis, _ in self.pairs
        ]:
            named_operand(self.head, X, *[axis for axis, _ in self.pairs])

    @property
    def head(self) -> str:
        axes = ", ".join(dict.fromkeys([repr(axis) for pair in self.pairs for axis in pair]))
        return f"{self.name}[{axes}]"

    def fail(
        self, error: type[NamedTensorError], why: str, hint: Any = "", **instead: Any
    ) -> NamedTensorError:
        """Make the call's error; its hint is the call with other arguments."""
        if len(self.pairs) == 1:
            parts = [
                (w, list(v.values()) if isinstance(v, dict) else [v]) for w, v in instead.items()
            ]
            instead = {word: part for word, (part,) in parts}
        hint = hint or f"nt.{self._call({**self.given, **instead})}"
        return error(self.call, why, shapes(self.X), hint)

    @property
    def call(self) -> str:
        return self._call(self.given)

    def _call(self, given: Mapping[str, Any]) -> str:
        texts = [f", {word}={_written(value)}" for word, value in given.items()]
        return f"{self.head}(X{''.join(texts)})"

    def window(self, axis: Axis, kernel: Axis) -> Any:
        """Give the size of a window: the one in brackets, or that of a formula's argument."""
        size = size_here(kernel)
        if size is None or (isinstance(size, int) and size < 1):
            why = (
                f"the window {kernel.name} has no size"
                if size is None
                else "a window holds 1 or more"
            )
            n = self.X.size(axis.name) if axis.name in self.X.axes else 3
            k = min(3, n) if isinstance(n, int) and n else 3
            raise self.fail(
                AxisSizeError,
                why,
                f"nt.{self.name}[{typed_axes([axis.name])}, {axis_code(kernel.name, k)}](X)",
            )
        return size

    def each(self, word: str, usual: Any) -> list[Any]:
        """Give one value for each axis."""
        names = [axis.name for axis, _ in self.pairs]
        given = self.given.get(word, usual)
        if isinstance(given, Mapping):
            by_name = {axis.name: part for a, part in given.items() for axis in parse_axes(a)}
            for name in by_name:
                if name not in names:
                    raise self.fail(
                        AxisMissingError,
                        f"{word} names axis {name}, and windows move along {', '.join(names)}",
                        **{word: {names[0]: by_name[name]}},
                    )
            return [by_name.get(name, usual) for name in names]
        if isinstance(given, (tuple, list)):
            if len(given) != len(names):
                raise self.fail(
                    AxisSizeError,
                    f"{word} has {len(given)} parts, and windows move along {', '.join(names)}",
                    **{word: dict.fromkeys(names, usual)},
                )
            return list(given)
        return [given] * len(names)

    def whole(self, word: str, value: Any, least: int) -> Any:
        """Check a whole number."""
        if getattr(getattr(value, "node", None), "type", None) is not None and value.node.type.host:
            return value
        if isinstance(value, (bool, NamedTensor, type)) or not (
            hasattr(value, "__index__") and getattr(value, "ndim", 0) == 0
        ):
            what = repr(value) if isinstance(value, (bool, float, str)) else kind_of_thing(value)
            raise self.fail(KindError, f"{word} is a whole number, not {what}", **{word: least})
        if value.__index__() < least:
            raise self.fail(
                AxisSizeError, f"{word} is {least} or more, not {value}", **{word: least}
            )
        return value.__index__()

    def paddings(self) -> list[Any]:
        """Give the padding of each axis; a pair is the padding before and after."""
        given = self.given.get("padding", 0)
        if isinstance(given, (tuple, list)) and not any(
            isinstance(part, (tuple, list, str)) for part in given
        ):
            if len(self.pairs) == 1 or (len(given) == 2 and given[0] == given[1]):
                return [tuple(given)] * len(self.pairs)
            names = [axis.name for axis, _ in self.pairs]
            raise self.fail(
                AxisSizeError,
                f"padding {_written(given)} may mean each axis or each end, and windows move along "
                + ", ".join(names),
                padding=dict(zip(names, (*given, 0), strict=False)),
            )
        return self.each("padding", 0)

    def width(self, padding: Any, n: Any, span: Any, stride: Any) -> tuple[Any, Any]:
        """Give what an axis gets before and after."""
        if isinstance(padding, str) and padding == "same":
            whole = (
                span - 1
                if is_known(stride, 1)
                else maximum((n - 1) // stride * stride + span - n, 0)
            )
            return whole // 2, whole - whole // 2
        if isinstance(padding, str):
            raise self.fail(KindError, f"there is no padding {padding!r}", padding="same")
        ends = tuple(padding) if isinstance(padding, (tuple, list)) else (padding, padding)
        if len(ends) != 2:
            raise self.fail(
                AxisSizeError, f"an axis has 2 ends, and padding {_written(ends)}", padding=1
            )
        before, after = [self.whole("padding", end, 0) for end in ends]
        return before, after

    def fits(self, axis: Axis, n: Any, k: Any, span: Any, fills: bool) -> None:
        """Raise AxisSizeError where a window is longer than the padded axis, or windows do not fill it."""
        if not all(isinstance(part, int) for part in (n, span)):
            return
        padded = f"axis {axis.name}, which is {n} with its padding"
        if span > n:
            wide = f"a window of {k}" + ("" if span == k else f", which reaches over {span},")
            own = self.X.size(sized(axis.name, None))
            wider = {axis.name: (span - own + 1) // 2}
            raise self.fail(AxisSizeError, f"{wide} does not fit into {padded}", padding=wider)
        if fills and n % k:
            raise self.fail(
                AxisSizeError, f"windows of {k} do not fill {padded}", stride={axis.name: k}
            )


def _reach(k: Any, dilation: Any) -> Any:
    return k if is_known(dilation, 1) else (k - 1) * dilation + 1


def _written(value: Any) -> str:
    """Write what is given as it was typed; axes by their names."""
    if isinstance(value, Mapping):
        return f"{{{', '.join([f'{_written(k)}: {_written(v)}' for k, v in value.items()])}}}"
    if isinstance(value, (tuple, list)):
        inner = ", ".join(map(_written, value))
        return f"({inner}{',' if len(value) == 1 else ''})"
    if isinstance(value, NamedTensor) and not hasattr(value, "node"):
        return "..."
    return repr(value)


def _moved(name: str, pairs: Pairs, X: NamedTensor, given: dict[str, Any]) -> NamedTensor:
    """Pad and unroll each axis; the windows of a pool do not overlap unless a stride says so."""
    pool, moved = name == "pool", _Moved(name, pairs, X, given)
    sizes = [moved.window(*pair) for pair in pairs]
    if not given:
        for (axis, kernel), k in zip(pairs, sizes, strict=True):
            X = apply((POOL if pool else UNROLL)(axis.name, kernel.name), X, k)
        return X
    dilations = [moved.whole("dilation", d, 1) for d in moved.each("dilation", 1)]
    fills = pool and "stride" not in moved.given and "dilation" not in moved.given
    strides = sizes
    if not pool or "stride" in moved.given:
        strides = [moved.whole("stride", s, 1) for s in moved.each("stride", 1)]
    value = given.get("value", 0)
    parts = zip(moved.pairs, sizes, strides, dilations, moved.paddings(), strict=True)
    for (axis, kernel), k, stride, dilation, padding in parts:
        n, span = moved.X.size(sized(axis.name, None)), _reach(k, dilation)
        if not is_known(padding, 0):
            before, after = moved.width(padding, n, span, stride)
            _check_value(lambda: moved.call, moved.X, value)
            X = apply(PAD(axis.name), X, before, after, value)
            moved.fits(axis, before + n + after, k, span, fills)
        if fills:
            X = apply(POOL(axis.name, kernel.name), X, k)
        else:
            steps = () if is_known(stride, 1) and is_known(dilation, 1) else (stride, dilation)
            X = apply(UNROLL(axis.name, kernel.name), X, k, *steps)
    return X


@axis_function(first=_in_pairs("unroll", "nt.unroll[seq, kernel[3]](X)"))
def unroll(
    pairs: Pairs,
    X: NamedTensor,
    *,
    stride: Each = 1,
    padding: Padding = 0,
    dilation: Each = 1,
    value: Tensor = 0,
) -> NamedTensor:
    """See axes through sliding windows.

        unroll_{ax,kernel} : R^ax[n] -> R^{ax[m] x kernel[k]};
        unroll(X)_{ax(i), kernel(j)} = X_{ax(s i + d j - p)}, counting from 0, for stride s,
        dilation d and p records of padding before, which hold the value;
        m = floor((p + n + q - d (k - 1) - 1) / s) + 1 for q records after

    Several axes are given each with its window: nt.unroll[(height, kh[3]), (width, kw[3])](X).
    Strides, dilations and paddings are one for all, or by axis: stride={height: 2}. A padding is a
    number for both ends, a pair, or "same": ceil(n / s) windows, the odd record after. A window that
    an argument of the formula has needs no size. Without padding the result is a view where the
    library has one.

    Source: paper, section 4.3. Departs: strides, dilations and paddings are ours.
    Raises: AxisSizeError, AxisMissingError, AxisClashError, AxisNameError, KindError.

    >>> import namedtensor as nt
    >>> nt.unroll["seq, kernel[2]"](nt.tensor([1, 2, 3], "seq"))
    NamedTensor(seq[2] x kernel[2], int64)
           kernel
           0  1
    seq 0  1  2
        1  2  3
    >>> nt.unroll["seq, kernel[3]"](nt.tensor([1, 2, 3, 4], "seq"), stride=2, padding=1)
    NamedTensor(seq[2] x kernel[3], int64)
           kernel
           0  1  2
    seq 0  0  1  2
        1  2  3  4
    """
    given = {"stride": stride, "padding": padding, "dilation": dilation, "value": value}
    return _moved("unroll", pairs, X, _but(given, _USUAL))


@axis_function(first=_in_pairs("pool", "nt.pool[seq, kernel[3]](X)"))
def pool(
    pairs: Pairs,
    X: NamedTensor,
    *,
    stride: Each | None = None,
    padding: Padding = 0,
    dilation: Each = 1,
    value: Tensor = 0,
) -> NamedTensor:
    """Cut axes into windows side by side, which fill them.

        pool_{ax,kernel} : R^ax[n] -> R^{ax[n/k] x kernel[k]};
        pool(X)_{ax(i), kernel(j)} = X_{ax(k i + j)}, counting from 0

    With a stride or a dilation it is unroll, whose windows need not fill the axis; the stride is the
    window's size unless given. Several axes and paddings are as in unroll: the greatest number of
    each window of X padded with -inf is max pooling.

    Source: paper, section 4.3. Departs: strides, dilations and paddings are ours.
    Raises: AxisSizeError, AxisMissingError, AxisClashError, AxisNameError, KindError.

    >>> import namedtensor as nt
    >>> nt.max["kernel"](nt.pool["seq, kernel[2]"](nt.tensor([1, 5, 2, 3], "seq")))
    NamedTensor(seq[2], int64)
    seq  0  1
         5  3
    """
    given = {"stride": stride, "padding": padding, "dilation": dilation, "value": value}
    return _moved("pool", pairs, X, _but(given, {**_USUAL, "stride": None}))


_USUAL = {"stride": 1, "padding": 0, "dilation": 1, "value": 0}


def _but(given: dict[str, Any], usual: Mapping[str, Any]) -> dict[str, Any]:
    """Keep the arguments that differ from the defaults, to write them in an error."""
    return {word: part for word, part in given.items() if part is not usual[word]}


@axis_function(first=_in_pairs("overlap_add", "nt.overlap_add[seq, kernel](X)"))
def overlap_add(
    pairs: Pairs,
    X: NamedTensor,
    *,
    stride: Each = 1,
    padding: Padding = 0,
    dilation: Each = 1,
    size: Each | None = None,
) -> NamedTensor:
    """Add up windows where they overlap: the transpose of unroll.

        overlap_add_{ax,kernel} : R^{ax[m] x kernel[k]} -> R^ax[n], n = s (m - 1) + d (k - 1) + 1 - p - q;
        overlap_add(Y)_{ax(i)} = sum_j Y_{ax((i + p - d j) / s), kernel(j)}, over each j that has one

    for a stride s, a dilation d, and p records left out before and q after, as unroll pads them.
    "same" leaves s m. A size n of the result may be given, less than a stride beyond that.

    Raises: AxisMissingError, AxisSizeError, AxisNameError, KindError.

    >>> import namedtensor as nt
    >>> nt.overlap_add["seq", "kernel"](nt.tensor([[1, 2], [10, 20]], "seq kernel"))
    NamedTensor(seq[3], int64)
    seq  0   1   2
         1  12  20
    >>> nt.overlap_add["seq", "kernel"](nt.tensor([[1, 2], [10, 20]], "seq kernel"), stride=2)
    NamedTensor(seq[4], int64)
    seq  0  1   2   3
         1  2  10  20
    """
    given = {"stride": stride, "padding": padding, "dilation": dilation, "size": size}
    moved = _Moved("overlap_add", pairs, X, _but(given, {**_USUAL, "size": None}))
    if not moved.given:
        for axis, kernel in pairs:
            X = apply(OVERLAP_ADD(axis.name, kernel.name), X)
        return X
    strides, dilations = [
        [moved.whole(word, part, 1) for part in moved.each(word, 1)]
        for word in ("stride", "dilation")
    ]
    wanted = moved.each("size", None)
    steps = zip(pairs, strides, dilations, moved.paddings(), wanted, strict=True)
    for (axis, kernel), s, d, ends, n in steps:
        m, k = [moved.X.size(sized(a.name, None)) for a in (axis, kernel)]
        span = _reach(k, d)
        if n is None and isinstance(ends, str):
            n = s * m
        before, after = moved.width(ends, n, span, s)
        least = (m - 1) * s + span - before - after
        n = least if n is None else moved.whole("size", n, 0)
        X = apply(OVERLAP_ADD(axis.name, kernel.name), X, s, d, before, after, n)
    return X


# ------------------------------------------------------------------------------------ upsampling


def _upsampled_rule(call: Call) -> Type:
    along, linear = call.params
    call.need(0, along)
    type_, factor = call.types[0], call.values[1]
    if linear:
        call.kind(0, ("float",), f"nt.cast({call.labels[0]}, float) first")
    whole = call.types[1].host and call.types[1].kind == "int"
    if not whole or (isinstance(factor, int) and factor < 1):
        raise call.fail(
            KindError if not whole else AxisSizeError,
            f"a factor is a whole number, 1 or more, not {call.labels[1]}",
            f"nt.upsample[{', '.join(map(shown, along))}]({call.labels[0]}, 2)",
        )
    return type_.with_axes(
        [(a, combine("mul", n, factor) if a in along else n) for a, n in type_.axes]
    )


def _lower_upsample(emit: Emitter, call: Lowered, x: Value, factor: Value) -> Any:
    along, linear = call.params
    code = emit.call("upsample", x, x.places([a for a in x.axes if a in along]), factor, linear)
    return emit.bind(code, x.axes, call.type, "upsampled")


def _downsampled(use: Use, place: int, g: NamedTensor) -> NamedTensor:
    """Sum, axis by axis, the gradients of all records that each record of X contributed to."""
    along, linear = use.params
    X, factor = use.operands
    parts, taps = Axis("part"), Axis("tap")
    while parts.name in g.axes or taps.name in g.axes:
        parts, taps = parts.prime, taps.prime
    for name in along:
        axis = sized(name, None)
        n = X.size(axis)
        g = apply(POOL(name, parts.name), g, factor)
        if not linear:
            g = apply(table()["sum"]((parts.name,)), g)
            continue
        # a record gives to its own part and to both beside it; at the ends those are its own too
        distance = (iota(parts[factor]) + 0.5) / factor + 0.5 - iota(taps[3])
        g = maximum(1.0 - abs(distance), 0.0) @ parts @ g
        g = apply(OVERLAP_ADD(name, taps.name), g)
        others = maximum(n - 1, 0)
        first, last = [
            apply(PAD(name), g[part], *ends, 0)[axis[:n]]
            for part, ends in ((axis[:1], (0, others)), (axis[n + 1 :], (others, 0)))
        ]
        g = g[axis[1 : n + 1]] + first + last
    return g


UPSAMPLE = primitive(
    "upsample",
    _upsampled_rule,
    _lower_upsample,
    notation=Word("upsample", otherwise="upsample-linear", flag="linear"),
    traits=Traits(linear=(0,), uniform=True, fresh=True, acts=along_first),
    transpose=_downsampled,
)


@axis_function
def upsample(
    axes: tuple[Axis, ...], X: NamedTensor, factor: Each, linear: bool = False
) -> NamedTensor:
    """Lengthen axes, each record being repeated, or new ones lying between it and the next.

        upsample_ax : R^ax[n] -> R^ax[s n];  upsample(X, s)_{ax(i)} = X_{ax(floor(i / s))}

    Linear, it is X at (i + 1/2) / s - 1/2 on the straight lines between its records, which go on as
    the first and the last: torch's interpolation without aligned corners. Several axes are lengthened
    at once, all by one factor, or each by its own: nt.upsample[height, width](X, {height: 2}).

    Raises: AxisMissingError, AxisSizeError, KindError.

    >>> import namedtensor as nt
    >>> nt.upsample["seq"](nt.tensor([1.0, 3.0], "seq"), 2).numpy()
    array([1., 1., 3., 3.])
    >>> nt.upsample["seq"](nt.tensor([1.0, 3.0], "seq"), 2, linear=True).numpy()
    array([1. , 1.5, 2.5, 3. ])
    """
    moved = _Moved("upsample", tuple([(axis, axis) for axis in axes]), X, {"factor": factor})
    flag(f"{moved.head}(X, ...)", "linear", linear)
    factors = [moved.whole("factor", part, 1) for part in moved.each("factor", 1)]
    for one in dict.fromkeys(factors):
        along = [a.name for a, s in zip(axes, factors, strict=True) if s is one or s == one]
        X = apply(UPSAMPLE(tuple(along), linear), X, one)
    return X


# --------------------------------------------------------------------------------------- padding


def _pad_rule(call: Call) -> Type:
    (axis,) = call.params
    call.need(0, [axis])
    type_ = call.types[0]
    for width in call.types[1:3]:
        if not width.host or width.kind != "int":
            raise call.fail(
                KindError, "a width is a whole number", f"nt.pad[{typed_axes([axis])}](X, 1, 1)"
            )
    before, after = call.values[1:3]
    size = combine("add", combine("add", type_.size(axis), before), after)
    return type_.with_axes([(a, size if a == axis else s) for a, s in type_.axes])


def _lower_pad(
    emit: Emitter, call: Lowered, x: Value, before: Value, after: Value, value: Value
) -> Any:
    place = x.place(call.params[0])
    value = emit.fitting(value, (x,))
    if x.type.kind == value.type.kind == "int" and not value.type.host:
        value = emit.named(value)
        x = replace(x, code=emit.call("widened", x, value))
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
    if isinstance(X, NamedTensor):

        def call() -> str:
            return f"pad[{shown(axis)}](X, {before!r}, {after!r}, {value!r})"

        for width in (before, after):
            if isinstance(width, int) and width < 0:
                hint = f"select: X[{typed_axis(axis)}[1:]]"
                raise AxisSizeError(call(), "a negative width would cut", shapes(X), hint)
        _check_value(call, X, value)
    return apply(op, X, before, after, value)


def _check_value(call: Callable[[], str], X: NamedTensor, value: Tensor) -> None:
    """Refuse what torch would do silently: round the value to X's kind of numbers."""
    number = isinstance(value, (bool, int, float, complex))
    if number and value != 0 and KINDS.index(kind_of(value)) > KINDS.index(X.kind):
        raise KindError(
            call(),
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
