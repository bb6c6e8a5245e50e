"""Find axes in places where the notation allows none, functions without axes, and misspelt axes."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from typing import TypeVar

from namedtensor.latex.check.report import Report, listed
from namedtensor.latex.evaluation.conditions import is_one
from namedtensor.latex.evaluation.vocabulary import word_of
from namedtensor.latex.printing.dialects import Dialect
from namedtensor.latex.source import Span
from namedtensor.latex.syntax import (
    AxisName,
    Big,
    Binary,
    Call,
    Contract,
    Declaration,
    Definition,
    Expression,
    Indexed,
    Letter,
    Matrix,
    Scripts,
    Space,
    Statement,
    Under,
)
from namedtensor.latex.walk import all_of, walk
from namedtensor.primitives import Type, table

Thing = TypeVar("Thing")


def check_annotations(body: Expression, report: Report, dialect: Dialect) -> None:
    """Report axes under operands and signs, and note powers after the argument of a function."""
    for part in walk(body):
        if isinstance(part, Under) and not is_one(part.operand) and not report.any_in(part.span):
            _under_operand(part, report, dialect)
        elif isinstance(part, Binary) and part.axes and part.op in ("+", "-"):
            _under_sign(part, report, dialect)
        elif isinstance(part, Call) and _reaches_over_power(part, report):
            _reach(part, report)
        elif isinstance(part, Big) and part.axes:
            _reach_over_sum(part, report)


def named(axes: Iterable[AxisName]) -> str:
    """List axes in words."""
    return listed([axis.name for axis in axes])


def _under_operand(part: Under, report: Report, dialect: Dialect) -> None:
    operand = report.text(part.operand.span)
    axes = [axis.name for axis in part.axes]
    report.error(
        "axis-under-operand",
        part.span,
        f"{named(part.axes)} stands under {operand}, which is no operation; axes under an operand "
        "say nothing",
        hint=f"to contract over {named(part.axes)}, write it under the dot: "
        f"{dialect.dot(axes)} {operand}",
    )


def _under_sign(part: Binary, report: Report, dialect: Dialect) -> None:
    axes = [axis.name for axis in part.axes]
    sign = {"+": "a sum", "-": "a difference"}[part.op]
    function = _function_of(part.right)
    if function is not None:
        hint = f"is it meant for {function}? {dialect.function(function, axes)}"
    else:
        hint = f"write {part.op} alone: parts meet on the axes that they share"
    report.error(
        "axis-under-sign",
        part.axes[0].span | part.axes[-1].span,
        f"{named(part.axes)} stands under {part.op}; {sign} is elementwise and uses up no axes",
        hint=hint,
    )


def _reaches_over_power(part: Call, report: Report) -> bool:
    """Say whether the brackets after a function have a power: mean_{seq} (X - Y)^2 W."""
    first = part.arguments[0] if part.axes and not part.bracket else None
    while isinstance(first, Binary) and first.op == "*":
        first = first.left
    if not isinstance(first, Scripts):
        return False
    return report.text(first.span).removeprefix("\\left").startswith("(")


def _reach(part: Call, report: Report) -> None:
    name, argument = getattr(part.function, "text", "the function"), part.arguments[0]
    written = report.text(argument.span)
    report.note(
        "reach",
        argument.span,
        f"{name} reaches over the power: it is the {name} of {written}",
        hint=f"for the power of the {name}, put brackets around it: \\left( ... \\right)^2"
        if isinstance(argument, Scripts)
        else f"where the {name} ends earlier, put brackets around what it is of",
    )


def _reach_over_sum(part: Big, report: Report) -> None:
    r"""Note a sum over named axes among the factors of another: \sum_{ctx} X \cdot \sum_{word} X."""
    factors = part.body
    while isinstance(factors, Binary) and factors.op == "*" and not factors.axes:
        inner, factors = factors.right, factors.left
        bracket = report.text(inner.span).startswith(("(", "\\left", "["))
        if isinstance(inner, Big) and inner.axes and inner.axes != part.axes and not bracket:
            of = report.text(inner.span)
            before = report.text(Span(part.span.start, factors.span.end))
            report.note(
                "reach",
                part.span,
                f"the \\{part.op} over {named(part.axes)} reaches over {of} too",
                hint=f"where it ends before, put brackets around it: \\left( {before} \\right) {of}",
            )


def _function_of(part: Expression) -> str | None:
    """Give the function that a part applies without axes; None if there is none."""
    if isinstance(part, Call) and _lacks_axes(part) and isinstance(part.function, Letter):
        return part.function.text
    return None


def _lacks_axes(part: Call) -> bool:
    function, count = part.function, len(part.arguments)
    if part.axes or not isinstance(function, Letter) or function.style != "word":
        return False
    word = word_of(function.text)
    if word is None or word.along is None:
        return False
    return count == 1 if word.or_several else count > 0


def no_axis(part: Expression, report: Report, dialect: Dialect, type_: Type | None) -> None:
    """Report a function or a sum that acts along axes and names none."""
    word = word_of(getattr(part.function, "text", "")) if isinstance(part, Call) else None
    count = table()[word.name].traits.needs if word is not None and word.name in table() else 1
    axes = ["ax"] if count == 1 else ["row", "col"]
    if type_ is not None and len(type_.axes) >= count:
        axes = list(type_.names[-count:])
    if isinstance(part, Call):
        span, name = part.function.span, getattr(part.function, "text", "the function")
        hint = f"write its axes under it: {dialect.function(name, axes)}"
    else:
        span, name = part.span, f"\\{part.op}" if isinstance(part, Big) else report.text(part.span)
        hint = f"write its axes below it: {name}_{{{dialect.axis(axes[0])}}}"
    if report.has("undefined", span) or all_of(Matrix, part):
        return
    message = f"{name} acts along axes, and none is named"
    report.error("no-axis", span, message, hint=hint)


# ---------------------------------------------------------------------- names that look like slips


def alike(a: str, b: str) -> bool:
    """Say whether two axis names may be spellings of one name.

    >>> alike("hid", "hidden"), alike("height", "heigth"), alike("hidden_1", "hidden_2")
    (True, True, False)
    >>> alike("seq", "seq'"), alike("key", "val"), alike("head", "heads")
    (False, False, True)
    """
    a, b = _stem(a), _stem(b)
    if a == b or min(len(a), len(b)) < 3 or _digits(a) != _digits(b):
        return False
    short, long = sorted((a, b), key=len)
    if long.startswith(short):
        return "_" not in long[len(short) :]
    # a typo seldom changes the first letter: patch and batch are two words
    return len(short) >= 4 and short[0] == long[0] and _one_slip(short, long)


def prefixed(a: str, b: str) -> bool:
    """Say whether one name begins with the other: hid, hidden."""
    return _stem(a).startswith(_stem(b)) or _stem(b).startswith(_stem(a))


def _is_macro(written: str) -> bool:
    """Say whether an axis is written as a macro, \\emb."""
    return written.startswith("\\") and "{" not in written


def _stem(name: str) -> str:
    return name.rstrip("*").rstrip("'").casefold()


def _digits(name: str) -> str:
    return "".join(c for c in name if c.isdigit())


def _one_slip(short: str, long: str) -> bool:
    """Say whether two words differ by one letter, or by two neighbouring letters exchanged."""
    if len(long) - len(short) > 1:
        return False
    start = len(
        list(itertools.takewhile(lambda pair: pair[0] == pair[1], zip(short, long, strict=False)))
    )
    a, b = short[start:], long[start:]
    if len(short) == len(long):
        return a[1:] == b[1:] or (a[1::-1] == b[:2] and a[2:] == b[2:])
    return a == b[1:]


def check_near_duplicates(statements: Sequence[Statement], report: Report) -> None:
    """Report axis names of one section that look alike, unless they have another finding."""
    first: dict[int, dict[str, AxisName]] = {}
    uses: dict[tuple[int, str], int] = {}
    for statement in statements:
        for axis in {a.name: a for a in all_of(AxisName, statement)}.values():
            first.setdefault(statement.section, {}).setdefault(axis.name, axis)
            key = statement.section, axis.name
            uses[key] = uses.get(key, 0) + 1
    told: set[str] = set()
    for section, names in first.items():
        for a, b in itertools.combinations(sorted(names), 2):
            if alike(a, b) and not told & {a, b}:
                rare, usual = sorted((a, b), key=lambda n: (uses[section, n], -len(n)))
                told.add(rare)
                single = uses[section, rare] == 1 or prefixed(rare, usual)
                written = [report.text(names[n].span) for n in (rare, usual)]
                if report.any_in(names[rare].span) or not single or all(map(_is_macro, written)):
                    continue
                report.warning(
                    "near-duplicate",
                    names[rare].span,
                    f"the axes {rare} and {usual} look alike, and are two different axes",
                    hint=f"if one axis is meant, write {report.text(names[usual].span)}",
                )


#: The text before axes: the base of a space, an operator over axes, or the name of a function.
_BEFORE_AXES = (
    r"(?:\\mathbb *\{? *[RZNBC] *\}? *\^|\\(?:R|reals|Reals|RR) *\^"
    r"|\\(?:sum|prod|max|min) *_|\\(?:operatorname\*?|mathop|text|mathrm) *\{\w+\} *_|\\underset *)"
)


def check_italics(statements: Sequence[Statement], report: Report) -> None:
    """Report an axis in italics in a place of axes: it is read as a product of letters."""
    axes = [axis for statement in statements for axis in all_of(AxisName, statement)]
    read = {axis.span.start for axis in axes}
    written = {report.text(a.span).rstrip("'"): a.name.rstrip("'") for a in reversed(axes)}
    dressed = {name: text for text, name in written.items() if text != name}
    words = [name for name in dressed if len(name) > 2 and name.isalpha()]
    if not words:
        return
    pattern = rf"{_BEFORE_AXES}\{{[^{{}}]*?(?<![A-Za-z\\])({'|'.join(words)})(?![A-Za-z])"
    for statement in statements:
        text = report.source.text[statement.span.start : statement.span.end]
        for found in re.finditer(pattern, text):
            name, at = found[1], statement.span.start
            if at + found.start(1) not in read:
                report.warning(
                    "near-duplicate",
                    Span(at + found.start(1), at + found.end(1)),
                    f"{name} in italics is {' times '.join(name)}, and the axis {name} is another thing",
                    hint=f"if the axis is meant, write {dressed[name]}",
                )


def check_repeated(statement: Statement, report: Report) -> None:
    """Report repetitions: of axes in a shape or an operation, of indices, of arguments."""
    for part in walk(statement):
        if isinstance(part, Space):
            axes, where = [s.axis for s in part.axes], "the shape"
        elif isinstance(part, (Contract, Big, Call, Binary)) and part.axes:
            axes, where = list(part.axes[: _distinct(part)]), "the operation"
        elif isinstance(part, Indexed):
            axes, where = [i.axis for i in part.indices], "the index"
        else:
            continue
        for axis in _again(axes):
            report.error(
                "repeated",
                axis.span,
                f"{where} names the axis {axis.name} twice; axes are a set",
                hint=f"call the second one {axis.name}', or leave it out",
            )
    if isinstance(statement, Definition) and isinstance(statement.target, Call):
        target = statement.target
        for name in _again((*target.arguments, *target.parameters)):
            if isinstance(name, (Letter, Scripts)):
                function = report.text(target.function.span)
                report.error(
                    "repeated",
                    name.span,
                    f"{function} has the argument {report.text(name.span)} twice",
                    hint="give each argument a name of its own",
                )
    elif isinstance(statement, Declaration):
        for name in _again(statement.names):
            report.warning(
                "repeated",
                name.span,
                f"{report.text(name.span)} is declared twice in one list",
                hint="leave one out",
            )


def _distinct(part: object) -> int | None:
    """Say how many of the first axes must be distinct; None for all. diag and scatter may repeat one."""
    name = part.function if isinstance(part, Call) else None
    word = word_of(name.text) if isinstance(name, Letter) else None
    return getattr(word.along, "distinct", None) if word is not None else None


def _again(names: Sequence[Thing]) -> list[Thing]:
    """List the items of a list that are repetitions of an item before."""
    return [name for at, name in enumerate(names) if name in names[:at]]
