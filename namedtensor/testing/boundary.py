"""The boundary: convert named tensors to tensors of records, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from namedtensor.tensor import NamedTensor, tensor
from namedtensor.tensor import hold_named as hold_named
from namedtensor.testing.records import Record, RecordTensor, index_of, tabulate


def from_named(X: NamedTensor) -> RecordTensor:
    """Read the number at each record of a named tensor, over numpy or torch.

    >>> import namedtensor as nt
    >>> from_named(nt.tensor([5.0, 6.0], "seq")).shape
    {'seq': 2}
    """
    shape = dict(zip(X.axes, map(int, X.data.shape), strict=True))
    nested = X.data.tolist()

    def number(r: Record) -> Any:
        found = nested
        for axis in shape:
            found = found[index_of(r, axis)]
        return found

    return tabulate(shape, number)


def to_named(T: RecordTensor) -> NamedTensor:
    """Store a tensor of records as a named tensor over numpy, its axes in order of name.

    A tensor of no records becomes one of floats.
    """
    axes = sorted(T.shape)
    kind = np.asarray(T.values()).dtype if T.entries else np.float64
    array = np.empty([T.shape[axis] for axis in axes], dtype=kind)
    for r, number in T.entries.items():
        array[tuple(index_of(r, axis) for axis in axes)] = number
    return tensor(array, *axes)
