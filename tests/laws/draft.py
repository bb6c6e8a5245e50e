"""What programs are drawn with: choices, what is known of each value, and the table of operations."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

#: Names of axes: words, primes, and words that Python or numpy keep for themselves.
NAMES = ("a", "b", "seq", "seq'", "sum", "lambda", "x0")
NEW_NAMES = ("new", "new'", "k", "len")
SIZES = (2, 3, 1, 0, 4)
#: What is no number, or no finite one.
SPECIAL = np.array([np.nan, np.inf, -np.inf])
#: No tensor holds more numbers than this: the oracle goes through them one by one.
MOST_RECORDS = 48

#: How many bits of a number the dtypes keep, and the distance from 1 to the next number.
BITS = {"float64": 53, "float32": 24, "bfloat16": 8, "complex128": 53, "complex64": 24}
EPSILON = {name: 2.0 ** (1 - bits) for name, bits in BITS.items()}
#: How far rounding may move a number, in epsilons, before what was computed says nothing any more.
MOST_ERROR = {53: 1e8, 24: 1e4, 8: 60.0}
KINDS = ("bool", "int", "float", "complex")


class Choices:
    """Whole numbers, drawn one after the other."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed).random

    def below(self, n: int) -> int:
        """Give a number from 0 up to n, n left out."""
        return int(self.random() * n)

    def one_in(self, n: int) -> bool:
        """Say yes once in n times."""
        return self.random() * n < 1

    def of(self, many: Sequence[Any]) -> Any:
        return many[self.below(len(many))]

    def some(self, many: Iterable[Any], least: int = 0, most: int = 9) -> list[Any]:
        """Choose some of a list, in any order."""
        rest = list(many)
        count = min(least + self.below(max(min(most, len(rest)) - least, 0) + 1), len(rest))
        return [rest.pop(self.below(len(rest))) for _ in range(count)]


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a value before it is computed.

    `most` bounds the finite numbers. `grain` says that all are whole multiples of 2^-grain and exact in
    every dtype of the program; None that they may be rounded, by `error` epsilons at most.
    """

    sizes: dict[str, int]
    kind: str
    most: float
    grain: int | None
    error: float = 0.0
    infinite: bool = False
    data: bool = True  # whether some input has a part in it; else it is defined by its indices

    @property
    def records(self) -> int:
        return math.prod(self.sizes.values())

    @property
    def exact(self) -> bool:
        return self.grain is not None


@dataclass(frozen=True)
class Input:
    """A tensor that the program is given: the axes as they are stored, and how they are stored."""

    axes: tuple[str, ...]
    sizes: dict[str, int]
    dtype: str
    low: float
    high: float
    seed: int
    storage: str
    after: bool = False  # whether it is a parameter, which stands after the star
    special: bool = False  # whether some numbers are nan or inf

    @property
    def kind(self) -> str:
        return kind_of(self.dtype)


def kind_of(dtype: str) -> str:
    return "float" if dtype == "bfloat16" else dtype.rstrip("0123456789")


@dataclass(frozen=True)
class Step:
    """One operation: its text with places for operands, the oracle's, and what it names."""

    primitive: str
    text: str
    define: str
    operands: tuple[int, ...]
    known: Known
    named: frozenset[str]  # axes that the text speaks of: these cannot be lifted over


@dataclass(frozen=True)
class Program:
    """Steps over inputs; values are numbered through, inputs first."""

    inputs: tuple[Input, ...]
    steps: tuple[Step, ...]
    results: tuple[int, ...]
    dtype: str  # the coarsest of the floating dtypes
    hidden: frozenset[str]  # axes of inputs that the formula does not declare
    inner: tuple[int, int] | None  # steps that stand in a formula of their own
    faulty: bool
    kinks: bool
    source: str = ""  # the whole text of a program that is not made of steps

    def known(self, value: int) -> Known:
        n = len(self.inputs)
        return known_input(self.inputs[value]) if value < n else self.steps[value - n].known

    @property
    def special(self) -> bool:
        return any(X.special for X in self.inputs)

    @property
    def primitives(self) -> list[str]:
        return [step.primitive for step in self.steps]

    @property
    def named(self) -> frozenset[str]:
        """Axes that the text speaks of."""
        return frozenset().union(*[step.named for step in self.steps])

    def name(self, value: int) -> str:
        n = len(self.inputs)
        if value >= n:
            return f"t{value - n}"
        return f"{'W' if self.inputs[value].after else 'X'}{value}"


