"""Walk over the parts of a syntax tree."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from namedtensor.latex.source import Span
from namedtensor.latex.syntax import AxisName

Kind = TypeVar("Kind")

#: The names under which the parts of each kind of part are kept; None for what is no part.
_PARTS: dict[type, tuple[str, ...] | None] = {}


def _names_of(kind: type) -> tuple[str, ...] | None:
    try:
        return _PARTS[kind]
    except KeyError:
        names = None
        if dataclasses.is_dataclass(kind) and kind is not Span:
            aside = ("span", "block", "section")
            names = tuple([f.name for f in dataclasses.fields(kind) if f.name not in aside])
        _PARTS[kind] = names
        return names


def children(part: Any) -> list[Any]:
    """Give the parts that a part is directly made of, in the order in which they are kept."""
    found: list[Any] = []
    for name in _names_of(type(part)) or ():
        value = getattr(part, name)
        if type(value) is tuple:
            _spread(value, found)
        elif _names_of(type(value)) is not None:
            found.append(value)
    return found


def _spread(parts: tuple[Any, ...], found: list[Any]) -> None:
    for part in parts:
        if type(part) is tuple:
            _spread(part, found)
        elif _names_of(type(part)) is not None:
            found.append(part)


def walk(part: Any) -> Iterator[Any]:
    """Give a part and everything inside it, outermost first.

    >>> from namedtensor.latex.source import Span
    >>> from namedtensor.latex.syntax import Letter, Unary
    >>> at = Span(0, 1)
    >>> [type(p).__name__ for p in walk(Unary(at, "-", Letter(at, "X")))]
    ['Unary', 'Letter']
    """
    pending = [part]
    while pending:
        found = pending.pop()
        yield found
        pending += reversed(children(found))


def all_of(kind: type[Kind], part: Any) -> list[Kind]:
    """List the parts of one kind inside a part."""
    return [p for p in walk(part) if isinstance(p, kind)]


def axis_names(part: Any) -> list[AxisName]:
    """List where axes are named inside a part."""
    return all_of(AxisName, part)


def put(part: Any, change: Callable[[Any], Any | None]) -> Any:
    """Rebuild a part with some of its parts replaced: `change` gives a replacement, or None."""
    changed = change(part)
    if changed is not None:
        return changed
    if isinstance(part, tuple):
        return tuple([put(p, change) for p in part])
    if not dataclasses.is_dataclass(part) or isinstance(part, type):
        return part
    new = {}
    for f in dataclasses.fields(part):
        if f.name not in ("span", "block", "section"):
            value = getattr(part, f.name)
            if isinstance(value, tuple) or dataclasses.is_dataclass(value):
                after = put(value, change)
                if after is not value:
                    new[f.name] = after
    return dataclasses.replace(part, **new) if new else part
