r"""Members of series that are elements of an axis: d_t = r_{seq(t)} - v_{seq(t)} defines d_{seq(t)}.

A letter in the script of a series that indexes an axis counts along it, unless the document says that
it counts along a part. Elements with definitions of their own, d_{seq(T)} beside
d_{seq(t)}, are cases of one definition, unless elements follow from one another.
"""

from __future__ import annotations

import bisect
import dataclasses
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from namedtensor.latex.documents.along import (
    LAST,
    Own,
    apart_by,
    bare,
    counts,
    end,
    named_element,
    names_given,
    nearest,
)
from namedtensor.latex.documents.scripts import fold, key, letters_in, script_letters, stem
from namedtensor.latex.documents.series import Range, Ruled, ranges_for, ranges_of, ruled
from namedtensor.latex.reading.ranges import all_bound, ranges_in
from namedtensor.latex.reading.spoken import indexed, names_of, sections_around
from namedtensor.latex.syntax import (
    At,
    AxisName,
    Big,
    Case,
    Cases,
    Constraint,
    Declaration,
    Definition,
    Expression,
    Indexed,
    Items,
    Letter,
    Logic,
    Number,
    Relation,
    Scripts,
    SizedAxis,
    Statement,
)
from namedtensor.latex.walk import all_of, put

#: A name, and whether its members stand above it.
Family = tuple[str, bool]

#: A series, and the definition of its members by a letter.
Rule = tuple[Family, Definition]


#: The series of a section, with their axes and the numbers of the members that are defined by themselves.
Known = Mapping[Family, tuple[AxisName, frozenset[Any]]]


def placed(
    statements: Sequence[Statement],
    ends: Mapping[str, Mapping[str, int]],
    parents: Sequence[int] = (0,),
) -> list[Statement]:
    """Write the members of series as elements of the axis that their letter indexes.

    A name that a section does not give itself may be a series of another one.
    """
    stated: dict[str, list[Range]] = {}
    for within in ranges_of(statements):
        if within.upper is not None:
            stated.setdefault(within.letter, []).append(within)
    blocks = ruled(statements)
    taken: dict[str, set[int]] = {}
    for name, section in _taken(statements):
        taken.setdefault(name, set()).add(section)
    declared = {n for s in statements if isinstance(s, Declaration) for n in s.names}
    sections: dict[int, list[int]] = {}
    for i, statement in enumerate(statements):
        sections.setdefault(statement.section, []).append(i)
    given_in = {at: names_given([statements[i] for i in places]) for at, places in sections.items()}
    found = list(statements)
    known: dict[int, Known] = {}
    having: set[int] = set()  # the sections that have series
    for _ in sections:
        before = dict(known)
        for at, places in sections.items():
            others = _of_others(at, given_in[at], {a: known[a] for a in having}, parents)
            here = [_with_elements(statements[i], others, declared, ends) for i in places]
            whole = _by_themselves(here)
            families = {
                family: axis
                for letter, rules in _rules(here).items()
                if not taken.get(letter, set()) & {*sections_around(at, parents)}
                for family, axis in _families(
                    here, letter, rules, stated.get(letter, ()), blocks, parents, whole, ends
                ).items()
            }
            series = {name: axis for (name, _), axis in families.items()}
            for statement in here:
                element = _element(statement)
                if element is not None and _counts(element, ends):
                    (name, along), index = element
                    series[name] = AxisName(index.span, along)
            series = {name: axis for name, axis in series.items() if name not in whole}
            given: dict[Family, set[Any]] = {family: set() for family in families}
            for statement in here:
                for family, number in _given(statement, families):
                    given[family].add(number)
            known[at] = {
                family: (axis, frozenset(given[family])) for family, axis in families.items()
            }
            (having.add if families else having.discard)(at)
            for i, statement in zip(places, here, strict=True):
                found[i] = (
                    _with_axis(statement, series)
                    if isinstance(statement, Declaration)
                    else _with_elements(statement, known[at], declared, ends)
                )
        if known == before or not any(known.values()):
            break
    return found


