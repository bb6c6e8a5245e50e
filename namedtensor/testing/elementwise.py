"""Elementwise functions: functions of numbers, lifted (paper, section 3.1)."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable

from namedtensor.testing.lifting import lift
from namedtensor.testing.records import EMPTY, Number, RecordTensor, scalar

Definition = Callable[..., RecordTensor]


def elementwise(f: Callable[..., Number]) -> Definition:
    """Lift a function of numbers to tensors; numbers among the operands are tensors without axes.

    [f(X, Y)]_s = f(X_s, Y_s)
    """

    def lifted(*operands: RecordTensor | Number, **settings: Number) -> RecordTensor:
        tensors = [X if isinstance(X, RecordTensor) else scalar(X) for X in operands]
        numbers = lambda *xs: scalar(f(*[x[EMPTY] for x in xs], **settings))
        return lift(numbers, tensors, [()] * len(tensors), {})

    return lifted


def divide(x: Number, y: Number) -> Number:
    """x / y, with the limits of floating-point arithmetic at y = 0."""
    if y != 0:
        return x / y
    return math.nan if x == 0 or x != x else math.copysign(math.inf, x) * math.copysign(1, y)


def log(x: Number) -> Number:
    if isinstance(x, complex):
        return cmath.log(x)
    return math.log(x) if x > 0 else -math.inf if x == 0 else math.nan


def log2(x: Number) -> Number:
    return math.log2(x) if x > 0 else -math.inf if x == 0 else math.nan


def log10(x: Number) -> Number:
    return math.log10(x) if x > 0 else -math.inf if x == 0 else math.nan


def log1p(x: Number) -> Number:
    return math.log1p(x) if x > -1 else -math.inf if x == -1 else math.nan


def exp(x: Number) -> Number:
    if isinstance(x, complex):
        return cmath.exp(x)
    return math.exp(x) if x < 709 else math.inf if x == x else math.nan


def sqrt(x: Number) -> Number:
    return math.sqrt(x) if x >= 0 else math.nan


def power(x: Number, y: Number) -> Number:
    if x == 0 and y < 0:
        return math.inf
    found = x**y
    return math.nan if isinstance(found, complex) and not isinstance(x, complex) else found


def sign(x: Number) -> Number:
    return type(x)((x > 0) - (x < 0)) if x == x else x


def rounded(x: Number) -> Number:
    """The nearest whole number, the even one of two."""
    return x if isinstance(x, int) or not math.isfinite(x) else float(round(x))


def whole(f: Callable[[float], int]) -> Callable[[Number], Number]:
    """Round by f, and keep the kind of the number: floor(2.5) is 2.0, floor(2) is 2."""
    return lambda x: x if isinstance(x, int) or not math.isfinite(x) else float(f(x))


def maximum(x: Number, y: Number) -> Number:
    return math.nan if x != x or y != y else max(x, y)


def minimum(x: Number, y: Number) -> Number:
    return math.nan if x != x or y != y else min(x, y)


def clip(x: Number, low: Number = None, high: Number = None) -> Number:
    """min(max(x, low), high); a bound of None does not bound."""
    x = x if low is None else maximum(x, low)
    return x if high is None else minimum(x, high)


def sigmoid(x: Number) -> Number:
    return 1 / (1 + exp(-x))


def logaddexp(x: Number, y: Number) -> Number:
    return log(exp(x) + exp(y))


def gelu(x: Number) -> Number:
    """x times the probability that a standard normal number is below x."""
    return x * (1 + math.erf(x / math.sqrt(2))) / 2


def cbrt(x: Number) -> Number:
    return math.copysign(abs(x) ** (1 / 3), x)


def sinc(x: Number) -> Number:
    return math.sin(math.pi * x) / (math.pi * x) if x else 1.0


def digamma(x: Number) -> Number:
    """psi(x) = psi(x + n) - sum_{k<n} 1 / (x + k),  psi(z) -> log z - 1 / 2z - 1 / 12z^2."""
    far = x + 1000
    limit = math.log(far) - 1 / (2 * far) - 1 / (12 * far * far)
    return limit - math.fsum(1 / (x + k) for k in range(1000))


def erfinv(x: Number) -> Number:
    """The y with erf(y) = x: halve an interval that holds y until no number is between its ends."""
    low, high = -6.0, 6.0
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if math.erf(middle) < x else (low, middle)
    return (low + high) / 2


def elu(x: Number) -> Number:
    return x if x > 0 else exp(x) - 1


def selu(x: Number) -> Number:
    """Scale and bend of Klambauer et al., Self-Normalizing Neural Networks, equation 2."""
    scale, bend = 1.0507009873554805, 1.6732632423543772
    return scale * (x if x > 0 else bend * elu(x))


def within(low: int, high: int) -> Callable[[Number], Number]:
    """Bring a number into an interval; the result has the kind of the number."""
    return lambda x: maximum(type(+x)(low), minimum(x, type(+x)(high)))


def hardsigmoid(x: Number) -> Number:
    return within(0, 6)(x + 3) / 6


def copysign(x: Number, y: Number) -> Number:
    return math.copysign(x, y)


def heaviside(x: Number, y: Number) -> Number:
    return float(y if x == 0 else x > 0)


def isclose(x: Number, y: Number, rtol: Number = 1e-5, atol: Number = 1e-8) -> Number:
    """|x - y| <= atol + rtol |y|, and an infinity is close to itself alone."""
    return x == y or (math.isfinite(y) and abs(x - y) <= atol + rtol * abs(y))


UNARY: dict[str, Callable[[Number], Number]] = {
    "neg": lambda x: -x,
    "abs": abs,
    "sign": sign,
    "square": lambda x: x * x,
    "reciprocal": lambda x: divide(1.0, x),
    "sqrt": sqrt,
    "rsqrt": lambda x: divide(1.0, sqrt(x)),
    "exp": exp,
    "exp2": lambda x: 2.0**x,
    "expm1": math.expm1,
    "log": log,
    "log2": log2,
    "log10": log10,
    "log1p": log1p,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "asin": math.asin,
    "acos": math.acos,
    "atan": math.atan,
    "sinh": math.sinh,
    "cosh": math.cosh,
    "tanh": math.tanh,
    "asinh": math.asinh,
    "acosh": math.acosh,
    "atanh": math.atanh,
    "cbrt": cbrt,
    "logit": lambda x: log(x / (1 - x)),
    "sinc": sinc,
    "erf": math.erf,
    "erfc": math.erfc,
    "erfinv": erfinv,
    "lgamma": math.lgamma,
    "digamma": digamma,
    "floor": whole(math.floor),
    "ceil": whole(math.ceil),
    "trunc": whole(math.trunc),
    "round": rounded,
    "sigmoid": sigmoid,
    "relu": lambda x: maximum(x, type(x)(0)),
    "gelu": gelu,
    "silu": lambda x: x * sigmoid(x),
    "softplus": lambda x: log(1 + exp(x)),
    "elu": elu,
    "selu": selu,
    "logsigmoid": lambda x: log(sigmoid(x)),
    "mish": lambda x: x * math.tanh(log(1 + exp(x))),
    "softsign": lambda x: x / (1 + abs(x)),
    "relu6": within(0, 6),
    "hardtanh": within(-1, 1),
    "hardsigmoid": hardsigmoid,
    "hardswish": lambda x: x * hardsigmoid(x),
    "real": lambda x: x.real,
    "imag": lambda x: x.imag,
    "conj": lambda x: x.conjugate(),
    "angle": lambda x: math.atan2(x.imag, x.real),
    "isnan": lambda x: x != x,
    "isinf": lambda x: abs(x) == math.inf,
    "isfinite": lambda x: x == x and abs(x) != math.inf,
    "logical_not": lambda x: not x,
}

BINARY: dict[str, Callable[[Number, Number], Number]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": divide,
    "floordiv": lambda x, y: x // y,
    "mod": lambda x, y: x % y,
    "pow": power,
    "maximum": maximum,
    "minimum": minimum,
    "logaddexp": logaddexp,
    "atan2": math.atan2,
    "hypot": math.hypot,
    "copysign": copysign,
    "heaviside": heaviside,
    "leaky_relu": lambda x, slope: x if x > 0 else slope * x,
    "eq": lambda x, y: x == y,
    "ne": lambda x, y: x != y,
    "lt": lambda x, y: x < y,
    "le": lambda x, y: x <= y,
    "gt": lambda x, y: x > y,
    "ge": lambda x, y: x >= y,
    "logical_and": lambda x, y: bool(x) and bool(y),
    "logical_or": lambda x, y: bool(x) or bool(y),
    "logical_xor": lambda x, y: bool(x) != bool(y),
}

OTHER: dict[str, Callable[..., Number]] = {
    "where": lambda c, x, y: x if c else y,
    "clip": clip,
    "isclose": isclose,
    "cast": lambda x, kind: kind(x),
    "from_front": lambda i: i if i >= 0 else i + 2**62,
}

OF_NUMBERS: dict[str, Callable[..., Number]] = {**UNARY, **BINARY, **OTHER}

ELEMENTWISE: dict[str, Definition] = {name: elementwise(f) for name, f in OF_NUMBERS.items()}
