"""Walk over the parts of a syntax tree."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from namedtensor.latex.source import Span
from namedtensor.latex.syntax import AxisName

Kind = TypeVar("Kind")

_PARTS: dict[type, tuple[str, ...]] = {}


def children(part: Any) -> Iterator[Any]:
    """Give the parts that a part is directly made of, in the order in which they are kept."""
    names = _PARTS.get(type(part))
    if names is None:
        fields = dataclasses.fields(part) if dataclasses.is_dataclass(part) else ()
        names = tuple([f.name for f in fields if f.name not in ("span", "block", "section")])
        _PARTS[type(part)] = names
    for name in names:
        yield from _spread(getattr(part, name))


def _spread(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        for item in value:
            yield from _spread(item)
    elif dataclasses.is_dataclass(value) and not isinstance(value, Span):
        yield value


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
        pending += reversed(list(children(found)))


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
