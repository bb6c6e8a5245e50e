"""Bundles: the parameters of a formula, passed as one: mha in f(X; mha); and stacks of them."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from namedtensor.errors import BackendError, HabitError, IndexRangeError, KindError, kind_of_thing
from namedtensor.formula.alike import Alike, Apart
from namedtensor.formula.signature import Parameter
from namedtensor.formula.state import RUNNING, Cell
from namedtensor.operations.training import training

if TYPE_CHECKING:
    from namedtensor.formula.declared import Declared
    from namedtensor.tensor import NamedTensor


class Bundle:
    """The parameters of a formula, bound: called with the formula's remaining arguments.

    `ffn.W1` gives a parameter; `ffn(X)` is FFN(X, W1=..., b1=..., ...). `training` is the mode of the module
    that holds them, or None if the body has the mode of its caller; `settings` are the settings that the
    module was made with.
    """

    def __init__(
        self,
        formula: Declared,
        values: dict[str, Any],
        training: bool | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        self.formula = formula
        self._values = values
        self.training = training
        self.settings = dict(settings or {})
        # whether it belongs to a stack, whose bundles share their plans
        self._layer = False
        # the stack of bundles that are alike, if it belongs to one, and its place there
        self._alike: Alike | None = None
        self._place = 0

    def __call__(self, *args: Any, **settings: Any) -> NamedTensor | Any:
        if self._alike is not None and RUNNING.shared is not None:
            return self.formula.call_alike(self, args, settings)
        given = self._given(args, settings)
        if self._layer and RUNNING.shared is not None:
            return self.formula.call_layer(args, given, self.training)
        if self.training is None:
            return self.formula(*args, **given)
        with training(self.training):
            return self.formula(*args, **given)

    @property
    def _first(self) -> Bundle:
        """The first of the bundles that are alike, which holds the symbols for all of them."""
        return self

    def _given(self, args: Any, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Give the named arguments of the formula's call: parameters and settings that `args` lacks."""
        given = {**self.settings, **self._values, **settings}
        for parameter in self.formula.signature.parameters[: len(args)] if self.settings else ():
            given.pop(parameter.name, None)  # which stands among args
        return given

    def __getattr__(self, name: str) -> Any:
        values = self.__dict__.get("_values", {})
        if name in values:
            value = values[name]
            return value.value if isinstance(value, Cell) else value
        formula = self.__dict__.get("formula")
        raise HabitError(
            f"{getattr(formula, 'name', 'bundle')}.{name}",
            f"the bundle of {formula} has no parameter {name}",
            hint=f"it has {', '.join(values) or 'none'}",
        )

    def __repr__(self) -> str:
        return f"{self.formula.name}(...; {', '.join(self._values)})"


class Twin(Bundle):
    """A bundle that is like the first of its stack: it can be called, but its parameters cannot be read."""

    def __init__(self, first: Bundle, place: int) -> None:
        self.__dict__.update(first.__dict__, _of=first, _place=place)
        del self.__dict__["_values"]

    @property
    def _first(self) -> Bundle:
        found: Bundle = self.__dict__["_of"]
        return found

    def __getattr__(self, name: str) -> Any:
        raise Apart


class Stack(tuple[Bundle, ...]):
    """The bundles of a stack, in order: for layer in layers: X = layer(X)."""

    #: Set if the bundles are alike.
    alike: Alike | None = None

    @classmethod
    def of(cls, first: Bundle, alike: Alike) -> Stack:
        """Make a stack of bundles that are like the first."""
        first._alike = alike
        found = cls([first, *[Twin(first, i) for i in range(1, alike.count)]])
        found.alike = alike
        return found

    def __getitem__(self, place: Any) -> Any:
        try:
            found = super().__getitem__(place)
        except TypeError:
            raise KindError(
                f"layers[{place!r}]",
                f"a stack is indexed by a whole number or a slice, not by {kind_of_thing(place)}",
                hint="layers[0], or for layer in layers: X = layer(X)",
            ) from None
        except IndexError:
            raise IndexRangeError(
                f"layers[{place}]",
                f"the stack has {len(self)} bundles, and {place} is asked for",
                hint=f"one of 0, ..., {len(self) - 1}; len(layers) counts them",
            ) from None
        return Stack(found) if isinstance(place, slice) else found

    def __call__(self, *args: Any, **named: Any) -> Any:
        raise BackendError(
            "layers(...)",
            f"a stack of {len(self)} bundles is called, and each of them can be",
            hint="for layer in layers: X = layer(X); or declare layers: nt.each[layer, 'stacked']",
        )

    def __repr__(self) -> str:
        return f"[{', '.join(map(repr, self))}]"


def same_parameters(one: Declared, other: Declared) -> bool:
    """Say whether two formulas have the same parameters: names, axes, and those of their bundles."""
    return one is other or _parameters(one) == _parameters(other)


