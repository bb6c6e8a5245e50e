"""Functions from vectors to vectors, R^ax -> R^ax, lifted (paper, section 3.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from operator import mul

from namedtensor.testing.elementwise import divide, exp, log, sqrt
from namedtensor.testing.lifting import lift
from namedtensor.testing.records import Number, RecordTensor, only, records
from namedtensor.testing.reductions import mean, var

Vector = list[Number]


def along(f: Callable[..., Vector]) -> Callable[..., RecordTensor]:
    """Lift a function from a list of numbers to a list of the same length, over the axes given.

    f_ax : R^ax -> R^ax,   [f_ax(X)]_s = f([X]_s)
    """

    def lifted(X: RecordTensor, axes: Sequence[str], **settings: Number) -> RecordTensor:
        shape = only(X.shape, axes)

        def on_vector(V: RecordTensor) -> RecordTensor:
            return RecordTensor(
                shape, dict(zip(records(shape), f(V.values(), **settings), strict=True))
            )

        return lift(on_vector, [X], [axes], shape)

    return lifted


def softmax(xs: Vector) -> Vector:
    """exp(x_i) / sum_j exp(x_j)."""
    total = sum(exp(x) for x in xs)
    return [divide(exp(x), total) for x in xs]


def log_softmax(xs: Vector) -> Vector:
    """x_i - log sum_j exp(x_j)."""
    total = log(sum(exp(x) for x in xs))
    return [x - total for x in xs]


def standardize(xs: Vector, eps: float = 0.0) -> Vector:
    """(x_i - mean) / sqrt(var + eps)."""
    return [divide(x - mean(xs), sqrt(var(xs) + eps)) for x in xs]


def argmax(xs: Vector) -> Vector:
    """1 at the first greatest number, 0 elsewhere."""
    return [int(i == xs.index(max(xs))) for i in range(len(xs))]


def argmin(xs: Vector) -> Vector:
    """1 at the first least number, 0 elsewhere."""
    return [int(i == xs.index(min(xs))) for i in range(len(xs))]


def roll(xs: Vector, shift: int) -> Vector:
    """x_{i - shift}, counted around the end."""
    return [xs[(i - shift) % len(xs)] for i in range(len(xs))]


def order(xs: Vector, descending: bool = False) -> list[int]:
    """The indices that sort the numbers; equal numbers keep their order."""
    return sorted(range(len(xs)), key=lambda i: -xs[i] if descending else xs[i])


def sort(xs: Vector, descending: bool = False) -> Vector:
    return [xs[i] for i in order(xs, descending)]


OF_LISTS: dict[str, Callable[..., Vector]] = {
    "softmax": softmax,
    "log_softmax": log_softmax,
    "standardize": standardize,
    "argmax": argmax,
    "argmin": argmin,
    "cumsum": lambda xs: list(accumulate(xs)),
    "cumprod": lambda xs: list(accumulate(xs, mul)),
    "cummax": lambda xs: list(accumulate(xs, max)),
    "cummin": lambda xs: list(accumulate(xs, min)),
    "logcumsumexp": lambda xs: [log(x) for x in accumulate(map(exp, xs))],
    "flip": lambda xs: xs[::-1],
    "roll": roll,
    "sort": sort,
    "argsort": order,
}

VECTORS: dict[str, Callable[..., RecordTensor]] = {name: along(f) for name, f in OF_LISTS.items()}
