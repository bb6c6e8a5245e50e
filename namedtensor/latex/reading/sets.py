r"""Sets of indices that a condition says: \mathcal{N}(i) = \{ j : A_{node(i), node'(j)} = 1 \}.

They are no tensors. An operator over the indices of such a set, \sum_{j \in \mathcal{N}(i)}, reaches over
those for which the condition holds, and |\mathcal{N}(i)| is how many these are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from namedtensor.latex.reading.asides import QUIET, Entry
from namedtensor.latex.reading.ranges import ends_of, is_set, listed, number_of, renamed
from namedtensor.latex.reading.spoken import head_of, sections_around
from namedtensor.latex.syntax import (
    Bars,
    Big,
    Binary,
    Call,
    Definition,
    Expression,
    Items,
    Letter,
    Logic,
    Relation,
    Scripts,
    Unary,
)
from namedtensor.latex.walk import all_of, put

#: What stands for the letters of a set's definition.
Names = Mapping[Expression, Expression]


def put_conditions(entries: Sequence[Entry], parents: Sequence[int]) -> None:
    """Put the conditions of sets where operators reach over the sets, and set the sets aside."""
    sets: dict[int, dict[str, Definition]] = {}
    for entry in entries:
        statement = entry.statement
        if isinstance(statement, Definition) and is_set(statement.body):
            sets.setdefault(entry.region.section, {})[head_of(statement.target)] = statement
    names = [name for here in sets.values() for name in here]
    alone = {n: d for here in sets.values() for n, d in here.items() if names.count(n) == 1}
    for entry in entries:
        statement = entry.statement
        if isinstance(statement, Definition) and is_set(statement.body):
            entry.leave_out(QUIET["set"])
            continue
        known = {**alone}  # of any section, where no other one has it
        for section in reversed(sections_around(entry.region.section, parents)) if sets else ():
            known |= sets.get(section, {})
        braced = any(is_set(items) for items in all_of(Items, statement))
        if (known or braced) and any(all_of(kind, statement) for kind in (Big, Bars, Relation)):
            entry.found.statement = put(statement, Sets(known))
            braced = any(is_set(items) for items in all_of(Items, entry.statement))
        if braced:
            entry.leave_out("a set is no tensor")


class Sets:
    """What to put for the parts of a formula that reach over sets, or count them."""

    def __init__(self, known: Mapping[str, Definition]) -> None:
        self._known = known

    def __call__(self, part: Any) -> Expression | None:
        """Give what stands for a part that is of a set; None for any other part."""
        if isinstance(part, Big) and part.lower is not None:
            lower = [piece for given in listed(part.lower) for piece in self._piece(given)]
            if tuple(lower) != tuple(listed(part.lower)):
                below = Items(part.lower.span, tuple(lower), "")
                return replace(part, lower=below, body=put(part.body, self))
        if isinstance(part, Bars) and not part.double:
            letter = Letter(part.span, "j")
            index = Scripts(part.span, letter, primes=1)  # j may stand for another index here
            held = self._held(index, part.operand)
            return None if held is None else number_of(index, held, part.span)
        match part:  # a condition: if j \in \mathcal{N}(i)
            case Relation(first=Letter() as first, rest=((("in" | "notin") as op, of),)):
                held = self._held(first, of)
                return Unary(part.span, "not", held) if held and op == "notin" else held
        return None

    def _piece(self, piece: Expression) -> tuple[Expression, ...]:
        r"""Write j \in \mathcal{N}(i) as an index and a condition on it."""
        if isinstance(piece, Relation) and piece.ops == ("in",):
            held = self._held(piece.first, piece.rest[0][1])
            if held is not None:
                return piece.first, held
        return (piece,)

    def _held(
        self, index: Expression, of: Expression, names: Names | None = None
    ) -> Expression | None:
        """Give the condition under which an index is in a set, with what `names` say of its letters.

        A set stands in braces, or has a name, or is made of two; None for what is no set.
        """
        names = names or {}
        if isinstance(of, Items) and is_set(of):
            relation: Any = of.parts[0]
            return self._in_braces(index, relation.first, relation.rest[0][1], names)
        if isinstance(of, Binary) and of.op in ("cup", "setminus"):
            held, right = [self._held(index, side, names) for side in (of.left, of.right)]
            if held is None:
                return None
            right = right or Relation(of.span, index, (("=", renamed(of.right, names)),))
            if of.op == "setminus":
                return Logic(of.span, "and", (held, Unary(of.span, "not", right)))
            return Logic(of.span, "or", (held, right))
        definition = self._known.get(head_of(of))
        formals = None if definition is None else _given(definition.target)
        given = _given(of)
        if definition is None or formals is None or given is None or len(formals) != len(given):
            return None
        actual = [renamed(each, names) for each in given]
        return self._held(index, definition.body, dict(zip(formals, actual, strict=True)))

    def _in_braces(
        self, index: Expression, first: Expression, condition: Expression, names: Names
    ) -> Expression | None:
        """Give the condition of { j : ... } or { j \\in [n] : ... } on an index."""
        ranges: list[Expression] = []
        own = first
        if isinstance(first, Relation):
            own, (_, space) = first.first, first.rest[0]
            within, ends = self._held(index, space, names), ends_of(space)
            if within is None and ends is None:
                return None
            ranges += [within] if within is not None else []
            for op, end in zip((">=", "<="), ends or (), strict=False):
                ranges += [] if end is None else [Relation(end.span, index, ((op, end),))]
        held = renamed(condition, {**names, own: index})
        return Logic(held.span, "and", (*ranges, held)) if ranges else held


def _given(name: Expression) -> tuple[Expression, ...] | None:
    r"""List what a set is of: i of \mathcal{N}(i) and of \mathcal{N}_i; None for what names no set."""
    match name:
        case Letter():
            return ()
        case Call(function=Letter(), axes=(), parameters=()):
            return name.arguments
        case Scripts(base=Letter(), sub=sub, sup=None, primes=0) if sub is not None:
            return tuple(listed(sub))
    return None
