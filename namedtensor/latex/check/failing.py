"""Turn the failures of an evaluation into findings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from namedtensor.axes import shown
from namedtensor.errors import (
    AxisClashError,
    AxisMissingError,
    AxisNameError,
    AxisSizeError,
    IndexRangeError,
    KindError,
    NamedTensorError,
    nearest,
)
from namedtensor.latex.check.annotations import alike
from namedtensor.latex.check.annotations import no_axis as names_no_axis
from namedtensor.latex.check.report import listed, shape_text, size_text
from namedtensor.latex.check.symbols import Symbols
from namedtensor.latex.documents.scripts import key
from namedtensor.latex.evaluation.hints import in_notation
from namedtensor.latex.evaluation.values import UNKNOWN, Value
from namedtensor.latex.evaluation.vocabulary import word_of
from namedtensor.latex.findings import Mend
from namedtensor.latex.printing.dialects import REALS
from namedtensor.latex.reading.quantities import is_named, is_small
from namedtensor.latex.reading.ranges import indices_of
from namedtensor.latex.reading.spoken import names_of
from namedtensor.latex.source import Span
from namedtensor.latex.syntax import (
    At,
    AxisName,
    Bars,
    Big,
    Binary,
    Call,
    Contract,
    Expression,
    Indexed,
    Letter,
    Number,
    Renaming,
    Scripts,
    Text,
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
    bare = where
    if isinstance(where, Scripts) and where.sub is None:
        given = {*symbols.names.declared, *symbols.names.defined}
        heads = {re.split(r"[_^]", text)[0] for text in given}
        second = isinstance(where.base, Letter) and where.base.text in heads  # beside a W^1
        if is_small(where.base) or not second:
            bare = where.base
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
        or (isinstance(where.sub, Text) and not where.sub.text.isalnum())  # a margin
    ):
        return ""
    declared = symbols.declaration(where.base, place)
    if declared is None or not declared.space.axes or where.primes:
        return ""
    text, axes = symbols.report.text, [*declared.space.names]
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


# ---------------------------------------------------------------- what a shape rule refuses, in words


#: The code of a finding, by the class of the error.
CODES: tuple[tuple[type[NamedTensorError], str], ...] = (
    (AxisMissingError, "axis-missing"),
    (AxisSizeError, "axis-size"),
    (AxisClashError, "axis-clash"),
    (IndexRangeError, "index-range"),
    (AxisNameError, "repeated"),
)

#: The messages of Python's errors in arithmetic.
NO_VALUE = frozenset(("math domain error", "division by zero"))


@dataclass(slots=True)
class Words:
    """The text of a finding about a part."""

    code: str
    message: str
    shapes: list[tuple[str, str]] = field(default_factory=list)
    hint: str = ""
    mend: Mend | None = None


def explained(symbols: Symbols, where: Expression, error: NamedTensorError) -> Words:
    """Explain why a shape rule refuses a part, in the terms of the notation."""
    words = None
    if isinstance(error, AxisMissingError):
        words = _missing(symbols, where)
    elif isinstance(error, AxisClashError) and isinstance(where, Indexed):
        words = _clash(symbols, where)
    return words or _general(symbols, where, error)


def shapes_of(symbols: Symbols, parts: Iterable[Any]) -> list[tuple[str, str]]:
    """Write the shapes of those parts that are tensors."""
    types = [(symbols.report.text(p.span), symbols.type_of(p)) for p in parts]
    return [(text, shape_text(t)) for text, t in types if t is not None and not t.host]


# ---------------------------------------------------------------------------------- a missing axis


def _missing(symbols: Symbols, where: Expression) -> Words | None:
    """Say which axis an operand lacks."""
    if isinstance(where, (Contract, Binary)):
        return _contraction(symbols, where)
    if isinstance(where, Big):
        operand, uses = where.body, [(a, f"{where.op} acts over {a.name}") for a in where.axes]
    elif isinstance(where, Call) and where.arguments:
        operand, name = where.arguments[0], _plain(symbols.report.text(where.function.span))
        uses = [(a, f"{name} acts over {a.name}") for a in where.axes]
    elif isinstance(where, Indexed):
        operand, verbs = where.base, {True: "is renamed", False: "is indexed"}
        uses = [
            (a, f"{a.name} {verbs[isinstance(item, Renaming)]}")
            for item in where.items
            for a in needed(item)
        ]
    else:
        return None
    type_, text = symbols.type_of(operand), symbols.report.text(operand.span)
    for axis, use in uses:
        if type_ is not None and not type_.has(axis.name):
            return Words(
                "axis-missing",
                f"{use}, and {text} has no axis {axis.name}",
                shapes_of(symbols, [operand]),
                _wider(symbols, where, operand, axis) or _hint(symbols, type_, axis),
                _slip(symbols, axis, _named(type_)),
            )
    return None


def _wider(symbols: Symbols, where: Expression, operand: Expression, axis: AxisName) -> str:
    r"""Say that \text{softmax} X W acts on X alone, where the axis is one of W."""
    if not isinstance(where, Call) or where.bracket:
        return ""
    start, text = where.span.start, symbols.report.text
    defined = symbols.names.definitions
    around = [d.body for d in defined if d.statement.span.holds(where.span)]
    wholes: list[Contract | Binary] = [
        *all_of(Contract, tuple(around)),
        *all_of(Binary, tuple(around)),
    ]
    for part in wholes:
        more = part.span.start == start and part.span.end > where.span.end
        names = names_of(part.right) if more else ()
        given = [d for name in names for d in symbols.names.declared.get(key(name) or "", ())]
        if any(axis.name in d.space.names for d in given):
            head = text(Span(start, operand.span.start)).strip()
            whole = text(Span(operand.span.start, part.span.end))
            return rf"put brackets around all that it acts on: {head} \left( {whole} \right)"
    return ""


def _named(type_: Type) -> list[str]:
    """List the axes of a shape without those of bound indices, which a document cannot name."""
    return [name for name in type_.names if name == shown(name)]


def _hint(symbols: Symbols, type_: Type, axis: AxisName) -> str:
    """Write a hint with the axes that may be meant."""
    own = _named(type_)
    guess = close(axis.name, own)
    if guess:
        return f"did you mean {symbols.dialect.axis(guess)}?"
    if not own:
        return "all its axes are used up already; leave the function out, or act earlier"
    names = [symbols.dialect.axis(n) for n in own]
    return f"write an axis that it has: {listed(names, 'or')}"


def _contraction(symbols: Symbols, where: Contract | Binary) -> Words | None:
    parts = [where.left, where.right]
    types = [symbols.type_of(p) for p in parts]
    texts = [symbols.report.text(p.span) for p in parts]
    for axis in where.axes:
        without = [text for text, t in zip(texts, types, strict=True) if t and not t.has(axis.name)]
        if without:
            has = "has" if len(without) == 1 else "have"
            common = _common(types, where.axes)
            return Words(
                "axis-missing",
                f"contraction over {axis.name}, and {listed(without)} {has} no axis {axis.name}",
                shapes_of(symbols, parts),
                _contraction_hint(symbols, parts, texts, axis, common),
                _slip(symbols, axis, common),
            )
    return None


def _common(types: Sequence[Type | None], used: Sequence[AxisName]) -> list[str]:
    """List the axes that both operands have and that are not contracted yet."""
    left, right = types
    if left is None or right is None:
        return []
    named = {axis.name for axis in used}
    return [n for n in _named(left) if n not in named and right.has(n)]


def _contraction_hint(
    symbols: Symbols,
    parts: Sequence[Expression],
    texts: Sequence[str],
    axis: AxisName,
    common: Sequence[str],
) -> str:
    guess = close(axis.name, common) or (common[0] if len(common) == 1 else None)
    if guess:
        sums = [isinstance(p, Binary) and p.op in ("+", "-") for p in parts]
        left, right = [f"({t})" if total else t for t, total in zip(texts, sums, strict=True)]
        return f"both have {guess}: {left} {symbols.dialect.dot([guess])} {right}"
    if common:
        return f"both have {listed(common)}; write the one that you mean under the dot"
    return f"declare {axis.name} where it is missing, or contract over an axis that both have"


def _slip(symbols: Symbols, axis: AxisName, meant: Iterable[str]) -> Mend | None:
    """Mend an axis that is named only here, if exactly one name fits and looks like it."""
    fits = [n for n in meant if alike(axis.name, n) or close(axis.name, [n]) is not None]
    if len(fits) == 1 and symbols.occurrences.is_alone(axis):
        return Mend(axis.span, symbols.dialect.axis(fits[0]))
    return None


# --------------------------------------------------------------------------------- other failures


def _clash(symbols: Symbols, where: Indexed) -> Words | None:
    type_ = symbols.type_of(where.base)
    if type_ is None:
        return None
    base = symbols.report.text(where.base.span)
    renamings = [item for item in where.items if isinstance(item, Renaming)]
    gone = {a.name for item in renamings for a in needed(item)}
    for name in [axis.axis.name for item in renamings for axis in item.after]:
        if type_.has(name) and name not in gone:
            return Words(
                "axis-clash",
                f"{base} has an axis {name} already, and no tensor has one axis twice",
                shapes_of(symbols, [where.base]),
                f"rename the first one away: {symbols.dialect.renamed(base, name, name + chr(39))}",
            )
    return None


def _general(symbols: Symbols, where: Expression, error: NamedTensorError) -> Words:
    if error.why in NO_VALUE:
        text = symbols.report.text(where.span)
        return Words("nan", f"{text} has no value among the real numbers")
    if isinstance(error, KindError) and " index " in error.why:
        return Words("index-type", error.why, list(error.operands), error.hint)
    code = next((code for kind, code in CODES if isinstance(error, kind)), "refused")
    shapes = shapes_of(symbols, _operands(where)) or list(error.operands)
    return Words(code, error.why, shapes, in_notation(error.hint))


def close(name: str, names: Iterable[str]) -> str | None:
    """Find the axis that is most like a mistyped one.

    >>> close("kye", ["key", "seq"]), close("depth", ["width"])
    ('key', None)
    """
    return nearest(name, names, 0.65)


def needed(item: At | Renaming) -> list[AxisName]:
    """Give the axes that a tensor must have for an index or a renaming."""
    return [item.axis] if isinstance(item, At) else [sized.axis for sized in item.before]


def acts_along(part: Expression) -> list[str]:
    """List the axes that a part itself acts along: those below it, and indexed or renamed ones."""
    items = part.items if isinstance(part, Indexed) else ()
    axes = [*getattr(part, "axes", ()), *[axis for item in items for axis in needed(item)]]
    return [axis.name for axis in axes]


def _operands(where: Expression) -> list[Any]:
    if isinstance(where, (Contract, Binary)):
        return [where.left, where.right]
    if isinstance(where, Call):
        return [*where.arguments, *where.parameters]
    if isinstance(where, Indexed):
        return [where.base]
    if isinstance(where, Big):
        return [where.body]
    return []


def _plain(name: str) -> str:
    """Give the plain word of a function: softmax for \\text{softmax}."""
    inner = name.rstrip("}").rpartition("{")[2]
    return inner.lstrip("\\") or name
