"""Reductions: functions R^ax -> R, lifted (paper, section 3.2)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from namedtensor.testing.elementwise import divide, exp, log, sqrt
from namedtensor.testing.lifting import lift
from namedtensor.testing.records import Number, RecordTensor, scalar


def reduction(f: Callable[..., Number]) -> Callable[..., RecordTensor]:
    """Lift a function of a list of numbers to tensors, over the axes given.

    f_ax : R^ax -> R,   [f_ax(X)]_s = f([X]_s)
    """

    def lifted(X: RecordTensor, axes: Sequence[str], **settings: Number) -> RecordTensor:
        return lift(lambda V: scalar(f(V.values(), **settings)), [X], [axes], {})

    return lifted


def mean(xs: list[Number]) -> Number:
    return divide(sum(xs), len(xs))


def var(xs: list[Number]) -> Number:
    """Average the squared distance from the mean: the sum divided by n, not by n - 1."""
    return mean([(x - mean(xs)) ** 2 for x in xs])


def norm(xs: list[Number]) -> Number:
    return sqrt(sum(x * x for x in xs))


def prod(xs: list[Number]) -> Number:
    return math.prod(xs)


def logsumexp(xs: list[Number]) -> Number:
    return log(sum(exp(x) for x in xs))


def numbers(xs: list[Number]) -> list[Number]:
    """Leave out nan."""
    return [x for x in xs if x == x]


def quantile(xs: list[Number], q: float) -> Number:
    """The number at place q (n - 1) of the sorted list, interpolated between its two neighbours."""
    place = q * (len(xs) - 1)
    low = int(place)
    below, above = sorted(xs)[low], sorted(xs)[min(low + 1, len(xs) - 1)]
    return below + (place - low) * (above - below)


OF_LISTS: dict[str, Callable[..., Number]] = {
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
    "nansum": lambda xs: sum(numbers(xs)),
    "nanmean": lambda xs: mean(numbers(xs)),
    "quantile": quantile,
    "median": lambda xs: quantile(xs, 0.5),
    "argmax_index": lambda xs: xs.index(max(xs)),
    "argmin_index": lambda xs: xs.index(min(xs)),
}

REDUCTIONS: dict[str, Callable[..., RecordTensor]] = {
    name: reduction(f) for name, f in OF_LISTS.items()
}