def _of_others(
    section: int, own: set[str], known: Mapping[int, Known], parents: Sequence[int]
) -> Known:
    """Give the series of other sections that a section may mean by names that it does not give itself."""
    found: dict[Family, tuple[AxisName, frozenset[Any]]] = {}
    for at in nearest(section, known, parents):
        for family, series in known[at].items():
            if family[0] not in own:
                found.setdefault(family, series)
    return found


def _taken(statements: Sequence[Statement]) -> Iterator[tuple[str, int]]:
    """Give the letters that stand for something, and the names whose members are declared, and where."""
    for statement in statements:
        if isinstance(statement, Declaration) and (
            statement.space.base != "[n]" or statement.space.axes
        ):
            yield from [(_stem(name) or "", statement.section) for name in statement.names]
        elif isinstance(statement, Definition) and isinstance(statement.target, Letter):
            yield statement.target.text, statement.section


def _rules(statements: Sequence[Statement]) -> dict[str, list[Rule]]:
    """Give the definitions of members by a letter, d_t = ..., by the letter."""
    found: dict[str, list[Rule]] = {}
    for statement in statements:
        target = statement.target if isinstance(statement, Definition) else None
        member = _member(target.base if isinstance(target, Indexed) else target)
        if member is not None and isinstance(member[1], Letter) and letters_in(member[1]):
            found.setdefault(member[1].text, []).append((member[0], statement))  # type: ignore[arg-type]
    return found


def _along(body: Expression, letter: str) -> dict[str, AxisName]:
    """Give the axes that a letter indexes; of obs and its copy in H_{obs:i, obs':i}, the axis itself."""
    found = {axis.name: axis for axis in indexed(body, letter)}
    return {
        n: axis for n, axis in found.items() if n == n.rstrip("'") or n.rstrip("'") not in found
    }


def _families(
    statements: Sequence[Statement],
    letter: str,
    rules: Sequence[Rule],
    stated: Sequence[Range],
    blocks: Ruled,
    parents: Sequence[int],
    whole: set[str],
    ends: Mapping[str, Mapping[str, int]],
    along: AxisName | None = None,
) -> dict[Family, AxisName]:
    """Find the series whose letter counts along an axis, and the axis."""
    axes = {n: axis for _, rule in rules for n, axis in _along(rule.body, letter).items()}
    if along is not None:
        axes = {along.name: along}
    if len(axes) > 1:  # the letter counts along several, in each rule along one
        own = [r for _, rule in rules for r in ranges_for(letter, rule, stated, blocks, parents)]
        full = [n for n in axes if own and all(_is_whole(r, end(n, ends)) for r in own)]
        alike = {
            name: [r for r in rules if _runs_along(name, {*_along(r[1].body, letter)}, full)]
            for name in axes
        }
        given = (stated, blocks, parents, whole, ends)
        parts = [_families(statements, letter, r, *given, axes[n]) for n, r in alike.items() if r]
        every = [family for part in parts for family in part]
        return {f: a for part in parts for f, a in part.items() if every.count(f) == 1}
    if not axes:
        return {}
    (axis,) = axes.values()
    known = end(axis.name, ends)
    names = {name for (name, _), _ in rules} - whole
    spaces = [s for s in statements if isinstance(s, Declaration)]
    if letter in known or any(_declares(s, names, axis.name) is None for s in spaces):
        return {}
    members = [_member(s.target) for s in statements if isinstance(s, Definition)]
    inside = {m[0] for m in members if m is not None and (fold(m[1], known) or 0) > 0}
    together: dict[tuple[int, ...], list[Rule]] = {}
    for rule in rules:
        own = ranges_for(letter, rule[1], stated, blocks, parents)
        part = tuple([id(r) for r in own if not _is_whole(r, known)])
        together.setdefault(part, []).append(rule)
    found = {
        family: axis
        for part, some in together.items()
        if not part or any(f in inside or _looks_ahead(f, rule) for f, rule in some)
        for family, _ in some
    }
    stepped = {
        _stem(s.target)
        for s in statements
        if isinstance(s, Definition) and letter in script_letters(s.target)
    }
    while found:
        # what is made of w^{(m)}, whose own rule gives w^{(m+1)}, follows step by step as that does
        left = stepped - {name for name, _ in found}
        apart = [
            family
            for family, rule in rules
            for part in all_of(Scripts, rule.body)
            if family in found and _stem(part) in left and letter in script_letters(part)
        ]
        if not apart:
            break
        found = {family: axis for family, axis in found.items() if family not in apart}
    return found


