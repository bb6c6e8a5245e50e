"""Turn the failures of an evaluation into findings."""

from __future__ import annotations

from typing import Any, cast

from namedtensor.errors import AxisNameError, AxisSizeError, NamedTensorError
from namedtensor.latex.check.annotations import no_axis as names_no_axis
from namedtensor.latex.check.report import listed, size_text
from namedtensor.latex.check.shapes import explained, needed, shapes_of
from namedtensor.latex.check.symbols import Symbols
from namedtensor.latex.documents.scripts import key
from namedtensor.latex.evaluation.values import UNKNOWN, Value
from namedtensor.latex.evaluation.vocabulary import word_of
from namedtensor.latex.printing.dialects import REALS
from namedtensor.latex.reading.quantities import is_named, is_small
from namedtensor.latex.reading.ranges import indices_of
from namedtensor.latex.syntax import (
    At,
    Bars,
    Binary,
    Call,
    Contract,
    Expression,
    Indexed,
    Letter,
    Number,
    Renaming,
    Scripts,
    Unary,
)
from namedtensor.latex.walk import all_of, walk
from namedtensor.primitives import Type
from namedtensor.shape import sized


def failed(symbols: Symbols, where: Expression, error: NamedTensorError) -> Value:
    """Report a part that a shape rule refuses."""
    if isinstance(where, (Contract, Binary)) and sizes_meet(symbols, where):
        return UNKNOWN
    if isinstance(error, AxisNameError) and symbols.report.has("repeated", where.span):
        return UNKNOWN
    split = split_type(symbols, where, error)
    if split is not None:
        return symbols.stand_in(split)
    words = explained(symbols, where, error)
    symbols.report.add(
        "error", words.code, where.span, words.message, words.shapes, words.hint, words.mend
    )
    return UNKNOWN


def not_followed(symbols: Symbols, where: Expression, error: NamedTensorError) -> None:
    """Note a part that has no meaning in the notation, and is therefore not checked."""
    if _is_notation(symbols, where):
        message = f"not checked: {error.why}"
        symbols.report.note("not-notation", where.span, message, hint=error.hint)


def undefined(symbols: Symbols, where: Expression) -> Value:
    """Report an undefined name; note one that only prose names."""
    text = symbols.report.text(where.span)
    if any(is_named(text, line) for line in symbols.report.unread_lines()):
        return UNKNOWN  # a line that could not be read may define it
    beside = _told_apart(symbols, where)
    if beside:
        message = f"{text} is not defined: the document has {listed(beside)}"
        hint = f"write one of these, or define it: {text} = ..."
        symbols.report.error("undefined", where.span, message, hint=hint)
        return UNKNOWN
    squared = isinstance(where, Scripts) and where.sub is None and is_small(where.base)
    bare = where.base if squared and isinstance(where, Scripts) else where
    if symbols.occurrences.in_prose(bare):
        text = symbols.report.text(bare.span)
        axis = _axis_indexed(symbols, where)
        said = f"a number is declared so: {text} \\in {symbols.dialect.space(REALS, [])}"
        symbols.report.note(
            "undefined",
            where.span,
            f"not checked: the text names {text}, and nothing that is read says what it is",
            hint=f"an index is declared so: {text} \\in [|{symbols.dialect.axis(axis)}|]"
            if axis
            else said,
        )
        return UNKNOWN
    if _is_power(where):
        text = symbols.report.text(bare.span)
    symbols.report.error(
        "undefined",
        where.span,
        f"{text} is neither declared nor defined",
        hint=_what_to_say(symbols, where, text),
    )
    return UNKNOWN


def _told_apart(symbols: Symbols, where: Expression) -> list[str]:
    """List the functions of the same letter, p(x | z) and p(z), for a use that fits none of them."""
    head, bracket, _ = where.text.partition("(") if isinstance(where, Letter) else ("", "", "")
    alike = [d for d in symbols.names.definitions if d.key.partition("(")[0] == head]
    made: list[Any] = [symbols.names.statements[d.place.index] for d in alike if bracket]
    return [symbols.report.text(statement.target.span) for statement in made]


def _what_to_say(symbols: Symbols, where: Expression, text: str) -> str:
    """Write the hint for an undefined name: how to define it, or what to write instead."""
    base = where.base if isinstance(where, Scripts) else where
    if not isinstance(base, Letter):
        return "it is no name: write what it computes, or define a letter for it, Z = ..."
    if base.text == "E" and base.style == "word":
        return f"a mean names its axis, \\underset{{\\text{{ax}}}}{{{text}}}; else define it: {text}(X) = ..."
    if isinstance(where, Letter) and where.style == "word":
        return f"say what it is: {text}(X) = ..., or is it spelt otherwise?"
    if base.text in ("I", "Ibold") and base is where:
        first, second = [symbols.dialect.axis(name) for name in ("ax", "ax'")]
        return f"name the axes of an identity: {text}_{{{first}, {second}}}"
    if base.text in ("0", "1"):
        return rf"name its axes: {text}_{{{symbols.dialect.axis('ax')}}}"
    said = _as_element(symbols, where)
    if said:
        return said
    if _is_power(where):
        number = symbols.dialect.space(REALS, [])
        return f"declare {text}, as a number {text} \\in {number}, or say what it is: {text} = ..."
    space = symbols.dialect.space(REALS, [("ax", "")])
    return f"declare it, {text} \\in {space}, or say what it is: {text} = ..."


