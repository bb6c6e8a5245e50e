"""One generated case: operands as they lie in storage, and the settings of the call.

An operand knows the domain that its numbers come from, so that it can be drawn again with an
axis more, a size changed, or as numbers without ties.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np
import torch

import namedtensor as nt
from namedtensor.testing import RecordTensor


@dataclass(frozen=True)
class Domain:
    """Where numbers come from: a kind, and the range that they lie in (whole: high is outside).

    Kinds are float (often with ties, on a grid), untied, special (nan, inf and others), int, odd,
    distinct (indices, none twice) and bool.
    """

    kind: str
    low: float = -2.0
    high: float = 2.0

    def draw(self, shape: tuple[int, ...], seed: int, ties: bool) -> np.ndarray:
        """Draw numbers; with ties they lie on a grid that has the middle."""
        return np.asarray(self.numbers(shape, seed, ties))

    def numbers(self, shape: tuple[int, ...], seed: int, ties: bool) -> Any:
        rng = np.random.default_rng(seed)
        if self.kind == "bool":
            return rng.random(shape) < 0.5
        if self.kind == "special":
            return rng.choice([np.nan, np.inf, -np.inf, 0.0, 1.5], shape)
        if self.kind in ("int", "odd"):
            whole = rng.integers(int(self.low), int(self.high), shape)
            return whole if self.kind == "int" else 2 * whole + 1
        if self.kind == "distinct":
            return rng.permutation(int(self.high))[: np.prod(shape, dtype=int)].reshape(shape)
        if ties and self.kind != "untied":
            return self.low + (self.high - self.low) * rng.integers(1, 8, shape) / 8
        return rng.uniform(self.low, self.high, shape)


REAL = Domain("float")
POSITIVE = Domain("float", 0.25, 3.0)
WHOLE = Domain("int", -4, 5)
ODD = Domain("odd", -3, 3)
TRUTH = Domain("bool")


@dataclass(frozen=True)
class Operand:
    """An array, the names of its axes as they are stored, and where its numbers come from."""

    axes: tuple[str, ...]
    array: Any = field(compare=False)
    domain: Domain = REAL

    @property
    def sizes(self) -> dict[str, int]:
        return dict(zip(self.axes, self.array.shape, strict=True))

    def named(self, library: str) -> Any:
        """Make the named tensor; nothing is copied, so storage is as it was generated."""
        return nt.tensor(
            self.array if library == "numpy" else torch.from_numpy(self.array), *self.axes
        )

    def records(self) -> RecordTensor:
        """Make the oracle's tensor, without any help from the library."""
        entries = {
            frozenset(zip(self.axes, at, strict=True)): self.array[at].item()
            for at in product(*map(range, self.array.shape))
        }
        return RecordTensor(self.sizes, entries)

    def drawn_as(self, sizes: Mapping[str, int], seed: int, ties: bool = True) -> Operand:
        """Draw new numbers for these axes."""
        array = self.domain.draw(tuple(sizes.values()), seed, ties)
        return replace(self, axes=tuple(sizes), array=array)

    def at(self, axis: str, index: int) -> Operand:
        """Index one axis, by position."""
        where = self.axes.index(axis)
        rest = (*self.axes[:where], *self.axes[where + 1 :])
        return replace(self, axes=rest, array=np.asarray(self.array.take(index, where)))

    def stored_as(self, order: tuple[str, ...]) -> Operand:
        """Store the axes in another order, with fresh memory."""
        moved = self.array.transpose([self.axes.index(axis) for axis in order])
        return replace(self, axes=order, array=np.ascontiguousarray(moved).reshape(moved.shape))

    def __repr__(self) -> str:
        return (
            f"nt.tensor(np.array({self.array.tolist()!r}, {str(self.array.dtype)!r})"
            + (f".reshape({self.array.shape})" if self.array.size == 0 else "")
            + f", *{self.axes!r})"
        )


@dataclass(frozen=True)
class Example:
    """The operands of a call, named tensors or plain numbers, and its settings.

    `over` are axes that the call uses up without naming them.
    """

    operands: tuple[Operand | float, ...]
    settings: dict[str, Any] = field(default_factory=dict)
    over: tuple[str, ...] = ()

    def tensors(self) -> Iterator[tuple[int, Operand]]:
        """Give the operands that have axes to speak of, with their places."""
        return ((i, X) for i, X in enumerate(self.operands) if isinstance(X, Operand))

    def with_operands(self, changed: Mapping[int, Operand]) -> Example:
        operands = [changed.get(i, X) for i, X in enumerate(self.operands)]
        return replace(self, operands=tuple(operands))

    def each(self, change: Callable[[Operand], Operand]) -> Example:
        return self.with_operands({i: change(X) for i, X in self.tensors()})

    def named(self, library: str) -> list[Any]:
        return [X.named(library) if isinstance(X, Operand) else X for X in self.operands]

    def records(self) -> list[Any]:
        return [X.records() if isinstance(X, Operand) else X for X in self.operands]

    @property
    def axes(self) -> list[str]:
        """All axes of the operands, each once."""
        return list(dict.fromkeys(axis for _, X in self.tensors() for axis in X.axes))

    @property
    def named_axes(self) -> set[str]:
        """The axes that the settings name."""
        return set(names_in(self.settings))

    @property
    def free_axes(self) -> list[str]:
        """The axes that the call lifts over."""
        return [a for a in self.axes if a not in self.named_axes and a not in self.over]

    def renamed(self, names: Mapping[str, str]) -> Example:
        """Rename axes in operands and settings alike."""
        changed = self.each(lambda X: replace(X, axes=tuple(names.get(a, a) for a in X.axes)))
        return replace(
            changed,
            settings=renamed_in(self.settings, names),
            over=renamed_in(self.over, names),
        )

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Show a failing case as code that can be run."""
        printer.text(repr(self))

    def __repr__(self) -> str:
        lines = [f"X{i} = {X!r}" for i, X in enumerate(self.operands)]
        lines += [f"{name} = {value!r}" for name, value in self.settings.items()]
        return "\n    " + "\n    ".join(lines) + "\n"


class ByAxis(dict[str, Any]):
    """A setting whose keys are axes."""


def names_in(settings: Any) -> Iterator[str]:
    """Find every axis name in nested settings; all strings there are names of axes."""
    if isinstance(settings, str):
        yield settings
    elif isinstance(settings, Mapping):
        if isinstance(settings, ByAxis):
            yield from settings
        yield from names_in(list(settings.values()))
    elif isinstance(settings, tuple | list):
        for value in settings:
            yield from names_in(value)


def renamed_in(settings: Any, names: Mapping[str, str]) -> Any:
    """Rename every axis in nested settings."""
    if isinstance(settings, str):
        return names.get(settings, settings)
    if isinstance(settings, ByAxis):
        return ByAxis({names.get(k, k): renamed_in(v, names) for k, v in settings.items()})
    if isinstance(settings, dict):
        return {k: renamed_in(v, names) for k, v in settings.items()}
    if isinstance(settings, tuple | list):
        return type(settings)(renamed_in(v, names) for v in settings)
    return settings
