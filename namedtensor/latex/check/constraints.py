"""What a document says of its sizes, and relations that define nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from namedtensor.latex.check.scope import CheckScope
from namedtensor.latex.check.types import as_size
from namedtensor.latex.documents.scopes import Place
from namedtensor.latex.documents.scripts import key
from namedtensor.latex.evaluation.evaluate import Evaluator
from namedtensor.latex.evaluation.values import UNKNOWN, Value
from namedtensor.latex.source import Span
from namedtensor.latex.syntax import (
    AxisSize,
    Big,
    Call,
    Constraint,
    Contract,
    Declaration,
    Definition,
    Expression,
    Letter,
    Relation,
    Statement,
)
from namedtensor.latex.walk import all_of, walk

if TYPE_CHECKING:
    from namedtensor.latex.check.checker import Checker


def learn_sizes(checker: Checker) -> None:
    """Take what the document says of its sizes for given; report what cannot hold."""
    for place, span, left, right in _equations(checker):
        evaluator = Evaluator(CheckScope(checker, place, lenient=True, sizes=True))
        sizes = [as_size(evaluator.extent(part)) for part in (left, right)]
        if None in sizes or checker.facts.learn(sizes[0], sizes[1]):
            continue
        checker.report.add(
            "error",
            "constraint",
            span,
            f"{checker.report.text(span)} cannot hold, with what is said of sizes above",
            hint="mend this equation or the earlier one, or give one of the sizes a name of its own",
        )


def _equations(checker: Checker) -> Iterator[tuple[Place, Span, Expression, Expression]]:
    """List the equations between sizes: |key| = |val|, d_k = 64."""
    for index, statement in enumerate(checker.names.statements):
        place = Place(index, statement.block, statement.section)
        if isinstance(statement, Constraint) and isinstance(statement.relation, Relation):
            left = statement.relation.first
            for op, right in statement.relation.rest:
                if op == "=" and (_is_size(checker, left) and _is_size(checker, right)):
                    yield place, statement.span, left, right
                left = right
        elif isinstance(statement, Definition) and is_size_equation(checker, statement):
            left = statement.target
            for right in (statement.body, *statement.chain):
                yield place, statement.span, left, right
                left = right


def is_size_equation(checker: Checker, statement: Statement) -> bool:
    """Say whether a definition only says what a size is: d_k = 64."""
    if not isinstance(statement, Definition) or statement.op != "=":
        return False
    name = key(statement.target)
    sized = name is not None and name in checker.sized_names
    return isinstance(statement.target, AxisSize) or sized


def _is_size(checker: Checker, part: Expression) -> bool:
    return (
        bool(all_of(AxisSize, part))
        or any(p.text in checker.sized_names for p in all_of(Letter, part))
        or not all_of(Letter, part)
    )


class ConstraintScope(CheckScope):
    """The names of a relation that defines nothing: what its own block declares, and no more."""

    def find(self, name: Expression) -> Value | None:
        text = key(name)
        for declared in self.checker.names.declared.get(text or "", ()):
            if declared.place.block == self.place.block:
                return self.checker.declared_value(declared)
        return UNKNOWN if text is not None else None


def check_constraints(checker: Checker) -> None:
    """Look at relations that say something of tensors: sum_vocab X = 1."""
    for index, statement in enumerate(checker.names.statements):
        if not isinstance(statement, Constraint):
            continue
        if not any(isinstance(part, (Big, Contract, Call)) for part in walk(statement)):
            continue
        place = Place(index, statement.block, statement.section)
        scope = ConstraintScope(checker, place, lenient=True)
        relation: Any = statement.relation
        parts = [relation]
        if isinstance(relation, Relation):
            parts = [relation.first, *[part for _, part in relation.rest]]
        evaluator = Evaluator(scope)
        if _strangers(checker, statement, place):
            continue
        for part in parts:
            evaluator.value(part)


def _strangers(checker: Checker, statement: Constraint, place: Place) -> bool:
    """Report a tensor that a constraint beside declarations takes from another section."""
    beside = [
        s
        for s in checker.names.statements
        if isinstance(s, Declaration) and s.block == statement.block
    ]
    if not beside:
        return False
    found = False
    for big in all_of(Big, statement):
        name = big.body
        text = key(name)
        if text is None or checker.declaration(name, place) is not None:
            continue
        others = checker.names.declared.get(text)
        if not others:
            continue
        found = True
        axes = {axis.name for axis in big.axes}
        fits = [
            n
            for s in beside
            for n in s.names
            if axes <= {sized.axis.name for sized in s.space.axes}
        ]
        written = checker.report.text(name.span)
        hint = f"is {checker.report.text(fits[0].span)} meant?" if len(fits) == 1 else ""
        line = checker.line(others[0].name.span)
        checker.report.add(
            "warning",
            "undeclared",
            name.span,
            f"{written} is declared in another section only, on line {line}",
            hint=hint or f"declare {written} here",
        )
    return found
