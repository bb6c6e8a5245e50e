r"""What is given before the first element of an axis: x_0 = 0, beside x \in \mathbb{R}^{time}.

The tensor has no such element. Formulas of elements and of those before them, x_{time(t)} - x_{time(t-1)},
take the value that is given where t is 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from namedtensor.latex.reading.asides import Entry
from namedtensor.latex.reading.spoken import head_of, key_of, sections_around
from namedtensor.latex.reading.statements import Found
from namedtensor.latex.syntax import (
    At,
    Binary,
    Case,
    Cases,
    Declaration,
    Definition,
    Expression,
    Indexed,
    Letter,
    Number,
    Relation,
    Scripts,
)
from namedtensor.latex.walk import put

#: The values before the first elements, by a letter and an axis; x_0 is that of any axis.
Given = Mapping[tuple[str, str], Expression]


def put_before_first(entries: Sequence[Entry], parents: Sequence[int]) -> None:
    """Put what is given before the first elements of declared tensors where formulas refer to these."""
    given: dict[int, dict[tuple[str, str], Expression]] = {}
    declared: set[tuple[int, str]] = set()
    defined: set[tuple[int, str]] = set()
    for entry in entries:
        statement, section = entry.statement, entry.region.section
        if isinstance(statement, Declaration) and statement.space.axes:
            declared |= {(section, key_of(name)) for name in statement.names}
        elif isinstance(statement, Definition):
            zeroth = _zeroth(statement.target)
            if zeroth is None:
                defined.add((section, head_of(statement.target)))
            elif statement.op == "=":
                given.setdefault(section, {})[zeroth] = statement.body
    for entry in entries if given else ():
        around = sections_around(entry.region.section, parents)
        known = {
            (letter, axis): value
            for section in reversed(around)
            for (letter, axis), value in given.get(section, {}).items()
            if any((at, letter) in declared for at in around)
            and not any((at, letter) in defined for at in around)
        }
        statement = entry.statement
        if known and isinstance(statement, Definition):
            assert isinstance(entry.read, Found)
            entry.read.statement = replace(statement, body=put(statement.body, _Before(known)))


def _zeroth(target: Expression) -> tuple[str, str] | None:
    """Give the letter and the axis of x_{time(0)}, and the letter alone of x_0."""
    match target:
        case Indexed(base=Letter(text=text), items=(At(axis=axis, at=Number(value=0)),)):
            return text, axis.name
        case Scripts(base=Letter(text=text), sub=Number(value=0), sup=None, primes=0):
            return text, ""
    return None


class _Before:
    """What to put for the elements before others, given those before the first."""

    def __init__(self, given: Given) -> None:
        self._given = given

    def __call__(self, part: Any) -> Expression | None:
        """Give x_{time(t-1)} in cases: what is given where t is 1, and the element elsewhere."""
        if not isinstance(part, Indexed) or len(part.items) != 1:
            return None
        match part.base:
            case Scripts(base=Letter() as letter, sub=None, sup=Number(), primes=0) as power:
                cases = self._cases(replace(part, base=letter), letter)
                return None if cases is None else replace(power, span=part.span, base=cases)
            case Letter() as letter:
                return self._cases(part, letter)
        return None

    def _cases(self, element: Indexed, letter: Letter) -> Cases | None:
        match element.items[0]:
            case At(
                axis=axis, at=Binary(op="-", left=Letter() as index, right=Number(value=1) as one)
            ):
                own, any_axis = (letter.text, axis.name), (letter.text, "")
                value = self._given.get(own, self._given.get(any_axis))
                first = Relation(element.span, index, (("=", one),))
                if value is not None:
                    rows = Case(value.span, value, first), Case(element.span, element, None)
                    return Cases(element.span, rows)
        return None
