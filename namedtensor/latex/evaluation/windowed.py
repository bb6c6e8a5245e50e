"""Windows written by indices: X_{seq(i + j - 1)} is unroll, X_{seq(k (i - 1) + j)} is pool.

One index chooses the window, and another one the place in it. Where their ranges are those of the
windows that fit into the axis, the tensor is seen through them and nothing is picked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from namedtensor.axes import Rename
from namedtensor.latex.evaluation.indices import Index, Position
from namedtensor.latex.evaluation.values import Value
from namedtensor.latex.syntax import Indexed
from namedtensor.operations.windows import POOL, UNROLL
from namedtensor.primitives import combine
from namedtensor.shape import sized
from namedtensor.tensor import apply

if TYPE_CHECKING:
    from namedtensor.latex.evaluation.evaluate import Evaluator


def window(e: Evaluator, part: Indexed, X: Any, axis: str, value: Position, size: Any) -> Value:
    """See an axis through a window, where a position says so; None where it says something else."""
    for place, place_step, kernel in _pairs(axis, value):
        if place.axis in X.axes or kernel.axis in X.axes:
            continue
        count = _count(place_step, kernel.size, size)
        if count is None or not _fits(place.size, count):
            continue
        place.size = count if place.size is None else place.size
        place.home = place.home or axis
        width = kernel.size
        seen = (UNROLL if place_step == 1 else POOL)(axis, kernel.axis)
        whole = Rename((sized(axis, None),), (sized(place.axis, None),))
        return e.attempt(
            part, lambda X, seen=seen: apply(seen, X, width)[(whole,)], [X], [part.base]
        )
    return None


def _pairs(axis: str, value: Position) -> list[tuple[Index, int, Index]]:
    """List which index may choose the window, in which steps, and which one the place in it."""
    if value.constant != 1 or len(value.terms) != 2:
        return []
    (a, n), (b, m) = value.terms
    if not isinstance(a, Index) or not isinstance(b, Index) or n < 1 or m < 1 or 1 not in (n, m):
        return []
    pairs = [(a, n, b)] if m == 1 else []
    pairs += [(b, m, a)] if n == 1 else []
    # the index along an axis of the same name chooses the window
    return sorted(pairs, key=lambda pair: pair[0].home != axis)


def _count(step: int, width: Any, length: Any) -> Any:
    """Count the windows that fit into a length: in steps of 1, or side by side."""
    if width is None or length is None:
        return None
    k, n = getattr(width, "node", width), getattr(length, "node", length)
    if step == 1:
        return combine("add", combine("sub", n, k), 1)
    if k != step or (isinstance(n, int) and n % step):
        return None
    return combine("floordiv", n, step)


def _fits(size: Any, count: Any) -> bool:
    own = getattr(size, "node", size)
    return own is None or own is count or (isinstance(own, int) and own == count)
