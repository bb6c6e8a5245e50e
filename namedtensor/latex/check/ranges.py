"""Indices: whether they stay within their axis, counted from 1, and what they are an index of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from namedtensor.latex.check.report import Report, shape_text, size_text
from namedtensor.latex.check.sizes import (
    Facts,
    algebra,
    condition,
    is_never_negative,
    is_positive,
    text,
)
from namedtensor.latex.evaluation.indices import Index, is_whole, position
from namedtensor.latex.source import Span
from namedtensor.primitives import Node, Type


def interval(at: Any, bounds: Mapping[Node, Any]) -> tuple[Any, Any] | None:
    """Give the least and the greatest value of an index that counts from 1, in terms of the sizes.

    `bounds` holds the n of tensors that are declared in [n]; None for what may be any number.
    """
    low = high = algebra(0)
    if not is_whole(at):
        return None
    whole = position(at)
    for term, count in whole.terms:
        found = _term(term, bounds)
        if found is None:
            return None
        ends = count * found[0], count * found[1]
        low += ends[0] if count > 0 else ends[1]
        high += ends[1] if count > 0 else ends[0]
    return low + whole.constant, high + whole.constant


def _term(term: Any, bounds: Mapping[Node, Any]) -> tuple[Any, Any] | None:
    """Give the range of one term: a bound index and a tensor over [n] count from 0 inside."""
    if isinstance(term, Index):
        size = algebra(term.size)
        return None if size is None else (algebra(0), size - 1)
    node = getattr(term, "node", None)
    if node is not None and node in bounds:
        bound = algebra(bounds[node])
        return None if bound is None else (algebra(0), bound - 1)
    if node is not None and node.type.host:
        value = algebra(node)
        return None if value is None else (value, value)
    return None


def check_range(
    axis: str,
    size: Any,
    at: Any,
    bounds: Mapping[Node, Any],
    span: Span,
    shown: tuple[str, Type],
    facts: Facts,
    report: Report,
) -> None:
    """Report an index that lies outside its axis, for all values of the sizes or for most."""
    found = interval(at, bounds)
    if found is None:
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
    found = facts.mismatch(bound, size)
    if found is None:
        return
    severity, only = found
    report.add(
        severity,
        "index-type",
        span,
        f"{name} is in [{size_text(bound)}], and it indexes {axis}, which has size "
        f"{size_text(size)}{only}",
        shapes,
        f"declare {name} in [{size_text(size)}]",
    )
