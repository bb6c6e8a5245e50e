"""Link a definition: find all that its formula takes, through the letters that its body reaches.

What stands in f(X; W, b) comes first. A letter after the semicolon that is not declared itself is a
bundle: W stands for the declared W^1 and W^2 that the body reaches. What is declared and stands in
neither list is a parameter too. A function with an index of its own, MHA^l(X), owns its parameters.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from namedtensor.latex.documents.inputs import Linked
from namedtensor.latex.documents.reach import Walk
from namedtensor.latex.documents.scopes import Defined, Names
from namedtensor.latex.documents.scripts import Indices, stem
from namedtensor.latex.syntax import Expression


class Linker:
    """Link the definitions of a document; `bound` are numbers that its user has chosen, L = 6."""

    def __init__(self, names: Names, bound: Mapping[str, int] | None = None) -> None:
        self.names = names
        self.bound = dict(bound or {})
        self._known: dict[Any, Linked] = {}
        calls = [d.call for d in names.definitions]
        listed = [stem(p) for c in calls if c is not None for p in c.parameters]
        self._after = frozenset([text for text in listed if text is not None])
        self._apart = self._after | names.series_letters

    def linked(self, defined: Defined, indices: Indices | None = None) -> Linked:
        """Give a definition, or a member of a family, with what it takes."""
        numbers = {n: v for n, v in (indices or {}).items() if v is not None}
        place = (defined, tuple(sorted(numbers.items())))
        if place not in self._known:
            linked = self._known[place] = Linked(defined, numbers, letters=self._apart)
            Walk(self, linked).run()
        return self._known[place]

    def is_parameter(self, name: Expression) -> bool:
        """Say whether this document writes a letter after a semicolon somewhere."""
        return stem(name) in self._after
