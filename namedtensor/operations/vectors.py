"""Functions from vectors to vectors: the axes stay (paper, section 3.3)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from namedtensor.axes import BOUND
from namedtensor.errors import KindError
from namedtensor.operations.axis_functions import Tensor, axis_function
from namedtensor.operations.elementwise import exp, inf, sqrt, where
from namedtensor.operations.reductions import (
    each,
    each_record_once,
    mean,
    needs_a_record,
    sum,
    var,
)
from namedtensor.operations.training import training
from namedtensor.plans import Emitter, Lowered, Value
from namedtensor.primitives import Call, Node, Operation, Primitive, Type, primitive, table
from namedtensor.primitives.notation import Word
from namedtensor.primitives.primitive import BoundsRule
from namedtensor.primitives.traits import Bounds, Traits, along_first
from namedtensor.primitives.type import widest
from namedtensor.primitives.use import Use
from namedtensor.shape import shapes, sized
from namedtensor.tensor import NamedTensor, SymbolicTensor, apply
from namedtensor.tensor.labels import caller_labels

Kind = Callable[[str], str]


def along_rule(
    kind: Kind, ordered: bool = False, needs_records: bool = False
) -> Callable[[Call], Type]:
    """Check that the named axes exist, and keep them; with `ordered`, refuse complex numbers."""

    def rule(call: Call) -> Type:
        axes = call.params[0]
        call.need(0, axes)
        if ordered:
            call.real(0)
        if needs_records:
            needs_a_record(call, axes)
        return call.types[0].of_kind(kind(call.types[0].kind))

    return rule


def _same(kind: str) -> str:
    return kind


def _whole(kind: str) -> str:
    return "int"


def _floating(kind: str) -> str:
    return widest((kind, "float"))


def _counting(kind: str) -> str:
    return widest((kind, "int"))


def _float_code(emit: Emitter, x: Value) -> Any:
    if x.type.kind in ("bool", "int"):
        return replace(x, code=emit.floating(x.code))
    return x


def lower_over_one(word: str) -> Callable[..., Any]:
    """Lower a function of one axis; several axes are joined to one for the call."""

    def lower(emit: Emitter, call: Lowered, x: Value) -> Any:
        axes = call.params[0]
        x = _float_code(emit, x)
        if len(axes) == 1:
            code = emit.call(word, x.code, x.place(axes[0]))
            return emit.bind(code, x.axes, call.type, word)
        x = emit.named(x)
        rest = tuple([a for a in x.axes if a not in axes])
        flat = emit.flat(x, axes)
        done = emit.unflat(emit.call(word, flat.code, -1), rest, axes, call.type)
        return emit.bind(done.code, done.axes, call.type, word)

    return lower


def _along(
    name: str,
    kind: Kind,
    lower: Callable[..., Any],
    *,
    rule: Callable[[Call], Type] | None = None,
    ordered: bool = False,
    needs_records: bool = False,
    differential: Callable[..., Any] | None = None,
    transpose: Callable[..., Any] | None = None,
    stepped: bool = False,
    normalises: str = "",
    centres: bool = False,
    bounds: BoundsRule | None = None,
) -> Primitive:
    """Add a function from vectors to vectors to the table."""
    return primitive(
        name,
        rule or along_rule(kind, ordered, needs_records),
        lower,
        notation=Word(name.replace("_", "-")),
        differential=differential,
        transpose=transpose,
        cost=each_record_once,
        bounds=bounds,
        traits=Traits(
            linear=(0,) if transpose else (),
            stepped=stepped,
            uniform=True,
            acts=along_first,
            normalises=normalises,
            centres=centres,
        ),
    )


# ---------------------------------------------------------------------------------- distributions


def _change_of_softmax(use: Use, place: int, d: NamedTensor) -> Any:
    return use.result * (d - each(sum, use)(use.result * d))


SOFTMAX = _along(
    "softmax",
    _floating,
    lower_over_one("softmax"),
    differential=_change_of_softmax,
    normalises="numbers",
)


@axis_function(SOFTMAX)
def softmax(op: Operation, X: Tensor) -> NamedTensor:
    """Turn numbers into a distribution.

        softmax_ax : R^ax -> R^ax;  softmax_ax(X) = exp X / sum_ax exp X

    Safe for large X. Over several axes, the distribution is over their records.

    Raises: AxisMissingError where X lacks an axis.

    >>> nt.softmax["seq"](nt.tensor([0.0, 0.0], "seq")).numpy()
    array([0.5, 0.5])
    """
    return apply(op, X)


def _change_of_log_softmax(use: Use, place: int, d: NamedTensor) -> Any:
    return d - each(sum, use)(each(softmax, use)(use.operands[0]) * d)


LOG_SOFTMAX = _along(
    "log_softmax",
    _floating,
    lower_over_one("log_softmax"),
    differential=_change_of_log_softmax,
    normalises="logs",
)


@axis_function(LOG_SOFTMAX)
def log_softmax(op: Operation, X: Tensor) -> NamedTensor:
    """Take the logarithm of a softmax, safe for large X.

        log_softmax_ax : R^ax -> R^ax;  log_softmax_ax(X) = X - log(sum_ax exp X)

    Raises: AxisMissingError where X lacks an axis.

    >>> nt.log_softmax["seq"](nt.tensor([0.0, -nt.inf], "seq")).numpy()
    array([  0., -inf])
    """
    return apply(op, X)


def _lower_standardize(emit: Emitter, call: Lowered, x: Value, eps: Value) -> Any:
    axes = call.params[0]
    x = _float_code(emit, x)
    if not axes:
        return emit.bind(emit.infix("*", x, 0), x.axes, call.type, "standardize")
    code = emit.call("standardize", x.code, x.places(axes), eps.code)
    return emit.bind(code, x.axes, call.type, "standardize")


def _standardize_rule(call: Call) -> Type:
    call.plain_number(1, ("int", "float"), "eps is a number")
    return along_rule(_floating)(call)


def _change_of_standardize(use: Use, place: int, d: NamedTensor) -> Any:
    X, eps = use.operands
    average, y = each(mean, use), use.result
    return (d - average(d) - y * average(y * d)) / sqrt(each(var, use)(X) + eps)


def _standard_bounds(node: Node, known: list[tuple[float, float]], records: float) -> Bounds:
    """Bound standardized numbers: none of n numbers is further from the mean than n standard deviations."""
    (low, high), (eps, _) = known
    fine = math.isfinite(low) and math.isfinite(high) and eps > 0 and max(-low, high) < 1e100
    return (-records, records) if fine else None


STANDARDIZE = _along(
    "standardize",
    _floating,
    _lower_standardize,
    rule=_standardize_rule,
    differential=_change_of_standardize,
    centres=True,
    bounds=_standard_bounds,
)


@axis_function(STANDARDIZE)
def standardize(op: Operation, X: Tensor, eps: float = 1e-5) -> NamedTensor:
    """Shift and scale to mean 0 and variance 1.

        standardize_ax : R^ax -> R^ax;  standardize_ax(X) = (X - mean_ax X) / sqrt(var_ax X + eps)

    Raises: AxisMissingError where X lacks an axis, KindError unless eps is a plain number.

    >>> nt.standardize["seq"](nt.tensor([1.0, 3.0], "seq"), 0.0).numpy()
    array([-1.,  1.])
    """
    return apply(op, X, eps)


# ------------------------------------------------------------------------------ running functions


def _lower_running(word: str, floating: bool = False) -> Callable[..., Any]:
    def lower(emit: Emitter, call: Lowered, x: Value) -> Any:
        (axis,) = call.params[0]
        code = _float_code(emit, x).code if floating else x.code
        if x.type.kind == "bool" and not floating:
            code = emit.call("integer", x.code)
        return emit.bind(emit.call(word, code, x.place(axis)), x.axes, call.type, word)

    return lower


def _share_of_cumsum(use: Use, place: int, g: NamedTensor) -> Any:
    """Add up from the end."""
    return each(flip, use)(each(cumsum, use)(each(flip, use)(g)))


CUMSUM = _along("cumsum", _counting, _lower_running("cumsum"), transpose=_share_of_cumsum)


@axis_function(CUMSUM, example="nt.cumsum[seq](X)")
def cumsum(op: Operation, X: Tensor) -> NamedTensor:
    """Add up from the start.

        cumsum_ax : R^ax -> R^ax;  cumsum_ax(X)_i = X_1 + ... + X_i

    Raises: AxisNameError unless one axis is named, AxisMissingError where X lacks it.

    >>> nt.cumsum["seq"](nt.tensor([1, 2, 3], "seq")).numpy()
    array([1, 3, 6])
    """
    return apply(op, X)


def _change_of_cumprod(use: Use, place: int, d: NamedTensor) -> Any:
    """Multiply all factors but one, for each in turn, so that factors of 0 are allowed."""
    (x,) = use.operands
    running = each(cumsum, use)
    zeros = running(where(x == 0, 1, 0))
    factors = where(x == 0, 1.0, x)
    without = where(x == 0, 0.0, d / factors)
    at_zero = where(x == 0, d, 0.0)
    share = where(zeros == 0, running(without), where(zeros == 1, running(at_zero), 0.0))
    return each(cumprod, use)(factors) * share


CUMPROD = _along("cumprod", _counting, _lower_running("cumprod"), differential=_change_of_cumprod)


@axis_function(CUMPROD, example="nt.cumprod[seq](X)")
def cumprod(op: Operation, X: Tensor) -> NamedTensor:
    """Multiply up from the start.

        cumprod_ax : R^ax -> R^ax;  cumprod_ax(X)_i = X_1 ... X_i

    Raises: AxisNameError unless one axis is named, AxisMissingError where X lacks it.

    >>> nt.cumprod["seq"](nt.tensor([1, 2, 3], "seq")).numpy()
    array([1, 2, 6])
    """
    return apply(op, X)


def _change_of_logcumsumexp(use: Use, place: int, d: NamedTensor) -> Any:
    """Weigh each change up to i by exp(X_j - Y_i), which is at most 1 for any range of numbers.

    The weights are a matrix; running sums of exp(X - max X) would be 0/0 where X grows by 750.
    """
    from namedtensor.operations.index_defined import iota

    (x,) = use.operands
    (name,) = use.params[0]
    so_far, n = f"{name}{BOUND}so_far", x.size(sized(name, None))
    earlier = table()["rename"](((name, so_far),))
    x, d = apply(earlier, x), apply(earlier, d)
    y = where(use.result > -inf, use.result, 0.0)
    counts = iota(sized(so_far, n)) <= iota(sized(name, n))
    weights = exp(where(counts, x - y, -inf))
    return sum[sized(so_far, None)](weights * d)


LOGCUMSUMEXP = _along(
    "logcumsumexp",
    _floating,
    _lower_running("logcumsumexp", floating=True),
    ordered=True,
    differential=_change_of_logcumsumexp,
)


@axis_function(LOGCUMSUMEXP, example="nt.logcumsumexp[seq](X)")
def logcumsumexp(op: Operation, X: Tensor) -> NamedTensor:
    """Add up exponentials from the start, in logarithms, safe for large X.

        logcumsumexp_ax : R^ax -> R^ax;  logcumsumexp_ax(X)_i = log(exp X_1 + ... + exp X_i)

    Raises: AxisNameError unless one axis is named, AxisMissingError where X lacks it.

    >>> nt.logcumsumexp["seq"](nt.tensor([1000.0, 0.0], "seq")).numpy()
    array([1000., 1000.])
    """
    return apply(op, X)


def _change_of_running_extreme(use: Use, place: int, d: NamedTensor) -> Any:
    """Take the change of the last of equal extremes so far."""
    from namedtensor.operations.index_defined import iota
    from namedtensor.operations.indexing import index

    (x,) = use.operands
    (name,) = use.params[0]
    axis = sized(name, None)
    last = cummax[axis](where(x == use.result, iota(sized(name, x.size(axis))), 0))
    return index[axis](d, last)


CUMMAX = _along(
    "cummax",
    _counting,
    _lower_running("cummax"),
    ordered=True,
    differential=_change_of_running_extreme,
)


@axis_function(CUMMAX, example="nt.cummax[seq](X)")
def cummax(op: Operation, X: Tensor) -> NamedTensor:
    """Give the greatest number so far.

        cummax_ax : R^ax -> R^ax;  cummax_ax(X)_i = max(X_1, ..., X_i)

    Raises: AxisNameError unless one axis is named, AxisMissingError where X lacks it.

    >>> nt.cummax["seq"](nt.tensor([1, 3, 2], "seq")).numpy()
    array([1, 3, 3])
    """
    return apply(op, X)


CUMMIN = _along(
    "cummin",
    _counting,
    _lower_running("cummin"),
    ordered=True,
    differential=_change_of_running_extreme,
)


@axis_function(CUMMIN, example="nt.cummin[seq](X)")
def cummin(op: Operation, X: Tensor) -> NamedTensor:
    """Give the smallest number so far.

        cummin_ax : R^ax -> R^ax;  cummin_ax(X)_i = min(X_1, ..., X_i)

    Raises: AxisNameError unless one axis is named, AxisMissingError where X lacks it.

    >>> nt.cummin["seq"](nt.tensor([2, 3, 1], "seq")).numpy()
    array([2, 2, 1])
    """
    return apply(op, X)


# ---------------------------------------------------------------------------------- other orders


def _lower_flip(emit: Emitter, call: Lowered, x: Value) -> Any:
    return emit.bind(emit.call("flip", x.code, x.places(call.params[0])), x.axes, call.type, "flip")


FLIP = _along("flip", _same, _lower_flip, transpose=lambda use, place, g: apply(use.operation, g))


@axis_function(FLIP)
def flip(op: Operation, X: Tensor) -> NamedTensor:
    """Reverse the order of the indices of axes.

        flip_ax : R^ax -> R^ax;  flip_ax(X)_{ax(i)} = X_{ax(|ax| + 1 - i)}

    Raises: AxisMissingError where X lacks an axis.

    >>> nt.flip["seq"](nt.tensor([1, 2, 3], "seq")).numpy()
    array([3, 2, 1])
    """
    return apply(op, X)


def _lower_roll(emit: Emitter, call: Lowered, x: Value, shift: Value) -> Any:
    (axis,) = call.params[0]
    code = emit.call("roll", x.code, shift.code, x.place(axis))
    return emit.bind(code, x.axes, call.type, "roll")


def _roll_rule(call: Call) -> Type:
    call.plain_number(1, ("int",), "a shift is a whole number")
    return along_rule(_same)(call)


ROLL = _along(
    "roll",
    _same,
    _lower_roll,
    rule=_roll_rule,
    transpose=lambda use, place, g: apply(use.operation, g, -use.operands[1]),
)


@axis_function(ROLL, example="nt.roll[seq](X, 1)")
def roll(op: Operation, X: Tensor, shift: int) -> NamedTensor:
    """Move every index on by a shift, the last ones to the front.

        roll_ax : R^ax x Z -> R^ax;  roll_ax(X, n)_{ax(i)} = X_{ax(i - n)}, counted around the end

    Raises: AxisNameError unless one axis is named, AxisMissingError where X lacks it, KindError
    unless the shift is a whole number.

    >>> nt.roll["seq"](nt.tensor([1, 2, 3], "seq"), 1).numpy()
    array([3, 1, 2])
    """
    return apply(op, X, shift)


# -------------------------------------------------------------------------------- one-hot extremes


def _lower_one_hot_extreme(name: str) -> Callable[..., Any]:
    def lower(emit: Emitter, call: Lowered, x: Value) -> Any:
        axes = call.params[0]
        x = emit.named(x)
        code = emit.call("integer", x.code) if x.type.kind == "bool" else x.code

        rest = tuple([a for a in x.axes if a not in axes])
        flat = emit.flat(replace(x, code=code), axes)
        size = emit.product_of(x.type, axes)
        hot = emit.call("one_hot", emit.call(name, flat.code, -1), size)
        done = emit.unflat(hot, rest, axes, call.type)
        return emit.bind(done.code, done.axes, call.type, name)

    return lower


ARGMAX = _along(
    "argmax",
    _whole,
    _lower_one_hot_extreme("argmax"),
    ordered=True,
    needs_records=True,
    stepped=True,
)


@axis_function(ARGMAX)
def argmax(op: Operation, X: Tensor) -> NamedTensor:
    """Mark the greatest number by a one-hot vector, the first of equals.

        argmax_ax : R^ax -> {0,1}^ax

    `argmax_index` gives the index instead.

    Raises: AxisMissingError where X lacks an axis, AxisSizeError where it has no element.

    >>> nt.argmax["seq"](nt.tensor([1.0, 3.0, 2.0], "seq")).numpy()
    array([0, 1, 0])
    """
    return apply(op, X)


ARGMIN = _along(
    "argmin",
    _whole,
    _lower_one_hot_extreme("argmin"),
    ordered=True,
    needs_records=True,
    stepped=True,
)


@axis_function(ARGMIN)
def argmin(op: Operation, X: Tensor) -> NamedTensor:
    """Mark the smallest number by a one-hot vector, the first of equals.

        argmin_ax : R^ax -> {0,1}^ax

    `argmin_index` gives the index instead.

    Raises: AxisMissingError where X lacks an axis, AxisSizeError where it has no element.

    >>> nt.argmin["seq"](nt.tensor([1.0, 3.0, 2.0], "seq")).numpy()
    array([1, 0, 0])
    """
    return apply(op, X)


# --------------------------------------------------------------------------------------- dropout


def _dropout_rule(call: Call) -> Type:
    call.plain_number(1, ("int", "float"), "a probability is a number from 0 to 1")
    return call.types[0].of_kind(_floating(call.types[0].kind))


def _lower_dropout(emit: Emitter, call: Lowered, x: Value, p: Value) -> Any:
    x = _float_code(emit, x)
    return emit.bind(emit.call("dropout", x, p, None), x.axes, call.type, "dropout")


DROPOUT = primitive(
    "dropout",
    _dropout_rule,
    _lower_dropout,
    effect=True,
    notation=Word("dropout"),
    traits=Traits(uniform=True),
)


def _lower_dropout_mask(emit: Emitter, call: Lowered, x: Value, p: Value) -> Any:
    ones = emit.call("ones_like", _float_code(emit, x).code)
    return emit.bind(emit.call("dropout", ones, p, None), x.axes, call.type, "mask")


#: What dropout(X, p) multiplies X with. It is drawn once for a function and its derivative.
DROPOUT_MASK = primitive(
    "dropout_mask",
    _dropout_rule,
    _lower_dropout_mask,
    effect=True,
    notation=Word("dropout-mask"),
    traits=Traits(uniform=True, stepped=True),
)


#: What people give for a probability that is none.
_NO_NUMBERS = (str, bytes, list, tuple, dict, type(None))


def dropout(X: Tensor, p: float) -> NamedTensor:
    """Set each number to 0 with probability p and scale the others by 1 / (1 - p).

        dropout : R x [0, 1] -> R,  lifted over every axis

    Out of training, see `training`, and where p = 0 it gives X itself. The mask is drawn by the
    library's own generator.

    Raises: KindError unless p is a number from 0 to 1.

    >>> nt.dropout(nt.tensor([1.0, 2.0], "seq"), 1.0)
    NamedTensor(seq[2], float64)
    seq  0  1
         0  0
    """
    if (isinstance(p, (int, float)) and not 0 <= p <= 1) or isinstance(p, _NO_NUMBERS):
        (label,) = caller_labels([X])
        raise KindError(
            f"dropout({label}, {p!r})",
            "a probability is a number from 0 to 1",
            shapes(X, labels=[label]),
            f"nt.dropout({label}, 0.1)",
        )
    number = isinstance(p, (int, float))
    known = number or (isinstance(p, SymbolicTensor) and p.node.type.host)
    if known and isinstance(X, NamedTensor) and ((number and p == 0) or not training()):
        return X if X.kind in ("float", "complex") else apply(DROPOUT.plain, X, 0.0)
    return apply(DROPOUT.plain, X, p)
