"""Explain the errors of shape rules in the words of the formula, with its parts and their shapes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

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
from namedtensor.latex.check.report import listed, shape_text
from namedtensor.latex.check.symbols import Symbols
from namedtensor.latex.evaluation.hints import in_notation
from namedtensor.latex.findings import Mend
from namedtensor.latex.syntax import (
    At,
    AxisName,
    Big,
    Binary,
    Call,
    Contract,
    Expression,
    Indexed,
    Renaming,
)
from namedtensor.primitives import Type

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
                _hint(symbols, type_, axis),
                _slip(symbols, axis, _named(type_)),
            )
    return None


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
