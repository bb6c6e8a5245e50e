"""Elementwise operations, lifted by name (paper, section 3.1).

Operands meet on the axes that they share, and lift over all others.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from namedtensor.errors import AxisNameError
from namedtensor.primitives import Call, Operation, Primitive, Type, primitive, table
from namedtensor.primitives.notation import (
    AND,
    DOT,
    MINUS,
    NOT,
    OR,
    RELATION,
    SUM,
    Before,
    Command,
    Infix,
    Notation,
    Special,
    Word,
)
from namedtensor.primitives.type import widest
from namedtensor.tensor import apply

Rule = Callable[[Call], Type]


# ---------------------------------------------------------------------------------- shape rules


def elementwise(kind: Callable[[tuple[str, ...]], str]) -> Rule:
    """The union of the operands' axes; the kind from theirs."""

    def rule(call: Call) -> Type:
        kinds = tuple([t.kind for t in call.types])
        return Type(call.union(), kind(kinds), host=call.host, weak=call.weak)

    return rule


def as_widest(kinds: tuple[str, ...]) -> str:
    return widest(kinds)


def as_number(kinds: tuple[str, ...]) -> str:
    """Booleans count as 0 and 1."""
    return widest((*kinds, "int"))


def as_float(kinds: tuple[str, ...]) -> str:
    return widest((*kinds, "float"))


def as_bool(kinds: tuple[str, ...]) -> str:
    return "bool"


def as_real(kinds: tuple[str, ...]) -> str:
    return "float" if kinds[0] == "complex" else kinds[0]


def chosen_kind(kinds: tuple[str, ...]) -> str:
    return widest(kinds[1:])


def logical_rule(call: Call) -> Type:
    for i in range(len(call.types)):
        call.kind(i, ("bool",), "compare first: X > 0")
    return Type(call.union(), "bool", host=call.host, weak=call.weak)


def where_rule(call: Call) -> Type:
    call.kind(0, ("bool",), "a condition is a comparison: nt.where(X > 0, X, 0)")
    kind = chosen_kind(tuple([t.kind for t in call.types]))
    return Type(call.union(), kind, host=call.host, weak=call.weak)


# ------------------------------------------------------------------------------------- lowering


def operands(emit: Any, call: Any, values: tuple[Any, ...]) -> tuple[list[str], tuple[str, ...]]:
    """Align operands for broadcasting, index-defined numbers taking the dtype that they meet."""
    names = [n for n, _ in call.type.axes]
    axes = emit.order([v for v in values if not v.type.host], names)
    codes = []
    for value in values:
        if not call.type.weak and not call.type.host:
            value = emit.typed_like(value, values)
        code = emit.aligned(value, axes)
        if call.type.weak and not call.type.host and value.type.kind == "int" and value.axes:
            # index-defined numbers are computed in double precision, whatever they meet later
            code = emit.call("double", code) if call.type.kind == "float" else code
        codes.append(code)
    return codes, axes


#: What emitted code calls the results of operators.
STEMS = {
    "add": "added",
    "sub": "difference",
    "mul": "product",
    "div": "quotient",
    "pow": "power_",
    "neg": "negated",
}


def infix(symbol: str) -> Callable[..., Any]:
    def lower(emit: Any, call: Any, *values: Any) -> Any:
        (a, b), axes = operands(emit, call, values)
        code = _combined(emit, call, symbol, a, b, values)
        return emit.bind(code, axes, call.type, STEMS.get(call.operation.name, "x"))

    return lower


def counted_infix(symbol: str) -> Callable[..., Any]:
    """Booleans count as 0 and 1, also where the library refuses them."""

    def lower(emit: Any, call: Any, *values: Any) -> Any:
        codes, axes = operands(emit, call, values)
        if not call.type.host:
            codes = [_counted(emit, c, v) for c, v in zip(codes, values, strict=True)]
        code = _combined(emit, call, symbol, codes[0], codes[1], values)
        return emit.bind(code, axes, call.type, STEMS.get(call.operation.name, "x"))

    return lower


def _combined(emit: Any, call: Any, symbol: str, a: str, b: str, values: Any) -> str:
    """Write a pair of operands: two arrays by the function where that is faster."""
    if call.operation.name in ("add", "sub", "mul", "div") and not any(v.type.host for v in values):
        return str(emit.function(call.operation.name, symbol, a, b))
    return f"{a} {symbol} {b}"


def _counted(emit: Any, code: str, value: Any) -> str:
    if value.type.kind != "bool":
        return code
    return f"int({code})" if value.type.host else str(emit.call("integer", code))


