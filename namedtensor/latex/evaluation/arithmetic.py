"""Evaluate arithmetic: sums, products, fractions, powers, contractions, norms, rounding."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

from namedtensor.axes import BOUND, shown, visible
from namedtensor.latex.evaluation.conditions import (
    held_by,
    indicator,
    is_condition,
    is_one,
    negated,
)
from namedtensor.latex.evaluation.evaluator import Evaluator, is_function
from namedtensor.latex.evaluation.hints import text_axes
from namedtensor.latex.evaluation.indices import (
    Position,
    comes_from_data,
    is_count,
    is_whole,
    one_based,
    plain,
    position,
    quotient,
)
from namedtensor.latex.evaluation.values import UNKNOWN, NoAxisError, UnsettledError, Value
from namedtensor.latex.evaluation.wording import wording
from namedtensor.latex.reading.words import FOLDS
from namedtensor.latex.syntax import (
    AxisName,
    Bars,
    Big,
    Binary,
    Call,
    Contract,
    Dots,
    Expression,
    Floor,
    Indexed,
    Items,
    Letter,
    Number,
    Relation,
    Root,
    Scripts,
    Unary,
)
from namedtensor.latex.walk import all_of, differences, letters_of, put, texts_of
from namedtensor.operations import elementwise
from namedtensor.operations.axis_functions import AxisFunction
from namedtensor.operations.constants import along
from namedtensor.operations.contraction import dot
from namedtensor.operations.elementwise import abs as absolute
from namedtensor.operations.elementwise import exp, sqrt
from namedtensor.operations.index_defined import eye
from namedtensor.operations.joining import concat
from namedtensor.operations.matrices import det, inv
from namedtensor.operations.reductions import max as greatest
from namedtensor.operations.reductions import norm
from namedtensor.operations.reductions import sum as total
from namedtensor.shape import sized
from namedtensor.tensor import NamedTensor

#: Powers of Python integers are exact if they have at most this many bits, and floats if not.
EXACT_BITS = 4096


def power(e: Evaluator, where: Expression, base: Expression, exponent: Expression) -> Value:
    """Raise a base to a power; e^x is exp x, and A^{-1} of a matrix its inverse."""
    value = e.value(base)
    if isinstance(base, Number) and base.value == math.e:
        return e.attempt(where, exp, [e.value(exponent)], [exponent])
    if isinstance(base, Letter) and (base.text, base.style) == ("e", "letter"):
        tensor = isinstance(value, NamedTensor) and bool(value.axes)
        other = is_function(value) or (tensor and is_exponential(where))
        if value == math.e if isinstance(value, float) else other:
            return e.attempt(where, exp, [e.value(exponent)], [exponent])
    own = [n for n in value.axes if BOUND not in n] if isinstance(value, NamedTensor) else []
    axes = visible(own)  # indices choose an element, and are no rows of a matrix
    if _is_minus_one(exponent) and len(axes) > 1:
        return _inverse(e, where, base, value, axes)
    number = e.value(exponent)
    if isinstance(number, float) and abs(number) == 0.5:
        value = determinant_of(e, base, value)
    below = isinstance(number, Position) and number.may_be_below_zero
    compute = _real_power if below else raised
    return e.attempt(where, compute, [value, number], [base, exponent])


def _inverse(
    e: Evaluator, where: Expression, base: Expression, value: Value, axes: Sequence[str]
) -> Value:
    """Read A^{-1} as the inverse over an axis and its copy; without one such pair it is ambiguous."""
    pair = square(axes)
    below, written = text_axes(pair or axes[:2]), grouped(e, base)
    inverted = rf"\underset{{{below}}}{{\text{{inv}}}} {written}"
    if pair is None:
        return e.refuse(
            where,
            "may be the inverse of a matrix, and does not say which axes are its rows and columns",
            f"write {inverted} for the inverse, or 1 / {written} for that of each number",
        )
    text = e.scope.written(where)
    e.scope.noted(
        where,
        f"{text} is the inverse of a matrix over {pair[0]} and {pair[1]}",
        f"to say so, write {inverted}; 1 / {written} is that of each number",
    )
    return e.attempt(where, lambda A: inv[pair](A), [value], [base])


def grouped(e: Evaluator, part: Expression) -> str:
    """Give the text of a part in its document, in brackets if it is a sum, a product or the like."""
    written = e.scope.written(part)
    whole = isinstance(part, (Letter, Scripts, Call, Indexed)) or written[:1] in ("(", "[")
    return written if whole else f"({written})"


def square(axes: Sequence[str]) -> tuple[str, str] | None:
    """Give the axis that has a copy, and the copy, seq and seq'; None unless one axis alone has one."""
    stems: dict[str, list[str]] = {}
    for name in axes:
        stems.setdefault(name.rstrip("'*"), []).append(name)
    pairs = [(alike[0], alike[1]) for alike in stems.values() if len(alike) == 2]
    return pairs[0] if len(pairs) == 1 else None


