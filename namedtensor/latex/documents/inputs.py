"""What a formula takes: arguments, parameters, settings and bundles; and what a call of it gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from namedtensor.latex.documents.scopes import Declared, Defined, Meaning, Names, Place, rename_stem
from namedtensor.latex.documents.scripts import Indices, key, stem
from namedtensor.latex.syntax import Call, Expression, Letter, Scripts, Space

#: What a small number is that a formula uses without a declaration.
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

    def lifted(self, values: Mapping[str, Any]) -> set[str]:
        """List the axes of values that are given to arguments whose own axes the body says, and not those."""
        found = set[str]()
        for given in self.arguments:
            if given.inferred and given.space is not None:
                own = {*given.space.names}
                found |= {*getattr(values.get(given.key), "axes", ())} - own
        return found

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
    """Where a part of a formula stands, and whether it sees the formula's own letters."""

    place: Place
    indices: Indices
    own: bool = True


# ------------------------------------------------------------------------------------------- calls


def own_axes(defined: Defined) -> tuple[str, ...]:
    """List the axes that stand below a function's name where it is defined."""
    return () if defined.call is None else tuple([a.name for a in defined.call.axes])


def find_function(names: Names, name: Expression, place: Place, indices: Indices) -> Meaning | None:
    """Find the function that a name is of: f, a member f_k of a family, or MHA for MHA^1."""
    meaning = names.function(name, place, indices)
    if meaning is None and isinstance(name, Scripts):
        # C^2 is a power of the C that is defined beside the formula
        near = names.look(name.base, place, indices)
        if near is None or near.kind != "where":
            return names.function(name.base, place, indices)
    return meaning


def owns(meaning: Meaning, call: Call, callee: Linked, indices: Indices) -> bool:
    """Say whether a call names its own copy of a function's parameters."""
    if call.parameters or meaning.defined is None:
        return False
    if key(call.function, indices) != meaning.key:
        return True
    return bool(meaning.defined.letters) and any(
        i.listed is not None and not (i.declared is not None and i.declared.letters)
        for i in callee.after
    )


def by_letter(found: Input, given: bool) -> bool:
    """Say whether a call leaves a parameter to its letter, which stands for the same everywhere.

    That is one that is not listed, W^1 of f^1(X) where the function is f^l(X; W^l), and each parameter of a
    call that gives none.
    """
    return found.listed is None or (found.declared is not None and not given)


def is_lettered(name: Expression) -> bool:
    """Say whether a function is named by a letter, as f and f_\\theta are and FFN is not."""
    base = name.base if isinstance(name, Scripts) else name
    return isinstance(base, Letter) and base.style != "word"


def meaning_of(found: Input, linked: Linked) -> Meaning:
    """Give what an input's letter means, for another formula that takes it too."""
    assert found.declared is not None
    numbers = {t: v for t, v in linked.indices.items() if t in found.declared.letters}
    indices = dict.fromkeys(found.along) if found.along else numbers
    return Meaning("input", found.key, found.declared, None, indices)


def passed_on(found: Input, given: Expression, callee: Linked) -> Expression | None:
    """Give the caller's name for a member of a bundle: V^1 for W^1 where W is given V."""
    if found.key in callee.listed or not isinstance(given, (Letter, Scripts)):
        return None
    return rename_stem(found.name, given)


def handed_on(text: str | None, callee: Linked) -> Input | None:
    """Find the bundle that f(X; F) hands on as it is: f's only one, which f calls F as well."""
    match callee.after:
        case [Input(key=name, role="bundle") as found] if name == text:
            return found
    return None