def _parameters(formula: Declared) -> list[Any]:
    found: list[Any] = []
    for parameter in formula.signature.after:
        if parameter.bundle is not None:
            found.append((parameter.name, parameter.stack, _parameters(parameter.bundle)))
        elif parameter.space is not None:
            found.append((parameter.name, set(parameter.space.names)))
    return found


def fits(one: Declared, other: Declared) -> bool:
    """Say whether one formula can replace another: the same arguments and results."""
    return one is other or (
        _arguments(one) == _arguments(other)
        and (_results(one) == _results(other) or None in (_results(one), _results(other)))
    )


def _arguments(formula: Declared) -> list[Any]:
    return [
        (p.space.letter, set(p.space.names))
        for p in formula.signature.parameters
        if not p.after and p.space is not None
    ]


def _results(formula: Declared) -> list[Any] | None:
    spaces = formula.signature.results
    return None if spaces is None else [(s.letter, set(s.names)) for s in spaces]


def formula_of(declared: Declared, value: Any) -> Declared:
    """Give the formula of a bundle: the declared one, or the one that replaces it."""
    if isinstance(value, Bundle) and fits(value.formula, declared):
        return value.formula
    return declared


def settings_of(value: Any) -> dict[str, Any]:
    """Give the settings before the star that a bundle's module was made with."""
    found: dict[str, Any] = getattr(value, "settings", {})
    if not found:
        return found
    after = value.formula.parameters_after
    return {name: setting for name, setting in found.items() if name not in after}


def opened(parameter: Parameter, value: Any, path: str) -> dict[str, tuple[Parameter, Any]]:
    """List the members of a bundle or of a stack: the declaration and the value of each, by name."""
    if parameter.stack:
        held = enumerate(layers_of(parameter, value, path))
        return {str(i): (layer_in(parameter, i), part) for i, part in held}
    formula = formula_of(parameter.bundle, value)
    parts = parameters_of(formula, value, path)
    return {name: (formula.signature[name], part) for name, part in parts.items()}


def layer_in(parameter: Parameter, place: int) -> Parameter:
    """Declare one bundle of a stack."""
    return Parameter(str(place), None, parameter.bundle, True, inspect.Parameter.empty)


def layers_of(parameter: Parameter, value: Any, path: str) -> list[Any]:
    """List the bundles of a stack."""
    if not isinstance(value, Mapping) and hasattr(value, "__iter__") and not isinstance(value, str):
        return list(value)
    name = parameter.bundle.name
    raise BackendError(
        f"{path}: each[{name}]",
        f"{path} is {kind_of_thing(value)}, and a stack is a list of bundles of {name}",
        hint=f"[{name}.module(...), ...], or a list of dicts with "
        f"{', '.join(parameter.bundle.parameter_names)}",
    )


def parameters_of(formula: Declared, bundle: Any, path: str) -> dict[str, Any]:
    """Give the parameters that a bundle holds; a bundle is a Bundle, a dict, or a module of this formula."""
    if isinstance(bundle, Bundle):
        if not same_parameters(bundle.formula, formula):
            raise _others(formula, bundle, path)
        found = bundle._values
    elif isinstance(bundle, dict):
        found = bundle
        unknown = [name for name in bundle if name not in formula.parameters_after]
        if unknown:
            raise BackendError(
                f"{path}: {formula.name}",
                f"{formula.name} has no parameter {unknown[0]}",
                hint=f"a dict with {', '.join(formula.parameter_names)}",
            )
    elif hasattr(bundle, "named_values"):
        if not same_parameters(bundle.formula, formula):
            raise _others(formula, bundle, path)
        found = bundle.named_values()
    else:
        raise BackendError(
            f"{path}: {formula.name}",
            f"{path} is {kind_of_thing(bundle)}, which holds no parameters of {formula.name}",
            hint=f"{formula.name}.module(...), or a dict with {', '.join(formula.parameter_names)}",
        )
    result = {}
    for parameter in formula.signature.after:
        if parameter.name in found:
            result[parameter.name] = found[parameter.name]
        elif parameter.default is not inspect.Parameter.empty:
            result[parameter.name] = parameter.default
        else:
            raise BackendError(
                f"{path}: {formula.name}",
                f"{path} has no parameter {parameter.name}",
                hint=f"{formula.name}.module(...), or a dict with {', '.join(formula.parameter_names)}",
            )
    return result


def _others(formula: Declared, bundle: Any, path: str) -> BackendError:
    return BackendError(
        f"{path}: {formula.name}",
        f"{path} is a module of {bundle.formula.name}, which has other parameters",
        hint=f"{formula.name}.module(...), or a dict with {', '.join(formula.parameter_names)}",
    )
