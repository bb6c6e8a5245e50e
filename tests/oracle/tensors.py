"""Small tensors of records, and their numbers as plain arrays."""

from itertools import product

import numpy as np

from namedtensor.testing import RecordTensor


def of(array, axes: str) -> RecordTensor:
    """Make a tensor of records from nested lists whose axes stand in the order given."""
    array = np.asarray(array)
    names = axes.split()
    shape = dict(zip(names, array.shape, strict=True))
    places = product(*[range(n) for n in array.shape])
    return RecordTensor(
        shape, {frozenset(zip(names, at, strict=True)): array[at].item() for at in places}
    )


def array(T: RecordTensor, axes: str):
    """Give the numbers of a tensor of records with its axes in the order given."""
    names = axes.split()
    assert set(names) == set(T.shape)
    found = np.empty([T.shape[name] for name in names], dtype=object)
    for r, number in T.entries.items():
        found[tuple(dict(r)[name] for name in names)] = number
    return found.tolist()


def drawn(axes: str, *sizes: int, seed: int = 0) -> RecordTensor:
    return of(np.random.default_rng(seed).normal(size=sizes), axes)


def numpy(T: RecordTensor, axes: str):
    return np.array(array(T, axes))
