"""Recurrences along an axis, written by their elements: A_{seq(t)} = f(A_{seq(t-1)}, X_{seq(t)}).

Their elements become members of a series, as h^t is one: the name keeps the axis, and the index is its
script. The last element, A_{seq(|seq|)}, and what is given after it have numbers of their own.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from namedtensor.latex.documents.scripts import fold, key, letters_in, stem
from namedtensor.latex.reading.spoken import sections_around
from namedtensor.latex.syntax import (
    At,
    AxisSize,
    Call,
    Constraint,
    Declaration,
    Definition,
    Expression,
    Indexed,
    Letter,
    Number,
    Relation,
    Scripts,
    Signature,
    Statement,
)
from namedtensor.latex.walk import all_of, letters_of, put, reached

#: Joins the name of a tensor and the axis along which it is defined, step by step.
ALONG = "@"

#: Numbers from here on are not those of members: they stand for a step of a loop, or the end of an axis.
FAR = 10**9

#: The number of the last element of an axis, whatever its size; what is given after it is one more.
LAST = 10**15

Own = tuple[str, str]

#: A name and its axis, and the block of its rule.
Series = tuple[Own, int]


def bare(name: Expression) -> Expression:
    """Give the name that a series is known by as a whole: h of h^t, and of h_{seq(t)}."""
    while isinstance(name, Scripts):
        name = name.base
    if isinstance(name, Letter) and ALONG in name.text:
        return dataclasses.replace(name, text=name.text.split(ALONG)[0])
    return name


def axis_along(name: Expression) -> str | None:
    """Give the axis along which a series is defined by elements; None for h^t."""
    while isinstance(name, Scripts):
        name = name.base
    if isinstance(name, Letter) and ALONG in name.text:
        return name.text.split(ALONG)[1]
    return None


def ends_of(statements: Sequence[Statement]) -> dict[str, dict[str, int]]:
    """List for each axis the texts of its last number: |seq|, and n of seq[n]."""
    found: dict[str, dict[str, int]] = {}
    for statement in statements:
        spaces = []
        if isinstance(statement, Declaration):
            spaces = [statement.space]
        elif isinstance(statement, Signature):
            spaces = [*statement.domain, statement.codomain]
        declared = [(a.axis.name, a.size) for space in spaces for a in space.axes]
        for axis, size in [*declared, *stated_sizes(statement)]:
            letter = None if size is None else key(size)
            if letter is not None:
                found.setdefault(axis, {})[letter] = LAST
    return found


def stated_sizes(statement: Statement) -> Iterator[tuple[str, Expression]]:
    """List what a statement says of sizes: |key| = |layer|/|heads| gives key its size, n = |seq| seq."""
    match statement:
        case Definition(target=Letter() as letter, body=AxisSize(axis=axis), chain=()):
            yield axis.name, letter
    if not isinstance(statement, Constraint):
        return
    for relation in all_of(Relation, statement.relation):
        members = [relation.first, *[part for op, part in relation.rest if op == "="]]
        for one in members:
            if isinstance(one, AxisSize):
                yield from [(one.axis.name, other) for other in members if other is not one]


def end(axis: str, ends: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    """Give what stands for the last number along an axis."""
    return {**ends.get(axis, {}), f"|{axis}|": LAST}


def counts(index: Expression, axis: str, ends: Mapping[str, Mapping[str, int]]) -> bool:
    """Say whether an index has a letter that counts: n of seq:n is the last number of seq."""
    return bool(set(letters_in(index)) - end(axis, ends).keys())


# ---------------------------------------------------------------------------------- as series


def only_taken(statements: Sequence[Statement]) -> set[str]:
    """List the letters of a section that only stand for the arguments of its functions, k of f(k)."""
    defined = [s for s in statements if isinstance(s, Definition)]
    own = [_arguments(statement) for statement in defined]
    taken = set[str]().union(*own)
    free: set[str] = set()
    for statement, arguments in zip(defined, own, strict=True) if taken else ():
        if any(letter.text in taken for letter in letters_of(statement.body)):
            free |= _alone(statement.body) - arguments
        if not isinstance(statement.target, Call):
            free.add(stem(statement.target) or "")
    return taken - free


def _arguments(definition: Definition) -> set[str]:
    """List the letters that a definition of a function has for its arguments."""
    call = definition.target
    own = (*call.arguments, *call.parameters) if isinstance(call, Call) else ()
    return {name.text for name in own if isinstance(name, Letter)}


def _alone(part: Any) -> set[str]:
    """List the letters that stand without indices."""
    based: tuple[Scripts | Indexed, ...] = (*all_of(Scripts, part), *all_of(Indexed, part))
    bases = {id(one.base) for one in based}
    return {letter.text for letter in letters_of(part) if id(letter) not in bases}


def names_given(statements: Sequence[Statement]) -> set[str]:
    """List the letters that a section declares or defines, but for its functions' arguments alone."""
    found: list[Expression] = []
    for statement in statements:
        if isinstance(statement, Declaration):
            found += statement.names
        elif isinstance(statement, Definition):
            target = statement.target
            while isinstance(target, Indexed):
                target = target.base
            parts: tuple[Expression, ...] = (target,)
            if isinstance(target, Call):
                parts = (target.function, *target.arguments, *target.parameters)
            found += parts
    return {stem(name) or "" for name in found} - only_taken(statements)


