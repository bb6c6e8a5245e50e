"""One use of an operation, as a shape rule sees it: operand types in, result type or error out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from namedtensor.axes import FRESH, primed, shown
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


class Call:
    """Check one use of an operation.

    `labels` are the operands as the caller wrote them; `values` are the numbers among them, as sizes:
    an int, or the node of a number that is known when the code runs. Sizes that cannot be compared
    yet, because the code reads them when it runs, are kept in `guards` as pairs that must be equal.
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

    def need(self, operand: int, names: Iterable[str]) -> None:
        """Raise AxisMissingError unless the operand has these axes."""
        type_ = self.types[operand]
        label = self.labels[operand]
        for name in names:
            if not type_.has(name):
                raise self.fail(
                    AxisMissingError,
                    f"{label} has no axis {shown(name)}",
                    self._missing_hint(operand, name),
                )

    def _missing_hint(self, operand: int, name: str) -> str:
        label = self.labels[operand]
        if self.types[operand].host:
            return f"{label} is a number and has no axes"
        if name + FRESH in self.types[operand].names:
            return (
                f"the {name} that {label} shows is the caller's, and passes through a formula that "
                f"does not declare it for {label}"
            )
        guess = nearest(name, [n for n in self.types[operand].names if not n.endswith(FRESH)])
        if guess:
            return f"did you mean {shown(guess)}?"
        shared = {n for i, t in enumerate(self.types) if i != operand for n in t.names}
        own = [n for n in self.types[operand].names if n not in shared and not n.endswith(FRESH)]
        if not own:
            return f"{label} has only the axes that its shape shows"
        return (
            f"rename the axis of {label} that you mean: {label}[{shown(own[-1])} >> {shown(name)}]"
        )

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
        """Give the one size that an axis has in all these operands that have it."""
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
        """Make the error of one axis with two sizes, each with its owner."""
        first, second = self.labels[i], self.labels[j]
        why = f"axis {shown(name)} is {a} in {first} and {b} in {second}"
        if 1 in (a, b):
            small, other = (first, second) if a == 1 else (second, first)
            hint = (
                f"a size of 1 is not repeated silently: drop it with {small}[{shown(name)}(0)], "
                f"and it meets every {shown(name)} of {other}"
            )
        else:
            hint = (
                f"select as many of both, {first}[{shown(name)}[:{min(a, b)}]], or rename one: "
                f"{primed(second, name)}"
            )
        return self.fail(AxisSizeError, why, hint)

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
