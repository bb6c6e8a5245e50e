"""Programs of many operations, drawn at random: the notation's contract, as a stranger would use it.

A number gives a program, the same one as long as the table is the same. Each operation of the table says
when it applies, how it is written, how the oracle writes it, and what it does to numbers: how large they
can be, whether they are exact, and how far rounding can move them. So tolerances are known before anything
runs, and what jumps (a comparison, an order, a rounding) is asked of exact numbers only.
"""

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

    def known(self, value: int) -> Known:
        n = len(self.inputs)
        return known_input(self.inputs[value]) if value < n else self.steps[value - n].known

    @property
    def special(self) -> bool:
        return any(X.special for X in self.inputs)

    @property
    def primitives(self) -> list[str]:
        return [step.primitive for step in self.steps]

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
            dtype = "bool" if kind == "bool" else choices.of(("int64", "int64", "int32"))
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


# --- elementwise, of one operand

#: What keeps an operand in a domain: in our words and in the oracle's.
GUARDS = {
    "": ("{0}", "{0}"),
    "sin": ("nt.sin({0})", "D['sin']({0})"),
    "tanh": ("nt.tanh({0})", "D['tanh']({0})"),
    "half tanh": ("0.5 * nt.tanh({0})", "D['mul'](0.5, D['tanh']({0}))"),
    "inside": ("0.75 * nt.sin({0})", "D['mul'](0.75, D['sin']({0}))"),
    "fraction": ("0.5 + 0.25 * nt.sin({0})", "D['add'](0.5, D['mul'](0.25, D['sin']({0})))"),
    "positive": ("nt.abs({0}) + 0.5", "D['add'](D['abs']({0}), 0.5)"),
    "above 1": ("nt.abs({0}) + 1.5", "D['add'](D['abs']({0}), 1.5)"),
}

#: name: (guard, bound of the result, slope), both of the operand's bound m.
SMOOTH: dict[str, tuple[str, Callable[[float], float], Callable[[float], float]]] = {
    "exp": ("half tanh", lambda m: 2.0, lambda m: 1.0),
    "expm1": ("half tanh", lambda m: 1.0, lambda m: 1.0),
    "log": ("positive", lambda m: 1 + math.log(m + 1), lambda m: 2.0),
    "log1p": ("positive", lambda m: 1 + math.log(m + 2), lambda m: 1.0),
    "log2": ("positive", lambda m: 2 + 2 * math.log(m + 1), lambda m: 3.0),
    "log10": ("positive", lambda m: 1 + math.log(m + 1), lambda m: 1.0),
    "sqrt": ("positive", lambda m: math.sqrt(m + 1), lambda m: 0.75),
    "rsqrt": ("positive", lambda m: 1.5, lambda m: 1.5),
    "reciprocal": ("positive", lambda m: 2.0, lambda m: 4.0),
    "sin": ("", lambda m: 1.0, lambda m: 1.0),
    "cos": ("", lambda m: 1.0, lambda m: 1.0),
    "tan": ("sin", lambda m: 1.6, lambda m: 3.5),
    "asin": ("inside", lambda m: 1.0, lambda m: 1.2),
    "acos": ("inside", lambda m: 2.5, lambda m: 1.2),
    "atan": ("", lambda m: 1.6, lambda m: 1.0),
    "sinh": ("tanh", lambda m: 1.2, lambda m: 1.6),
    "cosh": ("tanh", lambda m: 1.6, lambda m: 1.2),
    "tanh": ("", lambda m: 1.0, lambda m: 1.0),
    "asinh": ("", lambda m: math.asinh(m) + 0.1, lambda m: 1.0),
    "acosh": ("above 1", lambda m: math.acosh(m + 1.6), lambda m: 0.9),
    "atanh": ("inside", lambda m: 1.0, lambda m: 1.8),
    "erf": ("", lambda m: 1.0, lambda m: 1.2),
    "sigmoid": ("", lambda m: 1.0, lambda m: 0.25),
    "silu": ("", lambda m: m, lambda m: 1.2),
    "gelu": ("", lambda m: m, lambda m: 1.2),
    "softplus": ("", lambda m: m + 0.7, lambda m: 1.0),
    "elu": ("", lambda m: m + 1, lambda m: 1.0),
    "cbrt": ("positive", lambda m: m + 1, lambda m: 0.6),
    "digamma": ("positive", lambda m: 2 + math.log(m + 1), lambda m: 5.0),
    "lgamma": ("positive", lambda m: 1 + m * math.log(m + 1), lambda m: 2 + math.log(m + 1)),
    "erfc": ("", lambda m: 2.0, lambda m: 1.2),
    "erfinv": ("inside", lambda m: 0.9, lambda m: 1.3),
    "exp2": ("half tanh", lambda m: 1.5, lambda m: 0.5),
    "logit": ("fraction", lambda m: 1.1, lambda m: 1.4),
    "logsigmoid": ("", lambda m: m + 0.7, lambda m: 1.0),
    "mish": ("", lambda m: m + 1, lambda m: 1.2),
    "selu": ("", lambda m: 1.1 * m + 1.8, lambda m: 1.8),
    "sinc": ("", lambda m: 1.0, lambda m: 1.6),
    "softsign": ("", lambda m: 1.0, lambda m: 1.0),
    "hardsigmoid": ("", lambda m: 1.0, lambda m: 0.2),
    "hardswish": ("", lambda m: m, lambda m: 1.5),
    "hardtanh": ("", lambda m: 1.0, lambda m: 1.0),
    "leaky_relu": ("", lambda m: m, lambda m: 1.0),
    "relu6": ("", lambda m: 6.0, lambda m: 1.0),
}  # fmt: skip


#: Functions made of straight lines, which keep whole numbers whole or not: floats are asked alone.
BROKEN = {"hardsigmoid", "hardswish", "hardtanh", "leaky_relu", "relu6"}


@operation(*SMOOTH)
def smooth(draft: Draft, name: str) -> int:
    x = draft.operand("float" if name in BROKEN else "float int")
    known = draft.values[x]
    guard, bound, slope = SMOOTH[name]
    if known.most > 50:
        raise Impossible
    ours, theirs = GUARDS[guard]
    m = bound(known.most)
    draft.kinks |= guard in ("positive", "above 1") or name in BROKEN
    error = slope(known.most) * (known.error + known.most + 1) + 4 * m
    setting = ", slope=0.01" if name == "leaky_relu" else ""
    return draft.step(
        name,
        f"nt.{name}({ours})",
        f"D['{name}']({theirs}{setting})",
        [x],
        Known(known.sizes, "float", m, None, error),
    )


@operation("relu", "abs", "neg", "square", "sign", "floor", "ceil", "round", "trunc")
def exactly(draft: Draft, name: str) -> int:
    """Functions that keep exact numbers exact; those that jump want them so."""
    jumps = name in ("sign", "floor", "ceil", "round", "trunc")
    kinds = "float int bool" if name == "neg" else "float int"
    x = draft.operand(kinds, lambda known: known.exact or not jumps)
    known = draft.values[x]
    text = "-{0}" if name == "neg" else f"nt.{name}({{0}})"
    m = known.most + 1
    grain, error = known.grain, known.error
    if name == "square":
        m = known.most**2
        grain = None if grain is None else 2 * grain
        error = 2 * known.most * error + m if grain is None else 0.0
    draft.kinks |= name != "neg" and name != "square"
    kind = number_kind(known.kind) if name == "neg" else known.kind
    return draft.step(
        name, text, f"D['{name}']({{0}})", [x], Known(known.sizes, kind, m, grain, error)
    )


@operation("isnan", "isinf", "isfinite")
def tests(draft: Draft, name: str) -> int:
    x = draft.operand("float int inf")
    known = draft.values[x]
    return draft.step(
        name, f"nt.{name}({{0}})", f"D['{name}']({{0}})", [x], Known(known.sizes, "bool", 1, 0)
    )


@operation("cast")
def cast(draft: Draft, name: str) -> int:
    # no whole number is nan or inf
    kind = draft.choices.of(("float", "bool") if draft.special else ("float", "int", "bool"))
    x = draft.operand("float int bool", lambda known: known.exact)
    known = draft.values[x]
    grain = known.grain if kind == "float" else 0
    return draft.step(
        name,
        f"nt.cast({{0}}, {kind})",
        f"D['cast']({{0}}, kind={kind})",
        [x],
        Known(known.sizes, kind, 1 if kind == "bool" else known.most, grain),
    )


@operation("real", "imag", "conj", "angle")
def of_complex(draft: Draft, name: str) -> int:
    try:
        x = draft.operand("complex")
    except Impossible:
        x = draft.new_input(draft.some_axes(0, 2), "complex")
    known = draft.values[x]
    if name == "angle":  # of numbers to the right of 0, where it does not jump
        m, error = 2.0, 4 * (known.error + known.most + 1)
        text = "nt.angle(nt.abs({0}) + 0.5 + 0 * {0})"
        define = "D['angle'](D['add'](D['add'](D['abs']({0}), 0.5), D['mul'](0, {0})))"
        draft.kinks = True
    else:
        m, error = known.most, known.error
        text, define = f"nt.{name}({{0}})", f"D['{name}']({{0}})"
    kind = "complex" if name == "conj" else "float"
    return draft.step(name, text, define, [x], Known(known.sizes, kind, m, None, error + m))


@operation("dropout")
def dropout(draft: Draft, name: str) -> int:
    """With a probability of 0 it is the identity: other ones have no one result."""
    x = draft.operand("float")
    return draft.step(name, "nt.dropout({0}, 0.0)", "{0}", [x], replace(draft.values[x]))


# --- elementwise, of two operands

OPERATORS = {
    "add": "+", "sub": "-", "mul": "*", "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">",
    "ge": ">=", "logical_and": "&", "logical_or": "|", "logical_xor": "^",
}  # fmt: skip


def number(draft: Draft) -> str:
    """A Python number beside a tensor."""
    return str(draft.choices.of((2, 0.5, 1.0, -1, 3, -1.5, 0)))


