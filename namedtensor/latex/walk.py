"""Walk over the syntax tree, whatever its depth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from typing import TypeVar

from namedtensor.latex.syntax import Letter

Kind = TypeVar("Kind")

#: What fields of the tree hold that is no part of it, by their annotations.
VALUES = frozenset(("str", "int", "bool", "int | float", "Span"))


@cache
def children_of(kind: type) -> tuple[str, ...]:
    """Name the fields of a class of the tree that hold its parts.

    >>> children_of(Letter)
    ()
    """
    if not is_dataclass(kind):
        return ()
    return tuple(field.name for field in fields(kind) if field.type not in VALUES)


def parts_of(whole: object, kind: type[Kind]) -> Iterator[Kind]:
    """Give all parts of one kind: of a statement, an expression, or a tuple of them."""
    waiting: list[object] = [whole]
    while waiting:
        thing = waiting.pop()
        if isinstance(thing, kind):
            yield thing
        if isinstance(thing, tuple):
            waiting += thing
        else:
            for name in children_of(type(thing)):
                waiting.append(getattr(thing, name))


def letters_of(whole: object) -> Iterator[Letter]:
    """Give all letters of a statement, or of a part of one."""
    return parts_of(whole, Letter)


def depth_of(whole: object) -> int:
    """Say how deep a tree is."""
    deepest = 0
    waiting: list[tuple[object, int]] = [(whole, 0)]
    while waiting:
        thing, depth = waiting.pop()
        deepest = max(deepest, depth)
        if isinstance(thing, tuple):
            waiting += [(part, depth) for part in thing]
        else:
            waiting += [(getattr(thing, n), depth + 1) for n in children_of(type(thing))]
    return deepest