def determinant_of(e: Evaluator, part: Expression, value: Value) -> Value:
    r"""Read |S| of a matrix, below a root or in \log |S|, as |det S|; else give the value."""
    if not isinstance(part, Bars) or part.double:
        return value
    pair = square(axes_in(value))
    if pair is None:
        return value
    text, S = e.scope.written(part), grouped(e, part.operand)
    e.scope.noted(
        part,
        f"{text} is that of the determinant over {pair[0]} and {pair[1]}",
        rf"to say so, write | \underset{{{text_axes(pair)}}}{{\text{{det}}}} {S} |; "
        rf"\text{{abs}}({S}) is the distance of each number from 0",
    )
    matrix = e.value(part.operand)
    return e.attempt(part, lambda A: absolute(det[pair](A)), [matrix], [part.operand])


def is_exponential(part: Expression) -> bool:
    """Say whether e is Euler's number in a power, though a tensor e exists: in e^{-x}, not in e^2."""
    return (
        isinstance(part, Scripts)
        and isinstance(part.base, Letter)
        and (part.base.text, part.base.style) == ("e", "letter")
        and not isinstance(part.sup, (Number, Letter, type(None)))
        and part.sub is None
    )


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
    """Compute a power, with a limit on the digits of exact ones."""
    if isinstance(base, int) and isinstance(exponent, int):
        if exponent < 0 or base.bit_length() * exponent > EXACT_BITS:
            return float(base) ** exponent
        return base**exponent
    result = base**exponent
    if isinstance(result, complex) and not isinstance(base, complex):
        raise ValueError(f"{base!r} has no real power {exponent!r}")
    return result


def _real_power(base: Any, exponent: Any) -> Any:
    """Compute a power whose exponent may be negative: a base of whole numbers becomes real."""
    return raised(1.0 * base if is_whole(base) else base, exponent)


def root(e: Evaluator, part: Root) -> Value:
    value = determinant_of(e, part.operand, e.value(part.operand))
    if part.degree is None:
        return e.attempt(part, sqrt, [value], [part.operand])
    degree = e.value(part.degree)
    if degree is UNKNOWN:
        return UNKNOWN
    return e.attempt(
        part, lambda x, n: raised(x, 1 / n), [value, degree], [part.operand, part.degree]
    )


#: Operators of elementwise products.
TIMES = ("*", "odot", "times")

#: How the identity is written.
IDENTITIES = frozenset(("I", "Ibold"))

_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "odot": operator.mul,
    "times": operator.mul,
    "mod": operator.mod,
}


def axes_of(names: tuple[AxisName, ...], sizes: Mapping[str, Any] | None = None) -> Any:
    """Turn names of axes into the axes that operations take."""
    return tuple([sized(a.name, (sizes or {}).get(a.name)) for a in names])


