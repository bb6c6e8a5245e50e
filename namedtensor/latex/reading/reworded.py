r"""Statements in the words that the notation has for them.

Mathematicians write names that are no letters: \Delta W, \log Z, p(y \mid x), \|s\| on the left side of an
equation are what that equation defines, and stand for it wherever they are written again. The derivatives
of a function, \frac{\partial f(X)}{\partial X} and \partial f(X), are functions of their own. They define
a tensor piece by piece, Y_{half:1} = ..., Y_{half:2} = ..., and say of a diagonal that A_{i,i} = 1. And much
mathematics in their prose only remarks on what the displays define.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from namedtensor.latex.printing.names import identifier, named
from namedtensor.latex.reading.asides import Entry
from namedtensor.latex.reading.hosts import Region
from namedtensor.latex.reading.spoken import head_of, key_of, names_of
from namedtensor.latex.reading.statements import Found, is_name
from namedtensor.latex.syntax import (
    At,
    Bars,
    Binary,
    Call,
    Case,
    Cases,
    Constraint,
    Declaration,
    Definition,
    Derivative,
    Expression,
    Indexed,
    Items,
    Letter,
    Matrix,
    Number,
    Relation,
    Scripts,
    Space,
    Statement,
    Text,
)
from namedtensor.latex.walk import all_of, put

#: Greek letters that are written before another one to make a name of both.
MARKS = frozenset(("Delta", "delta", "nabla"))

LOGARITHMS = frozenset(("log", "ln"))

#: What stands before mathematics in prose that only remarks.
REMARKS = re.compile(
    r"\b(?:in (?:matrix|vector|index|scalar) (?:notation|form|terms)|"
    r"for (?:example|instance)|e\.\s?g\.|i\.\s?e\.|say|"
    r"if|when|whenever|suppose|assume|unless)\b[^.;$]*$",
    re.IGNORECASE,
)

#: What stands before a number that a letter has at first, and before that with which a series starts.
FIRST = re.compile(r"\b(?:at the start|at first|initially)\b[^.;$]*$", re.IGNORECASE)

#: What stands between a display and what says what its letters are.
WHERE = re.compile(
    r"(?:[\s$.,;]|\\\]|\\end\{[a-z*]+\})*(?:where|in which)\b(?:(?!\.\s).)*$", re.DOTALL
)

#: What stands around a number that is tried: "with $\tau = 1$ we get", "for $n = 3$ this is".
TRIED = re.compile(r"\b(?:with|for|at|setting|taking)\s+$", re.IGNORECASE)
GIVES = re.compile(
    r"\s*,?\s*(?:we\s+(?:get|have|obtain|recover|are)|this|these|it\b|one\s+(?:gets|has)|there)",
    re.IGNORECASE,
)


#: What stands in prose between a name and the space that it is in, and between names.
WITHIN = re.compile(
    r"\$\s*(?:(?:is|are|be|lies?|live[sd]?|all|both|each)\s+)*(?:in|from|of shape)\s+\$"
)
BESIDE = re.compile(r"\$\s*(?:,|and|,\s*and)\s+\$")


def reworded(entries: Sequence[Entry], text: str) -> None:
    """Put statements into the notation's words, and mark those that are remarks."""
    found = [e for e in entries if isinstance(e.read, Found)]
    _declare(found, text)
    change = _compound_names(found)
    if change is not None:
        for entry in found:
            _reword(entry, change)
    _join_pieces(found)
    _mark_remarks(found, text)


def _declare(entries: Sequence[Entry], text: str) -> None:
    r"""Take a space in prose for the declaration of the names before it: $A$ and $B$ in $\mathbb{R}^{..}$."""
    for at, entry in enumerate(entries):
        space = getattr(entry.statement, "relation", None)
        if not isinstance(space, Space) or not space.axes or entry.region.display:
            continue
        names: list[Expression] = []
        mark, after = WITHIN, entry.region.span.start
        for other in reversed(entries[:at]):
            said = getattr(other.statement, "relation", None)
            listed = isinstance(said, Items) and not said.bracket
            given: tuple[Any, ...] = said.parts if listed and isinstance(said, Items) else (said,)
            between = text[other.region.span.end : after]
            if not all(map(is_name, given)) or not mark.fullmatch(between):
                break
            names[:0] = given
            mark, after = BESIDE, other.region.span.start
        if names:
            assert isinstance(entry.read, Found)
            entry.read.statement = Declaration(names[0].span | space.span, tuple(names), space)
            entry.read.said = True


