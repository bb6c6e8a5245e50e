"""Calls against definitions: how many arguments, over which axes, of which sizes.

A function's own sizes are open to its callers: FFN declared over emb:d_model takes emb:512. One size
has one value in a call; axes that an argument does not declare pass through.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from namedtensor.latex.check.report import Report
from namedtensor.latex.check.sizes import Facts
from namedtensor.latex.check.words import Dialect, is_own_size, listed, shape_text, size_text
from namedtensor.latex.source import Span
from namedtensor.primitives import Node, Type
from namedtensor.primitives.node import SIZE, apply_node
from namedtensor.primitives.primitive import table
from namedtensor.primitives.sizes import OPERATORS, as_node, combine


@dataclass(slots=True)
class Callee:
    """What is known of a function: its name, the shapes that it takes, and the one that it gives."""

    name: str
    arguments: list[tuple[str, Type | None]]
    result: Type | None = None


@dataclass(slots=True)
class Given:
    """An argument of a call: how and where it is written, and its shape."""

    text: str
    span: Span
    type: Type | None


class CallCheck:
    """One call, held against its function."""

    def __init__(self, callee: Callee, report: Report, facts: Facts, dialect: Dialect) -> None:
        self.callee = callee
        self.report = report
        self.facts = facts
        self.dialect = dialect
        #: a size of the function -> (its size here, the argument that gave it)
        self.bound: dict[str, tuple[Any, str]] = {}
        self.extra: dict[str, Any] = {}
        self.fine = True

    def check(self, span: Span, given: Sequence[Given]) -> Type | None:
        """Check a call and give the shape of its result; None where it is unknown."""
        if not self._count(span, given):
            return None
        for (name, declared), argument in zip(self.callee.arguments, given, strict=True):
            if declared is None or declared.host:
                self._unknown(argument)
            elif argument.type is None:
                self.fine = False
            else:
                self._argument(name, declared, argument)
        result = self.callee.result
        return self._result(result) if self.fine and result is not None else None

    def _count(self, span: Span, given: Sequence[Given]) -> bool:
        wanted = [name for name, _ in self.callee.arguments]
        if len(given) == len(wanted):
            return True
        one = "argument" if len(wanted) == 1 else "arguments"
        are = "is" if len(given) == 1 else "are"
        self.report.add(
            "error",
            "arguments",
            span,
            f"{self.callee.name} takes {len(wanted)} {one}, {listed(wanted)}, and {len(given)} {are} "
            "given",
            [(g.text, shape_text(g.type)) for g in given if g.type is not None],
            f"write {self.callee.name}({', '.join(wanted)})",
        )
        return False

    def _unknown(self, argument: Given) -> None:
        """Let the axes of an argument of which nothing is declared pass through."""
        if argument.type is None:
            self.fine = False
        elif not argument.type.host:
            for axis, size in argument.type.axes:
                self.extra.setdefault(axis, size)

    # ------------------------------------------------------------------------- one argument

    def _argument(self, name: str, declared: Type, argument: Given) -> None:
        assert argument.type is not None
        of = f"{name} of {self.callee.name}"
        shapes = [(argument.text, shape_text(argument.type)), (of, shape_text(declared))]
        for axis, size in declared.axes:
            if not argument.type.has(axis):
                self._missing(axis, name, argument, shapes)
                return
            self._size(axis, size, argument.type.size(axis), name, argument, shapes)
        for axis, size in argument.type.axes:
            if not declared.has(axis):
                self.extra.setdefault(axis, size)
                self._clash(axis, argument, shapes)

    def _missing(
        self, axis: str, name: str, argument: Given, shapes: list[tuple[str, str]]
    ) -> None:
        assert argument.type is not None
        self.fine = False
        others = [n for n in argument.type.names if not self._declares(n)]
        hint = f"give {self.callee.name} a tensor with an axis {axis}"
        if len(others) == 1:
            hint = f"rename the axis that is meant: {self.dialect.renamed(argument.text, others[0], axis)}"
        self.report.add(
            "error",
            "axis-missing",
            argument.span,
            f"{self.callee.name} declares {name} over {axis}, and {argument.text} has no axis {axis}",
            shapes,
            hint,
        )

    def _declares(self, axis: str) -> bool:
        types = [t for _, t in self.callee.arguments if t is not None]
        return any(t.has(axis) for t in types)

    def _clash(self, axis: str, argument: Given, shapes: list[tuple[str, str]]) -> None:
        result = self.callee.result
        if result is not None and result.has(axis) and not self._declares(axis):
            self.fine = False
            self.report.add(
                "error",
                "axis-clash",
                argument.span,
                f"{argument.text} has an axis {axis}, and what {self.callee.name} gives has one too",
                [*shapes, (self.callee.name, shape_text(result))],
                "rename the argument's first: "
                f"{self.dialect.renamed(argument.text, axis, axis + chr(39))}",
            )

    # ------------------------------------------------------------------------- sizes

    def _size(
        self,
        axis: str,
        declared: Any,
        here: Any,
        name: str,
        argument: Given,
        shapes: list[tuple[str, str]],
    ) -> None:
        if here is None or declared is None:
            return
        if isinstance(declared, Node) and declared.operation.primitive is SIZE:
            symbol = str(declared.operation.params[0])
            if symbol not in self.bound:
                self.bound[symbol] = here, argument.text
                self._made_one(symbol, axis, here, argument, shapes)
                return
            known, owner = self.bound[symbol]
        else:
            known, owner = substitute(declared, self._sizes()), f"{self.callee.name}'s {name}"
        self._compare(axis, known, owner, here, argument, shapes)

    def _compare(
        self,
        axis: str,
        known: Any,
        owner: str,
        here: Any,
        argument: Given,
        shapes: list[tuple[str, str]],
    ) -> None:
        if known is None or is_own_size(axis, here) or is_own_size(axis, known):
            return
        found = self.facts.compare(known, here)
        if found.verdict in ("never", "where"):
            only = f", right only where {found.where}" if found.where else ""
            self.report.add(
                "error" if found.verdict == "never" else "warning",
                "axis-size",
                argument.span,
                f"{axis} is {size_text(here)} in {argument.text}, and {self.callee.name} needs "
                f"{size_text(known)} as in {owner}{only}",
                shapes,
                f"give both the same size of {axis}",
            )

    def _made_one(
        self, symbol: str, axis: str, here: Any, argument: Given, shapes: list[tuple[str, str]]
    ) -> None:
        """Report two sizes that the function tells apart and that one symbol stands for here.

        Only where the call uses the function's own symbol for another of its sizes: then the symbols
        mean the same here and there.
        """
        other = here.operation.params[0] if _is_symbol(here) else None
        if other is None or other == symbol or symbol.startswith("|") or is_own_size(axis, here):
            return
        bound = self.bound.get(str(other))
        if bound is None or bound[0] is not here:
            return
        found = self.facts.compare(_symbol_of(self.callee, symbol), here)
        if found.verdict == "where":
            self.report.add(
                "warning",
                "axis-size",
                argument.span,
                f"{axis} is {size_text(here)} in {argument.text} and {symbol} where "
                f"{self.callee.name} is declared, right only where {found.where}",
                shapes,
                f"declare {self.dialect.sized(axis, symbol)}, or say that {found.where}",
            )

    def _sizes(self) -> dict[str, Any]:
        return {symbol: size for symbol, (size, _) in self.bound.items()}

    def _result(self, result: Type) -> Type:
        """Give the result's shape with the sizes of this call, and the axes that pass through."""
        sizes = self._sizes()
        axes = {axis: substitute(size, sizes) for axis, size in result.axes}
        return result.with_axes((self.extra | axes).items())


def substitute(size: Any, sizes: dict[str, Any]) -> Any:
    """Put the sizes of a call in place of a function's own.

    >>> from namedtensor.primitives.node import size_of
    >>> substitute(size_of("n", "n", 0), {"n": 5})
    5
    """
    if not isinstance(size, Node):
        return size
    if size.operation.primitive is SIZE:
        return sizes.get(str(size.operation.params[0]), size)
    if not size.operands:
        return size
    parts = [substitute(o if o.value is None else o.value, sizes) for o in size.operands]
    if None in parts:
        return None
    if len(parts) == 2 and size.operation.primitive.traits.symbol in OPERATORS:
        return combine(size.name, *parts)
    return apply_node(table()[size.name](*size.operation.params), tuple(map(as_node, parts)))


def _is_symbol(size: Any) -> bool:
    return isinstance(size, Node) and size.operation.primitive is SIZE


def _symbol_of(callee: Callee, symbol: str) -> Any:
    types = [t for _, t in callee.arguments if t is not None]
    sizes = [s for t in types for _, s in t.axes if _is_symbol(s)]
    return next((s for s in sizes if s.operation.params[0] == symbol), None)
