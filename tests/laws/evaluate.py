"""The ways in which one call can run: on numpy or torch, eager or traced in a formula."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

import namedtensor as nt
from namedtensor import Axis, B, R, Z
from tests.laws.examples import Example, Operand
from tests.laws.row import Row, kind_of

LIBRARIES = ["numpy", "torch"]
WAYS = [(library, traced) for library in LIBRARIES for traced in (False, True)]

SPACES = {"float": R, "int": Z, "bool": B}


def evaluate(row: Row, example: Example, library: str, traced: bool) -> Any:
    """Run a row's call. A formula needs an argument, so a call without tensors is eager."""
    if traced and any(example.tensors()):
        return in_formula(row, example)(*tensors(example, library))
    return row.on_named(example, library)


def tensors(example: Example, library: str) -> list[Any]:
    return [X.named(library) for _, X in example.tensors()]


def in_formula(row: Row, example: Example, hidden: Collection[str] = ()) -> Any:
    """Make a formula of a row's call, whose signature names all axes but the hidden ones.

    In a signature an axis has one size. Where operands have two, as those of concat do, the
    formula takes the later one under another name and renames it in its body.
    """
    result = row.on_records(example)
    places = [i for i, _ in example.tensors()]
    apart = other_names(example)

    def body(*given: Any) -> Any:
        operands = list(example.operands)
        for i, X in zip(places, given, strict=True):
            operands[i] = X[back(apart[i])] if apart[i] else X
        return row.call(*operands, **example.settings)

    spaces = {f"X{i}": space(renamed(example.operands[i], apart[i]), hidden) for i in places}
    made = nt.formula(with_signature(body, spaces, R[declared(result.shape, hidden)]))
    return lambda *given: made(*[renamed(X, apart[i]) for i, X in zip(places, given, strict=True)])


def other_names(example: Example) -> dict[int, dict[str, str]]:
    """Give, for each operand, new names for axes that have another size in an earlier one."""
    sizes: dict[str, int] = {}
    return {
        i: {
            axis: f"of{i}_{axis}"
            for axis, size in X.sizes.items()
            if sizes.setdefault(axis, size) != size
        }
        for i, X in example.tensors()
    }


def back(names: dict[str, str]) -> tuple[Any, ...]:
    return tuple(Axis(after) >> Axis(before) for before, after in names.items())


def renamed(X: Any, names: dict[str, str]) -> Any:
    """Rename axes of an operand or of a named tensor, without a copy and without the library."""
    axes = tuple(names.get(axis, axis) for axis in X.axes)
    return replace(X, axes=axes) if isinstance(X, Operand) else nt.tensor(X.data, *axes)


def declared(axes: Collection[str], hidden: Collection[str]) -> tuple[str, ...]:
    return tuple(sorted(axis for axis in axes if axis not in hidden))


def space(X: Operand | float, hidden: Collection[str]) -> Any:
    assert isinstance(X, Operand)
    return SPACES[kind_of(X)][declared(X.axes, hidden)]


def with_signature(body: Callable[..., Any], spaces: dict[str, Any], returns: Any) -> Any:
    """Give a function named arguments with annotations, as if it had been written out."""

    def written(*given: Any) -> Any:
        return body(*given)

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter(name, kind, annotation=s) for name, s in spaces.items()]
    written.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    written.__annotations__ = {**spaces, "return": returns}
    return written
