"""Renaming and reshaping: other names for the same numbers (paper, section 3.4)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from namedtensor.testing.lifting import lift
from namedtensor.testing.records import (
    Record,
    RecordTensor,
    Sizes,
    index_of,
    only,
    records,
    tabulate,
)


def rename(X: RecordTensor, names: Mapping[str, str]) -> RecordTensor:
    """Call axes by other names, all at once.

    (X_{ax -> bx})_{r, bx(i)} = X_{r, ax(i)}
    """
    only(X.shape, names)
    shape = {names.get(name, name): size for name, size in X.shape.items()}
    if len(shape) != len(X.shape):
        raise ValueError("two axes would get the same name")

    def new(r: Record) -> Record:
        return frozenset((names.get(name, name), i) for name, i in r)

    return RecordTensor(shape, {new(r): number for r, number in X.entries.items()})


def merge(X: RecordTensor, axes: Sequence[str], into: str) -> RecordTensor:
    """Make one axis of several, the last of them running fastest.

    (X_{(ax, bx) -> cx})_{cx(i |bx| + j)} = X_{ax(i), bx(j)}
    """
    shape = only(X.shape, axes)
    places = records(shape)
    flat = {into: len(places)}
    return lift(lambda V: tabulate(flat, lambda r: V[places[index_of(r, into)]]), [X], [axes], flat)


def split(X: RecordTensor, axis: str, sizes: Sizes) -> RecordTensor:
    """Make several axes of one, the last of them running fastest.

    (X_{cx -> (ax, bx)})_{ax(i), bx(j)} = X_{cx(i |bx| + j)}
    """
    if math.prod(sizes.values()) != X.shape[axis]:
        raise ValueError(f"axis {axis} has {X.shape[axis]} indices")
    places = {r: frozenset({(axis, i)}) for i, r in enumerate(records(sizes))}
    return lift(lambda V: tabulate(sizes, lambda r: V[places[r]]), [X], [[axis]], sizes)


RENAMING: dict[str, Callable[..., Any]] = {"rename": rename, "merge": merge, "split_axis": split}