def binary(e: Evaluator, part: Binary) -> Value:
    if is_one(part.left) and part.op == "*" and is_condition(part.right):
        return indicator(e, part.right)
    if part.op in FOLDS and Dots in (type(part.right), type(getattr(part.left, "right", None))):
        return over_list(e, part, FOLDS[part.op], members(part, part.op))
    if part.op in TIMES:
        factors = [held_by(factor) for factor in members(part, part.op)]
        e = e.under(*[(c, True) for c in factors if c is not None])
    if e.exact and isinstance(quotient := _one_quotient(part), Binary):
        part = quotient
    sum_ = part.op in ("+", "-") and not IDENTITIES.isdisjoint(texts_of(part))
    both = _beside_identity(e, part) if sum_ else None
    left = e.value(part.left) if both is None else both[0]
    if is_function(left) and part.op == "*":
        # f X is a call and no product, which only the value of f shows
        return e.value(Call(part.span, part.left, (), (part.right,), (), ""))
    right = e.value(part.right) if both is None else both[1]
    named = (part.left, part.right)
    if part.op == "/":
        return divided(e, part, left, right, named)
    if part.op in ("oplus", "concat") and len(part.axes) == 1:
        axes = axes_of(part.axes)
        return e.attempt(part, lambda A, B: concat[axes](A, B), [left, right], named)
    if part.op in ("circ", "bullet", "ast", "otimes"):
        if isinstance(left, NamedTensor) and isinstance(right, NamedTensor):
            shared = [name for name in axes_in(left) if name in axes_in(right)]
            if part.op == "otimes" and shared:
                e.scope.noted(
                    part,
                    f"both have {text_axes(shared)}: \\otimes multiplies them element by element along it",
                    "for the outer product, rename it in one of them",
                    "meaning",
                )
            return product(e, part, left, right, named)
        return e.refuse(part, "is no operation on named tensors", "write f(g(X)) or X \\odot Y")
    if part.op not in _OPERATORS:
        return e.refuse(
            part,
            f"uses the operator {part.op}, which is not defined",
            "write what it computes, such as X \\odot Y",
        )
    for one, other, value in ((part.left, part.right, right), (part.right, part.left, left)):
        if part.op == "+" and is_one(one) and _is_remainder(other) and comes_from_data(value):
            return one_based(value)  # 1 + (a mod b) counts from 1
    if UNKNOWN not in (_known(left), _known(right)):
        found = e.attempt(part, lambda: _positions(part.op, left, right), [])
        if found is not None:
            return found
    return e.attempt(part, _OPERATORS[part.op], [left, right], named)


def _is_remainder(part: Expression) -> bool:
    """Say whether a part is the remainder of a division, in brackets or without."""
    while isinstance(part, Items) and len(part.parts) == 1 and part.bracket == "(":
        (part,) = part.parts
    return isinstance(part, Binary) and part.op == "mod"


def _beside_identity(e: Evaluator, part: Binary) -> tuple[Value, Value] | None:
    r"""Evaluate A + \lambda I of an I that nothing says: the identity over an axis that A has twice."""
    for own, other in ((part.right, part.left), (part.left, part.right)):
        factors = [factor for op in TIMES for factor in members(own, op)]
        unit = next((f for f in factors if isinstance(f, Letter) and f.text in IDENTITIES), None)
        if unit is None or unit in e.bound or e.scope.find(unit) is not None:
            continue
        value = e.value(other)
        pair = next(([n, n + "'"] for n in axes_in(value) if n + "'" in axes_in(value)), None)
        if pair is None:
            return None
        said = f"{e.scope.written(unit)} is taken for the identity over {text_axes(pair)}"
        e.scope.noted(unit, said, rf"to say so, write I_{{{text_axes(pair)}}}", "meaning")
        given = e.inside({unit: eye(*pair)}).value(own)
        return (value, given) if own is part.right else (given, value)
    return None


def _one_quotient(part: Expression) -> Expression:
    r"""Give (8 n) / 3 for \frac{8}{3} n, which is a whole number where 8 / 3 is none."""
    if not isinstance(part, Binary) or part.op not in TIMES or part.axes:
        return part
    left, right = _one_quotient(part.left), _one_quotient(part.right)
    for above, other in ((left, right), (right, left)):
        if not (isinstance(above, Binary) and above.op == "/"):
            continue
        if isinstance(above.left, Number) and isinstance(above.right, Number):
            return Binary(part.span, "/", Binary(part.span, "*", above.left, other), above.right)
    return part


def _known(value: Value) -> Any:
    """Give UNKNOWN for an unknown value, and None for all others."""
    return value if value is UNKNOWN else None


