"""One use of an operation, as a shape rule sees it: operand types in, result type or error out."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from namedtensor.axes import (
    FRESH,
    axis_code,
    either,
    lacks,
    loose,
    primed,
    renamed_code,
    shown,
    typed_axes,
    visible,
)
from namedtensor.errors import (
    AxisClashError,
    AxisMissingError,
    AxisSizeError,
    KindError,
    NamedTensorError,
    nearest,
)
from namedtensor.primitives.type import Type

if TYPE_CHECKING:
    from namedtensor.primitives.primitive import Operation


#: Whether a call is only tried, so that hints need not be made.
_TRYING: ContextVar[bool] = ContextVar("trying", default=False)


def _replaced(part: Any, before: str, after: str) -> Any:
    """Replace an axis by another throughout an operation's parameters."""
    if isinstance(part, tuple):
        return tuple([_replaced(p, before, after) for p in part])
    return after if isinstance(part, str) and part == before else part


def _names_in(part: Any) -> set[str]:
    """Collect the words in an operation's parameters."""
    if isinstance(part, tuple):
        return set().union(*map(_names_in, part))
    return {part} if isinstance(part, str) else set()


class Call:
    """Check one use of an operation.

    `labels` are the operands as the caller wrote them; `values` are the numbers among them, as sizes:
    an int, or the node of a number that is known when the code runs. Sizes that are known only when the code
    runs are compared then: `guards` has the pairs that must be equal.
    """

    __slots__ = ("guards", "labels", "operation", "result", "types", "values")

    def __init__(
        self,
        operation: Operation,
        types: tuple[Type, ...],
        labels: tuple[str, ...],
        values: tuple[Any, ...],
    ) -> None:
        self.operation = operation
        self.values = values
        self.types = types
        self.labels = labels
        self.guards: list[tuple[Any, Any]] = []
        self.result: Type = types[0] if types else Type(())

    @property
    def params(self) -> tuple[Any, ...]:
        return self.operation.params

    def __str__(self) -> str:
        return self.operation.write(self.labels)

    def fail(self, error: type[NamedTensorError], why: str, hint: str = "") -> NamedTensorError:
        """Make the error of this call, with every operand's shape."""
        shapes = [
            (label, str(type_))
            for label, type_ in zip(self.labels, self.types, strict=True)
            if not type_.host
        ]
        return error(str(self), why, shapes, hint)

    def need(self, operand: int, names: Iterable[str], hint: str = "") -> None:
        """Raise AxisMissingError unless the operand has these axes."""
        type_ = self.types[operand]
        label = self.labels[operand]
        for name in names:
            if not type_.has(name):
                raise self.fail(
                    AxisMissingError,
                    lacks(label, name),
                    hint or self._missing_hint(operand, name),
                )

    def _missing_hint(self, operand: int, name: str) -> str:
        label, type_ = self.labels[operand], self.types[operand]
        if type_.host or _TRYING.get():
            return f"{label} is a number and has no axes"
        if name + FRESH in type_.names:
            return (
                f"the {name} that {label} shows is the caller's, and passes through a formula that "
                f"does not declare it for {label}"
            )
        own = visible(type_.names)
        guess = nearest(name, own)
        if guess is not None:
            own = [guess, *[n for n in own if n != guess]]
        codes = [(n, code) for n in own if (code := self._with_axis(name, n)) is not None]
        if codes and codes[0][0] == guess:
            return f"did you mean {shown(guess)}? `{codes[0][1]}`"
        if codes:
            has = " and ".join([shown(n) for n, _ in codes])
            return f"{label} has {has}: {either([code for _, code in codes])}"
        return self.renaming_hint(operand, name)

    def renaming_hint(self, operand: int, name: str) -> str:
        """Say which axes of an operand can be renamed to the one that it lacks."""
        label, type_ = self.labels[operand], self.types[operand]
        others = {n for i, t in enumerate(self.types) if i != operand for n in t.names}
        sizes = [t.size(name) for i, t in enumerate(self.types) if i != operand and t.has(name)]
        own = [n for n in visible(type_.names) if n not in others]
        own.sort(key=lambda n: type_.size(n) not in sizes)  # those that fit come first
        if not own:
            return f"{label} has only the axes that its shape shows"
        guess = nearest(name, own)
        if guess is not None:
            return f"did you mean {shown(guess)}? `{renamed_code(label, guess, name)}`"
        codes = [renamed_code(label, n, name) for n in own]
        return f"rename the axis of {label} that you mean: {either(codes)}"

    def _with_axis(self, name: str, other: str) -> str | None:
        """Write the call with another axis; None if that does not fit either."""
        if other in _names_in(self.params):
            return None
        operation = self.operation.primitive(*_replaced(self.params, name, other))
        token = _TRYING.set(True)
        try:
            operation.typed(self.types, self.labels, self.values)
        except NamedTensorError:
            return None
        finally:
            _TRYING.reset(token)
        return self.typed(operation, self.labels)

    def typed(self, operation: Operation, labels: tuple[str, ...]) -> str | None:
        """Write a call as code that runs as it stands; None if its axes are not Python names."""
        text = operation.write(labels)
        head = re.match(rf"{operation.name}(\[((?:[^][]|\[[^]]*\])*)\])?\(", text)
        if head is None:
            rename = re.fullmatch(r"(.*)\[([\w'*]+) >> ([\w'*]+)\]", text, re.S)
            if rename is not None:
                return renamed_code(*rename.groups())
            return None if re.search(r"\['*\]", text) else text
        text = operation.write(tuple(map(loose, labels)))
        if head[1] is None or not re.search("['*]", head[2]):
            return f"nt.{text}"
        names = typed_axes(head[2].split(", ")).strip("()")
        return f"nt.{operation.name}[{names}]({text[head.end() :]}"

    def absent(self, operand: int, names: Iterable[str]) -> None:
        """Raise AxisClashError where the operand already has one of these axes."""
        for name in names:
            if self.types[operand].has(name):
                label = self.labels[operand]
                raise self.fail(
                    AxisClashError,
                    f"{label} already has an axis {shown(name)}",
                    f"rename it first: {primed(label, name)}",
                )

    def agree(self, name: str, operands: Iterable[int]) -> Any:
        """Give the size of an axis in these operands; raise AxisSizeError where they differ."""
        found: Any = None
        owner = -1
        for i in operands:
            if not self.types[i].has(name):
                continue
            size = self.types[i].size(name)
            if size is None:
                continue
            if found is None:
                found, owner = size, i
            elif isinstance(size, int) and isinstance(found, int):
                if size != found:
                    raise self.size_error(name, owner, found, i, size)
            elif size is not found:
                self.guards.append((found, size))
                if isinstance(size, int):
                    found, owner = size, i
        return found

    def size_error(self, name: str, i: int, a: Any, j: int, b: Any) -> NamedTensorError:
        """Make the error for an axis that has two sizes, with the owner of each."""
        first, second = self.labels[i], self.labels[j]
        why = (
            f"axis {shown(name)} is {a} in {first}{self._brought(i, name)} and {b} in "
            f"{second}{self._brought(j, name)}"
        )
        axis = axis_code(name)
        if 1 in (a, b) and name not in self._acted_on():
            small, large = (i, j) if a == 1 else (j, i)
            code = self._with_label(small, f"{self.labels[small]}[{axis}(0)]")
            hint = f"a size of 1 is not repeated silently: drop it, {code}"
            if not code:
                hint = (
                    f"a size of 1 is not repeated silently: drop it with `{self.labels[small]}[{axis}(0)]`, "
                    f"and it meets every {shown(name)} of {self.labels[large]}"
                )
        else:
            least, most = min(a, b), i if a > b else j
            cut = f"{self.labels[most]}[{axis}[:{least}]]"
            code = self._with_label(most, cut) or f"`{cut}`"
            hint = f"select as many of both, {code}, or rename one: `{primed(second, name)}`"
        return self.fail(AxisSizeError, why, hint)

    def _acted_on(self) -> set[str]:
        """The axes that the operation uses up or acts along: an operand cannot do without them."""
        acts = self.operation.primitive.traits.acts(self.operation.params)
        return {*acts.uses, *acts.along}

    def _with_label(self, operand: int, code: str) -> str:
        """Write the call with one operand's code replaced, between backticks."""
        labels = tuple([code if i == operand else label for i, label in enumerate(self.labels)])
        text = self.typed(self.operation, labels)
        return f"`{text}`" if text is not None else ""

    def _brought(self, operand: int, name: str) -> str:
        """Say from which argument a computed operand has an axis."""
        node: Any = self.values[operand] if operand < len(self.values) else None
        if getattr(node, "operands", None):
            for source in node.brought_by(name):
                return f" (from {source})"
        return ""

    def kind(self, operand: int, allowed: tuple[str, ...], hint: str) -> None:
        """Raise KindError unless the operand's numbers are of an allowed kind."""
        found = self.types[operand].kind
        if found not in allowed:
            wanted = " or ".join(allowed)
            raise self.fail(
                KindError, f"{self.labels[operand]} holds {found} numbers, {wanted} is needed", hint
            )

    def real(self, operand: int) -> None:
        """Raise KindError where an operand holds complex numbers: they have no order."""
        self.kind(
            operand, ("bool", "int", "float"), f"take a real part: nt.real({self.labels[operand]})"
        )

    def plain_number(
        self, operand: int, allowed: tuple[str, ...], why: str, *bounds: float
    ) -> None:
        """Raise KindError unless an operand is a plain number of these kinds, between the bounds."""
        type_, value = self.types[operand], self.values[operand]
        fits = type_.host and type_.kind in allowed
        if fits and bounds and isinstance(value, (int, float)):
            fits = bounds[0] <= value <= bounds[1]
        if not fits:
            raise self.fail(KindError, f"{why}, not {self.labels[operand]}", "give a plain number")

    def union(self, operands: Iterable[int] | None = None) -> tuple[tuple[str, Any], ...]:
        """Collect the axes of all operands, each with its one size."""
        chosen = range(len(self.types)) if operands is None else list(operands)
        axes: dict[str, Any] = {}
        for i in chosen:
            for name, _ in self.types[i].axes:
                if name not in axes:
                    axes[name] = self.agree(name, chosen)
        return tuple(axes.items())

    @property
    def host(self) -> bool:
        return all(t.host for t in self.types)

    @property
    def weak(self) -> bool:
        return all(t.weak or t.host for t in self.types)
