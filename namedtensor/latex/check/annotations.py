"""Axes written where the notation has no place for them, or missing where it needs them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from namedtensor.latex.check.report import Report, listed
from namedtensor.latex.evaluation.vocabulary import big_word, word_of
from namedtensor.latex.printing.dialects import Dialect
from namedtensor.latex.syntax import (
    AxisName,
    Big,
    Binary,
    Call,
    Expression,
    Letter,
    Matrix,
    Scripts,
    Under,
)
from namedtensor.latex.walk import all_of, walk
from namedtensor.primitives import Type

#: Gives the shape of a part; None where it is unknown.
Look = Callable[[Expression], Type | None]


def check_annotations(
    body: Expression,
    report: Report,
    dialect: Dialect,
    look: Look,
    defined: Callable[[Expression], bool],
) -> None:
    """Look for axes under operands and signs, and for functions without their axes.

    `defined(name)` says whether the document itself defines what a name stands for.
    """
    for part in walk(body):
        if isinstance(part, Under):
            _under_operand(part, report, dialect)
        elif isinstance(part, Binary) and part.axes and part.op in ("+", "-"):
            _under_sign(part, report, dialect)
        elif isinstance(part, Call) and _reaches_over_power(part, report):
            _reach(part, report)
        elif isinstance(part, Call) and _lacks_axes(part) and not defined(part.function):
            no_axis(part, report, dialect, look(part.arguments[0]))
        elif (
            isinstance(part, Big)
            and big_word(part.op) is not None
            and not part.axes
            and part.lower is None
        ):
            no_axis(part, report, dialect, look(part.body))


def named(axes: Iterable[AxisName]) -> str:
    """List axes in words."""
    return listed([axis.name for axis in axes])


def _under_operand(part: Under, report: Report, dialect: Dialect) -> None:
    operand = report.text(part.operand.span)
    axes = [axis.name for axis in part.axes]
    report.add(
        "error",
        "axis-under-operand",
        part.span,
        f"{named(part.axes)} stands under {operand}, which is no operation; axes under an operand "
        "say nothing",
        hint=f"to contract over {named(part.axes)}, write it under the dot: "
        f"{dialect.dot(axes)} {operand}",
    )


def _under_sign(part: Binary, report: Report, dialect: Dialect) -> None:
    axes = [axis.name for axis in part.axes]
    sign = {"+": "a sum", "-": "a difference"}[part.op]
    function = _function_of(part.right)
    if function is not None:
        hint = f"is it meant for {function}? {dialect.function(function, axes)}"
    else:
        hint = f"write {part.op} alone: parts meet on the axes that they share"
    report.add(
        "error",
        "axis-under-sign",
        part.axes[0].span | part.axes[-1].span,
        f"{named(part.axes)} stands under {part.op}; {sign} is elementwise and uses up no axes",
        hint=hint,
    )


def _reaches_over_power(part: Call, report: Report) -> bool:
    """Say whether a power stands behind the bracket of a function: mean_{seq} (X - Y)^2."""
    if not part.axes or part.bracket or not isinstance(part.arguments[0], Scripts):
        return False
    return report.text(part.arguments[0].span).removeprefix("\\left").startswith("(")


def _reach(part: Call, report: Report) -> None:
    name, argument = getattr(part.function, "text", "the function"), part.arguments[0]
    written = report.text(argument.span)
    report.add(
        "note",
        "reach",
        argument.span,
        f"{name} reaches over the power: it is the {name} of {written}",
        hint=f"for the power of the {name}, put brackets around it: \\left( ... \\right)^2",
    )


def _function_of(part: Expression) -> str | None:
    """Name the function that a part applies without its axes."""
    if isinstance(part, Call) and _lacks_axes(part) and isinstance(part.function, Letter):
        return part.function.text
    return None


def _lacks_axes(part: Call) -> bool:
    function, count = part.function, len(part.arguments)
    if part.axes or not isinstance(function, Letter) or function.style != "word":
        return False
    word = word_of(function.text)
    if word is None or word.along is None:
        return False
    return count == 1 if word.or_several else count > 0


def no_axis(part: Expression, report: Report, dialect: Dialect, type_: Type | None) -> None:
    """Report a function, or a sum, that acts along axes without naming them."""
    axes = ["ax"] if type_ is None or not type_.axes else [type_.names[-1]]
    if isinstance(part, Call):
        span, name = part.function.span, getattr(part.function, "text", "the function")
        hint = f"write its axes under it: {dialect.function(name, axes)}"
    else:
        span, name = part.span, f"\\{part.op}" if isinstance(part, Big) else report.text(part.span)
        hint = f"write its axes below it: {name}_{{{dialect.axis(axes[0])}}}"
    if report.has("undefined", span) or all_of(Matrix, part):
        return
    message = f"{name} acts along axes, and none is named"
    report.add("error", "no-axis", span, message, hint=hint)
