"""Reductions: functions R^ax -> R, lifted (paper, section 3.2)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from namedtensor.testing.elementwise import divide, exp, log, sqrt
from namedtensor.testing.lifting import lift
from namedtensor.testing.records import Number, RecordTensor, scalar


def reduction(f: Callable[[list[Number]], Number]) -> Callable[..., RecordTensor]:
    """Lift a function of a list of numbers to tensors, over the axes given.

    f_ax : R^ax -> R,   [f_ax(X)]_s = f([X]_s)
    """

    def lifted(X: RecordTensor, axes: Sequence[str]) -> RecordTensor:
        return lift(lambda V: scalar(f(V.values())), [X], [axes], {})

    return lifted


def mean(xs: list[Number]) -> Number:
    return divide(sum(xs), len(xs))


def var(xs: list[Number]) -> Number:
    """Average the squared distance from the mean, dividing by how many numbers there are."""
    return mean([(x - mean(xs)) ** 2 for x in xs])


def norm(xs: list[Number]) -> Number:
    return sqrt(sum(x * x for x in xs))


def prod(xs: list[Number]) -> Number:
    return math.prod(xs)


def logsumexp(xs: list[Number]) -> Number:
    return log(sum(exp(x) for x in xs))


OF_LISTS: dict[str, Callable[[list[Number]], Number]] = {
    "sum": sum,
    "mean": mean,
    "var": var,
    "std": lambda xs: sqrt(var(xs)),
    "norm": norm,
    "prod": prod,
    "max": max,
    "min": min,
    "logsumexp": logsumexp,
    "any": any,
    "all": all,
    "count": lambda xs: sum(1 for x in xs if x),
    "argmax_index": lambda xs: xs.index(max(xs)),
    "argmin_index": lambda xs: xs.index(min(xs)),
}

REDUCTIONS: dict[str, Callable[..., RecordTensor]] = {
    name: reduction(f) for name, f in OF_LISTS.items()
}
