"""Records, shapes, and tensors as maps from records to numbers (paper, section 2).

ax(i)                       a named index: the pair ("ax", i), counted from 0
{seq(3), emb(7)}            a record: a set of named indices with distinct axes
rec(S)                      all records of the shape S
X : rec(S) -> R             a tensor of shape S
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

Record = frozenset[tuple[str, int]]
Number = Any  # bool, int, float or complex, as Python has them
Sizes = Mapping[str, int]

EMPTY: Record = frozenset()


@dataclass(frozen=True, slots=True)
class RecordTensor:
    """Hold a number for each record of a shape.

        X in R^S  is a map  X : rec(S) -> R

    >>> X = RecordTensor({"seq": 2}, {record(seq=0): 5.0, record(seq=1): 6.0})
    >>> X[record(seq=1)]
    6.0
    """

    shape: dict[str, int]
    entries: dict[Record, Number]

    def __post_init__(self) -> None:
        if set(self.entries) != set(records(self.shape)):
            raise ValueError(f"a tensor of shape {written(self.shape)} has one number per record")

    def __getitem__(self, at: Record) -> Number:
        return self.entries[at]

    def values(self) -> list[Number]:
        """List the numbers in the order of `records`."""
        return [self.entries[r] for r in records(self.shape)]


def record(**indices: int) -> Record:
    """Make a record from its named indices.

    >>> sorted(record(seq=3, emb=7))
    [('emb', 7), ('seq', 3)]
    """
    return frozenset(indices.items())


def records(shape: Sizes) -> list[Record]:
    """List rec(S), the last axis in the order of S running fastest.

    >>> len(records({"seq": 2, "emb": 3})), len(records({})), len(records({"seq": 0}))
    (6, 1, 0)
    """
    ranges = [[(name, i) for i in range(size)] for name, size in shape.items()]
    return [frozenset(indices) for indices in product(*ranges)]


def tabulate(shape: Sizes, number: Callable[[Record], Number]) -> RecordTensor:
    """Define a tensor by its number at each record."""
    return RecordTensor(dict(shape), {r: number(r) for r in records(shape)})


def scalar(number: Number) -> RecordTensor:
    """Make the tensor without axes: R^() has one record, the empty one."""
    return RecordTensor({}, {EMPTY: number})


def part(r: Record, axes: Iterable[str]) -> Record:
    """Restrict a record to some axes."""
    kept = set(axes)
    return frozenset(index for index in r if index[0] in kept)


def without(r: Record, axes: Iterable[str]) -> Record:
    """Leave some axes out of a record."""
    gone = set(axes)
    return frozenset(index for index in r if index[0] not in gone)


def index_of(r: Record, axis: str) -> int:
    """Give i where the record holds axis(i).

    >>> index_of(record(seq=3, emb=7), "emb")
    7
    """
    return dict(r)[axis]


def union(*shapes: Sizes) -> dict[str, int]:
    """Join compatible shapes; raise ValueError where an axis has two sizes.

    >>> union({"seq": 2}, {"emb": 3, "seq": 2})
    {'seq': 2, 'emb': 3}
    """
    joined: dict[str, int] = {}
    for shape in shapes:
        for name, size in shape.items():
            if joined.setdefault(name, size) != size:
                raise ValueError(f"axis {name} is {joined[name]} and {size}")
    return joined


def only(shape: Sizes, axes: Iterable[str]) -> dict[str, int]:
    """Restrict a shape to some of its axes, in the order of `axes`; raise where it lacks one."""
    axes = list(axes)
    for name in axes:
        if name not in shape:
            raise ValueError(f"shape {written(shape)} has no axis {name}")
    return {name: shape[name] for name in axes}


def rest(shape: Sizes, axes: Iterable[str]) -> dict[str, int]:
    """Leave some axes out of a shape."""
    gone = set(axes)
    return {name: size for name, size in shape.items() if name not in gone}


def written(shape: Sizes) -> str:
    """Write a shape the way the paper does, in the order of names."""
    return " x ".join(f"{name}[{shape[name]}]" for name in sorted(shape)) or "()"
