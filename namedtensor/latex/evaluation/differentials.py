r"""Derivatives: \frac{\partial Y}{\partial X} has the axes of Y, and those of X with a star."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from namedtensor.errors import AxisSizeError, DerivativeError
from namedtensor.formula.written import calls_taken_in
from namedtensor.latex.evaluation.hidden import renamed
from namedtensor.latex.evaluation.indexing import indexed_at
from namedtensor.latex.evaluation.values import UNKNOWN, ArgumentsError, Value
from namedtensor.latex.evaluation.wording import wording
from namedtensor.latex.syntax import At, AxisName, Derivative, Indexed
from namedtensor.operations.calculus import starred
from namedtensor.operations.derivatives import derivative
from namedtensor.tensor import NamedTensor, SymbolicTensor

if TYPE_CHECKING:
    from namedtensor.latex.evaluation.evaluate import Evaluator


def derived(e: Evaluator, part: Derivative) -> Value:
    """Derive by a name, or by one number of it: X_{seq(i)}."""
    if part.by is None:
        found = e.scope.find(part)
        if found is not None:
            return found
        return e.refuse(part, "is a differential by itself", "derive by something: dY/dX")
    if isinstance(part.by, Indexed) and all(isinstance(i, At) for i in part.by.items):
        return _by_element(e, part, part.by)
    X = e.numbers(part.by)
    if X is UNKNOWN:
        return UNKNOWN
    if not isinstance(X, NamedTensor):
        return e.fail(
            part,
            ArgumentsError,
            f"{wording(part.by)} is no named tensor, and a derivative is by one",
            f"derive by an argument of the formula: d{wording(part.of)}/dX",
        )
    with calls_taken_in():
        Y = e.numbers(part.of)
    if not isinstance(Y, NamedTensor):
        return UNKNOWN if Y is UNKNOWN else 0.0
    if part.op == "nabla":
        return _gradient(e, part, Y, X)
    return e.attempt(part, _jacobian, [Y, X], [part.of, part.by])


def _jacobian(Y: Any, X: Any) -> Any:
    if not isinstance(Y, SymbolicTensor) or not isinstance(X, SymbolicTensor):
        raise DerivativeError(
            "dY/dX",
            "a derivative is of an expression, and these are data",
            [("Y", str(Y.shape)), ("X", str(X.shape))],
            "take it of a formula",
        )
    stars = starred(X.axes, Y.axes)
    return SymbolicTensor(derivative(Y.node, X.node, stars, forwards=bool(Y.axes)))


def _gradient(e: Evaluator, part: Derivative, Y: Any, X: Any) -> Value:
    """The derivative of a single number, with X's own axes."""
    if Y.axes:
        text = wording(part.of)
        return e.fail(
            part,
            AxisSizeError,
            f"{text} has axes, and a gradient is of a single number",
            f"sum over them, or write the derivative: d{text}/d{wording(part.by)}",  # type: ignore[arg-type]
            [(text, str(Y.shape))],
        )
    found = e.attempt(part, _jacobian, [Y, X], [part.of, part.by])  # type: ignore[list-item]
    if found is UNKNOWN or not X.axes:
        return found
    pairs = [(axis + "*", axis) for axis in X.axes]
    return e.attempt(part, lambda found: renamed(found, pairs), [found])


def _by_element(e: Evaluator, part: Derivative, by: Indexed) -> Value:
    """Derive by X, and index the starred axes."""
    whole = e.value(replace(part, by=by.base))
    if whole is UNKNOWN:
        return UNKNOWN
    items = [
        replace(item, axis=AxisName(item.axis.span, item.axis.name + "*"))
        for item in by.items
        if isinstance(item, At)
    ]
    return indexed_at(e, replace(by, items=tuple(items)), whole)


READERS: Mapping[type, Any] = {Derivative: derived}
