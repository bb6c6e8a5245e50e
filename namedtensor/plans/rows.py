"""Arguments in rows, one row for each bundle that is like the first; their calls become a loop."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from namedtensor.plans.code import (
    Apply,
    Code,
    Literal,
    Loop,
    Name,
    Prefix,
    Return,
    Statement,
    Step,
    Subscript,
    Value,
    Word,
    codes_in,
    names_in,
    replaced,
)
from namedtensor.plans.emitter import Emitter
from namedtensor.primitives import Type

#: The type of a row: all data that one bundle holds.
ROW = Type((), "float")


class Rows(Protocol):
    """Say where among the arguments the rows stand: `count` times `width` from `start`."""

    path: str
    count: int
    start: int
    width: int

    def name(self, place: int) -> str: ...


def in_rows(given: Sequence[Any], start: int, count: int, width: int) -> list[Sequence[Any]]:
    """Split the arguments into rows."""
    return [given[start + i * width : start + (i + 1) * width] for i in range(count)]


def alike(rows: Sequence[Sequence[Any]]) -> bool:
    """Say whether all rows have the sizes of the first."""
    shapes = [x.shape for x in rows[0]]
    return all([[x.shape for x in row] == shapes for row in rows[1:]])


WORDS = {"in_rows": in_rows, "alike": alike}


def enter(
    emit: Emitter, arguments: Sequence[tuple[str, Type, tuple[str, ...]]], rows: Sequence[Rows]
) -> tuple[tuple[str, ...], list[Statement], dict[str, int]]:
    """Name arguments; give the function's parameters, the code that splits rows, and their counts."""
    emit.locals |= set(WORDS)
    starts = {each.start: each for each in rows}
    first = min(starts, default=len(arguments))
    parameters = [emit.fresh(name) for name, _, _ in arguments[:first]]
    for (name, type_, axes), local in zip(arguments, parameters, strict=False):
        emit.arguments[name] = Value(Name(local), axes, type_)
    if not rows:
        return tuple(parameters), [], {}
    given, opening, counts = emit.fresh("given"), list[Statement](), dict[str, int]()
    place, taken = first, 0
    while place < len(arguments):
        each = starts.get(place)
        name, type_, axes = arguments[place]
        if each is None:
            local, code = emit.fresh(name), Subscript(Name(given), (Literal(taken),))
            opening.append(Step(local, code, axes, type_))
            emit.arguments[name] = Value(Name(local), axes, type_)
            place, taken = place + 1, taken + 1
            continue
        whole = Name(emit.fresh(each.path))
        numbers = tuple([Literal(n) for n in (taken, each.count, each.width)])
        opening.append(Step(whole.name, Apply(Word("in_rows"), (Name(given), *numbers))))
        counts[whole.name] = each.count
        parts = [Subscript(whole, (Literal(i),)) for i in range(each.count)]
        for i, part in enumerate(parts):
            emit.arguments[each.name(i)] = Value(part, (), ROW)
        for i, (name, type_, axes) in enumerate(arguments[place : place + each.width]):
            emit.arguments[name] = Value(Subscript(parts[0], (Literal(i),)), axes, type_)
        place, taken = place + each.width, taken + each.count * each.width
    return (*parameters, f"*{given}"), opening, counts


def looped(
    body: Sequence[Statement], counts: Mapping[str, int], fresh: Callable[[str], str]
) -> list[Statement]:
    """Replace consecutive calls of one function, for one row after the other, by a loop."""
    rest, found = [*body], list[Statement]()
    while rest:
        at, run = _chain(rest)
        if len(run) < 2:
            found.append(rest.pop(0))
            continue
        rest = rest[len(run) :]
        first, last = run[0], run[-1]
        (whole, start), (_, end) = _row(first), _row(last)
        given = [*first.code.arguments[:-1]]
        carried, name = given[at], last.name
        if isinstance(carried, Name) and carried.name not in names_in(
            [*codes_in(rest), *given[:at], *given[at + 1 :]]
        ):
            name = carried.name
            rest = [_renamed(statement, {last.name: carried}) for statement in rest]
        else:
            found.append(replace(last, code=carried))
        each = fresh("each")
        given[at] = Name(name)
        code = replace(first.code, arguments=(*given, Prefix("*", Name(each))))
        every = (start, end + 1) == (0, counts[whole.name])
        over = whole if every else Subscript(whole, (Literal(slice(start, end + 1)),))
        found.append(Loop(each, over, (replace(last, name=name, code=code),)))
    return found


def _row(statement: Statement) -> Any:
    """Find the row that is the last argument of a call: the rows, and its place."""
    match statement:
        case Step(_, Apply(_, (*_, Prefix("*", Subscript(Name() as whole, (Literal(place),)))))):
            return whole, place
    return None


def _chain(body: Sequence[Any]) -> tuple[int, list[Any]]:
    """Find the first steps that one loop can replace, and the place of the argument that it carries."""
    run: list[Any] = [body[0]]
    at = -1
    if _row(body[0]) is None:
        return at, run
    used = Counter(names_in(codes_in(body)))
    for step in body[1:]:
        before, row = run[-1], _row(step)
        (whole, place), given = _row(before), before.code.arguments[:-1]
        if row != (whole, place + 1) or step.code.function != before.code.function:
            break
        new = step.code.arguments[:-1]
        changed = [i for i, (a, b) in enumerate(zip(given, new, strict=True)) if a != b]
        if len(changed) != 1 or at not in (-1, changed[0]):
            break
        if new[changed[0]] != Name(before.name) or used[before.name] != 1:
            break
        at = changed[0]
        run.append(step)
    return at, run


def _renamed(statement: Statement, given: Mapping[str, Code]) -> Statement:
    """Substitute expressions for locals in a statement."""
    match statement:
        case Step():
            return replace(statement, code=replaced(statement.code, given))
        case Return(values):
            new = [replace(value, code=replaced(value.code, given)) for value in values]
            return Return(tuple(new))
        case Loop(_, over, inside):
            steps = tuple([_renamed(s, given) for s in inside])
            return replace(statement, over=replaced(over, given), body=steps)
    return statement
