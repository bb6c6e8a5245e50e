"""Sums over members: in sum_{k=1}^4 phi_k(s) the index chooses names, and so is written out."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce
from typing import TYPE_CHECKING, Any

from namedtensor.latex.evaluation.values import UNKNOWN, Value
from namedtensor.latex.evaluation.vocabulary import big_word
from namedtensor.latex.evaluation.wording import wording
from namedtensor.latex.syntax import Big, Letter, Relation, Scripts
from namedtensor.latex.walk import walk
from namedtensor.primitives import table
from namedtensor.primitives.sizes import OPERATORS
from namedtensor.tensor import apply

if TYPE_CHECKING:
    from namedtensor.latex.evaluation.evaluate import Evaluator

#: More members than this are not written out.
MEMBERS = 1000


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


def _pair(part: Big) -> Callable[[Any, Any], Any] | None:
    """Find how two members are joined: those of a sum are added."""
    word = big_word(part.op)
    folds = table()[word.name].traits.folds if word is not None else ""
    if not folds:
        return None
    entry = table()[folds]
    once = partial(apply, entry.plain)
    pair: Callable[[Any, Any], Any] = OPERATORS.get(entry.traits.symbol, once)
    return pair


def unrolled(e: Evaluator, part: Big) -> Value:
    """Evaluate the body for each number of its index, and join the values."""
    lower: Any = part.lower
    start, end = e.extent(lower.rest[0][1]), e.extent(part.upper)  # type: ignore[arg-type]
    if start is UNKNOWN or end is UNKNOWN:
        return UNKNOWN
    pair = _pair(part)
    if not isinstance(start, int) or not isinstance(end, int) or pair is None:
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
    return e.attempt(part, lambda *x: reduce(pair, x), values)
