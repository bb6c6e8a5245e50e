"""States while a body runs: what each holds now, so that a second call sees what the first gave.

The body of a formula sees tensors. The bundles that it calls hold cells, whose values calls change.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from namedtensor.axes import shown
from namedtensor.errors import (
    AxisClashError,
    AxisMissingError,
    AxisNameError,
    AxisSizeError,
    KindError,
    NamedTensorError,
    TraceError,
    nearest,
)
from namedtensor.formula.lifting import Entry
from namedtensor.formula.signature import Signature, Space
from namedtensor.operations.training import STORED, Update
from namedtensor.tensor import NamedTensor, apply
from namedtensor.tensor.apply import steps_traced


class Cell:
    """A state in a body: its value before the body ran, and its value now."""

    __slots__ = ("before", "depth", "space", "updated", "value")

    def __init__(self, space: Space, value: Any) -> None:
        self.space = space
        self.before = value
        self.value = value
        self.updated = False
        # a step of a recurrence runs once, for all of its steps
        self.depth = steps_traced.get()

    def put(self, value: Any) -> None:
        self.value = value
        self.updated = True


class Frame:
    """The states of one running body, by their paths in its signature."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.cells: dict[str, Cell] = {}
        self.made: list[Update] = []

    def cell(self, path: str, space: Space, value: Any) -> Cell:
        """Keep a state under its path."""
        self.cells[path] = Cell(space, value)
        return self.cells[path]

    def holding(self, tensor: Any) -> Cell | None:
        """Find the state of which this tensor is the value that the body was given."""
        return next((c for c in self.cells.values() if c.before is tensor), None)

    @property
    def updates(self) -> dict[str, Cell]:
        """The states that the body, or what it called, has updated."""
        return {path: cell for path, cell in self.cells.items() if cell.updated}


class _Running(threading.local):
    """The frame of the body that runs in this thread, or None; and the layers that its plan shares.

    `functions` are those whose bodies a plan is made of, while it is made.
    """

    def __init__(self) -> None:
        self.frame: Frame | None = None
        self.shared: dict[Any, Any] | None = None
        self.functions: list[Any] | None = None


RUNNING = _Running()


@contextmanager
def nothing_runs() -> Iterator[None]:
    """Call formulas as if no body ran: they give their states."""
    before, RUNNING.frame = RUNNING.frame, None
    shared, RUNNING.shared = RUNNING.shared, None
    try:
        yield
    finally:
        RUNNING.frame, RUNNING.shared = before, shared


def split(result: Any, several: bool) -> tuple[Any, Update | None]:
    """Separate the update from the result that a body returned."""
    if isinstance(result, Update):
        return (), result
    if not isinstance(result, tuple) or not result or not isinstance(result[-1], Update):
        return result, None
    *parts, update = result
    if len(parts) == 1 and (not several or isinstance(parts[0], tuple)):
        return parts[0], update
    return tuple(parts), update


def take(update: Update, frame: Frame, signature: Signature, entry: Entry) -> None:
    """Put the values of an update into a body's own states, which must fit their declarations."""
    own = {p.name: p for p in signature.parameters if p.state}
    for name, value in update.values.items():
        if name not in own:
            guess = nearest(name, list(own))
            raise entry.error(
                AxisNameError,
                f"the body updates {name}, and {entry.name} has no state of that name",
                f"did you mean {guess}?"
                if guess
                else f"its states are {', '.join(own)}"
                if own
                else f"declare it after the *: {name}: nt.State[R[...]]",
            )
        cell = frame.cells.get(name)
        if cell is None:
            raise entry.error(
                NamedTensorError,
                f"the body updates {name}, which was not given",
                f"give it: {name}=..., or update it only where it is not None",
            )
        cell.put(_fitting(name, value, cell, entry))