@operation("add", "sub", "mul", often=6)
def arithmetic(draft: Draft, name: str) -> int:
    x = draft.operand("float int bool complex")
    first = draft.values[x]
    sign = OPERATORS[name]
    if draft.choices.one_in(3):
        if first.kind == "bool":
            raise Impossible
        c = number(draft)
        second = Known({}, "float" if "." in c else "int", abs(float(c)), 1)
        text, define, operands = f"{{0}} {sign} {c}", f"D['{name}']({{0}}, {c})", [x]
        if draft.choices.one_in(2):
            text, define = f"{c} {sign} {{0}}", f"D['{name}']({c}, {{0}})"
    else:
        y = draft.meeting(first, "float int bool complex")
        second = draft.values[y]
        text, define, operands = f"{{0}} {sign} {{1}}", f"D['{name}']({{0}}, {{1}})", [x, y]
    kind = number_kind(first.kind, second.kind)
    sizes = union(first.sizes, second.sizes)
    both = first.exact and second.exact
    if name == "mul":
        m = first.most * second.most
        grain = first.grain + second.grain if both else None  # type: ignore[operator]
        error = first.most * second.error + second.most * first.error + m
    else:
        m = first.most + second.most
        grain = max(first.grain, second.grain) if both else None  # type: ignore[type-var]
        error = first.error + second.error + m
    return draft.step(
        name, text, define, operands, Known(sizes, kind, m, grain, 0.0 if both else error)
    )


@operation("div", often=3)
def division(draft: Draft, name: str) -> int:
    x = draft.operand("float int bool complex")
    first = draft.values[x]
    if draft.choices.one_in(2):
        y = draft.meeting(first, "float int")
        second = draft.values[y]
        draft.kinks = True
        m = 2 * first.most
        error = 2 * first.error + 4 * m * (second.error + second.most + 1) + m
        return draft.step(
            name,
            "{0} / (nt.abs({1}) + 0.5)",
            "D['div']({0}, D['add'](D['abs']({1}), 0.5))",
            [x, y],
            Known(union(first.sizes, second.sizes), wider("float", first.kind), m, None, error),
        )
    c = draft.choices.of((2, 4.0, 3, -0.5))
    grain = None if first.grain is None or c == 3 else first.grain + 2
    m = first.most * 2
    return draft.step(
        name,
        f"{{0}} / {c}",
        f"D['div']({{0}}, {c})",
        [x],
        Known(
            first.sizes,
            wider("float", first.kind),
            m,
            grain,
            0.0 if grain is not None else 2 * first.error + m,
        ),
    )


@operation("floordiv", "mod")
def whole_division(draft: Draft, name: str) -> int:
    x = draft.operand("float int", lambda known: known.exact)
    known = draft.values[x]
    c = draft.choices.of((2, 3, -2) if known.kind == "int" else (2, 0.5, -2.0))
    sign = "//" if name == "floordiv" else "%"
    kind = wider(known.kind, "float" if isinstance(c, float) else "int")
    draft.kinks = True
    m = known.most * 2 + 1 if name == "floordiv" else 3.0
    grain = 0 if name == "floordiv" else known.grain
    return draft.step(
        name,
        f"{{0}} {sign} {c}",
        f"D['{name}']({{0}}, {c})",
        [x],
        Known(known.sizes, kind, m, max(grain, 1)),  # type: ignore[type-var]
    )


@operation("pow")
def power(draft: Draft, name: str) -> int:
    x = draft.operand("float int", lambda known: known.most <= 20)
    known = draft.values[x]
    c = draft.choices.of((2, 3, 0.5, -1, -0.5))
    if isinstance(c, int) and c > 0:
        m = known.most**c
        grain = None if known.grain is None else c * known.grain
        error = 0.0 if grain is not None else c * known.most ** (c - 1) * known.error + 4 * m
        return draft.step(
            name,
            f"{{0}} ** {c}",
            f"D['pow']({{0}}, {c})",
            [x],
            Known(known.sizes, known.kind, max(m, 1), grain, error),
        )
    draft.kinks = True
    m = max(math.sqrt(known.most + 1), 2.0)
    return draft.step(
        name,
        f"(nt.abs({{0}}) + 0.5) ** {c}",
        f"D['pow'](D['add'](D['abs']({{0}}), 0.5), {c})",
        [x],
        Known(known.sizes, "float", m, None, 4 * (known.error + known.most + 1) + 4 * m),
    )


@operation("maximum", "minimum", "hypot", "logaddexp", "atan2")
def of_two(draft: Draft, name: str) -> int:
    x = draft.operand("float int")
    first = draft.values[x]
    y = draft.meeting(first, "float int")
    second = draft.values[y]
    sizes = union(first.sizes, second.sizes)
    error = first.error + second.error
    text, define = f"nt.{name}({{0}}, {{1}})", f"D['{name}']({{0}}, {{1}})"
    if name in ("maximum", "minimum"):
        draft.kinks = True
        both = first.exact and second.exact
        grain = max(first.grain, second.grain) if both else None  # type: ignore[type-var]
        m = max(first.most, second.most)
        known = Known(sizes, wider(first.kind, second.kind), m, grain, error + (0.0 if both else m))
        return draft.step(name, text, define, [x, y], known)
    if max(first.most, second.most) > 50:
        raise Impossible
    m = first.most + second.most + 2
    if name == "atan2":  # the angle jumps where the second is negative and the first 0
        text = "nt.atan2({0}, nt.abs({1}) + 0.5)"
        define = "D['atan2']({0}, D['add'](D['abs']({1}), 0.5))"
    draft.kinks |= name != "logaddexp"
    known = Known(sizes, "float", m, None, 2 * (error + m) + 4 * m)
    return draft.step(name, text, define, [x, y], known)


@operation("copysign", "heaviside", "isclose")
def signs(draft: Draft, name: str) -> int:
    exact = lambda known: known.exact
    x = draft.operand("float", exact)
    first = draft.values[x]
    y = draft.meeting(first, "float", exact)
    second = draft.values[y]
    if not second.exact:
        raise Impossible
    sizes = union(first.sizes, second.sizes)
    draft.kinks = True
    text, define = f"nt.{name}({{0}}, {{1}})", f"D['{name}']({{0}}, {{1}})"
    if name == "isclose":
        text = "nt.isclose({0}, {1}, 0.25, 0.25)"
        define = "D['isclose']({0}, {1}, rtol=0.25, atol=0.25)"
        return draft.step(name, text, define, [x, y], Known(sizes, "bool", 1, 0))
    if name == "copysign":  # of nothing that is 0, whose sign nobody keeps
        text = "nt.copysign({0}, nt.cast(nt.where({1} > 0, 1.0, -1.0), like={1}))"
        define = "D['copysign']({0}, D['where'](D['gt']({1}, 0), 1.0, -1.0))"
    m = max(first.most, second.most, 1.0)
    grain = max(first.grain, second.grain)  # type: ignore[type-var]
    return draft.step(name, text, define, [x, y], Known(sizes, "float", m, grain))


@operation("eq", "ne", "lt", "le", "gt", "ge")
def comparison(draft: Draft, name: str) -> int:
    """Numbers that are compared are exact: rounded ones could be equal on one way and not on another."""
    exact = lambda known: known.exact
    x = draft.operand("float int bool", exact)
    first = draft.values[x]
    sign = OPERATORS[name]
    if draft.choices.one_in(2):
        c = draft.choices.of((0, 0.5, 1, -1.0))
        return draft.step(
            name,
            f"{{0}} {sign} {c}",
            f"D['{name}']({{0}}, {c})",
            [x],
            Known(first.sizes, "bool", 1, 0),
        )
    y = draft.meeting(first, "float int bool", exact)
    if not draft.values[y].exact:
        raise Impossible
    sizes = union(first.sizes, draft.values[y].sizes)
    return draft.step(
        name,
        f"{{0}} {sign} {{1}}",
        f"D['{name}']({{0}}, {{1}})",
        [x, y],
        Known(sizes, "bool", 1, 0),
    )


def truth(draft: Draft, sizes: dict[str, int]) -> int:
    """Choose truth values that agree with these sizes, or make them by a comparison."""
    try:
        return draft.operand("bool", lambda known: agree(sizes, known.sizes))
    except Impossible:
        return draft.partner(Known(sizes, "bool", 1, 0), "bool")


@operation("logical_and", "logical_or", "logical_xor", "logical_not")
def logic(draft: Draft, name: str) -> int:
    try:
        x = draft.operand("bool")
    except Impossible:
        x = comparison(draft, "gt")
    first = draft.values[x]
    if name == "logical_not":
        return draft.step(name, "~{0}", "D['logical_not']({0})", [x], first)
    y = truth(draft, first.sizes)
    sizes = union(first.sizes, draft.values[y].sizes)
    return draft.step(
        name,
        f"{{0}} {OPERATORS[name]} {{1}}",
        f"D['{name}']({{0}}, {{1}})",
        [x, y],
        Known(sizes, "bool", 1, 0),
    )


@operation("where", often=3)
def where(draft: Draft, name: str) -> int:
    x = draft.operand("float int")
    first = draft.values[x]
    c = truth(draft, first.sizes)
    sizes = union(first.sizes, draft.values[c].sizes)
    if draft.choices.one_in(2):
        other = draft.choices.of(("0.0", "-1", "2.5"))
        second = Known({}, "float" if "." in other else "int", abs(float(other)), 1)
        text, define, operands = (
            f"nt.where({{0}}, {{1}}, {other})",
            f"D['where']({{0}}, {{1}}, {other})",
            [c, x],
        )
    else:
        y = draft.meeting(Known(sizes, "float", 1, 0), "float int")
        second = draft.values[y]
        text, define, operands = "nt.where({0}, {1}, {2})", "D['where']({0}, {1}, {2})", [c, x, y]
    both = first.exact and second.exact
    grain = max(first.grain, second.grain) if both else None  # type: ignore[type-var]
    m = max(first.most, second.most)
    known = Known(
        union(sizes, second.sizes),
        wider(first.kind, second.kind),
        m,
        grain,
        0.0 if both else max(first.error, second.error) + m,
    )
    return draft.step(name, text, define, operands, known)


@operation("clip")
def clip(draft: Draft, name: str) -> int:
    x = draft.operand("float")
    known = draft.values[x]
    draft.kinks = True
    return draft.step(
        name,
        "nt.clip({0}, -0.5, 1.0)",
        "D['clip']({0}, low=-0.5, high=1.0)",
        [x],
        replace(known, most=1.0, grain=None if known.grain is None else max(known.grain, 1)),
    )


