"""Lifetimes in emitted code: a view that is read twice is made once, and memory is freed early."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from namedtensor.plans.code import (
    Apply,
    Code,
    Function,
    Items,
    Literal,
    Name,
    Release,
    Return,
    Statement,
    Step,
    Value,
    Word,
    codes_in,
    names_in,
    parts_of,
    with_parts,
)

#: Words whose result is their first operand in another shape; a second call gives the same.
_VIEWS = frozenset({"permute", "unsqueeze", "reshape"})


# ------------------------------------------------------------------------------- repeated views


def views_once(body: Sequence[Statement], fresh: Callable[[str], str]) -> list[Statement]:
    """Compute a view that occurs several times once: making it costs as much as a small operation.

    y = x * unsqueeze(C, 1) + z * unsqueeze(C, 1)  is  C2 = unsqueeze(C, 1); y = x * C2 + z * C2.
    """
    counts: Counter[Code] = Counter()
    for statement in body:
        if isinstance(statement, (Step, Return)):
            for code in codes_in([statement]):
                _count(code, counts)
    names: dict[Code, Name] = {}
    found: list[Statement] = []

    def shorter(code: Code) -> Code:
        """Replace views that have names by the names, and name those that occur again."""
        if code in names:
            return names[code]
        new = with_parts(code, [shorter(part) for part in parts_of(code)])
        if counts[code] < 2 or not _is_view(code):
            return new
        (stem,) = names_in([code])[:1]
        names[code] = Name(fresh(stem))
        found.append(Step(names[code].name, new))
        return names[code]

    for statement in body:
        match statement:
            case Step(name, code) if _is_view(code):
                parts = [shorter(part) for part in parts_of(code)]
                found.append(replace(statement, code=names.get(code, with_parts(code, parts))))
                names.setdefault(code, Name(name))
            case Step(_, code):
                found.append(replace(statement, code=shorter(code)))
            case Return(values):
                new = [Value(shorter(v.code), v.axes, v.type) for v in values]
                found.append(Return(tuple(new)))
            case _:
                found.append(statement)
    return found


def _count(code: Code, counts: Counter[Code]) -> None:
    """Count the views in an expression; the inside of a view that was counted before is not counted again."""
    if _is_view(code):
        counts[code] += 1
        if counts[code] > 1:
            return
    for part in parts_of(code):
        _count(part, counts)


def _is_view(code: Code) -> bool:
    match code:
        case Apply(Word(word), (first, *others), ()) if word in _VIEWS:
            inside = isinstance(first, Name) or _is_view(first)
            return inside and all(map(_of_sizes, others))
    return False


def _of_sizes(code: Code) -> bool:
    """Say whether an operand of a view only gives sizes and places."""
    return not isinstance(code, (Apply, Items)) or (
        isinstance(code, Items) and all(map(_of_sizes, code.parts))
    )


# ------------------------------------------------------------------------------- last uses


def released(function: Function) -> Function:
    """Delete results after their last use, as nested calls would.

    A call then holds no more memory at once than its formula needs. Freed memory is reused while it is in the
    cache; fresh memory costs more than computing a small result.
    """
    if function.kept or not function.tells:
        return function
    last = {name: i for i, part in enumerate(function.body) for name in names_in(codes_in([part]))}
    for part in function.body:
        if not isinstance(part, Step):  # an inner function reads its locals when it is called
            last |= dict.fromkeys(names_in(codes_in([part])), len(function.body))
    steps = [i for i, part in enumerate(function.body) if isinstance(part, Step)]
    least = steps[-2] if len(steps) > 1 else 0  # what the last steps read ends with the call
    held = dict(_held(function.body))
    body: list[Statement] = []
    for i, part in enumerate(function.body):
        body.append(part)
        dead = tuple([name for name, made in held.items() if last.get(name) == i > made])
        if dead and i < least:
            body.append(Release(dead))
    return replace(function, body=tuple(body))


def _held(body: Sequence[Statement]) -> Iterator[tuple[str, int]]:
    """Give the names of results that hold arrays, and the places of the steps that compute them."""
    names: set[str] = set()
    for i, part in enumerate(body):
        if not isinstance(part, Step) or isinstance(part.code, Literal):
            continue
        array = part.axes or part.type is None
        calls = isinstance(part.code, Apply) and isinstance(part.code.function, (Word, Name))
        several = calls and part.type is not None and part.type.host
        owned = not _is_view(part.code) or not names.isdisjoint(names_in([part.code]))
        if (array or several) and owned:
            names.add(part.name)
            yield part.name, i
