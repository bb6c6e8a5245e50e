"""Powers and roots."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from namedtensor.axes import shown
from namedtensor.latex.evaluation.values import UNKNOWN, Value
from namedtensor.latex.syntax import Expression, Letter, Number, Root, Scripts, Unary
from namedtensor.operations.elementwise import exp, sqrt
from namedtensor.tensor import NamedTensor

if TYPE_CHECKING:
    from namedtensor.latex.evaluation.evaluate import Evaluator

#: Whole powers of Python numbers are exact up to this many bits, and floating beyond.
EXACT_BITS = 4096


def power(e: Evaluator, where: Expression, base: Expression, exponent: Expression) -> Value:
    """Raise a base to a power; e^x is exp x. An inverse matrix is not written as a power."""
    if isinstance(base, Letter) and base.text == "e" and base.style == "letter":
        value = e.value(base)
        if value == math.e if isinstance(value, float) else False:
            return e.attempt(where, exp, [e.value(exponent)], [exponent])
    value = e.value(base)
    if _is_minus_one(exponent) and isinstance(value, NamedTensor) and len(value.axes) > 1:
        rows, columns = map(shown, value.axes[:2])
        return e.refuse(
            where,
            "may be the inverse of a matrix, and does not say which axes are its rows and columns",
            f"write inv_{{{rows},{columns}}} for the inverse, or 1/X for that of each number",
        )
    return e.attempt(where, raised, [value, e.value(exponent)], [base, exponent])


def _is_minus_one(exponent: Expression) -> bool:
    if isinstance(exponent, Number):
        return exponent.value == -1
    return (
        isinstance(exponent, Unary)
        and exponent.op == "-"
        and isinstance(exponent.operand, Number)
        and exponent.operand.value == 1
    )


def raised(base: Any, exponent: Any) -> Any:
    """Compute a power, never with more digits than anybody reads."""
    if isinstance(base, int) and isinstance(exponent, int):
        if exponent < 0 or base.bit_length() * exponent > EXACT_BITS:
            return float(base) ** exponent
        return base**exponent
    result = base**exponent
    if isinstance(result, complex) and not isinstance(base, complex):
        raise ValueError(f"{base!r} has no real power {exponent!r}")
    return result


def root(e: Evaluator, part: Root) -> Value:
    value = e.value(part.operand)
    if part.degree is None:
        return e.attempt(part, sqrt, [value], [part.operand])
    degree = e.value(part.degree)
    if degree is UNKNOWN:
        return UNKNOWN
    return e.attempt(
        part, lambda x, n: raised(x, 1 / n), [value, degree], [part.operand, part.degree]
    )


__all__ = ["Scripts", "power", "raised", "root"]