# --- reductions and vectors


def some_of(draft: Draft, known: Known, least: int = 1, most: int = 3, size: int = 0) -> list[str]:
    """Choose axes of a value, of a least size."""
    own = [axis for axis, n in known.sizes.items() if n >= size and axis != draft.lifted]
    if len(own) < least:
        raise Impossible
    return draft.choices.some(own, least, most)


def listed(axes: Sequence[str]) -> str:
    return ", ".join(map(repr, axes))


def has_axes(known: Known) -> bool:
    return bool(known.sizes)


@operation("sum", often=4)
@operation("nansum", "nanmean", "quantile")
@operation("prod", "mean", "var", "std", "norm", "logsumexp", "max", "min", often=2)
def reduction(draft: Draft, name: str) -> int:
    kinds = "float int" + " bool" * (name == "sum") + " complex" * (name in ("sum", "mean"))
    x = draft.operand(kinds, has_axes)
    known = draft.values[x]
    least = 1 if name in ("mean", "nanmean", "quantile", "var", "std", "max", "min") else 0
    axes = some_of(draft, known, size=least)
    n = math.prod(known.sizes[a] for a in axes)
    sizes = {a: s for a, s in known.sizes.items() if a not in axes}
    m, error, grain = known.most, known.error, known.grain
    text, define = f"nt.{name}[{listed(axes)}]({{0}})", f"D['{name}']({{0}}, [{listed(axes)}])"
    kind = wider("float", known.kind)
    if name in ("sum", "nansum"):
        kind = number_kind(known.kind)
        m, error = m * n, n * error + n * n * m
    elif name == "prod":
        kind, m = number_kind(known.kind), max(m, 1.0) ** n
        error = n * m * (error + 1)
        grain = None if grain is None else grain * n
    elif name in ("mean", "nanmean"):
        error, grain = error + (n + 1) * m, None
    elif name == "quantile":
        q = draft.choices.of((0.0, 0.25, 0.5, 1.0))
        text = f"nt.quantile[{listed(axes)}]({{0}}, {q})"
        define = f"D['quantile']({{0}}, [{listed(axes)}], q={q})"
        error, grain = error + 4 * m, None
        draft.kinks = True
    elif name == "var":
        error, grain = 4 * m * (error + (n + 2) * m), None
        m = m * m
    elif name == "std":  # where the variance is near 0 the root magnifies: keep away from it
        text, define = (
            f"nt.std[{listed(axes)}]({{0}}) ** 2",
            f"D['square'](D['std']({{0}}, [{listed(axes)}]))",
        )
        error, grain = 8 * m * (error + (n + 2) * m), None
        m = m * m
    elif name == "norm":
        text, define = (
            f"nt.norm[{listed(axes)}]({{0}}) ** 2",
            f"D['square'](D['norm']({{0}}, [{listed(axes)}]))",
        )
        error, grain = 8 * n * m * (error + (n + 2) * m), None
        m = n * m * m
    elif name == "logsumexp":
        if m > 50 or n == 0:
            raise Impossible
        error, grain, m = error + (n + 4) * (m + n), None, m + math.log(n + 1)
    else:
        kind = known.kind
        draft.kinks = True
    if name in ("std", "norm"):
        draft.kinks = True  # no gradient where all is equal
    if grain is not None:
        error = 0.0
    return draft.step(name, text, define, [x], Known(sizes, kind, m, grain, error), axes)


@operation("any", "all", "count")
def of_truth(draft: Draft, name: str) -> int:
    x = truth(draft, draft.some_axes(1))
    known = draft.values[x]
    axes = some_of(draft, known)
    n = math.prod(known.sizes[a] for a in axes)
    sizes = {a: s for a, s in known.sizes.items() if a not in axes}
    kind = "int" if name == "count" else "bool"
    return draft.step(
        name,
        f"nt.{name}[{listed(axes)}]({{0}})",
        f"D['{name}']({{0}}, [{listed(axes)}])",
        [x],
        Known(sizes, kind, max(n, 1), 0),
        axes,
    )


@operation("softmax", "log_softmax", "standardize", often=3)
def vector(draft: Draft, name: str) -> int:
    x = draft.operand("float int" + " inf" * (name == "softmax"), has_axes)
    known = draft.values[x]
    axes = some_of(draft, known)
    n = math.prod(known.sizes[a] for a in axes)
    if known.most > 50:
        raise Impossible
    text, define = f"nt.{name}[{listed(axes)}]({{0}})", f"D['{name}']({{0}}, [{listed(axes)}])"
    m, error = 1.0, 2 * known.error + (n + 4) * (known.most + 1)
    if name == "log_softmax":
        m = 2 * known.most + math.log(n + 1)
        error = 2 * known.error + (n + 4) * (known.most + n + 1)
    elif name == "standardize":
        text = f"nt.standardize[{listed(axes)}]({{0}}, 0.25)"
        define = f"D['standardize']({{0}}, [{listed(axes)}], eps=0.25)"
        m = math.sqrt(n) + 1
        error = 8 * (1 + known.most) * (known.error + (n + 2) * known.most + m)
    return draft.step(name, text, define, [x], Known(known.sizes, "float", m, None, error), axes)


@operation("argmax", "argmin", "argmax_index", "argmin_index", "argsort", "sort")
def ordering(draft: Draft, name: str) -> int:
    """Equal numbers keep their order and the first is the greatest, so exact numbers have one answer."""
    x = draft.operand("float int", lambda known: has_axes(known) and known.exact)
    known = draft.values[x]
    axis = some_of(draft, known, 1, 1, 0 if "sort" in name else 1)
    draft.kinks = True
    sizes, kind, m, grain = dict(known.sizes), "int", 4.0, 0
    more = ""
    if name.endswith("index"):
        del sizes[axis[0]]
    elif name == "sort":
        kind, m, grain = known.kind, known.most, known.grain  # type: ignore[assignment]
    if "sort" in name and draft.choices.one_in(2):
        more = ", descending=True"
    return draft.step(
        name,
        f"nt.{name}[{axis[0]!r}]({{0}}{more})",
        f"D['{name}']({{0}}, {axis!r}{more})",
        [x],
        Known(sizes, kind, m, grain),
        axis,
    )


@operation("maxk", "mink", "argmaxk", "argmink", "argmaxk_index", "argmink_index")
def top(draft: Draft, name: str) -> int:
    x = draft.operand("float int", lambda known: has_axes(known) and known.exact)
    known = draft.values[x]
    (axis,) = some_of(draft, known, 1, 1)
    k = new_name(draft, known)
    count = draft.choices.below(known.sizes[axis] + 1)
    draft.kinks = True
    sizes = {a: n for a, n in known.sizes.items() if a != axis} | {k: count}
    kind, m, grain = "int", 4.0, 0
    if name in ("maxk", "mink"):
        kind, m, grain = known.kind, known.most, known.grain  # type: ignore[assignment]
    elif name in ("argmaxk", "argmink"):
        sizes[axis] = known.sizes[axis]
    return draft.step(
        name,
        f"nt.{name}[{axis!r}, A({k!r})[{count}]]({{0}})",
        f"D['{name}']({{0}}, {axis!r}, {k!r}, {count})",
        [x],
        Known(sizes, kind, m, grain),
        [axis, k],
    )


@operation("cumsum", "cumprod", "cummax", "cummin", "logcumsumexp", "flip", "roll")
def along(draft: Draft, name: str) -> int:
    x = draft.operand("float int", has_axes)
    known = draft.values[x]
    axes = some_of(draft, known, 1, 3 if name == "flip" else 1)
    n = max(math.prod(known.sizes[a] for a in axes), 1)
    text, define = f"nt.{name}[{listed(axes)}]({{0}})", f"D['{name}']({{0}}, [{listed(axes)}])"
    m, error, grain, kind = known.most, known.error, known.grain, known.kind
    if name == "roll":
        shift = draft.choices.of((1, -1, 3, 0, -5))
        text = f"nt.roll[{listed(axes)}]({{0}}, {shift})"
        define = f"D['roll']({{0}}, [{listed(axes)}], shift={shift})"
    elif name == "cumsum":
        m, error = m * n, n * error + n * n * m
    elif name == "cumprod":
        m = max(m, 1.0) ** n
        error, grain = n * m * (error + 1), None if grain is None else grain * n
    elif name == "logcumsumexp":
        if m > 50:
            raise Impossible
        error, grain, kind, m = error + (n + 4) * (m + n), None, "float", m + math.log(n + 1)
    draft.kinks |= name in ("cummax", "cummin")
    if grain is not None:
        error = 0.0
    return draft.step(name, text, define, [x], Known(known.sizes, kind, m, grain, error), axes)


# --- contraction


@operation("dot", often=8)
def contraction(draft: Draft, name: str) -> int:
    """Two to four operands; each axis under the dot is an axis of at least two of them."""
    x = draft.operand("float int bool complex", has_axes)
    first = draft.values[x]
    places, knowns = [x], [first]
    count = draft.choices.of((2, 2, 2, 3, 3, 4))
    for _ in range(count - 1):
        sizes = union(*[known.sizes for known in knowns])
        y = draft.meeting(Known(sizes, "float", 1, 0), "float int bool complex", has_axes)
        places.append(y)
        knowns.append(draft.values[y])
    sizes = union(*[known.sizes for known in knowns])
    if math.prod(sizes.values()) > 16 * MOST_RECORDS:
        raise Impossible
    shared = [
        a for a in sizes if sum(a in known.sizes for known in knowns) > 1 and a != draft.lifted
    ]
    axes = draft.choices.some(shared, min(1, len(shared)))
    rest = {a: n for a, n in sizes.items() if a not in axes}
    n = max(math.prod(sizes[a] for a in axes), 1)
    m = n * math.prod(max(known.most, 1e-9) for known in knowns)
    both = all(known.exact for known in knowns)
    grain = sum(known.grain or 0 for known in knowns) if both else None
    error = 0.0
    if not both:
        error = (n + count) * m + sum(known.error * m / max(known.most, 1e-9) for known in knowns)
    kind = number_kind(*[known.kind for known in knowns])
    if count == 2 and axes and draft.choices.one_in(2):
        text = f"{{0}} @ ({listed(axes)},) @ {{1}}"
    else:
        holes = ", ".join(f"{{{i}}}" for i in range(count))
        text = f"nt.dot[{listed(axes) or '()'}]({holes})"
    define = f"D['dot']({', '.join(f'{{{i}}}' for i in range(count))}, axes=[{listed(axes)}])"
    return draft.step(name, text, define, places, Known(rest, kind, m, grain, error), axes)


