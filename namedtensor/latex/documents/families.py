"""Families: one formula for each index, LayerNorm^l or f_k."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from namedtensor.errors import IndexRangeError, kind_of_thing
from namedtensor.latex.documents.scopes import Defined
from namedtensor.latex.documents.scripts import fold, key
from namedtensor.latex.documents.stepwise import bare

if TYPE_CHECKING:
    from namedtensor.formula.formula import Formula
    from namedtensor.latex.documents.formulas import Library


class Family:
    """The formulas that a document defines by an index: `document["LayerNorm"][1]`.

    Each member has parameters of its own: gamma^1 and beta^1 where the family has gamma^l and beta^l.
    """

    def __init__(self, library: Library, defined: Defined) -> None:
        self.library = library
        self.defined = defined
        self.name = defined.key

    def __getitem__(self, index: Any) -> Formula:
        given = index if isinstance(index, tuple) else (index,)
        letters = self.defined.letters
        call = f"{self.name}[{', '.join(map(repr, given))}]"
        for number in given:
            if isinstance(number, bool) or not isinstance(number, int):
                raise IndexRangeError(
                    f"{self.name}[...]",
                    f"a member is chosen by a whole number, and not by {kind_of_thing(number)}",
                    hint=f"{self.name} has the index {', '.join(letters)}: [1] for {letters[0]} = 1",
                )
        if len(given) != len(letters):
            raise IndexRangeError(
                call,
                f"{self.name} has the index {', '.join(letters)}, and {len(given)} are given",
                hint="one whole number for each",
            )
        indices = dict(zip(letters, given, strict=True))
        self._hold(call, indices)
        return self.library.of(self.defined, indices)

    def _hold(self, call: str, indices: dict[str, int]) -> None:
        within = self.defined.range
        if within is None or within.letter not in indices:
            return
        number, bound = indices[within.letter], self.library.linker.bound
        lower, upper = fold(within.lower, bound), fold(within.upper, bound)
        if (lower is not None and number < lower) or (upper is not None and number > upper):
            ends = f"{'...' if lower is None else lower} to {'...' if upper is None else upper}"
            raise IndexRangeError(
                call,
                f"{within.letter} runs from {ends}, and {number} is outside",
                hint="the document counts from its first number",
            )

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        raise IndexRangeError(
            f"{self.name}(...)",
            "this is a family of formulas, and a call is of one of them",
            hint=f'choose it by its index: document["{key(bare(self.defined.name))}"][1] for '
            f"{self.defined.letters[0]} = 1",
        )

    def __repr__(self) -> str:
        return f"family {self.name} over {', '.join(self.defined.letters)}"


class Members:
    """Formulas that a document defines one by one, phi_1, phi_2: `document["phi"][1]`."""

    def __init__(self, library: Library, name: str, members: dict[int, Defined]) -> None:
        self.library = library
        self.name = name
        self.members = members

    def __getitem__(self, number: int) -> Formula:
        if number not in self.members:
            listed = ", ".join(map(str, sorted(self.members)))
            raise IndexRangeError(
                f"{self.name}[{number!r}]",
                f"{self.name} is defined for {listed}",
                hint=f"{self.name}[{min(self.members)}]",
            )
        return self.library.of(self.members[number])

    def __repr__(self) -> str:
        return f"{self.name} for {', '.join(map(str, sorted(self.members)))}"
