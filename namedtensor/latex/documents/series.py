"""Series: ranges of index letters, and definitions of which dots stand for all but a few.

    X^1 = f(X^0)
     :
    X^L = f(X^{L-1})

says X^l = f(X^{l-1}) for l = 1, ..., L: where the first and the last member differ, the first has a
number and the last the same distance from its own.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from namedtensor.errors import NamedTensorError
from namedtensor.latex.documents.along import FAR, LAST, bare
from namedtensor.latex.documents.scripts import Indices, fold, key, letters_in, script_letters, stem
from namedtensor.latex.reading.ranges import ranges_in
from namedtensor.latex.reading.spoken import sections_around
from namedtensor.latex.syntax import (
    At,
    Binary,
    Constraint,
    Declaration,
    Definition,
    Dots,
    Expression,
    Indexed,
    Induction,
    Items,
    Letter,
    Number,
    Relation,
    Scripts,
    Statement,
)
from namedtensor.latex.walk import all_of, differences, put

#: The most members of a series that are written out.
LONGEST = 2_000


def refuse_long(name: str, members: int) -> None:
    """Raise where a series is too long to be written out, member by member."""
    if members > LONGEST:
        raise NamedTensorError(
            name,
            f"the series has {members:,} members, and at most {LONGEST:,} are written out",
            hint="choose a smaller length: document.bind(L=6)",
        )


@dataclass(frozen=True, slots=True, eq=False)
class Range:
    """The numbers that an index letter runs through; an open end is None."""

    letter: str
    lower: Expression | None
    upper: Expression | None
    statement: Statement

    def holds(self, bound: Mapping[str, int | None], indices: Indices) -> bool:
        """Say whether a number may be in the range; what is not known yet may."""
        value = bound.get(self.letter)
        lower, upper = fold(self.lower, indices), fold(self.upper, indices)
        if value is None or value >= FAR:
            return value is None or value <= LAST
        return (lower is None or lower <= value) and (upper is None or value <= upper)


def ranges_of(statements: Sequence[Statement]) -> list[Range]:
    """List the ranges that are stated: l = 1, ..., L, or t in [n], or 1 <= t <= T."""
    found = []
    for statement in statements:
        if isinstance(statement, Declaration):
            if statement.space.base == "[n]" and not statement.space.axes:
                one = Number(statement.space.span, 1)
                found += [
                    Range(name.text, one, statement.space.bound, statement)
                    for name in statement.names
                    if isinstance(name, Letter)
                ]
            continue
        stated: Any = None
        if isinstance(statement, Constraint):
            stated = statement.relation
        elif isinstance(statement, Definition):
            stated = statement.condition
        if stated is not None:
            for relation in all_of(Relation, stated):
                for r in ranges_in(relation):
                    found.append(Range(r.index.text, r.lower, r.upper, statement))
    return found


#: The names whose members are defined by a letter, d_t, d^t and d_{seq(t)}: by the letter, and the block.
Ruled = Mapping[str, Mapping[int, set[str]]]


def ruled(statements: Sequence[Statement]) -> Ruled:
    """Give the names whose members are defined by a letter, and where."""
    found: dict[str, dict[int, set[str]]] = {}
    for statement in statements:
        target = statement.target if isinstance(statement, Definition) else None
        letters = list(script_letters(target)) if isinstance(target, Scripts) else []
        name = _head(target)
        if isinstance(target, Indexed):
            letters = [t for i in target.indices for t in letters_in(i.at)]
            name = key(target.base) or ""  # G^3 of G^3_{seq(t)} is no member of G
        for letter in letters:
            blocks = found.setdefault(letter, {})
            blocks.setdefault(statement.block, set()).add(name)
    return found


def ranges_for(
    letter: str,
    rule: Definition,
    ranges: Sequence[Range],
    ruled: Ruled,
    parents: Sequence[int] = (0,),
) -> list[Range]:
    """List the ranges that a rule's letter may have: its own, or those of no others that it does not use.

    A range is that of the rules in its block, or else of those right before it. One of another section
    counts there, unless that is around the rule's.
    """
    around = sections_around(rule.section, parents)
    known = ruled.get(letter, {})
    moved = {(r.lower, r.upper) for r in ranges if isinstance(r.statement, Definition)}
    ranges = [
        r  # what stands before a display is a range of that one
        for r in ranges
        if isinstance(r.statement, Definition) or (r.lower, r.upper) not in moved
    ]
    owners: dict[int, list[int]] = {}
    for within in ranges:
        block = within.statement.block
        found = [block]
        if block not in known:
            before = itertools.takewhile(known.__contains__, itertools.count(block - 1, -1))
            found = list(before)
        owners[id(within)] = found
    ranges = [r for r in ranges if not _is_apart(r, rule)]
    own = [r for r in ranges if rule.block in owners[id(r)]]
    used = {_head(part) for part in all_of(Letter, rule.body)}
    return own or [
        r
        for r in ranges
        if r.statement.section in around
        and (not (o := owners[id(r)]) or any(used & known[b] for b in o))
    ]


def _is_apart(within: Range, rule: Definition) -> bool:
    """Say whether another rule's range begins late, t = 2, ..., for it looks back, as this rule does not."""
    lower = fold(within.lower, {})
    late = lower is not None and lower > 1 and isinstance(within.statement, Definition)
    places = [at.at for at in all_of(At, rule.body)]
    places += [s for p in all_of(Scripts, rule.body) for s in (p.sub, p.sup) if s is not None]
    steps = [part.op for place in places for part in all_of(Binary, place)]
    return late and within.statement.span != rule.span and "-" not in steps