def _reword(entry: Entry, change: Callable[[Any], Any]) -> None:
    assert isinstance(entry.read, Found)
    statement = put(entry.read.statement, change)
    relation = getattr(statement, "relation", None)
    if isinstance(statement, Constraint) and isinstance(relation, Relation):
        ops = [op for op, _ in relation.rest]
        sides = [side for _, side in relation.rest]
        first = relation.first
        given = _listed(first)
        derived = _derived_function(first) if set(ops) == {"="} else None
        if ops == ["in"] and all(map(is_name, given)) and isinstance(sides[0], Space):
            statement = Declaration(statement.span, given, sides[0])
        elif derived is not None:
            said = tuple(sides[1:])
            statement = Definition(statement.span, derived, sides[0], "=", said, derives=first)
        elif set(ops) == {"="} and statement is not entry.read.statement and _is_target(first):
            statement = Definition(statement.span, first, sides[0], "=", tuple(sides[1:]))
    entry.read.statement = statement


def _listed(first: Expression) -> tuple[Expression, ...]:
    """Give what is listed without brackets, and anything else alone."""
    return first.parts if isinstance(first, Items) and not first.bracket else (first,)


def _is_target(first: Expression) -> bool:
    if isinstance(first, Call):
        given = (*first.arguments, *first.parameters)
        return is_name(first.function) and all(is_name(a) for a in given)
    return is_name(first)


# ------------------------------------------------------------------------------------ names


def _compound_names(entries: Sequence[Entry]) -> Callable[[Any], Any] | None:
    """Find what left sides name that is no letter, and say how a part is given its letter."""
    known = {key_of(name) for e in entries for name in _given(e.statement)}
    found: set[str] = set()
    givens: set[str] = set()
    derived = False
    for entry in entries:
        statement = entry.statement
        relation = getattr(statement, "relation", None)
        if not isinstance(statement, Constraint) or not isinstance(relation, Relation):
            continue
        first, (op, _) = relation.first, relation.rest[0]
        if op not in ("=", "in"):
            continue
        for part in _listed(first):
            compound = _compound(part, known)
            if compound is not None and (op == "in" or not isinstance(part, Derivative)):
                found.add(compound[0])
        derived = derived or _derived_function(first) is not None
        for call in all_of(Call, first):
            if _is_given(call) and head_of(call.function) not in known:
                givens.add(_text(call))
    several = {t for t in givens if sum(o.split("(")[0] == t.split("(")[0] for o in givens) > 1}

    def change(part: Any) -> Any:
        # what is given is put first: \log p(y | x) is the logarithm of a function of both
        given = _given_that(part, givens, several)
        if given is not None:
            return given
        compound = _compound(part)
        return compound[1] if compound is not None and compound[0] in found else None

    return change if found or givens or derived else None


def _compound(part: Any, known: Collection[str] = ()) -> tuple[str, Expression] | None:
    r"""Give a key for \Delta W, \log Z, \log p(y), \|s\| or \partial X, and the name that may stand for it.

    Where their parts are `known`, \Delta W is a product and \log Z a logarithm.
    """
    match part:
        case Binary(how="juxtaposed", left=Letter(text=mark) as left, right=right):
            if mark in MARKS and mark not in known and is_name(right):
                return f"{mark} {head_of(right)}", _marked(right, left, mark)
        case Call(function=Letter(text=word) as log, axes=(), arguments=(inner,)):
            name = inner.function if isinstance(inner, Call) else inner
            if word in LOGARITHMS and is_name(name) and key_of(name) not in known:
                letter = _marked(name, log, "log")
                whole = replace(inner, function=letter) if isinstance(inner, Call) else letter
                return f"log {head_of(name)}", whole
        case Bars(double=True, axes=(), operand=Letter(text=text)):
            return f"| {text}", Letter(part.span, f"norm{text}", "word")
        case Derivative(by=None, of=of) if is_name(of):
            derived = derivative_name(part)
            return None if derived is None else (f"d {key_of(of)}", derived)
    return None