def _is_power(where: Expression) -> bool:
    r"""Say whether the exponent belongs to no name: x^2, \gamma^{s-t}; W^2 is the name of a second W."""
    return (
        isinstance(where, Scripts)
        and where.sub is None
        and is_small(where.base)
        and isinstance(where.sup, (Number, Binary, Unary))
    )


def _axis_indexed(symbols: Symbols, where: Expression) -> str:
    """Give the axis that a name indexes; "" if it is no index."""
    place = symbols.occurrences.place_of(where.span)
    statement = () if place is None else symbols.names.statements[place.index]
    return next((item.axis.name for item in all_of(At, statement) if item.at is where), "")


def _as_element(symbols: Symbols, where: Expression) -> str:
    """Write the hint for an undefined g_t if g is declared with axes: how to write an element of g."""
    place = symbols.occurrences.place_of(where.span)
    if (
        place is None
        or not isinstance(where, Scripts)
        or where.sub is None
        or where.sup is not None
    ):
        return ""
    declared = symbols.declaration(where.base, place)
    if declared is None or not declared.space.axes or where.primes:
        return ""
    text, axes = symbols.report.text, [a.axis.name for a in declared.space.axes]
    name, places = text(where.base.span), indices_of(where.sub, len(axes)) or (where.sub,)
    at = [symbols.dialect.at(a, text(i.span)) for a, i in zip(axes, places, strict=False)]
    along = "is" if len(at) == len(axes) > 1 else f"along {listed(axes[: len(at)])} is"
    return f"{name} is declared, and its element {along} {name}_{{{', '.join(at)}}}"


def _is_notation(symbols: Symbols, where: Expression) -> bool:
    """Say whether a part has axes, or is in a block that names axes, unlike E = mc^2."""
    place = symbols.occurrences.place_of(where.span)
    named = place is not None and place.block in symbols.occurrences.blocks
    return named or any(t.axes for p in walk(where) if (t := symbols.type_of(p)) is not None)


def no_axis(symbols: Symbols, where: Expression) -> Value:
    """Report a function that needs axes; if its operand has one axis, go on with that."""
    if isinstance(where, Call) and key(where.function) in symbols.occurrences.functions:
        return UNKNOWN
    given: tuple[Any, ...] = (where.operand,) if isinstance(where, Bars) else ()
    if isinstance(where, Call):
        given = where.arguments
    type_ = symbols.type_of(given[0]) if given else None
    names_no_axis(where, symbols.report, symbols.dialect, type_)
    if type_ is None or not isinstance(where, Call) or len(type_.axes) > 1:
        return UNKNOWN
    word = word_of(where.function.text) if isinstance(where.function, Letter) else None
    X = symbols.stand_in(type_)
    if not type_.axes or word is None or word.along is None:
        return X
    try:
        return cast(Value, word.along[sized(type_.names[0], None)](X))
    except (NamedTensorError, TypeError):
        return UNKNOWN  # this function needs more than an axis and an operand


def wrong_arguments(symbols: Symbols, where: Expression, error: NamedTensorError) -> None:
    """Report a function that has too few arguments, or too many."""
    symbols.report.error(
        "arguments",
        where.span,
        error.why,
        shapes_of(symbols, where.arguments if isinstance(where, Call) else ()),
        error.hint,
    )


def split_type(symbols: Symbols, where: Expression, error: NamedTensorError) -> Type | None:
    """Give the shape of X_{a -> (b, c)} if the renaming does not state the sizes of b and c."""
    if not isinstance(error, AxisSizeError) or not isinstance(where, Indexed):
        return None
    type_ = symbols.type_of(where.base)
    if type_ is None or not all(isinstance(item, Renaming) for item in where.items):
        return None
    axes = dict(type_.axes)
    for item in where.items:
        if isinstance(item, Renaming):
            if len(item.after) < 2 or any(n.name not in axes for n in needed(item)):
                return None
            del axes[item.before[0].axis.name]
            axes |= {a.axis.name: symbols.size_symbol(f"|{a.axis.name}|").node for a in item.after}
    return type_.with_axes(axes.items())


# --------------------------------------------------------------------------------- sizes that meet


def sizes_meet(symbols: Symbols, where: Contract | Binary) -> bool:
    """Compare the sizes of the axes that two operands share; say whether a fault was reported."""
    left, right = symbols.type_of(where.left), symbols.type_of(where.right)
    if left is None or right is None:
        return False
    for axis, size in left.axes:
        if not right.has(axis):
            continue
        other = right.size(axis)
        found = symbols.facts.mismatch(size, other, axis)
        if found is None or symbols.is_of_a_copy(size, other) or symbols.is_of_a_copy(other, size):
            continue
        (severity, only), text = found, symbols.report.text
        symbols.report.add(
            severity,
            "axis-size",
            where.span,
            f"{axis} is {size_text(size)} in {text(where.left.span)} and {size_text(other)} in "
            f"{text(where.right.span)}{only}",
            shapes_of(symbols, [where.left, where.right]),
            f"declare one size for both, or rename one {axis}",
        )
        return True
    return False