def logical(symbol: str) -> Callable[..., Any]:
    """An operator on truth values, of data and of Python."""

    def lower(emit: Any, call: Any, *values: Any) -> Any:
        codes, axes = operands(emit, call, values)
        if call.type.host:
            return emit.bind(emit.host_call(call.operation.name, *codes), axes, call.type)
        text = f" {symbol} ".join(codes) if len(codes) > 1 else f"{symbol}{codes[0]}"
        return emit.bind(text, axes, call.type, "holds")

    return lower


def prefix(word: str) -> Callable[..., Any]:
    def lower(emit: Any, call: Any, *values: Any) -> Any:
        codes, axes = operands(emit, call, values)
        write = emit.host_call if call.type.host else emit.call
        return emit.bind(write(word, *codes), axes, call.type, word)

    return lower


def floating_prefix(word: str) -> Callable[..., Any]:
    """A function whose result is float: whole numbers become floating ones first."""

    def lower(emit: Any, call: Any, *values: Any) -> Any:
        codes, axes = operands(emit, call, values)
        codes = [
            emit.call("floating", c)
            if v.type.kind in ("bool", "int") and not v.type.host and not call.type.weak
            else c
            for c, v in zip(codes, values, strict=True)
        ]
        write = emit.host_call if call.type.host else emit.call
        return emit.bind(write(word, *codes), axes, call.type, word)

    return lower


def lower_where(emit: Any, call: Any, *values: Any) -> Any:
    condition, *choices = values
    names = [n for n, _ in call.type.axes]
    axes = emit.order([v for v in values if not v.type.host], names)
    if not call.type.weak:
        choices = [emit.typed_like(c, choices) for c in choices]
        if not any(c.strong for c in choices):
            return _where_of_numbers(emit, call, condition, choices, axes)
    if condition.type.host and not call.type.host:
        code = emit.call("full", "()", condition.code, emit.like)
        condition = replace(condition, code=code)
    codes = [emit.aligned(v, axes) for v in (condition, *choices)]
    if call.type.host:
        return emit.bind(emit.host_call("where", *codes), axes, call.type)
    word = "where_weak" if call.type.weak else "where"
    return emit.bind(emit.call(word, *codes), axes, call.type, "where")


def _where_of_numbers(emit: Any, call: Any, condition: Any, choices: Any, axes: Any) -> Any:
    """Choose between numbers by data: floats come out in the library's own default."""
    codes = [emit.aligned(v, axes) for v in (condition, *choices)]
    code = emit.call("where_weak", *codes)
    if call.type.kind == "float":
        code = emit.call("floating", code)
    return emit.bind(code, axes, call.type, "where")


def write_infix(symbol: str) -> Callable[[Operation, tuple[str, ...]], str]:
    def write(operation: Operation, labels: tuple[str, ...]) -> str:
        return f"{labels[0]} {symbol} {labels[1]}"

    write.infix = True  # type: ignore[attr-defined]
    return write


def write_before(symbol: str) -> Callable[[Operation, tuple[str, ...]], str]:
    return lambda operation, labels: f"{symbol}{labels[0]}"


# ------------------------------------------------------------------------------------ the table


def _operator(
    name: str,
    symbol: str,
    kind: Callable[[tuple[str, ...]], str],
    notation: Notation,
    counted: bool = False,
) -> Primitive:
    lower = counted_infix(symbol) if counted else infix(symbol)
    return primitive(name, elementwise(kind), lower, write=write_infix(symbol), notation=notation)


_operator("add", "+", as_number, Infix("+", SUM), counted=True)
_operator("sub", "-", as_number, Infix("-", SUM), counted=True)
_operator("mul", "*", as_number, Infix(r"\odot", DOT, also=(r"\cdot",)), counted=True)
_operator("div", "/", as_float, Special("fraction"))
_operator("floordiv", "//", as_number, Special("floored fraction"), counted=True)
_operator("mod", "%", as_number, Infix(r"\bmod", DOT), counted=True)
_operator("pow", "**", as_number, Special("power"), counted=True)
for _name, _symbol, _sign in (
    ("eq", "==", "="),
    ("ne", "!=", r"\neq"),
    ("lt", "<", "<"),
    ("le", "<=", r"\leq"),
    ("gt", ">", ">"),
    ("ge", ">=", r"\geq"),
):
    _operator(_name, _symbol, as_bool, Infix(_sign, RELATION))
