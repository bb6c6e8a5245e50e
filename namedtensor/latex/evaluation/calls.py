"""Calls: f(X; W, b), softmax_seq X, sin^2 x, and W(X + b), which is a product."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from namedtensor.latex.evaluation.arithmetic import power, product
from namedtensor.latex.evaluation.conditions import indicator, is_condition, is_one
from namedtensor.latex.evaluation.identifiers import axes_below, find, undefined
from namedtensor.latex.evaluation.values import UNKNOWN, ArgumentsError, Value
from namedtensor.latex.evaluation.vocabulary import Word, applied_letter, logarithm, word_of
from namedtensor.latex.evaluation.wording import wording
from namedtensor.latex.syntax import (
    AxisName,
    Call,
    Expression,
    Items,
    Letter,
    Number,
    Relation,
    Scripts,
)
from namedtensor.tensor import NamedTensor

if TYPE_CHECKING:
    from namedtensor.latex.evaluation.evaluate import Evaluator


def call(e: Evaluator, part: Call) -> Value:
    if _is_indicator(part):
        return indicator(e, part.arguments[0])
    function = _function(e, part)
    if function is UNKNOWN:
        return UNKNOWN
    if isinstance(function, _Power):
        return power(e, part, replace(part, function=function.base), function.exponent)
    if isinstance(function, _Under):
        return e.value(replace(part, function=function.base, axes=(*part.axes, *function.axes)))
    if isinstance(function, Word):
        return _word(e, part, function)
    if hasattr(function, "apply") and not isinstance(function, NamedTensor):
        arguments = [e.value(_set(a)) for a in part.arguments]
        parameters = [e.value(p) for p in part.parameters]
        return function.apply(part, arguments, parameters, e.scope)
    return _product(e, part, function)


def _set(argument: Expression) -> Expression:
    """Give what a setting is set to: the 0.5 of f(X, eps = 0.5)."""
    named = isinstance(argument, Relation) and isinstance(argument.first, (Letter, Scripts))
    if named and [op for op, _ in argument.rest] == ["="]:  # type: ignore[union-attr]
        return argument.rest[0][1]  # type: ignore[union-attr]
    return argument


class _Under:
    """softmax_{seq} before its argument: the axes below the word."""

    def __init__(self, base: Expression, axes: tuple[AxisName, ...]) -> None:
        self.base = base
        self.axes = axes


class _Power:
    """sin^2 before its argument: the power of what the function gives."""

    def __init__(self, base: Expression, exponent: Expression) -> None:
        self.base = base
        self.exponent = exponent


def _is_indicator(part: Call) -> bool:
    return len(part.arguments) == 1 and is_condition(part.arguments[0]) and is_one(part.function)


def _function(e: Evaluator, part: Call) -> Any:
    """Find what is called: what the document names comes first, then the words that all know."""
    name = part.function
    if not isinstance(name, (Letter, Scripts)):
        return e.value(name)
    found = find(e, name)
    if part.axes and isinstance(name, Letter) and getattr(found, "axes", None) == ():
        # a word with axes below it is everybody's where the document defines it without
        found = None if word_of(name.text) is not None else found
    if found is not None:
        return e.scope.seen(name, found)
    if isinstance(name, Letter):
        word = word_of(name.text) if name.style == "word" else applied_letter(name.text)
        return e.value(name) if word is None else word
    return _scripted(e, name)


def _scripted(e: Evaluator, name: Scripts) -> Any:
    """sin^2 X, log_2 X; a base of its own with a script that is no name."""
    base = name.base
    if not isinstance(base, Letter) or name.primes or find(e, base) is not None:
        return e.value(name)
    word = word_of(base.text) or applied_letter(base.text)
    if word is None:
        return undefined(e, name)
    below = axes_below(name.sub)
    if below and name.sup is None and not name.primes:
        return _Under(base, below)
    if name.sub is not None:
        log = logarithm(base.text, name.sub)
        if log is None:
            return undefined(e, name)
        return (
            _Power(Letter(base.span, log, "word"), name.sup)
            if name.sup is not None
            else word_of(log)
        )
    if name.sup is None:
        return word
    if isinstance(name.sup, Number) and name.sup.value >= 0:
        return _Power(base, name.sup)
    return e.refuse(
        name, "may be an inverse function or a power", "write 1/f(X), or name the inverse"
    )


def _product(e: Evaluator, part: Call, value: Value) -> Value:
    """Multiply with what stands in brackets after a tensor."""
    plural = len(part.arguments) != 1 or bool(part.parameters)
    if plural or part.axes:
        text = wording(part.function)
        return e.fail(
            part,
            ArgumentsError,
            f"{text} is no function, and is given {'arguments' if plural else 'axes'}",
            f"define it: {text}(X) = ...",
        )
    (argument,) = part.arguments
    return product(e, part, value, e.value(argument), (part.function, argument))


def _word(e: Evaluator, part: Call, word: Word) -> Value:
    """Apply a word that all know to arguments."""
    given: list[Expression] = [*part.arguments, *part.parameters]
    if len(given) == 1 and isinstance(given[0], Items) and given[0].bracket in ("(", "{"):
        given = list(given[0].parts)
    values = [] if word.raw else [e.value(a) for a in given]
    return word.use(e, part, values, given)


READERS: Mapping[type, Any] = {Call: call}