def _positions(op: str, left: Value, right: Value) -> Position | None:
    """Add or subtract positions and whole numbers, if one of them is an index."""
    if not (isinstance(left, Position) or isinstance(right, Position)):
        return None
    if not (is_whole(left) and is_whole(right)):
        return None
    a, b = position(left), position(right)
    if op in ("+", "-"):
        found = a.plus(b, 1 if op == "+" else -1)
        if isinstance(left, Position) and left.direct and isinstance(right, int):
            return found
    elif op in ("*", "times") and not (a.terms and b.terms):
        many, once = (a, b) if a.terms else (b, a)
        found = Position(()).plus(many, once.beside(many))
    else:
        return None
    return found.as_written(_OPERATORS[op](plain(left), plain(right)))


def product(
    e: Evaluator, where: Expression, left: Value, right: Value, named: tuple[Expression, ...]
) -> Value:
    """Multiply elementwise; operands are matched on the axes that they share."""
    if UNKNOWN not in (_known(left), _known(right)):
        found = e.attempt(where, lambda: _positions("*", left, right), [])
        if found is not None:
            return found
    return e.attempt(where, operator.mul, [left, right], named)


def divided(
    e: Evaluator, where: Expression, left: Value, right: Value, named: tuple[Expression, ...]
) -> Value:
    """Divide; where it is a size or an index, a quotient of sizes must be a whole number."""
    if not (e.exact and is_count(left) and is_count(right)):
        factor = _with_whole_factor(e, where) if e.exact and is_count(right) else None
        return (
            e.attempt(where, operator.truediv, [left, right], named) if factor is None else factor
        )
    return e.attempt(where, quotient, [left, right], named)


def _with_whole_factor(e: Evaluator, where: Expression) -> Value | None:
    """Divide k L / 2 as k (L/2), where k is an index and L a size."""
    if not isinstance(where, Binary):
        return None
    above = where.left
    if isinstance(above, Binary) and above.op in ("*", "times"):
        for one, other in ((above.left, above.right), (above.right, above.left)):
            if is_whole(e.value(one)) and is_count(e.value(other)):
                return e.value(replace(above, left=one, right=replace(where, left=other)))
    return None


def unary(e: Evaluator, part: Unary) -> Value:
    value = e.value(part.operand)
    if part.op == "not":
        return e.attempt(part, negated, [value], [part.operand])
    if part.op == "+" or value is UNKNOWN:
        return value
    if isinstance(value, Position):
        less = Position(()).plus(value, -1)
        return e.attempt(part, lambda: less.as_written(-value.numbers), [])
    return e.attempt(part, operator.neg, [value], [part.operand])


def filled(number: int, axes: Sequence[AxisName]) -> Any:
    """Give a number along axes."""
    return reduce(lambda X, axis: along(X, sized(axis.name, None)), axes, number)


def contract(e: Evaluator, part: Contract) -> Value:
    regrouped = _regrouped(e, part)
    if regrouped is not None:
        written = e.scope.written
        whole, inner = written(part.left.left), written(regrouped.right)  # type: ignore[union-attr]
        said = f"{inner} is contracted first, for only so all axes are there"
        e.scope.noted(part, said, rf"to say so, put it in brackets behind {whole}", "reach")
        part = regrouped
    left, right = e.value(part.left), e.value(part.right)
    named = (part.left, part.right)
    if not part.axes and not all(isinstance(v, NamedTensor) for v in (left, right)):
        return product(e, part, left, right, named)
    axes = axes_of(part.axes)
    sides = [
        filled(1, part.axes) if is_one_for_all(side, value) else value
        for side, value in zip(named, (left, right), strict=True)
    ]
    return e.attempt(part, lambda A, B: dot[axes](A, B), sides, named)


def _regrouped(e: Evaluator, part: Contract) -> Contract | None:
    r"""Read W \cdot_{val} A \cdot_{seq} V as W \cdot_{val} (A \cdot_{seq} V): V has the val that A lacks."""
    first = part.left
    if not isinstance(first, Contract) or first.span.start > part.span.start:
        return None  # the first two stand in brackets
    middle, last = ({*axes_in(e.value(one))} for one in (first.right, part.right))
    lacking = {axis.name for axis in first.axes} - middle
    if not lacking or not lacking <= last or not {a.name for a in part.axes} <= middle & last:
        return None
    inner = replace(part, span=first.right.span | part.right.span, left=first.right)
    return replace(first, span=part.span, right=inner)


