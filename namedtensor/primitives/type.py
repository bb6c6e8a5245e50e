"""The type of a value: its axes, their sizes, and the kind of its numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import Any

from namedtensor.shape import Shape, spaced

KINDS = ("bool", "int", "float", "complex")


@dataclass(frozen=True, slots=True)
class Type:
    """The axes, the sizes and the kind of a value.

    A size is an int, the node of a size read when the code runs, or None where an index-defined
    tensor has not met its size yet. The order of the axes has no meaning; it is a preference for storage.
    `host` values are Python numbers; `weak` ones depend on no data and take the dtype of the data they are
    combined with. `open` ones are real numbers made of whole numbers or truth values alone, such as angles of
    positions: no data gave them a dtype either. They are computed in double precision and then take the dtype
    of the data.
    """

    axes: tuple[tuple[str, Any], ...]
    kind: str = "float"
    host: bool = False
    weak: bool = False
    open: bool = False

    def __setstate__(self, state: list[Any]) -> None:
        # a pickle of an earlier version lacks the fields that came after it
        for place, field in enumerate(fields(self)):
            given = state[place] if place < len(state) else field.default
            object.__setattr__(self, field.name, given)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple([name for name, _ in self.axes])

    def size(self, name: str) -> Any:
        for axis, size in self.axes:
            if axis == name:
                return size
        raise KeyError(name)

    def has(self, name: str) -> bool:
        return name in [axis for axis, _ in self.axes]

    @property
    def data(self) -> bool:
        """Whether these are numbers that depend on data."""
        return not (self.host or self.weak)

    @property
    def wide(self) -> bool:
        """Whether these are real numbers in double precision that got no dtype from data."""
        found = self.open or (self.weak and not self.host)
        return found and self.kind in ("float", "complex")

    @property
    def settled(self) -> bool:
        """Whether these are floating numbers with the dtype of data."""
        return self.data and not self.open and self.kind in ("float", "complex")

    def without(self, names: Iterable[str]) -> Type:
        gone = set(names)
        return replace(self, axes=tuple([a for a in self.axes if a[0] not in gone]))

    def with_axes(self, axes: Iterable[tuple[str, Any]], kind: str | None = None) -> Type:
        return replace(self, axes=tuple(axes), kind=kind or self.kind)

    def of_kind(self, kind: str) -> Type:
        return self if kind == self.kind else replace(self, kind=kind)

    @property
    def shape(self) -> Shape:
        return Shape.of(self.axes)

    def __str__(self) -> str:
        return "a number" if self.host else spaced(self.axes)


def kind_of(value: Any) -> str:
    """Give the kind of a Python number."""
    for kind, type_ in (("bool", bool), ("int", int), ("float", float)):
        if isinstance(value, type_):
            return kind
    return "complex"


def widest(kinds: Iterable[str]) -> str:
    """Give the kind that can hold all these kinds: float for int and float."""
    return max(kinds, key=KINDS.index)
