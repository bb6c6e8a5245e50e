"""Evaluate names and calls: letters with scripts, f(X; W, b), softmax_seq X, W(X + b).

A name is first looked up as it is written. If W^2 is no name, it is a power; if kh is no name, it is k
times h; if d_k is no name, it is undefined.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeGuard

from namedtensor.errors import IndexRangeError
from namedtensor.latex.evaluation.arithmetic import (
    IDENTITIES,
    axes_in,
    filled,
    norm_of_order,
    over_list,
    power,
    product,
)
from namedtensor.latex.evaluation.conditions import indicator, is_condition, is_one
from namedtensor.latex.evaluation.evaluator import Evaluator, Word
from namedtensor.latex.evaluation.hints import text_axes
from namedtensor.latex.evaluation.indexing import indexed
from namedtensor.latex.evaluation.indices import counted
from namedtensor.latex.evaluation.values import UNKNOWN, ArgumentsError, UndefinedError, Value
from namedtensor.latex.evaluation.vocabulary import (
    LARGEST,
    applied_letter,
    constant,
    logarithm,
    word_of,
)
from namedtensor.latex.evaluation.wording import wording
from namedtensor.latex.syntax import (
    AxisName,
    AxisSize,
    Bars,
    Binary,
    Call,
    Dots,
    Expression,
    Indexed,
    Items,
    Letter,
    Number,
    Relation,
    Scripts,
    Space,
    Under,
)
from namedtensor.latex.walk import all_of, parted
from namedtensor.operations.index_defined import eye
from namedtensor.tensor import NamedTensor, SymbolicTensor

#: Superscripts that are marks and not powers.
MARKS = frozenset("* + - star dagger ddagger circ perp bot".split())


def find(e: Evaluator, name: Expression) -> Value | None:
    """Look a name up: among bound indices, then in the scope."""
    if isinstance(name, Scripts) and not isinstance(name.base, Letter):
        return None  # (W^1)^2 is no name
    if name in e.bound:
        return e.bound[name]
    found = e.scope.find(name)
    if found is None and isinstance(name, Letter):
        parts = _split(e, name)
        if parts is not None:
            return _product(e, parts)
    if e.exact and isinstance(found, (float, SymbolicTensor)):
        return e.attempt(name, counted, [found], [name])
    return found


def _split(e: Evaluator, name: Letter) -> tuple[Letter, ...] | None:
    """Take kh apart where k and h are names."""
    if name.style != "letter" or len(name.text) < 2 or not name.text.isalpha():
        return None
    parts = parted(name)
    known = bool(parts) and all(p in e.bound or e.scope.find(p) is not None for p in parts)
    return parts if known else None


def _product(e: Evaluator, parts: tuple[Letter, ...]) -> Value:
    value = e.value(parts[0])
    done: Expression = parts[0]
    for part in parts[1:]:
        value = product(e, part, value, e.value(part), (done, part))
        done = part
    return value


def letter(e: Evaluator, name: Letter) -> Value:
    found = find(e, name)
    if found is None:
        found = constant(name)
    if found is None and name.style == "word":
        found = word_of(name.text)
    if found is None and name.text in ("0", "1"):
        found = int(name.text)  # \mathbf{1} - p: for all elements
    return undefined(e, name) if found is None else found


def undefined(e: Evaluator, name: Expression) -> Value:
    """Report a name that is not defined."""
    text = wording(name)
    hint = f"declare it or define it: {text} = ..."
    if isinstance(name, Scripts) and not isinstance(name.base, Letter):
        hint = "it is no name: write what it computes, or define a letter for it, Z = ..."
    return e.fail(name, UndefinedError, f"{text} is not defined here", hint)


def scripts(e: Evaluator, name: Scripts) -> Value:
    found = find(e, name)
    if found is not None:
        return found
    factors = factored(e, name)
    if factors is not None:
        return product(e, name, e.value(factors[0]), e.value(factors[1]), factors)
    held = _held(name)
    if held is not None:
        return indicator(e, held)
    unit = identity_of(name)
    if unit is not None:
        return e.attempt(name, lambda: eye(*[axis.name for axis in unit]), [])
    if name.sup is None and not name.primes:
        filled = _filled(e, name, name.base, axes_below(name.sub))
        if filled is not None:
            return filled
    picked = picked_from(name)
    if picked is not None:
        return result_of(e, name, *picked)
    if isinstance(name.base, Bars) and name.base.double and not name.base.axes and name.sub:
        if name.sup is not None:
            return power(e, name, replace(name, sup=None), name.sup)
        parts = name.sub.parts if isinstance(name.sub, Items) else (name.sub,)
        axes = tuple([axis for axis in map(_axis_below, parts) if axis and axis.name != "F"])
        orders = [p for p in parts if (axis := _axis_below(p)) is None or axis.name == "F"]
        if len(orders) == 1:
            return norm_of_order(e, name, orders[0], axes)
        return e.value(replace(name.base, axes=axes)) if not orders else undefined(e, name)
    if name.sup is None:
        return undefined(e, name) if name.sub or name.primes else e.value(name.base)
    if isinstance(name.sup, Letter) and name.sup.text in MARKS and find(e, name.sup) is None:
        return e.refuse(
            name,
            f"has a mark above it, {name.sup.text}, that has no meaning here",
            r"write [X]_+ for the positive part, \text{pinv} for a pseudo-inverse",
        )
    base: Expression = name.base
    if name.sub is not None or name.primes:
        base = replace(name, sup=None)
    if isinstance(name.base, Letter) and not _is_known(e, base):
        return undefined(e, name)
    if _is_transpose(e, name.sup):
        return e.refuse(
            name,
            "is a transpose, and the axes of a named tensor have no order to be turned round",
            "leave it out, or rename the axis that is meant: X_{a -> b}",
        )
    return power(e, name, base, name.sup)


def _filled(
    e: Evaluator, where: Expression, number: Expression, axes: Sequence[AxisName]
) -> Value | None:
    r"""Make the ones or zeros that \mathbf{1}_{\text{seq}} means without a declaration."""
    text = number.text if isinstance(number, Letter) else str(getattr(number, "value", ""))
    written = text.removesuffix("bold")
    if not axes or written not in ("0", "1"):
        return None
    return e.attempt(where, lambda: filled(int(written), axes), [])


def identity_of(name: Expression) -> tuple[AxisName, AxisName] | None:
    r"""Give the axes of an identity, which needs no declaration: I_{\text{seq}, \text{seq}'}."""
    if not isinstance(name, Scripts) or name.sup is not None or name.primes:
        return None
    if not isinstance(name.base, Letter) or name.base.text not in IDENTITIES:
        return None
    below = axes_below(name.sub)
    return (below[0], below[1]) if len(below) == 2 else None


def picked_from(name: Scripts) -> tuple[Call, int] | None:
    """Read f(X)_2 or [f(X)]_2 as one result of a call: give the call and the result's number."""
    base, sub = name.base, name.sub
    if isinstance(base, Items) and len(base.parts) == 1 and base.bracket in ("(", "["):
        base = base.parts[0]
    if name.sup is not None or name.primes or not isinstance(base, Call):
        return None
    return (base, sub.value) if isinstance(sub, Number) and type(sub.value) is int else None


def result_of(e: Evaluator, name: Expression, call: Call, number: int) -> Value:
    """Give one result of a call; the first has the number 1."""
    results = e.results(call)
    if results is UNKNOWN:
        return UNKNOWN
    count = len(results) if isinstance(results, tuple) else 1
    if not isinstance(results, tuple) or not 1 <= number <= count:
        return e.fail(
            name,
            IndexRangeError,
            f"{wording(call)} gives {count or 'no'} result{'s' * (count != 1)}, and this is number {number}",
            f"write {wording(call)}" if count == 1 else f"the last is {wording(call)}_{count}",
        )
    found: Value = results[number - 1]
    return found


def _held(name: Scripts) -> Expression | None:
    r"""Give the condition of \mathbb 1_{x > 0} or \delta_{ij} (i = j); None for other names."""
    sub = name.sub
    if sub is None or name.sup is not None or name.primes:
        return None
    if is_one(name.base) and is_condition(sub):
        return sub
    if not isinstance(name.base, Letter) or name.base.text != "delta":
        return None
    pair: tuple[Expression, ...] = ()
    if isinstance(sub, Items) and len(sub.parts) == 2:
        pair = sub.parts
    elif isinstance(sub, Binary) and sub.op == "*":
        pair = sub.left, sub.right
    elif isinstance(sub, Letter) and len(sub.text) == 2 and sub.style == "letter":
        pair = parted(sub)
    if len(pair) != 2:
        return None
    return Relation(sub.span, pair[0], (("=", pair[1]),))


def axes_below(script: Expression | None) -> tuple[AxisName, ...]:
    """Read a subscript of words as axes; () if it is anything else."""
    parts = script.parts if isinstance(script, Items) else (script,)
    axes = [_axis_below(part) for part in parts]
    return () if None in axes else tuple([axis for axis in axes if axis is not None])


def _axis_below(part: Expression | None) -> AxisName | None:
    """Read a word, perhaps with primes, as an axis."""
    if isinstance(part, AxisName):
        return part
    word: Any = part
    primes = 0
    if isinstance(part, Scripts) and part.sub is None and part.sup is None:
        word, primes = part.base, part.primes
    if part is None or not isinstance(word, Letter) or word.style != "word":
        return None
    return AxisName(part.span, word.text + "'" * primes)


def _is_known(e: Evaluator, name: Expression) -> bool:
    """Say whether a base has a meaning without its superscript, which may then be a power."""
    if find(e, name) is not None:
        return True
    if isinstance(name, Letter):
        return constant(name) is not None or word_of(name.text) is not None
    return False


def _is_transpose(e: Evaluator, script: Expression) -> bool:
    if not isinstance(script, Letter):
        return False
    if script.text in ("top", "intercal", "mathsf{T}"):
        return True
    return script.text == "T" and find(e, script) is None


def axis_size(e: Evaluator, size: AxisSize) -> Value:
    return e.attempt(size, lambda: e.scope.size(size.axis.name), [])


def number(e: Evaluator, written: Number) -> Value:
    return written.value


def items(e: Evaluator, listed: Items) -> Value:
    """Evaluate brackets: around one part they mean nothing; [i = j] is 1 where i = j holds, else 0."""
    if len(listed.parts) == 1 and listed.bracket in ("(", "[", "{", ""):
        part = listed.parts[0]
        if listed.bracket == "[" and is_condition(part):
            return indicator(e, part)
        return e.value(part)
    hint = "a function takes several arguments: f(X, Y)"
    if listed.bracket == "[" and len(listed.parts) > 1 and not any(all_of(Dots, listed)):
        shared = [axes_in(e.value(part)) for part in listed.parts]
        axis = next((a for a in shared[0] if all(a in axes for axes in shared)), "ax")
        hint += (
            f"; to join along an axis, name it: {e.scope.written(listed)}_{{{text_axes([axis])}}}"
        )
    return e.refuse(listed, "is a list, and no named tensor", hint)


def space(e: Evaluator, part: Space) -> Value:
    """Evaluate [n] as n in brackets; other sets have no value."""
    if part.base == "[n]" and part.bound is not None and not part.axes:
        return items(e, Items(part.span, (part.bound,), "["))
    return e.refuse(part, "is a set, and no named tensor", "declare a name to be in it")


def under(e: Evaluator, part: Under) -> Value:
    filled = _filled(e, part, part.operand, part.axes)
    return e.value(part.operand) if filled is None else filled


# ------------------------------------------------------------------------------------------- calls


def call(e: Evaluator, part: Call) -> Value:
    if is_one(part.function) and [*map(is_condition, part.arguments)] == [True]:
        return indicator(e, part.arguments[0])
    function = _function(e, part)
    if function is UNKNOWN:
        return UNKNOWN
    if isinstance(function, _Power):
        return power(e, part, replace(part, function=function.base), function.exponent)
    if isinstance(function, _Of):
        given = (*part.arguments, *part.parameters, function.many)
        return e.value(replace(part, function=function.base, arguments=given, parameters=()))
    if isinstance(function, _Under):
        return e.value(replace(part, function=function.base, axes=(*part.axes, *function.axes)))
    if isinstance(function, Word):
        return _word(e, part, function)
    if _is_factor(function):
        return _times_brackets(e, part, function)
    for named in part.parameters:
        if isinstance(named, Relation) and named.ops in (("=",), ("<-",)):
            return e.fail(
                named,
                ArgumentsError,
                f"{wording(named)} gives a parameter by its name, and parameters have places",
                f"write {wording(named.rest[0][1])} alone, in the place of {wording(named.first)}",
            )
    arguments = [e.value(set_to(a)) for a in part.arguments]
    parameters = [e.value(p) for p in part.parameters]
    return function.apply(part, arguments, parameters, e.scope)


def _is_factor(function: Any) -> bool:
    """Say whether the value before brackets is no function, so that it is multiplied with them."""
    if function is UNKNOWN or isinstance(function, (Word, _Power, _Under)):
        return False
    return isinstance(function, NamedTensor) or not hasattr(function, "apply")


def indices(e: Evaluator, part: Indexed) -> Value:
    factors = factored(e, part)
    if factors is not None:
        return product(e, part, e.value(factors[0]), e.value(factors[1]), factors)
    return indexed(e, part)


def factored(e: Evaluator, part: Scripts | Indexed) -> tuple[Expression, Expression] | None:
    r"""Split s (1 + x)^2 into s and (1 + x)^2 if s is no function: the power is that of the brackets."""
    inner: Expression = part
    around: list[Scripts | Indexed] = []
    while isinstance(inner, (Scripts, Indexed)):
        around.append(inner)
        inner = inner.base
    if not isinstance(inner, Call) or inner.axes or inner.parameters or len(inner.arguments) != 1:
        return None
    if inner.span.start != part.span.start or not _is_factor(_function(e, inner)):
        return None
    (given,) = inner.arguments
    brackets: Expression = Items(given.span, (given,), "(")
    for one in reversed(around):
        brackets = replace(one, base=brackets)
    return inner.function, brackets


def set_to(argument: Expression) -> Expression:
    """Give the value of an argument: the 0.5 of eps = 0.5 in f(X, eps = 0.5)."""
    return argument.rest[0][1] if is_setting(argument) else argument


def is_setting(argument: Expression) -> TypeGuard[Relation]:
    """Say whether an argument is given by name: eps = 0.5, and not x > 0."""
    named = isinstance(argument, Relation) and isinstance(argument.first, (Letter, Scripts))
    return named and argument.ops == ("=",)  # type: ignore[union-attr]


class _Under(NamedTuple):
    """softmax_{seq} before its argument: the word, and the axes below it."""

    base: Expression
    axes: tuple[AxisName, ...]


#: Names such as top-2, which say how many of the largest numbers are meant.
TOP = re.compile(r"top-?k?-?(\d+)", re.IGNORECASE)


class _Of(NamedTuple):
    """top_k before its argument: the word, and how many numbers it gives."""

    base: Expression
    many: Expression


class _Power(NamedTuple):
    """sin^2 before its argument: the function, and the power of its result."""

    base: Expression
    exponent: Expression


def _function(e: Evaluator, part: Call) -> Any:
    """Find the function that a call means: first among the document's names, then among known words."""
    name = part.function
    if not isinstance(name, (Letter, Scripts)):
        return e.value(name)
    own = e.scope.function(name) if part.arguments and name not in e.bound else None
    found = find(e, name) if own is None else own
    if part.axes and isinstance(name, Letter) and getattr(found, "axes", None) == ():
        # the document defines this name without axes: with axes below it, it is the known word
        found = None if word_of(name.text) is not None else found
    if found is not None:
        return e.scope.seen(name, found)
    if isinstance(name, Letter):
        top = TOP.fullmatch(name.text)
        if top is not None:  # top-2
            return _Of(replace(name, text="maxk"), Number(name.span, int(top[1])))
        word = word_of(name.text) if name.style == "word" else applied_letter(name.text)
        return e.value(name) if word is None else word
    return _scripted(e, name)


def _scripted(e: Evaluator, name: Scripts) -> Any:
    """Evaluate a function with scripts, such as sin^2 X or log_2 X, that is no name of the document."""
    base = name.base
    if not isinstance(base, Letter) or name.primes or find(e, base) is not None:
        return e.value(name)
    word = word_of(base.text) or applied_letter(base.text)
    if word is None:
        return e.value(name)
    below = axes_below(name.sub)
    if below and name.sup is None and not name.primes:
        return _Under(base, below)
    if name.sub is not None:
        if word.name in (*LARGEST, "leaky_relu") and name.sup is None:
            return _Of(base, set_to(name.sub))
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


def _times_brackets(e: Evaluator, part: Call, value: Value) -> Value:
    """Multiply a tensor by the brackets after it."""
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
    """Apply a known word to arguments."""
    given: list[Expression] = [*part.arguments, *part.parameters]
    if len(given) == 1 and isinstance(given[0], Items) and given[0].bracket in ("(", "{"):
        given = list(given[0].parts)
    if any(isinstance(a, Dots) for a in given):
        return over_list(e, part, word.name, given)
    values = [] if word.raw else [e.value(a) for a in given]
    return word.use(e, part, values, given)


READERS: Mapping[type, Any] = {
    Letter: letter,
    Scripts: scripts,
    AxisSize: axis_size,
    Number: number,
    Items: items,
    Space: space,
    Under: under,
    Call: call,
    Indexed: indices,
}
