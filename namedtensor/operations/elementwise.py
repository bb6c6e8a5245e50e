"""Elementwise operations, lifted by name (paper, section 3.3).

Operands are matched on the axes that they share, and lift over all others. An operation is one entry of the
table and the function that applies it, next to each other: its shape rule is the union of axes, its
positional call has its own name, and its slopes are the partial derivatives by each operand, written
in these same operations. At a kink, such as relu at 0, a slope is torch's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from namedtensor.backends.host_backend import SELU_BEND, SELU_SCALE
from namedtensor.backends.lazy import is_scalar
from namedtensor.errors import AxisNameError, KindError
from namedtensor.operations.axis_functions import Tensor
from namedtensor.plans import Emitter, Lowered, Value
from namedtensor.plans.code import Code
from namedtensor.plans.compile import run_on_numbers
from namedtensor.primitives import Call, Node, Operation, Type, primitive
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
from namedtensor.primitives.primitive import BoundsRule
from namedtensor.primitives.traits import EVERY, Bounds, Traits
from namedtensor.primitives.type import widest
from namedtensor.shape import shapes
from namedtensor.tensor import NamedTensor, apply
from namedtensor.tensor.apply import NUMBERS

Rule = Callable[[Call], Type]
Kind = Callable[[tuple[str, ...]], str]
Slope = Callable[..., Any]

inf = math.inf
pi = math.pi


# ---------------------------------------------------------------------------------- shape rules


def elementwise(kind: Kind, real: bool = False) -> Rule:
    """The union of the operands' axes; the kind from theirs, which may have to be real."""

    def rule(call: Call) -> Type:
        kinds = tuple([t.kind for t in call.types])
        if real and "complex" in kinds:
            call.real(kinds.index("complex"))
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
    """Give the kind of a distance or of a part: real, of complex numbers too."""
    return "float" if kinds[0] == "complex" else as_number(kinds)


def as_angle(kinds: tuple[str, ...]) -> str:
    return "float"


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


def operands(
    emit: Emitter, call: Lowered, values: tuple[Any, ...]
) -> tuple[list[Any], tuple[str, ...]]:
    """Align operands for broadcasting; index-defined numbers take the dtype of the data."""
    names = [n for n, _ in call.type.axes]
    axes = emit.order([v for v in values if not v.type.host], names)
    word = ""
    if emit.backend.name == "torch":  # numpy refuses numbers that do not fit, and compares rightly
        word = {"int": "fitting", "bool": "compared"}.get(call.type.kind, "")
    codes = []
    for value in values:
        if not call.type.weak and not call.type.host:
            value = emit.typed_like(value, values)
        if word:
            value = emit.widened(emit.fitting(value, values, word), values)
        codes.append(emit.aligned(emit.wide(value, call.type), axes))
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
    def lower(emit: Emitter, call: Lowered, *values: Value) -> Any:
        (a, b), axes = operands(emit, call, values)
        code = _combined(emit, call, symbol, a, b, values)
        return emit.bind(code, axes, call.type, STEMS.get(call.operation.name, "x"))

    return lower


def counted_infix(symbol: str) -> Callable[..., Any]:
    """Booleans count as 0 and 1, also where the library refuses them."""

    def lower(emit: Emitter, call: Lowered, *values: Value) -> Any:
        codes, axes = operands(emit, call, values)
        if not call.type.host:
            codes = [_counted(emit, call, c, v) for c, v in zip(codes, values, strict=True)]
        code = _combined(emit, call, symbol, codes[0], codes[1], values)
        return emit.bind(code, axes, call.type, STEMS.get(call.operation.name, "x"))

    return lower


def _combined(emit: Emitter, call: Lowered, symbol: str, a: Value, b: Value, values: Any) -> Any:
    """Combine a pair of operands: two arrays by the function where that is faster."""
    if call.operation.name in ("add", "sub", "mul", "div") and not any(v.type.host for v in values):
        return emit.function(call.operation.name, symbol, a, b)
    if emit.backend.name == "torch" and not call.type.host:
        if call.operation.name == "floordiv":
            return emit.call("floor_divide", a, b)  # torch's // has no derivative
        whole = call.operation.name == "pow" and call.type.kind == "int"
        if whole and not values[1].type.host:
            return emit.call("whole_power", a, b)  # torch's ** gives 0 for powers below 0
    return emit.infix(symbol, a, b)


def _counted(emit: Emitter, call: Lowered, code: Code, value: Value) -> Any:
    if value.type.kind != "bool" or call.type.wide:
        return code
    return emit.call("int" if value.type.host else "integer", code)


def logical(symbol: str) -> Callable[..., Any]:
    """An operator on truth values, of data and of Python."""

    def lower(emit: Emitter, call: Lowered, *values: Value) -> Any:
        codes, axes = operands(emit, call, values)
        if call.type.host:
            return emit.bind(emit.host_call(call.operation.name, *codes), axes, call.type)
        write = emit.infix if len(codes) > 1 else emit.prefix
        return emit.bind(write(symbol, *codes), axes, call.type, "holds")

    return lower


def prefix(word: str) -> Callable[..., Any]:
    """A function by its name; truth values count as 0 and 1 where the result is a number."""

    def lower(emit: Emitter, call: Lowered, *values: Value) -> Any:
        codes, axes = operands(emit, call, values)
        if call.type.kind != "bool":
            codes = [_counted(emit, call, c, v) for c, v in zip(codes, values, strict=True)]
        write = emit.host_call if call.type.host else emit.call
        return emit.bind(write(word, *codes), axes, call.type, word)

    return lower


def floating_prefix(word: str) -> Callable[..., Any]:
    """A function whose result is float: whole numbers become floating ones first.

    Beside floating data the library converts them: here they would get its default dtype, but a single number
    of data must keep its own.
    """

    def lower(emit: Emitter, call: Lowered, *values: Value) -> Any:
        codes, axes = operands(emit, call, values)
        if not call.type.wide and not any(v.strong and v.type.kind == "float" for v in values):
            codes = [
                emit.floating(c) if v.type.kind in ("bool", "int") and not v.type.host else c
                for c, v in zip(codes, values, strict=True)
            ]
        write = emit.host_call if call.type.host else emit.call
        return emit.bind(write(word, *codes), axes, call.type, word)

    return lower


