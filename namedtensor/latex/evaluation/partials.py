"""How each operation is derived: from its operands and their derivatives.

A rule gets the result, the operation's parameters, the operands, and each operand's derivative or
None where it does not depend on X.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from namedtensor.axes import BOUND
from namedtensor.operations.contraction import dot
from namedtensor.operations.elementwise import cos, erf, exp, log, sigmoid, sign, sin, sqrt, where
from namedtensor.operations.matrices import inv
from namedtensor.operations.reductions import mean
from namedtensor.operations.reductions import sum as total
from namedtensor.operations.vectors import argmax, argmin, softmax
from namedtensor.primitives import table
from namedtensor.shape import sized
from namedtensor.tensor import apply

Rule = Callable[[Any, Any, Sequence[Any], Sequence[Any]], Any]

#: Linear in their first operand, so that the derivative goes through them.
LINEAR = frozenset(
    "neg rename merge split at slice index sum mean trace diag unroll pool cumsum flip roll cast".split()
)


#: Constant between their jumps.
STEPPED = frozenset("floor ceil round trunc sign".split())


#: Acting on each record alone, so that what is diagonal stays so.
POINTWISE = frozenset(
    "add sub mul div pow exp expm1 log log1p log2 log10 sqrt rsqrt square reciprocal sin cos tan sinh cosh "
    "tanh asin acos atan sigmoid silu softplus gelu elu erf relu abs maximum minimum where".split()
)


def like_zero(Y: Any) -> Any:
    """Give 0 over the axes of Y."""
    return where(Y == Y, 0.0, 0.0)


def times(a: Any, b: Any) -> Any:
    """Multiply; a factor of 1 leaves no trace."""
    if isinstance(b, float) and b == 1.0:
        return a
    return b if isinstance(a, float) and a == 1.0 else a * b


def _added(terms: Sequence[Any]) -> Any:
    result: Any = None
    for term in terms:
        if term is not None:
            result = term if result is None else result + term
    return result


def _elementwise(*partials: Callable[..., Any]) -> Rule:
    """Each operand's derivative times the partial derivative, which gets the operands and the result."""

    def rule(y: Any, params: Any, operands: Sequence[Any], parts: Sequence[Any]) -> Any:
        return _added(
            [
                None if part is None else times(partial(*operands, y), part)
                for partial, part in zip(partials, parts, strict=True)
            ]
        )

    return rule


def _sum(sign_: int) -> Rule:
    def rule(y: Any, params: Any, operands: Sequence[Any], parts: Sequence[Any]) -> Any:
        first, second = parts
        if second is not None and sign_ < 0:
            second = -second
        return _added([first, second])

    return rule


def _joined(name: str) -> Rule:
    """Join the derivatives, 0 for what does not depend on X."""

    def rule(y: Any, params: Any, operands: Sequence[Any], parts: Sequence[Any]) -> Any:
        filled = [
            like_zero(o) if part is None else part for o, part in zip(operands, parts, strict=True)
        ]
        return apply(table()[name](*params), *filled)

    return rule


def _pad(y: Any, params: Any, operands: Sequence[Any], parts: Sequence[Any]) -> Any:
    _, before, after, _ = operands
    return apply(table()["pad"](*params), parts[0], before, after, 0)


def _where(y: Any, params: Any, operands: Sequence[Any], parts: Sequence[Any]) -> Any:
    condition, _, _ = operands
    _, first, second = parts
    return where(condition, 0.0 if first is None else first, 0.0 if second is None else second)


def _dot(y: Any, params: Any, operands: Sequence[Any], parts: Sequence[Any]) -> Any:
    """The product rule: one operand after the other is replaced by its derivative."""
    (axes,) = params
    contract = dot[tuple([sized(a, None) for a in axes])]
    return _added(
        [
            None
            if part is None
            else contract(*[part if j == i else o for j, o in enumerate(operands)])
            for i, part in enumerate(parts)
        ]
    )


def _over(axes: Any) -> tuple[Any, ...]:
    return tuple([sized(a, None) for a in axes])


def _softmax(y: Any, params: Any, operands: Sequence[Any], parts: Sequence[Any]) -> Any:
    over = total[_over(params[0])]
    return y * (parts[0] - over(y * parts[0]))


def _log_softmax(y: Any, params: Any, operands: Sequence[Any], parts: Sequence[Any]) -> Any:
    axes = _over(params[0])
    return parts[0] - total[axes](softmax[axes](operands[0]) * parts[0])


def _logsumexp(y: Any, params: Any, operands: Sequence[Any], parts: Sequence[Any]) -> Any:
    axes = _over(params[0])
    return total[axes](softmax[axes](operands[0]) * parts[0])


def _norm(y: Any, params: Any, operands: Sequence[Any], parts: Sequence[Any]) -> Any:
    return total[_over(params[0])](operands[0] * parts[0]) / y


def _var(y: Any, params: Any, operands: Sequence[Any], parts: Sequence[Any]) -> Any:
    axes = _over(params[0])
    distance = operands[0] - mean[axes](operands[0])
    return 2 * mean[axes](distance * parts[0])


def _std(y: Any, params: Any, operands: Sequence[Any], parts: Sequence[Any]) -> Any:
    return _var(y, params, operands, parts) / (2 * y)