def is_one_for_all(part: Expression, value: Value) -> bool:
    r"""Say whether a part is \mathbf{1} without axes, which is not declared."""
    return isinstance(part, Letter) and part.text == "1" and type(value) is int


def bars(e: Evaluator, part: Bars) -> Value:
    value = e.value(part.operand)
    if not part.double:
        return e.attempt(part, absolute, [value], [part.operand])
    own = axes_in(value)
    if part.axes or not own:
        return _norm(e, part, part, "", part.axes, value)
    own = own if len(own) == 1 else e.scope.left_of(part, own) or own
    if len(own) == 1:
        written = e.scope.written(part)
        said = f"{written} names no axes: it is the 2-norm over {own[0]}"
        e.scope.noted(part, said, rf"to say so, write {written}_{{{text_axes(own)}}}", "meaning")
        return _norm(e, part, part, "", (AxisName(part.span, own[0]),), value)
    text = wording(part.operand)
    return e.fail(
        part,
        NoAxisError,
        f"the norm of {text} acts along axes, and none is named",
        f"write its axes below it: ||{text}||_{{{own[0]}}}",
        [(text, str(value.shape))],
    )


#: The reductions of norms other than the 2-norm, by their order.
_NORMS: dict[str, AxisFunction[Any, Any]] = {"1": total, "infty": greatest}

#: The text of a norm's order in the subscript.
_ORDERS = {"1": "1, ", "infty": r"\infty, "}


def norm_of_order(
    e: Evaluator, part: Scripts, order: Expression, axes: tuple[AxisName, ...]
) -> Value:
    """Evaluate ||X||_F, ||x||_2, ||x||_1 or ||x||_infty, over the axes below it or the operand's own.

    Without axes below it, the operand of ||X||_F has one or two axes, or is a name, or a sum of some, and
    that of the others has one axis: for a matrix they are ambiguous.
    """
    bars: Any = part.base
    text = wording(order)
    if text not in ("F", "1", "2", "infty"):
        return e.refuse(part, "is no norm that has a meaning here", "1, 2, F and \\infty have one")
    value = e.value(bars.operand)
    own = axes_in(value)
    if axes or not own:
        return _norm(e, part, bars, text, axes, value)
    whole = all(isinstance(term, (Letter, Scripts)) for term in _terms(bars.operand))
    fits = (len(own) if whole else 2) if text == "F" else 1
    own = own if len(own) <= fits else e.scope.left_of(part, own) or own
    written, before = e.scope.written(bars), _ORDERS.get(text, "")
    every = rf"{written}_{{{before}{text_axes(own)}}}"
    if len(own) <= fits:
        e.scope.noted(part, *over_own(e.scope.written(part), own, every))
        return _norm(e, part, bars, text, tuple([AxisName(part.span, a) for a in own]), value)
    one = rf"{written}_{{{before}{text_axes(own[-1:])}}}"
    return e.fail(
        part,
        UnsettledError,
        f"{wording(part)} names no axes, and {wording(bars.operand)} has {len(own)}: "
        "it may be over one of them or over several",
        f"write {every} for the norm of all numbers, {one} for one along {own[-1]}",
        [(wording(bars.operand), str(value.shape))],
    )


def _terms(part: Expression) -> Iterator[Expression]:
    """Give what is added or subtracted."""
    if isinstance(part, Binary) and part.op in ("+", "-"):
        yield from _terms(part.left)
        yield from _terms(part.right)
    else:
        yield part


def _norm(
    e: Evaluator,
    where: Expression,
    bars: Bars,
    order: str,
    names: tuple[AxisName, ...],
    value: Value,
) -> Value:
    axes = axes_of(names)
    if not axes and isinstance(value, NamedTensor) and not any(BOUND in n for n in value.axes):
        operand = e.scope.written(bars.operand)
        return e.fail(
            where,
            UnsettledError,
            f"{wording(where)} is the norm of what has no axes here",
            rf"write |{operand}| for a number, or name the axes: \|{operand}\|_{{\text{{ax}}}}",
        )
    if not axes:
        return e.attempt(where, absolute, [value], [bars.operand])
    over = _NORMS.get(order)
    compute = (lambda X: norm[axes](X)) if over is None else (lambda X: over[axes](absolute(X)))
    return e.attempt(where, compute, [value], [bars.operand])


