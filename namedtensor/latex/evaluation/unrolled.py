"""Sums over members: in sum_{k=1}^4 phi_k(s) the index chooses names, and so is written out."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import reduce
from typing import TYPE_CHECKING, Any

from namedtensor.latex.evaluation.values import UNKNOWN, Value
from namedtensor.latex.evaluation.wording import wording
from namedtensor.latex.syntax import Big, Letter, Relation, Scripts
from namedtensor.latex.walk import walk
from namedtensor.operations.elementwise import maximum, minimum

if TYPE_CHECKING:
    from namedtensor.latex.evaluation.evaluate import Evaluator

#: More members than this are not written out.
MEMBERS = 1000

_JOINED: dict[str, Callable[[Any, Any], Any]] = {
    "sum": operator.add,
    "prod": operator.mul,
    "max": maximum,
    "min": minimum,
}


def chooses_members(e: Evaluator, part: Big) -> bool:
    """Say whether the index of an operator stands in the script of a family's member."""
    counts = getattr(e.scope, "counts", None)
    lower = part.lower
    if counts is None or part.upper is None or not isinstance(lower, Relation):
        return False
    letter = lower.first
    return isinstance(letter, Letter) and any(
        isinstance(name, Scripts) and counts(name, {letter.text}) for name in walk(part.body)
    )


def unrolled(e: Evaluator, part: Big) -> Value:
    """Evaluate the body for each number of its index, and join the values."""
    lower: Any = part.lower
    start, end = e.extent(lower.rest[0][1]), e.extent(part.upper)  # type: ignore[arg-type]
    if start is UNKNOWN or end is UNKNOWN:
        return UNKNOWN
    if not isinstance(start, int) or not isinstance(end, int) or part.op not in _JOINED:
        return e.refuse(
            part, "chooses members by an index without whole ends", "give the ends numbers"
        )
    if not 0 <= end - start < MEMBERS:
        return e.refuse(
            part,
            f"has {max(0, end - start + 1)} members, and 1 to {MEMBERS} are written out",
            f"count from {wording(lower.rest[0][1])} upwards",
        )
    values = []
    for i in range(start, end + 1):
        inner = e.inside({})
        inner.scope = e.scope.inside({lower.first.text: i})  # type: ignore[attr-defined]
        values.append(inner.numbers(part.body))
    return e.attempt(part, lambda *x: reduce(_JOINED[part.op], x), values)