def _head(name: Any) -> str:
    """Give the name of a series as a whole: h of h_t, and of h_{seq(t)}."""
    name = bare(name)
    return name.text if isinstance(name, Letter) else ""


# ----------------------------------------------------------------------------------------- dots


def unfolded(statements: Sequence[Statement]) -> list[Statement]:
    """Put the general step of each series in the place of its dots."""
    result: list[Statement] = []
    for place, statement in enumerate(statements):
        result.append(statement)
        if isinstance(statement, Induction):
            result += steps(statements, place)
    return result


def steps(statements: Sequence[Statement], place: int) -> list[Definition]:
    """Give the general members of the series whose dots stand at this place."""
    block = statements[place].block
    first = _side(statements[:place][::-1], block)[::-1]
    last = _side(statements[place + 1 :], block)
    found = []
    for end in last:
        for begin in first:
            step = general(begin, end)
            if step is not None:
                found.append(step)
                break
    return found


def _side(statements: Sequence[Statement], block: int) -> list[Definition]:
    """List the definitions next to dots, up to the block's end or other dots."""
    found = []
    for statement in statements:
        if isinstance(statement, Induction) or statement.block != block:
            break
        if isinstance(statement, Definition):
            found.append(statement)
    return found


def general(first: Definition, last: Definition) -> Definition | None:
    """Give X^l = f(X^{l-1}) from X^1 = f(X^0) and X^L = f(X^{L-1}); None where they do not fit.

    Where the first member is written in another way, X^1 = f(X), the last alone says how it goes on.
    """
    if stem(first.target) is None or stem(first.target) != stem(last.target):
        return None
    ends = _in_numbers(first.target, last.target)
    if ends is None or len(ends) != 1:
        return None
    ((begin, end),) = ends
    used = {p.text for d in (first, last) for p in all_of(Letter, d)}
    letter = next((t for t in "lktijmn" if t not in used), "ell")
    pairs = _in_numbers(first, last)
    moved = {id(a): _in_step(a, b, letter, begin, end) for a, b in pairs or ()}
    lower: Expression = begin
    step: Any = None
    if pairs is not None and None not in moved.values():
        step = put(first, lambda part: moved.get(id(part)))
    elif isinstance(end, Letter):
        own = dataclasses.replace(end, text=letter)
        step = put(last, lambda part: own if part == end else None)
        lower = Binary(begin.span, "+", begin, Number(begin.span, 1))
    if not isinstance(step, Definition):
        return None
    span = first.span
    bounds = Relation(
        span,
        Letter(span, letter),
        (("=", Items(span, (lower, Dots(span), end), "")),),
    )
    return dataclasses.replace(step, condition=bounds)


def _in_numbers(first: Any, last: Any) -> list[tuple[Number, Expression]] | None:
    """List where two parts differ, a number in the first; None where they differ otherwise."""
    pairs = differences(first, last)
    return pairs if all(isinstance(number, Number) for number, _ in pairs) else None


def _in_step(
    first: Number, last: Any, letter: str, begin: Number, end: Expression
) -> Expression | None:
    """Give l - 1 for 0 and L - 1, where the series runs from 1 to L."""
    letters = {p.text: 100 for p in all_of(Letter, end)}
    reached, whole = fold(last, letters), fold(end, letters)
    distance = fold(Binary(first.span, "-", first, begin), {})
    if reached is None or whole is None or distance is None or reached - whole != distance:
        return None
    own = Letter(first.span, letter)
    if distance == 0:
        return own
    return Binary(first.span, "+" if distance > 0 else "-", own, Number(first.span, abs(distance)))
