"""The arguments of a function, and the spaces that they are declared in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from namedtensor.latex.documents.calling import find_callee
from namedtensor.latex.documents.inputs import Around, Input, Linked
from namedtensor.latex.documents.scopes import Declared
from namedtensor.latex.documents.scripts import key
from namedtensor.latex.syntax import AxisName, Call, Expression, Space
from namedtensor.latex.walk import all_of

if TYPE_CHECKING:
    from namedtensor.latex.documents.link import Linker


class Arguments:
    """List what stands in the brackets of f(X; W): arguments with their spaces, names of parameters.

    An argument's space is that of a declaration in the same block; of the function's signature; of
    the nearest declaration; of a function that it is passed to; a number, where no axis is named.
    """

    def __init__(self, linker: Linker, linked: Linked, call: Call, around: Around) -> None:
        self.linker = linker
        self.names = linker.names
        self.linked = linked
        self.call = call
        self.around = around

    def list(self) -> None:
        """Note the arguments, and the names after the semicolon."""
        for place, argument in enumerate(self.call.arguments):
            text = key(argument, self.around.indices)
            if text is not None:
                found = Input(text, argument, "argument")
                self._declare(found, place)
                self.linked.own[text] = found
                self.linked.inputs.append(found)
        for place, parameter in enumerate(self.call.parameters):
            text = key(parameter, self.around.indices)
            if text is not None:
                self.linked.listed[text] = place

    def _declare(self, found: Input, place: int) -> None:
        declared, along = self._declaration(found.name)
        at = self.around.place
        signature = self.names.signature(self.linked.defined)
        told = signature is not None and place < len(signature.domain)
        if (
            signature is not None
            and told
            and (declared is None or declared.place.block != at.block)
        ):
            found.space = signature.domain[place]
            return
        before = declared is not None and (
            declared.place.section == at.section or declared.place.index < at.index
        )
        if not before:
            space = self._space_by_call(found.name) or self._number(found.name)
            if space is not None:
                found.space = space
                return
        if declared is not None:
            found.declared, found.space, found.along = declared, declared.space, along

    def _declaration(self, name: Expression) -> tuple[Declared | None, tuple[str, ...]]:
        """Find the nearest declaration of a name; x is declared where x^t is."""
        meaning = self.names.declaration(name, self.around.place, self.around.indices)
        if meaning is not None and meaning.declared is not None:
            return meaning.declared, ()
        family = self.names.family(name, self.around.place)
        return family, () if family is None else family.letters

    def _space_by_call(self, name: Expression) -> Space | None:
        """Take the space of the argument of another function that this one is passed to."""
        for call in all_of(Call, self.linked.defined.body):
            if name not in call.arguments or call.function == self.call.function:
                continue
            found = find_callee(self.linker, call, self.around.place, self.around.indices)
            if found is not None:
                places = found[0].arguments[call.arguments.index(name) :]
                if places:
                    return places[0].space
        return None

    def _number(self, name: Expression) -> Space | None:
        """Take what is declared nowhere for a number, where the function names no axis."""
        body = self.linked.defined.body
        if all_of(AxisName, body):
            return None
        return Space(name.span, "R", ())
