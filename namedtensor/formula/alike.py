"""Stacks whose bundles are alike: a plan reads the first, and the data of all in rows.

Alike are modules of the same structure, whose parameters have the same dtypes and sizes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from namedtensor.primitives import Node


class Apart(Exception):
    """A body does with one bundle what it does not with the first, so that each is to be read."""


@dataclass(eq=False, slots=True)
class Alike:
    """A stack of `count` bundles; the `width` tensors of each stand one after the other from `start`.

    `nodes` are the first bundle's, while a plan is made.
    """

    path: str
    count: int
    start: int
    width: int = 0
    nodes: tuple[Node, ...] = ()

    def name(self, place: int) -> str:
        """Give the name of all that one bundle holds."""
        return f"{self.path}.{place}"


def rows_of(parts: Sequence[Any]) -> list[list[Any]] | None:
    """Give the data of modules that are alike, a list for each; None of others."""
    held: list[Any] = [getattr(part, "_structure", None) for part in parts]
    first = held[0] if len(held) > 1 else None
    if first is None or first.states or held.count(first) < len(held):
        return None
    rows: list[list[Any]] = []
    wanted: Any = None
    for part in parts:
        found = first.read(part, True)
        if found is None:
            return None
        row, kinds = found
        facts = (part.training, kinds, [x.shape for x in row])
        wanted = wanted or facts
        if facts != wanted:
            return None
        rows.append(row)
    return rows if rows[0] else None
