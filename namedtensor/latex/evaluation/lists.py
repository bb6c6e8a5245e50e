"""Evaluate lists with dots, mean(R_{ax(1)}, ..., R_{ax(n)}) or R_{ax(1)} + ... + R_{ax(n)}."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from namedtensor.latex.evaluation.evaluator import Evaluator
from namedtensor.latex.evaluation.values import Value
from namedtensor.latex.syntax import (
    Big,
    Binary,
    Dots,
    Expression,
    Letter,
    Number,
    Relation,
    Scripts,
)
from namedtensor.latex.walk import FIELDS, all_of, letters_of, put


def members(part: Expression, op: str) -> list[Expression]:
    """List the members of R_1 + ... + R_n."""
    if isinstance(part, Binary) and part.op == op and not part.axes:
        return [*members(part.left, op), part.right]
    return [part]


def over_list(e: Evaluator, part: Expression, op: str, listed: Sequence[Expression]) -> Value:
    """Evaluate mean(R_{ax(1)}, ..., R_{ax(n)}) as the mean over an index that runs from 1 to n."""
    dots = [at for at, member in enumerate(listed) if isinstance(member, Dots)]
    first, others = listed[0], [*listed[1 : dots[0]], *listed[dots[0] + 1 :]]
    index = Letter(part.span, "member")
    ends: list[tuple[Expression, Expression]] = []
    body = _varied(first, others[-1], index, ends) if others else first
    start, end = ends[0] if ends else (None, None)
    counts = isinstance(start, Number) and all(pair == (start, end) for pair in ends)
    for at, member in enumerate(others[: dots[0] - 1], 1):
        here = Number(part.span, getattr(start, "value", 0) + at)
        counts = counts and put(body, partial(_numbered, index, here)) == member
    chooses = [name for name in all_of(Scripts, body) if index in letters_of(name)]
    counted = getattr(e.scope, "counts", None)
    if chooses and not (counted and all(counted(name, {index.text}) for name in chooses)):
        return e.refuse(
            part,
            "lists letters by dots, of which nothing says that they are a series",
            r"list the elements of one tensor: R_{\text{ax}(1)}, \ldots, R_{\text{ax}(n)}",
        )
    if len(dots) > 1 or not dots[0] or not counts or len(others) - dots[0] > 0:
        return e.refuse(
            part,
            "lists members by dots, and does not say how it goes on",
            r"write the first and the last one, R_{\text{ax}(1)}, \ldots, R_{\text{ax}(n)}",
        )
    lower, upper = Relation(part.span, index, (("=", start),)), end  # type: ignore[arg-type]
    return e.value(Big(part.span, op, (), lower, upper if len(others) == dots[0] else None, body))


def _numbered(index: Letter, number: Number, part: Any) -> Any:
    return number if part is index else None


def _varied(first: Any, last: Any, index: Letter, ends: list[tuple[Expression, Expression]]) -> Any:
    """Replace the parts in which two members differ by an index, and add both parts to `ends`."""
    if first == last:
        return first
    names = FIELDS[type(first)]
    if type(first) is tuple and type(last) is tuple and len(first) == len(last):
        return tuple([_varied(a, b, index, ends) for a, b in zip(first, last, strict=True)])
    if names is None or type(first) is not type(last) or isinstance(first, (Number, Letter)):
        ends.append((first, last))
        return index
    return replace(
        first, **{n: _varied(getattr(first, n), getattr(last, n), index, ends) for n in names}
    )
