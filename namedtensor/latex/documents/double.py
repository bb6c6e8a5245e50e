r"""Letters that a section uses twice: p of \text{feat}:p for a size, and p = \sigma(X \cdot b) for a tensor.

Outside of spaces such a letter means the defined tensor. The axes that it sizes still share one size.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from typing import Any

from namedtensor.latex.documents.scripts import key, letters_in, stem
from namedtensor.latex.reading.spoken import sections_around
from namedtensor.latex.syntax import (
    AxisName,
    AxisSize,
    Big,
    Contract,
    Declaration,
    Definition,
    Indexed,
    Letter,
    Scripts,
    Signature,
    SizedAxis,
    Statement,
)
from namedtensor.latex.walk import all_of, letters_of, put

#: A section, and a letter.
Here = tuple[int, str]

#: An axis that a letter sizes, and what the letter is defined as besides.
Twice = tuple[SizedAxis, Definition]


def defined_sizes(statements: Sequence[Statement], parents: Sequence[int]) -> dict[Here, Twice]:
    """Find the letters of sizes that their section defines as something that is computed from tensors."""
    sizes: dict[Here, SizedAxis] = {}
    for statement in statements:
        for here, axis in _sized(statement):
            sizes.setdefault(here, axis)
    if not sizes:
        return {}
    spaces = [s for s in statements if isinstance(s, Declaration) and s.space.axes]
    given = [s for s in statements if isinstance(s, Definition) and s.op == "="]
    tensors = {(s.section, key(name)) for s in spaces for name in s.names}

    def known(letter: str, section: int) -> bool:
        return any((around, letter) in tensors for around in sections_around(section, parents))

    def computed(statement: Definition) -> bool:
        return any(all_of(kind, statement.body) for kind in (Big, Contract, Indexed)) or any(
            known(letter.text, statement.section) for letter in letters_of(statement.body)
        )

    while True:
        left = [s for s in given if (s.section, key(s.target)) not in tensors]
        more = {(s.section, key(s.target)) for s in left if computed(s)}
        if not more:
            break
        tensors |= more
    found: dict[Here, Twice] = {}
    for statement in given:
        here = statement.section, key(statement.target) or ""
        if here in sizes and computed(statement):
            found.setdefault(here, (sizes[here], statement))
    return found


def without_letters(statements: Sequence[Statement], letters: Collection[Here]) -> list[Statement]:
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


def sizes_apart(
    statements: Sequence[Statement], parents: Sequence[int] = (0,)
) -> Sequence[Statement]:
    """Write the size N of obs[N] as |obs| where a series has its letter too: N_k.

    Where a section defines N_{class(k)} = ..., and another one has obs[N], its N is what it defines.
    """
    sizes: dict[str, dict[int, AxisName]] = {}
    known: set[str] = set()
    series: set[str] = set()
    sized = {here for statement in statements for here, _ in _sized(statement)}
    own: set[Here] = set()
    for statement in statements:
        if isinstance(statement, Declaration):
            known |= {name.text for name in statement.names if isinstance(name, Letter)}
            for axis in statement.space.axes:
                if isinstance(axis.size, Letter):
                    sizes.setdefault(axis.size.text, {}).setdefault(statement.section, axis.axis)
        elif isinstance(statement, Definition):
            name = (
                statement.target.base if isinstance(statement.target, Indexed) else statement.target
            )
            if name is not statement.target:
                own |= {(statement.section, stem(name) or "")} - sized
            (known if name is statement.target and isinstance(name, Letter) else series).add(
                stem(name) or ""
            )
    both = {name: sizes[name] for name in series & sizes.keys() - known}

    def change(part: Any, section: int) -> Any:
        around = sections_around(section, parents)
        letter = getattr(part, "base", part)
        if isinstance(letter, Letter) and any((at, letter.text) in own for at in around):
            return None
        if isinstance(part, Letter) and part.text in both:
            there = both[part.text]
            near = next((at for at in around if at in there), next(iter(there)))
            return AxisSize(part.span, there[near])
        named = part.base if isinstance(part, (Scripts, Indexed)) else None
        if not isinstance(named, Letter) or named.text not in both:
            return None
        inner = partial(change, section=section)
        if isinstance(part, Indexed):
            return dataclasses.replace(part, items=put(part.items, inner))
        if part.sub is None and not letters_in(part.sup):
            return None  # a power of the size
        return dataclasses.replace(part, sub=put(part.sub, inner), sup=put(part.sup, inner))

    kept = (Declaration, Signature)
    return [
        s if not both or isinstance(s, kept) else put(s, partial(change, section=s.section))
        for s in statements
    ]


def _sized(statement: Statement) -> Iterator[tuple[Here, SizedAxis]]:
    for axis in all_of(SizedAxis, statement):
        letter = None if axis.size is None else key(axis.size)
        if letter is not None:
            yield (statement.section, letter), axis