def _fitting(name: str, value: Any, cell: Cell, entry: Entry) -> Any:
    """Raise unless a new value has the axes and the kind of its state, and no others."""
    space = cell.space
    if not isinstance(value, NamedTensor):
        if isinstance(value, (bool, int, float)) and not space.names:
            value = cell.value * 0 + value
        else:
            raise entry.error(
                KindError,
                f"the body updates {name} with {value!r}, which is no named tensor",
                f"nt.update({name}=X) with X in {space}",
            )
    more = [a for a in value.axes if a not in space.names]
    missing = [a for a in space.names if a not in value.axes]
    if more:
        each = space[tuple(dict.fromkeys([shown(a) for a in (*more, *space.names)]))]
        axes = ", ".join(dict.fromkeys([shown(a) for a in more]))
        raise entry.error(
            AxisClashError,
            f"the update of {name} has an axis {axes} too, and {name} is declared {space}",
            f"one state serves all of {axes}: declare {axes} in the argument that has it, and average over "
            f"it in the body; or, as a cache does, keep one for each: {name}: nt.State[{each!r}]",
        )
    if missing:
        axes = ", ".join([shown(a) for a in missing])
        raise entry.error(
            AxisMissingError,
            f"the update of {name} lacks {axes}, and {name} is declared {space}",
            f"give one for each {axes}",
        )
    found, held = dict(value.sizes), dict(cell.before.sizes)
    for axis in space.names:
        if type(found[axis]) is type(held[axis]) is int and found[axis] != held[axis]:
            raise entry.error(
                AxisSizeError,
                f"the update of {name} has {shown(axis)}[{found[axis]}], and {name} has "
                f"{shown(axis)}[{held[axis]}]",
                f"a state keeps its sizes: leave records out, or pad them, until they are {held[axis]}",
            )
    ranks = ("bool", "int", "float", "complex")
    if ranks.index(value.kind) > ranks.index(cell.before.kind):
        raise entry.error(
            KindError,
            f"the update of {name} holds {value.kind} numbers, and {name} holds {cell.before.kind} numbers",
            f"nt.cast(..., {cell.before.kind}), or declare what {name} holds",
        )
    return value


def kept(cell: Cell) -> Any:
    """Give a state's new value as it is stored: without gradients, with the state's dtype and sizes."""
    return apply(STORED.plain, cell.value, cell.before)


def cells_of(values: Mapping[str, Any], path: str) -> Any:
    """Find the value that a call was given for a state: a bundle's cell, or a tensor."""
    head, _, rest = path.partition(".")
    found = values[head]
    if not rest:
        return found
    inner = getattr(found, "_values", found)
    if isinstance(inner, Mapping):
        return cells_of(inner, rest)
    if isinstance(found, (list, tuple)):
        return cells_of({str(i): part for i, part in enumerate(found)}, rest)
    return found


def with_cells(signature: Signature, values: dict[str, Any], frame: Frame) -> dict[str, Any]:
    """Put cells in place of the states of the body that calls, as it was given them."""
    found = dict(values)
    for parameter in signature.parameters:
        value = values.get(parameter.name)
        if parameter.state:
            found[parameter.name] = frame.holding(value) or value
        elif parameter.bundle is not None:
            inner = parameter.bundle.signature
            if type(value) is dict:
                found[parameter.name] = with_cells(inner, value, frame)
            elif parameter.stack and type(value) is list:
                found[parameter.name] = [
                    with_cells(inner, part, frame) if type(part) is dict else part for part in value
                ]
    return found


def hand_over(name: str, values: Mapping[str, Any], updates: Mapping[str, Any], to: Frame) -> None:
    """Store the states that a call has updated in the frame of the body that called."""
    for path, value in updates.items():
        given = cells_of(values, path)
        cell = given if isinstance(given, Cell) else to.holding(given)
        if cell is None:
            raise TraceError(
                f"{name}(...)",
                f"{name} updates its state {path}, and what {to.name} gives for it is no state",
                hint=f"declare it in {to.name}, after the *: {path.split('.')[0]}: "
                + (f"nt.State[...], or the bundle of {name}" if "." not in path else "its formula"),
            )
        if cell.depth != steps_traced.get():
            raise TraceError(
                f"{name}(...)",
                f"the step of a recurrence runs once, on symbols, and {name} updates its state {path} there",
                hint="carry it: nt.scan[seq](step, (h, state), X)",
            )
        cell.put(value)
