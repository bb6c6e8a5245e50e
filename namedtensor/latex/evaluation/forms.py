"""Words that are used in a way of their own: max, onehot, index, range, set."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import TYPE_CHECKING, Any

from namedtensor.latex.evaluation.indices import Position, zero_based
from namedtensor.latex.evaluation.meanings import Use, along, fits, no_axes, plain, window_size
from namedtensor.latex.evaluation.nonsense import ArgumentsError
from namedtensor.latex.evaluation.values import UNKNOWN, Value
from namedtensor.latex.syntax import Call, Indexed
from namedtensor.operations import creation, index_defined, indexing
from namedtensor.primitives import table
from namedtensor.shape import sized
from namedtensor.tensor import NamedTensor, apply

if TYPE_CHECKING:
    from namedtensor.latex.evaluation.evaluate import Evaluator


def one_hot(e: Evaluator, part: Call, values: Any, given: Any) -> Value:
    """onehot_vocab(I): the size of vocab is the last argument, or known."""
    if not part.axes:
        return no_axes(e, part, "one_hot", values, given)
    values, given, size = window_size(e, part, values, given)
    if size is UNKNOWN:
        return UNKNOWN
    axis = sized(part.axes[-1].name, size)

    def mark(index: Any) -> Any:
        return index_defined.one_hot(index, axis)

    if not fits(e, part, "one_hot", mark, values, given):
        return UNKNOWN
    return e.attempt(part, mark, [from_zero(v) for v in values], given)


def from_zero(index: Value) -> Value:
    """Give an index as data counts it."""
    return zero_based(index) if isinstance(index, Position) else index


def extreme(name: str, over: Any, pair: Any) -> Use:
    """max_seq X is over an axis; max(0, X) is of several."""
    over_axes, several = along(name, over), plain(name, lambda *x: reduce(pair, x))

    def use(e: Evaluator, part: Call, values: Any, given: Any) -> Value:
        chosen = over_axes if part.axes or len(given) < 2 else several
        return chosen(e, part, values, given)

    return use


def index(e: Evaluator, part: Call, values: Any, given: Any) -> Value:
    """index_vocab(E, I) = E_{vocab(I)}."""
    if not part.axes:
        return no_axes(e, part, "index", values, given)
    axes = tuple([sized(a.name, None) for a in part.axes])
    first, *rest = values or [UNKNOWN]
    return e.attempt(
        part, lambda *x: indexing.index[axes](*x), [first, *[from_zero(v) for v in rest]], given
    )


def cast(name: str) -> Callable[[Any], Any]:
    return lambda X: creation.cast(X, name) if isinstance(X, NamedTensor) else _number(name, X)


def _number(name: str, x: Any) -> Any:
    return bool(x) if name == "bool" else int(x) if "int" in name else float(x)


def listed(e: Evaluator, part: Call, values: Any, given: Any) -> Value:
    """listed_seq(3, 1, 2): whole numbers along an axis."""
    if len(part.axes) != 1:
        return no_axes(e, part, "listed", values, given)
    if not all(isinstance(v, int) for v in values):
        return e.fail(
            part, ArgumentsError, "listed takes whole numbers", "write listed_ax(3, 1, 2)"
        )
    operation = table()["listed"](part.axes[0].name, tuple(values))
    return e.attempt(part, lambda: apply(operation), [])


def update(name: str) -> Use:
    """set(X_{seq(1)}, Y) is X but for Y at its place."""

    def use(e: Evaluator, part: Call, values: Any, given: Any) -> Value:
        if len(given) != 2 or not isinstance(given[0], Indexed) or part.axes:
            return e.fail(
                part,
                ArgumentsError,
                f"{name} takes a place in a tensor, and what is written there",
                f"write {name}(X_{{seq(1)}}, Y)",
            )
        place, body = given
        return e.update(e.value(place.base), place, body, name)

    return use
