"""One row of the table of laws: an operation, how to generate calls of it, and its definition."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from tests.laws.examples import Example, Operand

KINDS = ["bool", "int", "float"]


@dataclass(frozen=True)
class Row:
    """Hold an operation to its definition.

    `call` takes named tensors and `define` tensors of records, both with the example's settings.
    `covers` are the entries of the primitive table and the public names that the call goes
    through. `kind` is that of the result: like (that of the widest operand), number (the same,
    truth values counting as 0 and 1), float, int or bool.
    """

    name: str
    example: st.SearchStrategy[Example]
    call: Callable[..., Any]
    define: Callable[..., Any]
    covers: tuple[str, ...]
    kind: str = "like"
    smooth: Callable[[Example], bool] = lambda example: True
    #: whether the settings name axes of the operands
    names: bool = True
    #: whether several operands may share an axis
    meets: bool = False
    #: whether the call uses up an axis that not every operand has
    borrows: bool = False
    #: operands that cannot be given one axis more
    fixed: tuple[int, ...] = ()
    #: whether names of the result are the operands' and the settings', so that renaming commutes
    renames: bool = True

    def on_named(self, example: Example, library: str) -> Any:
        return self.call(*example.named(library), **example.settings)

    def on_records(self, example: Example) -> Any:
        return self.define(*example.records(), **example.settings)

    def result_kind(self, example: Example) -> str:
        kinds = [KINDS.index(kind_of(X)) for X in example.operands]
        widest = KINDS[max(kinds, default=0)]
        least = {"like": "bool", "number": "int", "float": "float"}
        return (
            self.kind if self.kind not in least else max(widest, least[self.kind], key=KINDS.index)
        )


def kind_of(X: Operand | float) -> str:
    """Give bool, int or float for an operand."""
    if isinstance(X, Operand):
        return {"b": "bool", "i": "int", "f": "float"}[X.array.dtype.kind]
    return type(X).__name__


def never(example: Example) -> bool:
    """For operations whose result jumps or stays: they have no gradient to hold to account."""
    return False
