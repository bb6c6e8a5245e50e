"""Joining tensors along an axis, old or new, and taking them apart again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from namedtensor.testing.indexing import at, ranged
from namedtensor.testing.lifting import lift
from namedtensor.testing.records import EMPTY, RecordTensor, index_of, record, tabulate


def concat(*parts: RecordTensor, axis: str) -> RecordTensor:
    """Put axes end to end.

    concat_ax : R^ax[m] x R^ax[n] -> R^ax[m + n]
    concat(X, Y)_{ax(i)} = X_{ax(i)} for i < m, Y_{ax(i - m)} from there on
    """
    places = [(p, i) for p, X in enumerate(parts) for i in range(X.shape[axis])]
    shape = {axis: len(places)}

    def joined(*vectors: RecordTensor) -> RecordTensor:
        def number(r: frozenset[tuple[str, int]]) -> object:
            p, i = places[index_of(r, axis)]
            return vectors[p][record(**{axis: i})]

        return tabulate(shape, number)

    return lift(joined, parts, [[axis]] * len(parts), shape)


def stack(*parts: RecordTensor, axis: str) -> RecordTensor:
    """Put parts side by side along a new axis.

    stack_ax : R x R -> R^ax[2];   stack(X, Y)_{ax(0)} = X,  stack(X, Y)_{ax(1)} = Y
    """
    shape = {axis: len(parts)}
    return lift(
        lambda *xs: tabulate(shape, lambda r: xs[index_of(r, axis)][EMPTY]),
        parts,
        [()] * len(parts),
        shape,
    )


def split(X: RecordTensor, axis: str, sizes: Sequence[int]) -> list[RecordTensor]:
    """Undo concat: one part for each size."""
    if sum(sizes) != X.shape[axis]:
        raise ValueError(f"axis {axis} has {X.shape[axis]} indices")
    ends = [sum(sizes[: i + 1]) for i in range(len(sizes))]
    return [ranged(X, axis, slice(end - n, end)) for end, n in zip(ends, sizes, strict=True)]


def unstack(X: RecordTensor, axis: str) -> list[RecordTensor]:
    """Undo stack: one part for each index."""
    return [at(X, axis, i) for i in range(X.shape[axis])]


JOINING: dict[str, Callable[..., Any]] = {
    "concat": concat,
    "stack": stack,
    "split": split,
    "unstack": unstack,
}
