r"""Letters that a section uses twice: p of \text{feat}:p for a size, and p = \sigma(X \cdot b) for a tensor.

Outside of spaces such a letter is what is defined. The axes that it sizes keep one size among them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

from namedtensor.latex.documents.scripts import key
from namedtensor.latex.reading.spoken import sections_around
from namedtensor.latex.syntax import (
    AxisSize,
    Big,
    Contract,
    Declaration,
    Definition,
    Indexed,
    Letter,
    SizedAxis,
    Statement,
)
from namedtensor.latex.walk import all_of, put, walk

#: A section, and a letter.
Here = tuple[int, str]


def defined_sizes(
    statements: Sequence[Statement], parents: Sequence[int]
) -> dict[Here, Definition]:
    """Find the letters of sizes that their section defines as something that is computed from tensors."""
    sizes = {here for s in statements for here, _ in _sized(s)}
    if not sizes:
        return {}
    spaces = [s for s in statements if isinstance(s, Declaration) and s.space.axes]
    given = [s for s in statements if isinstance(s, Definition) and s.op == "="]
    tensors = {(s.section, key(name)) for s in spaces for name in s.names}

    def known(letter: str, section: int) -> bool:
        return any((around, letter) in tensors for around in sections_around(section, parents))

    def computed(statement: Definition) -> bool:
        return any(
            isinstance(part, (Big, Contract, Indexed))
            or (isinstance(part, Letter) and known(part.text, statement.section))
            for part in walk(statement.body)
        )

    while True:
        more = {(s.section, key(s.target)) for s in given if computed(s)} - tensors
        if not more:
            break
        tensors |= more
    found: dict[Here, Definition] = {}
    for statement in given:
        here = statement.section, key(statement.target) or ""
        if here in sizes and computed(statement):
            found.setdefault(here, statement)
    return found


def without_letters(
    statements: Sequence[Statement], letters: dict[Here, Definition]
) -> list[Statement]:
    """Take letters out of spaces: of the axes that one sizes, the others have the size of the first."""
    first: dict[Here, AxisSize] = {}
    found = []
    for statement in statements:
        new: dict[int, SizedAxis] = {}
        for here, axis in _sized(statement):
            if here in letters:
                own = AxisSize(axis.span, axis.axis)
                size = first.setdefault(here, own)
                new[id(axis)] = dataclasses.replace(
                    axis, size=None if size.axis.name == axis.axis.name else size
                )

        def change(part: Any, new: dict[int, SizedAxis] = new) -> Any:
            return new.get(id(part))

        found.append(put(statement, change) if new else statement)
    return found


def _sized(statement: Statement) -> Iterator[tuple[Here, SizedAxis]]:
    for axis in all_of(SizedAxis, statement):
        letter = None if axis.size is None else key(axis.size)
        if letter is not None:
            yield (statement.section, letter), axis
