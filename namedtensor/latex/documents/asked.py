"""Which axes a body asks of what it is given: those along which it acts, and nothing else there has."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from namedtensor.latex.documents.inputs import Input, Linked
from namedtensor.latex.documents.scopes import (
    Defined,
    Names,
    Place,
    element_axes,
    given_by,
    used_up,
)
from namedtensor.latex.documents.scripts import Indices, key
from namedtensor.latex.reading.spoken import names_of
from namedtensor.latex.syntax import (
    Bars,
    Big,
    Binary,
    Call,
    Case,
    Contract,
    Expression,
    Indexed,
    Letter,
    Relation,
    Scripts,
    Space,
)
from namedtensor.latex.walk import all_of, children, walk

#: Find the formula that a call is of, and say whether the call owns its parameters.
Callee = Callable[[Call, Place, Indices], tuple[Linked, bool] | None]


class Asked:
    """The axes that a definition's body asks of its arguments; `busy` are definitions around it.

    With `regardless`, it asks each of them for all axes along which it acts, whatever else there has them.
    """

    def __init__(
        self,
        names: Names,
        callee: Callee,
        linked: Linked,
        busy: frozenset[Defined] = frozenset(),
        regardless: bool = False,
    ) -> None:
        self.names = names
        self._callee = callee
        self.linked = linked
        self.at = linked.defined.place
        self.busy = busy | {linked.defined}
        self._regardless = regardless

    def of(self, text: str, alone: bool = False) -> Iterator[str]:
        """Name the axes along which the body acts on what holds a letter, or holds it alone.

        In V_{hid} · (U_{chan} · x + a), with hid of U, it asks x for chan.
        """
        for part in [p for d in self.bodies() for p in walk(d.body)]:
            for operand, axes in self._acted(part):
                if not alone or {key(name) for name in names_of(operand)} == {text}:
                    yield from self._brought(operand, text, axes)

    def closest(self, text: str) -> set[str]:
        """Name axes of the innermost operators around a letter: dim, in min_{item} sum_{dim} (D - x)^2."""
        acting = [
            (part, axes)
            for d in self.bodies()
            for part in walk(d.body)
            for operand, axes in self._acted(part)
            if axes and text in {key(name) for name in names_of(operand)}
        ]
        acts = {id(part) for part, _ in acting}
        return {
            name
            for part, axes in acting
            if not any(id(inner) in acts for child in children(part) for inner in walk(child))
            for name in axes
        }

    def could_meet(self, found: Input) -> list[str]:
        """Name axes of the body's own tensors along which it acts on an argument that is not asked for them.

        In sum_{emb} a w, with emb of w, a call may give a tensor over emb: each element of it is taken alone.
        """
        own = {*found.space.names} if found.space is not None else set()
        every = Asked(self.names, self._callee, self.linked, regardless=True).of(found.key)
        return [name for name in dict.fromkeys(every) if name in self.own() - own]

    def bodies(self) -> list[Defined]:
        """List the definition, and those that say what its letters are."""
        local = [d for d in self.linked.reached if d.place.section == self.at.section]
        return [self.linked.defined, *sorted(local, key=lambda d: d.place.index)]

    def own(self) -> set[str]:
        """List the axes of the body's own tensors, given and defined by elements."""
        spaces = [i.space for i in self.linked.inputs if i.space is not None]
        given = {axis.axis.name for space in spaces for axis in space.axes}
        return given.union(*map(element_axes, self.linked.reached))

    def callee(self, call: Call) -> Linked | None:
        """Find the other function of the document that a call is of."""
        found = self._callee(call, self.at, self.linked.indices)
        return None if found is None or found[0].defined in self.busy else found[0]

    def inside(self, linked: Linked, defined: Defined) -> Asked:
        """Go into a function that is called, or into the definition of a letter."""
        return Asked(self.names, self._callee, linked, self.busy | {defined}, self._regardless)

    def has_norms(self, below: bool) -> bool:
        """Say whether the body has a norm that names no axes, or has one `below` what acts along others."""
        parts: list[Expression] = [d.body for d in self.bodies()]
        if below:
            parts = [p for d in parts for p in all_of(Big, d) + all_of(Call, d) if p.axes]
        return any(n.double and not n.axes for part in parts for n in all_of(Bars, part))

    def handed_on(self, call: Call) -> Iterator[tuple[Space, Expression]]:
        """List what a call gives to another function of the document, with the space it is taken as."""
        callee = self.callee(call)
        for given, wanted in given_to(call, callee) if callee is not None else ():
            if wanted.space is not None:
                yield wanted.space, given

    def _acted(self, part: Expression) -> Iterator[tuple[Expression, list[str]]]:
        """List the operands of a part, with the axes that it acts along."""
        match part:
            case Contract(left=left, right=right):
                operands: tuple[Expression, ...] = (left, right)
            case Big(body=operand) | Bars(operand=operand):
                operands = (operand,)
            case Indexed(base=base):
                yield base, [*used_up(part)]
                return
            case Call(axes=()):
                for space, given in self.handed_on(part):
                    yield given, [*space.names]
                return
            case Call(arguments=operands):
                pass
            case _:
                return
        for operand in operands:
            yield operand, [axis.name for axis in part.axes]

    def _brought(self, part: Expression, text: str, axes: Collection[str]) -> Iterator[str]:
        """Name those axes of a part that a letter in it must bring."""
        if not axes:
            return
        if key(part, self.linked.indices) == text:
            yield from axes
            return
        match part:
            case Letter() | Scripts() if (
                local := self.names.local(part, self.at, self.busy)
            ) is not None:
                inner = self.inside(self.linked, local)
                yield from inner._brought(local.body, text, {*axes} - element_axes(local))
            case Contract(left=left, right=right) | Binary(op="*" | "odot", left=left, right=right):
                for one, other in ((left, right), (right, left)):
                    has = self.has(other).union(axis.name for axis in part.axes)
                    yield from self._brought(one, text, [a for a in axes if a not in has])
            case Binary(op="+" | "-", left=left, right=right):
                for one, other in ((left, right), (right, left)):  # X - X_{a -> a'}
                    made = {name for p in all_of(Indexed, other) for name in given_by(p)}
                    yield from self._brought(one, text, [a for a in axes if a not in made])
            case Relation(first=first, rest=((("<" | "<=" | ">" | ">="), second),)):
                for one, other in ((first, second), (second, first)):  # x <= k, with a threshold k
                    has = self.has(other)
                    yield from self._brought(one, text, [a for a in axes if a not in has])
            case Indexed(base=base):
                after = given_by(part)
                back = [after.get(name, name) for name in axes]
                gone = {*used_up(part)} - {*after.values()}
                yield from self._brought(base, text, [a for a in back if a and a not in gone])
            case Call():
                callee = self.callee(part)
                if callee is None:
                    for given in part.arguments:
                        yield from self._brought(given, text, axes)
                    return
                inner, made = self.inside(callee, callee.defined), element_axes(callee.defined)
                asks = [name for name in axes if name not in made]
                for given, wanted in given_to(part, callee):
                    asked = [*inner._brought(callee.defined.body, wanted.key, asks)]
                    yield from self._brought(given, text, asked)
            case Big(body=inside) | Case(value=inside):
                yield from self._brought(inside, text, axes)
            case _:
                for child in children(part):
                    yield from self._brought(child, text, axes)

    def has(self, part: Expression) -> set[str]:
        """List axes that a part has, whatever the arguments have that are declared nowhere."""
        if self._regardless:
            return set()
        own = {
            text: None if found.inferred else found.space for text, found in self.linked.own.items()
        }
        return self.names.axes_known(part, self.at, own)


def given_to(call: Call, callee: Linked) -> Iterator[tuple[Expression, Input]]:
    """Pair what a call gives with what it is given for; a bundle of parameters is left out."""
    yield from zip(call.arguments, callee.arguments, strict=False)
    for place, given in enumerate(call.parameters):
        listed = [found for found in callee.after if found.listed == place]
        if len(listed) == 1 and listed[0].role == "parameter":
            yield given, listed[0]
