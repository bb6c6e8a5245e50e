"""What is true of every use of an operation: traits that readers of the tree ask for, and its cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

#: Linear in every operand, however many there are.
EVERY = -1


@dataclass(frozen=True, slots=True)
class Acts:
    """The axes that one use of an operation names: it uses up some, acts along some, makes some.

    sum[seq] uses up seq; softmax[seq] acts along seq; X[seq >> key] uses up seq and makes key.
    """

    uses: tuple[str, ...] = ()
    along: tuple[str, ...] = ()
    makes: tuple[str, ...] = ()


def names_nothing(params: tuple[Any, ...]) -> Acts:
    """Say that an operation names no axis."""
    return Acts()


def uses_first(params: tuple[Any, ...]) -> Acts:
    """Say that the first parameter lists the axes which are used up."""
    return Acts(uses=params[0])


def along_first(params: tuple[Any, ...]) -> Acts:
    """Say that the first parameter lists the axes along which an operation acts."""
    return Acts(along=params[0])


@dataclass(frozen=True, slots=True)
class Traits:
    """Facts of an operation, each of which some reader of the tree needs.

    `pointwise`: a record of the result depends on the operands' records at the same indices alone.
    `linear`: the places of the operands in which it is linear, or (EVERY,). It is linear in each of
    them alone, as a * b is, or with `jointly` in all of them together, as a + b is.
    `commutative`: its operands may change places.
    `stepped`: its result is constant between jumps, so that its derivative is 0.
    `uniform`: an axis means the same in its operands, its result and its parameters, so that one
    renaming of all three changes nothing.
    `fresh`: its result never shares memory with an operand.
    `positive`: its result is above 0 where its operands are.
    `moves`: each record of its result is one of its first operand, or of any if it is linear in EVERY one.
    `monotone`: where it has values, they rise or fall all the way with each operand.
    `symbol`: Python's operator for it.
    `opposite`: the comparison of whole numbers that holds where this one does not.
    `neutral`: the number that as its last operand, or as a record it reduces, changes nothing.
    `folds`: the operation on two operands that a reduction repeats, as sum repeats add.
    `of_list`: the number that a reduction which folds nothing gives for a list of Python's numbers.
    `idempotent`: of equal records it gives one of them.
    `spreads`: its result is the same at each index of the axes that it makes.
    `normalises`: "numbers" where its result sums to 1 along its axes, "logs" where that of exp does.
    `centres`: its result has mean 0 along its axes.
    `picks`: its result has one 1 along the axes that it makes, and else 0.
    `scatters`: an axis that its indices have, its third operand and those after it, and its first lacks is
    used up.
    `opaque`: rules cannot know what it computes, so that none matches it.
    `needs`: the least number of axes that it acts along.
    `dtype`: "named" if its result has a dtype that it names itself; "given" if its operands need theirs
    before it runs, as a user's function does.
    `acts(params)`: the axes that one use names.
    `beside(params)`: the axes that cost nothing where its first operand stores them side by side in order.
    """

    pointwise: bool = False
    linear: tuple[int, ...] = ()
    jointly: bool = False
    commutative: bool = False
    stepped: bool = False
    uniform: bool = False
    fresh: bool = False
    positive: bool = False
    moves: bool = False
    monotone: bool = False
    symbol: str = ""
    opposite: str = ""
    neutral: float | None = None
    folds: str = ""
    of_list: Callable[[list[Any]], Any] | None = None
    idempotent: bool = False
    spreads: bool = False
    normalises: str = ""
    centres: bool = False
    picks: bool = False
    scatters: bool = False
    opaque: bool = False
    needs: int = 1
    dtype: str = ""
    acts: Callable[[tuple[Any, ...]], Acts] = names_nothing
    beside: Callable[[tuple[Any, ...]], tuple[str, ...]] | None = None

    def linear_in(self, place: int) -> bool:
        """Say whether the operation is linear in the operand at a place."""
        return place in self.linear or EVERY in self.linear

    def reduces(self, params: tuple[Any, ...]) -> tuple[str, ...]:
        """Give the axes that one use sums up or reduces otherwise: no renaming, no indexing."""
        return self.acts(params).uses if self.uniform else ()


@dataclass(frozen=True, slots=True)
class Cost:
    """What one use costs, as sizes: whole numbers where they are known, else nodes.

    `multiply_adds` are counted as two floating-point operations each, `others` as one; `read` and
    `written` are numbers of elements, not bytes: the reader knows the dtypes.
    """

    multiply_adds: Any = 0
    others: Any = 0
    read: Any = 0
    written: Any = 0


#: The least and the greatest number in a tensor without nan; None if nothing is known.
Bounds = tuple[float, float] | None
