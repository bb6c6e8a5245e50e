r"""Members that are listed by the first and the last: vectors x_1, \ldots, x_n \in \mathbb{R}^{\text{in}}.

They are the members x_i for i = 1, ..., n, with the index that other formulas have at x.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from namedtensor.latex.reading.asides import Entry
from namedtensor.latex.reading.statements import Found
from namedtensor.latex.syntax import (
    Constraint,
    Declaration,
    Dots,
    Expression,
    Items,
    Letter,
    Number,
    Relation,
    Scripts,
)
from namedtensor.latex.walk import all_of, texts_of

#: Letters for the index of members at which no other formula has one.
USUAL = "ikjl"


def with_listed_members(entries: Sequence[Entry], text: str) -> Iterator[Entry]:
    """Give lists of members as declarations of x_i, and the range of i behind each."""
    said = [e.statement if isinstance(e.read, Found) else None for e in entries]
    told = {at: ends for at, one in enumerate(said) if (ends := _listed(one, text)) is not None}
    ranges: dict[int, list[Entry]] = {}
    every = tuple([one for one in said if one is not None]) if told else ()
    others: dict[Any, list[Scripts]] = {}
    for part in all_of(Scripts, every):
        others.setdefault((part.base, part.sub is None), []).append(part)
    free = next((t for t in USUAL if t not in texts_of(every)), "i")
    places: dict[Expression, int] = {}
    for at, one in enumerate(said if told else ()):
        for name in one.names if isinstance(one, Declaration) else ():
            places.setdefault(name, at)
    for at, (first, last) in told.items():
        alike = others.get((first.base, first.sub is None), [])
        statement, member = said[at], _member(first, last, alike, free)
        assert statement is not None
        span, start, end = statement.span, _index(first), _index(last)
        range_ = Relation(span, _index(member), (("=", Items(span, (start, Dots(span), end), "")),))
        within = Constraint(span, range_, block=statement.block, section=statement.section)
        if isinstance(statement, Declaration):
            entries[at].found.statement = replace(statement, names=(member,))
        place = at if isinstance(statement, Declaration) else places.get(member)
        if place is not None:  # the range stands behind what declares the members
            own = Entry(Found(within), entries[place].region)
            ranges.setdefault(max(at, place), []).append(own)
    for at, entry in enumerate(entries):
        yield entry
        yield from ranges.get(at, ())


def _listed(said: Any, text: str) -> tuple[Scripts, Scripts] | None:
    """Give the first and the last of x_1, ..., x_n, declared or alone; None for all else."""
    names: Any = said.names if isinstance(said, Declaration) else getattr(said, "relation", None)
    if isinstance(names, Items) and not names.bracket:
        names = tuple([part for part in names.parts if not isinstance(part, Dots)])
    if not isinstance(names, tuple) or len(names) < 2:
        return None
    if not all(isinstance(name, Scripts) and isinstance(name.base, Letter) for name in names):
        return None
    first, *between, last = names
    if any(name.base != first.base or _index(name) is None for name in names):
        return None
    gap = text[names[-2].span.end : last.span.start]
    counted = [getattr(_index(name), "value", None) for name in (first, *between)]
    dots = "dots" in gap or "..." in gap
    ends = dots and counted == [*range(1, len(counted) + 1)]
    return (first, last) if ends and not isinstance(_index(last), Number) else None


def _index(name: Scripts) -> Any:
    """Give the one index of a name: the 1 of x_1, x^1 and x^{(1)}."""
    given = [s for s in (name.sub, name.sup) if s is not None]
    if len(given) != 1 or name.primes:
        return None
    alone = given[0].parts if isinstance(given[0], Items) else (given[0],)
    return alone[0] if len(alone) == 1 else None


def _member(first: Scripts, last: Scripts, others: Sequence[Scripts], free: str) -> Scripts:
    """Write the first member with the index that others have at its letter, or with one that is free."""
    for other in others:
        own = _index(other)
        if isinstance(own, Letter) and own.style == "letter" and own != _index(last):
            return replace(other, span=first.span)
    at = Letter(first.span, free)
    return replace(first, sub=at) if first.sub is not None else replace(first, sup=at)
