"""Put what a shape rule refuses into the words of the formula: its parts as written, and their shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from namedtensor.errors import (
    AxisClashError,
    AxisMissingError,
    AxisNameError,
    AxisSizeError,
    IndexRangeError,
    KindError,
    NamedTensorError,
)
from namedtensor.latex.check.annotations import alike
from namedtensor.latex.check.report import Report, listed, shape_text
from namedtensor.latex.findings import Mend
from namedtensor.latex.printing.dialects import Dialect
from namedtensor.latex.source import Span
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

#: The code of a rule that refuses, by its error.
CODES: tuple[tuple[type[NamedTensorError], str], ...] = (
    (AxisMissingError, "axis-missing"),
    (AxisSizeError, "axis-size"),
    (AxisClashError, "axis-clash"),
    (IndexRangeError, "index-range"),
    (AxisNameError, "repeated"),
)

#: What Python says of numbers that have no value.
NO_VALUE = frozenset(("math domain error", "division by zero"))

#: Gives the type of a part that has been looked at; None where it is unknown.
Look = Callable[[Any], Type | None]


@dataclass(slots=True)
class Words:
    """What is to be said of a part."""

    code: str
    message: str
    shapes: list[tuple[str, str]] = field(default_factory=list)
    hint: str = ""
    span: Span | None = None
    mend: Mend | None = None


class Explainer:
    """Finds the words for a part that a shape rule refuses.

    `alone(axis)` says that the document names an axis at this one place only: surely a slip.
    """

    def __init__(
        self, report: Report, dialect: Dialect, look: Look, alone: Callable[[AxisName], bool]
    ) -> None:
        self.report = report
        self.dialect = dialect
        self.look = look
        self.alone = alone

    def explain(self, where: Expression, error: NamedTensorError) -> Words:
        """Say what is wrong with a part, in the notation's terms."""
        words = None
        if isinstance(error, AxisMissingError):
            words = self._missing(where)
        elif isinstance(error, AxisClashError) and isinstance(where, Indexed):
            words = self._clash(where)
        return words or self._general(where, error)

    def shapes(self, parts: Iterable[Any]) -> list[tuple[str, str]]:
        """Give the shapes of parts that are tensors."""
        types = [(self.report.text(p.span), self.look(p)) for p in parts]
        return [(text, shape_text(t)) for text, t in types if t is not None and not t.host]

    # ------------------------------------------------------------------------- a missing axis

    def _missing(self, where: Expression) -> Words | None:
        if isinstance(where, Contract):
            return self._contraction(where, (where.left, where.right))
        if isinstance(where, Binary) and where.axes:
            return self._contraction(where, (where.left, where.right))
        if isinstance(where, Big) and where.axes:
            return self._reduction(where, f"\\{where.op}", where.axes, where.body)
        if isinstance(where, Call) and where.axes and where.arguments:
            name = self.report.text(where.function.span)
            return self._reduction(where, name, where.axes, where.arguments[0])
        if isinstance(where, Indexed):
            return self._index(where)
        return None

    def _contraction(self, where: Contract | Binary, parts: Sequence[Expression]) -> Words | None:
        types = [self.look(p) for p in parts]
        for axis in where.axes:
            without = [p for p, t in zip(parts, types, strict=True) if t and not t.has(axis.name)]
            if without:
                who = listed([self.report.text(p.span) for p in without])
                has = "has" if len(without) == 1 else "have"
                common = self._common(types, where.axes)
                slip = self._slip(axis, common)
                return Words(
                    "axis-missing",
                    f"contraction over {axis.name}, and {who} {has} no axis {axis.name}",
                    self.shapes(parts),
                    self._contraction_hint(parts, axis, common),
                    mend=slip,
                )
        return None

    @staticmethod
    def _common(types: Sequence[Type | None], used: Sequence[AxisName]) -> list[str]:
        """List the axes that all operands have and that are not contracted yet."""
        if any(t is None for t in types):
            return []
        first, *rest = [t for t in types if t is not None]
        named = {axis.name for axis in used}
        return [n for n in first.names if n not in named and all(t.has(n) for t in rest)]

    def _contraction_hint(
        self, parts: Sequence[Expression], axis: AxisName, common: Sequence[str]
    ) -> str:
        left, right = [self.report.text(p.span) for p in parts]
        dialect = self.dialect
        guess = close(axis.name, common) or (common[0] if len(common) == 1 else None)
        if guess:
            return f"both have {guess}: {left} {dialect.dot([guess])} {right}"
        if common:
            return f"both have {listed(common)}; write the one that you mean under the dot"
        return f"declare {axis.name} where it is missing, or contract over an axis that both have"

    def _reduction(
        self, where: Expression, name: str, axes: Sequence[AxisName], operand: Expression
    ) -> Words | None:
        type_ = self.look(operand)
        if type_ is None:
            return None
        for axis in axes:
            if not type_.has(axis.name):
                text = self.report.text(operand.span)
                return Words(
                    "axis-missing",
                    f"{_plain(name)} acts over {axis.name}, and {text} has no axis {axis.name}",
                    self.shapes([operand]),
                    self._reduction_hint(type_, axis),
                    mend=self._slip(axis, type_.names),
                )
        return None

    def _reduction_hint(self, type_: Type, axis: AxisName) -> str:
        guess = close(axis.name, type_.names)
        if guess:
            return f"did you mean {self.dialect.axis(guess)}?"
        if not type_.axes:
            return "all its axes are used up already; leave the function out, or act earlier"
        names = [self.dialect.axis(n) for n in type_.names]
        return f"write an axis that it has: {listed(names, 'or')}"

    def _index(self, where: Indexed) -> Words | None:
        type_ = self.look(where.base)
        if type_ is None:
            return None
        base = self.report.text(where.base.span)
        for item in where.items:
            for axis in needed(item):
                if not type_.has(axis.name):
                    what = "is renamed" if isinstance(item, Renaming) else "is indexed"
                    return Words(
                        "axis-missing",
                        f"{axis.name} {what}, and {base} has no axis {axis.name}",
                        self.shapes([where.base]),
                        self._reduction_hint(type_, axis),
                        mend=self._slip(axis, type_.names),
                    )
        return None

    def _slip(self, axis: AxisName, meant: Iterable[str]) -> Mend | None:
        """Mend a name that is written here only, and is almost the one name that fits."""
        fits = [n for n in meant if alike(axis.name, n) or close(axis.name, [n]) is not None]
        if len(fits) == 1 and self.alone(axis):
            return Mend(axis.span, self.dialect.axis(fits[0]))
        return None

    # ------------------------------------------------------------------------- other failures

    def _clash(self, where: Indexed) -> Words | None:
        type_ = self.look(where.base)
        if type_ is None:
            return None
        base = self.report.text(where.base.span)
        gone = {a.name for i in where.items if isinstance(i, Renaming) for a in needed(i)}
        for item in where.items:
            for axis in item.after if isinstance(item, Renaming) else ():
                name = axis.axis.name
                if type_.has(name) and name not in gone:
                    return Words(
                        "axis-clash",
                        f"{base} has an axis {name} already, and no tensor has one axis twice",
                        self.shapes([where.base]),
                        f"rename the first one away: {self.dialect.renamed(base, name, name + chr(39))}",
                    )
        return None

    def _general(self, where: Expression, error: NamedTensorError) -> Words:
        if error.why in NO_VALUE:
            return Words(
                "nan", f"{self.report.text(where.span)} has no value among the real numbers"
            )
        if isinstance(error, KindError) and " index " in error.why:
            return Words("index-type", error.why, list(error.operands), error.hint)
        code = next((code for kind, code in CODES if isinstance(error, kind)), "refused")
        shapes = self.shapes(_operands(where)) or list(error.operands)
        return Words(code, error.why, shapes, "" if _is_python(error.hint) else error.hint)


def _is_python(hint: str) -> bool:
    """Say whether a hint speaks to someone who writes Python."""
    return "nt." in hint or "[" in hint or ">>" in hint


def close(name: str, names: Iterable[str]) -> str | None:
    """Find the axis that a slip most likely meant.

    >>> close("kye", ["key", "seq"]), close("depth", ["width"])
    ('key', None)
    """
    found = get_close_matches(name, list(names), n=1, cutoff=0.65)
    return found[0] if found else None


def needed(item: At | Renaming) -> list[AxisName]:
    """Give the axes that a tensor must have to be indexed or renamed so."""
    return [item.axis] if isinstance(item, At) else [sized.axis for sized in item.before]


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
    """Give the word of a function: softmax for \\text{softmax}."""
    inner = name.rstrip("}").rpartition("{")[2]
    return inner.lstrip("\\") or name
