"""Functions from vectors to vectors: the axes stay (paper, section 3.2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from namedtensor.axes import shown
from namedtensor.errors import AxisSizeError, KindError
from namedtensor.operations.axis_functions import AxisFunction, names, wants
from namedtensor.primitives import Call, Type, primitive, table
from namedtensor.primitives.notation import Word
from namedtensor.primitives.type import widest
from namedtensor.shape import spaced
from namedtensor.tensor import NamedTensor, apply


def along_rule(kind: Callable[[str], str], needs_records: bool = False) -> Callable[[Call], Type]:
    """The named axes must be there, and stay."""

    def rule(call: Call) -> Type:
        axes = call.params[0]
        call.need(0, axes)
        type_ = call.types[0]
        if needs_records and any(type_.size(a) == 0 for a in axes):
            empty = next(a for a in axes if type_.size(a) == 0)
            raise call.fail(
                AxisSizeError,
                f"axis {shown(empty)} is 0 in {call.labels[0]}, and nothing has no "
                f"{call.operation.name}",
                "check the size first: X.size(ax) > 0",
            )
        return type_.of_kind(kind(type_.kind))

    return rule


def _floating(kind: str) -> str:
    return widest((kind, "float"))


def _counting(kind: str) -> str:
    return widest((kind, "int"))


def _float_code(emit: Any, x: Any) -> Any:

    if x.type.kind in ("bool", "int"):
        return replace(x, code=emit.call("floating", x.code))
    return x


def lower_over_one(word: str) -> Callable[..., Any]:
    """Lower a function of one axis; several axes are joined to one for the call."""

    def lower(emit: Any, call: Any, x: Any) -> Any:
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


def _along(name: str, doc: str) -> AxisFunction:
    notation = Word(name.replace("_", "-"))
    entry = primitive(name, along_rule(_floating), lower_over_one(name), notation=notation)

    def bind(axes: Any) -> Callable[..., Any]:
        operation = entry(names(axes))
        return lambda X: apply(operation, X)

    return AxisFunction(name, bind, doc)


softmax = _along(
    "softmax",
    "Turn numbers into a distribution: softmax_ax(X) = exp X / sum_ax exp X.\n\n"
    "Safe for large X. Over several axes, the distribution is over their records.",
)
log_softmax = _along("log_softmax", "Compute log(softmax_ax(X)), safe for large X.")


def _lower_standardize(emit: Any, call: Any, x: Any, eps: Any) -> Any:
    axes = call.params[0]
    x = _float_code(emit, x)
    if not axes:
        return emit.bind(f"{x.code} * 0", x.axes, call.type, "standardize")
    code = emit.call("standardize", x.code, x.places(axes), eps.code)
    return emit.bind(code, x.axes, call.type, "standardize")


def _standardize_rule(call: Call) -> Type:
    _plain_number(call, 1, ("int", "float"), "eps is a number")
    return along_rule(_floating)(call)


_standardize = primitive(
    "standardize", _standardize_rule, _lower_standardize, notation=Word("standardize")
)


def _bind_standardize(axes: Any) -> Callable[..., Any]:
    operation = _standardize(names(axes))

    def standardize(X: Any, eps: Any = 1e-5) -> Any:
        return apply(operation, X, eps)

    return standardize


standardize = AxisFunction(
    "standardize",
    _bind_standardize,
    "Shift and scale to mean 0 and variance 1.\n\n"
    "    standardize_ax(X) = (X - mean_ax X) / sqrt(var_ax X + eps), eps = 1e-5 unless given",
)


# ------------------------------------------------------------------------------ running functions


def _one_axis(name: str, word: str, kind: Callable[[str], str], doc: str) -> AxisFunction:
    def lower(emit: Any, call: Any, x: Any) -> Any:
        (axis,) = call.params[0]
        code = emit.call("integer", x.code) if x.type.kind == "bool" else x.code
        return emit.bind(emit.call(word, code, x.place(axis)), x.axes, call.type, word)

    entry = primitive(name, along_rule(kind), lower, notation=Word(name))

    def bind(axes: Any) -> Callable[..., Any]:
        wants(name, axes, 1, f"nt.{name}[seq](X)")
        operation = entry(names(axes))
        return lambda X: apply(operation, X)

    return AxisFunction(name, bind, doc)


cumsum = _one_axis("cumsum", "cumsum", _counting, "Add up from the start: Y_i = X_1 + ... + X_i.")
cumprod = _one_axis(
    "cumprod", "cumprod", _counting, "Multiply up from the start: Y_i = X_1 ... X_i."
)


def _lower_flip(emit: Any, call: Any, x: Any) -> Any:
    return emit.bind(emit.call("flip", x.code, x.places(call.params[0])), x.axes, call.type, "flip")


_flip = primitive("flip", along_rule(lambda kind: kind), _lower_flip, notation=Word("flip"))


def _bind_flip(axes: Any) -> Callable[..., Any]:
    operation = _flip(names(axes))
    return lambda X: apply(operation, X)


flip = AxisFunction("flip", _bind_flip, "Reverse the order of the indices of axes.")


def _lower_roll(emit: Any, call: Any, x: Any, shift: Any) -> Any:
    (axis,) = call.params[0]
    return emit.bind(
        emit.call("roll", x.code, shift.code, x.place(axis)), x.axes, call.type, "roll"
    )


def _roll_rule(call: Call) -> Type:
    _plain_number(call, 1, ("int",), "a shift is a whole number")
    return along_rule(lambda kind: kind)(call)


def _plain_number(call: Call, operand: int, kinds: tuple[str, ...], why: str) -> None:
    """Raise KindError unless an operand is a plain number of these kinds."""
    type_ = call.types[operand]
    if not type_.host or type_.kind not in kinds:
        raise call.fail(KindError, f"{why}, not {call.labels[operand]}", "give a plain number")


_roll = primitive("roll", _roll_rule, _lower_roll, notation=Word("roll"))


def _bind_roll(axes: Any) -> Callable[..., Any]:
    wants("roll", axes, 1, "nt.roll[seq](X, 1)")
    operation = _roll(names(axes))
    return lambda X, shift: apply(operation, X, shift)


roll = AxisFunction(
    "roll", _bind_roll, "Move every index on by a shift, the last ones to the front."
)


# -------------------------------------------------------------------------------- one-hot extremes


def _one_hot_extreme(name: str, word: str, doc: str) -> AxisFunction:
    def lower(emit: Any, call: Any, x: Any) -> Any:
        axes = call.params[0]
        x = emit.named(x)
        code = emit.call("integer", x.code) if x.type.kind == "bool" else x.code

        rest = tuple([a for a in x.axes if a not in axes])
        flat = emit.flat(replace(x, code=code), axes)
        size = " * ".join(emit.size(x.type.size(a)) for a in axes) or "1"
        hot = emit.call("one_hot", emit.call(word, flat.code, -1), size)
        done = emit.unflat(hot, rest, axes, call.type)
        return emit.bind(done.code, done.axes, call.type, name)

    rule = along_rule(lambda _: "int", needs_records=True)
    entry = primitive(name, rule, lower, notation=Word(name))

    def bind(axes: Any) -> Callable[..., Any]:
        operation = entry(names(axes))
        return lambda X: apply(operation, X)

    return AxisFunction(name, bind, doc)


argmax = _one_hot_extreme(
    "argmax",
    "argmax",
    "Mark the greatest number by a one-hot vector: argmax_ax : R^ax -> {0,1}^ax.\n\n"
    "The first of equals. `argmax_index` gives the index instead.",
)
argmin = _one_hot_extreme(
    "argmin",
    "argmin",
    "Mark the smallest number by a one-hot vector: argmin_ax : R^ax -> {0,1}^ax.",
)


# --------------------------------------------------------------------------------------- dropout


def _dropout_rule(call: Call) -> Type:
    _plain_number(call, 1, ("int", "float"), "a probability is a number from 0 to 1")
    type_ = call.types[0]
    return type_.of_kind(_floating(type_.kind))


def _lower_dropout(emit: Any, call: Any, x: Any, p: Any) -> Any:
    x = _float_code(emit, x)
    return emit.bind(emit.call("dropout", x.code, p.code, "None"), x.axes, call.type, "dropout")


primitive("dropout", _dropout_rule, _lower_dropout, effect=True, notation=Word("dropout"))


def dropout(X: Any, p: float) -> Any:
    """Set each number to 0 with probability p and scale the others by 1 / (1 - p).

    The mask is drawn by the library's own generator; p = 0 gives X itself.

    >>> import namedtensor as nt
    >>> dropout(nt.tensor([1.0, 2.0], "seq"), 1.0)
    NamedTensor(seq[2], float64)
    [0. 0.]
    """
    if isinstance(p, (int, float)) and not 0 <= p <= 1:
        raise KindError(
            f"dropout(X, {p!r})",
            "a probability is a number from 0 to 1",
            [("X", spaced(X.sizes))] if isinstance(X, NamedTensor) else [],
            "nt.dropout(X, 0.1)",
        )
    if isinstance(p, (int, float)) and p == 0 and isinstance(X, NamedTensor):
        return X
    return apply(table()["dropout"].plain, X, p)
