"""Recurrences along an axis: h_{seq(t)} = f(h_{seq(t-1)}, x_{seq(t)}).

Such an h cannot be defined by all its elements at once. Its definition is rewritten as that of a
series, whose members have a name that nobody can type, and which is stacked along the axis.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from namedtensor.latex.syntax import At, Definition, Expression, Indexed, Letter, Scripts, Statement
from namedtensor.latex.walk import all_of, put

#: Joins the name of a tensor and the axis along which it is defined, step by step.
ALONG = "@"


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


def stepped(statements: Sequence[Statement]) -> list[Statement]:
    """Rewrite the definitions by elements that refer to other elements of themselves."""
    edges: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for statement in statements:
        own = _own(statement)
        if own is not None and isinstance(statement, Definition):
            edges.setdefault(own, set()).update(
                [found for part in all_of(Indexed, statement.body) if (found := _named(part))]
            )
    circular = {name for name in edges if _reaches(name, name, edges)}
    return [_rewritten(s, circular) if _own(s) in circular else s for s in statements]


def _own(statement: Statement) -> tuple[str, str] | None:
    """Give the name and the axis of a definition by elements along one axis."""
    if not isinstance(statement, Definition) or statement.op != "=":
        return None
    return _named(statement.target)


def _named(part: Expression) -> tuple[str, str] | None:
    if not isinstance(part, Indexed) or not isinstance(part.base, Letter) or len(part.items) != 1:
        return None
    (item,) = part.items
    return (part.base.text, item.axis.name) if isinstance(item, At) else None


def _reaches(
    start: tuple[str, str],
    goal: tuple[str, str],
    edges: dict[tuple[str, str], set[tuple[str, str]]],
) -> bool:
    seen: set[tuple[str, str]] = set()
    pending = list(edges.get(start, ()))
    while pending:
        name = pending.pop()
        if name == goal:
            return True
        if name not in seen:
            seen.add(name)
            pending += edges.get(name, ())
    return False


def _rewritten(statement: Statement, circular: set[tuple[str, str]]) -> Statement:
    def change(part: Any) -> Any:
        if not isinstance(part, Indexed) or _named(part) not in circular:
            return None
        (item,) = part.items
        assert isinstance(item, At)
        assert isinstance(part.base, Letter)
        text = f"{part.base.text}{ALONG}{item.axis.name}"
        return Scripts(
            part.span, dataclasses.replace(part.base, text=text), sub=put(item.at, change)
        )

    return put(statement, change)  # type: ignore[no-any-return]
