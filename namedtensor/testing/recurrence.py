"""Recurrence: a step taken at each index of an axis in turn (paper, section 4, RNN)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from namedtensor.testing.indexing import at
from namedtensor.testing.joining import stack
from namedtensor.testing.records import RecordTensor


def scan(
    step: Callable[[RecordTensor, RecordTensor], RecordTensor],
    start: RecordTensor,
    X: RecordTensor,
    axis: str,
) -> RecordTensor:
    """List the states of a recurrence.

    h_i = step(h_{i-1}, X_{ax(i)}),   scan(X)_{ax(i)} = h_i
    """
    states = []
    state = start
    for i in range(X.shape[axis]):
        state = step(state, at(X, axis, i))
        states.append(state)
    return stack(*states, axis=axis)


RECURRENCE: dict[str, Callable[..., Any]] = {"scan": scan}
