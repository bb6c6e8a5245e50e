r"""Statements in the words that the notation has for them.

Mathematicians write names that are no letters, \log Z, which `left_sides` finds. They define a tensor
piece by piece, Y_{half:1} = ..., Y_{half:2} = ..., and say of a diagonal that A_{i,i} = 1. And much
mathematics in their prose only remarks on what the displays define.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from namedtensor.latex.reading.asides import Entry
from namedtensor.latex.reading.hosts import Region
from namedtensor.latex.reading.left_sides import (
    LeftSides,
    derived_function,
    given_names,
    is_target,
    left_sides,
    listed,
    signed,
)
from namedtensor.latex.reading.piecewise import joined
from namedtensor.latex.reading.spoken import key_of, names_of
from namedtensor.latex.reading.statements import Found, is_name
from namedtensor.latex.syntax import (
    At,
    Call,
    Case,
    Cases,
    Constraint,
    Declaration,
    Definition,
    Expression,
    Indexed,
    Items,
    Letter,
    Matrix,
    Number,
    Relation,
    Space,
    Text,
    Unary,
)
from namedtensor.latex.walk import all_of, put

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


def reworded(entries: Sequence[Entry], text: str) -> LeftSides | None:
    """Put statements into the notation's words, and mark those that are remarks; give what was named."""
    joined(entries, text)
    found = [e for e in entries if isinstance(e.read, Found)]
    _declare(found, text)
    named = left_sides([e.statement for e in found])
    if named is not None:
        for entry in found:
            _reword(entry, named)
    _join_pieces(found)
    _mark_remarks(found, text)
    return named


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
    before: Any = entry.read.statement
    statement = put(before, change)
    relation = getattr(statement, "relation", None)
    if isinstance(statement, Constraint) and isinstance(relation, Relation):
        ops = [op for op, _ in relation.rest]
        sides = [side for _, side in relation.rest]
        sign, first = signed(relation.first)
        given = listed(first)
        renamed = before.relation.first is not relation.first
        derived = derived_function(first) if set(ops) == {"="} and not sign else None
        if ops == ["in"] and all(map(is_name, given)) and isinstance(sides[0], Space):
            statement = Declaration(statement.span, given, sides[0])
        elif derived is not None:
            said = tuple(sides[1:])
            statement = Definition(statement.span, derived, sides[0], "=", said, derives=first)
        elif set(ops) == {"="} and renamed and is_target(first):
            body, *chain = [Unary(side.span, sign, side) if sign else side for side in sides]
            statement = Definition(statement.span, first, body, "=", tuple(chain))
    entry.read.statement = statement


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
            for name in given_names(statement):
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
    blocks = displayed.get(key_of(given_names(entry.statement)[0]), set())
    if above is not None and WHERE.match(text[above.span.end : entry.region.span.start]):
        return above.block in blocks
    return bool(blocks)


def _remarks(entry: Entry, text: str, displayed: bool, declared: set[str]) -> bool:
    span, statement = entry.region.span, entry.statement
    assert isinstance(statement, Definition)
    name = key_of(given_names(statement)[0])
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
