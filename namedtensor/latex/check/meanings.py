"""Note which meaning was chosen for names that could have two."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace

from namedtensor.latex.check.checker import Checker
from namedtensor.latex.check.compare import difference
from namedtensor.latex.check.look import one_sided
from namedtensor.latex.check.report import listed, shape_text
from namedtensor.latex.documents.scopes import CONSTANTS, Place
from namedtensor.latex.documents.scripts import key
from namedtensor.latex.evaluation.arithmetic import is_exponential
from namedtensor.latex.evaluation.vocabulary import constant
from namedtensor.latex.reading.choices import algorithms_in
from namedtensor.latex.reading.shorthand import Short
from namedtensor.latex.reading.spoken import head_of, key_of
from namedtensor.latex.reading.words import APPLIED
from namedtensor.latex.source import Span
from namedtensor.latex.syntax import (
    AxisName,
    Binary,
    Call,
    Cases,
    Definition,
    Expression,
    Letter,
    Logic,
    Number,
    Relation,
    Scripts,
)
from namedtensor.latex.walk import all_of, walk

#: Words that tell that something is done again.
AGAIN = re.compile(
    r"\b(?:repeat\w*|iterat\w+|until|loops?|rounds?|epochs?|times|sweeps?)\b", re.IGNORECASE
)

#: Words for how far numbers lie apart.
SPREAD = re.compile("std|var")

#: A space between a letter and brackets that is written on purpose.
SPACED = re.compile(r"\s*(?:\\[,;: ]|\\q?quad\b|~)")


def check_meanings(checker: Checker, shorthand: Sequence[Sequence[Short]]) -> None:
    """Report names with two meanings in one section, and products that look like calls."""
    names, report = checker.names, checker.report
    algorithms = algorithms_in(checker.source.text)
    axes = [part for s in names.statements for part in all_of(AxisName, s)] if shorthand else []
    written = {a.name.rstrip("'") for a in axes if report.text(a.span).strip() not in ("", a.name)}
    for shorts in shorthand:
        _short(checker, shorts, written)
    for axis, definition in names.defined_sizes.values():
        report.warning(
            "meaning",
            definition.target.span,
            f"{report.text(definition.target.span)} is the size of {axis.axis.name} too, on line "
            f"{checker.line(axis.span)}; outside of spaces it is what is defined here",
            hint=f"the size is |{checker.dialect.axis(axis.axis.name)}|, or give it another letter",
        )
    for index, statement in enumerate(names.statements):
        if isinstance(statement, Definition):
            place = Place(index, statement.block, statement.section)
            _rate(checker, statement, place)
            for part in walk(statement.body):
                if isinstance(part, (Scripts, Binary, Letter)):
                    _constant(checker, part, place)
            for call in all_of(Call, statement.body):
                _product(checker, call)
                _known_function(checker, call)
            for product in all_of(Binary, statement.body):
                _slash(checker, product)
                _standardised(checker, product)
            _factor(checker, statement.body)
            _once(checker, statement, algorithms)
            if isinstance(statement.target, Call):
                _elementwise(checker, statement, statement.target.arguments)


def _standardised(checker: Checker, quotient: Binary) -> None:
    """Warn if a mean is taken off along one axis, and the deviation is that along another one."""
    match quotient:
        case Binary(op="/", left=Binary(op="-", left=given, right=Call() as off)):
            if head_of(off.function) != "mean" or off.arguments != (given,):
                return
        case _:
            return
    for spread in all_of(Call, quotient.right):
        same = spread.arguments == off.arguments and spread.axes and off.axes
        if same and SPREAD.fullmatch(head_of(spread.function)) and {*spread.axes} != {*off.axes}:
            own, other = [", ".join(a.name for a in call.axes) for call in (off, spread)]
            text, word = checker.report.text(spread.span), head_of(spread.function)
            checker.report.warning(
                "meaning",
                spread.span,
                f"{text} is over {other}, and the mean that is taken off is over {own}",
                hint=f"is the {word} over {own} meant?",
            )


def _elementwise(checker: Checker, said: Definition, arguments: Sequence[Expression]) -> None:
    """Note that x = z asks each element of two arguments, in a choice that could be of the whole."""
    asked = [row.condition for cases in all_of(Cases, said.body) for row in cases.rows]
    for condition in asked:
        if not isinstance(condition, Relation):
            continue
        sides = (condition.first, *[side for _, side in condition.rest])
        types = [checker.type_of(side) for side in sides if side in arguments]
        axes = set.intersection(*[{*t.names} if t is not None else set() for t in types] or [set()])
        if axes and len(types) == len(sides) and condition.rest[0][0] in ("=", "!="):
            text, first, last = [checker.report.text(p.span) for p in (condition, *sides[:2])]
            over = ", ".join([checker.dialect.axis(name) for name in sorted(axes)])
            checker.report.note(
                "meaning",
                condition.span,
                f"{text} is asked of each element along {listed(sorted(axes))}",
                hint=rf"{first} and {last} are equal where \sum_{{{over}}} [{first} \ne {last}] = 0",
            )
            return


def _once(checker: Checker, definition: Definition, algorithms: Sequence[Span]) -> None:
    """Note an update that is made once, in a paragraph that seems to say that it is made often."""
    name, text = key(definition.target), checker.source.text
    if definition.op == "=" or name not in {key(part) for part in walk(definition.body)}:
        return
    if any(algorithm.holds(definition.span) for algorithm in algorithms):
        return
    above = text.rfind("\n\n", 0, max(0, text.rfind("\n\n", 0, definition.span.start)))
    below = text.find("\n\n", definition.span.end)
    if AGAIN.search(text, max(0, above), below if below >= 0 else len(text)):
        own = checker.report.text(definition.target.span)
        checker.report.note(
            "meaning",
            definition.span,
            f"{own} is updated once: how often is not said in a way that is read",
            hint=r"write For $k = 1, \dots, K$: before the steps, or Repeat $K$ times:",
        )


def _rate(checker: Checker, definition: Definition, place: Place) -> None:
    r"""Note a \dot{Y} with other axes than Y: it is a letter, and not the derivative of Y."""
    name = definition.target
    if not isinstance(name, Letter) or checker.declaration(name, place) is not None:
        return
    bare = name.text.removesuffix("ddot").removesuffix("dot")
    found, declared = (
        checker.type_of(definition.body),
        checker.declaration(replace(name, text=bare), place),
    )
    said = None if declared is None else checker.declared_type(declared)
    if bare == name.text or declared is None or said is None or found is None or found.host:
        return
    text, _ = difference(checker, said, found)
    if all(one_sided(said, found)):
        written, own = [checker.report.text(part.span) for part in (name, declared.name)]
        checker.report.note(
            "meaning",
            definition.span,
            f"{written} is a letter of its own: against {own} it {text}",
            [(own, shape_text(said)), (written, shape_text(found))],
            f"the derivative of {own} would have the axes of {own}",
        )


def _short(checker: Checker, shorts: Sequence[Short], written: set[str]) -> None:
    """Note, once for a formula, which letters with subscripts are read as elements."""
    text, at = checker.report.text, checker.dialect.at
    said = []
    for short, element in shorts:
        if not written.intersection([i.axis.name.rstrip("'") for i in element.indices]):
            continue  # x_i of members that are listed, x_1, ..., x_n, has no other name
        places = [at(i.axis.name, text(i.at.span)) for i in element.indices]
        letter, whole = head_of(short), head_of(element.base)  # x of x_i, a row of X
        mark = key_of(element.base).partition("^")[2]  # new of mu^{new}_k
        base = text(element.base.span) + (f"^{{{mark}}}" if mark else "")
        made = base if whole.startswith(letter) else whole
        sub = getattr(short, "sub", None)
        own = text(short.span) if sub is None else f"{base}_{{{text(sub.span)}}}"
        said.append(f"{own} as {made}_{{{', '.join(places)}}}")
    if not said:
        return
    checker.report.note(
        "meaning",
        shorts[0][0].span,
        f"taken as an element: {listed(said)}",
        hint="write it so, or declare what is a letter of its own",
    )


def _constant(checker: Checker, part: Scripts | Binary | Letter, place: Place) -> None:
    r"""Note e^{-x} if the section has an e, 2 \pi if it has a \pi, and a \pi of another section."""
    name: Expression
    if isinstance(part, Letter):
        name, said = part, "is the {}, and not {}" if part.text == "pi" else ""
    elif isinstance(part, Scripts):
        euler = isinstance(part.base, Number) and part.base.value == math.e
        if not (euler or is_exponential(part)) or checker.names.look(part, place, {}) is not None:
            return
        name = Letter(part.base.span, "e") if euler else part.base
        said = "is taken for exp, and not for a power of the {}"
    else:
        if part.how != "juxtaposed" or not isinstance(part.left, Number):
            return
        name, said = part.right, "has the {}, and not {}"
        if part.right == Number(part.span, math.pi):
            name, said = Letter(part.right.span, "pi"), "has 3.14159, and not the {}"
    if not isinstance(name, Letter) or name.text not in CONSTANTS:
        return
    meaning = checker.names.look(name, place, {})
    found = None if meaning is None else meaning.declared or meaning.defined
    far = found is not None and not checker.names.inherits(place, found.place)
    if found is not None and said and (far or name is not part):
        text = checker.report.text(name.span)
        own = f"{text} of line {checker.line(found.name.span)}"
        checker.report.note(
            "meaning",
            part.span,
            f"{checker.report.text(part.span)} {said.format(own, f'{constant(name):.6g}')}",
            hint=f"where the other is meant, give one {text} another letter",
        )


def _product(checker: Checker, call: Call) -> None:
    """Warn that t(y) is a product if t is a tensor: it looks like a call."""
    given = call.arguments[0] if len(call.arguments) == 1 else None
    if call.axes or call.parameters or not isinstance(call.function, Letter):
        return
    type_ = checker.type_of(call.function)
    if type_ is None or not isinstance(given, (Letter, Scripts)) or call.bracket != "(":
        return
    if SPACED.match(checker.report.text(Span(call.function.span.end, given.span.start))):
        return  # m \, (x) is written as a product
    text, argument = checker.report.text(call.function.span), checker.report.text(given.span)
    checker.report.warning(
        "meaning",
        call.span,
        f"{text} is no function: {checker.report.text(call.span)} is the product of {text} and {argument}",
        hint=f"define it, {text}({argument}) = ..., or write the product without brackets",
    )


def _known_function(checker: Checker, call: Call) -> None:
    r"""Note that \sigma(x) is the function, where \sigma^2 is a value."""
    name = call.function
    if not isinstance(name, Letter) or name.text not in APPLIED or call.axes:
        return
    defined = checker.names.defined
    values = [d for own in (f"{name.text}^{{2}}", f"{name.text}sq") for d in defined.get(own, ())]
    if name.text not in defined and any(
        d.kind != "function" and not isinstance(d.body, Number) for d in values
    ):
        text, whole = checker.report.text(name.span), checker.report.text(call.span)
        checker.report.note(
            "meaning",
            call.span,
            f"{whole} is the function {APPLIED[name.text]}, though {text}^2 is a value here",
            hint=rf"for the product, write {text} \odot (...)",
        )


def _factors(product: Expression) -> list[Expression]:
    if isinstance(product, Binary) and product.how == "juxtaposed":
        return [*_factors(product.left), *_factors(product.right)]
    return [product]


def _slash(checker: Checker, part: Binary) -> None:
    """Note what a slash divides by: x^2 / 2 s^2 is x^2 / (2 s^2), and k / 2 x is (k / 2) x."""
    text = checker.report.text
    match part:
        case Binary(op="/", how="below", left=above, right=below):
            said = f"{text(above.span)} / ({text(below.span)})"
            number, *factors = _factors(below)
            factor = " ".join(text(one.span) for one in factors)
            other = f"({text(above.span)} / {text(number.span)}) {factor}"
        case Binary(
            op="*",
            how="juxtaposed",
            left=Binary(op="/", left=Letter() as above, right=Number() as number) as quotient,
            right=Letter() | Scripts() as last,
        ) if "(" not in text(part.span) and quotient.how != "frac":
            said = f"({text(quotient.span)}) {text(last.span)}"
            other = f"{text(above.span)} / ({text(number.span)} {text(last.span)})"
        case _:
            return
    checker.report.note(
        "meaning",
        part.span,
        f"{text(part.span)} is {said}",
        hint=f"or write {other}, if this is meant",
    )


def _factor(checker: Checker, body: Expression) -> None:
    """Note x^2 (x > 0) at the end of a definition: a factor of 1 or 0, and not what it holds for."""
    text = checker.report.text
    for part in walk(body):
        match part:
            case Call(function=first, arguments=(Relation() | Logic() as last,), bracket="("):
                known = checker.type_of(first) is not None
            case Binary(op="*", how="juxtaposed", right=Relation() | Logic() as last):
                known = text(part.span).endswith(")")
            case _:
                continue
        if known and part.span.end == body.span.end:
            said = text(last.span)
            said = said[1:-1] if said.startswith("(") and said.endswith(")") else said
            checker.report.note(
                "meaning",
                part.span,
                f"{text(part.span)} is a product: ({said}) is 1 where this holds, and 0 elsewhere",
                hint=rf"write [{said}] to say so, or \text{{for }} {said} where the formula is for that",
            )
            return
