"""What statements declare and define, and where."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field

from namedtensor.latex.documents.scripts import Indices, fold
from namedtensor.latex.documents.series import Range
from namedtensor.latex.syntax import (
    Call,
    Declaration,
    Definition,
    Expression,
    Indexed,
    Scripts,
    Signature,
    Space,
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a statement stands: its number, and those of its block and its section."""

    index: int
    block: int
    section: int


@dataclass(frozen=True, slots=True, eq=False)
class Declared:
    """A name that a declaration gives a space to; `letters` are its index letters."""

    key: str
    name: Expression
    space: Space
    statement: Declaration
    place: Place
    letters: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Defined:
    """A name that a definition gives a meaning to.

    `kind` is function, value or elements (P_{seq(p)} = ...); `letters` are the index letters of a
    family or a series, which `range` bounds.
    """

    key: str
    name: Expression
    kind: str
    statement: Definition
    place: Place
    letters: tuple[str, ...] = ()
    range: Range | None = None

    def seen_from(self, place: Place) -> bool:
        """Say whether a statement elsewhere may mean this; an update is seen by what follows it."""
        if self.statement.op != "=":
            return self.place.index < place.index
        return self.place.index != place.index

    def holds(self, bound: Indices, indices: Indices) -> bool:
        """Say whether a series may have a member; without a stated range they count from 1."""
        if self.range is not None:
            return self.range.holds(bound, indices)
        if self.kind == "function" or not isinstance(self.name, Scripts):
            return True
        numbers = [fold(script, bound) for script in (self.name.sub, self.name.sup)]
        return all(number is None or number >= 1 for number in numbers)

    @property
    def body(self) -> Expression:
        return self.statement.body

    @property
    def call(self) -> Call | None:
        target = self.statement.target
        target = target.base if isinstance(target, Indexed) else target
        return target if isinstance(target, Call) else None


@dataclass(frozen=True, slots=True, eq=False)
class Signed:
    """A signature statement f : R^a -> R^b, and its place."""

    statement: Signature
    place: Place


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a name stands for at a place.

    `kind` is input (declared), where (defined for the formula around it), value (defined for
    itself), stack (all members of a series), function or size.
    """

    kind: str
    key: str
    declared: Declared | None = None
    defined: Defined | None = None
    indices: Indices = field(default_factory=dict)


def target_name(target: Expression) -> Expression:
    """Give the name that a definition defines: f of f(X; W), P of P_{seq(p)}."""
    while isinstance(target, (Indexed, Call)):
        target = target.base if isinstance(target, Indexed) else target.function
    return target


def kind_of_target(target: Expression) -> str:
    if isinstance(target, Call) or (isinstance(target, Indexed) and isinstance(target.base, Call)):
        return "function"
    return "elements" if isinstance(target, Indexed) else "value"


def distance(place: Place, of: Place) -> tuple[bool, bool, bool, int]:
    """Sort places: the same block, the same section, before, near."""
    return (
        of.block != place.block,
        of.section != place.section,
        of.index > place.index,
        abs(of.index - place.index),
    )


def rename_stem(name: Expression, base: Expression) -> Expression:
    """Put another letter under the scripts of a name: V^1 from W^1."""
    if isinstance(name, Scripts):
        return dataclasses.replace(name, base=rename_stem(name.base, base))
    return base
