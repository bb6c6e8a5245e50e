"""A stack whose parameters are held together, with one more axis: its layers run as a scan along it.

X_l = layer(X_{l-1}; W_{layers(l)})
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from namedtensor.axes import Axis
from namedtensor.errors import NamedTensorError
from namedtensor.formula.bundle import Bundle
from namedtensor.formula.formula import Formula
from namedtensor.formula.signature import Parameter, Signature, Space
from namedtensor.operations.recurrence import fold

_made: dict[tuple[str, str], Formula] = {}


def stacked(layer: Formula, axis: str) -> Formula:
    """Give the formula that runs a layer along an axis that all of its parameters have.

    Raises: NamedTensorError where the layer does not give what it takes first.
    """
    key = layer.number, axis
    if key not in _made:
        _made[key] = Stacked(layer, axis)
    return _made[key]


class Stacked(Formula):
    """A layer's formula, run once for each index of an axis of its parameters."""

    def __init__(self, layer: Formula, axis: str) -> None:
        before = [p for p in layer.signature.parameters if not p.after]
        results = layer.signature.results
        first = next((p.space for p in before), None)
        same = (
            results is not None and first is not None and set(results[0].names) == set(first.names)
        )
        if layer.signature.several or (results is not None and not same):
            raise NamedTensorError(
                f'nt.each[{layer.name}, "stacked"]',
                f"{layer.name} gives {', '.join(map(repr, results or ()))} and takes {first}; each layer "
                "takes what the one before gives",
                hint=f"nt.each[{layer.name}], and a loop over the layers in the body",
            )
        self.layer = layer
        self.axis = axis
        after = [
            _widened(p, axis) if p.after and not p.setting else p
            for p in layer.signature.parameters
        ]
        signature = Signature(tuple(after), results, False, layer.signature.python)
        super().__init__(self._body(), signature, fuse=layer.fused)
        self.made_by = (stacked, (layer, axis))

    def _body(self) -> Any:
        layer, axis = self.layer, self.axis
        start = next(p.name for p in layer.signature.parameters if not p.after)

        def body(*args: Any, **named: Any) -> Any:
            bound = layer.signature.python.bind(*args, **named)
            bound.apply_defaults()
            values = dict(bound.arguments)
            X = values.pop(start)
            held = {p.name for p in self.signature.parameters if p.after and not p.setting}
            bundles = {n: v for n, v in values.items() if n in held and v is not None}
            rest = {n: v for n, v in values.items() if n not in bundles}
            tensors = list(_tensors(bundles))

            def step(h: Any, *parts: Any) -> Any:
                return layer(h, **rest, **_placed(layer, bundles, iter(parts)))

            return fold[axis](step, X, *tensors) if tensors else X

        body.__name__ = body.__qualname__ = layer.name
        body.__doc__ = layer.function.__doc__
        body.names_parts = True  # type: ignore[attr-defined]  # its locals are none of the formula's
        return body


def _widened(parameter: Parameter, axis: str) -> Parameter:
    """Declare one more axis for a parameter, and for all in a bundle."""
    if parameter.bundle is not None:
        inner = parameter.bundle.signature
        parts = [_widened(p, axis) if p.after and not p.setting else p for p in inner.parameters]
        signature = Signature(tuple(parts), inner.results, inner.several, inner.python)
        bundle = Formula(parameter.bundle.function, signature, trace=False)
        return Parameter(parameter.name, None, bundle, True, parameter.default)
    space = parameter.space
    if parameter.state or space is None:
        raise NamedTensorError(
            f'nt.each[..., "stacked"]: {parameter.name}',
            f"{parameter.name} is a state, and the layers of a scan cannot update it",
            hint='leave "stacked" out: nt.each[layer]',
        )
    wide = Space(space.letter, space.kinds, (Axis(axis), *space.axes), space.size_names)
    return Parameter(parameter.name, wide, None, True, parameter.default)


def _tensors(values: Mapping[str, Any]) -> Iterator[Any]:
    for value in values.values():
        if isinstance(value, Bundle):
            yield from _tensors(value._values)
        elif value is not None:
            yield value


def _placed(formula: Formula, values: Mapping[str, Any], parts: Iterator[Any]) -> dict[str, Any]:
    """Put the parts of one layer in the places of what holds them for all."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, Bundle):
            inner = formula.signature[name].bundle
            found[name] = Bundle(inner, _placed(inner, value._values, parts), value.training)
        else:
            found[name] = value if value is None else next(parts)
    return found
