"""Shapes given to a formula instead of data, and the shape of its result."""

from __future__ import annotations

import inspect
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from namedtensor.axes import Axis, parse_axes
from namedtensor.backends.lazy import is_number
from namedtensor.errors import KindError, NamedTensorError
from namedtensor.formula.arguments import Given
from namedtensor.formula.lifting import Entry, Leaf
from namedtensor.formula.signature import Parameter, Space
from namedtensor.formula.state import nothing_runs
from namedtensor.operations.training import MODE
from namedtensor.primitives import Node, Type, size_of
from namedtensor.primitives.node import ARGUMENT, operands_first
from namedtensor.primitives.origins import Origins, noted_in
from namedtensor.shape import Shape
from namedtensor.tensor import NamedTensor, SymbolicTensor, symbol

if TYPE_CHECKING:
    from namedtensor.formula.declared import Declared


def shape_of(formula: Declared, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Give the shape of the result, the declared axes last and in order: an open size stays open."""
    with noted_in(Origins()):  # so that an error has the user's own expressions
        result, parts = traced_results(formula, arguments, named)
    shapes = []
    for part, space in zip(parts, formula.signature.results or [None] * len(parts), strict=True):
        sizes = {n: None if isinstance(s, (Node, SymbolicTensor)) else s for n, s in part.sizes}
        last = [] if space is None else [n for n in space.names if n in sizes]
        shapes.append(
            Shape.of([(n, sizes[n]) for n in [*[n for n in sizes if n not in last], *last]])
        )
    return tuple(shapes) if isinstance(result, tuple) else shapes[0]


def traced_results(
    formula: Declared, arguments: tuple[Any, ...], named: dict[str, Any]
) -> tuple[Any, tuple[Any, ...]]:
    """Run the body on symbols of these shapes; give its result, and the parts of the result."""
    values = given_values(formula, arguments, named)
    given = read(formula, values, MODE.training, "shape")
    Entry(f"{formula.name}.shape", given.leaves, None).agree()
    for leaf in given.leaves:
        if type(leaf.tensor) is NamedTensor:
            leaf.tensor = symbol_of(leaf.path, leaf.space, leaf.tensor)
    with nothing_runs():
        result = formula.run_in_place(given)
    if isinstance(result, tuple) and isinstance(result[-1], dict):  # states
        *parts, _ = result
        result = tuple(parts) if formula.signature.several else parts[0]
    return result, result if isinstance(result, tuple) else (result,)


def largest(formula: Declared, named: dict[str, Any]) -> int:
    """Count the elements of the largest tensor that a call would compute, without computing it.

    A size that no argument tells counts as 1. A call that raises an error counts as 0.
    """
    try:
        _, parts = traced_results(formula, (), named)
    except NamedTensorError:
        return 0
    counts = [
        math.prod([size for _, size in node.type.axes if isinstance(size, int)])
        for node in operands_first([part.node for part in parts if hasattr(part, "node")])
    ]
    return max(counts, default=0)


def given_values(
    formula: Declared, arguments: tuple[Any, ...], named: dict[str, Any], asked: str = "shape"
) -> dict[str, Any]:
    """Match shapes with arguments by position and name; the rest take their defaults."""
    names = [p.name for p in formula.signature.before]
    if len(arguments) > len(names):
        raise NamedTensorError(
            f"{formula.name}.{asked}(...)",
            f"{len(arguments)} shapes are given, and {formula.name} has {len(names)} argument(s)",
            hint=f"{formula.name}.{asked}({', '.join(names)})",
        )
    values = dict(zip(names, arguments, strict=False)) | named
    unknown = [n for n in named if n not in {p.name for p in formula.signature.parameters}]
    if unknown:
        raise NamedTensorError(
            f"{formula.name}.{asked}(...)",
            f"{formula.name} has no argument {unknown[0]}",
            hint=repr(formula),
        )
    for parameter in formula.signature.parameters:
        if parameter.name not in values and parameter.setting:
            if parameter.default is inspect.Parameter.empty:
                raise KindError(
                    f"{formula.name}.{asked}(...)",
                    f"{parameter.name} is a setting without a default, and the result may depend on it",
                    hint=f"{formula.name}.{asked}(..., {parameter.name}=...)",
                )
            values[parameter.name] = parameter.default
    return values


def symbol_of(path: str, space: Space, value: Any) -> SymbolicTensor:
    """Make the symbol of an argument of some shape, or of its declared axes; sizes may be open."""
    if isinstance(value, Space):
        space = value
    kind = "float" if space.letter == "R" else space.kinds[0]
    if isinstance(value, NamedTensor):
        value, kind = value.shape, value.kind
    if value is None or value is space:
        axes = space.axes
    else:
        axes = tuple(value) if isinstance(value, Shape) else parse_axes(value)
    sizes = [
        (a.name, size_of(path, a.name, i) if a.size is None else a.size) for i, a in enumerate(axes)
    ]
    return symbol(path, Type(tuple(sizes), kind))


def read(formula: Declared, values: dict[str, Any], mode: bool, asked: str) -> Given:
    """Read shapes and tensors; an open axis takes the size that another argument has for its name."""
    filled = {p.name: _filled(p, p.name, values.get(p.name)) for p in formula.signature.parameters}
    given: Given = formula.arguments.read(filled, mode)
    entry = Entry(f"{formula.name}.{asked}", given.leaves, None)
    known: dict[str, Any] = {}
    alike: dict[str, set[int]] = {}
    for leaf in given.leaves:
        for axis, size in leaf.tensor.sizes:
            if isinstance(size, int):
                alike.setdefault(axis, set()).add(size)
                if "." not in leaf.path:
                    known.setdefault(entry.size_key(leaf, axis), size)
    for leaf in given.leaves:
        if (
            isinstance(leaf.tensor, SymbolicTensor)
            and leaf.tensor.node.operation.primitive is ARGUMENT
        ):
            leaf.tensor = _sized(leaf, entry, known, alike)
    return given


def _sized(
    leaf: Leaf, entry: Entry, known: dict[str, Any], alike: dict[str, set[int]]
) -> SymbolicTensor:
    """Give a symbol's open axes their sizes; those of one name that stay open have one symbol."""
    type_ = leaf.tensor.node.type
    axes = []
    for axis, size in type_.axes:
        if isinstance(size, Node):
            if "." not in leaf.path:
                size = known.setdefault(entry.size_key(leaf, axis), size)
            elif len(alike.get(axis, ())) == 1:
                (size,) = alike[axis]
        axes.append((axis, size))
    return symbol(leaf.path, type_.with_axes(axes))


def _filled(parameter: Parameter, path: str, value: Any) -> Any:
    """Make symbols of shapes, and of what is not given."""
    if parameter.optional and (value is None or value is False):
        return None
    if parameter.stack:
        count = 1 if value is None else value
        layers = [None] * count if isinstance(count, int) else list(count)
        layer = replace(parameter, stack=False)
        return [_filled(layer, f"{path}.{i}", part) for i, part in enumerate(layers)]
    if parameter.bundle is not None:
        if value is not None and not isinstance(value, dict):
            return value
        given = value or {}
        inner = parameter.bundle.signature.after
        extra = {name: part for name, part in given.items() if name not in [p.name for p in inner]}
        return {
            p.name: _filled(p, f"{path}.{p.name}", given.get(p.name, None)) for p in inner
        } | extra
    if parameter.space is None:
        return parameter.default if value is None else value
    if value is None and parameter.default is None:
        return None
    if value is None and parameter.default is not inspect.Parameter.empty:
        return parameter.default
    if isinstance(value, NamedTensor) or (parameter.number and is_number(value)):
        return value
    return symbol_of(path, parameter.space, value)


def is_shape(value: Any) -> bool:
    """Say whether a value is a shape, and no tensor."""
    if isinstance(value, (tuple, list)):
        return bool(value) and all(isinstance(part, (str, Axis)) for part in value)
    return isinstance(value, (str, Axis, Shape, Space))