def _prod(y: Any, params: Any, operands: Sequence[Any], parts: Sequence[Any]) -> Any:
    return y * total[_over(params[0])](parts[0] / operands[0])


def _extreme(mark: Any) -> Rule:
    def rule(y: Any, params: Any, operands: Sequence[Any], parts: Sequence[Any]) -> Any:
        axes = _over(params[0])
        return total[axes](mark[axes](operands[0]) * parts[0])

    return rule


def _det(y: Any, params: Any, operands: Sequence[Any], parts: Sequence[Any]) -> Any:
    row, col = _over(params[0][:2])
    turned = apply(
        table()["rename"](((row.name, col.name), (col.name, row.name))), inv[row, col](operands[0])
    )
    return y * total[row, col](turned * parts[0])


def _inv(y: Any, params: Any, operands: Sequence[Any], parts: Sequence[Any]) -> Any:
    """d A^-1 = -A^-1 dA A^-1, rows and columns staying where they are."""
    row, col = params[0][:2]
    k, l = f"{row}{BOUND}k", f"{col}{BOUND}l"
    rename = table()["rename"]
    left = apply(rename(((col, k),)), y)
    inner = apply(rename(((row, k), (col, l))), parts[0])
    right = apply(rename(((row, l),)), y)
    return -dot[sized(l, None)](dot[sized(k, None)](left, inner), right)


def _power(y: Any, params: Any, operands: Sequence[Any], parts: Sequence[Any]) -> Any:
    base, exponent = operands
    first, second = parts
    terms = []
    if first is not None:
        lowered = exponent - 1 if exponent.node.value is None else exponent.node.value - 1
        terms.append(times(exponent * (base if lowered == 1 else base**lowered), first))
    if second is not None:
        terms.append(times(y * log(base), second))
    return _added(terms)


RULES: dict[str, Rule] = {
    "add": _sum(1),
    "sub": _sum(-1),
    "mul": _elementwise(lambda a, b, y: b, lambda a, b, y: a),
    "div": _elementwise(lambda a, b, y: 1 / b, lambda a, b, y: -y / b),
    "pow": _power,
    "exp": _elementwise(lambda x, y: y),
    "expm1": _elementwise(lambda x, y: y + 1),
    "log": _elementwise(lambda x, y: 1 / x),
    "log1p": _elementwise(lambda x, y: 1 / (1 + x)),
    "log2": _elementwise(lambda x, y: 1 / (x * math.log(2))),
    "log10": _elementwise(lambda x, y: 1 / (x * math.log(10))),
    "sqrt": _elementwise(lambda x, y: 1 / (2 * y)),
    "rsqrt": _elementwise(lambda x, y: -y / (2 * x)),
    "square": _elementwise(lambda x, y: 2 * x),
    "reciprocal": _elementwise(lambda x, y: -y * y),
    "sin": _elementwise(lambda x, y: cos(x)),
    "cos": _elementwise(lambda x, y: -sin(x)),
    "tan": _elementwise(lambda x, y: 1 + y * y),
    "sinh": _elementwise(lambda x, y: (exp(x) + exp(-x)) / 2),
    "cosh": _elementwise(lambda x, y: (exp(x) - exp(-x)) / 2),
    "tanh": _elementwise(lambda x, y: 1 - y * y),
    "asin": _elementwise(lambda x, y: 1 / sqrt(1 - x * x)),
    "acos": _elementwise(lambda x, y: -1 / sqrt(1 - x * x)),
    "atan": _elementwise(lambda x, y: 1 / (1 + x * x)),
    "sigmoid": _elementwise(lambda x, y: y * (1 - y)),
    "silu": _elementwise(lambda x, y: sigmoid(x) * (1 + x * (1 - sigmoid(x)))),
    "softplus": _elementwise(lambda x, y: sigmoid(x)),
    "gelu": _elementwise(
        lambda x, y: (1 + erf(x / math.sqrt(2))) / 2 + x * exp(-x * x / 2) / math.sqrt(2 * math.pi)
    ),
    "elu": _elementwise(lambda x, y: where(x > 0, 1.0, exp(x))),
    "erf": _elementwise(lambda x, y: 2 / math.sqrt(math.pi) * exp(-x * x)),
    "relu": _elementwise(lambda x, y: where(x > 0, 1.0, 0.0)),
    "abs": _elementwise(lambda x, y: sign(x)),
    "maximum": _elementwise(
        lambda a, b, y: where(a >= b, 1.0, 0.0), lambda a, b, y: where(a >= b, 0.0, 1.0)
    ),
    "minimum": _elementwise(
        lambda a, b, y: where(a <= b, 1.0, 0.0), lambda a, b, y: where(a <= b, 0.0, 1.0)
    ),
    "where": _where,
    "concat": _joined("concat"),
    "stack": _joined("stack"),
    "pad": _pad,
    "dot": _dot,
    "softmax": _softmax,
    "log_softmax": _log_softmax,
    "logsumexp": _logsumexp,
    "norm": _norm,
    "var": _var,
    "std": _std,
    "prod": _prod,
    "max": _extreme(argmax),
    "min": _extreme(argmin),
    "det": _det,
    "slogdet": lambda y, params, operands, parts: _det(1.0, params, operands, parts),
    "inv": _inv,
}
