r"""Members that are listed: vectors x_1, \ldots, x_n \in \mathbb{R}^{in}, pairs \{(x_i, y_i)\}_{i=1}^n.

They are the elements x_i of one tensor over an axis i, the index that other formulas have at x; where x is
an argument beside them, and where the index stands above, they are members with a range, i = 1, ..., n.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from namedtensor.latex.reading.asides import QUIET, Entry
from namedtensor.latex.reading.statements import Found
from namedtensor.latex.syntax import (
    AxisName,
    Call,
    Constraint,
    Declaration,
    Definition,
    Dots,
    Expression,
    Items,
    Letter,
    Number,
    Relation,
    Scripts,
    SizedAxis,
    Statement,
)
from namedtensor.latex.walk import all_of, unused

#: The word before mathematics, and the ends that tell that there are several.
NOUN = re.compile(r"([A-Za-z]{3,})[\s$\\(]*$")
SEVERAL = re.compile(r"(?:e?s+|e)$")

#: Letters for the index of members at which no other formula has one.
USUAL = "ikjl"


@dataclass(frozen=True, slots=True)
class Listed:
    """Members that are listed together, and the numbers that their index runs through; it may be told."""

    members: tuple[Scripts, ...]
    start: Expression
    end: Expression
    index: Letter | None = None

    @property
    def numbers(self) -> Items:
        """The numbers, as a range has them: 1, ..., n."""
        span = self.end.span
        return Items(span, (self.start, Dots(span), self.end), "")


def with_listed_members(entries: Sequence[Entry], text: str) -> Iterator[Entry]:
    """Give lists of members as declarations of an x over i, or of x_i with the range of i behind them."""
    said = [e.statement if isinstance(e.read, Found) else None for e in entries]
    told = {at: lists for at, one in enumerate(said) if (lists := _listed(one, text)) is not None}
    counted = _counted(entries, said, text)
    ranges: dict[int, list[Entry]] = {}
    every = tuple([one for one in said if one is not None]) if told or counted else ()
    others: dict[Any, list[Scripts]] = {}
    for part in all_of(Scripts, every):
        others.setdefault((part.base, part.sub is None), []).append(part)
    free = unused(USUAL, every, "i")
    places: dict[Expression, int] = {}
    for at, one in enumerate(said if every else ()):
        for name in one.names if isinstance(one, Declaration) else ():
            places.setdefault(name, at)
    made = [(one.target, one.body) for one in every if isinstance(one, Definition)]
    calls = [(target, body) for target, body in made if isinstance(target, Call)]
    #: letters of arguments beside members, f(x) = sum_i k(x, x_i): no tensor has this letter
    formal = {part.base for _, body in calls for part in all_of(Scripts, body)}.intersection(
        [argument for target, _ in calls for argument in target.arguments]
    )
    for at, here in told.items():
        statement = said[at]
        alike = [others.get((m.base, m.sub is None), []) for m in here.members]
        members = [_member(m, here, a, free) for m, a in zip(here.members, alike, strict=True)]
        if isinstance(statement, Declaration):
            entries[at].found.statement = replace(statement, names=tuple(members))
            places |= dict.fromkeys(members, at)
        elif isinstance(statement, Definition):
            entries[at].leave_out(QUIET["remark"])  # D is the set of all pairs
        index = _index(members[0])
        if statement is None or not all(m in places and _index(m) == index for m in members):
            continue
        counts = here.start == Number(here.end.span, 1) and here.members[0].sub is not None
        if counts and formal.isdisjoint([m.base for m in members]):
            for member in members:
                place = entries[places[member]].found
                if isinstance(place.statement, Declaration):
                    place.statement = _as_tensor(place.statement, index, here.end)
        else:
            behind = max([at, *[places[m] for m in members]])
            own = _range(entries[behind], statement, index, here.numbers)
            ranges.setdefault(behind, []).append(own)
    for at, (index, numbers) in counted.items():
        first = _first(places, index)
        if first is not None:
            own = _range(entries[first], entries[at].statement, index, numbers)
            ranges.setdefault(max(at, first), []).append(own)
    for at, entry in enumerate(entries):
        yield entry
        yield from ranges.get(at, ())


def _as_tensor(said: Declaration, index: Letter, end: Expression) -> Declaration:
    """Declare x over an axis i for its members x_i, where all names have that index."""
    if not all(isinstance(n, Scripts) and _index(n) == index for n in said.names):
        return said
    names = tuple([n.base for n in said.names if isinstance(n, Scripts)])
    axis = SizedAxis(index.span, AxisName(index.span, index.text), end)
    space = replace(said.space, axes=(axis, *said.space.axes))
    return replace(said, names=names, space=space)


def _first(places: Mapping[Expression, int], index: Letter) -> int | None:
    """Find the first declaration of a member with an index."""
    own = [at for n, at in places.items() if isinstance(n, Scripts) and _index(n) == index]
    return min(own, default=None)


def _range(entry: Entry, statement: Statement, index: Expression, numbers: Expression) -> Entry:
    """Make the range of an index, to stand behind an entry."""
    relation = Relation(statement.span, index, (("=", numbers),))
    place = {"block": statement.block, "section": statement.section}
    return Entry(Found(Constraint(statement.span, relation, **place)), entry.region)


def _counted(
    entries: Sequence[Entry], said: Sequence[Statement | None], text: str
) -> dict[int, tuple[Letter, Items]]:
    """Find letters for what prose counts: "tasks $1, \\dots, T$" and "task $t$"."""
    lists: dict[tuple[int, str], tuple[int, Items]] = {}
    letters: dict[tuple[int, str], Letter] = {}
    for at, (entry, one) in enumerate(zip(entries, said, strict=True)):
        part = None if entry.region.display else getattr(one, "relation", None)
        if isinstance(part, Letter) and one is not None:
            letters.setdefault((one.section, _noun(text, one.span.start)), part)
        elif isinstance(part, Items) and not part.bracket and one is not None:
            first, last = part.parts[0], part.parts[-1]
            dots = any(isinstance(p, Dots) for p in part.parts)
            if dots and isinstance(first, Number) and first.value == 1 and isinstance(last, Letter):
                lists.setdefault((one.section, _noun(text, one.span.start)), (at, part))
    both = [key for key in lists if key in letters and key[1]]
    return {lists[key][0]: (letters[key], lists[key][1]) for key in both}


def _noun(text: str, at: int) -> str:
    """Give the word before mathematics, without what tells that there are several: "tasks $"."""
    found = NOUN.search(text[max(0, at - 40) : at])
    word = found[1].lower() if found else ""
    return SEVERAL.sub("", SEVERAL.sub("", word))


def _listed(said: Any, text: str) -> Listed | None:
    """Read x_1, ..., x_n, declared or alone, also as pairs, and \\{x_i\\}_{i=1}^n; None for all else."""
    if isinstance(said, Declaration):
        return _from_first_to_last([(name,) for name in said.names], said.names, text)
    part = said.body if isinstance(said, Definition) else getattr(said, "relation", None)
    match part:
        case Scripts(
            base=inside,
            sub=Relation(first=Letter() as index, rest=(("=", Number() as start),)),
            sup=end,
        ) if end is not None and not isinstance(end, Number):
            names = inside.parts if isinstance(inside, Items) else (inside,)
            plain = [name for name in names if isinstance(name, Scripts) and _index(name) == index]
            members = tuple(plain) if len(plain) == len(names) else ()
            return Listed(members, start, end, index) if members else None
        case Items(parts=parts) if not isinstance(said, Definition):
            given = [p for p in parts if not isinstance(p, Dots)]
            if len(given) < len(parts):
                each = [
                    p.parts if isinstance(p, Items) and p.bracket == "(" else (p,) for p in given
                ]
                return _from_first_to_last(each, given, text)
    return None


def _from_first_to_last(
    groups: Sequence[tuple[Any, ...]], parts: Sequence[Expression], text: str
) -> Listed | None:
    """Read x_1, ..., x_n, and (x_1, y_1), ..., (x_n, y_n), with dots before the last."""
    if len(groups) < 2:
        return None
    gap = text[parts[-2].span.end : parts[-1].span.start]
    first = groups[0]
    names = [name for group in groups for name in group]
    alike = all(isinstance(n, Scripts) and isinstance(n.base, Letter) for n in names)
    if not alike or not ("dots" in gap or "..." in gap):
        return None
    if any([n.base for n in group] != [n.base for n in first] for group in groups):
        return None
    counts = [{_index(name) for name in group} for group in groups]
    from_zero = counts[0] == {Number(first[0].span, 0)}
    wanted = [{Number(first[0].span, n - from_zero)} for n in range(1, len(groups))]
    (end,) = counts[-1] if len(counts[-1]) == 1 else (None,)
    if counts[:-1] != wanted or end is None or isinstance(end, Number):
        return None
    return Listed(first, _index(first[0]), end)


def _index(name: Scripts) -> Any:
    """Give the one index of a name: the 1 of x_1, x^1 and x^{(1)}."""
    given = [s for s in (name.sub, name.sup) if s is not None]
    if len(given) != 1 or name.primes:
        return None
    alone = given[0].parts if isinstance(given[0], Items) else (given[0],)
    return alone[0] if len(alone) == 1 else None


def _member(first: Scripts, here: Listed, others: Sequence[Scripts], free: str) -> Scripts:
    """Write a member with the index that is told, that others have at its letter, or that is free."""
    if here.index is not None:
        return first
    for other in others:
        own = _index(other)
        if isinstance(own, Letter) and own.style == "letter" and own != here.end:
            return replace(other, span=first.span)
    at = Letter(first.span, free)
    return replace(first, sub=at) if first.sub is not None else replace(first, sup=at)
