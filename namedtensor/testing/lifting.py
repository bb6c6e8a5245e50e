"""Lifting: a function of small tensors acts on larger ones, at every record of the other axes.

Paper, sections 2 and 3: if f : F^S -> G^T, then f also acts on F^(S u S') by

    [f(X)]_s' = f([X]_s')      for every s' in rec(S')

and a function of several tensors does so with the union of their other axes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from namedtensor.testing.records import (
    Number,
    Record,
    RecordTensor,
    Sizes,
    only,
    part,
    records,
    rest,
    tabulate,
    union,
    without,
)


def partial(X: RecordTensor, at: Record) -> RecordTensor:
    """Index some axes and keep the others: [X]_s.

    [X]_s is the tensor with ([X]_s)_r = X_{s u r}
    """
    return tabulate(rest(X.shape, dict(at)), lambda r: X[r | at])


def partials(X: RecordTensor, inner: Collection[str]) -> dict[Record, RecordTensor]:
    """Give [X]_s for every record s of the axes that are not inner ones."""
    shape = only(X.shape, inner)
    found: dict[Record, dict[Record, Number]] = {s: {} for s in records(rest(X.shape, inner))}
    for r, number in X.entries.items():
        found[without(r, inner)][part(r, inner)] = number
    return {s: RecordTensor(shape, entries) for s, entries in found.items()}


def lift(
    f: Callable[..., RecordTensor],
    operands: Sequence[RecordTensor],
    inner: Sequence[Collection[str]],
    result: Sizes,
) -> RecordTensor:
    """Apply f, a function of tensors with these inner axes, at every record of all other axes.

        [f(X, Y)]_s = f([X]_s, [Y]_s)     f : F^S1 x F^S2 -> G^T,  T = result

    The caller gives T: f would not show it where there are no records s.
    """
    outer = union(*[rest(X.shape, own) for X, own in zip(operands, inner, strict=True)])
    for name in result:
        if name in outer:
            raise ValueError(f"the result has an axis {name}, and so do the axes it is lifted over")
    slices = [partials(X, own) for X, own in zip(operands, inner, strict=True)]
    others = [rest(X.shape, own) for X, own in zip(operands, inner, strict=True)]
    entries: dict[Record, Number] = {}
    for s in records(outer):
        value = f(*[own[part(s, axes)] for own, axes in zip(slices, others, strict=True)])
        for t in records(result):
            entries[s | t] = value[t]
    return RecordTensor({**outer, **result}, entries)
