"""What a formula takes: arguments, parameters, settings, and bundles of parameters."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from namedtensor.latex.documents.scopes import Declared, Defined, Meaning, Place
from namedtensor.latex.documents.scripts import Indices, key, stem
from namedtensor.latex.syntax import Expression, Space

#: Small numbers that a formula may use without a declaration: settings with this default.
SMALL = ("epsilon", "varepsilon")
SMALL_NUMBER = 1e-5


@dataclass(slots=True, eq=False)
class Input:
    """One thing that a formula takes.

    `role` is argument, parameter, setting or bundle. `listed` is its place among the names after the
    semicolon, None where it is not written there. `along` are index letters that are axes here: the
    x^t of a recurrence are one tensor with an axis t. `linked` is the formula that a bundle is for,
    `others` are more of them; `numbers` say which member of a declared family this is. What is
    declared nowhere has `inferred` axes: all that the body acts along where the letter stands.
    """

    key: str
    name: Expression
    role: str
    declared: Declared | None = None
    space: Space | None = None
    listed: int | None = None
    along: tuple[str, ...] = ()
    linked: Linked | None = None
    default: Any = None
    numbers: Indices = field(default_factory=dict)
    others: list[Linked] = field(default_factory=list)
    inferred: bool = False


@dataclass(slots=True, eq=False)
class Linked:
    """A definition with what its formula takes; `indices` say which member of a family it is.

    `unbound` is the letter of a length that decides what the formula takes, and is not chosen yet;
    `letters` are those whose members are inputs one by one: parameters, and first members of series.
    """

    defined: Defined
    indices: Indices
    result: Space | None = None
    inputs: list[Input] = field(default_factory=list)
    own: dict[str, Input] = field(default_factory=dict)
    listed: dict[str, int] = field(default_factory=dict)
    unbound: str = ""
    reached: set[Defined] = field(default_factory=set)
    letters: frozenset[str] = frozenset()

    @property
    def key(self) -> str:
        """The name of the formula: LayerNorm^{1}."""
        return key(self.defined.name, self.indices) or self.defined.key

    @property
    def arguments(self) -> list[Input]:
        return [i for i in self.inputs if i.role == "argument"]

    @property
    def after(self) -> list[Input]:
        """What stands after the semicolon, or would."""
        return [i for i in self.inputs if i.role != "argument"]

    def input_of(self, meaning: Meaning) -> Input | None:
        """Give the input that a declared name stands for."""
        text = self.key_of(meaning)
        return next(
            (i for i in self.inputs if i.declared is meaning.declared and i.key == text), None
        ) or next((i for i in self.inputs if i.declared is meaning.declared and i.along), None)

    def key_of(self, meaning: Meaning) -> str:
        """Give the key of a declared name: x^{t} for all members, gamma^{1} in LayerNorm^1."""
        assert meaning.declared is not None
        return meaning.declared.key if self.gathers(meaning) else meaning.key

    def gathers(self, meaning: Meaning) -> bool:
        """Say whether a name is a member of a tensor that holds all members along an axis."""
        if any(v is None for v in meaning.indices.values()):
            return True
        member = bool(self.indices) and self.defined.kind == "function"
        return bool(meaning.indices) and not (member or self.apart(meaning))

    def apart(self, meaning: Meaning) -> bool:
        """Say whether the members of a declared family are parameters, each with a name of its own."""
        assert meaning.declared is not None
        return stem(meaning.declared.name) in self.letters


@dataclass(frozen=True, slots=True)
class Around:
    """Where a part of a formula stands: whose letters it sees, and which names are bound there."""

    place: Place
    indices: Indices
    own: bool = True
    shadow: frozenset[str] = frozenset()
