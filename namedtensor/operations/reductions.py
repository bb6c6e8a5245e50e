"""Reductions use up the axes they are given (paper, section 3.2).

Each is the lift of a function R^ax -> R: axes not named pass through.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from namedtensor.axes import shown
from namedtensor.errors import AxisSizeError
from namedtensor.operations.axis_functions import AxisFunction, names, wants
from namedtensor.primitives import Call, Type, primitive
from namedtensor.primitives.notation import Command, Large, Notation, Special, Word
from namedtensor.primitives.type import widest
from namedtensor.tensor import apply

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


def reduction_rule(kind: Kind, needs_records: bool) -> Callable[[Call], Type]:
    """The named axes go; those that a value is chosen from must not be empty."""

    def rule(call: Call) -> Type:
        (axes,) = call.params
        type_ = call.types[0]
        call.need(0, axes)
        if needs_records:
            for axis in axes:
                if type_.size(axis) == 0:
                    raise call.fail(
                        AxisSizeError,
                        f"axis {shown(axis)} is 0 in {call.labels[0]}, and nothing has no "
                        f"{call.operation.name}",
                        "check the size first: X.size(ax) > 0",
                    )
        return type_.without(axes).of_kind(kind(type_.kind))

    return rule


def lower_reduction(word: str, floating: bool) -> Callable[..., Any]:
    def lower(emit: Any, call: Any, x: Any) -> Any:
        (axes,) = call.params
        rest = tuple([a for a in x.axes if a not in axes])
        code = x.code
        if floating and x.type.kind in ("bool", "int"):
            code = emit.call("double" if x.type.weak else "floating", code)
        if not axes and x.type.kind == "bool" and call.type.kind == "int":
            return emit.bind(emit.call("integer", code), rest, call.type, word)
        if not axes:
            return emit.bind(_of_nothing(emit, word, code), rest, call.type, word)
        return emit.bind(emit.call(word, code, x.places(axes)), rest, call.type, word)

    return lower


def _of_nothing(emit: Any, word: str, code: str) -> str:
    """Reduce over no axes: a single number is its own sum, and its own only spread is 0."""
    if word in ("var", "std"):
        return str(emit.call("absolute", f"{code} * 0"))
    if word == "norm":
        return str(emit.call("absolute", code))
    return code


def _reduction(
    name: str,
    word: str,
    kind: Kind,
    doc: str,
    needs_records: bool = False,
    notation: Notation | None = None,
) -> AxisFunction:
    entry = primitive(
        name,
        reduction_rule(kind, needs_records),
        lower_reduction(word, kind in (_floating, _length)),
        notation=notation or Word(name),
    )

    def bind(axes: Any) -> Callable[..., Any]:
        operation = entry(names(axes))

        def reduce(X: Any) -> Any:
            return apply(operation, X)

        return reduce

    return AxisFunction(name, bind, doc)


sum = _reduction(
    "sum", "sum", _counting, "Add up over axes: sum_ax : R^ax -> R.", notation=Large("sum")
)
prod = _reduction(
    "prod", "prod", _counting, "Multiply up over axes: prod_ax : R^ax -> R.", notation=Large("prod")
)
mean = _reduction("mean", "mean", _floating, "Average: mean_ax(X) = 1/|ax| sum_ax X.")
var = _reduction(
    "var",
    "var",
    _length,
    "Average the squared distance from the mean: var_ax(X) = 1/|ax| sum_ax |X - mean_ax X|^2.\n\n"
    "Divides by |ax| as the paper does; torch.var divides by |ax| - 1 unless told.",
)
std = _reduction(
    "std", "std", _length, "Take the root of the variance: std_ax(X) = sqrt(var_ax X)."
)
norm = _reduction(
    "norm",
    "norm",
    _length,
    "Measure length: norm_ax(X) = sqrt(sum_ax |X|^2).",
    notation=Special("norm"),
)
logsumexp = _reduction(
    "logsumexp", "logsumexp", _floating, "Compute log(sum_ax exp X), safe for large X."
)
max = _reduction(
    "max",
    "amax",
    _same,
    "Give the greatest number: max_ax : R^ax -> R.",
    True,
    notation=Command("max"),
)
min = _reduction(
    "min",
    "amin",
    _same,
    "Give the smallest number: min_ax : R^ax -> R.",
    True,
    notation=Command("min"),
)


def _logical(name: str, doc: str) -> AxisFunction:
    def rule(call: Call) -> Type:
        call.kind(0, ("bool",), f"compare first: nt.{name}[seq](X > 0)")
        kind = "int" if name == "count" else "bool"
        return reduction_rule(lambda _: kind, False)(call)

    entry = primitive(name, rule, lower_reduction(name, False), notation=Word(name))

    def bind(axes: Any) -> Callable[..., Any]:
        operation = entry(names(axes))
        return lambda X: apply(operation, X)

    return AxisFunction(name, bind, doc)


any = _logical("any", "Say whether some record holds: any_ax : {0,1}^ax -> {0,1}.")
all = _logical("all", "Say whether every record holds: all_ax : {0,1}^ax -> {0,1}.")
count = _logical("count", "Count the records that hold: count_ax : {0,1}^ax -> N.")


# ----------------------------------------------------------------------- the place of an extreme


def _index_rule(call: Call) -> Type:
    return reduction_rule(lambda _: "int", True)(call)


def _place(name: str, word: str, doc: str) -> AxisFunction:
    def lower(emit: Any, call: Any, x: Any) -> Any:
        (axes,) = call.params
        code = emit.call("integer", x.code) if x.type.kind == "bool" else x.code
        rest = tuple([a for a in x.axes if a not in axes])
        return emit.bind(emit.call(word, code, x.place(axes[0])), rest, call.type, word)

    entry = primitive(name, _index_rule, lower, notation=Word(name.replace("_", "-")))

    def bind(axes: Any) -> Callable[..., Any]:
        wants(name, axes, 1, f"nt.{name}[seq](X)")
        operation = entry(names(axes))
        return lambda X: apply(operation, X)

    return AxisFunction(name, bind, doc)


argmax_index = _place(
    "argmax_index", "argmax", "Give the index of the greatest number, the first of equals."
)
argmin_index = _place(
    "argmin_index", "argmin", "Give the index of the smallest number, the first of equals."
)