def _runs_along(axis: str, indexed: Collection[str], full: Collection[str]) -> bool:
    """Say whether a rule runs along an axis: the one that it indexes, or of several that of its range."""
    return {*indexed} == {axis} or (axis in indexed and [*full] == [axis])


def _declares(statement: Declaration, names: set[str], axis: str) -> bool | None:
    """Say whether a statement declares the members of series, h and h^t, by a space without their axis.

    None where it declares other things with them, or members that it counts.
    """
    found = [name for name in statement.names if _stem(name) in names]
    members = [name for name in found if isinstance(name, Scripts)]
    if not found or (len(members) == len(found) and not any(map(script_letters, members))):
        return False
    if any(a.axis.name == axis for a in statement.space.axes):
        return None if members else False
    counted = [name for name in members if not script_letters(name)]
    return None if counted or len(found) < len(statement.names) else True


def _is_whole(stated: Range, known: Mapping[str, int]) -> bool:
    """Say whether a range is that of a whole axis, by what stands for its last number."""
    return fold(stated.lower, known) == 1 and fold(stated.upper, known) == LAST


def _member(part: Expression | None) -> tuple[Family, Expression] | None:
    """Take the member of a series apart: d and t of d_t, and of d^t."""
    if not isinstance(part, Scripts) or not isinstance(part.base, Letter):
        return None
    scripts = [s for s in (part.sub, part.sup) if s is not None]
    if len(scripts) != 1:
        return None
    return (_stem(part) or "", part.sup is not None), scripts[0]


def _stem(name: Expression) -> str | None:
    """Give the letter of a name, with its primes: h' of h'_i is another letter than h."""
    own = stem(name)
    return own if own is None or not isinstance(name, Scripts) else own + "'" * name.primes


def _looks_ahead(family: Family, rule: Definition) -> bool:
    """Say whether members follow from later ones."""
    own = _member(rule.target)
    members = [_member(part) for part in all_of(Scripts, rule.body)]
    away = [apart_by(own[1], m[1]) for m in members if own and m is not None and m[0] == family]
    return any(distance is not None and distance > 0 for distance in away)


def _given(
    statement: Statement, families: Mapping[Family, AxisName]
) -> Iterator[tuple[Family, Any]]:
    """Give the members that a statement defines by their numbers."""
    member = _member(statement.target) if isinstance(statement, Definition) else None
    if member is not None and member[0] in families and isinstance(member[1], Number):
        yield member[0], member[1].value


def _with_elements(
    statement: Statement,
    series: Known,
    declared: set[Expression],
    ends: Mapping[str, Mapping[str, int]],
) -> Statement:
    def change(part: Any) -> Any:
        if isinstance(part, Scripts) and part.sub is not None and part.sup is not None:
            element = change(dataclasses.replace(part, sup=None))  # u_t^2 is the square of u_t
            return (
                None if element is None else Scripts(part.span, element, sup=put(part.sup, change))
            )
        member = _member(part) if isinstance(part, Scripts) else None
        if member is None or member[0] not in series:
            return None
        (_, above), index = member
        axis, given = series[member[0]]
        if above and isinstance(index, Number) and index.value not in given:
            return None  # the square of all
        number = fold(index, end(axis.name, ends))
        if not counts(index, axis.name, ends) and number is None:
            return None
        if part in declared and number is not None and not 1 <= number <= LAST:
            return None  # the start, which is no element
        base = part.base if not part.primes else dataclasses.replace(part, sub=None, sup=None)
        return Indexed(part.span, base, (At(index.span, axis, index),))

    return put(statement, change) if series else statement