for _name, _symbol, _notation in (
    ("logical_and", "&", Infix(r"\land", AND)),
    ("logical_or", "|", Infix(r"\lor", OR)),
    ("logical_xor", "^", Word("xor")),
):
    primitive(_name, logical_rule, logical(_symbol), write=write_infix(_symbol), notation=_notation)
primitive(
    "logical_not",
    logical_rule,
    logical("~"),
    write=write_before("~"),
    notation=Before(r"\lnot", NOT),
)


def _lower_neg(emit: Any, call: Any, x: Any) -> Any:
    (code,), axes = operands(emit, call, (x,))
    if x.type.kind == "bool" and not x.type.host:
        code = emit.call("integer", code)
    return emit.bind(f"-{code}", axes, call.type)


primitive(
    "neg",
    elementwise(as_number),
    _lower_neg,
    write=write_before("-"),
    notation=Before("-", MINUS),
)
_where = primitive("where", where_rule, lower_where, notation=Special("cases")).plain


def _one(
    name: str,
    word: str,
    kind: Callable[[tuple[str, ...]], str],
    doc: str,
    notation: Notation | None = None,
) -> Callable[[Any], Any]:
    """Define a function of one tensor that acts on each number."""
    lower = floating_prefix(word) if kind is as_float else prefix(word)
    entry = primitive(name, elementwise(kind), lower, notation=notation or Word(name))
    operation = entry.plain

    def function(X: Any) -> Any:
        return apply(operation, X)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{doc}\n\n        {name} : R -> R, lifted over every axis\n"
    return function


def _two(
    name: str,
    word: str,
    kind: Callable[[tuple[str, ...]], str],
    doc: str,
    notation: Notation | None = None,
) -> Callable[[Any, Any], Any]:
    """Define a function of two tensors that acts on numbers of one record."""
    lower = floating_prefix(word) if kind is as_float else prefix(word)
    entry = primitive(name, elementwise(kind), lower, notation=notation or Word(name))
    operation = entry.plain

    def function(X: Any, Y: Any) -> Any:
        return apply(operation, X, Y)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{doc}\n\n        {name} : R x R -> R, lifted over every axis\n"
    return function


exp = _one("exp", "exp", as_float, "Raise e to each number.", Command("exp"))
expm1 = _one("expm1", "expm1", as_float, "Compute exp(x) - 1, exact near 0.")
log = _one("log", "log", as_float, "Take the natural logarithm.", Command("log"))
log1p = _one("log1p", "log1p", as_float, "Compute log(1 + x), exact near 0.")
log2 = _one("log2", "log2", as_float, "Take the logarithm to base 2.")
log10 = _one("log10", "log10", as_float, "Take the logarithm to base 10.")
sqrt = _one("sqrt", "sqrt", as_float, "Take the square root.", Special("root"))
rsqrt = _one("rsqrt", "rsqrt", as_float, "Compute 1 / sqrt(x).")
sin = _one("sin", "sin", as_float, "Compute the sine of an angle in radians.", Command("sin"))
cos = _one("cos", "cos", as_float, "Compute the cosine of an angle in radians.", Command("cos"))
tan = _one("tan", "tan", as_float, "Compute the tangent of an angle in radians.", Command("tan"))
asin = _one("asin", "asin", as_float, "Compute the arc sine in radians.", Command("arcsin"))
acos = _one("acos", "acos", as_float, "Compute the arc cosine in radians.", Command("arccos"))
atan = _one("atan", "atan", as_float, "Compute the arc tangent in radians.", Command("arctan"))
sinh = _one("sinh", "sinh", as_float, "Compute the hyperbolic sine.", Command("sinh"))
cosh = _one("cosh", "cosh", as_float, "Compute the hyperbolic cosine.", Command("cosh"))
tanh = _one("tanh", "tanh", as_float, "Compute the hyperbolic tangent.", Command("tanh"))
asinh = _one("asinh", "asinh", as_float, "Compute the inverse hyperbolic sine.", Word("arsinh"))
acosh = _one("acosh", "acosh", as_float, "Compute the inverse hyperbolic cosine.", Word("arcosh"))
atanh = _one("atanh", "atanh", as_float, "Compute the inverse hyperbolic tangent.", Word("artanh"))
erf = _one("erf", "erf", as_float, "Compute the error function.")
sigmoid = _one(
    "sigmoid",
    "sigmoid",
    as_float,
    "Compute 1 / (1 + exp(-x)).",
    Word("sigmoid", also=("logistic",)),
)
silu = _one(
    "silu", "silu", as_float, "Compute x sigmoid(x).", Word("SiLU", also=("silu", "swish", "Swish"))
)
gelu = _one(
    "gelu",
    "gelu",
    as_float,
    "Compute x times the normal distribution's P(Z <= x).",
    Word("GELU", also=("gelu",)),
)
softplus = _one("softplus", "softplus", as_float, "Compute log(1 + exp(x)).")
elu = _one(
    "elu",
    "elu",
    as_float,
    "Compute x where positive, exp(x) - 1 elsewhere.",
    Word("ELU", also=("elu",)),
)
relu = _one(
    "relu", "relu", as_widest, "Compute max(0, x).", Word("ReLU", also=("relu", "Relu", "RELU"))
)
abs = _one("abs", "absolute", as_real, "Give the distance of each number from 0.", Special("bars"))
sign = _one("sign", "sign", as_widest, "Give -1, 0 or 1.", Word("sign", also=("sgn",)))
square = _one("square", "square", as_number, "Multiply each number by itself.")
reciprocal = _one("reciprocal", "reciprocal", as_float, "Compute 1 / x.")
floor = _one("floor", "floor", as_widest, "Round down.", Special("floor"))
ceil = _one("ceil", "ceil", as_widest, "Round up.", Special("ceil"))
round = _one("round", "round", as_widest, "Round to the nearest whole number, halves to even.")
trunc = _one("trunc", "trunc", as_widest, "Round towards 0.")
isnan = _one("isnan", "isnan", as_bool, "Say which numbers are not a number.")
isinf = _one("isinf", "isinf", as_bool, "Say which numbers are infinite.")
isfinite = _one("isfinite", "isfinite", as_bool, "Say which numbers are finite.")

