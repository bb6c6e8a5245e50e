"""Write positional source for a tree: choose storage orders, align, and call the vocabulary."""

from __future__ import annotations

import keyword
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from namedtensor.axes import shown
from namedtensor.backends import Backend
from namedtensor.plans.constants import sizes_of, stem_of
from namedtensor.primitives import Node, Type, number


@dataclass(frozen=True, slots=True)
class Value:
    """Positional data in emitted code: its text, its axes in storage order, its type."""

    code: str
    axes: tuple[str, ...]
    type: Type

    @property
    def strong(self) -> bool:
        return not (self.type.weak or self.type.host)

    def place(self, axis: str) -> int:
        return self.axes.index(axis)

    def places(self, axes: Iterable[str]) -> tuple[int, ...]:
        return tuple([self.axes.index(a) for a in axes])


class Emitter:
    """Collect the lines of one function.

    Lowerings call its methods: `call` writes a vocabulary call, `bind` gives its result a name,
    `permute`, `aligned` and `flat` bring operands into the order that the call needs.
    """

    def __init__(self, backend: Backend, eager: bool = False) -> None:
        self.backend = backend
        self.eager = eager
        self.lines: list[str] = []
        self.words: set[str] = set()
        self.locals: set[str] = set()
        self.arguments: dict[str, Value] = {}
        self.values: dict[Node, Value] = {}
        self.bound: dict[str, Value] = {}
        self.hints: dict[Node, int] = {}
        self.unpacked: dict[str, dict[int, str]] = {}
        self.like = "None"
        self.constants: frozenset[Node] = frozenset()
        self.functions: list[str] = []
        self.kept: dict[str, tuple[str, str]] = {}

    # ------------------------------------------------------------------------------ arguments

    def argument(self, name: str) -> Value:
        return self.arguments[name]

    def number(self, value: Any) -> Value:
        text = repr(value)
        if isinstance(value, float) and not re.fullmatch(r"-?[\d.]+(e[+-]?\d+)?", text):
            text = f"float('{text}')"
        elif text.startswith("-"):
            text = f"({text})"
        return Value(text, (), number(value).type)

    def size_of(self, name: str, place: int, axis: str) -> Value:
        places = self.unpacked.setdefault(name, {})
        if place not in places:
            places[place] = self.fresh(shown(axis))
        return Value(places[place], (), Type((), "int", host=True, weak=True))

    def unpacking(self) -> list[str]:
        """Write the lines that read the sizes which the code uses."""
        lines = []
        for name, places in self.unpacked.items():
            owner = self.arguments[name]
            if len(places) == 1:
                ((place, size),) = places.items()
                lines.append(f"{size} = {owner.code}.shape[{place}]")
                continue
            parts = [places.get(i, "_") for i in range(len(owner.axes))]
            lines.append(f"{', '.join(parts)} = {owner.code}.shape")
        return lines

    def size(self, size: Any) -> str:
        """Write a size: a number, or the local that holds it."""
        if isinstance(size, int):
            return str(size)
        if size is None:
            raise TypeError("a size is still open")
        return self.value(size).code

    def sizes(self, sizes: Iterable[Any]) -> str:
        return tuple_text([self.size(s) for s in sizes])

    def sizes_of(self, type_: Type, axes: Iterable[str]) -> str:
        return self.sizes([type_.size(a) for a in axes])

    def hint(self, size: Any, otherwise: int = 8) -> int:
        """Guess a size at planning time: what it was at the call that made the plan."""
        if isinstance(size, int):
            return size
        return self.hints.get(size, otherwise)

    # ---------------------------------------------------------------------------------- lines

    def use(self, word: str) -> str:
        self.words.add(word)
        return word

    def call(self, word: str, *arguments: Any) -> str:
        return f"{self.use(word)}({', '.join(map(str, arguments))})"

    def function(self, word: str, symbol: str, a: str, b: str) -> str:
        """Write an operator, or for one operation alone torch's function, which starts sooner."""
        if self.eager and self.backend.name == "torch":
            return self.call(word, a, b)
        return f"{a} {symbol} {b}"

    def host_call(self, word: str, *arguments: Any) -> str:
        """Write a call on Python numbers."""
        owner = self.use("math" if hasattr(math, word) else "host")
        return f"{owner}.{word}({', '.join(map(str, arguments))})"

    def fresh(self, stem: str) -> str:
        stem = re.sub(r"\W", "_", stem).lstrip("_") or "x"
        if keyword.iskeyword(stem) or self.backend.has(stem):
            stem += "_"
        name, count = stem, 1
        # a local must not hide a word of the vocabulary
        while name in self.locals or self.backend.has(name):
            count += 1
            name = f"{stem}{count}"
        self.locals.add(name)
        return name

    def bind(self, code: str, axes: Sequence[str], type_: Type, stem: str = "x") -> Value:
        """Give code's result a local name."""
        name = self.fresh(stem)
        comment = "" if type_.host else f"  # {' '.join(map(shown, axes)) or 'one number'}"
        self.lines.append(f"{name} = {code}{comment}")
        self.bound[name] = Value(name, tuple(axes), type_)
        return self.bound[name]

    def return_last(self, code: str) -> None:
        """Return the last line's value without giving it a name first."""
        start = f"{code} = "
        if self.lines and self.lines[-1].startswith(start):
            self.lines[-1] = "return " + self.lines[-1].removeprefix(start)
        else:
            self.lines.append(f"return {code}")

    def value(self, node: Node) -> Value:
        """Emit what a node needs and give its value; every node is computed once."""
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
                waiting += reversed(missing)
                continue
            waiting.pop()
            call = _Use(top)
            self.values[top] = top.operation.primitive.lower(
                self, call, *[self.values[o] for o in top.operands]
            )
        return self.values[node]

    def _constant(self, node: Node) -> Value:
        """Write a part that depends on sizes alone as a function of them, and give its call."""
        inner = Emitter(self.backend)
        sizes = sizes_of(node)
        for size in sizes:
            name = inner.fresh(stem_of(size))
            inner.values[size] = Value(name, (), replace(size.type, weak=True))
        parameters = [inner.values[size].code for size in sizes]
        inner.like = inner.fresh("like")
        result = inner.value(node)
        inner.return_last(result.code)
        name = self.fresh("constant")
        head = [f"@{self.use('kept')}", f"def {name}({', '.join([*parameters, inner.like])}):"]
        body = ["    " + line for line in inner.lines]
        self.functions.append("\n".join([*head, *body, "", ""]))
        self.words |= inner.words
        arguments = "".join([f"{self.value(size).code}, " for size in sizes])
        value = Value(f"{name}({arguments}{self.like})", result.axes, node.type)
        self.kept[value.code] = (name, arguments)
        return value

    # ------------------------------------------------------------------------------- alignment

    def named(self, value: Value, stem: str = "x") -> Value:
        """Make sure that a value is a local name, so that its text may stand twice."""
        return (
            value
            if value.code.isidentifier()
            else self.bind(value.code, value.axes, value.type, stem)
        )

    def permute(self, value: Value, axes: Sequence[str]) -> Value:
        axes = tuple(axes)
        if axes == value.axes:
            return value
        return Value(self.call("permute", value.code, value.places(axes)), axes, value.type)

    def reshape(self, value: Value, shape: Sequence[str], axes: Sequence[str]) -> Value:
        return Value(self.call("reshape", value.code, tuple_text(shape)), tuple(axes), value.type)

    def order(self, values: Iterable[Value], names: Iterable[str]) -> tuple[str, ...]:
        """Choose a storage order for these axes: that of the widest value, new axes in front."""
        wanted = list(names)
        base = max(values, key=lambda v: len(v.axes), default=None)
        kept = [] if base is None else [a for a in base.axes if a in wanted]
        return tuple([a for a in wanted if a not in kept] + kept)

    def aligned(self, value: Value, axes: Sequence[str]) -> str:
        """Write a value so that it broadcasts against the given axes."""
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
        """Give index-defined numbers the dtype of the data that they meet."""
        if value.strong or value.type.host:
            return value
        data = next((o for o in others if o.strong), None)
        if data is None:
            return value
        if value.code in self.kept:
            name, arguments = self.kept[value.code]
            return replace(value, code=f"{name}.like({arguments}{self.named(data).code})")
        return replace(value, code=self.call("as_like", value.code, self.named(data).code))

    def flat(self, value: Value, axes: Sequence[str]) -> Value:
        """Move axes to the end, as one axis where there are several or none."""
        axes = tuple(axes)
        rest = tuple([a for a in value.axes if a not in axes])
        moved = self.permute(value, rest + axes)
        if len(axes) == 1:
            return moved
        shape = [self.size(value.type.size(a)) for a in rest]
        return self.reshape(
            moved, [*shape, self.product(value.type, axes)], (*rest, "*".join(axes))
        )

    def product(self, type_: Type, axes: Sequence[str]) -> str:
        """Write how many records these axes have together."""
        return " * ".join(self.size(type_.size(a)) for a in axes) or "1"

    def unflat(self, code: str, rest: Sequence[str], axes: Sequence[str], type_: Type) -> Value:
        """Undo `flat`: split the last axis into the axes that it was."""
        if len(axes) == 1:
            return Value(code, (*rest, *axes), type_)
        return self.reshape(
            Value(code, (), type_),
            [self.size(type_.size(a)) for a in (*rest, *axes)],
            (*rest, *axes),
        )


class _Use:
    """What a lowering may ask about its node."""

    __slots__ = ("node", "operation", "params", "type", "types")

    def __init__(self, node: Node) -> None:
        self.node = node
        self.operation = node.operation
        self.params = node.operation.params
        self.type = node.type
        self.types = tuple([o.type for o in node.operands])


def tuple_text(parts: Sequence[str]) -> str:
    """Write a tuple of code."""
    return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"