def _by_themselves(statements: Sequence[Statement]) -> set[str]:
    """List the letters that stand by themselves: no members, though they have the letter of some, h_0 = h."""

    def change(part: Any) -> Any:
        if not isinstance(part, Indexed) or not isinstance(part.base, Letter):
            return None
        places = [item.at for item in part.indices]
        return Items(part.span, tuple(places), "") if places else None

    bodies = [s.body for s in statements if isinstance(s, Definition)]
    plain = [put(body, change) if all_of(Indexed, body) else body for body in bodies]
    return {name.text for body in plain for name in names_of(body) if isinstance(name, Letter)}


def _with_axis(statement: Declaration, series: Mapping[str, AxisName]) -> Declaration:
    """Declare series as wholes where their members are declared: h^t in R^hid as h in R^{hid x seq}."""
    axis = series.get(_stem(statement.names[0]) or "")
    if axis is None or not _declares(statement, set(series), axis.name):
        return statement
    axes = (*statement.space.axes, SizedAxis(axis.span, axis, None))
    names = tuple(dict.fromkeys(map(bare, statement.names)))
    return dataclasses.replace(
        statement, names=names, space=dataclasses.replace(statement.space, axes=axes)
    )


# ------------------------------------------------------------------------------- parts of a step


def parts_of_steps(statements: Sequence[Statement]) -> list[Statement]:
    """Give k = f(u_{seq(t)}) the index of the elements that it is a part of: u_{seq(t+1)} = u_{seq(t)} + k.

    Where nothing else says what t is, k is another one at each step: k_{seq(t)}.
    """
    rules: dict[tuple[int, Step], list[int]] = {}
    for i, statement in enumerate(statements):
        own = _element(statement)
        letters = letters_in(own[1]) if own is not None else ()
        if own is not None and len(letters) == 1:
            rules.setdefault((statement.section, (own[0][1], letters[0])), []).append(i)
    found = list(statements)
    sections: dict[int, list[int]] = {}
    for i, statement in enumerate(statements):
        sections.setdefault(statement.section, []).append(i)
    for (section, step), places in rules.items():
        here = sections[section]
        if step[1] in names_given([statements[i] for i in here]):
            continue
        plain = {
            text: i
            for i in here
            if isinstance(said := statements[i], Definition) and said.op == "="
            if isinstance(said.target, (Letter, Scripts)) and (text := key(said.target)) is not None
        }
        known: set[str] = set()
        while True:
            more = {n for n, i in plain.items() if _is_of_step(found[i], step, known)} - known
            if not more:
                break
            known |= more
        used = {key(name) for i in places for name in names_of(found[i])}
        for i in {*places, *[plain[name] for name in known]} if known & used else ():
            found[i] = _at_step(found[i], known, step)
    return found


#: An axis, and the index that counts steps along it.
Step = tuple[str, str]


def _is_of_step(statement: Statement, step: Step, known: Collection[str]) -> bool:
    """Say whether a definition has elements at a step that nothing in it binds, or is made of what has."""
    body = statement.body  # type: ignore[union-attr]
    bound = {
        t for big in all_of(Big, body) for one in all_bound(big) for t in letters_in(one.index)
    }
    axes = {item.axis.name for item in all_of(At, body) if step[1] in letters_in(item.at)}
    if step[1] in bound or not axes <= {step[0]}:
        return False
    return bool(axes) or any(key(name) in known for name in names_of(body))


def _at_step(statement: Statement, known: Collection[str], step: Step) -> Statement:
    def change(part: Any) -> Any:
        if not isinstance(part, (Letter, Scripts)) or key(part) not in known:
            return None
        at = AxisName(part.span, step[0])
        return Indexed(part.span, part, (At(part.span, at, Letter(part.span, step[1])),))

    assert isinstance(statement, Definition)
    body = put(statement.body, change)
    return dataclasses.replace(statement, target=put(statement.target, change), body=body)


# --------------------------------------------------------------------------------------- ranges


