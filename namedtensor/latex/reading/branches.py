"""Find the parts of one kind in a syntax tree, fast, and say how deep the tree is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import TypeVar

from namedtensor.latex.syntax import Letter

Kind = TypeVar("Kind")

#: What fields of the tree hold that is no part of it, by their annotations.
VALUES = frozenset(("str", "int", "bool", "int | float", "Span"))


_BRANCHES: dict[type, tuple[str, ...]] = {}


def branches_of(thing: object) -> tuple[str, ...]:
    """Name the fields of a part of the tree that hold its parts.

    >>> from namedtensor.latex.source import Span
    >>> branches_of(Letter(Span(0, 1), "X"))
    ()
    """
    kind = type(thing)
    found = _BRANCHES.get(kind)
    if found is None:
        kept = fields(kind) if is_dataclass(kind) else ()
        found = tuple(field.name for field in kept if field.type not in VALUES)
        _BRANCHES[kind] = found
    return found


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
            for name in branches_of(thing):
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
            waiting += [(getattr(thing, n), depth + 1) for n in branches_of(thing)]
    return deepest
