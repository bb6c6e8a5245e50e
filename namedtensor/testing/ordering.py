"""Ordering: the k greatest numbers and where they stand (paper, section 3, functions of vectors)."""

from __future__ import annotations

from collections.abc import Callable

from namedtensor.testing.lifting import lift
from namedtensor.testing.records import Number, RecordTensor, index_of, only, tabulate
from namedtensor.testing.vectors import order


def first_k(
    number: Callable[[list[Number], int], Number], descending: bool
) -> Callable[..., RecordTensor]:
    """Sort along an axis, and give the number at each of the first k places, or its index.

    maxk_{ax,k} : R^ax -> R^k;   maxk(X)_{k(i)} = the i-th number of X, greatest first
    """

    def lifted(X: RecordTensor, axis: str, k: str, size: int) -> RecordTensor:
        shape = {k: size}

        def on_vector(V: RecordTensor) -> RecordTensor:
            xs = V.values()
            ranks = order(xs, descending)
            return tabulate(shape, lambda r: number(xs, ranks[index_of(r, k)]))

        if size > X.shape[axis]:
            raise ValueError(f"axis {axis} has {X.shape[axis]} numbers, and {size} are wanted")
        return lift(on_vector, [X], [[axis]], shape)

    return lifted


def one_hot_k(descending: bool) -> Callable[..., RecordTensor]:
    """Mark the first k numbers in order.

    argmaxk_{ax,k} : R^ax -> {0,1}^{ax,k}:  1 at ax(j), k(i) where j is the i-th index in order
    """

    def lifted(X: RecordTensor, axis: str, k: str, size: int) -> RecordTensor:
        shape = {**only(X.shape, [axis]), k: size}

        def on_vector(V: RecordTensor) -> RecordTensor:
            ranks = order(V.values(), descending)
            return tabulate(shape, lambda r: int(index_of(r, axis) == ranks[index_of(r, k)]))

        return lift(on_vector, [X], [[axis]], shape)

    return lifted


def dispatch(M: RecordTensor, axis: str, slot: str, size: int) -> RecordTensor:
    """List the first indices at which M holds, counting from 0, and -1 in slots that stay empty."""

    def first(V: RecordTensor) -> RecordTensor:
        places = [i for i, holds in enumerate(V.values()) if holds] + [-1] * size
        return tabulate({slot: size}, lambda r: places[index_of(r, slot)])

    return lift(first, [M], [[axis]], {slot: size})


ORDERING: dict[str, Callable[..., RecordTensor]] = {
    "maxk": first_k(lambda xs, i: xs[i], descending=True),
    "mink": first_k(lambda xs, i: xs[i], descending=False),
    "argmaxk_index": first_k(lambda xs, i: i, descending=True),
    "argmink_index": first_k(lambda xs, i: i, descending=False),
    "argmaxk": one_hot_k(descending=True),
    "argmink": one_hot_k(descending=False),
    "dispatch": dispatch,
}
