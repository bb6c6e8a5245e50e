"""What goes wrong with axes, one class for each precondition.

A message has four parts: the call; why not, naming the axis and each size with its owner;
every operand's shape; and a hint that says what to type.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol


class Place(Protocol):
    """A stretch of a source: `primitives.origins.Origin` of Python, `latex.source.Passage` of a document."""

    @property
    def file(self) -> str: ...
    @property
    def line(self) -> int: ...
    @property
    def text(self) -> str: ...
    def marked(self) -> list[str]: ...


class NamedTensorError(ValueError):
    """Say which call failed, why, on which shapes, and what to type instead.

    >>> error = AxisMissingError("sum[key](X)", "X has no axis key", [("X", "seq[3]")], "sum[seq](X)")
    >>> print(error)
    sum[key](X): X has no axis key
      X : seq[3]
    hint: sum[seq](X)
    """

    def __init__(
        self,
        call: str,
        why: str,
        operands: Iterable[tuple[str, str]] = (),
        hint: str = "",
    ) -> None:
        self.call = call
        self.why = why
        self.operands = tuple(operands)
        self.hint = hint
        self.places: tuple[tuple[str, Place], ...] = ()
        super().__init__(call, why, self.operands, hint)

    def add_place(self, formula: str, place: Place) -> None:
        """Say where in a formula's body this happened; the innermost formula comes first."""
        self.places = (*self.places, (formula, place))

    def __str__(self) -> str:
        width = max((len(label) for label, _ in self.operands), default=0)
        lines = [f"{self.call}: {self.why}"]
        lines += [f"  {label:<{width}} : {shape}" for label, shape in self.operands]
        lines += self._written()
        if self.hint:
            lines.append(f"hint: {self.hint}")
        return "\n".join(lines)

    def _written(self) -> list[str]:
        """Write the sub-expression that failed, and one line for each formula that called."""
        if not self.places:
            return []
        (name, place), *callers = self.places
        lines = [f'  File "{place.file}", line {place.line}, in {name}']
        lines += [f"    {line}" for line in place.marked()]
        file = place.file
        for caller, where in callers:
            at = f"line {where.line}" if where.file == file else f"{where.file}, line {where.line}"
            file = where.file
            text = " ".join(where.text.split())
            lines.append(f"  called in {caller}, {at}" + (f": {text}" if text else ""))
        return lines


class AxisMissingError(NamedTensorError):
    """An operation names an axis that an operand lacks."""


class AxisSizeError(NamedTensorError):
    """One axis has two sizes, or a size that does not fit."""


class AxisClashError(NamedTensorError):
    """Two axes of one tensor would get the same name."""


class AxisNameError(NamedTensorError):
    """A name, a shape or a pattern is not well formed, or names one axis twice."""


class IndexRangeError(NamedTensorError, IndexError):
    """An index lies outside its axis."""


class KindError(NamedTensorError, TypeError):
    """Numbers of another kind are needed: an integer index, a boolean condition."""


class BackendError(NamedTensorError, TypeError):
    """Operands live in different libraries or devices, or are bare arrays without names."""


class HabitError(NamedTensorError, AttributeError):
    """A method of positional arrays is asked of a named tensor, which has none of the name."""


class TraceError(NamedTensorError):
    """A formula's body cannot be traced into an expression."""


class WeightsError(NamedTensorError):
    """A file of weights cannot be read, or does not fit the module."""


class DerivativeError(NamedTensorError):
    """An operation has no rule for its derivative."""


def kind_of_thing(value: object) -> str:
    """Say what a value is that should be something else.

    >>> kind_of_thing(3), kind_of_thing([]), kind_of_thing(None)
    ('an int', 'a list', 'None')
    """
    if value is None:
        return "None"
    name = type(value).__name__
    return f"{'an' if name[0].lower() in 'aeiou' or name == 'ndarray' else 'a'} {name}"


def first_line(error: BaseException) -> str:
    """Give the first line of what a library says, without its closing dot."""
    lines = str(error).strip().splitlines()
    return lines[0].strip().rstrip(".") if lines else type(error).__name__


def nearest(name: str, names: Iterable[str]) -> str | None:
    """Find the name that a typo most likely meant.

    >>> nearest("kye", ["key", "seq"])
    'key'
    """
    from difflib import get_close_matches

    found = get_close_matches(name, list(names), n=1, cutoff=0.5)
    return found[0] if found else None
