"""The shape of a formula's result, without data."""

from __future__ import annotations

import inspect
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from namedtensor.axes import parse_axes
from namedtensor.errors import KindError, NamedTensorError
from namedtensor.formula.bundle import Bundle, formula_of, settings_of
from namedtensor.formula.keys import mode_of
from namedtensor.formula.lifting import Entry, Leaf
from namedtensor.formula.signature import Parameter, Space
from namedtensor.formula.state import nothing_runs
from namedtensor.primitives import Node, Type, size_of
from namedtensor.primitives.node import operands_first
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
    leaves: list[Leaf] = []
    filled = {
        p.name: _fill(p, p.name, values.get(p.name), leaves, {})
        for p in formula.signature.parameters
    }
    _share_sizes(f"{formula.name}.shape", leaves)
    filled = {
        p.name: _resolved(p, p.name, filled[p.name], leaves) for p in formula.signature.parameters
    }
    with nothing_runs():
        result = formula(**filled)
    if isinstance(result, tuple) and isinstance(result[-1], dict):  # states
        *parts, _ = result
        result = tuple(parts) if formula.signature.several else parts[0]
    return result, result if isinstance(result, tuple) else (result,)


def largest(formula: Declared, named: dict[str, Any]) -> int:
    """Count the numbers of the largest tensor that a call would compute, without computing any.

    A size that no argument tells counts as 1. A call that is at fault computes nothing.
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


def _fill(
    parameter: Parameter, path: str, value: Any, leaves: list[Leaf], sizes: dict[str, int]
) -> Any:
    """Make a symbol for each tensor; one that is not given has its declared axes."""
    if parameter.optional and (value is None or value is False):
        return None
    if parameter.bundle is not None:
        if parameter.stack:
            parts = [None] * value if isinstance(value, int) else [None] if value is None else value
            layer = replace(parameter, stack=False)
            return [_fill(layer, f"{path}.{i}", x, leaves, sizes) for i, x in enumerate(parts)]
        inner = formula_of(parameter.bundle, value)
        given = {} if value is None else value
        if isinstance(value, Bundle):
            given = value._values
        elif hasattr(value, "named_values"):
            given = value.named_values()
        filled = {
            p.name: _fill(p, f"{path}.{p.name}", given.get(p.name), leaves, sizes)
            for p in inner.signature.parameters
            if p.after
        }
        return Bundle(inner, filled, mode_of(value), settings_of(value))
    if parameter.space is None:
        return parameter.default if value is None else value
    if value is None and parameter.default is None:
        return None
    if isinstance(value, SymbolicTensor):
        return value
    leaves.append(Leaf(path, parameter.space, symbol_of(path, parameter.space, value)))
    return leaves[-1]


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


def _share_sizes(name: str, leaves: list[Leaf]) -> None:
    """Give every open axis of an argument the size that another argument has for it."""
    entry = Entry(name, leaves, None)
    entry.agree()
    known: dict[Any, Any] = {}
    for leaf in leaves:
        for axis, size in leaf.tensor.node.type.axes:
            if isinstance(size, int):
                known.setdefault(entry.size_key(leaf, axis), size)
    for leaf in leaves:
        old = leaf.tensor.node.type
        axes = [
            (a, known.get(entry.size_key(leaf, a), s) if isinstance(s, Node) else s)
            for a, s in old.axes
        ]
        leaf.tensor = symbol(leaf.path, old.with_axes(axes))


def _resolved(parameter: Parameter, path: str, value: Any, leaves: list[Leaf]) -> Any:
    if isinstance(value, Leaf):
        return value.tensor
    if isinstance(value, list) and parameter.stack:
        layer = replace(parameter, stack=False)
        return [_resolved(layer, f"{path}.{i}", v, leaves) for i, v in enumerate(value)]
    if isinstance(value, Bundle):
        inner = value.formula.signature
        value._values = {
            n: _resolved(inner[n], f"{path}.{n}", v, leaves) for n, v in value._values.items()
        }
    return value
