"""Stacks whose bundles are alike: a plan reads the structure of the first, and a row of data for each.

Modules are alike if they have the same structure and their parameters the same dtypes and sizes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from namedtensor.primitives import Node


class Apart(Exception):
    """A body treats one bundle in another way than the first, so that each must be read by itself."""


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
        """Name the argument that holds all data of one bundle."""
        return f"{self.path}.{place}"


def rows_of(parts: Sequence[Any]) -> list[list[Any]] | None:
    """Give a list of data for each module, or None if the modules are not alike."""
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
