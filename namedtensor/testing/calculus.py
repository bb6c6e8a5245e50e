"""Derivatives by central finite differences; new axes are starred (paper, section 5)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from namedtensor.testing.elementwise import ELEMENTWISE
from namedtensor.testing.records import EMPTY, Record, RecordTensor, part, records, tabulate

Function = Callable[[RecordTensor], RecordTensor]

STEP = 1e-5


def moved(X: RecordTensor, direction: RecordTensor, far: float) -> RecordTensor:
    """X + far * direction, both of one shape."""
    return tabulate(X.shape, lambda r: X[r] + far * direction[r])


def differential(
    f: Function, X: RecordTensor, direction: RecordTensor, step: float = STEP
) -> RecordTensor:
    """How f changes as X moves in a direction.

    (f(X + h D) - f(X - h D)) / 2h,   off by a multiple of h^2
    """
    ahead, behind = f(moved(X, direction, step)), f(moved(X, direction, -step))
    return tabulate(ahead.shape, lambda r: (ahead[r] - behind[r]) / (2 * step))


def starred(r: Record) -> Record:
    """Rename each axis ax of a record to ax*."""
    return frozenset((name + "*", i) for name, i in r)


def derivative(f: Function, X: RecordTensor) -> RecordTensor:
    """How each number of f(X) changes with each number of X.

    (df/dX)_{r, s*} = d f(X)_r / d X_s
    """
    columns = {}
    for s in records(X.shape):
        towards = tabulate(X.shape, lambda r, s=s: float(r == s))  # type: ignore[misc]
        columns[starred(s)] = differential(f, X, towards)
    result = f(X).shape
    inputs = {name + "*": size for name, size in X.shape.items()}
    return tabulate({**result, **inputs}, lambda r: columns[part(r, inputs)][part(r, result)])


def grad(f: Function, X: RecordTensor) -> RecordTensor:
    """The derivative of a number by X. It has the axes of X, so that X - rate * grad has them too."""
    if f(X).shape:
        raise ValueError("a gradient is that of a single number")
    found = derivative(f, X)
    return tabulate(X.shape, lambda r: found[starred(r)])


def inner(X: RecordTensor, Y: RecordTensor) -> float:
    """The sum of the products of numbers at the same record."""
    products = ELEMENTWISE["mul"](X, Y)
    return float(sum(products.values())) if products.shape else float(products[EMPTY])


CALCULUS: dict[str, Callable[..., Any]] = {
    "derivative": derivative,
    "differential": differential,
    "grad": grad,
}