def lower_where(emit: Emitter, call: Lowered, *values: Value) -> Any:
    condition, *choices = values
    names = [n for n, _ in call.type.axes]
    axes = emit.order([v for v in values if not v.type.host], names)
    if not call.type.weak:
        choices = [emit.typed_like(c, choices) for c in choices]
        if not any(c.strong for c in choices):
            return _where_of_numbers(emit, call, condition, choices, axes)
    if condition.type.host and not call.type.host:
        code = emit.call("full", (), condition, emit.like)
        condition = replace(condition, code=code)
    choices = [
        emit.fitting(emit.wide(c, call.type) if call.type.open else c, choices) for c in choices
    ]
    choices = [emit.widened(c, choices) for c in choices]
    codes = [emit.aligned(v, axes) for v in (condition, *choices)]
    if call.type.host:
        return emit.bind(emit.host_call("where", *codes), axes, call.type)
    number, other = choices
    alike = number.type.host and other.type.kind == call.type.kind and other.axes == axes
    if alike and emit.backend.name == "torch" and not call.type.weak:
        return emit.bind(emit.call("where_number", *codes), axes, call.type, "where")
    word = "where_weak" if call.type.weak else "where"
    return emit.bind(emit.call(word, *codes), axes, call.type, "where")


def _where_of_numbers(
    emit: Emitter, call: Lowered, condition: Value, choices: Sequence[Value], axes: Sequence[str]
) -> Any:
    """Choose between numbers by data: floats come out in the library's own default."""
    codes = [emit.aligned(v, axes) for v in (condition, *choices)]
    code = emit.call("where_weak", *codes)
    if call.type.kind == "float":
        code = emit.floating(code)
    return emit.bind(code, axes, call.type, "where")


def write_infix(symbol: str) -> Callable[[Operation, tuple[str, ...]], str]:
    return lambda operation, labels: f"{labels[0]} {symbol} {labels[1]}"


def write_before(symbol: str) -> Callable[[Operation, tuple[str, ...]], str]:
    return lambda operation, labels: f"{symbol}{labels[0]}"


# ------------------------------------------------------------------------------------ the table


def _pointwise(
    name: str,
    kind: Kind,
    *slopes: Slope | None,
    notation: Notation | None = None,
    lower: Callable[..., Any] | None = None,
    rule: Rule | None = None,
    write: Callable[[Operation, tuple[str, ...]], str] | None = None,
    real: bool = False,
    fresh: bool = True,
    bounds: BoundsRule | None = None,
    diagnose: Callable[..., Any] | None = None,
    **traits: Any,
) -> Operation:
    """Add an elementwise operation to the table; its positional call has its name unless told.

    `real` refuses complex numbers.
    """
    call = floating_prefix(name) if kind is as_float else prefix(name)
    entry = primitive(
        name,
        rule or elementwise(kind, real),
        lower or call,
        write=write,
        notation=notation or Word(name.replace("_", "-")),
        slopes=slopes,
        traits=Traits(pointwise=True, uniform=True, fresh=fresh, **traits),
        bounds=bounds,
        diagnose=diagnose,
    )
    return entry.plain


# ------------------------------------------------------------------------------------ operators


def _operator(
    name: str,
    symbol: str,
    kind: Kind,
    notation: Notation,
    *slopes: Slope,
    counted: bool = True,
    real: bool = False,
    **traits: Any,
) -> Operation:
    lower = counted_infix(symbol) if counted else infix(symbol)
    return _pointwise(
        name,
        kind,
        *slopes,
        notation=notation,
        lower=lower,
        write=write_infix(symbol),
        real=real,
        symbol=symbol,
        **traits,
    )


def _by_base(x: NamedTensor, y: NamedTensor, z: NamedTensor) -> Any:
    """y x^(y-1), or 0 for an exponent of 0."""
    if not isinstance(y, NamedTensor):
        return 0.0 if y == 0 else 1.0 if y == 1 else y * x if y == 2 else y * x ** (y - 1)
    return where(y == 0, 0.0, y * x ** (y - 1))


def _by_exponent(x: NamedTensor, y: NamedTensor, z: NamedTensor) -> Any:
    """x^y log x, or 0 where the base is 0 and the power stays 0."""
    return where((x == 0) & (y >= 0), 0.0, z * log(x))


def _diagnose_power(
    operation: Operation, labels: Sequence[str], data: Sequence[Any], sizes: Any
) -> Any:
    """Explain the library's refusal of a negative power of a whole number: it is not whole."""
    base, exponent = data
    if not (_is_whole(base) and _is_whole(exponent)) or not _any_below_zero(exponent):
        return None
    real = repr(float(base)) if isinstance(base, int) else f'{labels[0]}.to("float64")'
    hint = f"make the base real: `{operation.write((real, labels[1]))}`"
    return KindError, "a whole number to a power below 0 is no whole number", hint


def _is_whole(x: Any) -> bool:
    """Say whether a number or an array holds whole numbers."""
    return isinstance(x, int) or (hasattr(x, "dtype") and "int" in str(x.dtype))


def _any_below_zero(x: Any) -> bool:
    """Say whether a number, or one of an array, is below 0."""
    return x < 0 if isinstance(x, int) else bool((x < 0).any())


def _quotient_bounds(node: Node, known: list[tuple[float, float]], records: float) -> Bounds:
    """Stay away from 0 in the denominator."""
    (a, b), (c, d) = known
    if c <= 0 <= d or not all(map(math.isfinite, (a, b, c, d))):
        return None
    corners = [a / c, a / d, b / c, b / d]
    return min(corners), max(corners)


def _power_bounds(node: Node, known: list[tuple[float, float]], records: float) -> Bounds:
    """Take powers of positive numbers, and whole powers of others; floats, as 2^k has too many digits."""
    try:
        a, b, c, d = [float(end) for ends in known for end in ends]
        if a > 0:
            corners = [a**c, a**d, b**c, b**d]
        elif c == d and c >= 0 and c == int(c):
            corners = [a**c, b**c, *([0.0] if c and a <= 0 <= b else [])]
        else:
            return None
    except (ArithmeticError, ValueError):
        return None
    return min(corners), max(corners)


def _even_bounds(node: Node, known: list[tuple[float, float]], records: float) -> Bounds:
    """Bound |x| and x^2, which are 0 at 0 and rise to both sides."""
    (a, b) = known[0]
    ends = [run_on_numbers(node.operation, [a]), run_on_numbers(node.operation, [b])]
    return (0.0 if a <= 0 <= b else min(ends)), max(ends)


def _weighed_bounds(node: Node, known: list[tuple[float, float]], records: float) -> Bounds:
    """Bound x times a weight between 0 and 1."""
    return (min(known[0][0], 0), max(known[0][1], 0)) if all(map(math.isfinite, known[0])) else None


def _rest_bounds(node: Node, known: list[tuple[float, float]], records: float) -> Bounds:
    """Bound what is left by a positive divisor."""
    fine = known[1][0] > 0 and all(map(math.isfinite, (*known[0], *known[1])))
    return (0, known[1][1]) if fine else None