# --- renaming and reshaping


def new_name(draft: Draft, *knowns: Known) -> str:
    """Choose a name that none of these has."""
    taken = {a for known in knowns for a in known.sizes} | {draft.lifted}
    names = [a for a in (*NEW_NAMES, *NAMES) if a not in taken]
    return str(draft.choices.of(names[:4]))


ANY = "float int bool complex inf"


@operation("rename", often=3)
def rename(draft: Draft, name: str) -> int:
    x = draft.operand(ANY, has_axes)
    known = draft.values[x]
    before = some_of(draft, known)
    taken = [draft.lifted, *[a for a in known.sizes if a not in before]]
    free = dict.fromkeys(a for a in (*before, *NEW_NAMES, *NAMES[:3]) if a not in taken)
    after = draft.choices.some(free, len(before), len(before))
    pairs = dict(zip(before, after, strict=True))
    sizes = {pairs.get(a, a): n for a, n in known.sizes.items()}
    text = ", ".join(f"A({a!r}) >> A({b!r})" for a, b in pairs.items())
    return draft.step(
        name,
        f"{{0}}[{text}]",
        f"D['rename']({{0}}, {{{{{str(pairs)[1:-1]}}}}})",
        [x],
        replace(known, sizes=sizes),
        [*before, *after],
    )


@operation("merge", "split", often=2)
def regroup(draft: Draft, name: str) -> int:
    x = draft.operand(ANY, lambda known: len(known.sizes) >= (2 if name == "merge" else 1))
    known = draft.values[x]
    if name == "merge":
        axes = some_of(draft, known, 2)
        into = draft.choices.of((new_name(draft, known), axes[0]))
        sizes = {a: n for a, n in known.sizes.items() if a not in axes}
        sizes[into] = math.prod(known.sizes[a] for a in axes)
        return draft.step(
            name,
            f"{{0}}[({', '.join(f'A({a!r})' for a in axes)}) >> A({into!r})]",
            f"D['merge']({{0}}, {axes!r}, {into!r})",
            [x],
            replace(known, sizes=sizes),
            [*axes, into],
        )
    (axis,) = some_of(draft, known, 1, 1)
    n = known.sizes[axis]
    first = draft.choices.of([d for d in range(1, n + 1) if n % d == 0] or [1, 2])
    second = n // first
    p, q = draft.choices.some([a for a in (*NEW_NAMES, "p", "q") if a not in known.sizes], 2, 2)
    sizes = {a: s for a, s in known.sizes.items() if a != axis} | {p: first, q: second}
    parts = [f"A({p!r})[{first}]", f"A({q!r})[{second}]"]
    if draft.choices.one_in(2):
        parts[1] = f"A({q!r})"
    return draft.step(
        name,
        f"{{0}}[A({axis!r}) >> ({', '.join(parts)})]",
        f"D['split_axis']({{0}}, {axis!r}, {{{{{p!r}: {first}, {q!r}: {second}}}}})",
        [x],
        replace(known, sizes=sizes),
        [axis, p, q],
    )


@operation("rearrange")
def rearrange(draft: Draft, name: str) -> int:
    """einops' words: names without primes, all axes of the tensor in the pattern."""
    plain = lambda known: len(known.sizes) >= 2 and all(a.isidentifier() for a in known.sizes)
    x = draft.operand(
        ANY, lambda known: plain(known) and not {"sum", "lambda", "len"} & {*known.sizes}
    )
    known = draft.values[x]
    axes = list(known.sizes)
    order = draft.choices.some(axes, len(axes))
    a, b = order[:2]
    into = f"{a}_{b}"
    if into in known.sizes or draft.lifted in known.sizes:
        raise Impossible
    rest = order[2:]
    text = f"{' '.join(axes)} -> {' '.join([*rest, f'({a} {b})'])}"
    sizes = {c: known.sizes[c] for c in rest} | {into: known.sizes[a] * known.sizes[b]}
    return draft.step(
        name,
        f"{{0}}.rearrange({text!r})",
        f"D['merge']({{0}}, [{a!r}, {b!r}], {into!r})",
        [x],
        replace(known, sizes=sizes),
        [*axes, into],
    )


# --- indexing, windows, joining


@operation("at", "slice", "listed", often=2)
def indexing(draft: Draft, name: str) -> int:
    x = draft.operand(ANY, has_axes)
    known = draft.values[x]
    (axis,) = some_of(draft, known, 1, 1, 0 if name == "slice" else 1)
    n = known.sizes[axis]
    sizes = dict(known.sizes)
    if name == "at":
        i = draft.choices.below(2 * n) - n
        del sizes[axis]
        text, define = f"{{0}}[A({axis!r})({i})]", f"D['at']({{0}}, {axis!r}, {i})"
    elif name == "slice":
        bounds = (None, 1, 0, -1, 2, -3, 5)
        start, stop = draft.choices.of(bounds), draft.choices.of(bounds)
        step = draft.choices.of((None, None, 2, -1, -2))
        written = ":".join("" if b is None else str(b) for b in (start, stop, step)).removesuffix(
            ":"
        )
        sizes[axis] = len(range(n)[slice(start, stop, step)])
        if ":" not in written:
            written += ":"
        text = f"{{0}}[A({axis!r})[{written}]]"
        define = f"D['slice']({{0}}, {axis!r}, slice({start}, {stop}, {step}))"
    else:
        chosen = [draft.choices.below(2 * n) - n for _ in range(1 + draft.choices.below(3))]
        sizes[axis] = len(chosen)
        text = f"{{0}}[A({axis!r})[{chosen!r}]]"
        parts = ", ".join(f"D['at']({{0}}, {axis!r}, {i})" for i in chosen)
        define = f"D['stack']({parts}, axis={axis!r})"
    return draft.step(name, text, define, [x], replace(known, sizes=sizes), [axis])


def indices(draft: Draft, sizes: dict[str, int], n: int) -> int:
    """Make an input of indices into an axis of n, counted from either end."""
    return draft.new_input(sizes, "int", low=-n, high=n - 1)


@operation("index", often=3)
def by_tensor(draft: Draft, name: str) -> int:
    x = draft.operand(ANY, has_axes)
    known = draft.values[x]
    (axis,) = some_of(draft, known, 1, 1, 1)
    own = {
        a: n for a, n in draft.some_axes(0, 2).items() if known.sizes.get(a, n) == n and a != axis
    }
    i = indices(draft, own, known.sizes[axis])
    sizes = union({a: n for a, n in known.sizes.items() if a != axis}, own)
    text = draft.choices.of((f"{{0}}[A({axis!r})({{1}})]", f"nt.index[{axis!r}]({{0}}, {{1}})"))
    return draft.step(
        name,
        text,
        f"D['index']({{0}}, **{{{{{axis!r}: {{1}}}}}})",
        [x, i],
        replace(known, sizes=sizes),
        [axis],
    )


@operation("set_at", "add_at", "multiply_at", "max_at", "min_at")
def update(draft: Draft, name: str) -> int:
    x = draft.operand("float int", has_axes)
    known = draft.values[x]
    (axis,) = some_of(draft, known, 1, 1, 1)
    n = known.sizes[axis]
    how = draft.choices.below(3)
    read = {a: s for a, s in known.sizes.items() if a != axis}
    places = [x]
    if how == 0:
        i = draft.choices.below(2 * n) - n
        place, theirs = f"A({axis!r})({i})", f"{{{{{axis!r}: {i}}}}}"
    elif how == 1 or name in ("set_at", "multiply_at"):
        start = draft.choices.below(n + 1)
        read[axis] = n - start
        place, theirs = f"A({axis!r})[{start}:]", f"{{{{{axis!r}: slice({start}, None)}}}}"
    else:
        own = {a: s for a, s in draft.some_axes(0, 1).items() if known.sizes.get(a) != s}
        if any(a in known.sizes for a in own):
            raise Impossible
        i = indices(draft, own, n)
        places, place, theirs = [x, i], f"A({axis!r})({{1}})", f"{{{{{axis!r}: {{1}}}}}}"
        read |= own
    if draft.choices.one_in(3):
        value, second = number(draft), Known({}, "int", 3.0, 1)
        if known.kind == "int":
            value = str(int(float(value)))
    else:
        own = {a: s for a, s in read.items() if draft.sizes.get(a) == s}
        y = draft.new_input({a: own[a] for a in draft.choices.some(own, 0, 2)}, known.kind)
        second = draft.values[y]
        value = f"{{{len(places)}}}"
        places.append(y)
    both = known.exact
    m = known.most + 8 * second.most
    grain = max(known.grain, second.grain) if both else None  # type: ignore[type-var]
    if name == "multiply_at":
        m = known.most * max(second.most, 1.0)
        grain = known.grain + second.grain if both else None  # type: ignore[operator]
    draft.kinks |= name in ("max_at", "min_at")
    verb = name.removesuffix("_at")
    theirs_value = value if value.startswith("{") else f"D['full']({{{{}}}}, {value})"
    return draft.step(
        name,
        f"{{0}}.at[{place}].{verb}({value})",
        f"D['{name}']({{0}}, {theirs_value}, {theirs})",
        places,
        Known(dict(known.sizes), known.kind, m, grain, 0.0 if both else 8 * (known.error + m)),
        [axis],
    )


@operation("scatter")
def scatter(draft: Draft, name: str) -> int:
    x = draft.operand("float int", has_axes)
    known = draft.values[x]
    (axis,) = some_of(draft, known, 1, 1)
    n = known.sizes[axis]
    if draft.sizes.get(axis) != n:
        raise Impossible
    size = 1 + draft.choices.below(3)
    k = new_name(draft, known)
    i = draft.new_input({axis: n}, "int", low=-size, high=size - 1)
    rest = {a: s for a, s in known.sizes.items() if a != axis}
    m = known.most * max(n, 1)
    return draft.step(
        name,
        f"nt.scatter[{axis!r}, A({k!r})[{size}]]({{0}}, {{1}})",
        f"D['scatter']({{0}}, {{1}}, {axis!r}, {k!r}, {size})",
        [x, i],
        Known(
            rest | {k: size}, known.kind, m, known.grain, n * (known.error + m) * (not known.exact)
        ),
        [axis, k],
    )


