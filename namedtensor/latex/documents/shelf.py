"""Things of a document by their names, those near a place first."""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Iterator
from typing import Generic, Protocol, TypeVar

from namedtensor.latex.documents.places import Place


class Placed(Protocol):
    """What has a place in a document."""

    @property
    def place(self) -> Place: ...


Thing = TypeVar("Thing", bound=Placed)

#: How far to look: in the same block, in the same section, everywhere.
REACHES = ("block", "section", "document")


class Shelf(Generic[Thing]):
    """Things by names, found from a place: those before it first, the nearest of them first."""

    def __init__(self, named: Iterable[tuple[str, Thing]]) -> None:
        self._things: dict[tuple[str, str, int], list[Thing]] = {}
        for name, thing in sorted(named, key=lambda pair: pair[1].place.index):
            at = thing.place
            for reach, number in (("block", at.block), ("section", at.section), ("document", 0)):
                self._things.setdefault((name, reach, number), []).append(thing)

    def near(self, name: str, place: Place, reach: str = "document") -> Iterator[Thing]:
        """Give what has a name: in the place's block, then in its section, then anywhere."""
        for each in REACHES[: REACHES.index(reach) + 1]:
            for thing in self._within(name, place, each):
                met = each != "block" and thing.place.block == place.block
                met = met or (each == "document" and thing.place.section == place.section)
                if not met:
                    yield thing

    def _within(self, name: str, place: Place, reach: str) -> Iterator[Thing]:
        number = {"block": place.block, "section": place.section, "document": 0}[reach]
        things = self._things.get((name, reach, number), [])
        middle = bisect.bisect_left(things, place.index, key=lambda t: t.place.index)
        yield from reversed(things[:middle])
        yield from things[middle:]

    def below(self, name: str, place: Place, end: int) -> Iterator[Thing]:
        """Give what stands in the blocks after a place's own, before the block `end`."""
        things = self._things.get((name, "section", place.section), [])
        first = bisect.bisect_right(things, place.index, key=lambda t: t.place.index)
        for thing in things[first:]:
            if thing.place.block >= end:
                return
            if thing.place.block > place.block:
                yield thing
