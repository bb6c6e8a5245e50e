"""What a name of a body stands for: one order of looking, for whoever links, runs or checks the body."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from typing import Any

from namedtensor.latex.documents.inputs import find_function
from namedtensor.latex.documents.scopes import Meaning, Names, Place
from namedtensor.latex.documents.scripts import Indices, key, stem
from namedtensor.latex.syntax import Big, Call, Expression, Scripts
from namedtensor.latex.walk import walk


class Resolver(ABC):
    """Find what a name stands for at a place; what is given for it, each kind of resolver says.

    What the body has itself comes first: its arguments, indices and sizes. Next is what the document says
    at this place, and last what only the resolver knows of. A later section does not declare a letter that
    is `listed` after the semicolon.
    """

    def __init__(
        self,
        names: Names,
        place: Place,
        indices: Indices,
        arguments: Mapping[str, Any],
        listed: Collection[str] = (),
    ) -> None:
        self.names = names
        self.place = place
        self.indices = indices
        self.arguments = arguments
        self.listed = listed

    def find(self, name: Expression) -> Any:
        """Give what a Letter or Scripts stands for; None if there is no such name."""
        text = key(name, self.indices)
        if text is None:
            return None
        found = self.own(name, text)
        if found is not None:
            return found
        look = self.names.parameter if text in self.listed else self.names.look
        meaning = look(name, self.place, self.indices)
        found = None if meaning is None else self.meant(name, meaning)
        return self.unwritten(name, text) if found is None else found

    def function(self, name: Expression) -> Any:
        """Give the function of that name in this section; None if the name is an argument."""
        meaning = self.names.function_here(name, self.place, self.indices)
        if (key(name) if meaning is None else meaning.key) in self.arguments:
            return None
        if meaning is None:
            return self.names.applied(name, self.place, self.indices)
        return self.meant(name, meaning)

    def copied(self, name: Expression) -> Any:
        """Give the function that a name is a copy of, with parameters of its own: MHA for MHA^1."""
        meaning = find_function(self.names, name, self.place, self.indices)
        if meaning is None or stem(name) in self.arguments:
            return None
        return self.meant(name, meaning)

    def counts(self, name: Scripts, letters: set[str]) -> bool:
        """Say whether one of these letters chooses a name among the members of a family or a series."""
        outer = {text: number for text, number in self.indices.items() if text not in letters}
        return self.names.chooses(name, letters, self.place, outer)

    def range_of(self, index: Expression, body: Expression) -> tuple[Expression, Expression] | None:
        """Give the first and the last member of a family that an index chooses."""
        return self.names.ends_of_members(index, body, self.place)

    def left_of(self, part: Expression, own: list[str]) -> list[str]:
        """Leave those axes of a part along which nothing around it acts and nothing is lifted."""
        statement = self.names.statements[self.place.index]
        around = [p for p in walk(statement) if isinstance(p, (Big, Call)) and p.span != part.span]
        acts = {a.name for p in around if p.span | part.span == p.span for a in p.axes}
        return [axis for axis in own if axis not in acts | self.lifted()]

    def lifted(self) -> set[str]:
        """List the axes over which a call lifts, of arguments that are declared nowhere."""
        return set()

    @abstractmethod
    def own(self, name: Expression, text: str) -> Any:
        """Give what the body has under a name: an argument, an index, a size; None if it has no such."""

    @abstractmethod
    def meant(self, name: Expression, meaning: Meaning) -> Any:
        """Give what a name means in the document; None if the body takes nothing of the kind."""

    @abstractmethod
    def unwritten(self, name: Expression, text: str) -> Any:
        """Give what a name stands for of which the document says nothing; None if it is nothing."""