def _marked(name: Any, before: Letter, mark: str) -> Letter | Scripts:
    """Put a mark before the letter of a name, which keeps its scripts."""
    base: Any = name.base if isinstance(name, Scripts) else name
    letter = Letter(before.span | base.span, mark + base.text, "word")
    return replace(name, base=letter) if isinstance(name, Scripts) else letter


def _given(statement: Statement) -> list[Expression]:
    """Give the names that a statement declares or defines."""
    if isinstance(statement, Declaration):
        return list(statement.names)
    if isinstance(statement, Definition):
        target = statement.target
        return [target.function if isinstance(target, Call) else target]
    return []


def derivative_name(part: Expression) -> Letter | Scripts | None:
    r"""Name a derivative: df_dX of \frac{\partial f(X)}{\partial X}, df of \partial f(X), dX of \partial X.

    >>> from namedtensor.latex.reading.reader import parse_expression
    >>> identifier(derivative_name(parse_expression(r"\frac{\partial}{\partial X} \partial f(X)")))
    'ddf_dX'
    """
    if not isinstance(part, Derivative):
        return None
    inner = derivative_name(part.of) or part.of
    of = inner.function if isinstance(inner, Call) else inner
    names = [identifier(each) for each in (of, part.by) if each is not None]
    if None in names:
        return None
    return named("_".join([f"d{name}" for name in names]), part.span)


def _derived_function(part: Expression) -> Call | None:
    """Give the function that the derivative of a function is, with the arguments of that."""
    name, of = derivative_name(part), part
    while isinstance(of, Derivative):
        of = of.of
    if name is None or not isinstance(of, Call) or not _is_target(of):
        return None
    return replace(of, function=name)


def _is_given(call: Call) -> bool:
    """Say whether a call is of what is given: p(y | x)."""
    return any(
        isinstance(a, Relation) and [op for op, _ in a.rest] == ["mid"] for a in call.arguments
    )


def _text(call: Call) -> str:
    parts = [*_parted(call)]
    return f"{head_of(call.function)}({','.join(key_of(p) for p in parts)})"


def _parted(call: Call) -> list[Expression]:
    """Give what is given and what for: y and x of p(y | x)."""
    found: list[Expression] = []
    for argument in call.arguments:
        sides = [argument]
        if isinstance(argument, Relation):
            sides = [argument.first, *[side for _, side in argument.rest]]
        for side in sides:
            found += side.parts if isinstance(side, Items) else [side]
    return found


def _given_that(part: Any, givens: set[str], several: set[str]) -> Call | None:
    """Take p(y | x) for a function p of y and x; where p is several, each has its own name."""
    if not isinstance(part, Call) or not isinstance(part.function, Letter) or not _is_given(part):
        return None
    head, text = part.function.text, _text(part)
    if all(given.split("(")[0] != head for given in givens):
        return None
    function = replace(part.function, text=text if text in several else head)
    return replace(part, function=function, arguments=tuple(_parted(part)))


# ----------------------------------------------------------------------------------- pieces


def _join_pieces(entries: Sequence[Entry]) -> None:
    """Join Y_{half:1} = a and Y_{half:2} = b to one definition, by cases of an index of its own."""
    groups: dict[tuple[int, str], list[tuple[Entry, Definition, At]]] = {}
    others: set[str] = set()
    for entry in entries:
        statement = entry.statement
        if not isinstance(statement, Definition) or not isinstance(statement.target, Indexed):
            continue
        name = key_of(statement.target.base)
        places = [i for i in statement.target.items if isinstance(i, At)]
        if any(not isinstance(i.at, Number) for i in places):
            others.add(name)
        elif len(statement.target.items) == 1 and places and statement.op == "=":
            group = groups.setdefault((entry.region.section, name), [])
            group.append((entry, statement, places[0]))
    for (_, name), group in groups.items():
        numbers = [getattr(place.at, "value", None) for _, _, place in group]
        if name not in others and len(group) > 1 and numbers == [*range(1, len(group) + 1)]:
            _join(group)


