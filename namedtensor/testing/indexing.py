"""Indexing: by records, ranges and integer tensors, and updates at a place (paper, section 3.5).

A place is a map from axes to what is read along them:

    3                an index; the axis goes
    slice(2, 5)      a range; the axis stays, counted from 0 again
    a RecordTensor   an integer tensor; its axes take the place of the axis
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from namedtensor.testing.lifting import lift, partial
from namedtensor.testing.records import (
    EMPTY,
    Number,
    Record,
    RecordTensor,
    index_of,
    part,
    records,
    rest,
    scalar,
    tabulate,
    union,
)

Place = Mapping[str, "int | slice | RecordTensor"]


def at(X: RecordTensor, axis: str, index: int) -> RecordTensor:
    """Index one axis, from its end where the index is negative: X_{ax(i)}."""
    return partial(X, frozenset({(axis, counted(index, X.shape[axis]))}))


def counted(index: int, size: int) -> int:
    if not -size <= index < size:
        raise ValueError(f"index {index} is outside an axis of {size}")
    return index % size


def ranged(X: RecordTensor, axis: str, chosen: slice) -> RecordTensor:
    """Keep a range of an axis, counted from 0 again.

    X_{ax[start:stop:step]}:  [Y]_{ax(i)} = [X]_{ax(start + i step)}
    """
    kept = range(X.shape[axis])[chosen]
    shape = {name: len(kept) if name == axis else size for name, size in X.shape.items()}

    def number(r: Record) -> Number:
        return X[frozenset((name, kept[i] if name == axis else i) for name, i in r)]

    return tabulate(shape, number)


def index(X: RecordTensor, **indices: RecordTensor) -> RecordTensor:
    """Index axes by integer tensors.

        index_ax : F^ax x [|ax|] -> F;   index_ax(X, i) = X_{ax(i)}

    lifted over the other axes of X and all axes of the integer tensors.
    """

    def pick(V: RecordTensor, *where: RecordTensor) -> RecordTensor:
        wanted = zip(indices, where, strict=True)
        return scalar(V[frozenset((ax, counted(I[EMPTY], X.shape[ax])) for ax, I in wanted)])

    return lift(pick, [X, *indices.values()], [list(indices), *[()] * len(indices)], {})


def get(X: RecordTensor, place: Place) -> RecordTensor:
    """Index all axes of a place at once."""
    indices = {}
    for axis, wanted in place.items():
        if isinstance(wanted, RecordTensor):
            indices[axis] = wanted
        elif isinstance(wanted, slice):
            X = ranged(X, axis, wanted)
        else:
            X = at(X, axis, wanted)
    return index(X, **indices) if indices else X


def sources(X: RecordTensor, place: Place) -> RecordTensor:
    """Give the record of X that each record of X[place] was read from."""
    return get(tabulate(X.shape, lambda r: r), place)


def updated(combine: Callable[[Number, Number], Number]) -> Callable[..., RecordTensor]:
    """Combine X with Y at a place.

        [X.at[place].set(Y)]_r = [Y]_q if X[place] reads r at q, X_r if it does not read r

    Y is lifted over the axes of X[place] that Y lacks, and X over the axes that only Y has.
    """

    def update(X: RecordTensor, Y: RecordTensor, place: Place) -> RecordTensor:
        read = sources(X, place)
        extra = rest(union(read.shape, Y.shape), read.shape)
        if not extra.keys().isdisjoint(X.shape):
            raise ValueError("Y has an axis that the place uses up")
        wide = union(X.shape, extra)
        entries = {r: X[part(r, X.shape)] for r in records(wide)}
        for q in records(union(read.shape, extra)):
            r = read[part(q, read.shape)] | part(q, extra)
            entries[r] = combine(entries[r], Y[part(q, Y.shape)])
        return RecordTensor(wide, entries)

    return update


def one_hot(indices: RecordTensor, axis: str, size: int) -> RecordTensor:
    """1 at axis(i), 0 elsewhere, for each number i of an integer tensor."""
    shape = {axis: size}
    return lift(
        lambda I: tabulate(shape, lambda r: int(index_of(r, axis) == I[EMPTY])),
        [indices],
        [()],
        shape,
    )


def scatter(
    X: RecordTensor, indices: RecordTensor, axis: str, into: str, size: int
) -> RecordTensor:
    """Add each number up at the index that an integer tensor gives for it.

    scatter_{ax,bx} : R^ax x [n]^ax -> R^bx[n];  scatter(X, I)_{bx(j)} = sum_{i: I_i = j} X_i
    """
    both = union(X.shape, indices.shape)
    shape = {**rest(both, [axis]), into: size}
    entries: dict[Record, Number] = dict.fromkeys(records(shape), 0)
    for r in records(both):
        j = counted(indices[part(r, indices.shape)], size)
        place = part(r, rest(both, [axis])) | {(into, j)}
        entries[place] = entries[place] + X[part(r, X.shape)]
    return RecordTensor(shape, entries)


INDEXING: dict[str, Callable[..., RecordTensor]] = {
    "at": at,
    "slice": ranged,
    "index": index,
    "get": get,
    "set_at": updated(lambda old, new: new),
    "add_at": updated(lambda old, new: old + new),
    "multiply_at": updated(lambda old, new: old * new),
    "min_at": updated(min),
    "max_at": updated(max),
    "scatter": scatter,
    "one_hot": one_hot,
}