def axes_in(value: Value) -> list[str]:
    """List the axes of a tensor, without those of bound indices."""
    return [n for n in value.axes if n == shown(n)] if isinstance(value, NamedTensor) else []


def over_own(written: str, own: Sequence[str], instead: str) -> tuple[str, str]:
    """Write the note and the hint for a part that names no axes: it is over all axes of its operand."""
    listed = " and ".join(own)
    return f"{written} names no axes: it is over {listed}", f"to say so, write {instead}"


def rounded(e: Evaluator, part: Floor) -> Value:
    """Round down, up or to the nearest; a quotient of whole numbers is rounded down or up exactly."""
    operand = _one_quotient(part.operand) if e.exact else part.operand
    if part.op == "round":
        written, half = e.scope.written(part), r"\lfloor X + \frac{1}{2} \rfloor"
        what = f"{written} is taken as the nearest whole number, halves to even"
        e.scope.noted(part, what, f"to round halves up, write {half}", "meaning")
    elif isinstance(operand, Binary) and operand.op == "/":
        left, right = e.value(operand.left), e.value(operand.right)
        if is_whole(left) and is_whole(right):
            operation = operator.floordiv if part.op == "floor" else lambda a, b: -(-a // b)
            return e.attempt(part, operation, [left, right], [operand.left, operand.right])
    value = e.exactly(False).value(operand)
    if is_whole(value):
        return value
    return e.attempt(part, getattr(elementwise, part.op), [value], [operand])


READERS: Mapping[type, Any] = {
    Binary: binary,
    Unary: unary,
    Contract: contract,
    Bars: bars,
    Floor: rounded,
    Root: root,
}


# ------------------------------------------- lists with dots, R_{ax(1)} + ... + R_{ax(n)}


def members(part: Expression, op: str) -> list[Expression]:
    """List the members of R_1 + ... + R_n."""
    if isinstance(part, Binary) and part.op == op and not part.axes:
        return [*members(part.left, op), part.right]
    return [part]


def over_list(e: Evaluator, part: Expression, op: str, listed: Sequence[Expression]) -> Value:
    """Evaluate mean(R_{ax(1)}, ..., R_{ax(n)}) as the mean over an index that runs from 1 to n."""
    dots = [at for at, member in enumerate(listed) if isinstance(member, Dots)]
    first, others = listed[0], [*listed[1 : dots[0]], *listed[dots[0] + 1 :]]
    index = Letter(part.span, "member")
    ends = differences(first, others[-1]) if others else []
    moved = {id(part) for part, _ in ends}
    body = put(first, lambda part: index if id(part) in moved else None)
    start, end = ends[0] if ends else (None, None)
    counts = isinstance(start, Number) and all(pair == (start, end) for pair in ends)

    def turn(count: int) -> Expression:
        here = Number(part.span, getattr(start, "value", 0) + count)
        found: Expression = put(body, lambda part: here if part is index else None)
        return found

    for at, member in enumerate(others[: dots[0] - 1], 1):
        counts = counts and turn(at) == member
    chooses = [name for name in all_of(Scripts, body) if index in letters_of(name)]
    counted = getattr(e.scope, "counts", None)
    if chooses and not (counted and all(counted(name, {index.text}) for name in chooses)):
        return e.refuse(
            part,
            "lists letters by dots, of which nothing says that they are a series",
            r"list the elements of one tensor: R_{\text{ax}(1)}, \ldots, R_{\text{ax}(n)}",
        )
    if len(dots) > 1 or not dots[0] or not counts or len(others) - dots[0] > 0:
        return e.refuse(
            part,
            "lists members by dots, and does not say how it goes on",
            r"write the first and the last one, R_{\text{ax}(1)}, \ldots, R_{\text{ax}(n)}",
        )
    lower, upper = Relation(part.span, index, (("=", start),)), end  # type: ignore[arg-type]
    return e.value(Big(part.span, op, (), lower, upper if len(others) == dots[0] else None, body))
