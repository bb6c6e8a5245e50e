r"""Members of a family that computed indices choose: F_{e_t}(x), where F_e(x) = ... is a function for each e.

Such a call is the sum over all members, of which one is not 0: \sum_i F_i(x) [i = e_t].
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from namedtensor.latex.reading.asides import Entry
from namedtensor.latex.reading.own_letters import free_indices, letters_read
from namedtensor.latex.reading.spoken import head_of, indexed
from namedtensor.latex.syntax import (
    AxisName,
    AxisSize,
    Big,
    Call,
    Case,
    Cases,
    Definition,
    Expression,
    Indexed,
    Letter,
    Number,
    Relation,
    Scripts,
)
from namedtensor.latex.walk import all_of, put


def put_chosen_members(entries: Sequence[Entry]) -> None:
    """Write calls of the member of a family that a computed index chooses as sums over all members."""
    families: dict[str, AxisName] = {}
    for entry in entries:
        match entry.statement:
            case Definition(
                target=Call(function=Scripts(sub=Letter(text=letter), sup=None) as name), body=body
            ) if len(axes := {axis.name: axis for axis in indexed(body, letter)}) == 1:
                families[head_of(name)] = next(iter(axes.values()))
    free = free_indices(letters_read(entries)) if families else []
    for entry in entries if free else ():
        if any(_is_chosen(call, families) for call in all_of(Call, entry.statement)):
            change = _Written(families, free[0])
            entry.found.statement = put(entry.statement, change)


def _is_chosen(part: Any, families: Mapping[str, AxisName]) -> bool:
    match part:
        case Call(function=Scripts(sub=Scripts() | Indexed(), sup=None, primes=0) as name):
            return head_of(name) in families
    return False


class _Written:
    """What to put for a call of a chosen member; one call in another gets a sum inside of the sum."""

    def __init__(self, families: Mapping[str, AxisName], letter: str) -> None:
        self._families, self._letter = families, letter

    def __call__(self, part: Any) -> Expression | None:
        """Give the sum that stands for a call; None for any other part."""
        if not _is_chosen(part, self._families):
            return None
        at, axis = part.span, self._families[head_of(part.function)]
        index = Letter(at, self._letter)
        member = replace(
            part, function=replace(part.function, sub=index), arguments=put(part.arguments, self)
        )
        rows = (
            Case(at, member, Relation(at, index, (("=", part.function.sub),))),
            Case(at, Number(at, 0), None),
        )
        first = Relation(at, index, (("=", Number(at, 1)),))
        return Big(at, "sum", (), first, AxisSize(at, axis), Cases(at, rows))
