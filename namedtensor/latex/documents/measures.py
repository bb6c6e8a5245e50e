"""Sizes where a formula runs: of the axes of its inputs, and of what a document's letters name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from namedtensor.errors import TraceError
from namedtensor.latex.documents.inputs import Input, Linked
from namedtensor.latex.documents.scripts import fold, key
from namedtensor.latex.evaluation.values import Value
from namedtensor.latex.syntax import SizedAxis, Space
from namedtensor.tensor import NamedTensor

if TYPE_CHECKING:
    from namedtensor.latex.documents.formulas import Library


class Sizes:
    """The sizes that a formula's inputs have; `numbers` are those that are chosen or counted."""

    def __init__(self, library: Library, linked: Linked, values: Mapping[str, Value]) -> None:
        self.library = library
        self.linked = linked
        self.values = values
        self.numbers: dict[str, int | None] = {**library.linker.bound, **linked.indices}

    def _count_members(self) -> None:
        """Take the number T of t = 1, ..., T from what has an axis t."""
        for found in self.linked.inputs:
            for letter in found.along:
                size = self._size_along(found, letter)
                if found.declared is None or size is None:
                    continue
                ranges = self.library.names.range_of(letter, found.declared.statement)
                if ranges is None:
                    continue
                upper = key(ranges.upper) if ranges.upper is not None else None
                lower = fold(ranges.lower, self.numbers)
                if upper is not None and upper not in self.numbers:
                    self.numbers[upper] = size + (1 if lower is None else lower) - 1

    def _size_along(self, found: Input, letter: str) -> int | None:
        value = self.values[found.key]
        if not isinstance(value, NamedTensor):
            return None
        try:
            return int(value.size(letter))
        except TraceError:
            return None  # where a formula is written, sizes stay open

    def size_named(self, text: str) -> Value | None:
        """Give what a size's letter stands for: the size of an axis that is declared with it."""
        found = self.size_of_input(text)
        if found is None:
            found = self.numbers.get(text)
        if found is None:
            found = self._size_by_axis(text)
        return found

    def size_of_input(self, text: str) -> Value | None:
        """Give the size of an input's axis that is declared with this letter."""
        return self._size_in(self.linked.inputs, self.values, text)

    def _size_in(self, inputs: list[Input], values: Any, text: str) -> Value | None:
        for given in inputs:
            value = values.get(given.key)
            if given.role == "bundle" and given.linked is not None:
                found = self.library.sizes_in(given.linked, value, text, self._size_in)
            else:
                found = _size_of(given.space, value, text)
            if found is not None:
                return found
        return None

    def _size_by_axis(self, text: str) -> Value | None:
        """Take the size of an axis of the same name that is declared with this size elsewhere."""
        for declared, axis in self.library.names.sizes_named(text):
            for given in self.linked.inputs:
                value = self.values.get(given.key)
                plainly = given.space is not None and any(
                    a.axis.name == axis.axis.name and a.size is None for a in given.space.axes
                )
                if plainly and isinstance(value, NamedTensor) and declared is not given.declared:
                    return value.size(axis.axis.name)
        return None

    def _size_like(self, name: str) -> Value | None:
        """Give the size of an axis of an input, of seq where seq' is nowhere."""
        found = self.axis_size(name)
        return self._size_like(name[:-1]) if found is None and name.endswith("'") else found

    def axis_size(self, name: str) -> Value | None:
        """Give the size that an input has for an axis."""
        for found in self.linked.inputs:
            value = self.values.get(found.key)
            named = [] if found.space is None else [a.axis.name for a in found.space.axes]
            if name in named and isinstance(value, NamedTensor):
                return value.size(name)
        return None

    def _last_of_inputs(self, letter: str, first: int) -> int | None:
        for found in self.linked.inputs:
            if letter in found.along:
                size = self._size_along(found, letter)
                if size is not None:
                    return size + first - 1
        return None

    def _size_of(self, axis: str) -> int | None:
        """Give the size of an axis that some input declares."""
        for found in self.linked.inputs:
            named = [] if found.space is None else [a.axis.name for a in found.space.axes]
            if axis in named:
                return self._size_along(found, axis)
        return None


def _size_of(space: Space | None, value: Value, text: str) -> Value | None:
    """Find a size among the declared sizes of one input."""
    if space is None or not isinstance(value, NamedTensor):
        return None
    for axis in space.axes:
        if axis.size is not None and axis.axis.name in value.axes:
            found = _solved(axis, value, text)
            if found is not None:
                return found
    return None


def _solved(axis: SizedAxis, value: NamedTensor, text: str) -> Value | None:
    """Solve a declared size for its letter: d of hid:4d is |hid|/4."""
    if axis.size is None or key(axis.size) == text:
        return value.size(axis.axis.name)
    start, step = fold(axis.size, {text: 0}), fold(axis.size, {text: 1})
    if start is None or step is None or start == step:
        return None
    return (value.size(axis.axis.name) - start) // (step - start)
