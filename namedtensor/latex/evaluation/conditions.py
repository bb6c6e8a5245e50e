r"""Evaluate conditions, definitions by cases, and derivatives.

\frac{\partial Y}{\partial X} has the axes of Y, and those of X with a star: without one where Y is a number
and the document writes no stars.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from namedtensor.axes import visible
from namedtensor.errors import AxisSizeError, DerivativeError
from namedtensor.formula.written import calls_taken_in
from namedtensor.latex.evaluation.evaluator import Evaluator, Guard
from namedtensor.latex.evaluation.indexing import index_meant, indexed_at
from namedtensor.latex.evaluation.indices import (
    Position,
    compared,
    holds_data,
    is_whole,
    one_based,
    position,
    renamed,
)
from namedtensor.latex.evaluation.values import UNKNOWN, ArgumentsError, Value
from namedtensor.latex.evaluation.wording import wording
from namedtensor.latex.reading.ranges import ends_of, listed, members_of
from namedtensor.latex.syntax import (
    At,
    AxisName,
    Call,
    Case,
    Cases,
    Derivative,
    Expression,
    Indexed,
    Is,
    Items,
    Letter,
    Logic,
    Number,
    Relation,
    Scripts,
    Text,
    Unary,
)
from namedtensor.latex.walk import reached
from namedtensor.operations.calculus import starred
from namedtensor.operations.derivatives import derivative
from namedtensor.operations.elementwise import logical_and, logical_not, logical_or, where
from namedtensor.tensor import NamedTensor, SymbolicTensor

_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_ONES = frozenset(("1", "1bold", "I", "Ibold", "indicator"))
_OTHERWISE = frozenset(("otherwise", "else", "elsewhere", "other", "or else"))

#: Which of less, equal and greater each relation allows.
_SIGNS = {"=": "=", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_TURNED = {"<": ">", ">": "<", "=": "="}


def is_condition(part: Expression) -> bool:
    """Say whether an expression is a condition."""
    if isinstance(part, Unary):
        return part.op == "not"
    return isinstance(part, (Relation, Logic, Is))


def relation(e: Evaluator, part: Relation) -> Value:
    """Evaluate a chain of relations: all must hold, and for each item of a list, as in i, j > 1."""
    members = [part.first, *[right for _, right in part.rest]]
    several = next((m for m in members if len(listed(m)) > 1 and ends_of(m) is None), None)
    if several is not None:
        alone = [_with(part, several, one) for one in listed(several)]
        return logic(e, Logic(part.span, "and", tuple(alone)))
    result: Value = None
    left, left_value = part.first, e.value(part.first)
    for op, right in part.rest:
        if op in ("in", "notin") or (op == "=" and ends_of(right) is not None):
            found = _membership(e, part, left, left_value, op, right)
            right_value: Value = UNKNOWN
        elif op in _COMPARE:
            right_value = e.value(right)
            found = _comparison(e, part, op, (left_value, right_value), (left, right))
        else:
            return e.refuse(
                part, f"is no condition: {op} compares no numbers", "use = < > \\leq \\geq \\neq"
            )
        result = found if result is None else e.attempt(part, both, [result, found])
        left, left_value = right, right_value
    return result


def _with(part: Relation, several: Expression, one: Expression) -> Relation:
    rest = [(op, one if right is several else right) for op, right in part.rest]
    return replace(part, first=one if part.first is several else part.first, rest=tuple(rest))


def _comparison(
    e: Evaluator, part: Expression, op: str, values: Sequence[Value], named: Sequence[Expression]
) -> Value:
    compare = _COMPARE[op]
    indices = [
        value if isinstance(value, Position) else index_meant(e, member, value)
        for member, value in zip(named, values, strict=True)
    ]
    if None not in indices:
        values = indices
    if all(v is not UNKNOWN and is_whole(v) for v in values):
        a, b = values
        return e.attempt(part, lambda: compared(a, b, compare), [])
    return e.attempt(part, compare, values, named)


def _membership(
    e: Evaluator, part: Expression, left: Expression, value: Value, op: str, right: Expression
) -> Value:
    ends, members = ends_of(right), members_of(right)
    result: Value = ends is not None
    if ends is None and members is None:
        return e.refuse(part, "asks for a set that is not listed", "i \\in \\{1, 2\\} lists one")
    for sign, end in zip((">=", "<="), ends or (), strict=False):
        if end is not None:
            found = _comparison(e, part, sign, (value, e.value(end)), (left, end))
            result = e.attempt(part, both, [result, found])
    for member in members or ():
        found = _comparison(e, part, "=", (value, e.value(member)), (left, member))
        result = e.attempt(part, either, [result, found])
    if op == "notin":
        return e.attempt(part, negated, [result])
    return result


def negated(condition: Any) -> Any:
    """Negate a condition."""
    return not condition if isinstance(condition, bool) else logical_not(condition)


def both(a: Any, b: Any) -> Any:
    """Join two conditions by `and`."""
    if isinstance(a, bool):
        return b if a else False
    if isinstance(b, bool):
        return a if b else False
    return logical_and(a, b)


def either(a: Any, b: Any) -> Any:
    """Join two conditions by `or`."""
    if isinstance(a, bool):
        return True if a else b
    if isinstance(b, bool):
        return True if b else a
    return logical_or(a, b)


def logic(e: Evaluator, part: Logic) -> Value:
    result: Value = None
    for condition in part.parts:
        found = e.value(condition)
        joined = both if part.op == "and" else either
        result = found if result is None else e.attempt(part, joined, [result, found])
    return result


def in_words(e: Evaluator, part: Is) -> Value:
    """Evaluate `i odd` and `i even`."""
    value = e.value(part.subject)
    wanted = {"odd": 1, "even": 0}.get(part.what)
    if wanted is None:
        return e.refuse(part, f"is no condition: {part.what} is neither odd nor even")
    if isinstance(value, Position) and value.direct:
        counter = value.from_zero
        return e.attempt(part, lambda: counter % 2 == 1 - wanted, [])
    return e.attempt(part, lambda x: x % 2 == wanted, [value], [part.subject])


def is_one(part: Expression) -> bool:
    """Say whether an expression is the bold 1 that turns a condition into a number."""
    if isinstance(part, Number):
        return part.value == 1
    return isinstance(part, Letter) and part.text in _ONES


def held_by(part: Expression) -> Expression | None:
    """Give the condition of a factor that is 1 where it holds, else 0: [i < n], 1(i < n), 1_{i < n}."""
    parts: Sequence[Expression] = (part,)
    if isinstance(part, Items) and part.bracket == "[":
        parts = part.parts
    elif isinstance(part, Call) and is_one(part.function):
        parts = part.arguments
    elif isinstance(part, Scripts) and part.sub is not None and is_one(part.base):
        parts = (part.sub,)
    return parts[0] if len(parts) == 1 and is_condition(parts[0]) else None


def indicator(e: Evaluator, condition: Expression) -> Value:
    """Give 1 where a condition holds, 0 elsewhere: [i = j]."""
    value = e.value(condition)
    return e.attempt(
        condition, lambda c: int(c) if isinstance(c, bool) else where(c, 1, 0), [value]
    )


# ---------------------------------------------------------------------------------------- cases


def cases(e: Evaluator, part: Cases) -> Value:
    """Give the value of the first row whose condition holds; nan where none does."""
    rows = list(part.rows)
    conditions = [None if _is_otherwise(row) else e.value(row.condition) for row in rows]  # type: ignore[arg-type]
    settled = next((n for n, c in enumerate(conditions) if c is True), None)
    if settled is not None and all(c is False for c in conditions[:settled]):
        return e.value(rows[settled].value)
    kept = [n for n, c in enumerate(conditions) if c is not False]
    if kept:
        rows, conditions = [rows[n] for n in kept], [conditions[n] for n in kept]
    values = [e.under(*_guards(rows[:n], row)).value(row.value) for n, row in enumerate(rows)]
    open_ = next((i for i, c in enumerate(conditions) if c is None), None)
    if open_ is None:
        rest: Value = values.pop() if complete([r.condition for r in rows]) else math.nan  # type: ignore[misc]
    else:
        rest, values = values[open_], values[:open_]
    of_data = any(map(holds_data, (*values, rest))) and all(map(is_whole, (*values, rest)))
    if of_data:  # the numbers of indices in data, and beside them whole numbers, are indices too
        *values, rest = [position(value).from_zero for value in (*values, rest)]
    for value, condition in reversed(list(zip(values, conditions, strict=False))):
        rest = e.attempt(part, chosen, [condition, value, rest])
    return one_based(rest) if of_data and rest is not UNKNOWN else rest


def _guards(before: Sequence[Case], row: Case) -> list[Guard]:
    """List the guards of a row: its condition holds, and those of the rows before do not."""
    pairs = [*[(r, False) for r in before], (row, True)]
    return [
        (r.condition, holds)
        for r, holds in pairs
        if r.condition is not None and not _is_otherwise(r)
    ]


def _is_otherwise(row: Case) -> bool:
    condition = row.condition
    if isinstance(condition, Text):
        return condition.text.strip().strip(".,;").lower() in _OTHERWISE
    return condition is None


def chosen(condition: Any, value: Any, rest: Any) -> Any:
    """Give `value` where a condition holds, and `rest` elsewhere."""
    if isinstance(condition, bool) and not isinstance(value, NamedTensor):
        return value if condition else rest
    return where(condition, value, rest)


def complete(conditions: Sequence[Expression]) -> bool:
    """Say whether at each index one of these conditions holds: i odd, i even; or j <= i, j > i.

    Other sets of conditions count as incomplete: the value is nan where none of them holds.
    """
    seen: dict[Expression | tuple[Expression, Expression], set[str]] = {}
    for condition in conditions:
        if isinstance(condition, Is):
            seen.setdefault(condition.subject, set()).add(condition.what)
        elif isinstance(condition, Relation) and len(condition.rest) == 1:
            op, right = condition.rest[0]
            signs = set(_SIGNS.get(op, ""))
            pair, turned = (condition.first, right), (right, condition.first)
            if turned in seen:
                pair, signs = turned, {_TURNED[s] for s in signs}
            seen.setdefault(pair, set()).update(signs)
    return any(found >= {"<", "=", ">"} or found >= {"odd", "even"} for found in seen.values())


def text(e: Evaluator, part: Text) -> Value:
    return e.refuse(
        part, "is prose, and no condition", f"write it as a relation, not {wording(part)!r}"
    )


# ------------------------------------------------------------------------------------- derivatives


def derived(e: Evaluator, part: Derivative) -> Value:
    """Evaluate a derivative by a tensor that has a name, or by one element of it, X_{seq(i)}."""
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
    Y, X = e.scope.derived(Y, X)
    if not isinstance(Y, NamedTensor):
        return UNKNOWN if Y is UNKNOWN else 0.0
    if part.op == "d" and not _is_made_of(Y, X):
        return e.refuse(
            part,
            f"is a derivative by {wording(part.by)}, and no formula makes {wording(part.of)} of it",
            f"say how {wording(part.of)} is made of {wording(part.by)}",
        )
    if part.op == "nabla" or (part.plain and not visible(Y.axes)):
        return _gradient(e, part, Y, X)
    return e.attempt(part, _jacobian, [Y, X], [part.of, part.by])


def _is_made_of(Y: Any, X: Any) -> bool:
    """Say whether a value is computed from another one."""
    made, of = getattr(Y, "node", None), getattr(X, "node", None)
    if made is None or of is None:
        return True
    return of in reached([made], lambda node: node.operands)


def _jacobian(Y: Any, X: Any) -> Any:
    if not isinstance(Y, SymbolicTensor) or not isinstance(X, SymbolicTensor):
        raise DerivativeError(
            "dY/dX",
            "a derivative is of an expression, and these are data",
            [("Y", str(Y.shape)), ("X", str(X.shape))],
            "take it of a formula",
        )
    return SymbolicTensor(derivative(Y.node, X.node, starred(visible(X.axes), Y.axes)))


def _gradient(e: Evaluator, part: Derivative, Y: Any, X: Any) -> Value:
    """Give the derivative of a single number by X, with the axes of X."""
    if visible(Y.axes):
        text = wording(part.of)
        return e.fail(
            part,
            AxisSizeError,
            f"{text} has axes, and a gradient is of a single number",
            f"sum over them, or write the derivative: d{text}/d{wording(part.by)}",  # type: ignore[arg-type]
            [(text, str(Y.shape))],
        )
    found = e.attempt(part, _jacobian, [Y, X], [part.of, part.by])  # type: ignore[list-item]
    pairs = [(axis + "*", axis) for axis in visible(X.axes)]
    if found is UNKNOWN or not pairs:
        return found
    return e.attempt(part, lambda found: renamed(found, pairs), [found])


def _by_element(e: Evaluator, part: Derivative, by: Indexed) -> Value:
    """Evaluate a derivative by one element of X: derive by X, and index the starred axes."""
    whole = e.value(replace(part, by=by.base))
    if whole is UNKNOWN:
        return UNKNOWN
    items = [
        replace(item, axis=AxisName(item.axis.span, item.axis.name + "*"))
        for item in by.items
        if isinstance(item, At)
    ]
    return indexed_at(e, replace(by, items=tuple(items)), whole)


READERS: Mapping[type, Any] = {
    Relation: relation,
    Logic: logic,
    Is: in_words,
    Cases: cases,
    Text: text,
    Derivative: derived,
}
