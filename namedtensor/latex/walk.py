"""Walk over the parts of a syntax tree."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from namedtensor.latex.source import Span
from namedtensor.latex.syntax import Letter

Kind = TypeVar("Kind")

_PARTS: dict[type, tuple[str, ...] | None] = {}


def fields_of(kind: type) -> tuple[str, ...] | None:
    """Name the fields under which a kind of part keeps its parts; None for what is no part."""
    try:
        return _PARTS[kind]
    except KeyError:
        names = None
        if dataclasses.is_dataclass(kind) and kind is not Span:
            aside = ("span", "block", "section", "derives")
            names = tuple([f.name for f in dataclasses.fields(kind) if f.name not in aside])
        _PARTS[kind] = names
        return names


def children(part: Any) -> list[Any]:
    """Give the parts that a part is directly made of, in the order in which they are kept."""
    found: list[Any] = []
    if type(part) is tuple:
        _spread(part, found)
    for name in fields_of(type(part)) or ():
        value = getattr(part, name)
        if type(value) is tuple:
            _spread(value, found)
        elif fields_of(type(value)) is not None:
            found.append(value)
    return found


def _spread(parts: tuple[Any, ...], found: list[Any]) -> None:
    for part in parts:
        if type(part) is tuple:
            _spread(part, found)
        elif fields_of(type(part)) is not None:
            found.append(part)


def walk(part: Any) -> Iterator[Any]:
    """Give a part and everything inside it, outermost first.

    >>> from namedtensor.latex.source import Span
    >>> from namedtensor.latex.syntax import Letter, Unary
    >>> at = Span(0, 1)
    >>> [type(p).__name__ for p in walk(Unary(at, "-", Letter(at, "X")))]
    ['Unary', 'Letter']
    """
    return iter(parts_of(part))


def parts_of(part: Any) -> list[Any]:
    """List a part and everything inside it, outermost first; no tuple inside is a part."""
    found = [part]
    pending = list(part) if type(part) is tuple else children(part)
    pending.reverse()
    while pending:  # all documents pass through here many times: no call for each part
        one = pending.pop()
        kind = type(one)
        if kind is tuple:
            pending.extend(one[::-1])
            continue
        if kind not in _PARTS:
            fields_of(kind)
        names = _PARTS[kind]
        if names is None:
            continue
        found.append(one)
        for name in names[::-1]:
            value = getattr(one, name)
            if value is not None and type(value) is not str:
                pending.append(value)
    return found


def all_of(kind: type[Kind], part: Any) -> list[Kind]:
    """List the parts of one kind inside a part."""
    return [p for p in parts_of(part) if isinstance(p, kind)]


def letters_of(part: Any) -> list[Letter]:
    """List all letters of a statement, or of a part of one."""
    return all_of(Letter, part)


def parted(letter: Letter) -> tuple[Letter, ...]:
    """Part italics that are written without a space: k and h of kh."""
    start = letter.span.start
    return tuple([Letter(Span(start + i, start + i + 1), c) for i, c in enumerate(letter.text)])


def reached(start: Iterable[Kind], onward: Callable[[Kind], Iterable[Kind]]) -> set[Kind]:
    """Collect what one comes to from a start, by one step or by many.

    >>> sorted(reached([1], lambda n: {1: [2], 2: [3, 1]}.get(n, [])))
    [1, 2, 3]
    """
    found: set[Kind] = set()
    pending = list(start)
    while pending:
        one = pending.pop()
        if one not in found:
            found.add(one)
            pending += onward(one)
    return found


def depth_of(part: Any) -> int:
    """Say how deep a tree is."""
    deepest = 0
    waiting = [(part, 0)]
    while waiting:
        found, depth = waiting.pop()
        deepest = max(deepest, depth)
        waiting += [(inner, depth + 1) for inner in children(found)]
    return deepest


def moved(part: Any, by: int) -> Any:
    """Give a part as it is where its text begins `by` signs later.

    >>> from namedtensor.latex.source import Span
    >>> from namedtensor.latex.syntax import Letter
    >>> moved(Letter(Span(0, 1), "X"), 3).span
    Span(start=3, end=4)
    """
    kind = type(part)
    if kind is tuple:
        return tuple([moved(inner, by) for inner in part])
    if fields_of(kind) is None:
        return part
    new = object.__new__(kind)
    give = object.__setattr__
    for name in _ALL.get(kind) or _all_fields(kind):
        value = getattr(part, name)
        if name == "span":
            value = Span(value.start + by, value.end + by)
        elif type(value) is tuple or fields_of(type(value)) is not None:
            value = moved(value, by)
        give(new, name, value)
    return new


_ALL: dict[type, tuple[str, ...]] = {}


def _all_fields(kind: type) -> tuple[str, ...]:
    found = _ALL[kind] = tuple([f.name for f in dataclasses.fields(kind)])
    return found


def put(part: Any, change: Callable[[Any], Any | None]) -> Any:
    """Rebuild a part with some of its parts replaced: `change` gives a replacement, or None."""
    changed = change(part)
    if changed is not None:
        return changed
    if isinstance(part, tuple):
        parts = tuple([put(p, change) for p in part])
        return part if all(map(operator.is_, parts, part)) else parts
    new = {}
    for name in fields_of(type(part)) or ():
        value = getattr(part, name)
        if type(value) is tuple or fields_of(type(value)) is not None:
            after = put(value, change)
            if after is not value:
                new[name] = after
    return dataclasses.replace(part, **new) if new else part