@operation("overlap_add")
def overlap_add(draft: Draft, name: str) -> int:
    x = draft.operand("float int", lambda known: len(known.sizes) > 1)
    known = draft.values[x]
    axis, kernel = some_of(draft, known, 2, 2, 1)
    n, k = known.sizes[axis], known.sizes[kernel]
    sizes = {a: s for a, s in known.sizes.items() if a != kernel} | {axis: n + k - 1}
    m = known.most * k
    how = ""
    if n and draft.choices.one_in(2):
        stride, dilation = 1 + draft.choices.below(3), 1 + draft.choices.below(2)
        whole = (n - 1) * stride + (k - 1) * dilation + 1
        before = draft.choices.below(min(whole, 2))
        sizes[axis] = whole - before + draft.choices.below(stride)
        how = f", stride={stride}, dilation={dilation}, padding=({before}, 0), size={sizes[axis]}"
    return draft.step(
        name,
        f"nt.overlap_add[{axis!r}, {kernel!r}]({{0}}{how})",
        f"D['overlap_add']({{0}}, {axis!r}, {kernel!r}{how})",
        [x],
        Known(sizes, known.kind, m, known.grain, k * (known.error + m) * (not known.exact)),
        [axis, kernel],
    )


@operation("one_hot")
def one_hot(draft: Draft, name: str) -> int:
    n = 1 + draft.choices.below(3)
    sizes = draft.some_axes(0, 2)
    i = draft.new_input(sizes, "int", low=0, high=n - 1)
    k = new_name(draft, Known(sizes, "int", 1, 0))
    return draft.step(
        name,
        f"nt.one_hot({{0}}, A({k!r})[{n}])",
        f"D['one_hot']({{0}}, {k!r}, {n})",
        [i],
        Known(sizes | {k: n}, "int", 1, 0),
        [k],
    )


@operation("upsample")
def upsample(draft: Draft, name: str) -> int:
    x = draft.operand("float int", has_axes)
    known = draft.values[x]
    axes = some_of(draft, known, 1, 2)
    factor = 1 + draft.choices.below(3)
    linear = known.kind == "float" and draft.choices.one_in(2)
    if linear:
        known = replace(known, grain=None, error=known.error + 8 * known.most)
    return draft.step(
        name,
        f"nt.upsample[{listed(axes)},]({{0}}, {factor}, linear={linear})",
        f"D['upsample']({{0}}, [{listed(axes)}], {factor}, {linear})",
        [x],
        replace(known, sizes={a: n * factor if a in axes else n for a, n in known.sizes.items()}),
        list(axes),
    )


@operation("unroll", "pool", "pad", often=2)
def windows(draft: Draft, name: str) -> int:
    x = draft.operand("float int" if name == "pad" else ANY, has_axes)
    known = draft.values[x]
    (axis,) = some_of(draft, known, 1, 1, 0 if name != "unroll" else 1)
    n = known.sizes[axis]
    sizes = dict(known.sizes)
    if name == "pad":
        before, after = draft.choices.below(3), draft.choices.below(3)
        value = draft.choices.of((0, 0, 1) if known.kind == "int" else (0.0, 0, -1.5))
        sizes[axis] = n + before + after
        known = replace(
            known,
            most=max(known.most, 1.5),
            grain=None if known.grain is None else max(known.grain, 1),
        )
        return draft.step(
            name,
            f"nt.pad[{axis!r}]({{0}}, {before}, {after}, {value})",
            f"D['pad']({{0}}, {axis!r}, {before}, {after}, value={value})",
            [x],
            replace(known, sizes=sizes),
            [axis],
        )
    k = new_name(draft, known)
    how = ""
    if known.kind != "complex" and n and draft.choices.one_in(2):
        size, known, how = moved_windows(draft, known, axis, name)
        sizes[axis] = known.sizes[axis]
    elif name == "unroll":
        size = 1 + draft.choices.below(n)
        sizes[axis] = n - size + 1
    else:
        size = draft.choices.of([d for d in (1, 2, 3, 4) if n % d == 0])
        sizes[axis] = n // size
    sizes[k] = size
    return draft.step(
        name,
        f"nt.{name}[{axis!r}, A({k!r})[{size}]]({{0}}{how})",
        f"D['{name}']({{0}}, {axis!r}, {k!r}, {size}{how})",
        [x],
        replace(known, sizes=sizes),
        [axis, k],
    )