def nearest(section: int, others: Collection[int], parents: Sequence[int]) -> Iterator[int]:
    """Give other sections in the order of the search: those around, then those before, the nearest first."""
    around = sections_around(section, parents)
    yield from sorted(
        {*others} - {section},
        key=lambda at: (at not in around, at > section, abs(at - section)),
    )


def stepped(
    statements: Sequence[Statement],
    ends: Mapping[str, Mapping[str, int]],
    parents: Sequence[int] = (0,),
) -> list[Statement]:
    """Rewrite the definitions by elements that refer to other elements of themselves.

    With them go those of the same section that refer to an element before or after theirs, which
    may be one that is given outside of the axis: Y_{seq(t)} = A_{seq(t-1)}, with A_{seq(0)} = h.
    """
    written, statements = statements, _apart(statements)
    rules: dict[Own, dict[int, int]] = {}
    for statement in statements:
        own = _own(statement)
        if own is not None and counts(_index(_element(statement.target)), own[1], ends):  # type: ignore[union-attr]
            rules.setdefault(own, {})[statement.block] = statement.section
    sections: dict[int, list[Statement]] = {}
    for statement in statements if rules else ():
        sections.setdefault(statement.section, []).append(statement)
    given = {section: names_given(here) for section, here in sections.items()}

    def meant(own: Own | None, statement: Statement) -> set[Series]:
        """Give the series that a name stands for in a statement: of its block, its section, or another."""
        known = {} if own is None else rules.get(own, {})
        if own is None or not known:
            return set()
        if statement.block in known:
            return {(own, statement.block)}
        at = statement.section
        home = at if own[0] in given[at] else next(nearest(at, known.values(), parents), at)
        return {(own, block) for block, section in known.items() if section == home}

    edges: dict[Series, set[Series]] = {}
    for statement in statements:
        used = [named_element(p) for p in all_of(Indexed, getattr(statement, "body", statement))]
        for series in meant(_own(statement), statement):
            edges.setdefault(series, set()).update(*[meant(own, statement) for own in used])
    at = {
        series
        for series in edges
        if series in reached(edges[series], lambda known: edges.get(known, ()))
    }
    if not at:
        return list(written)
    while True:
        new = {n for s in statements if _follows(s, at, meant) for n in meant(_own(s), s)} - at
        if not new:
            break
        at |= new

    def is_series(statement: Statement) -> bool:
        return bool(meant(_own(statement), statement) & at)

    def rewritten(new: Statement, old: Statement) -> Statement:
        beyond = not is_series(new)
        return _rewritten(
            old if beyond else new, lambda own: bool(meant(own, new) & at), ends, beyond
        )

    return [rewritten(*pair) for pair in zip(statements, written, strict=True)]


def beside_declared(statements: Sequence[Statement], parents: Sequence[int]) -> list[Statement]:
    """Let elements of a section's series be its own, where a section around declares the letter too."""
    series: dict[int, set[Own]] = {}
    declared: dict[str, set[int]] = {}
    for statement in statements:
        if isinstance(statement, Declaration):
            for name in statement.names:
                declared.setdefault(key(name) or "", set()).add(statement.section)
        elif isinstance(statement, Definition) and (axis := axis_along(statement.target)):
            own = stem(bare(statement.target)) or "", axis
            series.setdefault(statement.section, set()).add(own)

    def written(statement: Statement) -> Statement:
        around = {*sections_around(statement.section, parents)} - {statement.section}
        own = {
            one for one in series.get(statement.section, ()) if declared.get(one[0], set()) & around
        }

        def change(part: Any) -> Any:
            found = named_element(part) if isinstance(part, Indexed) else None
            if found is None or found not in own:
                return None
            return dataclasses.replace(
                part, base=dataclasses.replace(part.base, text=ALONG.join(found))
            )

        return put(statement, change) if own else statement

    return [written(statement) for statement in statements]