def bounded(statements: Sequence[Statement]) -> list[Statement]:
    """Put ranges that are stated right behind a definition by elements among its conditions.

    They belong to each definition of that display that has these indices and no range, unless another one
    beside it takes elements of what it defines.
    """
    found = list(statements)
    last = -1
    for i, statement in enumerate(statements):
        near = [last] if last >= 0 else []
        if near:
            first = bisect.bisect_left(found, found[last].block, key=lambda s: s.block)
            near += range(first, last)
        bounds = [(j, said) for j in near if (said := _bounds(statement, found[j]))]
        if bounds:
            for at, said in bounds:
                before = found[at]
                if at != bounds[0][0] and _is_apart(statements, at, near):
                    continue
                assert isinstance(before, Definition)
                known = () if before.condition is None else (before.condition,)
                every = (*known, *said)
                condition = every[0] if len(every) == 1 else Logic(every[0].span, "and", every)
                found[at] = dataclasses.replace(before, condition=condition)
        else:
            last = i
    return found


def _is_apart(statements: Sequence[Statement], at: int, near: Sequence[int]) -> bool:
    """Say whether a definition has a condition of its own, or others of its display use its elements."""
    own: Any = statements[at]
    others = [getattr(statements[j], "body", None) for j in near if j != at]
    used = {part.base for body in others if body is not None for part in all_of(Indexed, body)}
    return own.condition is not None or own.target.base in used


def _bounds(statement: Statement, rule: Statement) -> tuple[Relation, ...]:
    """Give the ranges that a statement states of the indices of a definition by elements."""
    target = getattr(rule, "target", None)
    own = [i.at for i in target.indices] if isinstance(target, Indexed) else []
    if isinstance(statement, Declaration) and statement.space.base == "[n]":
        names, space = statement.names, statement.space
        said = tuple([Relation(name.span, name, (("in", space),)) for name in names])
        return said if not space.axes and all(name in own for name in names) else ()
    relation = getattr(statement, "relation", None)
    if not isinstance(statement, Constraint) or not isinstance(relation, Relation):
        return ()
    ends = [*ranges_in(relation)]
    return (relation,) if ends and all(r.index in own for r in ends) else ()


# ---------------------------------------------------------------------------------------- cases


def in_cases(
    statements: Sequence[Statement], ends: Mapping[str, Mapping[str, int]]
) -> list[Statement]:
    """Put elements with definitions of their own among the cases of the rule for all, as facts."""
    found = list(statements)
    rules: dict[tuple[Own, int], list[int]] = {}
    for i, statement in enumerate(statements):
        element = _element(statement)
        if element is not None and isinstance(element[1], Letter) and _counts(element, ends):
            rules.setdefault((element[0], statement.section), []).append(i)
    for i, statement in enumerate(statements):
        element = _element(statement)
        if element is None or _counts(element, ends):
            continue
        own, index = element
        number = fold(index, end(own[1], ends))
        places = rules.get((own, statement.section), [])
        if number is not None and 1 <= number <= LAST and len(places) == 1:
            assert isinstance(statement, Definition)
            fact = Relation(statement.span, statement.target, (("=", statement.body),))
            where = {"block": statement.block, "section": statement.section}
            found[i] = Constraint(statement.span, fact, **where)
            found[places[0]] = _with_case(found[places[0]], index, statement.body)
    return found


def _element(statement: Statement) -> tuple[Own, Expression] | None:
    """Take the definition of an element along one axis apart: whose it is, and its index."""
    if not isinstance(statement, Definition) or statement.op != "=":
        return None
    own = named_element(statement.target)
    return None if own is None else (own, statement.target.items[0].at)  # type: ignore[union-attr]


def _counts(element: tuple[Own, Expression], ends: Mapping[str, Mapping[str, int]]) -> bool:
    return counts(element[1], element[0][1], ends)


def _with_case(rule: Statement, index: Expression, body: Expression) -> Statement:
    assert isinstance(rule, Definition)
    assert isinstance(rule.target, Indexed)
    (item,) = rule.target.items
    assert isinstance(item, At)
    there = Relation(index.span, item.at, (("=", index),))
    rows = (Case(body.span, body, there), Case(rule.body.span, rule.body, None))
    condition = rule.condition
    if condition is not None:
        condition = Logic(condition.span, "or", (there, condition))
    return dataclasses.replace(rule, body=Cases(rule.body.span, rows), condition=condition)
