"""Reductions use up the axes they are given (paper, section 3.3).

Each is the lift of a function R^ax -> R: axes not named pass through.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from namedtensor.axes import BOUND, shown, typed_axes
from namedtensor.errors import AxisSizeError
from namedtensor.operations.axis_functions import AxisFunction, Tensor, axis_function
from namedtensor.operations.elementwise import abs, isnan, maximum, over_length, where
from namedtensor.plans import Emitter, Lowered, Value
from namedtensor.primitives import Call, Node, Operation, Primitive, Type, primitive, table
from namedtensor.primitives.notation import Command, Large, Notation, Special, Word
from namedtensor.primitives.primitive import BoundsRule
from namedtensor.primitives.sizes import product
from namedtensor.primitives.traits import Bounds, Cost, Traits, uses_first
from namedtensor.primitives.type import widest
from namedtensor.primitives.use import Use
from namedtensor.shape import sized
from namedtensor.tensor import NamedTensor, apply

Kind = Callable[[str], str]


def _same(kind: str) -> str:
    return kind


def _counting(kind: str) -> str:
    return widest((kind, "int"))


def _floating(kind: str) -> str:
    return widest((kind, "float"))


def _length(kind: str) -> str:
    """Give the kind of a distance: real, of complex numbers too."""
    return "float"


def needs_a_record(call: Call, axes: tuple[str, ...]) -> None:
    """Raise AxisSizeError where an axis has size 0 and a record is to be chosen from it."""
    for axis in axes:
        if call.types[0].size(axis) == 0:
            raise call.fail(
                AxisSizeError,
                f"axis {shown(axis)} has size 0 in {call.labels[0]}, and {call.operation.name} "
                "needs at least one element",
                f"check the size first: {call.labels[0]}.size({typed_axes([axis])}) > 0",
            )


def reduction_rule(kind: Kind, chooses: bool) -> Callable[[Call], Type]:
    """Remove the named axes; with `chooses`, numbers must be ordered and the axes not empty."""

    def rule(call: Call) -> Type:
        (axes,) = call.params
        type_ = call.types[0]
        call.need(0, axes)
        if chooses:
            call.real(0)
            needs_a_record(call, axes)
        return type_.without(axes).of_kind(kind(type_.kind))

    return rule


def lower_reduction(word: str, floating: bool) -> Callable[..., Any]:
    def lower(emit: Emitter, call: Lowered, x: Value) -> Any:
        (axes,) = call.params
        rest = tuple([a for a in x.axes if a not in axes])
        code = x.code
        if floating and x.type.kind in ("bool", "int"):
            code = emit.floating(code)
        if not axes and x.type.kind == "bool" and call.type.kind == "int":
            return emit.bind(emit.call("integer", code), rest, call.type, word)
        traits = call.node.operation.primitive.traits
        if not axes and (traits.folds or traits.idempotent):
            return emit.bind(code, rest, call.type, word)  # a record alone is its own sum
        places = x.places(axes) if axes else (0,)
        code = code if axes else emit.call("unsqueeze", code, 0)
        return emit.bind(emit.call(word, code, places), rest, call.type, word)

    return lower


def _reduction(
    name: str,
    kind: Kind,
    notation: Notation | None = None,
    *,
    word: str = "",
    chooses: bool = False,
    rule: Callable[[Call], Type] | None = None,
    lower: Callable[..., Any] | None = None,
    differential: Callable[..., Any] | None = None,
    transpose: Callable[..., Any] | None = None,
    stepped: bool = False,
    folds: str = "",
    bounds: BoundsRule | None = None,
    **traits: Any,
) -> Primitive:
    """Add a reduction to the table; its positional call has its name unless told."""
    pair = table()[folds].traits if folds else Traits(**traits)
    return primitive(
        name,
        rule or reduction_rule(kind, chooses),
        lower or lower_reduction(word or name, kind in (_floating, _length)),
        notation=notation or Word(name.replace("_", "-")),
        differential=differential,
        transpose=transpose,
        cost=each_record_once,
        bounds=bounds,
        traits=Traits(
            linear=(0,) if transpose else (),
            jointly=transpose is not None,
            stepped=stepped,
            uniform=True,
            folds=folds,
            of_list=pair.of_list,
            neutral=pair.neutral,
            idempotent=pair.idempotent,
            acts=uses_first,
        ),
    )


def each_record_once(node: Node) -> Cost:
    """Say that each record of the operand is read and computed with once."""
    records = records_of(node.operands[0].type)
    return Cost(others=records, read=records, written=records_of(node.type))


def records_of(type_: Type) -> Any:
    """Count the records of a type."""
    return product([size for _, size in type_.axes])


# ------------------------------------------------------------------------------------- derivatives
# the share of an operand is repeated along the axes that are used up: a transpose need not say so


def size_in(use: Use, axis: str) -> Any:
    """Give the size of an axis of the first operand."""
    return use.operands[0].size(sized(axis, None))


def each(function: AxisFunction[Any, Any], use: Use) -> Any:
    """Bind a function to the axes that a use names."""
    return function[tuple([sized(a, None) for a in use.params[0]])]


def _records(use: Use) -> Any:
    """Count the records that are used up."""
    found: Any = 1
    for axis in use.params[0]:
        found = found * size_in(use, axis)
    return found


def _share_of_extreme(use: Use, place: int, d: NamedTensor) -> Any:
    """Give each of several equal extremes an even share."""
    chosen = where(use.operands[0] == use.result, 1.0, 0.0)
    return each(sum, use)(chosen * d) / each(sum, use)(chosen)


def _change_of_prod(use: Use, place: int, d: NamedTensor) -> Any:
    """Multiply all factors but one, for each in turn, so that factors of 0 are allowed."""
    (x,) = use.operands
    zeros = each(sum, use)(where(x == 0, 1, 0))
    others = each(prod, use)(where(x == 0, 1.0, x))
    weight = where(
        x == 0, where(zeros == 1, 1.0, 0.0), where(zeros == 0, 1.0, 0.0) / where(x == 0, 1.0, x)
    )
    return others * each(sum, use)(weight * d)


def _change_of_var(use: Use, place: int, d: NamedTensor) -> Any:
    (x,) = use.operands
    return 2 * each(mean, use)((x - each(mean, use)(x)) * d)


def _change_of_std(use: Use, place: int, d: NamedTensor) -> Any:
    return over_length(_change_of_var(use, place, d) / 2, use.result)


def _change_of_norm(use: Use, place: int, d: NamedTensor) -> Any:
    return over_length(each(sum, use)(use.operands[0] * d), use.result)


def _change_of_logsumexp(use: Use, place: int, d: NamedTensor) -> Any:
    from namedtensor.operations.vectors import softmax

    return each(sum, use)(each(softmax, use)(use.operands[0]) * d)


def _change_of_nansum(use: Use, place: int, d: NamedTensor) -> Any:
    return each(sum, use)(where(isnan(use.operands[0]), 0.0, d))


def _change_of_nanmean(use: Use, place: int, d: NamedTensor) -> Any:
    numbers = each(sum, use)(where(isnan(use.operands[0]), 0.0, 1.0))
    return _change_of_nansum(use, place, d) / numbers


def _spread_bounds(node: Node, known: list[tuple[float, float]], records: float) -> Bounds:
    """Bound a variance or its root by that of the two extremes."""
    low, high = known[0]
    apart = float(high - low)
    return (0.0, apart * apart + 1.0) if math.isfinite(apart) else None


def _length_bounds(node: Node, known: list[tuple[float, float]], records: float) -> Bounds:
    low, high = known[0]
    near = low if low > 0 else -high if high < 0 else 0.0
    far = -low if -low > high else high
    return (near, far * math.sqrt(records)) if math.isfinite(far) else None


# ---------------------------------------------------------------------------- sums and averages

SUM = _reduction("sum", _counting, Large("sum"), folds="add", transpose=lambda use, place, g: g)


@axis_function(SUM)
def sum(op: Operation, X: Tensor) -> NamedTensor:
    """Add up over axes.

        sum_ax : R^ax -> R;  sum_ax(X) = sum_i X_{ax(i)}

    Raises: AxisMissingError where X lacks an axis.

    >>> nt.sum["seq"](nt.tensor([1.0, 2.0], "seq"))
    NamedTensor(3.0)
    """
    return apply(op, X)


PROD = _reduction("prod", _counting, Large("prod"), folds="mul", differential=_change_of_prod)


@axis_function(PROD)
def prod(op: Operation, X: Tensor) -> NamedTensor:
    """Multiply up over axes.

        prod_ax : R^ax -> R;  prod_ax(X) = prod_i X_{ax(i)}

    Raises: AxisMissingError where X lacks an axis.

    >>> nt.prod["seq"](nt.tensor([2.0, 3.0], "seq"))
    NamedTensor(6.0)
    """
    return apply(op, X)


def _mean(xs: list[Any]) -> Any:
    return builtins.sum(xs) / len(xs)


def _squares(xs: list[Any]) -> list[Any]:
    return [(x * x.conjugate()).real for x in xs]


def _variance(xs: list[Any]) -> Any:
    return _mean(_squares([x - _mean(xs) for x in xs]))


MEAN = _reduction(
    "mean",
    _floating,
    of_list=_mean,
    transpose=lambda use, place, g: g / _records(use),
    idempotent=True,
)


@axis_function(MEAN)
def mean(op: Operation, X: Tensor) -> NamedTensor:
    """Average over axes.

        mean_ax : R^ax -> R;  mean_ax(X) = 1/|ax| sum_ax X

    Raises: AxisMissingError where X lacks an axis.

    >>> nt.mean["seq"](nt.tensor([1.0, 2.0], "seq"))
    NamedTensor(1.5)
    """
    return apply(op, X)


VAR = _reduction(
    "var", _length, of_list=_variance, differential=_change_of_var, bounds=_spread_bounds
)


@axis_function(VAR)
def var(op: Operation, X: Tensor) -> NamedTensor:
    """Average the squared distance of X from its mean.

        var_ax : R^ax -> R;  var_ax(X) = 1/|ax| sum_ax |X - mean_ax X|^2

    Divides by |ax| as the paper does; torch.var divides by |ax| - 1 unless told.

    Raises: AxisMissingError where X lacks an axis.

    >>> nt.var["seq"](nt.tensor([1.0, 3.0], "seq"))
    NamedTensor(1.0)
    """
    return apply(op, X)


STD = _reduction(
    "std",
    _length,
    of_list=lambda xs: math.sqrt(_variance(xs)),
    differential=_change_of_std,
    bounds=_spread_bounds,
)


@axis_function(STD)
def std(op: Operation, X: Tensor) -> NamedTensor:
    """Take the root of the variance.

        std_ax : R^ax -> R;  std_ax(X) = sqrt(var_ax X)

    Raises: AxisMissingError where X lacks an axis.

    >>> nt.std["seq"](nt.tensor([1.0, 3.0], "seq"))
    NamedTensor(1.0)
    """
    return apply(op, X)


NORM = _reduction(
    "norm",
    _length,
    Special("norm"),
    of_list=lambda xs: math.sqrt(builtins.sum(_squares(xs))),
    differential=_change_of_norm,
    bounds=_length_bounds,
)


@axis_function(NORM)
def norm(op: Operation, X: Tensor) -> NamedTensor:
    """Measure length.

        norm_ax : R^ax -> R;  norm_ax(X) = sqrt(sum_ax |X|^2)

    Raises: AxisMissingError where X lacks an axis.

    >>> nt.norm["seq"](nt.tensor([3.0, 4.0], "seq"))
    NamedTensor(5.0)
    """
    return apply(op, X)


LOGSUMEXP = _reduction("logsumexp", _floating, folds="logaddexp", differential=_change_of_logsumexp)


@axis_function(LOGSUMEXP)
def logsumexp(op: Operation, X: Tensor) -> NamedTensor:
    """Take the logarithm of a sum of exponentials, safe for large X.

        logsumexp_ax : R^ax -> R;  logsumexp_ax(X) = log(sum_ax exp X)

    Of nothing but -inf it is -inf, and its gradient there is nan, as torch's.

    Raises: AxisMissingError where X lacks an axis.

    >>> nt.logsumexp["seq"](nt.tensor([1000.0, -1000.0], "seq"))
    NamedTensor(1000.0)
    """
    return apply(op, X)


NANSUM = _reduction("nansum", _counting, differential=_change_of_nansum)


@axis_function(NANSUM)
def nansum(op: Operation, X: Tensor) -> NamedTensor:
    """Add up over axes, leaving out nan.

        nansum_ax : R^ax -> R;  nansum_ax(X) = sum_ax (0 where X is nan, X elsewhere)

    Raises: AxisMissingError where X lacks an axis.

    >>> nt.nansum["seq"](nt.tensor([1.0, nt.inf - nt.inf], "seq"))
    NamedTensor(1.0)
    """
    return apply(op, X)


NANMEAN = _reduction("nanmean", _floating, differential=_change_of_nanmean)


@axis_function(NANMEAN)
def nanmean(op: Operation, X: Tensor) -> NamedTensor:
    """Average over axes, leaving out nan; nan where nothing is left.

        nanmean_ax : R^ax -> R

    Raises: AxisMissingError where X lacks an axis.

    >>> nt.nanmean["seq"](nt.tensor([1.0, nt.inf - nt.inf], "seq"))
    NamedTensor(1.0)
    """
    return apply(op, X)


# --------------------------------------------------------------------------------------- extremes

MAX = _reduction(
    "max",
    _same,
    Command("max"),
    word="amax",
    chooses=True,
    folds="maximum",
    differential=_share_of_extreme,
)


@axis_function(MAX)
def max(op: Operation, X: Tensor) -> NamedTensor:
    """Give the greatest number.

        max_ax : R^ax -> R

    Raises: AxisMissingError where X lacks an axis, AxisSizeError where it has no element.

    >>> nt.max["seq"](nt.tensor([1.0, 3.0, 2.0], "seq"))
    NamedTensor(3.0)
    """
    return apply(op, X)


MIN = _reduction(
    "min",
    _same,
    Command("min"),
    word="amin",
    chooses=True,
    folds="minimum",
    differential=_share_of_extreme,
)


@axis_function(MIN)
def min(op: Operation, X: Tensor) -> NamedTensor:
    """Give the smallest number.

        min_ax : R^ax -> R

    Raises: AxisMissingError where X lacks an axis, AxisSizeError where it has no element.

    >>> nt.min["seq"](nt.tensor([1.0, 3.0, 2.0], "seq"))
    NamedTensor(1.0)
    """
    return apply(op, X)


def _lower_place(word: str) -> Callable[..., Any]:
    def lower(emit: Emitter, call: Lowered, x: Value) -> Any:
        (axes,) = call.params
        code = emit.call("integer", x.code) if x.type.kind == "bool" else x.code
        rest = tuple([a for a in x.axes if a not in axes])
        return emit.bind(emit.call(word, code, x.place(axes[0])), rest, call.type, word)

    return lower


def _whole(kind: str) -> str:
    return "int"


ARGMAX_INDEX = _reduction(
    "argmax_index",
    _whole,
    lower=_lower_place("argmax"),
    chooses=True,
    stepped=True,
    neutral=-math.inf,
)


@axis_function(ARGMAX_INDEX, example="nt.argmax_index[seq](X)")
def argmax_index(op: Operation, X: Tensor) -> NamedTensor:
    """Give the index of the greatest number, the first of equals.

        argmax_index_ax : R^ax -> {0, ..., |ax| - 1}

    Raises: AxisNameError unless one axis is named, AxisMissingError where X lacks it, AxisSizeError
    where it has no element.

    >>> nt.argmax_index["seq"](nt.tensor([1.0, 3.0, 2.0], "seq"))
    NamedTensor(1)
    """
    return apply(op, X)


ARGMIN_INDEX = _reduction(
    "argmin_index",
    _whole,
    lower=_lower_place("argmin"),
    chooses=True,
    stepped=True,
    neutral=math.inf,
)


@axis_function(ARGMIN_INDEX, example="nt.argmin_index[seq](X)")
def argmin_index(op: Operation, X: Tensor) -> NamedTensor:
    """Give the index of the smallest number, the first of equals.

        argmin_index_ax : R^ax -> {0, ..., |ax| - 1}

    Raises: AxisNameError unless one axis is named, AxisMissingError where X lacks it, AxisSizeError
    where it has no element.

    >>> nt.argmin_index["seq"](nt.tensor([1.0, 3.0, 2.0], "seq"))
    NamedTensor(0)
    """
    return apply(op, X)


# ----------------------------------------------------------------------------------- truth values


def _logical_rule(kind: str) -> Callable[[Call], Type]:
    def rule(call: Call) -> Type:
        call.kind(0, ("bool",), f"compare first: nt.{call.operation.name}[seq](X > 0)")
        return reduction_rule(lambda _: kind, False)(call)

    return rule


ANY = _reduction("any", _same, folds="logical_or", rule=_logical_rule("bool"), stepped=True)


@axis_function(ANY)
def any(op: Operation, X: Tensor) -> NamedTensor:
    """Say whether some record holds.

        any_ax : {0,1}^ax -> {0,1}

    Raises: AxisMissingError where X lacks an axis, KindError where it holds no truth values.

    >>> nt.any["seq"](nt.tensor([False, True], "seq"))
    NamedTensor(True)
    """
    return apply(op, X)


ALL = _reduction("all", _same, folds="logical_and", rule=_logical_rule("bool"), stepped=True)


@axis_function(ALL)
def all(op: Operation, X: Tensor) -> NamedTensor:
    """Say whether every record holds.

        all_ax : {0,1}^ax -> {0,1}

    Raises: AxisMissingError where X lacks an axis, KindError where it holds no truth values.

    >>> nt.all["seq"](nt.tensor([False, True], "seq"))
    NamedTensor(False)
    """
    return apply(op, X)


COUNT = _reduction("count", _whole, rule=_logical_rule("int"), stepped=True)


@axis_function(COUNT)
def count(op: Operation, X: Tensor) -> NamedTensor:
    """Count the records that hold.

        count_ax : {0,1}^ax -> N

    Raises: AxisMissingError where X lacks an axis, KindError where it holds no truth values.

    >>> nt.count["seq"](nt.tensor([False, True], "seq"))
    NamedTensor(1)
    """
    return apply(op, X)


# -------------------------------------------------------------------------------------- quantiles


def _quantile_rule(call: Call) -> Type:
    call.plain_number(1, ("int", "float"), "a quantile is a number from 0 to 1", 0, 1)
    return reduction_rule(_floating, True)(call)


def _lower_quantile(emit: Emitter, call: Lowered, x: Value, q: Value) -> Any:
    (axes,) = call.params
    rest = tuple([a for a in x.axes if a not in axes])
    code = emit.floating(x.code) if x.type.kind in ("bool", "int") else x.code
    if not axes:
        return emit.bind(emit.infix("*", code, 1), rest, call.type, "quantile")
    flat = emit.flat(replace(x, code=code), axes)
    return emit.bind(emit.call("quantile", flat.code, q.code), rest, call.type, "quantile")


def _change_of_quantile(use: Use, place: int, d: NamedTensor) -> Any:
    """Weigh the change of each number by how near its rank is to the quantile."""
    from namedtensor.operations.index_defined import iota
    from namedtensor.operations.indexing import index
    from namedtensor.operations.ordering import argsort

    X, q = use.operands
    axes = [sized(a, None) for a in use.params[0]]
    if not axes:
        return d
    rank = axes[0]
    if len(axes) > 1:
        rank = sized(f"{rank.name}{BOUND}rank", None)
        X, d = X[tuple(axes) >> rank], d[tuple(axes) >> rank]
    size = X.size(rank)
    near = maximum(0.0, 1.0 - abs(iota(sized(rank.name, size)) - q * (size - 1)))
    return sum[rank](near * index[rank](d, argsort[rank](X)))


QUANTILE = _reduction(
    "quantile",
    _floating,
    rule=_quantile_rule,
    lower=_lower_quantile,
    differential=_change_of_quantile,
)


@axis_function(QUANTILE)
def quantile(op: Operation, X: Tensor, q: float) -> NamedTensor:
    """Give the number below which a part q of the numbers lies, between neighbours in proportion.

        quantile_ax : R^ax x [0, 1] -> R;  quantile_ax(X, q) = sort_ax(X) at q (|ax| - 1)

    Raises: AxisMissingError where X lacks an axis, AxisSizeError where it has no element, KindError
    unless q is a number from 0 to 1.

    >>> nt.quantile["seq"](nt.tensor([3.0, 1.0, 2.0], "seq"), 0.75)
    NamedTensor(2.5)
    """
    return apply(op, X, q)


@axis_function(QUANTILE)
def median(op: Operation, X: Tensor) -> NamedTensor:
    """Give the number in the middle, or the average of the two in the middle.

        median_ax : R^ax -> R;  median_ax(X) = quantile_ax(X, 1/2)

    Departs: torch.median gives the lower of the two in the middle.

    Raises: AxisMissingError where X lacks an axis, AxisSizeError where it has no element.

    >>> nt.median["seq"](nt.tensor([3.0, 1.0, 2.0, 4.0], "seq"))
    NamedTensor(2.5)
    """
    return apply(op, X, 0.5)