def known_input(X: Input) -> Known:
    if X.kind == "bool":
        return Known(X.sizes, "bool", 1.0, 0)
    most = max(abs(X.low), abs(X.high))
    if X.kind == "complex":
        return Known(X.sizes, "complex", 1.5 * most, None, 0.0)
    # on a grid of eighths, or of ones
    return Known(X.sizes, X.kind, most, 0 if X.kind == "int" else 3)


class Impossible(Exception):
    """This operation does not apply here; another one is drawn."""


class Draft:
    """A program while it is drawn."""

    def __init__(self, choices: Choices) -> None:
        self.choices = choices
        self.values: list[Known] = []
        self.owners: list[Input | Step] = []
        self.used: set[int] = set()
        self.parts: list[int] = []  # the operations that each value is made of, as bits
        # torch makes single numbers of whole ones where numpy makes double ones, also where they meet
        # floats without axes
        self.single = False
        self.kinks = False
        self.dtype = choices.of(("float64", "float64", "float64", "float32", "bfloat16"))
        self.also = "float64" if self.dtype == "float32" and choices.one_in(4) else self.dtype
        names = choices.some(NAMES, 2, 4)
        self.sizes = {name: choices.of(SIZES) for name in names}
        # an axis that no operation names: all of them lift over it
        self.lifted = choices.of(names) if choices.one_in(2) else ""
        self.special = choices.one_in(16)  # nan and inf among the numbers of inputs
        self.bits = BITS[self.dtype]

    # --------------------------------------------------------------------------------- values

    def fits(self, known: Known) -> bool:
        return (
            known.records <= MOST_RECORDS
            and known.most <= 1e4
            and known.error <= MOST_ERROR[self.bits]
            and len(known.sizes) <= 6
        )

    def operand(
        self, kinds: str = "float int", test: Callable[[Known], bool] = lambda known: True
    ) -> int:
        """Choose a value that fits, the newer the likelier, or else a new input."""
        found = [
            i
            for i, known in enumerate(self.values)
            if known.kind in kinds and test(known) and (not known.infinite or "inf" in kinds)
        ]
        if not found:
            raise Impossible
        # mostly the newest, so that operations build on one another; else one that nobody has used
        how = self.choices.below(8)
        if how < 5:
            return found[-1]
        unused = [i for i in found if i not in self.used] if how < 7 else []
        return self.choices.of(unused or found)  # type: ignore[no-any-return]

    def new_input(self, sizes: dict[str, int], kind: str = "", **limits: float) -> int:
        choices = self.choices
        if not kind:
            kind = choices.of(("float", "float", "float", "float", "float", "int", "bool"))
        if kind == "float":
            dtype, limits = choices.of((self.dtype, self.also)), {"low": -2, "high": 2} | limits
        elif kind == "complex":
            dtype = "complex64" if self.dtype == "float32" else "complex128"
            limits = {"low": -2, "high": 2} | limits
        else:
            dtype = "bool" if kind == "bool" else choices.of(("int64", "int64", "int32", "int16"))
            limits = {"low": -4, "high": 4} | limits
        order = tuple(choices.some(sizes, len(sizes)))
        storage = choices.of(
            ("plain", "plain", "strided", "turned", "shared", "spread", "reversed")
        )
        X = Input(
            order,
            {a: sizes[a] for a in order},
            dtype,
            **limits,
            seed=choices.below(4096),
            storage=storage,
            after=choices.one_in(4),
            special=self.special and kind == "float" and choices.one_in(2),
        )
        return self.add(X, known_input(X))

    def some_axes(self, least: int = 0, most: int = 3) -> dict[str, int]:
        """Choose axes with the sizes that inputs have for them: one name has one size."""
        chosen: dict[str, int] = {}
        for axis in self.choices.some(self.sizes, least, most):
            if math.prod(chosen.values()) * self.sizes[axis] <= MOST_RECORDS:
                chosen[axis] = self.sizes[axis]
        return chosen

    def add(self, owner: Input | Step, known: Known) -> int:
        parts = 0
        if isinstance(owner, Step):
            parts = 1 << len(self.values)
            for i in owner.operands:
                parts |= self.parts[i]
        self.owners.append(owner)
        self.values.append(known)
        self.parts.append(parts)
        return len(self.values) - 1

    def step(
        self,
        primitive: str,
        text: str,
        define: str,
        operands: Sequence[int],
        known: Known,
        named: Iterable[str] = (),
    ) -> int:
        if not self.fits(known):
            raise Impossible
        data = any(self.values[i].data for i in operands)
        known = replace(known, data=data)
        kinds = {self.values[i].kind for i in operands}
        floats = [self.values[i] for i in operands if self.values[i].kind == "float"]
        if known.kind == "float" and kinds & {"int", "bool"} and not any(map(has_axes, floats)):
            self.single = True
        if known.exact and known.most * 2.0**known.grain > 2.0 ** min(self.bits - 2, 22):
            known = replace(known, grain=None, error=known.most)
        self.used.update(operands)
        return self.add(
            Step(primitive, text, define, tuple(operands), known, frozenset(named)), known
        )

    def meeting(self, first: Known, kinds: str, test: Any = lambda known: True) -> int:
        """Choose a second operand whose axes agree with the first's, or a new input."""
        if self.choices.one_in(3):
            return self.partner(first, kinds)
        try:
            return self.operand(
                kinds, lambda known: agree(first.sizes, known.sizes) and test(known)
            )
        except Impossible:
            return self.partner(first, kinds)

    def partner(self, first: Known, kinds: str) -> int:
        """Make an input with some of the axes of a value, and perhaps others."""
        own = [a for a, n in first.sizes.items() if self.sizes.get(a) == n]
        sizes = {a: self.sizes[a] for a in self.choices.some(own, 0, 3)}
        if self.choices.one_in(3):
            new = [a for a in self.sizes if a not in first.sizes]
            sizes |= {a: self.sizes[a] for a in self.choices.some(new, 0, 1)}
        return self.new_input(sizes, kinds.split()[0])


