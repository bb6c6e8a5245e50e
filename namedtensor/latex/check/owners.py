"""Whose an axis is: the declared tensor that brings it into a formula, and what it is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from namedtensor.latex.check.spelling import alike
from namedtensor.latex.documents.scopes import Declared
from namedtensor.latex.documents.scripts import key, stem
from namedtensor.latex.syntax import Definition, Expression
from namedtensor.latex.walk import walk

if TYPE_CHECKING:
    from namedtensor.latex.check.checker import Checker


def declaration_with(checker: Checker, axis: str, side: Expression) -> Declared | None:
    """Find the one declared tensor in a part that brings an axis."""
    found = []
    for part in walk(side):
        type_ = checker.type_of(part)
        if type_ is not None and type_.has(axis) and key(part) is not None:
            place = checker.occurrences.place_of(part.span)
            declared = None if place is None else checker.names.look(part, place, {})
            if declared is not None and declared.declared is not None:
                found.append(declared.declared)
            elif place is not None:
                own = checker.declaration(part, place)
                found += [] if own is None else [own]
    fits = {id(d): d for d in found if any(s.axis.name == axis for s in d.space.axes)}
    return next(iter(fits.values())) if len(fits) == 1 else None


def role(checker: Checker, owner: Declared, side: Expression) -> str:
    """Say whether a tensor is an argument or a parameter of the formula around a part."""
    place = checker.occurrences.place_of(side.span)
    statement = None if place is None else checker.names.statements[place.index]
    defined = checker.names.of(statement) if isinstance(statement, Definition) else None
    call = None if defined is None else defined.call
    if call is not None and owner.key in [key(a) for a in call.arguments]:
        return "argument"
    own = [key(p) for p in call.parameters] if call is not None else []
    return "parameter" if owner.key in own or stem(owner.name) in own else ""


def same_size(checker: Checker, owner: Declared, axis: str, others: list[str]) -> str | None:
    """Find the one other axis that a slip could have meant: it is alike, or has the same size."""
    close = [name for name in others if alike(name, axis)]
    if len(close) == 1:
        return close[0]
    return checker.occurrences.with_size(owner, axis, others)
