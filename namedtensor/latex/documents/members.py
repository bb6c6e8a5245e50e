"""Recursive series: which members a member needs, where the series begins, and what makes it impossible."""

from __future__ import annotations

from dataclasses import replace

from namedtensor.errors import NamedTensorError
from namedtensor.latex.documents.along import FAR, LAST, axis_along, bare, distances, end
from namedtensor.latex.documents.failures import shown
from namedtensor.latex.documents.scopes import Defined, Names
from namedtensor.latex.documents.scripts import (
    Indices,
    fold,
    key,
    letters_in,
    match,
    numbered,
    stem,
)
from namedtensor.latex.reading.spoken import names_of
from namedtensor.latex.syntax import Expression, Letter, Number, Scripts
from namedtensor.latex.walk import all_of, letters_of, reached


def shift_of(defined: Defined) -> int:
    """Give 1 for h_{t+1}, whose letter is one less than the number of the member."""
    (letter,) = defined.letters
    scripts = (defined.name.sub, defined.name.sup) if isinstance(defined.name, Scripts) else ()
    return next((fold(s, {letter: 0}) or 0 for s in scripts if letter in letters_in(s)), 0)


def way_of(defined: Defined) -> int:
    """Say whether a rule looks at the elements before its own, -1, or after it, 1; 0 where at neither.

    Its own series counts first: beside D_{t+1}, A_{t-1} may be an element of a series that is whole.
    """
    found = list(distances(defined.name, defined.letters, defined.body))
    own, every = [d for d, same in found if same and d], [d for d, _ in found if d]
    return next(((d > 0) - (d < 0) for d in (own or every)), 0)


def _looks_ahead(names: Names, defined: Defined) -> bool:
    """Say whether what a rule uses of its own block looks at later members of its series."""
    return any(
        distance > 0 and same
        for other in names.beside(defined)
        for distance, same in distances(defined.name, defined.letters, other.body)
    )


def given_of(names: Names, defined: Defined) -> list[int]:
    """List the numbers of the members of a series that have definitions of their own."""
    found = [d for d in names.kin(defined) if not d.letters]
    found = [d for d in found if d.place.section == defined.place.section]
    bound = [match(defined.name, d.name, defined.letters, {}) for d in found]
    shift = shift_of(defined)
    return [n + shift for b in bound if b is not None for n in b.values() if n is not None]


def is_one_rule(names: Names, defined: Defined) -> bool:
    """Say whether one rule alone gives the members of a series."""
    return not any(
        other is not defined
        and other.letters
        and other.place.block == defined.place.block
        and match(defined.name, other.name, defined.letters, {}) is not None
        for other in names.kin(defined)
    )


def bounds_of(names: Names, defined: Defined) -> tuple[int | None, int | None]:
    """Give the first and the last number that are stated for a series, as far as they are known."""
    if defined.range is None:
        return None, None
    ends = end(axis_along(defined.name) or "", names.ends)
    shift = shift_of(defined)
    stated = [fold(e, ends) for e in (defined.range.lower, defined.range.upper)]
    lower, upper = [None if n is None else n + shift for n in stated]
    return (upper, lower) if lower is not None and lower > FAR else (lower, upper)


def reaches(names: Names, start: Defined, goal: Defined) -> bool:
    """Say whether a definition may need another one, which it or what it needs names."""

    def needed(defined: Defined) -> list[Defined]:
        words = {part.text for part in all_of(Letter, defined.body)}
        return [d for word in words for d in names.near(word, defined.place)]

    return goal in reached(needed(start), needed)


def members_needed(names: Names, defined: Defined, number: int, known: Indices) -> range:
    """Give the numbers of the members that one needs, in the order in which they follow.

    Raises: NamedTensorError where it needs later ones, and none of them is given.
    """
    within = defined.range
    if way_of(defined) < 1 and not _looks_ahead(names, defined):
        if not names.reach_back(defined):
            return range(0)
        lower = fold(within.lower, known) if within is not None else None
        return range(1 if lower is None else lower, number)
    given = [n for n in given_of(names, defined) if n >= number]
    upper = fold(within.upper, known) if within is not None else None
    if upper is None and not given:
        ends = () if within is None else letters_of(within.upper)
        nine = (
            f"give one by its number: {key(numbered(defined.name, {defined.letters[0]: 9}))} = ..."
        )
        raise NamedTensorError(
            defined.key,
            "each member needs the next one, and none is given",
            hint=f"choose the last: document.bind({ends[0].text}=9)" if ends else nine,
        )
    return range(min([*given, *([] if upper is None else [upper + 1])]) - 1, number, -1)


# ------------------------------------------------------------------------------ what can be followed

Fault = tuple[str, str, str]
BOTH = "looks at elements before it and after it, and a recurrence takes one way"


def fault_of(names: Names, defined: Defined) -> Fault | None:
    """Give the reason why a recurrence along an axis cannot run; None if it can, and for other series."""
    if len(defined.letters) != 1 or axis_along(defined.name) is None:
        return None
    found = list(distances(defined.name, defined.letters, defined.body))
    own = [d for d, same in found if same and d]
    if len({d > 0 for d in (own or [d for d, _ in found if d])}) > 1:
        return unlike(defined, BOTH)
    whole = bare(defined.name)
    if any(same and not d for d, same in found) or whole in names_of(defined.body):
        return unlike(defined, "is made of itself")
    way = way_of(defined)
    if way > 0 and max(d for d, _ in found) > 1:
        return unlike(defined, "looks further than to the next element, and a recurrence does not")
    first, inner = (LAST + 1, LAST) if way > 0 else (0, 1)
    lower, upper = bounds_of(names, defined)
    stated = upper == LAST - 1 if way > 0 else lower == 2
    within = stated or inner in given_of(names, defined)
    for part in all_of(Scripts, defined.body):
        if key(part) is None or part.sub is None:
            continue  # the power of a bracket or of an element, and no element
        near = names.near(stem(part), defined.place) if axis_along(part) is not None else []
        if any(d.letters and way_of(d) * way < 0 and reaches(names, d, defined) for d in near):
            return unlike(defined, BOTH)
        if not way or way not in [d for d, _ in distances(defined.name, defined.letters, part)]:
            continue
        start = replace(part, sub=Number(part.span, inner if within else first))
        known = names.look(start, defined.place, {})
        by_rule = known is not None and known.defined is not None and known.defined.letters
        if known is None or (by_rule and not within):
            return missing(start)
    return None


def unlike(defined: Defined, why: str) -> Fault:
    """Say why a series is no loop."""
    return (
        "refused",
        f"{shown(defined.key)} {why}",
        "a recurrence is made of the element before, A_{seq:t} = f(A_{seq:t-1}, X_{seq:t}), or of the "
        "one after",
    )


def missing(name: Expression) -> Fault:
    """Say that the element with which a recurrence starts is not given."""
    text = shown(str(key(name)))
    hint = f"a recurrence starts with a given element: {text} = ..."
    return "undefined", f"{text} is neither declared nor defined", hint