def _apart(statements: Sequence[Statement]) -> Sequence[Statement]:
    """Part A_{seq(t), emb(i)} into elements of A_{seq(t)}, where a rule needs A_{seq(t-1), emb(i)}.

    Where it needs its neighbours at another t alone, A_{seq(t-1), emb(i+1)}, it follows along seq.
    """
    ways: dict[str, set[str]] = {}
    signs: dict[tuple[str, str], set[int | None]] = {}
    for statement in statements:
        target = statement.target if isinstance(statement, Definition) else None
        if not isinstance(target, Indexed) or len(target.items) < 2:
            continue
        own = _places(target)
        for part in all_of(Indexed, statement.body):  # type: ignore[union-attr]
            found = _places(part)
            far = {a: apart_by(own[a], found[a]) for a in found if a in own}
            away = [a for a, distance in far.items() if distance not in (None, 0)]
            for name in (key(target.base), key(part.base)):
                ways.setdefault(name or "", set()).update(away)
            if key(part.base) == key(target.base):
                for a, distance in far.items():
                    sign = distance and (-1 if distance < 0 else 1)
                    signs.setdefault((key(part.base) or "", a), set()).add(sign)
    for name, every in ways.items():
        if len(every) > 1:
            ways[name] = {a for a in every if signs.get((name, a)) in ({-1}, {1})}
    axes = {name: next(iter(found)) for name, found in ways.items() if len(found) == 1}

    def change(part: Any) -> Any:
        axis = axes.get(key(part.base) or "") if isinstance(part, Indexed) else None
        if axis is None or len(part.items) < 2 or axis not in _places(part):
            return None
        first = [i for i in part.indices if i.axis.name == axis]
        rest = tuple([put(i, change) for i in part.items if i not in first])
        inner = dataclasses.replace(part, items=(put(first[0], change),))
        return dataclasses.replace(part, base=inner, items=rest)

    def runs(statement: Statement) -> bool:
        """Say whether a rule is of such elements, or of others along their axis, e_{seq(t)}."""
        target = statement.target if isinstance(statement, Definition) else None
        if not isinstance(target, Indexed):
            return False
        return key(target.base) in axes or any(a in axes.values() for a in _places(target))

    return [put(s, change) if axes and runs(s) else s for s in statements]


def _places(part: Indexed) -> dict[str, Expression]:
    return {item.axis.name: item.at for item in part.indices}


def _element(target: Expression) -> Expression:
    """Give A_{seq(t)} of what defines its elements."""
    while isinstance(target, Indexed) and isinstance(target.base, Indexed):
        target = target.base
    return target


def _own(statement: Statement) -> Own | None:
    """Give the name and the axis of a definition by elements along one axis."""
    if not isinstance(statement, Definition) or statement.op != "=":
        return None
    return named_element(_element(statement.target))


def named_element(part: Expression) -> Own | None:
    if not isinstance(part, Indexed) or len(part.items) != 1:
        return None
    (item,) = part.items
    text = key(part.base)
    return (text, item.axis.name) if isinstance(item, At) and text is not None else None


def _follows(
    statement: Statement,
    at: set[Series],
    meant: Callable[[Own | None, Statement], set[Series]],
) -> bool:
    """Say whether elements are made of those before or after them in a series."""
    own = _own(statement)
    if own is None or not isinstance(statement, Definition):
        return False
    index = _index(_element(statement.target))
    return any(
        apart_by(index, _index(part)) not in (None, 0)
        for part in all_of(Indexed, statement.body)
        if (found := named_element(part)) and found[1] == own[1] and meant(found, statement) & at
    )


def _index(part: Expression) -> Expression:
    assert isinstance(part, Indexed)
    (item,) = part.items
    assert isinstance(item, At)
    return item.at


def apart_by(own: Expression, given: Expression) -> int | None:
    """Give the distance of an index from that of the defined element; None if they are not comparable."""
    letters = letters_in(own)
    numbers = [fold(at, {letters[0]: FAR}) for at in (own, given)] if len(letters) == 1 else []
    if None in numbers or not numbers:
        return None
    distance: int = numbers[1] - numbers[0]  # type: ignore[operator]
    return distance if abs(distance) < FAR // 2 else None


def _rewritten(
    statement: Statement,
    runs: Callable[[Own], bool],
    ends: Mapping[str, Mapping[str, int]],
    beyond: bool,
) -> Statement:
    """Write elements of series as their members; those `beyond` the axis alone, which no whole has."""

    def change(part: Any) -> Any:
        found = named_element(part) if isinstance(part, Indexed) else None
        if found is None or not runs(found):
            return None
        index = _index(part)
        number = fold(index, end(found[1], ends))
        if beyond and (number is None or 1 <= number <= LAST):
            return None
        at = put(index, change) if number is None else Number(index.span, number)
        style = part.base.style if isinstance(part.base, Letter) else "letter"
        whole = Letter(part.base.span, ALONG.join(found), style)
        return Scripts(part.span, whole, sub=at)

    return put(statement, change)  # type: ignore[no-any-return]


def distances(
    name: Expression, letters: Sequence[str], body: Expression
) -> Iterator[tuple[int, bool]]:
    """Give for each member in a body its distance from the defined one, and if its series is the same."""
    if not isinstance(name, Scripts):
        return
    for part in all_of(Scripts, body):
        same = stem(part) == stem(name)
        if axis_along(part) != axis_along(name) or not (same or axis_along(name)):
            continue
        for own, given in ((name.sub, part.sub), (name.sup, part.sup)):
            if own is not None and given is not None and letters_in(own) == tuple(letters):
                distance = apart_by(own, given)
                if distance is not None:
                    yield distance, same
