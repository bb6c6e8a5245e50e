"""From a tree to steps: choose storage orders, align, and call the vocabulary."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from namedtensor.axes import shown
from namedtensor.backends import Backend, get_backend
from namedtensor.plans.code import (
    Apply,
    Attribute,
    Code,
    Function,
    Infix,
    Items,
    Literal,
    Name,
    Prefix,
    Return,
    Sizes,
    Statement,
    Step,
    Subscript,
    Value,
    Word,
    code_of,
)
from namedtensor.plans.constants import sizes_of, stem_of
from namedtensor.primitives import Node, Type, number


class Emitter:
    """Gather the steps of one function.

    Lowerings call its methods: `call` and `infix` make expressions, `bind` makes a step and names its
    result, `permute`, `aligned` and `flat` bring operands into the order that a call needs. Where an
    expression is wanted, a Value, a number, a text, or a tuple or list of them will do.
    """

    def __init__(self, backend: Backend, eager: bool = False) -> None:
        self.backend = backend
        self.eager = eager
        self.body: list[Statement] = []
        self.locals: set[str] = set()
        # names that all functions of the plan see: each is unique, and no local hides one
        self.titles: set[str] = set()
        # the last number of each stem, where names are looked for
        self.counts: dict[str, int] = {}
        self.arguments: dict[str, Value] = {}
        self.values: dict[Node, Value] = {}
        self.guess: Callable[[Any], int | None] = known
        self.unpacked: dict[str, dict[int, str]] = {}
        self.like: Code = Literal(None)
        self.constants: frozenset[Node] = frozenset()
        self.functions: list[Function] = []
        self.held: dict[str, Any] = {}
        self.several: dict[Any, Value] = {}
        self.closed: dict[Any, Value] = {}
        self.node: Node | None = None
        # the axes that the users of a node's result want to be stored side by side
        self.wanted: dict[Node, tuple[str, ...]] = {}
        # parameters, and values computed from parameters alone
        self.weights: set[Code] = set()

    # ------------------------------------------------------------------------------ arguments

    def argument(self, name: str) -> Value:
        return self.arguments[name]

    def number(self, value: Any) -> Value:
        return Value(Literal(value), (), number(value).type)

    def size_of(self, name: str, place: int, axis: str) -> Value:
        places = self.unpacked.setdefault(name, {})
        if place not in places:
            places[place] = self.fresh(shown(axis))
        return Value(Name(places[place]), (), Type((), "int", host=True, weak=True))

    def unpacking(self) -> list[Sizes]:
        """Read the sizes that the code uses."""
        found = []
        for name, places in self.unpacked.items():
            owner = self.arguments[name]
            found.append(Sizes(owner.code, tuple([places.get(i) for i in range(len(owner.axes))])))
        return found

    def size(self, size: Any) -> Code:
        """Give the expression of a size: a number, or the local that holds it."""
        if isinstance(size, int):
            return Literal(size)
        if size is None:
            raise TypeError("a size is still open")
        return self.value(size).code

    def sizes(self, sizes: Iterable[Any]) -> Code:
        return Items(tuple([self.size(s) for s in sizes]))

    def sizes_of(self, type_: Type, axes: Iterable[str]) -> Code:
        return self.sizes([type_.size(a) for a in axes])

    def product(self, sizes: Iterable[Any]) -> Code:
        """Multiply sizes: how many records their axes have together."""
        codes = tuple([self.size(s) for s in sizes])
        return Infix("*", codes) if len(codes) > 1 else (*codes, Literal(1))[0]

    def product_of(self, type_: Type, axes: Iterable[str]) -> Code:
        return self.product([type_.size(a) for a in axes])

    def guesses(self, values: Iterable[Value], otherwise: int = 8) -> dict[str, int]:
        """Guess each axis's size at planning time: its size in the call that makes the plan.

        A guess only chooses between equally correct codes. An axis has one guess of at least 1, even if the
        operands compute its size in different ways.
        """
        found: dict[str, int | None] = {}
        for axis, size in [pair for v in values for pair in v.type.axes]:
            if found.get(axis) is None:
                found[axis] = self.guess(size)
        return {a: otherwise if size is None else max(size, 1) for a, size in found.items()}

    # ---------------------------------------------------------------------------- expressions

    def call(self, word: str, *arguments: Any, **named: Any) -> Code:
        """Apply a word of the vocabulary."""
        return _apply(Word(word), arguments, named)

    def apply(self, function: Code, *arguments: Any) -> Code:
        """Apply a function that `hold` has named."""
        return _apply(function, arguments, {})

    def host_call(self, word: str, *arguments: Any) -> Code:
        """Apply a function to Python numbers."""
        owner = "host" if hasattr(get_backend("host").module, word) else "math"
        return _apply(Attribute(Word(owner), word), arguments, {})

    def floating(self, x: Any) -> Code:
        """Make whole numbers and truth values real: in double precision, until data gives them a dtype."""
        wide = self.node is not None and self.node.type.wide
        return self.call("double" if wide else "floating", x)

    def wide(self, value: Value, type_: Type) -> Value:
        """Convert whole numbers and truth values to double precision if the result is computed in it."""
        if not type_.wide or value.type.host or value.type.kind not in _WHOLE:
            return value
        return replace(value, code=self.call("double", value), type=value.type.of_kind("float"))

    def infix(self, symbol: str, *operands: Any) -> Code:
        return Infix(symbol, tuple(map(code_of, operands)))

    def prefix(self, symbol: str, operand: Any) -> Code:
        return Prefix(symbol, code_of(operand))

    def subscript(self, owner: Any, *indices: Any) -> Code:
        return Subscript(code_of(owner), tuple(map(code_of, indices)))

    def hold(self, stem: str, value: Any) -> Code:
        """Name an object that the code takes from outside: a user's function, a generator.

        All functions of a plan see it, so that the name must be unique among them.
        """
        name = self.title(stem)
        self.held[name] = value
        return Name(name)

    def word(self, word: str) -> Code:
        """Name something of the vocabulary without applying it."""
        return Word(word)

    def function(self, word: str, symbol: str, a: Any, b: Any) -> Code:
        """Apply an operator; for a single operation use torch's function, which starts faster."""
        if self.eager and self.backend.name == "torch":
            return self.call(word, a, b)
        return self.infix(symbol, a, b)

    # ---------------------------------------------------------------------------------- steps

    def fresh(self, stem: str) -> str:
        stem = re.sub(r"\W", "_", stem).lstrip("_") or "x"
        stem = f"x{stem}" if stem[0].isdigit() else stem
        if keyword.iskeyword(stem) or self.backend.has(stem):
            stem += "_"
        count = self.counts.get(stem, 1)
        name = stem if count == 1 else f"{stem}{count}"
        # a local must not hide a word of the vocabulary
        while name in self.locals or name in self.titles or self.backend.has(name):
            count += 1
            name = f"{stem}{count}"
        self.counts[stem] = count
        self.locals.add(name)
        return name

    def title(self, stem: str) -> str:
        """Choose a name for an object that all functions of the plan see."""
        name = self.fresh(stem)
        self.titles.add(name)
        return name

    def inside(self) -> Emitter:
        """Make the emitter of a function that this one's code calls."""
        inner = Emitter(self.backend)
        inner.titles, inner.held = self.titles, self.held
        return inner

    def bind(self, code: Any, axes: Sequence[str], type_: Type, stem: str = "x") -> Value:
        """Make a step: give an expression's result a local name."""
        name = self.fresh(stem)
        self.body.append(Step(name, code_of(code), tuple(axes), type_, self.node))
        return Value(Name(name), tuple(axes), type_)

    def value(self, node: Node) -> Value:
        """Emit the code of a node and of its operands, each once, and give the node's value."""
        found = self.values.get(node)
        if found is not None:
            return found
        waiting = [node]
        while waiting:
            top = waiting[-1]
            if top in self.values:
                waiting.pop()
                continue
            if top in self.constants:
                self.values[top] = self._constant(top)
                continue
            missing = [o for o in top.operands if o not in self.values]
            if missing:
                beside = top.operation.primitive.traits.beside
                if beside is not None:
                    self.wanted.setdefault(top.operands[0], beside(top.operation.params))
                waiting += reversed(missing)
                continue
            waiting.pop()
            around, self.node = self.node, top
            taken = self._taken(top)
            self.values[top] = made = top.operation.primitive.lower(self, Lowered(top), *taken)
            if self.weights and self._of_weights(taken):
                self.weights.add(made.code)
            self.node = around
        return self.values[node]

    def _of_weights(self, values: Iterable[Value]) -> bool:
        """Say whether all data among the values is computed from parameters alone."""
        data = [value.code for value in values if not value.type.host]
        return bool(data) and all([code in self.weights for code in data])

    def inherit(self, emit: Emitter, name: str, value: Value) -> None:
        """Mark an argument as a parameter if it is one in the emitter whose code calls this one's."""
        if value.code in emit.weights:
            self.weights.add(self.arguments[name].code)

    def _taken(self, node: Node) -> list[Value]:
        """Give a node's operands; those without a dtype get that of the data among the operands."""
        values = [self.values[o] for o in node.operands]
        if not any([o.type.open for o in node.operands]) or not self._settles(node):
            return values
        pairs = zip(node.operands, values, strict=True)
        data = next((value for o, value in pairs if o.type.settled), None)
        return [
            self.settled(value, data) if o.type.open else value
            for o, value in zip(node.operands, values, strict=True)
        ]

    def _settles(self, node: Node) -> bool:
        """Say whether operands that have no dtype yet must get one at this node."""
        dtype = node.operation.primitive.traits.dtype
        if dtype:
            return dtype == "given"
        return node.type.settled

    def settled(self, value: Value, data: Value | None = None) -> Value:
        """Give numbers without a dtype that of the data, or the library's default."""
        key = (value.code, None if data is None else data.code)
        if key not in self.closed:
            code = self.call("floating", value) if data is None else self._as_like(value, data)
            type_ = replace(value.type, open=False)
            self.closed[key] = self.bind(code, value.axes, type_, "real")
        return self.closed[key]

    def complexed(self, value: Value) -> Value:
        """Give real numbers as complex ones of their own precision, once."""
        key = (value.code, "complex")
        if key not in self.closed:
            type_ = value.type.of_kind("complex")
            code = self.call("as_complex", value)
            self.closed[key] = self.bind(code, value.axes, type_, "complex")
        return self.closed[key]

    def _constant(self, node: Node) -> Value:
        """Make a part that depends on sizes alone a function of them, and call it."""
        inner = Emitter(self.backend)
        sizes = sizes_of(node)
        parameters = [inner.fresh(stem_of(size)) for size in sizes]
        for size, name in zip(sizes, parameters, strict=True):
            inner.values[size] = Value(Name(name), (), replace(size.type, weak=True))
        like = inner.fresh("like")
        inner.like = Name(like)
        result = inner.value(node)
        name = self.title("constant")
        body = (*inner.body, Return((result,)))
        self.functions.append(Function(name, (*parameters, like), body, kept=True))
        code = _apply(Name(name), (*[self.size(size) for size in sizes], self.like), {})
        return Value(code, result.axes, node.type)

    def filled(self, code: Any, axes: Sequence[str], type_: Type) -> Value:
        """Fill all records with one number; a real one is made later, in the dtype of the data."""
        if type_.kind == "float":
            return Value(code_of(code), tuple(axes), type_)
        return self.bind(code, axes, type_, "filled")

    def fill_of(self, value: Value) -> Code | None:
        """Give the real number that all records of a value have, if it is known."""
        match value.code:
            case Apply(Word("full"), (_, fill, _)) if value.type.kind == "float":
                return fill
        return None

    # ------------------------------------------------------------------------------- alignment

    def named(self, value: Value, stem: str = "x") -> Value:
        """Give a value a local name unless it has one, so that it can be used twice."""
        return (
            value
            if isinstance(value.code, Name)
            else self.bind(value.code, value.axes, value.type, stem)
        )

    def permute(self, value: Value, axes: Sequence[str]) -> Value:
        axes = tuple(axes)
        if axes == value.axes:
            return value
        return Value(self.call("permute", value, value.places(axes)), axes, value.type)

    def reshape(self, value: Value, shape: Sequence[Any], axes: Sequence[str]) -> Value:
        return Value(self.call("reshape", value, tuple(shape)), tuple(axes), value.type)

    def order(self, values: Iterable[Value], names: Iterable[str]) -> tuple[str, ...]:
        """Choose a storage order for these axes: that of the widest value, new axes in front."""
        wanted = list(names)
        base = max(values, key=lambda v: len(v.axes), default=None)
        kept = [] if base is None else [a for a in base.axes if a in wanted]
        return tuple([a for a in wanted if a not in kept] + kept)

    def aligned(self, value: Value, axes: Sequence[str]) -> Code:
        """Shape a value so that it broadcasts against the given axes."""
        if value.type.host:
            return value.code
        own = [a for a in axes if a in value.axes]
        code = self.permute(value, own).code
        lead = next((i for i, a in enumerate(axes) if a in value.axes), len(axes))
        for i, axis in enumerate(axes):
            if i > lead and axis not in value.axes:
                code = self.call("unsqueeze", code, i - lead)
        return code

    def typed_like(self, value: Value, others: Sequence[Value]) -> Value:
        """Give index-defined numbers the dtype of the data that they are combined with."""
        if value.strong or value.type.host:
            return value
        found = [o for o in others if o.strong]
        data = next((o for o in found if o.type.settled), found[0] if found else None)
        if data is None or (data.type.kind in _WHOLE and value.type.kind not in _WHOLE):
            return value  # whole numbers do not determine the dtype of real ones
        match value.code:
            case Apply(Name() as constant, (*sizes, _)):
                like = Attribute(constant, "like")
                return replace(value, code=_apply(like, (*sizes, self.named(data)), {}))
        return replace(value, code=self._as_like(value, data))

    def _as_like(self, value: Value, data: Value) -> Code:
        fill = self.fill_of(value)
        if fill is not None and data.type.kind in ("float", "complex"):
            sizes = self.sizes_of(value.type, value.axes)
            return self.call("full_like_kind", sizes, fill, self.named(data))
        return self.call("as_like", value, self.named(data))

    def fitting(self, value: Value, others: Sequence[Value], word: str = "fitting") -> Value:
        """Check that a whole number fits the dtype of the whole numbers beside it: 300 is no uint8."""
        if not value.type.host or value.type.kind != "int":
            return value
        if isinstance(value.code, Literal) and 0 <= value.code.value <= _FITS_ALL:
            return value
        data = [o for o in others if not o.type.host]
        if not data or any([o.type.kind not in _WHOLE for o in data]):
            return value  # any whole number fits real dtypes
        whole = next((o for o in data if o.type.kind == "int"), None)
        if whole is None:
            return value
        return replace(value, code=self.call(word, value, self.named(whole)))

    def widened(self, value: Value, others: Sequence[Value]) -> Value:
        """Widen whole numbers to hold a single number of data too, for which torch keeps the narrow dtype."""
        if self.backend.name != "torch" or not value.axes or value.type.kind != "int":
            return value
        alone = [o for o in others if not (o.axes or o.type.host) and o.type.kind == "int"]
        for other in alone:
            value = replace(value, code=self.call("widened", value, self.named(other)))
        return value

    def flat(self, value: Value, axes: Sequence[str]) -> Value:
        """Move axes to the end; several, or none, become one axis."""
        axes = tuple(axes)
        rest = tuple([a for a in value.axes if a not in axes])
        moved = self.permute(value, rest + axes)
        if len(axes) == 1:
            return moved
        shape = [self.size(value.type.size(a)) for a in rest]
        whole = self.product_of(value.type, axes)
        return self.reshape(moved, (*shape, whole), (*rest, "*".join(axes)))

    def unflat(self, code: Code, rest: Sequence[str], axes: Sequence[str], type_: Type) -> Value:
        """Undo `flat`: split the last axis into the axes that it was."""
        if len(axes) == 1:
            return Value(code, (*rest, *axes), type_)
        every = (*rest, *axes)
        return Value(self.call("reshape", code, self.sizes_of(type_, every)), every, type_)


class Lowered:
    """The facts about its node that a lowering may use."""

    __slots__ = ("node", "operation", "params", "type", "types")

    def __init__(self, node: Node) -> None:
        self.node = node
        self.operation = node.operation
        self.params = node.operation.params
        self.type = node.type
        self.types = tuple([o.type for o in node.operands])


_WHOLE = ("bool", "int")
#: The greatest number that every dtype of whole numbers holds.
_FITS_ALL = 127


def known(size: Any) -> int | None:
    """Give a size that is a number."""
    return size if isinstance(size, int) else None


def _apply(function: Code, arguments: Iterable[Any], named: dict[str, Any]) -> Apply:
    pairs = tuple([(word, code_of(x)) for word, x in named.items()])
    return Apply(function, tuple(map(code_of, arguments)), pairs)
