"""Where axes go: used up on one side of a sum and back through the other, or met by nothing.

Operands that lack axes of each other are legal: k-means takes X from all centres. It is a fault
where one side has contracted an axis away and the other brings it back, or where an axis of one
side is named nowhere else in the document.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from namedtensor.latex.check.owners import declaration_with, role, same_size
from namedtensor.latex.check.words import shape_text
from namedtensor.latex.findings import Mend
from namedtensor.latex.syntax import Binary, Expression
from namedtensor.primitives import Node, Type

if TYPE_CHECKING:
    from namedtensor.latex.check.checker import Checker

_known: WeakKeyDictionary[Node, frozenset[str]] = WeakKeyDictionary()


def used_up(node: Node) -> frozenset[str]:
    """Collect the axes that a tree contracts or reduces, and that its result does not have.

    >>> from namedtensor.operations.contraction import dot
    >>> from namedtensor.tensor.symbolic import symbol
    >>> W, X = symbol("W", Type((("emb", 2), ("hid", 3)))), symbol("X", Type((("emb", 2),)))
    >>> used_up(dot["emb"](W, X).node)
    frozenset({'emb'})
    """
    found = _known.get(node)
    if found is None:
        found = frozenset().union(*[used_up(o) for o in node.operands])
        found |= set(node.operation.primitive.traits.reduces(node.operation.params))
        found = _known[node] = found - set(node.type.names)
    return found


def one_sided(left: Type, right: Type) -> tuple[list[str], list[str]]:
    """List the axes that only the left and only the right side has."""
    return (
        [n for n in left.names if not right.has(n)],
        [n for n in right.names if not left.has(n)],
    )


def coming_back(giver: Node, taker: Node) -> list[str]:
    """List the axes of the giver that the taker has used up.

    None where the giver lacks nothing of the taker, X - mean X, or uses up axes of the taker in turn,
    as marginals along two axes do.
    """
    own, others = one_sided(giver.type, taker.type)
    if not others or used_up(giver) & set(others):
        return []
    gone = used_up(taker)
    return [name for name in own if name in gone]


def look_at_sum(checker: Checker, part: Binary, left: Node, right: Node) -> str | None:
    """Look at the axes that one side of a sum has and the other lacks; name the one at fault."""
    for giver, taker, side, other in (
        (right, left, part.right, part.left),
        (left, right, part.left, part.right),
    ):
        for axis in coming_back(giver, taker):
            _comes_back(checker, axis, side, other)
            return axis
    one, two = one_sided(left.type, right.type)
    if not one or not two:
        return None
    for axes, side, gains in ((two, part.right, one), (one, part.left, two)):
        for axis in axes:
            if _alone(checker, axis, side, gains):
                return axis
    return None


def _comes_back(checker: Checker, axis: str, side: Expression, other: Expression) -> None:
    report = checker.report
    giver, taker = report.text(side.span), report.text(other.span)
    owner = declaration_with(checker, axis, side)
    where = f" (declared on line {checker.line(owner.name.span)})" if owner is not None else ""
    name = report.text(owner.name.span) if owner is not None else giver
    type_ = checker.type_of(other)
    hint = f"is {name} meant to lack {axis}?"
    if owner is not None and type_ is not None:
        axes = [(n, checker.size_text(n, s)) for n, s in type_.axes]
        own = checker.type_of(side)
        fits = [a for a in axes if own is None or not own.has(a[0])]
        if len(fits) == 1:
            kept = [(n, checker.size_text(n, s)) for n, s in own.axes if n != axis] if own else []
            hint = f"is {name} over {fits[0][0]}? {name} \\in {checker.dialect.space(kept + fits)}"
    report.add(
        "error",
        "axis-returns",
        side.span,
        f"{axis} is used up in {taker}, and {giver}{where} brings it back",
        checker.explainer.shapes([other, side]),
        hint,
    )


def _alone(checker: Checker, axis: str, side: Expression, gains: list[str]) -> bool:
    """Report an axis of one side that nothing else in the document names; say whether it is one."""
    owner = declaration_with(checker, axis, side)
    if owner is None or checker.occurrences.elsewhere(axis, owner):
        return False
    part = role(checker, owner, side)
    if part == "argument":
        return False  # what an argument has besides passes through: all points, all centres
    sized = next(s for s in owner.space.axes if s.axis.name == axis)
    report = checker.report
    name = report.text(owner.name.span)
    fits = same_size(checker, owner, axis, gains)
    if fits is None and part != "parameter":
        return False
    hint = "the sum gets both axes; name an axis that the other side has"
    mend = None
    if fits is not None:
        hint = f"is {checker.dialect.axis(fits)} meant?"
        mend = Mend(sized.axis.span, checker.dialect.axis(fits))
    report.add(
        "error",
        "axis-alone",
        sized.axis.span,
        f"{axis} occurs nowhere else, and {name} is added to what has no such axis, on line "
        f"{checker.line(side.span)}",
        [(name, shape_text(t))] if (t := checker.declared_type(owner)) is not None else [],
        hint,
        mend,
    )
    return True