maximum = _two(
    "maximum", "maximum", as_widest, "Give the greater number of each record.", Command("max")
)
minimum = _two(
    "minimum", "minimum", as_widest, "Give the smaller number of each record.", Command("min")
)
atan2 = _two("atan2", "atan2", as_float, "Compute the angle of the point (y, x) in radians.")
hypot = _two("hypot", "hypot", as_float, "Compute sqrt(x^2 + y^2).")
logaddexp = _two("logaddexp", "logaddexp", as_float, "Compute log(exp(x) + exp(y)).")

inf = math.inf
pi = math.pi


def logical_and(X: Any, Y: Any) -> Any:
    """Say which records hold in both: X & Y."""
    return apply(table()["logical_and"].plain, X, Y)


def logical_or(X: Any, Y: Any) -> Any:
    """Say which records hold in one or both: X | Y."""
    return apply(table()["logical_or"].plain, X, Y)


def logical_xor(X: Any, Y: Any) -> Any:
    """Say which records hold in exactly one: X ^ Y."""
    return apply(table()["logical_xor"].plain, X, Y)


def logical_not(X: Any) -> Any:
    """Say which records do not hold: ~X."""
    return apply(table()["logical_not"].plain, X)


def where(condition: Any, X: Any, Y: Any) -> Any:
    """Choose X where the condition holds, Y elsewhere.

        where : {0,1} x R x R -> R, lifted over every axis

    Raises: KindError where the condition is not boolean.

    >>> import namedtensor as nt
    >>> X = nt.tensor([-1.0, 2.0], "seq")
    >>> where(X > 0, X, 0.0)
    NamedTensor(seq[2], float64)
    [0. 2.]
    """
    return apply(_where, condition, X, Y)


def cases(*rows: Any) -> Any:
    """Define by cases: the value of the first row whose condition holds.

        cases((x1, c1), (x2, c2), ..., y) = x1 if c1, x2 if c2, ..., y otherwise

    >>> import namedtensor as nt
    >>> X = nt.tensor([-1.0, 2.0], "seq")
    >>> cases((0.0, X < 0), (1.0, X > 1), 0.5)
    NamedTensor(seq[2], float64)
    [0. 1.]
    """
    *pairs, result = rows or ((),)
    for row in (*pairs, (result, True)):
        if not isinstance(row, tuple) or len(row) != 2 or isinstance(row[0], tuple):
            raise AxisNameError(
                f"cases(...) of {len(rows)}",
                "each row is (value, condition), and the last one a value alone",
                hint="nt.cases((0.0, j <= i), -nt.inf)",
            )
    for value, condition in reversed(pairs):
        result = where(condition, value, result)
    return result


def clip(X: Any, low: Any = None, high: Any = None) -> Any:
    """Bring each number into [low, high]; either end may be left out.

    >>> clip(7.0, 0.0, 1.0)
    1.0
    """
    if low is not None:
        X = maximum(X, low)
    return X if high is None else minimum(X, high)
