"""Recurrence: a step taken at each index of an axis in turn (paper, section 4, RNN)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from namedtensor.testing.indexing import at
from namedtensor.testing.joining import stack
from namedtensor.testing.records import RecordTensor


def recurrence(
    step: Callable[..., tuple[RecordTensor, ...]],
    starts: tuple[RecordTensor, ...],
    sequences: tuple[RecordTensor, ...],
    axis: str,
    reverse: bool = False,
) -> list[tuple[RecordTensor, ...]]:
    """List the carries of a recurrence, each after the step at its index.

    h_i = step(h_{i-1}, X_{ax(i)});  backwards h_i = step(h_{i+1}, X_{ax(i)})
    """
    size = sequences[0].shape[axis]
    carries: dict[int, tuple[RecordTensor, ...]] = {}
    carry = starts
    for i in sorted(range(size), reverse=reverse):
        carry = step(carry, *[at(X, axis, i) for X in sequences])
        carries[i] = carry
    return [carries[i] for i in range(size)]


def scan(
    step: Callable[[RecordTensor, RecordTensor], RecordTensor],
    start: RecordTensor,
    X: RecordTensor,
    axis: str,
    reverse: bool = False,
) -> RecordTensor:
    """List the states of a recurrence.

    h_i = step(h_{i-1}, X_{ax(i)}),   scan(X)_{ax(i)} = h_i
    """

    def one(carry: tuple[RecordTensor, ...], x: RecordTensor) -> tuple[RecordTensor, ...]:
        return (step(carry[0], x),)

    return stack(*[h for (h,) in recurrence(one, (start,), (X,), axis, reverse)], axis=axis)


def fold(
    step: Callable[[RecordTensor, RecordTensor], RecordTensor],
    start: RecordTensor,
    X: RecordTensor,
    axis: str,
) -> RecordTensor:
    """Give the last state of a recurrence."""
    for i in range(X.shape[axis]):
        start = step(start, at(X, axis, i))
    return start


def associative_scan(
    combine: Callable[..., tuple[RecordTensor, ...]],
    parts: tuple[RecordTensor, ...],
    axis: str,
    reverse: bool = False,
) -> tuple[RecordTensor, ...]:
    """Combine one element after the other.

    Y_{ax(0)} = X_{ax(0)},   Y_{ax(i)} = combine(Y_{ax(i-1)}, X_{ax(i)})
    """
    found: dict[int, tuple[RecordTensor, ...]] = {}
    total: tuple[RecordTensor, ...] = ()
    for i in sorted(range(parts[0].shape[axis]), reverse=reverse):
        element = tuple([at(X, axis, i) for X in parts])
        total = combine(total, element) if total else element
        found[i] = total
    listed = zip(*[found[i] for i in range(len(found))], strict=True)
    return tuple([stack(*values, axis=axis) for values in listed])


RECURRENCE: dict[str, Callable[..., Any]] = {
    "scan": scan,
    "fold": fold,
    "associative_scan": associative_scan,
}
