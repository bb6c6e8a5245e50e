"""A stack whose parameters are held together, with one more axis: its layers run as a scan along it.

X_l = layer(X_{l-1}; W_{layers(l)})
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from namedtensor.axes import Axis
from namedtensor.errors import NamedTensorError
from namedtensor.formula.bundle import Bundle
from namedtensor.formula.declared import Declared
from namedtensor.formula.formula import Formula
from namedtensor.formula.signature import Parameter, Signature, Space
from namedtensor.operations.recurrence import fold

_made: dict[tuple[str, str], Formula] = {}
_wide: dict[tuple[str, str], Formula] = {}


def stacked(layer: Formula, axis: str) -> Formula:
    """Give the formula that runs a layer along an axis that all of its parameters have.

    Raises: NamedTensorError unless the layer's result has the space of its first argument.
    """
    key = layer.number, axis
    if key not in _made:
        _made[key] = Stacked(layer, axis)
    return _made[key]


class Stacked(Formula):
    """A layer's formula, run once for each index of an axis of its parameters."""

    def __init__(self, layer: Formula, axis: str) -> None:
        before = layer.signature.before
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
        if not _can_hold(layer.signature):
            raise self._uncounted(layer)
        after = [
            _widened(p, axis) if p.after and not p.setting else p
            for p in layer.signature.parameters
        ]
        signature = Signature(tuple(after), results, False, layer.signature.python)
        super().__init__(self._body(), signature, fuse=layer.fused)
        self.made_by = (stacked, (layer, axis))

    @staticmethod
    def _uncounted(layer: Formula) -> NamedTensorError:
        return NamedTensorError(
            f'nt.each[{layer.name}, "stacked"]',
            f"{layer.name} holds no parameters, and how many layers there are is the size of their axis",
            hint=f"nt.each[{layer.name}], and a loop over the layers in the body",
        )

    def _body(self) -> Any:
        layer, axis = self.layer, self.axis
        start = next(p.name for p in layer.signature.before)

        def body(*args: Any, **named: Any) -> Any:
            bound = layer.signature.python.bind(*args, **named)
            bound.apply_defaults()
            values = dict(bound.arguments)
            X = values.pop(start)
            held = {p.name for p in self.signature.after if not p.setting}
            bundles = {n: v for n, v in values.items() if n in held and v is not None}
            rest = {n: v for n, v in values.items() if n not in bundles}
            tensors = list(_tensors(layer, bundles))
            if not tensors:
                raise self._uncounted(layer)

            def step(h: Any, *parts: Any) -> Any:
                return layer(h, **rest, **_placed(layer, bundles, iter(parts)))

            return fold[axis](step, X, *tensors)

        body.__name__ = body.__qualname__ = layer.name
        body.__doc__ = layer.function.__doc__
        body.names_parts = True  # type: ignore[attr-defined]  # its locals are none of the formula's
        return body


class Widened(Formula):
    """A formula in the layers of such a stack: its parameters have one more axis, and its body has not."""

    def __init__(self, narrow: Formula, axis: str) -> None:
        inner = narrow.signature
        parts = [_widened(p, axis) if p.after and not p.setting else p for p in inner.parameters]
        signature = Signature(tuple(parts), inner.results, inner.several, inner.python)
        super().__init__(narrow.function, signature, trace=False)
        self.narrow = narrow
        self.axis = axis
        self.made_by = (widened, (narrow, axis))


def widened(narrow: Formula, axis: str) -> Formula:
    """Give the formula whose parameters have one more axis, for the layers of a stack that is a scan."""
    key = narrow.number, axis
    if key not in _wide:
        _wide[key] = Widened(narrow, axis)
    return _wide[key]


def _widened(parameter: Parameter, axis: str) -> Parameter:
    """Declare a further axis for a parameter, or for all parameters in a bundle."""
    if parameter.bundle is not None:
        bundle = widened(parameter.bundle, axis)
        return Parameter(parameter.name, None, bundle, True, parameter.default)
    space = parameter.space
    if parameter.state or space is None:
        raise NamedTensorError(
            f'nt.each[..., "stacked"]: {parameter.name}',
            f"{parameter.name} is a state, and the layers of a scan cannot update it",
            hint='leave "stacked" out: nt.each[layer]',
        )
    wide = Space(
        space.letter, space.kinds, (Axis(axis), *space.axes), space.size_names, space.stated
    )
    return Parameter(parameter.name, wide, None, True, parameter.default)


def _can_hold(signature: Signature) -> bool:
    """Say whether there are parameters, in bundles or not."""
    return any(
        [
            p.after and (p.space is not None or (p.bundle and _can_hold(p.bundle.signature)))
            for p in signature.parameters
        ]
    )


def _tensors(formula: Declared, values: Mapping[str, Any]) -> Iterator[Any]:
    for name, value in values.items():
        if isinstance(value, Bundle):
            yield from _tensors(value.formula, value._values)
        elif value is not None and not formula.signature[name].setting:
            yield value


def _placed(formula: Declared, values: Mapping[str, Any], parts: Iterator[Any]) -> dict[str, Any]:
    """Replace each tensor that holds all layers by the part of one layer."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, Bundle):
            inner: Any = getattr(value.formula, "narrow", value.formula)
            inside = _placed(inner, value._values, parts)
            found[name] = Bundle(inner, inside, value.training, value.settings)
        elif value is None or formula.signature[name].setting:
            found[name] = value
        else:
            found[name] = next(parts)
    return found