def _wave_bounds(node: Node, known: list[tuple[float, float]], records: float) -> Bounds:
    return (-1.0, 1.0) if all(map(math.isfinite, known[0])) else None


ADD = _operator(
    "add",
    "+",
    as_number,
    Infix("+", SUM),
    linear=(EVERY,),
    jointly=True,
    commutative=True,
    neutral=0,
    monotone=True,
)
SUB = _operator(
    "sub",
    "-",
    as_number,
    Infix("-", SUM),
    linear=(EVERY,),
    jointly=True,
    neutral=0,
    monotone=True,
)
MUL = _operator(
    "mul",
    "*",
    as_number,
    Infix(r"\odot", DOT, also=(r"\cdot",)),
    lambda x, y, z: y,
    lambda x, y, z: x,
    linear=(EVERY,),
    commutative=True,
    neutral=1,
    positive=True,
    monotone=True,
)
DIV = _operator(
    "div",
    "/",
    as_float,
    Special("fraction"),
    lambda x, y, z: 1 / y,
    lambda x, y, z: -z / y,
    counted=False,
    linear=(0,),
    positive=True,
    bounds=_quotient_bounds,
)
FLOORDIV = _operator("floordiv", "//", as_number, Special("floored fraction"), stepped=True)
MOD = _operator(
    "mod",
    "%",
    as_number,
    Infix(r"\bmod", DOT),
    lambda x, y, z: 1.0,
    lambda x, y, z: -(x // y),
    bounds=_rest_bounds,
)
POW = _operator(
    "pow",
    "**",
    as_number,
    Special("power"),
    _by_base,
    _by_exponent,
    bounds=_power_bounds,
    diagnose=_diagnose_power,
)


def _comparison(name: str, symbol: str, sign: str, opposite: str, ordered: bool) -> Operation:
    return _operator(
        name,
        symbol,
        as_bool,
        Infix(sign, RELATION),
        counted=False,
        real=ordered,
        commutative=not ordered,
        stepped=True,
        opposite=opposite,
    )


EQ = _comparison("eq", "==", "=", "ne", ordered=False)
NE = _comparison("ne", "!=", r"\neq", "eq", ordered=False)
LT = _comparison("lt", "<", "<", "ge", ordered=True)
LE = _comparison("le", "<=", r"\leq", "gt", ordered=True)
GT = _comparison("gt", ">", ">", "le", ordered=True)
GE = _comparison("ge", ">=", r"\geq", "lt", ordered=True)


def _lower_neg(emit: Emitter, call: Lowered, x: Value) -> Any:
    (code,), axes = operands(emit, call, (x,))
    if x.type.kind == "bool" and not x.type.host:
        code = emit.call("integer", code)
    if x.strong and x.type.kind == "int":
        code = emit.call("signed", code)
    return emit.bind(emit.prefix("-", code), axes, call.type)


NEG = _pointwise(
    "neg",
    as_number,
    notation=Before("-", MINUS),
    lower=_lower_neg,
    write=write_before("-"),
    linear=(0,),
    symbol="-",
    monotone=True,
)


# ---------------------------------------------------------------------------------- truth values


def _logical(name: str, symbol: str, notation: Notation, **traits: Any) -> Operation:
    write = write_before(symbol) if symbol == "~" else write_infix(symbol)
    return _pointwise(
        name,
        as_bool,
        notation=notation,
        lower=logical(symbol),
        rule=logical_rule,
        write=write,
        commutative=symbol != "~",
        stepped=True,
        symbol=symbol,
        **traits,
    )


LOGICAL_AND = _logical("logical_and", "&", Infix(r"\land", AND), neutral=True, idempotent=True)


def logical_and(X: Tensor, Y: Tensor) -> NamedTensor:
    """Say which records hold in both: X & Y.

        logical_and : {0,1} x {0,1} -> {0,1},  lifted over every axis

    Raises: KindError where an operand does not hold truth values.

    >>> nt.logical_and(True, nt.tensor([True, False], "seq")).numpy()
    array([ True, False])
    """
    return apply(LOGICAL_AND, X, Y)


LOGICAL_OR = _logical("logical_or", "|", Infix(r"\lor", OR), neutral=False, idempotent=True)


def logical_or(X: Tensor, Y: Tensor) -> NamedTensor:
    """Say which records hold in one or both: X | Y.

        logical_or : {0,1} x {0,1} -> {0,1},  lifted over every axis

    Raises: KindError where an operand does not hold truth values.

    >>> nt.logical_or(False, nt.tensor([True, False], "seq")).numpy()
    array([ True, False])
    """
    return apply(LOGICAL_OR, X, Y)


LOGICAL_XOR = _logical("logical_xor", "^", Word("xor"))


def logical_xor(X: Tensor, Y: Tensor) -> NamedTensor:
    """Say which records hold in exactly one: X ^ Y.

        logical_xor : {0,1} x {0,1} -> {0,1},  lifted over every axis

    Raises: KindError where an operand does not hold truth values.

    >>> nt.logical_xor(True, nt.tensor([True, False], "seq")).numpy()
    array([False,  True])
    """
    return apply(LOGICAL_XOR, X, Y)


LOGICAL_NOT = _logical("logical_not", "~", Before(r"\lnot", NOT))


def logical_not(X: Tensor) -> NamedTensor:
    """Say which records do not hold: ~X.

        logical_not : {0,1} -> {0,1},  lifted over every axis

    Raises: KindError where X does not hold truth values.

    >>> nt.logical_not(nt.tensor([True, False], "seq")).numpy()
    array([False,  True])
    """
    return apply(LOGICAL_NOT, X)


ISNAN = _pointwise("isnan", as_bool, stepped=True)


def isnan(X: Tensor) -> NamedTensor:
    """Say which numbers are not a number.

        isnan : R -> {0,1},  lifted over every axis

    >>> nt.isnan(nt.tensor([nt.inf, nt.inf - nt.inf], "seq")).numpy()
    array([False,  True])
    """
    return apply(ISNAN, X)


ISINF = _pointwise("isinf", as_bool, stepped=True)


def isinf(X: Tensor) -> NamedTensor:
    """Say which numbers are infinite.

        isinf : R -> {0,1},  lifted over every axis

    >>> nt.isinf(nt.tensor([1.0, -nt.inf], "seq")).numpy()
    array([False,  True])
    """
    return apply(ISINF, X)


ISFINITE = _pointwise("isfinite", as_bool, stepped=True)


def isfinite(X: Tensor) -> NamedTensor:
    """Say which numbers are finite: neither infinite nor not a number.

        isfinite : R -> {0,1},  lifted over every axis

    >>> nt.isfinite(nt.tensor([1.0, -nt.inf], "seq")).numpy()
    array([ True, False])
    """
    return apply(ISFINITE, X)


ISCLOSE = _pointwise("isclose", as_bool, stepped=True)


def isclose(X: Tensor, Y: Tensor, rtol: float = 1e-5, atol: float = 1e-8) -> NamedTensor:
    """Say which numbers are nearly equal.

        isclose : R x R -> {0,1};  |x - y| <= atol + rtol |y|

    An infinity is close to itself alone, and nan to nothing.

    >>> nt.isclose(1.0, 1.0 + 1e-9)
    True
    """
    return apply(ISCLOSE, X, Y, rtol, atol)


# --------------------------------------------------------------------------------------- choices

WHERE = _pointwise(
    "where",
    chosen_kind,
    notation=Special("cases"),
    lower=lower_where,
    rule=where_rule,
    linear=(1, 2),
    jointly=True,
    bounds=lambda node, known, _: (
        min(known[1][0], known[2][0]),
        max(known[1][1], known[2][1]),
    ),
)


def where(condition: Tensor, X: Tensor, Y: Tensor) -> NamedTensor:
    """Choose X where the condition holds, Y elsewhere.

        where : {0,1} x R x R -> R, lifted over every axis

    Raises: KindError where the condition is not boolean.

    >>> X = nt.tensor([-1.0, 2.0], "seq")
    >>> nt.where(X > 0, X, 0.0)
    NamedTensor(seq[2], float64)
    seq  0  1
         0  2
    """
    return apply(WHERE, condition, X, Y)


def cases(*rows: Tensor | tuple[Tensor, Tensor]) -> NamedTensor:
    """Define by cases: the value of the first row whose condition holds.

        cases((x1, c1), (x2, c2), ..., y) = x1 if c1, x2 if c2, ..., y otherwise

    Raises: AxisNameError where a row is not (value, condition), or the last one not a value.

    >>> X = nt.tensor([-1.0, 2.0], "seq")
    >>> nt.cases((0.0, X < 0), (1.0, X > 1), 0.5)
    NamedTensor(seq[2], float64)
    seq  0  1
         0  1
    """
    *pairs, result = rows or ((),)
    fits = [
        isinstance(row, tuple) and len(row) == 2 and not isinstance(row[0], tuple) for row in pairs
    ]
    alone = isinstance(result, (NamedTensor, int, float, complex)) or is_scalar(result)
    if isinstance(result, tuple) or not all(fits) or not (pairs or alone):
        raise AxisNameError(
            f"cases(...) of {len(rows)}",
            "each row is (value, condition), and the last one a value alone",
            hint="nt.cases((0.0, j <= i), -nt.inf)",
        )
    chosen: Any = result
    for value, condition in reversed(pairs):  # type: ignore[misc]
        chosen = where(condition, value, chosen)
    return chosen  # type: ignore[no-any-return]


def _greater(x: NamedTensor, y: NamedTensor, z: NamedTensor) -> Any:
    """1 for the greater, a half for each of two equals; a plain number leaves equals to the tensor."""
    return where(x > y, 1.0, where(x < y, 0.0, 0.5 if _are_data(x, y) else 1.0))


def _smaller(x: NamedTensor, y: NamedTensor, z: NamedTensor) -> Any:
    """1 for the smaller, a half for each of two equals; a plain number leaves equals to the tensor."""
    return where(x < y, 1.0, where(x > y, 0.0, 0.5 if _are_data(x, y) else 1.0))


def _are_data(*operands: Any) -> bool:
    return all([hasattr(x, "node") and not x.node.type.host for x in operands])


MAXIMUM = _pointwise(
    "maximum",
    as_widest,
    _greater,
    lambda x, y, z: _greater(y, x, z),
    notation=Command("max"),
    real=True,
    commutative=True,
    neutral=-math.inf,
    idempotent=True,
    monotone=True,
)


def maximum(X: Tensor, Y: Tensor) -> NamedTensor:
    """Give the greater number of each record.

        maximum : R x R -> R,  lifted over every axis

    >>> nt.maximum(nt.tensor([1.0, 3.0], "seq"), 2.0).numpy()
    array([2., 3.])
    """
    return apply(MAXIMUM, X, Y)


MINIMUM = _pointwise(
    "minimum",
    as_widest,
    _smaller,
    lambda x, y, z: _smaller(y, x, z),
    notation=Command("min"),
    real=True,
    commutative=True,
    neutral=math.inf,
    idempotent=True,
    monotone=True,
)


def minimum(X: Tensor, Y: Tensor) -> NamedTensor:
    """Give the smaller number of each record.

        minimum : R x R -> R,  lifted over every axis

    >>> nt.minimum(nt.tensor([1.0, 3.0], "seq"), 2.0).numpy()
    array([1., 2.])
    """
    return apply(MINIMUM, X, Y)


def clip(X: Tensor, low: Tensor | None = None, high: Tensor | None = None) -> NamedTensor:
    """Bring each number into [low, high]; either end may be left out.

        clip(x) = min(max(x, low), high),  lifted over every axis

    Raises: KindError where both are left out, or low is a number above high.

    >>> nt.clip(7.0, 0.0, 1.0)
    1.0
    """
    if low is None and high is None:
        raise KindError(
            "clip(X)",
            "it brings numbers between two ends, and both are left out",
            shapes(X) if isinstance(X, NamedTensor) else [],
            "nt.clip(X, 0.0, 1.0), or one of them: nt.clip(X, high=1.0)",
        )
    if isinstance(low, (int, float)) and isinstance(high, (int, float)) and low > high:
        raise KindError(
            f"clip(X, {low}, {high})",
            f"no number lies between {low} and {high}",
            shapes(X) if isinstance(X, NamedTensor) else [],
            f"the lower end comes first: nt.clip(X, {high}, {low})",
        )
    found: Any = X if low is None else maximum(X, low)
    return found if high is None else minimum(found, high)


def lerp(X: Tensor, Y: Tensor, weight: Tensor) -> NamedTensor:
    """Go a part of the way from X to Y.

        lerp(x, y, w) = x + w (y - x),  lifted over every axis

    >>> nt.lerp(2.0, 4.0, 0.25)
    2.5
    """
    if all([isinstance(x, NUMBERS) for x in (X, Y, weight)]):
        return X + weight * (Y - X)  # type: ignore[return-value]
    return apply(ADD, X, apply(MUL, weight, apply(SUB, Y, X)))


def nan_to_num(
    X: Tensor, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None
) -> NamedTensor:
    """Replace nan by a number, and infinities by those that are given.

        nan_to_num(x) = nan where x is not a number, x elsewhere

    Departs: numpy and torch make infinities the greatest numbers of the dtype unless told; here they stay.

    >>> nt.nan_to_num(nt.tensor([nt.inf, nt.inf - nt.inf], "seq"), posinf=1.0).numpy()
    array([1., 0.])
    """
    found: Any = where(isnan(X), nan, X)
    if posinf is not None:
        found = where(isinf(X) & (found > 0), posinf, found)
    return found if neginf is None else where(isinf(X) & (found < 0), neginf, found)


# ------------------------------------------------------------------------- functions of one number


def _mish_slope(x: NamedTensor) -> Any:
    weight = tanh(softplus(x))
    return weight + x * sigmoid(x) * (1 - weight * weight)


EXP = _pointwise("exp", as_float, lambda x, y: y, notation=Command("exp"), monotone=True)


def exp(X: Tensor) -> NamedTensor:
    """Raise e to each number.

        exp : R -> R,  exp(x) = e^x

    >>> nt.exp(1.0)
    2.718281828459045
    """
    return apply(EXP, X)


EXP2 = _pointwise("exp2", as_float, lambda x, y: math.log(2) * y, monotone=True)


def exp2(X: Tensor) -> NamedTensor:
    """Raise 2 to each number.

        exp2 : R -> R,  exp2(x) = 2^x

    >>> nt.exp2(3.0)
    8.0
    """
    return apply(EXP2, X)


EXPM1 = _pointwise("expm1", as_float, lambda x, y: 1 + y, monotone=True)


def expm1(X: Tensor) -> NamedTensor:
    """Compute e^x - 1, exact near 0.

        expm1 : R -> R,  expm1(x) = exp(x) - 1

    >>> nt.expm1(1e-10)
    1.00000000005e-10
    """
    return apply(EXPM1, X)


LOG = _pointwise("log", as_float, lambda x, y: 1 / x, notation=Command("log"), monotone=True)


def log(X: Tensor) -> NamedTensor:
    """Take the natural logarithm.

        log : R -> R,  exp(log(x)) = x

    >>> nt.log(1.0)
    0.0
    """
    return apply(LOG, X)


LOG2 = _pointwise("log2", as_float, lambda x, y: 1 / (math.log(2) * x), monotone=True)


def log2(X: Tensor) -> NamedTensor:
    """Take the logarithm to base 2.

        log2 : R -> R,  2^log2(x) = x

    >>> nt.log2(8.0)
    3.0
    """
    return apply(LOG2, X)


LOG10 = _pointwise("log10", as_float, lambda x, y: 1 / (math.log(10) * x), monotone=True)


def log10(X: Tensor) -> NamedTensor:
    """Take the logarithm to base 10.

        log10 : R -> R,  10^log10(x) = x

    >>> nt.log10(1000.0)
    3.0
    """
    return apply(LOG10, X)


LOG1P = _pointwise("log1p", as_float, lambda x, y: 1 / (1 + x), monotone=True)


def log1p(X: Tensor) -> NamedTensor:
    """Compute log(1 + x), exact near 0.

        log1p : R -> R,  log1p(x) = log(1 + x)

    >>> nt.log1p(0.0)
    0.0
    """
    return apply(LOG1P, X)


LOGIT = _pointwise("logit", as_float, lambda x, y: 1 / (x * (1 - x)), real=True, monotone=True)


def logit(X: Tensor) -> NamedTensor:
    """Undo the sigmoid: the logarithm of the odds.

        logit : R -> R,  logit(x) = log(x / (1 - x))

    >>> nt.logit(0.5)
    0.0
    """
    return apply(LOGIT, X)


SQRT = _pointwise(
    "sqrt",
    as_float,
    lambda x, y: 1 / (2 * y),
    notation=Special("root"),
    positive=True,
    monotone=True,
)


def sqrt(X: Tensor) -> NamedTensor:
    """Take the square root.

        sqrt : R -> R,  sqrt(x)^2 = x

    >>> nt.sqrt(9.0)
    3.0
    """
    return apply(SQRT, X)


RSQRT = _pointwise("rsqrt", as_float, lambda x, y: -y / (2 * x), positive=True, monotone=True)


def rsqrt(X: Tensor) -> NamedTensor:
    """Divide 1 by the square root.

        rsqrt : R -> R,  rsqrt(x) = 1 / sqrt(x)

    >>> nt.rsqrt(4.0)
    0.5
    """
    return apply(RSQRT, X)


CBRT = _pointwise("cbrt", as_float, lambda x, y: 1 / (3 * y * y), real=True, monotone=True)


def cbrt(X: Tensor) -> NamedTensor:
    """Take the cube root, also of negative numbers.

        cbrt : R -> R,  cbrt(x)^3 = x

    >>> nt.cbrt(-8.0)
    -2.0
    """
    return apply(CBRT, X)


SQUARE = _pointwise("square", as_number, lambda x, y: 2 * x, bounds=_even_bounds)


def square(X: Tensor) -> NamedTensor:
    """Multiply each number by itself.

        square : R -> R,  square(x) = x^2

    >>> nt.square(3)
    9
    """
    return apply(SQUARE, X)


RECIPROCAL = _pointwise("reciprocal", as_float, lambda x, y: -y * y)


def reciprocal(X: Tensor) -> NamedTensor:
    """Divide 1 by each number.

        reciprocal : R -> R,  reciprocal(x) = 1 / x

    >>> nt.reciprocal(4.0)
    0.25
    """
    return apply(RECIPROCAL, X)


SIN = _pointwise("sin", as_float, lambda x, y: cos(x), notation=Command("sin"), bounds=_wave_bounds)


def sin(X: Tensor) -> NamedTensor:
    """Compute the sine of an angle in radians.

        sin : R -> [-1, 1]

    >>> nt.sin(0.0)
    0.0
    """
    return apply(SIN, X)


COS = _pointwise(
    "cos", as_float, lambda x, y: -sin(x), notation=Command("cos"), bounds=_wave_bounds
)


def cos(X: Tensor) -> NamedTensor:
    """Compute the cosine of an angle in radians.

        cos : R -> [-1, 1]

    >>> nt.cos(0.0)
    1.0
    """
    return apply(COS, X)


TAN = _pointwise("tan", as_float, lambda x, y: 1 + y * y, notation=Command("tan"))


def tan(X: Tensor) -> NamedTensor:
    """Compute the tangent of an angle in radians.

        tan : R -> R,  tan(x) = sin(x) / cos(x)

    >>> nt.tan(0.0)
    0.0
    """
    return apply(TAN, X)


ASIN = _pointwise(
    "asin", as_float, lambda x, y: 1 / sqrt(1 - x * x), notation=Command("arcsin"), monotone=True
)


def asin(X: Tensor) -> NamedTensor:
    """Compute the arc sine in radians.

        asin : R -> R,  sin(asin(x)) = x

    >>> nt.asin(0.0)
    0.0
    """
    return apply(ASIN, X)


ACOS = _pointwise("acos", as_float, lambda x, y: -1 / sqrt(1 - x * x), notation=Command("arccos"))


def acos(X: Tensor) -> NamedTensor:
    """Compute the arc cosine in radians.

        acos : R -> R,  cos(acos(x)) = x

    >>> nt.acos(1.0)
    0.0
    """
    return apply(ACOS, X)


ATAN = _pointwise(
    "atan", as_float, lambda x, y: 1 / (1 + x * x), notation=Command("arctan"), monotone=True
)


def atan(X: Tensor) -> NamedTensor:
    """Compute the arc tangent in radians.

        atan : R -> R,  tan(atan(x)) = x

    >>> nt.atan(0.0)
    0.0
    """
    return apply(ATAN, X)


SINH = _pointwise("sinh", as_float, lambda x, y: cosh(x), notation=Command("sinh"), monotone=True)


def sinh(X: Tensor) -> NamedTensor:
    """Compute the hyperbolic sine.

        sinh : R -> R,  sinh(x) = (e^x - e^-x) / 2

    >>> nt.sinh(0.0)
    0.0
    """
    return apply(SINH, X)


COSH = _pointwise("cosh", as_float, lambda x, y: sinh(x), notation=Command("cosh"))


def cosh(X: Tensor) -> NamedTensor:
    """Compute the hyperbolic cosine.

        cosh : R -> R,  cosh(x) = (e^x + e^-x) / 2

    >>> nt.cosh(0.0)
    1.0
    """
    return apply(COSH, X)


TANH = _pointwise("tanh", as_float, lambda x, y: 1 - y * y, notation=Command("tanh"), monotone=True)


def tanh(X: Tensor) -> NamedTensor:
    """Compute the hyperbolic tangent.

        tanh : R -> R,  tanh(x) = sinh(x) / cosh(x)

    >>> nt.tanh(0.0)
    0.0
    """
    return apply(TANH, X)


ASINH = _pointwise(
    "asinh", as_float, lambda x, y: 1 / sqrt(x * x + 1), notation=Word("arsinh"), monotone=True
)


def asinh(X: Tensor) -> NamedTensor:
    """Compute the inverse hyperbolic sine.

        asinh : R -> R,  sinh(asinh(x)) = x

    >>> nt.asinh(0.0)
    0.0
    """
    return apply(ASINH, X)


ACOSH = _pointwise(
    "acosh", as_float, lambda x, y: 1 / sqrt(x * x - 1), notation=Word("arcosh"), monotone=True
)


def acosh(X: Tensor) -> NamedTensor:
    """Compute the inverse hyperbolic cosine.

        acosh : R -> R,  cosh(acosh(x)) = x

    >>> nt.acosh(1.0)
    0.0
    """
    return apply(ACOSH, X)


ATANH = _pointwise(
    "atanh", as_float, lambda x, y: 1 / (1 - x * x), notation=Word("artanh"), monotone=True
)


def atanh(X: Tensor) -> NamedTensor:
    """Compute the inverse hyperbolic tangent.

        atanh : R -> R,  tanh(atanh(x)) = x

    >>> nt.atanh(0.0)
    0.0
    """
    return apply(ATANH, X)


SINC = _pointwise(
    "sinc",
    as_float,
    lambda x, y: where(x == 0, 0.0, (cos(pi * x) - y) / where(x == 0, 1.0, x)),
    real=True,
)


def sinc(X: Tensor) -> NamedTensor:
    """Divide the sine of pi x by pi x; 1 at 0.

        sinc : R -> R,  sinc(x) = sin(pi x) / (pi x)

    >>> nt.sinc(0.0)
    1.0
    """
    return apply(SINC, X)


ERF = _pointwise(
    "erf", as_float, lambda x, y: 2 / math.sqrt(pi) * exp(-x * x), real=True, monotone=True
)


def erf(X: Tensor) -> NamedTensor:
    """Compute the error function.

        erf : R -> R,  erf(x) = 2/sqrt(pi) int_0^x exp(-t^2) dt

    >>> nt.erf(0.0)
    0.0
    """
    return apply(ERF, X)


ERFC = _pointwise(
    "erfc", as_float, lambda x, y: -2 / math.sqrt(pi) * exp(-x * x), real=True, monotone=True
)


def erfc(X: Tensor) -> NamedTensor:
    """Compute 1 minus the error function, exact for large x.

        erfc : R -> R,  erfc(x) = 1 - erf(x)

    >>> nt.erfc(0.0)
    1.0
    """
    return apply(ERFC, X)


ERFINV = _pointwise("erfinv", as_float, lambda x, y: math.sqrt(pi) / 2 * exp(y * y), real=True)


def erfinv(X: Tensor) -> NamedTensor:
    """Undo the error function.

        erfinv : R -> R,  erf(erfinv(x)) = x

    >>> nt.erfinv(0.0)
    0.0
    """
    return apply(ERFINV, X)


LGAMMA = _pointwise("lgamma", as_float, lambda x, y: digamma(x), real=True)


def lgamma(X: Tensor) -> NamedTensor:
    """Take the logarithm of the gamma function's distance from 0.

        lgamma : R -> R,  lgamma(x) = log |Gamma(x)|

    >>> nt.lgamma(1.0)
    0.0
    """
    return apply(LGAMMA, X)


#: polygamma(n, x): the n-th derivative of digamma.
POLYGAMMA: Operation = _pointwise(
    "polygamma",
    as_float,
    None,
    lambda n, x, y: apply(POLYGAMMA, n + 1, x),
    real=True,
)

DIGAMMA = _pointwise("digamma", as_float, lambda x, y: apply(POLYGAMMA, 1, x), real=True)


def digamma(X: Tensor) -> NamedTensor:
    """Compute the derivative of lgamma.

        digamma : R -> R,  digamma(x) = Gamma'(x) / Gamma(x)

    >>> f"{nt.digamma(1.0):.6f}"
    '-0.577216'
    """
    return apply(DIGAMMA, X)


RELU = _pointwise(
    "relu",
    as_number,
    lambda x, y: where(x > 0, 1.0, 0.0),
    notation=Word("ReLU", also=("relu", "Relu", "RELU")),
    real=True,
    monotone=True,
)


def relu(X: Tensor) -> NamedTensor:
    """Set negative numbers to 0.

        relu : R -> R,  relu(x) = max(0, x)

    >>> nt.relu(-1.0)
    0
    """
    return apply(RELU, X)


RELU6 = _pointwise(
    "relu6",
    as_number,
    lambda x, y: where((x > 0) & (x < 6), 1.0, 0.0),
    notation=Word("ReLU6", also=("relu6",)),
    real=True,
    monotone=True,
)


def relu6(X: Tensor) -> NamedTensor:
    """Bring each number into [0, 6].

        relu6 : R -> R,  relu6(x) = min(max(0, x), 6)

    >>> nt.relu6(7.0)
    6
    """
    return apply(RELU6, X)


SIGMOID = _pointwise(
    "sigmoid",
    as_float,
    lambda x, y: y * (1 - y),
    notation=Word("sigmoid", also=("logistic",)),
    monotone=True,
)


def sigmoid(X: Tensor) -> NamedTensor:
    """Turn log odds into probabilities.

        sigmoid : R -> R,  sigmoid(x) = 1 / (1 + exp(-x))

    >>> nt.sigmoid(0.0)
    0.5
    """
    return apply(SIGMOID, X)


LOGSIGMOID = _pointwise("logsigmoid", as_float, lambda x, y: sigmoid(-x), real=True, monotone=True)


def logsigmoid(X: Tensor) -> NamedTensor:
    """Take the logarithm of the sigmoid, safe for large negative numbers.

        logsigmoid : R -> R,  logsigmoid(x) = -log(1 + exp(-x))

    >>> nt.logsigmoid(-1000.0)
    -1000.0
    """
    return apply(LOGSIGMOID, X)


SILU = _pointwise(
    "silu",
    as_float,
    lambda x, y: sigmoid(x) * (1 + x * (1 - sigmoid(x))),
    notation=Word("SiLU", also=("silu", "swish", "Swish")),
    bounds=_weighed_bounds,
)


def silu(X: Tensor) -> NamedTensor:
    """Weigh each number by its sigmoid.

        silu : R -> R,  silu(x) = x sigmoid(x)

    >>> nt.silu(0.0)
    0.0
    """
    return apply(SILU, X)


MISH = _pointwise(
    "mish",
    as_float,
    lambda x, y: _mish_slope(x),
    notation=Word("Mish", also=("mish",)),
    real=True,
    bounds=_weighed_bounds,
)


def mish(X: Tensor) -> NamedTensor:
    """Weigh each number by the tanh of its softplus.

        mish : R -> R,  mish(x) = x tanh(softplus(x))

    >>> nt.mish(0.0)
    0.0
    """
    return apply(MISH, X)


GELU = _pointwise(
    "gelu",
    as_float,
    lambda x, y: (1 + erf(x / math.sqrt(2))) / 2 + x * exp(-x * x / 2) / math.sqrt(2 * pi),
    notation=Word("GELU", also=("gelu",)),
    real=True,
    bounds=_weighed_bounds,
)


def gelu(X: Tensor) -> NamedTensor:
    """Weigh each number by the normal distribution's P(Z <= x).

        gelu : R -> R,  gelu(x) = x (1 + erf(x / sqrt(2))) / 2

    >>> nt.gelu(0.0)
    0.0
    """
    return apply(GELU, X)


SOFTPLUS = _pointwise("softplus", as_float, lambda x, y: sigmoid(x), real=True, monotone=True)


def softplus(X: Tensor) -> NamedTensor:
    """Bend from 0 to x.

        softplus : R -> R,  softplus(x) = log(1 + exp(x))

    >>> nt.softplus(0.0)
    0.6931471805599453
    """
    return apply(SOFTPLUS, X)


SOFTSIGN = _pointwise("softsign", as_float, lambda x, y: 1 / square(1 + abs(x)), real=True)


def softsign(X: Tensor) -> NamedTensor:
    """Bring each number into (-1, 1).

        softsign : R -> R,  softsign(x) = x / (1 + |x|)

    >>> nt.softsign(1.0)
    0.5
    """
    return apply(SOFTSIGN, X)


ELU = _pointwise(
    "elu",
    as_float,
    lambda x, y: where(x > 0, 1.0, exp(x)),
    notation=Word("ELU", also=("elu",)),
    real=True,
    monotone=True,
)


def elu(X: Tensor) -> NamedTensor:
    """Bend negative numbers towards -1.

        elu : R -> R,  elu(x) = x where x > 0, exp(x) - 1 elsewhere

    >>> nt.elu(2.0)
    2.0
    """
    return apply(ELU, X)


SELU = _pointwise(
    "selu",
    as_float,
    lambda x, y: where(x > 0, SELU_SCALE, y + SELU_SCALE * SELU_BEND),
    notation=Word("SELU", also=("selu",)),
    real=True,
    monotone=True,
)


def selu(X: Tensor) -> NamedTensor:
    """Scale an ELU so that activations keep mean 0 and variance 1.

        selu : R -> R,  selu(x) = s x where x > 0, s a (exp(x) - 1) elsewhere

    >>> nt.selu(0.0)
    0.0
    """
    return apply(SELU, X)


HARDTANH = _pointwise(
    "hardtanh",
    as_number,
    lambda x, y: where((x > -1) & (x < 1), 1.0, 0.0),
    real=True,
    monotone=True,
)


def hardtanh(X: Tensor) -> NamedTensor:
    """Bring each number into [-1, 1].

        hardtanh : R -> R,  hardtanh(x) = min(max(-1, x), 1)

    >>> nt.hardtanh(3.0)
    1
    """
    return apply(HARDTANH, X)


HARDSIGMOID = _pointwise(
    "hardsigmoid",
    as_float,
    lambda x, y: where((x > -3) & (x < 3), 1 / 6, 0.0),
    real=True,
    monotone=True,
)


def hardsigmoid(X: Tensor) -> NamedTensor:
    """Approach the sigmoid by a line with two kinks.

        hardsigmoid : R -> R,  hardsigmoid(x) = relu6(x + 3) / 6

    >>> nt.hardsigmoid(0.0)
    0.5
    """
    return apply(HARDSIGMOID, X)


HARDSWISH = _pointwise(
    "hardswish",
    as_float,
    lambda x, y: where(x <= -3, 0.0, where(x < 3, x / 3 + 0.5, 1.0)),
    real=True,
    bounds=_weighed_bounds,
)


def hardswish(X: Tensor) -> NamedTensor:
    """Weigh each number by its hardsigmoid.

        hardswish : R -> R,  hardswish(x) = x relu6(x + 3) / 6

    >>> nt.hardswish(3.0)
    3.0
    """
    return apply(HARDSWISH, X)


ABS = _pointwise(
    "abs",
    as_real,
    lambda x, y: sign(x),
    notation=Special("bars"),
    lower=prefix("absolute"),
    bounds=_even_bounds,
)


def abs(X: Tensor) -> NamedTensor:
    """Give the distance of each number from 0.

        abs : C -> R,  abs(x) = |x|

    >>> nt.abs(-2.0)
    2.0
    """
    return apply(ABS, X)


SIGN = _pointwise(
    "sign", as_number, notation=Word("sign", also=("sgn",)), real=True, stepped=True, monotone=True
)


def sign(X: Tensor) -> NamedTensor:
    """Give -1, 0 or 1.

        sign : R -> {-1, 0, 1}

    >>> nt.sign(-2.0)
    -1
    """
    return apply(SIGN, X)


FLOOR = _pointwise(
    "floor", as_number, notation=Special("floor"), real=True, stepped=True, monotone=True
)


def floor(X: Tensor) -> NamedTensor:
    """Round down.

        floor : R -> R,  floor(x) = max {n in Z : n <= x}

    >>> nt.floor(1.5)
    1
    """
    return apply(FLOOR, X)


CEIL = _pointwise(
    "ceil", as_number, notation=Special("ceil"), real=True, stepped=True, monotone=True
)


def ceil(X: Tensor) -> NamedTensor:
    """Round up.

        ceil : R -> R,  ceil(x) = min {n in Z : n >= x}

    >>> nt.ceil(1.5)
    2
    """
    return apply(CEIL, X)


ROUND = _pointwise("round", as_number, real=True, stepped=True, monotone=True)


def round(X: Tensor) -> NamedTensor:
    """Round to the nearest whole number, halves to even.

        round : R -> Z

    >>> nt.round(2.5)
    2
    """
    return apply(ROUND, X)


TRUNC = _pointwise("trunc", as_number, real=True, stepped=True, monotone=True)


def trunc(X: Tensor) -> NamedTensor:
    """Round towards 0.

        trunc : R -> R,  trunc(x) = sign(x) floor(|x|)

    >>> nt.trunc(-1.5)
    -1
    """
    return apply(TRUNC, X)


REAL = _pointwise("real", as_real, notation=Word("Re", also=("real",)), fresh=False)


def real(X: Tensor) -> NamedTensor:
    """Give the real part of each number.

        real : C -> R,  real(a + b i) = a

    >>> nt.real(2 + 3j)
    2.0
    """
    return apply(REAL, X)


IMAG = _pointwise("imag", as_real, notation=Word("Im", also=("imag",)), fresh=False)


def imag(X: Tensor) -> NamedTensor:
    """Give the imaginary part of each number.

        imag : C -> R,  imag(a + b i) = b

    >>> nt.imag(2 + 3j)
    3.0
    """
    return apply(IMAG, X)


CONJ = _pointwise("conj", as_number, fresh=False)


def conj(X: Tensor) -> NamedTensor:
    """Turn the sign of each imaginary part.

        conj : C -> C,  conj(a + b i) = a - b i

    >>> nt.conj(2 + 3j)
    (2-3j)
    """
    return apply(CONJ, X)


ANGLE = _pointwise("angle", as_angle)


def angle(X: Tensor) -> NamedTensor:
    """Give the angle of each number in the complex plane, in radians.

        angle : C -> (-pi, pi],  x = abs(x) exp(i angle(x))

    >>> nt.angle(-1.0)
    3.141592653589793
    """
    return apply(ANGLE, X)


# ------------------------------------------------------------------------ functions of two numbers


def over_length(x: NamedTensor, length: Any) -> Any:
    """Divide by a length; the result is 0 where the length is 0."""
    return where(length == 0, 0.0, x / where(length == 0, 1.0, length))


ATAN2 = _pointwise(
    "atan2",
    as_float,
    lambda x, y, z: y / (x * x + y * y),
    lambda x, y, z: -x / (x * x + y * y),
    real=True,
)


def atan2(X: Tensor, Y: Tensor) -> NamedTensor:
    """Compute the angle of the point (y, x) in radians.

        atan2 : R x R -> R,  tan(atan2(x, y)) = x / y

    >>> nt.atan2(0.0, 1.0)
    0.0
    """
    return apply(ATAN2, X, Y)


HYPOT = _pointwise(
    "hypot",
    as_float,
    lambda x, y, z: over_length(x, z),
    lambda x, y, z: over_length(y, z),
    real=True,
)


def hypot(X: Tensor, Y: Tensor) -> NamedTensor:
    """Compute the length of the vector (x, y).

        hypot : R x R -> R,  hypot(x, y) = sqrt(x^2 + y^2)

    >>> nt.hypot(3.0, 4.0)
    5.0
    """
    return apply(HYPOT, X, Y)


LOGADDEXP = _pointwise(
    "logaddexp",
    as_float,
    lambda x, y, z: exp(x - z),
    lambda x, y, z: exp(y - z),
    real=True,
    commutative=True,
    neutral=-math.inf,
)


def logaddexp(X: Tensor, Y: Tensor) -> NamedTensor:
    """Add up exponentials, safe for large numbers.

        logaddexp : R x R -> R,  logaddexp(x, y) = log(exp(x) + exp(y))

    >>> nt.logaddexp(0.0, 0.0)
    0.6931471805599453
    """
    return apply(LOGADDEXP, X, Y)


COPYSIGN = _pointwise(
    "copysign",
    as_float,
    lambda x, y, z: where(x == 0, 0.0, z / where(x == 0, 1.0, x)),
    lambda x, y, z: 0.0,
    real=True,
)


def copysign(X: Tensor, Y: Tensor) -> NamedTensor:
    """Give x the sign of y; a 0 has a sign too.

        copysign : R x R -> R,  copysign(x, y) = abs(x) sign(y)

    >>> nt.copysign(2.0, -1.0)
    -2.0
    """
    return apply(COPYSIGN, X, Y)


HEAVISIDE = _pointwise("heaviside", as_float, real=True, stepped=True)


def heaviside(X: Tensor, Y: Tensor) -> NamedTensor:
    """Give 0 for negative numbers, 1 for positive ones, and Y for 0.

        heaviside : R x R -> R,  heaviside(x, y) = 0 if x < 0, y if x = 0, 1 if x > 0

    >>> nt.heaviside(0.0, 0.5)
    0.5
    """
    return apply(HEAVISIDE, X, Y)


LEAKY_RELU = _pointwise(
    "leaky_relu",
    as_float,
    lambda x, y, z: where(x > 0, 1.0, y),
    lambda x, y, z: where(x > 0, 0.0, x),
    notation=Word("LeakyReLU", also=("leakyrelu",)),
    real=True,
)


def leaky_relu(X: Tensor, slope: Tensor = 0.01) -> NamedTensor:
    """Scale negative numbers down; a tensor of slopes makes it PReLU.

        leaky_relu : R x R -> R,  leaky_relu(x, slope) = x where x > 0, slope x elsewhere

    >>> nt.leaky_relu(-2.0)
    -0.02
    """
    return apply(LEAKY_RELU, X, slope)