def moved_windows(draft: Draft, known: Known, axis: str, name: str) -> tuple[int, Known, str]:
    """Draw a window, a stride, a dilation and a padding: what is seen, and how it is asked for."""
    n = known.sizes[axis]
    size, stride, dilation = [1 + draft.choices.below(3) for _ in range(3)]
    span = (size - 1) * dilation + 1
    ends = draft.choices.of((0, 1, (0, 2), "same"))
    if known.kind == "bool":
        ends = 0
    value = draft.choices.of((0, 0, 1) if known.kind == "int" else (0.0, 0, -1.5))
    whole = n + (ends if isinstance(ends, tuple) else (0,))[-1] + (2 if ends == 1 else 0)
    count = -(-n // stride) if ends == "same" else (whole - span) // stride + 1
    if count < 1 or (whole < span and ends != "same"):
        raise Impossible
    how = f", stride={stride}, dilation={dilation}"
    if ends != 0:
        how += f", padding={ends!r}, value={value}"
        most, grain = max(known.most, 1.5), known.grain
        known = replace(known, most=most, grain=None if grain is None else max(grain, 1))
    return size, replace(known, sizes={**known.sizes, axis: count}), how


@operation("concat", "stack", often=2)
def joining(draft: Draft, name: str) -> int:
    x = draft.operand("float int", has_axes)
    first = draft.values[x]
    (axis,) = some_of(draft, first, 1, 1) if name == "concat" else [new_name(draft, first)]
    places, knowns = [x], [first]
    for _ in range(draft.choices.below(3)):
        rest = lambda known: {a: n for a, n in known.sizes.items() if a != axis}
        fits = lambda known: (
            (axis in known.sizes) == (name == "concat")
            and agree(union(*map(rest, knowns)), rest(known))
        )
        y = draft.operand("float int", fits)
        places.append(y)
        knowns.append(draft.values[y])
    sizes = union(*[{a: n for a, n in known.sizes.items() if a != axis} for known in knowns])
    sizes[axis] = sum(known.sizes[axis] for known in knowns) if name == "concat" else len(knowns)
    holes = ", ".join(f"{{{i}}}" for i in range(len(places)))
    both = all(known.exact for known in knowns)
    m = max(known.most for known in knowns)
    known = Known(
        sizes,
        wider(*[known.kind for known in knowns]),
        m,
        max(known.grain or 0 for known in knowns) if both else None,
        0.0 if both else max(known.error for known in knowns) + m,
    )
    return draft.step(
        name,
        f"nt.{name}[{axis!r}]({holes})",
        f"D['{name}']({holes}, axis={axis!r})",
        places,
        known,
        [axis],
    )


# --- index-defined parts


@operation("iota", often=3)
def index_defined(draft: Draft, name: str) -> int:
    """An identity, a count, a mask or cases by index, that take their sizes from what they meet."""
    x = draft.operand("float int", has_axes)
    known = draft.values[x]
    row = some_of(draft, known, 1, 1)[0]
    n = known.sizes[row]
    how = draft.choices.below(6)
    m = known.most
    grain, error = known.grain, known.error
    if how == 0:
        form, theirs, m = f"nt.iota({row!r})", f"D['iota']({row!r}, {n})", m + 4
        text, define = f"{{0}} + {form}", f"D['add']({{0}}, {theirs})"
    elif how == 1:
        form, theirs, m = f"nt.iota(A({row!r})[{n}])", f"D['iota']({row!r}, {n})", 4 * m
        text, define = f"{form} * {{0}}", f"D['mul']({theirs}, {{0}})"
        error *= 4
    else:
        row, col = some_of(draft, known, 2, 2)
        sizes = f"{{{{{row!r}: {known.sizes[row]}, {col!r}: {known.sizes[col]}}}}}"
        if how == 2:
            text = f"{{0}} * nt.eye({row!r}, {col!r})"
            same = f"D['eq'](D['iota']({row!r}, {known.sizes[row]}), D['iota']({col!r}, {known.sizes[col]}))"
            define = f"D['mul']({{0}}, {same})"
        elif how == 3:
            text = f"nt.where(nt.define[{row!r}, {col!r}](lambda i, j: j <= i), {{0}}, -1.0)"
            define = f"D['where'](D['define']({sizes}, lambda i, j: j <= i), {{0}}, -1.0)"
            m, grain = max(m, 1.0), None if grain is None else grain
        elif how == 4:
            rule = "lambda i, j: 2 * i - j"
            text = f"{{0}} + nt.define[{row!r}, {col!r}]({rule})"
            define, m = f"D['add']({{0}}, D['define']({sizes}, {rule}))", m + 12
        else:
            text = (
                f"{{0}} + nt.define[{row!r}, {col!r}](lambda i, j: nt.where(j <= i, 0.0, -nt.inf))"
            )
            rule = "lambda i, j: 0.0 if j <= i else -inf"
            define = f"D['add']({{0}}, D['define']({sizes}, {rule}))"
            known = replace(known, infinite=True, kind="float")
        return draft.step(
            name,
            text,
            define,
            [x],
            replace(
                known,
                kind=wider("float", known.kind) if how in (3, 5) else number_kind(known.kind),
                most=m,
                grain=grain,
                error=0.0 if grain is not None else error + m,
            ),
            [row, col],
        )
    return draft.step(
        name,
        text,
        define,
        [x],
        replace(
            known,
            kind=number_kind(known.kind),
            most=m,
            grain=grain,
            error=0.0 if grain is not None else error + m,
        ),
        [row],
    )


@operation("size")
def by_size(draft: Draft, name: str) -> int:
    x = draft.operand("float int", has_axes)
    known = draft.values[x]
    (axis,) = some_of(draft, known, 1, 1, 1)
    n = known.sizes[axis]
    m = known.most + n
    return draft.step(
        name,
        f"{{0}} - {{0}}.size({axis!r})",
        f"D['sub']({{0}}, {n})",
        [x],
        replace(known, most=m, error=0.0 if known.exact else known.error + m),
        [axis],
    )


# --- recurrence and matrices


@operation("associative_scan")
def associative(draft: Draft, name: str) -> int:
    x = draft.operand("float int", lambda known: has_axes(known) and known.exact)
    known = draft.values[x]
    (axis,) = some_of(draft, known, 1, 1, 1)
    word, reverse = draft.choices.of(("maximum", "add")), draft.choices.one_in(2)
    m = known.most * (known.sizes[axis] if word == "add" else 1)
    draft.kinks |= word == "maximum"
    ours = f"(nt.{word}(p[0], q[0]),)" if word == "maximum" else "(p[0] + q[0],)"
    theirs = f"(D['{word}'](p[0], q[0]),)"
    return draft.step(
        name,
        f"nt.{name}[{axis!r}](lambda p, q: {ours}, ({{0}},), {reverse})[0]",
        f"D['{name}'](lambda p, q: {theirs}, ({{0}},), {axis!r}, {reverse})[0]",
        [x],
        replace(known, most=m),
        [axis],
    )


def started(h: str, axes: Sequence[str]) -> tuple[str, str]:
    """Write where a recurrence over {0} starts: a carry keeps its dtype, so it has that of the step."""
    ours = f"{h} + 0 * nt.sum[{listed(axes)}]({{0}})"
    return ours, f"D['add']({h}, D['mul'](0, D['sum']({{0}}, [{listed(axes)}])))"


@operation("scan")
def recurrence(draft: Draft, name: str) -> int:
    x = draft.operand("float", has_axes)
    known = draft.values[x]
    (axis,) = some_of(draft, known, 1, 1, 1)
    rest = {a: n for a, n in known.sizes.items() if a != axis}
    own = {a: n for a, n in rest.items() if draft.sizes.get(a) == n}
    h = draft.new_input({a: own[a] for a in draft.choices.some(own, 0, 2)}, "float")
    if not agree(rest, draft.values[h].sizes):
        raise Impossible
    m = 2.0 + 4 * known.most
    error = 4 * (known.error + 4 * m)
    start, theirs = started("{1}", [axis])
    return draft.step(
        name,
        f"nt.scan[{axis!r}](lambda h, x: 0.5 * h + x, {start}, {{0}})",
        f"D['scan'](lambda h, x: D['add'](D['mul'](0.5, h), x), {theirs}, {{0}}, {axis!r})",
        [x, h],
        Known(known.sizes, "float", m, None, error),
        [axis],
    )


@operation(
    "det",
    "inv",
    "solve",
    "trace",
    "diag",
    "cholesky",
    "slogdet",
    "matrix_exp",
    "pinv",
    "eigvalsh",
    "svdvals",
    "eigh",
    "eig",
    "svd",
    "qr",
    "solve_triangular",
    often=2,
)
def matrix(draft: Draft, name: str) -> int:
    """Functions of square matrices, made regular, symmetric or small by the text itself."""
    free = name in ("trace", "diag")
    if draft.special and not free:  # libraries refuse nan, each in its own functions
        raise Impossible
    if draft.bits < 24 and not free:
        raise Impossible
    square = lambda known: len(known.sizes) >= 2 and (free or known.most <= 4)
    try:
        x = draft.operand("float", square)
        known = draft.values[x]
        pairs = [
            (a, b)
            for a, n in known.sizes.items()
            for b, m in known.sizes.items()
            if a != b and n == m and (n > 0 or free) and draft.lifted not in (a, b)
        ]
        row, col = draft.choices.of(pairs) if pairs else ("", "")
    except Impossible:
        row = ""
    if not row:
        free_axes = [a for a in draft.sizes if a != draft.lifted]
        twins = [
            (a, b)
            for a in free_axes
            for b in free_axes
            if a != b and draft.sizes[a] == draft.sizes[b] and (draft.sizes[a] > 0 or free)
        ]
        if not twins:
            raise Impossible
        row, col = draft.choices.of(twins)
        x = draft.new_input({row: draft.sizes[row], col: draft.sizes[col]}, "float", low=-1, high=1)
        known = draft.values[x]
    n = known.sizes[row]
    others = {a: s for a, s in known.sizes.items() if a not in (row, col)}
    rc, named = f"{row!r}, {col!r}", [row, col]
    big = 8.0 * (n + 1)
    regular = f"(0.5 * nt.tanh({{0}}) + {big} * nt.eye(A({row!r})[{n}], A({col!r})[{n}]))"
    theirs = f"D['add'](D['mul'](0.5, D['tanh']({{0}})), D['mul']({big}, D['eye']({rc}, {n})))"
    # its numbers are of the size of the diagonal, and its inverse is well conditioned
    error = 16 * (n + 1) ** 2 * big * (known.error + known.most + 1)
    sizes, places, m = dict(known.sizes), [x], big + 1
    if name == "trace":
        text, define = f"nt.trace[{rc}]({{0}})", f"D['trace']({{0}}, {rc})"
        m = known.most * max(n, 1)
        known = Known(
            others, known.kind, m, known.grain, 0.0 if known.exact else n * known.error + n * m
        )
        return draft.step(name, text, define, places, known, named)
    if name == "diag":
        k = draft.choices.of((new_name(draft, known), row))
        text, define = f"nt.diag[{rc}, {k!r}]({{0}})", f"D['diag']({{0}}, {rc}, {k!r})"
        return draft.step(
            name, text, define, places, replace(known, sizes=others | {k: n}), [*named, k]
        )
    if name in ("cholesky", "eigvalsh", "eigh"):
        turned = f"{{0}}[A({row!r}) >> A({col!r}), A({col!r}) >> A({row!r})]"
        regular = regular.replace("nt.tanh({0})", f"(nt.tanh({{0}}) + nt.tanh({turned}))")
        back = f"D['rename']({{0}}, {{{{{row!r}: {col!r}, {col!r}: {row!r}}}}})"
        theirs = theirs.replace("D['tanh']({0})", f"D['add'](D['tanh']({{0}}), D['tanh']({back}))")
    if name == "matrix_exp":
        regular, theirs, m = (
            "(0.5 * nt.tanh({0}))",
            "D['mul'](0.5, D['tanh']({0}))",
            math.exp(0.5 * n) + 1,
        )
    if name in ("det", "slogdet"):
        sizes, m = others, (big + 1) ** n if name == "det" else n * math.log(big + 1) + 1
        error *= m
    if name in ("eigvalsh", "svdvals"):
        k = new_name(draft, known)
        sizes, rc2, named = others | {k: n}, f"{rc}, {k!r}", [*named, k]
        draft.kinks = True  # equal eigenvalues have no gradient
        text, define = f"nt.{name}[{rc2}]({regular})", f"D['{name}']({theirs}, {rc2})"
    elif name in PRODUCTS:  # the factors have no one sign: multiplied they are the matrix again
        k = new_name(draft, known)
        product = PRODUCTS[name].format(row=row, col=col, k=k)
        text, define = f"({product})(*nt.{name}[{rc}, {k!r}]({regular}))", theirs
        named, error = [*named, k], 16 * error
        draft.kinks = True
    elif name == "eig":  # in any order the eigenvalues add up to the trace
        k = new_name(draft, known)
        sizes, named, m = others, [*named, k], n * (big + 1)
        draft.kinks = True
        text = f"nt.real(nt.sum[{k!r}](nt.eig[{rc}, {k!r}]({regular})[0]))"
        define = f"D['trace']({theirs}, {rc})"
    elif name in ("solve", "solve_triangular"):
        own = {row: n} if draft.sizes.get(row) == n else None
        if own is None:
            raise Impossible
        b = draft.new_input(own, "float")
        places = [x, b]
        sizes, m = others | {col: n}, 2.0
        upper = ", upper=True" if name != "solve" and draft.choices.one_in(2) else ""
        text = f"nt.{name}[{rc}]({regular}, {{1}}{upper})"
        define = f"D['{name}']({theirs}, {{1}}, {rc}{upper})"
    else:
        text, define = f"nt.{name}[{rc}]({regular})", f"D['{name}']({theirs}, {rc})"
    return draft.step(name, text, define, places, Known(sizes, "float", m, None, error), named)


# --- what runs as one kernel: written as formulas are


@operation(
    "attention",
    "linear",
    "layer_norm",
    "rms_norm",
    "embedding",
    "cross_entropy",
    "convolution",
    "pooling",
    "channel_norm",
    "chain",
    often=2,
)
def idiom(draft: Draft, name: str) -> int:
    """Write what a kernel may compute; the shapes are looser than a kernel likes."""
    choices = draft.choices
    if draft.bits < 24:
        raise Impossible
    x = draft.operand("float", lambda known: has_axes(known) and known.most <= 30)
    known = draft.values[x]
    (axis,) = some_of(draft, known, 1, 1, 1)
    n = known.sizes[axis]
    if draft.sizes.get(axis) != n:
        raise Impossible
    others = [a for a in draft.sizes if a not in known.sizes and a != draft.lifted]
    more = {a: draft.sizes[a] for a in choices.some(others, choices.below(2), 1)}
    if name == "linear" or name == "chain":
        w = draft.new_input({axis: n} | more, "float")
        y = draft.step(
            "dot",
            f"{{0}} @ {axis!r} @ {{1}}",
            f"D['dot']({{0}}, {{1}}, axes=[{axis!r}])",
            [w, x],
            Known(
                union({a: s for a, s in known.sizes.items() if a != axis}, more),
                "float",
                2 * n * known.most,
                None,
                2 * n * (known.error + (n + 1) * known.most),
            ),
            [axis],
        )
        if name == "chain":
            if not more:
                raise Impossible
            end = {
                a: draft.sizes[a] for a in choices.some(draft.sizes, 0, 1) if a not in (axis, *more)
            }
            z = draft.new_input(
                more | {a: n for a, n in end.items() if a not in known.sizes}, "float"
            )
            return chained(draft, y, z, next(iter(more)))
        b = draft.new_input(more, "float")
        return plus(draft, y, b, name)
    if name in ("layer_norm", "channel_norm"):
        y = draft.step(
            "standardize",
            f"nt.standardize[{axis!r}]({{0}})",
            f"D['standardize']({{0}}, [{axis!r}], eps=1e-5)",
            [x],
            Known(
                known.sizes,
                "float",
                n + 1.0,
                None,
                400.0 * (1 + known.most) * (known.error + n * known.most + n),
            ),
            [axis],
        )
        weights = (
            {axis: n}
            if name == "layer_norm"
            else {a: s for a, s in known.sizes.items() if a != axis and draft.sizes.get(a) == s}
        )
        weights = dict(list(weights.items())[:1])
        g, b = draft.new_input(weights, "float"), draft.new_input(weights, "float")
        return plus(draft, times(draft, y, g), b, name)
    if name == "rms_norm":
        g = draft.new_input({axis: n}, "float")
        squares = f"D['mean'](D['square']({{0}}), [{axis!r}])"
        m = 2 * math.sqrt(n) * 2
        return draft.step(
            name,
            f"{{0}} / nt.sqrt(nt.mean[{axis!r}]({{0}} * {{0}}) + 0.25) * {{1}}",
            f"D['mul'](D['div']({{0}}, D['sqrt'](D['add']({squares}, 0.25))), {{1}})",
            [x, g],
            Known(
                union(known.sizes, {axis: n}),
                "float",
                m,
                None,
                16 * (1 + known.most) ** 2 * (known.error + n * known.most + 1),
            ),
            [axis],
        )
    if name in ("embedding", "cross_entropy"):
        i = draft.new_input(
            {
                a: s
                for a, s in draft.some_axes(0, 2).items()
                if a != axis and known.sizes.get(a, s) == s
            },
            "int",
            low=0,
            high=n - 1,
        )
        sizes = union({a: s for a, s in known.sizes.items() if a != axis}, draft.values[i].sizes)
        hot = f"nt.one_hot({{1}}, A({axis!r})[{n}])"
        if name == "embedding":
            text, define = (
                f"{{0}} @ {axis!r} @ {hot}",
                f"D['index']({{0}}, **{{{{{axis!r}: {{1}}}}}})",
            )
            return draft.step(name, text, define, [x, i], replace(known, sizes=sizes), [axis])
        text = f"-nt.log(nt.softmax[{axis!r}]({{0}})) @ {axis!r} @ {hot}"
        define = (
            f"D['index'](D['neg'](D['log_softmax']({{0}}, [{axis!r}])), **{{{{{axis!r}: {{1}}}}}})"
        )
        if known.most > 8:
            raise Impossible
        m = 2 * known.most + 4
        return draft.step(
            name,
            text,
            define,
            [x, i],
            Known(sizes, "float", m, None, math.exp(2 * known.most) * (known.error + 4 * m)),
            [axis],
        )
    if name in ("convolution", "pooling"):
        k = new_name(draft, known)
        size = 1 + choices.below(min(n, 3))
        if name == "pooling":
            size = choices.of([d for d in (1, 2, 3, 4) if n % d == 0])
            word = choices.of(("max", "mean"))
            draft.kinks |= word == "max"
            known = Known(
                known.sizes | {axis: n // size},
                "float",
                known.most,
                known.grain if word == "max" else None,
                0.0 if word == "max" and known.exact else known.error + size * known.most,
            )
            return draft.step(
                name,
                f"nt.{word}[{k!r}](nt.pool[{axis!r}, A({k!r})[{size}]]({{0}}))",
                f"D['{word}'](D['pool']({{0}}, {axis!r}, {k!r}, {size}), [{k!r}])",
                [x],
                known,
                [axis, k],
            )
        free = [a for a in known.sizes if a not in (axis, draft.lifted)]
        chans = [a for a in free if draft.sizes.get(a) == known.sizes[a]]
        over = choices.some(chans, choices.below(2), 1)
        inner = {a: known.sizes[a] for a in over}
        # a kernel's axis is new, and only this weight has it
        if k in draft.sizes:
            raise Impossible
        draft.sizes[k] = size
        w = draft.new_input({k: size} | inner | more, "float")
        count = size * math.prod(inner.values())
        sizes = (
            {a: s for a, s in known.sizes.items() if a not in over} | {axis: n - size + 1} | more
        )
        dotted = [*over, k]
        return draft.step(
            name,
            f"{{1}} @ ({listed(dotted)},) @ nt.unroll[{axis!r}, A({k!r})[{size}]]({{0}})",
            f"D['dot']({{1}}, D['unroll']({{0}}, {axis!r}, {k!r}, {size}), axes=[{listed(dotted)}])",
            [x, w],
            Known(
                sizes,
                "float",
                2 * count * known.most + 1,
                None,
                2 * count * (known.error + (count + 1) * known.most),
            ),
            [axis, k, *over],
        )
    # attention: scores over axis, with perhaps a mask, then values
    keys = [
        a
        for a in known.sizes
        if a not in (axis, draft.lifted) and known.sizes[a] and draft.sizes.get(a) == known.sizes[a]
    ]
    if not keys:
        raise Impossible
    key = choices.of(keys)
    ask = new_name(draft, known)
    if ask in draft.sizes:
        raise Impossible
    draft.sizes[ask] = choices.of((2, 3, 1))
    q = draft.new_input({key: known.sizes[key], ask: draft.sizes[ask]}, "float", low=-1, high=1)
    m = known.most * known.sizes[key]
    scores = f"{{1}} @ {key!r} @ {{0}} / nt.sqrt({{0}}.size({key!r}))"
    theirs = f"D['div'](D['dot']({{1}}, {{0}}, axes=[{key!r}]), {known.sizes[key]} ** 0.5)"
    if choices.one_in(2):
        scores = (
            f"{scores} + nt.define[{ask!r}, {axis!r}](lambda i, j: nt.where(j <= i, 0.0, -nt.inf))"
        )
        theirs = (
            f"D['add']({theirs}, D['define']({{{{{ask!r}: {draft.sizes[ask]}, {axis!r}: {n}}}}}, "
            "lambda i, j: 0.0 if j <= i else -inf))"
        )
    val = {a: s for a, s in more.items() if a not in (ask, key)}
    v = draft.new_input({axis: n} | val, "float")
    sizes = union(
        {a: s for a, s in known.sizes.items() if a not in (axis, key)}, {ask: draft.sizes[ask]}, val
    )
    return draft.step(
        name,
        f"{{2}} @ {axis!r} @ nt.softmax[{axis!r}]({scores})",
        f"D['dot']({{2}}, D['softmax']({theirs}, [{axis!r}]), axes=[{axis!r}])",
        [x, q, v],
        Known(
            sizes,
            "float",
            2.0,
            None,
            8 * n * (known.sizes[key] * known.error + m * (known.sizes[key] + 4) + n + 1),
        ),
        [axis, key, ask],
    )


#: How the factors of a matrix are multiplied.
PRODUCTS = {
    "eigh": "lambda w, V: nt.sum[{k!r}](V * w * V[A({row!r}) >> A({col!r})])",
    "svd": "lambda U, S, V: nt.sum[{k!r}](U * S * V)",
    "qr": "lambda Q, R: nt.dot[{k!r}](Q, R)",
}


#: A long short-term memory as its formula: the gates stand along an axis.
CELL = """nt.scan[{axis!r}](
        lambda s, x: (lambda G: (lambda c: (nt.sigmoid(G[A({k!r})(3)]) * nt.tanh(c), c))(
            nt.sigmoid(G[A({k!r})(1)]) * s[1] + nt.tanh(G[A({k!r})(2)]) * nt.sigmoid(G[A({k!r})(0)])
        ))({{1}} @ {emb!r} @ x + ({{2}} @ {hid!r} @ s[0])[A({other!r}) >> A({hid!r})] + {{3}}),
        ({start}, {start}), {{0}})[0]"""
CELL_BY_DEFINITION = """D['stack'](*[h for h, _ in recurrence(
        lambda s, x: (lambda G: (lambda c: (
            D['mul'](D['sigmoid'](D['at'](G, {k!r}, 3)), D['tanh'](c)), c))(
            D['add'](D['mul'](D['sigmoid'](D['at'](G, {k!r}, 1)), s[1]),
                D['mul'](D['tanh'](D['at'](G, {k!r}, 2)), D['sigmoid'](D['at'](G, {k!r}, 0))))
        ))(D['add'](D['add'](D['dot']({{1}}, x, axes=[{emb!r}]),
            D['rename'](D['dot']({{2}}, s[0], axes=[{hid!r}]), {{{{{other!r}: {hid!r}}}}})), {{3}})),
        ({start}, {start}), ({{0}},), {axis!r})], axis={axis!r})"""


@operation("cell")
def cell(draft: Draft, name: str) -> int:
    x = draft.operand("float", lambda known: has_axes(known) and known.most <= 4)
    known = draft.values[x]
    axis, emb = some_of(draft, known, 2, 2, 1)
    if draft.sizes.get(emb) != known.sizes[emb]:
        raise Impossible
    names = [a for a in NEW_NAMES if a not in known.sizes and a not in draft.sizes]
    if len(names) < 3:
        raise Impossible
    hid, other, k = draft.choices.some(names, 3, 3)
    size = 1 + draft.choices.below(2)
    draft.sizes |= {hid: size, other: size, k: 4}
    W = draft.new_input({k: 4, emb: known.sizes[emb], hid: size}, "float", low=-1, high=1)
    U = draft.new_input({k: 4, hid: size, other: size}, "float", low=-1, high=1)
    b = draft.new_input({k: 4, hid: size}, "float", low=-1, high=1)
    h = draft.new_input({hid: size}, "float", low=-1, high=1)
    words = {"axis": axis, "emb": emb, "hid": hid, "other": other, "k": k}
    start, theirs = started("{4}", [axis, emb])
    sizes = {a: n for a, n in known.sizes.items() if a != emb} | {hid: size}
    # each step can double what rounding did before it
    error = 4.0 ** known.sizes[axis] * 8 * (known.sizes[emb] + 4) * (known.error + known.most + 4)
    return draft.step(
        name,
        CELL.format(**words, start=start),
        CELL_BY_DEFINITION.format(**words, start=theirs),
        [x, W, U, b, h],
        Known(sizes, "float", 1.0, None, error),
        words.values(),
    )


def plus(draft: Draft, x: int, y: int, name: str) -> int:
    a, b = draft.values[x], draft.values[y]
    m = a.most + b.most
    known = Known(union(a.sizes, b.sizes), "float", m, None, a.error + b.error + m)
    return draft.step(name, "{0} + {1}", "D['add']({0}, {1})", [x, y], known)


def times(draft: Draft, x: int, y: int) -> int:
    a, b = draft.values[x], draft.values[y]
    m = a.most * b.most
    known = Known(
        union(a.sizes, b.sizes), "float", m, None, a.most * b.error + b.most * a.error + m
    )
    return draft.step("mul", "{0} * {1}", "D['mul']({0}, {1})", [x, y], known)


def chained(draft: Draft, x: int, y: int, axis: str) -> int:
    """Contract once more: A @ ax @ B @ bx @ C."""
    a, b = draft.values[x], draft.values[y]
    sizes = {c: n for c, n in union(a.sizes, b.sizes).items() if c != axis}
    n = max(a.sizes[axis], 1)
    m = n * a.most * b.most
    return draft.step(
        "chain",
        f"{{0}} @ {axis!r} @ {{1}}",
        f"D['dot']({{0}}, {{1}}, axes=[{axis!r}])",
        [x, y],
        Known(sizes, "float", m, None, n * b.most * a.error + (n + 2) * m),
        [axis],
    )


# ------------------------------------------------------------------------------------------ faults


def fault(draft: Draft) -> int:
    """Draw a last step that the notation refuses: its class of error is one on every way."""
    choices = draft.choices
    x = draft.operand("float int", has_axes)
    known = draft.values[x]
    axis = choices.of(list(known.sizes))
    n = known.sizes[axis]
    other = [a for a in known.sizes if a != axis]
    forms = [
        "nt.sum['absent']({0})",
        "nt.softmax['absent']({0})",
        "{0} @ 'absent' @ {0}",
        "{0}[A('absent')(0)]",
        "{0}[A('absent') >> A('other')]",
        f"nt.sum[{axis!r}, {axis!r}]({{0}})",
        f"{{0}}[A({axis!r})({n})]",
        f"nt.any[{axis!r}]({{0}})",
        "~{0}" if known.kind == "float" else "{0} & ({0} > 0.5)",
        f"nt.unroll[{axis!r}, A('kernel')[{n + 1}]]({{0}})",
        f"nt.unroll[{axis!r}, A('kernel')[{n + 3}]]({{0}}, padding=1)",
        f"nt.unroll[{axis!r}, A('kernel')[1]]({{0}}, stride=0)",
        f"{{0}}[A({axis!r}) >> (A('p')[{n + 1}], A('q')[1])]",
        f"{{0}} + nt.pad[{axis!r}]({{0}}, 1, 0)",
        f"nt.where({{0}} > 0, {{0}}, nt.concat[{axis!r}]({{0}}, nt.pad[{axis!r}]({{0}}, 1, 0)))",
        f"nt.stack[{axis!r}]({{0}}, {{0}})",
        f"nt.inv[{axis!r}, 'absent']({{0}})",
        "{0}.size('absent') + {0}",
        f"nt.maxk[{axis!r}, A('k')[{n + 1}]]({{0}})",
        f"nt.max[{axis!r}]({{0}}[A({axis!r})[:0]])",
    ]
    if other:
        forms.append(f"{{0}}[A({axis!r}) >> A({other[0]!r})]")
        forms.append(f"nt.pool[{axis!r}, A({other[0]!r})[1]]({{0}})")
    if known.kind == "float":
        forms.append("nt.one_hot({0}, A('hot')[3])")
        forms.append(f"{{0}}[A({axis!r})({{0}})]")
    text = choices.of(forms)
    return draft.step("fault", text, "", [x], Known({}, known.kind, 1, None), [*known.sizes, "..."])


# ----------------------------------------------------------------------------------- whole programs


def draw(choices: Choices) -> Program:
    """Draw a program of 3 to 12 operations, and what a formula of it declares."""
    draft = Draft(choices)
    draft.new_input(draft.some_axes(1, 3), "complex" if choices.one_in(16) else "float")
    wanted = 3 + choices.below(10)
    for _ in range(4 * wanted):
        if needed(draft) >= wanted:
            break
        if choices.one_in(8):
            draft.new_input(draft.some_axes(0, 3))
        count = len(draft.values)
        try:
            TABLE[HAT[choices.below(len(HAT))]](draft)
        except Impossible:
            del draft.values[count:], draft.owners[count:], draft.parts[count:]
    faulty = choices.one_in(10)
    if faulty:
        try:
            fault(draft)
        except Impossible:
            faulty = False
    return finished(draft, faulty)


def needed(draft: Draft) -> int:
    """Count the operations that the last value is made of."""
    return draft.parts[last_with_data(draft)].bit_count()


def finished(draft: Draft, faulty: bool) -> Program:
    """Keep what the results need, inputs first, and choose what the formula declares."""
    choices = draft.choices
    results = [last_with_data(draft)]
    unused = [
        i
        for i, owner in enumerate(draft.owners)
        if isinstance(owner, Step)
        and i != results[0]
        and not any(isinstance(o, Step) and i in o.operands for o in draft.owners)
    ]
    if unused and not faulty:
        several = choices.below(3)
        if several == 1 and draft.values[unused[-1]].data:
            results.append(unused[-1])
    live = set(results)
    for i in range(len(draft.owners) - 1, -1, -1):
        owner = draft.owners[i]
        if i in live and isinstance(owner, Step):
            live.update(owner.operands)
    inputs = [i for i in sorted(live) if isinstance(draft.owners[i], Input)]
    # parameters stand after the star
    inputs.sort(key=lambda i: draft.owners[i].after)  # type: ignore[union-attr]
    steps = [i for i in sorted(live) if isinstance(draft.owners[i], Step)]
    place = {old: new for new, old in enumerate([*inputs, *steps])}
    kept = []
    for i in steps:
        owner = draft.owners[i]
        assert isinstance(owner, Step)
        kept.append(replace(owner, operands=tuple([place[j] for j in owner.operands])))
    given = tuple([draft.owners[i] for i in inputs])
    named = set().union(*[step.named for step in kept]) if kept else set()
    axes = dict.fromkeys(a for X in given for a in X.axes)  # type: ignore[union-attr]
    free = [] if "..." in named else [a for a in axes if a not in named]
    hidden = frozenset(choices.some(free, 1)) if not choices.one_in(4) else frozenset()
    inner = None
    if len(kept) > 2 and choices.one_in(3):
        start = choices.below(len(kept) - 1)
        inner = (start, min(start + 1 + choices.below(4), len(kept)))
    return Program(
        given,  # type: ignore[arg-type]
        tuple(kept),
        tuple([place[r] for r in results]),
        "float32" if draft.single and draft.dtype == "float64" else draft.dtype,
        hidden,
        inner,
        faulty,
        draft.kinks,
    )


def last_with_data(draft: Draft) -> int:
    for i in range(len(draft.values) - 1, 0, -1):
        if draft.values[i].data and isinstance(draft.owners[i], Step):
            return i
    return 0


def program(seed: int) -> Program:
    """Draw the program of a number: the first of its draws that has 3 to 12 operations."""
    for attempt in range(20):
        found = draw(Choices(20 * seed + attempt))
        if 3 <= len(found.steps) <= 12:
            break
    return found


# ------------------------------------------------------------------------------------------ arrays


def arrays(
    program: Program, spread: bool = False, sizes: dict[int, int] | None = None
) -> list[Any]:
    """Make the inputs' numbers as numpy arrays, stored as the program says; bfloat16 is in float32.

    Numbers lie on a grid of eighths, on which sums and products are exact; `spread` draws them from the
    whole range instead, where nothing is equal. `sizes` gives other sizes for those drawn.
    """
    made: list[Any] = []
    for place, X in enumerate(program.inputs):
        shape = [(sizes or {}).get(X.sizes[a], X.sizes[a]) for a in X.axes]
        if spread:  # no two numbers are equal, of one tensor or of two
            plain = "plain" if X.storage in ("shared", "spread") else X.storage
            X = replace(X, seed=X.seed + 100_003 * place, storage=plain)
        made.append(stored(X, shape, spread, made, program.inputs))
    return made


def numbers(X: Input, shape: Sequence[int], spread: bool) -> Any:
    rng = np.random.Generator(np.random.PCG64(X.seed))
    dtype = "float32" if X.dtype == "bfloat16" else X.dtype
    if X.kind == "bool":
        return rng.random(shape) < 0.5
    if X.kind == "int":
        return rng.integers(int(X.low), int(X.high) + 1, shape).astype(dtype)
    if X.kind == "complex":
        parts = rng.integers(-16, 17, (2, *shape)) / 8
        return (parts[0] + 1j * parts[1]).astype(dtype)
    if spread:
        return rng.uniform(X.low, X.high, shape).astype(dtype)
    found = (rng.integers(int(8 * X.low), int(8 * X.high) + 1, shape) / 8).astype(dtype)
    if X.special:
        found = np.where(rng.random(shape) < 0.2, rng.choice(SPECIAL, shape), found).astype(dtype)
    return found


def stored(
    X: Input, shape: list[int], spread: bool, before: list[Any], owners: Sequence[Input]
) -> Any:
    """Store numbers as an input says: side by side, with gaps, turned, shared, spread or reversed."""
    if X.storage == "shared":
        for Y, array in zip(owners, before, strict=False):
            if (
                (Y.axes, Y.special) == (X.axes, X.special)
                and Y.dtype == X.dtype
                and (Y.low, Y.high) == (X.low, X.high)
                and list(array.shape) == shape
            ):
                return array
    if not shape or X.storage == "plain":
        return np.asarray(numbers(X, shape, spread))
    if X.storage == "strided":
        return numbers(X, [*shape[:-1], 2 * shape[-1]], spread)[..., ::2]
    if X.storage == "turned":
        return numbers(X, shape[::-1], spread).T
    if X.storage == "reversed":
        return numbers(X, shape, spread)[::-1]
    if X.storage == "spread":
        return np.broadcast_to(numbers(X, [1, *shape[1:]], spread), shape)
    return np.asarray(numbers(X, shape, spread))
