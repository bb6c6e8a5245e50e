"""What an evaluation of the document's formulas runs into, as findings."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from namedtensor.errors import AxisNameError, NamedTensorError
from namedtensor.latex.check.annotations import no_axis as names_no_axis
from namedtensor.latex.check.report import size_text
from namedtensor.latex.check.shapes import split_type
from namedtensor.latex.documents.scripts import key
from namedtensor.latex.evaluation.values import UNKNOWN, Value
from namedtensor.latex.evaluation.vocabulary import word_of
from namedtensor.latex.printing.dialects import REALS
from namedtensor.latex.syntax import Binary, Call, Contract, Expression, Letter
from namedtensor.shape import sized

if TYPE_CHECKING:
    from namedtensor.latex.check.checker import Checker


def failed(checker: Checker, where: Expression, error: NamedTensorError) -> Value:
    """Report what a shape rule refuses."""
    if isinstance(where, (Contract, Binary)) and sizes_meet(checker, where):
        return UNKNOWN
    if isinstance(error, AxisNameError) and checker.report.has("repeated", where.span):
        return UNKNOWN
    split = split_type(checker, where, error)
    if split is not None:
        return checker.stand_in(split)
    words = checker.explainer.explain(where, error)
    span = words.span or where.span
    checker.report.add(
        "error", words.code, span, words.message, words.shapes, words.hint, words.mend
    )
    return UNKNOWN


def undefined(checker: Checker, where: Expression) -> None:
    """Report a name that stands for nothing."""
    if not _is_notation(checker, where) or checker.occurrences.in_prose(where):
        return
    text = checker.report.text(where.span)
    space = checker.dialect.space(REALS, [("ax", "")])
    word = isinstance(where, Letter) and where.style == "word"
    checker.report.add(
        "error",
        "undefined",
        where.span,
        f"{text} is neither declared nor defined",
        hint=f"say what it is: {text}(X) = ..., or is it spelt otherwise?"
        if word
        else f"declare it, {text} \\in {space}, or say what it is: {text} = ...",
    )


def _is_notation(checker: Checker, where: Expression) -> bool:
    """Say whether a name stands in a block that names axes: E = mc^2 does not."""
    place = checker.occurrences.place_of(where.span)
    return place is not None and place.block in checker.occurrences.blocks


def no_axis(checker: Checker, where: Expression) -> Value:
    """Report a function that needs axes; go on as if it named the only axis of its operand."""
    if isinstance(where, Call) and key(where.function) in checker.occurrences.functions:
        return UNKNOWN
    type_ = checker.type_of(where.arguments[0]) if isinstance(where, Call) else None
    names_no_axis(where, checker.report, checker.dialect, type_)
    if type_ is None or not isinstance(where, Call) or len(type_.axes) > 1:
        return UNKNOWN
    word = word_of(where.function.text) if isinstance(where.function, Letter) else None
    X = checker.stand_in(type_)
    if not type_.axes or word is None or word.along is None:
        return X
    try:
        return cast(Value, word.along[sized(type_.names[0], None)](X))
    except (NamedTensorError, TypeError):
        return UNKNOWN  # it takes more than an axis and an operand


def wrong_arguments(checker: Checker, where: Expression, error: NamedTensorError) -> None:
    """Report a function that is given too few arguments, or too many."""
    checker.report.add(
        "error",
        "arguments",
        where.span,
        error.why,
        checker.explainer.shapes(where.arguments if isinstance(where, Call) else ()),
        error.hint,
    )


# --------------------------------------------------------------------------------- sizes that meet


def sizes_meet(checker: Checker, where: Contract | Binary) -> bool:
    """Compare the sizes of the axes that two operands share; say whether a fault was found."""
    left, right = checker.type_of(where.left), checker.type_of(where.right)
    if left is None or right is None:
        return False
    for axis, size in left.axes:
        if not right.has(axis):
            continue
        other = right.size(axis)
        found = checker.facts.mismatch(size, other, axis)
        if found is None:
            continue
        (severity, only), text = found, checker.report.text
        checker.report.add(
            severity,
            "axis-size",
            where.span,
            f"{axis} is {size_text(size)} in {text(where.left.span)} and {size_text(other)} in "
            f"{text(where.right.span)}{only}",
            checker.explainer.shapes([where.left, where.right]),
            f"declare one size for both, or rename one {axis}",
        )
        return True
    return False
