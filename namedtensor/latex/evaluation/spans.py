"""Ranges of an axis in words: range_seq(X, 3, 5) is X[seq[2:5]]."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from namedtensor.axes import AxisSelection
from namedtensor.errors import AxisMissingError
from namedtensor.latex.evaluation.indices import zero_based
from namedtensor.latex.evaluation.meanings import Use, Word, no_axes, plain
from namedtensor.latex.evaluation.nonsense import ArgumentsError
from namedtensor.latex.evaluation.values import Value
from namedtensor.latex.syntax import Call
from namedtensor.operations.indexing import SLICE_SIZE
from namedtensor.primitives.node import apply_node
from namedtensor.primitives.sizes import as_node
from namedtensor.tensor import NamedTensor, SymbolicTensor

if TYPE_CHECKING:
    from namedtensor.latex.evaluation.evaluate import Evaluator

#: The words of ranges, and which bounds they take.
RANGES: dict[str, tuple[str, ...]] = {
    "range": ("start", "stop", "step"),
    "from": ("start",),
    "until": ("stop",),
    "every": ("step",),
    "from-every": ("start", "step"),
    "until-every": ("stop", "step"),
    "whole": (),
}


def slices() -> Iterator[tuple[str, Word]]:
    """Give the words of ranges: range_seq(X, 3, 5) is X[seq[2:5]], from the third to the fifth.

    Ranges begin at their first index and end at their last, both counted from 1.
    """
    for words, parts in RANGES.items():
        yield words, Word(words, _slice(words, parts))
        yield f"size-{words}", Word(f"size-{words}", plain(f"size-{words}", _size_of(parts)))


def _bounds(parts: tuple[str, ...], given: tuple[Any, ...]) -> list[Any]:
    """Give start, stop and step as data counts them."""
    known = dict(zip(parts, given, strict=False))
    if "start" in known:
        known["start"] = zero_based(known["start"])
    return [known.get(bound) for bound in ("start", "stop", "step")]


def _size_of(parts: tuple[str, ...]) -> Callable[..., Any]:
    """Give the function that tells how long a range of an axis of some size is."""

    def size_of(size: Any, *given: Any) -> Any:
        bounds = _bounds(parts, given)
        if all(isinstance(b, int) or b is None for b in (size, *bounds)):
            return len(range(*slice(*bounds).indices(size)))
        flags = tuple([b is not None for b in bounds])
        nodes = [as_node(getattr(b, "node", b)) for b in (size, *bounds) if b is not None]
        return SymbolicTensor(apply_node(SLICE_SIZE(flags), tuple(nodes)))

    return size_of


def _slice(name: str, parts: tuple[str, ...]) -> Use:
    def use(e: Evaluator, part: Call, values: Any, given: Any) -> Value:
        if len(part.axes) != 1:
            return no_axes(e, part, name, values, given)
        axis = part.axes[0].name
        least = 3 if name == "range" else len(parts) + 1
        if not least <= len(values) <= len(parts) + 1:
            listed = ", ".join(["X", *parts[: least - 1]])
            return e.fail(
                part,
                ArgumentsError,
                f"{name} takes {least} arguments, and {len(given)} are given",
                f"write {name}_{axis}({listed})",
            )

        def select(X: Any, *bounds: Any) -> Any:
            if not isinstance(X, NamedTensor):
                raise AxisMissingError(name, "a number has no axis to take a range of")
            return X[AxisSelection(axis, slice(*_bounds(parts, bounds)))]

        return e.attempt(part, select, values, given)

    return use
