"""Operators that reach over a product: sums, products, extremes, over axes or over an index.

The index of sum_{i=1}^n runs along a hidden axis. Where it indexes a whole axis, as in
sum_i X_{seq(i)}, the sum is over that axis itself.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from namedtensor.axes import shown
from namedtensor.latex.evaluation.arithmetic import axes_of
from namedtensor.latex.evaluation.hidden import renamed, settled
from namedtensor.latex.evaluation.indices import Index, Position, one_based, plain
from namedtensor.latex.evaluation.meanings import Word
from namedtensor.latex.evaluation.nonsense import ArgumentsError, NoAxisError
from namedtensor.latex.evaluation.ranges import Range, read_range
from namedtensor.latex.evaluation.unrolled import chooses_members, unrolled
from namedtensor.latex.evaluation.values import UNKNOWN, Value
from namedtensor.latex.evaluation.vocabulary import big_word
from namedtensor.latex.evaluation.wording import wording
from namedtensor.latex.reading import words
from namedtensor.latex.syntax import At, Big, Expression, Indexed, Items, Letter, Scripts
from namedtensor.latex.walk import walk
from namedtensor.operations.contraction import DOT, dot
from namedtensor.operations.elementwise import MUL, where
from namedtensor.operations.joining import concat, stack
from namedtensor.operations.reductions import prod
from namedtensor.operations.reductions import sum as total
from namedtensor.primitives import table
from namedtensor.shape import sized
from namedtensor.tensor import NamedTensor, SymbolicTensor

if TYPE_CHECKING:
    from namedtensor.latex.evaluation.evaluate import Evaluator


def big(e: Evaluator, part: Big) -> Value:
    word = big_word(part.op)
    if word is not None and word.along in (concat, stack):
        return _joined(e, part, word)
    if word is None:
        return e.refuse(part, f"is no operation on named tensors: {part.op} has no meaning here")
    if part.lower is not None or part.upper is not None:
        return _over_index(e, part)
    value = e.value(part.body)
    if not part.axes:
        return _no_axes(e, part, value)
    operation, axes = word.along, axes_of(part.axes)
    return e.attempt(part, lambda X: operation[axes](X), [value], [part.body])


def _no_axes(e: Evaluator, part: Big, value: Value) -> Value:
    text = wording(part.body)
    first = value.axes[0] if isinstance(value, NamedTensor) and value.axes else "ax"
    shapes = [(text, str(value.shape))] if isinstance(value, NamedTensor) else []
    return e.fail(
        part,
        NoAxisError,
        f"{part.op} acts along axes, and none is named",
        f"write its axes below it: {part.op}_{{{first}}} {text}",
        shapes,
    )


def _joined(e: Evaluator, part: Big, word: Word) -> Value:
    """Join the parts of a list along an axis."""
    body = part.body
    parts = body.parts if isinstance(body, Items) else (body,)
    if len(part.axes) != 1:
        return e.fail(
            part,
            NoAxisError,
            f"{part.op} joins along one axis, and {len(part.axes)} are named",
            f"write the axis below it: {part.op}_ax (X, Y)",
        )
    join = word.along[axes_of(part.axes)]
    return e.attempt(part, lambda *x: join(*x), [e.value(p) for p in parts], parts)


# -------------------------------------------------------------------------------- over an index


def _over_index(e: Evaluator, part: Big) -> Value:
    if chooses_members(e, part):
        return unrolled(e, part)
    if _is_over_tensors(e, part):
        e.value(part.body)
        return e.refuse(part, "is an optimum over tensors, and is not computed")
    found = read_range(e, part)
    if found is UNKNOWN:
        return UNKNOWN
    inner = e.inside(found.bound)
    _give_ranges(e, part.body, found)
    value = (inner.guard if found.conditions else inner).value(part.body)
    for condition in found.conditions:
        holds = inner.value(condition)
        value = e.attempt(part, _kept(_neutral(part)), [holds, value])
    if value is UNKNOWN:
        return UNKNOWN
    for index in reversed(found.indices):
        value = _reduced(e, part, value, index)
        if value is UNKNOWN:
            return UNKNOWN
    return value if e.bound or isinstance(value, Position) else settled(value)


def _is_over_tensors(e: Evaluator, part: Big) -> bool:
    """Say whether a minimum is over a tensor that has a name, min_W f(W), and no index."""
    if part.op not in words.CHOOSING or not isinstance(part.lower, (Letter, Scripts)):
        return False
    if part.lower in e.bound:
        return False
    found = e.scope.find(part.lower)
    return isinstance(found, NamedTensor) and bool(found.axes)


def _give_ranges(e: Evaluator, body: Expression, found: Range) -> None:
    """Give indices without a range that of the first axis along which they run: W_{kernel(j)}."""
    for part in walk(body):
        if not isinstance(part, Indexed) or not isinstance(part.base, (Letter, Scripts)):
            continue
        indices = [(i.axis.name, found.of(i.at)) for i in part.items if isinstance(i, At)]
        X = e.scope.find(part.base) if any(i is not None for _, i in indices) else None
        for axis, index in indices:
            open_ = index is not None and index.size is None
            if index is not None and open_ and isinstance(X, NamedTensor) and axis in X.axes:
                index.size, index.home = X.size(sized(axis, None)), axis


def _meaning(part: Big) -> Word:
    found = big_word(part.op, over_index=True)
    assert found is not None  # `big` has looked
    return found


def _neutral(part: Big) -> float:
    """Give what a condition puts in the place of what it leaves out."""
    neutral = table()[_meaning(part).name].traits.neutral
    return math.nan if neutral is None else neutral


def _kept(neutral: float) -> Callable[[Any, Any], Any]:
    def kept(condition: Any, value: Any) -> Any:
        if isinstance(condition, bool) and not isinstance(value, NamedTensor):
            return value if condition else neutral
        return where(condition, value, neutral)

    return kept


def _reduced(e: Evaluator, part: Big, value: Value, index: Index) -> Value:
    """Reduce over an index's own axis, or over the axis that it indexes where that is the same."""
    given = plain(value)
    if not isinstance(given, NamedTensor) or index.axis not in given.axes:
        return _repeated(e, part, given, index)
    if dict(given.sizes)[index.axis] is None:
        return e.fail(
            part,
            ArgumentsError,
            f"nothing says how far {_letter(index)} runs",
            f"write its range: {part.op}_{{{_letter(index)}=1}}^n, or index an axis by it",
        )
    axis = _free(index.home or _letter(index), [*given.axes, *_homes(e)])
    given = renamed(given, [(index.axis, axis)])
    word = _meaning(part)
    operation = partial(_summed, axis) if word.along is total else word.along[sized(axis, None)]
    result = e.attempt(part, operation, [given], [part.body])
    gives_index = word is not big_word(part.op)
    return one_based(result) if gives_index and result is not UNKNOWN else result


