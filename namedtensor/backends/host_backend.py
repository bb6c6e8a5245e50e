"""The vocabulary on Python numbers: sizes, scales, and what is computed from them."""

from __future__ import annotations

import math
from typing import Any

FALLBACK = math

absolute = abs
maximum = max
minimum = min


def kind_of(dtype: Any) -> str:
    return {bool: "bool", int: "int", float: "float", complex: "complex"}[dtype]


def sign(x: float) -> int:
    return (x > 0) - (x < 0)


def square(x: float) -> float:
    return x * x


def rsqrt(x: float) -> float:
    return 1.0 / math.sqrt(x)


def reciprocal(x: float) -> float:
    return 1.0 / x


def sigmoid(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x)) if x >= 0 else math.exp(x) / (1.0 + math.exp(x))


def relu(x: float) -> float:
    return max(x, 0)


def silu(x: float) -> float:
    return x * sigmoid(x)


def gelu(x: float) -> float:
    return 0.5 * x * (1.0 + math.erf(x / math.sqrt(2.0)))


def softplus(x: float) -> float:
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


def elu(x: float) -> float:
    return x if x > 0 else math.expm1(x)


def logaddexp(x: float, y: float) -> float:
    high, low = max(x, y), min(x, y)
    return high if math.isinf(high) else high + math.log1p(math.exp(low - high))


def logical_not(x: Any) -> bool:
    return not x


def logical_and(x: Any, y: Any) -> bool:
    return bool(x) and bool(y)


def logical_or(x: Any, y: Any) -> bool:
    return bool(x) or bool(y)


def logical_xor(x: Any, y: Any) -> bool:
    return bool(x) != bool(y)


def where(c: Any, x: Any, y: Any) -> Any:
    return x if c else y


def slice_size(n: int, start: int | None, stop: int | None, step: int | None) -> int:
    """Count the indices that a slice keeps of n."""
    return len(range(*slice(start, stop, step).indices(n)))
