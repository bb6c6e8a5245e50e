"""Things of a document by their names, those near a place first.

A section lies in the sections around it: what they say is found from within it, the innermost first.
"""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Generic, Protocol, TypeVar

from namedtensor.latex.documents.places import Place


class Placed(Protocol):
    """What has a place in a document."""

    @property
    def place(self) -> Place: ...


Thing = TypeVar("Thing", bound=Placed)


def sections_around(section: int, parents: Sequence[int]) -> tuple[int, ...]:
    """Give a section and those that it lies in, the innermost first.

    >>> sections_around(3, (0, 0, 1, 2))
    (3, 2, 1, 0)
    """
    found = [section]
    while section > 0:
        section = parents[section] if section < len(parents) else 0
        found.append(section)
    return tuple(found)


class Shelf(Generic[Thing]):
    """Things by names, found from a place: those before it first, the nearest of them first."""

    def __init__(self, named: Iterable[tuple[str, Thing]], parents: Sequence[int] = (0,)) -> None:
        self._parents = parents
        self._things: dict[tuple[str, str, int], list[Thing]] = {}
        self._names: set[str] = set()
        for name, thing in sorted(named, key=lambda pair: pair[1].place.index):
            at = thing.place
            self._names.add(name)
            for reach, number in (("block", at.block), ("section", at.section), ("document", 0)):
                self._things.setdefault((name, reach, number), []).append(thing)

    def near(self, name: str, place: Place, reach: str = "document") -> Iterator[Thing]:
        """Give what has a name: in the place's block, in its section and those around, anywhere."""
        return self._near(name, place, reach) if name in self._names else iter(())

    def _near(self, name: str, place: Place, reach: str) -> Iterator[Thing]:
        yield from self._within(name, place, "block", place.block)
        if reach == "block":
            return
        around = sections_around(place.section, self._parents)
        for section in around:
            for thing in self._within(name, place, "section", section):
                if thing.place.block != place.block:
                    yield thing
        if reach == "section":
            return
        for thing in self._within(name, place, "document", 0):
            if thing.place.block != place.block and thing.place.section not in around:
                yield thing

    def _within(self, name: str, place: Place, reach: str, number: int) -> Iterable[Thing]:
        things = self._things.get((name, reach, number))
        if things is None:
            return ()
        middle = bisect.bisect_left(things, place.index, key=lambda t: t.place.index)
        return itertools.chain(reversed(things[:middle]), things[middle:])

    def below(self, name: str, place: Place, end: int) -> Iterator[Thing]:
        """Give what stands in the blocks after a place's own, before the block `end`."""
        things = self._things.get((name, "section", place.section), [])
        first = bisect.bisect_right(things, place.index, key=lambda t: t.place.index)
        for thing in things[first:]:
            if thing.place.block >= end:
                return
            if thing.place.block > place.block:
                yield thing
