"""The names at one place of a body that runs."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from namedtensor.axes import Axis
from namedtensor.errors import AxisSizeError, NamedTensorError
from namedtensor.latex.documents.applied import Applied, Passed
from namedtensor.latex.documents.failures import LatexError, failure
from namedtensor.latex.documents.inputs import Around, find_function
from namedtensor.latex.documents.scripts import fold, key, script_letters
from namedtensor.latex.evaluation.evaluate import Evaluator
from namedtensor.latex.evaluation.values import UNKNOWN, Value
from namedtensor.latex.source import Passage
from namedtensor.latex.syntax import Expression, Letter, Scripts
from namedtensor.primitives.node import noting

if TYPE_CHECKING:
    from namedtensor.latex.documents.bodies import Body


class BodyScope:
    """Answer for the names at one place of a body. A checker makes its own of it."""

    def __init__(self, body: Body, around: Around) -> None:
        self.body = body
        self.around = around
        self.before: tuple[str, Value] | None = None
        self.asked: set[str] = set()

    def find(self, name: Expression) -> Value | None:
        """Give what a Letter or Scripts stands for."""
        body, around = self.body, self.around
        text = key(name, around.indices)
        if text is None:
            return None
        if self.before is not None and text == self.before[0]:
            return self.before[1]
        if around.own and text in body.linked.own:
            return body.input(body.linked.own[text])
        names = body.library.names
        size = body.size_of_input(text) if names.is_size(text) else None
        if size is not None:
            return size
        if around.own and text in body.linked.listed:
            meaning = names.parameter(name, around.place, around.indices)
        else:
            meaning = names.look(name, around.place, around.indices)
        if meaning is not None:
            value = body.value_of(meaning, around)
            if value is None and meaning.kind == "size" and text not in around.indices:
                raise body.no_size(name, text)
            if value is not None:
                return value
        return self._otherwise(name, text)

    def _otherwise(self, name: Expression, text: str) -> Value | None:
        """Find index letters, settings, bundles, and functions that own their parameters."""
        body = self.body
        number = self.around.indices.get(text)
        if number is not None:
            return number
        meaning = find_function(body.library.names, name, self.around.place, self.around.indices)
        if meaning is not None:
            return Applied(body.library, meaning)
        for found in body.linked.inputs:
            if found.key == text and found.declared is None and found.role != "argument":
                value = body.values[found.key]
                return Passed(name, value) if found.role == "bundle" else value
        if isinstance(name, Letter) and body.library.names.has_members(name):
            return Passed(name)
        return None

    def inside(self, numbers: Mapping[str, int]) -> BodyScope:
        """Give the same place where index letters have numbers."""
        indices = {**self.around.indices, **numbers}
        return BodyScope(self.body, dataclasses.replace(self.around, indices=indices))

    def counts(self, name: Scripts, letters: Collection[str]) -> bool:
        """Say whether a name is a member of a family or a series that one of these letters chooses."""
        if not set(letters) & set(script_letters(name)):
            return False
        meaning = self.body.library.names.look(name, self.around.place, self.around.indices)
        return meaning is not None and bool(set(meaning.indices) - set(self.around.indices))

    def size(self, axis: str) -> Value:
        """Give |axis|: that of the formula, of an input, or as the document states it."""
        try:
            return abs(Axis(axis))
        except AxisSizeError:
            found = self._stated_size(axis)
            if found is None:
                raise
            return found

    def _stated_size(self, axis: str) -> Value | None:
        found = self.body.axis_size(axis)
        if found is not None or axis in self.asked:
            return found
        names = self.body.library.names
        self.asked.add(axis)
        for size in names.sizes_stated(axis, self.around.place):
            found = self.extent(size)
            if found is not None and found is not UNKNOWN:
                break
        self.asked.discard(axis)
        if found is None:
            found = self._declared_size(axis)
        if found is None and axis.endswith("'"):
            return self._stated_size(axis[:-1])
        return found

    def _declared_size(self, axis: str) -> Value | None:
        """Give the number that some declaration has for an axis: row[3]."""
        given = [a for _, a in self.body.library.names.sized if a.axis.name == axis]
        numbers = {fold(a.size, self.body.numbers) for a in given} - {None}
        return numbers.pop() if len(numbers) == 1 else None

    def extent(self, size: Expression) -> Value | None:
        """Give a declared size; None where nothing here has it."""
        text = key(size)
        found = None if text is None else self.body.size_named(text)
        if found is not None:
            return found
        try:
            return Evaluator(self).extent(size)
        except LatexError:
            return None

    def failed(self, where: Expression, error: NamedTensorError) -> Value:
        """Say where in the document an operation fails."""
        raise failure(error, self.body.library.source, where.span) from None

    def seen(self, where: Expression, value: Value) -> Value:
        """Note where a part was written, where a body is traced; a name is no part of its own."""
        node = getattr(value, "node", None)
        table = noting.get()
        if (
            table is not None
            and node is not None
            and node.operands
            and not isinstance(where, (Letter, Scripts))
        ):
            table.add(node, Passage(self.body.library.source, where.span))
        return value
