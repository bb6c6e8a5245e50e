"""What a document says: expressions, statements and sections, and their numbers by plain numpy.

Nothing here knows the package. An array has a name for each of its dimensions; letters are looked up as a
reader does: a function's arguments, its block, its section, the sections around it, and then wherever the
document has only one. A function is lifted by a loop over the records of what its arguments have beyond
their declaration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from itertools import product
from typing import Any, ClassVar

import numpy as np


class Wrong(Exception):
    """The document has no meaning here."""


@dataclass(frozen=True)
class Value:
    axes: tuple[str, ...]
    array: Any

    def over(self, axes: Sequence[str]) -> Any:
        """Give the array with dimensions for `axes` in this order, of size 1 where it has none."""
        own = [a for a in axes if a in self.axes]
        moved = np.transpose(self.array, [self.axes.index(a) for a in own])
        shape = iter(moved.shape)
        return moved.reshape([next(shape) if a in self.axes else 1 for a in axes])

    def at(self, axis: str, place: int) -> Value:
        if axis not in self.axes:
            raise Wrong(f"no axis {axis} to index in {self.axes}")
        dimension = self.axes.index(axis)
        if not 1 <= place <= self.array.shape[dimension]:
            raise Wrong(f"no element {place} along {axis}")
        rest = tuple([a for a in self.axes if a != axis])
        return Value(rest, np.take(self.array, place - 1, dimension))


def number(x: float) -> Value:
    return Value((), np.float64(x))


def union(*values: Value) -> tuple[str, ...]:
    return tuple(dict.fromkeys(a for v in values for a in v.axes))


def together(f: Callable[..., Any], *values: Value) -> Value:
    axes = union(*values)
    return Value(axes, f(*[v.over(axes) for v in values]))


def stack(axis: str, values: Sequence[Value]) -> Value:
    axes = union(*values)
    if axis in axes:
        raise Wrong(f"{axis} is there already")
    whole = [np.broadcast_to(v.over(axes), shape_of(values, axes)) for v in values]
    return Value((axis, *axes), np.stack(whole))


def shape_of(values: Sequence[Value], axes: Sequence[str]) -> list[int]:
    return [max(v.over(axes).shape[k] for v in values) for k in range(len(axes))]


def softmax(x: Any, dimension: int) -> Any:
    e = np.exp(x - x.max(dimension, keepdims=True))
    return e / e.sum(dimension, keepdims=True)


ELEMENTWISE: dict[str, Callable[[Any], Any]] = {
    "tanh": np.tanh,
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
    "relu": lambda x: np.maximum(x, 0),
    "sigma": lambda x: 1 / (1 + np.exp(-x)),
    "sin": np.sin,
    "cos": np.cos,
    "abs": np.abs,
}
REDUCTIONS: dict[str, Callable[..., Any]] = {
    "sum": np.sum,
    "mean": np.mean,
    "max": np.max,
    "min": np.min,
    "var": np.var,
}
BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
}
COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "<": lambda i, j: i < j,
    r"\leq": lambda i, j: i <= j,
    "=": lambda i, j: i == j,
    ">": lambda i, j: i > j,
    r"\neq": lambda i, j: i != j,
}


# ------------------------------------------------------------------------------- expressions


class Expr:
    """A part of a formula; `axes` are those that it has where the document is right."""

    axes: frozenset[str]


@dataclass(frozen=True, eq=False)
class Number(Expr):
    value: float
    axes: ClassVar = frozenset()


@dataclass(frozen=True, eq=False)
class Letter(Expr):
    name: str
    axes: frozenset[str]


@dataclass(frozen=True, eq=False)
class Index(Expr):
    """The number of a place or of a layer, with what is added to it."""

    name: str
    plus: int = 0
    axes: ClassVar = frozenset()


@dataclass(frozen=True, eq=False)
class Size(Expr):
    axis: str
    axes: ClassVar = frozenset()


@dataclass(frozen=True, eq=False)
class Binary(Expr):
    op: str
    left: Expr
    right: Expr
    axes: frozenset[str]


@dataclass(frozen=True, eq=False)
class Dot(Expr):
    over: tuple[str, ...]
    left: Expr
    right: Expr
    axes: frozenset[str]


@dataclass(frozen=True, eq=False)
class Reduce(Expr):
    op: str
    over: tuple[str, ...]
    body: Expr
    axes: frozenset[str]


@dataclass(frozen=True, eq=False)
class Softmax(Expr):
    over: str
    body: Expr
    axes: frozenset[str]


@dataclass(frozen=True, eq=False)
class Apply(Expr):
    op: str
    body: Expr
    axes: frozenset[str]


@dataclass(frozen=True, eq=False)
class Power(Expr):
    body: Expr
    exponent: int
    axes: frozenset[str]


@dataclass(frozen=True, eq=False)
class Rename(Expr):
    old: str
    new: str
    body: Expr
    axes: frozenset[str]


@dataclass(frozen=True, eq=False)
class Element(Expr):
    """The part of a tensor at places of some axes: A_{seq(t-1)}."""

    body: Expr
    places: tuple[tuple[str, Expr], ...]
    axes: frozenset[str]


@dataclass(frozen=True, eq=False)
class Layer(Expr):
    """A member of a series of layers or of a family of letters: X^{l-1}."""

    name: str
    place: Expr
    axes: frozenset[str]


@dataclass(frozen=True, eq=False)
class Call(Expr):
    function: str
    arguments: tuple[Expr, ...]
    axes: frozenset[str]
    parameters: tuple[Expr, ...] | None = None
    composed: bool = False


@dataclass(frozen=True, eq=False)
class Cases(Expr):
    """The first expression while the condition holds of two indices, and else the other."""

    condition: tuple[Expr, str, Expr]
    then: Expr
    otherwise: Expr
    axes: frozenset[str]


# -------------------------------------------------------------------------------- statements


@dataclass(eq=False)
class Declare:
    letters: tuple[str, ...]
    axes: tuple[str, ...]
    sized: bool = False
    family: bool = False  # W^l for every layer


@dataclass(eq=False)
class Define:
    """name = body, or name(arguments; parameters) = body; `given` are the axes of each argument.

    An argument whose axes are None is not declared: it has those that a call gives it.
    """

    name: str
    body: Expr
    arguments: tuple[str, ...] | None = None
    given: tuple[frozenset[str] | None, ...] = ()
    parameters: tuple[str, ...] = ()
    arrow: bool = False  # f : R^a -> R^b is written before it


@dataclass(eq=False)
class Elements:
    """name_{axis(index), ...} = body, for each number of each index."""

    name: str
    indices: tuple[tuple[str, str], ...]
    body: Expr


@dataclass(eq=False)
class Along:
    """A series along an axis: its start, outside of the axis or its first element, and its step."""

    name: str
    axis: str
    index: str
    start: Expr
    step: Expr
    first: bool = False
    backwards: bool = False


@dataclass(eq=False)
class Layers:
    """A series of layers: name^0 = start, name^l = step for l = 1..L."""

    name: str
    index: str
    start: Expr
    step: Expr
    last: str = "L"


Statement = Declare | Define | Elements | Along | Layers


@dataclass(eq=False)
class Block:
    statements: list[Statement]
    style: str = "aligned"


@dataclass(eq=False)
class Section:
    level: int
    title: str
    blocks: list[Block] = field(default_factory=list)
    around: Section | None = None


@dataclass(eq=False)
class Paper:
    sections: list[Section]
    sizes: dict[str, int]
    dialect: str = "plain"
    host: str = "md"
    length: int = 3  # what L is bound to
    rename: dict[str, str] = field(default_factory=dict)


def parts(node: Any) -> Iterator[Any]:
    """Give all expressions and statements below a node, itself among them."""
    if isinstance(node, (list, tuple)):
        for item in node:
            yield from parts(item)
    elif is_dataclass(node):
        yield node
        for f in fields(node):
            if f.name != "around":
                yield from parts(getattr(node, f.name))


# --------------------------------------------------------------------------------- evaluation


@dataclass
class Frame:
    bound: dict[str, Value]
    block: Block | None
    section: Section
    #: series that are being computed here: name -> member or element
    growing: dict[str, tuple[str, Callable[[int], Value]]] = field(default_factory=dict)
    #: those of them whose step is being computed: the whole of it is not there yet
    busy: frozenset[str] = frozenset()


class Evaluator:
    """Compute a paper on data, which are looked up by name and axes."""

    def __init__(self, paper: Paper, data: Callable[[str, tuple[str, ...]], Any]) -> None:
        self.paper = paper
        self.data = data
        self.sizes = dict(paper.sizes)
        self.asked: dict[str, set[frozenset[str]]] = {}  # letters that are given, and their axes
        self.depth = 0

    # names

    def places(self, frame: Frame) -> Iterator[tuple[Block | None, list[Block], Section]]:
        if frame.block is not None:
            yield frame.block, [frame.block], frame.section
        section: Section | None = frame.section
        while section is not None:
            yield None, section.blocks, section
            section = section.around

    def find(self, name: str, frame: Frame) -> tuple[Statement, Block, Section]:
        for _, blocks, section in self.places(frame):
            found = self.among(name, blocks)
            if found:
                return (*found[0], section)
        everywhere = [
            (*pair, section)
            for section in self.paper.sections
            for pair in self.among(name, section.blocks)
        ]
        if len(everywhere) == 1 or (
            everywhere
            and len({s.axes if isinstance(s, Declare) else id(s) for s, _, _ in everywhere}) == 1
        ):
            return everywhere[0]
        raise Wrong(f"{name} is declared {len(everywhere)} times elsewhere")

    def among(self, name: str, blocks: Sequence[Block]) -> list[tuple[Statement, Block]]:
        """List what has a name, definitions first; the local ones of a function are its block's alone."""
        defined, declared = [], []
        for block in blocks:
            functions = [s for s in block.statements if isinstance(s, Define) and s.arguments]
            closed = len(blocks) > 1 and functions
            for s in functions if closed else block.statements:
                if isinstance(s, Declare):
                    if name in s.letters:
                        declared.append((s, block))
                elif s.name == name:
                    defined.append((s, block))
        return defined or declared

    def letter(self, name: str, frame: Frame) -> Value:
        if name in frame.bound:
            return frame.bound[name]
        if name in frame.busy:
            raise Wrong(f"{name} needs itself")
        try:
            statement, block, section = self.find(name, frame)
        except Wrong:
            if name in NUMBERS:
                return self.given(name, ())
            raise
        if isinstance(statement, Declare):
            return self.given(name, statement.axes)
        if block is not frame.block:
            frame = Frame({}, block, section)
        if isinstance(statement, Define) and statement.arguments is None:
            return self.evaluate(statement.body, frame)
        if isinstance(statement, Elements):
            return self.elements(statement, frame)
        if isinstance(statement, Along):
            return self.along(statement, frame)
        raise Wrong(f"{name} is no tensor")

    def given(self, name: str, axes: Sequence[str]) -> Value:
        self.asked.setdefault(name, set()).add(frozenset(axes))
        return Value(tuple(axes), self.data(name, tuple(axes)))

    def within(self, frame: Frame, **bound: Value) -> Frame:
        return Frame(
            frame.bound | bound, frame.block, frame.section, dict(frame.growing), frame.busy
        )

    def elements(self, s: Elements, frame: Frame) -> Value:
        def fill(rest: Sequence[tuple[str, str]], frame: Frame) -> Value:
            if not rest:
                return self.evaluate(s.body, frame)
            axis, index = rest[0]
            return stack(
                axis,
                [
                    fill(rest[1:], self.within(frame, **{index: number(i)}))
                    for i in range(1, self.sizes[axis] + 1)
                ],
            )

        return fill(s.indices, frame)

    def along(self, s: Along, frame: Frame) -> Value:
        size = self.sizes[s.axis]
        return stack(s.axis, [self.element(s, i, frame) for i in range(1, size + 1)])

    def element(self, s: Along, place: int, frame: Frame) -> Value:
        """Give one element of a series along an axis, by the one before it."""
        size = self.sizes[s.axis]
        back = size + 1 - place if s.backwards else place  # how many from the start
        if back == int(s.first):
            start = self.evaluate(s.start, self.within(frame))
            if isinstance(s.start, Number):  # a bare number has the axes of the step
                axes = tuple(sorted(s.step.axes))
                return Value(axes, np.full([self.sizes[a] for a in axes], s.start.value))
            return start
        if not int(s.first) <= back <= size:
            raise Wrong(f"{s.name} has no element {place}")
        inner = self.within(frame, **{s.index: number(place)})
        inner.growing[s.name] = (s.axis, lambda i: self.element(s, i, frame))
        inner.busy |= {s.name}
        for other in frame.block.statements if frame.block else ():
            if isinstance(other, Along) and other is not s and other.axis == s.axis:
                inner.growing[other.name] = (
                    other.axis,
                    lambda i, other=other: self.element(other, i, frame),
                )
        return self.evaluate(s.step, inner)

    def layer(self, s: Layers, place: int, frame: Frame) -> Value:
        if place == 0:
            return self.evaluate(s.start, frame)
        inner = self.within(frame, **{s.index: number(place)})
        inner.growing[s.name] = ("", lambda i: self.layer(s, i, frame))
        return self.evaluate(s.step, inner)

    # expressions

    def evaluate(self, e: Expr, frame: Frame) -> Value:
        self.depth += 1
        if self.depth > 400:
            raise Wrong("it never ends")
        try:
            return getattr(self, "of_" + type(e).__name__.lower())(e, frame)  # type: ignore[no-any-return]
        finally:
            self.depth -= 1

    def of_number(self, e: Number, frame: Frame) -> Value:
        return number(e.value)

    def of_letter(self, e: Letter, frame: Frame) -> Value:
        return self.letter(e.name, frame)

    def of_index(self, e: Index, frame: Frame) -> Value:
        if e.name.startswith("|"):
            return number(self.sizes[e.name.strip("|")] + e.plus)
        if e.name == "L":
            return number(self.paper.length + e.plus)
        if e.name not in frame.bound:
            raise Wrong(f"no index {e.name}")
        return number(float(frame.bound[e.name].array) + e.plus)

    def of_size(self, e: Size, frame: Frame) -> Value:
        return number(self.sizes[e.axis])

    def of_binary(self, e: Binary, frame: Frame) -> Value:
        return together(BINARY[e.op], self.evaluate(e.left, frame), self.evaluate(e.right, frame))

    def of_dot(self, e: Dot, frame: Frame) -> Value:
        a, b = self.evaluate(e.left, frame), self.evaluate(e.right, frame)
        for axis in e.over:
            for v in (a, b):
                if axis not in v.axes:
                    raise Wrong(f"{axis} is contracted, and one side has {v.axes}")
        return self.reduced("sum", e.over, together(np.multiply, a, b))

    def reduced(self, op: str, over: Sequence[str], v: Value) -> Value:
        for axis in over:
            if axis not in v.axes:
                raise Wrong(f"{op} over {axis} of {v.axes}")
        rest = tuple([a for a in v.axes if a not in over])
        return Value(rest, REDUCTIONS[op](v.array, axis=tuple(v.axes.index(a) for a in over)))

    def of_reduce(self, e: Reduce, frame: Frame) -> Value:
        return self.reduced(e.op, e.over, self.evaluate(e.body, frame))

    def of_softmax(self, e: Softmax, frame: Frame) -> Value:
        v = self.evaluate(e.body, frame)
        if e.over not in v.axes:
            raise Wrong(f"softmax over {e.over} of {v.axes}")
        return Value(v.axes, softmax(v.array, v.axes.index(e.over)))

    def of_apply(self, e: Apply, frame: Frame) -> Value:
        v = self.evaluate(e.body, frame)
        return Value(v.axes, ELEMENTWISE[e.op](v.array))

    def of_power(self, e: Power, frame: Frame) -> Value:
        v = self.evaluate(e.body, frame)
        return Value(v.axes, v.array**e.exponent)

    def of_rename(self, e: Rename, frame: Frame) -> Value:
        v = self.evaluate(e.body, frame)
        if e.old not in v.axes or e.new in v.axes:
            raise Wrong(f"{e.old} becomes {e.new} in {v.axes}")
        return Value(tuple([e.new if a == e.old else a for a in v.axes]), v.array)

    def of_element(self, e: Element, frame: Frame) -> Value:
        places = [(axis, round(float(self.evaluate(p, frame).array))) for axis, p in e.places]
        if isinstance(e.body, Letter) and len(places) == 1:
            axis, element = frame.growing.get(e.body.name, ("", None))
            if element is not None and axis == places[0][0]:
                return element(places[0][1])
        v = self.evaluate(e.body, frame)
        for axis, place in places:
            v = v.at(axis, place)
        return v

    def of_layer(self, e: Layer, frame: Frame) -> Value:
        place = round(float(self.evaluate(e.place, frame).array))
        if e.name in frame.growing:
            return frame.growing[e.name][1](place)
        statement, block, section = self.find(e.name, frame)
        if isinstance(statement, Declare):
            return self.given(f"{e.name}^{place}", statement.axes)
        if not isinstance(statement, Layers):
            raise Wrong(f"{e.name} is no series")
        if block is not frame.block:
            frame = Frame({}, block, section)
        return self.layer(statement, place, frame)

    def of_cases(self, e: Cases, frame: Frame) -> Value:
        left, relation, right = e.condition
        i, j = (float(self.evaluate(x, frame).array) for x in (left, right))
        both = [self.evaluate(case, frame) for case in (e.then, e.otherwise)]
        return both[0] if COMPARISONS[relation](i, j) else both[1]

    def of_call(self, e: Call, frame: Frame) -> Value:
        arguments = [self.evaluate(a, frame) for a in e.arguments]
        found = self.find(e.function, frame)
        definition = found[0]
        if not isinstance(definition, Define):
            raise Wrong(f"{e.function} is no function")
        passed = {}
        if e.parameters is not None:
            values = [self.evaluate(p, frame) for p in e.parameters]
            passed = dict(zip(definition.parameters, values, strict=True))
        return self.call(found, arguments, passed)  # type: ignore[arg-type]

    def call(
        self,
        found: tuple[Define, Block, Section],
        arguments: Sequence[Value],
        passed: Mapping[str, Value],
    ) -> Value:
        definition, block, section = found
        names = definition.arguments or ()
        further: dict[str, int] = {}
        for v, given in zip(arguments, definition.given, strict=True):
            if given is not None:
                if given - set(v.axes):
                    raise Wrong(f"an argument of {definition.name} lacks {given - set(v.axes)}")
                for a in set(v.axes) - given:
                    further[a] = v.array.shape[v.axes.index(a)]

        def record(places: Mapping[str, int]) -> Value:
            bound = dict(passed)
            for name, v, given in zip(names, arguments, definition.given, strict=True):
                if given is not None:
                    for a in set(v.axes) - given:
                        v = v.at(a, places[a])
                bound[name] = v
            return self.evaluate(definition.body, Frame(bound, block, section))

        if not further:
            return record({})
        over = sorted(further)
        every = list(product(*[range(1, further[a] + 1) for a in over]))
        results = [record(dict(zip(over, places, strict=True))) for places in every]
        axes = results[0].axes
        if set(axes) & set(over):
            raise Wrong(f"{definition.name} gives {axes} for each of {over}")
        array = np.stack([r.over(axes) for r in results])
        return Value((*over, *axes), array.reshape([*(further[a] for a in over), *array.shape[1:]]))


#: Letters that are numbers without a declaration.
NUMBERS = {"alpha", "tau", "lambda", "kappa", "k"}