def agree(first: dict[str, int], second: dict[str, int]) -> bool:
    return all(first.get(a, n) == n for a, n in second.items())


def union(*sizes: dict[str, int]) -> dict[str, int]:
    found: dict[str, int] = {}
    for each in sizes:
        for axis, n in each.items():
            if found.setdefault(axis, n) != n:
                raise Impossible
    return found


def wider(*kinds: str) -> str:
    return max(kinds, key=KINDS.index)


def number_kind(*kinds: str) -> str:
    """The kind of a sum: truth values count as 0 and 1."""
    return wider("int", *kinds)


def new_name(draft: Draft, *knowns: Known) -> str:
    """Choose a name that none of these has."""
    taken = {a for known in knowns for a in known.sizes} | {draft.lifted}
    names = [a for a in (*NEW_NAMES, *NAMES) if a not in taken]
    return str(draft.choices.of(names[:4]))


def number(draft: Draft) -> str:
    """A Python number beside a tensor."""
    return str(draft.choices.of((2, 0.5, 1.0, -1, 3, -1.5, 0)))


def some_of(draft: Draft, known: Known, least: int = 1, most: int = 3, size: int = 0) -> list[str]:
    """Choose axes of a value, of a least size."""
    own = [axis for axis, n in known.sizes.items() if n >= size and axis != draft.lifted]
    if len(own) < least:
        raise Impossible
    return draft.choices.some(own, least, most)


def listed(axes: Sequence[str]) -> str:
    return ", ".join(map(repr, axes))


def all_or(axes: Sequence[str], known: Known) -> str:
    """Write axes in brackets; all that a tensor has, where their number is odd, as three dots."""
    return "..." if axes and {*axes} == {*known.sizes} and len(axes) % 2 else listed(axes)


def has_axes(known: Known) -> bool:
    return bool(known.sizes)


# ------------------------------------------------------------------------- the table of operations

Draw = Callable[[Draft], int]

#: What is drawn, by the primitive that it must reach. `often` counts how often it stands in the hat.
TABLE: dict[str, Draw] = {}
HAT: list[str] = []


def operation(*names: str, often: int = 1) -> Callable[[Any], Any]:
    """Enter a function that draws an operation; it gets the name that it is drawn for."""

    def enter(draw: Any) -> Any:
        for name in names:
            TABLE[name] = lambda draft, name=name: draw(draft, name)  # type: ignore[misc]
            HAT.extend([name] * often)
        return draw

    return enter
