"""Indices: whether they stay within their axis, counted from 1, and what they are an index of."""

from __future__ import annotations

from typing import Any

from namedtensor.latex.check.report import Report
from namedtensor.latex.check.sizes import (
    Facts,
    algebra,
    condition,
    is_never_negative,
    is_positive,
    text,
)
from namedtensor.latex.check.words import shape_text, size_text
from namedtensor.latex.source import Span
from namedtensor.primitives import Node, Type

#: Trees with more nodes than this keep their range to themselves.
LARGEST = 40


def interval(node: Node, bounds: dict[Node, Any], left: int = LARGEST) -> tuple[Any, Any] | None:
    """Give the least and the greatest value of an index, in terms of the sizes.

    `bounds` holds the n of leaves that are declared in [n].
    """
    if node in bounds:
        bound = algebra(bounds[node])
        return None if bound is None else (algebra(1), bound)
    if node.type.host:
        value = algebra(node)
        return None if value is None else (value, value)
    if node.name == "iota":
        size = algebra(
            node.operands[0] if node.operands[0].value is None else node.operands[0].value
        )
        return None if size is None else (algebra(0), size - 1)
    if node.name not in ("add", "sub", "mul", "neg", "rename", "expand") or left <= 0:
        return None
    parts = [interval(o, bounds, left // 2) for o in node.operands]
    known = [p for p in parts if p is not None]
    if len(known) < len(parts):
        return None
    return _combined(node.name, known)


def _combined(name: str, parts: list[tuple[Any, Any]]) -> tuple[Any, Any] | None:
    if name == "neg":
        low, high = parts[0]
        return -high, -low
    if len(parts) == 1:
        return parts[0]
    (a, b), (c, d) = parts
    if name == "add":
        return a + c, b + d
    if name == "sub":
        return a - d, b - c
    if a == b and is_never_negative(a):
        return a * c, a * d
    if c == d and is_never_negative(c):
        return a * c, b * c
    return None


def check_range(
    axis: str,
    size: Any,
    at: Any,
    bounds: dict[Node, Any],
    span: Span,
    shown: tuple[str, Type],
    facts: Facts,
    report: Report,
) -> None:
    """Report an index that lies outside its axis, for all values of the sizes or for most."""
    node = getattr(at, "node", None)
    found = interval(node, bounds) if node is not None else (algebra(at), algebra(at))
    if found is None or None in found:
        return
    low, high = found
    shapes = [(shown[0], shape_text(shown[1]))]
    if is_positive(1 - low):
        report.add(
            "error",
            "index-range",
            span,
            f"the index of {axis} can be {text(low)}, and the notation counts from 1",
            shapes,
            f"indices of {axis} go from 1 to |{axis}|",
        )
        return
    end = algebra(size)
    if end is None:
        return
    beyond = facts.reduced(high - end)
    if is_positive(beyond) or (is_never_negative(beyond) and beyond != 0):
        sure = is_positive(beyond)
        only = "" if sure else f", unless {condition(beyond)}"
        report.add(
            "error" if sure else "warning",
            "index-range",
            span,
            f"the index of {axis} goes up to {text(high)}, past the end, {size_text(size)}{only}",
            shapes,
            f"make {axis} longer, or let the index stop earlier",
        )


def check_bound(
    axis: str,
    size: Any,
    index: tuple[str, str, Any],
    span: Span,
    shown: tuple[str, Type],
    facts: Facts,
    report: Report,
) -> None:
    """Hold an index to its axis's size; `index` is its name, and the base and n of its [n]^{...}."""
    name, base, bound = index
    shapes = [(shown[0], shape_text(shown[1]))]
    if base in ("R", "C", "[0,1]"):
        report.add(
            "error",
            "index-type",
            span,
            f"{name} indexes {axis}, and it is declared in {base}; an index is a whole number",
            shapes,
            f"declare it in [{size_text(size)}]" if size is not None else "declare it in [n]",
        )
        return
    if bound is None or size is None:
        return
    found = facts.compare(bound, size)
    if found.verdict not in ("never", "where"):
        return
    only = f", right only where {found.where}" if found.where else ""
    report.add(
        "error" if found.verdict == "never" else "warning",
        "index-type",
        span,
        f"{name} is in [{size_text(bound)}], and it indexes {axis}, which has size "
        f"{size_text(size)}{only}",
        shapes,
        f"declare {name} in [{size_text(size)}]",
    )