def _summed(axis: str, X: Any) -> Any:
    """Sum over an axis; a sum of products is a contraction."""
    node = getattr(X, "node", None)
    summed = node is not None and node.operation.primitive is DOT
    if node is not None and (summed or node.operation is MUL) and len(node.operands) == 2:
        over = node.operation.params[0] if summed else ()
        if all(o.type.has(axis) for o in node.operands):
            axes = tuple([sized(a, None) for a in (*over, axis)])
            return dot[axes](*[SymbolicTensor(o) for o in node.operands])
    return total[sized(axis, None)](X)


def _letter(index: Index) -> str:
    return shown(index.axis)


def _homes(e: Evaluator) -> list[str]:
    """List the axes along which the indices run that are bound around."""
    terms = [t for v in e.bound.values() if isinstance(v, Position) for t, _ in v.terms]
    return [t.home for t in terms if isinstance(t, Index) and t.home is not None]


def _free(axis: str, taken: Sequence[str]) -> str:
    """Prime a name until it is free."""
    while axis in taken:
        axis += "'"
    return axis


def _repeated(e: Evaluator, part: Big, value: Any, index: Index) -> Value:
    """Reduce what does not depend on the index: a sum of n equal terms is n times one."""
    word = _meaning(part)
    if table()[word.name].traits.idempotent:
        return value
    if index.size is None or word.along not in (total, prod):
        return e.fail(
            part,
            ArgumentsError,
            f"{wording(part.body)} does not depend on {_letter(index)}",
            f"write its range: {part.op}_{{{_letter(index)}=1}}^n",
        )
    operation = operator.mul if word.along is total else operator.pow
    return e.attempt(part, operation, [value, index.size], [part.body])


READERS: Mapping[type, Any] = {Big: big}