def _join(group: Sequence[tuple[Entry, Definition, At]]) -> None:
    """Make one definition of the pieces of a tensor, and set the pieces aside."""
    (_, first, place), (_, last, _) = group[0], group[-1]
    index = Letter(first.target.span, "piece")
    rows = [
        Case(each.span, each.body, Relation(at.span, index, (("=", at.at),)))
        for _, each, at in group
    ]
    rows[-1] = Case(last.span, last.body, None)
    assert isinstance(first.target, Indexed)
    target = replace(first.target, items=(replace(place, at=index),))
    joined = Definition(first.span, target, Cases(first.span | last.span, tuple(rows)))
    for entry, _, _ in group:
        assert isinstance(entry.read, Found)
        entry.read.part_of = "it is a piece of the definition on another line"
    read = group[0][0].read
    assert isinstance(read, Found)
    read.statement, read.part_of = joined, ""


# ---------------------------------------------------------------------------------- remarks


def _mark_remarks(entries: Sequence[Entry], text: str) -> None:
    """Mark definitions that only remark: in prose, of what is defined or declared elsewhere."""
    displayed: dict[str, set[int]] = {}
    declared: set[str] = set()
    for entry in entries:
        statement, read = entry.statement, entry.read
        assert isinstance(read, Found)
        if isinstance(statement, Declaration):
            declared |= {key_of(name) for name in statement.names}
        elif isinstance(statement, Definition) and entry.region.display:
            for name in _given(statement):
                displayed.setdefault(key_of(name), set()).add(entry.region.block)
    above: Region | None = None
    for entry in entries:
        statement, read = entry.statement, entry.read
        assert isinstance(read, Found)
        above = entry.region if entry.region.display else above
        if not isinstance(statement, Definition) or statement.op != "=" or read.part_of:
            continue
        if _is_prose(statement):
            read.part_of = "what it says is given as data"
        elif not (read.named or entry.region.display) and _remarks(
            entry, text, _elsewhere(entry, text, above, displayed), declared
        ):
            read.part_of = "it is a remark"


def _elsewhere(
    entry: Entry, text: str, above: Region | None, displayed: Mapping[str, set[int]]
) -> bool:
    """Say whether a display defines what prose defines: where-clauses are those of the display above."""
    assert isinstance(entry.statement, Definition)
    blocks = displayed.get(key_of(_given(entry.statement)[0]), set())
    if above is not None and WHERE.match(text[above.span.end : entry.region.span.start]):
        return above.block in blocks
    return bool(blocks)


def _remarks(entry: Entry, text: str, displayed: bool, declared: set[str]) -> bool:
    span, statement = entry.region.span, entry.statement
    assert isinstance(statement, Definition)
    name = key_of(_given(statement)[0])
    before = text[max(0, span.start - 90) : span.start].rstrip("$\\(").rsplit("\n\n", 1)[-1]
    at_first = isinstance(statement.target, Letter) and FIRST.search(before)
    if displayed or at_first or REMARKS.search(before):
        return True
    number = not any(key_of(n) in declared for n in names_of(statement.body))
    if isinstance(statement.target, Call) or not number or any(all_of(Matrix, statement.body)):
        return False
    after = text[span.end : span.end + 40].lstrip("$\\)")
    return name in declared or bool(TRIED.search(before) and GIVES.match(after))


def _is_prose(statement: Definition) -> bool:
    """Say whether a definition by elements has a condition in words: what holds is data."""
    if not isinstance(statement.target, Indexed):
        return False
    return any(
        isinstance(row.condition, Text) and " " in row.condition.text
        for cases in all_of(Cases, statement.body)
        for row in cases.rows
    )
