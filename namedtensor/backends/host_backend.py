"""The vocabulary on Python numbers: sizes, scales, and what is computed from them."""

from __future__ import annotations

import math
from typing import Any

FALLBACK = math

absolute = abs
maximum = max
minimum = min
round = round


def kind_of(dtype: Any) -> str:
    return {bool: "bool", int: "int", float: "float", complex: "complex"}[dtype]


def full_like_kind(shape: tuple[()], value: Any, x: Any) -> Any:
    """Give a number the kind of another one; a number has no axes."""
    return type(x)(value)


def from_front(index: int, beyond: int) -> int:
    return index + beyond if index < 0 else index


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


#: The scale and the bend of SELU, at which a layer keeps mean 0 and variance 1.
SELU_SCALE = 1.0507009873554805
SELU_BEND = 1.6732632423543772


def selu(x: float) -> float:
    return SELU_SCALE * (x if x > 0 else SELU_BEND * math.expm1(x))


def logit(x: float) -> float:
    return math.log(x) - math.log1p(-x)


def relu6(x: float) -> float:
    return min(max(x, 0), 6)


def hardtanh(x: float) -> float:
    return min(max(x, -1), 1)


def hardsigmoid(x: float) -> float:
    return relu6(x + 3) / 6


def hardswish(x: float) -> float:
    return x * hardsigmoid(x)


def softsign(x: float) -> float:
    return x / (1 + abs(x))


def leaky_relu(x: float, slope: float) -> float:
    return x if x > 0 else slope * x


def logsigmoid(x: float) -> float:
    return -softplus(-x)


def mish(x: float) -> float:
    return x * math.tanh(softplus(x))


def sinc(x: float) -> float:
    return math.sin(math.pi * x) / (math.pi * x) if x else 1.0


def lgamma(x: float) -> float:
    """Infinite at 0 and the negative whole numbers."""
    return math.inf if x <= 0 and x == int(x) else math.lgamma(x)


def digamma(x: float) -> float:
    """Step up to where the asymptotic series is exact: Abramowitz and Stegun, 6.3.5, 6.3.7 and 6.3.18."""
    if x <= 0:
        if x == int(x):
            return math.nan if x else -math.copysign(math.inf, x)
        return digamma(1 - x) - math.pi / math.tan(math.pi * x)
    found = 0.0
    while x < 10:
        found -= 1 / x
        x += 1
    s = 1 / (x * x)
    series = 0.0
    for term in (1 / 12, 691 / 32760, 1 / 132, 1 / 240, 1 / 252, 1 / 120, 1 / 12):
        series = s * (term - series)
    return found + math.log(x) - 0.5 / x - series


def polygamma(n: int, x: float) -> float:
    """Sum 1 / (x + k)^(n + 1), its tail by Euler and Maclaurin: Abramowitz and Stegun, 6.4.7 and 6.4.10.

    The reflection of orders above 1 has no short form; torch gives nan there too.
    """
    if x <= 0:
        if x == int(x):
            return math.inf if n % 2 else math.nan
        if n > 1:
            return math.nan
        return (math.pi / math.sin(math.pi * x)) ** 2 - polygamma(1, 1 - x)
    s, found = float(n + 1), 0.0
    while x < 20:
        found += math.pow(x, -s)
        x += 1
    found += math.pow(x, 1 - s) / (s - 1) + math.pow(x, -s) / 2
    term = s * math.pow(x, -s - 1)
    for j, number in enumerate((1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160)):
        found += number * term
        term *= (s + 2 * j + 1) * (s + 2 * j + 2) / (x * x)
    return (1.0 if n % 2 else -1.0) * math.factorial(n) * found


def erfinv(x: float) -> float:
    """Start from Winitzki's approximation and take Newton's steps; the tail is that of erfc."""
    if not abs(x) < 1:
        return math.copysign(math.inf, x) if abs(x) == 1 else math.nan
    if x == 0:
        return x
    log = math.log1p(-x * x)
    half = 2 / (math.pi * 0.147) + log / 2
    y = math.sqrt(math.sqrt(half * half - log / 0.147) - half)
    for _ in range(4):
        off = (1 - abs(x)) - math.erfc(y)
        y -= off / (2 / math.sqrt(math.pi) * math.exp(-y * y))
    return math.copysign(y, x)


def heaviside(x: float, y: float) -> float:
    return y if x == 0 else float(x > 0)


def isclose(x: float, y: float, rtol: float, atol: float) -> bool:
    return x == y or (math.isfinite(y) and abs(x - y) <= atol + rtol * abs(y))


def real(x: complex) -> float:
    return x.real


def imag(x: complex) -> float:
    return x.imag


def conj(x: complex) -> complex:
    return x.conjugate()


def angle(x: complex) -> float:
    return math.atan2(x.imag, x.real)


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
